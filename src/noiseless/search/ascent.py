"""Cells from below, level by level: values that agree on low levels are cells first, the others go on upward.

Every column has levels: a hierarchy its own; categories the value, and all of them; numbers halves, quarters,
eighths, ... of their range. All choices of a level for each column are looked at in the order of what they
lose, and at each one the values left over that agree form a cell if that keeps the limits. So common
values stay as they are, and only rare ones are generalised, each by as little as it needs: full-domain
generalisation asks of all rows what it asks of the rarest. Floats choose cells and nothing else: what is
found is measured anew, exactly.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from math import prod

import numpy as np

from noiseless.arrays import BoolArray, FloatArray, IntArray
from noiseless.search.axes import Axis, CategoryAxis, TreeAxis
from noiseless.search.codebook import ColumnCodebook
from noiseless.search.generalisation import dense_codes
from noiseless.search.homes import led_home
from noiseless.search.limits import Limit
from noiseless.search.problem import Cells, Problem
from noiseless.tables.kernels import order_by_code

ASCENT = "ascent"
"""What the method is called."""

MOST_VALUES, MOST_NODES = 50_000, 2**17
"""With more public values the method is left out. With more choices of levels, levels are; and if each column
has but two, the method is."""

WORK, LEAST = 3 * 10**6, 1000
"""This many values are looked at, over all nodes; a node counts as at least this many."""

MOST_LEFT = 500
"""This many values that fit nowhere are led to cells."""

TRIES, SLIGHTLY = 3, 1 + 1e-9
"""This many largest costs are tried for, and rounding by so little does not matter."""

MOST_HALVES = 10
"""A range is halved so often at most."""


@dataclass(frozen=True, eq=False)
class AxisLevel:
    """A column on one level.

    Attributes:
        codes: the node of each public value, as codes 0, 1, 2, ...
        many: how many there are.
        loss: about what it loses on average.
    """

    codes: IntArray
    many: int
    loss: float


def axis_levels(axis: Axis, rows: IntArray) -> list[AxisLevel]:
    """The levels of a column, from its values up to all as one."""
    found: list[tuple[IntArray, float]] = [(axis.codes, 0.0)]
    weight, many = float(axis.weight), len(axis.points)
    if isinstance(axis, TreeAxis):
        nodes = axis.nodes[axis.codes]
        while np.any(nodes != (above := axis.parents[nodes])):
            nodes = above
            found.append((nodes, float(np.average(axis.counts[nodes], weights=rows)) * axis.scale))
    elif not isinstance(axis, CategoryAxis):
        places = axis.points.astype(np.float64) / max(1.0, float(axis.points[-1]))
        for halves in range(min(MOST_HALVES, (many - 1).bit_length() - 1), 0, -1):
            bins = np.minimum(places * 2**halves, 2**halves - 1).astype(np.int64)
            found.append((bins[axis.codes], weight / 2**halves))
    if found[-1][0].any() and not isinstance(axis, TreeAxis):
        found.append((np.zeros_like(axis.codes), weight))
    levels = []
    for codes, loss in found:
        numbered, count = dense_codes(codes, int(codes.max()) + 1)
        levels.append(AxisLevel(numbered, count, loss))
    return levels


@dataclass(frozen=True, eq=False)
class Ascent:
    """Cells of a problem, level by level.

    Attributes:
        problem: what is merged: columns.
        book: these columns.
        limits: what each cell must keep to.
    """

    problem: Problem
    book: ColumnCodebook
    limits: Sequence[Limit]

    @classmethod
    def of(cls, problem: Problem, limits: Sequence[Limit]) -> "Ascent | None":
        """The ascent of a problem; None where it is of no use: without categories, or for what is large."""
        book = problem.codebook
        if not isinstance(book, ColumnCodebook) or not book.fits:
            return None
        if problem.size > MOST_VALUES or 2 ** len(book.columns) > MOST_NODES:
            return None
        if not any(isinstance(axis, CategoryAxis | TreeAxis) for axis in book.axes) or len(book.axes) == 1:
            return None
        return cls(problem, book, limits)

    @cached_property
    def _columns(self) -> list[list[AxisLevel]]:
        columns = [axis_levels(axis, self.problem.weights) for axis in self.book.axes]
        while prod(map(len, columns)) > MOST_NODES:
            widest = max(columns, key=len)
            widest[1:-1] = widest[1:-1][1::2]
        return columns

    @cached_property
    def _nodes(self) -> IntArray:
        """All choices of levels, a row each, in the order of what they lose."""
        losses = [np.array([level.loss for level in column]) for column in self._columns]
        total = reduce(np.add.outer, losses)
        order = np.argsort(total, axis=None, kind="stable")
        return np.stack(np.unravel_index(order, total.shape), axis=1)

    def descent(self, high: float) -> Iterator[Cells]:
        """Cells within a largest cost, and within ever smaller ones, down to half of it."""
        low, middle = high / 2, high
        for _ in range(TRIES):
            cells = self.cells(middle)
            if cells is None and middle == high:
                return
            if cells is None:
                low = middle
            else:
                yield cells
                order, starts = order_by_code(cells.cell_of, cells.count)
                high = float(self._costs(order, starts).max())
            middle = (low + high) / 2

    def cells(self, most: float = np.inf) -> Cells | None:
        """Cells that keep to the limits and cost no more than something; None if some values fit nowhere.

        Where there are very many values some nodes are left out, as many as keep the work within bounds.
        """
        most *= SLIGHTLY
        labels, left = np.full(self.problem.size, -1), np.arange(self.problem.size)
        limits, work, place, count, last = self.limits, WORK, 0, 0, len(self._nodes) - 1
        while len(left):
            agreeing, many = self._agreeing(self._nodes[place], left)
            taken = self._fine(limits, agreeing, many, left, most)[agreeing]
            if taken.any():
                labels[left[taken]] = count + agreeing[taken]
                count, left = count + many, left[~taken]
                limits = [limit.take(left) for limit in self.limits] if len(left) else []
            if place == last:
                break
            work -= max(len(left), LEAST)
            steps = (last - place) * max(len(left), LEAST) / max(work, 1)
            place = min(last, place + max(1, int(steps)))
        if len(left) == self.problem.size or len(left) > MOST_LEFT:
            return None
        return led_home(self.problem, self.book, labels, left, most)

    def _agreeing(self, node: IntArray, left: IntArray) -> tuple[IntArray, int]:
        """Which of the values left over agree on the levels of a node, as codes, and how many these are."""
        keys, room = self.problem.group_of[left], int(self.problem.group_of.max()) + 1
        for column, number in zip(self._columns, node.tolist(), strict=True):
            level = column[number]
            if level.many > 1:
                keys, room = keys * level.many + level.codes[left], room * level.many
                if room > 2**40:
                    keys, room = dense_codes(keys, room)
        return dense_codes(keys, room)

    def _fine(
        self, limits: Sequence[Limit], agreeing: IntArray, many: int, left: IntArray, most: float
    ) -> BoolArray:
        """Which sets of values that agree can be cells."""
        found = np.ones(many, bool)
        for limit in limits:
            found &= limit.met(agreeing, many)
        if most < np.inf and found.any():
            chosen = np.flatnonzero(found[agreeing])
            order = chosen[np.argsort(agreeing[chosen], kind="stable")]
            starts = np.flatnonzero(np.diff(agreeing[order], prepend=-1))
            found[found] = self._costs(left[order], starts) <= most
        return found

    def _costs(self, order: IntArray, starts: IntArray) -> FloatArray:
        return self.book.lengths(*self.book.cell_costs(order, starts))
