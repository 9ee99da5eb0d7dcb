"""The blur on lattices, in exact arrays: which points of a fibre are merged, and into what."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from noiseless.arrays import BoolArray, IntArray
from noiseless.collection.blur.hypotheses import Hypothesis
from noiseless.domain import NumberColumn
from noiseless.domain.expressions import Arithmetic
from noiseless.domain.literals import as_text, read_number
from noiseless.errors import ExpressionError

_LIMIT = 2**63
"""Below this 64-bit integers are exact; from it on Python's own are used, which are slower."""


@dataclass(frozen=True, eq=False)
class IntegerArray:
    """Integers in an array (or one, for all), with a bound that says how large they can be.

    >>> (IntegerArray.of(10**18) * IntegerArray.of(10**18)).values.item() == 10**36
    True
    """

    values: npt.NDArray[Any]
    bound: int

    @classmethod
    def of(cls, values: "int | IntArray") -> "IntegerArray":
        """From one integer or an array of them."""
        if isinstance(values, int):
            return cls(np.array(values, _kind(abs(values))), abs(values))
        largest = max(abs(int(values.max())), abs(int(values.min()))) if values.size else 0
        return cls(values.astype(_kind(largest), copy=False), largest)

    def _with(self, other: "IntegerArray", bound: int) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """Both arrays in a kind that holds operands and results."""
        kind = _kind(max(bound, self.bound, other.bound))
        return self.values.astype(kind, copy=False), other.values.astype(kind, copy=False)

    def __add__(self, other: "IntegerArray") -> "IntegerArray":
        bound = self.bound + other.bound
        first, second = self._with(other, bound)
        return _made(first + second, bound)

    def __neg__(self) -> "IntegerArray":
        return _made(-self.values, self.bound)

    def __sub__(self, other: "IntegerArray") -> "IntegerArray":
        return self + -other

    def __mul__(self, other: "IntegerArray") -> "IntegerArray":
        bound = self.bound * other.bound
        first, second = self._with(other, bound)
        return _made(first * second, bound)

    def __pow__(self, power: int) -> "IntegerArray":
        bound = self.bound**power
        return _made(self.values.astype(_kind(bound), copy=False) ** power, bound)

    def __floordiv__(self, other: "IntegerArray") -> "IntegerArray":
        """The quotient rounded down; the divisor is positive."""
        first, second = self._with(other, 0)
        return _made(first // second, self.bound + 1)

    def ceil_div(self, other: "IntegerArray") -> "IntegerArray":
        """The quotient rounded up; the divisor is positive."""
        return -(-self // other)

    def __abs__(self) -> "IntegerArray":
        return _made(abs(self.values), self.bound)

    def is_below(self, other: "IntegerArray") -> npt.NDArray[np.bool_]:
        """Where they are smaller."""
        first, second = self._with(other, 0)
        return np.asarray(first < second, bool)

    def where(self, condition: npt.NDArray[np.bool_], other: "IntegerArray") -> "IntegerArray":
        """These where the condition holds, the others elsewhere."""
        first, second = self._with(other, 0)
        return _made(np.where(condition, first, second), max(self.bound, other.bound))

    def clipped(self, low: "int | IntegerArray", high: "int | IntegerArray") -> "IntegerArray":
        """Moved into low..high."""
        lower, upper = (end if isinstance(end, IntegerArray) else IntegerArray.of(end) for end in (low, high))
        raised = lower.where(self.is_below(lower), self)
        ended = upper.where(upper.is_below(raised), raised)
        bound = max(lower.bound, upper.bound)
        return _made(ended.values, bound)


def _kind(bound: int) -> npt.DTypeLike:
    return np.int64 if bound < _LIMIT else object


def _made(values: Any, bound: int) -> IntegerArray:  # noqa: ANN401 - numpy makes scalars of arrays without axes
    return IntegerArray(np.asarray(values, _kind(bound)), bound)


@dataclass(frozen=True, eq=False)
class RationalArray:
    """Rational numbers: integers over positive integers."""

    above: IntegerArray
    below: IntegerArray

    @classmethod
    def constant(cls, value: Fraction) -> "RationalArray":
        """One rational for all."""
        return cls(IntegerArray.of(value.numerator), IntegerArray.of(value.denominator))

    def _crossed(self, other: "RationalArray") -> tuple[IntegerArray, IntegerArray, IntegerArray]:
        """Both numerators over one denominator."""
        if self.below is other.below:
            return self.above, other.above, self.below
        return self.above * other.below, other.above * self.below, self.below * other.below

    def __add__(self, other: "RationalArray") -> "RationalArray":
        first, second, below = self._crossed(other)
        return RationalArray(first + second, below)

    def __neg__(self) -> "RationalArray":
        return RationalArray(-self.above, self.below)

    def __sub__(self, other: "RationalArray") -> "RationalArray":
        return self + -other

    def __mul__(self, other: "RationalArray") -> "RationalArray":
        return RationalArray(self.above * other.above, self.below * other.below)

    def __truediv__(self, other: "RationalArray") -> "RationalArray":
        if not np.all(other.above.values != 0):
            raise ZeroDivisionError("a divisor is 0")
        negative = other.above.is_below(IntegerArray.of(0))
        above = self.above * other.below
        return RationalArray((-above).where(negative, above), self.below * abs(other.above))

    def __pow__(self, power: int) -> "RationalArray":
        return RationalArray(self.above**power, self.below**power)

    def __abs__(self) -> "RationalArray":
        return RationalArray(abs(self.above), self.below)

    def larger(self, other: "RationalArray") -> "RationalArray":
        """The larger one of each two."""
        first, second, _ = self._crossed(other)
        lower = first.is_below(second)
        return RationalArray(other.above.where(lower, self.above), other.below.where(lower, self.below))


ARRAYS = Arithmetic[RationalArray](RationalArray.constant, RationalArray.larger)


Mode = Literal["stretch", "collapse"]


@dataclass(frozen=True, eq=False)
class Fibres:
    """What happens in each of some fibres: the points `first`..`last` are merged, L with U.

    Where `touched` is false the whole fibre is left alone.

    Attributes:
        first: the number of the lowest point that is merged.
        split: the number of the lowest one above the boundary: L is first..split-1, U is split..last.
        last: the number of the highest point that is merged.
        touched: whether both halves have points.
        target: with `collapse`, the point that is released for all of them.
    """

    first: IntArray
    split: IntArray
    last: IntArray
    touched: BoolArray
    target: IntArray | None = None

    @property
    def merged(self) -> IntArray:
        """How many points of each fibre become undecidable."""
        return np.where(self.touched, self.last - self.first + 1, 0)

    @property
    def released(self) -> IntArray:
        """How many values are released for them."""
        if self.target is not None:
            return self.touched.astype(np.int64)
        return np.where(self.touched, np.minimum(self.split - self.first, self.last - self.split + 1), 0)

    def contain(self, points: IntArray) -> BoolArray:
        """Which points, one a fibre, are merged with others."""
        return np.asarray(self.touched & (self.first <= points) & (points <= self.last), bool)

    def release(self, points: IntArray) -> IntArray:
        """What is released for points, one a fibre."""
        if self.target is not None:
            return np.where(self.contain(points), self.target, points)
        moved = _midranges(self, points)
        return np.where(self.contain(points), moved, points)


def _midranges(fibres: Fibres, points: IntArray) -> IntArray:
    """The midrange of the pair of runs that each point belongs to (of use where it is merged).

    L and U are split into as many consecutive runs as the smaller one has points, n: run j out of `size`
    points starts at ceil(j * size / n). Run j of L and run j of U are a pair, and one of the two is a single
    point. So a pair spans at most max(|L|, |U|) <= d + 1 steps, d being the whole steps in D; its midrange is
    within d of its ends as soon as d >= 1. Midranges rise from pair to pair and lie within the band, so
    they meet neither each other nor a point that is left alone.
    """
    ones = np.ones_like(fibres.first)
    below = np.maximum(np.where(fibres.touched, fibres.split - fibres.first, 1), 1)
    above = np.maximum(np.where(fibres.touched, fibres.last - fibres.split + 1, 1), 1)
    pairs = IntegerArray.of(np.minimum(below, above))
    is_above = points >= fibres.split
    size = IntegerArray.of(np.where(is_above, above, below))
    place = IntegerArray.of(points - np.where(is_above, fibres.split, fibres.first))
    run = place * pairs // size
    low = IntegerArray.of(fibres.first) + (run * IntegerArray.of(below)).ceil_div(pairs)
    next_run = run + IntegerArray.of(ones)
    high = (
        IntegerArray.of(fibres.split)
        + (next_run * IntegerArray.of(above)).ceil_div(pairs)
        - IntegerArray.of(1)
    )
    middle = (low + high) // IntegerArray.of(2)
    return np.asarray(middle.values, np.int64)


@dataclass(frozen=True)
class BlurLattice:
    """A hypothesis over declared columns of numbers, and how far its column may be moved.

    Attributes:
        hypothesis: what is hidden.
        columns: the declared columns, by name.
        max_change: D, the most that a value may move; at least a step of the compared column.
        mode: "stretch" (pairs of runs) or "collapse" (one value a fibre).
    """

    hypothesis: Hypothesis
    columns: Mapping[str, NumberColumn]
    max_change: Fraction
    mode: Mode

    @property
    def compared(self) -> NumberColumn:
        """The column that is changed."""
        return self.columns[self.hypothesis.column]

    @property
    def reach(self) -> Fraction:
        """D in steps of the compared column."""
        return self.max_change * self.compared.scale / self.compared.step_units

    @property
    def steps(self) -> int:
        """How many whole steps a value can move; more than a fibre has points are of no use."""
        return min(self.reach.numerator // self.reach.denominator, self.compared.size)

    def fibres(self, others: Mapping[str, IntArray]) -> Fibres:
        """The fibres at some points of the other columns, given by their numbers.

        Raises:
            ExpressionError: the boundary divides by 0 at one of them.
        """
        count = len(next(iter(others.values()))) if others else 1
        position = self.boundary(others)
        found = self._band(position, count)
        return found if self.mode == "stretch" else self._collapsed(found, position)

    def boundary(self, others: Mapping[str, IntArray]) -> RationalArray:
        """The place of g in each fibre, counted in steps from the lowest point."""
        values = {name: _values(self.columns[name], points) for name, points in others.items()}
        try:
            g = self.hypothesis.boundary.evaluate(values, ARRAYS)
        except ZeroDivisionError:
            raise division_error(self.hypothesis) from None
        column = self.compared
        above = g.above * IntegerArray.of(column.scale) - g.below * IntegerArray.of(column.low_units)
        return RationalArray(above, g.below * IntegerArray.of(column.step_units))

    def _band(self, position: RationalArray, count: int) -> Fibres:
        """All points within D of the boundary, split by it."""
        last = self.compared.size - 1
        reach = RationalArray.constant(self.reach)
        below, above = position - reach, position + reach
        first = below.above.ceil_div(below.below).clipped(0, last)
        end = (above.above // above.below).clipped(0, last)
        split = (
            position.above.ceil_div(position.below)
            if self.hypothesis.ties_above
            else position.above // position.below + IntegerArray.of(1)
        ).clipped(0, last + 1)
        low, middle, high = (
            np.broadcast_to(part.values.astype(np.int64), count) for part in (first, split, end)
        )
        # With a whole step to spare both halves have points as soon as the boundary parts the fibre.
        touched = (middle >= 1) & (middle <= last) & (self.steps >= 1)
        return Fibres(low, middle, high, touched)

    def _collapsed(self, band: Fibres, position: RationalArray) -> Fibres:
        """One value for all, the point nearest to g from which none is further than D.

        A band of 2D + 2 points (D in whole steps) has no such point. Then each half has D + 1 points; the one
        further from g is left out, the upper one if they are equally far.
        """
        steps = self.steps
        wide = band.touched & (band.last - band.first > 2 * steps)
        ends = IntegerArray.of(band.first) + IntegerArray.of(band.last)
        lower_is_further = (ends * position.below).is_below(position.above * IntegerArray.of(2))
        first = band.first + (wide & lower_is_further)
        last = band.last - (wide & ~lower_is_further)
        two = IntegerArray.of(2)
        nearest = (position.above * two + position.below) // (position.below * two)
        target = nearest.clipped(0, self.compared.size - 1)
        within = np.clip(
            np.broadcast_to(target.values.astype(np.int64), len(first)), last - steps, first + steps
        )
        return Fibres(first, band.split, last, band.touched, within)


def division_error(hypothesis: Hypothesis) -> ExpressionError:
    """What is said when g divides by 0 somewhere in the declared range."""
    return ExpressionError(
        hypothesis.text, "divides by 0 for some declared values; declare bounds that leave those out"
    )


def _values(column: NumberColumn, points: IntArray) -> RationalArray:
    """The values at some points of a column."""
    units = IntegerArray.of(points) * IntegerArray.of(column.step_units) + IntegerArray.of(column.low_units)
    return RationalArray(units, IntegerArray.of(column.scale))


def points_of(values: pa.Array, column: NumberColumn) -> IntArray:
    """The numbers of values that are known to lie in a domain."""
    if column.size == 1:
        return np.zeros(len(values), np.int64)
    if pt.is_int64(values.type):
        above = IntegerArray.of(values.to_numpy()) - IntegerArray.of(column.low_units)
        return np.asarray((above // IntegerArray.of(column.step_units)).values, np.int64)
    if not pt.is_float64(values.type):
        return np.array([column.index(value) for value in values.to_pylist()], np.int64)
    numbers, scale = values.to_numpy(), float(column.scale)
    units = np.rint((np.rint(numbers * scale) - column.low_units) / column.step_units)
    points = units.astype(np.int64)
    # Of very many units some may be off by one in doubles: a point is right if its double is the value.
    wrong = (points * column.step_units + column.low_units) / scale != numbers
    points[wrong] = [column.index(float(number)) for number in numbers[wrong]]
    return cast("IntArray", points)


def texts_of(points: IntArray, column: NumberColumn) -> pa.Array:
    """Points as plain digits; all rows alike, for a spelling of its own would tell what was not moved."""
    distinct, place = np.unique(points, return_inverse=True)
    texts = [as_text(read_number(column.value(int(point)))) for point in distinct]
    return pa.array(texts, pa.string()).take(pa.array(place))
