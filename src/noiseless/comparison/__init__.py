"""Randomised mechanisms as finite channels, for comparison only: nothing here is released by this package."""

from noiseless.comparison.additive import AdditiveNoise
from noiseless.comparison.base import Randomised
from noiseless.comparison.exponential import Exponential
from noiseless.comparison.gaussian import GaussianNoise, gaussian
from noiseless.comparison.geometric import GeometricNoise, geometric
from noiseless.comparison.laplace import LaplaceNoise, laplace
from noiseless.comparison.randomised_response import RandomisedResponse

__all__ = [
    "AdditiveNoise",
    "Exponential",
    "GaussianNoise",
    "GeometricNoise",
    "LaplaceNoise",
    "Randomised",
    "RandomisedResponse",
    "gaussian",
    "geometric",
    "laplace",
]
