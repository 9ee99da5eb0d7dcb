"""One self-contained HTML page a frontier, and the part of it that the page of a release shows too."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from noiseless import __version__
from noiseless.releases.results import ReleaseFrontier, ReleasePoint
from noiseless.reports.curves import chart_of
from noiseless.reports.environment import environment, inline
from noiseless.reports.frontier_rows import (
    Level,
    MethodRow,
    levels_of,
    method_notes,
    method_rows,
    note_words,
    scope_words,
    spread,
    title_words,
)
from noiseless.reports.frontier_svg import NARROW, WIDE, frontier_svg
from noiseless.tables import written_whole

_MOST_POINTS = 40
"""How many points of a frontier are listed."""


@dataclass(frozen=True)
class FrontierParts:
    """What a page shows of a frontier.

    Attributes:
        frontier: the frontier.
        wide: the plot for a desk.
        narrow: the plot for a phone.
        levels: how much may be given away.
        methods: what each method loses then.
        points: points to list.
        title: what the points are called.
        proved: what is proved of it.
        ends: why it ends before all values are left; empty where it does not.
        notes: what is to be said about methods.
    """

    frontier: ReleaseFrontier
    wide: Markup | None
    narrow: Markup | None
    levels: tuple[Level, ...]
    methods: tuple[MethodRow, ...]
    points: tuple[ReleasePoint, ...]
    title: str
    proved: str
    ends: str
    notes: tuple[str, ...]


def frontier_parts(
    frontier: ReleaseFrontier, marked: Mapping[str, ReleasePoint] | None = None
) -> FrontierParts:
    """What a page shows of a frontier.

    Args:
        frontier: the frontier.
        marked: points that stand out, by name.
    """
    chart = chart_of(frontier, marked)
    levels = levels_of(frontier)
    return FrontierParts(
        frontier,
        inline(frontier_svg(chart, WIDE)),
        inline(frontier_svg(chart, NARROW)),
        levels,
        method_rows(frontier, levels),
        tuple(spread(frontier.points, _MOST_POINTS)),
        title_words(frontier),
        scope_words(frontier),
        note_words(frontier),
        tuple(method_notes(frontier)),
    )


def render_frontier(frontier: ReleaseFrontier) -> str:
    """A frontier as one HTML page that needs nothing else: no script, no network, the same bytes every time.

    Args:
        frontier: the releases of some columns that none found beats, with a series for each method.
    """
    return (
        environment()
        .get_template("frontier.html.j2")
        .render(front=frontier_parts(frontier), frontier=frontier, version=__version__)
    )


def write_frontier_html(frontier: ReleaseFrontier, path: Path | str) -> None:
    """Write the page of a frontier; a reader sees the old file or the whole new one, never a part.

    Args:
        frontier: the frontier.
        path: where to write it.

    Raises:
        OutputError: it cannot be written there.
    """
    page = render_frontier(frontier)
    with written_whole(path) as part:
        part.write_text(page, "utf-8", newline="\n")
