"""The audit of a table or of several releases together, and policies as checks."""

from noiseless.audits.auditor import audit
from noiseless.audits.exposure import Exposure
from noiseless.audits.policy import Check, Policy, PolicyResult
from noiseless.audits.result import Audit
from noiseless.audits.side import Contribution, SideInformation
from noiseless.audits.under_rules import UnderRules
from noiseless.audits.witness import Witness
from noiseless.rules.totals import Totals

__all__ = [
    "Audit",
    "Check",
    "Contribution",
    "Exposure",
    "Policy",
    "PolicyResult",
    "SideInformation",
    "Totals",
    "UnderRules",
    "Witness",
    "audit",
]
