"""Sets of real numbers that are finite unions of intervals, exactly: the ranges of scalar variables.

Everything is done with *cuts*. A cut stands just before or just after a number, so that [a, b) lies between
the cuts before a and before b, (a, b] between those after a and after b, and the point {a} between the cut
before a and the cut after it. Open and closed ends then need no cases.
"""

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from numbers import Integral, Real
from typing import Self, SupportsFloat

from noiseless.errors import ExpressionError, RequestError

# Rationals may be beyond floats. So an infinite float is never added to one or multiplied by it, and `math` is
# not asked about them.


Number = int | Fraction | Decimal | SupportsFloat | str
"""What a user may write for a number: a float is the rational that it is, "1/3" and "0.1" are exact."""

Endpoint = Fraction | float
"""A rational, or a float that is plus or minus infinity."""

_INFINITE = {"inf": math.inf, "+inf": math.inf, "-inf": -math.inf, "∞": math.inf, "-∞": -math.inf}


def endpoint(value: Number) -> Endpoint:
    """The exact number that a user wrote: a rational, or a float when it is infinite.

    Raises:
        RequestError: it is no number.

    >>> endpoint("1/3"), endpoint(0.5), endpoint("-inf")
    (Fraction(1, 3), Fraction(1, 2), -inf)
    """
    if isinstance(value, Fraction):
        return value
    if isinstance(value, str):
        text = value.strip()
        try:
            return _INFINITE[text] if text in _INFINITE else Fraction(text)
        except (ValueError, ZeroDivisionError):
            raise RequestError("that is no number; write one like 3, 1/3, 0.25, -2e-3 or inf") from None
    if isinstance(value, Integral):
        return Fraction(int(value))
    if isinstance(value, Decimal) and value.is_finite():
        return Fraction(value)
    if isinstance(value, Decimal | Real):
        number = math.nan if isinstance(value, Decimal) and value.is_nan() else float(value)
        if math.isnan(number):
            raise RequestError("NaN is no number that an interval could end at")
        return number if math.isinf(number) else Fraction(number)
    raise RequestError(f"an interval ends at numbers, not at a {type(value).__name__}")


def finite(value: Number) -> Fraction:
    """The exact rational that a user wrote.

    Raises:
        RequestError: it is no number, or infinite.
    """
    exact = endpoint(value)
    if isinstance(exact, float):
        raise RequestError("a finite number is needed here; infinity is none")
    return exact


def is_infinite(end: Endpoint) -> bool:
    """Whether an end is infinite: only then it is a float."""
    return isinstance(end, float)


def total(values: Iterable[Endpoint]) -> Endpoint:
    """The sum of numbers, infinite ones having one sign."""
    found = Fraction(0)
    for value in values:
        if isinstance(value, float):
            return value
        found += value
    return found


def distance(low: Endpoint, high: Endpoint) -> Endpoint:
    """How far two ends are apart."""
    return math.inf if is_infinite(low) or is_infinite(high) else high - low


def linear(slope: Fraction, end: Endpoint, offset: Fraction) -> Endpoint:
    """Slope * end + offset, the slope not being 0."""
    if is_infinite(end):
        return end if slope > 0 else -end
    return slope * end + offset


Cut = tuple[Endpoint, int]
"""A place between numbers: (a, 0) just before a, (a, 1) just after it."""

_ENDS = ("[]", "[)", "(]", "()")


@dataclass(frozen=True, slots=True)
class Interval:
    """A non-empty interval of real numbers; `Interval.of` checks what a user gives.

    Attributes:
        low: its lower end, minus infinity if there is none.
        high: its upper end.
        closed_low: whether `low` belongs to it; never when infinite.
        closed_high: whether `high` belongs to it.
    """

    low: Endpoint
    high: Endpoint
    closed_low: bool
    closed_high: bool

    @classmethod
    def of(cls, low: Number, high: Number, ends: str = "[]") -> Self:
        """From its ends; infinite ones are open whatever `ends` says, and a point is [a, a].

        Args:
            low: the lower end.
            high: the upper end.
            ends: "[]", "[)", "(]" or "()": which ends belong to it.

        Raises:
            RequestError: an end is no number, or nothing lies between them.

        >>> str(Interval.of(0, "1/2", "[)")), str(Interval.of(3, 3)), str(Interval.of(0, float("inf")))
        ('[0, 1/2)', '{3}', '[0, inf)')
        """
        if ends not in _ENDS:
            raise RequestError(f"the ends of an interval are one of {', '.join(_ENDS)}, not {ends!r}")
        a, b = endpoint(low), endpoint(high)
        interval = cls(a, b, ends[0] == "[" and not is_infinite(a), ends[1] == "]" and not is_infinite(b))
        if interval.start >= interval.stop or a == math.inf or b == -math.inf:
            raise RequestError("no number lies between these ends; leave empty intervals out")
        return interval

    @classmethod
    def point(cls, value: Number) -> Self:
        """The interval [a, a]."""
        return cls.of(value, value)

    @classmethod
    def between(cls, start: Cut, stop: Cut) -> Self:
        """The interval between two cuts, the first of which lies below the second."""
        return cls(start[0], stop[0], start[1] == 0, stop[1] == 1)

    def __str__(self) -> str:
        if self.is_point:
            return f"{{{self.low}}}"
        return f"{'(['[self.closed_low]}{self.low}, {self.high}{')]'[self.closed_high]}"

    def __repr__(self) -> str:
        ends = f"{'(['[self.closed_low]}{')]'[self.closed_high]}"
        return f"Interval.of('{self.low}', '{self.high}', '{ends}')"

    def __contains__(self, value: Number) -> bool:
        place = (endpoint(value), 0)
        return self.start <= place < self.stop

    @property
    def start(self) -> Cut:
        """The cut below it."""
        return (self.low, 0 if self.closed_low else 1)

    @property
    def stop(self) -> Cut:
        """The cut above it."""
        return (self.high, 1 if self.closed_high else 0)

    @property
    def length(self) -> Endpoint:
        """Its Lebesgue measure."""
        return distance(self.low, self.high)

    @property
    def is_point(self) -> bool:
        """Whether it is a single number."""
        return self.low == self.high

    @property
    def is_bounded(self) -> bool:
        """Whether both ends are finite."""
        return not (is_infinite(self.low) or is_infinite(self.high))

    def meet(self, other: "Interval") -> "Interval | None":
        """The numbers in both, if there are any."""
        start, stop = max(self.start, other.start), min(self.stop, other.stop)
        return Interval.between(start, stop) if start < stop else None

    def affine(self, slope: Fraction, offset: Fraction) -> "Interval":
        """{slope * x + offset: x in it}; a slope of 0 gives a point."""
        if slope == 0:
            return Interval(offset, offset, closed_low=True, closed_high=True)
        low, high = linear(slope, self.low, offset), linear(slope, self.high, offset)
        if slope > 0:
            return Interval(low, high, self.closed_low, self.closed_high)
        return Interval(high, low, self.closed_high, self.closed_low)

    def plus(self, other: "Interval") -> "Interval":
        """{a + b: a in it, b in the other}: an end is attained when both are."""
        return Interval(
            total((self.low, other.low)),
            total((self.high, other.high)),
            self.closed_low and other.closed_low,
            self.closed_high and other.closed_high,
        )


Piece = Interval | tuple[Number, Number] | tuple[Number, Number, str]
"""An interval, or the arguments of `Interval.of`."""


@dataclass(frozen=True, repr=False)
class IntervalSet:
    """A finite union of intervals, as its maximal intervals in ascending order: equal sets are equal objects.

    `IntervalSet.of` brings any intervals into that form; the constructor trusts its caller.

    >>> half = IntervalSet.of((0, "1/2", "[)"), (3, 3))
    >>> print(half | IntervalSet.of(("1/2", 1)), half.measure)
    [0, 1] | {3} 1/2
    """

    intervals: tuple[Interval, ...]

    @classmethod
    def of(cls, *pieces: Piece) -> Self:
        """The union of intervals, each an `Interval` or a tuple (low, high) or (low, high, ends).

        Raises:
            RequestError: an interval is not well formed, or empty.
        """
        return cls.union(piece if isinstance(piece, Interval) else Interval.of(*piece) for piece in pieces)

    @classmethod
    def union(cls, intervals: Iterable[Interval]) -> Self:
        """The union of any number of intervals."""
        merged: list[tuple[Cut, Cut]] = []
        for start, stop in sorted((interval.start, interval.stop) for interval in intervals):
            if merged and start <= merged[-1][1]:
                merged[-1] = (merged[-1][0], max(merged[-1][1], stop))
            else:
                merged.append((start, stop))
        return cls(tuple(Interval.between(start, stop) for start, stop in merged))

    @classmethod
    def of_points(cls, values: Iterable[Number]) -> Self:
        """A finite set of numbers."""
        return cls.union(Interval.point(value) for value in values)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a set the way `str` writes it: intervals and {points}, joined by |.

        Raises:
            ExpressionError: it cannot be read.

        >>> print(IntervalSet.parse("(4, inf) | [0, 1/2) | {3}"))
        [0, 1/2) | {3} | (4, inf)
        """
        if text.strip() in {"{}", "∅"}:
            return cls(())
        found: list[Interval] = []
        for part in text.replace("\u222a", "|").split("|"):
            try:
                found.extend(_read(part.strip()))
            except RequestError as error:
                raise ExpressionError(text, str(error)) from None
        return cls.union(found)

    def __str__(self) -> str:
        return " | ".join(map(str, self.intervals)) or "{}"

    def __repr__(self) -> str:
        return f"IntervalSet.parse({str(self)!r})"

    def __bool__(self) -> bool:
        return bool(self.intervals)

    def __iter__(self) -> Iterator[Interval]:
        return iter(self.intervals)

    def __len__(self) -> int:
        """How many intervals it consists of."""
        return len(self.intervals)

    def __contains__(self, value: Number) -> bool:
        return bool(bisect_right(self.cuts, (endpoint(value), 0)) % 2)

    def __or__(self, other: "IntervalSet") -> "IntervalSet":
        return IntervalSet.union((*self.intervals, *other.intervals))

    def __and__(self, other: "IntervalSet") -> "IntervalSet":
        return self._combined(other, lambda here, there: here and there)

    def __sub__(self, other: "IntervalSet") -> "IntervalSet":
        return self._combined(other, lambda here, there: here and not there)

    def __xor__(self, other: "IntervalSet") -> "IntervalSet":
        return self._combined(other, lambda here, there: here != there)

    def __le__(self, other: "IntervalSet") -> bool:
        return not self - other

    def __ge__(self, other: "IntervalSet") -> bool:
        return other <= self

    def __lt__(self, other: "IntervalSet") -> bool:
        return self != other and self <= other

    def __gt__(self, other: "IntervalSet") -> bool:
        return other < self

    @cached_property
    def cuts(self) -> tuple[Cut, ...]:
        """The cuts at which one enters and leaves the set, in turn."""
        return tuple(cut for interval in self.intervals for cut in (interval.start, interval.stop))

    @cached_property
    def measure(self) -> Endpoint:
        """Its Lebesgue measure, infinite if it is unbounded."""
        return total(interval.length for interval in self.intervals)

    @property
    def points(self) -> tuple[Fraction, ...]:
        """Its isolated points."""
        return tuple(Fraction(interval.low) for interval in self.intervals if interval.is_point)

    @property
    def is_bounded(self) -> bool:
        """Whether it lies between two numbers."""
        return all(interval.is_bounded for interval in self.intervals)

    @property
    def hull(self) -> Interval:
        """The smallest interval that holds it.

        Raises:
            RequestError: it is empty.
        """
        if not self.intervals:
            raise RequestError("the empty set has no hull")
        return Interval.between(self.intervals[0].start, self.intervals[-1].stop)

    def complement(self) -> "IntervalSet":
        """All other real numbers."""
        return REALS - self

    def isdisjoint(self, other: "IntervalSet") -> bool:
        """Whether no number lies in both."""
        return not self & other

    def closure(self) -> "IntervalSet":
        """It with the finite ends of its intervals."""
        return IntervalSet.union(Interval.of(i.low, i.high) for i in self.intervals)

    def interior(self) -> "IntervalSet":
        """It without the ends of its intervals and without its isolated points."""
        return IntervalSet.union(Interval.of(i.low, i.high, "()") for i in self.intervals if not i.is_point)

    def shifted(self, by: Number) -> "IntervalSet":
        """{x + by: x in it}."""
        return self.affine(1, by)

    def scaled(self, by: Number) -> "IntervalSet":
        """{by * x: x in it}."""
        return self.affine(by, 0)

    def affine(self, slope: Number, offset: Number) -> "IntervalSet":
        """{slope * x + offset: x in it}."""
        a, b = finite(slope), finite(offset)
        return IntervalSet.union(interval.affine(a, b) for interval in self.intervals)

    def plus(self, other: "IntervalSet") -> "IntervalSet":
        """The Minkowski sum {a + b: a in it, b in the other}: [[X1 + X2]] of unrelated variables.

        >>> print(IntervalSet.parse("[0, 1) | {5}").plus(IntervalSet.parse("{0} | [10, 11]")))
        [0, 1) | {5} | [10, 12) | [15, 16]
        """
        return IntervalSet.union(a.plus(b) for a in self.intervals for b in other.intervals)

    def _combined(self, other: "IntervalSet", keep: Callable[[bool, bool], bool]) -> "IntervalSet":
        """The numbers that `keep` wants, given whether they lie here and there: one sweep over the cuts."""
        sweep = sorted([(cut, 0) for cut in self.cuts] + [(cut, 1) for cut in other.cuts])
        inside = [False, False]
        kept: list[Cut] = []
        for position, (cut, side) in enumerate(sweep):
            inside[side] = not inside[side]
            if position + 1 < len(sweep) and sweep[position + 1][0] == cut:
                continue
            if keep(*inside) != bool(len(kept) % 2):
                kept.append(cut)
        return IntervalSet(tuple(Interval.between(*pair) for pair in zip(kept[::2], kept[1::2], strict=True)))


def _read(part: str) -> Iterable[Interval]:
    if part.startswith("{") and part.endswith("}"):
        return [Interval.point(value) for value in part[1:-1].split(",")]
    if part[:1] in {"[", "("} and part[-1:] in {"]", ")"}:
        low, _, high = part[1:-1].partition(",")
        return [Interval.of(low, high, part[0] + part[-1])]
    raise RequestError("a set is written like [0, 1/2) | {3} | (4, inf)")


EMPTY = IntervalSet(())
"""No number at all."""

REALS = IntervalSet.of((-math.inf, math.inf))
"""Every real number."""
