"""`noiseless reproduce`: the papers' figures, made again."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from noiseless.cli.options import Format, FormatOption, print_json, say
from noiseless.errors import RequestError

if TYPE_CHECKING:
    from noiseless.gallery.data import Data, PublicDataset
    from noiseless.gallery.figure import Figure
    from noiseless.gallery.reproduction import ReproducedFigure

HELP = """The papers' figures, made again: what they claim, what is measured, and whether both agree.

Examples:

  noiseless reproduce -o gallery

  noiseless reproduce p1-fig3 p5-kl -o gallery

  noiseless reproduce --list
"""


def reproduce_command(
    *,
    figures: Annotated[
        list[str] | None, typer.Argument(metavar="FIGURE", help="Figures by name; all of them if none.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="DIR", help="Write pictures, numbers and a page here."),
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="Name the figures, and make none.")] = False,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs", metavar="N", min=1, help="How many figures are made at a time; one a core if not given."
        ),
    ] = None,
    output: FormatOption = Format.text,
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

    with _bar(len(chosen)) as tell:
        made = reproduce(
            out, [figure.name for figure in chosen], data=data, jobs=jobs or _cores(), progress=tell
        )
    if output is Format.json:
        print_json({"folder": str(out), "page": PAGE, "figures": [one.to_dict() for one in made]})
    else:
        say(_text(made, out / PAGE))


def _list(figures: "Sequence[Figure]", data: "Data", output: Format) -> None:
    """All figures and the data sets that they need."""
    if output is Format.json:
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
    say("\n".join([*_columns(rows), *_fetch(list(missing.values()))]))


def _text(made: "Sequence[ReproducedFigure]", page: Path) -> str:
    """A line a figure, the statements that do not hold, and where to look."""
    rows = []
    for one in made:
        held = sum(check.agrees for check in one.outcome.checks)
        rows.append(
            (
                one.figure.name,
                one.figure.paper,
                "agrees" if one.outcome.agrees else f"{held} of {len(one.outcome.checks)} agree",
                "synthetic stand-in" if one.outcome.synthetic else "",
            )
        )
    differ = [
        f"  {one.figure.name}: {check.claim.rstrip('.')}"
        for one in made
        for check in one.outcome.checks
        if not check.agrees
    ]
    missing = {source.name: source for one in made for source in one.missing}
    return "\n".join(
        [
            *_columns(rows),
            *(["", "What does not hold (the page says what was measured):", *differ] if differ else []),
            *_fetch(list(missing.values())),
            "",
            f"Written: {page}",
        ]
    )


def _columns(rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(f"{cell:<{w}}" for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows]


def _fetch(missing: "Sequence[PublicDataset]") -> list[str]:
    """Which public files to fetch, and where to put them."""
    if not missing:
        return []
    return [
        "",
        "Synthetic stand-ins take the place of these public files; name their folder in NOISELESS_DATA:",
        *(f"  {source.path}: {source.what}, {source.address}" for source in missing),
    ]


@contextmanager
def _bar(figures: int) -> Iterator[Callable[[int, int, str], None] | None]:
    """A bar on stderr that says which figure was made last, when that is a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    parts = (TextColumn("making figures"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*parts, TextColumn("{task.description}"), console=console, transient=True) as bar:
        task = bar.add_task("", total=figures)
        yield lambda done, _, name: bar.update(task, completed=done, description=name)


def _cores() -> int:
    """The cores that this process may use."""
    import os

    usable = getattr(os, "sched_getaffinity", None)  # not on every system
    return len(usable(0)) if usable is not None else os.cpu_count() or 1
