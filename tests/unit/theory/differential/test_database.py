"""Mechanisms on small databases and how private they are."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from noiseless.errors import ChannelError, RequestError
from noiseless.exact import Nats
from noiseless.theory.differential.database import Database
from noiseless.theory.differential.guarantees import dp_curve, dp_delta, dp_epsilon, kl_dp, mi_dp, reach

COIN = [[0.75, 0.25], [0.25, 0.75]]


def test_shape() -> None:
    mechanism = Database.of(np.full((2, 3, 4), 0.25))
    assert (mechanism.entries, mechanism.sizes, mechanism.outputs) == (2, (2, 3), 4)
    assert repr(Database.of(COIN)) == "Database(1 entry of 2 values, 2 outputs)"
    assert Database.of(mechanism).exact is mechanism.exact


def test_fractions_and_decimals_stay_exact() -> None:
    mechanism = Database.of([[Fraction(1, 3), Fraction(2, 3)], [Decimal("0.4"), Decimal("0.6")]])
    assert mechanism.row(0) == (Fraction(1, 3), Fraction(2, 3))
    assert dp_delta(mechanism) == Fraction(1, 15)
    assert dp_epsilon(mechanism) == Nats(Fraction(6, 5))


def test_floats_are_the_rationals_that_they_are() -> None:
    mechanism = Database.of([[0.1, 0.9], [0.2, 0.8]])
    assert sum(mechanism.row(0)) == 1
    assert dp_delta(mechanism) == mechanism.row(1)[0] - mechanism.row(0)[0]


def test_a_function_of_the_entries() -> None:
    mechanism = Database.from_function(lambda a, b: {a + b: 0.5, "none": 0.5}, (0, 1), (0, 1, 2))
    assert (mechanism.sizes, mechanism.outputs) == ((2, 3), 5)
    assert Database.from_function(max, range(3), range(3)).is_deterministic


def test_lines_and_groups() -> None:
    mechanism = Database.from_function(lambda a, b, c: (a, b, c), range(2), range(3), range(4))
    assert mechanism.lines(1).shape == (8, 3, 24)
    assert mechanism.grouped(2, 0).sizes == (8, 3)
    assert mechanism.grouped(2, 0).row(7, 2) == mechanism.row(1, 2, 3)
    assert mechanism.flattened().sizes == (24,)
    assert [reach(mechanism, entry=i) for i in range(3)] == [2, 3, 4]
    assert reach(mechanism.grouped(0, 2)) == 8


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([0.5, 0.5], "an axis for each entry"),
        ([[]], "an axis for each entry"),
        ([[0.5, 0.5], [1]], "all rows equally long"),
        ([["a", "b"]], "an array of numbers"),
        ([[1j, 1]], "an array of numbers"),
        ([[0.5, 0.4], [0.5, 0.5]], "do not sum to 1 for 1 of 2"),
        ([[1.5, -0.5]], "negative"),
        ([[math.nan, 1]], "no finite number"),
        ([[1, 1e-301]], "below 1e-300"),
        ([[Fraction(1) - Fraction(1, 10**400), Fraction(1, 10**400)]], "below 1e-300"),
        ([[Fraction(1, 3), Fraction(1, 3)]], "do not sum to 1"),
    ],
)
def test_what_is_no_mechanism_is_refused(wrong: list[list[float]], message: str) -> None:
    with pytest.raises(ChannelError, match=message):
        Database.of(wrong)


def test_wrong_requests() -> None:
    mechanism = Database.of(COIN)
    with pytest.raises(RequestError, match="no entry 1"):
        dp_epsilon(mechanism, entry=1)
    with pytest.raises(RequestError, match="a group"):
        mechanism.grouped()
    with pytest.raises(RequestError, match="a group"):
        mechanism.grouped(0, 0)
    with pytest.raises(RequestError, match="deterministic"):
        reach(mechanism)
    with pytest.raises(RequestError, match="at least one"):
        Database.from_function(lambda: 0)


def test_randomised_response() -> None:
    mechanism = Database.of(COIN)
    assert dp_epsilon(mechanism) == Nats(3)
    assert dp_curve(mechanism, [0, Nats(2), Nats(3), 5]) == (Fraction(1, 2), Fraction(1, 4), 0, 0)
    assert kl_dp(mechanism) == pytest.approx(0.5 * math.log(3))
    found = mi_dp(mechanism)
    exact = math.log(2) + 0.75 * math.log(0.75) + 0.25 * math.log(0.25)
    assert found.lower_nats <= exact <= found.upper_nats <= found.lower_nats + 1e-8
    assert found.exact is None


def test_a_constant_mechanism_tells_nothing() -> None:
    mechanism = Database.of(np.full((2, 2, 3), Fraction(1, 3), object))
    assert dp_epsilon(mechanism) == Nats(1)
    assert dp_delta(mechanism) == kl_dp(mechanism) == mi_dp(mechanism).upper_nats == 0


def test_an_entry_of_one_value_tells_nothing() -> None:
    mechanism = Database.of([[[0.5, 0.5], [1, 0]]])
    assert dp_epsilon(mechanism, entry=0) == Nats(1)
    assert mi_dp(mechanism, entry=0).upper_nats == 0
    assert not dp_epsilon(mechanism, entry=1).is_finite


def test_neighbours_differ_in_one_entry() -> None:
    """Two entries whose XOR is told: databases at distance two look alike, neighbours do not."""
    mechanism = Database.from_function(lambda a, b: a ^ b, (0, 1), (0, 1))
    assert mi_dp(mechanism).exact == Nats(2)
    assert dp_delta(mechanism) == 1
    assert mechanism.row(0, 0) == mechanism.row(1, 1)


def test_a_rare_failure() -> None:
    """Epsilon with a delta that is just enough, and one that is not."""
    mechanism = Database.of([[Fraction(1, 100), Fraction(99, 100)], [0, 1]])
    assert dp_epsilon(mechanism, Fraction(1, 100)) == Nats(1)
    assert not dp_epsilon(mechanism, Fraction(1, 101)).is_finite
    assert dp_delta(mechanism, 10**400) == dp_delta(mechanism, math.inf) == Fraction(1, 100)


def test_many_databases() -> None:
    rng = np.random.default_rng(1)
    mechanism = Database.of(rng.dirichlet(np.ones(6), (8, 8, 8)))
    assert dp_epsilon(mechanism, 0.1) <= dp_epsilon(mechanism)
    assert dp_delta(mechanism, dp_epsilon(mechanism)) == 0
    assert dp_delta(mechanism, dp_epsilon(mechanism, 0.1)) <= Fraction(0.1)
