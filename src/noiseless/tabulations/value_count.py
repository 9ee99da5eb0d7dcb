"""How many values a sum of cells takes: between near ends one by one, between far ones by repeated moves.

One by one, each value has a table or is refuted, which a certificate can show. A move is a table of whole
numbers that leaves all exact figures alone and raises the sum by 1. From a table that fits it can be repeated
up and down as long as bounds leave room, and each value on the way is possible: a run. Runs from all tables
that were found cover most of a range. What they leave out is looked for, which gives a table and with it
another run, or is refuted, and then is a hole.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import Bounds as SolverBounds
from scipy.optimize import LinearConstraint, milp
from scipy.sparse import csr_array, hstack, vstack

from noiseless.arrays import FloatArray, IntArray
from noiseless.tabulations.integer_program import Deadline, IntegerProgram
from noiseless.tabulations.publication import UNBOUNDED
from noiseless.tabulations.refutation import Refutation

MANY_VALUES = 24
"""Values are looked for one by one where there are at most this many between the ends."""
_MOST = 24
"""Gaps between runs that are looked into; sums with more are not counted."""
_NODES = 200
_FAR = 2**40


def is_wide(lower: int, upper: int) -> bool:
    """Whether there are too many values between two ends to look at each."""
    return upper - lower >= MANY_VALUES


@dataclass(frozen=True, eq=False)
class ValueCount:
    """The values of one sum of cells in an integer program.

    Attributes:
        program: the program.
        form: the cells of the sum, as places in it.
        ends: the least and the largest value, both shown by tables.
        holes: values between them that were refuted one by one; `count` adds to them.
    """

    program: IntegerProgram
    form: IntArray
    ends: tuple[int, int]
    holes: dict[int, Refutation]

    def count(self, deadline: Deadline) -> int | None:
        """How many values there are; None if that is not decided."""
        return self._by_moves(deadline) if is_wide(*self.ends) else self._one_by_one(deadline)

    def _one_by_one(self, deadline: Deadline) -> int | None:
        """By a table or a refutation for each."""
        program, form, holes = self.program, self.form, self.holes
        for value in range(self.ends[0] + 1, self.ends[1]):
            if value in program.values(form) or value in holes:
                continue
            if deadline.over:
                return None
            if not program.find(form, value, value, deadline):
                proof = program.refute(form, value, value, deadline)
                if proof is None:
                    if value in program.values(form):
                        continue
                    return None
                holes[value] = proof
        return self.ends[1] - self.ends[0] + 1 - len(holes)

    def _by_moves(self, deadline: Deadline) -> int | None:
        """By runs from all tables that were found, and what is found out of the gaps between them."""
        move = self._move()
        if move is None or deadline.over:
            return None
        holes, seen = 0, list[tuple[int, int]]()
        for _ in range(_MOST):
            gap = self._gap([*self._runs(move), *seen])
            if gap is None:
                return self.ends[1] - self.ends[0] + 1 - holes
            if deadline.over:
                return None
            if not self.program.find(self.form, *gap, deadline):
                if self.program.refute(self.form, *gap, deadline) is None:
                    return None
                holes += gap[1] - gap[0] + 1
                seen.append(gap)
        return None

    def _gap(self, covered: list[tuple[int, int]]) -> tuple[int, int] | None:
        """The first values that nothing covers; None if all are."""
        low, high = self.ends
        begin = low
        for first, last in sorted(covered):
            if first > begin:
                return begin, min(first - 1, high)
            begin = max(begin, last + 1)
            if begin > high:
                return None
        return begin, high

    def _runs(self, move: IntArray) -> list[tuple[int, int]]:
        """From each table that was found, the values that repeating the move shows."""
        program = self.program
        sums = (program.matrix.astype(np.int64) @ program.tables.T).T
        rise = program.matrix.astype(np.int64) @ move
        steps = np.r_[move, rise]
        lower, upper = np.r_[program.lower, program.row_lower], np.r_[program.upper, program.row_upper]
        used = np.flatnonzero(steps)
        values, steps = np.hstack([program.tables, sums])[:, used], steps[used]
        above = np.where(upper[used] < UNBOUNDED, upper[used] - values, _FAR) // np.abs(steps)
        below = (values - lower[used]) // np.abs(steps)
        up = np.where(steps > 0, above, below).min(axis=1)
        down = np.where(steps > 0, below, above).min(axis=1)
        shown = program.values(self.form)
        return list(zip((shown - down).tolist(), (shown + up).tolist(), strict=True))

    def _move(self) -> IntArray | None:
        """A move through cells that have room; None if none is found."""
        program, cells = self.program, len(self.program.atoms)
        matrix = program.matrix.astype(float)
        exact = program.row_lower == program.row_upper
        form = csr_array(
            (np.ones(len(self.form)), (np.zeros(len(self.form), int), self.form)), shape=(1, cells)
        )
        both = vstack([hstack([matrix, -matrix]), hstack([form, -form])])
        slack = np.where(exact, 0.0, 1.0)
        found = milp(
            np.tile(self._prices(), 2),
            integrality=np.ones(2 * cells, np.int64),
            bounds=SolverBounds(0.0, 2.0),
            constraints=LinearConstraint(both, np.r_[-slack, 1.0], np.r_[slack, 1.0]),
            options={"node_limit": _NODES},
        )
        if found.x is None:
            return None
        whole = np.rint(found.x).astype(np.int64)
        move = whole[:cells] - whole[cells:]
        right = move[self.form].sum() == 1 and not (program.matrix.astype(np.int64)[exact] @ move).any()
        return move if right else None

    def _prices(self) -> FloatArray:
        """Cells that are far from their bounds in the tables that were found cost little."""
        program = self.program
        room = np.minimum(program.tables - program.lower, program.upper - program.tables)
        prices: FloatArray = 1.0 / (1.0 + np.minimum(room, _FAR).mean(axis=0))
        return prices
