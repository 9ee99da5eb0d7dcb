from decimal import Decimal
from fractions import Fraction

import pytest

from noiseless.amounts import Budget, Cost, checked_budget, dearest, most_outputs
from noiseless.errors import RequestError
from noiseless.exact import Bits


def test_costs_add_as_outputs_multiply() -> None:
    assert Cost(3) + Cost(5, Fraction(1, 2)) == Cost(15, Fraction(1, 2))


@pytest.mark.parametrize(
    ("cost", "budget", "fits"),
    [
        (Cost(8), 3, True),
        (Cost(9), 3, False),
        (Cost(3), Bits(3), True),
        (Cost(4), Bits(3), False),
        (Cost(2**1000), 1000, True),
        (Cost(2**1000 + 1), 1000, False),
        (Cost(2, Fraction(1, 2)), Fraction(3, 2), True),
        (Cost(2, Fraction(1, 2)), Decimal("1.49"), False),
        (Cost(2, Fraction(1, 2)), Bits(3), True),
        (Cost(2, Fraction(3, 5)), Bits(3), False),
        (Cost(), 0, True),
    ],
)
def test_comparison_with_a_budget_is_exact(cost: Cost, budget: Budget, *, fits: bool) -> None:
    assert cost.within(budget) is fits


def test_costs_compare_exactly() -> None:
    assert Cost(3).exceeds(Cost(2, Fraction(1, 2)))
    assert not Cost(2, Fraction(1, 2)).exceeds(Cost(3))
    assert not Cost(2).exceeds(Cost(1, Fraction(1)))
    assert dearest([Cost(3), Cost(2, Fraction(1))], Cost(2)) == Cost(2, Fraction(1))


@pytest.mark.parametrize("spent", [Cost(), Cost(3), Cost(2, Fraction(0.3)), Cost(1, Fraction(1, 3))])
@pytest.mark.parametrize("budget", [1, 3, Decimal("1.585"), Fraction(7, 3), Bits(10), 40])
def test_what_is_left_is_the_most_that_fits(spent: Cost, budget: Budget) -> None:
    left = most_outputs(budget, spent)
    assert left == 0 or (spent + Cost(left)).within(budget)
    assert not (spent + Cost(left + 1)).within(budget)


def test_randomised_answers_are_no_number_of_outputs() -> None:
    cost = Cost(3, Fraction(1, 10))
    assert not cost.is_reach
    assert cost.upper >= 1.6849
    assert str(cost) == "1.69 bits of mutual information"
    with pytest.raises(RequestError, match="read `upper`"):
        _ = cost.bits
    assert str(Cost(3)) == "1.59 bits"


@pytest.mark.parametrize("budget", [-1, Decimal("NaN"), Decimal("Infinity"), 1.58])
def test_budgets_that_make_no_sense_are_refused(budget: Budget) -> None:
    with pytest.raises(RequestError, match="budget"):
        checked_budget(budget)
