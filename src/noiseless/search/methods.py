"""The methods run over a problem for one goal; what they find goes into a memory that goals share."""

from bisect import bisect_left
from dataclasses import dataclass, field, replace
from itertools import islice

import numpy as np

from noiseless.errors import RequestError
from noiseless.search.all_partitions import ALL_PARTITIONS, MOST_VALUES
from noiseless.search.ascent import ASCENT, Ascent
from noiseless.search.bounds import LowerBounds
from noiseless.search.cell_cover import CELL_COVER, CellCover, CheapestPartition
from noiseless.search.choice import CUT_SHORT, EXACT, Choice, prove_choice, unproved_choice
from noiseless.search.codebook import ColumnCodebook
from noiseless.search.columns import Hierarchy
from noiseless.search.deals import deal_cells
from noiseless.search.greedy import DEALING, GREEDY, GreedyPaths, best_point, leaves_paths_out
from noiseless.search.improvement import MOST_IMPROVED, improve_found, improve_suppressed
from noiseless.search.joined_blocks import joined_blocks, joins_blocks
from noiseless.search.lattice import full_domain
from noiseless.search.limits import limits_of
from noiseless.search.line_search import UNCHANGED, LineSearch
from noiseless.search.optimum import ContiguousOptimum
from noiseless.search.problem import Cells, Problem
from noiseless.search.suppressed_partition import suppressed_sets
from noiseless.search.top_down import TOP_DOWN, top_down_applies, top_down_cells
from noiseless.work import NEVER, Progress

FEW_VALUES = 500
"""With more public values a survey looks at fewer levels, and in several columns cells are cut from the top
down and not merged greedily."""

TRIED, LOOKED_AT = 12, 6
"""For a weight this many posteriors are tried from the top down; this many where the paths are left out."""

FULL_DOMAIN = "full-domain"


def is_small(problem: Problem) -> bool:
    """Whether there are few public values."""
    return problem.size <= FEW_VALUES


@dataclass(eq=False)
class PartitionSearch(LineSearch):
    """A search for the best partition.

    Attributes:
        paths: the greedy paths, each run once.
        progress: called with the share of a long search that is done.
    """

    paths: GreedyPaths
    progress: Progress = lambda _: None
    _bounds: LowerBounds | None = field(default=None, repr=False)

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
        choice = self.prove() if self.on_a_line() and self.targets.blocks is None else None
        if choice is None or not choice.optimal:
            return None
        runs = self.targets.problem.limits and self.targets.problem.size > MOST_VALUES
        return choice if choice.scope == "all" or (runs and self.targets.goal.method == "auto") else None

    def on_a_line(self) -> bool:
        """One ordered column: the best contiguous cells; whether these may be all that is needed."""
        goal = self.targets.goal
        if goal.method == "greedy" or goal.objective == "maximin":
            return False
        if self.is_ordered:
            self.contiguously()
        self.add_least_mean()
        return True

    def look(self, *, last: bool = True) -> None:
        """Run the methods that are asked for, as far as they are needed.

        Args:
            last: whether it is the last search for this goal, and may take longer.
        """
        targets, improves = self.targets, self.targets.goal.method != "exact"
        self.run()
        self.exhaustively()
        if self._has_least_mean:
            return
        if targets.budget:
            self.suppressing()
        if improves and targets.problem.size <= MOST_IMPROVED and not self._is_proved:
            if last:
                self.cover()
            improve_found(self)
        if self.best is None:
            self.suppress_any()
            improve_suppressed(self)

    @property
    def _is_proved(self) -> bool:
        """Whether nothing is better than the best so far."""
        choice = self.prove()
        return choice is not None and choice.gap == 0

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
        return unproved_choice(best, self.targets, CUT_SHORT)

    def run(self) -> None:
        """Run the methods that are asked for; those for columns only where something must change."""
        method = self.targets.goal.method
        nothing_lost = self.add(self.targets.problem.unchanged, UNCHANGED) and self.targets.goal.aim == "loss"
        if method != "greedy":
            self.exactly()
        if nothing_lost:
            return
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
        targets = self.targets
        if targets.goal.method != "auto" or not CellCover.applies(targets):
            return
        within = [
            point for point in self.memory.points if point.mean_loss is not None and targets.allow(point)
        ]
        best = min(within, key=lambda point: point.mean_loss or 0, default=None)
        if best is None or best.partition is None or not best.mean_loss:
            return
        made, limits = targets.problem.made, (targets.need.tobytes(), targets.goal.min_rows, targets.budget)
        known = CellCover, *limits
        if known not in made:  # it is the same whichever loss comes first
            made[known] = CellCover(targets, best.mean_loss, best.partition).best
        found: CheapestPartition | None = made[known]
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
        """Cells with at least this many values left; whether some of them keep to all limits."""
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
        if self.is_ordered and targets.goal.objective == "leakage" and targets.blocks is None:
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
        contiguous = exact.for_posterior(k) if self.is_ordered else None
        fine = [self.add(labels, DEALING) for labels in (dealt,) if labels is not None]
        fine += [self.add(labels, EXACT) for labels in (contiguous,) if labels is not None]
        return any(fine) if deals or self.is_ordered else self._cut(k)

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
