"""Deterministic privacy: publish data and answer questions without noise, guarantees counted in bits.

Four jobs, on a file or on any frame (pandas, polars, pyarrow, DuckDB, Spark, narwhals):

* Audit: what does a table give away? `audit`, and `assert_private` in tests and pipelines.
* Release: publish it, a column hidden. `release` and `frontier`, `verify`, `apply_release` for later rows,
  `release_parts` for more than fits; `NoiselessReleaser` is the same for scikit-learn. `audit_tables` and
  `protect_tables` are for totals.
* Curate: answer SQL within a budget. `Curator.open`, `plan` before there is data, `connect` to a server.
* Attack and compare: `attack`, `compare` with noise, `price_rules`, `reproduce` the papers' figures.

>>> import noiseless as nl
>>> files = nl.write_examples()
>>> audit = nl.audit("patients.csv", sensitive="illness", public=["age", "sex"])
>>> audit.min_posterior, round(audit.leakage, 2)
(1, Decimal('2.59'))
>>> done = nl.release("patients.csv", sensitive="illness", public=["age", "sex"], min_posterior=3)
>>> nl.verify(done, original="patients.csv", released=done.frame).holds
True

Results show themselves as text and in notebooks. They are frames (`to_pandas`, `to_polars`, `to_arrow`),
pictures (`plot`) and pages (`to_html`) where that has a meaning, and JSON (`to_dict`). `Bits` are exact
numbers. Errors say what to do next.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

if TYPE_CHECKING:
    from noiseless.adversaries import Game
    from noiseless.adversaries.attack import attack
    from noiseless.audits import Audit, Unrelatedness, audit, unrelated
    from noiseless.audits.policy import Policy
    from noiseless.client import connect
    from noiseless.collection.blur import Blur, BlurredTable, ContinuousBlur, blur
    from noiseless.collection.local import LocalQuantizer, LocalVector, quantize
    from noiseless.comparison.comparison import Comparison, compare
    from noiseless.curator import Curator
    from noiseless.curator.published_answers import check_tables
    from noiseless.domain import Schema
    from noiseless.errors import NoiselessError
    from noiseless.exact import Bits, Nats
    from noiseless.examples import write_examples
    from noiseless.gallery.reproduction import reproduce
    from noiseless.integrations.assertion import NotPrivateError, assert_private
    from noiseless.integrations.pandera_check import private_check
    from noiseless.integrations.releaser import NoiselessReleaser as NoiselessReleaser
    from noiseless.measures import (
        conditional_entropy,
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
    from noiseless.releases import (
        AppliedRelease,
        PartedRelease,
        Release,
        ReleaseFrontier,
        apply_release,
        audit_releases,
        frontier,
        release,
        release_parts,
    )
    from noiseless.rules import rule
    from noiseless.rules.plan import plan
    from noiseless.rules.prices import price_rules
    from noiseless.rules.rule_plan import RulePlan
    from noiseless.tables import open_table
    from noiseless.tabulations.audit import TabulationAudit
    from noiseless.tabulations.protection import TableProtection
    from noiseless.tabulations.protection.request import protect_tables
    from noiseless.tabulations.publication import Publication
    from noiseless.tabulations.reading import audit_tables
    from noiseless.tabulations.succession import TableCheck
    from noiseless.theory.accuracy import (
        fewest_cells,
        least_leakage,
        privacy_by_leakage,
        privacy_by_maximin,
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
    from noiseless.theory.zero_error import Graph, ZeroErrorBracket, lovasz_theta, zero_error_capacity
    from noiseless.verification import Verification, verify, verify_tables

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
    "Game": "adversaries",
    "Graph": "theory.zero_error",
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
    "NoiselessReleaser": "integrations.releaser",
    "NotPrivateError": "integrations.assertion",
    "PartedRelease": "releases",
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
    "TableCheck": "tabulations.succession",
    "TableProtection": "tabulations.protection",
    "TabulationAudit": "tabulations.audit",
    "Unrelatedness": "audits",
    "Verification": "verification",
    "ZeroErrorBracket": "theory.zero_error",
    "apply_release": "releases",
    "assert_private": "integrations.assertion",
    "attack": "adversaries.attack",
    "audit": "audits",
    "audit_releases": "releases",
    "audit_tables": "tabulations.reading",
    "blur": "collection.blur",
    "capacity": "theory.capacity",
    "check_tables": "curator.published_answers",
    "compare": "comparison.comparison",
    "conditional_entropy": "measures",
    "confusability_edges": "ranges",
    "connect": "client",
    "consequences": "theory.consequences",
    "convert": "theory.differential",
    "covering_number": "theory.continuous.covering_number",
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
    "price_rules": "rules.prices",
    "privacy_by_leakage": "theory.accuracy",
    "privacy_by_maximin": "theory.accuracy",
    "private_check": "integrations.pandera_check",
    "protect_tables": "tabulations.protection.request",
    "quantize": "collection.local",
    "release": "releases",
    "release_parts": "releases",
    "reproduce": "gallery.reproduction",
    "rule": "rules",
    "symmetric_leakage": "measures",
    "transmission": "measures",
    "unrelated": "audits",
    "verify": "verification",
    "verify_tables": "verification",
    "worst_pair": "theory.chosen_pair",
    "write_examples": "examples",
    "zero_error_capacity": "theory.zero_error",
}
"""Where each public name lives; it is imported when first used, so that `import noiseless` stays fast."""

_EXTRAS = {"NoiselessReleaser": "sklearn"}
"""Names that need an extra, and which; `from noiseless import *` leaves them out."""

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
    "Game",
    "Graph",
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
    "NotPrivateError",
    "PartedRelease",
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
    "TableCheck",
    "TableProtection",
    "TabulationAudit",
    "Unrelatedness",
    "Verification",
    "ZeroErrorBracket",
    "apply_release",
    "assert_private",
    "attack",
    "audit",
    "audit_releases",
    "audit_tables",
    "blur",
    "capacity",
    "check_tables",
    "compare",
    "conditional_entropy",
    "confusability_edges",
    "connect",
    "consequences",
    "convert",
    "covering_number",
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
    "price_rules",
    "privacy_by_leakage",
    "privacy_by_maximin",
    "private_check",
    "protect_tables",
    "quantize",
    "release",
    "release_parts",
    "reproduce",
    "rule",
    "symmetric_leakage",
    "transmission",
    "unrelated",
    "verify",
    "verify_tables",
    "worst_pair",
    "write_examples",
    "zero_error_capacity",
]


_MOVED = {"disarray": "measures", "propose": "domain", "quality": "theory.accuracy"}
"""Names that say too little here; 0.1 had them, and they are still found."""


if not TYPE_CHECKING:  # or any name would do, and one that has moved would go unnoticed

    def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever the name stands for
        if name in _MOVED:
            from warnings import warn

            home = f"noiseless.{_MOVED[name]}"
            warn(f"nl.{name} is {home}.{name} now", DeprecationWarning, stacklevel=2)
            return getattr(import_module(home), name)
        if name not in _HOMES:
            raise AttributeError(f"module 'noiseless' has no attribute {name!r}")
        from noiseless.boundary import guarded

        try:
            module = import_module(f"noiseless.{_HOMES[name]}")
        except ModuleNotFoundError as error:
            if name not in _EXTRAS:
                raise
            extra = f"noiseless[{_EXTRAS[name]}]"
            raise ImportError(f"nl.{name} needs an extra: pip install '{extra}'") from error
        return guarded(getattr(module, name), name)


def __dir__() -> list[str]:
    return sorted((*(name for name in globals() if name.startswith("__")), *_HOMES))
