"""Controlled rounding: every figure goes to a multiple of a base next to it, and the multiples still add up.

Zero-restricted: a figure goes down or up to the next multiple, and a multiple stays. What is published as r
then stands for every integer between r - b and r + b, these two left out. For two-way tables, also with one
hierarchy, such a rounding always exists (Causey, Cox and Ernst, J. Am. Stat. Assoc. 80, 1985; Cox and George,
Ann. Oper. Res. 20, 1989) and a linear program finds the nearest one; otherwise there may be none, unless
figures go some bases further: `relax`.
"""

import math
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.optimize import Bounds as SolverBounds
from scipy.optimize import LinearConstraint, linprog, milp
from scipy.sparse import csr_array, hstack

from noiseless.arrays import FloatArray, IntArray
from noiseless.errors import RequestError
from noiseless.tabulations.audit import TabulationAudit
from noiseless.tabulations.integer_program import Deadline
from noiseless.tabulations.protection.cells import TableCells
from noiseless.tabulations.protection.method import ImpossibleError, ProposedTables, UndecidedError
from noiseless.tabulations.protection.output import number_of
from noiseless.tabulations.protection.problem import TrueTables
from noiseless.tabulations.publication import MAX_VALUE

MAX_RELAX = 20
"""Bases beyond the next multiple: no further relaxation is looked for."""
_NEAR = 1e-6
_INFEASIBLE = 2
"""What solvers call programs without a solution."""
_GAP = 1e-3
"""Integer programs stop this near to the least distance; what is proved of it is said."""
_DENOMINATORS = (1, 2, 60)
_SMALL_BASES = range(2, 21)
_STEPS = (25, 50, 100, 200)
"""Bases that are tried where none is given, and ten times, a hundred times, ... as much."""


@dataclass(frozen=True)
class ControlledRounding:
    """Publish multiples of a base that add up, as near to the true figures as can be.

    Attributes:
        base: the base, in units; None: the least that the exact audit proves safe.
        relax: how many bases a figure may go beyond the next multiple, where nothing else adds up.
    """

    base: Fraction | None = None
    relax: int = 0

    name = "round"

    def proposals(
        self, tables: TrueTables, deadline: Deadline
    ) -> Generator[ProposedTables, TabulationAudit, None]:
        """The nearest rounding to the base; where none is given, to one base after the other.

        Raises:
            ImpossibleError: no multiples of the base add up, or none leave what rules want.
            UndecidedError: none were found in time.
        """
        cells = TableCells.of(tables)
        for base in self._bases(tables):
            model, found = None, None
            for relax in range(self.relax + 1):
                model = RoundingModel(cells, base, relax)
                found = model.nearest(deadline) if model.leaves_enough else None
                if found is not None:
                    break
            if model is not None and found is not None:
                yield model.proposal(found)
            elif self.base is not None and model is not None:
                raise ImpossibleError(_reason(cells, model, deadline))

    def _bases(self, tables: TrueTables) -> Iterator[int]:
        """Bases in steps."""
        if self.relax < 0 or self.relax > MAX_RELAX:
            raise RequestError(f"relax: 0 to {MAX_RELAX} bases")
        if self.base is not None:
            steps = self.base / tables.publication.step
            if steps.denominator != 1 or steps < _SMALL_BASES[0]:
                raise RequestError(
                    f"base: a multiple of the step {tables.publication.step}, and more than it"
                )
            yield int(steps)
            return
        largest = int(np.abs(tables.truth).max(initial=0)) * 2
        found, factor = list(_SMALL_BASES), 1
        while _STEPS[0] * factor <= largest:
            found += [each * factor for each in _STEPS]
            factor *= 10
        yield from (base for base in found if base <= max(largest, _SMALL_BASES[0]))


@dataclass(frozen=True, eq=False)
class RoundedColumns:
    """A rounding: whole multiples of the base.

    Attributes:
        multiples: for each column its multiple of the base.
        bound: what every such rounding is away from the truth at least, proved by rational multipliers.
    """

    multiples: IntArray
    bound: int


class RoundingModel:
    """The multiples that every cell may go to, and the equations that they keep.

    A cell at f b + rest goes to (f + up + more - less) b: `up` is 0 or 1 and costs b - 2 rest, `more` and
    `less` are at most `relax` and cost b each. Costs are convex, so the cheapest way to a multiple counts.
    """

    def __init__(self, cells: TableCells, base: int, relax: int, *, levels: bool = True) -> None:
        """For a base.

        Args:
            cells: the true cells.
            base: the base, in steps.
            relax: how many bases a cell may go beyond the next multiple.
            levels: whether sensitive cells must leave what rules want.
        """
        self.cells, self.base, self.relax = cells, base, relax
        many = cells.many
        self.values = cells.tables.truth[cells.first]
        self.floors, self.rests = np.divmod(self.values, base)
        self.weights = np.bincount(cells.cell_of, minlength=many)
        self.lower = np.full(cells.columns, -relax, np.int64)
        self.upper = np.full(cells.columns, relax, np.int64)
        self.upper[:many] += self.rests > 0
        self._free(many)
        if levels:
            self._leave()

    @property
    def reach(self) -> int:
        """A published multiple stands for all integers that are less than this away from it."""
        return (self.relax + 1) * self.base

    @property
    def leaves_enough(self) -> bool:
        """Whether for each sensitive cell there is a multiple that leaves what rules want, by itself."""
        return bool(np.all(self.lower <= self.upper))

    def _free(self, many: int) -> None:
        """No multiple is below what is declared; base cells that no figure shows go anywhere else."""
        publication = self.cells.tables.publication
        declared = np.where(publication.atom_lower <= -MAX_VALUE, -MAX_VALUE, publication.atom_lower)
        least = self.cells.matrix.astype(np.int64) @ declared
        self.least = least[:many]
        lowest = np.maximum(self.least, -MAX_VALUE) // self.base
        self.lower[:many] = np.maximum(self.lower[:many], lowest - self.floors)
        most = int(np.abs(self.values).max(initial=0)) // self.base + self.relax + 1
        self.lower[many:] = np.maximum(least[many:], -most * self.base) // self.base
        self.upper[many:] = most

    def _leave(self) -> None:
        """A sensitive cell goes to multiples that by themselves leave what its level wants."""
        for level in self.cells.tables.levels:
            cell = int(self.cells.cell_of[level.row])
            low, high = -MAX_VALUE, MAX_VALUE
            if level.lower is not None:
                high = level.lower + self.reach - 1
            if level.upper is not None:
                low = level.upper - self.reach + 1
            low = max(low, level.width + int(self.least[cell]) - self.reach + 1)
            if level.width > 2 * self.reach - 2:
                low, high = 1, 0
            floor = int(self.floors[cell])
            self.lower[cell] = max(self.lower[cell], -(-low // self.base) - floor)
            self.upper[cell] = min(self.upper[cell], high // self.base - floor)

    def nearest(self, deadline: Deadline) -> RoundedColumns | None:
        """The rounding whose figures together are nearest to the truth; None if none adds up.

        Raises:
            UndecidedError: none was found in time.
        """
        matrix, target = self._equations()
        split = hstack([matrix, matrix, -matrix], format="csr") if self.relax else matrix
        costs, lower, upper = self._split()
        ends = np.column_stack([lower, upper])
        solve: Any = linprog
        relaxed = solve(costs, A_eq=split, b_eq=target, bounds=ends, method="highs")
        if relaxed.status == _INFEASIBLE:
            return None
        if relaxed.x is None or deadline.over:
            raise self._open()
        bound = self._bound(split, target, costs, (lower, upper), relaxed.eqlin.marginals)
        found = self._whole(relaxed.x)
        if found is None:
            program = milp(
                costs,
                integrality=np.ones(len(costs), np.int64),
                bounds=SolverBounds(lower, upper),
                constraints=LinearConstraint(split, target, target),
                options={"time_limit": max(0.01, min(deadline.left, 3600.0)), "mip_rel_gap": _GAP},
            )
            found = None if program.x is None else self._whole(program.x)
            if found is None and program.status != _INFEASIBLE:
                raise self._open()
        return None if found is None else RoundedColumns(found, bound)

    def adds_up(self, deadline: Deadline) -> bool | None:
        """Whether there is such a rounding; None if that is not known in time."""
        if not self.leaves_enough:
            return False
        try:
            return None if deadline.over else self.nearest(deadline) is not None
        except UndecidedError:
            return None

    def _open(self) -> UndecidedError:
        multiples = f"multiples of {self.base * self.cells.tables.publication.step}"
        return UndecidedError(f"no {multiples} that add up were found within the time limit")

    def proposal(self, found: RoundedColumns) -> ProposedTables:
        """What is published: each multiple, and the integers that it stands for."""
        tables, many = self.cells.tables, self.cells.many
        published = (found.multiples[:many] * self.base)[self.cells.cell_of]
        lower = np.maximum(published - self.reach + 1, tables.withheld_lower)
        loss, step = int(np.abs(published - tables.truth).sum()), tables.publication.step
        further = f", up to {self.relax} bases further than the next" * bool(self.relax)
        return ProposedTables(
            tables.told(lower, published + self.reach - 1),
            float(loss * step),
            float(min(found.bound, loss) * step),
            "of distance in all",
            f"figures rounded to multiples of {self.base * step} that add up{further}",
            tuple(number_of(int(each), step) for each in published),
            rounded=f"round:{number_of(self.base, step)}:random" + f":{self.relax}" * bool(self.relax),
        )

    def _equations(self) -> tuple[csr_array, IntArray]:
        """Cells x columns: what goes up in a sum is what goes up in its parts, and the carry of the rests."""
        defining = self.cells.defining
        counts = np.array([len(parts) + 1 for _, parts in defining], np.int64)
        starts = np.concatenate([[0], np.cumsum(counts)])
        indices = np.concatenate(
            [np.zeros(0, np.int64), *(np.r_[parent, parts] for parent, parts in defining)]
        )
        entries = np.full(len(indices), -1.0)
        entries[starts[:-1]] = 1.0
        matrix = csr_array((entries, indices, starts), shape=(len(defining), self.cells.columns))
        floors = np.zeros(self.cells.columns, np.int64)
        floors[: self.cells.many] = self.floors
        return matrix, -(matrix.astype(np.int64) @ floors)

    def _split(self) -> tuple[IntArray, IntArray, IntArray]:
        """Costs and ends of `up`, or of `up`, `more` and `less` of every column."""
        many, columns = self.cells.many, self.cells.columns
        costs = np.zeros(columns, np.int64)
        costs[:many] = self.weights * (self.base - 2 * self.rests)
        if not self.relax:
            return costs, self.lower, self.upper
        further = np.zeros(columns, np.int64)
        further[:many] = self.weights * self.base
        low, high = self.lower, self.upper
        shown = np.arange(columns) < many
        return (
            np.concatenate([costs, further, further]),
            np.concatenate([shown & (low > 0), np.maximum(low - shown, 0), np.maximum(-high, 0)]).astype(
                np.int64
            ),
            np.concatenate([shown & (high > 0), np.maximum(high - shown, 0), np.maximum(-low, 0)]).astype(
                np.int64
            ),
        )

    def _whole(self, solution: FloatArray) -> IntArray | None:
        """The multiples that a solution means, if they are whole, in their ends, and add up exactly."""
        if np.abs(solution - np.rint(solution)).max(initial=0) > _NEAR:
            return None
        parts = np.rint(solution).astype(np.int64).reshape(-1, self.cells.columns)
        moves = parts[0] if len(parts) == 1 else parts[0] + parts[1] - parts[2]
        if np.any((moves < self.lower) | (moves > self.upper)):
            return None
        moves[: self.cells.many] += self.floors
        atoms = moves[self.cells.atom_of]
        sums = self.cells.matrix.astype(np.int64) @ atoms
        return moves if np.array_equal(sums, moves) else None

    def _bound(
        self,
        matrix: csr_array,
        target: IntArray,
        costs: IntArray,
        ends: tuple[IntArray, IntArray],
        multipliers: FloatArray,
    ) -> int:
        """What weak duality proves of every rounding, with multipliers rounded to rationals."""
        away, whole = int(self.weights @ self.rests), csr_array(matrix.astype(np.int64))
        best = 0
        for share in _DENOMINATORS:
            scaled = np.rint(multipliers * share).astype(np.int64)
            reduced = share * costs - whole.T @ scaled
            proved = int(scaled @ target) + int(np.minimum(reduced * ends[0], reduced * ends[1]).sum())
            best = max(best, away + math.ceil(Fraction(proved, share)))
        return best


def _reason(cells: TableCells, model: RoundingModel, deadline: Deadline) -> str:
    """Why a base does not do, and what would."""
    base, step = model.base, cells.tables.publication.step
    if not model.leaves_enough:
        larger = next(
            (b for b in range(base + 1, 50 * base) if RoundingModel(cells, b, 0).leaves_enough), None
        )
        instead = f"; base {larger * step} can" if larger is not None else ""
        return (
            f"multiples of {base * step} cannot leave of each sensitive figure what the rules want{instead}"
        )
    never = RoundingModel(cells, base, model.relax, levels=False).adds_up(deadline) is False
    problem = f"no multiples of {base * step} next to the figures add up" + (
        "" if never else " and leave of each sensitive figure what the rules want"
    )
    offers = list[str]()
    for relax in range(model.relax + 1, MAX_RELAX + 1):
        if (found := RoundingModel(cells, base, relax).adds_up(deadline)) is not False:
            further = f"if figures may go {relax} base{'s' * (relax > 1)} further (relax = {relax})"
            offers += [further] * bool(found)
            break
    for larger in range(base + 1, 2 * base + 1):
        if (found := RoundingModel(cells, larger, model.relax).adds_up(deadline)) is not False:
            offers += [f"with base {larger * step}"] * bool(found)
            break
    return f"{problem}; they do {', or '.join(offers)}" if offers else problem
