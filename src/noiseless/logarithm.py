"""What exact logarithms have in common: they are compared exactly with numbers, and shown rounded up."""

import math
import re
from collections.abc import Callable
from decimal import ROUND_CEILING, Context, Decimal, localcontext
from fractions import Fraction
from numbers import Integral
from operator import ge, gt, le, lt
from typing import Any, Self

Rational = int | Fraction | Decimal

_OF_NUMBERS = re.compile(r"([eEfFgG%]|\.\d+)$")
"""What ends a format that is for numbers: its type, or how many digits to show."""

_SHOWN = 50
"""How many digits may be shown."""


def as_fraction(value: Rational | Integral | float) -> Fraction:
    """The exact fraction, of Python's own integers: those of NumPy, which `Fraction` keeps, wrap around."""
    exact = Fraction(value)
    if type(exact.numerator) is int:
        return exact
    return Fraction(int(exact.numerator), int(exact.denominator))


class Logarithm:
    """What is compared exactly, with its own kind and with numbers, and shown rounded up."""

    ratio: Fraction | float

    @property
    def upper(self) -> float:
        """The smallest float found that is not below the exact value."""
        raise NotImplementedError

    def _is_below(self, limit: Fraction) -> bool:
        """Whether it is less than a limit, the two being known to differ."""
        raise NotImplementedError

    def __lt__(self, other: "Self | Rational | float") -> bool:
        return self._compared(other, lt)

    def __le__(self, other: "Self | Rational | float") -> bool:
        return self._compared(other, le)

    def __gt__(self, other: "Self | Rational | float") -> bool:
        return self._compared(other, gt)

    def __ge__(self, other: "Self | Rational | float") -> bool:
        return self._compared(other, ge)

    def _compared(self, other: "Self | Rational | float", order: Callable[[Any, Any], bool]) -> bool:
        """Whether an order holds, exactly; of what is no number, none does."""
        if isinstance(other, type(self)):
            return order(self.ratio, other.ratio)
        if isinstance(other, float | Decimal) and not math.isfinite(other):
            return order(self.upper, float(other))
        if not isinstance(other, Integral | Fraction | Decimal | float):
            return NotImplemented  # type: ignore[no-any-return] # Python asks the other one, then refuses
        if self == other:
            return order(0, 0)
        return order(0, 1) if self._is_below(as_fraction(other)) else order(1, 0)

    def __float__(self) -> float:
        return self.upper

    def _formatted(self, above: Fraction | float, spec: str) -> str:
        """As a format says: as a number that is not below `above`, or the text with its unit."""
        if not _OF_NUMBERS.search(spec):
            return format(str(self), spec)
        if isinstance(above, float) and not math.isfinite(above):
            return format(above, spec)
        exact = Fraction(above)
        with localcontext(Context(prec=_SHOWN, rounding=ROUND_CEILING)):
            return format(Decimal(exact.numerator) / exact.denominator, spec)
