"""The whole curve of what is given away against what is lost, by our methods and by others'."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import numpy as np

from noiseless.display import Facts, Shown
from noiseless.search.all_partitions import ALL_PARTITIONS, MOST_VALUES
from noiseless.search.cell_cover import CELL_COVER
from noiseless.search.choice import EXACT
from noiseless.search.first_rise import FIRST_RISE
from noiseless.search.goal import Goal
from noiseless.search.greedy import DEALING, GREEDY
from noiseless.search.improvement import FROM_MONDRIAN
from noiseless.search.line_search import FEWEST_BLOCKS, UNCHANGED
from noiseless.search.loss import Method, Objective, Utility, below
from noiseless.search.measures import Measures, Memory, ReleasePoint, Scope
from noiseless.search.merging.baselines import BASELINES
from noiseless.search.optimum import ContiguousOptimum
from noiseless.search.problem import Problem
from noiseless.search.top_down import TOP_DOWN


@dataclass(frozen=True)
class Series:
    """The points that one method reaches.

    Attributes:
        name: the method, as a legend says it: `exact, contiguous`, `dealing`, `fewest blocks`, `top-down`,
            `greedy`, `all partitions`, `Mondrian, improved`; `generalise and suppress`, `steepest descent`,
            `IAC-MDSF`, `Mondrian`, `equal width` or `equal frequency`.
        points: its undominated points (all points of a baseline), the leakiest first.
        scope: what is proved of all its points: the least that is proved of any of them.
        baseline: whether it is somebody else's method, shown for comparison.
        note: what was left out and why; empty where nothing was.
    """

    name: str
    points: tuple[ReleasePoint, ...]
    scope: Scope | None = None
    baseline: bool = False
    note: str = ""

    def __len__(self) -> int:
        return len(self.points)

    def __iter__(self) -> Iterator[ReleasePoint]:
        return iter(self.points)

    def to_dict(self) -> dict[str, Any]:
        """As it is in JSON."""
        return {
            "name": self.name,
            "scope": self.scope,
            "baseline": self.baseline,
            "note": self.note,
            "points": [point.to_dict() for point in self.points],
        }


@dataclass(frozen=True, eq=False, repr=False)
class Survey(Shown):
    """What every method can do.

    Attributes:
        problem: what is to be merged.
        objective: what is given away.
        utility: what is kept.
        method: which of our methods were run.
        series: a series for each method.
        unbeaten: the points of all methods, shown or not, that no other beats; ours where a baseline comes to
            the same.
        is_complete: whether every release of the same problem that suppresses nothing gives away and loses as
            much as some point, or more.
        is_cut: whether the search was stopped before its end.
    """

    problem: Problem
    objective: Objective
    utility: Utility
    method: Method
    series: tuple[Series, ...]
    unbeaten: tuple[ReleasePoint, ...]
    is_complete: bool = False
    is_cut: bool = False

    def __getitem__(self, name: str) -> Series:
        for series in self.series:
            if series.name == name:
                return series
        raise KeyError(name)

    def __contains__(self, name: str) -> bool:
        return any(series.name == name for series in self.series)

    @cached_property
    def undominated(self) -> tuple[ReleasePoint, ...]:
        """The points of our methods that no other of them beats, from the most to the least given away."""
        return undominated(
            [point for series in self.series if not series.baseline for point in series],
            self.objective,
            self.utility,
        )

    @property
    def scope(self) -> Scope | None:
        """What is proved of the undominated points as a whole: the least that is proved of any of them."""
        return least_proved(self.undominated)

    def _shown(self) -> tuple[str, Facts]:
        rows = {"undominated": f"{len(self.undominated):,} points"}
        for series in self.series:
            rows[series.name] = f"{len(series):,} points" + (f" ({series.note})" if series.note else "")
        return f"Survey: {self.objective} against {self.utility}", rows


SHOWN = (
    *(EXACT, DEALING, FEWEST_BLOCKS, TOP_DOWN, GREEDY, ALL_PARTITIONS, CELL_COVER, FROM_MONDRIAN, FIRST_RISE),
    *BASELINES,
)
"""The order of methods."""

PROVED = 2 * 10**6
"""With more sensitive values times pairs than this it is not asked whether a point is the best of all."""


def survey_of(
    goal: Goal, memory: Memory, notes: Mapping[str, str], *, baselines: bool, is_done: bool
) -> Survey:
    """What was found, by method.

    Args:
        goal: what was asked of each level.
        memory: what was found.
        notes: what was left out, for each method.
        baselines: whether others' methods are shown.
        is_done: whether nothing was cut short.
    """
    found: dict[str, dict[Any, ReleasePoint]] = {name: {} for name in notes}
    for number, point in enumerate(memory.points):
        if not point.kept or point.min_rows < (goal.min_rows or 0):
            continue
        if point.series == UNCHANGED and goal.method == "exact":
            continue
        name = GREEDY if point.series == UNCHANGED else point.series
        key = point.method if name in BASELINES else number
        found.setdefault(name, {}).setdefault(key, replace(point, series=name))
    is_best = _best_of_all(memory.problem, goal.utility)
    names = sorted(found, key=lambda name: (SHOWN.index(name) if name in SHOWN else len(SHOWN), name))
    series = [_series(name, list(found[name].values()), notes.get(name, ""), goal, is_best) for name in names]
    return Survey(
        memory.problem,
        goal.objective,
        goal.utility,
        goal.method,
        tuple(one for one in series if baselines or not one.baseline),
        undominated([point for one in series for point in one], goal.objective, goal.utility),
        is_complete=is_done and memory.problem.size <= MOST_VALUES,
        is_cut=not is_done,
    )


def _series(
    name: str, points: list[ReleasePoint], note: str, goal: Goal, is_best: Callable[[Measures], bool]
) -> Series:
    """The points that one method reaches, with what is proved of each."""
    is_baseline = name in BASELINES
    if not is_baseline:
        points = list(undominated(points, goal.objective, goal.utility))
    shown = tuple(_proved(point, goal, is_best) for point in points)
    return Series(name, shown, None if is_baseline else least_proved(shown), is_baseline, note)


def _proved(point: ReleasePoint, goal: Goal, is_best: Callable[[Measures], bool]) -> ReleasePoint:
    """A point, with what is proved of it; of some it is seen that no other is better."""
    if goal.objective == "maximin":
        return replace(point, scope=None)
    if is_best(point):
        return replace(point, scope="all")
    return replace(point, scope=None) if goal.min_rows else point


def _best_of_all(problem: Problem, utility: Utility) -> Callable[[Measures], bool]:
    """Whether bounds on all partitions show that none leaves as much and loses less, or the reverse."""
    if problem.side is not None or len(problem.joint) * problem.joint.size_x > PROVED:
        return lambda _: False
    if utility == "distortion" and problem.line is None:
        return lambda _: False
    least = cache(ContiguousOptimum(problem, utility).least_of_any)

    def is_best(found: Measures) -> bool:
        loss, here, beyond = (
            found.loss(utility),
            least(found.min_posterior),
            least(found.min_posterior + 1),
        )
        return here is not None and not below(here, loss) and (beyond is None or below(loss, beyond))

    return is_best


def least_proved(points: tuple[ReleasePoint, ...]) -> Scope | None:
    """What is proved of some points as a whole: the least that is proved of any of them."""
    known = {point.scope for point in points}
    least: tuple[Scope, ...] = ("contiguous", "full-domain")
    return None if None in known or not known else next((one for one in least if one in known), "all")


def undominated(
    points: list[ReleasePoint], objective: Objective, utility: Utility
) -> tuple[ReleasePoint, ...]:
    """The points that no other beats in what is given away and what is lost together; one of equals.

    With `both` only points that leave as little maximin information as any are looked at.
    """
    if objective == "both" and points:
        least = min(point.maximin for point in points)
        points = [point for point in points if point.maximin == least]

    found: list[ReleasePoint] = []
    for point in sorted(points, key=lambda point: (point.leak(objective), point.loss(utility))):
        if not found or below(point.loss(utility), found[-1].loss(utility)):
            found.append(point)
    return tuple(found[::-1])


def scattered(items: list[Any]) -> list[Any]:
    """All items in an order whose beginning is spread over them: by their places' binary digits, mirrored."""
    digits = len(items).bit_length()
    places = sorted(range(len(items)), key=lambda place: f"{place:0{digits}b}"[::-1])
    return [items[place] for place in places]


def spread(items: list[Any], many: int) -> list[Any]:
    """Some of the items, no more than this many, spread over all."""
    return [items[round(place)] for place in np.linspace(0, len(items) - 1, min(many, len(items)))]


def levels(most: int, many: int) -> list[int]:
    """Numbers of values to leave: all if there are not too many, else half of them the smallest, half spread.

    >>> levels(4, 6), levels(100, 6)
    ([1, 2, 3, 4], [1, 2, 3, 35, 67, 100])
    """
    first = min(most, many if most <= many else many // 2)
    return [*range(1, first), *np.unique(np.linspace(first, most, many - first + 1).astype(int)).tolist()]
