"""Laplace, geometric and Gaussian noise, added to the true answer and clamped to the range of answers."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil, exp, sqrt
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from noiseless.arrays import FloatArray, IntArray
from noiseless.comparison.mechanisms import RandomisedMechanism, positive
from noiseless.errors import RequestError
from noiseless.ranges.spans import Lattice
from noiseless.theory.channel import Channel

_SIGMAS = 8.5
"""Beyond this many standard deviations the mass is below 1e-16."""

_NOTHING = 39
"""Beyond this many, floats have nothing left."""


@dataclass(frozen=True)
class Noise(ABC):
    """A distribution of whole numbers, symmetric about 0.

    Attributes:
        name: what the mechanism is called.
        memory: how far beyond all inputs answers still differ in what they tell. Beyond, the probabilities
            under all inputs keep their proportions, so that answers there are as good as one. None: they
            never do.
        scale: how large it is, in steps.
    """

    name: ClassVar[str]
    memory: ClassVar[int | None] = 0
    scale: float

    def __post_init__(self) -> None:
        positive(self.scale, "the scale of noise")

    @property
    def size(self) -> int:
        """A number that is exceeded with a probability below 1e-16, as exp(-z / scale) is beyond it."""
        return ceil(37 * self.scale) + 1

    @abstractmethod
    def mass(self, numbers: IntArray) -> FloatArray:
        """The probability of each number."""

    @abstractmethod
    def tail(self, numbers: IntArray) -> FloatArray:
        """The probability that the noise is at least each number, which is 1 or more."""

    @abstractmethod
    def draw(self, rng: np.random.Generator, count: int) -> IntArray:
        """Draw `count` independent numbers."""


@dataclass(frozen=True)
class AdditiveNoise(RandomisedMechanism):
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


def _at_least(noise: Noise, numbers: IntArray) -> FloatArray:
    """The probability that symmetric noise is at least each number, 0 or more."""
    zero = numbers == 0
    tails = noise.tail(np.maximum(numbers, 1))
    if not zero.any():
        return tails
    half = (1 + noise.mass(np.zeros(1, np.int64))[0]) / 2
    return np.where(zero, half, tails)


@dataclass(frozen=True)
class LaplaceNoise(Noise):
    """A Laplace variable, rounded to the nearest whole number: bins of its density, whose masses sum to 1."""

    name = "laplace"

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
        * epsilon-DP for anyone who moves the answer by `sweep` positions at most.
        * One person tells at most `bits(sweep)`, the capacity at the worst base; the worst error is the
          whole range.
    """
    return AdditiveNoise(lattice, LaplaceNoise(sweep / positive(epsilon, "epsilon")))


@dataclass(frozen=True)
class GeometricNoise(Noise):
    """P(z) = (1 - a) / (1 + a) * a^|z| with a = exp(-1 / scale): Laplace noise on whole numbers."""

    name = "geometric"

    @property
    def ratio(self) -> float:
        """The proportion a of neighbouring probabilities."""
        return exp(-1 / self.scale)

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
        * epsilon-DP for anyone who moves the answer by `sweep` positions at most.
        * One person tells at most `bits(sweep)`, the capacity at the worst base; the worst error is the
          whole range.
    """
    return AdditiveNoise(lattice, GeometricNoise(sweep / positive(epsilon, "epsilon")))


@dataclass(frozen=True)
class GaussianNoise(Noise):
    """P(z) proportional to exp(-z^2 / 2 scale^2) on whole numbers: answers farther out always tell more."""

    name = "gaussian"
    memory = None

    @property
    def size(self) -> int:
        """A fixed number of standard deviations."""
        return ceil(_SIGMAS * self.scale) + 1

    @cached_property
    def _half(self) -> tuple[FloatArray, FloatArray]:
        """Masses and tails of 0, 1, 2, ... until floats are exhausted; small numbers are added first."""
        numbers = np.arange(ceil(_NOTHING * self.scale) + 2)
        weights = np.exp(-0.5 * (numbers / self.scale) ** 2)
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
    """The discrete Gaussian mechanism that is (epsilon, delta)-DP for a sweep of this many positions.

    delta(sigma) = sum over z of max(0, P(z) - e^epsilon P(z + sweep)) is computed as it stands, and sigma
    found by bisection, kept on the safe side.

    Raises:
        RequestError: epsilon is not above 0, or delta not between 0 and 1.

    >>> noisy = gaussian(Lattice.of(0, 100, 1), epsilon=1.0, delta=1e-6, sweep=10)
    >>> round(noisy.bits(10), 3), round(noisy.mean_error, 1)
    (0.01, 24.7)

    Guarantee:
        * (epsilon, delta)-DP for anyone who moves the answer by `sweep` positions at most.
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
