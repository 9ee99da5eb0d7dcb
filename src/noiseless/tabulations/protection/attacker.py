"""Somebody who reads a table with some cells withheld, and moves them as far as all that is published allows.

A move is a difference of two tables that fit, in shares of what a rule wants: one that brings a cell to 1
shows that the rule is kept. The multipliers of the equations prove that there is none: whatever they are, no
move goes further than the sum over withheld cells of how far each can go, weighed by its reduced cost. That
sum, as a function of what is withheld, is the cut of Fischetti and Salazar (Management Science 47, 2001).
"""

from dataclasses import dataclass, field

import highspy
import numpy as np
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from noiseless.arrays import BoolArray, FloatArray, IntArray
from noiseless.errors import NoiselessError
from noiseless.tabulations.audit import TabulationAudit
from noiseless.tabulations.contributors import own_parts
from noiseless.tabulations.protection.attack_flow import FlowNetwork
from noiseless.tabulations.protection.cells import TableCells
from noiseless.tabulations.protection.combined_cuts import GRID, SuppressionCut

_WHOLE = 5040
"""Multipliers are rounded to shares of this number; what follows from them is then exact."""
NOTHING = 1e-7
_SMALL = 1000
"""Columns of which linear programs are solved sooner than machine code is loaded."""


@dataclass(frozen=True, eq=False)
class AttackRequirement:
    """How far a cell must be able to move in what somebody knows.

    Attributes:
        cell: the cell.
        need: how far; by a whole number of steps.
        signs: up (1), down (-1), or both together.
        atoms: base cells that the adversary knows more of; none for outsiders.
        down: how far these can go down for him.
        up: how far up.
    """

    cell: int
    need: float
    signs: tuple[int, ...]
    atoms: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))
    down: FloatArray = field(default_factory=lambda: np.zeros(0))
    up: FloatArray = field(default_factory=lambda: np.zeros(0))


@dataclass(frozen=True, eq=False)
class TableMove:
    """A difference of two tables: the cells that differ, and how much of each must be withheld for it."""

    cells: IntArray
    shares: FloatArray


class AttackerProgram:
    """The linear program of all moves, solved again and again from where it was.

    Args:
        cells: the cells and their equations.
    """

    def __init__(self, cells: TableCells) -> None:
        self.cells = cells
        self.matrix = equation_matrix(cells)
        self.transposed = csr_array(self.matrix.T)
        self.solved = 0
        self.network = FlowNetwork.of(self.matrix) if cells.columns > _SMALL else None
        self._load(np.zeros(cells.columns, bool))

    def _load(self, active: BoolArray) -> None:
        """The program of the columns that can move; the others are left out."""
        self._active, columns = active, np.flatnonzero(active)
        part = csr_array(self.transposed[columns].T)
        self._rows = np.flatnonzero(np.diff(part.indptr))
        self._place = np.full(len(active), -1)
        self._place[columns] = np.arange(len(columns))
        self.solver = quiet_solver()
        self.solver.passModel(_model(csr_array(part[self._rows])))
        self.every = np.arange(len(columns), dtype=np.int32)
        self._cost = np.zeros(len(columns))

    def attack(
        self, requirement: AttackRequirement, withheld: FloatArray, *, whole: bool
    ) -> tuple[float, list[FloatArray], SuppressionCut | None]:
        """How much of a requirement moves reach, these moves in steps, and a cut if it is not all.

        Args:
            requirement: what must be reached.
            withheld: how much of each cell is withheld, from 0 to 1.
            whole: whether these are 0 or 1; otherwise a cell's move counts up to what is needed.
        """
        cells, (down, up) = self.cells, self.ends(requirement)
        shares = np.concatenate([withheld, np.ones(cells.columns - cells.many)])
        shares[requirement.cell] = 1.0
        most = np.full(cells.columns, np.inf if whole else 1.0)
        most[cells.many :] = np.inf
        with np.errstate(invalid="ignore"):
            low = np.where(shares > 0, np.minimum(down, most) * shares, 0.0)
            high = np.where(shares > 0, np.minimum(up, most) * shares, 0.0)
        reached, moves, weights = 0.0, list[FloatArray](), np.zeros(cells.columns)
        for sign in requirement.signs:
            value, move, reduced = self.extreme(requirement.cell, sign, low, high)
            reached += value
            moves.append(move * requirement.need)
            if value >= 1 - NOTHING:
                return reached, moves, None
            with np.errstate(invalid="ignore"):
                weights += np.where(reduced < 0, -reduced * up, 0) + np.where(reduced > 0, reduced * down, 0)
        cut = None if reached >= 1 - NOTHING else self._cut(weights, requirement.cell)
        return reached, moves, cut

    def linked(self, steps: FloatArray) -> tuple[IntArray, IntArray]:
        """The columns in which a move differs, and for each column the number of its independent part."""
        columns = np.flatnonzero(np.abs(steps) > NOTHING)
        part, many = self.transposed[columns], self.matrix.shape[0]
        size = len(columns) + many
        ends = np.repeat(np.arange(len(columns)), np.diff(part.indptr)), part.indices + len(columns)
        graph = coo_array((np.ones(part.nnz, np.int8), ends), shape=(size, size))
        _, labels = connected_components(graph, directed=False)
        _, dense = np.unique(labels[: len(columns)], return_inverse=True)
        label = np.zeros(len(steps), np.int64)
        label[columns] = dense
        return columns, label

    def move(
        self, requirement: AttackRequirement, cells: IntArray, steps: FloatArray, reached: float
    ) -> TableMove | None:
        """A difference of tables as a move that meets a requirement, scaled down to it; None if it does not.

        Args:
            requirement: the requirement.
            cells: the columns that differ.
            steps: by how much.
            reached: by how much the cell of the requirement differs, in its direction.
        """
        scaled = steps / reached
        ends = np.where(steps > 0, self.cells.up[cells], self.cells.down[cells]) / requirement.need
        if len(requirement.atoms):
            columns = self.cells.atom_of[requirement.atoms]
            places = np.minimum(np.searchsorted(cells, columns), len(cells) - 1)
            there = cells[places] == columns
            own = np.where(steps[places] > 0, requirement.up, requirement.down) / requirement.need
            ends[places[there]] = own[there]
        if np.any(np.abs(scaled) > ends + NOTHING):
            return None
        chosen = (cells < self.cells.many) & (cells != requirement.cell)
        shares = np.abs(scaled[chosen]) / np.minimum(ends[chosen], 1.0)
        return TableMove(cells[chosen], np.minimum(shares, 1.0))

    def ends(self, requirement: AttackRequirement) -> tuple[FloatArray, FloatArray]:
        """How far each column can go down and up for the adversary, in shares of the need."""
        down, up = self.cells.down / requirement.need, self.cells.up / requirement.need
        columns = self.cells.atom_of[requirement.atoms]
        down[columns], up[columns] = requirement.down / requirement.need, requirement.up / requirement.need
        return down, up

    def extreme(
        self, cell: int, sign: int, low: FloatArray, high: FloatArray
    ) -> tuple[float, FloatArray, FloatArray]:
        """How far a cell goes within ends, at most 1; the move; the reduced costs of all columns."""
        if self.network is not None:
            solution, every = self.network.extreme(cell, sign, low, high)
            reduced = -self.transposed @ every
            reduced[cell] -= sign
            return sign * float(solution[cell]), solution, reduced
        low, high = -low, high.copy()
        if sign > 0:
            high[cell] = min(high[cell], 1.0)
        else:
            low[cell] = max(low[cell], -1.0)
        active = (low < 0) | (high > 0)
        if np.any(active & ~self._active) or 2 * active.sum() < self._active.sum():
            self._load(active)
        cost, at = np.zeros(len(self.every)), int(self._place[cell])
        reduced = np.zeros(len(low))
        if at < 0:  # the cell cannot move at all
            reduced[cell] = -sign
            return 0.0, np.zeros(len(low)), reduced
        cost[at] = -sign
        changed = np.flatnonzero(cost != self._cost).astype(np.int32)
        self.solver.changeColsCost(len(changed), changed, cost[changed])
        self._cost = cost
        self.solver.changeColsBounds(len(self.every), self.every, low[self._active], high[self._active])
        found, multipliers = self._run()
        solution = np.zeros(len(low))
        solution[self._active] = found
        every = np.zeros(self.matrix.shape[0])
        every[self._rows] = np.rint(multipliers * _WHOLE)
        reduced[cell] = -sign * _WHOLE  # whole numbers all of them, as are the entries of the equations
        reduced -= self.transposed @ every
        return sign * float(solution[cell]), solution, reduced / _WHOLE

    def _run(self) -> tuple[FloatArray, FloatArray]:
        self.solved += 1
        self.solver.run()
        if self.solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            self.solver.clearSolver()
            self.solver.run()
        if self.solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            raise NoiselessError("the solver found no optimum of a linear program that has one")
        found = self.solver.getSolution()
        return np.array(found.col_value), np.array(found.row_dual)

    def _cut(self, weights: FloatArray, cell: int) -> SuppressionCut | None:
        """The cut that weights of columns give; cells that are withheld anyway go to the other side.

        Factors are rounded up, by more than floats err: what meets the true cut meets this one.
        """
        err = (len(weights) + 16) * 2.0**-52
        many, given = self.cells.many, self.cells.sensitive.copy()
        given[cell] = True
        left = 1.0 - (float(weights[many:].sum()) + float(weights[:many][given].sum())) * (1 + err)
        if left <= NOTHING:
            return None
        chosen = np.flatnonzero((weights[:many] > 0) & ~given)
        factors = np.minimum(np.ceil(weights[chosen] / left * (1 + err) * GRID) / GRID, 1.0)
        if self.cells.sensitive[cell]:
            return SuppressionCut(chosen, factors)
        return SuppressionCut(np.r_[chosen, cell], np.r_[factors, -1.0], 0.0)  # if it is withheld itself


def equation_matrix(cells: TableCells) -> csr_array:
    """Equations x columns: a cell minus the cells that it is the sum of."""
    rows, columns, entries = list[IntArray](), list[IntArray](), list[FloatArray]()
    for number, (parent, parts) in enumerate(cells.defining):
        rows.append(np.full(len(parts) + 1, number))
        columns.append(np.r_[parent, parts])
        entries.append(np.r_[1.0, np.full(len(parts), -1.0)])
    shape = len(cells.defining), cells.columns
    if not rows:
        return csr_array(shape)
    return csr_array((np.concatenate(entries), (np.concatenate(rows), np.concatenate(columns))), shape=shape)


def quiet_solver() -> highspy.Highs:
    """A solver that prints nothing."""
    solver = highspy.Highs()  # type: ignore[no-untyped-call]  # it has no types
    solver.setOptionValue("output_flag", False)
    return solver


def _model(matrix: csr_array) -> highspy.HighsLp:
    rows, columns = matrix.shape
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = columns, rows
    model.col_cost_ = np.zeros(columns)
    model.col_lower_ = model.col_upper_ = np.zeros(columns)
    model.row_lower_ = model.row_upper_ = np.zeros(rows)
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.start_, model.a_matrix_.index_ = matrix.indptr, matrix.indices
    model.a_matrix_.value_ = matrix.data
    return model


def requirements(cells: TableCells) -> tuple[AttackRequirement, ...]:
    """What the levels of the true tables want of outsiders' knowledge."""
    found = dict[tuple[int, tuple[int, ...]], AttackRequirement]()

    def add(cell: int, need: float, *signs: int) -> None:
        before = found.get((cell, signs))
        if need > 0 and (before is None or before.need < need):
            found[cell, signs] = AttackRequirement(cell, need, signs)

    for level in cells.tables.levels:
        cell, value = int(cells.cell_of[level.row]), int(cells.tables.truth[level.row])
        above = 0 if level.upper is None else level.upper - value
        below = 0 if level.lower is None else value - level.lower
        add(cell, above, 1)
        add(cell, below, -1)
        if level.width > max(above, 0) + max(below, 0):
            add(cell, level.width, 1, -1)
    return tuple(found.values())


def learned_requirements(cells: TableCells, audit: TabulationAudit) -> list[AttackRequirement]:
    """What coalitions learn by an audit, as requirements: cells they must not know, or not that well."""
    found, numbers = (
        list[AttackRequirement](),
        {name: row for row, name in enumerate(audit.publication.row_names)},
    )
    for finding in audit.contributors:
        if (finding.learns or finding.estimates) and audit.contributions is not None:
            atoms, own, alone = own_parts(audit.publication, audit.contributions, finding.who)
            columns = cells.atom_of[atoms]
            down = np.where(alone, 0.0, np.minimum(cells.down[columns], cells.base[atoms] - own))
            up = np.where(alone, 0.0, cells.up[columns])
            for name in finding.learns:
                cell = int(cells.cell_of[numbers[name]])
                found.append(AttackRequirement(cell, 1.0, (1, -1), atoms, down, up))
            for each in finding.estimates:
                row = numbers[each.of]
                cell, value = int(cells.cell_of[row]), int(cells.tables.truth[row])
                found.append(AttackRequirement(cell, each.wanted_upper - value, (1,), atoms, down, up))
                if each.wanted_lower is not None:
                    found.append(AttackRequirement(cell, value - each.wanted_lower, (-1,), atoms, down, up))
    return found
