from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noiseless.client.json_objects import (
    Amount,
    read_amount,
    read_budget,
    read_fraction,
    rounded_down,
    rounded_up,
    shown_budget,
)
from noiseless.errors import RequestError
from noiseless.exact import Bits
from noiseless.ledger.entries import fraction_text, integer_text
from noiseless.pricing.cost import Cost

positive = st.fractions(min_value=0, max_value=10**9)


def written(cost: Cost) -> str:
    """As the server writes it (`server.amounts.exact_bits`), which needs an extra to be imported."""
    power = cost.outputs.bit_length() - 1
    counted = str(power) if cost.outputs == 1 << power else f"log2({integer_text(cost.outputs)})"
    return f"{counted} + {fraction_text(cost.capacity)}" if cost.capacity else counted


@given(st.integers(1, 2**70) | st.integers(0, 300).map(lambda power: 2**power), st.just(0) | positive)
def test_costs_are_read_exactly_and_shown_as_the_curator_shows_them(outputs: int, capacity: Fraction) -> None:
    cost = Cost(outputs, Fraction(capacity))
    found = read_amount(written(cost))
    assert (found.outputs, found.capacity) == (cost.outputs, cost.capacity)
    assert (str(found), found.upper) == (str(cost), cost.upper)


def test_the_server_writes_costs_and_budgets_as_they_are_read_here() -> None:
    pytest.importorskip("fastapi")
    from noiseless.server.replies import exact_bits, exact_budget

    for cost in (Cost(), Cost(2), Cost(12), Cost(3, Fraction(1, 2)), Cost(3**9000), Cost(1, Fraction(7))):
        assert exact_bits(cost) == written(cost)
        assert read_amount(exact_bits(cost)) == Amount(cost.outputs, cost.capacity)
    for budget in (40, Fraction(79, 50), Bits(3), Bits(Fraction(7, 2))):
        assert read_budget(exact_budget(budget) or "") == budget


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
        read_amount(text)


@pytest.mark.parametrize("text", ["", "-1", "log2(0)", "log2(-1)", "1.5", "inf"])
def test_what_is_no_budget_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        read_budget(text)


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
        _ = Amount(2, Fraction(1, 2)).bits
    assert Amount(2).bits == 1
