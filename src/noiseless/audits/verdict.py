"""The audit in one sentence that a data steward can read out."""

from typing import TYPE_CHECKING

from noiseless.exact import Bits

if TYPE_CHECKING:
    from noiseless.audits.result import Audit


def verdict(audit: "Audit") -> str:
    """What the release gives away about the sensitive column that fares worst."""
    worst = audit.worst
    name, total = worst.name, worst.sensitive_values
    if total == 1:
        return f"Nothing is left to protect: {name} has the same value in every row."
    told = _told_apart(worst.components, name)
    if worst.min_posterior == 1:
        groups = len(worst.homogeneous)
        return (
            f"NOT PRIVATE: {worst.homogeneous_persons:,} of {audit.persons:,} {audit.heads} have their {name} given away "
            f"completely, in {groups:,} of {worst.census.joint.size_y:,} groups{told}."
        )
    if worst.leakage == Bits(1):
        return f"PRIVATE: every group leaves all {total:,} values of {name} possible; nothing leaks."
    return (
        f"PARTLY: no group narrows {name} to fewer than {worst.min_posterior:,} of {total:,} values; at most "
        f"{worst.leakage.rounded_up(2)} of {worst.entropy.rounded_up(2)} bits leak{told}."
    )


def _told_apart(components: int, name: str) -> str:
    if components == 1:
        return ""
    return f", and {components:,} classes of {name} can be told apart for certain"
