from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from noiseless.comparison import (
    AdditiveNoise,
    Exponential,
    GaussianNoise,
    GeometricNoise,
    LaplaceNoise,
    RandomisedMechanism,
    RandomisedResponse,
)
from noiseless.comparison.comparison import compare
from noiseless.comparison.rounded_noise import Rounding
from noiseless.questions import Continuum, Lattice
from noiseless.theory.capacity import capacity

MECHANISMS: list[Callable[[Lattice, float], RandomisedMechanism]] = [
    lambda lattice, scale: AdditiveNoise(lattice, LaplaceNoise(scale)),
    lambda lattice, scale: AdditiveNoise(lattice, GeometricNoise(scale)),
    lambda lattice, scale: AdditiveNoise(lattice, GaussianNoise(scale)),
    lambda lattice, scale: Exponential(lattice, 1 / scale),
    lambda lattice, scale: RandomisedResponse.for_epsilon(lattice, 1 / scale),
]


def _by_the_definition(rounding: Rounding, mechanism: RandomisedMechanism, truths: list[Fraction]) -> float:
    """Every true answer, every answer."""
    told = np.array([float(rounding.told(i)) for i in range(rounding.lattice.last + 1)])
    matrix = mechanism.probabilities(range(len(told)))
    errors = [matrix[rounding.position(truth)] @ np.abs(told - float(truth)) for truth in truths]
    return float(np.mean(errors))


@given(
    st.integers(4, 60), st.integers(1, 7), st.sampled_from(MECHANISMS), st.sampled_from([0.2, 1.0, 7.0, 90.0])
)
def test_the_mean_error_on_a_lattice_is_that_of_its_definition(
    last: int,
    points: int,
    make: Callable[[Lattice, float], RandomisedMechanism],
    scale: float,
) -> None:
    span = Lattice(Fraction(-3), Fraction(1, 2), last)
    if last < points:
        return
    rounding = Rounding.of_points(span, points)
    truths = [span.value(position) for position in range(last + 1)]
    told = [rounding.told(rounding.position(truth)) for truth in truths]
    errors = [abs(one - truth) for one, truth in zip(told, truths, strict=True)]
    assert rounding.mean_error == sum(errors) / len(errors)
    assert max(errors) <= rounding.worst
    assert max(told) <= span.high
    mechanism = make(rounding.lattice, scale)
    expected = _by_the_definition(rounding, mechanism, truths)
    assert rounding.mean_error_of(mechanism) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("make", MECHANISMS)
@pytest.mark.parametrize("steps", [Fraction(8), Fraction(37, 5), Fraction(42, 5)])
def test_the_mean_error_on_an_interval_is_that_of_its_definition(
    make: Callable[[Lattice, float], RandomisedMechanism], steps: Fraction
) -> None:
    span = Continuum.of(0, 1)
    rounding = Rounding.of_interval(span, 1 / steps)
    count = 100 * steps.numerator  # no bin ends between two of them
    truths = [Fraction(2 * i + 1, 2 * count) for i in range(count)]
    mechanism = make(rounding.lattice, 2.0)
    expected = _by_the_definition(rounding, mechanism, truths)
    assert rounding.mean_error_of(mechanism) == pytest.approx(expected, rel=1e-5)


def test_blocks_bound_the_capacity_of_a_long_sweep() -> None:
    """What is stated is never below the capacity of the whole channel, and not far above."""
    found = compare("sum", n=1, bounds=(0, 600), step=1, bits=9)
    assert found.sweep == 600
    span = Lattice.of(0, 600, 1)
    for one, make in zip(found.mechanisms[1:], MECHANISMS[:3], strict=True):
        mechanism = make(span, one.parameter["scale"])
        true = capacity(mechanism.channel(600), tolerance=1e-4)
        assert true.lower <= one.bits <= 9
        assert one.bits - true.upper < 0.1
