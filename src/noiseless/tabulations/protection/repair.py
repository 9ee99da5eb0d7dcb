"""The cheapest move that gives a cell what it needs: what must be withheld besides, heuristically."""

import highspy
import numpy as np
from scipy.sparse import csr_array, hstack

from noiseless.arrays import FloatArray
from noiseless.tabulations.protection.attacker import NOTHING, AttackRequirement, quiet_solver
from noiseless.tabulations.protection.cells import TableCells


class RepairProgram:
    """Moves up and moves down as columns of their own, each at its cost.

    Args:
        cells: the cells.
        matrix: their equations.
    """

    def __init__(self, cells: TableCells, matrix: csr_array) -> None:
        self.cells, self.solver = cells, quiet_solver()
        both = csr_array(hstack([matrix, -matrix], format="csr"))
        rows, columns = both.shape
        self.every = np.arange(columns, dtype=np.int32)
        model = highspy.HighsLp()
        model.num_col_, model.num_row_ = columns, rows
        model.col_cost_ = model.col_lower_ = model.col_upper_ = np.zeros(columns)
        model.row_lower_ = model.row_upper_ = np.zeros(rows)
        model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        model.a_matrix_.start_, model.a_matrix_.index_ = both.indptr, both.indices
        model.a_matrix_.value_ = both.data
        self.solver.passModel(model)

    def cheapest(
        self, requirement: AttackRequirement, ends: tuple[FloatArray, FloatArray], costs: FloatArray
    ) -> FloatArray | None:
        """The cheapest move, in steps of all columns; None if there is no move."""
        found = [self._one(requirement.cell, sign, ends, costs) for sign in requirement.signs]
        moves = [each for each in found if each is not None]
        return min(moves, key=lambda each: each[0])[1] * requirement.need if moves else None

    def _one(
        self, cell: int, sign: int, ends: tuple[FloatArray, FloatArray], costs: FloatArray
    ) -> tuple[float, FloatArray] | None:
        (down, up), columns = ends, self.cells.columns
        prices = np.r_[costs, np.zeros(columns - len(costs))]
        lower = np.zeros(2 * columns)
        upper = np.r_[up, down]
        at = cell if sign > 0 else columns + cell
        other = columns + cell if sign > 0 else cell
        if upper[at] < 1:
            return None
        lower[at] = upper[at] = 1.0
        upper[other] = 0.0
        self.solver.changeColsBounds(len(self.every), self.every, lower, upper)
        self.solver.changeColsCost(len(self.every), self.every, np.r_[prices, prices])
        self.solver.run()
        if self.solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return None
        values = np.array(self.solver.getSolution().col_value)
        move = values[:columns] - values[columns:]
        cells = np.flatnonzero(np.abs(move[: self.cells.many]) > NOTHING)
        return float(costs[cells].sum()), move
