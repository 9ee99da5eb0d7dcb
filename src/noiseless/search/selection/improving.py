"""Making the cells that lose most smaller: members move, change places and part while the largest loss falls.

Nothing is proved here, and floats are good enough: what is found is measured anew, exactly, before it counts.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from noiseless.arrays import BoolArray, IntArray
from noiseless.search.merging.path import Utility
from noiseless.search.selection.nearness import Nearness, nearness
from noiseless.search.selection.problem import Problem

MOST_VALUES = 60_000
"""With more public values it is left."""

STEPS, SPLITS = 300, 100
"""So many cells are made smaller at most, and so many of them by splitting."""

FEW_MEMBERS = 8
"""Up to so many members all ways of splitting a cell are tried, and so many as the middle of another."""

_LESS = 1 - 1e-12

Change = dict[int, list[int]]
"""The new members of some cells."""


def improved(
    problem: Problem, utility: Utility, need: IntArray, labels: IntArray, hidden: BoolArray
) -> IntArray | None:
    """Labels of cells with a smaller largest loss, each leaving as much as needed; None if none were found.

    Args:
        problem: what is merged.
        utility: what is lost.
        need: for each code of what is seen besides how many sensitive values an answer must leave.
        labels: the cells, which leave that much.
        hidden: which values are suppressed; they stay so.
    """
    if problem.size > MOST_VALUES:
        return None
    shown = np.flatnonzero(~hidden)
    order = shown[np.argsort(labels[shown], kind="stable")]
    cells = [part.tolist() for part in np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)]
    near = nearness(problem, utility, cells, SPLITS)
    if near is None:
        return None
    found = _Improver(problem, need, near, cells)
    if not found.run():
        return None
    result = np.full(problem.size, -1)
    for number, cell in enumerate(found.cells):
        result[cell] = number
    return np.where(result < 0, len(found.cells), result)


@dataclass(eq=False)
class _Improver:
    problem: Problem
    need: IntArray
    near: Nearness
    cells: list[list[int]]

    def __post_init__(self) -> None:
        self.costs = [self.near.cost(cell) for cell in self.cells]
        self.cell_of = np.full(self.problem.size, -1)
        self.room = SPLITS
        for number, cell in enumerate(self.cells):
            self.cell_of[cell] = number
        joint, public, seen = self.problem.joint, self.problem.public, self.problem.seen
        self.held: list[set[tuple[int, int]]] = [set() for _ in range(self.problem.size)]
        codes, values = seen[joint.y].tolist(), joint.x.tolist()
        for x, code, value in zip(public[joint.y].tolist(), codes, values, strict=True):
            self.held[x].add((code, value))

    def run(self) -> bool:
        """Make the cell that costs most smaller until that fails; whether any was."""
        for step in range(STEPS):
            worst = int(np.argmax(self.costs))
            change = next(self._changes(worst), None) if self.costs[worst] > 0 else None
            if change is None:
                return step > 0
            for cell, members in change.items():
                self._set(cell, members)
        return True

    def _set(self, cell: int, members: list[int]) -> None:
        if cell == len(self.cells):
            self.cells.append([])
            self.costs.append(0.0)
            self.room -= 1
        self.cells[cell] = members
        self.costs[cell] = self.near.cost(members) if members else 0.0
        self.cell_of[members] = cell
        self.near.changed(cell, members)

    def _changes(self, cell: int) -> Iterator[Change]:
        """Ways of making a cell smaller, each fine as a whole."""
        yield from (change for change in self._splits(cell) if self._good(cell, change))
        yield from (change for change in self._leaving(cell) if self._good(cell, change))
        yield from (change for change in self._built(cell) if self._good(cell, change))

    def _good(self, cell: int, change: Change) -> bool:
        """Whether all cells that change leave enough and cost less than the one that is made smaller."""
        most = self.costs[cell] * _LESS
        kept = [members for members in change.values() if members]
        return all(self._fine(members) for members in kept) and all(
            len(members) == 1 or self.near.cost(members) < most for members in kept
        )

    def _fine(self, members: Sequence[int]) -> bool:
        found = set().union(*(self.held[member] for member in members))
        counts: dict[int, int] = {}
        for code, _ in found:
            counts[code] = counts.get(code, 0) + 1
        return all(count >= self.need[code] for code, count in counts.items())

    def _home(self, value: int, change: Change, most: float) -> int | None:
        """The cell that a value can go to, after some changes."""
        group = self.problem.group_of
        for other in self.near.cells_near(value, most):
            members = change.get(other, self.cells[other])
            if value in members or not members or group[members[0]] != group[value]:
                continue
            if self.near.cost([*members, value]) < most * _LESS and self._fine([*members, value]):
                return other
        return None

    def _sent(self, cell: int, values: Sequence[int], change: Change) -> Change | None:
        """Values sent from a cell to other ones; None if one of them finds no home."""
        for value in values:
            home = self._home(value, change | {cell: []}, self.costs[cell])
            if home is None:
                return None
            change[home] = [*change.get(home, self.cells[home]), value]
        return change

    def _splits(self, cell: int) -> Iterator[Change]:
        """The cell in two, in every way."""
        members = self.cells[cell]
        if not 1 < len(members) <= FEW_MEMBERS or not self.room:
            return
        first, *others = members
        for size in range(len(others)):
            for chosen in combinations(others, size):
                rest = [value for value in others if value not in chosen]
                yield {cell: [first, *chosen], len(self.cells): rest}

    def _leaving(self, cell: int) -> Iterator[Change]:
        """One member goes elsewhere, or all of them do."""
        members = self.cells[cell]
        for value in members:
            rest = [other for other in members if other != value]
            if self.near.cost(rest) < self.costs[cell] * _LESS and self._fine(rest):
                change = self._sent(cell, [value], {cell: rest})
                if change is not None:
                    yield change
        change = self._sent(cell, members, {cell: []})
        if change is not None:
            yield change

    def _built(self, cell: int) -> Iterator[Change]:
        """A cell built anew around one member, of what is near and can be spared; the others go elsewhere."""
        members = self.cells[cell]
        for centre in members[:FEW_MEMBERS]:
            built, change = [centre], dict[int, list[int]]()
            for value in self.near.values_near([centre], self.costs[cell]):
                if self._fine(built):
                    break
                self._take(cell, value, built, change)
            if self._fine(built):
                rest = [value for value in members if value not in built]
                found = self._sent(cell, rest, change | {cell: built})
                if found is not None:
                    yield found

    def _take(self, cell: int, value: int, built: list[int], change: Change) -> None:
        """Put a value to a cell that is being built, if it brings something and can be spared."""
        held = set().union(*(self.held[member] for member in built))
        own, group = int(self.cell_of[value]), self.problem.group_of
        if own < 0 or self.held[value] <= held or group[value] != group[built[0]]:
            return
        if own != cell:
            rest = [other for other in change.get(own, self.cells[own]) if other != value]
            if rest and not self._fine(rest):
                return
            change[own] = rest
        built.append(value)
