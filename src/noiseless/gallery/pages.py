"""One self-contained HTML page about the figures that were made."""

import re
from collections.abc import Sequence
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from noiseless import __version__
from noiseless.gallery.files import SYNTHETIC
from noiseless.gallery.inlining import legend_of
from noiseless.gallery.looks import LOOKS
from noiseless.tables import written_whole

if TYPE_CHECKING:
    from noiseless.gallery.making import Made

PAPERS = {
    "[P1]": "Noiseless privacy",
    "[P2]": "Hypothesis tests without probability",
    "[P3]": "Agglomerative clustering",
    "[P4]": "Deterministic policies",
    "[P5]": "Differential privacy as mutual information",
}
"""What each paper is about; figures of no paper are our own comparisons."""

_OWN = "Noiseless against noise"


def gallery_html(made: "Sequence[Made]") -> str:
    """The page: no script, no network, the same bytes each time.

    Args:
        made: the figures, those of a paper one after another.
    """
    groups = [(name, list(figures)) for name, figures in groupby(made, key=_group)]
    checks = [check for one in made for check in one.outcome.checks]
    missing = {source.name: source for one in made for source in one.missing}
    return (
        _environment()
        .get_template("gallery.html.j2")
        .render(
            groups=groups,
            made=made,
            checks=checks,
            held=sum(check.agrees for check in checks),
            missing=list(missing.values()),
            looks=LOOKS,
            legend=lambda one: [(label, Markup(svg)) for label, svg in legend_of(one.outcome)],  # noqa: S704 - drawn by this package
            picture=Markup,  # for what this package draws, its texts escaped
            synthetic=SYNTHETIC,
            version=__version__,
        )
    )


def write_page(made: "Sequence[Made]", path: Path) -> None:
    """Write the page; a reader sees the old file or the whole new one, never a part.

    Raises:
        OutputError: it cannot be written there.
    """
    page = gallery_html(made)
    with written_whole(path) as part:
        part.write_text(page, "utf-8", newline="\n")


def _group(made: "Made") -> str:
    """The heading under which a figure stands."""
    found = re.match(r"\[P\d\]", made.figure.paper)
    return f"{found[0]} {PAPERS[found[0]]}" if found else _OWN


@cache
def _environment() -> Environment:
    return Environment(
        loader=ChoiceLoader([PackageLoader("noiseless.gallery"), PackageLoader("noiseless.reports")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
