"""Exact interval arithmetic: what is certain of a number computed from intervals."""

import math
from dataclasses import dataclass
from fractions import Fraction

from noiseless.display import Bound
from noiseless.exact import Rational, root_bounds


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
