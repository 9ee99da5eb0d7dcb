"""The methods run over a problem for one goal; what they find goes into a memory that goals share."""

from bisect import bisect_left
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import islice

import numpy as np
import numpy.typing as npt

from noiseless.arrays import BoolArray, IntArray
from noiseless.errors import RequestError
from noiseless.exact import as_fraction
from noiseless.search.all_partitions import ALL_PARTITIONS
from noiseless.search.ascent import ASCENT, Ascent
from noiseless.search.bounds import LowerBounds
from noiseless.search.cell_cover import CELL_COVER, CellCover
from noiseless.search.choice import EXACT, Choice, lagrangian, prove_choice, unproved_choice
from noiseless.search.codebook import ColumnCodebook
from noiseless.search.columns import Hierarchy
from noiseless.search.deals import deal_cells, promising_posteriors
from noiseless.search.goal import Targets
from noiseless.search.greedy import DEALING, GREEDY, GreedyPaths, best_point, leaves_paths_out
from noiseless.search.improvement import improve_found, improve_suppressed
from noiseless.search.joined_blocks import joined_blocks, joins_blocks
from noiseless.search.lattice import full_domain
from noiseless.search.limits import limits_of
from noiseless.search.loss import Lagrangian, Length, Loss
from noiseless.search.measures import Memory, ReleasePoint
from noiseless.search.optimum import ContiguousOptimum
from noiseless.search.problem import Cells, Problem
from noiseless.search.strips import strips
from noiseless.search.suppressed_partition import suppressed_sets
from noiseless.search.survey import Progress
from noiseless.search.top_down import TOP_DOWN, top_down_applies, top_down_cells
from noiseless.work import NEVER

NOT_EXACT = (
    "the exact method is for one column without side information, and for distortion a numeric one with "
    "midrange or interval codewords; use method 'auto'"
)

CLIMB = 40
"""So many larger posteriors are tried where the exact cells leave too much maximin information."""

FEW_VALUES = 500
"""With more public values a survey looks at fewer levels, and in several columns cells are cut from the top
down and not merged greedily."""

TRIED, LOOKED_AT = 12, 6
"""For a weight so many posteriors are tried from the top down; and so many where the paths are left out."""

FEWEST_BLOCKS, UNCHANGED, FULL_DOMAIN = "fewest blocks", "unchanged", "full-domain"


def is_small(problem: Problem) -> bool:
    """Whether there are few public values."""
    return problem.size <= FEW_VALUES


@dataclass(eq=False)
class PartitionSearch:
    """A search for the best partition.

    Attributes:
        targets: the limits.
        memory: where what is found is kept.
        paths: the greedy paths, each run once.
        contiguous: the best that contiguous cells can do within the limits, where that is known.
        least_mean: the least mean loss of contiguous cells within the limits, where that is known.
        first: from which place of the memory on what is there counts for this search.
        progress: told the share of a long search that is done.
    """

    targets: Targets
    memory: Memory
    paths: GreedyPaths
    contiguous: Loss | Lagrangian | None = None
    least_mean: Fraction | None = None
    first: int = 0
    progress: Progress = lambda _: None
    _best: ReleasePoint | None = field(default=None, repr=False)
    _bounds: LowerBounds | None = field(default=None, repr=False)
    _swept: bool = False

    def add(
        self,
        labels: npt.ArrayLike | Cells,
        series: str,
        hidden: BoolArray | None = None,
        *,
        setting: str = "",
    ) -> bool:
        """Keep a partition; whether it keeps to the limits."""
        return self.targets.allow(self.memory.add(labels, series, hidden, setting=setting))

    @property
    def best(self) -> ReleasePoint | None:
        """The best of what was found within the limits."""
        for point in self.memory.points[self.first :]:
            if self.targets.allow(point):
                key = self.targets.key
                if self._best is None or key(point) < key(self._best):
                    self._best = point
        self.first = len(self.memory.points)
        return self._best

    def prove(self) -> Choice | None:
        """The best so far with what is proved about it; None if nothing was found."""
        best = self.best
        return None if best is None else prove_choice(best, self.bounds, self.contiguous, self.least_mean)

    @property
    def bounds(self) -> LowerBounds:
        """What no partition can do better; values of the costliest cells found first are looked at first."""
        if self._bounds is None:
            first, problem = self.best, self.targets.problem
            known = None if first is None else first.partition
            self._bounds = LowerBounds(self.targets, known or Cells.from_labels(problem.group_of))
        return self._bounds

    def solve_line(self) -> Choice | None:
        """One ordered column: the best contiguous cells, where no partition at all does better."""
        goal = self.targets.goal
        if goal.method == "greedy" or goal.objective == "maximin":
            return None
        if self._is_ordered:
            self.contiguously()
        self._add_least_mean()
        choice = None if self.targets.blocks is not None else self.prove()
        return choice if choice is not None and choice.optimal and choice.scope == "all" else None

    def _add_least_mean(self) -> None:
        """Contiguous cells with the least mean loss; where the largest comes first, among its equals."""
        targets, goal, problem = self.targets, self.targets.goal, self.targets.problem
        if goal.aim != "loss" or goal.utility != "distortion":
            return
        best = self.best
        if not ContiguousOptimum.applies_to_mean(problem, problem.loss) or not (goal.by_mean or best):
            return
        worst = best.distortion if best is not None and not goal.by_mean else targets.distortion
        exact = self._optimum(worst if self._is_ordered else None)
        labels = exact.for_mean(int(targets.need.max()), problem.loss)
        if labels is None:
            return
        self.add(labels, EXACT)
        if goal.by_mean and not targets.budget and (self._is_ordered or worst is None):
            self.least_mean = exact.mean_at_least(int(targets.need.max()), problem.loss)

    def _optimum(self, distortion: Length | None) -> ContiguousOptimum:
        targets = self.targets
        rows = targets.goal.min_rows or 1
        return ContiguousOptimum(
            targets.problem, targets.goal.utility, distortion, targets.largest_cell, rows
        )

    def solve(self, *, runs: bool = True) -> Choice | None:
        """Run the methods that are asked for, as far as they are needed; None if nothing was found.

        Args:
            runs: whether methods are run, or have been, for all levels.
        """
        method = self.targets.goal.method
        if runs:
            self.run()
        self.exhaustively()
        if self._has_least_mean:
            return self.prove()
        if self.targets.budget:
            self.suppressing()
        choice = self.prove()
        if method != "exact" and (choice is None or choice.gap != 0):
            if not runs:
                self.cover()
            improve_found(self) if runs else improve_suppressed(self)
            choice = self.prove()
        if choice is None:
            self.suppress_any()
            improve_suppressed(self)
            choice = self.prove()
        return choice

    @property
    def _has_least_mean(self) -> bool:
        """Whether cells were cut for the mean loss, and what else there is only lowers the largest one.

        Suppressed values keep to the same limits as a cell, and as a cell they lose no more.
        """
        targets = self.targets
        limited = targets.distortion is not None or targets.largest_cell is not None
        cut = targets.goal.by_mean and self._is_cut_instead and targets.problem.groups is None
        return cut and not limited and self.best is not None

    def stop(self) -> Choice:
        """The best so far, of which nothing is proved.

        Raises:
            RequestError: nothing keeps to the limits.
        """
        with NEVER.active():
            self.add(self.targets.problem.whole, GREEDY)
            best = self.best
        if best is None:
            raise RequestError(
                "the search was stopped before it found cells that keep to the limits; allow it more time"
            )
        return unproved_choice(best, self.targets, "the best of what was found before the search was stopped")

    def run(self) -> None:
        """Run the methods that are asked for."""
        method = self.targets.goal.method
        self.add(self.targets.problem.unchanged, UNCHANGED)
        if method != "greedy":
            self.exactly()
        if method == "auto":
            self.from_the_top()
        if method != "exact":
            self.greedily()

    def exhaustively(self) -> None:
        """A few values: the best of all partitions."""
        best = self.bounds.best_of_all if self.targets.goal.method == "auto" else None
        if best is not None:
            self.add(best.labels, ALL_PARTITIONS, best.hidden)

    def cover(self) -> None:
        """Some tens of values: the cells with the least mean loss, which often have a small largest one."""
        applies = self.targets.goal.method == "auto" and CellCover.applies(self.targets)
        best = self.best if applies else None
        if best is None or best.partition is None or not best.mean_loss:
            return
        found = CellCover(self.targets, best.mean_loss, best.partition).best
        if found is None:
            return
        if found.better is not None:
            self.add(found.better.labels, CELL_COVER, found.better.hidden)
        self._bounds = replace(self.bounds, cheapest=found.least)

    # --- from the top down ------------------------------------------------------------------------

    def from_the_top(self) -> None:
        """Columns: cells that are cut while both parts keep to the limit."""
        if not top_down_applies(self.targets):
            return
        first, last = int(self.targets.need.max()), int(self.targets.most.min())
        if self.targets.goal.by_mean:
            self._add_levels()
        if self.targets.goal.aim == "loss":
            self._cut(first, self.progress)
        elif self.targets.goal.aim == "lagrangian":
            for k in self.targets.some_posteriors(TRIED):
                self._cut(k)
        else:
            bisect_left(range(first, last + 1), True, key=lambda k: not self._cut(k))

    def _add_levels(self) -> None:
        """Where each column has a hierarchy: the best cells with one level for each column."""
        book = self.targets.problem.codebook
        columns = book.columns if isinstance(book, ColumnCodebook) else ()
        if columns and all(isinstance(column, Hierarchy) for column in columns):
            found = full_domain(self.targets)
            if found is not None:
                self.add(found.labels, FULL_DOMAIN, found.hidden)

    def _cut(self, least: int, progress: Progress = lambda _: None) -> bool:
        """Cells with at least so many values left; whether some of them keep to all limits."""
        targets = self.targets
        limits = limits_of(targets.problem, targets.at_least(least), targets.goal.min_rows)
        made = top_down_cells(targets.problem, limits, progress)
        fine = [self.add(one, TOP_DOWN) for one in islice(made, 1)]  # for the mean loss
        ascent = Ascent.of(targets.problem, limits)
        below = [] if ascent is None else self._ascend(ascent)
        if not targets.goal.by_mean and (not below or is_small(targets.problem)):
            fine += [self.add(one, TOP_DOWN) for one in made]  # for the largest
        return any(fine + below)

    def _ascend(self, ascent: Ascent) -> list[bool]:
        """Cells from below, within ever smaller largest costs if these come first; which keep all limits."""
        best, goal, limit = self.best, self.targets.goal, self.targets.distortion
        if goal.by_mean or goal.aim != "loss" or best is None:
            made = [] if (one := ascent.cells(np.inf if limit is None else float(limit))) is None else [one]
        else:
            made = list(ascent.descent(float(best.distortion or 0)))
        return [self.add(cells, ASCENT) for cells in made]

    # --- exactly ----------------------------------------------------------------------------------

    @property
    def _is_ordered(self) -> bool:
        return ContiguousOptimum.applies(self.targets.problem, self.targets.goal.utility)

    def exactly(self) -> None:
        """One ordered column: contiguous cells, dealt ones, and the fewest blocks."""
        targets, goal = self.targets, self.targets.goal
        fewest = targets.fewest is not None and (goal.objective == "maximin" or targets.blocks is not None)
        if goal.method == "exact" and not (self._is_ordered or fewest):
            raise RequestError(NOT_EXACT)
        if self._is_ordered and (goal.objective != "maximin" or int(targets.need.max()) > 1):
            self.contiguously()
        if goal.utility == "resolution" and targets.problem.side is None and goal.objective != "maximin":
            self._deal()
        if fewest:
            self._fewest()

    def contiguously(self) -> None:
        """The best contiguous cells."""
        targets, goal = self.targets, self.targets.goal
        if self._swept:
            return
        self._swept = True
        by_width = ContiguousOptimum.applies(targets.problem, goal.utility, by_width=True)
        exact = self._optimum(targets.distortion if by_width else None)
        k = int(targets.need.max())
        if goal.aim == "leak":
            labels: IntArray | None = exact.for_loss()
        elif goal.aim == "loss":
            labels = exact.for_posterior(k)
        else:
            labels = exact.best(as_fraction(goal.weight or 0), k)
        if labels is None:
            return
        point = self.memory.add(labels, EXACT, setting=f"k = {k}", scope="contiguous")
        if goal.objective != "maximin" and not targets.budget:
            self.contiguous = self._value(point)
        if targets.blocks is not None and goal.aim == "loss":
            self._climb(exact, point)

    def _climb(self, exact: ContiguousOptimum, point: ReleasePoint) -> None:
        """Larger posteriors, until few enough blocks are left."""
        for _ in range(CLIMB):
            if self.targets.blocks is None or point.maximin.ratio <= self.targets.blocks:
                return
            labels = exact.for_posterior(point.min_posterior + 1)
            if labels is None:
                return
            point = self.memory.add(labels, EXACT)

    def _value(self, point: ReleasePoint) -> Loss | Lagrangian:
        goal = self.targets.goal
        if goal.aim == "lagrangian":
            return lagrangian(self.targets, point)
        return point.loss(goal.utility) if goal.aim == "loss" else point.leakage

    def _deal(self) -> None:
        targets = self.targets
        parts = strips(targets.problem, "resolution")
        k, most = int(targets.need.max()), min(part.sensitive for part in parts)

        def fits(posterior: int) -> bool:
            labels = deal_cells(targets.problem, parts, posterior)
            return labels is not None and self.add(labels, DEALING, setting=f"k = {posterior}")

        if targets.goal.aim == "leak":
            bisect_left(range(k, most + 1), True, key=lambda posterior: not fits(posterior))
            return
        for posterior in [k] if targets.goal.aim == "loss" else promising_posteriors(targets, k, most):
            fits(posterior)

    def _fewest(self) -> None:
        targets, fewest = self.targets, self.targets.fewest
        if fewest is None:
            return
        if targets.goal.aim == "loss" and targets.goal.utility == "distortion" and targets.blocks is not None:
            self.add(fewest.for_blocks(targets.blocks).cells, FEWEST_BLOCKS)
        elif targets.distortion is not None:
            self.add(fewest.within(targets.distortion).cells, FEWEST_BLOCKS)

    # --- greedily ---------------------------------------------------------------------------------

    def greedily(self) -> None:
        """The best points of the greedy paths; where these would take too long, what takes n log n."""
        targets = self.targets
        self.add(targets.problem.whole, GREEDY)
        for path in self.paths.serving(targets) if self.has_paths else ():
            point = best_point(path, targets)
            if point is not None:
                self.add(point.cells, GREEDY)
        if not leaves_paths_out(targets) or top_down_applies(targets):
            return
        if self._is_ordered and targets.goal.objective == "leakage" and targets.blocks is None:
            return  # the exact optimum is enough
        for labels in joined_blocks(targets.problem, targets.blocks) if joins_blocks(targets) else ():
            self.add(labels, GREEDY)
        for k in targets.some_posteriors(LOOKED_AT):
            if self._at(k) and targets.goal.aim == "loss":
                return

    def _at(self, k: int) -> bool:
        """Cells for a posterior by what takes n log n; whether some of them keep to all limits."""
        problem, utility = self.targets.problem, self.targets.goal.utility
        deals, exact = utility == "resolution" and problem.side is None, ContiguousOptimum(problem, utility)
        dealt = deal_cells(problem, exact.strips, k) if deals else None
        contiguous = exact.for_posterior(k) if self._is_ordered else None
        fine = [self.add(labels, DEALING) for labels in (dealt,) if labels is not None]
        fine += [self.add(labels, EXACT) for labels in (contiguous,) if labels is not None]
        return any(fine) if deals or self._is_ordered else self._cut(k)

    @property
    def _is_cut_instead(self) -> bool:
        """Whether there are too many values for the greedy paths, and cells are cut from the top down."""
        auto = self.targets.goal.method == "auto"
        return auto and not is_small(self.targets.problem) and top_down_applies(self.targets)

    @property
    def has_paths(self) -> bool:
        """Whether the greedy paths are run."""
        return not self._is_cut_instead and not leaves_paths_out(self.targets)

    # --- rows withheld ----------------------------------------------------------------------------

    def suppress_any(self) -> None:
        """With very few values every set that may be suppressed; of the rest each group is one cell."""
        for partition in suppressed_sets(self.targets.problem, self.targets.budget):
            self.add(partition.labels, GREEDY, partition.hidden)

    def suppressing(self) -> None:
        """Some rows withheld, if that helps."""
        from noiseless.search.suppression import suppress_values

        self.contiguous = suppress_values(self)
