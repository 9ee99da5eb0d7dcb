"""Table releases and their certificates: a sensitive column hidden by merging public ones ([P3]).

The functions are here; the search behind them is imported when it is first used.
"""

from typing import TYPE_CHECKING

from noiseless.late_names import late_names
from noiseless.releases.functions import frontier, release, release_parts

if TYPE_CHECKING:
    from noiseless.releases.application import AppliedLimit, AppliedRelease, apply_release
    from noiseless.releases.audit import audit_releases
    from noiseless.releases.certificate import Certificate
    from noiseless.releases.changes import ColumnChange, Example
    from noiseless.releases.parts import PartedRelease, make_parts
    from noiseless.releases.pipeline import make_frontier, make_release
    from noiseless.releases.request import ReleaseRequest, read_config
    from noiseless.releases.results import Release, ReleaseFrontier
    from noiseless.search.measures import ReleasePoint
    from noiseless.search.survey import Series
else:
    __getattr__ = late_names(
        __name__,
        {
            "AppliedLimit": "application",
            "AppliedRelease": "application",
            "Certificate": "certificate",
            "ColumnChange": "changes",
            "Example": "changes",
            "PartedRelease": "parts",
            "Release": "results",
            "ReleaseFrontier": "results",
            "ReleasePoint": "results",
            "ReleaseRequest": "request",
            "Series": "results",
            "apply_release": "application",
            "audit_releases": "audit",
            "make_frontier": "pipeline",
            "make_parts": "parts",
            "make_release": "pipeline",
            "read_config": "request",
        },
    )

__all__ = [
    "AppliedLimit",
    "AppliedRelease",
    "Certificate",
    "ColumnChange",
    "Example",
    "PartedRelease",
    "Release",
    "ReleaseFrontier",
    "ReleasePoint",
    "ReleaseRequest",
    "Series",
    "apply_release",
    "audit_releases",
    "frontier",
    "make_frontier",
    "make_parts",
    "make_release",
    "read_config",
    "release",
    "release_parts",
]
