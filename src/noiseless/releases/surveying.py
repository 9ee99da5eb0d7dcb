"""The frontier of a table: the releases that none found beats, and what other methods reach."""

from noiseless.exact import Bits
from noiseless.releases.choosing import Prepared
from noiseless.releases.marked import never_merged
from noiseless.releases.results import Progress, ReleaseFrontier, ReleasePoint, Series
from noiseless.search.selection import SurveyPoint, survey
from noiseless.search.selection.survey import least_proved


def surveyed(
    prepared: Prepared, progress: Progress | None = None, *, baselines: bool = True
) -> ReleaseFrontier:
    """The frontier of a prepared table.

    Raises:
        RequestError: the methods do not apply.
    """
    source = prepared.source
    request = source.request
    found = survey(
        prepared.problem,
        objective=request.objective,
        utility=request.utility,
        method=request.method,
        baselines=baselines,
        progress=progress,
    )
    series = tuple(
        Series(one.name, tuple(_point(p) for p in one.points), one.scope, not one.ours, one.note)
        for one in found.series
    )
    points = found.unbeaten
    return ReleaseFrontier(
        source=source.table.label,
        sensitive=request.sensitive,
        public=request.public,
        sensitive_values=source.joint.size_x,
        public_values=len(source.public),
        rows=source.rows,
        points=tuple(_point(point) for point in points),
        series=series,
        method=" + ".join(dict.fromkeys(point.series for point in points)),
        scope=least_proved(points),
        objective=request.objective,
        utility=request.utility,
        given=request.given,
        keep=request.keep,
        note="; ".join(filter(None, (_most_left(prepared), _unsuppressed(prepared)))),
    )


def _most_left(prepared: Prepared) -> str:
    """Why no release leaves all values possible; empty where one can."""
    source, request = prepared.source, prepared.source.request
    most, total = int(prepared.problem.largest_posteriors.min()), source.joint.size_x
    if most == total or request.objective == "maximin":
        return ""
    if prepared.public.groups is not None:
        why = never_merged(prepared.public)
    else:
        why = f"{', '.join((*request.keep, *request.given))} tells the rest, whatever is merged"
    hidden = ", ".join(request.sensitive)
    return (
        f"no release without suppressed rows leaves more than {most:,} of {total:,} values of {hidden}: {why}"
    )


def _unsuppressed(prepared: Prepared) -> str:
    """That a frontier suppresses nothing, where a release may."""
    if not prepared.source.request.suppress:
        return ""
    return "none of these suppresses rows: with --suppress a release may do better than all of them"


def _point(point: SurveyPoint) -> ReleasePoint:
    found = point.quality
    return ReleasePoint(
        found.cells,
        found.leakage,
        found.maximin,
        found.min_posterior,
        Bits(found.resolution.ratio),
        found.distortion,
        found.suppressed_rows,
        f"{point.series}, {point.setting}" if point.setting else point.series,
    )
