"""What a cell costs at least that holds a value and leaves this many sensitive values, for any columns."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from noiseless.arrays import IntArray
from noiseless.search.axes import begins
from noiseless.search.codebook import ColumnCodebook
from noiseless.search.entries import stable_order
from noiseless.search.loss import Length
from noiseless.search.problem import Problem
from noiseless.tables.coding import whole_type

PAIRS_WORK, HOLDERS_WORK = 10**7, 5 * 10**8
"""About this many pairs of values are looked at, and of a value and one that holds a sensitive value."""

AT_ONCE = 2**16
"""About this many of them at the same time: they fit a processor's cache."""

MOST_CODES = 4
"""How many codes of what is seen besides are looked at, those with the most values."""


@dataclass(frozen=True, eq=False)
class Radii:
    """Bounds from pairs: a cell costs at least what its two values furthest apart do.

    Attributes:
        problem: what is to be merged, with columns.
        far: values that are far from others, to be looked at first.
    """

    problem: Problem
    far: IntArray

    @classmethod
    def applies(cls, problem: Problem) -> bool:
        """Whether the codebook is one over columns whose numbers fit."""
        return isinstance(problem.codebook, ColumnCodebook) and problem.codebook.fits

    @cached_property
    def _book(self) -> ColumnCodebook:
        if not isinstance(self.problem.codebook, ColumnCodebook):
            raise TypeError("bounds from pairs are for codebooks over columns")
        return self.problem.codebook

    @cached_property
    def codes(self) -> list[int]:
        """The codes of `seen` that are looked at."""
        counts = np.bincount(self.problem.seen)
        return [int(code) for code in np.argsort(-counts, kind="stable")[:MOST_CODES]]

    def _holders(self, code: int) -> tuple[IntArray, IntArray]:
        """The public values that have each sensitive value, one after the other, and where each begins."""
        problem = self.problem
        mine = problem.seen[problem.joint.y] == code
        s, x = problem.joint.x[mine], problem.public[problem.joint.y[mine]]
        order = stable_order(s)
        return x[order].astype(whole_type(problem.size)), np.flatnonzero(begins(s[order]))

    def _reaches(self, code: int) -> Iterator[tuple[IntArray, IntArray]]:
        """Some centres, and what a cell with each and with each sensitive value costs at least: numerators.

        A cell that holds a centre and another value costs at least the bound of the two.
        """
        holders, starts = self._holders(code)
        values, places = np.unique(holders, return_inverse=True)
        centres = self._centres(values, len(holders))
        parts = min(len(centres), 1 + len(centres) * len(places) // AT_ONCE)
        for some in np.array_split(centres, parts):
            bounds = self._book.pair_bounds(some, values)[0]
            yield some, np.minimum.reduceat(bounds[:, places], starts, axis=1)

    def _centres(self, values: IntArray, holders: int) -> IntArray:
        most = _most_centres(len(values), holders)
        if len(values) <= most:
            return values
        first = self.far[np.isin(self.far, values)][: most // 2]
        spread = values[np.linspace(0, len(values) - 1, most - len(first)).astype(np.int64)]
        return np.unique(np.concatenate((first, spread)))

    @classmethod
    def all_fit(cls, problem: Problem) -> bool:
        """Whether all values are looked at; what is found is the same for all limits then, and found once."""
        return problem.size <= _most_centres(problem.size, len(problem.joint))

    def needed(self, code: int, k: int) -> tuple[IntArray, IntArray]:
        """The centres, and what a cell with each and with k sensitive values costs at least: numerators.

        They are -1 where there are not this many.
        """
        centres, costs = [], []
        for some, reaches in self._reaches(code):
            fewer = k > reaches.shape[1]
            costs.append(np.full(len(some), -1) if fewer else np.partition(reaches, k - 1, axis=1)[:, k - 1])
            centres.append(some)
        return np.concatenate(centres), np.concatenate(costs)

    def worst(self, code: int) -> IntArray:
        """What the costliest cell with 1, 2, ... sensitive values costs at least: numerators."""
        known = Radii, code
        if known in self.problem.made:
            return np.asarray(self.problem.made[known])
        found = [np.sort(reaches, axis=1).max(axis=0) for _, reaches in self._reaches(code)]
        worst = np.max(found, axis=0)
        if self.all_fit(self.problem):
            self.problem.made[known] = worst
        return np.asarray(worst)

    @property
    def _under(self) -> int:
        """The denominator of all numerators."""
        return 4 if self._book.combine == "squares" else 2

    def most(self, code: int, limit: Length) -> int:
        """How many sensitive values a cell of some cost has at most, if each value is in such a cell."""
        top = math.floor(self._ratio(limit) * self._under)
        within = [np.count_nonzero(reaches <= top, axis=1) for _, reaches in self._reaches(code)]
        return int(np.concatenate(within).min())

    def _ratio(self, limit: Length) -> Fraction:
        """A limit on the integer scale."""
        return (limit.squared if self._book.rooted else _above(limit)) / self._book.cost_unit

    def length(self, top: int) -> Length:
        """A numerator as a length."""
        return self._book.length(int(top), self._under)


def _most_centres(values: int, holders: int) -> int:
    """Around how many of some values is looked, which hold this many sensitive values in all."""
    return max(8, min(PAIRS_WORK // values, HOLDERS_WORK // holders))


def _above(limit: Length) -> Fraction:
    exact = limit.rational
    return Fraction(limit.upper) if exact is None else exact
