import math
from fractions import Fraction

import numpy as np
import pytest

from noiseless.errors import RequestError
from noiseless.exact import Bits, Nats
from noiseless.ranges import JointRange
from noiseless.theory.channel import Channel
from noiseless.theory.stochastic import (
    JointDistribution,
    information_privacy_nats,
    ldp_epsilon_nats,
    local_dp_attainable,
    local_dp_statement,
    local_privacy,
    maximal_leakage,
    realisable_leakage,
    renyi_divergence,
    renyi_leakage,
    renyi_switch,
)

RESPONSE = Channel.of([[0.75, 0.25], [0.25, 0.75]])


def test_maximal_leakage_of_randomised_response() -> None:
    assert maximal_leakage(RESPONSE).exact == Bits(Fraction(3, 2))


def test_maximal_leakage_of_a_deterministic_channel() -> None:
    assert maximal_leakage(Channel.of([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 0]])).exact == Bits(3)


def test_maximal_leakage_ignores_the_prior_but_not_its_support() -> None:
    matrix = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert maximal_leakage(JointDistribution.from_channel(matrix, [0.98, 0.01, 0.01])).exact == Bits(3)
    assert maximal_leakage(JointDistribution.from_channel(matrix, [0.5, 0.5, 0])).exact == Bits(2)


def test_maximal_leakage_with_many_denominators_is_enclosed() -> None:
    sizes = np.arange(10**6, 10**6 + 3000)
    x = np.repeat(np.arange(3000), 2)
    y = np.stack([np.arange(3000), np.full(3000, 3000)]).T.ravel()
    joint = JointDistribution.from_counts(x, y, np.stack([sizes, np.ones_like(sizes)]).T.ravel())
    found = maximal_leakage(joint)
    assert found.exact is None
    truth = math.log2(math.fsum([*(sizes / (sizes + 1)), 1 / (sizes[0] + 1)]))
    assert found.lower - 1e-12 < truth < found.upper + 1e-12
    assert found.upper - found.lower < 1e-14


def test_maximal_leakage_given_side_information() -> None:
    # y = (y', a): with a = 0 nothing more is told, with a = 1 everything is.
    joint = JointDistribution.from_counts([0, 1, 0, 1], [0, 0, 1, 2])
    assert maximal_leakage(joint, [0, 1, 1]).exact == Bits(2)
    assert maximal_leakage(joint, [0, 1, 2]).exact == Bits(1)
    assert maximal_leakage(joint, [0, 0, 0]) == maximal_leakage(joint)


def test_realisable_leakage() -> None:
    joint = JointDistribution.from_channel(RESPONSE, [0.25, 0.75])
    assert realisable_leakage(joint) == Bits(2)  # 0.75 / 0.375
    assert realisable_leakage(joint, [0, 1]) == Bits(1)
    assert realisable_leakage(JointDistribution.from_counts([0, 1, 2], [0, 0, 1], [1, 1, 98])) == Bits(50)


def test_local_privacy_of_randomised_response() -> None:
    joint = JointDistribution.from_channel(RESPONSE)
    assert ldp_epsilon_nats(RESPONSE) == ldp_epsilon_nats(joint) == Nats(3)
    found = local_privacy(joint)
    assert found.attainable
    assert (found.lower_nats, found.epsilon_nats, found.upper_nats) == (
        Nats(Fraction(3, 2)),
        Nats(3),
        Nats(4),
    )
    assert found.statement.startswith("Local differential privacy is attainable")


def test_a_constant_is_perfectly_private() -> None:
    joint = JointDistribution.from_channel([[0.5, 0.5], [0.5, 0.5]])
    assert ldp_epsilon_nats(joint) == information_privacy_nats(joint) == Nats(1)


def test_what_can_be_told_apart_rules_out_local_privacy() -> None:
    joint = JointRange.from_pairs([(0, 0), (1, 0), (2, 1)])
    assert not local_dp_attainable(joint)
    assert "unattainable for any prior: 2 classes of x can be told apart (I* > 0)" in local_dp_statement(
        joint
    )
    for prior in ([0.5, 0.25, 0.25], [0.01, 0.01, 0.98]):
        found = local_privacy(JointDistribution.uniform(joint).with_prior(prior))
        assert found.epsilon_nats == found.upper_nats == Nats(math.inf)
        assert found.maximin == Bits(2)


def test_local_privacy_can_be_unattainable_where_nothing_can_be_told_for_certain() -> None:
    joint = JointRange.from_pairs([(0, 0), (0, 1), (1, 1)])
    assert not local_dp_attainable(joint)
    assert "I* = 0" in local_dp_statement(joint)


def test_renyi_divergence() -> None:
    assert renyi_divergence([1, 0], [Fraction(1, 4), Fraction(3, 4)], 0).exact == Bits(4)
    assert renyi_divergence([0.5, 0.5], [0.5, 0.5], 0.7).exact == Bits(1)
    assert renyi_divergence([0.5, 0.5], [0.25, 0.75], math.inf).exact == Bits(2)
    assert renyi_divergence([0.5, 0.5], [1, 0], 1).upper == math.inf
    assert math.isclose(renyi_divergence([0.5, 0.5], [1, 0], 0.5).upper, 1)
    assert renyi_divergence([1, 0], [0, 1], 0.5).lower == math.inf


def test_impossible_divergences_are_refused() -> None:
    for p, q in (([1], [0.5, 0.5]), ([[1]], [[1]]), ([0, 0], [1, 0]), ([1], [-1])):
        with pytest.raises(RequestError):
            renyi_divergence(p, q, 2)
    for order in (-1, math.nan):
        with pytest.raises(RequestError, match="order"):
            renyi_divergence([1], [1], order)


def test_the_family_is_continuous_at_its_ends() -> None:
    joint = JointDistribution.from_matrix([[0.25, 0.05], [0.125, 0.075], [0, 0.5]])
    for end, near in ((0, 1e-12), (1, 1 + 1e-12), (1, 1 - 1e-12), (math.inf, 1e12), (math.inf, 1e300)):
        assert abs(renyi_leakage(joint, end).upper - renyi_leakage(joint, near).upper) < 1e-10


def test_the_switch_starts_at_leakage_and_rises() -> None:
    joint = JointDistribution.from_matrix([[0.25, 0.05], [0.125, 0.075], [0, 0.5]]).with_prior()
    orders, values = zip(*renyi_switch(joint), strict=True)
    assert orders == (0, Fraction(1, 2), 1, 2, math.inf)
    assert values[0].exact == Bits(Fraction(3, 2))
    uppers = [value.upper for value in values]
    assert uppers == sorted(uppers)


def test_side_information_in_the_family() -> None:
    joint = JointDistribution.from_counts([0, 1, 0, 1], [0, 0, 1, 2])
    for order in (0, 0.5, 1, 2, math.inf):
        assert math.isclose(renyi_leakage(joint, order, [0, 1, 1]).upper, 1)
        assert renyi_leakage(joint, order, [0, 1, 2]).exact == Bits(1)
