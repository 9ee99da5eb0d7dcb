"""What means over a private filter, order statistics and variances would have been for other records."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from noiseless.curator.exposed_answers import Family, Grid, Ints, Records, edges, static


@dataclass(frozen=True, eq=False)
class Means(Family):
    """Means over a private filter: a cell, or -1 for "too few".

    Attributes:
        cells: how many cells each group's answers have.
        totals: the sum of the numbers that pass, of each group.
        rows: how many rows pass, of each group.
        passing: which numbers of the filtering column pass.
        least: the smallest number of rows that a mean is told for.
        size: how many numbers the column has.
    """

    columns: tuple[str, ...]
    group: Ints
    cells: Ints
    totals: Ints
    rows: Ints
    passing: npt.NDArray[np.bool_]
    least: int
    size: int

    @property
    def cells_of_groups(self) -> Ints:
        """The cells, and "too few"."""
        return self.cells + 1

    def labels(self, records: Records, values: Mapping[str, Ints]) -> Ints:
        """The cell of the mean of the others and oneself, of those who pass."""
        group = self.group[records.cells]
        x, y = values[self.columns[0]], values[self.columns[-1]]
        own, own_passes = records.own[self.columns[0]], self.passing[records.own[self.columns[-1]]]
        passes = self.passing[y]
        rows = (self.rows[group] - own_passes)[:, None] + passes
        sums = (self.totals[group] - np.where(own_passes, own, 0))[:, None] + np.where(passes, x, 0)
        cells = self.cells[group][:, None]
        found = np.minimum(sums * cells // np.maximum(rows * max(self.size - 1, 1), 1), cells - 1)
        return np.where(rows < self.least, -1, found)

    def segments(self, records: Records, column: str) -> list[tuple[Ints, Ints]]:
        """Runs of what passes and of what does not; one run where another column filters."""
        if column == self.columns[-1]:
            return static(records, edges(self.passing), len(self.passing))
        return static(records, np.zeros(1, np.int64), self.size)

    def counting(self, records: Records, column: str) -> Ints:
        """A number that passes."""
        if column == self.columns[-1] and len(self.columns) > 1:
            return np.full(len(records), int(np.argmax(self.passing)))
        return records.own[column]


@dataclass(frozen=True, eq=False)
class Ranks(Family):
    """Order statistics: one's own value, clamped between two neighbouring ones of the others'.

    Attributes:
        grid: the cells.
        around: of each group, the values with the ranks before and up to two after the one asked for, with
            the ends of the domain where there are none.
        size: how many numbers the column has.
        is_middle: whether it is the sum of the middle two of an even number.
    """

    columns: tuple[str, ...]
    group: Ints
    grid: Grid
    around: Ints
    size: int
    is_middle: bool = False

    @property
    def cells_of_groups(self) -> Ints:
        """The cells."""
        return self.grid.numbers

    def labels(self, records: Records, values: Mapping[str, Ints]) -> Ints:
        """The cell of the clamped value, or of the sum of two."""
        group = self.group[records.cells]
        x, own, ranked = values[self.columns[0]], records.own[self.columns[0]], self.around[group]
        # Without one's own value the one with rank j is the old one of rank j + 1 unless that is at most it.
        others = np.where(ranked[:, 1:] <= own[:, None], ranked[:, :-1], ranked[:, 1:])
        found = np.clip(x, others[:, 0:1], others[:, 1:2])
        if self.is_middle:
            found = found + np.clip(x, others[:, 1:2], others[:, 2:3])
        return self.grid.cells(found, group)

    def segments(self, records: Records, column: str) -> list[tuple[Ints, Ints]]:
        """It only rises."""
        del column
        return static(records, np.zeros(1, np.int64), self.size)


@dataclass(frozen=True, eq=False)
class Variances(Family):
    """Variances: down to the others' mean, then up.

    Attributes:
        grid: the cells.
        people: how many each group has.
        sums: the sums of numbers.
        squares: the sums of their squares.
        size: how many numbers the column has.
    """

    columns: tuple[str, ...]
    group: Ints
    grid: Grid
    people: Ints
    sums: Ints
    squares: Ints
    size: int

    @property
    def cells_of_groups(self) -> Ints:
        """The cells."""
        return self.grid.numbers

    def labels(self, records: Records, values: Mapping[str, Ints]) -> Ints:
        """The cell of n * sum of squares - square of the sum."""
        group = self.group[records.cells]
        x, own = values[self.columns[0]], records.own[self.columns[0]]
        first = (self.sums[group] - own)[:, None] + x
        second = (self.squares[group] - own * own)[:, None] + x * x
        return self.grid.cells(self.people[group][:, None] * second - first * first, group)

    def segments(self, records: Records, column: str) -> list[tuple[Ints, Ints]]:
        """Up to the others' mean, and from there on."""
        group = self.group[records.cells]
        others = np.maximum(self.people[group] - 1, 1)
        turn = (self.sums[group] - records.own[column]) // others + 1
        turn = np.clip(turn, 0, self.size).astype(np.int64)
        start, stop = np.zeros(len(records), np.int64), np.full(len(records), self.size)
        return [(start, turn), (np.minimum(turn, self.size - 1), stop)]
