"""Branch and cut: the cheapest pattern, by cases in which some cells are withheld and others shown.

Each case has its linear program, whose optimum bounds the patterns of the case; what adversaries and combined
cuts say of its optimum is added for all cases. A case that cannot beat the best pattern is closed.
"""

from heapq import heappop, heappush
from itertools import count
from math import inf
from typing import Protocol

import numpy as np

from noiseless.arrays import BoolArray, FloatArray, IntArray
from noiseless.tabulations.integer_program import Deadline
from noiseless.tabulations.protection.master import MasterProgram

_HALF, _LIKELY = 0.5, 0.8
_WHOLE = 1e-6
_LOOK = 40
"""Cells that a case may be divided by."""
_TRIED = 8
"""Of these, as many are tried out that nothing is known of yet."""
_GIVEN_UP = 6
"""Cells in a row that are no better than one before."""
_RISE = 0.1
"""Cuts of a case go on while its bound rises by this share of what is left to the best pattern."""
_HOTTEST = 16
"""Requirements that a case is held against: those that found cuts of late."""

Case = tuple[float, int, dict[int, int]]
"""A bound, a number, and which cells are withheld (1) and shown (0)."""


class PatternCheck(Protocol):
    """What a tree asks about patterns; cuts that an answer rests on are in the program then."""

    def refine(self, withheld: FloatArray) -> int:
        """Add cuts that a mixture of patterns violates; how many."""

    def separate(self, withheld: FloatArray, *, most: int) -> int:
        """Look at this many requirements for cuts that a mixture of patterns violates; how many there are."""

    def refuted(self, pattern: BoolArray) -> bool:
        """Whether a pattern is not what is looked for, and is cut off now."""

    def repaired(self, pattern: BoolArray, withheld: FloatArray) -> BoolArray:
        """A pattern that is, near one that is not."""


class PatternTree:
    """The cases that are open.

    Args:
        master: the program of all cuts.
        check: who says what is wrong with a pattern.
        deadline: when to stop.
        best: a pattern that is known.
    """

    def __init__(
        self, master: MasterProgram, check: PatternCheck, deadline: Deadline, best: BoolArray
    ) -> None:
        self.master, self.check, self.deadline = master, check, deadline
        self.best, self.cost = best, master.cost(best)
        self.numbers = count()
        self.open: list[Case] = [(0.0, next(self.numbers), {})]
        self.gains = np.zeros((2, master.cells.many))
        self.seen = np.zeros((2, master.cells.many), np.int64)

    def offer(self, pattern: BoolArray) -> None:
        """Take a pattern that is what is looked for, if it is cheaper."""
        if self.master.cost(pattern) < self.cost:
            self.best, self.cost = pattern, self.master.cost(pattern)

    @property
    def most(self) -> float:
        """A case whose optimum is above this is closed."""
        return self.cost - (1 - _WHOLE if self.master.whole else 1e-9 * self.cost)

    def search(self) -> float:
        """Close cases until none is open or time is up; returns a bound of all patterns."""
        self._dive()
        case: Case | None = None
        while (case or self.open) and not self.deadline.over:
            if case is None:
                case = heappop(self.open)
            if case[0] > self.most:  # so are all others, or it was the one to go on with
                case = None
                continue
            case = self._divided(case)
        if case is not None:
            heappush(self.open, case)
        return min([self.cost, *(each[0] for each in self.open)])

    def _dive(self) -> None:
        """A pattern to begin with: what is withheld for the most part, and what else that takes."""
        fixed = dict[int, int]()
        while (found := self._bounded((0.0, 0, fixed))) is not None and found[2]:
            free = np.flatnonzero(np.minimum(found[1], 1 - found[1]) >= _WHOLE)
            shares = found[1][free]
            fixed |= dict.fromkeys(free[shares >= min(_LIKELY, shares.max())].tolist(), 1)

    def _divided(self, case: Case) -> Case | None:
        """Bound a case, and divide it in two: the likelier one comes back, the other is left open."""
        found = self._bounded(case)
        if found is None:
            return None
        bound, withheld, decided = found
        if not decided:  # time was up
            return bound, case[1], case[2]
        cell = self._cell(bound, withheld)
        likely = int(withheld[cell] > _HALF)
        other, same = ({**case[2], cell: value} for value in (1 - likely, likely))
        heappush(self.open, (bound, next(self.numbers), other))
        return bound, next(self.numbers), same

    def _bounded(self, case: Case) -> tuple[float, FloatArray, bool] | None:
        """The optimum of a case that no cut is known to cut off; None if the case is closed."""
        self.master.fix(case[2])
        last = -inf
        while True:
            found = self.master.relaxed(self.most)
            if found is None:
                return None
            bound, withheld = max(found[0], case[0]), found[1]
            if self.deadline.over:
                return bound, withheld, False
            if self.check.refine(withheld):
                continue
            if np.all(np.minimum(withheld, 1 - withheld) < _WHOLE):
                pattern = withheld > _HALF
                refuted = self.check.refuted(pattern)
                if not refuted and self.deadline.over:
                    return bound, withheld, False
                self.offer(self.check.repaired(pattern, withheld))
                if not refuted:
                    return None
                continue
            rises = bound - last > _RISE * (self.most - bound)
            if not (rises and self.check.separate(withheld, most=_HOTTEST) + self.master.combined(withheld)):
                return bound, withheld, True
            last = bound

    def _cell(self, bound: float, withheld: FloatArray) -> int:
        """The cell to divide a case by: one that raises the bound on both sides, as far as is seen."""
        free = np.flatnonzero(np.minimum(withheld, 1 - withheld) >= _WHOLE)
        ways = np.stack([withheld[free], 1 - withheld[free]])
        expected = self._expected(free) * ways
        score = np.maximum(expected, _WHOLE).prod(axis=0)
        best, chosen, tried, worse = -1.0, int(free[0]), 0, 0
        for place in np.argsort(-score, kind="stable")[:_LOOK].tolist():
            cell, own = int(free[place]), float(score[place])
            if not self.seen[:, cell].all():
                if tried == _TRIED:
                    continue
                tried += 1
                own = self._tried(cell, bound, ways[:, place])
            if own > best:
                best, chosen, worse = own, cell, 0
            elif (worse := worse + 1) > _GIVEN_UP:
                break
        return chosen

    def _expected(self, cells: IntArray) -> FloatArray:
        """How much the bound rises as a cell is shown or withheld: the mean of what was seen of it."""
        costs, found = self.master.costs, np.zeros((2, len(cells)))
        for way in (0, 1):
            known = np.flatnonzero((self.seen[way] > 0) & (costs > 0))
            usual = (
                float((self.gains[way, known] / self.seen[way, known] / costs[known]).mean())
                if len(known)
                else 0.5
            )
            own = self.gains[way, cells] / np.maximum(self.seen[way, cells], 1)
            found[way] = np.where(self.seen[way, cells] > 0, own, costs[cells] * usual)
        return found

    def _tried(self, cell: int, bound: float, ways: FloatArray) -> float:
        """The product of the rises of the bound when a cell is shown and when it is withheld."""
        rises = np.ones(2)
        for way in (0, 1):
            rises[way] = max(self.master.tried(cell, way, self.cost) - bound, _WHOLE)
            self.gains[way, cell] += rises[way] / ways[way]
            self.seen[way, cell] += 1
        return float(rises.prod())
