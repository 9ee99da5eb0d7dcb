import math
import operator
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noiseless.exact import Bits, Nats, log2_bounds, round_down, round_up

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


FLOATS = st.floats(-1e6, 1e6)
WHOLE = st.integers(-40, 40)


@given(ratios, FLOATS)
def test_a_float_in_gives_a_float_that_is_never_below(ratio: Fraction, number: float) -> None:
    (low, high), bits, exact = log2_bounds(ratio), Bits(ratio), Fraction(number)
    results = [
        (bits + number, [low + exact, high + exact]),
        (number + bits, [low + exact, high + exact]),
        (bits - number, [low - exact, high - exact]),
        (number - bits, [exact - low, exact - high]),
        (bits * number, [low * exact, high * exact]),
    ]
    if number:
        results.append((bits / number, [low / exact, high / exact]))
    for found, ends in results:
        assert type(found) is float
        assert Fraction(found) >= min(ends)  # the truth lies between the two
        assert found <= math.nextafter(round_up(max(ends)), math.inf)


@given(ratios, WHOLE)
def test_whole_numbers_keep_it_exact(ratio: Fraction, number: int) -> None:
    bits = Bits(ratio)
    assert (bits + number).ratio == (number + bits).ratio == ratio * Fraction(2) ** number
    assert (number - bits).ratio == Fraction(2) ** number / ratio
    assert (bits * number).ratio == (number * bits).ratio == ratio**number
    assert (-bits).ratio == 1 / ratio
    assert abs(bits) == max(bits, -bits)


def test_a_sum_is_exact_and_a_mean_is_a_float() -> None:
    leaks = [Bits(2), Bits(3), Bits(6)]
    assert sum(leaks) == Bits(36)
    assert sum(leaks, Bits(1)) / len(leaks) == pytest.approx(math.log2(36) / 3)
    assert Bits(8) / Bits(2) == 3.0
    assert Fraction(Bits(2) / 10**30) >= Fraction(1, 10**30)


@pytest.mark.parametrize("other", [Fraction(1, 2), Decimal("0.5")])
def test_what_is_neither_exact_nor_a_float_is_refused(other: Fraction | Decimal) -> None:
    for operation in (operator.add, operator.sub, operator.mul, operator.truediv):
        for pair in ((Bits(3), other), (other, Bits(3))):
            with pytest.raises(TypeError):
                operation(*pair)


def test_what_cannot_be_written_down_is_refused() -> None:
    with pytest.raises(OverflowError, match="written down"):
        Bits(3) + 10**9
    with pytest.raises(OverflowError, match="written down"):
        Bits(3) * 10**9
    with pytest.raises(ZeroDivisionError):
        Bits(3) / Bits(1)


@given(ratios, st.floats(allow_nan=True, allow_infinity=True))
def test_comparison_with_a_float_is_exact(ratio: Fraction, number: float) -> None:
    bits = Bits(ratio)
    if math.isnan(number):
        assert not any((bits < number, bits <= number, bits > number, bits >= number, bits == number))
    elif math.isinf(number):
        assert (bits < number, bits > number, bits == number) == (number > 0, number < 0, False)
    else:
        exact = Fraction(number)
        assert (bits < number, bits >= number) == (bits < exact, bits >= exact)
        assert (bits == number) == (bits == exact)


@given(ratios, st.integers(0, 12))
def test_rounding_and_formats_never_understate(ratio: Fraction, places: int) -> None:
    bits, (low, high) = Bits(ratio), log2_bounds(ratio)
    unit = Fraction(1, 10**places)
    for shown in (round(bits, places), Decimal(f"{bits:.{places}f}")):
        assert low <= Fraction(shown) < high + unit
    assert low <= round(bits) == math.ceil(bits) < high + 1
    assert low - 1 < math.floor(bits) <= high
    assert int(bits) == (math.floor(bits) if ratio >= 1 else math.ceil(bits))


def test_formats() -> None:
    assert f"{Bits(3)}" == "1.59 bits"
    assert f"{Bits(3):>10}" == " 1.59 bits"
    assert (f"{Bits(3):.3f}", f"{Bits(8):.1f}", f"{Bits(3):8.2f}") == ("1.585", "3.0", "    1.59")
    assert round(Bits(1000), -1) == 10


def test_nothing_is_false() -> None:
    assert not Bits(1)
    assert Bits(2)


@pytest.mark.parametrize(
    ("spec", "shown"),
    [
        ("", "1.59 bits"),
        (">12", "   1.59 bits"),
        (".>12", "...1.59 bits"),
        (".2", "1.6"),
        (">5.2", "  1.6"),
        (".3f", "1.585"),
        ("+.1e", "+1.6e+0"),
        (".0%", "159%"),
    ],
)
def test_a_format_never_understates(spec: str, shown: str) -> None:
    assert format(Bits(3), spec) == shown


@given(ratios, FLOATS)
def test_a_number_by_bits_is_a_float_that_is_never_below(ratio: Fraction, number: float) -> None:
    (low, high), bits = log2_bounds(ratio), Bits(ratio)
    if not bits:
        with pytest.raises(ZeroDivisionError, match="0 bits"):
            operator.truediv(number, bits)
        return
    assert Fraction(number / bits) >= min(Fraction(number) / low, Fraction(number) / high)
    assert number / bits == pytest.approx(number / math.log2(ratio))


@given(ratios)
def test_two_to_the_power_of_bits_is_how_many_are_told_apart(ratio: Fraction) -> None:
    assert 2 ** Bits(ratio) == ratio
    assert (+Bits(ratio), math.trunc(Bits(ratio))) == (Bits(ratio), int(Bits(ratio)))
    with pytest.raises(TypeError):
        operator.pow(3, Bits(ratio))


NUMBERS = [0, 1.0986, Fraction(11, 10), Decimal("1.0987"), math.inf, -math.inf, math.nan, Decimal("inf")]


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("log", [Bits(3), Bits(1), Nats(3), Nats(1), Nats(0), Nats(math.inf)])
def test_logarithms_are_ordered_among_numbers(log: Bits | Nats, number: float) -> None:
    expected = [
        operation(Decimal(log.upper), Decimal(number) if isinstance(number, float | int) else number)
        if not isinstance(number, Fraction)
        else operation(log.upper, number)
        for operation in (operator.lt, operator.le, operator.gt, operator.ge, operator.eq)
        if not math.isnan(number)
    ] or [False] * 5
    compared = [log < number, log <= number, log > number, log >= number, log == number]
    assert compared == expected
    assert log != number or hash(log) == hash(number)


def test_nats_add_up_and_are_formatted() -> None:
    assert sum([Nats(2), Nats(3)]) == Nats(6)
    assert [format(Nats(ratio), ".3f") for ratio in (3, 0, math.inf)] == ["1.099", "-inf", "inf"]
    assert f"{Nats(3):>12}" == " 1.0987 nats"
    with pytest.raises(TypeError):
        operator.add(Nats(3), 1)
