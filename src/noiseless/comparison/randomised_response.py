"""Randomised response: the truth, or any other value by lot."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp

import numpy as np
import numpy.typing as npt

from noiseless.arrays import FloatArray, IntArray
from noiseless.comparison.base import Randomised, positive
from noiseless.errors import RequestError
from noiseless.ranges.spans import Lattice
from noiseless.theory.channel import Channel


@dataclass(frozen=True)
class RandomisedResponse(Randomised):
    """Each person tells their value with probability `keep`, else one of the others, all equally likely.

    Attributes:
        lattice: the values.
        keep: the probability of the truth.

    >>> told = RandomisedResponse(Lattice.of(0, 3, 1), keep=0.7)
    >>> round(told.bits(3), 3)
    0.643

    Guarantee:
        * epsilon-LDP with epsilon = |ln(keep (m - 1) / (1 - keep))| for m values.
        * A person tells at most the capacity, `bits(m - 1)`.
    """

    lattice: Lattice
    keep: float

    def __post_init__(self) -> None:
        if not 0 <= self.keep <= 1:
            raise RequestError("the truth is told with a probability between 0 and 1")
        if not self.lattice.last:
            raise RequestError("randomised response needs at least two values")

    @classmethod
    def for_epsilon(cls, lattice: Lattice, epsilon: float) -> "RandomisedResponse":
        """The mechanism that is epsilon-DP."""
        weight = exp(-positive(epsilon, "epsilon"))
        return cls(lattice, 1 / (1 + lattice.last * weight))

    @property
    def name(self) -> str:
        """Randomised response."""
        return "randomised response"

    @property
    def lie(self) -> float:
        """The probability of each value that is not the truth."""
        return (1 - self.keep) / self.lattice.last

    def probabilities(self, truths: Sequence[int] | range) -> FloatArray:
        """The same for all but the truth."""
        matrix = np.full((len(truths), self.lattice.last + 1), self.lie)
        matrix[np.arange(len(truths)), np.asarray(truths)] = self.keep
        return matrix

    def covering(self, sweep: int) -> Sequence[Channel]:
        """All bases are alike."""
        return [self.channel(sweep)]

    def sample(self, truths: npt.ArrayLike, seed: int) -> IntArray:
        """The truth, or another value."""
        rng = np.random.default_rng(seed)
        inputs = np.asarray(truths, np.int64)
        others = rng.integers(0, self.lattice.last, inputs.shape)
        others += others >= inputs
        return np.where(rng.random(inputs.shape) < self.keep, inputs, others)
