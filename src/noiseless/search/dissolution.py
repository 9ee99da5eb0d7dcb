"""Cells that cost too much are dissolved: members join other cells, and those that fit nowhere are withheld.

A cell that keeps to limits still does when another value joins it (see `Limit`), so only costs are looked at.
Nothing is proved here, and floats are good enough: what is found is measured anew, exactly, before it counts.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from noiseless.arrays import BoolArray, FloatArray, IntArray
from noiseless.search.codebook import ColumnCodebook
from noiseless.search.improvement import Nearness
from noiseless.search.measures import cell_costs
from noiseless.search.problem import Cells, Problem

MOST_VALUES = 60_000
"""With more public values it is left."""

MOST_LEVELS = 16
"""This many largest costs are tried for, more of them near the largest of all."""

CLOSER = 2
"""Between the best of them and the next the middle is tried, so often."""

MOST_JOINING = 5000
"""This many values are looked for a new cell at most."""

_NO_MORE = 1 + 1e-12
"""Less than this many times a cost, by floats: less, or equal."""


@dataclass(frozen=True, eq=False)
class Dissolution:
    """Ways to dissolve the costliest cells of a partition.

    Attributes:
        problem: what is merged: columns.
        cells: the cells, which keep to the limits.
    """

    problem: Problem
    cells: Cells

    @classmethod
    def applies(cls, problem: Problem) -> bool:
        """Whether columns say what is near, and there are not too many values."""
        book = problem.codebook
        return isinstance(book, ColumnCodebook) and book.fits and problem.size <= MOST_VALUES

    @cached_property
    def _costs(self) -> FloatArray:
        return np.array([float(cost) for cost in cell_costs(self.problem.codebook, self.cells)])

    def least(self, budget: int) -> tuple[IntArray, BoolArray] | None:
        """Labels and suppressed values with about the least largest cost; None if no cell can be dissolved.

        Args:
            budget: how many rows may be suppressed.
        """
        levels = np.unique(self._costs)[::-1]  # the first is the cost of all cells as they are
        some = np.unique(np.geomspace(1, len(levels), MOST_LEVELS).astype(int) - 1)
        found, low, high = None, 0, len(some) - 1
        while low < high:
            middle = (low + high + 1) // 2
            made = self._within(levels[some[middle]], budget)
            found, low, high = (found, low, middle - 1) if made is None else (made, middle, high)
        first, last = int(some[low]), int(some[min(low + 1, len(some) - 1)])
        for _ in range(CLOSER):
            middle = (first + last) // 2
            made = self._within(levels[middle], budget) if first < middle else None
            found, first, last = (found, first, middle) if made is None else (made, middle, last)
        return found

    def _within(self, most: float, budget: int) -> tuple[IntArray, BoolArray] | None:
        """Cells that cost no more than something; None if more rows are left over than may be suppressed."""
        costly = self._costs > most
        leaving = np.flatnonzero(costly[self.cells.cell_of])
        if len(leaving) > MOST_JOINING:
            return None
        labels, hidden, left = self.cells.cell_of.copy(), np.zeros(self.problem.size, bool), budget
        rows, groups = self.problem.weights, self.problem.group_of
        kept = [list(members) for members in self.cells.members]
        near = Nearness(self.problem.size, self.problem.codebook, [], len(kept))
        for cell in np.flatnonzero(~costly).tolist():
            near.changed(cell, kept[cell])
        far = self._costs[self.cells.cell_of[leaving]]
        for value in leaving[np.argsort(-far, kind="stable")].tolist():  # what fails then fails soon
            cells = near.cells_near(value, most * _NO_MORE)
            homes = [cell for cell in cells if groups[kept[cell][0]] == groups[value]]
            if homes:
                kept[homes[0]].append(value)
                near.changed(homes[0], kept[homes[0]])
                labels[value] = homes[0]
                continue
            hidden[value] = True
            left -= int(rows[value])
            if left < 0:
                return None
        if hidden.all():
            return None
        return np.where(hidden, self.cells.count, labels), hidden
