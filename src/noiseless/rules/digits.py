"""Rounding to significant digits."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, lcm
from typing import ClassVar

from noiseless.errors import RequestError
from noiseless.exact import Rational
from noiseless.ranges.quantizer import Listed, Quantizer, Stepped
from noiseless.ranges.spans import Continuum, Lattice, Span
from noiseless.rules.base import MOST_CELLS, NumberCoarsening, as_number, like, require_whole
from noiseless.rules.listing import too_many
from noiseless.rules.rounded import Cut, multiple

_MOST_DIGITS = 300


@dataclass(frozen=True)
class Digits(NumberCoarsening):
    """Told to so many significant digits, halves away from zero; 0 stays 0.

    >>> rule = Digits(2)
    >>> rule.told(1250), rule.told(996), rule.told(Fraction(-5, 1000)), rule.told(0)
    (1300, 1000, Fraction(-1, 200), 0)
    """

    name: ClassVar[str] = "digits"
    form: ClassVar[str] = "digits:D"
    used_by: ClassVar[str] = (
        "the US Census Bureau's Disclosure Review Board (digits:4 but for ties, which go to even,"
        " for all numbers from confidential data; Garfinkel, DRB Rounding Tools, 2019)"
    )

    digits: int

    def __post_init__(self) -> None:
        require_whole(self.digits, 1, "the D of digits:D")
        if self.digits > _MOST_DIGITS:
            raise RequestError(f"digits:D takes at most {_MOST_DIGITS} digits")

    @property
    def text(self) -> str:
        """The number of digits."""
        return f"digits:{self.digits}"

    @property
    def statement(self) -> str:
        """How many digits."""
        many = "digit" if self.digits == 1 else "digits"
        return f"A number is told to {self.digits} significant {many}, halves away from zero; 0 stays 0."

    def told(self, value: object) -> Rational:
        """The nearest number with so many digits."""
        return like(self._rounded(as_number(value)), value)

    def quantizer(self, span: Span) -> Quantizer:
        """Cells ten times as wide in each decade; near 0 all points of a lattice are told apart.

        Raises:
            RequestError: there are infinitely many, on a continuum that holds 0; or too many to list.
        """
        if isinstance(span, Lattice):
            return self._on_lattice(span)
        if span.low <= 0 <= span.high:
            raise RequestError(
                f"numbers of {self.digits} digits crowd near 0, infinitely many answers;"
                " give the step of the values (--step), or bounds on one side of 0"
            )
        return self._on_continuum(span)

    def _rounded(self, number: Fraction) -> Fraction:
        if not number:
            return number
        unit = self.unit(decade(abs(number)))
        return multiple(number / unit, "half-away") * unit

    def unit(self, power: int) -> Fraction:
        """What the last digit of a number counts, given the power of ten at or below it."""
        return Fraction(10) ** (power - self.digits + 1)

    # Cells

    def _on_continuum(self, span: Continuum) -> Cut:
        """Cuts lie halfway between numbers of so many digits, and belong to the one farther from 0."""
        near, far = sorted((abs(span.low), abs(span.high)))
        found: list[Fraction] = []
        for power in range(decade(near), decade(far) + 1):
            unit = self.unit(power)
            first = max(10 ** (self.digits - 1), floor(near / unit + Fraction(1, 2)))
            last = min(10**self.digits, floor(far / unit + Fraction(1, 2)))
            if len(found) + last - first > MOST_CELLS:
                raise too_many(self.text)
            found += [(2 * number + 1) * unit / 2 for number in range(first, last)]
        return Cut(
            span, tuple(found) if span.low > 0 else tuple(-cut for cut in reversed(found)), span.low > 0
        )

    def _on_lattice(self, span: Lattice) -> Quantizer:
        """The cells of negative numbers, which mirror those of positive ones, of 0 and of positive ones."""
        below = min(max(ceil(-span.low / span.step), 0), span.last + 1)
        above = min(max(floor(-span.low / span.step) + 1, 0), span.last + 1)
        down = (-span.value(below - 1), span.step, below)
        up = (span.value(above), span.step, span.last + 1 - above)
        sides = [side for side in (down, up) if side[2]]
        if all(unit <= span.step and not joined for s in sides for _, _, unit, joined in self._decades(*s)):
            return Stepped(span, 1)
        ends = [*self._begins(*down)[1:], below] if below else []
        begins = [below - end for end in reversed(ends)]
        begins += range(below, above)  # 0, if it is a point
        return Listed(span, (*begins, *(above + begin for begin in (self._begins(*up) if up[2] else ()))))

    def _decades(
        self, near: Fraction, step: Fraction, points: int
    ) -> Iterator[tuple[int, int, Fraction, bool]]:
        """The decades of so many points from a positive one on that have any.

        Yields:
            Its first point, the point after its last one, the unit of its numbers, and whether its first
            point is told like the one before it.
        """
        for power in range(decade(near), decade(near + step * (points - 1)) + 1):
            first, end = (
                min(max(ceil((Fraction(10) ** edge - near) / step), 0), points) for edge in (power, power + 1)
            )
            if first < end:
                own, before = (self._rounded(near + step * point) for point in (first, max(first - 1, 0)))
                yield first, end, self.unit(power), first > 0 and own == before

    def _begins(self, near: Fraction, step: Fraction, points: int) -> list[int]:
        """Where cells begin among so many points from a positive one on."""
        found: list[int] = []
        for first, end, unit, joined in self._decades(near, step, points):
            ends = (near + step * point for point in (first, end - 1))
            low, high = (floor(value / unit + Fraction(1, 2)) for value in ends)
            if len(found) + min(end - first, high - low) > MOST_CELLS:
                raise too_many(self.text)
            if unit <= step:
                found += range(first + joined, end)
                continue
            found += [] if joined else [first]
            found += _halfway(unit / step, near / step, range(low, high))
        return found


def _halfway(unit: Fraction, near: Fraction, numbers: range) -> list[int]:
    """The first whole number not below (number + 1/2) unit - near, for each number, without fractions.

    >>> _halfway(Fraction(10), Fraction(1, 2), range(3))
    [5, 15, 25]
    """
    common = 2 * lcm(unit.denominator, near.denominator)
    size, start = int(unit * common) // 2, int(near * common)
    return [-((start - (2 * number + 1) * size) // common) for number in numbers]


def decade(size: Fraction) -> int:
    """The exponent of the power of ten at or below a number above 0.

    >>> decade(Fraction(999)), decade(Fraction(1, 10)), decade(Fraction(1, 11))
    (2, -1, -2)
    """
    guess = len(str(size.numerator)) - len(str(size.denominator))
    return guess if Fraction(10) ** guess <= size else guess - 1
