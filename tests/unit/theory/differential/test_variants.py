"""Personalised, free-lunch, Bayesian and adversarial privacy."""

import math
from fractions import Fraction

import numpy as np
import pytest

from noiseless.errors import ChannelError, RequestError
from noiseless.exact import Nats
from noiseless.theory.differential import adversarial, bayesian, free_lunch, personalised
from noiseless.theory.differential.database import Database

QUARTER = Fraction(1, 4)
NOISY_SUM = Database.from_function(
    lambda a, b: {"low": Fraction(3 - a - b, 4), "high": Fraction(1 + a + b, 4)}, (0, 1), (0, 1)
)


def test_each_entry_by_itself() -> None:
    weighted = Database.from_function(
        lambda a, b: {"low": Fraction(8 - 4 * a - b, 10), "high": Fraction(2 + 4 * a + b, 10)}, (0, 1), (0, 1)
    )
    first, second = personalised(weighted)
    assert (first.epsilon, second.epsilon) == (Nats(3), Nats(Fraction(3, 2)))
    assert first.information.lower_nats > second.information.upper_nats > 0


def test_free_lunch_compares_any_two_databases() -> None:
    assert personalised(NOISY_SUM)[0].epsilon == Nats(2)
    assert free_lunch(NOISY_SUM).epsilon == Nats(3)


def test_bayesian_with_independent_entries() -> None:
    uniform = np.full((2, 2), QUARTER, object)
    found = bayesian(NOISY_SUM, uniform)
    assert found.epsilon == Nats(2)
    assert found.information.upper_nats <= personalised(NOISY_SUM)[0].information.upper_nats


def test_bayesian_with_equal_entries() -> None:
    """Somebody who knows nothing learns more than somebody who knows the other entry, which is the same."""
    equal = np.array([[Fraction(1, 2), 0], [0, Fraction(1, 2)]], object)
    assert bayesian(NOISY_SUM, equal).epsilon == Nats(3)


def test_adversarial() -> None:
    uniform = np.full((2, 2), QUARTER, object)
    found = adversarial(NOISY_SUM, uniform)
    assert found.epsilon == Nats(Fraction(3, 2))
    assert 0 < found.information.upper_nats < found.epsilon.lower
    certain = np.array([[1, 0], [0, 0]], object)
    assert adversarial(NOISY_SUM, certain).epsilon == Nats(1)
    assert adversarial(NOISY_SUM, certain).information.upper_nats == 0


def test_a_prior_that_excludes_values_does_not_compare_them() -> None:
    identity = Database.from_function(lambda a: a, range(3))
    assert not bayesian(identity, [Fraction(1, 2), Fraction(1, 2), 0]).epsilon.is_finite
    assert bayesian(identity, [1, 0, 0]).epsilon == Nats(1)
    assert bayesian(identity, [Fraction(1, 2), Fraction(1, 2), 0]).information.upper_nats == pytest.approx(
        math.log(2)
    )


def test_what_is_no_prior_is_refused() -> None:
    with pytest.raises(RequestError, match="the shape"):
        bayesian(NOISY_SUM, [0.5, 0.5])
    with pytest.raises(ChannelError, match="sum to 1"):
        adversarial(NOISY_SUM, [[0.5, 0.5], [0.5, 0.5]])
