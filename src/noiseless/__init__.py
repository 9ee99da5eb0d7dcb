"""Deterministic privacy: publish data and answer questions without noise, guarantees counted in bits.

import noiseless as nl
nl.audit("heart.csv", sensitive="age", public="chol")
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from noiseless.accounting import BudgetError, History, Price, QuantizedAnswer, Record, price
    from noiseless.accounting.differential import Conversion, convert
    from noiseless.audits import Audit, Policy, audit
    from noiseless.client import connect
    from noiseless.curator import Curator
    from noiseless.domain import Schema, propose
    from noiseless.errors import NoiselessError
    from noiseless.exact import Bits, Nats
    from noiseless.measures import (
        conditional_entropy,
        disarray,
        entropy,
        information,
        leakage,
        maximin,
        privacy_by_leakage,
        privacy_by_maximin,
        quality,
        symmetric_leakage,
        transmission,
    )
    from noiseless.measures.capacity import Capacity, capacity
    from noiseless.measures.channel import Channel
    from noiseless.measures.covering import covering_number
    from noiseless.measures.differential import Database, dp_delta, dp_epsilon, kl_dp, mi_dp
    from noiseless.measures.distortion import max_distortion, min_distortion
    from noiseless.measures.hypothesis import HypothesisRanges, HypothesisTest
    from noiseless.measures.indistinguishability import (
        FiniteMechanism,
        LinearQuery,
        indistinguishability,
        linear_indistinguishability,
        worst_pair,
    )
    from noiseless.measures.stochastic import JointDistribution
    from noiseless.measures.zero_error import ZeroErrorBracket, lovasz_theta, zero_error_capacity
    from noiseless.mechanisms.blur import Blur, BlurredTable, ContinuousBlur, blur
    from noiseless.mechanisms.local import LocalQuantizer, LocalVector, quantize
    from noiseless.mechanisms.rules import rule
    from noiseless.policies.accuracy import fewest_cells, least_leakage
    from noiseless.policies.comparison import Comparison, compare
    from noiseless.policies.consequences import consequences
    from noiseless.policies.plan import Plan, plan
    from noiseless.policies.rules import RulePlan
    from noiseless.ranges import (
        BoxSet,
        ContinuousRange,
        IntervalSet,
        JointRange,
        Partition,
        confusability_edges,
        overlap_partition,
    )
    from noiseless.releases import Release, ReleaseFrontier, frontier, release
    from noiseless.tables import open_table
    from noiseless.verification import Verification, verify

_HOMES = {
    "Audit": "audits",
    "Bits": "exact",
    "Blur": "mechanisms.blur",
    "BlurredTable": "mechanisms.blur",
    "BoxSet": "ranges",
    "BudgetError": "accounting",
    "Capacity": "measures.capacity",
    "Channel": "measures.channel",
    "Comparison": "policies.comparison",
    "ContinuousBlur": "mechanisms.blur",
    "ContinuousRange": "ranges",
    "Conversion": "accounting.differential",
    "Curator": "curator",
    "Database": "measures.differential",
    "FiniteMechanism": "measures.indistinguishability",
    "History": "accounting",
    "HypothesisRanges": "measures.hypothesis",
    "HypothesisTest": "measures.hypothesis",
    "IntervalSet": "ranges",
    "JointDistribution": "measures.stochastic",
    "JointRange": "ranges",
    "LinearQuery": "measures.indistinguishability",
    "LocalQuantizer": "mechanisms.local",
    "LocalVector": "mechanisms.local",
    "Nats": "exact",
    "NoiselessError": "errors",
    "Partition": "ranges",
    "Plan": "policies.plan",
    "Policy": "audits",
    "Price": "accounting",
    "QuantizedAnswer": "accounting",
    "Record": "accounting",
    "Release": "releases",
    "ReleaseFrontier": "releases",
    "RulePlan": "policies.rules",
    "Schema": "domain",
    "Verification": "verification",
    "ZeroErrorBracket": "measures.zero_error",
    "audit": "audits",
    "blur": "mechanisms.blur",
    "capacity": "measures.capacity",
    "compare": "policies.comparison",
    "conditional_entropy": "measures",
    "confusability_edges": "ranges",
    "connect": "client",
    "consequences": "policies.consequences",
    "convert": "accounting.differential",
    "covering_number": "measures.covering",
    "disarray": "measures",
    "dp_delta": "measures.differential",
    "dp_epsilon": "measures.differential",
    "entropy": "measures",
    "fewest_cells": "policies.accuracy",
    "frontier": "releases",
    "indistinguishability": "measures.indistinguishability",
    "information": "measures",
    "kl_dp": "measures.differential",
    "leakage": "measures",
    "least_leakage": "policies.accuracy",
    "linear_indistinguishability": "measures.indistinguishability",
    "lovasz_theta": "measures.zero_error",
    "max_distortion": "measures.distortion",
    "maximin": "measures",
    "mi_dp": "measures.differential",
    "min_distortion": "measures.distortion",
    "open_table": "tables",
    "overlap_partition": "ranges",
    "plan": "policies.plan",
    "price": "accounting",
    "privacy_by_leakage": "measures",
    "privacy_by_maximin": "measures",
    "propose": "domain",
    "quality": "measures",
    "quantize": "mechanisms.local",
    "release": "releases",
    "rule": "mechanisms.rules",
    "symmetric_leakage": "measures",
    "transmission": "measures",
    "verify": "verification",
    "worst_pair": "measures.indistinguishability",
    "zero_error_capacity": "measures.zero_error",
}
"""Where each public name lives; it is imported when first used, so that `import noiseless` stays fast."""

__all__ = [
    "Audit",
    "Bits",
    "Blur",
    "BlurredTable",
    "BoxSet",
    "BudgetError",
    "Capacity",
    "Channel",
    "Comparison",
    "ContinuousBlur",
    "ContinuousRange",
    "Conversion",
    "Curator",
    "Database",
    "FiniteMechanism",
    "History",
    "HypothesisRanges",
    "HypothesisTest",
    "IntervalSet",
    "JointDistribution",
    "JointRange",
    "LinearQuery",
    "LocalQuantizer",
    "LocalVector",
    "Nats",
    "NoiselessError",
    "Partition",
    "Plan",
    "Policy",
    "Price",
    "QuantizedAnswer",
    "Record",
    "Release",
    "ReleaseFrontier",
    "RulePlan",
    "Schema",
    "Verification",
    "ZeroErrorBracket",
    "audit",
    "blur",
    "capacity",
    "compare",
    "conditional_entropy",
    "confusability_edges",
    "connect",
    "consequences",
    "convert",
    "covering_number",
    "disarray",
    "dp_delta",
    "dp_epsilon",
    "entropy",
    "fewest_cells",
    "frontier",
    "indistinguishability",
    "information",
    "kl_dp",
    "leakage",
    "least_leakage",
    "linear_indistinguishability",
    "lovasz_theta",
    "max_distortion",
    "maximin",
    "mi_dp",
    "min_distortion",
    "open_table",
    "overlap_partition",
    "plan",
    "price",
    "privacy_by_leakage",
    "privacy_by_maximin",
    "propose",
    "quality",
    "quantize",
    "release",
    "rule",
    "symmetric_leakage",
    "transmission",
    "verify",
    "worst_pair",
    "zero_error_capacity",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever the name stands for
    if name not in _HOMES:
        raise AttributeError(f"module 'noiseless' has no attribute {name!r}")
    from noiseless.boundary import guarded

    return guarded(getattr(import_module(f"noiseless.{_HOMES[name]}"), name), name)


def __dir__() -> list[str]:
    return sorted((*(name for name in globals() if name.startswith("__")), *_HOMES))
