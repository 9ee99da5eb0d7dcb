"""Enclosures: rational intervals that certainly hold a value, and arithmetic that keeps it so."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import product


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
