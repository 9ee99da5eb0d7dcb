"""Randomised mechanisms on a lattice: what they are, the exponential mechanism and randomised response."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp

import numpy as np
import numpy.typing as npt

from noiseless.arrays import FloatArray, IntArray
from noiseless.errors import RequestError
from noiseless.ranges.spans import Lattice
from noiseless.theory.capacity import capacity
from noiseless.theory.channel import Channel

ROUNDING = 1e-11
"""Bits that the rounding of probabilities can cost; far more than their relative error of 2**-45 does."""

_MOST_BASES = 256


class RandomisedMechanism(ABC):
    """A randomised mechanism whose true and given answers are points of a lattice.

    One person moves the true answer over `sweep` + 1 consecutive positions; others choose the first of them,
    the base. What the person can tell through the answer is the capacity of that channel, at the worst base
    (MI-DP of [P5]).
    """

    lattice: Lattice

    @property
    @abstractmethod
    def name(self) -> str:
        """Such as "laplace"."""

    @abstractmethod
    def probabilities(self, truths: Sequence[int] | range) -> FloatArray:
        """A row for each true position: the probability of each position as the answer."""

    @abstractmethod
    def sample(self, truths: npt.ArrayLike, seed: int) -> IntArray:
        """An answer to each true position, as its position; the same for the same seed."""

    def channel(self, sweep: int, base: int = 0) -> Channel:
        """From one person to the answer, others having put the answer at a base.

        Raises:
            RequestError: the person cannot move so far.
        """
        if not 1 <= sweep <= self.lattice.last:
            raise RequestError(f"one person moves the answer by 1 to {self.lattice.last:,} positions")
        if not 0 <= base <= self.lattice.last - sweep:
            raise RequestError(f"others put the answer at 0 to {self.lattice.last - sweep:,}")
        matrix = self.probabilities(range(base, base + sweep + 1))
        return Channel.of(matrix[:, matrix.any(axis=0)])

    def covering(self, sweep: int) -> Sequence[Channel]:
        """Channels of which one tells at least as much as the channel at any base: here, all of them."""
        bases = self.lattice.last - sweep + 1
        if bases > _MOST_BASES:
            raise RequestError(f"{bases:,} bases are too many to look at; take a coarser lattice")
        return [self.channel(sweep, base) for base in range(bases)]

    def bits(self, sweep: int, tolerance: float = 1e-9) -> float:
        """The capacity from one person to the answer at the worst base, in bits; certainly not more.

        Args:
            sweep: how far one person moves the true answer.
            tolerance: how near the bound should be to the capacity, in nats.
        """
        channels = self.covering(sweep)
        return max(capacity(channel, tolerance=tolerance).upper for channel in channels) + ROUNDING

    @property
    def worst_error(self) -> Fraction:
        """The largest error that can occur: any answer can."""
        return self.lattice.width

    @property
    def mean_error(self) -> float:
        """The expected absolute error, for true answers spread evenly over the lattice."""
        from noiseless.comparison.rounded_noise import Rounding

        return Rounding.of_points(self.lattice, 1).mean_error_of(self)


def positive(value: float, what: str) -> float:
    """Check a parameter.

    Raises:
        RequestError: it is not a finite number above 0.
    """
    if not 0 < value < float("inf"):
        raise RequestError(f"{what} is a finite number above 0")
    return value


@dataclass(frozen=True)
class Exponential(RandomisedMechanism):
    """P(y | x) proportional to exp(-rate * |x - y|) over the range of answers: nothing is clamped.

    Attributes:
        lattice: the range of answers.
        rate: how much less likely an answer one step farther off is, as a logarithm.

    >>> noisy = Exponential(Lattice.of(0, 100, 1), rate=0.05)
    >>> round(noisy.bits(10), 3), round(noisy.mean_error, 1)
    (0.038, 15.3)

    Guarantee:
        * (2 rate sweep)-DP for anyone who moves the answer by `sweep` positions at most.
        * One person tells at most `bits(sweep)`, the capacity at the worst base; the worst error is the
          whole range.
    """

    name = "exponential"
    lattice: Lattice
    rate: float

    def __post_init__(self) -> None:
        positive(self.rate, "the rate")

    @classmethod
    def for_epsilon(cls, lattice: Lattice, epsilon: float, sweep: int) -> "Exponential":
        """The mechanism that is epsilon-DP when one person moves the answer by `sweep` positions."""
        return cls(lattice, positive(epsilon, "epsilon") / (2 * sweep))

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
        drawn = (sums <= shares[:, None]).sum(axis=1)
        return np.asarray(np.minimum(drawn, self.lattice.last)).reshape(np.shape(truths))


@dataclass(frozen=True)
class RandomisedResponse(RandomisedMechanism):
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

    name = "randomised response"
    lattice: Lattice
    keep: float

    def __post_init__(self) -> None:
        if not 0 <= self.keep <= 1:
            raise RequestError("the true answer is given with a probability between 0 and 1")
        if not self.lattice.last:
            raise RequestError("randomised response needs at least two values")

    @classmethod
    def for_epsilon(cls, lattice: Lattice, epsilon: float) -> "RandomisedResponse":
        """The mechanism that is epsilon-DP."""
        weight = exp(-positive(epsilon, "epsilon"))
        return cls(lattice, 1 / (1 + lattice.last * weight))

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
