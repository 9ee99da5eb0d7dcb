"""Every method that applies: the best partition for a goal (`choose`), and the whole curve (`survey`)."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from noiseless.arrays import BoolArray
from noiseless.errors import RequestError
from noiseless.exact import Bits
from noiseless.search.all_partitions import ALL_PARTITIONS
from noiseless.search.choice import EXACT, Candidate, Choice, refuse
from noiseless.search.goal import Goal, Targets
from noiseless.search.greedy import GREEDY, GreedyPaths, cells_without_paths, leaves_paths_out
from noiseless.search.loss import Length, Loss, Method, Objective, Utility, below
from noiseless.search.measures import Measures, ReleasePoint, Scope, measure, measure_read
from noiseless.search.merging.path import MergePath, MergePoint
from noiseless.search.methods import FROM_MONDRIAN, MONDRIAN, NOT_EXACT, Levels, PartitionSearch, cuts_instead
from noiseless.search.optimum import BlockBracket, ContiguousOptimum, deal_cells
from noiseless.search.problem import Cells, Problem
from noiseless.search.strips import LineStrip, strips
from noiseless.search.survey import Baselines, Progress, Series, Survey, least_proved, point_of, undominated
from noiseless.search.top_down import TOP_DOWN

WORK = 2 * 10**7
"""About so many public values are looked at for one series: points times values."""

FEW_POINTS = 12
"""But a series has so many points at least, if there are so many."""

PROVED = 2 * 10**6
"""With more levels times pairs than this it is not asked whether a point is the best of all."""

WIDTHS = 16
"""For so many distortions the fewest blocks are sought."""

LEFT_OUT = "the paths are left out: with this many values they take too long"

_SETTINGS = {
    GREEDY: "improved",
    TOP_DOWN: "top-down",
    ALL_PARTITIONS: "best of all partitions",
    MONDRIAN: "Mondrian's cells",
    FROM_MONDRIAN: "from Mondrian's cells",
}
"""What is said of the cells that a level was given, by the method that found them."""

METHODS = {setting: method for method, setting in _SETTINGS.items()}
"""The method behind what is said of cells."""

Makes = Callable[[], Series]

Maker = tuple[str, Callable[[], Cells], Scope | None]
"""How something was asked, what makes its cells, and what is proved of them."""


def survey(
    problem: Problem,
    *,
    objective: Objective = "leakage",
    utility: Utility = "resolution",
    method: Method = "auto",
    baselines: bool = True,
    progress: Progress | None = None,
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
        progress: told the share of the work that is done, from 0 to 1.

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
    found: dict[str, Series] = {}
    quick, thorough = portfolio(problem, objective, utility, method)
    few = Levels.are_few(problem)
    makers = [*quick, *thorough] if baselines or few else quick
    for number, make in enumerate(makers):
        report(number / len(makers))
        series = make()
        known = found.get(series.name)
        points = (*known.points, *series.points) if known else series.points
        shown = points if series.baseline else undominated(list(points), objective, utility)
        found[series.name] = replace(known or series, points=shown, scope=least_proved(shown))
    report(1.0)
    every = [point for series in found.values() for point in series]
    shown_series = tuple(series for series in found.values() if baselines or not series.baseline)
    return Survey(problem, objective, utility, method, shown_series, undominated(every, objective, utility))


def portfolio(
    problem: Problem, objective: Objective, utility: Utility, method: Method
) -> tuple[list[Makes], list[Makes]]:
    """All cells that are looked at: a survey shows the best, and with few values a release is one of them.

    Returns:
        Methods, each as what makes its series with all its points: quick ones, and those that take longer.
    """
    run = _Run(problem, objective, utility, method)
    quick, thorough = list(run.ours(method)), list[Makes]()
    if method != "exact":
        levels: list[Makes] = [partial(run.levels, method)] if Levels.are_few(problem) else []
        thorough = [*levels, *Baselines(problem, objective, utility).series]
    return quick, thorough


@dataclass(frozen=True, eq=False)
class _Run:
    problem: Problem
    objective: Objective
    utility: Utility
    method: Method

    def ours(self, method: Method) -> Iterator[Callable[[], Series]]:
        """Our methods, each as what makes its series, the greedy one last."""
        problem = self.problem
        ordered = ContiguousOptimum.applies(problem, self.utility)
        fewest = (
            self.utility == "distortion" and self.objective != "leakage" and BlockBracket.applies(problem)
        )
        if method == "exact" and not ordered and not fewest:
            raise RequestError(NOT_EXACT)
        if method != "greedy":
            if ordered:
                yield self.exact
            if self.utility == "resolution" and problem.side is None:
                yield self.dealing
            if fewest:
                yield self.fewest
        if method != "exact":
            yield partial(self.levels, method) if self._are_cut(method) else self.greedy

    def _are_cut(self, method: Method) -> bool:
        """Whether there are too many values for the greedy paths, and cells are cut from the top down."""
        goal = Goal(objective=self.objective, utility=self.utility, method=method, min_posterior=1)
        return method == "auto" and cuts_instead(Targets(self.problem, goal))

    def series(self, name: str, makers: list[Maker], note: str = "") -> Series:
        """Measure what is made."""
        many = max(FEW_POINTS, WORK // self.problem.size)
        if len(makers) > many:
            places = np.unique(np.linspace(0, len(makers) - 1, many).astype(int))
            note = f"{len(places)} of {len(makers):,} points" + (f"; {note}" if note else "")
            makers = [makers[place] for place in places.tolist()]
        return Series(name, tuple(self.point(name, *maker) for maker in makers), note=note)

    def point(self, name: str, setting: str, make: Callable[[], Cells], scope: Scope | None) -> ReleasePoint:
        """A partition, measured; of some it is seen that no other is better."""
        found = measure_read(self.problem, make())[1]
        proved: Scope | None = None
        if self.objective != "maximin":
            proved = "all" if self._is_best(found) else scope
        return point_of(found, name, setting, proved, partial(_read, self.problem, make))

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
    def _losses(self) -> dict[int, Loss | None]:
        return {}

    def _least(self, k: int) -> Loss | None:
        """The least loss of any partition that leaves k values; None if none does."""
        if k not in self._losses:
            self._losses[k] = self.contiguous.least_of_any(k)
        return self._losses[k]

    @cached_property
    def strips(self) -> list[LineStrip]:
        """The values in order, a strip for each group."""
        return strips(self.problem, self.utility)

    @cached_property
    def contiguous(self) -> ContiguousOptimum:
        """The exact optimum."""
        return ContiguousOptimum(self.problem, self.utility)

    def exact(self) -> Series:
        """The whole exact frontier; with few values the best cells for every number of values left."""
        known = {k for k, _ in self.contiguous.frontier}
        if Levels.are_few(self.problem):
            known.update(Levels.known(self.problem))
        makers: list[Maker] = [(f"k = {k}", partial(self._exact, k), "contiguous") for k in sorted(known)]
        return self.series(EXACT, makers)

    def _exact(self, k: int) -> Cells:
        labels = self.contiguous.for_posterior(k)
        if labels is None:
            raise AssertionError("a point of the frontier has cells")
        return Cells.from_labels(labels)

    def dealing(self) -> Series:
        """Cells dealt for the resolution."""
        most = min(part.sensitive for part in self.strips)
        known = np.unique(np.linspace(1, most, min(most, 4 * FEW_POINTS)).astype(int)).tolist()
        if Levels.are_few(self.problem):
            known = Levels.known(self.problem)
        makers: list[Maker] = [(f"k = {k}", partial(self._dealt, k), None) for k in known]
        return self.series(
            "dealing", makers, "" if len(known) == most else f"{len(known)} posteriors of {most:,}"
        )

    def _dealt(self, k: int) -> Cells:
        labels = deal_cells(self.problem, self.strips, k)
        return Cells.from_labels(np.zeros(self.problem.size) if labels is None else labels)

    def fewest(self) -> Series:
        """The fewest blocks for some distortions."""
        found = BlockBracket(self.problem)
        losses = found.distortions(WIDTHS)
        if losses is None:
            path = replace(self.paths.maximin, utility=self.utility)
            losses = [one.distortion for one in path.frontier() if one.distortion is not None]
        picked = {round(place) for place in np.linspace(0, len(losses) - 1, WIDTHS)}
        makers: list[Maker] = [
            (f"within {losses[place]}", partial(self._fewest, found, losses[place]), None)
            for place in sorted(picked)
        ]
        return self.series("fewest blocks", makers)

    @staticmethod
    def _fewest(found: BlockBracket, loss: Length) -> Cells:
        return Cells.from_labels(found.within(loss, nodes=100).cells)

    @cached_property
    def paths(self) -> GreedyPaths:
        """The greedy paths."""
        return GreedyPaths(self.problem, self.utility)

    def greedy(self) -> Series:
        """One cell, and what greedy merging comes to: its paths where what they give away changes."""
        limit = Bits(self.problem.joint.size_x)  # everything keeps to it
        goal = Goal(objective=self.objective, utility=self.utility, max_leakage=limit, method=self.method)
        targets = Targets(self.problem, goal)
        if leaves_paths_out(targets):
            cells = cells_without_paths(targets)
            return self.series(
                GREEDY, [("", partial(Cells.from_labels, one), None) for one, _ in cells], LEFT_OUT
            )
        makers: list[Maker] = [("", partial(Cells.from_labels, self.problem.group_of), None)]
        for path in self.paths.serving(targets):
            makers += [("", partial(getattr, one, "cells"), None) for one in self._points(path)]
        if Levels.are_few(self.problem):
            makers += self._otherwise()
        note = "problem (7) takes too long with this many values" if self._leaves_out else ""
        return self.series(GREEDY, makers, note)

    def _otherwise(self) -> Iterator[Maker]:
        """Cells made for the other utility, for requests that limit it."""
        other: Utility = "distortion" if self.utility == "resolution" else "resolution"
        if other == "resolution" or self.problem.codebook is not None:
            path = replace(self.paths, utility=other).leakage
            yield from (("", partial(getattr, one, "cells"), None) for one in self._points(path))
        if other == "resolution" and self.problem.side is None:
            yield from (("", partial(self._dealt, k), None) for k in Levels.known(self.problem))

    def _points(self, path: MergePath) -> list[MergePoint]:
        """The points of a path at which less is given away than before, of whichever kind."""
        if not Levels.are_few(self.problem):
            return replace(path, objective=self.objective, utility=self.utility, weight=None).frontier()
        told = np.stack((path.leaks[0] / path.leaks[1], path.components, path.min_posteriors))
        return [path[int(t)] for t in np.append(0, np.flatnonzero(np.any(np.diff(told) != 0, axis=0)) + 1)]

    def levels(self, method: Method) -> Series:
        """What is found for each number of values left and each leakage."""
        name = TOP_DOWN if self._are_cut(method) else GREEDY
        makers: list[Maker] = [
            (
                "" if level.method == name == TOP_DOWN else _SETTINGS[level.method],
                partial(Cells.from_labels, level.cells.cell_of),
                None,
            )
            for level in Levels(self.paths, method)
            if level.method in _SETTINGS  # others have a series of their own
        ]
        if name == TOP_DOWN:
            ends = (np.arange(self.problem.size), self.problem.group_of)
            makers = [*(("", partial(Cells.from_labels, end), None) for end in ends), *makers]
        return self.series(name, makers)

    @property
    def _leaves_out(self) -> bool:
        return self.objective == "both" and self.paths.slow


def _read(problem: Problem, make: Callable[[], Cells]) -> Cells:
    return measure_read(problem, make())[0].cells


def choose(problem: Problem, goal: Goal, progress: Progress | None = None) -> Choice:
    """The best partition for a goal that the methods find, and what is proved about it.

    >>> from noiseless import JointRange
    >>> from noiseless.search.merging import ColumnCodebook, Numbers
    >>> hidden = JointRange.from_pairs([("a", 0), ("a", 1), ("b", 2), ("b", 3)])
    >>> problem = Problem(hidden, ColumnCodebook(Numbers([0, 1, 2, 3])))
    >>> found = choose(problem, Goal(min_posterior=2, utility="distortion"))
    >>> found.cells.members, found.quality.distortion, found.method, found.optimal, found.scope
    (((0, 2), (1, 3)), Length(1), 'greedy', True, 'all')

    Args:
        problem: what is to be merged.
        goal: limits, or a weight.
        progress: told the share of the work that is done, from 0 to 1.

    Raises:
        RequestError: the goal cannot be met; the message says what is possible.
    """
    report = progress or (lambda _: None)
    report(0.0)
    problem.check()
    targets = Targets(problem, goal)
    targets.check()
    search, few = PartitionSearch.of(targets), Levels.are_few(problem)
    quick, thorough = portfolio(problem, goal.objective, goal.utility, goal.method) if few else ([], [])
    if few:  # what a survey shows, so that the two agree
        search.bound_contiguous()
        _take(search, quick)
        search.exhaustively()
    else:
        search.run()
    report(0.6)
    if targets.budget:
        search.suppressing()
        report(0.8)
    choice = search.prove()
    if goal.method != "exact" and (choice is None or choice.gap != 0):
        if few:
            _take(search, thorough)
            search.improve_suppressed()
        else:
            search.improving()
        report(0.9)
        choice = search.prove()
    if choice is None:
        search.suppress_any()
        search.improve_suppressed()
        choice = search.prove()
    if choice is None:
        raise refuse(targets, choose)
    report(1.0)
    return choice


def _take(search: PartitionSearch, makers: list[Makes]) -> None:
    """Look at every point of some methods."""
    none = np.zeros(search.targets.problem.size, bool)
    for make in makers:
        for point in make().points:
            search.pool.take(point, partial(_found, point, none))


def _found(point: ReleasePoint, none: BoolArray) -> Candidate:
    return Candidate(point.partition, none, point.measures, METHODS.get(point.setting, point.series))


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
