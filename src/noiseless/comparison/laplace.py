"""The Laplace mechanism, its answer rounded to the lattice."""

from dataclasses import dataclass
from math import ceil

import numpy as np

from noiseless.arrays import FloatArray, IntArray
from noiseless.comparison.additive import AdditiveNoise, Noise
from noiseless.comparison.base import positive
from noiseless.ranges.spans import Lattice


@dataclass(frozen=True)
class LaplaceNoise(Noise):
    """A Laplace variable, rounded to the nearest whole number: bins of its density, so that masses sum to 1.

    Attributes:
        scale: the scale in steps.
    """

    scale: float

    def __post_init__(self) -> None:
        positive(self.scale, "the scale of noise")

    @property
    def name(self) -> str:
        """Laplace."""
        return "laplace"

    @property
    def size(self) -> int:
        """Where exp(-z / scale) is below 1e-16."""
        return ceil(37 * self.scale) + 1

    @property
    def memory(self) -> int:
        """Answers on the ends themselves differ, those beyond do not."""
        return 0

    def mass(self, numbers: IntArray) -> FloatArray:
        """The density's integral over each bin."""
        away = np.abs(numbers)
        beyond = np.exp(-(np.maximum(away, 1) - 0.5) / self.scale) * -np.expm1(-1 / self.scale) / 2
        return np.asarray(np.where(away == 0, -np.expm1(-0.5 / self.scale), beyond))

    def tail(self, numbers: IntArray) -> FloatArray:
        """The density's integral from half a step below."""
        return np.asarray(np.exp(-(numbers - 0.5) / self.scale) / 2)

    def draw(self, rng: np.random.Generator, count: int) -> IntArray:
        """Draw and round."""
        return np.asarray(np.rint(rng.laplace(scale=self.scale, size=count)), np.int64)


def laplace(lattice: Lattice, epsilon: float, sweep: int) -> AdditiveNoise:
    """The Laplace mechanism that is epsilon-DP when one person moves the answer by `sweep` positions.

    Its noise is rounded to whole steps and the answer clamped to the range.

    >>> noisy = laplace(Lattice.of(0, 100, 1), epsilon=1.0, sweep=10)
    >>> round(noisy.bits(10), 3), round(noisy.mean_error, 1)
    (0.128, 9.0)

    Guarantee:
        * epsilon-DP for whoever moves the answer by `sweep` positions at most.
        * One person tells at most `bits(sweep)`, the capacity at the worst base; the worst error is the
          whole range.
    """
    return AdditiveNoise(lattice, LaplaceNoise(sweep / positive(epsilon, "epsilon")))
