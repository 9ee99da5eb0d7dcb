"""What answers would have been, had one person's record been another one: for many records at once.

Answers of one kind about disjoint groups of people (a GROUP BY) are one family, so that a table with many
public cells needs few passes.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[Any]
"""Whole numbers: of 64 bits, or Python's own where those might not suffice."""


@dataclass(frozen=True, eq=False)
class Records:
    """Some records: classes of people with the same public cell and the same private numbers.

    Attributes:
        cells: the public cell of each.
        own: their numbers, by column.
    """

    cells: Ints
    own: Mapping[str, Ints]

    def __len__(self) -> int:
        return len(self.cells)

    def some(self, chosen: Ints | slice) -> "Records":
        """Some of them."""
        return Records(self.cells[chosen], {name: numbers[chosen] for name, numbers in self.own.items()})


class AnswerFamily(ABC):
    """Answers of one kind about disjoint groups.

    Attributes:
        columns: the private columns that they depend on.
        group: the number of the group that each public cell belongs to; -1 for none.
    """

    columns: tuple[str, ...]
    group: Ints

    @abstractmethod
    def labels(self, records: Records, values: Mapping[str, Ints]) -> Ints:
        """The answers, as numbers, had the records' owners had these values instead (one column a value)."""

    @abstractmethod
    def segments(self, records: Records, column: str) -> list[tuple[Ints, Ints]]:
        """Runs [start, stop) of a column's numbers along which the answer only rises or only falls."""

    def changes(self, records: Records, column: str) -> list[Ints]:
        """Numbers of a column where the answer may change: all of them are among these.

        Args:
            records: whose.
            column: along which column; the others are such that this one counts.
        """
        found: list[Ints] = []
        for start, stop in self.segments(records, column):
            found += [start, *self._within(records, column, start, stop)]
        return found

    def _within(self, records: Records, column: str, start: Ints, stop: Ints) -> list[Ints]:
        """One change after the other, each found by halving; who has no more stays at the end meanwhile."""
        found = []
        end = np.maximum(stop - 1, start)
        current, answer = start, self._along(records, column, start)
        last = self._along(records, column, end)
        while (open_ := (answer != last) & (current < stop)).any():
            low, high = current, np.maximum(end, current)  # equal to the answer at low, not at high
            while (high - low > 1).any():
                middle = (low + high) // 2
                same = self._along(records, column, np.minimum(middle, end)) == answer
                low, high = np.where(same, middle, low), np.where(same, high, middle)
            current = np.where(open_, high, stop)
            found.append(current)
            answer = self._along(records, column, np.minimum(current, end))
        return found

    def _along(self, records: Records, column: str, numbers: Ints) -> Ints:
        values = {name: self.counting(records, name)[:, None] for name in self.columns if name != column}
        return self.labels(records, {**values, column: numbers[:, None]})[:, 0]

    def counting(self, records: Records, column: str) -> Ints:
        """A number of a column with which the other column counts."""
        return records.own[column]

    def most(self, rows: Ints, own: Ints, group: Ints) -> list[int]:
        """At most so many answers persons can cause who have several rows in a group.

        Args:
            rows: how many.
            own: what they contribute together, where that means something (`contributed`).
            group: the groups.
        """
        del rows, own
        cells: list[int] = self.cells_of_groups[group].tolist()
        return cells

    def contributed(self, values: Mapping[str, Ints]) -> Ints:
        """What rows contribute to a sum; nothing in other families."""
        return np.zeros(len(values[self.columns[0]]), np.int64)

    @property
    def cells_of_groups(self) -> Ints:
        """How many answers there are at all, of each group."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class BlockCounts(AnswerFamily):
    """Exact counts: the block that a value is in."""

    columns: tuple[str, ...]
    group: Ints
    starts: Ints
    blocks: Ints

    def labels(self, records: Records, values: Mapping[str, Ints]) -> Ints:
        """The block."""
        del records
        return self.blocks[np.searchsorted(self.starts, values[self.columns[0]], side="right") - 1]

    def segments(self, records: Records, column: str) -> list[tuple[Ints, Ints]]:
        """None is needed: see `changes`."""
        del records, column
        return []

    def most(self, rows: Ints, own: Ints, group: Ints) -> list[int]:
        """A block for each row, in no order."""
        del own, group
        blocks = int(self.blocks.max()) + 1
        return [comb(blocks + number - 1, number) for number in rows.tolist()]

    def changes(self, records: Records, column: str) -> list[Ints]:
        """Where runs begin."""
        del column
        return [np.full(len(records), start) for start in self.starts]


@dataclass(frozen=True, eq=False)
class CellGrid:
    """The cells of a family's groups.

    Attributes:
        kind: stepped, uniform or begins.
        size: of each group, the points of a cell, or the number of cells.
        last: of each group, the last position.
        begins: where cells begin, if they are of any width.
    """

    kind: str
    size: Ints
    last: Ints
    begins: Ints | None = None

    def cells(self, positions: Ints, group: Ints) -> Ints:
        """The cells of positions, a row a record, whose groups are given."""
        size, last = self.size[group][:, None], self.last[group][:, None]
        if self.kind == "stepped":
            return positions // size
        if self.kind == "uniform":
            cells = np.minimum(size, last + 1)
            found = np.minimum(positions * cells // np.maximum(last, 1), cells - 1)
            return np.where(cells > last, positions, found)
        return self._searched(positions)

    def _searched(self, positions: Ints) -> Ints:
        begins = np.zeros(1, np.int64) if self.begins is None else self.begins
        found: Ints = np.searchsorted(begins, positions, side="right") - 1
        return found

    @property
    def numbers(self) -> Ints:
        """How many cells each group has."""
        return self.cells(self.last[:, None], np.arange(len(self.last)))[:, 0] + 1


@dataclass(frozen=True, eq=False)
class Sums(AnswerFamily):
    """Sums and counts told as cells; perhaps only of rows that another private column lets pass.

    Attributes:
        grid: the cells.
        worth: what each number contributes.
        totals: the sum of each group.
        passing: the other column's numbers that let a row count, as truth values; None without such a filter.
        nothing: what a row contributes that does not pass.
        begins: where the contributions turn.
    """

    columns: tuple[str, ...]
    group: Ints
    grid: CellGrid
    worth: Ints
    totals: Ints
    begins: Ints
    passing: npt.NDArray[np.bool_] | None = None
    nothing: int = 0

    def labels(self, records: Records, values: Mapping[str, Ints]) -> Ints:
        """The cell of the others' sum and one's own contribution."""
        group = self.group[records.cells]
        own = self.contributed({name: records.own[name] for name in self.columns})
        return self.grid.cells((self.totals[group] - own)[:, None] + self.contributed(values), group)

    def most(self, rows: Ints, own: Ints, group: Ints) -> list[int]:
        """The cells from all rows contributing least to all contributing most."""
        ends = [
            int(self.worth.min()),
            int(self.worth.max()),
            *([] if self.passing is None else [self.nothing]),
        ]
        others = self.totals[group] - own
        low = self.grid.cells((others + rows * min(ends))[:, None], group)[:, 0]
        high = self.grid.cells((others + rows * max(ends))[:, None], group)[:, 0]
        found: list[int] = (high - low + 1).tolist()
        return found

    def contributed(self, values: Mapping[str, Ints]) -> Ints:
        """What rows with these values contribute."""
        worth = self.worth[values[self.columns[0]]]
        if self.passing is None:
            return worth
        return np.where(self.passing[values[self.columns[1]]], worth, self.nothing)

    def segments(self, records: Records, column: str) -> list[tuple[Ints, Ints]]:
        """Between the turns; along the other column, runs of what passes and of what does not."""
        if column == self.columns[0]:
            return static(records, self.begins, len(self.worth))
        passing = np.ones(1, bool) if self.passing is None else self.passing
        return static(records, edges(passing), len(passing))

    def counting(self, records: Records, column: str) -> Ints:
        """A number that passes; along the filter it does not matter."""
        if self.passing is not None and column == self.columns[1]:
            return np.full(len(records), int(np.argmax(self.passing)))
        return records.own[column]


def static(records: Records, begins: Ints, size: int) -> list[tuple[Ints, Ints]]:
    """The same runs for all records."""
    ends = [*begins[1:].tolist(), size]
    return [
        (np.full(len(records), start), np.full(len(records), stop))
        for start, stop in zip(begins.tolist(), ends, strict=True)
    ]


def turns(values: Ints) -> Ints:
    """Where runs begin along which a sequence only rises or only falls.

    >>> turns(np.array([0, 0, 3, 5, 5, 0, 0])).tolist()
    [0, 5]
    """
    signs = np.sign(np.diff(values.astype(np.int64)))
    steps = np.flatnonzero(signs)
    return np.concatenate([[0], steps[1:][signs[steps][1:] != signs[steps][:-1]] + 1])


def edges(values: Ints) -> Ints:
    """Where runs of equal values begin."""
    return np.concatenate([[0], np.flatnonzero(np.diff(values.astype(np.int64))) + 1])


@dataclass(frozen=True, eq=False)
class Means(AnswerFamily):
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
class Ranks(AnswerFamily):
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
    grid: CellGrid
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
class Variances(AnswerFamily):
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
    grid: CellGrid
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
