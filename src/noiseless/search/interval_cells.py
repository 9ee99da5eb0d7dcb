"""Contiguous cells of one ordered column under any limits, exactly: all runs of its values are looked at.

A run that grows can break a limit on beliefs that it kept, so there is no last start for each end, and no
sweep. But whether a run keeps to limits does not depend on the others: the best cells up to a value are the
best up to where the last of them starts, and that one.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from noiseless.arrays import BoolArray, IntArray
from noiseless.search.axes import Axis
from noiseless.search.codebook import ColumnCodebook
from noiseless.search.goal import Targets
from noiseless.search.limits import Limit
from noiseless.search.mean_loss import CertaintyPenalty
from noiseless.search.optimum import ContiguousOptimum
from noiseless.search.problem import Problem
from noiseless.tables.kernels import compiled

FIRST, AT_ONCE = 16, 2**18
"""At first runs of this many values are looked at, and then of twice as many; this many values in one go."""

WORK, SMALL = 2**23, 2**17
"""Runs are looked at that have this many pairs in all; with more than the latter, loops are compiled."""

Band = npt.NDArray[Any]
"""Something of each run: a row for its first value, a column for how many follow."""


@dataclass(frozen=True, eq=False)
class RunTable:
    """The runs of one group's values along the line that have no more than this many values.

    Attributes:
        problem: what is merged.
        members: the public values, in order.
        most: how many values a run has.
    """

    problem: Problem
    members: IntArray
    most: int

    @cached_property
    def _inside(self) -> BoolArray:
        """Which runs end on the line."""
        return np.asarray(np.arange(len(self.members))[:, None] + np.arange(self.most) < len(self.members))

    @cached_property
    def keeps(self) -> BoolArray:
        """Which runs keep to the problem's own limits."""
        return self.within(self.problem.limits)

    def within(self, limits: Sequence[Limit]) -> BoolArray:
        """Which runs keep to limits."""
        found, step = self._inside.copy(), max(1, AT_ONCE // self.most)
        for begin in range(0, len(found) if limits else 0, step):
            part = found[begin : begin + step]
            rows, places = np.nonzero(part)
            order, starts = self.members[rows + places + begin], np.flatnonzero(places == 0)
            kept = np.ones(len(rows), bool)
            for limit in limits:
                kept &= limit.prefixes(order, rows, starts)
            part[rows, places] = kept
        return found

    def between(self, sums: Band, *, after: int) -> Band:
        """What is at the end of each run, or just after it, less what is at its start."""
        ends = np.append(sums[after:], np.repeat(sums[-1:], self.most))
        runs = np.lib.stride_tricks.sliding_window_view(ends, self.most)[: len(self.members)]
        return np.asarray(runs - sums[: len(self.members), None])

    @cached_property
    def rows(self) -> IntArray:
        """How many rows each run has."""
        return self.between(np.append(0, np.cumsum(self.problem.weights[self.members])), after=1)

    def spans(self, places: IntArray) -> Band:
        """How far apart the ends of each run are."""
        return self.between(places[self.members], after=0)

    @cached_property
    def values(self) -> IntArray:
        """How many values each run has."""
        return np.broadcast_to(np.arange(1, self.most + 1), self._inside.shape)


@dataclass(frozen=True, eq=False)
class IntervalCells:
    """The best contiguous cells for a goal.

    Attributes:
        targets: the limits; the loss is made small.
    """

    targets: Targets

    @classmethod
    def applies(cls, targets: Targets) -> bool:
        """Whether one column has an order."""
        problem, goal = targets.problem, targets.goal
        by_width = targets.distortion is not None
        plain = goal.aim == "loss" and targets.blocks is None and goal.objective == "leakage"
        ordered = ContiguousOptimum.applies(problem, goal.utility, by_width=by_width)
        mean = not goal.by_mean or isinstance(problem.loss, CertaintyPenalty)
        return plain and ordered and mean

    @cached_property
    def labels(self) -> IntArray | None:
        """The cell of each public value; None if none keep to the limits, or there are too many runs."""
        groups = [self._of_group(number) for number in range(len(self._groups))]
        if any(group is None for group in groups):
            return None
        found, used = np.zeros(self.targets.problem.size, np.int64), 0
        for members, cells in zip(self._groups, groups, strict=True):
            if cells is not None:
                found[members] = cells + used
                used += int(cells.max()) + 1
        return found

    def _of_group(self, number: int) -> IntArray | None:
        """The cells of a group's values; where the largest loss comes first, within that of all groups."""
        if self.targets.goal.by_mean:
            if not self._is_little(len(self._groups[number])):
                return None
            table = self._table(number, len(self._groups[number]))
            best = _cut(self._allowed(table), self._means(table), worst=False)
        elif self._worst is None:
            return None
        else:
            table = self._table(number, self._worst[0])
            fine = self._allowed(table) & (self._losses(table) <= self._worst[1])
            best = _cut(fine, self._means(table), worst=False)
        return None if best is None else best[0]

    @cached_property
    def _worst(self) -> tuple[int, Any] | None:
        """How many values runs have that lose no more than the best cells, and what these lose at most."""
        most = min(FIRST, max(map(len, self._groups)))
        while True:
            found = [self._worst_of(number, most) for number in range(len(self._groups))]
            if all(one is not None for one in found):
                return most, max(one for one in found if one is not None)
            if most >= max(map(len, self._groups)) or not self._is_little(2 * most):
                return None
            most = min(2 * most, max(map(len, self._groups)))

    def _is_little(self, most: int) -> bool:
        """Whether runs of this many values can be looked at."""
        return len(self.targets.problem.joint) * most <= WORK

    def _worst_of(self, number: int, most: int) -> Any | None:  # noqa: ANN401 - a number of any size
        """The least largest loss of a group; None where there is none, or longer runs may lose less."""
        table = self._table(number, most)
        losses = self._losses(table)
        best = _cut(self._allowed(table), losses, worst=True)
        if best is None:
            return None
        beyond = len(table.members) - table.most  # the next longer runs all lose more
        longer = self._table(number, table.most + 1) if beyond > 0 else None
        if longer is not None and np.any(self._losses(longer)[:beyond, -1] <= best[1]):
            return None
        return best[1]

    @cached_property
    def _groups(self) -> list[IntArray]:
        problem = self.targets.problem
        order = np.lexsort((self._places, problem.group_of))
        return np.split(order, np.flatnonzero(np.diff(problem.group_of[order])) + 1)

    def _table(self, number: int, most: int) -> RunTable:
        """The runs of a group that have no more than this many values; made once for all goals."""
        problem, members = self.targets.problem, self._groups[number]
        key = RunTable, number, min(most, len(members))
        if key not in problem.made:
            problem.made[key] = RunTable(problem, members, min(most, len(members)))
        table: RunTable = problem.made[key]
        return table

    @property
    def _places(self) -> IntArray:
        line = self.targets.problem.line
        return np.arange(self.targets.problem.size) if line is None else line

    def _losses(self, table: RunTable) -> Band:
        """What each run loses: its width, or its values."""
        return table.spans(self._places) if self.targets.goal.utility == "distortion" else table.values

    def _allowed(self, table: RunTable) -> BoolArray:
        """The runs within all limits."""
        targets, problem = self.targets, self.targets.problem
        need = int(targets.need[problem.seen[table.members[0]]])
        found = table.keeps & (table.rows >= (targets.goal.min_rows or 1))
        if need > 1:
            found &= table.within(targets.limits[:1])
        if targets.largest_cell is not None:
            found &= table.values <= targets.largest_cell
        if targets.distortion is not None:
            squares = targets.distortion.squared / (problem.unit / 2) ** 2
            found &= table.spans(self._places) <= math.isqrt(math.floor(squares))
        return np.asarray(found, bool)

    def _means(self, table: RunTable) -> Band:
        """What each run adds to the mean loss, as the width of cells; else cells are to be many."""
        problem = self.targets.problem
        book = problem.codebook
        if not isinstance(book, ColumnCodebook) or not isinstance(problem.loss, CertaintyPenalty):
            return np.full(table.keeps.shape, -1)
        axis = book.axes[0]
        places = axis.points[axis.codes] if type(axis) is Axis else np.arange(problem.size)
        spans = table.spans(np.asarray(places))
        fits = spans.dtype != object and int(spans.max()) * int(problem.weights.sum()) < _ROOM // 2**10
        return np.asarray((spans if fits else spans.astype(object)) * table.rows)


_ROOM = 2**62


def _cut(fine: BoolArray, lost: Band, *, worst: bool) -> tuple[IntArray, Any] | None:
    """The cells of values in order with the least largest loss, or the least sum; None if there are none."""
    size, most = fine.shape
    endless = int(lost.max()) * (1 if worst else size) + 1
    fast = fine.size > SMALL and lost.dtype != object and endless < _ROOM
    best = np.full(size + 1, endless, np.int64 if fast else object)
    best[0], chosen = 0, np.zeros(size, np.int64)
    if fast:
        compiled(cheapest_runs)(fine, np.ascontiguousarray(lost, np.int64), worst, best, chosen)
    else:
        for end in range(size):
            starts = np.arange(max(0, end - most + 1), end + 1)
            before, own = best[starts], lost[starts, end - starts]
            total = np.maximum(before, own) if worst else before + own
            total = np.where(fine[starts, end - starts] & (before < endless), total, endless)
            at = int(np.argmin(total))
            best[end + 1], chosen[end] = total[at], starts[at]
    if best[size] >= endless:
        return None
    cells, end = np.zeros(size, np.int64), size
    while end:
        start = int(chosen[end - 1])
        cells[start:end] = start
        end = start
    return np.unique(cells, return_inverse=True)[1].reshape(-1), best[size]


def cheapest_runs(fine: BoolArray, lost: IntArray, worst: bool, best: IntArray, chosen: IntArray) -> None:
    """The same as loops: best(j + 1) = min over runs from i to j of what best(i) and the run lose."""
    size, most = fine.shape
    endless = best[size]
    for end in range(size):
        for start in range(max(0, end - most + 1), end + 1):
            if fine[start, end - start] and best[start] < endless:
                own = lost[start, end - start]
                total = max(best[start], own) if worst else best[start] + own
                if total < best[end + 1]:
                    best[end + 1] = total
                    chosen[end] = start
