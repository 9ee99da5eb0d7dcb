"""The search for the cheapest pattern of withheld cells that leaves all moves possible that must be.

The model of Fischetti and Salazar (Management Science 47, 2001): a pattern of least cost under cuts, one for
each move that an adversary must be left and is not. Rounds of linear programs find cuts first, then branch
and cut; moves that were found before spare most of the work. Adversaries who know their own part get
requirements of their own when the exact audit names them. Where whole numbers leave less than fractions do,
the pattern is cut off, and the search goes on: withholding less leaves no more.
"""

from collections.abc import Iterator, Sequence
from math import ceil, inf

import numpy as np

from noiseless.arrays import BoolArray, FloatArray, IntArray
from noiseless.tabulations.audit import TabulationAudit
from noiseless.tabulations.integer_program import Deadline
from noiseless.tabulations.protection.attacker import (
    NOTHING,
    AttackerProgram,
    AttackRequirement,
    TableMove,
    learned_requirements,
    requirements,
)
from noiseless.tabulations.protection.cells import TableCells
from noiseless.tabulations.protection.combined_cuts import SuppressionCut
from noiseless.tabulations.protection.insiders import LoneContributors
from noiseless.tabulations.protection.known_moves import KnownMoves
from noiseless.tabulations.protection.master import EquationCuts, MasterProgram
from noiseless.tabulations.protection.method import ImpossibleError, UndecidedError
from noiseless.tabulations.protection.pattern_tree import PatternTree
from noiseless.tabulations.protection.repair import RepairProgram

_ROUNDS = 200
_VIOLATED = 1e-4
_LIKELY = 0.8
_PATIENCE, _SLOW = 8, 1e-3
"""Rounds of linear programs with less gain than this, as a share, before cases are told apart."""
_SHOWN = (0.05, 0.15, 0.4)
"""Shares of the cells of a pattern that are shown again, to look for a cheaper one."""
_FAILED, _WIDE, _NARROW = 40, 500, 0.01
"""Times in a row that this finds none; then a pattern is left as it is: 5 for each 1 % of a gap above 1 %."""
_NESTED = 3
"""Cuts that a requirement finds at most in one round."""
_CREEP = 1e-2
"""Cells that are not withheld count as this much where a cut is looked for: it has few of them then."""
_BROAD = 3000
"""Columns at most of a linear program of all cells, withheld or not."""
_CUTS = 80
"""Cuts of one round of linear programs; then the pattern is chosen anew."""
_COOLING, _WARM, _HOT = 0.8, 1000.0, 2.0
"""Requirements that found cuts of late are looked at first, and before any did, those that need most."""


class PatternSearch:
    """The search for the cheapest pattern: cuts, moves, and the best pattern that was found.

    Args:
        cells: what can be withheld.
        deadline: when to take the best that was found.
    """

    def __init__(self, cells: TableCells, deadline: Deadline) -> None:
        self.cells, self.deadline = cells, deadline
        self.master, self.attacker = MasterProgram(cells), AttackerProgram(cells)
        self.broad = None if self.attacker.network is None else self.attacker
        if self.broad is None and cells.columns <= _BROAD:
            self.broad = AttackerProgram(cells)
        self.repair = RepairProgram(cells, self.attacker.matrix)
        self.equations = EquationCuts(cells)
        self.requirements, self.known = list[AttackRequirement](), KnownMoves()
        self._heat = np.zeros(0)
        self._admit(sorted(requirements(cells), key=lambda each: -each.need))
        self.lone = LoneContributors(cells)
        self.master.add(self.equations.first())
        self.master.add(self.lone.first_cuts())
        self.pool = dict[bytes, tuple[IntArray, FloatArray]]()
        self.bound, self.incumbent = 0.0, None
        self._tightened = False

    incumbent: BoolArray | None

    def best(self) -> tuple[BoolArray, float]:
        """The cheapest pattern that leaves all that is required, and a bound that is proved.

        Raises:
            ImpossibleError: none of the patterns that are left does.
            UndecidedError: time was up before there was one.
        """
        if not self._tightened:
            self.tighten()
            self._tightened = True
        start = self.repaired() if self.incumbent is None else self.incumbent
        tree = PatternTree(self.master, self, self.deadline, start)
        self.bound = max(self.bound, self._proved(tree.search()))
        return tree.best, self.bound

    def _proved(self, value: float) -> float:
        """A bound of all patterns, from the optimum of a linear program."""
        return float(ceil(value - 1e-6)) if self.master.whole else value - 1e-9

    def tighten(self) -> None:
        """Rounds of linear programs, until they find no more cuts."""
        values, first = list[float](), self.deadline.left
        for _ in range(_ROUNDS):
            if (relaxed := self.master.relaxed()) is None:
                return
            value, withheld = relaxed
            self.bound = max(self.bound, self._proved(value))
            found = self.master.add(self.equations.violated(withheld))
            if not found:
                values.append(value)
                found = self.separate(withheld, whole=False) + self.master.combined(withheld)
            if not found:
                found = self.guard(withheld, whole=False)
            slow = len(values) > _PATIENCE and values[-1] - values[-_PATIENCE] <= _SLOW * values[-1]
            if not found or slow or self.deadline.left < first / 2:
                return

    def refine(self, withheld: FloatArray) -> int:
        """Cuts that a mixture of patterns violates, as far as they are found at once."""
        return self.master.add(self.equations.violated(withheld))

    def refuted(self, pattern: BoolArray) -> bool:
        """Whether a pattern leaves too little: cuts say so then."""
        if self.separate(pattern.astype(float), whole=True):
            self.guard(pattern.astype(float), whole=True)
            return True
        return bool(self.admit_insiders(pattern))

    def separate(self, withheld: FloatArray, *, whole: bool = False, most: int | None = None) -> int:
        """Look for requirements that a pattern does not meet, and add their cuts; how many there are.

        Args:
            withheld: the pattern, or a mixture of patterns.
            whole: whether it is a pattern.
            most: how many requirements are looked at, those first that found cuts of late; all by default.
        """
        found, order = 0, np.argsort(-self._heat, kind="stable")[:most]
        pending = ~self.known.met(withheld)
        self._heat[order] *= _COOLING
        for number in order.tolist():
            if self.deadline.over or (found >= _CUTS and not whole):
                break
            if pending[number]:
                cuts = self._attacked(number, pending, withheld, whole=whole)
                self._heat[number] += bool(cuts)
                found += self.master.add(cuts)
        return found

    def _attacked(
        self, number: int, pending: BoolArray, withheld: FloatArray, *, whole: bool
    ) -> list[SuppressionCut]:
        """The cuts that a requirement finds; its moves are shared with all that are pending."""
        requirement = self.requirements[number]
        reached, moves, cut = self.attacker.attack(requirement, withheld, whole=whole)
        self._share(moves, pending, withheld, whole=whole)
        if reached >= 1 - NOTHING:
            return []
        if cut is None:
            return [self._outside(withheld > 0)] if whole else []
        if not len(cut.cells):
            raise ImpossibleError(self._impossible(requirement))
        if whole:
            return [cut, *self._widened(requirement, withheld)]
        if cut.lacks(withheld) <= _VIOLATED:
            return []
        broad = self.broad is not None and (self.attacker.network is not None or self._heat[number] > _HOT)
        return (broad and self._nested(requirement, withheld)) or [cut]

    def _nested(self, requirement: AttackRequirement, withheld: FloatArray) -> list[SuppressionCut]:
        """Cuts that a mixture violates and that have no cell in common, of few cells that are not withheld.

        Each is found with the cells of the others withheld.
        """
        found, more = list[SuppressionCut](), np.maximum(withheld, _CREEP)
        while self.broad is not None and len(found) < _NESTED:
            _, _, cut = self.broad.attack(requirement, more, whole=False)
            if cut is None or cut.lacks(withheld) <= _VIOLATED:
                break
            found.append(cut)
            more[cut.cells] = 1.0
        return found

    def _widened(self, requirement: AttackRequirement, withheld: FloatArray) -> list[SuppressionCut]:
        """A cut about dearer cells: as many of the cheapest are withheld as do not help yet."""
        free = np.flatnonzero((withheld < 1) & ~self.cells.sensitive)
        order = free[np.argsort(self.cells.weights[free], kind="stable")]
        low, high, found = 0, len(order), list[SuppressionCut]()
        while high - low > 1:
            middle = (low + high) // 2
            more = withheld.copy()
            more[order[:middle]] = 1.0
            _, _, cut = self.attacker.attack(requirement, more, whole=True)
            if cut is None:
                high = middle
            else:
                low, found = middle, [cut] * bool(len(cut.cells))
        return found

    def guard(self, withheld: FloatArray, *, whole: bool) -> int:
        """Cells that are withheld and need not be, because they are known all the same: cuts that say so."""
        found, covered = 0, self._covered(withheld) if whole else np.zeros(self.cells.many, bool)
        chosen = np.flatnonzero((withheld > _VIOLATED) & ~self.cells.sensitive & ~covered)
        for cell in chosen[np.argsort(-withheld[chosen])].tolist():
            if covered[cell] or found >= _CUTS or self.deadline.over:
                continue
            varies = AttackRequirement(cell, 1.0, (1, -1))
            reached, moves, cut = self.attacker.attack(varies, withheld, whole=whole)
            if whole:
                covered |= np.any([np.abs(move[: self.cells.many]) > NOTHING for move in moves], axis=0)
            known = reached < withheld[cell] - _VIOLATED
            if cut is not None and known and cut.lacks(withheld) > _VIOLATED:
                found += self.master.add([cut])
        return found

    def _covered(self, pattern: FloatArray) -> BoolArray:
        """The cells that differ in a move that is known, and possible with a pattern."""
        covered = np.zeros(self.cells.many, bool)
        for place in self.known.possible(pattern).tolist():
            covered[self.known.moves[place].cells] = True
        return covered

    def _share(
        self, moves: Sequence[FloatArray], pending: BoolArray, withheld: FloatArray, *, whole: bool
    ) -> None:
        """Remember moves for all requirements that they meet; these are pending no more."""
        for steps in moves:
            cells, label = self.attacker.linked(steps)
            if not len(cells):
                continue
            order = np.argsort(label[cells], kind="stable")
            parts = np.split(cells[order], np.cumsum(np.bincount(label[cells]))[:-1])
            if whole:
                self.pool |= {part.tobytes(): (part, steps[part]) for part in parts}
            numbers = np.flatnonzero(pending)
            own = steps[self._cells[numbers]]
            reached = np.where(self._signs[numbers] == 0, np.abs(own), own * self._signs[numbers])
            met = reached >= self._needs[numbers] * (1 - NOTHING)
            if not whole:  # nothing may go further than the share of what is withheld, in shares of the need
                shares = np.r_[withheld, np.ones(len(steps) - len(withheld))]
                ratios = np.abs(steps[cells[order]]) / (shares[cells[order]] + NOTHING)
                most = np.maximum.reduceat(ratios, np.cumsum([0, *map(len, parts[:-1])]))
                met &= reached * 1.01 >= most[label[self._cells[numbers]]]
            for place in np.flatnonzero(met).tolist():
                number = int(numbers[place])
                part = parts[label[self._cells[number]]]
                move = self.attacker.move(self.requirements[number], part, steps[part], float(reached[place]))
                if move is not None and np.all(withheld[move.cells] >= move.shares - NOTHING):
                    self.known.add(number, move)
                    pending[number] = False

    def admit_insiders(self, pattern: BoolArray) -> int:
        """Look for contributors who learn something from a pattern by their own part, and add their cuts."""
        found, withheld, learning = 0, pattern.astype(float), True
        while learning and not found and not self.deadline.over:
            supports = np.zeros((len(self.pool), self.cells.columns), bool)
            for row, (cells, _) in enumerate(self.possible(pattern)):
                supports[row, cells] = True
            learning = False
            for requirement in self.lone.doubtful(pattern, supports):
                if self.deadline.over:
                    break
                reached, moves, cut = self.attacker.attack(requirement, withheld, whole=True)
                if reached >= 1 - NOTHING:
                    self._share(moves, np.zeros(0, bool), withheld, whole=True)
                    learning = True
                    continue
                self._admit([requirement])
                cuts = (
                    [self._outside(pattern)] if cut is None else [cut, *self._widened(requirement, withheld)]
                )
                found += self.master.add(cuts)
                if not len(cuts[0].cells):
                    raise ImpossibleError(self._impossible(requirement))
        return found

    def possible(self, pattern: BoolArray) -> Iterator[tuple[IntArray, FloatArray]]:
        """The moves that are known, and possible with a pattern."""
        hidden = np.r_[pattern, np.ones(self.cells.columns - self.cells.many, bool)]
        return (move for move in self.pool.values() if hidden[move[0]].all())

    def possible_moves(self, pattern: BoolArray) -> list[FloatArray]:
        """The same, as steps of all columns."""
        found = list[FloatArray]()
        for cells, steps in self.possible(pattern):
            found.append(np.zeros(self.cells.columns))
            found[-1][cells] = steps
        return found

    def _outside(self, pattern: BoolArray) -> SuppressionCut:
        """At least one cell more must be withheld than in a pattern."""
        others = np.flatnonzero(~pattern)
        return SuppressionCut(others, np.ones(len(others)))

    def _impossible(self, requirement: AttackRequirement) -> str:
        name = self.cells.tables.publication.row_name(int(self.cells.first[requirement.cell]))
        return (
            f"{name[0]}: {', '.join(name[1])} cannot be protected by withholding figures: what is declared "
            "of base cells, or known to a contributor, leaves too little"
        )

    def repaired(self, pattern: BoolArray | None = None, withheld: FloatArray | None = None) -> BoolArray:
        """A pattern that meets all requirements: one that was found, and the cheapest moves that it lacks.

        Args:
            pattern: the pattern; without it, what is likely to be withheld.
            withheld: the mixture that says what is likely; without it, the optimum of the linear program.

        Raises:
            ImpossibleError: no pattern that is left meets them.
            UndecidedError: time was up before there was one.
        """
        if withheld is None:
            if (relaxed := self.master.relaxed()) is None:
                raise ImpossibleError("something is known even where all figures are withheld")
            withheld = relaxed[1]
        chosen = (withheld > _LIKELY if pattern is None else pattern) | self.cells.sensitive
        self._mend(chosen, withheld)
        if self.deadline.over:
            if self.incumbent is None:
                raise UndecidedError("no pattern was found within the time limit")
            return self.incumbent
        chosen = self._pruned(chosen)
        if self.incumbent is None or self.master.cost(chosen) < self.master.cost(self.incumbent):
            self.incumbent = self._shaken(chosen, withheld)
        return self.incumbent

    def _shaken(self, pattern: BoolArray, withheld: FloatArray) -> BoolArray:
        """A pattern of which some cells are shown again, at random, and what that takes is withheld anew.

        The cheaper one is kept (Schrimpf and others, Journal of Computational Physics 159, 2000). The wider
        the gap to the bound, the more often it is tried.
        """
        chance, failed, ends = np.random.default_rng(0), 0, self.deadline.left / 2
        while self.deadline.left > ends or ends == inf:
            cost = self.master.cost(pattern)
            gap = (cost - self.bound) / (cost - self.master.base_cost + 1)
            if failed >= min(_FAILED, _WIDE * (gap - _NARROW)):
                break
            some = np.flatnonzero(pattern & ~self.cells.sensitive)
            share = chance.choice(_SHOWN) * (1 - _LIKELY * withheld[some])
            other = pattern.copy()
            other[some[chance.random(len(some)) < share]] = False
            likely = np.clip(withheld * chance.random(len(other)) + chance.random(len(other)) / 2, 0, 1)
            failed += 1
            if self._mend(other, likely, cost):
                other = self._pruned(other)
                if self.master.cost(other) < cost and self.master.met(other):
                    pattern, failed = other, 0
        return pattern

    def _mend(self, chosen: BoolArray, withheld: FloatArray, most: float = inf) -> bool:
        """Withhold more, until all requirements are met: what is likely is taken for cheap.

        Args:
            chosen: what is withheld.
            withheld: how likely each cell is to be withheld.
            most: what it must cost less than; False is returned otherwise.
        """
        number, pending = -1, ~self.known.met(chosen.astype(float))
        while number + 1 < len(self.requirements) or self.admit_insiders(chosen):
            if self.deadline.over:
                return False
            number += 1
            requirement = self.requirements[number]
            if number >= len(pending):
                pending = np.r_[pending, np.ones(len(self.requirements) - number, bool)]
            if not pending[number]:
                continue
            reached, moves, _ = self.attacker.attack(requirement, chosen.astype(float), whole=True)
            self._share(moves, pending, chosen.astype(float), whole=True)
            if reached >= 1 - NOTHING:
                continue
            costs = np.where(chosen, 0.0, self.cells.weights * (1.001 - withheld) + 1e-3)
            ends = self.attacker.ends(requirement)
            steps = self.repair.cheapest(requirement, ends, costs)
            if steps is None:
                raise ImpossibleError(self._impossible(requirement))
            chosen |= np.abs(steps[: self.cells.many]) > NOTHING
            if self.master.cost(chosen) >= most:
                return False
            pending[number] = True
            self._share([steps], pending, chosen.astype(float), whole=True)
        return self.master.cost(chosen) < most

    def _pruned(self, pattern: BoolArray) -> BoolArray:
        """Of a pattern only what known moves go through that meet all requirements, the cheapest of each."""
        needed, withheld = self.cells.sensitive.copy(), pattern.astype(float)
        known = [list[TableMove]() for _ in self.requirements]
        for place in self.known.possible(withheld).tolist():
            known[self.known.owners[place]].append(self.known.moves[place])
        if not all(known):
            return pattern
        for moves in known:
            more = min(moves, key=lambda each: self.cells.weights[each.cells[~needed[each.cells]]].sum())
            needed[more.cells] = True
        return needed & pattern if not self.admit_insiders(needed & pattern) else pattern

    def refuse(self, pattern: BoolArray, audit: TabulationAudit) -> None:
        """Cut off a pattern that the exact audit refuses; insiders who learn something become adversaries."""
        self._admit(learned_requirements(self.cells, audit))
        self.incumbent = None
        if not self.separate(pattern.astype(float), whole=True):
            self.master.add([self._outside(pattern)])

    def _admit(self, more: Sequence[AttackRequirement]) -> None:
        self.requirements += more
        self.known.requirements = len(self.requirements)
        self._heat = np.r_[self._heat, [each.need / _WARM for each in more]]
        self._cells = np.array([each.cell for each in self.requirements], np.int64)
        self._needs = np.array([each.need for each in self.requirements])
        self._signs = np.array([sum(each.signs) for each in self.requirements], np.int64)
