"""`noiseless attack linkage` and `homogeneity`: records that are unique, and groups that give a secret away."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from noiseless.cli.attacks.options import (
    BudgetsOption,
    PlotOption,
    TableArgument,
    check_plot,
    progress_bar,
    show_game,
)
from noiseless.cli.options import Format, FormatOption, NamesOption, columns_before_equals, split_names
from noiseless.cli.plan import read_number, read_span, read_spans
from noiseless.errors import RequestError

if TYPE_CHECKING:
    from noiseless.exact import Rational
    from noiseless.questions import Span

from pathlib import Path
from typing import Any

from noiseless.cli.options import MissingValues, columns

LINKAGE_HELP = """Which share of records is unique in what is told of them: whoever knows that much finds them.

Examples:

  noiseless attack linkage trips.parquet --column from=0:100 --column to=0:100 --budget 4 --budget 8

  noiseless attack linkage trips.parquet --column lat=40.5:40.9 --column lon=-74.3:-73.7 --outside drop
  --split even --split optimal --plot linkage.svg
"""


class BudgetSplit(StrEnum):
    """How a budget is split over columns."""

    even = "even"
    optimal = "optimal"


class OutOfBounds(StrEnum):
    """What happens to values outside their bounds."""

    error = "error"
    drop = "drop"
    clamp = "clamp"


class RecordGaps(StrEnum):
    """What happens to rows with a missing value."""

    error = "error"
    drop = "drop"


def linkage_command(
    table: TableArgument,
    *,
    column: Annotated[
        list[str] | None,
        typer.Option(
            "--column",
            metavar="COL=LO:HI[:STEP]",
            autocompletion=columns_before_equals,
            help="A column that is told as its cell, with its bounds and its step; give it again for more."
            " A single one may stand by itself, with --bounds.",
        ),
    ] = None,
    bounds: Annotated[
        tuple[str, str] | None,
        typer.Option("--bounds", metavar="LO HI", help="The bounds of a single column."),
    ] = None,
    step: Annotated[
        str | None, typer.Option("--step", metavar="S", help="The resolution of a single column.")
    ] = None,
    budget: BudgetsOption = None,
    split: Annotated[
        list[BudgetSplit] | None,
        typer.Option("--split", help="As many bits for each column, or the smallest worst error; or both."),
    ] = None,
    weight: Annotated[
        list[str] | None,
        typer.Option(
            "--weight",
            metavar="COL=W",
            autocompletion=columns_before_equals,
            help="What an error of 1 counts in a column, for the optimal split.",
        ),
    ] = None,
    outside: Annotated[
        OutOfBounds,
        typer.Option("--outside", help="Refuse values outside the bounds, drop their rows, or move them in."),
    ] = OutOfBounds.error,
    missing: Annotated[
        RecordGaps, typer.Option("--missing", help="Refuse missing values, or drop their rows.")
    ] = RecordGaps.error,
    plot: PlotOption = None,
    names: NamesOption = None,
    output: FormatOption = Format.text,
) -> None:
    """Play the game, draw it if that is wanted, and show it."""
    from noiseless.adversaries.linkage import linkage

    check_plot(plot)
    with progress_bar("linking records") as tell:
        game = linkage(
            table,
            _spans(column or [], bounds, step),
            budgets=budget,
            split=[way.value for way in split or [BudgetSplit.even]],
            weights=_weights(weight or []),
            outside=outside.value,
            missing=missing.value,
            names=split_names(names),
            progress=tell,
        )
    show_game(game, output, plot)


def _spans(columns: list[str], bounds: tuple[str, str] | None, step: str | None) -> dict[str, "Span"]:
    """The domain of each column; that of a single one may stand by itself."""
    if bounds is not None:
        if len(columns) != 1:
            raise RequestError("--bounds are those of one column; write several as --column COL=LO:HI[:STEP]")
        return {columns[0]: read_span("--bounds", *bounds, step)}
    if step is not None:
        raise RequestError("--step goes with --bounds; or write --column COL=LO:HI:STEP")
    return read_spans("--column", columns, {})


def _weights(texts: list[str]) -> "dict[str, Rational]":
    found: dict[str, Rational] = {}
    for text in texts:
        name, sign, number = text.rpartition("=")
        if not sign or not name:
            raise RequestError(f"--weight {text!r} is not COL=W, such as lon=0.76")
        found[name] = read_number("--weight", number)
    return found


HOMOGENEITY_HELP = """How many people's sensitive value is told by what is public about them, in a table or in a release.

Examples:

  noiseless attack homogeneity patients.csv --sensitive illness --public age --public postcode

  noiseless attack homogeneity patients.csv --sensitive illness --public age --budget 0.5 --budget 1
  --budget 1.5 --plot homogeneity.svg

  noiseless attack homogeneity patients.csv --sensitive illness --public age --released released.csv
  --unit patient
"""


def homogeneity_command(
    table: TableArgument,
    *,
    sensitive: Annotated[
        list[str],
        typer.Option(
            "--sensitive",
            metavar="COLUMN",
            autocompletion=columns,
            help="What the adversary is after; several are one.",
        ),
    ],
    public: Annotated[
        list[str],
        typer.Option(
            "--public",
            metavar="COLUMN",
            autocompletion=columns,
            help="What it sees; give it again for more columns.",
        ),
    ],
    given: Annotated[
        list[str] | None,
        typer.Option(
            "--given", metavar="COLUMN", autocompletion=columns, help="What it knows from elsewhere."
        ),
    ] = None,
    released: Annotated[
        str | None,
        typer.Option(
            "--released", metavar="TABLE", help="A release of the table; with --unit or --same-order."
        ),
    ] = None,
    certificate: Annotated[
        Path | None,
        typer.Option("--certificate", metavar="FILE", help="The certificate of a release instead."),
    ] = None,
    unit: Annotated[
        str | None,
        typer.Option(
            "--unit", metavar="COLUMN", autocompletion=columns, help="The column that names a person."
        ),
    ] = None,
    same_order: Annotated[
        bool, typer.Option("--same-order", help="The release has its rows in the order of the table.")
    ] = False,
    few: Annotated[
        int, typer.Option("--few", metavar="N", help="How few values left count as told.", min=1)
    ] = 1,
    budget: BudgetsOption = None,
    min_posterior: Annotated[
        list[int] | None,
        typer.Option(
            "--min-posterior",
            metavar="K",
            help="Release the table with K sensitive values behind each answer; give it again for more.",
            min=1,
        ),
    ] = None,
    suppress: Annotated[
        str | None,
        typer.Option("--suppress", metavar="SHARE", help="The share of rows that releases may suppress."),
    ] = None,
    numeric: Annotated[
        list[str] | None,
        typer.Option(
            "--numeric",
            metavar="COLUMN",
            autocompletion=columns,
            help="A public column of text to read as numbers.",
        ),
    ] = None,
    categorical: Annotated[
        list[str] | None,
        typer.Option(
            "--categorical",
            metavar="COLUMN",
            autocompletion=columns,
            help="A public column of numbers to take as categories.",
        ),
    ] = None,
    missing: Annotated[
        MissingValues,
        typer.Option("--missing", help="A missing value is one value, drops its row, or is an error."),
    ] = MissingValues.value,
    distinct_rows: Annotated[
        bool, typer.Option("--distinct-rows", help="Drop exact duplicates of whole rows first.")
    ] = False,
    plot: PlotOption = None,
    names: NamesOption = None,
    output: FormatOption = Format.text,
) -> None:
    """Play the game, draw it if that is wanted, and show it."""
    from noiseless.adversaries.homogeneity import homogeneity

    check_plot(plot)
    options: dict[str, Any] = {"suppress": suppress, "numeric": numeric, "categorical": categorical}
    with progress_bar("releasing and guessing") as tell:
        game = homogeneity(
            table,
            sensitive=sensitive,
            public=public,
            given=given or (),
            released=released,
            certificate=certificate,
            unit=unit,
            same_order=same_order,
            few=few,
            budgets=budget or (),
            min_posteriors=min_posterior or (),
            missing=missing.value,
            distinct_rows=distinct_rows,
            names=split_names(names),
            progress=tell,
            **{name: value for name, value in options.items() if value},
        )
    blind = f"Whoever sees nothing guesses right with probability {game.settings['blind_guess']:.3f}."
    show_game(game, output, plot, f"{game!r}\n{blind}")
