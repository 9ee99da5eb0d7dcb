"""Epsilon and delta as users write them, and quantities of binary channels in ball arithmetic."""

import math
import struct
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from numbers import Rational as AnyRational
from numbers import Real

from flint import arb, ctx

from noiseless.errors import RequestError
from noiseless.exact import Nats, Rational, as_fraction, ball, ball_above

Epsilon = Rational | float | Nats
"""A number of nats: rational, a float (the rational that it is), or the exact logarithm of a rational."""

Delta = Rational | float
"""A probability."""

_LONGEST = 10_000
"""Decimals with larger exponents are refused: as a fraction one would fill the memory."""

_SMALLEST = Fraction(1, 2**1100)
"""Parameters below this, which no double can tell from 0, are taken for it: guarantees only grow by that."""

_LARGEST = Fraction(10**300)
"""Epsilons above this are taken for infinite."""


def read_epsilon(epsilon: Epsilon, name: str = "epsilon") -> Fraction | Nats | None:
    """A checked epsilon; None when it is infinite (no guarantee at all).

    Raises:
        RequestError: it is negative or no number.
    """
    if isinstance(epsilon, Nats):
        if epsilon.ratio < 1:
            raise RequestError(f"{name} is negative; give a number of nats from 0 on")
        return epsilon if epsilon.is_finite else None
    value = _read(epsilon, name)
    if value is not None and value < 0:
        raise RequestError(f"{name} is negative; give a number of nats from 0 on")
    return value


def read_delta(delta: Delta, name: str = "delta") -> Fraction:
    """A checked delta.

    Raises:
        RequestError: it is not a number from 0 to 1.
    """
    value = _read(delta, name)
    if value is None or not 0 <= value <= 1:
        raise RequestError(f"{name} is a probability; give a number from 0 to 1")
    return value


def _read(number: Rational | float, name: str) -> Fraction | None:
    """The exact number; None for plus infinity."""
    if isinstance(number, AnyRational):
        return as_fraction(number)
    if not isinstance(number, Real | Decimal) or _is_nan(number):
        raise RequestError(f"{name} is not a number")
    if number in {math.inf, -math.inf}:
        if number < 0:
            raise RequestError(f"{name} is minus infinity; give a number from 0 on")
        return None
    if isinstance(number, Decimal):
        if number and abs(number.adjusted()) > _LONGEST:
            raise RequestError(f"{name} has an exponent beyond {_LONGEST:,}; give a number of sensible size")
        return Fraction(number)
    return Fraction(float(number))


def _is_nan(number: Decimal | float) -> bool:
    return number.is_nan() if isinstance(number, Decimal) else math.isnan(number)


def exponential_ball(epsilon: Fraction | Nats) -> arb:
    """A ball that holds e^epsilon, at flint's working precision."""
    return ball(epsilon.ratio) if isinstance(epsilon, Nats) else ball(epsilon).exp()


def rational_exponential(epsilon: Fraction | Nats) -> Fraction | None:
    """e^epsilon where it is rational: of the logarithm of a rational, and of 0 (Lindemann: of no other)."""
    if isinstance(epsilon, Nats):
        return Fraction(epsilon.ratio)
    return Fraction(1) if epsilon == 0 else None


def upper_epsilon(epsilon: Epsilon, name: str = "epsilon") -> Fraction | Nats | None:
    """A checked epsilon of a guarantee that is given, or a little more of it; None when it is infinite."""
    exact = read_epsilon(epsilon, name)
    if exact is None or exact == 0:
        return exact
    return None if exact > _LARGEST else max(exact, _SMALLEST)


def upper_delta(delta: Delta, name: str = "delta") -> Fraction:
    """A checked delta of a guarantee that is given, or a little more of it."""
    exact = read_delta(delta, name)
    if exact == 0:
        return exact
    return Fraction(1) if exact > 1 - _SMALLEST else max(exact, _SMALLEST)


def precision(*parameters: Fraction | Nats) -> int:
    """Bits with which formulas whose first and second orders cancel still have a hundred good ones."""
    sizes = (Fraction(p.ratio) - 1 if isinstance(p, Nats) else p for p in parameters if p != 0)
    smallest = min(sizes, default=Fraction(1))
    return 128 + 4 * max(0, smallest.denominator.bit_length() - smallest.numerator.bit_length())


def above(formula: Callable[[arb], arb | float], epsilon: Epsilon, without: float = math.inf) -> float:
    """What a formula makes of the epsilon of a guarantee that is given, rounded up; 0 of 0.

    Args:
        formula: takes epsilon as a ball and gives a ball, or a float that is already rounded.
        epsilon: the guarantee.
        without: what is said where epsilon is infinite.
    """
    exact = upper_epsilon(epsilon)
    if exact is None or exact == 0:
        return without if exact is None else 0.0
    with ctx.workprec(precision(exact)):
        value = formula(ball(exact))
        return value if isinstance(value, float) else ball_above(value)


def in_nats(epsilon: Epsilon) -> float:
    """The epsilon of a guarantee that is given as a float, rounded up."""
    return above(lambda value: value, epsilon)


def binary_entropy(p: arb) -> arb:
    """h(p) in nats, 0 < p < 1."""
    return -p * p.log() - (1 - p) * (-p).log1p()


def binary_divergence(a: arb, b: arb) -> arb:
    """d(a||b) in nats between coins that fall heads with probability a and b, both strictly within 0..1."""
    return a * (a / b).log() + (1 - a) * ((1 - a) / (1 - b)).log()


def symmetric_capacity(variation: arb) -> arb:
    """The capacity ln 2 - h((1-d)/2) of a binary symmetric channel with rows d < 1 apart ((98) of [P5])."""
    up, down = 1 + variation, 1 - variation
    return (up * variation.log1p() + down * (-variation).log1p()) / 2


def response_capacity(epsilon: arb) -> arb:
    """The capacity of randomised response, which tells the truth e^epsilon times as often as not."""
    odds = (-epsilon).exp()
    return arb.const_log2() - odds.log1p() - epsilon * odds / (1 + odds)


def z_capacity(delta: arb) -> arb:
    """The capacity ln(1 + d (1-d)^((1-d)/d)) of the channel with rows (d, 1-d) and (0, 1), 0 < d < 1."""
    return (delta * ((1 - delta) / delta * (-delta).log1p()).exp()).log1p()


def smallest_delta_for(formula: Callable[[arb], arb], epsilon: Epsilon) -> float:
    """The smallest double in 0..1 of which a rising formula is certain to reach epsilon; 1 if there is none.

    Doubles that are not negative are ordered as the whole numbers that their bits are.
    """

    def double(bits: int) -> float:
        return float(struct.unpack("<d", struct.pack("<q", bits))[0])

    def least(value: arb) -> float:
        low, high = 0, struct.unpack("<q", struct.pack("<d", 1.0))[0]
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if formula(ball(double(middle))) >= value else (middle, high)
        return double(high)

    return above(least, epsilon, without=1.0)
