"""Figures made again: several at a time, each written when it is done, and a page about all of them."""

import re
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from markupsafe import Markup

from noiseless import __version__
from noiseless.display import Facts, Shown
from noiseless.errors import NoiselessError, OutputError
from noiseless.gallery import every_figure, named_figure
from noiseless.gallery.data import Data, PublicDataset
from noiseless.gallery.figure import Curve, Figure, Outcome, Panel
from noiseless.gallery.pictures import MARKED, SYNTHETIC, draw, looks_of, write_files
from noiseless.reports.canvas import LOOKS, page_svg, plain_style
from noiseless.reports.pages import environment, write_page

_SIZE = (4.2, 3.1)
"""In inches; about as wide as a phone, so that texts stay readable there."""

_LETTERS = 36

_MARKS = {
    "o": "M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0z",
    "s": "M-3 -3h6v6h-6z",
    "D": "M0 -4.2L4.2 0L0 4.2L-4.2 0z",
    "^": "M0 -4L4 3.5H-4z",
    "v": "M0 4L4 -3.5H-4z",
    "<": "M-4 0L3.5 -4V4z",
    "P": "M-1.5 -4h3v2.5h2.5v3h-2.5v2.5h-3v-2.5h-2.5v-3h2.5z",
    "X": "M-4 -2L-2 -4L0 -2L2 -4L4 -2L2 0L4 2L2 4L0 2L-2 4L-4 2L-2 0z",
}
"""The markers of matplotlib as paths around the origin."""

PAPERS = {
    "[P1]": "Noiseless privacy",
    "[P2]": "Hypothesis tests without probability",
    "[P3]": "Agglomerative clustering",
    "[P4]": "Deterministic policies",
    "[P5]": "Differential privacy as mutual information",
}
"""What each paper is about; figures of no paper are our own comparisons."""

_OWN = "Noiseless against noise"
PAGE = "index.html"
"""The file of the page."""

Progress = Callable[[int, int, str], None]
"""Told how many figures of how many are made, and which was the last."""

_Parts = tuple[Outcome, dict[str, str], tuple[str, ...]]


def panel_svg(panel: Panel, looks: Mapping[str, int], name: str) -> str:
    """A panel as an SVG element for a page; the same bytes each time.

    Args:
        panel: what to draw, its note left out.
        looks: the number of each label's look.
        name: of its own on the page, so that what it refers to is its own too.
    """
    from matplotlib.figure import Figure as Canvas

    with plain_style(svg_hashsalt=name):
        canvas = Canvas(figsize=_SIZE, layout="constrained")
        draw(panel, canvas.subplots(), looks, note=False, letters=_LETTERS)
        return page_svg(canvas, panel.title)


def legend_of(outcome: Outcome) -> list[tuple[str, str]]:
    """Each label with a sample of how it is drawn, as an SVG element."""
    looks = looks_of(outcome)
    curves = {curve.label: curve for panel in outcome.panels for curve in panel.curves}
    return [(label, _sample(curves.get(label), number)) for label, number in looks.items()]


def _sample(curve: Curve | None, number: int) -> str:
    colour = f"var(--look-{number})"
    if curve is None:
        inside = (
            f'<rect x="1" y="1" width="26" height="10" fill="{colour}" fill-opacity=".3" stroke="{colour}"/>'
        )
    else:
        dashes = ' stroke-dasharray="6 4"' if curve.style == "dashed" else ""
        inside = f'<path d="M0 6H28" stroke="{colour}" stroke-width="2"{dashes}/>' * (curve.style != "dots")
        if curve.style == "dots" or len(curve.x) <= MARKED:
            inside += (
                f'<path d="{_MARKS[LOOKS[number].marker]}" transform="translate(14 6)" fill="{colour}"/>'
            )
    return f'<svg class="sample" viewBox="0 0 28 12" aria-hidden="true">{inside}</svg>'


def pictures_of(outcome: Outcome, name: str) -> tuple[str, ...]:
    """All panels of a figure as SVG elements for a page."""
    looks = looks_of(outcome)
    return tuple(panel_svg(panel, looks, f"{name}-{n}") for n, panel in enumerate(outcome.panels))


def gallery_html(made: "Sequence[ReproducedFigure]") -> str:
    """The page: no script, no network, the same bytes each time.

    Args:
        made: the figures, those of a paper one after another.
    """
    groups = [(name, list(figures)) for name, figures in groupby(made, key=_group)]
    missing = {source.name: source for one in made for source in one.missing}
    return (
        environment("noiseless.gallery")
        .get_template("gallery.html.j2")
        .render(
            groups=groups,
            made=made,
            tallies=tallies(made),
            missing=list(missing.values()),
            legend=lambda one: [(label, Markup(svg)) for label, svg in legend_of(one.outcome)],  # noqa: S704 - drawn by this package
            picture=Markup,  # for what this package draws, its texts escaped
            synthetic=SYNTHETIC,
            version=__version__,
        )
    )


@dataclass(frozen=True)
class Tallies:
    """How many figures and statements hold, those on stand-ins apart: they say nothing about the papers.

    Attributes:
        figures: how many pictures of the papers were made again from real data, or need none.
        reproduced: how many of them show what the paper's do.
        statements: how many statements were tested there, and with figures that are no picture of a paper.
        held: how many of them hold.
        stand_ins: how many figures were made on a stand-in.
        stood_in: how many statements were tested on one.
    """

    figures: int
    reproduced: int
    statements: int
    held: int
    stand_ins: int
    stood_in: int


def tallies(made: "Sequence[ReproducedFigure]") -> Tallies:
    """Count what was found."""
    real = [one.outcome for one in made if not one.outcome.synthetic]
    stood = [one.outcome for one in made if one.outcome.synthetic]
    drawn = [outcome.reproduces for outcome in real if outcome.reproduces is not None]
    checks = [check for outcome in real for check in outcome.checks]
    return Tallies(
        len(drawn),
        sum(drawn),
        len(checks),
        sum(check.agrees for check in checks),
        len(stood),
        sum(len(outcome.checks) for outcome in stood),
    )


def _group(made: "ReproducedFigure") -> str:
    """The heading under which a figure stands."""
    found = re.match(r"\[P\d\]", made.figure.paper)
    return f"{found[0]} {PAPERS[found[0]]}" if found else _OWN


@dataclass(frozen=True, repr=False, eq=False)
class ReproducedFigure(Shown):
    """A figure that was made and written.

    Attributes:
        figure: the figure.
        outcome: what it shows.
        missing: the data sets that stand-ins took the place of.
        files: the names of its files in the folder, by their kind: "png", "svg" and "csv".
        pictures: its panels as SVG elements for a page.
    """

    figure: Figure
    outcome: Outcome
    missing: tuple[PublicDataset, ...]
    files: dict[str, str]
    pictures: tuple[str, ...]

    @property
    def name(self) -> str:
        """What the figure is called."""
        return self.figure.name

    @property
    def file(self) -> str:
        """Its picture in the folder."""
        return self.files["png"]

    @property
    def paper(self) -> str:
        """Where the paper has it."""
        return self.figure.paper

    @property
    def claim(self) -> str:
        """What the paper says."""
        return self.figure.claim

    @property
    def measured(self) -> str:
        """What is found here."""
        return "; ".join(check.measured.rstrip(".") for check in self.outcome.checks)

    @property
    def agrees(self) -> bool:
        """Whether both agree."""
        return self.outcome.agrees

    def _shown(self) -> tuple[str, Facts]:
        facts = {"paper": self.paper, "claim": self.claim, "measured": self.measured, "file": self.file}
        return f"{self.name}: {'agrees' if self.agrees else 'does not agree'}", facts

    def to_dict(self) -> dict[str, Any]:
        """All of it under the names it has in JSON."""
        return {
            "name": self.name,
            "file": self.file,
            "svg": self.files["svg"],
            "data": self.files["csv"],
            "paper": self.paper,
            "title": self.figure.title,
            "claim": self.claim,
            "measured": self.measured,
            "agrees": self.agrees,
            "reproduces": self.outcome.reproduces,
            "synthetic": self.outcome.synthetic,
            "checks": [asdict(check) for check in self.outcome.checks],
            "remarks": list(self.outcome.remarks),
            "missing": [asdict(source) for source in self.missing],
        }


def reproduce(
    folder: Path | str,
    names: Iterable[str] = (),
    *,
    data: Data | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
) -> tuple[ReproducedFigure, ...]:
    """Make figures and write them into a folder: pictures, numbers, and a page about those of this call.

    Args:
        folder: where to; it is made if need be.
        names: of the figures, each made once; all of them if none is named.
        data: the data sets; those that `NOISELESS_DATA` names if not given.
        jobs: how many figures are made at a time, each in a process of its own. With more than one, a script
            that calls this has to guard its main part with `if __name__ == "__main__"`.
        progress: called with every figure that is done.

    Raises:
        RequestError: there is no figure of some name.
        SourceError: a data set is there and cannot be read.
        OutputError: nothing can be written there.

    >>> (made,) = reproduce("gallery", ["p4-fig1"])
    >>> made.agrees, made.file
    (True, 'p4-fig1.png')
    """
    figures = tuple({figure.name: figure for figure in map(named_figure, names)}.values()) or every_figure()
    sets = Data.found() if data is None else data
    out = _made_folder(Path(folder))
    made = dict[str, ReproducedFigure]()
    for done in _all(figures, sets, out, jobs):
        made[done.figure.name] = done
        if progress is not None:
            progress(len(made), len(figures), done.figure.name)
    ordered = tuple(made[figure.name] for figure in figures)
    write_page(out / PAGE, gallery_html(ordered))
    return ordered


def make(figure: Figure, data: Data) -> Outcome:
    """Make a figure on those of the data sets that it needs; on stand-ins it says so."""
    own = data.needing(figure.needs)
    outcome = figure.make(own)
    return replace(outcome, synthetic=own.synthetic)


def _made_folder(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(
            str(folder), f"cannot be made a folder ({error.strerror}); choose another"
        ) from None
    return folder


def _all(figures: Sequence[Figure], data: Data, folder: Path, jobs: int) -> Iterator[ReproducedFigure]:
    """Each figure when it is done."""
    if jobs <= 1 or len(figures) == 1:
        for figure in figures:
            yield _reproduced(figure, data, _parts(figure, data, folder))
        return
    # Those on real data take longest: they go first, so that none is left alone at the end.
    order = sorted(figures, key=lambda figure: not figure.needs)
    workers = min(jobs, len(figures))
    context = get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_end_at_once) as pool:
        waiting = {pool.submit(_in_a_process, figure.name, data, folder): figure for figure in order}
        try:
            for done in as_completed(waiting):
                yield _reproduced(waiting[done], data, done.result())
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _parts(figure: Figure, data: Data, folder: Path) -> _Parts:
    """What is made of a figure, and written."""
    outcome = make(figure, data)
    return outcome, write_files(figure, outcome, folder), pictures_of(outcome, figure.name)


def _in_a_process(name: str, data: Data, folder: Path) -> _Parts | str:
    """The same, by name, or what is wrong: our errors cannot be sent as they are."""
    try:
        return _parts(named_figure(name), data, folder)
    except NoiselessError as error:
        return str(error)


def _reproduced(figure: Figure, data: Data, parts: _Parts | str) -> ReproducedFigure:
    if isinstance(parts, str):
        raise NoiselessError(parts)
    outcome, files, pictures = parts
    return ReproducedFigure(figure, outcome, data.needing(figure.needs).missing, files, pictures)


def _end_at_once() -> None:
    """An interrupt ends such a process without a word; the first one says what there is to say."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
