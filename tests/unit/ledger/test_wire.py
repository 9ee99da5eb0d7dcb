from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noiseless.amounts import Budget, Cost, fraction_text, integer_text, read_fraction
from noiseless.errors import RequestError
from noiseless.exact import Bits
from noiseless.ledger.entries import (
    budget_json,
    cost_json,
    read_budget,
    read_cost,
    read_record,
    record_json,
)
from noiseless.pricing.event import Record


@given(st.integers(), st.integers(0, 100_000))
def test_integers_of_any_size_come_back(value: int, shift: int) -> None:
    for number in (value, value << shift):
        assert int(integer_text(number), 0) == number


@given(st.fractions(), st.integers(0, 50_000))
def test_fractions_of_any_size_come_back(value: Fraction, shift: int) -> None:
    for number in (value, value * 2**shift, value / 2**shift):
        assert read_fraction(fraction_text(number)) == number


@given(st.integers(1, 10**30), st.fractions(0, 100))
def test_costs_come_back(outputs: int, capacity: Fraction) -> None:
    assert read_cost(cost_json(Cost(outputs, capacity))) == Cost(outputs, capacity)


@pytest.mark.parametrize("budget", [None, 0, 40, Fraction(79, 50), Bits(3), Bits(Fraction(7, 2))])
def test_budgets_come_back(budget: Budget | None) -> None:
    found = read_budget(budget_json(budget))
    assert found == budget
    assert isinstance(found, Bits) == isinstance(budget, Bits)


def test_a_decimal_budget_is_kept_exactly() -> None:
    assert read_budget(budget_json(Decimal("1.58"))) == Fraction(158, 100)


@pytest.mark.parametrize("budget", [-1, Decimal("NaN"), 1.5])
def test_a_budget_that_makes_no_sense_is_refused(budget: Budget) -> None:
    with pytest.raises(RequestError):
        budget_json(budget)


def test_records_come_back() -> None:
    record = Record.of({"age": 121, "weight": None}, rows=3)
    assert read_record(record_json(record)) == record
    assert read_record(record_json(None)).values() is None
