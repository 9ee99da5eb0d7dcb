"""Sibson, Arimoto, Csiszar and alpha-leakage: known values, limits, and the edges of floats."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from noiseless.errors import RequestError
from noiseless.exact import Bits
from noiseless.theory.channel import Channel
from noiseless.theory.stochastic import (
    CertifiedNumber,
    JointDistribution,
    alpha_leakage,
    arimoto_information,
    csiszar_information,
    maximal_alpha_leakage,
    maximal_leakage,
    mutual_information,
    renyi_leakage,
    sibson_capacity,
    sibson_information,
    sibson_output,
)
from noiseless.theory.stochastic.alpha_information import _certified

Measure = Callable[[JointDistribution, float], CertifiedNumber]

LOPSIDED = JointDistribution.from_matrix([[0.5, 1e-300], [0, 0.3], [0.1, 0.1]])
CLOSED = (sibson_information, arimoto_information, renyi_leakage)
ORDERS = (1e-300, 1e-9, 0.5, 1 - 1e-9, 1 + 1e-9, 1 + 2**-52, 2, 1e9, 1e300)


def test_binary_symmetric_channel() -> None:
    """Order 2, uniform bits, error 1/4: 2 log2(2 sqrt((9/16 + 1/16)/2)) = log2(5/4) for all three."""
    joint = JointDistribution.from_channel([[0.75, 0.25], [0.25, 0.75]])
    for measure in (sibson_information, arimoto_information, csiszar_information, alpha_leakage):
        assert abs(measure(joint, 2).upper - math.log2(1.25)) < 1e-14
    assert abs(maximal_alpha_leakage(joint, 2).upper - math.log2(1.25)) < 1e-13


def test_limits_are_exact() -> None:
    joint = JointDistribution.from_counts([0, 0, 1, 2], [0, 1, 1, 1], [1, 1, 2, 4])
    assert sibson_information(joint, 0).exact == Bits(1)
    assert arimoto_information(joint, 0).exact == Bits(1)
    assert sibson_information(joint, 1) == arimoto_information(joint, 1) == mutual_information(joint)
    assert sibson_information(joint, math.inf).exact == Bits(Fraction(3, 2))
    assert arimoto_information(joint, math.inf).exact == Bits(Fraction(5, 4))
    assert alpha_leakage(joint, math.inf).exact == Bits(Fraction(5, 4))
    assert maximal_alpha_leakage(joint, math.inf) == maximal_leakage(joint)
    assert maximal_alpha_leakage(joint, 1) == mutual_information(joint)


@pytest.mark.parametrize("measure", CLOSED)
@pytest.mark.parametrize("order", ORDERS)
def test_extreme_orders_and_masses_are_enclosed_tightly(measure: Measure, order: float) -> None:
    found = measure(LOPSIDED, order)
    assert 0 < found.lower <= found.upper < 2
    assert found.upper - found.lower <= 4 * math.ulp(found.upper)


@pytest.mark.parametrize("measure", [*CLOSED, csiszar_information])
def test_continuity_at_one(measure: Measure) -> None:
    middle = measure(LOPSIDED, 1).upper
    assert abs(measure(LOPSIDED, 1 + 1e-9).upper - middle) < 1e-8
    assert abs(measure(LOPSIDED, 1 - 1e-9).upper - middle) < 1e-8


@pytest.mark.parametrize("measure", [*CLOSED, csiszar_information])
@pytest.mark.parametrize("order", [0, 0.3, 1, 7, math.inf])
def test_independence_is_exactly_nothing(measure: Measure, order: float) -> None:
    joint = JointDistribution.from_matrix([[0.125, 0.375], [0.125, 0.375]])
    assert measure(joint, order).exact == Bits(1)


@pytest.mark.parametrize("order", [0, 0.01, 0.5, 3, 1e3, 1e9, math.inf])
def test_csiszar_is_enclosed(order: float) -> None:
    joint = JointDistribution.from_channel([[0.7, 0.2, 0.1], [0, 0.5, 0.5], [0.1, 0, 0.9]], [0.2, 0.3, 0.5])
    found = csiszar_information(joint, order)
    assert found.lower <= found.upper <= found.lower + (1e-10 if order < 1e6 else 1e-4)


@pytest.mark.parametrize("order", [Fraction(0), Fraction(1, 2), Fraction(5)])
def test_a_poor_output_encloses_csiszar_too(order: Fraction) -> None:
    joint = JointDistribution.from_channel([[0.7, 0.2, 0.1], [0, 0.5, 0.5], [0.1, 0, 0.9]], [0.2, 0.3, 0.5])
    truth, wide = csiszar_information(joint, order), _certified(joint, [5, 1, 1], order)
    assert wide.lower <= truth.lower <= truth.upper < wide.upper
    assert truth.upper - truth.lower < 1e-12


@pytest.mark.parametrize("order", [0.01, 0.3, 1, 1 + 1e-9, 1.2, 4, 100, 1e5, math.inf])
def test_capacities_are_enclosed(order: float) -> None:
    channel = Channel.of([[0.7, 0.2, 0.1], [0, 0.5, 0.5], [0.1, 0, 0.9], [0.3, 0.4, 0.3]])
    found = sibson_capacity(channel, order)
    assert found.value.lower <= found.value.upper <= found.value.lower + 1e-11
    assert math.isclose(sum(found.prior), 1)
    assert math.isclose(sum(found.output), 1)


def test_capacity_of_order_one_is_shannons() -> None:
    """The Z channel with error 1/2 has capacity log2(5/4)."""
    assert abs(sibson_capacity(Channel.of([[1.0, 0.0], [0.5, 0.5]]), 1).value.upper - math.log2(1.25)) < 1e-13


def test_capacity_of_a_useless_channel() -> None:
    assert sibson_capacity(Channel.of([[0.5, 0.5], [0.5, 0.5]]), 3).value.exact == Bits(1)


def test_best_outputs() -> None:
    joint = JointDistribution.from_counts([0, 0, 1, 2], [0, 1, 1, 1], [1, 1, 2, 4])
    assert sibson_output(joint, 1).tolist() == [1 / 8, 7 / 8]
    assert sibson_output(joint, math.inf).tolist() == [1 / 3, 2 / 3]
    assert sibson_output(joint, 0).tolist() == [0, 1]
    assert np.allclose(sibson_output(joint, 1e-6), [0, 1])
    assert np.allclose(sibson_output(joint, 1 + 1e-9), [1 / 8, 7 / 8])
    assert np.allclose(sibson_output(joint, 1e6), [1 / 3, 2 / 3], atol=1e-5)


@pytest.mark.parametrize("order", [-0.5, math.nan])
def test_orders_that_do_not_exist(order: float) -> None:
    for measure in (sibson_information, arimoto_information, csiszar_information, renyi_leakage):
        with pytest.raises(RequestError, match="order"):
            measure(LOPSIDED, order)


def test_orders_outside_a_definition() -> None:
    for measure in (alpha_leakage, maximal_alpha_leakage):
        with pytest.raises(RequestError, match="from 1 to infinity"):
            measure(LOPSIDED, 0.5)
    with pytest.raises(RequestError, match="above 0"):
        sibson_capacity(LOPSIDED, 0)
