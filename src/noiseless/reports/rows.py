"""What the sections of a report say, as rows ready to be shown."""

from dataclasses import dataclass

from noiseless.audits import Audit
from noiseless.exact import Bits


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
