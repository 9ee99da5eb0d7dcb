"""`noiseless reproduce`: the papers' figures, made again."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from noiseless.cli.options import Format, FormatOption, option, print_json, progress_bar, say, show
from noiseless.display import aligned, counted
from noiseless.errors import RequestError

if TYPE_CHECKING:
    from noiseless.gallery.data import Data, PublicDataset
    from noiseless.gallery.figure import Figure
    from noiseless.gallery.reproduction import ReproducedFigure

HELP = """Redraw the papers' figures, and check what they claim.

Examples:

  noiseless reproduce -o gallery

  noiseless reproduce p1-fig3 p5-kl -o gallery

  noiseless reproduce --list
"""


_STATES = {True: "reproduces", False: "does not reproduce", None: "no picture"}
"""Whether the paper's picture is found again; some figures are of its statements only, or our own."""


def reproduce_command(
    *,
    figures: Annotated[
        list[str] | None, typer.Argument(metavar="FIGURE", help="Figures by name; all of them if none.")
    ] = None,
    out: Annotated[
        Path | None, option("Write pictures, numbers and a page here.", "DIR", "--out", "-o")
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="List the figures, and draw none.")] = False,
    jobs: Annotated[
        int | None, option("How many figures to draw at a time; one for each core by default.", "N", min=1)
    ] = None,
    output: FormatOption = "text",
) -> None:
    """Make figures, or list them."""
    from noiseless.gallery import every_figure, named_figure
    from noiseless.gallery.data import Data

    chosen = tuple(map(named_figure, figures or ())) or every_figure()
    data = Data.found()
    if listed:
        _list(chosen, data, output)
        return
    if out is None:
        raise RequestError("name a folder to write to, such as -o gallery; or --list the figures")

    from noiseless.gallery.reproduction import PAGE, reproduce

    with progress_bar("making figures", "{task.completed}/{task.total}", "{task.description}") as tell:
        made = reproduce(
            out, [figure.name for figure in chosen], data=data, jobs=jobs or _cores(), progress=tell
        )
    show(
        output,
        {"folder": str(out), "page": PAGE, "figures": [one.to_dict() for one in made]},
        _text(made, out / PAGE),
    )


def _list(figures: "Sequence[Figure]", data: "Data", output: Format) -> None:
    """All figures and the data sets that they need."""
    if output == "json":
        found = [
            {
                "name": figure.name,
                "paper": figure.paper,
                "title": figure.title,
                "claim": figure.claim,
                "needs": list(figure.needs),
                "synthetic": data.needing(figure.needs).synthetic,
            }
            for figure in figures
        ]
        print_json({"figures": found})
        return
    rows = [(figure.name, figure.paper, figure.title) for figure in figures]
    missing = {source.name: source for figure in figures for source in data.needing(figure.needs).missing}
    say("\n".join([*aligned(rows), *_fetch(list(missing.values()))]))


def _text(made: "Sequence[ReproducedFigure]", page: Path) -> str:
    """A line a figure, the statements that do not hold, and where to look."""
    rows = []
    for one in made:
        held = sum(check.agrees for check in one.outcome.checks)
        rows.append(
            (
                one.figure.name,
                one.figure.paper,
                _STATES[one.outcome.reproduces] if not one.outcome.synthetic else "synthetic stand-in",
                f"{held} of {len(one.outcome.checks)} statements hold",
            )
        )
    differ = [
        f"  {one.figure.name}: {check.claim.rstrip('.')}"
        for one in made
        for check in one.outcome.checks
        if not check.agrees and not one.outcome.synthetic
    ]
    missing = {source.name: source for one in made for source in one.missing}
    return "\n".join(
        [
            *aligned(rows),
            "",
            *_sums(made),
            *(["", "What does not hold (the page says what was measured):", *differ] if differ else []),
            *_fetch(list(missing.values())),
            "",
            f"Written: {page}",
        ]
    )


def _sums(made: "Sequence[ReproducedFigure]") -> list[str]:
    """How many pictures reproduce and how many statements hold; stand-ins apart."""
    from noiseless.gallery.reproduction import tallies

    found = tallies(made)
    lines = []
    if found.figures:
        lines.append(f"{found.reproduced} of {found.figures} pictures of the papers reproduce.")
    if found.statements:
        lines.append(f"{found.held} of {found.statements} statements hold.")
    if found.stand_ins:
        lines.append(
            f"Not counted: {counted(found.stand_ins, 'figures')} with {found.stood_in} statements on "
            "stand-ins, which say nothing about the papers."
        )
    return lines


def _fetch(missing: "Sequence[PublicDataset]") -> list[str]:
    """Which public files to fetch, and where to put them."""
    if not missing:
        return []
    return [
        "",
        "Synthetic stand-ins take the place of these public files; name their folder in NOISELESS_DATA:",
        *(f"  {source.path}: {source.what}, {source.address}" for source in missing),
    ]


def _cores() -> int:
    """The cores that this process may use."""
    import os

    usable = getattr(os, "sched_getaffinity", None)  # not on every system
    return len(usable(0)) if usable is not None else os.cpu_count() or 1
