"""Linear queries of continuous records, and what can come out when one record is fixed."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

from noiseless.errors import RequestError
from noiseless.ranges.quantizer import Uniform
from noiseless.ranges.spans import Continuum
from noiseless.theory.continuous.cuts import Number, finite
from noiseless.theory.continuous.intervals import IntervalSet
from noiseless.theory.hypothesis.ranges import HypothesisRanges

Bounds = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class LinearQuery:
    """c.x over a box: record i lies anywhere in its own interval. `of` checks what a user gives.

    A quantizer splits the range of c.x into q equally long cells, numbered from 0, each with its lower end
    and without its upper one, the last with both (Definition 6 of [P2]).

    >>> mean = LinearQuery.average(4, 0, 100)
    >>> print(mean.outputs, mean.given(0, 100), mean.cells_given(0, 100, 10))
    [0, 100] [25, 100] range(2, 10)

    Attributes:
        coefficients: c.
        bounds: the lowest and the highest value of each record.
    """

    coefficients: tuple[Fraction, ...]
    bounds: tuple[Bounds, ...]

    @classmethod
    def of(
        cls, coefficients: Sequence[Number], bounds: tuple[Number, Number] | Sequence[tuple[Number, Number]]
    ) -> Self:
        """From the coefficients and the bounds of the records, one pair for all or one for each.

        >>> LinearQuery.of([1, -2], [(0, 1), (0, 3)]).spans
        (Fraction(1, 1), Fraction(6, 1))

        Raises:
            RequestError: there is no record, the numbers of bounds and coefficients differ, or a bound is no
                finite number or above its partner.
        """
        c = tuple(finite(coefficient) for coefficient in coefficients)
        pairs: list[Any] = list(bounds)
        if len(pairs) == 2 and not any(isinstance(pair, tuple | list) for pair in pairs):  # noqa: PLR2004
            pairs = [tuple(pairs)] * len(c)
        if not c or len(pairs) != len(c):
            raise RequestError("a linear query has at least one coefficient, and a pair of bounds for each")
        box = tuple((finite(low), finite(high)) for low, high in pairs)
        if any(low > high for low, high in box):
            raise RequestError("a record's lowest value is above its highest")
        return cls(c, box)

    @classmethod
    def average(cls, n: int, low: Number, high: Number) -> Self:
        """The mean of n records between `low` and `high`."""
        if n < 1:
            raise RequestError("an average is taken over at least one record")
        return cls.of([Fraction(1, n)] * n, (low, high))

    @cached_property
    def spans(self) -> tuple[Fraction, ...]:
        """S_i = |c_i| (hi_i - lo_i): how far each record moves the answer."""
        pairs = zip(self.coefficients, self.bounds, strict=True)
        return tuple(abs(c) * (high - low) for c, (low, high) in pairs)

    @cached_property
    def span(self) -> Fraction:
        """R, the length of the range of c.x: the sum of the spans."""
        return sum(self.spans, Fraction(0))

    @property
    def sensitivity(self) -> Fraction:
        """S, the largest span."""
        return max(self.spans)

    @cached_property
    def lowest(self) -> Fraction:
        """The smallest value of c.x."""
        pairs = zip(self.coefficients, self.bounds, strict=True)
        return sum((min(c * low, c * high) for c, (low, high) in pairs), Fraction(0))

    @property
    def outputs(self) -> IntervalSet:
        """[[c.x]], an interval of length R."""
        return IntervalSet.of((self.lowest, self.lowest + self.span))

    def offset(self, record: int, value: Number) -> Fraction:
        """How far the value of a record lifts c.x above the lowest this record allows, between 0 and S_i.

        Raises:
            RequestError: there is no such record, or the value is outside its bounds.
        """
        if not 0 <= record < len(self.bounds):
            raise RequestError(f"there is no record {record}; they are numbered 0 to {len(self.bounds) - 1}")
        c, (low, high), x = self.coefficients[record], self.bounds[record], finite(value)
        if not low <= x <= high:
            raise RequestError(f"the value given for record {record} is outside its bounds")
        return c * x - min(c * low, c * high)

    def value_at(self, record: int, offset: Fraction) -> Fraction:
        """The value of a record that lifts c.x so far: the inverse of `offset`; any value if c_i = 0."""
        c, (low, high) = self.coefficients[record], self.bounds[record]
        return low if c == 0 else (low if c > 0 else high) + offset / c

    def given(self, record: int, value: Number) -> IntervalSet:
        """[[c.x|x_i]]: an interval of length R - S_i, which slides over S_i as x_i varies."""
        start = self.lowest + self.offset(record, value)
        return IntervalSet.of((start, start + self.span - self.spans[record]))

    def cells_given(self, record: int, value: Number, cells: int) -> range:
        """The cells of a quantizer that can come out when one record has that value: a run."""
        quantizer = Uniform(Continuum(self.lowest, self.lowest + self.span), cells)
        start = self.lowest + self.offset(record, value)
        stop = start + self.span - self.spans[record]
        return range(quantizer.cell(start), quantizer.cell(stop) + 1)

    def pair(
        self, record: int, value: Number, other: Number, cells: int | None = None
    ) -> HypothesisRanges[Any]:
        """Whether one record is `value` (p0) or `other` (p1), the other records being unknown.

        Args:
            record: which record, from 0.
            value: the one value.
            other: the other value.
            cells: into how many cells the answer is quantised; None when it is given as it is.
        """
        if cells is None:
            return HypothesisRanges(self.given(record, value), self.given(record, other))
        return HypothesisRanges(*(frozenset(self.cells_given(record, x, cells)) for x in (value, other)))


def check_cells(cells: int) -> None:
    """Refuse a quantizer without cells."""
    if cells < 1:
        raise RequestError("a quantizer has at least one cell")
