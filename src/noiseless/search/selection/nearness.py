"""What cells cost and what is near them, in floats: for search only."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from noiseless.arrays import IntArray
from noiseless.search.merging.codebook import Codebook, ColumnCodebook
from noiseless.search.merging.path import Utility
from noiseless.search.selection.problem import Problem

FEW = 150
"""Up to so many public values plain Python does."""

HOMES, NEAR = 8, 60
"""So many of the nearest cells, and of the nearest values, are looked at."""


class Nearness(ABC):
    """What cells cost; cells are lists of public values and known by numbers."""

    @abstractmethod
    def cost(self, members: Sequence[int]) -> float:
        """What a cell costs."""

    @abstractmethod
    def cells_near(self, value: int, most: float) -> list[int]:
        """Cells that a value may join at less than some cost, the cheapest first."""

    @abstractmethod
    def values_near(self, members: Sequence[int], most: float) -> list[int]:
        """Values that may join a cell at less than some cost, the cheapest first."""

    @abstractmethod
    def changed(self, cell: int, members: Sequence[int]) -> None:
        """A cell has other members now."""


class Plainly(Nearness):
    """By the codebook itself, or by counting if there is none: for few values."""

    def __init__(self, size: int, codebook: Codebook | None, cells: Sequence[Sequence[int]]) -> None:
        self.size, self.codebook = size, codebook
        self.cells = {number: list(cell) for number, cell in enumerate(cells)}
        self._known: dict[frozenset[int], float] = {}

    def cost(self, members: Sequence[int]) -> float:  # noqa: D102 - as above
        if self.codebook is None:
            return float(len(members))
        key = frozenset(members)
        if key not in self._known:
            self._known[key] = float(self.codebook.cost(sorted(key)))
        return self._known[key]

    def cells_near(self, value: int, most: float) -> list[int]:  # noqa: D102
        costs = {number: self.cost([*cell, value]) for number, cell in self.cells.items() if cell}
        return sorted((number for number, cost in costs.items() if cost < most), key=costs.__getitem__)[
            :HOMES
        ]

    def values_near(self, members: Sequence[int], most: float) -> list[int]:  # noqa: D102
        costs = {value: self.cost([*members, value]) for value in range(self.size) if value not in members}
        return sorted((value for value, cost in costs.items() if cost < most), key=costs.__getitem__)[:NEAR]

    def changed(self, cell: int, members: Sequence[int]) -> None:  # noqa: D102
        self.cells[cell] = list(members)


class Compiled(Nearness):
    """By kernels, for columns: a row for each value, then one for each cell and a spare one."""

    def __init__(self, codebook: ColumnCodebook, cells: Sequence[Sequence[int]], room: int) -> None:
        from noiseless.search.merging.general import geometry

        self.codebook, self.size = codebook, len(codebook)
        found, _, self.tree, self.penalties, self.shape = geometry(codebook, self.size)
        self.rows = np.vstack((found, np.zeros((len(cells) + room + 1, found.shape[1]), np.int64)))
        self.bounds = np.empty(len(self.rows), np.int64)
        self.alive = np.zeros(len(cells) + room, bool)
        for number, cell in enumerate(cells):
            self.changed(number, cell)

    @cached_property
    def _scale(self) -> float:
        unit = float(self.codebook.scaled.unit)
        return unit**2 / 4 if self.codebook.combine == "squares" else unit / 2

    def _fill(self, row: int, members: Sequence[int]) -> None:
        from noiseless.search.selection import kernels

        kernels.gather(self.rows, self.tree, self.shape, row, np.array(members, np.int64))

    def changed(self, cell: int, members: Sequence[int]) -> None:  # noqa: D102
        self.alive[cell] = bool(members)
        if members:
            self._fill(self.size + cell, members)

    def _bounds(self, row: int, others: IntArray) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
        from noiseless.search.merging.cost_kernels import bounds_of

        found = self.bounds[: len(others)]
        bounds_of(self.rows, self.tree, self.penalties, self.shape, row, others, found)
        scaled = found.astype(np.float64) * self._scale
        return np.asarray(np.sqrt(scaled) if self.codebook.combine == "squares" else scaled)

    def _nearest(self, row: int, others: IntArray, most: float, many: int) -> list[int]:
        bounds = self._bounds(row, others)
        close = np.flatnonzero(bounds < most)
        if len(close) > many:
            close = close[np.argpartition(bounds[close], many)[:many]]
        return [int(other) for other in others[close[np.argsort(bounds[close], kind="stable")]]]

    def cost(self, members: Sequence[int]) -> float:  # noqa: D102
        if not self.codebook.by_hull:
            return float(self.codebook.cost(sorted(members)))
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
        return Plainly(problem.size, book, cells)
    if isinstance(book, ColumnCodebook) and book.fits:
        return Compiled(book, cells, room)
    return None
