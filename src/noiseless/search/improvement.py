"""Making the cells that lose most smaller: members move, change places and part while the largest loss falls.

Nothing is proved here, and floats are good enough: what is found is measured anew, exactly, before it counts.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from noiseless.arrays import BoolArray, FloatArray, IntArray
from noiseless.exact import Bits
from noiseless.search.codebook import Codebook, ColumnCodebook, costs_in_line
from noiseless.search.goal import Targets
from noiseless.search.greedy import GREEDY, best_point
from noiseless.search.hulls import Hulls
from noiseless.search.limits import Limit
from noiseless.search.loss import Utility
from noiseless.search.merging.baselines import BASELINES, MONDRIAN, halved_cells
from noiseless.search.problem import Cells, Problem

if TYPE_CHECKING:
    from noiseless.search.methods import PartitionSearch

FEW = 150
"""Up to this many public values all that is near is measured exactly, whatever the codebook."""

MOST_MEMBERS, FEW_MEASURED = 200, 30
"""Cells with more members stay as they are; the latter where a cost is not found from a cell's extremes."""

HOMES, NEAR = 8, 60
"""This many of the nearest cells, and of the nearest values, are looked at."""


class Nearness:
    """What cells cost and which are near; cells are lists of public values and known by numbers.

    Columns are looked at by arrays: a cell for each value, the cells, and a spare one. Where there are many
    values a codebook's lower bounds say what is near.
    """

    def __init__(
        self, size: int, codebook: Codebook | None, cells: Sequence[Sequence[int]], room: int
    ) -> None:
        self.size, self.codebook = size, codebook
        self.members: list[list[int]] = [[value] for value in range(size)]
        self.members += [*map(list, cells), *([] for _ in range(room + 1))]
        self._spare = len(self.members) - 1
        self._known: dict[frozenset[int], float] = {}
        self._alive = np.arange(len(cells) + room) < len(cells)
        self._hulls: Hulls | None = None
        if isinstance(codebook, ColumnCodebook) and codebook.fits:
            self._hulls = Hulls(codebook, len(self.members) - size)
            if cells:
                self._hulls.fill(size, cells)

    @property
    def _exact(self) -> bool:
        """Whether what cells cost follows from their extremes."""
        return self.codebook is None or (self._hulls is not None and self._hulls.codebook.by_hull)

    def _fill(self, row: int, members: Sequence[int]) -> None:
        self.members[row] = list(members)
        if self._hulls is not None and members:
            self._hulls.fill(row, [members])

    @property
    def most_members(self) -> int:
        """How large a cell may be to be looked at: it is measured without each of its members."""
        return MOST_MEMBERS if self._exact else FEW_MEASURED

    def changed(self, cell: int, members: Sequence[int]) -> None:
        """A cell has other members now."""
        self._alive[cell] = bool(members)
        self._fill(self.size + cell, members)

    def cost(self, members: Sequence[int]) -> float:
        """What a cell costs."""
        key = frozenset(members)
        if self.codebook is None or not members:
            return float(len(members))
        if key not in self._known:
            found = costs_in_line(self.codebook, np.array(sorted(key)), np.zeros(1, np.int64))
            self._known[key] = float(found.floats[0])
        return self._known[key]

    def _costs(self, row: int, others: IntArray) -> FloatArray:
        """About what a row costs with each of others."""
        if self.codebook is None:
            return np.array([len(self.members[row]) + len(self.members[other]) for other in others], float)
        if self._hulls is not None and (self._exact or self.size > FEW):
            return self._hulls.costs(row, others).floats
        both = [np.array([*self.members[row], *self.members[other]]) for other in others]
        sizes = np.array([len(cell) for cell in both], np.int64)
        return costs_in_line(self.codebook, np.concatenate(both), np.cumsum(sizes) - sizes).floats

    def _nearest(self, row: int, others: IntArray, most: float, many: int) -> list[int]:
        costs = self._costs(row, others)
        close = np.flatnonzero(costs < most)
        if len(close) > many:
            close = close[np.argpartition(costs[close], many)[:many]]
        return [int(other) for other in others[close[np.argsort(costs[close], kind="stable")]]]

    def cells_near(self, value: int, most: float) -> list[int]:
        """Cells that a value may join at less than some cost, the cheapest first."""
        others = self.size + np.flatnonzero(self._alive)
        return [row - self.size for row in self._nearest(value, others, most, HOMES)]

    def values_near(self, members: Sequence[int], most: float) -> list[int]:
        """Values that may join a cell at less than some cost, the cheapest first."""
        self._fill(self._spare, members)
        others = np.setdiff1d(np.arange(self.size), members)
        return self._nearest(self._spare, others, most, NEAR)


def nearness(
    problem: Problem, utility: Utility, cells: Sequence[Sequence[int]], room: int
) -> Nearness | None:
    """The way to look at a problem's cells, with room for some more of them; None if they are too many."""
    book = problem.codebook if utility == "distortion" else None
    if problem.size <= FEW or (isinstance(book, ColumnCodebook) and book.fits):
        return Nearness(problem.size, book, cells, room)
    return None


MOST_IMPROVED = 60_000
"""With more public values it is left."""

STEPS, SPLITS = 300, 100
"""This many cells are made smaller at most, and this many of them by splitting."""

FEW_MEMBERS = 8
"""Up to this many members all ways of splitting a cell are tried, and this many as the middle of another."""

_LESS = 1 - 1e-12

Change = dict[int, list[int]]
"""The new members of some cells."""


def improve_cells(
    problem: Problem,
    utility: Utility,
    need: IntArray,
    labels: IntArray,
    hidden: BoolArray,
    *,
    limits: Sequence[Limit] = (),
) -> IntArray | None:
    """Labels of cells with a smaller largest loss, each leaving as much as needed; None if none were found.

    Args:
        problem: what is merged.
        utility: what is lost.
        need: for each code of what is seen besides how many sensitive values an answer must leave.
        labels: the cells, which leave that much.
        hidden: which values are suppressed; they stay so.
        limits: what answers must keep to besides.
    """
    if problem.size > MOST_IMPROVED:
        return None
    shown = np.flatnonzero(~hidden)
    order = shown[np.argsort(labels[shown], kind="stable")]
    cells = [part.tolist() for part in np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)]
    near = nearness(problem, utility, cells, SPLITS)
    if near is None:
        return None
    found = _Improver(problem, need, near, cells, limits)
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
    limits: Sequence[Limit] = ()

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
        self.known: dict[frozenset[int], bool] = {}

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
        """Ways of making a cell smaller, each fine as a whole; none for a cell of very many members."""
        if len(self.cells[cell]) > self.near.most_members:
            return
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
        held = set().union(*(self.held[member] for member in members))
        if len(self.need) == 1:
            return len(held) >= self.need[0] and self._keeps(members)
        counts = Counter(map(itemgetter(0), held))
        return all(count >= self.need[code] for code, count in counts.items()) and self._keeps(members)

    def _keeps(self, members: Sequence[int]) -> bool:
        if not self.limits or not members:
            return True
        key = frozenset(members)
        if key not in self.known:
            values, cell = np.array(members), np.zeros(len(members), np.int64)
            self.known[key] = all(bool(limit.take(values).met(cell, 1)[0]) for limit in self.limits)
        return self.known[key]

    def _home(self, value: int, change: Change, most: float) -> int | None:
        """The cell that a value can go to, after some changes."""
        group = self.problem.group_of
        for other in self.near.cells_near(value, most):
            members = change.get(other, self.cells[other])
            if value in members or not members or group[members[0]] != group[value]:
                continue
            if self._fine([*members, value]) and self.near.cost([*members, value]) < most * _LESS:
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
            if self._fine(rest) and self.near.cost(rest) < self.costs[cell] * _LESS:
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


MOST_FOR_HALVING = 2000
"""With more public values Mondrian's cells are not looked at."""

FROM_MONDRIAN = "Mondrian, improved"


def improve_found(search: "PartitionSearch") -> None:
    """Cells that are nearly what is asked for, with the costliest ones made smaller; and Mondrian's."""
    for start in list(_nearly(search)):
        _improve(search, *start)
    halved, k = _halved(search.targets), int(search.targets.need.max())
    if halved is not None and search.add(halved, MONDRIAN, setting=f"k = {k}"):
        _improve(search, halved, None, 1, FROM_MONDRIAN)


def improve_suppressed(search: "PartitionSearch") -> None:
    """The best so far with its costliest cells made smaller, if some of it is suppressed."""
    best = search.best
    if best is not None and best.suppressed_values:
        _improve(search, best.partition, best.hidden, best.min_posterior, best.series)


Start = tuple[Cells | None, BoolArray | None, int, str]
"""Cells and suppressed values to begin with, the posterior that they must keep, and how they were found."""


def _improve(
    search: "PartitionSearch", cells: Cells | None, hidden: BoolArray | None, least: int, series: str
) -> None:
    targets = search.targets
    if cells is None:
        return
    labels = improve_cells(
        targets.problem,
        targets.goal.utility,
        np.maximum(targets.need, least),
        cells.cell_of,
        np.zeros(targets.problem.size, bool) if hidden is None else hidden,
        limits=targets.more_limits,
    )
    if labels is not None:
        search.add(labels, series, hidden)


def _halved(targets: Targets) -> Cells | None:
    """Several columns: Mondrian's cells, which greedy merging does not always match."""
    problem, k = targets.problem, int(targets.need.max())
    book = problem.codebook
    if not isinstance(book, ColumnCodebook) or len(book.columns) == 1 or problem.size > MOST_FOR_HALVING:
        return None
    if targets.goal.aim != "loss" or k == 1:
        return None
    return halved_cells(problem, book.columns, k)


def _nearly(search: "PartitionSearch") -> Iterator[Start]:
    """The best so far; or what loses too much."""
    best, targets, goal = search.best, search.targets, search.targets.goal
    if best is not None:
        keeps = 1 if goal.aim == "loss" else best.min_posterior
        yield best.partition, best.hidden, keeps, GREEDY if best.series in BASELINES else best.series
    elif search.has_paths and (goal.protects or targets.blocks is not None):
        blocks = None if targets.blocks is None else Bits(targets.blocks)
        hiding = replace(goal, max_maximin=blocks, max_distortion=None, min_resolution=None, weight=None)
        point = best_point(search.paths.leakage, Targets(targets.problem, hiding))
        if point is not None:
            yield point.cells, None, 1, GREEDY
