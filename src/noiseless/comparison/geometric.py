"""The two-sided geometric mechanism."""

from dataclasses import dataclass
from math import ceil, exp

import numpy as np

from noiseless.arrays import FloatArray, IntArray
from noiseless.comparison.additive import AdditiveNoise, Noise
from noiseless.comparison.base import positive
from noiseless.ranges.spans import Lattice


@dataclass(frozen=True)
class GeometricNoise(Noise):
    """P(z) = (1 - a) / (1 + a) * a^|z| with a = exp(-1 / scale): Laplace noise on whole numbers.

    Attributes:
        scale: the scale in steps.
    """

    scale: float

    def __post_init__(self) -> None:
        positive(self.scale, "the scale of noise")

    @property
    def name(self) -> str:
        """Geometric."""
        return "geometric"

    @property
    def ratio(self) -> float:
        """The proportion a of neighbouring probabilities."""
        return exp(-1 / self.scale)

    @property
    def size(self) -> int:
        """Where a^z is below 1e-16."""
        return ceil(37 * self.scale) + 1

    @property
    def memory(self) -> int:
        """Already the answers on the ends are as good as those beyond; one more does no harm."""
        return 0

    def mass(self, numbers: IntArray) -> FloatArray:
        """As the formula says."""
        share = -np.expm1(-1 / self.scale) / (1 + self.ratio)
        return np.asarray(np.exp(-np.abs(numbers) / self.scale) * share)

    def tail(self, numbers: IntArray) -> FloatArray:
        """The sum of a geometric series."""
        return np.asarray(np.exp(-numbers / self.scale) / (1 + self.ratio))

    def draw(self, rng: np.random.Generator, count: int) -> IntArray:
        """The difference of two geometric variables."""
        share = -np.expm1(-1 / self.scale)
        return rng.geometric(share, count) - rng.geometric(share, count)


def geometric(lattice: Lattice, epsilon: float, sweep: int) -> AdditiveNoise:
    """The geometric mechanism that is epsilon-DP when one person moves the answer by `sweep` positions.

    Whole numbers from the start; the answer is clamped to the range.

    >>> noisy = geometric(Lattice.of(0, 100, 1), epsilon=1.0, sweep=10)
    >>> round(noisy.bits(10), 3), round(noisy.mean_error, 1)
    (0.128, 8.9)

    Guarantee:
        * epsilon-DP for whoever moves the answer by `sweep` positions at most.
        * One person tells at most `bits(sweep)`, the capacity at the worst base; the worst error is the
          whole range.
    """
    return AdditiveNoise(lattice, GeometricNoise(sweep / positive(epsilon, "epsilon")))
