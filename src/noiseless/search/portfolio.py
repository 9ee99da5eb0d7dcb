"""Every method that applies: the best partition for a goal (`choose`), and the whole curve (`survey`)."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, get_args

import numpy as np

from noiseless.errors import RequestError
from noiseless.exact import Bits
from noiseless.search.all_partitions import ALL_PARTITIONS, MOST_VALUES
from noiseless.search.cell_cover import CELL_COVER
from noiseless.search.choice import EXACT, Choice, refuse, with_least_mean
from noiseless.search.deals import deal_cells
from noiseless.search.first_rise import FIRST_RISE, every_stop, stopped_choice
from noiseless.search.goal import Goal, Targets
from noiseless.search.greedy import DEALING, GREEDY, GreedyPaths, leaves_paths_out
from noiseless.search.improvement import FROM_MONDRIAN, MOST_IMPROVED
from noiseless.search.joined_blocks import joined_blocks, joins_blocks
from noiseless.search.limits import within_rows
from noiseless.search.line_search import FEWEST_BLOCKS, UNCHANGED
from noiseless.search.loss import Loss, Method, Objective, Preference, Utility, below
from noiseless.search.measures import Measures, Memory, ReleasePoint, measure
from noiseless.search.merging.baselines import BASELINES, Baselines
from noiseless.search.merging.path import MergePath, MergePoint
from noiseless.search.methods import PartitionSearch, is_small
from noiseless.search.optimum import BlockBracket, ContiguousOptimum
from noiseless.search.problem import Problem
from noiseless.search.strips import strips
from noiseless.search.survey import Series, Survey, least_proved, scattered, spread, undominated
from noiseless.search.top_down import TOP_DOWN
from noiseless.work import Progress, WorkCancelledError

WORK, MORE_WORK, FEWEST = 20_000, 10**6, 12
"""As many levels are looked at as make this many public values in all (more where there are many of them,
which are looked at in less detail), or at least this many levels."""

ALL_LEVELS = 100
"""With more public values a release is searched for by itself, and not among all levels."""

POINTS_WORK = 2 * 10**7
"""Of a path, and of the exact frontier, points are measured up to this many values in all."""

PROVED = 2 * 10**6
"""With more levels times pairs than this it is not asked whether a point is the best of all."""

WIDTHS = 16
"""For this many distortions the fewest blocks are sought."""

SHOWN = (
    *(EXACT, DEALING, FEWEST_BLOCKS, TOP_DOWN, GREEDY, ALL_PARTITIONS, CELL_COVER, FROM_MONDRIAN, FIRST_RISE),
    *BASELINES,
)
"""The order of methods."""

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
    every = FrontierSearch(
        within_rows(problem, goal.min_rows if problem.size <= ALL_LEVELS else None),
        goal.objective,
        goal.utility,
        goal.method,
    )
    if goal.method == "first-rise":
        return stopped_choice(targets, every.memory, every.paths)
    search = PartitionSearch(targets, every.memory, every.paths, progress=lambda share: report(0.7 * share))
    try:
        choice = search.solve_line()
        if choice is None:
            if every.is_whole:
                every.run(lambda share: report(0.7 * share))
            choice = search.solve(alone=True)
        if choice is None:
            raise refuse(targets, choose)
        choice = with_least_mean(choice, search.bounds)
    except WorkCancelledError:
        choice = search.stop()
    report(1.0)
    return choice


def survey(
    problem: Problem,
    *,
    objective: Objective = "leakage",
    utility: Utility = "resolution",
    method: Method = "auto",
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
    every = FrontierSearch(problem, objective, utility, method)
    with suppress(WorkCancelledError):
        every.run(report, baselines=baselines or every.is_small, until_stopped=until_stopped)
        every.run_alone()
    report(1.0)
    return every.survey(baselines=baselines)


@dataclass(eq=False)
class FrontierSearch:
    """The searches for all levels, which share a memory: a survey shows it, a release is the best of it.

    Attributes:
        problem: what is merged.
        objective: what is given away.
        utility: what is kept.
        method: which of our methods are run.
        notes: what was left out, for each method.
        is_done: whether nothing was cut short.
    """

    problem: Problem
    objective: Objective
    utility: Utility
    method: Method
    notes: dict[str, str] = field(default_factory=dict)
    is_done: bool = False

    @cached_property
    def memory(self) -> Memory:
        """What was found."""
        return Memory(self.problem)

    @cached_property
    def paths(self) -> GreedyPaths:
        """The greedy paths."""
        return GreedyPaths(self.problem, self.utility)

    @property
    def is_small(self) -> bool:
        """Whether there are few public values."""
        return is_small(self.problem)

    @property
    def is_whole(self) -> bool:
        """Whether a release is chosen among all that a survey looks at, and what it finds besides."""
        return self.problem.size <= ALL_LEVELS

    def run(
        self, report: Callable[[float], None], *, baselines: bool = True, until_stopped: bool = False
    ) -> None:
        """Run every method for every level.

        Raises:
            WorkCancelledError: nobody waits for more.
        """
        if self.problem.limits:
            self.memory.add(self.problem.whole, GREEDY)
        if self.method == "first-rise":
            for weight, point in every_stop(self.paths, self.objective):
                self.memory.add(point.cells, FIRST_RISE, setting=f"weight {float(weight):g}")
        else:
            self._solve(list(self._goals()), lambda share: report(0.8 * share))
            self._run_others()
        if baselines and self.method != "exact":
            self.notes |= Baselines(self.memory, self.utility).run(lambda share: report(0.8 + 0.2 * share))
        if until_stopped and self.method != "first-rise":
            goal = Goal(utility=self.utility, min_posterior=1, method=self.method)
            left = [k for k in range(1, self.most + 1) if k not in self.posteriors]
            self._solve([replace(goal, min_posterior=k) for k in scattered(left)], report)
            self.posteriors = list(range(1, self.most + 1))
        self.is_done = True

    def run_alone(self) -> None:
        """Few values: what a release finds for a level alone, whichever loss comes first, is shown too."""
        if not self.is_whole or self.method != "auto" or self.utility != "distortion":
            return
        for goal in self._goals():
            for prefer in ("worst",) if self.problem.line is not None else get_args(Preference):
                targets = Targets(self.problem, replace(goal, prefer=prefer))
                PartitionSearch(targets, self.memory, self.paths).solve(alone=True)

    def _solve(self, goals: list[Goal], report: Callable[[float], None]) -> None:
        for number, goal in enumerate(goals):
            report(number / len(goals))
            targets = Targets(self.problem, goal)
            search = PartitionSearch(targets, self.memory, self.paths, first=len(self.memory.points))
            (search.solve if self.problem.size <= MOST_IMPROVED else search.run)()

    def _run_others(self) -> None:
        """Run what is not asked for level by level."""
        if self.method != "greedy":
            self._add_fewest_blocks()
        if self.method != "exact":
            self._add_path_points()

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
        problem, most = self.problem, self.most
        if not self.is_small and ContiguousOptimum.applies(problem, self.utility) and self.method != "greedy":
            known = [k for k, _ in self._line.frontier]
            shown = spread(known, max(FEWEST, POINTS_WORK // problem.size))
            if len(shown) < len(known):
                self.notes[EXACT] = f"{len(shown)} of {len(known):,} points"
            return shown
        many = max(FEWEST, (WORK if self.is_small else MORE_WORK) // problem.size)
        first = min(most, many if most <= many else many // 2)
        return [*range(1, first), *np.unique(np.linspace(first, most, many - first + 1).astype(int)).tolist()]

    def _goals(self) -> Iterator[Goal]:
        """A goal for each level."""
        problem = self.problem
        goal = Goal(utility=self.utility, min_posterior=1, method=self.method)
        for k in self.posteriors:
            yield replace(goal, min_posterior=k)
        if not problem.plain:  # then as many values left may be more leakage here than there
            pairs = set(zip(problem.prior.tolist(), problem.largest_posteriors.tolist(), strict=True))
            least = max(Fraction(prior, most) for prior, most in pairs)
            ratios = {Fraction(prior, k) for prior, most in pairs for k in range(1, most + 1)}
            within = sorted(ratio for ratio in ratios if ratio >= least)
            for ratio in within[:: -(-len(within) // max(FEWEST, WORK // problem.size))]:
                yield replace(goal, max_leakage=Bits(ratio))

    # --- what is not asked for level by level -----------------------------------------------------

    def _add_fewest_blocks(self) -> None:
        """The fewest blocks for some distortions."""
        wanted = self.utility == "distortion" and self.objective != "leakage"
        if not wanted or not BlockBracket.applies(self.problem):
            return
        found = BlockBracket(self.problem)
        losses = found.distortions(WIDTHS)
        if losses is None:
            path = replace(self.paths.maximin, utility=self.utility)
            losses = [one.distortion for one in path.frontier() if one.distortion is not None]
        for loss in spread(losses, WIDTHS):
            labels = found.within(loss).cells
            self.memory.add(labels, FEWEST_BLOCKS, setting=f"within {loss}")

    def _add_path_points(self) -> None:
        """The points of the greedy paths at which what they give away changes."""
        everything = Bits(self.problem.joint.size_x)  # all partitions keep to it
        goal = Goal(
            objective=self.objective, utility=self.utility, max_leakage=everything, method=self.method
        )
        targets = Targets(self.problem, goal)
        if joins_blocks(targets) and leaves_paths_out(targets):
            for labels in joined_blocks(self.problem, None):
                self.memory.add(labels, GREEDY)
        if not PartitionSearch(targets, self.memory, self.paths).has_paths:
            self.notes[GREEDY] = LEFT_OUT
            return
        points = [point for path in self.paths.serving(targets) for point in self._points(path)]
        if self.is_small:
            points += self._other_points()
        if self.objective == "both" and self.paths.slow:
            self.notes[GREEDY] = "problem (7) takes too long with this many values"
        for point in spread(points, max(FEWEST, POINTS_WORK // self.problem.size)):
            self.memory.add(point.cells, GREEDY)

    def _other_points(self) -> list[MergePoint]:
        """Cells made for the other utility, for requests that limit it."""
        other: Utility = "distortion" if self.utility == "resolution" else "resolution"
        if other == "resolution" and self.problem.side is None:
            parts = strips(self.problem, "resolution")
            for k in self.posteriors:
                labels = deal_cells(self.problem, parts, k)
                self.memory.add(self.problem.whole if labels is None else labels, GREEDY)
        if other == "distortion" and self.problem.codebook is None:
            return []
        return self._points(replace(self.paths, utility=other).leakage)

    def _points(self, path: MergePath) -> list[MergePoint]:
        """The points of a path at which less is given away than before, of whichever kind."""
        if not self.is_small:
            return replace(path, objective=self.objective, utility=self.utility, weight=None).frontier()
        told = np.stack((path.leaks[0] / path.leaks[1], path.components, path.min_posteriors))
        return [path[int(t)] for t in np.append(0, np.flatnonzero(np.any(np.diff(told) != 0, axis=0)) + 1)]

    # --- what is shown ----------------------------------------------------------------------------

    def survey(self, *, baselines: bool) -> Survey:
        """What was found, by method."""
        found: dict[str, dict[Any, ReleasePoint]] = {name: {} for name in self.notes}
        for number, point in enumerate(self.memory.points):
            if not point.kept or (point.series == UNCHANGED and self.method == "exact"):
                continue
            name = GREEDY if point.series == UNCHANGED else point.series
            key = point.method if name in BASELINES else number
            found.setdefault(name, {}).setdefault(key, replace(point, series=name))
        series = [self._series(name, list(found[name].values())) for name in sorted(found, key=_place)]
        every = [point for one in series for point in one]
        return Survey(
            self.problem,
            self.objective,
            self.utility,
            self.method,
            tuple(one for one in series if baselines or not one.baseline),
            undominated(every, self.objective, self.utility),
            self.is_done and self.problem.size <= MOST_VALUES,
        )

    def _series(self, name: str, points: list[ReleasePoint]) -> Series:
        is_baseline, note = name in BASELINES, self.notes.get(name, "")
        if not is_baseline:
            points = list(undominated(points, self.objective, self.utility))
        shown = tuple(map(self._proved, points))
        return Series(name, shown, None if is_baseline else least_proved(shown), is_baseline, note)

    def _proved(self, point: ReleasePoint) -> ReleasePoint:
        """A point, with what is proved of it; of some it is seen that no other is better."""
        if self.objective == "maximin":
            return replace(point, scope=None)
        return replace(point, scope="all") if self._is_best(point) else point

    def _is_best(self, found: Measures) -> bool:
        """Whether bounds on all partitions show that none leaves as much and loses less, or the reverse."""
        problem, loss = self.problem, found.loss(self.utility)
        if problem.side is not None or len(problem.joint) * problem.joint.size_x > PROVED:
            return False
        if self.utility == "distortion" and problem.line is None:
            return False
        here, beyond = self._least(found.min_posterior), self._least(found.min_posterior + 1)
        return here is not None and not below(here, loss) and (beyond is None or below(loss, beyond))

    @cached_property
    def _line(self) -> ContiguousOptimum:
        return ContiguousOptimum(self.problem, self.utility)

    @cached_property
    def _losses(self) -> dict[int, Loss | None]:
        return {}

    def _least(self, k: int) -> Loss | None:
        """The least loss of any partition that leaves k values; None if none does."""
        if k not in self._losses:
            self._losses[k] = self._line.least_of_any(k)
        return self._losses[k]


def _place(name: str) -> tuple[int, str]:
    """Where a series is shown: ours first, as they are listed."""
    return (SHOWN.index(name) if name in SHOWN else len(SHOWN), name)


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
