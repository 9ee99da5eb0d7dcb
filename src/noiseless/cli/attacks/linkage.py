"""`noiseless attack linkage`: which records are unique in what is told of them."""

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
from noiseless.cli.completion import columns_before_equals
from noiseless.cli.options import Format, FormatOption, NamesOption, split_names
from noiseless.cli.plan import read_number, read_span, read_spans
from noiseless.errors import RequestError

if TYPE_CHECKING:
    from noiseless.exact import Rational
    from noiseless.questions import Span

HELP = """Which share of records is unique in what is told of them: whoever knows that much finds them.

Examples:

  noiseless attack linkage trips.parquet --column from=0:100 --column to=0:100 --budget 4 --budget 8

  noiseless attack linkage trips.parquet --column lat=40.5:40.9 --column lon=-74.3:-73.7 --outside drop
  --split even --split optimal --plot linkage.svg
"""


class Splits(StrEnum):
    """How a budget is split over columns."""

    even = "even"
    optimal = "optimal"


class Outsiders(StrEnum):
    """What happens to values outside their bounds."""

    error = "error"
    drop = "drop"
    clamp = "clamp"


class Gaps(StrEnum):
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
        list[Splits] | None,
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
        Outsiders,
        typer.Option("--outside", help="Refuse values outside the bounds, drop their rows, or move them in."),
    ] = Outsiders.error,
    missing: Annotated[
        Gaps, typer.Option("--missing", help="Refuse missing values, or drop their rows.")
    ] = Gaps.error,
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
            split=[way.value for way in split or [Splits.even]],
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
