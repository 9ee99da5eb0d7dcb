"""The exponential mechanism whose utility is the distance to the truth."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from noiseless.arrays import FloatArray, IntArray
from noiseless.comparison.base import Randomised, positive
from noiseless.ranges.spans import Lattice


@dataclass(frozen=True)
class Exponential(Randomised):
    """P(y | x) proportional to exp(-rate * |x - y|) over the range of answers: nothing is clamped.

    Attributes:
        lattice: the range of answers.
        rate: how much less likely an answer one step farther off is, as a logarithm.

    >>> noisy = Exponential(Lattice.of(0, 100, 1), rate=0.05)
    >>> round(noisy.bits(10), 3), round(noisy.mean_error, 1)
    (0.038, 15.3)

    Guarantee:
        * (2 rate sweep)-DP for whoever moves the answer by `sweep` positions at most.
        * One person tells at most `bits(sweep)`, the capacity at the worst base; the worst error is the
          whole range.
    """

    lattice: Lattice
    rate: float

    def __post_init__(self) -> None:
        positive(self.rate, "the rate")

    @classmethod
    def for_epsilon(cls, lattice: Lattice, epsilon: float, sweep: int) -> "Exponential":
        """The mechanism that is epsilon-DP when one person moves the answer by `sweep` positions."""
        return cls(lattice, positive(epsilon, "epsilon") / (2 * sweep))

    @property
    def name(self) -> str:
        """Exponential."""
        return "exponential"

    def probabilities(self, truths: Sequence[int] | range) -> FloatArray:
        """As the formula says; each row has its own sum."""
        away = np.abs(np.arange(self.lattice.last + 1) - np.asarray(truths)[:, None])
        weights = np.exp(-self.rate * away)
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))

    def sample(self, truths: npt.ArrayLike, seed: int) -> IntArray:
        """By the sums of probabilities."""
        inputs = np.atleast_1d(np.asarray(truths, np.int64))
        sums = np.cumsum(self.probabilities(inputs.tolist()), axis=1)
        shares = np.random.default_rng(seed).random(len(inputs)) * sums[:, -1]
        found = (sums <= shares[:, None]).sum(axis=1)
        return np.asarray(np.minimum(found, self.lattice.last)).reshape(np.shape(truths))
