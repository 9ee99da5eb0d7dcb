"""Randomised mechanisms as finite channels, for comparison only: nothing here is released by this package."""

from noiseless.mechanisms.randomised.additive import AdditiveNoise
from noiseless.mechanisms.randomised.base import Randomised
from noiseless.mechanisms.randomised.exponential import Exponential
from noiseless.mechanisms.randomised.gaussian import GaussianNoise, gaussian
from noiseless.mechanisms.randomised.geometric import GeometricNoise, geometric
from noiseless.mechanisms.randomised.laplace import LaplaceNoise, laplace
from noiseless.mechanisms.randomised.randomised_response import RandomisedResponse

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
