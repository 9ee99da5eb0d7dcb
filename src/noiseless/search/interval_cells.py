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
from noiseless.search.contiguous.kernels import Loops, Row, cells_of
from noiseless.search.goal import Targets
from noiseless.search.limits import Limit
from noiseless.search.mean_loss import CertaintyPenalty
from noiseless.search.optimum import ContiguousOptimum
from noiseless.search.problem import Problem
from noiseless.search.strips import together

FIRST, AT_ONCE = 16, 2**18
"""At first runs of this many values are looked at, and then of twice as many; this many values in one go."""

WORK, SMALL = 2**23, 2**17
"""Runs are looked at that have this many pairs in all; with more than the latter, loops are compiled."""

_ROOM = 2**62

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
    def keeps(self) -> BoolArray:
        """Which runs keep to the problem's own limits."""
        return self.within(self.problem.limits)

    def within(self, limits: Sequence[Limit]) -> BoolArray:
        """Which runs end on the line and keep to limits."""
        size, step = len(self.members), max(1, AT_ONCE // self.most)
        found = np.arange(size)[:, None] + np.arange(self.most) < size
        for begin in range(0, size if limits else 0, step):
            part = found[begin : begin + step]
            rows, places = np.nonzero(part)
            order, starts = self.members[rows + places + begin], np.flatnonzero(places == 0)
            for limit in limits:
                part[rows, places] &= limit.prefixes(order, rows, starts)
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
        return np.broadcast_to(np.arange(1, self.most + 1), (len(self.members), self.most))

    @cached_property
    def means(self) -> Band:
        """What each run adds to the mean loss, as the width of cells; else cells are to be many."""
        problem, book = self.problem, self.problem.codebook
        if not isinstance(book, ColumnCodebook) or not isinstance(problem.loss, CertaintyPenalty):
            return np.full(self.values.shape, -1)
        axis = book.axes[0]
        places = axis.points[axis.codes] if type(axis) is Axis else np.arange(problem.size)
        spans = self.spans(np.asarray(places))
        fits = spans.dtype != object and int(spans.max()) * int(problem.weights.sum()) < _ROOM // 2**10
        return np.asarray((spans if fits else spans.astype(object)) * self.rows)


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
        plain = goal.aim == "loss" and targets.blocks is None and goal.objective == "leakage"
        by_width = targets.distortion is not None
        ordered = ContiguousOptimum.applies(problem, goal.utility, by_width=by_width)
        return plain and ordered and (not goal.by_mean or isinstance(problem.loss, CertaintyPenalty))

    @cached_property
    def labels(self) -> IntArray | None:
        """The cell of each public value; None if none keep to the limits, or there are too many runs.

        Where the largest loss comes first, the mean loss is made small within that of all groups.
        """
        known = (self._longest, None) if self.targets.goal.by_mean else self._worst
        if known is None or not self._is_little(known[0]):
            return None
        cells = []
        for number in range(len(self._groups)):
            table = self._table(number, known[0])
            fine = self._allowed(table)
            if known[1] is not None:
                fine &= self._losses(table) <= known[1]
            best = _cut(fine, table.means, worst=False)
            if best is None:
                return None
            cells.append(best[0])
        return together(self._groups, cells)[0]

    @cached_property
    def _worst(self) -> tuple[int, Any] | None:
        """How many values runs have that lose no more than the best cells, and what these lose at most."""
        most = min(FIRST, self._longest)
        while True:
            found = [self._worst_of(number, most) for number in range(len(self._groups))]
            known = [one for one in found if one is not None]
            if len(known) == len(found):
                return most, max(known)
            if most == self._longest or not self._is_little(2 * most):
                return None
            most = min(2 * most, self._longest)

    def _is_little(self, most: int) -> bool:
        """Whether runs of this many values can be looked at."""
        return len(self.targets.problem.joint) * most <= WORK

    def _worst_of(self, number: int, most: int) -> Any | None:  # noqa: ANN401 - a number of any size
        """The least largest loss of a group; None where there is none, or longer runs may lose less."""
        table = self._table(number, most)
        best = _cut(self._allowed(table), self._losses(table), worst=True)
        beyond = len(table.members) - table.most  # the next longer runs all lose more
        if best is not None and beyond > 0:
            longer = self._losses(self._table(number, table.most + 1))
            return None if np.any(longer[:beyond, -1] <= best[1]) else best[1]
        return None if best is None else best[1]

    @property
    def _longest(self) -> int:
        return max(map(len, self._groups))

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
        found = table.keeps & (table.rows >= (targets.goal.min_rows or 1))
        if int(targets.need[problem.seen[table.members[0]]]) > 1:
            found &= table.within(targets.limits[:1])
        if targets.largest_cell is not None:
            found &= table.values <= targets.largest_cell
        if targets.distortion is not None:
            squares = targets.distortion.squared / (problem.unit / 2) ** 2
            found &= table.spans(self._places) <= math.isqrt(math.floor(squares))
        return found


def _cut(fine: BoolArray, lost: Band, *, worst: bool) -> tuple[IntArray, Any] | None:
    """The cells of values in order with the least largest loss, or the least sum; None if there are none."""
    size, most = fine.shape
    endless = max(0, int(lost.max())) * (1 if worst else size) + 1
    fast = fine.size > SMALL and lost.dtype != object and endless < _ROOM
    loops = Loops(fast)
    best = loops.row(np.append(0, np.full(size, endless, np.int64 if fast else object)))
    chosen = loops.blank(size + 1)
    loops.run(cheapest_runs, loops.row(fine.ravel()), loops.row(lost.ravel()), best, chosen, most, worst)
    return None if best[size] >= endless else (cells_of(chosen, loops), best[size])


def cheapest_runs(  # noqa: PLR0917 - compiled functions take no keywords
    fine: Row, lost: Row, best: Row, chosen: Row, most: int, worst: bool
) -> None:
    """best(j + 1) = min over runs from i to j of what best(i) and the run lose; also as plain Python."""
    size, endless = len(chosen) - 1, best[len(chosen) - 1]
    for end in range(size):
        for start in range(max(0, end - most + 1), end + 1):
            run = start * most + end - start
            if fine[run] and best[start] < endless:
                total = max(best[start], lost[run]) if worst else best[start] + lost[run]
                if total < best[end + 1]:
                    best[end + 1] = total
                    chosen[end + 1] = start
