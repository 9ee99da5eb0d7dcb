"""What answers would have been, had one person's record been another one: for many records at once.

Answers of one kind about disjoint groups of people (a GROUP BY) are one family, so that a table with many
public cells needs few passes.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import comb
from typing import Any

import numpy as np
import numpy.typing as npt

from noiseless.arrays import BoolArray

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
    begins: Ints

    def cells(self, positions: Ints, group: Ints) -> Ints:
        """The cells of positions, a row a record, whose groups are given."""
        size, last = self.size[group][:, None], self.last[group][:, None]
        if self.kind == "stepped":
            return positions // size
        if self.kind == "uniform":
            cells = np.minimum(size, last + 1)
            within = np.minimum(positions * cells // np.maximum(last, 1), cells - 1)
            return np.where(cells > last, positions, within)
        return np.searchsorted(self.begins, positions, side="right") - 1

    def numbers(self, group: Ints) -> Ints:
        """How many cells some groups have."""
        return self.cells(self.last[group][:, None], group)[:, 0] + 1


@dataclass(frozen=True, eq=False, kw_only=True)
class AnswerFamily(ABC):
    """Answers of one kind about disjoint groups.

    Attributes:
        columns: the private columns that they depend on, the one that filters last.
        group: the number of the group that each public cell belongs to; -1 for none.
        turns: for each column, where runs of its numbers begin along which an answer only rises or only
            falls, and where the last one ends.
        passing: the numbers of the last column that let a row count, as truth values; None for all.
    """

    columns: tuple[str, ...]
    group: Ints
    turns: Mapping[str, Ints]
    passing: BoolArray | None = None

    @abstractmethod
    def labels(self, records: Records, values: Mapping[str, Ints]) -> Ints:
        """The answers, as numbers, had the records' owners had these values instead (one column a value)."""

    @abstractmethod
    def most(self, rows: Ints, own: Ints, group: Ints) -> Ints | list[int]:
        """At most so many answers persons can cause who have several rows in a group.

        Args:
            rows: how many.
            own: what they contribute together, where that means something (`contributed`).
            group: the groups.
        """

    def contributed(self, values: Mapping[str, Ints]) -> Ints:
        """What rows contribute to a sum; nothing in other families."""
        return np.zeros(len(values[self.columns[0]]), np.int64)

    def runs(self, records: Records, column: str) -> list[tuple[Ints, Ints]]:
        """Runs [start, stop) of a column's numbers along which the answer only rises or only falls."""
        size = len(records)
        return [(np.full(size, start), np.full(size, stop)) for start, stop in pairwise(self.turns[column])]

    def changes(self, records: Records, column: str) -> list[Ints]:
        """Numbers of a column where the answer may change: all of them are among these.

        Args:
            records: whose.
            column: along which column; the others are such that this one counts.
        """
        found: list[Ints] = []
        for start, stop in self.runs(records, column):
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
        """The answers with these numbers of a column; another one lets them count, whatever it is."""
        values = {name: records.own[name][:, None] for name in self.columns}
        if self.passing is not None and column != self.columns[-1]:
            values[self.columns[-1]] = np.full((len(records), 1), int(np.argmax(self.passing)))
        return self.labels(records, {**values, column: numbers[:, None]})[:, 0]


@dataclass(frozen=True, eq=False, kw_only=True)
class BlockCounts(AnswerFamily):
    """Exact counts: the block that a value is in, of runs that begin at the turns."""

    blocks: Ints

    def labels(self, records: Records, values: Mapping[str, Ints]) -> Ints:
        """The block."""
        del records
        (column,) = self.columns
        return self.blocks[np.searchsorted(self.turns[column], values[column], side="right") - 1]

    def most(self, rows: Ints, own: Ints, group: Ints) -> list[int]:
        """A block for each row, in no order."""
        del own, group
        blocks = int(self.blocks.max()) + 1
        return [comb(blocks + number - 1, number) for number in rows.tolist()]

    def changes(self, records: Records, column: str) -> list[Ints]:
        """Where runs begin."""
        return [np.full(len(records), start) for start in self.turns[column][:-1]]


@dataclass(frozen=True, eq=False, kw_only=True)
class GridFamily(AnswerFamily):
    """Numbers told as cells of a lattice.

    Attributes:
        grid: the cells.
    """

    grid: CellGrid

    @abstractmethod
    def positions(self, records: Records, group: Ints, values: Mapping[str, Ints]) -> Ints:
        """Where on the lattice the answers would have been; `group` is that of each record."""

    def labels(self, records: Records, values: Mapping[str, Ints]) -> Ints:
        """The cell."""
        group = self.group[records.cells]
        return self.grid.cells(self.positions(records, group, values), group)

    def most(self, rows: Ints, own: Ints, group: Ints) -> Ints:
        """All cells."""
        del rows, own
        return self.grid.numbers(group)


@dataclass(frozen=True, eq=False, kw_only=True)
class Sums(GridFamily):
    """Sums and counts told as cells; perhaps only of rows that another private column lets pass.

    Attributes:
        worth: what each number contributes.
        totals: the sum of each group.
        nothing: what a row contributes that does not pass.
    """

    worth: Ints
    totals: Ints
    nothing: int = 0

    def positions(self, records: Records, group: Ints, values: Mapping[str, Ints]) -> Ints:
        """The others' sum and one's own contribution."""
        others = self.totals[group] - self.contributed(records.own)
        return others[:, None] + self.contributed(values)

    def most(self, rows: Ints, own: Ints, group: Ints) -> Ints:
        """The cells from all rows contributing least to all contributing most."""
        ends = [
            int(self.worth.min()),
            int(self.worth.max()),
            *([] if self.passing is None else [self.nothing]),
        ]
        others = self.totals[group] - own
        low, high = (
            self.grid.cells((others + rows * end)[:, None], group)[:, 0] for end in (min(ends), max(ends))
        )
        return high - low + 1

    def contributed(self, values: Mapping[str, Ints]) -> Ints:
        """What rows with these values contribute."""
        worth = self.worth[values[self.columns[0]]]
        if self.passing is None:
            return worth
        return np.where(self.passing[values[self.columns[1]]], worth, self.nothing)


@dataclass(frozen=True, eq=False, kw_only=True)
class Means(AnswerFamily):
    """Means over a private filter: a cell, or -1 for "too few".

    Attributes:
        cells: how many cells each group's answers have.
        totals: the sum of the numbers that pass, of each group.
        rows: how many rows pass, of each group.
        least: the smallest number of rows that a mean is told for.
        size: how many numbers the column has.
    """

    passing: BoolArray
    cells: Ints
    totals: Ints
    rows: Ints
    least: int
    size: int

    def labels(self, records: Records, values: Mapping[str, Ints]) -> Ints:
        """The cell of the mean of the others and oneself, of those who pass."""
        group = self.group[records.cells]
        x, y = values[self.columns[0]], values[self.columns[-1]]
        own, own_passes = records.own[self.columns[0]], self.passing[records.own[self.columns[-1]]]
        passes = self.passing[y]
        rows = (self.rows[group] - own_passes)[:, None] + passes
        sums = (self.totals[group] - np.where(own_passes, own, 0))[:, None] + np.where(passes, x, 0)
        cells = self.cells[group][:, None]
        within = np.minimum(sums * cells // np.maximum(rows * max(self.size - 1, 1), 1), cells - 1)
        return np.where(rows < self.least, -1, within)

    def most(self, rows: Ints, own: Ints, group: Ints) -> Ints:
        """The cells, and "too few"."""
        del rows, own
        return self.cells[group] + 1


@dataclass(frozen=True, eq=False, kw_only=True)
class Ranks(GridFamily):
    """Order statistics: one's own value, clamped between two neighbouring ones of the others'.

    Attributes:
        around: of each group, the values with the ranks before and up to two after the one asked for, with
            the ends of the domain where there are none.
        is_middle: whether it is the sum of the middle two of an even number.
    """

    around: Ints
    is_middle: bool

    def positions(self, records: Records, group: Ints, values: Mapping[str, Ints]) -> Ints:
        """The clamped value, or the sum of two."""
        x, own, ranked = values[self.columns[0]], records.own[self.columns[0]], self.around[group]
        # Without one's own value the one with rank j is the old one of rank j + 1 unless that is at most it.
        others = np.where(ranked[:, 1:] <= own[:, None], ranked[:, :-1], ranked[:, 1:])
        found: Ints = np.clip(x, others[:, 0:1], others[:, 1:2])
        return found + np.clip(x, others[:, 1:2], others[:, 2:3]) if self.is_middle else found


@dataclass(frozen=True, eq=False, kw_only=True)
class Variances(GridFamily):
    """Variances: down to the others' mean, then up.

    Attributes:
        people: how many each group has.
        sums: the sums of numbers.
        squares: the sums of their squares.
    """

    people: Ints
    sums: Ints
    squares: Ints

    def positions(self, records: Records, group: Ints, values: Mapping[str, Ints]) -> Ints:
        """The number of people times the sum of squares, less the square of the sum."""
        x, own = values[self.columns[0]], records.own[self.columns[0]]
        first = (self.sums[group] - own)[:, None] + x
        second = (self.squares[group] - own * own)[:, None] + x * x
        moved: Ints = self.people[group][:, None] * second - first * first
        return moved

    def runs(self, records: Records, column: str) -> list[tuple[Ints, Ints]]:
        """Up to the others' mean, and from there on."""
        group, size = self.group[records.cells], self.turns[column][-1]
        others = np.maximum(self.people[group] - 1, 1)
        turn = (self.sums[group] - records.own[column]) // others + 1
        turn = np.clip(turn, 0, size).astype(np.int64)
        start, stop = np.zeros(len(records), np.int64), np.full(len(records), size)
        return [(start, turn), (np.minimum(turn, size - 1), stop)]


def turns(values: Ints) -> Ints:
    """Where runs begin along which a sequence only rises or only falls, and where the last one ends.

    >>> turns(np.array([0, 0, 3, 5, 5, 0, 0])).tolist()
    [0, 5, 7]
    """
    signs = np.sign(np.diff(values.astype(np.int64)))
    steps = np.flatnonzero(signs)
    inner = steps[1:][signs[steps][1:] != signs[steps][:-1]] + 1
    return np.concatenate([[0], inner, [len(values)]])


def edges(values: Ints) -> Ints:
    """Where runs of equal values begin, and where the last one ends."""
    return np.concatenate([[0], np.flatnonzero(np.diff(values.astype(np.int64))) + 1, [len(values)]])
