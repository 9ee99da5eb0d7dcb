"""Which cells to withhold at the least cost, given the cuts so far: a linear and an integer program."""

from collections.abc import Iterable, Sequence

import highspy
import numpy as np
from scipy.sparse import csr_array

from noiseless.arrays import BoolArray, FloatArray
from noiseless.errors import NoiselessError
from noiseless.tabulations.integer_program import Deadline
from noiseless.tabulations.protection.attacker import NOTHING, SuppressionCut, quiet_solver
from noiseless.tabulations.protection.cells import TableCells

_DONE = (highspy.HighsModelStatus.kOptimal, highspy.HighsModelStatus.kTimeLimit)


class MasterProgram:
    """The cuts, and the cheapest pattern that meets them.

    Args:
        cells: the cells, of which the sensitive ones are withheld in any case.
    """

    def __init__(self, cells: TableCells) -> None:
        self.cells, many = cells, cells.many
        self.base_cost = float(cells.weights[cells.sensitive].sum())
        self.linear = quiet_solver()
        costs = np.where(cells.sensitive, 0.0, cells.weights)
        self.linear.addVars(many, cells.sensitive.astype(float), np.ones(many))
        self.linear.changeColsCost(many, np.arange(many, dtype=np.int32), costs)
        self.whole = bool(np.all(costs == np.rint(costs)))
        self.costs = costs
        self._known = set[bytes]()

    def add(self, cuts: Iterable[SuppressionCut]) -> int:
        """Add cuts; how many are new."""
        count = 0
        for cut in cuts:
            key = cut.cells.tobytes() + cut.factors.tobytes() + cut.guarded.to_bytes(8, "little", signed=True)
            if key not in self._known:
                self._known.add(key)
                cells, factors, least = cut.cells.astype(np.int32), cut.factors, 1.0
                if cut.guarded >= 0:
                    cells, factors, least = np.r_[cells, np.int32(cut.guarded)], np.r_[factors, -1.0], 0.0
                self.linear.addRow(least, highspy.kHighsInf, len(cells), cells, factors)
                count += 1
        return count

    def relaxed(self) -> tuple[float, FloatArray]:
        """The optimum of the linear program: a bound, and how much of each cell is withheld.

        Raises:
            NoiselessError: there is none.
        """
        self.linear.run()
        if self.linear.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            raise NoiselessError("the solver found no optimum of a linear program that has one")
        found = np.clip(np.array(self.linear.getSolution().col_value), 0, 1)
        return self.base_cost + float(self.linear.getInfo().objective_function_value), found

    def chosen(
        self, start: BoolArray | None, deadline: Deadline, gap: float = 0.0
    ) -> tuple[float, BoolArray | None]:
        """The cheapest pattern: a proved bound, and the pattern; None if none was found in time.

        Args:
            start: a pattern that meets all cuts.
            deadline: when to give up.
            gap: how far from the bound is near enough, as a share.
        """
        solver, many = quiet_solver(), self.cells.many
        value, _ = self.relaxed()
        solver.passModel(self.linear.getLp())
        if start is not None:  # a cell whose reduced cost alone exceeds the best pattern is in no better one
            prices = np.array(self.linear.getSolution().col_dual)
            dear = np.flatnonzero((value + prices > self.cost(start) + 1e-6) & ~start).astype(np.int32)
            solver.changeColsBounds(len(dear), dear, np.zeros(len(dear)), np.zeros(len(dear)))
        kinds = np.full(many, highspy.HighsVarType.kInteger)
        solver.changeColsIntegrality(
            many, np.arange(many, dtype=np.int32), np.array([int(k) for k in kinds], np.uint8)
        )
        solver.setOptionValue("mip_rel_gap", gap)
        solver.setOptionValue("mip_abs_gap", 0.999 if self.whole and not gap else 1e-6)
        solver.setOptionValue("time_limit", float(min(max(deadline.left, 0.05), 3600.0)))
        if start is not None:
            solver.setSolution(many, np.arange(many, dtype=np.int32), start.astype(float))
        solver.run()
        info = solver.getInfo()
        bound = max(0.0, float(info.mip_dual_bound))
        if self.whole:
            bound = float(np.ceil(bound - 1e-6))
        if solver.getModelStatus() not in _DONE or info.primal_solution_status != 2:  # noqa: PLR2004 - feasible
            return self.base_cost + bound, None
        return self.base_cost + bound, np.array(solver.getSolution().col_value) > 0.5  # noqa: PLR2004 - 0 or 1

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
                others = members[members != most]
                found.append(SuppressionCut(others, np.ones(len(others)), most))
        return found
