"""The audit in one sentence that a data steward can read out."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from noiseless.audits.result import Audit


def verdict(audit: "Audit") -> str:
    """What the release gives away about the sensitive column that fares worst."""
    worst = audit.worst
    name, total = worst.name, worst.sensitive_values
    if total == 1:
        return f"NOTHING TO PROTECT: {name} has the same value in every row."
    if worst.min_posterior == 1:
        return (
            f"NOT PRIVATE: {worst.homogeneous_persons:,} of {audit.persons:,} {audit.heads} have their "
            f"{name} given away completely, in {worst.homogeneous_groups:,} of {audit.public_values:,} groups"
            f"{_told_apart(worst.components, name)}."
        )
    if worst.census.joint.is_unrelated():
        return f"PRIVATE: every group leaves all {total:,} values of {name} possible; nothing leaks."
    return (
        f"PARTLY PRIVATE: no group narrows {name} to fewer than {worst.min_posterior:,} of {total:,} values; "
        f"{_added(audit)}at most {worst.leakage.rounded_up(2)} of {worst.entropy.rounded_up(2)} bits"
        f"{_told_apart(worst.components, name)}."
    )


def _added(audit: "Audit") -> str:
    if not audit.given:
        return "it gives away "
    return f"to what {' and '.join(audit.given)} tells it adds "


def _told_apart(components: int, name: str) -> str:
    if components == 1:
        return ""
    return f", and {components:,} classes of {name} can be told apart for certain"
