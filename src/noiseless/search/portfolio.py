"""Every method that applies: the best partition for a goal (`choose`), and the whole curve (`survey`)."""

from bisect import bisect_left
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import get_args

import numpy as np

from noiseless.errors import RequestError
from noiseless.exact import Bits
from noiseless.search.choice import EXACT, Choice, refuse, with_least_mean
from noiseless.search.contiguous.blocks import BlockBracket
from noiseless.search.deals import deal_cells
from noiseless.search.first_rise import FIRST_RISE, every_stop, stopped_choice
from noiseless.search.goal import Goal, Targets
from noiseless.search.greedy import GREEDY, GreedyPaths, leaves_paths_out
from noiseless.search.improvement import MOST_IMPROVED
from noiseless.search.joined_blocks import joined_blocks, joins_blocks
from noiseless.search.line_search import FEWEST_BLOCKS
from noiseless.search.loss import Method, Objective, Preference, Utility
from noiseless.search.measures import Measures, Memory, ReleasePoint, measure
from noiseless.search.merging.baselines import Baselines
from noiseless.search.merging.path import MergePath, MergePoint
from noiseless.search.methods import PartitionSearch, is_small
from noiseless.search.optimum import ContiguousOptimum
from noiseless.search.problem import Problem
from noiseless.search.strips import strips
from noiseless.search.survey import Series, Survey, levels, scattered, spread, survey_of
from noiseless.work import Progress, WorkCancelledError

WORK, PAIRS_WORK, FEWEST, MOST_LEVELS, MANY_LEVELS = 20_000, 3 * 10**6, 12, 200, 48
"""As many levels are looked at as make this many public values and pairs in all, but at least the fewest, and
no more than the most: fewer where there are many values."""

LAST_LEVELS = 24
"""Up to `ALL_LEVELS` public values a survey searches this many levels to the end: some take a second each."""

ALL_LEVELS = 100
"""With more public values a release is searched for by itself, and not among all levels."""

WEIGHED = 24
"""For a weight this many levels are searched where there are more values than that."""

POINTS_WORK = 2 * 10**7
"""Of a path, and of the exact frontier, points are measured up to this many values in all."""

WIDTHS = 16
"""For this many distortions the fewest blocks are sought."""

LEFT_OUT = "the paths are left out: with this many values they take too long"


def choose(problem: Problem, goal: Goal, progress: Progress | None = None) -> Choice:
    """The best partition for a goal that the methods find, and what is proved about it.

    >>> from noiseless import JointRange
    >>> from noiseless.search.merging import ColumnCodebook, Numbers
    >>> hidden = JointRange.from_pairs([("a", 0), ("a", 1), ("b", 2), ("b", 3)])
    >>> problem = Problem(hidden, ColumnCodebook(Numbers([0, 1, 2, 3])))
    >>> found = choose(problem, Goal(min_posterior=2, utility="distortion"))
    >>> found.cells.members, found.quality.distortion, found.method, found.optimal, found.scope
    (((0, 2), (1, 3)), Length(1), 'all partitions', True, 'all')

    Args:
        problem: what is to be merged.
        goal: limits, or a weight.
        progress: called with the share of the work that is done, from 0 to 1.

    Raises:
        RequestError: the goal cannot be met; the message says what is possible.
    """
    report = progress or (lambda _: None)
    report(0.0)
    problem.check()
    targets = Targets(problem, goal)
    targets.check()
    every = Portfolio(problem, goal)
    if goal.method == "first-rise":
        return stopped_choice(targets, every.memory, every.paths)
    try:
        search = every.search_for(targets, lambda share: report(0.7 * share))
        choice = search.prove()
        if choice is None:
            raise refuse(targets, choose)
        choice = with_least_mean(choice, search.bounds)
    except WorkCancelledError:
        choice = PartitionSearch(targets, every.memory, every.paths).stop()
    report(1.0)
    return choice


def survey(
    problem: Problem,
    *,
    objective: Objective = "leakage",
    utility: Utility = "resolution",
    method: Method = "auto",
    prefer: Preference = "worst",
    min_rows: int | None = None,
    baselines: bool = True,
    progress: Progress | None = None,
    until_stopped: bool = False,
) -> Survey:
    """What is given away against what is lost, by every method that applies.

    >>> from noiseless import JointRange
    >>> from noiseless.search.merging import ColumnCodebook, Numbers
    >>> hidden = JointRange.from_pairs([("a", 0), ("a", 1), ("b", 2), ("b", 3), ("c", 9)])
    >>> found = survey(Problem(hidden, ColumnCodebook(Numbers([0, 1, 2, 3, 9]))), utility="distortion")
    >>> [(point.min_posterior, str(point.distortion)) for point in found.undominated]
    [(1, '0'), (2, '3'), (3, '4.5')]

    Args:
        problem: what is to be merged.
        objective: what is given away.
        utility: what is kept.
        method: which of our methods to run.
        prefer: which loss comes first in the search for each level.
        min_rows: how many rows every answer must have.
        baselines: whether to show what others do too; `exact` is compared with nothing.
        progress: called with the share of the work that is done, from 0 to 1.
        until_stopped: whether to go on level by level until the work is cancelled: what was found is shown
            then, and the longer it took the more that is.

    Raises:
        RequestError: the method does not apply, or there is nothing to merge or to hide.
    """
    problem.check()
    if utility == "distortion" and problem.codebook is None:
        raise RequestError(
            "distortion needs numbers, categories or hierarchies to measure distances by; use resolution"
        )
    Goal(objective=objective, utility=utility, method=method, weight=0)  # refuses unknown names
    report = progress or (lambda _: None)
    prefer = "worst" if utility == "resolution" or method == "first-rise" else prefer
    goal = Goal(objective, utility, min_posterior=1, min_rows=min_rows, method=method, prefer=prefer)
    every = Portfolio(problem, goal)
    is_done = False
    with suppress(WorkCancelledError):
        every.run(report, baselines=baselines, until_stopped=until_stopped)
        every.run_again(until_stopped=until_stopped)
        is_done = True
    report(1.0)
    return survey_of(every.goal, every.memory, every.notes, baselines=baselines, is_done=is_done)


@dataclass(eq=False)
class Portfolio:
    """The searches for all levels: a survey shows what they find, a release is the best of it.

    A search depends on the problem and its goal alone; where there are few values, on the first searches for
    all levels besides. So a release for a level is searched for as a survey does it, and one for other
    targets chooses among what is found for levels.

    Attributes:
        problem: what is merged.
        goal: what is asked of each level, the level aside.
        notes: what was left out, for each method.
    """

    problem: Problem
    goal: Goal
    notes: dict[str, str] = field(default_factory=dict)

    @cached_property
    def memory(self) -> Memory:
        """What was found."""
        return Memory(self.problem)

    @cached_property
    def paths(self) -> GreedyPaths:
        """The greedy paths."""
        return GreedyPaths(self.problem, self.goal.utility)

    @property
    def is_whole(self) -> bool:
        """Whether a release is chosen among all that a survey looks at, and what it finds besides."""
        return self.problem.size <= ALL_LEVELS

    def search_for(self, targets: Targets, report: Progress) -> PartitionSearch:
        """The search for a release, at its end.

        Raises:
            WorkCancelledError: nobody waits for more.
        """
        search = self._search(targets.goal, 0, report)
        if search.solve_line() is not None or not search.must_lose():
            return search
        is_open = targets.goal.aim != "loss" or targets.blocks is not None or targets.is_crossed
        if self.is_whole or is_open:
            first = len(self.memory.points)
            if self.is_whole:
                self.run(report)
            if is_open and (targets.budget or not self.is_whole):
                self._look_at_levels(targets)
            del self.memory.points[:first]  # they are found again, after all others as in `run_again`
            search = self._search(targets.goal, len(self.memory.points), report)
        search.run()
        if is_small(self.problem) and not self.is_whole:
            self._add_baselines(search.memory, report)
        return search

    def _search(self, goal: Goal, known: int = 0, report: Progress = lambda _: None) -> PartitionSearch:
        """A search that begins with the first points of the memory; what it finds is kept there."""
        return PartitionSearch(
            Targets(self.problem, goal), self.memory.branch(known), self.paths, progress=report
        )

    def _look_at_levels(self, targets: Targets) -> None:
        """Searches for levels, where more is asked for than little loss of one kind for a level."""
        goal, least, most = targets.goal, int(targets.need.max()), int(targets.most.min())
        lost: Utility = "resolution" if goal.max_distortion is None else "distortion"
        keeps = bool(targets.budget) or goal.aim == "loss"
        level = replace(
            goal,
            objective="leakage",
            utility=lost if goal.aim == "leak" or targets.is_crossed else goal.utility,
            weight=None,
            min_posterior=least,
            max_maximin=None,
            max_distortion=goal.max_distortion if keeps else None,
            min_resolution=goal.min_resolution if keeps else None,
            prefer="worst",
        )

        def serves(k: int) -> bool:
            search = self._search(replace(level, min_posterior=k))
            search.thorough = False
            search.run()
            return any(targets.allow(point) and search.targets.allow(point) for point in search.memory.points)

        if goal.aim == "lagrangian":
            posteriors = levels(most, FEWEST) if targets.budget else self.posteriors
            for k in spread([k for k in posteriors if k >= least], WEIGHED):
                serves(k)
        elif goal.aim == "leak" or not serves(least):
            bisect_left(range(least, most + 1), True, key=lambda k: serves(k) == (goal.aim == "loss"))

    def run(self, report: Progress, *, baselines: bool = True, until_stopped: bool = False) -> None:
        """Run every method for every level.

        Raises:
            WorkCancelledError: nobody waits for more.
        """
        if self.problem.limits or self.goal.min_rows:
            self.memory.add(self.problem.whole, GREEDY)
        if self.goal.method == "first-rise":
            for weight, point in every_stop(self.paths, self.goal.objective):
                self.memory.add(point.cells, FIRST_RISE, setting=f"weight {float(weight):g}")
        else:
            goals = self._goals(self.posteriors, max(FEWEST, WORK // self.problem.size))
            self._solve(list(goals), lambda share: report(0.8 * share))
            if self.goal.method != "greedy":
                self._add_fewest_blocks()
            if self.goal.method != "exact":
                self._add_path_points()
        if baselines or is_small(self.problem):
            self._add_baselines(self.memory, lambda share: report(0.8 + 0.2 * share))
        if until_stopped and self.goal.method != "first-rise":
            left = [k for k in range(1, self.most + 1) if k not in self.posteriors]
            self._solve([replace(self._level, min_posterior=k) for k in scattered(left)], report)
            self.posteriors = list(range(1, self.most + 1))

    def run_again(self, *, until_stopped: bool = False) -> None:
        """Few values: what a release finds for a level besides is shown too, whichever loss comes first."""
        if not self.is_whole or self.goal.method == "first-rise":
            return
        known, one = len(self.memory.points), self.problem.line is not None
        looked_at = scattered(self.posteriors) if until_stopped else levels(self.most, LAST_LEVELS)
        for goal in self._goals(looked_at, LAST_LEVELS):
            for prefer in (
                get_args(Preference) if self.goal.utility == "distortion" and not one else ("worst",)
            ):
                self._search(replace(goal, prefer=prefer), known).run()

    def _add_baselines(self, memory: Memory, report: Progress) -> None:
        """What others do."""
        if self.goal.method != "exact":
            self.notes |= Baselines(memory, self.goal.utility).run(report)

    def _solve(self, goals: list[Goal], report: Progress) -> None:
        thorough = not self.is_whole and self.problem.size <= MOST_IMPROVED
        for number, goal in enumerate(goals):
            report(number / len(goals))
            for prefer in dict.fromkeys(("worst", goal.prefer)):
                search = self._search(replace(goal, prefer=prefer))
                search.thorough = thorough
                search.run()

    # --- levels -----------------------------------------------------------------------------------

    @property
    def most(self) -> int:
        """How many values the most telling answer can leave at most."""
        return int(self.problem.largest_posteriors.min())

    @cached_property
    def posteriors(self) -> list[int]:
        """The numbers of values left that are looked at, ascending: all where they are not too many.

        Small ones are asked for most: of too many the first half are those, and the rest are spread.
        """
        problem = self.problem
        if (
            not is_small(problem)
            and ContiguousOptimum.applies(problem, self.goal.utility)
            and self.goal.method != "greedy"
        ):
            line = ContiguousOptimum(problem, self.goal.utility, rows=self.goal.min_rows or 1)
            known = [k for k, _ in line.frontier]
            shown = spread(known, max(FEWEST, POINTS_WORK // problem.size))
            if len(shown) < len(known):
                self.notes[EXACT] = f"{len(shown)} of {len(known):,} points"
            return shown
        many = min(MOST_LEVELS, WORK // problem.size) if is_small(problem) else MANY_LEVELS
        return levels(self.most, max(FEWEST, min(many, PAIRS_WORK // len(problem.joint))))

    @property
    def _level(self) -> Goal:
        """The goal of a level: something may be given away, and as little as possible is lost."""
        return Goal(
            utility=self.goal.utility,
            min_posterior=1,
            min_rows=self.goal.min_rows,
            method=self.goal.method,
            prefer="worst" if self.is_whole else self.goal.prefer,
        )

    def _goals(self, posteriors: list[int], ratios_at_most: int) -> Iterator[Goal]:
        """A goal for each level."""
        problem, goal = self.problem, self._level
        for k in posteriors:
            yield replace(goal, min_posterior=k)
        if not problem.plain:  # then as many values left may be more leakage here than there
            pairs = set(zip(problem.prior.tolist(), problem.largest_posteriors.tolist(), strict=True))
            least = max(Fraction(prior, most) for prior, most in pairs)
            ratios = {Fraction(prior, k) for prior, most in pairs for k in range(1, most + 1)}
            within = sorted(ratio for ratio in ratios if ratio >= least)
            for ratio in within[:: -(-len(within) // ratios_at_most)]:
                yield replace(goal, max_leakage=Bits(ratio))

    # --- what is not asked for level by level -----------------------------------------------------

    def _add_fewest_blocks(self) -> None:
        """The fewest blocks for some distortions."""
        wanted = self.goal.utility == "distortion" and self.goal.objective != "leakage"
        if not wanted or not BlockBracket.applies(self.problem):
            return
        found = BlockBracket(self.problem)
        losses = found.distortions(WIDTHS + 1)
        if len(losses) > WIDTHS and not self.paths.slow:
            path = replace(self.paths.maximin, utility=self.goal.utility)
            losses = [one.distortion for one in path.frontier() if one.distortion is not None]
        for loss in spread(losses, WIDTHS):
            labels = found.within(loss).cells
            self.memory.add(labels, FEWEST_BLOCKS, setting=f"within {loss}")

    def _add_path_points(self) -> None:
        """The points of the greedy paths at which what they give away changes."""
        everything = Bits(self.problem.joint.size_x)  # all partitions keep to it
        goal = Goal(
            objective=self.goal.objective,
            utility=self.goal.utility,
            max_leakage=everything,
            method=self.goal.method,
        )
        targets = Targets(self.problem, goal)
        if joins_blocks(targets) and leaves_paths_out(targets):
            for labels in joined_blocks(self.problem, None):
                self.memory.add(labels, GREEDY)
        if not PartitionSearch(targets, self.memory, self.paths).has_paths:
            self.notes[GREEDY] = LEFT_OUT
            return
        points = [point for path in self.paths.serving(targets) for point in self._points(path)]
        if is_small(self.problem):
            points += self._other_points()
        if self.goal.objective == "both" and self.paths.slow:
            self.notes[GREEDY] = "problem (7) takes too long with this many values"
        for point in spread(points, max(FEWEST, POINTS_WORK // self.problem.size)):
            self.memory.add(point.cells, GREEDY)

    def _other_points(self) -> list[MergePoint]:
        """Cells made for the other utility, for requests that limit it."""
        other: Utility = "distortion" if self.goal.utility == "resolution" else "resolution"
        if other == "resolution" and self.problem.side is None:
            parts = strips(self.problem, "resolution")
            for k in self.posteriors:
                labels = deal_cells(parts, k)
                self.memory.add(self.problem.whole if labels is None else labels, GREEDY)
        if other == "distortion" and self.problem.codebook is None:
            return []
        return self._points(replace(self.paths, utility=other).leakage)

    def _points(self, path: MergePath) -> list[MergePoint]:
        """The points of a path at which less is given away than before, of whichever kind."""
        if not is_small(self.problem):
            return replace(
                path, objective=self.goal.objective, utility=self.goal.utility, weight=None
            ).frontier()
        told = np.stack((path.leaks[0] / path.leaks[1], path.components, path.min_posteriors))
        return [path[int(t)] for t in np.append(0, np.flatnonzero(np.any(np.diff(told) != 0, axis=0)) + 1)]


__all__ = [
    "Choice",
    "Goal",
    "Measures",
    "Problem",
    "ReleasePoint",
    "Series",
    "Survey",
    "choose",
    "measure",
    "survey",
]
