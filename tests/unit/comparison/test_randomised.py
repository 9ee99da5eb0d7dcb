import math
from fractions import Fraction

import numpy as np
import pytest

from noiseless.comparison import (
    AdditiveNoise,
    Exponential,
    GaussianNoise,
    GeometricNoise,
    LaplaceNoise,
    RandomisedMechanism,
    RandomisedResponse,
    gaussian,
    geometric,
    laplace,
)
from noiseless.errors import RequestError
from noiseless.questions import Lattice
from noiseless.theory.capacity import capacity

LATTICE = Lattice(Fraction(0), Fraction(1, 2), 20)
ALL = [
    AdditiveNoise(LATTICE, LaplaceNoise(2.0)),
    AdditiveNoise(LATTICE, GeometricNoise(2.0)),
    AdditiveNoise(LATTICE, GaussianNoise(2.5)),
    Exponential(LATTICE, 0.3),
    RandomisedResponse(LATTICE, 0.4),
]
each = pytest.mark.parametrize("mechanism", ALL, ids=lambda mechanism: mechanism.name.split()[0])


@each
def test_rows_are_probabilities(mechanism: RandomisedMechanism) -> None:
    matrix = mechanism.probabilities(range(21))
    assert matrix.min() >= 0
    assert np.abs(matrix.sum(axis=1) - 1).max() < 1e-14
    assert matrix[3].argmax() == 3


@each
def test_samples_follow_the_probabilities(mechanism: RandomisedMechanism) -> None:
    truths = np.full(100_000, 4)
    drawn = mechanism.sample(truths, seed=7)
    found = np.bincount(drawn, minlength=21) / len(drawn)
    assert np.abs(found - mechanism.probabilities([4])[0]).max() < 0.008
    assert (mechanism.sample(truths, seed=7) == drawn).all()
    assert (mechanism.sample(truths, seed=8) != drawn).any()


@each
def test_mean_error_is_that_of_the_channel(mechanism: RandomisedMechanism) -> None:
    positions = np.arange(21)
    distances = np.abs(positions[:, None] - positions) / 2
    expected = (mechanism.probabilities(range(21)) * distances).sum() / 21
    assert mechanism.mean_error == pytest.approx(expected, rel=1e-12)
    assert mechanism.worst_error == 10


@each
def test_channels_of_one_person(mechanism: RandomisedMechanism) -> None:
    found = [capacity(mechanism.channel(5, base)).upper for base in range(16)]
    assert max(found) <= mechanism.bits(5)
    assert mechanism.bits(5) <= max(found) + 1e-6
    for sweep, base in ((0, 0), (21, 0), (5, 16), (5, -1)):
        with pytest.raises(RequestError, match=r"position|others"):
            mechanism.channel(sweep, base)


def test_noise_beyond_the_range_is_counted_at_its_ends() -> None:
    noise = GeometricNoise(2.0)
    row = AdditiveNoise(LATTICE, noise).probabilities([0])[0]
    assert row[0] == pytest.approx(1 / (1 + noise.ratio))
    assert noise.ratio == pytest.approx(math.exp(-0.5))
    assert AdditiveNoise(LATTICE, GeometricNoise(1000.0)).probabilities([10])[0, -1] > 0.4


def test_laplace_in_bins() -> None:
    """The bins of a density: differences of its distribution function."""
    mass = LaplaceNoise(1.5).mass(np.array([-2, 0, 2]))
    expected = (math.exp(-1) - math.exp(-2.5 / 1.5)) / 2
    assert mass.tolist() == pytest.approx([expected, 1 - math.exp(-1 / 3), expected])


def test_noise_for_a_level_of_differential_privacy() -> None:
    for make in (laplace, geometric):
        matrix = make(LATTICE, 1.2, 4).channel(4).matrix
        assert np.log(matrix.max(axis=0) / matrix.min(axis=0)).max() <= 1.2 + 1e-12
    matrix = Exponential.for_epsilon(LATTICE, 1.2, 4).channel(4, 8).matrix
    assert np.log(matrix.max(axis=0) / matrix.min(axis=0)).max() <= 1.2 + 1e-12
    response = RandomisedResponse.for_epsilon(LATTICE, 1.2)
    assert math.log(response.keep / response.lie) == pytest.approx(1.2)


def test_gaussian_noise_for_epsilon_and_delta() -> None:
    """As small as the definition lets it be, below the textbook's sqrt(2 ln(1.25 / delta)) / epsilon."""
    noise = gaussian(LATTICE, 0.8, 1e-3, 3).noise
    assert isinstance(noise, GaussianNoise)
    assert noise.scale < 3 * math.sqrt(2 * math.log(1250)) / 0.8
    numbers = np.arange(-200, 200)

    def delta(sigma: float) -> float:
        tried = GaussianNoise(sigma)
        return float(np.maximum(tried.mass(numbers) - math.exp(0.8) * tried.mass(numbers + 3), 0).sum())

    assert delta(noise.scale) <= 1e-3 < delta(noise.scale * 0.999)
    with pytest.raises(RequestError, match="delta"):
        gaussian(LATTICE, 1, 0, 3)


def test_randomised_response_of_a_bit_has_a_known_capacity() -> None:
    keep = 0.89
    coin = RandomisedResponse(Lattice(Fraction(0), Fraction(1), 1), keep)
    entropy = -keep * math.log2(keep) - (1 - keep) * math.log2(1 - keep)
    assert coin.bits(1) == pytest.approx(1 - entropy, abs=1e-8)


def test_parameters_that_make_no_sense() -> None:
    for make in (
        lambda: LaplaceNoise(0),
        lambda: GeometricNoise(math.inf),
        lambda: GaussianNoise(-1),
        lambda: Exponential(LATTICE, 0),
        lambda: RandomisedResponse(LATTICE, 1.5),
        lambda: RandomisedResponse(Lattice(Fraction(0), Fraction(1), 0), 0.5),
        lambda: laplace(LATTICE, 0, 1),
    ):
        with pytest.raises(RequestError):
            make()


def test_too_many_bases_are_refused() -> None:
    with pytest.raises(RequestError, match="coarser lattice"):
        Exponential(Lattice(Fraction(0), Fraction(1), 5000), 0.1).bits(3)
