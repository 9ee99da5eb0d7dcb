"""The whole curve of what is given away against what is lost, by every method, in one frame."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from noiseless.display import html_table, text_table
from noiseless.search.merging.cells import Cells
from noiseless.search.merging.lagrangian import below
from noiseless.search.merging.path import Objective, Utility
from noiseless.search.selection.choice import Scope
from noiseless.search.selection.measures import Measures
from noiseless.search.selection.problem import Problem
from noiseless.search.selection.wish import Method

Progress = Callable[[float], None]
"""Told the share of the work that is done, from 0 to 1."""


@dataclass(frozen=True, eq=False, repr=False)
class SurveyPoint:
    """A point of a series: a partition that can be made again, and what it is worth.

    Attributes:
        quality: its exact measures.
        series: the name of the method that found it.
        setting: how that was asked, such as "k = 5"; empty if there is nothing to set.
        make: makes the partition.
        scope: `all` if no partition at all beats it (gives away less and loses no more, or gives away no more
            and loses less), `contiguous` if none with contiguous cells does; None if nothing is proved.
    """

    quality: Measures
    series: str
    setting: str
    make: Callable[[], Cells]
    scope: Scope | None = None

    @cached_property
    def cells(self) -> Cells:
        """The partition of the public values."""
        return self.make()

    def __repr__(self) -> str:
        found = self.quality
        lost = "" if found.distortion is None else f", distortion {found.distortion}"
        return (
            f"SurveyPoint({self.series}: {found.cells} cells, leakage {found.leakage}, maximin "
            f"{found.maximin}, min posterior {found.min_posterior}, largest cell {found.largest_cell}{lost})"
        )


@dataclass(frozen=True, eq=False)
class Series:
    """The points of one method, from the most to the least that is given away.

    Attributes:
        name: `exact, contiguous`, `greedy`, `dealing`, `fewest blocks`, `generalise and suppress`, `steepest
            descent`, `Mondrian`, `equal width` or `equal frequency`.
        ours: whether it is one of ours, and not a baseline.
        points: its undominated points (all points of a baseline).
        note: what was left out and why, or empty.
    """

    name: str
    ours: bool
    points: tuple[SurveyPoint, ...]
    note: str = ""

    @property
    def scope(self) -> Scope | None:
        """What is proved of all its points: the least that is proved of any of them."""
        return least_proved(self.points)

    def __len__(self) -> int:
        return len(self.points)

    def __iter__(self) -> Iterator[SurveyPoint]:
        return iter(self.points)


@dataclass(frozen=True, eq=False, repr=False)
class Survey:
    """What every method can do.

    Attributes:
        problem: what is to be merged.
        objective: what is given away.
        utility: what is kept.
        method: which of our methods were run.
        series: a series for each method.
        unbeaten: the points of all methods, shown or not, that no other beats; ours where a baseline comes to
            the same.
    """

    problem: Problem
    objective: Objective
    utility: Utility
    method: Method
    series: tuple[Series, ...]
    unbeaten: tuple[SurveyPoint, ...]

    def __getitem__(self, name: str) -> Series:
        for series in self.series:
            if series.name == name:
                return series
        raise KeyError(name)

    def __contains__(self, name: str) -> bool:
        return any(series.name == name for series in self.series)

    @cached_property
    def undominated(self) -> tuple[SurveyPoint, ...]:
        """The points of our methods that no other of them beats, from the most to the least given away."""
        return undominated(
            [point for series in self.series if series.ours for point in series], self.objective, self.utility
        )

    @property
    def scope(self) -> Scope | None:
        """What is proved of the undominated points as a whole: the least that is proved of any of them."""
        return least_proved(self.undominated)

    def _rows(self) -> dict[str, str]:
        rows = {"undominated": f"{len(self.undominated):,} points"}
        for series in self.series:
            rows[series.name] = f"{len(series):,} points" + (f" ({series.note})" if series.note else "")
        return rows

    def __repr__(self) -> str:
        return text_table(f"Survey: {self.objective} against {self.utility}", self._rows())

    def _repr_html_(self) -> str:
        return html_table(f"Survey: {self.objective} against {self.utility}", self._rows())


def least_proved(points: tuple[SurveyPoint, ...]) -> Scope | None:
    """What is proved of some points as a whole: the least that is proved of any of them."""
    known = {point.scope for point in points}
    return None if None in known or not known else "contiguous" if "contiguous" in known else "all"


def undominated(points: list[SurveyPoint], objective: Objective, utility: Utility) -> tuple[SurveyPoint, ...]:
    """The points that no other beats in what is given away and what is lost together; one of equals.

    With `both` only points that leave as little maximin information as any are looked at.
    """
    if objective == "both" and points:
        least = min(point.quality.maximin for point in points)
        points = [point for point in points if point.quality.maximin == least]

    found: list[SurveyPoint] = []
    for point in sorted(
        points, key=lambda point: (point.quality.leak(objective), point.quality.loss(utility))
    ):
        if not found or below(point.quality.loss(utility), found[-1].quality.loss(utility)):
            found.append(point)
    return tuple(found[::-1])
