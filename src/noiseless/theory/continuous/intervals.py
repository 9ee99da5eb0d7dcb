"""Intervals of real numbers and their finite unions, exactly: the ranges of scalar variables."""

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Self

from noiseless.errors import ExpressionError, RequestError
from noiseless.theory.continuous.cuts import (
    Cut,
    CutSet,
    Endpoint,
    Number,
    distance,
    endpoint,
    finite,
    is_infinite,
    linear,
    total,
)

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
class IntervalSet(CutSet):
    """A finite union of intervals, made of its maximal intervals in ascending order: a set of one dimension.

    >>> half = IntervalSet.of((0, "1/2", "[)"), (3, 3))
    >>> print(half | IntervalSet.of(("1/2", 1)), half.measure)
    [0, 1] | {3} 1/2
    """

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
        return cls._spanned([((interval.start, interval.stop),) for interval in intervals], 1)

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
            return cls.union(())
        intervals: list[Interval] = []
        for part in text.replace("\u222a", "|").split("|"):
            try:
                intervals.extend(_read(part.strip()))
            except RequestError as error:
                raise ExpressionError(text, str(error)) from None
        return cls.union(intervals)

    def __str__(self) -> str:
        return " | ".join(map(str, self.intervals)) or "{}"

    def __repr__(self) -> str:
        return f"IntervalSet.parse({str(self)!r})"

    def __iter__(self) -> Iterator[Interval]:
        return iter(self.intervals)

    def __len__(self) -> int:
        """How many intervals it consists of."""
        return len(self.intervals)

    def __contains__(self, value: Number) -> bool:
        return bool(bisect_right(self.cuts, (endpoint(value), 0)) % 2)

    @property
    def cuts(self) -> tuple[Cut, ...]:
        """The cuts at which one enters and leaves the set, in turn."""
        return self.axes[0]

    @cached_property
    def intervals(self) -> tuple[Interval, ...]:
        """Its maximal intervals, ascending."""
        return tuple(map(Interval.between, self.cuts[::2], self.cuts[1::2]))

    @property
    def points(self) -> tuple[Fraction, ...]:
        """Its isolated points."""
        return tuple(Fraction(interval.low) for interval in self.intervals if interval.is_point)

    @property
    def hull(self) -> Interval:
        """The smallest interval that holds it.

        Raises:
            RequestError: it is empty.
        """
        if not self:
            raise RequestError("the empty set has no hull")
        return Interval.between(self.cuts[0], self.cuts[-1])

    def complement(self) -> "IntervalSet":
        """All other real numbers."""
        return REALS - self

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


def _read(part: str) -> Iterable[Interval]:
    if part.startswith("{") and part.endswith("}"):
        return [Interval.point(value) for value in part[1:-1].split(",")]
    if part[:1] in {"[", "("} and part[-1:] in {"]", ")"}:
        low, _, high = part[1:-1].partition(",")
        return [Interval.of(low, high, part[0] + part[-1])]
    raise RequestError("a set is written like [0, 1/2) | {3} | (4, inf)")


EMPTY = IntervalSet.of()
"""No number at all."""

REALS = IntervalSet.of((-math.inf, math.inf))
"""Every real number."""
