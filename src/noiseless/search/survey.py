"""The whole curve of what is given away against what is lost, by our methods and by others'."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from noiseless.display import Facts, Shown
from noiseless.search.loss import Method, Objective, Utility, below
from noiseless.search.measures import ReleasePoint, Scope
from noiseless.search.problem import Problem


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
    """

    problem: Problem
    objective: Objective
    utility: Utility
    method: Method
    series: tuple[Series, ...]
    unbeaten: tuple[ReleasePoint, ...]
    is_complete: bool = False

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
