"""Public groups of which others consist: towns of a region, all towns but one."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from noiseless.curator.disclosure import Participants
from noiseless.curator.exact_answers import ExactAnswers
from noiseless.curator.public_state import PublicState
from noiseless.domain import Value
from noiseless.work import Cache

Cells = frozenset[int]
Values = tuple[Value, ...]
Named = Callable[[Cells], Participants]

_MOST_REMEMBERED = 2**24
"""Bytes of groups that are remembered."""


@dataclass(frozen=True)
class PeopleSplit:
    """Some people as the people of several groups.

    Attributes:
        groups: the public cells of each.
        named: who they are.
    """

    groups: tuple[Cells, ...]
    named: Named

    @cached_property
    def first(self) -> Participants:
        """The first group."""
        return self.named(self.groups[0])

    @cached_property
    def parts(self) -> list[Participants]:
        """All of them."""
        return [self.named(group) for group in self.groups]


@dataclass(frozen=True)
class LargerGroup:
    """More people, of whom some are looked at.

    Attributes:
        people: all of them.
        groups: the public cells of all, by the values of one column.
        within: those who are looked at.
        named: who they are.
    """

    people: Participants
    groups: Mapping[Value, Cells]
    within: Cells
    named: Named

    @cached_property
    def rest(self) -> Participants:
        """All others as one group."""
        return self.named(frozenset[int]().union(*self.groups.values()) - self.within)

    @property
    def another(self) -> Participants | None:
        """The others with one of the values; None if there are none."""
        group = next((group for group in self.groups.values() if not group <= self.within), None)
        return None if group is None else self.named(group)

    @cached_property
    def others(self) -> list[Participants]:
        """All others, by the values of the column."""
        return [self.named(group) for group in self.groups.values() if not group <= self.within]


class Kinship:
    """The groups that public columns make, and what answers about them add up; remembered."""

    def __init__(self, public: PublicState, named: Named) -> None:
        self._named, self._cells = named, public.population.cells
        self.answers = ExactAnswers(public)
        self._memory = Cache[Any](_MOST_REMEMBERED)
        self.everybody = frozenset(range(len(self._cells)))
        self._columns = range(len(public.population.columns))

    def splits(self, people: Participants) -> Sequence[PeopleSplit]:
        """Ways to part people: by each public column, and by all of them."""
        cells = self.everybody if people.cells is None else people.cells
        if len(cells) == 1:
            return ()
        return self._memory.made(("parts", cells), lambda: self._splits(cells), lambda _: 4 * len(cells))

    def _splits(self, cells: Cells) -> list[PeopleSplit]:
        ways = [[place] for place in self._columns]
        found = []
        for way in [*ways, *([list(self._columns)] if len(ways) > 1 else [])]:
            groups: dict[Values, list[int]] = {}
            for cell in sorted(cells):
                groups.setdefault(tuple(self._cells[cell][place] for place in way), []).append(cell)
            if len(groups) > 1:
                found.append(PeopleSplit(tuple(map(frozenset, groups.values())), self._named))
        return found

    def wholes(self, people: Participants) -> Sequence[LargerGroup]:
        """All with any value of a column, where these people are all those with some of its values."""
        cells = people.cells
        if cells is None:
            return ()
        return self._memory.made(("whole", cells), lambda: self._wholes(cells), lambda _: 8 * len(cells))

    def _wholes(self, cells: Cells) -> list[LargerGroup]:
        found = []
        for place in self._columns:
            index = self._indices[place]
            rows = frozenset(_others(self._cells[cell], place) for cell in cells)
            own = {self._cells[cell][place] for cell in cells}
            if sum(len(own & index[row].keys()) for row in rows) > len(cells):
                continue  # not all who have these values
            if sum(len(index[row]) for row in rows) > len(cells):
                found.append(LargerGroup(*self._whole(place, rows), cells, self._named))
        return found

    def _whole(self, place: int, rows: frozenset[Values]) -> tuple[Participants, Mapping[Value, Cells]]:
        """All people in some rows, and the same by the values of a column."""

        def whole() -> tuple[Participants, Mapping[Value, Cells]]:
            groups: dict[Value, set[int]] = {}
            for row in rows:
                for value, cell in self._indices[place][row].items():
                    groups.setdefault(value, set()).add(cell)
            together = frozenset[int]().union(*groups.values())
            return self._named(together), {value: frozenset(own) for value, own in groups.items()}

        return self._memory.made((place, rows), whole, lambda made: 8 * len(made[1]))

    @cached_property
    def _indices(self) -> list[dict[Values, dict[Value, int]]]:
        """For each column, the cells with the same other values, by its own."""
        found: list[dict[Values, dict[Value, int]]] = []
        for place in self._columns:
            index: dict[Values, dict[Value, int]] = {}
            for number, cell in enumerate(self._cells):
                index.setdefault(_others(cell, place), {})[cell[place]] = number
            found.append(index)
        return found


def _others(cell: Values, place: int) -> Values:
    """The values of all columns but one."""
    return (*cell[:place], *cell[place + 1 :])
