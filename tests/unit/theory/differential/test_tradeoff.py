"""The curves of MI-DP and KL-DP at their ends."""

import math
from fractions import Fraction

import pytest

from noiseless.errors import RequestError
from noiseless.exact import Nats
from noiseless.theory.differential import delta_floor, kl_to_delta, kl_to_dp, mi_to_delta, mi_to_dp

EPSILONS = [1e-9, 0.01, 0.1, 0.5, 0.69]


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_curve_of_information_starts_at_lemma_2(epsilon: float) -> None:
    assert mi_to_dp(epsilon, 0) == mi_to_delta(epsilon)
    assert mi_to_dp(epsilon, 1e-9) == pytest.approx(mi_to_delta(epsilon), rel=1e-4)


@pytest.mark.parametrize("epsilon", [*EPSILONS, 3])
def test_the_curve_of_divergence_starts_at_its_variation(epsilon: float) -> None:
    assert kl_to_dp(epsilon, 0) == kl_to_delta(epsilon)
    assert kl_to_dp(epsilon, 1e-9) == pytest.approx(kl_to_delta(epsilon), rel=1e-4)


@pytest.mark.parametrize("epsilon", [0.05, 0.4])
def test_divergence_says_more_than_information(epsilon: float) -> None:
    for target in (0, 0.2, 1, 5):
        assert kl_to_dp(epsilon, target) < mi_to_dp(epsilon, target)


def test_both_curves_fall() -> None:
    for curve in (mi_to_dp, kl_to_dp):
        values = [curve(0.2, target) for target in (0, 0.01, 0.1, 0.5, 1, 2, 5, 20)]
        assert values == sorted(values, reverse=True)


def test_a_small_epsilon_is_a_small_failure() -> None:
    """The floor is about e epsilon; at e^epsilon' = 2 the curve is linear in epsilon as well."""
    assert delta_floor(1e-12) == pytest.approx(math.e * 1e-12, rel=1e-6)
    assert mi_to_dp(1e-12, Nats(2)) == pytest.approx(10 * mi_to_dp(1e-13, Nats(2)), rel=1e-3)


def test_from_one_bit_on_nothing_is_said() -> None:
    assert mi_to_dp(Nats(2), 5) == mi_to_dp(1, 5) == mi_to_dp(math.inf, 5) == delta_floor(1) == 1
    assert delta_floor(math.inf) == 1


def test_infinite_targets() -> None:
    assert mi_to_dp(0.1, math.inf) == delta_floor(0.1)
    assert kl_to_dp(0.1, math.inf) == 0
    assert kl_to_dp(math.inf, math.inf) == 1


def test_nothing_told() -> None:
    assert mi_to_dp(0, 1) == kl_to_dp(0, 1) == delta_floor(0) == 0


def test_extremes_stay_valid() -> None:
    for epsilon in (Fraction(1, 10**300), 1e-60, 0.6931):
        for target in (Fraction(1, 10**100), 1e-8, 50, 10**6):
            assert delta_floor(epsilon) <= mi_to_dp(epsilon, target) * (1 + 1e-9)
            assert mi_to_dp(epsilon, target) <= mi_to_delta(epsilon)
            assert 0 < kl_to_dp(epsilon, target) <= kl_to_delta(epsilon)


def test_a_negative_target_is_refused() -> None:
    with pytest.raises(RequestError, match="target epsilon"):
        mi_to_dp(0.1, -1)
