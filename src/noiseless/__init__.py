"""Deterministic privacy: publish data and answer questions without noise, guarantees counted in bits.

import noiseless as nl
nl.audit("heart.csv", sensitive="age", public="chol")
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from noiseless.audits import Audit, Policy, audit
    from noiseless.domain import Schema, propose
    from noiseless.errors import NoiselessError
    from noiseless.exact import Bits
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
    from noiseless.ranges import JointRange, Partition, confusability_edges, overlap_partition
    from noiseless.tables import open_table

_HOMES = {
    "Audit": "audits",
    "Bits": "exact",
    "JointRange": "ranges",
    "NoiselessError": "errors",
    "Partition": "ranges",
    "Policy": "audits",
    "Schema": "domain",
    "audit": "audits",
    "conditional_entropy": "measures",
    "confusability_edges": "ranges",
    "disarray": "measures",
    "entropy": "measures",
    "information": "measures",
    "leakage": "measures",
    "maximin": "measures",
    "open_table": "tables",
    "overlap_partition": "ranges",
    "privacy_by_leakage": "measures",
    "privacy_by_maximin": "measures",
    "propose": "domain",
    "quality": "measures",
    "symmetric_leakage": "measures",
    "transmission": "measures",
}
"""Where each public name lives; it is imported when first used, so that `import noiseless` stays fast."""

__all__ = [
    "Audit",
    "Bits",
    "JointRange",
    "NoiselessError",
    "Partition",
    "Policy",
    "Schema",
    "audit",
    "conditional_entropy",
    "confusability_edges",
    "disarray",
    "entropy",
    "information",
    "leakage",
    "maximin",
    "open_table",
    "overlap_partition",
    "privacy_by_leakage",
    "privacy_by_maximin",
    "propose",
    "quality",
    "symmetric_leakage",
    "transmission",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever the name stands for
    if name not in _HOMES:
        raise AttributeError(f"module 'noiseless' has no attribute {name!r}")
    return getattr(import_module(f"noiseless.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted((*globals(), *_HOMES))
