"""Closeness of two finite distributions."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest

from noiseless.errors import ChannelError, RequestError
from noiseless.exact import Nats
from noiseless.theory.differential.database import (
    distribution,
    divergence,
    divergence_bounds,
    hockey_stick,
    is_close,
    largest_divergence,
    smallest_delta,
    smallest_epsilon,
    total_variation,
)

COIN, BIASED = [Fraction(1, 2)] * 2, [Fraction(3, 4), Fraction(1, 4)]


def test_numbers_of_all_kinds_are_read_exactly() -> None:
    assert distribution([Decimal("0.1"), Fraction(2, 5), 0.5]) == (
        Fraction(1, 10),
        Fraction(2, 5),
        Fraction(1, 2),
    )
    assert distribution([1, 0]) == (Fraction(1), Fraction(0))


def test_floats_are_divided_by_their_exact_sum() -> None:
    assert sum(distribution([0.1] * 10)) == 1


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([0.5, 0.4], "do not sum to 1"),
        ([1.5, -0.5], "negative"),
        ([math.nan, 1], "no finite number"),
        ([math.inf, 1], "no finite number"),
        ([Decimal("NaN"), 1], "no finite number"),
        (["x", 1], "no finite number"),
        ([], "do not sum to 1"),
    ],
)
def test_what_is_no_distribution_is_refused(wrong: list[float], message: str) -> None:
    with pytest.raises(ChannelError, match=message):
        distribution(wrong)


def test_different_lengths_are_refused() -> None:
    with pytest.raises(ChannelError, match="over 2 and 3 outcomes"):
        total_variation([0.5, 0.5], [0.5, 0.5, 0])


def test_one_way_and_both_ways_differ() -> None:
    p, q = [Fraction(1, 2), Fraction(1, 2), Fraction(0)], [Fraction(1, 4), Fraction(1, 2), Fraction(1, 4)]
    assert hockey_stick(p, q, Nats(2)) == 0
    assert hockey_stick(q, p, Nats(2)) == smallest_delta(p, q, Nats(2)) == Fraction(1, 4)


def test_a_factor_that_is_irrational_is_rounded_up() -> None:
    found = hockey_stick(BIASED, COIN, Fraction(1, 4))
    assert isinstance(found, float)
    assert Fraction(found) > Fraction(3, 4) - Fraction(math.nextafter(math.exp(0.25), 2)) / 2
    assert found == pytest.approx(0.75 - math.exp(0.25) / 2, abs=1e-15)


def test_an_infinite_epsilon_leaves_what_is_impossible_for_the_other() -> None:
    assert smallest_delta([Fraction(1, 10), Fraction(9, 10)], [0, 1], math.inf) == Fraction(1, 10)
    assert is_close([Fraction(1, 10), Fraction(9, 10)], [0, 1], math.inf, Fraction(1, 10))
    assert not is_close([Fraction(1, 10), Fraction(9, 10)], [0, 1], math.inf, Fraction(1, 11))


def test_closeness_is_decided_at_the_last_digit() -> None:
    with localcontext() as context:
        context.prec = 100
        below, above = (Decimal(3).ln() + side * Decimal(10) ** -98 for side in (-1, 1))
    p, q = [Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]
    assert not is_close(p, q, below)
    assert is_close(p, q, above)
    assert is_close(p, q, Nats(3))
    assert not is_close(p, q, Nats(Fraction(29999, 10000)))


@pytest.mark.parametrize("epsilon", [1e300, 10**400, Fraction(1, 10**400)])
def test_extreme_epsilons(epsilon: Fraction) -> None:
    assert smallest_delta(BIASED, COIN, epsilon) == pytest.approx(0 if epsilon > 1 else 0.25)
    assert is_close(BIASED, COIN, epsilon, Fraction(1, 4))


def test_the_smallest_epsilon_is_exact() -> None:
    assert smallest_epsilon(BIASED, COIN) == Nats(2)
    assert smallest_epsilon(COIN, COIN) == Nats(1)
    assert smallest_epsilon(BIASED, COIN, 1) == Nats(1)
    assert not smallest_epsilon([1, 0], COIN, Fraction(1, 3)).is_finite
    assert smallest_epsilon([1, 0], COIN, Fraction(1, 2)) == Nats(1)


def test_divergence() -> None:
    low, high = divergence_bounds(BIASED, COIN)
    plain = 0.75 * math.log(1.5) + 0.25 * math.log(0.5)
    assert low <= high <= math.nextafter(low, 1)
    assert plain == pytest.approx(high)
    assert divergence([1, 0], COIN) == pytest.approx(math.log(2))
    assert divergence(COIN, [1, 0]) == largest_divergence([1, 0], COIN) == math.inf


@pytest.mark.parametrize(
    ("epsilon", "delta"), [(-1, 0), (math.nan, 0), (0, 1.5), (0, -0.1), (0, math.nan), ("1", 0)]
)
def test_wrong_parameters_are_refused(epsilon: float, delta: float) -> None:
    with pytest.raises(RequestError):
        is_close(COIN, BIASED, epsilon, delta)
