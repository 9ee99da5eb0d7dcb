"""Exact interval arithmetic: what is certain of a number computed from intervals; and how it is written."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction
from itertools import product
from typing import Any

from noiseless.display import significant
from noiseless.exact import Rational, round_down, round_up

Bound = Fraction | float
"""An end of an interval: exact, or infinite."""

_DIGITS = 6
"""What people read has this many significant digits; JSON and frames have all that a double has."""
_LONGEST_WHOLE = 40
"""Whole numbers of more digits are shown to people with an exponent."""
_LARGEST_WHOLE = 2**53
"""Whole numbers up to here are doubles, and JSON has them without a point."""
_LONGEST_EXACT = 10_000
"""Exact numbers of more bits are not written out: readers of JSON need not take such long ones."""

_ROOT_BITS = 128
"""Square roots that are irrational are enclosed to this many significant bits."""


def root_bounds(square: Fraction) -> tuple[Fraction, Fraction]:
    """Rationals below and above sqrt(square), equal when the root is rational; 128 bits of them are certain.

    >>> root_bounds(Fraction(4, 9)), root_bounds(Fraction(2))[0] < root_bounds(Fraction(2))[1]
    ((Fraction(2, 3), Fraction(2, 3)), True)
    """
    inner = square.numerator * square.denominator  # sqrt(p / q) = sqrt(p q) / q
    shift = max(0, _ROOT_BITS - inner.bit_length() // 2)
    root, unit = math.isqrt(inner << (2 * shift)), square.denominator << shift
    return Fraction(root, unit), Fraction(root + (root * root < inner << (2 * shift)), unit)


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
    def error(self) -> Bound:
        """How far the middle can be from the truth: half the width."""
        if isinstance(self.lower, float) or isinstance(self.upper, float):
            return math.inf
        return (self.upper - self.lower) / 2

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
        """As people read it: its ends, which are rounded outwards; one number where it is exact.

        >>> str(AnswerInterval.of(Fraction(1, 3), Fraction(2, 3))), str(AnswerInterval.of(7000))
        ('0.333333 to 0.666667', '7,000')
        """
        low, high = _digits(self.lower, ROUND_FLOOR), _digits(self.upper, ROUND_CEILING)
        perhaps = ", or none" if self.may_be_missing else ""
        return f"{low}{perhaps}" if low == high else f"{low} to {high}{perhaps}"

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


@dataclass(frozen=True)
class Tolerance:
    """How sharp an answer is at least: known before it is paid for, from what is declared alone.

    >>> str(Tolerance(Fraction(49_875))), str(Tolerance(Fraction(0))), str(Tolerance(Fraction(1, 3), True))
    ('plus or minus 49,875', 'exact', 'plus or minus 0.333334, or none')
    >>> str(Tolerance(Fraction(2), derived=Fraction(7)))
    'plus or minus 2; free with bits(0): plus or minus 7 from earlier answers'

    Attributes:
        error: how far the middle can be from the truth; infinite where the answer may have no end.
        may_be_missing: whether there may be no number; that is an answer too, and is paid for.
        tells_nothing: whether there is one possible answer, whatever the data is.
        derived: the error of what follows from earlier answers instead, for free; None where nothing does.
    """

    error: Bound
    may_be_missing: bool = False
    tells_nothing: bool = False
    derived: Bound | None = None

    def __str__(self) -> str:
        """As people read it; errors are rounded up."""
        if self.tells_nothing:
            return "tells nothing"
        said = _off_by(self.error) + (", or none" if self.may_be_missing else "")
        if self.derived is None:
            return said
        return f"{said}; free with bits(0): {_off_by(self.derived)} from earlier answers"

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it: rounded up, and exactly."""
        return {
            "worst_error": _rounded(self.error, round_up),
            "worst_error_exact": _exact_text(self.error),
            "may_be_missing": self.may_be_missing,
            "tells_nothing": self.tells_nothing,
            "derived_error": None if self.derived is None else _rounded(self.derived, round_up),
            "derived_error_exact": _exact_text(self.derived),
        }

    def __or__(self, other: "Tolerance") -> "Tolerance":
        """Of either answer."""
        return Tolerance(
            max(self.error, other.error),
            self.may_be_missing or other.may_be_missing,
            self.tells_nothing and other.tells_nothing,
            None if self.derived is None or other.derived is None else max(self.derived, other.derived),
        )


def _off_by(error: Bound) -> str:
    if isinstance(error, float):
        return "of any width"
    return f"plus or minus {_digits(error, ROUND_CEILING)}" if error else "exact"


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
    return f"{shown:g}" if abs(shown.adjusted()) >= _LONGEST_WHOLE else f"{shown:,f}"


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


@dataclass(frozen=True, slots=True)
class Enclosure:
    """All numbers from `lower` to `upper`; what is computed with enclosures encloses the result.

    >>> x = Enclosure(Fraction(-1), Fraction(2))
    >>> x * x, x**2
    (Enclosure(-2, 4), Enclosure(0, 4))
    """

    lower: Fraction
    upper: Fraction

    @classmethod
    def exactly(cls, value: Fraction) -> "Enclosure":
        """The enclosure of one known number."""
        return cls(value, value)

    def __repr__(self) -> str:
        return f"Enclosure({self.lower}, {self.upper})"

    @property
    def width(self) -> Fraction:
        """How far its ends are apart."""
        return self.upper - self.lower

    @property
    def sign(self) -> int:
        """1 or -1 when all its numbers are positive or negative, 0 when 0 may be among them."""
        return (self.lower > 0) - (self.upper < 0)

    def __add__(self, other: "Enclosure") -> "Enclosure":
        return Enclosure(self.lower + other.lower, self.upper + other.upper)

    def __sub__(self, other: "Enclosure") -> "Enclosure":
        return Enclosure(self.lower - other.upper, self.upper - other.lower)

    def __neg__(self) -> "Enclosure":
        return Enclosure(-self.upper, -self.lower)

    def __mul__(self, other: "Enclosure") -> "Enclosure":
        corners = [a * b for a, b in product((self.lower, self.upper), (other.lower, other.upper))]
        return Enclosure(min(corners), max(corners))

    def __truediv__(self, other: "Enclosure") -> "Enclosure":
        if not other.sign:
            raise ZeroDivisionError("the divisor may be 0")
        return self * Enclosure(1 / other.upper, 1 / other.lower)

    def __pow__(self, power: int) -> "Enclosure":
        if power % 2 == 0:
            size = abs(self)
            return Enclosure(size.lower**power, size.upper**power)
        return Enclosure(self.lower**power, self.upper**power)

    def __abs__(self) -> "Enclosure":
        ends = abs(self.lower), abs(self.upper)
        return Enclosure(min(ends) if self.sign else Fraction(0), max(ends))

    def larger(self, other: "Enclosure") -> "Enclosure":
        """The enclosure of the larger one of two numbers."""
        return Enclosure(max(self.lower, other.lower), max(self.upper, other.upper))
