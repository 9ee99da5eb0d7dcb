"""Conversions: golden values, ends of the range, kinds of numbers, and rounding to the safe side."""

import math
from decimal import Decimal
from fractions import Fraction

import pytest

from noiseless.errors import RequestError
from noiseless.exact import Nats
from noiseless.theory.differential import (
    delta_to_mi,
    dp_to_delta,
    dp_to_dp,
    dp_to_kl,
    dp_to_mi,
    kl_to_delta,
    kl_to_mi,
    mi_to_delta,
)
from noiseless.theory.differential.conversion_bounds import is_best
from noiseless.theory.differential.parameters import read_delta, read_epsilon


def test_golden_values() -> None:
    assert round(dp_to_mi(1), 5) == 0.12330
    assert round(dp_to_kl(1), 5) == 0.46212
    assert round(mi_to_delta(0.1), 5) == 0.43959
    assert delta_to_mi(Fraction(1, 10), inputs=8) == pytest.approx(0.1 * math.log(8), rel=1e-15)


@pytest.mark.parametrize("one", [1, 1.0, Fraction(1), Decimal(1)])
def test_numbers_of_all_kinds(one: Fraction) -> None:
    assert dp_to_mi(one) == dp_to_mi(1)
    assert dp_to_kl(one, one - one) == dp_to_kl(1)


def test_a_logarithm_is_exact() -> None:
    assert dp_to_kl(Nats(3)) == pytest.approx(math.log(3) / 2, rel=1e-15)
    assert dp_to_delta(Nats(3)) == 0.5
    assert dp_to_dp(Nats(3), target=Nats(3)) == 0
    assert mi_to_delta(Nats(2)) == 1


def test_tiny_epsilons_keep_their_digits() -> None:
    for epsilon in (1e-5, 1e-30, 1e-140):
        assert dp_to_mi(epsilon) == pytest.approx(epsilon**2 / 8, rel=1e-5)
        assert dp_to_kl(epsilon) == pytest.approx(epsilon**2 / 2, rel=1e-5)
        assert mi_to_delta(epsilon) == pytest.approx(math.sqrt(2 * epsilon), rel=1e-5)
        assert kl_to_delta(epsilon) == pytest.approx(math.sqrt(epsilon / 2), rel=1e-5)
        assert dp_to_delta(epsilon) == pytest.approx(epsilon / 2, rel=1e-5)
    assert 0 < dp_to_mi(Fraction(1, 10**5000)) <= dp_to_mi(1e-300)


def test_huge_epsilons() -> None:
    for epsilon in (50, 1e3, 1e10, 1e299):
        assert dp_to_mi(epsilon) == pytest.approx(epsilon - 1 - math.log(epsilon))
        assert dp_to_mi(epsilon, inputs=3) == pytest.approx(math.log(3))
        assert dp_to_delta(epsilon) == pytest.approx(1)
        assert dp_to_kl(epsilon) == pytest.approx(epsilon)
    assert dp_to_mi(10**400) == math.inf


def test_no_guarantee_gives_none() -> None:
    assert dp_to_kl(math.inf) == dp_to_mi(math.inf) == kl_to_mi(math.inf) == math.inf
    assert dp_to_delta(math.inf) == kl_to_delta(math.inf) == mi_to_delta(math.inf) == 1
    assert dp_to_mi(math.inf, inputs=4) == kl_to_mi(math.inf, outputs=4) == Nats(4).upper
    assert dp_to_dp(math.inf, target=1) == 1
    assert dp_to_dp(1, 0.5, target=math.inf) == 0.5


def test_nothing_told_stays_nothing() -> None:
    assert (
        dp_to_kl(0) == dp_to_mi(0) == kl_to_mi(0) == kl_to_delta(0) == mi_to_delta(0) == dp_to_delta(0) == 0
    )
    assert delta_to_mi(0) == delta_to_mi(0, inputs=5) == 0


def test_a_delta_needs_an_alphabet() -> None:
    assert dp_to_mi(1, 0.1) == delta_to_mi(0.1) == math.inf
    assert dp_to_kl(0, 1e-300) == math.inf
    assert dp_to_mi(1, 1, inputs=5) == Nats(5).upper


def test_a_small_delta_costs_little() -> None:
    """The bounds fall to C* as delta falls, however many inputs there are."""
    values = [dp_to_mi(1, delta, inputs=1000) for delta in (0.5, 0.1, 1e-3, 1e-6, 1e-9, 0)]
    assert values == sorted(values, reverse=True)
    assert values[-2] == pytest.approx(dp_to_mi(1), abs=1e-6)


@pytest.mark.parametrize(
    ("epsilon", "delta"), [(0.1, 0.001), (0.1, 0.3), (1, 1e-6), (1, 0.2), (5, 1e-3), (12, 0), (0, 0.5)]
)
def test_more_symbols_never_help_to_hide(epsilon: float, delta: float) -> None:
    values = [dp_to_mi(epsilon, delta, inputs=size) for size in (2, 3, 4, 10, 100, 10**6)]
    assert values == sorted(values)
    assert dp_to_mi(epsilon, delta, inputs=7, outputs=3) == dp_to_mi(epsilon, delta, inputs=3)
    assert dp_to_mi(epsilon, delta, outputs=2) <= dp_to_mi(epsilon, delta, inputs=2)


def test_two_symbols() -> None:
    crossover = 1 / (1 + math.e)
    response = math.log(2) + crossover * math.log(crossover) + (1 - crossover) * math.log(1 - crossover)
    assert dp_to_mi(1, inputs=2) == dp_to_mi(1, outputs=2) == pytest.approx(response)
    assert dp_to_mi(1, Fraction(1, 10), inputs=2) == pytest.approx(0.1 * math.log(2) + 0.9 * response)
    assert dp_to_mi(0, 0.5, outputs=2) == pytest.approx(math.log(1.25))
    assert dp_to_mi(0, Fraction(2**600 - 1, 2**600), outputs=2) == pytest.approx(math.log(2))


@pytest.mark.parametrize(
    ("sizes", "epsilon", "delta", "best"),
    [
        ({}, 1, 0, True),
        ({}, 1, 0.1, True),
        ({"inputs": 3}, 1, 0, False),
        ({"inputs": 2}, 1, 0.1, True),
        ({"inputs": 2, "outputs": 3}, 1, 0.1, False),
        ({"inputs": 2, "outputs": 3}, 1, 0, True),
        ({"inputs": 5, "outputs": 2}, 1, 0.1, True),
        ({"inputs": 5}, 0, 0.1, True),
        ({"inputs": 5, "outputs": 6}, 0, 0.1, True),
        ({"inputs": 5, "outputs": 5}, 0, 0.1, False),
        ({"outputs": 5}, 0, 0.1, False),
        ({"outputs": 5}, 3, 1, True),
        ({"outputs": 5}, 0, 0, True),
    ],
)
def test_what_is_known_to_be_best(sizes: dict[str, int], epsilon: float, delta: float, best: bool) -> None:
    assert is_best(epsilon, delta, **sizes) is best


def test_results_are_rounded_up() -> None:
    assert Fraction(dp_to_dp(1, Decimal("0.1"), target=2)) >= Fraction(1, 10)
    third = dp_to_dp(5, Fraction(1, 3), target=5)
    assert Fraction(third) >= Fraction(1, 3) > Fraction(math.nextafter(third, 0))
    assert Fraction(delta_to_mi(1, inputs=2)) > Fraction("0.69314718055994530941723212145817656")


def test_property_3_between_its_ends() -> None:
    e = math.e
    assert dp_to_dp(1, Fraction(1, 4), target=Fraction(1, 2)) == pytest.approx(
        1 - (math.exp(0.5) + 1) * 0.75 / (e + 1)
    )
    assert dp_to_dp(1, Fraction(1, 4), target=0) == dp_to_delta(1, Fraction(1, 4))


@pytest.mark.parametrize(
    "wrong", [-1, -1e-300, math.nan, -math.inf, Decimal("NaN"), Decimal("sNaN"), "1", None]
)
def test_what_is_no_epsilon_is_refused(wrong: float) -> None:
    for conversion in (dp_to_kl, dp_to_mi, kl_to_mi, kl_to_delta, mi_to_delta, dp_to_delta):
        with pytest.raises(RequestError, match="epsilon"):
            conversion(wrong)


@pytest.mark.parametrize("wrong", [-0.1, 1.1, math.nan, math.inf])
def test_what_is_no_delta_is_refused(wrong: float) -> None:
    with pytest.raises(RequestError, match="delta"):
        dp_to_mi(1, wrong)


@pytest.mark.parametrize("sizes", [{"inputs": 1}, {"outputs": 0}, {"inputs": 5, "outputs": 1}])
def test_too_few_symbols_are_refused(sizes: dict[str, int]) -> None:
    with pytest.raises(RequestError, match="from 2 on"):
        dp_to_mi(1, **sizes)


def test_reading_parameters() -> None:
    assert read_epsilon(Nats(math.inf)) is None
    assert read_epsilon(math.inf) is None
    assert read_epsilon(10**400) == 10**400
    assert read_delta(Decimal("0.1")) == Fraction(1, 10)
    with pytest.raises(RequestError, match="negative"):
        read_epsilon(Nats(Fraction(1, 2)))


def test_comparing_parameters_exactly() -> None:
    near = Fraction(math.log(3))
    assert (near <= Nats(3)) != (Nats(3) <= near)
    assert Nats(1) <= Fraction(0)
    assert Fraction(0) <= Nats(1)
    assert not Nats(2) <= Fraction(0)
    assert not Nats(math.inf) <= Fraction(5)
    assert Fraction(5) <= Nats(math.inf)
    assert hash(Nats(1)) == hash(0)
