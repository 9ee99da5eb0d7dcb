from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noiseless.amounts import (
    Cost,
    budget_text,
    fraction_text,
    read_budget_text,
    read_fraction,
    rounded_down,
    rounded_up,
    shown_budget,
)
from noiseless.errors import RequestError
from noiseless.exact import Bits

positive = st.fractions(min_value=0, max_value=10**9)


@given(st.integers(1, 2**70) | st.integers(0, 300).map(lambda power: 2**power), st.just(0) | positive)
def test_costs_come_back(outputs: int, capacity: Fraction) -> None:
    cost = Cost(outputs, Fraction(capacity))
    assert Cost.read(cost.text) == cost


def test_long_costs_and_budgets_come_back() -> None:
    for cost in (Cost(), Cost(3**9000), Cost(2**9000), Cost(1, Fraction(7))):
        assert Cost.read(cost.text) == cost
    for budget in (40, Fraction(79, 50), Bits(3), Bits(Fraction(7, 2))):
        assert read_budget_text(budget_text(budget) or "") == budget


@given(st.fractions())
def test_rational_numbers_come_back(number: Fraction) -> None:
    assert read_fraction(fraction_text(number)) == number


def test_numbers_of_any_size_come_back() -> None:
    large = Fraction(-(3**9000), 2**20_001)
    assert read_fraction(fraction_text(large)) == large


@pytest.mark.parametrize(
    "text", ["", "1/0", "1/-2", "1.5", "1e9", "nan", " 1", "1 ", "1\n", "--1", "012", "0x", "٣", "9" * 5000]
)
def test_what_is_no_rational_number_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - readers of replies turn it into words
        read_fraction(text)


@pytest.mark.parametrize(
    "text", ["", "log2(0)", "log2(1/2)", "-1", "1/2", "99999999999", "log2(3) + ", "log2(3) - 1", "2 + 1/0"]
)
def test_what_is_no_cost_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        Cost.read(text)


@pytest.mark.parametrize("text", ["", "-1", "log2(0)", "log2(-1)", "1.5", "inf"])
def test_what_is_no_budget_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        read_budget_text(text)


@given(positive)
def test_bits_are_read_to_the_safe_side(number: Fraction) -> None:
    assert Fraction(rounded_down(number)) <= number <= Fraction(rounded_up(number))


def test_what_has_no_end_is_shown_as_such() -> None:
    assert (rounded_up(float("inf")), rounded_down(float("inf")), shown_budget(None)) == (
        "inf",
        "inf",
        "none",
    )


def test_randomised_answers_are_no_number_of_outputs() -> None:
    with pytest.raises(RequestError, match="read `upper`"):
        _ = Cost(2, Fraction(1, 2)).bits
    assert Cost(2).bits == 1
