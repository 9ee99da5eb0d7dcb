import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noiseless.exact import Bits, log2_bounds, round_down, round_up

ratios = st.fractions(min_value=Fraction(1, 10**9), max_value=10**9)


@given(ratios)
def test_bounds_bracket_the_logarithm(ratio: Fraction) -> None:
    low, high = log2_bounds(ratio)
    assert low <= high
    assert high - low < Fraction(1, 10**40)
    assert float(low) == pytest.approx(math.log2(ratio), abs=1e-12)


@given(st.integers(-300, 300))
def test_powers_of_two_are_exact(exponent: int) -> None:
    bits = Bits(Fraction(2) ** exponent)
    assert log2_bounds(bits.ratio) == (Fraction(exponent), Fraction(exponent))
    assert bits == exponent
    assert bits.upper == bits.lower == exponent


@given(ratios)
def test_floats_are_on_the_safe_side(ratio: Fraction) -> None:
    bits, (low, high) = Bits(ratio), log2_bounds(ratio)
    assert Fraction(bits.lower) <= low
    assert high <= Fraction(bits.upper)
    assert bits.upper <= math.nextafter(bits.lower, math.inf)
    assert float(bits) == bits.upper


@given(ratios, ratios)
def test_arithmetic_and_order_follow_the_ratios(a: Fraction, b: Fraction) -> None:
    assert (Bits(a) + Bits(b)).ratio == a * b
    assert (Bits(a) - Bits(b)).ratio == a / b
    assert (Bits(a) < Bits(b)) == (a < b)


@given(st.integers(1, 300), st.integers(0, 40), st.integers(1, 5))
def test_comparison_with_a_rational_is_exact(number: int, top: int, bottom: int) -> None:
    limit = Fraction(top, bottom)
    assert (Bits(number) <= limit) == (number**bottom <= 2**top)
    assert (Bits(number) >= limit) == (number**bottom >= 2**top)
    assert (Bits(number) == limit) == (number**bottom == 2**top)


def test_a_limit_that_agrees_in_forty_digits_is_still_told_apart() -> None:
    low, high = log2_bounds(Fraction(3), digits=200)
    near = (low + high) / 2 + Fraction(1, 10**120)
    assert Bits(3) < near
    assert Bits(3) > near - Fraction(2, 10**120)


def test_decimals_as_users_write_them() -> None:
    assert not Bits(3) <= Decimal("1.58")
    assert Bits(3) <= Decimal("1.59")


def test_text_never_understates() -> None:
    assert Bits(38).rounded_up(2) == "5.25"
    assert Bits(6).rounded_up(2) == "2.59"
    assert Bits(8).rounded_up(2) == "3.00"
    assert str(Bits(1)) == "0.00 bits"


def test_only_positive_numbers_have_bits() -> None:
    with pytest.raises(ValueError, match="not positive"):
        Bits(0)


@given(st.fractions())
def test_directed_rounding(value: Fraction) -> None:
    assert Fraction(round_down(value)) <= value <= Fraction(round_up(value))
