"""What an audit of published tables found."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, overload

from noiseless.tabulations.publication import RowName


@dataclass(frozen=True)
class CellFinding:
    """What is possible for a figure or a named group.

    Attributes:
        of: the table, and the labels there.
        lower: the least value that is not excluded, in steps.
        upper: the largest; None if there is none.
        values: how many values are possible; None where there is no end, or there may be holes that were
            not found out.
        disclosed: whether one value is left for certain.
        published: whether the figure is published as it is.
        because: the published figures that this follows from, where it is disclosed and not published.
        decided: whether tables show both ends; where only disclosure was asked for, whether that is known.
    """

    of: RowName
    lower: int
    upper: int | None
    values: int | None
    disclosed: bool
    published: bool
    because: tuple[RowName, ...]
    decided: bool

    @property
    def bits_left(self) -> float | None:
        """log2 of the number of possible values; infinite where there is no end, None where not counted."""
        if self.upper is None:
            return math.inf
        return None if self.values is None else math.log2(self.values)

    def to_dict(self) -> dict[str, Any]:
        """As it is in JSON."""
        bits = self.bits_left
        return {
            "of": {"table": self.of[0], "labels": list(self.of[1])},
            "lower": self.lower,
            "upper": self.upper,
            "values": self.values,
            "bits_left": "inf" if bits == math.inf else bits,
            "disclosed": self.disclosed,
            "published": self.published,
            "because": [{"table": table, "labels": list(labels)} for table, labels in self.because],
            "decided": self.decided,
        }


class CellFindings(Sequence[CellFinding]):
    """Findings that are made when they are looked at: a million of them would fill the memory."""

    def __init__(self, many: int, make: Callable[[int], CellFinding]) -> None:
        self._many, self._make = many, make

    def __len__(self) -> int:
        return self._many

    @overload
    def __getitem__(self, place: int) -> CellFinding: ...
    @overload
    def __getitem__(self, place: slice) -> "tuple[CellFinding, ...]": ...
    def __getitem__(self, place: int | slice) -> "CellFinding | tuple[CellFinding, ...]":
        numbers = range(self._many)[place]
        return self._make(numbers) if isinstance(numbers, int) else tuple(map(self._make, numbers))


@dataclass(frozen=True)
class RequirementFinding:
    """What a rule wants of a figure, and whether the publication leaves it.

    Attributes:
        of: the table, and the labels there.
        rule: the rule, as text.
        wanted_lower: the value that must stay possible below; None if none.
        wanted_upper: the value that must stay possible above; None if none.
        wanted_width: the least distance of the ends.
        holds: whether this is so; None if it is not decided.
    """

    of: RowName
    rule: str
    wanted_lower: int | None
    wanted_upper: int | None
    wanted_width: int
    holds: bool | None

    def to_dict(self, *, public: bool = True) -> dict[str, Any]:
        """As it is in JSON; levels are computed from secret contributions, and left out of what is public."""
        levels = {
            "wanted_lower": self.wanted_lower,
            "wanted_upper": self.wanted_upper,
            "wanted_width": self.wanted_width,
        }
        return {
            "of": {"table": self.of[0], "labels": list(self.of[1])},
            "rule": self.rule,
            **({} if public else levels),
            "holds": self.holds,
        }


@dataclass(frozen=True)
class PersonFinding:
    """What people in one group of a table have to fear: the group is known of them, a secret is not.

    Attributes:
        of: the table, and the labels of the group; the secret's own place is "*".
        possible: the secrets that someone in the group may have.
        certain: the secrets that at least one of them has for certain.
        members: whether someone is in the group for certain.
        group_disclosure: one secret only is possible: everyone in the group has it.
        to_members: secrets whose only holder learns that all others have one secret.
        decided: whether all this is known.
    """

    of: RowName
    possible: tuple[str, ...]
    certain: tuple[str, ...]
    members: bool
    group_disclosure: bool
    to_members: tuple[str, ...]
    decided: bool

    def to_dict(self) -> dict[str, Any]:
        """As it is in JSON."""
        return {
            "of": {"table": self.of[0], "labels": list(self.of[1])},
            "possible": list(self.possible),
            "certain": list(self.certain),
            "members": self.members,
            "group_disclosure": self.group_disclosure,
            "to_members": list(self.to_members),
            "decided": self.decided,
        }


@dataclass(frozen=True)
class Estimate:
    """What must stay possible of a figure for contributors, so that they cannot estimate another's amount.

    Attributes:
        of: the table, and the labels there.
        wanted_lower: the value that must stay possible below; None if none.
        wanted_upper: the value that must stay possible above.
    """

    of: RowName
    wanted_lower: int | None
    wanted_upper: int


@dataclass(frozen=True)
class ContributorFinding:
    """What some contributors, who know their own amounts, learn together from the publication.

    Attributes:
        who: the contributors.
        learns: the withheld figures that they know exactly, and others do not.
        decided: whether the lists are complete.
        estimates: the withheld figures in which they can estimate somebody's amount better than rules allow.
    """

    who: tuple[str, ...]
    learns: tuple[RowName, ...]
    decided: bool
    estimates: tuple[Estimate, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """As it is in JSON."""
        return {
            "who": list(self.who),
            "learns": [{"table": table, "labels": list(labels)} for table, labels in self.learns],
            "estimates": [{"table": each.of[0], "labels": list(each.of[1])} for each in self.estimates],
            "decided": self.decided,
        }
