"""The axes of a plot: where a number goes, and which numbers are written beside it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

_MOST_TICKS = 6
_ZERO_ROOM = 0.08
"""The share of a logarithmic axis that stands between 0 and the smallest positive number."""

_END = 1.04
"""An axis ends somewhat beyond the largest number."""

_SQUEEZED = 0.1
_FAR_APART = 50
"""An axis is logarithmic when half of the numbers would share its first tenth and differ by this factor."""


@dataclass(frozen=True)
class Scale:
    """An axis from `low` to `high`; a logarithmic one may hold 0, apart from the rest.

    Attributes:
        low: the smallest number; above 0 on a logarithmic axis, apart from `zero`.
        high: the largest number.
        logarithmic: whether equal steps are equal factors.
        zero: whether a logarithmic axis begins with a place for 0.
        falling: whether the largest number comes first.
    """

    low: float
    high: float
    logarithmic: bool = False
    zero: bool = False
    falling: bool = False

    def place(self, value: float) -> float:
        """Where a number goes, from 0 (the beginning of the axis) to 1.

        >>> Scale(0, 10).place(2.5), Scale(0, 10, falling=True).place(2.5)
        (0.25, 0.75)
        >>> scale = Scale(1, 100, logarithmic=True, zero=True)
        >>> scale.place(0), scale.place(1), round(scale.place(10), 2)
        (0.0, 0.08, 0.54)
        """
        share = self._share(value)
        return 1 - share if self.falling else share

    def _share(self, value: float) -> float:
        if not self.logarithmic:
            return (value - self.low) / (self.high - self.low)
        start = _ZERO_ROOM if self.zero else 0.0
        if value <= 0:
            return 0.0
        low, high = math.log(self.low), math.log(self.high)  # their quotient may be too large for a float
        return start + (1 - start) * (math.log(value) - low) / (high - low)

    @property
    def ticks(self) -> tuple[tuple[float, str], ...]:
        """The numbers that are written, ascending, and how."""
        if not self.logarithmic:
            return _even(self.low, self.high)
        return ((0.0, "0"),) * self.zero + _powers(self.low, self.high)


def scale_for(values: Sequence[float], *, falling: bool = False, linear: bool = False) -> Scale:
    """An axis that holds all of some numbers that are not negative, 0 included.

    >>> scale_for([0, 3, 17]).ticks[-1], scale_for([0, 1, 1, 2, 1000]).logarithmic
    ((15.0, '15'), True)

    Args:
        values: what is to be shown.
        falling: whether the largest number comes first.
        linear: whether it must be linear.
    """
    largest = max(values, default=0.0)
    if largest <= 0:
        return Scale(0.0, 1.0, falling=falling)
    positive = sorted(value for value in values if value > 0)
    squeezed = sum(value <= _SQUEEZED * largest for value in values)
    if not linear and positive[0] * _FAR_APART <= largest and 2 * squeezed >= len(values):
        low = 10.0 ** math.floor(math.log10(positive[0]))
        while low * 2 <= positive[0]:
            low *= 2
        return Scale(low, largest * _END, logarithmic=True, zero=min(values) <= 0, falling=falling)
    return Scale(0.0, largest * _END, falling=falling)


def number_text(value: float) -> str:
    """A tick in as few characters as will do.

    >>> number_text(0.5), number_text(20.0), number_text(12_000), number_text(3e-7)
    ('0.5', '20', '12,000', '3e-07')
    """
    return f"{value:,.0f}" if value == int(value) and abs(value) < 10**6 else f"{value:.4g}"


def _step(width: float) -> float:
    """The finest of 1, 2 and 5 times a power of ten that needs only a few ticks."""
    power = 10.0 ** (math.floor(math.log10(width)) - 1)
    steps = (power * factor for factor in (1, 2, 5, 10, 20))
    return next(step for step in steps if width / step <= _MOST_TICKS)


def _even(low: float, high: float) -> tuple[tuple[float, str], ...]:
    step = _step(high - low)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return tuple((step * i, number_text(float(f"{step * i:.10g}"))) for i in range(first, last + 1))


def _powers(low: float, high: float) -> tuple[tuple[float, str], ...]:
    """Powers of ten, as few as will do, with 2 and 5 between them when there are few."""
    first, last = math.floor(math.log10(low)), math.floor(math.log10(high))
    every = math.ceil((last - first + 1) / _MOST_TICKS)
    factors = (1, 2, 5) if last - first <= 1 else (1, 3) if last - first <= 2 else (1,)  # noqa: PLR2004 - decades
    numbers = [f * 10.0**p for p in range(first, last + 1, every) for f in factors]
    return tuple((n, number_text(n)) for n in numbers if low * (1 - 1e-9) <= n <= high)
