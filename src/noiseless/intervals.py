"""Exact interval arithmetic: what is certain of a number computed from intervals; and how it is written."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from typing import Any

from noiseless.display import significant
from noiseless.exact import Rational, root_bounds, round_down, round_up

Bound = Fraction | float
"""An end of an interval: exact, or infinite."""

_DIGITS = 6
"""What people read has so many significant digits; JSON and frames have all that a double has."""
_LONGEST_WHOLE = 40
"""Whole numbers of more digits are shown to people with an exponent."""
_LARGEST_WHOLE = 2**53
"""Whole numbers up to here are doubles, and JSON has them without a point."""
_LONGEST_EXACT = 10_000
"""Exact numbers of more bits are not written out: readers of JSON need not take such long ones."""


@dataclass(frozen=True)
class AnswerInterval:
    """The truth lies between `lower` and `upper`, both included.

    Where it may be that there is no truth at all (SQL's NULL: a division by a number that can be 0), the
    interval says so, and holds the truth if there is one.

    >>> AnswerInterval.of(1, 2) / AnswerInterval.of(0, 4)
    AnswerInterval(lower=Fraction(1, 4), upper=inf, may_be_missing=True)

    Attributes:
        lower: a rational, or minus infinity.
        upper: a rational, or infinity.
        may_be_missing: whether there may be no truth.
    """

    lower: Bound
    upper: Bound
    may_be_missing: bool = False

    @classmethod
    def of(cls, lower: Rational, upper: Rational | None = None) -> "AnswerInterval":
        """The numbers between two rationals, or one rational."""
        return cls(Fraction(lower), Fraction(lower if upper is None else upper))

    @property
    def exact(self) -> bool:
        """Whether it is one number."""
        return self.lower == self.upper and not self.may_be_missing

    @property
    def value(self) -> Fraction | None:
        """The middle, off by half the width at most; none where an end is infinite."""
        if isinstance(self.lower, float) or isinstance(self.upper, float):
            return None
        return (self.lower + self.upper) / 2

    def __str__(self) -> str:
        """As people read it: its middle and its ends, which are rounded outwards.

        >>> str(AnswerInterval.of(Fraction(1, 3), Fraction(2, 3))), str(AnswerInterval.of(7))
        ('0.5 (0.333333 to 0.666667)', '7')
        """
        low, high = _digits(self.lower, ROUND_FLOOR), _digits(self.upper, ROUND_CEILING)
        perhaps = ", or none" if self.may_be_missing else ""
        if self.value is None:
            return f"{low} to {high}{perhaps}"
        middle = _digits(self.value, ROUND_HALF_EVEN)
        is_exact = self.lower == self.upper and low == high
        return f"{middle}{perhaps}" if is_exact else f"{middle} ({low} to {high}{perhaps})"

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it: the middle, the ends rounded outwards, and the same exactly.

        Whole numbers, such as counts, have no point.

        >>> AnswerInterval.of(2, 3).to_dict()["value"], AnswerInterval.of(2, 3).to_dict()["upper"]
        (2.5, 3)
        """
        value, lower, upper = self.value, self.lower, self.upper
        return {
            "value": None if value is None else _rounded(value, _nearest),
            "lower": _rounded(lower, round_down),
            "upper": _rounded(upper, round_up),
            "value_exact": _exact_text(value),
            "lower_exact": _exact_text(lower),
            "upper_exact": _exact_text(upper),
            "may_be_missing": self.may_be_missing,
        }

    def __add__(self, other: "AnswerInterval") -> "AnswerInterval":
        return self._with(other, _plus(self.lower, other.lower), _plus(self.upper, other.upper))

    def __mul__(self, other: "AnswerInterval") -> "AnswerInterval":
        ends = [_times(one, two) for one in (self.lower, self.upper) for two in (other.lower, other.upper)]
        return self._with(other, min(ends), max(ends))

    def __truediv__(self, other: "AnswerInterval") -> "AnswerInterval":
        """The quotients; dividing by [0, 0] is for the caller to refuse.

        Raises:
            ZeroDivisionError: every quotient is undefined.
        """
        return self * other.inverse()

    def __pow__(self, exponent: int) -> "AnswerInterval":
        ends = sorted((_power(self.lower, exponent), _power(self.upper, exponent)))
        if exponent % 2 == 0 and self.lower <= 0 <= self.upper:
            ends[0] = Fraction(0)
        return AnswerInterval(ends[0], ends[1], self.may_be_missing)

    def inverse(self) -> "AnswerInterval":
        """The numbers 1 / x; where 0 is among the x, there may be none.

        Raises:
            ZeroDivisionError: 0 is the only x.
        """
        if self.lower == self.upper == 0:
            raise ZeroDivisionError
        if self.lower > 0 or self.upper < 0:
            return AnswerInterval(_inverse(self.upper), _inverse(self.lower), self.may_be_missing)
        low = -math.inf if self.lower < 0 else _inverse(self.upper)
        high = math.inf if self.upper > 0 else _inverse(self.lower)
        return AnswerInterval(low, high, may_be_missing=True)

    def root(self) -> "AnswerInterval":
        """The square roots, rounded outwards where they are irrational; of negative numbers there are none.

        >>> AnswerInterval.of(4, 9).root()
        AnswerInterval(lower=Fraction(2, 1), upper=Fraction(3, 1), may_be_missing=False)
        """
        if self.upper < 0:
            raise ZeroDivisionError
        lower: Bound = max(self.lower, Fraction(0))
        low = lower if isinstance(lower, float) else root_bounds(lower)[0]
        high = self.upper if isinstance(self.upper, float) else root_bounds(self.upper)[1]
        return AnswerInterval(low, high, self.may_be_missing or self.lower < 0)

    def _with(self, other: "AnswerInterval", lower: Bound, upper: Bound) -> "AnswerInterval":
        return AnswerInterval(lower, upper, self.may_be_missing or other.may_be_missing)


def _plus(one: Bound, two: Bound) -> Bound:
    """A sum of lower ends or of upper ends: infinities among them have one sign."""
    if isinstance(one, float):
        return one
    return two if isinstance(two, float) else one + two


def _times(one: Bound, two: Bound) -> Bound:
    """A product of ends: 0 times infinity is 0, for the ends of an interval are limits of its numbers."""
    if not one or not two:
        return Fraction(0)
    if isinstance(one, float) or isinstance(two, float):  # by sign: a long rational is too large for a float
        return math.inf if (one > 0) == (two > 0) else -math.inf
    return one * two


def _power(base: Bound, exponent: int) -> Bound:
    if isinstance(base, float):
        return base if exponent % 2 else math.inf
    return base**exponent


def _inverse(end: Bound) -> Bound:
    return Fraction(0) if isinstance(end, float) else 1 / end


def _digits(number: Bound, rounding: str) -> str:
    if isinstance(number, float):
        return str(number)
    whole = Decimal(int(number)).adjusted() + 1
    shown = significant(number, _DIGITS if whole > _LONGEST_WHOLE else max(_DIGITS, whole), rounding)
    return f"{shown:g}" if abs(shown.adjusted()) >= _LONGEST_WHOLE else f"{shown:f}"


def _rounded(number: Bound, rounded: Callable[[Fraction], float]) -> float:
    """A whole number as such where every double is one; otherwise rounded."""
    if isinstance(number, float):
        return number
    is_whole = number.denominator == 1 and abs(number.numerator) <= _LARGEST_WHOLE
    return number.numerator if is_whole else rounded(number)


def _nearest(number: Fraction) -> float:
    """The nearest float; infinite where there is none."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def _exact_text(number: Bound | None) -> str | None:
    """An exact number as a text; None where there is none, or where it is too long to be written."""
    if number is None or isinstance(number, float):
        return None
    length = max(number.numerator.bit_length(), number.denominator.bit_length())
    return None if length > _LONGEST_EXACT else str(number)
