"""Rounding to multiples or to significant digits, and how far what is published can be off."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, gcd, lcm
from typing import ClassVar

from noiseless.errors import RequestError
from noiseless.exact import Rational
from noiseless.ranges.quantizer import Listed, Quantizer, Stepped
from noiseless.ranges.spans import Continuum, Lattice, Span
from noiseless.rules.base import (
    MOST_CELLS,
    NumberCoarsening,
    Rule,
    as_number,
    like,
    number_text,
    require_whole,
    too_many,
)
from noiseless.rules.rounded_cells import Comb, Cut, Direction, Rounded, multiple

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
    def statement(self) -> str:
        """Which multiple."""
        return f"A number is published as {_HOW[self.direction].format(number_text(self.base))}."

    def told(self, value: object) -> Rational:
        """The multiple."""
        return like(multiple(as_number(value) / self.base, self.direction) * self.base, value)

    def quantizer(self, span: Span) -> Quantizer:
        """As many cells as multiples are told; where points are farther apart than multiples, all points."""
        if isinstance(span, Lattice):
            return Comb.of(span, self.base, self.direction)
        return Rounded(span, self.base, self.direction)


_MOST_DIGITS = 300


@dataclass(frozen=True)
class Digits(NumberCoarsening):
    """Rounded to a number of significant digits, halves away from zero; 0 stays 0.

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
    def statement(self) -> str:
        """How many digits."""
        many = "digit" if self.digits == 1 else "digits"
        return f"A number is published to {self.digits} significant {many}, halves away from zero; 0 stays 0."

    def told(self, value: object) -> Rational:
        """The nearest number with this many digits."""
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
        """Cuts lie halfway between numbers of this many digits, and belong to the one farther from 0."""
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
        """The decades of this many points from a positive one on that have any.

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
        """Where cells begin among this many points from a positive one on."""
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


_HALF = Fraction(1, 2)


def told_error(rule: Rule, span: Span) -> Fraction | None:
    """The largest distance of a told number from the truth; None where labels such as >=90 may be told.

    >>> counts = Lattice.of(0, 1000, 1)
    >>> [str(told_error(Round(Fraction(base)), counts)) for base in (2, 5, 10)]
    ['1', '2', '5']

    Args:
        rule: the rule.
        span: the answers there are. Those of a lattice that is shorter than a base are taken for all there
            are between its ends or all of its kind, whichever says less.
    """
    if isinstance(rule, Round):
        return _within(span, rule.base, rule.direction, span.low, span.high)
    if isinstance(rule, Digits):
        return max((error for side in (1, -1) for error in _by_decade(rule, span, side)), default=Fraction(0))
    return None


def _by_decade(rule: Digits, span: Span, side: int) -> list[Fraction]:
    """The errors of the numbers on one side of 0, each decade rounded to its own unit."""
    near, far = sorted((side * span.low, side * span.high))
    if far <= 0:
        return []
    if near <= 0:  # 0 is told as it is; on a lattice there is a smallest number beside it
        near = min(far, _first_above(span, side))
    found = []
    for power in range(decade(near), decade(far) + 1):
        low, high = max(near, Fraction(10) ** power), min(far, Fraction(10) ** (power + 1))
        unit = rule.unit(power)
        ends = (low, high) if side > 0 else (-high, -low)
        found.append(_within(span, unit, "half-away", *ends))
    return found


def _first_above(span: Span, side: int) -> Fraction:
    """The smallest size of a number of a lattice on one side of 0, which lies within it."""
    assert isinstance(span, Lattice)  # noqa: S101 - digits crowd near 0 on a continuum, and are refused
    rest = (side * span.low) % span.step
    return rest or span.step


def _within(span: Span, base: Fraction, direction: Direction, low: Fraction, high: Fraction) -> Fraction:
    """The largest error of the answers between two numbers, rounded to multiples of a base."""
    found = _between(base, direction, low, high)
    return min(found, _of_kind(span, base, direction)) if isinstance(span, Lattice) else found


def _between(base: Fraction, direction: Direction, low: Fraction, high: Fraction) -> Fraction:
    """The largest error of all numbers between two: at a half, just beside a multiple, or at an end."""
    if direction == "down" and floor(high / base) > floor(low / base):
        return base
    if direction == "up" and ceil(high / base) > ceil(low / base):
        return base
    halves = floor(high / base - _HALF) >= ceil(low / base - _HALF)
    if halves and direction not in {"down", "up"}:
        return base / 2
    return max(abs(multiple(end / base, direction) * base - end) for end in (low, high))


def _of_kind(lattice: Lattice, base: Fraction, direction: Direction) -> Fraction:
    """The largest error of all numbers that lie like those of a lattice, from one base to the next."""
    step, common = lattice.step, lattice.step.denominator * base.denominator
    unit = Fraction(gcd(step.numerator * base.denominator, base.numerator * step.denominator), common)
    first = lattice.low % unit  # above a multiple of the base there are first, first + unit, ...
    if direction == "down":
        return first + base - unit
    if direction == "up":
        return base - (first or unit)
    places = (base / 2 - first) / unit
    return max(first + floor(places) * unit, base - first - ceil(places) * unit, Fraction(0))
