"""The greedy paths of a problem, each run once, and their best points for a goal."""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from noiseless.arrays import IntArray
from noiseless.exact import Bits, as_fraction
from noiseless.search.codebook import ColumnCodebook
from noiseless.search.goal import Targets
from noiseless.search.loss import Utility
from noiseless.search.merging.algorithms import merge_path
from noiseless.search.merging.merged_cells import MergedCells
from noiseless.search.merging.path import MergePath, MergePoint
from noiseless.search.merging.replay import measure_path
from noiseless.search.problem import Problem, SideInformation

MOST_VALUES = 1000
"""With more public values a path takes longer than about 2 s."""

GREEDY, DEALING = "greedy", "dealing"
"""What methods are called."""

SLOW = 120
"""Plain Python runs (numbers beyond 64 bits, any codebook of one's own) take no more values."""

WEIGHTS = (Fraction(1, 8), Fraction(1), Fraction(8))
"""Where problem (7) has no weight of its own it is run with these, in bits for the whole loss."""


@dataclass(frozen=True, eq=False)
class GreedyPaths:
    """The paths of [P3] for a problem and a utility.

    Attributes:
        problem: what is to be merged.
        utility: what they try to keep.
    """

    problem: Problem
    utility: Utility

    @cached_property
    def leakage(self) -> MergePath:
        """Algorithm 1."""
        return self._leakage(self.problem.seen_with)

    @cached_property
    def to_the_end(self) -> MergePath | None:
        """Algorithm 1 until all of a group is one cell, where it may stop before that; else None.

        What is seen besides may leave few sensitive values and so stop the leakage early, though merging
        others goes on to lower the maximin information.
        """
        if self.leakage.components[-1] == 1 or self.problem.plain:
            return None
        return self._leakage(SideInformation(self.problem.public, self.problem.seen))

    def _leakage(self, side: SideInformation | None) -> MergePath:
        problem = self.problem
        found = merge_path(Problem(problem.joint, problem.codebook, side), "leakage", self.utility)
        if side is problem.seen_with:
            return found
        cells = MergedCells(self._seen)
        for pair in zip(found.kept.tolist(), found.absorbed.tolist(), strict=True):
            cells.join(*pair)
        return measure_path(cells, "leakage", self.utility, found.rounds.tolist())

    @cached_property
    def _seen(self) -> Problem:
        """The problem with its groups as side information."""
        return Problem(self.problem.joint, self.problem.codebook, self.problem.seen_with)

    @cached_property
    def maximin(self) -> MergePath:
        """Algorithm 2."""
        return merge_path(self._seen, "maximin", self.utility)

    @property
    def slow(self) -> bool:
        """Whether problem (7) would take too long."""
        return self.problem.size > _most(self.problem, self.utility)

    def both(self, weight: Fraction | None) -> Iterator[MergePath]:
        """Problem (7): with its weight, or with some."""
        for chosen in [] if self.slow else [weight] if weight is not None else self._weights():
            yield merge_path(self._seen, "both", self.utility, chosen)

    def _weights(self) -> list[Fraction]:
        """Weights at which all of the loss counts as much as all of the leakage, or less or more."""
        lost, most = Fraction(1), self.leakage.last.distortion
        if self.utility == "distortion" and most is not None:
            lost = Fraction(most.upper)
        bits = Fraction(Bits(self.problem.joint.size_x).upper)
        return [weight * bits / lost if lost else weight for weight in WEIGHTS]

    def serving(self, targets: Targets) -> Iterator[MergePath]:
        """The paths that may serve a goal; none where they are left out."""
        goal = targets.goal
        if leaves_paths_out(targets):
            return
        yield self.leakage
        if self.utility == "distortion" and self.problem.line is None:
            yield replace(self, utility="resolution").leakage  # where all cost alike, small is best
        if targets.blocks is None and goal.objective == "leakage":
            return
        yield self.maximin
        if self.to_the_end is not None:
            yield self.to_the_end
        if goal.objective == "both":
            yield from self.both(None if goal.weight is None else as_fraction(goal.weight))


def leaves_paths_out(targets: Targets) -> bool:
    """Whether there are too many values for the greedy paths, and cells can be made in another way."""
    problem, utility = targets.problem, targets.goal.utility
    dealt = utility == "resolution" and problem.side is None
    otherwise = dealt or isinstance(problem.codebook, ColumnCodebook)
    return targets.goal.method == "auto" and otherwise and problem.size > _most(problem, utility)


def _most(problem: Problem, utility: Utility) -> int:
    """For how many values paths are run: fewer where what cells cost is not computed with arrays."""
    book = problem.codebook
    by_arrays = utility == "resolution" or (isinstance(book, ColumnCodebook) and book.fits)
    return MOST_VALUES if by_arrays else SLOW


def best_point(path: MergePath, targets: Targets) -> MergePoint | None:
    """The best point of a path for a goal, whatever the path was run for; None if none keeps the limits."""
    goal = targets.goal
    view = replace(path, objective=goal.objective, utility=goal.utility, weight=None)
    points = within(view, targets)
    if not len(points):
        return None
    if goal.weight is not None:
        return view.best(as_fraction(goal.weight), points)
    return view[view.least(points, *(("loss",) if goal.aim == "loss" else ("leak", "loss")))]


def within(path: MergePath, targets: Targets) -> IntArray:
    """The points of a path that keep to all limits."""
    goal = targets.goal
    points = path.within(
        min_posterior=goal.min_posterior,
        max_leakage=goal.max_leakage,
        max_maximin=None if targets.blocks is None else Bits(targets.blocks),
        max_distortion=goal.max_distortion,
        min_resolution=goal.min_resolution,
    )
    limits = targets.more_limits
    if not limits:
        return points

    def keeps(point: int) -> bool:  # and then all later points do
        cells = path[point].cells
        return all(bool(limit.met(cells.cell_of, cells.count).all()) for limit in limits)

    return points[bisect_left(points, True, key=keeps) :]
