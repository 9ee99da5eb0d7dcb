"""Sharp bounds where figures are no network: linear programs, integer ones, and branching for the proof.

A solver's number is never believed. What is possible is shown by a table of integers that is checked; what is
impossible by multipliers that are rounded to rationals and added up exactly. What neither shows is undecided.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from math import floor, inf
from typing import Any

import numpy as np
from scipy.optimize import Bounds as SolverBounds
from scipy.optimize import LinearConstraint, linprog, milp
from scipy.sparse import csr_array, eye_array, hstack, vstack

from noiseless.arrays import BoolArray, FloatArray, IntArray
from noiseless.tabulations.publication import UNBOUNDED
from noiseless.tabulations.refutation import (
    Branch,
    Ends,
    Leaf,
    LeafRemainder,
    Multipliers,
    Refutation,
    lower_leaf,
    upper_leaf,
)

_linprog: Callable[..., Any] = linprog  # its types know no sparse matrices
_DENOMINATORS = (1, 60, 10**6)
_NEAR = 1e-6
_NOTHING = 1e-9
MAX_NODES = 2_000


@dataclass(frozen=True)
class Deadline:
    """When work is given up."""

    ends: float = inf

    @classmethod
    def after(cls, seconds: float | None) -> "Deadline":
        """This many seconds from now; None is never."""
        return cls(inf if seconds is None else time.monotonic() + seconds)

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return self.ends - time.monotonic()

    @property
    def over(self) -> bool:
        """Whether there is no time left."""
        return self.left <= 0


@dataclass(frozen=True)
class Extreme:
    """The largest value of a sum, as far as it is known.

    Attributes:
        reached: the largest value that a table shows; None if none was found.
        bound: a value that is proved to be the most; None if there is no bound.
        proof: why nothing is above the bound.
    """

    reached: int | None
    bound: int | None
    proof: Refutation | None

    @property
    def sharp(self) -> bool:
        """Whether the bound is attained."""
        return self.reached == self.bound


@dataclass(eq=False)
class IntegerProgram:
    """Cells that figures link, with the tables of them that were found.

    Attributes:
        rows: the number of each figure in the publication.
        atoms: the number of each cell there.
        matrix: figures x cells.
        row_lower: the least that each figure's cells add up to.
        row_upper: the most, `UNBOUNDED` where there is no limit.
        lower: the least value of each cell.
        upper: the largest.
        tables: integer tables that fit, a row each; `remember` adds to them.
    """

    rows: IntArray
    atoms: IntArray
    matrix: csr_array
    row_lower: IntArray
    row_upper: IntArray
    lower: IntArray
    upper: IntArray
    tables: IntArray = field(init=False)

    def __post_init__(self) -> None:
        self._room, self._known = np.zeros((8, len(self.atoms)), np.int64), dict[bytes, int]()
        self.tables = self._room[:0]
        self._wide = self.matrix.astype(np.int64)
        self.members = {
            k: self.matrix.indices[self.matrix.indptr[k] : self.matrix.indptr[k + 1]].tolist()
            for k in range(self.matrix.shape[0])
        }
        self.told = {
            k: (int(low), None if high >= UNBOUNDED else int(high))
            for k, (low, high) in enumerate(zip(self.row_lower, self.row_upper, strict=True))
        }

    # What is possible

    def fits(self, table: IntArray) -> bool:
        """Whether a table is within all bounds, computed with integers."""
        sums = self._wide @ table
        return bool(
            np.all((self.lower <= table) & (table <= self.upper))
            and np.all((self.row_lower <= sums) & (sums <= self.row_upper))
        )

    def remember(self, solution: FloatArray | None) -> IntArray | None:
        """The integer table that a solver means, if it means one and it fits."""
        if solution is None or np.abs(solution - np.rint(solution)).max(initial=0) > _NEAR:
            return None
        table = np.rint(solution).astype(np.int64)
        if not self.fits(table):
            return None
        if self._known.setdefault(table.tobytes(), len(self._known)) == len(self.tables):
            if len(self._known) > len(self._room):
                self._room = np.concatenate([self._room, np.zeros_like(self._room)])
            self._room[len(self.tables)] = table
            self.tables = self._room[: len(self._known)]
        return table

    def values(self, form: IntArray) -> IntArray:
        """What a sum is in each table that was found."""
        found: IntArray = self.tables[:, form].sum(axis=1)
        return found

    def reached(self, form: IntArray, up: bool) -> int | None:
        """The extreme of a sum among the tables that were found."""
        values = self.values(form)
        return int(values.max() if up else values.min()) if len(values) else None

    def find(
        self, form: IntArray, low: int | None, high: int | None, deadline: Deadline, up: bool = True
    ) -> bool:
        """Look for a table whose sum lies in an interval; whether one was found. False proves nothing."""
        least, most = -inf if low is None else low, inf if high is None else high
        goal = np.zeros(len(self.atoms))
        goal[form] = -1.0 if up else 1.0
        indicator = csr_array((np.ones(len(form)), (np.zeros(len(form), int), form)), shape=(1, len(goal)))
        rows = vstack([self.matrix.astype(float), indicator])
        found = milp(
            goal,
            integrality=np.ones(len(goal), np.int64),
            bounds=SolverBounds(self.lower.astype(float), _floats(self.upper)),
            constraints=LinearConstraint(
                rows,
                np.r_[self.row_lower.astype(float), least],
                np.r_[_floats(self.row_upper), most],
            ),
            options={"time_limit": max(0.01, min(deadline.left, 3600.0))},
        )
        table = self.remember(found.x)
        return table is not None and least <= int(table[form].sum()) <= most

    # What is impossible

    def extreme(self, form: IntArray, up: bool, deadline: Deadline) -> Extreme:
        """The largest (or least) value of a sum of cells: by a linear program, and by integers if need be."""
        simple, reached = int((self.upper if up else self.lower)[form].sum()), self.reached(form, up)
        if reached == simple:
            return Extreme(reached, simple, (upper_leaf if up else lower_leaf)(()))
        if deadline.over:  # what bounds alone say is true at any time
            bounded = not up or (self.upper[form] < UNBOUNDED).all()
            return Extreme(reached, simple if bounded else None, (upper_leaf if up else lower_leaf)(()))
        bound, proof = self.relaxed(form, up)
        reached = self.reached(form, up)
        if reached != bound and not deadline.over:
            self.find(form, None, None, deadline, up)
            reached = self.reached(form, up)
        while reached is not None and reached != bound and not deadline.over:
            low, high = (reached + 1, None) if up else (None, reached - 1)
            tree = self.refute(form, low, high, deadline)
            if tree is not None:
                return Extreme(reached, reached, tree)
            if self.reached(form, up) == reached:
                break
            reached = self.reached(form, up)
        return Extreme(reached, bound, proof)

    def relaxed(self, form: IntArray, up: bool) -> tuple[int | None, Leaf | None]:
        """What the linear program proves, rounded as integers allow; a table if its optimum is one."""
        goal = np.zeros(len(self.atoms))
        goal[form] = -1.0 if up else 1.0
        solution, duals = self._solved(goal)
        if solution is None:
            return None, None
        self.remember(solution)
        best: tuple[int | None, Leaf | None] = (None, None)
        for rows in _rationals(duals):
            leaf = upper_leaf(rows) if up else lower_leaf(rows)
            value = self._value(leaf, form)
            if value is not None:
                told = floor(value) if up else -floor(value)
                if best[0] is None or (told < best[0] if up else told > best[0]):
                    best = told, self.named(leaf)
        return best

    def refute(
        self, form: IntArray, low: int | None, high: int | None, deadline: Deadline
    ) -> Refutation | None:
        """Prove that the sum lies outside an interval; None if that is not so, or not decided."""
        return _Search(self, form, (low, high), deadline).tree(self.lower.copy(), self.upper.copy())

    # Linear programs

    def _solved(self, goal: FloatArray) -> tuple[FloatArray | None, FloatArray]:
        """The optimum of a linear program and the multipliers of its rows; None if there is none."""
        exact = self.row_lower == self.row_upper
        low, high = self._one_sided(exact)
        rows = self.matrix.astype(float)
        found = _linprog(
            goal,
            A_eq=rows[exact] if exact.any() else None,
            b_eq=self.row_lower[exact].astype(float) if exact.any() else None,
            A_ub=vstack([rows[high], -rows[low]]) if (high | low).any() else None,
            b_ub=np.r_[self.row_upper[high], -self.row_lower[low]].astype(float)
            if (high | low).any()
            else None,
            bounds=np.stack([self.lower.astype(float), _floats(self.upper)], axis=1),
            method="highs",
        )
        duals = np.zeros(len(self.rows))
        if found.status != 0:
            return None, duals
        if exact.any():
            duals[exact] -= found.eqlin.marginals
        if (high | low).any():
            uppers = int(high.sum())
            duals[high] -= found.ineqlin.marginals[:uppers]
            duals[low] += found.ineqlin.marginals[uppers:]
        return found.x, duals

    def _one_sided(self, exact: BoolArray) -> tuple[BoolArray, BoolArray]:
        least, most = self._wide @ self.lower, self.matrix.astype(float) @ _floats(self.upper)
        return ~exact & (self.row_lower > least), ~exact & (self.row_upper < most)

    def elastic(
        self, form: IntArray, ends: tuple[int | None, int | None], lower: IntArray, upper: IntArray
    ) -> tuple[FloatArray | None, FloatArray, float]:
        """How far figures must be stretched until a table fits, and the multipliers that prove it."""
        many, cells = self.matrix.shape
        indicator = csr_array((np.ones(len(form)), (np.zeros(len(form), int), form)), shape=(1, cells))
        rows = vstack([self.matrix.astype(float), indicator], format="csr")
        low = np.r_[self.row_lower.astype(float), -inf if ends[0] is None else ends[0]]
        high = np.r_[_floats(self.row_upper), inf if ends[1] is None else ends[1]]
        over, under = np.flatnonzero(np.isfinite(high)), np.flatnonzero(np.isfinite(low))
        slack = eye_array(many + 1, format="csr")
        found = _linprog(
            np.r_[np.zeros(cells), np.ones(2 * (many + 1))],
            A_ub=vstack(
                [
                    hstack([rows[over], -slack[over], csr_array((len(over), many + 1))]),
                    hstack([-rows[under], csr_array((len(under), many + 1)), -slack[under]]),
                ]
            ),
            b_ub=np.r_[high[over], -low[under]],
            bounds=np.concatenate(
                [
                    np.stack([lower.astype(float), _floats(upper)], axis=1),
                    np.tile([0.0, inf], (2 * (many + 1), 1)),
                ]
            ),
            method="highs",
        )
        duals = np.zeros(many + 1)
        if found.status != 0:
            return None, duals[:many], 0.0
        duals[over] -= found.ineqlin.marginals[: len(over)]
        duals[under] += found.ineqlin.marginals[len(over) :]
        return found.x[:cells], duals[:many], float(duals[many])

    def _value(self, leaf: Leaf, form: IntArray) -> int | Fraction | None:
        """The bound of a sum (or of minus it) that a leaf proves."""
        remainder = LeafRemainder.of(leaf, form.tolist(), (0, 0), self.members, self.told)
        return None if remainder is None else remainder.bound(self.lower, self.upper)

    def named(self, leaf: Leaf) -> Leaf:
        """With the rows as they are numbered in the publication."""
        return Leaf(leaf.own, tuple((int(self.rows[row]), weight) for row, weight in leaf.rows))


@dataclass
class _Search:
    """Branch and bound for one refutation; it ends when its nodes are used up, or time is over."""

    program: IntegerProgram
    form: IntArray
    ends: Ends
    deadline: Deadline
    nodes: int = MAX_NODES

    def tree(self, lower: IntArray, upper: IntArray) -> Refutation | None:
        """A refutation within some bounds of the cells; None if a table was found, or nothing is decided."""
        self.nodes -= 1
        if self.nodes < 0 or self.deadline.over:
            return None
        solution, duals, own = self.program.elastic(self.form, self.ends, lower, upper)
        if solution is None:
            return None
        leaf = self._leaf(duals, own, lower, upper)
        atom = None if leaf is not None else self._branching(solution, lower, upper)
        if atom is None:
            return leaf
        at = min(max(floor(solution[atom]), int(lower[atom])), int(upper[atom]) - 1)
        least, most = lower.copy(), upper.copy()
        most[atom], least[atom] = at, at + 1
        below = self.tree(lower, most)
        above = None if below is None else self.tree(least, upper)
        if below is None or above is None:
            return None
        return Branch(int(self.program.atoms[atom]), at, below, above)

    def _leaf(self, duals: FloatArray, own: float, lower: IntArray, upper: IntArray) -> Leaf | None:
        """Multipliers that contradict exactly, near those of the solver."""
        program = self.program
        for rows, weight in _rationals_with(duals, own):
            leaf = Leaf(weight, rows)
            left = LeafRemainder.of(leaf, self.form.tolist(), self.ends, program.members, program.told)
            value = None if left is None else left.bound(lower, upper)
            if value is not None and value < 0:
                return program.named(leaf)
        return None

    def _branching(self, solution: FloatArray, lower: IntArray, upper: IntArray) -> int | None:
        """The cell to branch on; None if the solution is a table, or there is no cell."""
        away = np.abs(solution - np.rint(solution))
        if away.max(initial=0) > _NEAR:
            return int(np.argmax(away))
        wide = np.flatnonzero(lower < upper)
        if self.program.remember(solution) is not None or not len(wide):
            return None
        return int(wide[np.argmax(upper[wide] - lower[wide])])


def _floats(ends: IntArray) -> FloatArray:
    return np.where(ends >= UNBOUNDED, inf, ends.astype(float))


def _rationals(duals: FloatArray) -> list[Multipliers]:
    """Multipliers as rationals: of small denominators first, then of larger ones."""
    return [rows for rows, _ in _rationals_with(duals, 0.0)]


def _rationals_with(duals: FloatArray, own: float) -> list[tuple[Multipliers, Fraction]]:
    used = np.flatnonzero(np.abs(duals) > _NOTHING)
    found = list[tuple[Multipliers, Fraction]]()
    for most in _DENOMINATORS:
        rows = ((int(row), Fraction(float(duals[row])).limit_denominator(most)) for row in used)
        entry = tuple(pair for pair in rows if pair[1]), Fraction(own).limit_denominator(most)
        if entry not in found:
            found.append(entry)
    return found
