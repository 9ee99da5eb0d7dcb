"""Exact numbers: logarithms of rationals, compared exactly and rounded to a side, and rational enclosures."""

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from numbers import Integral
from operator import add, mul, truediv
from typing import TYPE_CHECKING, Any, overload

from noiseless.logarithm import Logarithm
from noiseless.logarithm import Rational as Rational  # noqa: PLC0414 - part of what is exact
from noiseless.logarithm import as_fraction as as_fraction  # noqa: PLC0414 - the same

if TYPE_CHECKING:
    from flint import arb

_FLOAT_EXPONENTS = 1100
"""No float is as large as 2 to this power, or as small as 2 to minus it."""

_MOST_BITS = 2**16
"""This many bits may be added as a whole number."""

_DIGITS = 50
"""Working precision of `log2_bounds`; `Decimal.ln` is correctly rounded at any precision."""


def log2_bounds(ratio: Fraction, digits: int = _DIGITS) -> tuple[Fraction, Fraction]:
    """Rationals below and above log2(ratio), equal when the logarithm is a whole number.

    Args:
        ratio: a positive rational.
        digits: how many significant digits to work with.
    """
    whole = _exponent_of_two(ratio)
    if whole is not None:
        return Fraction(whole), Fraction(whole)
    with localcontext(Context(prec=digits)):  # whatever the caller's context rounds, traps or limits
        numerator, denominator = Decimal(ratio.numerator).ln(), Decimal(ratio.denominator).ln()
        value = (numerator - denominator) / Decimal(2).ln()
        # Three correctly rounded operands and two rounded operations: each is off by at most one unit in the
        # last place of the largest number involved, and dividing by ln 2 > 1/2 at most doubles that.
        scale = max(abs(numerator), abs(denominator), Decimal(1)) * 16
        slack = Fraction(scale) / 10 ** (digits - 2)
    middle = Fraction(value)
    return middle - slack, middle + slack


def _exponent_of_two(ratio: Fraction) -> int | None:
    """The whole number k with ratio = 2**k, if there is one."""
    top, bottom = ratio.numerator, ratio.denominator
    if top & (top - 1) or bottom & (bottom - 1):
        return None
    return top.bit_length() - bottom.bit_length()


def round_up(value: Fraction) -> float:
    """The smallest float that is not below `value`."""
    try:
        nearest = float(value)
    except OverflowError:
        return math.inf if value > 0 else -sys.float_info.max
    return nearest if Fraction(nearest) >= value else math.nextafter(nearest, math.inf)


def round_down(value: Fraction) -> float:
    """The largest float that is not above `value`."""
    return -round_up(-value) + 0.0  # never -0.0


def ball(value: "Rational | float | Nats") -> "arb":
    """A ball of python-flint that holds `value`, a float being taken for the rational that it is.

    What is computed with balls encloses the true result: `ball_above` and `ball_below` read it off safely.
    The working precision is flint's (`flint.ctx.prec`, 53 bits unless raised by `flint.ctx.workprec`).
    """
    from flint import arb, fmpq

    if isinstance(value, Nats):
        return ball(value.ratio).log()
    exact = as_fraction(value)
    return arb(fmpq(exact.numerator, exact.denominator))


def ball_below(value: "arb") -> float:
    """A float that is not above any number of the ball."""
    return -ball_above(-value) + 0.0


def ball_above(value: "arb") -> float:
    """A float that is not below any number of the ball."""
    if not value.is_finite():
        return -math.inf if value < 0 else math.inf
    mantissa, exponent = (int(part) for part in value.upper().man_exp())
    size = mantissa.bit_length() + exponent
    if abs(size) > _FLOAT_EXPONENTS:  # far beyond floats, and perhaps beyond memory
        if size < 0:
            return math.nextafter(0.0, math.inf) if mantissa > 0 else 0.0
        return math.inf if mantissa > 0 else -sys.float_info.max
    return round_up(Fraction(mantissa) * Fraction(2) ** exponent)


@dataclass(frozen=True, eq=False)
class Bits(Logarithm):
    """The exact number log2(ratio): a quantity of information.

    With other `Bits` and whole numbers, sums, differences and multiples are `Bits` again, and exact. With a
    float, and in quotients, the result is a float that is never below the exact one. A `Fraction` or a
    `Decimal` is refused there, for the result would be neither. Comparisons are exact with all of them, and
    so is 2 to the power of bits: as many values can be told apart.

    >>> Bits(38) - Bits(2), Bits(38) - 1, 3 - Bits(2), sum([Bits(2), Bits(3)]), 2 * Bits(3)
    (Bits(19), Bits(19), Bits(4), Bits(6), Bits(9))
    >>> Bits(8) == 3, Bits(3) <= Decimal("1.58"), Bits(3) <= Decimal("1.59"), 2 ** Bits(3)
    (True, False, True, Fraction(3, 1))

    What is shown is rounded up, so that no leak looks smaller than it is; `lower` rounds down.

    >>> float(Bits(3)), Bits(3) + 0.5, Bits(9) / 2, round(Bits(3), 2), f"{Bits(3):.3f}", str(Bits(3))
    (1.5849625007211563, 2.0849625007211565, 1.5849625007211563, Decimal('1.59'), '1.585', '1.59 bits')

    Attributes:
        ratio: what it is the logarithm of.
    """

    ratio: Fraction

    def __init__(self, ratio: Rational) -> None:
        if ratio <= 0:
            raise ValueError("the logarithm of a number that is not positive")
        object.__setattr__(self, "ratio", as_fraction(ratio))

    @overload
    def __add__(self, other: "Bits | int") -> "Bits": ...
    @overload
    def __add__(self, other: float) -> float: ...
    def __add__(self, other: "Bits | float") -> "Bits | float":
        added = _whole_bits(other)
        return self._rounded(other, add) if added is None else Bits(self.ratio * added)

    __radd__ = __add__

    @overload
    def __sub__(self, other: "Bits | int") -> "Bits": ...
    @overload
    def __sub__(self, other: float) -> float: ...
    def __sub__(self, other: "Bits | float") -> "Bits | float":
        return self + -other

    @overload
    def __rsub__(self, other: int) -> "Bits": ...
    @overload
    def __rsub__(self, other: float) -> float: ...
    def __rsub__(self, other: float) -> "Bits | float":
        return -self + other

    @overload
    def __mul__(self, other: int) -> "Bits": ...
    @overload
    def __mul__(self, other: float) -> float: ...
    def __mul__(self, other: float) -> "Bits | float":
        if not isinstance(other, Integral):
            return NotImplemented if isinstance(other, Bits) else self._rounded(other, mul)
        size = max(self.ratio.numerator, self.ratio.denominator).bit_length()
        if abs(other) * size > _MOST_BITS:
            raise OverflowError("more bits than can be written down exactly; multiply float(bits) instead")
        return Bits(self.ratio ** int(other))

    __rmul__ = __mul__

    def __truediv__(self, other: "Bits | float") -> float:
        if not isinstance(other, Bits):
            return self._rounded(other, truediv)
        if other.ratio == 1:
            raise ZeroDivisionError("division by 0 bits")
        ours, theirs = log2_bounds(self.ratio), log2_bounds(other.ratio)
        return round_up(max(a / b for a in ours for b in theirs))

    def __rtruediv__(self, other: float) -> float:
        if not self:
            raise ZeroDivisionError("division by 0 bits")
        return self._rounded(other, lambda bits, number: number / bits)

    def __rpow__(self, base: int) -> Fraction:
        if isinstance(base, Integral) and base == 2:  # noqa: PLR2004 - bits are logarithms to this base
            return self.ratio
        return NotImplemented

    def _rounded(self, other: object, operation: Callable[[Any, Any], Any]) -> float:
        """What an operation with a float gives, never too little."""
        if not isinstance(other, float | Integral):
            return NotImplemented  # type: ignore[no-any-return] # Python asks the other one, then refuses
        if isinstance(other, float) and not math.isfinite(other):
            return float(operation(self.upper, other))
        if not other and operation is truediv:
            raise ZeroDivisionError("bits divided by 0")
        return round_up(max(operation(bound, as_fraction(other)) for bound in log2_bounds(self.ratio)))

    def __neg__(self) -> "Bits":
        return Bits(1 / self.ratio)

    def __pos__(self) -> "Bits":
        return self

    def __abs__(self) -> "Bits":
        return Bits(max(self.ratio, 1 / self.ratio))

    def __bool__(self) -> bool:
        return self.ratio != 1

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Bits):
            return self.ratio == other.ratio
        if isinstance(other, float | Decimal) and not math.isfinite(other):
            return False
        if isinstance(other, Integral | Fraction | Decimal | float):
            return _exponent_of_two(self.ratio) == as_fraction(other)
        return NotImplemented

    def __hash__(self) -> int:
        whole = _exponent_of_two(self.ratio)
        return hash(self.ratio if whole is None else whole)  # equal to a whole number of bits

    def __ceil__(self) -> int:
        return math.ceil(self._decided())

    def __floor__(self) -> int:
        return math.floor(self._decided())

    def __int__(self) -> int:
        return int(self._decided())

    __trunc__ = __int__

    @overload
    def __round__(self) -> int: ...
    @overload
    def __round__(self, places: int) -> Decimal: ...
    def __round__(self, places: int | None = None) -> int | Decimal:
        return math.ceil(self) if places is None else Decimal(self.rounded_up(places))

    def __format__(self, spec: str) -> str:
        """Rounded up, as a format for numbers says (`.3f`, `.3`); otherwise as text with its unit."""
        return self._formatted(log2_bounds(self.ratio)[1], spec)

    def __repr__(self) -> str:
        return f"Bits({self.ratio})"

    def __str__(self) -> str:
        return f"{self.rounded_up(2)} bits"

    def _decided(self) -> Fraction:
        """A number between the same whole numbers; the exact one where it is whole."""
        digits = _DIGITS
        while True:
            low, high = log2_bounds(self.ratio, digits)
            if low == high or math.floor(low) == math.floor(high):
                return high
            digits *= 2

    def _is_below(self, limit: Fraction) -> bool:
        """Whether log2(ratio) < limit, the two being known to differ: refine until they part."""
        digits = _DIGITS
        while True:
            low, high = log2_bounds(self.ratio, digits)
            if high < limit:
                return True
            if low > limit:
                return False
            digits *= 2

    def rounded_up(self, places: int) -> str:
        """The value with this many decimals, never below the exact one: what a person reads of a leak."""
        above = Decimal(math.ceil(log2_bounds(self.ratio)[1] * Fraction(10) ** places)).scaleb(-places)
        return f"{above:.{max(places, 0)}f}"

    @property
    def upper(self) -> float:
        """The smallest float found that is not below the exact value."""
        return round_up(log2_bounds(self.ratio)[1])

    @property
    def lower(self) -> float:
        """The largest float found that is not above the exact value."""
        return round_down(log2_bounds(self.ratio)[0])


def _whole_bits(value: object) -> Fraction | None:
    """The ratio whose logarithm a number of bits is; None for what is no whole number.

    Raises:
        OverflowError: it cannot be written down.
    """
    if isinstance(value, Bits):
        return value.ratio
    if not isinstance(value, Integral):
        return None
    if abs(int(value)) > _MOST_BITS:
        raise OverflowError("more bits than can be written down exactly; add them to float(bits) instead")
    return Fraction(2) ** int(value)


@dataclass(frozen=True, eq=False)
class Nats(Logarithm):
    """The exact number ln(ratio), ratio rational, 0 (minus infinity) or infinite: continuous information.

    Nats and `Bits` never meet in one number: the ones are logarithms of volumes, the others of counts.
    Comparisons with other `Nats` and with numbers are exact; what is shown is rounded up.

    >>> Nats(150) - Nats(170), str(Nats(0)), Nats(1) < Nats(Fraction(3, 2))
    (Nats(15/17), '-inf nats', True)
    >>> Nats(1) == 0, Nats(3) <= Decimal("1.0986"), Nats(3) <= 1.0987, sum([Nats(3), Nats(2)])
    (True, False, True, Nats(6))

    Attributes:
        ratio: what it is the logarithm of.
    """

    ratio: Fraction | float

    def __init__(self, ratio: Rational | float) -> None:
        if (isinstance(ratio, Decimal) and ratio.is_nan()) or not ratio >= 0:
            raise ValueError("the logarithm of a number that is negative or not a number")
        object.__setattr__(self, "ratio", math.inf if ratio == math.inf else as_fraction(ratio))

    def __add__(self, other: "Nats | int") -> "Nats":
        if isinstance(other, int) and other == 0:  # as `sum` begins
            return self
        if not isinstance(other, Nats):
            return NotImplemented
        if {0, math.inf} == {self.ratio, other.ratio}:
            raise ValueError("infinity minus infinity has no value")
        return Nats(self.ratio * other.ratio)

    __radd__ = __add__

    def __sub__(self, other: "Nats") -> "Nats":
        if not isinstance(other, Nats):
            return NotImplemented
        return self + Nats(math.inf if other.ratio == 0 else 1 / other.ratio)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Nats):
            return self.ratio == other.ratio
        if isinstance(other, Integral | Fraction | Decimal | float):
            if self.ratio == 1 or not self.is_finite:
                return self.upper == other
            return False  # no other logarithm of a rational is rational (Lindemann)
        return NotImplemented

    def __hash__(self) -> int:
        return hash(("nats", self.ratio) if self.is_finite and self.ratio != 1 else self.upper)

    def __repr__(self) -> str:
        return f"Nats({self.ratio})"

    def __format__(self, spec: str) -> str:
        """Rounded up, as for bits."""
        return self._formatted(self.upper, spec)

    def __str__(self) -> str:
        if not self.is_finite:
            return f"{self.upper} nats"
        return f"{Decimal(math.ceil(Fraction(self.upper) * 10**4)).scaleb(-4):.4f} nats"

    def _is_below(self, limit: Fraction) -> bool:
        """Whether ln(ratio) < limit, the two being known to differ: refine until they part."""
        from flint import ctx

        if not self.is_finite:
            return self.ratio == 0
        bits = 64
        while True:
            with ctx.workprec(bits):
                gap = ball(limit) - ball(self)
            if not gap.contains(0):
                return bool(gap > 0)
            bits *= 2

    @property
    def is_finite(self) -> bool:
        """Whether the ratio is neither 0 nor infinite."""
        return 0 < self.ratio < math.inf

    @property
    def upper(self) -> float:
        """The smallest float found that is not below the exact value."""
        return ball_above(ball(self)) if self.is_finite else self._infinite

    @property
    def lower(self) -> float:
        """The largest float found that is not above the exact value."""
        return ball_below(ball(self)) if self.is_finite else self._infinite

    @property
    def _infinite(self) -> float:
        return -math.inf if self.ratio == 0 else math.inf
