"""The values that an answer can take: points of a lattice, or all of an interval."""

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np

from noiseless.errors import RequestError
from noiseless.exact import Rational

WRAPS = 2**62
"""Sums of two whole numbers below it fit into 64 bits."""


@dataclass(frozen=True)
class Lattice:
    """The values low + step * {0, 1, ..., last}; a value's *position* is its number.

    >>> Lattice.of(0, 1, Fraction(1, 4)).value(3)
    Fraction(3, 4)
    """

    low: Fraction
    step: Fraction
    last: int

    @classmethod
    def of(cls, low: Rational, high: Rational, step: Rational) -> "Lattice":
        """The lattice between two bounds.

        Raises:
            RequestError: the bounds are out of order, or the step does not divide their distance.
        """
        start, end, width = _exact(low), _exact(high), _exact(step)
        if start > end:
            raise RequestError(f"bounds are out of order; write {high} {low}")
        if width <= 0:
            raise RequestError("a step is a number above 0")
        steps = (end - start) / width
        if steps.denominator != 1:
            raise RequestError(
                f"a step of {step} does not divide the distance of the bounds {low} and {high}"
            )
        return cls(start, width, int(steps))

    @property
    def high(self) -> Fraction:
        """The largest value."""
        return self.value(self.last)

    @property
    def width(self) -> Fraction:
        """The distance between the ends."""
        return self.step * self.last

    def value(self, position: int) -> Fraction:
        """The value at a position."""
        return self.low + self.step * position


@dataclass(frozen=True)
class Continuum:
    """All values from `low` to `high`, both included."""

    low: Fraction
    high: Fraction

    @classmethod
    def of(cls, low: Rational, high: Rational) -> "Continuum":
        """The interval between two bounds.

        Raises:
            RequestError: the bounds are out of order or not finite.
        """
        start, end = _exact(low), _exact(high)
        if start > end:
            raise RequestError(f"bounds are out of order; write {high} {low}")
        return cls(start, end)

    @property
    def width(self) -> Fraction:
        """The distance between the ends."""
        return self.high - self.low


Span = Lattice | Continuum


def _exact(number: Rational) -> Fraction:
    if isinstance(number, Decimal | float) and not math.isfinite(number):
        raise RequestError("bounds and steps are finite numbers")
    if isinstance(number, float):  # anyone who writes 0.1 means a tenth, not the double next to it
        return Fraction(float.__repr__(number))
    return Fraction(number)


def whole_numbers(last: int) -> type[np.int64] | type[object]:
    """What arrays of positions up to `last` are made of: sums of two of them must not wrap."""
    return np.int64 if last < WRAPS else object
