"""Making the cells that lose most smaller: members move, change places and part while the largest loss falls.

Nothing is proved here, and floats are good enough: what is found is measured anew, exactly, before it counts.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from noiseless.arrays import BoolArray, IntArray
from noiseless.search.codebook import Codebook, ColumnCodebook
from noiseless.search.loss import Utility
from noiseless.search.problem import Problem

FEW = 150
"""Up to so many public values plain Python does."""

HOMES, NEAR = 8, 60
"""So many of the nearest cells, and of the nearest values, are looked at."""


class Nearness:
    """What cells cost and which are near, by the codebook itself, or by counting if there is none.

    Cells are lists of public values and known by numbers; for few values.
    """

    def __init__(self, size: int, codebook: Codebook | None, cells: Sequence[Sequence[int]]) -> None:
        self.size, self.codebook = size, codebook
        self.cells = {number: list(cell) for number, cell in enumerate(cells)}
        self._known: dict[frozenset[int], float] = {}

    def cost(self, members: Sequence[int]) -> float:
        """What a cell costs."""
        if self.codebook is None:
            return float(len(members))
        key = frozenset(members)
        if key not in self._known:
            self._known[key] = float(self.codebook.cost(sorted(key)))
        return self._known[key]

    def cells_near(self, value: int, most: float) -> list[int]:
        """Cells that a value may join at less than some cost, the cheapest first."""
        costs = {number: self.cost([*cell, value]) for number, cell in self.cells.items() if cell}
        return sorted((number for number, cost in costs.items() if cost < most), key=costs.__getitem__)[
            :HOMES
        ]

    def values_near(self, members: Sequence[int], most: float) -> list[int]:
        """Values that may join a cell at less than some cost, the cheapest first."""
        costs = {value: self.cost([*members, value]) for value in range(self.size) if value not in members}
        return sorted((value for value, cost in costs.items() if cost < most), key=costs.__getitem__)[:NEAR]

    def changed(self, cell: int, members: Sequence[int]) -> None:
        """A cell has other members now."""
        self.cells[cell] = list(members)


class CompiledNearness(Nearness):
    """The same by kernels, for columns: a row for each value, then one for each cell and a spare one."""

    def __init__(self, codebook: ColumnCodebook, cells: Sequence[Sequence[int]], room: int) -> None:
        from noiseless.search.merging import general_paths

        self.book, self.size = codebook, len(codebook)
        found, _, self.tree, self.penalties, self.shape = general_paths.geometry(codebook, self.size)
        self.rows = np.vstack((found, np.zeros((len(cells) + room + 1, found.shape[1]), np.int64)))
        self.bounds = np.empty(len(self.rows), np.int64)
        self.alive = np.zeros(len(cells) + room, bool)
        for number, cell in enumerate(cells):
            self.changed(number, cell)

    @cached_property
    def _scale(self) -> float:
        unit = float(self.book.scaled.unit)
        return unit**2 / 4 if self.book.combine == "squares" else unit / 2

    def _fill(self, row: int, members: Sequence[int]) -> None:
        from noiseless.search.merging import general_paths

        general_paths.gather(self.rows, self.tree, self.shape, row, np.array(members, np.int64))

    def changed(self, cell: int, members: Sequence[int]) -> None:  # noqa: D102
        self.alive[cell] = bool(members)
        if members:
            self._fill(self.size + cell, members)

    def _bounds(self, row: int, others: IntArray) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
        from noiseless.search.merging.cost_kernels import bounds_of

        found = self.bounds[: len(others)]
        bounds_of(self.rows, self.tree, self.penalties, self.shape, row, others, found)
        scaled = found.astype(np.float64) * self._scale
        return np.asarray(np.sqrt(scaled) if self.book.combine == "squares" else scaled)

    def _nearest(self, row: int, others: IntArray, most: float, many: int) -> list[int]:
        bounds = self._bounds(row, others)
        close = np.flatnonzero(bounds < most)
        if len(close) > many:
            close = close[np.argpartition(bounds[close], many)[:many]]
        return [int(other) for other in others[close[np.argsort(bounds[close], kind="stable")]]]

    def cost(self, members: Sequence[int]) -> float:  # noqa: D102
        if not self.book.by_hull:
            return float(self.book.cost(sorted(members)))
        spare = len(self.rows) - 1
        self._fill(spare, members)
        return float(self._bounds(spare, np.array([spare]))[0])

    def cells_near(self, value: int, most: float) -> list[int]:  # noqa: D102
        found = self._nearest(value, self.size + np.flatnonzero(self.alive), most, HOMES)
        return [row - self.size for row in found]

    def values_near(self, members: Sequence[int], most: float) -> list[int]:  # noqa: D102
        spare = len(self.rows) - 1
        self._fill(spare, members)
        held = set(members)
        found = self._nearest(spare, np.arange(self.size), most, NEAR + len(members))
        return [value for value in found if value not in held]


def nearness(
    problem: Problem, utility: Utility, cells: Sequence[Sequence[int]], room: int
) -> Nearness | None:
    """The way to look at a problem's cells, with room for some more of them; None if they are too many."""
    book = problem.codebook if utility == "distortion" else None
    if problem.size <= FEW:
        return Nearness(problem.size, book, cells)
    if isinstance(book, ColumnCodebook) and book.fits:
        return CompiledNearness(book, cells, room)
    return None


MOST_VALUES = 60_000
"""With more public values it is left."""

STEPS, SPLITS = 300, 100
"""So many cells are made smaller at most, and so many of them by splitting."""

FEW_MEMBERS = 8
"""Up to so many members all ways of splitting a cell are tried, and so many as the middle of another."""

_LESS = 1 - 1e-12

Change = dict[int, list[int]]
"""The new members of some cells."""


def improve_cells(
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
