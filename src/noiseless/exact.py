"""Exact numbers: logarithms of rationals, compared exactly and rounded to a side, and rational enclosures."""

import math
import sys
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from functools import total_ordering
from itertools import product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flint import arb

Rational = int | Fraction | Decimal

_FLOAT_EXPONENTS = 1100
"""No float is as large as 2 to this power, or as small as 2 to minus it."""

_MOST_BITS = 2**16
"""So many bits may be added as a whole number."""

_ROOT_BITS = 128
"""Square roots that are irrational are enclosed to so many significant bits."""

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


def root_bounds(square: Fraction) -> tuple[Fraction, Fraction]:
    """Rationals below and above sqrt(square), equal when the root is rational; 128 bits of them are certain.

    >>> root_bounds(Fraction(4, 9)), root_bounds(Fraction(2))[0] < root_bounds(Fraction(2))[1]
    ((Fraction(2, 3), Fraction(2, 3)), True)
    """
    inner = square.numerator * square.denominator  # sqrt(p / q) = sqrt(p q) / q
    shift = max(0, _ROOT_BITS - inner.bit_length() // 2)
    root, unit = math.isqrt(inner << (2 * shift)), square.denominator << shift
    return Fraction(root, unit), Fraction(root + (root * root < inner << (2 * shift)), unit)


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


def as_fraction(value: Rational | float) -> Fraction:
    """The exact fraction, of Python's own integers: those of NumPy, which `Fraction` keeps, wrap around."""
    exact = Fraction(value)
    if type(exact.numerator) is int:
        return exact
    return Fraction(int(exact.numerator), int(exact.denominator))


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


@total_ordering
@dataclass(frozen=True, eq=False)
class Bits:
    """The exact number log2(ratio): a quantity of information.

    Sums and differences are products and quotients of ratios, so nothing is ever rounded; they take other
    `Bits` and whole numbers. Comparisons with other `Bits` and with rational numbers (int, Fraction, Decimal)
    are exact.

    >>> Bits(38) - Bits(2), Bits(38) - 1, 3 - Bits(2)
    (Bits(19), Bits(19), Bits(4))
    >>> Bits(8) == 3, Bits(3) <= Decimal("1.58"), Bits(3) <= Decimal("1.59")
    (True, False, True)
    """

    ratio: Fraction

    def __init__(self, ratio: Rational) -> None:
        if ratio <= 0:
            raise ValueError("the logarithm of a number that is not positive")
        object.__setattr__(self, "ratio", as_fraction(ratio))

    def __add__(self, other: "Bits | int") -> "Bits":
        added = _whole_bits(other)
        return NotImplemented if added is None else Bits(self.ratio * added)

    __radd__ = __add__

    def __sub__(self, other: "Bits | int") -> "Bits":
        taken = _whole_bits(other)
        return NotImplemented if taken is None else Bits(self.ratio / taken)

    def __rsub__(self, other: int) -> "Bits":
        whole = _whole_bits(other)
        return NotImplemented if whole is None else Bits(whole / self.ratio)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Bits):
            return self.ratio == other.ratio
        if isinstance(other, int | Fraction | Decimal):
            return _exponent_of_two(self.ratio) == Fraction(other)
        return NotImplemented

    def __lt__(self, other: "Bits | Rational") -> bool:
        if isinstance(other, Bits):
            return self.ratio < other.ratio
        if isinstance(other, int | Fraction | Decimal):
            return self != other and self._is_below(Fraction(other))
        return NotImplemented

    def __hash__(self) -> int:
        whole = _exponent_of_two(self.ratio)
        return hash(self.ratio if whole is None else whole)  # equal to a whole number of bits

    def __float__(self) -> float:
        """Rounded up: a leak stated as a float is never understated."""
        return self.upper

    def __repr__(self) -> str:
        return f"Bits({self.ratio})"

    def __str__(self) -> str:
        return f"{self.rounded_up(2)} bits"

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
        """The value with so many decimals, never below the exact one: what a person reads of a leak."""
        return f"{Decimal(math.ceil(log2_bounds(self.ratio)[1] * 10**places)).scaleb(-places):.{places}f}"

    @property
    def upper(self) -> float:
        """The smallest float found that is not below the exact value."""
        return round_up(log2_bounds(self.ratio)[1])

    @property
    def lower(self) -> float:
        """The largest float found that is not above the exact value."""
        return round_down(log2_bounds(self.ratio)[0])


def _whole_bits(value: object) -> Fraction | None:
    """The ratio whose logarithm a number of bits is, where it is rational and can be written down."""
    if isinstance(value, Bits):
        return value.ratio
    small = isinstance(value, int) and not isinstance(value, bool) and abs(value) <= _MOST_BITS
    return Fraction(2) ** value if small and isinstance(value, int) else None


def floor_of_power(exponent: Fraction, factor: Fraction = Fraction(1)) -> int:
    """floor(2**exponent * factor) for a rational exponent; a number that is not whole unless the exponent is.

    >>> floor_of_power(Fraction(1, 2), Fraction(10))
    14
    """
    if exponent.denominator == 1:
        return math.floor(Fraction(2) ** exponent.numerator * factor)
    from flint import arb, ctx

    bits = 64 + max(0, math.ceil(exponent)) + math.ceil(factor).bit_length()
    while True:
        with ctx.workprec(bits):
            whole = ((ball(exponent) * arb.const_log2()).exp() * ball(factor)).floor().unique_fmpz()
        if whole is not None:
            return int(whole)
        bits *= 2


@total_ordering
@dataclass(frozen=True, eq=False)
class Nats:
    """The exact number ln(ratio), ratio rational, 0 (minus infinity) or infinite: continuous information.

    Nats and `Bits` never meet in one number: the ones are logarithms of volumes, the others of counts.
    Comparisons with other `Nats` and with rational numbers (int, Fraction, Decimal) are exact.

    >>> Nats(150) - Nats(170), str(Nats(0)), Nats(1) < Nats(Fraction(3, 2))
    (Nats(15/17), '-inf nats', True)
    >>> Nats(1) == 0, Nats(3) <= Decimal("1.0986"), Nats(3) <= Decimal("1.0987")
    (True, False, True)
    """

    ratio: Fraction | float

    def __init__(self, ratio: Rational | float) -> None:
        if (isinstance(ratio, Decimal) and ratio.is_nan()) or not ratio >= 0:
            raise ValueError("the logarithm of a number that is negative or not a number")
        object.__setattr__(self, "ratio", math.inf if ratio == math.inf else as_fraction(ratio))

    def __add__(self, other: "Nats") -> "Nats":
        if not isinstance(other, Nats):
            return NotImplemented
        if {0, math.inf} == {self.ratio, other.ratio}:
            raise ValueError("infinity minus infinity has no value")
        return Nats(self.ratio * other.ratio)

    def __sub__(self, other: "Nats") -> "Nats":
        if not isinstance(other, Nats):
            return NotImplemented
        return self + Nats(math.inf if other.ratio == 0 else 1 / other.ratio)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Nats):
            return self.ratio == other.ratio
        if isinstance(other, int | Fraction | Decimal):
            return self.ratio == 1 and other == 0  # no other logarithm of a rational is rational (Lindemann)
        return NotImplemented

    def __lt__(self, other: "Nats | Rational") -> bool:
        if isinstance(other, Nats):
            return self.ratio < other.ratio
        if isinstance(other, int | Fraction | Decimal):
            return self != other and self._is_below(Fraction(other))
        return NotImplemented

    def __hash__(self) -> int:
        return hash(0 if self.ratio == 1 else ("nats", self.ratio))

    def __float__(self) -> float:
        """Rounded up, as `Bits` are."""
        return self.upper

    def __repr__(self) -> str:
        return f"Nats({self.ratio})"

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


@dataclass(frozen=True, slots=True)
class Enclosure:
    """All numbers from `lower` to `upper`; what is computed with enclosures encloses the result.

    >>> x = Enclosure(Fraction(-1), Fraction(2))
    >>> x * x, x**2
    (Enclosure(-2, 4), Enclosure(0, 4))
    """

    lower: Fraction
    upper: Fraction

    @classmethod
    def exactly(cls, value: Fraction) -> "Enclosure":
        """The enclosure of one known number."""
        return cls(value, value)

    def __repr__(self) -> str:
        return f"Enclosure({self.lower}, {self.upper})"

    @property
    def width(self) -> Fraction:
        """How far its ends are apart."""
        return self.upper - self.lower

    @property
    def sign(self) -> int:
        """1 or -1 when all its numbers are positive or negative, 0 when 0 may be among them."""
        return (self.lower > 0) - (self.upper < 0)

    def __add__(self, other: "Enclosure") -> "Enclosure":
        return Enclosure(self.lower + other.lower, self.upper + other.upper)

    def __sub__(self, other: "Enclosure") -> "Enclosure":
        return Enclosure(self.lower - other.upper, self.upper - other.lower)

    def __neg__(self) -> "Enclosure":
        return Enclosure(-self.upper, -self.lower)

    def __mul__(self, other: "Enclosure") -> "Enclosure":
        corners = [a * b for a, b in product((self.lower, self.upper), (other.lower, other.upper))]
        return Enclosure(min(corners), max(corners))

    def __truediv__(self, other: "Enclosure") -> "Enclosure":
        if not other.sign:
            raise ZeroDivisionError("the divisor may be 0")
        return self * Enclosure(1 / other.upper, 1 / other.lower)

    def __pow__(self, power: int) -> "Enclosure":
        if power % 2 == 0:
            size = abs(self)
            return Enclosure(size.lower**power, size.upper**power)
        return Enclosure(self.lower**power, self.upper**power)

    def __abs__(self) -> "Enclosure":
        ends = abs(self.lower), abs(self.upper)
        return Enclosure(min(ends) if self.sign else Fraction(0), max(ends))

    def larger(self, other: "Enclosure") -> "Enclosure":
        """The enclosure of the larger one of two numbers."""
        return Enclosure(max(self.lower, other.lower), max(self.upper, other.upper))
