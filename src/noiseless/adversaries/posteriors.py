"""What an adversary believes before and after an answer: priors, posterior means, and the least error."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from noiseless.arrays import IntArray
from noiseless.errors import RequestError
from noiseless.exact import round_down
from noiseless.intervals import root_bounds
from noiseless.theory.estimation import ABSOLUTE, estimation_error_bound, least_estimation_error

_MOST_WORK = 100_000
"""The best partition of a lattice is searched for up to this many steps (about a second)."""

Exact = npt.NDArray[np.object_]
"""Whole numbers of any size."""

PRIORS = ("uniform", "triangular", "table")
"""Every value alike; the middle likeliest and the ends least; as frequent as in the table."""


class Posteriors:
    """A prior on 0 .. size-1 in whole weights; sums over runs of values are differences of two."""

    def __init__(self, weights: IntArray) -> None:
        numbers = np.arange(len(weights)).astype(object)
        exact = weights.astype(object)
        self.weights = weights
        self.support = np.flatnonzero(weights)
        self.total = int(exact.sum())
        self._mass, self._first, self._second = (
            np.append([0], np.cumsum(part)) for part in (exact, exact * numbers, exact * numbers * numbers)
        )

    def means(self, starts: IntArray, stops: IntArray) -> tuple[Exact, Exact]:
        """Numerators and denominators of the means of some runs; 0 over 0 where a run has no weight."""
        return self._first[stops] - self._first[starts], self._mass[stops] - self._mass[starts]

    def errors(self, starts: IntArray, stops: IntArray, power: int) -> list[float]:
        """The sum of weight * |x - mean|^p over each run, p = 1 or 2, rounded once."""
        first, mass = self.means(starts, stops)
        held = np.flatnonzero(mass > 0)
        first, mass, begins, ends = first[held], mass[held], starts[held], stops[held]
        if power == ABSOLUTE:
            above = np.array([int(f // m) + 1 for f, m in zip(first, mass, strict=True)], np.int64)
            above = np.minimum(np.maximum(above, begins), ends)
            over = self._first[ends] - self._first[above], self._mass[ends] - self._mass[above]
            tops = 2 * (over[0] * mass - over[1] * first)
        else:
            tops = (self._second[ends] - self._second[begins]) * mass - first * first
        found = [0.0] * len(starts)
        for place, top, bottom in zip(held, tops, mass, strict=True):
            found[place] = top / bottom
        return found


@dataclass(frozen=True)
class Errors:
    """How far off a posterior mean is.

    Attributes:
        expected: E|X - Xh|^p under the prior.
        worst: the largest error that can occur.
    """

    expected: float
    worst: float


def partition_errors(posteriors: Posteriors, edges: Sequence[int], power: int) -> Errors:
    """The errors when a value is published as its cell; both in steps of the lattice.

    >>> partition_errors(Posteriors(np.ones(6, np.int64)), [0, 3, 6], 2)
    Errors(expected=0.6666666666666666, worst=1.0)

    Args:
        posteriors: the prior.
        edges: where cells begin, and the end.
        power: p, 1 or 2.
    """
    starts, stops = (np.asarray(part, np.int64) for part in (edges[:-1], edges[1:]))
    expected = math.fsum(posteriors.errors(starts, stops, power)) / posteriors.total
    firsts, masses = posteriors.means(starts, stops)
    worst = 0.0
    support = posteriors.support
    for start, stop, first, mass in zip(starts, stops, firsts, masses, strict=True):
        if mass:
            low, high = np.searchsorted(support, [start, stop])
            mean = Fraction(int(first), int(mass))
            worst = max(worst, float(max(mean - int(support[low]), int(support[high - 1]) - mean)))
    return Errors(expected, worst)


def uniform_cell_errors(length: Fraction, cells: int, power: int) -> Errors:
    """Equal cells of an interval with the uniform density: Theorem 4 of [P1] is attained."""
    return Errors(float(estimation_error_bound(length, cells, power)), float(length / cells / 2))


def triangular_cell_errors(length: Fraction, cells: int, power: int) -> Errors:
    """Equal cells of an interval with the triangular density 4 min(x, L - x) / L^2, exactly integrated."""
    total, worst = Fraction(0), Fraction(0)
    for cell in range(cells):
        start, stop = Fraction(cell, cells), Fraction(cell + 1, cells)
        mean, error = _triangular_cell(start, stop, power)
        total, worst = total + error, max(worst, mean - start, stop - mean)
    return Errors(float(total * length**power), float(worst * length))


def _triangular_cell(start: Fraction, stop: Fraction, power: int) -> tuple[Fraction, Fraction]:
    """The mean of the density 4 min(x, 1 - x) in a cell, and the integral of |x - mean|^power times it."""
    ends = sorted({start, min(max(Fraction(1, 2), start), stop), stop})

    def integral(factor: Callable[[Fraction], Fraction], ends: Sequence[Fraction] = ends) -> Fraction:
        return _integral(lambda x: factor(x) * 4 * min(x, 1 - x), ends)

    mean = integral(lambda x: x) / integral(lambda _: Fraction(1))
    return mean, integral(lambda x: Fraction(abs(x - mean) ** power), sorted({*ends, mean}))


def _integral(function: Callable[[Fraction], Fraction], ends: Sequence[Fraction]) -> Fraction:
    """Of a function that is a polynomial between ends: Simpson's rule is exact up to the third power."""
    parts = (
        (stop - start) * (function(start) + 4 * function((start + stop) / 2) + function(stop)) / 6
        for start, stop in pairwise(ends)
    )
    return sum(parts, Fraction(0))


def lattice_error_bound(weights: Sequence[int] | IntArray, outputs: int, power: int) -> Fraction:
    """The least E|X - Xh|^p on a lattice, in steps, of any estimate from at most N answers; p = 1 or 2.

    The exact optimum over all partitions (`least_estimation_error`) where that is quickly found. Otherwise
    the lattice form of Theorem 4 of [P1]: m points with at least the probability rho each, wherever they are,
    have an error of at least rho (m^2 - 1) / 4 (p = 1) or rho (m^3 - m) / 12 (p = 2) about one estimate, as
    m consecutive ones have. Both are convex in m, so N equal sets have the least; rho may be any level, M
    the number of points that reach it, and the largest of these bounds stands.

    >>> lattice_error_bound([1] * 6, 2, 2), density_error_bound([1] * 6, 2, 2)
    (Fraction(2, 3), Fraction(2, 3))
    """
    support = np.flatnonzero(weights).tolist()  # the others have no error
    size = len(support)
    if outputs >= size:
        return Fraction(0)
    if outputs * size * size.bit_length() > _MOST_WORK:
        return density_error_bound(weights, outputs, power)
    chances = [int(weights[value]) for value in support]
    prior = [Fraction(chance, sum(chances)) for chance in chances]
    return least_estimation_error(support, outputs, power, prior).error


def density_error_bound(weights: Sequence[int] | IntArray, outputs: int, power: int) -> Fraction:
    """The second of the bounds of `lattice_error_bound`: quick, whatever the size."""
    ordered = np.sort(np.asarray(weights, np.int64))[::-1]
    points = np.arange(1, len(ordered) + 1)
    share = points / outputs
    values = ordered * (share**2 - 1 if power == ABSOLUTE else share**3 - share)
    best = int(np.argmax(values))  # floats only choose the bound; the bound itself is exact
    level = Fraction(int(ordered[best]), int(np.sum(ordered.astype(object))))
    m = Fraction(best + 1, outputs)
    bound = (m * m - 1) / 4 if power == ABSOLUTE else (m**3 - m) / 12
    return max(level * outputs * bound, Fraction(0))


def root_down(value: Fraction, power: int) -> float:
    """The p-th root, p = 1 or 2, as a float that is not above it."""
    return round_down(value if power == ABSOLUTE else root_bounds(value)[0])


def lattice_prior(name: str, size: int, positions: IntArray) -> IntArray:
    """The weight of each value of a domain.

    >>> lattice_prior("triangular", 5, np.array([0])).tolist()
    [1, 2, 3, 2, 1]
    >>> lattice_prior("table", 3, np.array([0, 2, 2])).tolist()
    [1, 0, 2]

    Args:
        name: one of `PRIORS`.
        size: how many values there are.
        positions: the people's values, by their numbers.

    Raises:
        RequestError: there is no such prior.
    """
    numbers = np.arange(size, dtype=np.int64)
    found: Mapping[str, IntArray] = {
        "uniform": np.ones(size, np.int64),
        "triangular": np.minimum(numbers + 1, size - numbers),
        "table": np.bincount(positions, minlength=size).astype(np.int64),
    }
    if name not in found:
        raise RequestError(f"the prior is one of {', '.join(PRIORS)}, not {name!r}")
    return found[name]


def triangular_density(length: Fraction, power: int) -> tuple[Fraction, Fraction]:
    """A least density rho, and how long the part of the range is on which the triangular one keeps to it.

    The density peaks at 2 / length in the middle and is 0 at the ends, where Theorem 4 of [P1] says nothing.
    On the part where it is at least rho the theorem holds for the error made there; of all rho the one that
    makes rho * part^(p+1) largest is 2 / ((p + 2) length).
    """
    density = 2 / ((power + 2) * length)
    return density, length * (1 - density * length / 2)
