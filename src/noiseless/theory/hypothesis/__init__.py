"""Hypothesis tests without probability [P2]: which outputs give a yes/no fact away."""

from noiseless.theory.hypothesis.privacy import (
    Privacy,
    leakage_bound,
    leakage_bound_as_printed,
    leakage_bound_bits,
)
from noiseless.theory.hypothesis.ranges import HypothesisRanges, HypothesisTest
from noiseless.theory.hypothesis.success import (
    best_success,
    success_bound,
    worst_prior,
)

__all__ = [
    "HypothesisRanges",
    "HypothesisTest",
    "Privacy",
    "best_success",
    "leakage_bound",
    "leakage_bound_as_printed",
    "leakage_bound_bits",
    "success_bound",
    "worst_prior",
]
