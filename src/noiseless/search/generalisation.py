"""Full-domain generalisations: each column on one level of its hierarchy, the cells, and what they lose.

The lowest levels of all columns are the values as they are, the highest one cell. One generalisation lies
above another if no column is on a lower level: its cells are then unions of the other's.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from noiseless.arrays import BoolArray, IntArray
from noiseless.errors import RequestError
from noiseless.search.codebook import ColumnCodebook, common_scale
from noiseless.search.columns import Hierarchy
from noiseless.search.problem import Problem

Levels = tuple[int, ...]
"""A level for each column; 0 is the value itself."""

SUPPRESSED = "*"
"""What a suppressed row reads in every column."""

_ROOM = 2**62


@dataclass(frozen=True, eq=False)
class LevelledColumn:
    """A column on each level of its hierarchy. Tables have a row for each level, an entry for each value.

    Attributes:
        codes: which of the column's different values each public value has.
        nodes: the node of each of these, as codes 0, 1, 2, ... of the level.
        costs: what the node costs, as it adds up (or, for the distance `max`, is compared) over columns.
        spans: for how many other leaves the node stands, as it adds up over columns.
        whole: what a suppressed row spans.
        stars: which nodes read as a suppressed row does.
        even: whether all values of a node cost and span as much: none is called alike on two levels.
    """

    codes: IntArray
    nodes: IntArray
    costs: npt.NDArray[Any]
    spans: npt.NDArray[Any]
    whole: int
    stars: BoolArray
    even: bool

    @classmethod
    def of(cls, column: Hierarchy, costs: npt.NDArray[Any], spans: npt.NDArray[Any], whole: int) -> Self:
        """From a hierarchy, what each of its nodes costs and spans, and what a suppressed row spans.

        Raises:
            RequestError: a name returns further up; which level it is on could not be told.
        """
        _, first, codes = np.unique(column.leaf, return_index=True, return_inverse=True)
        values = column.take(first)
        nodes = np.stack([values.above(level) for level in range(column.height + 1)])
        lowest = np.stack([values.raised(level).leaf for level in range(column.height + 1)])
        _refuse_returns(column, nodes)
        numbered = np.stack([np.unique(level, return_inverse=True)[1].reshape(-1) for level in nodes])
        stars = np.array([label == SUPPRESSED for label in column.labels])[nodes]
        even = bool(np.array_equal(lowest, nodes))
        return cls(codes.reshape(-1), numbered, costs[lowest], spans[lowest], whole, stars, even)

    @property
    def height(self) -> int:
        """How many levels there are above the values."""
        return len(self.nodes) - 1


@dataclass(frozen=True, eq=False)
class LevelCells:
    """The cells of one generalisation.

    Attributes:
        levels: the level of each column.
        cell_of: the cell of each public value.
        first: one public value of each cell.
    """

    levels: Levels
    cell_of: IntArray
    first: IntArray

    @property
    def count(self) -> int:
        """How many cells there are."""
        return len(self.first)


@dataclass(frozen=True, eq=False)
class Generalisations:
    """All full-domain generalisations of a problem: a lattice.

    Attributes:
        problem: what is to be merged.
        book: the hierarchy of each public column, and how their costs make one number.
    """

    problem: Problem
    book: ColumnCodebook

    @classmethod
    def of(cls, problem: Problem, trees: Sequence[Hierarchy] | None = None) -> "Generalisations":
        """Those of a problem.

        Args:
            problem: what is to be merged.
            trees: a hierarchy for each public column; by default those of its codebook.

        Raises:
            RequestError: a column has no hierarchy.
        """
        book = problem.codebook
        if not isinstance(book, ColumnCodebook):
            raise RequestError("full-domain recoding is of columns; give each a hierarchy")
        if trees is not None:
            book = ColumnCodebook(*trees, distance=book.distance, codeword=book.word)
        if not all(isinstance(column, Hierarchy) for column in book.columns):
            raise RequestError("full-domain recoding needs a hierarchy for each public column")
        if book.word == "medoid":
            raise RequestError("full-domain recoding publishes levels and no medoids; take another codeword")
        return cls(problem, book)

    def book_on(self, levels: Levels) -> ColumnCodebook:
        """The codebook with each column on one level."""
        pairs = zip(self.book.columns, levels, strict=True)
        raised = [column.raised(level) for column, level in pairs if isinstance(column, Hierarchy)]
        return ColumnCodebook(*raised, distance=self.book.distance, codeword=self.book.word)

    @cached_property
    def columns(self) -> tuple[LevelledColumn, ...]:
        """The columns, level by level."""
        columns = [column for column in self.book.columns if isinstance(column, Hierarchy)]
        wholes = [max(int(tree.whole), 1) for tree, _ in self.book.trees]
        weights = [column.weight / whole for column, whole in zip(columns, wholes, strict=True)]
        factors, _ = common_scale(weights)  # what a leaf of each column counts in the mean loss
        gone = [factor * whole for factor, whole in zip(factors, wholes, strict=True)]
        roomy = sum(gone) * int(self.problem.weights.sum()) < _ROOM
        power = 2 if self.book.combine == "squares" else 1
        found = []
        for place, (column, (tree, costs)) in enumerate(zip(columns, self.book.trees, strict=True)):
            cost = costs if self.book.fits else costs.astype(object)
            span = (tree.counts if roomy else tree.counts.astype(object)) * factors[place]
            found.append(LevelledColumn.of(column, cost**power, span, gone[place]))
        return tuple(found)

    @property
    def top(self) -> Levels:
        """All columns on their highest level."""
        return tuple(column.height for column in self.columns)

    @cached_property
    def whole(self) -> int:
        """What a suppressed row spans in all columns together."""
        return sum(column.whole for column in self.columns)

    def cells(self, levels: Levels, known: Sequence[int] | None = None) -> LevelCells:
        """The cells of a generalisation; or what is seen of them by someone who knows some columns only."""
        keys, room = self.problem.group_of, int(self.problem.group_of.max()) + 1
        if known is not None:
            keys, room = np.zeros_like(keys), 1
        for place, (column, level) in enumerate(zip(self.columns, levels, strict=True)):
            if known is not None and place not in known:
                continue
            nodes = column.nodes[level]
            size = int(nodes.max()) + 1
            if room * size >= _ROOM:
                keys, room = dense_codes(keys, room)
            keys, room = keys * size + nodes[column.codes], room * size
        cell_of, count = dense_codes(keys, room)
        first = np.empty(count, np.int64)
        first[cell_of] = np.arange(len(cell_of))
        return LevelCells(levels, cell_of, first)

    def losses(self, cells: LevelCells) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """For each cell what it costs, and what a row of it spans in all columns together."""
        costs: list[npt.NDArray[Any]] = []
        spans: list[npt.NDArray[Any]] = []
        for column, level in zip(self.columns, cells.levels, strict=True):
            for table, found in ((column.costs[level], costs), (column.spans[level], spans)):
                if column.even:
                    found.append(table[column.codes[cells.first]])
                    continue
                most = np.zeros(cells.count, table.dtype)
                np.maximum.at(most, cells.cell_of, table[column.codes])
                found.append(most)
        return together(costs, self.book), np.asarray(sum(spans[1:], spans[0]))

    def star(self, cells: LevelCells) -> int | None:
        """The cell that reads as suppressed rows do, if there is one."""
        reads = np.ones(cells.count, bool)
        for column, level in zip(self.columns, cells.levels, strict=True):
            if not column.stars[level].any():
                return None
            reads &= column.stars[level][column.codes[cells.first]]
        return int(np.argmax(reads)) if reads.any() else None


def together(costs: Sequence[npt.NDArray[Any]], book: ColumnCodebook) -> npt.NDArray[Any]:
    """The columns' costs as one number, on the codebook's integer scale (squares for `euclidean`)."""
    total = costs[0]
    for cost in costs[1:]:
        total = np.maximum(total, cost) if book.combine == "max" else total + cost
    return total


def _refuse_returns(column: Hierarchy, nodes: IntArray) -> None:
    """Refuse a tree in which a name returns further up, after another one."""
    names = column.names[nodes]
    for number, name in enumerate(names):
        for place in range(number - 1):
            if np.any((names[place] == name) & (names[number - 1] != name)):
                raise RequestError(
                    "full-domain recoding needs names that tell levels apart: in a hierarchy a name stands "
                    "on two levels and another one between; rename one"
                )


def dense_codes(keys: IntArray, room: int) -> tuple[IntArray, int]:
    """Keys below `room` renumbered 0, 1, 2, ... in their order, and how many there are."""
    if room <= 8 * len(keys) + 2**10:
        met = np.zeros(room, bool)
        met[keys] = True
        return (np.cumsum(met) - 1)[keys], int(np.count_nonzero(met))
    values, codes = np.unique(keys, return_inverse=True)
    return codes.reshape(-1), len(values)
