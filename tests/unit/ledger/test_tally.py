from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noiseless.amounts import Cost
from noiseless.ledger.accounts import AnalystAccount

costs = st.builds(Cost, st.integers(1, 50), st.sampled_from([Fraction(0), Fraction(1, 3)]))


@given(st.lists(costs))
def test_a_tally_is_the_sum_of_its_prices(prices: list[Cost]) -> None:
    tally, total = AnalystAccount(), Cost()
    for price in prices:
        tally, total = tally.plus(price), total + price
    assert tally.cost == total
    assert AnalystAccount.read(*tally.texts) == tally
    assert tally.upper == pytest.approx(total.upper)
    assert Fraction(tally.upper) >= Fraction(total.upper) - Fraction(1, 10**9)


def test_a_million_questions_take_no_room() -> None:
    tally = AnalystAccount(((2, 10**6), (3, 10**6)))
    assert len(" ".join(tally.plus(Cost(2)).texts)) < 40
    assert tally.upper == pytest.approx(2_584_962.5, abs=1)
    assert not AnalystAccount(((2, 10**6),)).cost.within(Fraction(81, 2))
