"""The audit of a table or of several releases together, and policies as checks."""

from noiseless.audits.auditor import audit
from noiseless.audits.exposure import Contribution, Exposure, SideInformationEffect, TableExposure
from noiseless.audits.policy import Policy, PolicyCheck, PolicyResult
from noiseless.audits.result import Audit
from noiseless.audits.table_audit import TableAudit
from noiseless.audits.under_rules import UnderRules
from noiseless.audits.witness import Witness
from noiseless.rules.totals import Totals

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
