"""Quantities of binary channels in ball arithmetic, and roots that are certain: what the conversions rest on.

Every function of balls encloses the true value at flint's working precision; `precision` says how much of it
small parameters need, whose leading terms cancel.
"""

import struct
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING

from noiseless.exact import Nats
from noiseless.theory.differential.parameters import Delta, Epsilon, is_zero, read_delta, read_epsilon

if TYPE_CHECKING:
    from flint import arb

_SMALLEST = Fraction(1, 2**1100)
"""Parameters below this, which no double can tell from 0, are taken for it: guarantees only grow by that."""

_LARGEST = Fraction(10**300)
"""Epsilons above this are taken for infinite."""


def upper_epsilon(epsilon: Epsilon, name: str = "epsilon") -> Fraction | Nats | None:
    """A checked epsilon of a guarantee that is given, or a little more of it; None when it is infinite."""
    exact = read_epsilon(epsilon, name)
    if exact is None or is_zero(exact):
        return exact
    if isinstance(exact, Nats):
        return exact if exact.ratio >= 1 + _SMALLEST else _SMALLEST
    return None if exact > _LARGEST else max(exact, _SMALLEST)


def upper_delta(delta: Delta, name: str = "delta") -> Fraction:
    """A checked delta of a guarantee that is given, or a little more of it."""
    exact = read_delta(delta, name)
    if exact == 0:
        return exact
    return Fraction(1) if exact > 1 - _SMALLEST else max(exact, _SMALLEST)


def precision(*parameters: Fraction | Nats) -> int:
    """Bits with which formulas whose first and second orders cancel still have a hundred good ones."""
    smallest = min((_size(p) for p in parameters if not is_zero(p)), default=Fraction(1))
    return 128 + 4 * max(0, smallest.denominator.bit_length() - smallest.numerator.bit_length())


def _size(parameter: Fraction | Nats) -> Fraction:
    return Fraction(parameter.ratio) - 1 if isinstance(parameter, Nats) else parameter


def binary_entropy(p: "arb") -> "arb":
    """h(p) in nats, 0 < p < 1."""
    return -p * p.log() - (1 - p) * (-p).log1p()


def binary_divergence(a: "arb", b: "arb") -> "arb":
    """d(a||b) in nats between coins that fall heads with probability a and b, both strictly within 0..1."""
    return a * (a / b).log() + (1 - a) * ((1 - a) / (1 - b)).log()


def symmetric_capacity(variation: "arb") -> "arb":
    """The capacity ln 2 - h((1-d)/2) of a binary symmetric channel with rows d < 1 apart ((98) of [P5])."""
    up, down = 1 + variation, 1 - variation
    return (up * variation.log1p() + down * (-variation).log1p()) / 2


def response_capacity(epsilon: "arb") -> "arb":
    """The capacity of randomised response, which tells the truth e^epsilon times as often as not."""
    from flint import arb

    odds = (-epsilon).exp()
    return arb.const_log2() - odds.log1p() - epsilon * odds / (1 + odds)


def z_capacity(delta: "arb") -> "arb":
    """The capacity ln(1 + d (1-d)^((1-d)/d)) of the channel with rows (d, 1-d) and (0, 1), 0 < d < 1."""
    return (delta * ((1 - delta) / delta * (-delta).log1p()).exp()).log1p()


def smallest_float(certain: Callable[[float], bool]) -> float:
    """The smallest double in 0..1 of which a monotone statement is known for certain; 1 if there is none.

    Doubles that are not negative are ordered as the whole numbers that their bits are.
    """
    low, high = 0, _bits(1.0)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if certain(_double(middle)) else (middle, high)
    return _double(high)


def _bits(value: float) -> int:
    return int(struct.unpack("<q", struct.pack("<d", value))[0])


def _double(bits: int) -> float:
    return float(struct.unpack("<d", struct.pack("<q", bits))[0])
