"""How much a cell with k sensitive values costs at least, for any columns: by what is near each value."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from noiseless.arrays import IntArray
from noiseless.search.merging.codebook import ColumnCodebook
from noiseless.search.merging.length import Length
from noiseless.search.selection.problem import Problem

WORK = 3 * 10**7
"""About so many pairs of values are looked at."""

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
        """Whether the codebook is one over columns that fit the kernels."""
        return isinstance(problem.codebook, ColumnCodebook) and problem.codebook.fits

    @cached_property
    def _book(self) -> ColumnCodebook:
        if not isinstance(self.problem.codebook, ColumnCodebook):
            raise TypeError("only codebooks over columns are compiled")
        return self.problem.codebook

    @cached_property
    def codes(self) -> list[int]:
        """The codes of `seen` that are looked at."""
        counts = np.bincount(self.problem.seen)
        return [int(code) for code in np.argsort(-counts, kind="stable")[:MOST_CODES]]

    def _values(self, code: int) -> tuple[IntArray, "np.ndarray[tuple[int, int], np.dtype[np.uint64]]"]:
        """The public values seen with a code, and for each public value its sensitive values as bits."""
        problem = self.problem
        s, y = np.asarray(problem.joint.x, np.int64), problem.joint.y
        mine = problem.seen[y] == code
        known, s = np.unique(s[mine], return_inverse=True)
        x, s = problem.public[y[mine]], s.reshape(-1)
        words = np.zeros((problem.size, -(-len(known) // 64)), np.uint64)
        np.bitwise_or.at(words, (x, s >> 6), np.uint64(1) << (s & 63).astype(np.uint64))
        return np.unique(x), words

    def _centres(self, values: IntArray, *, every: bool) -> IntArray:
        most = max(8, WORK // len(values))
        if every or len(values) <= most:
            return values
        first = self.far[np.isin(self.far, values)][: most // 2]
        spread = values[np.linspace(0, len(values) - 1, most - len(first)).astype(np.int64)]
        return np.unique(np.concatenate((first, spread)))

    def every(self) -> bool:
        """Whether all values can be looked at."""
        return self.problem.size <= max(8, WORK // self.problem.size)

    def least(self, code: int, k: int, *, every: bool = False) -> tuple[IntArray, IntArray, int]:
        """For each centre what a cell with it and with 1, 2, ..., k sensitive values costs at least.

        Returns:
            The centres, a table of numerators (-1 where there are not so many), and the denominator.
        """
        from noiseless.search.merging.general import geometry
        from noiseless.search.selection import kernels

        values, words = self._values(code)
        centres = self._centres(values, every=every)
        found = np.empty((len(centres), k), np.int64)
        cells, _, tree, penalties, shape = geometry(self._book, self.problem.size)
        kernels.radii(cells, tree, penalties, shape, words, values, centres, found)
        return centres, found, 4 if self._book.combine == "squares" else 2

    def most(self, code: int, limit: Length) -> int:
        """How many sensitive values a cell of some cost has at most, if each value is in such a cell."""
        from noiseless.search.merging.general import geometry
        from noiseless.search.selection import kernels

        values, words = self._values(code)
        centres = self._centres(values, every=False)
        ratio = self._ratio(limit)
        found = np.empty(len(centres), np.int64)
        cells, _, tree, penalties, shape = geometry(self._book, self.problem.size)
        kernels.reached(
            cells, tree, penalties, shape, words, values, centres, ratio.numerator, ratio.denominator, found
        )
        return int(found.min())

    def _ratio(self, limit: Length) -> Fraction:
        """A limit on the kernels' scale, on which costs are quarters."""
        unit = self._book.scaled.unit
        exact = limit.squared / unit**2 if self._book.combine == "squares" else _above(limit) / unit
        return Fraction(min(math.floor(4 * exact), 2**61), 4)

    def length(self, top: int, bottom: int) -> Length:
        """A cost of the kernels."""
        return self._book.length(int(top), bottom)


def _above(limit: Length) -> Fraction:
    exact = limit.rational
    return Fraction(limit.upper) if exact is None else exact
