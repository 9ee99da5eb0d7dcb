"""A noiseless answer and noisy ones at equal bits, and what an adversary makes of each of them."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from noiseless.arrays import FloatArray, IntArray
from noiseless.comparison import AdditiveNoise, GaussianNoise, GeometricNoise, LaplaceNoise
from noiseless.comparison.comparison import compare
from noiseless.comparison.rounded_noise import Rounding
from noiseless.pricing.plan import named_query
from noiseless.pricing.reach import QuantizedQuery, allowed_reach, finest
from noiseless.questions import Lattice

_TRIED = 200
NOISES: dict[str, Any] = {"laplace": LaplaceNoise, "geometric": GeometricNoise, "gaussian": GaussianNoise}


@dataclass(frozen=True)
class GroupQuestion:
    """What is asked of whom; everybody's value lies on a lattice.

    Attributes:
        query: "mean", "sum" or "count".
        people: how many take part.
        values: the values that one person can have.
    """

    query: str
    people: int
    values: Lattice

    @cached_property
    def span(self) -> Lattice:
        """The lattice of true answers: a position is the sum of all people's positions."""
        span = named_query(self.query, self.people, *self._declared)[0].span
        assert isinstance(span, Lattice)  # noqa: S101 - values lie on one
        return span

    def answers(self, positions: IntArray) -> FloatArray:
        """The true answers at some positions."""
        return float(self.span.low) + float(self.span.step) * positions.astype(np.float64)

    def told(self, bits: Fraction) -> Iterator["ComparedMechanism"]:
        """All mechanisms at the same bits, the noiseless one first."""
        yield self.noiseless(bits)
        yield from self.noisy(bits)

    def noiseless(self, bits: Fraction) -> "Quantised":
        """The finest cells within the bits."""
        asked = named_query(self.query, self.people, *self._declared)[0]
        return Quantised(self, finest(asked, allowed_reach(bits)))

    def noisy(self, bits: Fraction) -> Iterator["Noisy"]:
        """Each noise as small as lets one person tell at most the bits."""
        low, high, step = self._declared
        found = compare(self.query, n=self.people, bounds=(low, high), step=step, bits=bits)
        points = int(found.resolution / self.span.step)
        for one in found.mechanisms:
            if one.name in NOISES:
                scale = one.parameter.get("scale")
                steps = None if scale is None else scale / float(found.resolution)
                yield Noisy(self, one.name, one.worst_error, points, found.sweep, steps)

    @property
    def _declared(self) -> tuple[Fraction, Fraction, Fraction]:
        return self.values.low, self.values.high, self.values.step


@dataclass(frozen=True)
class Quantised:
    """A noiseless answer."""

    question: GroupQuestion
    mechanism: QuantizedQuery

    name = "noiseless"

    @property
    def worst(self) -> float:
        """Half of a cell, and less on a lattice."""
        return float(self.mechanism.worst_error)

    def tell(self, truths: IntArray, seed: int) -> FloatArray:
        """The middle of the cell."""
        del seed
        return self._middles[self._cells(truths)]

    def telling_ends_apart(self, bases: IntArray) -> float:
        """How likely the lowest value is told from the highest: for certain, or by a coin if cells are equal.

        Args:
            bases: positions of the answer when the person has the lowest value: what others' values make it.
        """
        last = self.question.values.last
        apart = self._cells(bases) != self._cells(bases + last)
        return float(1 + apart.mean()) / 2

    def estimating(self, bases: IntArray) -> float:
        """The root mean square error of the best estimate of a value, all of them equally likely at first.

        The values behind a cell are neighbours: their error is that of a run of whole numbers.
        """
        squares = [self._square(base) for base in bases.tolist()]
        return math.sqrt(sum(squares) / len(squares)) * float(self.question.values.step)

    def estimating_at_worst(self) -> float:
        """The same for others' values that help an adversary most, of many that are tried."""
        widest = int(np.diff(self._begins).max())
        others = self.question.span.last - self.question.values.last
        tried = {min(widest * i // _TRIED, others) for i in range(_TRIED)}
        return math.sqrt(min(map(self._square, tried))) * float(self.question.values.step)

    def _square(self, base: int) -> float:
        """The mean square error at a base, in steps: m neighbours are (m^2 - 1) / 12 from their middle."""
        size = self.question.values.last + 1
        first, last = (int(cell) for cell in self._cells(np.array([base, base + size - 1])))
        cuts = np.clip(self._begins[first : last + 2] - base, 0, size)
        runs = np.diff(cuts).astype(np.float64)
        return float((runs**3 - runs).sum()) / 12 / size

    def _cells(self, positions: IntArray) -> IntArray:
        return np.searchsorted(self._begins, positions, side="right") - 1

    @cached_property
    def _begins(self) -> IntArray:
        """Where cells begin, and after them where the lattice ends."""
        quantizer = self.mechanism.quantizer
        return np.array([quantizer.begin(cell) for cell in range(quantizer.cells + 1)], np.int64)

    @cached_property
    def _middles(self) -> FloatArray:
        answers = map(self.mechanism.answer, range(self.mechanism.quantizer.cells))
        return np.array([float(answer.value) for answer in answers])


@dataclass(frozen=True)
class Noisy:
    """An answer with noise.

    Attributes:
        question: what is asked.
        name: of the noise.
        worst: the largest error that can occur.
        points: how many positions of the question's lattice are one step of the noise's.
        sweep: how many of these steps one person moves the answer.
        scale: of the noise, in these steps; None where none is needed.
    """

    question: GroupQuestion
    name: str
    worst: float
    points: int
    sweep: int
    scale: float | None

    def tell(self, truths: IntArray, seed: int) -> FloatArray:
        """Round, add noise, and move into the range."""
        span, lattice = self.question.span, self._rounding.lattice
        rounded = (2 * truths + self.points) // (2 * self.points)
        if self.scale is not None:
            rounded = self._mechanism.sample(rounded, seed)
        told = float(lattice.low) + float(lattice.step) * rounded.astype(np.float64)
        return np.minimum(told, float(span.high))

    def telling_ends_apart(self, bases: IntArray) -> float:
        """By which of both is likelier, at any base that is far from the ends of the range."""
        del bases
        if self.scale is None:
            return 1.0
        ends = self._channel[[0, -1]]
        return float(1 + np.abs(ends[0] - ends[1]).sum() / 2) / 2

    def estimating(self, bases: IntArray) -> float:
        """By the posterior mean; values that are rounded to one step are not told apart."""
        values = np.arange(self.question.values.last + 1, dtype=np.int64)
        steps = (2 * (int(bases[0]) + values) + self.points) // (2 * self.points)
        groups = np.clip(steps - steps[0], 0, self.sweep)
        weights, firsts = np.bincount(groups), np.bincount(groups, weights=values)
        channel = np.eye(len(weights)) if self.scale is None else self._channel[: len(weights)]
        masses, means = weights @ channel, firsts @ channel
        heard = masses > 0
        explained = float((means[heard] ** 2 / masses[heard]).sum())
        square = (float((values.astype(np.float64) ** 2).sum()) - explained) / len(values)
        return math.sqrt(max(0.0, square)) * float(self.question.values.step)

    @cached_property
    def _rounding(self) -> Rounding:
        return Rounding.of_points(self.question.span, self.points)

    @cached_property
    def _mechanism(self) -> AdditiveNoise:
        return AdditiveNoise(self._rounding.lattice, NOISES[self.name](self.scale))

    @cached_property
    def _channel(self) -> FloatArray:
        """From the person's steps to the answer, as if it were not cut off: at least as much is told."""
        return np.asarray(self._mechanism.covering(self.sweep)[0].matrix, np.float64)


ComparedMechanism = Quantised | Noisy
"""An answer as it is told."""


def bits_text(bits: Fraction) -> str:
    """A number of bits in words.

    >>> bits_text(Fraction(1)), bits_text(Fraction(3, 2))
    ('1 bit', '1.5 bits')
    """
    return f"{float(bits):g} bit{'s' * (bits != 1)}"
