"""The ends of intervals: exact rationals of any size, or infinity.

Rationals may be beyond floats. So an infinite float is never added to one or multiplied by it, and `math` is
not asked about them.
"""

import math
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Real
from typing import SupportsFloat

from noiseless.errors import RequestError

Number = int | Fraction | Decimal | SupportsFloat | str
"""What a user may write for a number: a float is the rational that it is, "1/3" and "0.1" are exact."""

Endpoint = Fraction | float
"""A rational, or a float that is plus or minus infinity."""

_INFINITE = {"inf": math.inf, "+inf": math.inf, "-inf": -math.inf, "∞": math.inf, "-∞": -math.inf}


def endpoint(value: Number) -> Endpoint:
    """The exact number that a user wrote: a rational, or a float when it is infinite.

    Raises:
        RequestError: it is no number.

    >>> endpoint("1/3"), endpoint(0.5), endpoint("-inf")
    (Fraction(1, 3), Fraction(1, 2), -inf)
    """
    if isinstance(value, Fraction):
        return value
    if isinstance(value, str):
        text = value.strip()
        try:
            return _INFINITE[text] if text in _INFINITE else Fraction(text)
        except (ValueError, ZeroDivisionError):
            raise RequestError("that is no number; write one like 3, 1/3, 0.25, -2e-3 or inf") from None
    if isinstance(value, Integral):
        return Fraction(int(value))
    if isinstance(value, Decimal) and value.is_finite():
        return Fraction(value)
    if isinstance(value, Decimal | Real):
        number = math.nan if isinstance(value, Decimal) and value.is_nan() else float(value)
        if math.isnan(number):
            raise RequestError("NaN is no number that an interval could end at")
        return number if math.isinf(number) else Fraction(number)
    raise RequestError(f"an interval ends at numbers, not at a {type(value).__name__}")


def finite(value: Number) -> Fraction:
    """The exact rational that a user wrote.

    Raises:
        RequestError: it is no number, or infinite.
    """
    exact = endpoint(value)
    if isinstance(exact, float):
        raise RequestError("a finite number is needed here; infinity is none")
    return exact


def is_infinite(end: Endpoint) -> bool:
    """Whether an end is infinite: only then it is a float."""
    return isinstance(end, float)


def total(values: Iterable[Endpoint]) -> Endpoint:
    """The sum of numbers, infinite ones having one sign."""
    found = Fraction(0)
    for value in values:
        if isinstance(value, float):
            return value
        found += value
    return found


def distance(low: Endpoint, high: Endpoint) -> Endpoint:
    """How far two ends are apart."""
    return math.inf if is_infinite(low) or is_infinite(high) else high - low


def linear(slope: Fraction, end: Endpoint, offset: Fraction) -> Endpoint:
    """Slope * end + offset, the slope not being 0."""
    if is_infinite(end):
        return end if slope > 0 else -end
    return slope * end + offset
