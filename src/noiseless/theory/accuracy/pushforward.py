"""Push-forwards: which share of all datasets leads to an answer below a level.

A policy of [P4] tells the cell that an answer lies in. How few datasets remain possible behind a cell, and so
the leakage L0(X;Y), is read off the push-forward of volume (of counts, on lattices) through the question.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import prod

from noiseless.errors import RequestError
from noiseless.exact import Rational
from noiseless.intervals import Enclosure
from noiseless.questions import Continuum, LinearOnBox
from noiseless.questions.base import common_unit
from noiseless.theory.accuracy.uniform_sums import UniformSum

WHOLE = Enclosure.exactly(Fraction(1))
NOTHING = Enclosure.exactly(Fraction(0))

Side = tuple[Fraction, Fraction]


class Volume(ABC):
    """The push-forward of volume through a question on a box, the volume of the box being 1."""

    @property
    @abstractmethod
    def span(self) -> Continuum:
        """An interval that holds every answer."""

    @property
    def sure(self) -> Continuum:
        """An interval between two answers that really occur: what every policy must cover."""
        return self.span

    @property
    @abstractmethod
    def dimension(self) -> int:
        """How many coordinates a dataset has."""

    @property
    @abstractmethod
    def size(self) -> Fraction:
        """The volume of the box itself."""

    @abstractmethod
    def below(self, level: Fraction) -> Enclosure:
        """Bounds of the share of datasets below a level.

        The lower one holds for those with f(x) < level, the upper one for those with f(x) <= level; they
        are equal where the share is known exactly and no volume sits at the level itself.
        """

    def refined(self, levels: Sequence[Fraction]) -> "Volume":  # noqa: ARG002 - exact ones cannot be refined
        """The same, with closer bounds near some levels where that is possible."""
        return self

    def shares(self, edges: Sequence[Fraction]) -> list[Enclosure]:
        """Bounds of the share behind each cell, the edges going from one end of the span to the other."""
        levels = [NOTHING, *map(self.below, edges[1:-1]), WHOLE]
        return [
            Enclosure(max(after.lower - before.upper, Fraction(0)), after.upper - before.lower)
            for before, after in pairwise(levels)
        ]


@dataclass(frozen=True)
class LinearVolume(Volume):
    """The push-forward of volume through c . x + constant on a box: the law of a sum of uniform numbers.

    It is symmetric and log-concave. Shares are exact rationals where that is cheap (up to about 16 different
    weights, or some hundred equal ones), and certified enclosures beyond.

    >>> mean = LinearVolume.of((Fraction(1, 2), Fraction(1, 2)), [(-2, 2), (-2, 2)])
    >>> mean.span, mean.below(Fraction(-1)).lower
    (Continuum(low=Fraction(-2, 1), high=Fraction(2, 1)), Fraction(1, 8))

    Attributes:
        normal: c.
        sides: the sides of the box.
    """

    normal: tuple[Fraction, ...]
    sides: tuple[Side, ...]

    @classmethod
    def of(cls, normal: Sequence[Rational], sides: Sequence[tuple[Rational, Rational]]) -> "LinearVolume":
        """From weights and the sides of a box.

        Raises:
            RequestError: there are not as many sides as weights, or a side has no length.
        """
        if not normal or len(normal) != len(sides):
            raise RequestError("give a weight and a side of the box for each coordinate")
        exact = tuple((Fraction(low), Fraction(high)) for low, high in sides)
        if any(low >= high for low, high in exact):
            raise RequestError("a side of the box goes from a smaller to a larger number")
        return cls(tuple(Fraction(weight) for weight in normal), exact)

    @classmethod
    def of_query(cls, query: LinearOnBox) -> "LinearVolume":
        """Of a weighted sum or a mean of quantities from one interval."""
        side = (query.attribute.span.low, query.attribute.span.high)
        return cls.of(query.weights * query.times, [side] * query.people)

    @property
    def dimension(self) -> int:
        """As many as weights."""
        return len(self.normal)

    @cached_property
    def size(self) -> Fraction:
        """The product of the sides."""
        return prod((high - low for low, high in self.sides), start=Fraction(1))

    @cached_property
    def span(self) -> Continuum:
        """From the smallest weighted sum to the largest."""
        ends = [sorted((c * low, c * high)) for c, (low, high) in zip(self.normal, self.sides, strict=True)]
        return Continuum(sum((e[0] for e in ends), Fraction(0)), sum((e[1] for e in ends), Fraction(0)))

    @cached_property
    def unit(self) -> Fraction:
        """The unit in which all coordinates move the answer by whole numbers."""
        return common_unit(self._lengths)

    @cached_property
    def _lengths(self) -> tuple[Fraction, ...]:
        """How far each coordinate moves the answer."""
        moved = (abs(c) * (high - low) for c, (low, high) in zip(self.normal, self.sides, strict=True))
        return tuple(length for length in moved if length)

    @cached_property
    def law(self) -> UniformSum:
        """The sum of independent numbers, uniform on [0, w] each, in whole units."""
        return UniformSum(tuple(sorted(Counter(int(each / self.unit) for each in self._lengths).items())))

    def below(self, level: Fraction) -> Enclosure:
        """By inclusion and exclusion over the corners of the box."""
        if level <= self.span.low:
            return NOTHING if self._lengths or level < self.span.low else Enclosure(Fraction(0), Fraction(1))
        if level >= self.span.high:
            return WHOLE
        return self.law.below((level - self.span.low) / self.unit)

    def guess(self, share: Fraction) -> Fraction:
        """About the level with this share below it: near enough to choose an edge, not certified."""
        return self.span.low + self.unit * self.law.quantile(share)

    @property
    def is_symmetric_in_people(self) -> bool:
        """Whether all coordinates have the same weight and side: a mean or a sum."""
        return len(set(self.normal)) == 1 and len(set(self.sides)) == 1
