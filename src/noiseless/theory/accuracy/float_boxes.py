"""Float intervals in arrays, rounded outward: enclosures of a formula on many boxes at once."""

from dataclasses import dataclass
from fractions import Fraction
from functools import reduce

import numpy as np
import numpy.typing as npt

from noiseless.arrays import FloatArray
from noiseless.domain.expressions import Arithmetic
from noiseless.exact import round_down, round_up


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
        found, flat = Intervals.of(value), Intervals.of(Fraction(0))
        return cls(found, found, (flat,) * axes)

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


def jet_arithmetic(axes: int) -> Arithmetic[Jets]:
    """How expressions of so many columns are evaluated on boxes."""
    return Arithmetic(lambda value: Jets.constant(value, axes), Jets.larger)
