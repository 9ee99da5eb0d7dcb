import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb

from noiseless.exact import Bits
from noiseless.theory.stochastic.certified import CertifiedNumber, enclose, enclose_nats, log_sum


def test_a_ball_is_sharpened_until_its_ends_are_neighbours() -> None:
    def cancelling() -> arb:
        return (1 + arb(2) ** -300).log() * arb(2) ** 300

    found = enclose(cancelling)
    assert found.lower <= 1 <= found.upper
    assert found.upper - found.lower < 1e-15


def test_ends_lie_on_both_sides_of_the_truth() -> None:
    found = enclose_nats(lambda: arb(3).log())
    assert Fraction(found.lower) < Fraction(found.upper)
    assert Bits(3) >= Fraction(found.lower)
    assert Bits(3) <= Fraction(found.upper)
    assert float(found) == found.upper


def test_a_ball_that_stays_wide_says_so() -> None:
    found = enclose(lambda: arb(0, 1))
    assert found.lower == 0
    assert 1 <= found.upper < 1.001
    assert enclose(arb.nan) == CertifiedNumber(0, math.inf)


def test_numbers_below_all_floats_are_not_expanded() -> None:
    found = enclose(lambda: arb(-(10**18)).exp())
    assert (found.lower, found.upper) == (0, 5e-324)


@pytest.mark.parametrize(
    ("enclosure", "text"),
    [
        (CertifiedNumber.of_bits(Bits(4)), "2.0000 bits"),
        (CertifiedNumber.of_bits(Bits(Fraction(4, 3))), "0.4151 bits"),
        (CertifiedNumber.of_fraction(Fraction(1, 3)), "0.3334"),
        (CertifiedNumber(0, math.inf), "inf bits"),
    ],
)
def test_what_a_person_reads_is_rounded_up(enclosure: CertifiedNumber, text: str) -> None:
    assert str(enclosure) == text


def test_logarithms_of_powers_of_two_are_exact() -> None:
    value = log_sum(np.array([1, 2, 3]), np.array([1, 8, 2**40]))
    assert value == 126
    assert value.is_exact()
