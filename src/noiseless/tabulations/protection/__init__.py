"""Protecting tables: what to publish instead of the true figures, at the least loss, proved safe."""

from noiseless.tabulations.protection.core import protect
from noiseless.tabulations.protection.method import (
    ImpossibleError,
    ProposedTables,
    ProtectionMethod,
    UndecidedError,
)
from noiseless.tabulations.protection.outcome import ProtectionOutcome, TableProtection
from noiseless.tabulations.protection.problem import TrueTables

__all__ = [
    "ImpossibleError",
    "ProposedTables",
    "ProtectionMethod",
    "ProtectionOutcome",
    "TableProtection",
    "TrueTables",
    "UndecidedError",
    "protect",
]
