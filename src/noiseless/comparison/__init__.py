"""Randomised mechanisms as finite channels, for comparison only: nothing here is released by this package."""

from noiseless.comparison.additive_noise import (
    AdditiveNoise,
    GaussianNoise,
    GeometricNoise,
    LaplaceNoise,
    gaussian,
    geometric,
    laplace,
)
from noiseless.comparison.mechanisms import Exponential, RandomisedMechanism, RandomisedResponse

__all__ = [
    "AdditiveNoise",
    "Exponential",
    "GaussianNoise",
    "GeometricNoise",
    "LaplaceNoise",
    "RandomisedMechanism",
    "RandomisedResponse",
    "gaussian",
    "geometric",
    "laplace",
]
