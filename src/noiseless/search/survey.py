"""The whole curve of what is given away against what is lost, by our methods and by others'."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

from noiseless.display import html_table, text_table
from noiseless.ranges import count_blocks
from noiseless.search.codebook import ColumnCodebook
from noiseless.search.columns import Column, Numbers
from noiseless.search.loss import Method, Objective, Utility, below
from noiseless.search.measures import Measures, ReleasePoint, Scope, measure_read
from noiseless.search.merging.baselines import (
    equal_frequency,
    equal_width,
    generalise_and_suppress,
    mondrian,
    steepest_descent,
)
from noiseless.search.problem import Cells, Problem

Progress = Callable[[float], None]
"""Told the share of the work that is done, from 0 to 1."""


@dataclass(frozen=True)
class Series:
    """The points that one method reaches.

    Attributes:
        name: the method, as a legend says it: `exact, contiguous`, `greedy`, `dealing`, `fewest blocks`,
            `generalise and suppress`, `steepest descent`, `Mondrian`, `equal width` or `equal frequency`.
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
    unbeaten: tuple[ReleasePoint, ...]

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

    def _rows(self) -> dict[str, str]:
        rows = {"undominated": f"{len(self.undominated):,} points"}
        for series in self.series:
            rows[series.name] = f"{len(series):,} points" + (f" ({series.note})" if series.note else "")
        return rows

    def __repr__(self) -> str:
        return text_table(f"Survey: {self.objective} against {self.utility}", self._rows())

    def _repr_html_(self) -> str:
        return html_table(f"Survey: {self.objective} against {self.utility}", self._rows())


def point_of(
    measures: Measures,
    series: str,
    setting: str,
    scope: Scope | None = None,
    make: Callable[[], Cells] | None = None,
) -> ReleasePoint:
    """A point of a method."""
    method = f"{series}, {setting}" if setting else series
    return ReleasePoint.of(measures, method, series=series, setting=setting, scope=scope, make=make)


def least_proved(points: tuple[ReleasePoint, ...]) -> Scope | None:
    """What is proved of some points as a whole: the least that is proved of any of them."""
    known = {point.scope for point in points}
    return None if None in known or not known else "contiguous" if "contiguous" in known else "all"


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


MOST_FOR_MONDRIAN = 60_000
MOST_FOR_BINS = 300_000
MOST_PAIRS = 2 * 10**5
"""Steepest descent looks at all pairs before each merge; at no more than about so many in all."""

SIZES = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 25, 32, 40, 50, 75, 100, 150, 200, 500, 1000)
WEIGHTS = (Fraction(1, 100), Fraction(1, 10), Fraction(1, 2))


@dataclass(frozen=True, eq=False)
class Baselines:
    """The baselines of a problem. They know neither groups nor side information, and are measured with them.

    Attributes:
        problem: what is merged.
        objective: what is given away.
        utility: what is kept.
    """

    problem: Problem
    objective: Objective
    utility: Utility

    @property
    def series(self) -> list[Callable[[], Series]]:
        """Each baseline, as what makes its series."""
        return [self.suppression, self.descent, self.mondrian, self.widths, self.frequencies]

    @cached_property
    def _columns(self) -> tuple[Column, ...]:
        book = self.problem.codebook
        return book.columns if isinstance(book, ColumnCodebook) else ()

    @cached_property
    def _numbers(self) -> Numbers | None:
        only = self._columns[0] if len(self._columns) == 1 else None
        return only if isinstance(only, Numbers) else None

    @cached_property
    def _posteriors(self) -> list[int]:
        return [k for k in SIZES if k <= self.problem.joint.size_x]

    def _series(self, name: str, makers: Mapping[str, Callable[[], Cells]]) -> Series:
        points = []
        for setting, make in makers.items():
            within = partial(self._within_groups, make)
            read, found = measure_read(self.problem, within())
            points.append(point_of(found, name, setting, make=partial(getattr, read, "cells")))
        return Series(name, tuple(points), baseline=True)

    def _within_groups(self, make: Callable[[], Cells]) -> Cells:
        cells, groups = make(), self.problem.group_of
        if self.problem.groups is None:
            return cells
        return Cells.from_labels(cells.cell_of * (int(groups.max()) + 1) + groups)

    @staticmethod
    def _none(name: str, note: str) -> Series:
        return Series(name, (), baseline=True, note=f"left out: {note}")

    def suppression(self) -> Series:
        """Generalisation and suppression for k-anonymity, [49] of [P3]."""
        joint = self.problem.marginal
        makers = {f"k = {k}": partial(generalise_and_suppress, joint, k) for k in self._posteriors}
        return self._series("generalise and suppress", makers)

    def descent(self) -> Series:
        """Agglomeration by the steepest descent of the Lagrangian, after [50] of [P3]."""
        name, problem = "steepest descent", self.problem
        if problem.size**2 * count_blocks(problem.joint) > MOST_PAIRS:
            return self._none(name, "it looks at all pairs of values before each merge, which takes too long")
        book = problem.codebook if self.utility == "distortion" else None
        makers = {
            f"weight {float(weight):g}": partial(
                steepest_descent, problem.joint, weight, book, side=problem.seen_with
            )
            for weight in WEIGHTS
        }
        return self._series(name, makers)

    def mondrian(self) -> Series:
        """Mondrian, strict, with k sensitive values a cell."""
        if not self._columns:
            return self._none("Mondrian", "it needs columns to halve")
        if self.problem.size > MOST_FOR_MONDRIAN:
            return self._none("Mondrian", f"more than {MOST_FOR_MONDRIAN:,} public values take too long")
        joint = self.problem.marginal
        return self._series(
            "Mondrian", {f"k = {k}": partial(mondrian, joint, self._columns, k) for k in self._posteriors}
        )

    def widths(self) -> Series:
        """Bins of one width."""
        return self._bins("equal width", equal_width)

    def frequencies(self) -> Series:
        """Bins of as many rows."""
        return self._bins("equal frequency", partial(equal_frequency, rows=self.problem.weights))

    def _bins(self, name: str, cut: Callable[[Numbers, int], Cells]) -> Series:
        if self._numbers is None:
            return self._none(name, "it is for one numeric column")
        if self.problem.size > MOST_FOR_BINS:
            return self._none(name, f"more than {MOST_FOR_BINS:,} public values take too long")
        bins = [many for many in (1, *SIZES) if many <= self.problem.size]
        return self._series(name, {f"{many} bins": partial(cut, self._numbers, many) for many in bins})
