import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noiseless.errors import RequestError
from noiseless.exact import Bits
from noiseless.pricing.plan import NAMES, named_query
from noiseless.pricing.reach import allowed_reach, printed_cells, reach
from noiseless.ranges.quantizer import Uniform
from noiseless.rules.plan import plan


def test_the_mean_of_a_thousand_for_one_bit() -> None:
    found = plan("mean", n=1000, bounds=(0, 1), budget=1)
    assert (found.cells, found.reach, found.reach_exact) == (1000, 2, True)
    assert found.bits == 1
    assert found.worst_error == Fraction(1, 2000)
    assert found.cell_width == Fraction(1, 1000)
    assert found.entropy_of_record == math.inf
    question, _ = named_query("mean", 1000, 0, 1)
    assert found.paper_cells == 2000
    assert reach(question, Uniform(question.span, 2000)).outputs == 3


def test_cells_on_a_lattice_are_as_fine_as_can_be() -> None:
    found = plan("mean", n=1000, bounds=(0, 1), step=Decimal("0.01"), budget=1)
    assert (found.cells, found.reach) == (1001, 2)
    assert found.worst_error == Fraction(99, 200000)
    assert found.entropy_of_record == Bits(101)


def test_a_count_costs_one_bit_however_many_cells() -> None:
    found = plan("count", n=30, bounds=(0, 1), budget=1)
    assert (found.cells, found.reach) == (31, 2)
    assert found.worst_error == 0
    assert found.warning is not None
    assert plan("count", n=30, budget=1) == found


def test_accuracy_first() -> None:
    found = plan("sum", n=50, bounds=(0, 10), max_error=5)
    assert (found.cells, found.reach) == (50, 2)
    assert found.worst_error == 5
    lattice = plan("sum", n=50, bounds=(0, 10), step=1, max_error=5)
    assert lattice.cells == math.ceil(501 / 11)
    assert lattice.worst_error == 5
    with pytest.raises(RequestError, match="above 0"):
        plan("sum", n=50, bounds=(0, 10), max_error=0)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("bits", [1, 2, Decimal("1.6")])
def test_every_question_keeps_its_budget(name: str, bits: int | Decimal) -> None:
    found = plan(name, n=7, bounds=(0, 6), step=1, budget=bits)
    assert found.bits <= Fraction(bits)
    assert found.to_dict()["bits"] >= float(found.bits.lower)


def test_a_reach_is_a_budget_too() -> None:
    assert plan("max", n=3, bounds=(0, 8), step=1, reach=3).cells == 3
    assert plan("max", n=3, bounds=(0, 8), step=1, budget=Decimal("1.58")).cells == 2


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        ({"budget": Decimal("0.9")}, "below one bit"),
        ({"budget": -1}, "between 0 and"),
        ({"reach": 1}, "below one bit"),
        ({"reach": 0}, "whole number"),
        ({"reach": 2.5}, "whole number"),
        ({"reach": Fraction(5, 2)}, "whole number"),
        ({"reach": "3"}, "whole number"),
        ({"budget": 1, "bounds": None}, "needs the bounds"),
        ({}, "only one of them"),
        ({"budget": 1, "max_error": 1}, "only one of them"),
        ({"budget": 1, "bounds": (1, 0)}, "out of order"),
        ({"budget": 1, "bounds": (0, math.inf)}, "finite"),
        ({"budget": 1, "step": Decimal("0.3")}, "does not divide"),
        ({"budget": 1, "step": 0}, "above 0"),
        ({"budget": 1, "bounds": (1, 1)}, "nobody moves"),
        ({"budget": 1, "n": 0}, "at least 1"),
        ({"budget": 1, "query": "mode"}, "no question is called"),
        ({"budget": 1, "query": "variance"}, "--step"),
    ],
)
def test_requests_that_make_no_sense(arguments: dict[str, object], remedy: str) -> None:
    asked: dict[str, object] = {"query": "mean", "n": 5, "bounds": (0, 1), **arguments}
    with pytest.raises(RequestError, match=remedy):
        plan(**asked)  # type: ignore[call-overload]


def test_a_plan_reads_well() -> None:
    text = str(plan("mean", n=1000, bounds=(0, 1), budget=1))
    assert "1,000 cells of width 0.001" in text
    assert "One person can cause 2 answers: the price is 1.00 bits." in text


@given(st.integers(1, 10**6))
def test_the_reach_that_a_budget_allows(outputs: int) -> None:
    bits = Bits(outputs)
    assert allowed_reach(Fraction(math.ceil(bits.upper * 1000 + 1), 1000)) >= outputs
    assert allowed_reach(Fraction(bits.lower)) in (outputs - 1, outputs) if outputs > 1 else True


def test_whole_budgets_are_powers_of_two() -> None:
    assert [allowed_reach(bits) for bits in (0, 1, 2, 10, 200)] == [1, 2, 4, 1024, 2**200]
    assert allowed_reach(Fraction(1, 2)) == 1
    question, _ = named_query("mean", 10, 0, 1)
    assert printed_cells(question, Fraction(1, 2)) == 14  # floor(10 sqrt 2)
    assert printed_cells(question, Bits(3)) == 30


def test_the_median_of_an_even_number_is_the_mean_of_two_to_one_person() -> None:
    found = plan("median", n=6, bounds=(0, 100), reach=4)
    assert (found.cells, found.reach, found.reach_exact) == (6, 4, True)
    assert plan("median", n=7, bounds=(0, 100), reach=4).cells == 4
