"""The page of a frontier."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from noiseless import __version__
from noiseless.releases.results import ReleaseFrontier
from noiseless.reports.charts import chart_of
from noiseless.reports.frontier_plot import NARROW, WIDE, frontier_svg
from noiseless.reports.frontier_rows import (
    levels_of,
    method_notes,
    method_rows,
    note_words,
    scope_words,
    spread,
    title_words,
)
from noiseless.reports.pages import environment, inline, write_page
from noiseless.search.measures import ReleasePoint

_MOST_POINTS = 40
"""How many points of a frontier are listed."""


def frontier_parts(
    frontier: ReleaseFrontier, marked: Mapping[str, ReleasePoint] | None = None
) -> dict[str, Any]:
    """What `front.html.j2` shows of a frontier.

    Args:
        frontier: the frontier.
        marked: points that stand out, by name.
    """
    chart = chart_of(frontier, marked)
    levels = levels_of(frontier)
    return {
        "frontier": frontier,
        "wide": inline(frontier_svg(chart, WIDE)),  # for a desk
        "narrow": inline(frontier_svg(chart, NARROW)),  # for a phone
        "levels": levels,
        "methods": method_rows(frontier, levels),
        "points": spread(frontier.points, _MOST_POINTS),
        "title": title_words(frontier),
        "proved": scope_words(frontier),
        "ends": note_words(frontier),
        "notes": method_notes(frontier),
    }


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
    write_page(path, render_frontier(frontier))
