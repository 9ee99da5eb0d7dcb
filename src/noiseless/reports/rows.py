"""What the sections of a report say, as rows ready to be shown."""

from dataclasses import dataclass
from decimal import Decimal

from noiseless.audits import Audit, Check, PolicyResult
from noiseless.exact import Bits
from noiseless.reports.numbers import bound_text

_WORDS = {
    "leakage": "bits leaked, L0",
    "maximin": "bits told apart for certain, I*",
    "min_posterior": "smallest posterior set",
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
class Status:
    """The verdict in a word; `mark` names its shape and colour."""

    mark: str
    words: str


def status_of(audit: Audit) -> Status:
    """How private a release is for the target that fares worst, all sensitive columns together included."""
    targets = [target for target in audit.targets if target.sensitive_values > 1]
    if not targets:
        return Status("void", "Nothing to protect")
    if any(target.min_posterior == 1 for target in targets):
        return Status("bad", "Not private")
    if all(target.min_posterior == target.sensitive_values for target in targets):
        return Status("good", "Private")
    return Status("partly", "Partly private")


@dataclass(frozen=True)
class PolicyRow:
    """A policy's check in words."""

    name: str
    target: str
    asked: str
    found: str
    holds: bool


def policy_rows(policy: PolicyResult | None) -> list[PolicyRow]:
    """The checks of a policy; what was found is rounded so that it stays on its side of the limit."""
    return [_policy_row(check) for check in policy.checks] if policy else []


def _policy_row(check: Check) -> PolicyRow:
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


@dataclass(frozen=True)
class SideRow:
    """What one kind of adversary learns."""

    knows: str
    leaked: Bits
    left: int


def side_rows(audit: Audit) -> list[SideRow]:
    """The side information by itself, the release by itself, and both; empty when there is none."""
    side = audit.side_information
    if side is None:
        return []
    alone = int(audit.sensitive_values / side.leakage_alone.ratio)
    return [
        SideRow("only the side information", side.leakage_alone, alone),
        SideRow("only the release", side.leakage_without, side.min_posterior_without),
        SideRow("both", side.leakage_total, audit.min_posterior),
    ]
