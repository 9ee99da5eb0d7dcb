"""The audit of a table or of several releases together, and policies as checks."""

from typing import TYPE_CHECKING

from noiseless.late_names import late_names

if TYPE_CHECKING:
    from noiseless.audits.auditor import audit
    from noiseless.audits.exposure import Contribution, Exposure, SideInformationEffect
    from noiseless.audits.result import Audit
    from noiseless.audits.table_audit import TableAudit, TableExposure
    from noiseless.audits.unrelatedness import Unrelatedness, unrelated
    from noiseless.audits.witness import Witness
else:
    __getattr__ = late_names(
        __name__,
        {
            "Audit": "result",
            "Contribution": "exposure",
            "Exposure": "exposure",
            "SideInformationEffect": "exposure",
            "TableAudit": "table_audit",
            "TableExposure": "table_audit",
            "Unrelatedness": "unrelatedness",
            "Witness": "witness",
            "audit": "auditor",
            "unrelated": "unrelatedness",
        },
    )

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
