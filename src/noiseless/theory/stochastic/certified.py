"""Numbers that are logarithms of no rational: kept between two floats that certainly hold them."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Self

from flint import arb, ctx

from noiseless.exact import Bits, ball_above, ball_below, round_down, round_up
from noiseless.theory.stochastic.weights import Weights, sums_by_value

_START, _MOST = 128, 2**14
"""Working precision in bits: where to begin and where to give up sharpening."""

_WANTED = 60
"""Correct bits at which a ball is sharp enough for both its ends to be read off as neighbouring floats."""


@dataclass(frozen=True)
class CertifiedNumber:
    """A number that is certainly between `lower` and `upper`, usually two neighbouring floats.

    Attributes:
        lower: not above the number.
        upper: not below it; `float()` gives this end, so that a leak is never understated.
        exact: the number itself where it is the logarithm of a rational (`Bits`) or a rational (`Fraction`).
        unit: "bits", or "" for measures that are no logarithms.

    >>> CertifiedNumber.of_bits(Bits(8))
    CertifiedNumber(lower=3.0, upper=3.0, exact=Bits(8), unit='bits')
    >>> print(CertifiedNumber.of_bits(Bits(3)))
    1.5850 bits
    """

    lower: float
    upper: float
    exact: Bits | Fraction | None = None
    unit: str = "bits"

    @classmethod
    def of_bits(cls, bits: Bits) -> Self:
        """Around log2 of a rational."""
        return cls(max(bits.lower, 0.0), bits.upper, bits)

    @classmethod
    def of_fraction(cls, value: Fraction) -> Self:
        """Around a rational that is no logarithm."""
        return cls(round_down(value), round_up(value), value, "")

    def __float__(self) -> float:
        return self.upper

    def __str__(self) -> str:
        if math.isinf(self.upper):
            return f"inf {self.unit}".rstrip()
        places = Decimal(math.ceil(Fraction(self.upper) * 10**4)).scaleb(-4)
        return f"{places:.4f} {self.unit}".rstrip()


NOTHING = CertifiedNumber.of_bits(Bits(1))
"""Exactly 0 bits."""


def enclose(compute: Callable[[], arb], extra: int = 0, unit: str = "bits") -> CertifiedNumber:
    """Evaluate a positive number with balls, at a precision that is raised until its two ends nearly meet.

    Args:
        compute: gives the number. It is called anew at each precision.
        extra: bits that are known to cancel.
        unit: "bits" or "".
    """
    precision = _START + extra
    while True:
        with ctx.workprec(precision):
            value = compute()
            if value.rel_accuracy_bits() >= _WANTED or precision >= _MOST + extra:
                return CertifiedNumber(max(0.0, ball_below(value)), ball_above(value), unit=unit)
        precision *= 2


def enclose_nats(compute: Callable[[], arb], extra: int = 0) -> CertifiedNumber:
    """The same for a number that is computed in nats; the result is in bits."""
    return enclose(lambda: compute() / arb.const_log2(), extra)


def log_sum(factors: Weights, values: Weights) -> arb:
    """The sum of factor * log2(value) as a ball, exact for powers of 2; equal values share one logarithm."""
    return sum((total * _log2(value) for total, value in sums_by_value(factors, values)), arb(0))


def _log2(value: int) -> arb:
    twos = (value & -value).bit_length() - 1
    odd = value >> twos
    return arb(twos) if odd == 1 else twos + arb(odd).log() / arb.const_log2()
