"""What others do, as series of the same frame."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial

from noiseless.ranges import count_blocks
from noiseless.search.merging.baselines import (
    equal_frequency,
    equal_width,
    generalise_and_suppress,
    mondrian,
    steepest_descent,
)
from noiseless.search.merging.cells import Cells
from noiseless.search.merging.codebook import ColumnCodebook
from noiseless.search.merging.columns import Column, Numbers
from noiseless.search.merging.path import Objective, Utility
from noiseless.search.selection.measures import measure_read
from noiseless.search.selection.problem import Problem
from noiseless.search.selection.survey import Series, SurveyPoint

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
            points.append(SurveyPoint(found, name, setting, partial(_cells, read.cells)))
        return Series(name, False, tuple(points))

    def _within_groups(self, make: Callable[[], Cells]) -> Cells:
        cells, groups = make(), self.problem.group_of
        if self.problem.groups is None:
            return cells
        return Cells.from_labels(cells.cell_of * (int(groups.max()) + 1) + groups)

    @staticmethod
    def _none(name: str, note: str) -> Series:
        return Series(name, False, (), f"left out: {note}")

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


def _cells(cells: Cells) -> Cells:
    return cells
