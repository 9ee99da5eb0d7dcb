"""The discrete Gaussian mechanism."""

from dataclasses import dataclass
from functools import cached_property
from math import ceil, exp, sqrt

import numpy as np

from noiseless.arrays import FloatArray, IntArray
from noiseless.comparison.additive import AdditiveNoise, Noise
from noiseless.comparison.base import positive
from noiseless.errors import RequestError
from noiseless.ranges.spans import Lattice

_SIGMAS = 8.5
"""Beyond so many standard deviations the mass is below 1e-16."""
_NOTHING = 39
"""Beyond so many, floats have nothing left."""


@dataclass(frozen=True)
class GaussianNoise(Noise):
    """P(z) proportional to exp(-z^2 / 2 sigma^2) on whole numbers.

    Attributes:
        sigma: the standard deviation, about, in steps.
    """

    sigma: float

    def __post_init__(self) -> None:
        positive(self.sigma, "the standard deviation of noise")

    @property
    def name(self) -> str:
        """Gaussian."""
        return "gaussian"

    @property
    def size(self) -> int:
        """So many standard deviations."""
        return ceil(_SIGMAS * self.sigma) + 1

    @property
    def memory(self) -> None:
        """Answers farther out always tell more."""
        return

    @cached_property
    def _half(self) -> tuple[FloatArray, FloatArray]:
        """Masses and tails of 0, 1, 2, ... until floats are exhausted; small numbers are added first."""
        numbers = np.arange(ceil(_NOTHING * self.sigma) + 2)
        weights = np.exp(-0.5 * (numbers / self.sigma) ** 2)
        tails = np.cumsum(weights[::-1])[::-1]
        total = tails[0] + tails[1]
        return weights / total, tails / total

    def mass(self, numbers: IntArray) -> FloatArray:
        """As the formula says."""
        return _looked_up(self._half[0], np.abs(numbers))

    def tail(self, numbers: IntArray) -> FloatArray:
        """The sum of the masses from there on."""
        return _looked_up(self._half[1], numbers)

    def draw(self, rng: np.random.Generator, count: int) -> IntArray:
        """The size by the tails, the sign by a coin."""
        below = 1 - 2 * self._half[1][1:]  # P(|z| <= 0), P(|z| <= 1), ...
        sizes = np.minimum(np.searchsorted(below, rng.random(count), side="right"), len(below))
        return np.where(rng.random(count) < 1 / 2, -sizes, sizes)


def _looked_up(table: FloatArray, numbers: IntArray) -> FloatArray:
    return np.where(numbers < len(table), table[np.minimum(numbers, len(table) - 1)], 0.0)


def gaussian(lattice: Lattice, epsilon: float, delta: float, sweep: int) -> AdditiveNoise:
    """The discrete Gaussian mechanism that is (epsilon, delta)-DP for a sweep of so many positions.

    delta(sigma) = sum over z of max(0, P(z) - e^epsilon P(z + sweep)) is computed as it stands, and sigma
    found by bisection, kept on the safe side.

    Raises:
        RequestError: epsilon is not above 0, or delta not between 0 and 1.

    >>> noisy = gaussian(Lattice.of(0, 100, 1), epsilon=1.0, delta=1e-6, sweep=10)
    >>> round(noisy.bits(10), 3), round(noisy.mean_error, 1)
    (0.01, 24.7)

    Guarantee:
        * (epsilon, delta)-DP for whoever moves the answer by `sweep` positions at most.
        * One person tells at most `bits(sweep)`, the capacity at the worst base; the worst error is the
          whole range.
    """
    positive(epsilon, "epsilon")
    if not 0 < delta < 1:
        raise RequestError("delta is a number between 0 and 1")
    low, high = 0.0, sweep * max(1.0, 2 / epsilon) * sqrt(2 * np.log(1.25 / min(delta, 1.0)) + 1)
    while _delta(high, epsilon, sweep) > delta:
        low, high = high, 2 * high
    while high - low > 1e-6 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if _delta(middle, epsilon, sweep) > delta else (low, middle)
    return AdditiveNoise(lattice, GaussianNoise(high))


def _delta(sigma: float, epsilon: float, sweep: int) -> float:
    noise = GaussianNoise(sigma)
    numbers = np.arange(-noise.size - sweep, noise.size + 1)
    excess = noise.mass(numbers) - exp(min(epsilon, 700.0)) * noise.mass(numbers + sweep)
    return float(np.maximum(excess, 0).sum())
