"""What a randomised answer is: a true answer on a lattice, and the probability of each answer given."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction

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


class Randomised(ABC):
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
        positions = np.arange(self.lattice.last + 1)
        matrix = self.probabilities(range(self.lattice.last + 1))
        distances = np.abs(positions[:, None] - positions)
        return float(np.einsum("ij,ij->", matrix, distances) / len(positions) * float(self.lattice.step))


def positive(value: float, what: str) -> float:
    """Check a parameter.

    Raises:
        RequestError: it is not a finite number above 0.
    """
    if not 0 < value < float("inf"):
        raise RequestError(f"{what} is a finite number above 0")
    return value
