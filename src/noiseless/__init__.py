"""Deterministic privacy: publish data and answer questions without noise, guarantees counted in bits.

import noiseless as nl
nl.audit("heart.csv", sensitive="age", public="chol")
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

if TYPE_CHECKING:
    from noiseless.audits import Audit, Unrelatedness, audit, unrelated
    from noiseless.audits.policy import Policy
    from noiseless.client import connect
    from noiseless.collection.blur import Blur, BlurredTable, ContinuousBlur, blur
    from noiseless.collection.local import LocalQuantizer, LocalVector, quantize
    from noiseless.comparison.comparison import Comparison, compare
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
        symmetric_leakage,
        transmission,
    )
    from noiseless.pricing import BudgetError, History, Price, QuantizedAnswer, Record, price
    from noiseless.pricing.plan import Plan
    from noiseless.ranges import (
        JointRange,
        Partition,
        confusability_edges,
        overlap_partition,
    )
    from noiseless.releases import AppliedRelease, Release, ReleaseFrontier, apply_release, frontier, release
    from noiseless.rules import rule
    from noiseless.rules.plan import plan
    from noiseless.rules.rule_plan import RulePlan
    from noiseless.tables import open_table
    from noiseless.tabulations.audit import TabulationAudit
    from noiseless.tabulations.publication import Publication
    from noiseless.tabulations.reading import audit_tables
    from noiseless.theory.accuracy import (
        fewest_cells,
        least_leakage,
        privacy_by_leakage,
        privacy_by_maximin,
        quality,
    )
    from noiseless.theory.capacity import Capacity, capacity
    from noiseless.theory.channel import Channel
    from noiseless.theory.chosen_pair import FiniteMechanism, worst_pair
    from noiseless.theory.consequences import consequences
    from noiseless.theory.continuous import BoxSet, ContinuousRange, IntervalSet
    from noiseless.theory.continuous.covering_number import covering_number
    from noiseless.theory.differential import (
        Conversion,
        Database,
        convert,
        dp_delta,
        dp_epsilon,
        kl_dp,
        mi_dp,
    )
    from noiseless.theory.distortion import max_distortion, min_distortion
    from noiseless.theory.hypothesis import HypothesisRanges, HypothesisTest
    from noiseless.theory.indistinguishability import indistinguishability, linear_indistinguishability
    from noiseless.theory.linear_query import LinearQuery
    from noiseless.theory.stochastic import JointDistribution
    from noiseless.theory.zero_error import ZeroErrorBracket, lovasz_theta, zero_error_capacity
    from noiseless.verification import Verification, verify

_HOMES = {
    "AppliedRelease": "releases",
    "Audit": "audits",
    "Bits": "exact",
    "Blur": "collection.blur",
    "BlurredTable": "collection.blur",
    "BoxSet": "theory.continuous",
    "BudgetError": "pricing",
    "Capacity": "theory.capacity",
    "Channel": "theory.channel",
    "Comparison": "comparison.comparison",
    "ContinuousBlur": "collection.blur",
    "ContinuousRange": "theory.continuous",
    "Conversion": "theory.differential",
    "Curator": "curator",
    "Database": "theory.differential",
    "FiniteMechanism": "theory.chosen_pair",
    "History": "pricing",
    "HypothesisRanges": "theory.hypothesis",
    "HypothesisTest": "theory.hypothesis",
    "IntervalSet": "theory.continuous",
    "JointDistribution": "theory.stochastic",
    "JointRange": "ranges",
    "LinearQuery": "theory.linear_query",
    "LocalQuantizer": "collection.local",
    "LocalVector": "collection.local",
    "Nats": "exact",
    "NoiselessError": "errors",
    "Partition": "ranges",
    "Plan": "pricing.plan",
    "Policy": "audits.policy",
    "Price": "pricing",
    "Publication": "tabulations.publication",
    "QuantizedAnswer": "pricing",
    "Record": "pricing",
    "Release": "releases",
    "ReleaseFrontier": "releases",
    "RulePlan": "rules.rule_plan",
    "Schema": "domain",
    "TabulationAudit": "tabulations.audit",
    "Unrelatedness": "audits",
    "Verification": "verification",
    "ZeroErrorBracket": "theory.zero_error",
    "apply_release": "releases",
    "audit": "audits",
    "audit_tables": "tabulations.reading",
    "blur": "collection.blur",
    "capacity": "theory.capacity",
    "compare": "comparison.comparison",
    "conditional_entropy": "measures",
    "confusability_edges": "ranges",
    "connect": "client",
    "consequences": "theory.consequences",
    "convert": "theory.differential",
    "covering_number": "theory.continuous.covering_number",
    "disarray": "measures",
    "dp_delta": "theory.differential",
    "dp_epsilon": "theory.differential",
    "entropy": "measures",
    "fewest_cells": "theory.accuracy",
    "frontier": "releases",
    "indistinguishability": "theory.indistinguishability",
    "information": "measures",
    "kl_dp": "theory.differential",
    "leakage": "measures",
    "least_leakage": "theory.accuracy",
    "linear_indistinguishability": "theory.indistinguishability",
    "lovasz_theta": "theory.zero_error",
    "max_distortion": "theory.distortion",
    "maximin": "measures",
    "mi_dp": "theory.differential",
    "min_distortion": "theory.distortion",
    "open_table": "tables",
    "overlap_partition": "ranges",
    "plan": "rules.plan",
    "price": "pricing",
    "privacy_by_leakage": "theory.accuracy",
    "privacy_by_maximin": "theory.accuracy",
    "propose": "domain",
    "quality": "theory.accuracy",
    "quantize": "collection.local",
    "release": "releases",
    "rule": "rules",
    "symmetric_leakage": "measures",
    "transmission": "measures",
    "unrelated": "audits",
    "verify": "verification",
    "worst_pair": "theory.chosen_pair",
    "zero_error_capacity": "theory.zero_error",
}
"""Where each public name lives; it is imported when first used, so that `import noiseless` stays fast."""

__all__ = [
    "AppliedRelease",
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
    "Publication",
    "QuantizedAnswer",
    "Record",
    "Release",
    "ReleaseFrontier",
    "RulePlan",
    "Schema",
    "TabulationAudit",
    "Unrelatedness",
    "Verification",
    "ZeroErrorBracket",
    "apply_release",
    "audit",
    "audit_tables",
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
    "unrelated",
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
