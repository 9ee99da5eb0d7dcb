import datetime as dt
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noiseless.exact import Bits
from noiseless.verification.quantities import (
    ExactLength,
    LogRatio,
    Unreadable,
    bits,
    day_number,
    fraction,
    is_day,
    is_number,
    point_in_time,
    time_end,
)
from oracle import certificate_oracle

DAYS = st.dates()


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("38/5", Fraction(38, 5)),
        ("154/20", Fraction(77, 10)),
        ("-3", Fraction(-3)),
        ("2.50", Fraction(5, 2)),
        (7, Fraction(7)),
        (Decimal("0.1"), Fraction(1, 10)),
    ],
)
def test_exact_numbers_are_read(written: str | int | Decimal, expected: Fraction) -> None:
    assert fraction(written) == certificate_oracle.read_fraction(written) == expected


@pytest.mark.parametrize(
    "written",
    [
        *("", "1/0", "1e9", "x", "1/2/3", "9" * 5000, ".5", "sqrt(2)", " 1", "½"),
        *(Decimal("1e999999999"), Decimal("1." + "3" * 100_000)),
    ],
)
def test_what_is_no_number_is_refused_at_once(written: str | Decimal) -> None:
    with pytest.raises(Unreadable):
        fraction(written)
    with pytest.raises(ValueError, match=r"number|large"):
        certificate_oracle.read_fraction(written)


def test_lengths_are_exact_roots() -> None:
    assert str(ExactLength.read("sqrt(9/4)")) == "3/2"
    assert str(ExactLength.read("sqrt(2)")) == "sqrt(2)"
    assert ExactLength.read("sqrt(2)") < ExactLength.read("1.5") < ExactLength.read("sqrt(3)")
    for bad in ("-1", "sqrt(-1)", "sqrt(x)", "sqrt(sqrt(2))", "log2(2)"):
        with pytest.raises(Unreadable):
            ExactLength.read(bad)


def test_limits_in_bits_are_rationals_or_logarithms() -> None:
    assert bits("5/2") == Fraction(5, 2)
    assert bits("log2(38/5)") == LogRatio(Fraction(38, 5))
    for bad in ("log2(0)", "log2(-1)", "log2(x)"):
        with pytest.raises(Unreadable):
            bits(bad)


@given(st.integers(1, 60), st.integers(1, 60), st.fractions(min_value=-6, max_value=6, max_denominator=1000))
def test_logarithms_compare_as_those_of_the_package_and_of_the_oracle(
    top: int, bottom: int, limit: Fraction
) -> None:
    ratio = Fraction(top, bottom)
    order = (LogRatio(ratio) > limit) - (LogRatio(ratio) < limit)
    assert order == (Bits(ratio) > limit) - (Bits(ratio) < limit)
    assert order == certificate_oracle.Log(ratio).compare(limit)
    assert (LogRatio(ratio) <= limit, LogRatio(ratio) >= limit) == (order <= 0, order >= 0)


def test_logarithms_that_nearly_equal_a_decimal_are_told_apart() -> None:
    third = certificate_oracle.Log(Fraction(3)).bounds(90)[0]
    below, above = third - Fraction(1, 10**70), third + Fraction(1, 10**70)
    assert below < LogRatio(Fraction(3)) < above
    assert Fraction(3) <= LogRatio(Fraction(8)) <= Fraction(3)


@pytest.mark.parametrize("text", ["0", "5", "-5", "0.5", "-0.25", "1234567890123456789012", "100"])
def test_canonical_numbers(text: str) -> None:
    assert is_number(text)
    assert certificate_oracle.is_number(text)


@pytest.mark.parametrize(
    "text", ["", "-0", "5.0", "05", "1e5", "+5", ".5", "5.", "٣", "1,5", "inf", "9" * 5000, " 5", "5\n"]
)
def test_other_texts_are_no_numbers(text: str) -> None:
    assert not is_number(text)
    assert not certificate_oracle.is_number(text)


@given(DAYS, DAYS)
def test_days_are_as_far_apart_as_they_are(one: dt.date, other: dt.date) -> None:
    texts = one.isoformat(), other.isoformat()
    assert day_number(texts[0]) - day_number(texts[1]) == (one - other).days
    assert (
        certificate_oracle.day_number(texts[0]) - certificate_oracle.day_number(texts[1])
        == (one - other).days
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2020-02-29", True),
        ("1900-02-29", False),
        ("2000-02-29", True),
        ("0000-12-31", True),
        ("2020-13-01", False),
        ("2020-00-01", False),
        ("2020-1-1", False),
        ("2020-01-01 ", False),
    ],
)
def test_days_are_told_from_other_texts(text: str, expected: bool) -> None:
    assert is_day(text) == certificate_oracle.is_day(text) == expected
    if not expected:
        with pytest.raises(Unreadable):
            time_end(text)


@pytest.mark.parametrize("separator", [" ", "T"])
@given(st.datetimes(dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31)), st.sampled_from(["", "+00"]))  # noqa: DTZ001
def test_moments_are_as_far_apart_as_they_are(separator: str, one: dt.datetime, zone: str) -> None:
    text = one.isoformat(separator)
    text = (text.rstrip("0") if "." in text else text) + zone
    since = one - dt.datetime(1, 1, 1)  # noqa: DTZ001
    expected = since.days + Fraction(since.seconds * 10**6 + since.microseconds, 86_400 * 10**6)
    for point, first in (
        (point_in_time, day_number("0001-01-01")),
        (certificate_oracle.moment_number, certificate_oracle.day_number("0001-01-01")),
    ):
        found = point(text)
        assert found is not None
        assert found - first == expected


@pytest.mark.parametrize(
    "text",
    [
        "2020-01-01 24:00",
        "2020-02-30 10:00",
        "2020-01-01 10:60",
        "2020-01-01 10:00:60",
        "2020-01-01 10:00:00.50",
        "2020-01-01 10",
        "2020-01-01  10:00",
        "2020-01-01 10:00+01",
        "2020-01-01+00",
    ],
)
def test_other_texts_are_no_moments(text: str) -> None:
    assert point_in_time(text) is None
    assert certificate_oracle.moment_number(text) is None


def test_the_year_zero_goes_before_the_year_one() -> None:
    for number in (day_number, certificate_oracle.day_number):
        assert number("0001-01-01") - number("0000-12-31") == 1
        assert number("0000-03-01") - number("0000-02-28") == 2
