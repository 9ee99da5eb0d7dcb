"""Distances: exact square roots of rationals."""

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import total_ordering

from noiseless.exact import Rational, round_down, round_up


@total_ordering
@dataclass(frozen=True, eq=False)
class Distance:
    """The exact number sqrt(squared), for a rational that is not negative or for infinity.

    >>> Distance(2) < Fraction(3, 2), Distance(Fraction(1, 16)) == Fraction(1, 4), str(Distance(450))
    (True, True, '21.2132')
    """

    squared: Fraction | float

    def __init__(self, squared: Rational | float) -> None:
        if (isinstance(squared, Decimal) and squared.is_nan()) or not squared >= 0:
            raise ValueError("the root of a number that is negative or not a number")
        object.__setattr__(self, "squared", math.inf if squared == math.inf else Fraction(squared))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Distance):
            return self.squared == other.squared
        if isinstance(other, int | Fraction | Decimal | float):
            return other >= 0 and self.squared == _square(other)
        return NotImplemented

    def __lt__(self, other: "Distance | Rational | float") -> bool:
        if isinstance(other, Distance):
            return self.squared < other.squared
        if isinstance(other, int | Fraction | Decimal | float):
            return other > 0 and self.squared < _square(other)
        return NotImplemented

    def __hash__(self) -> int:
        exact = self.exact
        return hash(("root", self.squared) if exact is None else exact)  # equal to a number

    def __mul__(self, factor: Rational) -> "Distance":
        if factor < 0:
            raise ValueError("a distance times a negative number")
        return Distance(self.squared * Fraction(factor) ** 2)

    def __float__(self) -> float:
        """Rounded down: an error that protects is never overstated."""
        return self.lower

    def __repr__(self) -> str:
        return f"Distance({self.squared})"

    def __str__(self) -> str:
        if isinstance(self.squared, float):
            return "inf"
        return f"{Decimal(math.floor(self._bounds(self.squared)[0] * 10**4)).scaleb(-4):.4f}"

    @property
    def exact(self) -> Fraction | float | None:
        """The number itself, if it is rational or infinite."""
        if isinstance(self.squared, float):
            return self.squared
        top, bottom = math.isqrt(self.squared.numerator), math.isqrt(self.squared.denominator)
        return Fraction(top, bottom) if Fraction(top, bottom) ** 2 == self.squared else None

    @property
    def lower(self) -> float:
        """A float that is not above the exact value, at most one unit in the last place away."""
        return math.inf if isinstance(self.squared, float) else round_down(self._bounds(self.squared)[0])

    @property
    def upper(self) -> float:
        """A float that is not below the exact value."""
        return math.inf if isinstance(self.squared, float) else round_up(self._bounds(self.squared)[1])

    def _bounds(self, squared: Fraction) -> tuple[Fraction, Fraction]:
        """Rationals on both sides with at least 128 significant bits, equal if the root is rational."""
        if self.exact is not None:
            return Fraction(self.exact), Fraction(self.exact)
        shift = 128 + max(0, squared.denominator.bit_length() - squared.numerator.bit_length())
        root = math.isqrt((squared.numerator << (2 * shift)) // squared.denominator)
        return Fraction(root, 1 << shift), Fraction(root + 1, 1 << shift)


def _square(number: Rational | float) -> Fraction | float:
    return math.inf if number == math.inf else Fraction(number) ** 2
