"""The audit of a table or of several releases together, and policies as checks."""

from noiseless.audits.auditor import audit
from noiseless.audits.exposure import Contribution, Exposure, SideInformationEffect
from noiseless.audits.result import Audit
from noiseless.audits.table_audit import TableAudit, TableExposure
from noiseless.audits.unrelatedness import Unrelatedness, unrelated
from noiseless.audits.witness import Witness

__all__ = [
    "Audit",
    "Contribution",
    "Exposure",
    "SideInformationEffect",
    "TableAudit",
    "TableExposure",
    "Unrelatedness",
    "Witness",
    "audit",
    "unrelated",
]
