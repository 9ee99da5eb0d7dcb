"""Rounding to a multiple of a base."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from noiseless.errors import RequestError
from noiseless.exact import Rational
from noiseless.ranges.quantizer import Quantizer
from noiseless.ranges.spans import Lattice, Span
from noiseless.rules.base import NumberCoarsening, as_number, like, number_text
from noiseless.rules.comb import Comb
from noiseless.rules.rounded import Direction, Rounded, multiple

_HOW = {
    "half-away": "the nearest multiple of {0}, halves away from zero",
    "half-even": "the nearest multiple of {0}, halves to the even one",
    "down": "the multiple of {0} at or below it",
    "up": "the multiple of {0} at or above it",
}


@dataclass(frozen=True)
class Round(NumberCoarsening):
    """Told as a multiple of a base.

    >>> rule = Round(Fraction(5))
    >>> rule.told(12), rule.told(-12), rule.text
    (10, -10, 'round:5')

    Attributes:
        base: what numbers are rounded to multiples of.
        direction: half-away, half-even, down (towards minus infinity) or up.
    """

    name: ClassVar[str] = "round"
    form: ClassVar[str] = "round:BASE[:half-away|half-even|down|up]"
    used_by: ClassVar[str] = (
        "HESA (round:5 of counts of people; HESA Standard Rounding Methodology) and statistical offices, for"
        " tables of counts (conventional rounding; Handbook on Statistical Disclosure Control, 2010)"
    )

    base: Fraction
    direction: Direction = "half-away"

    def __post_init__(self) -> None:
        if self.base <= 0:
            raise RequestError("the base of round:BASE is a number above 0")
        if self.direction not in _HOW:
            raise RequestError(f"numbers are rounded {', '.join(_HOW)}; not {self.direction!r}")

    @property
    def text(self) -> str:
        """The base, and the direction where it is not the usual one."""
        way = "" if self.direction == "half-away" else f":{self.direction}"
        return f"round:{number_text(self.base)}{way}"

    @property
    def statement(self) -> str:
        """Which multiple."""
        return f"A number is told as {_HOW[self.direction].format(number_text(self.base))}."

    def told(self, value: object) -> Rational:
        """The multiple."""
        return like(multiple(as_number(value) / self.base, self.direction) * self.base, value)

    def quantizer(self, span: Span) -> Quantizer:
        """As many cells as multiples are told; where points are farther apart than multiples, all points."""
        if isinstance(span, Lattice):
            return Comb.of(span, self.base, self.direction)
        return Rounded(span, self.base, self.direction)
