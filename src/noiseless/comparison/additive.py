"""Noise that is added to the true answer, which is then moved into the range of answers."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from noiseless.arrays import FloatArray, IntArray
from noiseless.comparison.base import Randomised
from noiseless.ranges.spans import Lattice
from noiseless.theory.channel import Channel


class Noise(ABC):
    """A distribution of whole numbers, symmetric about 0."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What the mechanism is called."""

    @property
    @abstractmethod
    def size(self) -> int:
        """A number that is exceeded with a probability below 1e-16."""

    @abstractmethod
    def mass(self, numbers: IntArray) -> FloatArray:
        """The probability of each number."""

    @abstractmethod
    def tail(self, numbers: IntArray) -> FloatArray:
        """The probability that the noise is at least each number, which is 1 or more."""

    @abstractmethod
    def draw(self, rng: np.random.Generator, count: int) -> IntArray:
        """So many independent numbers."""

    @property
    @abstractmethod
    def memory(self) -> int | None:
        """How far beyond all inputs answers still differ in what they tell.

        Beyond, the probabilities under all inputs keep their proportions, so that answers there are as good
        as one. None: they never do.
        """


@dataclass(frozen=True)
class AdditiveNoise(Randomised):
    """The true answer plus noise in whole steps, clamped to the range: anything else would be absurd.

    Attributes:
        lattice: the range of answers.
        noise: what is added, in steps.
    """

    lattice: Lattice
    noise: Noise

    @property
    def name(self) -> str:
        """The noise's."""
        return self.noise.name

    def probabilities(self, truths: Sequence[int] | range) -> FloatArray:
        """The noise around each true position; what falls outside the range counts at its ends."""
        last, inputs = self.lattice.last, np.asarray(truths, np.int64)
        matrix = self.noise.mass(np.arange(last + 1) - inputs[:, None])
        matrix[:, 0] = _at_least(self.noise, inputs)
        matrix[:, last] = _at_least(self.noise, last - inputs)
        return matrix

    def covering(self, sweep: int) -> Sequence[Channel]:
        """One channel that tells at least as much as that at any base.

        Clamping is post-processing. Where noise has a memory, answers beyond it are as good as one; where it
        has none, somebody who sees an answer beyond `size` is told the input, which is more than it tells.
        """
        inputs = np.arange(sweep + 1)[:, None]
        forgotten = self.noise.memory
        far = self.noise.size if forgotten is None else forgotten
        middle = self.noise.mass(np.arange(-far, sweep + far + 1) - inputs)
        below = _at_least(self.noise, inputs + far + 1)
        above = _at_least(self.noise, sweep - inputs + far + 1)
        if forgotten is None:
            below, above = np.empty((sweep + 1, 0)), np.diag((below + above)[:, 0])
        matrix = np.hstack([below, middle, above])
        return [Channel.of(matrix[:, matrix.any(axis=0)])]

    def sample(self, truths: npt.ArrayLike, seed: int) -> IntArray:
        """Add noise and clamp."""
        inputs = np.asarray(truths, np.int64)
        noise = self.noise.draw(np.random.default_rng(seed), inputs.size).reshape(inputs.shape)
        return np.asarray(np.clip(inputs + noise, 0, self.lattice.last))

    @property
    def mean_error(self) -> float:
        """Exact from the noise: a shift of z is cut short where less than z positions are left."""
        last = self.lattice.last
        shifts = np.arange(1, min(self.noise.size, last) + 1)
        cut = (shifts * (last - shifts) + shifts * (shifts + 1) / 2) / (last + 1)
        beyond = float(_at_least(self.noise, np.array([len(shifts) + 1]))[0]) * last / 2
        steps = 2 * (float(self.noise.mass(shifts) @ cut) + beyond)
        return steps * float(self.lattice.step)


def _at_least(noise: Noise, numbers: IntArray) -> FloatArray:
    """The probability that symmetric noise is at least each number, 0 or more."""
    zero = numbers == 0
    tails = noise.tail(np.maximum(numbers, 1))
    if not zero.any():
        return tails
    half = (1 + noise.mass(np.zeros(1, np.int64))[0]) / 2
    return np.where(zero, half, tails)
