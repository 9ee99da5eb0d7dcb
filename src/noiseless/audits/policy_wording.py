"""A policy's checks in words, for texts, pages and notebooks."""

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from noiseless.display import bound_text

if TYPE_CHECKING:
    from noiseless.audits.policy import Check, PolicyResult

_WORDS = {
    "leakage": "bits leaked, L0",
    "maximin": "bits that every group tells, I*",
    "min_posterior": "fewest values left",
    "k_anonymity": "k-anonymity",
    "distinct_l_diversity": "distinct l-diversity",
    "entropy_l_diversity": "entropy l-diversity",
    "t_closeness": "t-closeness",
    "homogeneous_groups": "homogeneous groups",
}
"""The limits of a policy in words."""

_PLACES = 2
"""How many decimals a measure is shown with, unless its limit has more."""


@dataclass(frozen=True)
class PolicyRow:
    """A policy's check in words."""

    name: str
    target: str
    asked: str
    found: str
    holds: bool


def policy_rows(policy: "PolicyResult | None") -> list[PolicyRow]:
    """The checks of a policy; what was found is rounded so that it stays on its side of the limit."""
    return [_policy_row(check) for check in policy.checks] if policy else []


def policy_table(policy: "PolicyResult") -> list[list[str]]:
    """The same as a head and rows of cells."""
    rows = [
        [row.name, row.target, row.asked, row.found, "holds" if row.holds else "FAILS"]
        for row in policy_rows(policy)
    ]
    return [["limit", "about", "asked", "found", ""], *rows]


def _policy_row(check: "Check") -> PolicyRow:
    bound = "at most" if check.at_most else "at least"
    if isinstance(check.limit, int) and isinstance(check.found, int):
        asked, found = f"{check.limit:,}", f"{check.found:,}"
    else:
        places = max(_PLACES, _places(Decimal(check.limit)))
        asked = bound_text(Decimal(check.limit), places, up=check.at_most)
        found = bound_text(check.found, places, up=check.at_most)
    return PolicyRow(_WORDS[check.name], check.target, f"{bound} {asked}", found, check.holds)


def _places(limit: Decimal) -> int:
    exponent = limit.as_tuple().exponent
    return -exponent if isinstance(exponent, int) and exponent < 0 else 0
