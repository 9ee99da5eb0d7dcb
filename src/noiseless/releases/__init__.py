"""Table releases and their certificates: a sensitive column hidden by merging public ones ([P3])."""

from noiseless.releases.application import AppliedLimit, AppliedRelease, apply_release
from noiseless.releases.audit import audit_releases
from noiseless.releases.certificate import Certificate
from noiseless.releases.changes import ColumnChange, Example
from noiseless.releases.pipeline import frontier, make_frontier, make_release, release
from noiseless.releases.request import ReleaseRequest, read_config
from noiseless.releases.results import Release, ReleaseFrontier
from noiseless.search.measures import ReleasePoint
from noiseless.search.survey import Series

__all__ = [
    "AppliedLimit",
    "AppliedRelease",
    "Certificate",
    "ColumnChange",
    "Example",
    "Release",
    "ReleaseFrontier",
    "ReleasePoint",
    "ReleaseRequest",
    "Series",
    "apply_release",
    "audit_releases",
    "frontier",
    "make_frontier",
    "make_release",
    "read_config",
    "release",
]
