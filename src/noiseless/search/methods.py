"""The methods run over a problem: for one goal, or for every number of values left."""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from noiseless.arrays import BoolArray, IntArray
from noiseless.errors import RequestError
from noiseless.exact import Bits, as_fraction
from noiseless.search.all_partitions import ALL_PARTITIONS, AllPartitions
from noiseless.search.bounds import LowerBounds
from noiseless.search.choice import EXACT, Candidate, Choice, Pool, lagrangian, prove_choice
from noiseless.search.codebook import ColumnCodebook
from noiseless.search.contiguous.line import least_cell_size
from noiseless.search.goal import Goal, Targets
from noiseless.search.greedy import GreedyPaths, add_without_paths, best_point, leaves_paths_out
from noiseless.search.loss import Lagrangian, Loss, Method
from noiseless.search.optimum import ContiguousOptimum, deal_cells
from noiseless.search.problem import Cells, Problem
from noiseless.search.strips import strips
from noiseless.search.top_down import TOP_DOWN, top_down_applies, top_down_cells

NOT_EXACT = (
    "the exact method is for one column without side information, and for distortion a numeric one with "
    "midrange or interval codewords; use method 'auto'"
)

CLIMB = 40
"""So many larger posteriors are tried where the exact cells leave too much maximin information."""

MOST_FOR_NEXT = 2000
"""With more public values no larger posterior is tried by improving cells that lose too much."""

MOST_FOR_HALVING = 2000
"""With more public values Mondrian's cells are not looked at."""

MOST_TO_SUPPRESS = 10
"""With more public values not every set of them is tried for suppression, where none was found."""

FEW_VALUES = 500
"""With more public values a release is searched for by itself, and not among all levels; and in several
columns cells are cut from the top down and not merged greedily."""

TRIED = 12
"""For a weight so many posteriors are tried from the top down."""

MONDRIAN, FROM_MONDRIAN = "Mondrian", "Mondrian, improved"

DEALS, DEALT = 200, 6
"""For a weight so many posteriors are looked at, and so many of them dealt."""


def cuts_instead(targets: Targets) -> bool:
    """Whether there are too many values for the greedy paths, and cells are cut from the top down instead."""
    auto = targets.goal.method == "auto" and top_down_applies(targets)
    return auto and targets.problem.size > FEW_VALUES


@dataclass(eq=False)
class PartitionSearch:
    """A search for the best partition.

    Attributes:
        targets: the limits.
        pool: what has been found.
        paths: the greedy paths, each run once.
        contiguous: the best that contiguous cells can do within the limits, where that is known.
    """

    targets: Targets
    pool: Pool
    paths: GreedyPaths
    contiguous: Loss | Lagrangian | None = None
    _bounds: LowerBounds | None = None

    @classmethod
    def of(cls, targets: Targets, paths: GreedyPaths | None = None) -> "PartitionSearch":
        """A search that has found that values may stay as they are, if they may."""
        found = cls(targets, Pool(targets), paths or GreedyPaths(targets.problem, targets.goal.utility))
        found.pool.add(np.arange(targets.problem.size), "unchanged")
        return found

    def prove(self) -> Choice | None:
        """The best so far with what is proved about it; None if nothing was found."""
        best = self.pool.best
        if best is None:
            return None
        return prove_choice(best, self.bounds, self.contiguous)

    @property
    def bounds(self) -> LowerBounds:
        """What no partition can do better; values of the costliest cells found first are looked at first."""
        if self._bounds is None:
            first = self.pool.best
            cells = Cells.from_labels(self.targets.problem.group_of) if first is None else first.cells
            self._bounds = LowerBounds(self.targets, cells)
        return self._bounds

    def run(self) -> None:
        """Run the methods that are asked for."""
        if self.targets.goal.method != "greedy":
            self.exactly()
        if self.targets.goal.method == "auto":
            self.from_the_top()
        if self.targets.goal.method != "exact" and not self._is_cut_instead:
            self.greedily()
        self.exhaustively()

    def exhaustively(self) -> None:
        """A few values: the best of all partitions."""
        if self.targets.goal.method != "auto" or not AllPartitions.applies(self.targets):
            return
        best = self.bounds.best_of_all
        if best is not None:
            self.pool.add(best.labels, ALL_PARTITIONS, best.hidden)

    # --- from the top down ------------------------------------------------------------------------

    def from_the_top(self) -> None:
        """Columns: cells that are cut while both parts keep to the limit."""
        if not top_down_applies(self.targets):
            return
        first, last = int(self.targets.need.max()), int(self.targets.most.min())
        if self.targets.goal.aim == "loss":
            self._cut(first)
        elif self.targets.goal.aim == "lagrangian":
            for k in np.unique(np.geomspace(first, max(first, last), TRIED).astype(int)).tolist():
                self._cut(k)
        else:
            bisect_left(range(first, last + 1), True, key=lambda k: not self._cut(k))

    def _cut(self, least: int) -> bool:
        """Cells with at least so many values left; whether some of them keep to all limits."""
        targets = self.targets
        need = np.maximum(targets.need, np.minimum(least, targets.most))
        found = [self.pool.add(cells, TOP_DOWN) for cells in top_down_cells(targets.problem, need)]
        return any(targets.allow(one.quality) for one in found)

    @property
    def _is_cut_instead(self) -> bool:
        return cuts_instead(self.targets)

    @property
    def _has_no_paths(self) -> bool:
        return self._is_cut_instead or leaves_paths_out(self.targets)

    # --- exactly ----------------------------------------------------------------------------------

    def exactly(self) -> None:
        """One ordered column: contiguous cells, dealt ones, and the fewest blocks."""
        problem, goal = self.targets.problem, self.targets.goal
        ordered = ContiguousOptimum.applies(problem, goal.utility)
        deals = goal.utility == "resolution" and problem.side is None
        fewest = self.targets.fewest is not None and self._tells_apart
        if goal.method == "exact" and not (ordered or fewest):
            raise RequestError(NOT_EXACT)
        if ordered and (goal.objective != "maximin" or int(self.targets.need.max()) > 1):
            self._contiguous(self.pool)
        if deals and goal.objective != "maximin":
            self._dealt()
        if fewest:
            self._fewest()

    @property
    def _tells_apart(self) -> bool:
        return self.targets.goal.objective == "maximin" or self.targets.blocks is not None

    def bound_contiguous(self) -> None:
        """The best that contiguous cells can do; the cells count where no survey has better ones."""
        problem, goal = self.targets.problem, self.targets.goal
        if goal.method == "greedy" or not ContiguousOptimum.applies(problem, goal.utility):
            return
        if goal.objective == "leakage":
            self._contiguous(self.pool)
        elif goal.objective == "both":
            self._contiguous(Pool(self.targets))

    def _contiguous(self, pool: Pool) -> None:
        targets, goal = self.targets, self.targets.goal
        problem = targets.problem
        by_width = ContiguousOptimum.applies(problem, goal.utility, by_width=True)
        exact = ContiguousOptimum(
            problem, goal.utility, targets.distortion if by_width else None, targets.largest_cell
        )
        k = int(targets.need.max())
        if goal.aim == "leak":
            labels: IntArray | None = exact.for_loss()
        elif goal.aim == "loss":
            labels = exact.for_posterior(k)
        else:
            labels = exact.best(as_fraction(goal.weight or 0), k)
        if labels is None:
            return
        found = pool.add(labels, EXACT)
        if goal.objective != "maximin" and not targets.budget and exact.complete:
            self.contiguous = self._value(found)
        if targets.blocks is not None and goal.aim == "loss" and pool is self.pool:
            self._climb(exact, found)

    def _climb(self, exact: ContiguousOptimum, found: Candidate) -> None:
        """Larger posteriors, until few enough blocks are left."""
        for _ in range(CLIMB):
            if self.targets.blocks is None or found.quality.maximin.ratio <= self.targets.blocks:
                return
            labels = exact.for_posterior(found.quality.min_posterior + 1)
            if labels is None:
                return
            found = self.pool.add(labels, EXACT)

    def _value(self, found: Candidate) -> Loss | Lagrangian:
        goal = self.targets.goal
        if goal.aim == "lagrangian":
            return lagrangian(self.targets, found)
        return found.quality.loss(goal.utility) if goal.aim == "loss" else found.quality.leakage

    def _dealt(self) -> None:
        targets = self.targets
        parts = strips(targets.problem, "resolution")
        k, most = int(targets.need.max()), min(part.sensitive for part in parts)
        if targets.goal.aim == "loss":
            self._deal(deal_cells(targets.problem, parts, k))
        elif targets.goal.aim == "lagrangian":
            for known in self._promising(k, most):
                self._deal(deal_cells(targets.problem, parts, known))
        else:
            while k < most:
                middle = (k + most + 1) // 2
                labels = deal_cells(targets.problem, parts, middle)
                self._deal(labels)
                few = labels is not None and int(np.bincount(labels).max()) <= (targets.largest_cell or 0)
                k, most = (middle, most) if few else (k, middle - 1)

    def _promising(self, k: int, most: int) -> list[int]:
        """The posteriors for which a weight could be served best, by the bound on the largest cell."""
        problem, weight = self.targets.problem, as_fraction(self.targets.goal.weight or 0)
        known = np.unique(np.linspace(k, most, min(DEALS, most - k + 1)).astype(int)).tolist()

        def bound(posterior: int) -> float:
            least = least_cell_size(problem.joint, posterior)
            return float(Lagrangian(Fraction(problem.joint.size_x, posterior), Bits(least), weight))

        return sorted(known, key=bound)[:DEALT]

    def _deal(self, labels: IntArray | None) -> None:
        if labels is not None:
            self.pool.add(labels, "dealing")

    def _fewest(self) -> None:
        targets, fewest = self.targets, self.targets.fewest
        if fewest is None:
            return
        if targets.goal.aim == "loss" and targets.goal.utility == "distortion" and targets.blocks is not None:
            self.pool.add(fewest.for_blocks(targets.blocks).cells, "fewest blocks")
        elif targets.distortion is not None:
            self.pool.add(fewest.within(targets.distortion).cells, "fewest blocks")

    # --- greedily ---------------------------------------------------------------------------------

    def greedily(self) -> None:
        """The best points of the greedy paths; of other cells where these would take too long."""
        add_without_paths(self.pool)
        for path in self.paths.serving(self.targets):
            point = best_point(path, self.targets)
            if point is not None:
                self.pool.add(point.cells, "greedy")

    def improve_suppressed(self) -> None:
        """The best so far with its costliest cells made smaller, if some of it is suppressed."""
        best = self.pool.best
        if best is not None and best.hidden.any():
            self._improve(best.cells, best.hidden, best.quality.min_posterior, "greedy")

    def improving(self) -> None:
        """Cells that are nearly what is asked for, with the costliest ones made smaller; and Mondrian's."""
        for cells, hidden, least in list(self._nearly()):
            self._improve(cells, hidden, least, "greedy")
        halved = self._halved()
        if halved is not None and self.targets.allow(self.pool.add(halved, MONDRIAN).quality):
            self._improve(halved, np.zeros(self.targets.problem.size, bool), 1, FROM_MONDRIAN)

    def _improve(self, cells: Cells, hidden: BoolArray, least: int, method: str) -> None:
        from noiseless.search.improvement import improve_cells

        need = np.maximum(self.targets.need, least)
        labels = improve_cells(self.targets.problem, self.targets.goal.utility, need, cells.cell_of, hidden)
        if labels is not None:
            self.pool.add(labels, method, hidden)

    def _halved(self) -> Cells | None:
        """Several columns: Mondrian's cells, which greedy merging does not always match."""
        problem, k = self.targets.problem, int(self.targets.need.max())
        book = problem.codebook
        if not isinstance(book, ColumnCodebook) or len(book.columns) == 1 or problem.size > MOST_FOR_HALVING:
            return None
        if self.targets.goal.aim != "loss" or k == 1:
            return None
        from noiseless.search.merging.baselines import mondrian

        labels = mondrian(problem.marginal, book.columns, k).cell_of
        return Cells.from_labels(labels * (int(problem.group_of.max()) + 1) + problem.group_of)

    def _nearly(self) -> Iterator[tuple[Cells, BoolArray, int]]:
        """The best so far; or what loses too much; each with the posterior that it must keep."""
        best, targets = self.pool.best, self.targets
        none = np.zeros(targets.problem.size, bool)
        if best is not None and targets.goal.aim != "leak":
            keeps = best.quality.min_posterior if targets.goal.aim == "lagrangian" else 1
            yield best.cells, best.hidden, keeps
        elif self._has_no_paths:
            return
        elif best is not None and targets.problem.size <= MOST_FOR_NEXT:
            following = best.quality.min_posterior + 1
            point = self.paths.leakage.meeting(min_posterior=following)
            if point is not None:
                yield point.cells, none, following
        elif best is None and (targets.goal.protects or targets.blocks is not None):
            blocks = None if targets.blocks is None else Bits(targets.blocks)
            hiding = replace(
                targets.goal, max_maximin=blocks, max_distortion=None, min_resolution=None, weight=None
            )
            point = best_point(self.paths.leakage, Targets(targets.problem, hiding))
            if point is not None:
                yield point.cells, none, 1

    def suppress_any(self) -> None:
        """With very few values every set that may be suppressed; of the rest each group is one cell."""
        problem, budget = self.targets.problem, self.targets.budget
        if problem.size > MOST_TO_SUPPRESS or not budget:
            return
        for sets in range(1, 2**problem.size - 1):
            hidden = (sets >> np.arange(problem.size)) % 2 == 1
            if int(problem.weights[hidden].sum()) <= budget:
                labels = np.where(hidden, problem.size, problem.group_of)
                self.pool.add(labels, "greedy", hidden)

    def suppressing(self) -> None:
        """Some rows withheld, if that helps."""
        from noiseless.search.suppression import suppress_values

        self.contiguous = suppress_values(self.pool, None if self._has_no_paths else self.paths)


WORK, MORE_WORK, FEWEST = 20_000, 10**6, 12
"""So many levels are looked at that they are so many public values in all (more of them where cells are cut
from the top down, which is quick), or at least this number."""


@dataclass(frozen=True, eq=False)
class Levels:
    """What is found for each number of values left.

    Attributes:
        paths: the greedy paths, which know the problem and what is to be kept.
        method: which of our methods to run.
    """

    paths: GreedyPaths
    method: Method

    @staticmethod
    def are_few(problem: Problem) -> bool:
        """Whether a problem is small enough for its levels to be looked at."""
        return problem.size <= FEW_VALUES

    @staticmethod
    def known(problem: Problem) -> list[int]:
        """The numbers of values left that are looked at, ascending: all where they are not too many.

        Small ones are asked for most: of too many the first half are those, and the rest are spread.
        """
        work = WORK if Levels.are_few(problem) else MORE_WORK
        most, many = int(problem.largest_posteriors.min()), max(FEWEST, work // problem.size)
        first = min(most, many if most <= many else many // 2)
        return [*range(1, first), *np.unique(np.linspace(first, most, many - first + 1).astype(int)).tolist()]

    @property
    def _goals(self) -> Iterator[Goal]:
        problem, goal = self.paths.problem, Goal(utility=self.paths.utility, min_posterior=1)
        for k in self.known(problem):
            yield replace(goal, min_posterior=k)
        if not problem.plain:  # then as many values left may be more leakage here than there
            pairs = set(zip(problem.prior.tolist(), problem.largest_posteriors.tolist(), strict=True))
            least = max(Fraction(prior, most) for prior, most in pairs)
            ratios = {Fraction(prior, k) for prior, most in pairs for k in range(1, most + 1)}
            within = sorted(ratio for ratio in ratios if ratio >= least)
            for ratio in within[:: -(-len(within) // max(FEWEST, WORK // problem.size))]:
                yield replace(goal, max_leakage=Bits(ratio))

    def __iter__(self) -> Iterator[Candidate]:
        """The cells that are found for each level."""
        for level in self._goals:
            goal = replace(level, method=self.method)
            search = PartitionSearch.of(Targets(self.paths.problem, goal), self.paths)
            search.run()
            search.improving()
            if search.pool.best is not None:
                yield search.pool.best
