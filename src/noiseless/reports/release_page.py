"""One self-contained HTML page a release: what it protects, what that costs, what is proved, how to check."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from noiseless import __version__
from noiseless.exact import Bits
from noiseless.releases.results import Release, ReleaseFrontier
from noiseless.reports.audit_rows import cell_bins
from noiseless.reports.frontier_page import frontier_parts
from noiseless.reports.pages import environment, inline, write_page
from noiseless.reports.plots import bins_plot
from noiseless.reports.release_comparison import (
    ReleaseSummary,
    compared_rows,
    comparison_sentence,
    comparison_warnings,
    side_of,
)
from noiseless.reports.release_rows import (
    asked_rows,
    change_text,
    cost_words,
    for_the_same,
    found_by,
    largest_cell,
    more_values,
    names_text,
    proved,
    status_of_release,
    verdict,
)
from noiseless.search.mean_loss import LOSSES, mean_text

_MOST_CELLS = 10
"""How many of the cells that give most away are listed."""


def render_release(
    release: Release,
    frontier: ReleaseFrontier | None = None,
    compared_with: Release | Mapping[str, Any] | None = None,
) -> str:
    """A release as one HTML page that needs nothing else: no script, no network, the same bytes every time.

    No sensitive value is on it. It names values of the public columns as they were before the release, as
    the certificate does.

    Args:
        release: the release.
        frontier: the frontier of the same columns, for the plot in which this one is marked.
        compared_with: another release of the same table to be shown beside it, or the JSON of its
            certificate, whose claims are then believed.

    Raises:
        RequestError: `compared_with` is no certificate of this version.
    """
    other = None if compared_with is None else side_of(compared_with)
    marked = {"this release": release.known_point}
    if other is not None:
        marked["the other"] = other.point
    return (
        environment()
        .get_template("release.html.j2")
        .render(
            release=release,
            request=release.request,
            point=release.point,
            before=release.before,
            certificate=release.certificate,
            change_text=change_text,
            status=status_of_release(release),
            sentence=verdict(release),
            cost=cost_words(release),
            asked=asked_rows(release),
            proved=proved(release),
            for_the_same=for_the_same(release, frontier),
            found_by=found_by(release),
            largest=largest_cell(release),
            mean_loss=_mean_loss(release),
            entropy=Bits(release.sensitive_values),
            more_values=more_values(release),
            version=__version__,
            front=None if frontier is None else frontier_parts(frontier, marked),
            **_cells(release),
            **_comparison(release, other),
        )
    )


def write_release_html(
    release: Release,
    path: Path | str,
    frontier: ReleaseFrontier | None = None,
    compared_with: Release | Mapping[str, Any] | None = None,
) -> None:
    """Write the page of a release; a reader sees the old file or the whole new one, never a part.

    Args:
        release: the release.
        path: where to write it.
        frontier: as for `render_release`.
        compared_with: as for `render_release`.

    Raises:
        OutputError: it cannot be written there.
        RequestError: as for `render_release`.
    """
    write_page(path, render_release(release, frontier, compared_with), release.sources)


_MEAN_LOSSES = {
    "ncp": "The average share of a column that a published value could stand for.",
    "squares": "The mean squared distance of rows from the mean of their cell, as a share of the variance.",
    "discernibility": "The average share of all rows that a row looks like.",
    "entropy": "The average bits lost about a row: which of the rows that look alike it was.",
}


def _mean_loss(release: Release) -> tuple[str, str] | None:
    """The mean loss of several columns as text, and what it is."""
    request, mean = release.request, release.point.mean_loss
    if mean is None or (len(request.public) == 1 and request.mean_loss == "ncp"):
        return None
    return mean_text(LOSSES[request.mean_loss], mean), _MEAN_LOSSES[request.mean_loss]


def _cells(release: Release) -> dict[str, Any]:
    """The cells by how many values they leave, and those that leave fewest."""
    cells = release.certificate.cells
    bins = cell_bins(cells.posteriors, cells.rows)
    tightest = np.lexsort((-cells.rows, cells.posteriors))[:_MOST_CELLS].tolist()
    return {
        "bins": bins,
        "bins_svg": inline(bins_plot(bins, release.rows, "rows", names_text(release.request.sensitive))),
        "cells_in_all": len(cells),
        "tightest": [
            (
                [texts[n].as_py() for texts in cells.released],
                cells.posteriors[n],
                cells.rows[n],
                cells.sizes[n],
            )
            for n in tightest
        ],
    }


def _comparison(release: Release, other: ReleaseSummary | None) -> dict[str, Any]:
    if other is None:
        return {"other": None}
    this = side_of(release)
    return {
        "other": other,
        "compared": compared_rows(this, other),
        "compared_sentence": comparison_sentence(this, other),
        "compared_warnings": comparison_warnings(this, other),
    }
