"""Exact arithmetic on whole columns at once: arrays of integers that cannot overflow, and of rationals."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from noiseless.arrays import IntArray
from noiseless.domain.expressions import Arithmetic

_LIMIT = 2**63
"""Below this 64-bit integers are exact; from it on Python's own are used, which are slower."""


@dataclass(frozen=True, eq=False)
class Whole:
    """Integers in an array (or one, for all), with a bound that says how large they can be.

    >>> (Whole.of(10**18) * Whole.of(10**18)).values.item() == 10**36
    True
    """

    values: npt.NDArray[Any]
    bound: int

    @classmethod
    def of(cls, values: "int | IntArray") -> "Whole":
        """From one integer or an array of them."""
        if isinstance(values, int):
            return cls(np.array(values, _kind(abs(values))), abs(values))
        largest = max(abs(int(values.max())), abs(int(values.min()))) if values.size else 0
        return cls(values.astype(_kind(largest), copy=False), largest)

    def _with(self, other: "Whole", bound: int) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """Both arrays in a kind that holds operands and results."""
        kind = _kind(max(bound, self.bound, other.bound))
        return self.values.astype(kind, copy=False), other.values.astype(kind, copy=False)

    def __add__(self, other: "Whole") -> "Whole":
        bound = self.bound + other.bound
        first, second = self._with(other, bound)
        return _made(first + second, bound)

    def __neg__(self) -> "Whole":
        return _made(-self.values, self.bound)

    def __sub__(self, other: "Whole") -> "Whole":
        return self + -other

    def __mul__(self, other: "Whole") -> "Whole":
        bound = self.bound * other.bound
        first, second = self._with(other, bound)
        return _made(first * second, bound)

    def __pow__(self, power: int) -> "Whole":
        bound = self.bound**power
        return _made(self.values.astype(_kind(bound), copy=False) ** power, bound)

    def __floordiv__(self, other: "Whole") -> "Whole":
        """The quotient rounded down; the divisor is positive."""
        first, second = self._with(other, 0)
        return _made(first // second, self.bound + 1)

    def ceil_div(self, other: "Whole") -> "Whole":
        """The quotient rounded up; the divisor is positive."""
        return -(-self // other)

    def __abs__(self) -> "Whole":
        return _made(abs(self.values), self.bound)

    def is_below(self, other: "Whole") -> npt.NDArray[np.bool_]:
        """Where they are smaller."""
        first, second = self._with(other, 0)
        return np.asarray(first < second, bool)

    def where(self, condition: npt.NDArray[np.bool_], other: "Whole") -> "Whole":
        """These where the condition holds, the others elsewhere."""
        first, second = self._with(other, 0)
        return _made(np.where(condition, first, second), max(self.bound, other.bound))

    def clipped(self, low: "int | Whole", high: "int | Whole") -> "Whole":
        """Moved into low..high."""
        lower, upper = (end if isinstance(end, Whole) else Whole.of(end) for end in (low, high))
        raised = lower.where(self.is_below(lower), self)
        ended = upper.where(upper.is_below(raised), raised)
        bound = max(lower.bound, upper.bound)
        return _made(ended.values, bound)


def _kind(bound: int) -> npt.DTypeLike:
    return np.int64 if bound < _LIMIT else object


def _made(values: Any, bound: int) -> Whole:  # noqa: ANN401 - numpy makes scalars of arrays without axes
    return Whole(np.asarray(values, _kind(bound)), bound)


@dataclass(frozen=True, eq=False)
class Ratios:
    """Rational numbers: integers over positive integers."""

    above: Whole
    below: Whole

    @classmethod
    def constant(cls, value: Fraction) -> "Ratios":
        """One rational for all."""
        return cls(Whole.of(value.numerator), Whole.of(value.denominator))

    def _crossed(self, other: "Ratios") -> tuple[Whole, Whole, Whole]:
        """Both numerators over one denominator."""
        if self.below is other.below:
            return self.above, other.above, self.below
        return self.above * other.below, other.above * self.below, self.below * other.below

    def __add__(self, other: "Ratios") -> "Ratios":
        first, second, below = self._crossed(other)
        return Ratios(first + second, below)

    def __neg__(self) -> "Ratios":
        return Ratios(-self.above, self.below)

    def __sub__(self, other: "Ratios") -> "Ratios":
        return self + -other

    def __mul__(self, other: "Ratios") -> "Ratios":
        return Ratios(self.above * other.above, self.below * other.below)

    def __truediv__(self, other: "Ratios") -> "Ratios":
        if not np.all(other.above.values != 0):
            raise ZeroDivisionError("a divisor is 0")
        negative = other.above.is_below(Whole.of(0))
        above = self.above * other.below
        return Ratios((-above).where(negative, above), self.below * abs(other.above))

    def __pow__(self, power: int) -> "Ratios":
        return Ratios(self.above**power, self.below**power)

    def __abs__(self) -> "Ratios":
        return Ratios(abs(self.above), self.below)

    def larger(self, other: "Ratios") -> "Ratios":
        """The larger one of each two."""
        first, second, _ = self._crossed(other)
        lower = first.is_below(second)
        return Ratios(other.above.where(lower, self.above), other.below.where(lower, self.below))


ARRAYS = Arithmetic[Ratios](Ratios.constant, Ratios.larger)
