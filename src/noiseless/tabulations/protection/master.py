"""Which cells to withhold at the least cost, given the cuts so far: a linear program."""

from collections.abc import Iterable, Sequence
from math import inf

import highspy
import numpy as np
from scipy.sparse import csr_array

from noiseless.arrays import BoolArray, FloatArray, IntArray
from noiseless.errors import NoiselessError
from noiseless.tabulations.protection.attacker import NOTHING, quiet_solver
from noiseless.tabulations.protection.cells import TableCells
from noiseless.tabulations.protection.combined_cuts import SuppressionCut, combined_cuts

_VIOLATED = 1e-6
_AGE = 6
"""Optima at which a cut is slack before it leaves the program."""
_STEPS = 20
"""Steps of the simplex method when a cell is tried."""
_ABOVE = (highspy.HighsModelStatus.kObjectiveBound, highspy.HighsModelStatus.kInfeasible)


class MasterProgram:
    """The cuts, and the cheapest mixture of patterns that meets them.

    All cuts are kept; those that are slack for long leave the linear program, until they are violated.

    Args:
        cells: the cells, of which the sensitive ones are withheld in any case.
    """

    def __init__(self, cells: TableCells) -> None:
        self.cells, many = cells, cells.many
        self.base_cost = float(cells.weights[cells.sensitive].sum())
        self.costs = np.where(cells.sensitive, 0.0, cells.weights)
        self.whole = bool(np.all(self.costs == np.rint(self.costs)))
        self.solver = quiet_solver()
        self.solver.addVars(many, cells.sensitive.astype(float), np.ones(many))
        self.solver.changeColsCost(many, np.arange(many, dtype=np.int32), self.costs)
        self.cuts, self._known = list[SuppressionCut](), set[bytes]()
        self._rows, self._least = csr_array((0, many)), np.zeros(0)
        self._within, self._age = np.zeros(0, np.int64), np.zeros(0, np.int64)
        self._fixed = dict[int, int]()

    def add(self, cuts: Iterable[SuppressionCut]) -> int:
        """Add cuts; how many are new."""
        before = len(self.cuts)
        for cut in cuts:
            key = cut.cells.tobytes() + cut.factors.tobytes() + np.float64(cut.least).tobytes()
            if key not in self._known:
                self._known.add(key)
                self.cuts.append(cut)
        self._enter(np.arange(before, len(self.cuts)))
        return len(self.cuts) - before

    def _enter(self, numbers: IntArray) -> None:
        """Take cuts into the linear program."""
        for cut in (self.cuts[number] for number in numbers.tolist()):
            cells = cut.cells.astype(np.int32)
            self.solver.addRow(cut.least, highspy.kHighsInf, len(cells), cells, cut.factors)
        self._within = np.r_[self._within, numbers]
        self._age = np.r_[self._age, np.zeros(len(numbers), np.int64)]

    def _matrix(self) -> tuple[csr_array, FloatArray]:
        """All cuts x cells, and the right sides."""
        if more := self.cuts[len(self._least) :]:
            entries = np.concatenate([self._rows.data, *(cut.factors for cut in more)])
            columns = np.concatenate([self._rows.indices, *(cut.cells for cut in more)])
            sizes = np.r_[np.diff(self._rows.indptr), [len(cut.cells) for cut in more]]
            self._least = np.r_[self._least, [cut.least for cut in more]]
            shape = len(sizes), self.cells.many
            self._rows = csr_array((entries, columns, np.r_[0, np.cumsum(sizes)]), shape=shape)
        return self._rows, self._least

    def fix(self, fixed: dict[int, int]) -> None:
        """Withhold some cells, and show some others, until others are fixed."""
        changed = [cell for cell in self._fixed | fixed if self._fixed.get(cell) != fixed.get(cell)]
        lower = np.array([fixed.get(cell, int(self.cells.sensitive[cell])) for cell in changed], float)
        upper = np.array([fixed.get(cell, 1) for cell in changed], float)
        self.solver.changeColsBounds(len(changed), np.array(changed, np.int32), lower, upper)
        self._fixed = dict(fixed)

    def relaxed(self, most: float = inf) -> tuple[float, FloatArray] | None:
        """The optimum of the linear program: a bound, and how much of each cell is withheld.

        Args:
            most: what an optimum must not exceed; None is returned if it does.

        Raises:
            NoiselessError: there is none.
        """
        while True:
            value = self._solved(most - self.base_cost)
            if value > most - self.base_cost:
                return None
            found = np.clip(np.array(self.solver.getSolution().col_value), 0, 1)
            rows, least = self._matrix()
            slack = rows @ found - least
            within = slack[self._within] > NOTHING
            slack[self._within] = 0.0
            late = np.flatnonzero(slack < -_VIOLATED)
            if not len(late):
                self._retire(within)
                return self.base_cost + value, found
            self._enter(late)

    def _retire(self, slack: BoolArray) -> None:
        """Cuts that have been slack for long leave the linear program."""
        self._age = np.where(slack, self._age + 1, 0)
        old = np.flatnonzero(self._age > _AGE).astype(np.int32)
        if 4 * len(old) > len(self._within):
            self.solver.deleteRows(len(old), old)
            self._within, self._age = np.delete(self._within, old), np.delete(self._age, old)

    def _solved(self, most: float) -> float:
        self.solver.setOptionValue("objective_bound", most)
        self.solver.run()
        status = self.solver.getModelStatus()
        if status not in _ABOVE and status != highspy.HighsModelStatus.kOptimal:
            self.solver.clearSolver()
            self.solver.run()
            status = self.solver.getModelStatus()
        if status in _ABOVE and most < inf:
            return inf
        if status != highspy.HighsModelStatus.kOptimal:
            raise NoiselessError("the solver found no optimum of a linear program that has one")
        return float(self.solver.getInfo().objective_function_value)

    def tried(self, cell: int, value: int, most: float) -> float:
        """About what the optimum is with one more cell fixed, after a few steps of the solver."""
        self.solver.changeColBounds(cell, float(value), float(value))
        self.solver.setOptionValue("simplex_iteration_limit", _STEPS)
        self.solver.run()
        above = self.solver.getModelStatus() in _ABOVE
        found = inf if above else float(self.solver.getInfo().objective_function_value)
        self.solver.setOptionValue("simplex_iteration_limit", highspy.kHighsIInf)
        self.solver.changeColBounds(cell, 0.0, 1.0)
        return min(self.base_cost + found, most)

    def combined(self, withheld: FloatArray) -> int:
        """Add cuts that follow from others and that a mixture violates; how many are new."""
        rows, least = self._matrix()
        within = np.sort(self._within)
        return self.add(combined_cuts(csr_array(rows[within]), least[within], withheld))

    def met(self, pattern: BoolArray) -> bool:
        """Whether a pattern meets all cuts."""
        rows, least = self._matrix()
        return bool(np.all(rows @ pattern >= least - _VIOLATED))

    def cost(self, pattern: BoolArray) -> float:
        """What a pattern costs."""
        return self.base_cost + float(self.costs[pattern].sum())


class EquationCuts:
    """Within an equation, a cell that is withheld is not withheld alone: cuts that need no program."""

    def __init__(self, cells: TableCells) -> None:
        self.cells = cells
        self.members = [np.sort(np.r_[parent, parts]) for parent, parts in cells.equations]
        starts = np.cumsum([0, *map(len, self.members)])
        entries = np.concatenate([np.zeros(0, np.int64), *self.members])
        self.matrix = csr_array(
            (np.ones(len(entries)), entries, starts), shape=(len(self.members), cells.many)
        )
        self.sensitive = self.matrix @ cells.sensitive.astype(float)

    def first(self) -> list[SuppressionCut]:
        """An equation with one sensitive cell has another cell that is withheld."""
        found = list[SuppressionCut]()
        for row in np.flatnonzero(self.sensitive == 1).tolist():
            others = self.members[row][~self.cells.sensitive[self.members[row]]]
            found.append(SuppressionCut(others, np.ones(len(others))))
        return found

    def violated(self, withheld: FloatArray) -> Sequence[SuppressionCut]:
        """Cells that are withheld more than all others of an equation together."""
        rows = np.flatnonzero(self.sensitive == 0)
        found = list[SuppressionCut]()
        sums = self.matrix @ withheld
        for row in rows[sums[rows] > NOTHING].tolist():
            members = self.members[row]
            most = int(members[np.argmax(withheld[members])])
            if 2 * withheld[most] > sums[row] + 1e-4:
                factors = np.where(members == most, -1.0, 1.0)
                found.append(SuppressionCut(members, factors, 0.0))
        return found
