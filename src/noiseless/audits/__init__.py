"""The audit of a table or of several releases together, and policies as checks."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from noiseless.audits.auditor import audit
from noiseless.audits.exposure import Contribution, Exposure, SideInformationEffect, TableExposure
from noiseless.audits.result import Audit, TableAudit
from noiseless.audits.witness import Witness

if TYPE_CHECKING:
    from noiseless.audits.policy import Policy, PolicyCheck, PolicyResult
    from noiseless.audits.under_rules import UnderRules
    from noiseless.rules.totals import Totals

_LATER = {
    "Policy": "audits.policy",
    "PolicyCheck": "audits.policy",
    "PolicyResult": "audits.policy",
    "Totals": "rules.totals",
    "UnderRules": "audits.under_rules",
}
"""What most audits do not need, and where it is."""


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever the name stands for
    if name not in _LATER:
        raise AttributeError(f"module 'noiseless.audits' has no attribute {name!r}")
    return getattr(import_module(f"noiseless.{_LATER[name]}"), name)


__all__ = [
    "Audit",
    "Contribution",
    "Exposure",
    "Policy",
    "PolicyCheck",
    "PolicyResult",
    "SideInformationEffect",
    "TableAudit",
    "TableExposure",
    "Totals",
    "UnderRules",
    "Witness",
    "audit",
]
