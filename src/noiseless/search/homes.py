"""Values that fit into no cell of their own, each led to the near cell that loses least by it.

A cell is known by the ends of what it spans in each column, and by the categories that it holds: what a value
adds to it is computed for all values at once, and anew for the cells alone that others have joined meanwhile.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import reduce

import numpy as np

from noiseless.arrays import BoolArray, FloatArray, IntArray
from noiseless.search.axes import CategoryAxis, TreeAxis, sizes_of
from noiseless.search.codebook import ColumnCodebook
from noiseless.search.problem import Cells, Problem
from noiseless.tables.kernels import distinct_codes

NEAR = 32
"""A value is led to the best of this many cells that are near."""

WORK = 3 * 10**6
"""This many distances are looked at in one go."""


def led_home(
    problem: Problem, book: ColumnCodebook, labels: IntArray, left: IntArray, most: float
) -> Cells | None:
    """All values in cells: each that is left over is led to one that is near; None if one fits nowhere.

    Args:
        problem: what is merged.
        book: its columns.
        labels: the cell of each public value, -1 for what is left over.
        left: what is left over, ascending.
        most: the largest cost that a cell may come to.
    """
    placed = np.flatnonzero(labels >= 0)
    placed = placed[np.argsort(labels[placed], kind="stable")]
    starts = np.flatnonzero(np.diff(labels[placed], prepend=-1))
    cells, firsts, groups = WidenedCells(problem, book, placed, starts), placed[starts], problem.group_of
    for group in distinct_codes(groups[left]).tolist():
        own = np.flatnonzero(groups[firsts] == group)
        if not len(own) or not cells.lead(left[groups[left] == group], own, firsts[own], most):
            return None
    found = labels.copy()
    found[cells.led] = labels[firsts[cells.homes]]
    return Cells.from_labels(found)


@dataclass(eq=False)
class WidenedCells:
    """Cells that values join one after the other.

    Attributes:
        problem: what is merged.
        book: its columns.
        order: the members of all cells, one cell after the other.
        starts: where each begins.
        led: the values that joined, in their order.
        homes: the cell that each of them joined.
    """

    problem: Problem
    book: ColumnCodebook
    order: IntArray
    starts: IntArray
    led: list[int] = field(default_factory=list)
    homes: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        order, starts, axes = self.order, self.starts, self.book.axes
        codes = [axis.codes[order] for axis in axes]
        cell = np.repeat(np.arange(len(starts)), sizes_of(starts, len(order)))
        self._lows = [np.minimum.reduceat(part, starts).astype(np.int64) for part in codes]
        self._highs = [np.maximum.reduceat(part, starts).astype(np.int64) for part in codes]
        self._held = [
            set((cell * len(axis.points) + part).tolist()) if isinstance(axis, CategoryAxis) else set[int]()
            for axis, part in zip(axes, codes, strict=True)
        ]
        self._spans = [axis.cell_spans(order, starts).astype(np.int64) for axis in axes]
        self._rows = np.add.reduceat(self.problem.weights[order], starts)
        shares = [span.astype(np.float64) * axis.scale for axis, span in zip(axes, self._spans, strict=True)]
        self._losses = reduce(np.add, shares) * self._rows

    def lead(self, values: IntArray, cells: IntArray, firsts: IntArray, most: float) -> bool:
        """Lead values to cells, one after the other; whether all found one that costs no more than something.

        Args:
            values: the values.
            cells: the cells that they may join.
            firsts: a member of each of these cells, by which it is known how far it is.
            most: the largest cost.
        """
        near = np.concatenate(list(self._near(values, cells, firsts)))
        foreseen = self.book.by_hull
        losses, costs = self._joined(near, values[:, None], most)
        if foreseen and not np.all(np.any(costs <= most, axis=1)):
            return False  # cells only grow, and cost no less then
        changed = np.full(len(self.starts), not foreseen)
        for row, value in enumerate(values.tolist()):
            own = near[row]
            stale = np.flatnonzero(changed[own])
            if len(stale):
                losses[row, stale], costs[row, stale] = self._joined(own[stale], np.array(value), most)
            more = np.where(costs[row] <= most, losses[row] - self._losses[own], np.inf)
            best = int(np.argmin(more))
            if more[best] == np.inf:
                return False
            self._join(value, int(own[best]), float(losses[row, best]))
            changed[own[best]] = True
        return True

    def _near(self, values: IntArray, cells: IntArray, firsts: IntArray) -> Iterator[IntArray]:
        """The cells near each value, a row each."""
        many = min(NEAR, len(cells))
        for some in np.array_split(values, 1 + len(values) * len(cells) // WORK):
            far = self.book.distances(some, firsts)
            yield cells[np.argpartition(far, many - 1, axis=1)[:, :many]]

    def _joined(self, cells: IntArray, values: IntArray, most: float) -> tuple[FloatArray, FloatArray]:
        """About what cells lose together with values, times all rows; and what they cost then."""
        shares, ends = [], []
        for number, axis in enumerate(self.book.axes):
            codes = axis.codes[values]
            first = np.minimum(self._lows[number][cells], codes)
            last = np.maximum(self._highs[number][cells], codes)
            ends.append((first, last))
            if isinstance(axis, CategoryAxis):
                span = self._spans[number][cells] + self._is_new(number, cells, codes)
            elif isinstance(axis, TreeAxis):
                span = axis.counts[axis.common(first, last)]
            else:
                span = axis.points[last] - axis.points[first]
            shares.append(span.astype(np.float64) * axis.scale)
        losses = reduce(np.add, shares) * (self._rows[cells] + self.problem.weights[values])
        if most == np.inf:
            return losses, np.zeros_like(losses)
        if not self.book.by_hull:
            return losses, self._measured(cells, values) if values.ndim == 0 else np.zeros_like(losses)
        return losses, self.book.lengths(*self.book.hull_costs(ends))

    def _is_new(self, number: int, cells: IntArray, codes: IntArray) -> BoolArray:
        """Whether cells do not hold categories of a column yet."""
        keys, held = cells * len(self.book.axes[number].points) + codes, self._held[number]
        return np.array([key not in held for key in keys.ravel().tolist()]).reshape(keys.shape)

    def _measured(self, cells: IntArray, value: IntArray) -> FloatArray:
        """What cells cost together with a value, where that depends on all their members."""
        ends = np.append(self.starts[1:], len(self.order))
        joined = np.array(self.led, np.int64), np.array(self.homes, np.int64)
        members = [
            np.concatenate(
                (self.order[self.starts[cell] : ends[cell]], joined[0][joined[1] == cell], [value])
            )
            for cell in cells.tolist()
        ]
        sizes = np.array([len(part) for part in members])
        return self.book.lengths(*self.book.cell_costs(np.concatenate(members), np.cumsum(sizes) - sizes))

    def _join(self, value: int, cell: int, loss: float) -> None:
        """A value joins a cell, which loses something then."""
        for number, axis in enumerate(self.book.axes):
            code = int(axis.codes[value])
            self._lows[number][cell] = min(int(self._lows[number][cell]), code)
            self._highs[number][cell] = max(int(self._highs[number][cell]), code)
            if isinstance(axis, CategoryAxis):
                key = cell * len(axis.points) + code
                self._spans[number][cell] += key not in self._held[number]
                self._held[number].add(key)
        self._rows[cell] += self.problem.weights[value]
        self._losses[cell] = loss
        self.led.append(value)
        self.homes.append(cell)
