"""The parameters of a guarantee as users write them: an epsilon, a delta."""

import math
from decimal import Decimal
from fractions import Fraction
from numbers import Rational as AnyRational
from numbers import Real
from typing import TYPE_CHECKING

from noiseless.errors import RequestError
from noiseless.exact import Nats, Rational, as_fraction, ball

if TYPE_CHECKING:
    from flint import arb

Epsilon = Rational | float | Nats
"""A number of nats: rational, a float (the rational that it is), or the exact logarithm of a rational."""

Delta = Rational | float
"""A probability."""

_LONGEST = 10_000
"""Decimals with larger exponents are refused: as a fraction one would fill the memory."""


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


def is_zero(epsilon: Fraction | Nats) -> bool:
    """Whether it is exactly 0."""
    return epsilon.ratio == 1 if isinstance(epsilon, Nats) else epsilon == 0


def epsilon_ball(epsilon: Fraction | Nats) -> "arb":
    """A ball that holds epsilon, at flint's working precision."""
    return ball(_ratio(epsilon)).log() if isinstance(epsilon, Nats) else ball(epsilon)


def exponential_ball(epsilon: Fraction | Nats) -> "arb":
    """A ball that holds e^epsilon, at flint's working precision."""
    return ball(_ratio(epsilon)) if isinstance(epsilon, Nats) else ball(epsilon).exp()


def is_at_most(first: Fraction | Nats, second: Fraction | Nats) -> bool:
    """Whether first <= second, exactly.

    The logarithm of a rational other than 1 is irrational (Lindemann), so that refining comes to an end.
    """
    from flint import ctx

    if isinstance(first, Nats) and (isinstance(second, Nats) or not first.is_finite):
        return isinstance(second, Nats) and first <= second
    if isinstance(second, Nats) and not second.is_finite:
        return True
    if isinstance(first, Fraction) and isinstance(second, Fraction):
        return first <= second
    if is_zero(first) or is_zero(second):
        return is_zero(first)
    bits = 128
    while True:
        with ctx.workprec(bits):
            gap = epsilon_ball(second) - epsilon_ball(first)
        if not gap.contains(0):
            return bool(gap > 0)
        bits *= 2


def rational_exponential(epsilon: Fraction | Nats) -> Fraction | None:
    """e^epsilon where it is rational: of the logarithm of a rational, and of 0 (Lindemann: of no other)."""
    if isinstance(epsilon, Nats):
        return _ratio(epsilon)
    return Fraction(1) if epsilon == 0 else None


def _ratio(epsilon: Nats) -> Fraction:
    return Fraction(epsilon.ratio)
