"""Formulas and Lipschitz callables enclosed on many boxes at once, in float intervals rounded outward."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from noiseless.arrays import FloatArray
from noiseless.domain.expressions import Arithmetic, Expression
from noiseless.errors import RequestError
from noiseless.exact import Rational, round_down, round_up
from noiseless.intervals import Enclosure
from noiseless.theory.accuracy.pushforward import Side
from noiseless.theory.polytopes import Distance


def up(values: FloatArray) -> FloatArray:
    """The next floats: not below what a rounded operation was to give; not a number becomes infinite."""
    return np.nan_to_num(np.nextafter(values, np.inf), nan=np.inf, posinf=np.inf, neginf=-np.inf)


def down(values: FloatArray) -> FloatArray:
    """The floats before."""
    return -up(-values)


@dataclass(frozen=True, eq=False)
class Intervals:
    """In each place all numbers from `low` to `high`; what is computed with them encloses the result.

    Where a divisor may be 0, and where floats overflow, the interval is the whole line. Operations run
    within `np.errstate(all="ignore")`, which the caller provides.
    """

    low: FloatArray
    high: FloatArray

    @classmethod
    def of(cls, value: Fraction) -> "Intervals":
        """One rational for all places."""
        return cls(np.array(round_down(value)), np.array(round_up(value)))

    @property
    def size(self) -> FloatArray:
        """The largest absolute value."""
        return np.maximum(abs(self.low), abs(self.high))

    def __add__(self, other: "Intervals") -> "Intervals":
        return Intervals(down(self.low + other.low), up(self.high + other.high))

    def __neg__(self) -> "Intervals":
        return Intervals(-self.high, -self.low)

    def __sub__(self, other: "Intervals") -> "Intervals":
        return self + -other

    def __mul__(self, other: "Intervals") -> "Intervals":
        corners = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        lows = [down(corner) for corner in corners]
        highs = [up(corner) for corner in corners]
        return Intervals(reduce(np.minimum, lows), reduce(np.maximum, highs))

    def __truediv__(self, other: "Intervals") -> "Intervals":
        through = (other.low <= 0) & (other.high >= 0)
        inverse = Intervals(
            np.where(through, -np.inf, down(1 / other.high)), np.where(through, np.inf, up(1 / other.low))
        )
        return self * inverse

    def __pow__(self, power: int) -> "Intervals":
        if power == 1:
            return self
        base = abs(self) if power % 2 == 0 else self
        low, high = base.low, base.high
        # The ends are raised by themselves, each product rounded away from the middle.
        ends = [reduce(lambda a, b: a * b, [Intervals(end, end)] * power) for end in (low, high)]
        return Intervals(ends[0].low, ends[1].high)

    def __abs__(self) -> "Intervals":
        through = (self.low <= 0) & (self.high >= 0)
        least = np.where(through, 0.0, np.minimum(abs(self.low), abs(self.high)))
        return Intervals(least, self.size)

    def larger(self, other: "Intervals") -> "Intervals":
        """The larger one of two numbers."""
        return Intervals(np.maximum(self.low, other.low), np.maximum(self.high, other.high))

    def hull(self, other: "Intervals") -> "Intervals":
        """All that lies in, or between, the two."""
        return Intervals(np.minimum(self.low, other.low), np.maximum(self.high, other.high))

    def where(self, condition: npt.NDArray[np.bool_], other: "Intervals") -> "Intervals":
        """These where the condition holds, the others elsewhere."""
        return Intervals(np.where(condition, self.low, other.low), np.where(condition, self.high, other.high))


@dataclass(frozen=True, eq=False)
class Jets:
    """A function on many boxes: its values there, its values at their centres, and its slopes there.

    Slopes hold all generalised gradients, so that the mean value theorem holds for abs, min and max too.

    Attributes:
        values: bounds of the values on each box.
        centres: bounds of the value at each box's centre.
        slopes: for each axis, bounds of the slope on each box.
    """

    values: Intervals
    centres: Intervals
    slopes: tuple[Intervals, ...]

    @classmethod
    def constant(cls, value: Fraction, axes: int) -> "Jets":
        """The function with one value."""
        everywhere, flat = Intervals.of(value), Intervals.of(Fraction(0))
        return cls(everywhere, everywhere, (flat,) * axes)

    @classmethod
    def each(cls, change: Callable[..., FloatArray], *functions: "Jets") -> "Jets":
        """What a change of arrays makes of the ends of all intervals of one function or several."""

        def of(*parts: Intervals) -> Intervals:
            return Intervals(change(*(part.low for part in parts)), change(*(part.high for part in parts)))

        slopes = zip(*(jets.slopes for jets in functions), strict=True)
        return cls(
            of(*(jets.values for jets in functions)),
            of(*(jets.centres for jets in functions)),
            tuple(of(*parts) for parts in slopes),
        )

    def __add__(self, other: "Jets") -> "Jets":
        slopes = tuple(a + b for a, b in zip(self.slopes, other.slopes, strict=True))
        return Jets(self.values + other.values, self.centres + other.centres, slopes)

    def __neg__(self) -> "Jets":
        return Jets(-self.values, -self.centres, tuple(-slope for slope in self.slopes))

    def __sub__(self, other: "Jets") -> "Jets":
        return self + -other

    def __mul__(self, other: "Jets") -> "Jets":
        slopes = tuple(
            self.values * b + a * other.values for a, b in zip(self.slopes, other.slopes, strict=True)
        )
        return Jets(self.values * other.values, self.centres * other.centres, slopes)

    def __truediv__(self, other: "Jets") -> "Jets":
        values = self.values / other.values
        slopes = tuple(
            (a - values * b) / other.values for a, b in zip(self.slopes, other.slopes, strict=True)
        )
        return Jets(values, self.centres / other.centres, slopes)

    def __pow__(self, power: int) -> "Jets":
        outer = Intervals.of(Fraction(power)) * self.values ** (power - 1)
        return Jets(self.values**power, self.centres**power, tuple(outer * slope for slope in self.slopes))

    def __abs__(self) -> "Jets":
        return self.larger(-self)

    def larger(self, other: "Jets") -> "Jets":
        """The larger one of two functions: where neither is sure to be, slopes of both."""
        mine, theirs = self.values.low > other.values.high, other.values.low > self.values.high
        slopes = tuple(
            a.where(mine, b.where(theirs, a.hull(b))) for a, b in zip(self.slopes, other.slopes, strict=True)
        )
        return Jets(self.values.larger(other.values), self.centres.larger(other.centres), slopes)


class Boxes(NamedTuple):
    """Boxes inside the unit box, all at binary fractions: a row each, a column an axis."""

    starts: FloatArray
    lengths: FloatArray

    def halved(self, axis: npt.NDArray[np.intp] | int) -> "Boxes":
        """Each box cut in two along an axis."""
        lengths, rows = self.lengths.copy(), np.arange(len(self.starts))
        lengths[rows, axis] /= 2
        shifted = self.starts.copy()
        shifted[rows, axis] += lengths[rows, axis]
        return Boxes(np.concatenate([self.starts, shifted]), np.concatenate([lengths, lengths]))

    def chosen(self, which: npt.NDArray[np.bool_]) -> "Boxes":
        """Some of them."""
        return Boxes(self.starts[which], self.lengths[which])


@dataclass(frozen=True)
class EnclosedFunction(ABC):
    """A function that can be enclosed on boxes.

    Attributes:
        sides: the sides of the box that it is looked at on.
    """

    sides: tuple[Side, ...]

    @abstractmethod
    def jets(self, boxes: Boxes) -> Jets:
        """Bounds of its values and of its slopes along the unit box's axes."""

    @abstractmethod
    def at(self, point: Sequence[Fraction]) -> Fraction:
        """Its exact value."""

    @abstractmethod
    def over(self, box: Sequence[Side]) -> Enclosure | None:
        """Exact bounds of its values on a box, where they can be had."""

    def point(self, unit: Sequence[float]) -> list[Fraction]:
        """A point of the unit box, on the true one."""
        return [
            low + (high - low) * Fraction(float(u)) for u, (low, high) in zip(unit, self.sides, strict=True)
        ]


@dataclass(frozen=True)
class Formula(EnclosedFunction):
    """An expression of as many columns as the box has sides."""

    expression: Expression
    names: tuple[str, ...]

    def jets(self, boxes: Boxes) -> Jets:
        """Evaluated in float intervals, all boxes at once."""
        count, axes = boxes.starts.shape
        flat = Intervals.of(Fraction(0))
        columns = {}
        with np.errstate(all="ignore"):
            for axis, (name, (low, high)) in enumerate(zip(self.names, self.sides, strict=True)):
                base, width = Intervals.of(low), Intervals.of(high - low)
                start, length = boxes.starts[:, axis], boxes.lengths[:, axis]
                first, middle, last = (
                    base + width * Intervals(place, place)
                    for place in (start, start + length / 2, start + length)
                )
                slopes = tuple(width if other == axis else flat for other in range(axes))
                columns[name] = Jets(Intervals(first.low, last.high), middle, slopes)
            arithmetic = Arithmetic(lambda value: Jets.constant(value, axes), Jets.larger)
            told = self.expression.evaluate(columns, arithmetic)
        return Jets.each(lambda ends: np.broadcast_to(ends, count), told)

    def at(self, point: Sequence[Fraction]) -> Fraction:
        """In rationals."""
        return self.expression.at(dict(zip(self.names, point, strict=True)))

    def over(self, box: Sequence[Side]) -> Enclosure | None:
        """In rationals."""
        try:
            return self.expression.over(dict(zip(self.names, box, strict=True)))
        except ZeroDivisionError:
            return None


@dataclass(frozen=True)
class LipschitzFunction(EnclosedFunction):
    """A callable with |f(x) - f(y)| <= constant * |x - y|, distances being Euclidean.

    Attributes:
        function: takes a rational for each coordinate and returns a rational.
        constant: its Lipschitz constant, which is trusted.
    """

    function: Callable[..., Rational]
    constant: Fraction

    def jets(self, boxes: Boxes) -> Jets:
        """Its value at each centre, and the constant times the way to the farthest corner."""
        widths = [high - low for low, high in self.sides]
        values = [self.at(self.point(centre)) for centre in boxes.starts + boxes.lengths / 2]
        shapes, kinds = np.unique(boxes.lengths, axis=0, return_inverse=True)
        ways = []
        for shape in shapes.tolist():
            sides = (width * Fraction(length) for width, length in zip(widths, shape, strict=True))
            corner = Distance(sum((side**2 for side in sides), Fraction(0)) / 4)
            ways.append(self.constant * Fraction(corner.upper))
        around = [(value, ways[kind]) for value, kind in zip(values, kinds.ravel().tolist(), strict=True)]
        steep = [np.full(len(values), round_up(self.constant * width)) for width in widths]
        return Jets(
            Intervals(
                np.array([round_down(value - way) for value, way in around]),
                np.array([round_up(value + way) for value, way in around]),
            ),
            Intervals(np.array(list(map(round_down, values))), np.array(list(map(round_up, values)))),
            tuple(Intervals(-slope, slope) for slope in steep),
        )

    def at(self, point: Sequence[Fraction]) -> Fraction:
        """As the callable says.

        Raises:
            RequestError: it says a float: rounded, by nobody knows how much.
        """
        value = self.function(*point)
        if isinstance(value, float):
            raise RequestError("the function returned a float; return an int, a Fraction or a Decimal")
        return Fraction(value)

    def over(self, box: Sequence[Side]) -> None:
        """Nothing beyond what floats say."""
