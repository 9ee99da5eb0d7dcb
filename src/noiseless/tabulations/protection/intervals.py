"""Partial suppression: some figures are published as intervals, whose total width is the least there is.

A linear program (Fischetti and Salazar, Statistics and Computing 13, 2003): every move that must stay
possible goes no further in any figure than its interval does. The ends are then moved outward to a grid that
is public: without it, the middle of most intervals would be the figure itself.
"""

from collections.abc import Generator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

import highspy
import numpy as np

from noiseless.arrays import BoolArray, FloatArray, IntArray
from noiseless.errors import RequestError
from noiseless.tabulations.audit import TabulationAudit
from noiseless.tabulations.integer_program import Deadline
from noiseless.tabulations.protection.attacker import (
    NOTHING,
    AttackerProgram,
    AttackRequirement,
    learned_requirements,
    quiet_solver,
    requirements,
)
from noiseless.tabulations.protection.cells import TableCells
from noiseless.tabulations.protection.method import ImpossibleError, ProposedTables, UndecidedError
from noiseless.tabulations.protection.problem import TrueTables
from noiseless.tabulations.publication import UNBOUNDED

_ROUNDS = 1000
_MOVES = 4


class PartialSuppression:
    """Publish some figures as intervals on a grid.

    Args:
        grid: the ends of intervals are multiples of it, in units; None: a number that rules suggest.
    """

    name = "intervals"

    def __init__(self, grid: Fraction | None = None) -> None:
        self.grid = grid

    def proposals(
        self, tables: TrueTables, deadline: Deadline
    ) -> Generator[ProposedTables, TabulationAudit, None]:
        """Intervals of the least total width, and wider ones where the audit refuses them.

        Raises:
            ImpossibleError: no intervals leave what is required.
            UndecidedError: none were found in time.
        """
        cells = TableCells.of(tables)
        program, grid = _IntervalProgram(cells, deadline), self._steps(tables)
        margin = 0
        while True:
            program.solve()
            audit = yield _proposal(tables, cells, program, grid, margin)
            known = learned_requirements(cells, audit)
            before = len(program.requirements)
            program.admit(known)
            if len(program.requirements) == before:  # whole numbers leave less than fractions do
                margin += 1

    def _steps(self, tables: TrueTables) -> int:
        """The grid in steps."""
        step = tables.publication.step
        if self.grid is not None:
            found = self.grid / step
            if found.denominator != 1 or found < 1:
                raise RequestError(f"grid: give a multiple of the step {step}")
            return int(found)
        if tables.parsed_rules.threshold is not None and tables.publication.kind == "count":
            return tables.parsed_rules.threshold
        needs = sorted(level.upper - int(tables.truth[level.row]) for level in tables.levels if level.upper)
        middle = needs[len(needs) // 2] if needs else 1
        return int(10 ** len(str(max(1, middle))))


def _proposal(
    tables: TrueTables, cells: TableCells, program: "_IntervalProgram", grid: int, margin: int
) -> ProposedTables:
    """The intervals of a program, their ends moved outward to multiples of the grid, and some steps more."""
    down, up, wide = program.down[cells.cell_of], program.up[cells.cell_of], program.wide[cells.cell_of]
    lower, upper = tables.truth.copy(), tables.truth.copy()
    for row in np.flatnonzero(wide).tolist():
        value = int(tables.truth[row])
        lower[row] = (floor((value - down[row] + _NEAR) / grid) - margin) * grid
        lower[row] = max(tables.withheld_lower, lower[row])
        top = value + up[row]
        upper[row] = UNBOUNDED if np.isinf(top) else (ceil((top - _NEAR) / grid) + margin) * grid
    same = wide & (lower == upper)  # a multiple of the grid by itself
    upper[same] += grid
    widths = (upper - lower)[cells.first].astype(float)
    weights = tables.weights[cells.first]
    unit = "of width" if tables.costs is None else "of weighted width"
    words = (
        f"{int(wide.sum()):,} of {len(wide):,} figures published as intervals whose ends are multiples of "
        f"{grid * tables.publication.step}"
    )
    return ProposedTables(
        tables.told(lower, upper), float(widths @ weights), program.bound, f"steps {unit}", words
    )


_NEAR = 1e-5


@dataclass(frozen=True, eq=False)
class _StepMove:
    """By how many steps columns differ in a move that meets a requirement."""

    columns: IntArray
    steps: FloatArray


class _IntervalProgram:
    """How far below and above each cell its interval goes, at the least total width.

    Args:
        cells: the cells.
        deadline: when to give up.
    """

    def __init__(self, cells: TableCells, deadline: Deadline) -> None:
        self.cells, self.deadline = cells, deadline
        self.attacker, self.master = AttackerProgram(cells), quiet_solver()
        many = cells.many
        ends = np.r_[cells.down[:many], cells.up[:many]]
        self.master.addVars(2 * many, np.zeros(2 * many), np.minimum(ends, highspy.kHighsInf))
        prices = np.maximum(cells.tables.weights[cells.first], 1e-6)
        self.master.changeColsCost(2 * many, np.arange(2 * many, dtype=np.int32), np.r_[prices, prices])
        self.requirements, self.moves = list[AttackRequirement](), list[list[_StepMove]]()
        self.down, self.up = np.zeros(many), np.zeros(many)
        self.bound = 0.0
        self.admit(sorted(requirements(cells), key=lambda each: -each.need))
        self._first_cuts()

    @property
    def wide(self) -> BoolArray:
        """The cells that are published as intervals: sensitive ones, and those that moves go through."""
        found: BoolArray = (self.down > _NEAR) | (self.up > _NEAR) | self.cells.sensitive
        return found

    def admit(self, more: list[AttackRequirement]) -> None:
        """Take up requirements."""
        self.requirements += more
        self.moves += [[] for _ in more]

    def solve(self) -> None:
        """Rounds of linear programs, until every requirement is met."""
        for _ in range(_ROUNDS):
            self.master.run()
            if self.master.getModelStatus() != highspy.HighsModelStatus.kOptimal:
                raise ImpossibleError("no intervals leave what rules want within the declared bounds")
            found = np.maximum(np.array(self.master.getSolution().col_value), 0.0)
            self.bound = float(self.master.getInfo().objective_function_value) * (1 - 1e-9)
            self.down, self.up = found[: self.cells.many], found[self.cells.many :]
            if not self._separate():
                return
            if self.deadline.over:
                break
        raise UndecidedError("no intervals that leave what rules want were found within the time limit")

    def _first_cuts(self) -> None:
        """In an equation, what a cell goes up the others go down, or their sum goes up."""
        by_cell = dict[int, list[tuple[IntArray, IntArray]]]()
        for parent, parts in self.cells.equations:
            by_cell.setdefault(parent, []).append((parts, np.ones(len(parts), np.int64)))
            for place, part in enumerate(parts.tolist()):
                others = np.r_[parent, np.delete(parts, place)]
                signs = np.r_[1, -np.ones(len(parts) - 1, np.int64)]
                by_cell.setdefault(part, []).append((others, signs))
        for each in self.requirements:
            if len(each.signs) == 1:
                for others, signs in by_cell.get(each.cell, []):
                    columns = others + np.where(signs * each.signs[0] > 0, self.cells.many, 0)
                    self._add(columns, np.ones(len(columns)), each.need)
                side = each.cell + (self.cells.many if each.signs[0] > 0 else 0)
                self._add(np.array([side]), np.ones(1), each.need)

    def _add(self, columns: IntArray, factors: FloatArray, least: float) -> None:
        self.master.addRow(least, highspy.kHighsInf, len(columns), columns.astype(np.int32), factors)

    def _separate(self) -> int:
        found, pending = 0, {k for k in range(len(self.requirements)) if not self._remembered(k)}
        for number, requirement in enumerate(self.requirements):
            if number in pending and not (found and self.deadline.over):
                found += self._attacked(requirement, pending)
        return found

    def _remembered(self, number: int) -> bool:
        return any(self._possible(move.columns, move.steps) for move in self.moves[number])

    def _possible(self, columns: IntArray, steps: FloatArray) -> bool:
        ends = np.where(steps > 0, self.up[columns], self.down[columns])
        return bool(np.all(np.abs(steps) <= ends + _NEAR / 2))

    def _attacked(self, requirement: AttackRequirement, pending: set[int]) -> bool:
        """Whether a requirement is not met, which adds a cut; moves that are found are remembered."""
        many, need = self.cells.many, requirement.need
        down, up = self.attacker.ends(requirement)
        low, high = down.copy(), up.copy()
        low[:many], high[:many] = (
            np.minimum(self.down / need, low[:many]),
            np.minimum(self.up / need, high[:many]),
        )
        reached, left, factors = 0.0, 1.0, np.zeros(2 * many)
        for sign in requirement.signs:
            value, move, reduced = self.attacker.extreme(requirement.cell, sign, low, high)
            reached += value
            self._share(move * need, pending)
            for part, ends, own, at in ((-reduced, up, self.up, many), (reduced, down, self.down, 0)):
                rise = np.maximum(part, 0.0)
                fixed = np.r_[ends[:many] * need < own - _NEAR, np.ones(len(ends) - many, bool)]
                fixed &= rise > 0
                left -= float((rise[fixed] * ends[fixed]).sum())
                rise[fixed] = 0.0
                factors[at : at + many] += rise[:many]
        if reached >= 1 - NOTHING * 10:
            return False
        columns = np.flatnonzero(factors > 0)
        if left <= NOTHING or not len(columns):
            raise ImpossibleError("no intervals leave what rules want within the declared bounds")
        self._add(columns, factors[columns], left * need)
        return True

    def _share(self, steps: FloatArray, pending: set[int]) -> None:
        """Remember a move for all requirements that it meets, scaled down to each."""
        columns = np.flatnonzero(np.abs(steps) > NOTHING)
        for number in list(pending):
            each = self.requirements[number]
            sign = each.signs[0] if len(each.signs) == 1 else np.sign(steps[each.cell])
            reached = sign * steps[each.cell]
            if reached < each.need * (1 - NOTHING):
                continue
            if self.attacker.move(each, columns, steps[columns], float(reached)) is None:
                continue
            cells = columns[columns < self.cells.many]
            scaled = steps[cells] * each.need / reached
            if self._possible(cells, scaled):
                self.moves[number] = [_StepMove(cells, scaled), *self.moves[number][: _MOVES - 1]]
                pending.discard(number)
