"""Differential privacy of finite mechanisms [P5]: closeness, and DP, KL-DP and MI-DP."""

from noiseless.theory.differential.closeness import (
    divergence,
    is_close,
    smallest_delta,
    smallest_epsilon,
    total_variation,
)
from noiseless.theory.differential.database import Database
from noiseless.theory.differential.guarantees import (
    InformationBounds,
    dp_curve,
    dp_delta,
    dp_epsilon,
    kl_dp,
    mi_dp,
)

__all__ = [
    "Database",
    "InformationBounds",
    "divergence",
    "dp_curve",
    "dp_delta",
    "dp_epsilon",
    "is_close",
    "kl_dp",
    "mi_dp",
    "smallest_delta",
    "smallest_epsilon",
    "total_variation",
]
