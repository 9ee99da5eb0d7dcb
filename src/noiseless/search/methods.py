"""The methods that look for the cells of one goal, in the order in which they run."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import NamedTuple

import numpy as np

from noiseless.errors import RequestError
from noiseless.search.all_partitions import ALL_PARTITIONS, MOST_VALUES
from noiseless.search.ascent import ASCENT, Ascent
from noiseless.search.bounds import LowerBounds
from noiseless.search.cell_cover import CELL_COVER, CellCover, CheapestPartition
from noiseless.search.choice import CUT_SHORT, Choice, prove_choice, unproved_choice
from noiseless.search.codebook import ColumnCodebook
from noiseless.search.columns import Hierarchy
from noiseless.search.greedy import GREEDY, GreedyPaths, best_point, leaves_paths_out
from noiseless.search.improvement import MOST_IMPROVED, improve_found, improve_suppressed
from noiseless.search.joined_blocks import joined_blocks, joins_blocks
from noiseless.search.lattice import full_domain
from noiseless.search.limits import limits_of
from noiseless.search.line_search import UNCHANGED, LineSearch
from noiseless.search.problem import Cells, Problem
from noiseless.search.radii import Radii
from noiseless.search.suppressed_partition import suppressed_sets
from noiseless.search.suppression import suppress_values
from noiseless.search.top_down import TOP_DOWN, top_down_applies, top_down_cells
from noiseless.work import NEVER, Progress

FEW_VALUES = 500
"""With more public values a survey looks at fewer levels, and in several columns cells are cut from the top
down and not merged greedily."""

FULL_DOMAIN = "full-domain"


def is_small(problem: Problem) -> bool:
    """Whether there are few public values."""
    return problem.size <= FEW_VALUES


@dataclass(eq=False)
class PartitionSearch(LineSearch):
    """A search for the best partition for one goal: methods propose cells, what is measured is kept.

    Attributes:
        paths: the greedy paths, each run once.
        progress: called with the share of a long search that is done.
        thorough: whether methods run that take long, or find what hardly ever loses less.
    """

    paths: GreedyPaths
    progress: Progress = lambda _: None
    thorough: bool = True
    _bounds: LowerBounds | None = field(default=None, repr=False)
    _on_line: bool = field(default=False, repr=False)
    _loses: bool = field(default=True, repr=False)

    @property
    def method(self) -> str:
        """How cells are looked for."""
        return self.targets.goal.method

    def run(self) -> None:
        """Run all methods that apply, one after the other."""
        for method in METHODS:
            if method.applies(self):
                method.propose(self)

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

    # --- what is proved ---------------------------------------------------------------------------

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
            self._bounds = LowerBounds(self.targets, known or problem.whole)
        return self._bounds

    def solve_line(self) -> Choice | None:
        """One ordered column: the best contiguous cells, where no partition at all does better."""
        if not on_a_line(self):
            return None
        self.along_line()
        choice = self.prove() if self.targets.blocks is None else None
        if choice is None or not choice.optimal:
            return None
        runs = self.targets.problem.limits and self.targets.problem.size > MOST_VALUES
        return choice if choice.scope == "all" or (runs and self.method == "auto") else None

    # --- when methods apply -----------------------------------------------------------------------

    @property
    def may_cut(self) -> bool:
        """Whether something must be lost for a level, and columns can be cut."""
        level = self.method == "auto" and self.targets.goal.aim == "loss"
        return self._loses and level and top_down_applies(self.targets)

    @property
    def may_cover(self) -> bool:
        """Whether there are few enough values, for a goal that is not asked for among many."""
        return (
            self.thorough and self.method == "auto" and CellCover.applies(self.targets) and self.may_improve
        )

    @property
    def may_merge(self) -> bool:
        """Whether something must be lost, and more than the exact cells is asked for."""
        return self._loses and self.method != "exact"

    @property
    def may_gain(self) -> bool:
        """Whether it may help to move or to suppress members of cells.

        Suppressed values keep to the same limits as a cell, and as a cell they lose no more: cells that were
        cut for the mean loss are not looked at again.
        """
        targets = self.targets
        limited = targets.distortion is not None or targets.largest_cell is not None
        cut = targets.goal.by_mean and self.is_cut and targets.problem.groups is None
        return not cut or limited or self.best is None

    @property
    def may_improve(self) -> bool:
        """Whether cells are near enough to each other in number, and not proved to be the best."""
        problem = self.targets.problem
        if self.method == "exact" or problem.size > MOST_IMPROVED or not self.may_gain:
            return False
        if problem.line is None and Radii.applies(problem) and not Radii.all_fit(problem):
            return True  # it takes longer to ask
        choice = self.prove()
        return choice is None or choice.gap != 0

    @property
    def is_cut(self) -> bool:
        """Whether there are too many values for the greedy paths, and cells are cut from the top down."""
        return self.method == "auto" and not is_small(self.targets.problem) and top_down_applies(self.targets)

    @property
    def has_paths(self) -> bool:
        """Whether the greedy paths are run."""
        return not self.is_cut and not leaves_paths_out(self.targets)

    # --- the methods ------------------------------------------------------------------------------

    def along_line(self) -> None:
        """One ordered column: the best contiguous cells, for the largest loss and for the mean."""
        if not self._on_line:
            self._on_line = True
            if self.is_ordered:
                self.contiguously()
            self.add_least_mean()

    def must_lose(self) -> bool:
        """Whether more is asked for than every value as a cell of its own, which loses nothing."""
        fits = self.add(self.targets.problem.unchanged, UNCHANGED)
        self._loses = not fits or self.targets.goal.aim != "loss"
        return self._loses

    def cut(self) -> None:
        """Columns: cells from the top down, and from below; of hierarchies each on one level."""
        problem, goal = self.targets.problem, self.targets.goal
        book, limits = problem.codebook, limits_of(problem, self.targets.need, goal.min_rows)
        columns = book.columns if isinstance(book, ColumnCodebook) else ()
        if goal.by_mean and columns and all(isinstance(column, Hierarchy) for column in columns):
            found = full_domain(self.targets)
            if found is not None:
                self.add(found.labels, FULL_DOMAIN, found.hidden)
        made = top_down_cells(problem, limits, self.progress)
        for cells in islice(made, 1):  # for the mean loss
            self.add(cells, TOP_DOWN)
        ascent = Ascent.of(problem, limits)
        below = [] if ascent is None else self._ascended(ascent)
        for cells in below:
            self.add(cells, ASCENT)
        if not goal.by_mean and (not below or is_small(problem)):
            for cells in made:  # for the largest
                self.add(cells, TOP_DOWN)

    def _ascended(self, ascent: Ascent) -> list[Cells]:
        """Cells from below, within ever smaller largest costs if these come first."""
        best, limit = self.best, self.targets.distortion
        if self.targets.goal.by_mean or best is None:
            made = ascent.cells(np.inf if limit is None else float(limit))
            return [] if made is None else [made]
        return list(ascent.descent(float(best.distortion or 0)))

    def merge(self) -> None:
        """The best points of the greedy paths; where these would take too long, what takes n log n."""
        targets = self.targets
        self.add(targets.problem.whole, GREEDY)
        for path in self.paths.serving(targets) if self.has_paths else ():
            point = best_point(path, targets)
            if point is not None:
                self.add(point.cells, GREEDY)
        if leaves_paths_out(targets) and joins_blocks(targets):
            for labels in joined_blocks(targets.problem, targets.blocks):
                self.add(labels, GREEDY)

    def add_best_of_all(self) -> None:
        """A few values: the best of all partitions."""
        best = self.bounds.best_of_all
        if best is not None:
            self.add(best.labels, ALL_PARTITIONS, best.hidden)

    def cover(self) -> None:
        """Some tens of values: the cells with the least mean loss, which often have a small largest one."""
        targets = self.targets
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

    def suppress_any(self) -> None:
        """With very few values every set that may be suppressed; of the rest each group is one cell."""
        for partition in suppressed_sets(self.targets.problem, self.targets.budget):
            self.add(partition.labels, GREEDY, partition.hidden)
        improve_suppressed(self)


def on_a_line(search: PartitionSearch) -> bool:
    """Whether contiguous cells of one column may be all that is needed."""
    return search.method != "greedy" and search.targets.goal.objective != "maximin"


class Method(NamedTuple):
    """A way to look for cells.

    Attributes:
        applies: whether it is of use for a goal, after all methods before it.
        propose: adds what it finds to the search.
    """

    applies: Callable[[PartitionSearch], bool]
    propose: Callable[[PartitionSearch], object]


METHODS = (
    Method(lambda search: search.thorough and on_a_line(search), PartitionSearch.along_line),
    Method(lambda _: True, PartitionSearch.must_lose),
    Method(lambda search: search.method != "greedy", PartitionSearch.exactly),
    Method(lambda search: search.may_cut, PartitionSearch.cut),
    Method(lambda search: search.may_merge, PartitionSearch.merge),
    Method(lambda search: search.method == "auto", PartitionSearch.add_best_of_all),
    Method(lambda search: search.may_gain and search.targets.budget > 0, suppress_values),
    Method(lambda search: search.may_cover, PartitionSearch.cover),
    Method(lambda search: search.may_improve, improve_found),
    Method(lambda search: search.best is None, PartitionSearch.suppress_any),
)
"""All methods, in the order in which they run."""
