"""`noiseless attack linkage` and `homogeneity`: unique records, and groups that give a secret away."""

from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from noiseless.cli.attacks.options import (
    BudgetsOption,
    GapsOption,
    PlotOption,
    TableArgument,
    percent_text,
    play,
)
from noiseless.cli.options import (
    CategoricalOption,
    DistinctOption,
    FormatOption,
    Missing,
    NamesOption,
    NumericOption,
    column_option,
    number_option,
    option,
    per_column,
)
from noiseless.cli.values import read_assigned, read_number, read_spans, span
from noiseless.errors import RequestError

if TYPE_CHECKING:
    from noiseless.adversaries import Game
    from noiseless.questions import Span

LINKAGE_HELP = """\
What share of records is unique in the published columns.

These are columns of numbers, published as cells. For any table as it is, use
`noiseless audit TABLE --public COLUMN`.

Examples:

  noiseless attack linkage trips.parquet --column from=0:100 --column to=0:100 --budget 4 --budget 8

  noiseless attack linkage trips.parquet --column lat=40.5:40.9 --column lon=-74.3:-73.7 --outside drop
  --split even --split optimal --plot linkage.svg
"""


BudgetSplit = StrEnum("BudgetSplit", ["even", "optimal"])
"""How a budget is split over columns."""


def linkage_command(
    table: TableArgument,
    *,
    column: Annotated[
        list[str] | None,
        per_column(
            "A column published as its cell, with its bounds and step; repeat it for more."
            " A single one may stand by itself, with --bounds.",
            "COL=LO:HI[:STEP]",
        ),
    ] = None,
    bounds: Annotated[
        tuple[Decimal, Decimal] | None, number_option("--bounds", "LO HI", "The bounds of a single column.")
    ] = None,
    step: Annotated[
        Decimal | None, number_option("--step", "S", "The resolution of a single column.")
    ] = None,
    budgets: BudgetsOption = None,
    split: Annotated[
        list[BudgetSplit] | None,
        option("As many bits for each column, or the smallest worst error; or both."),
    ] = None,
    weight: Annotated[
        list[str] | None, per_column("What an error of 1 counts in a column, for the optimal split.", "COL=W")
    ] = None,
    outside: Annotated[
        Literal["error", "drop", "clamp"],
        option("Refuse values outside the bounds, drop their rows, or move them in."),
    ] = "error",
    missing: GapsOption = "error",
    plot: PlotOption = None,
    names: NamesOption = None,
    output: FormatOption = "text",
) -> None:
    """Play the game, draw it if that is wanted, and show it."""
    asked = {
        name: value for name, value in locals().items() if name not in ("column", "bounds", "step", "weight")
    }
    weights = dict(read_assigned("--weight", text, "COL=W, such as lon=0.76") for text in weight or ())
    play(
        "linkage",
        "linking records",
        asked,
        columns=_spans(column or [], bounds, step),
        weights={name: read_number("--weight", text) for name, text in weights.items()},
    )


def _spans(
    columns: list[str], bounds: tuple[Decimal, Decimal] | None, step: Decimal | None
) -> "dict[str, Span]":
    """The domain of each column; that of a single one may stand by itself."""
    if bounds is not None:
        if len(columns) != 1:
            raise RequestError("--bounds are those of one column; write several as --column COL=LO:HI[:STEP]")
        return {columns[0]: span(*bounds, step)}
    if step is not None:
        raise RequestError("--step goes with --bounds; or write --column COL=LO:HI:STEP")
    return read_spans("--column", columns)


HOMOGENEITY_HELP = """\
How many people's sensitive values a table or a release gives away.

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
    sensitive: Annotated[list[str], column_option("The secret; several columns count as one.")],
    public: Annotated[list[str], column_option("A column the adversary sees; repeat it for more.")],
    given: Annotated[list[str] | None, column_option("A column it knows from another source.")] = None,
    released: Annotated[
        str | None, option("A release of the table; with --unit or --same-order.", "TABLE")
    ] = None,
    certificate: Annotated[Path | None, option("The certificate of a release instead.", "FILE")] = None,
    unit: Annotated[str | None, column_option("The column that identifies a person.")] = None,
    same_order: Annotated[
        bool, typer.Option("--same-order", help="The release has its rows in the order of the table.")
    ] = False,
    few: Annotated[int, option("How few remaining values count as disclosed.", "N", min=1)] = 1,
    budgets: BudgetsOption = None,
    min_posteriors: Annotated[
        list[int] | None,
        option(
            "Release the table with K sensitive values behind each answer; repeat it for more.",
            "K",
            "--min-posterior",
            min=1,
        ),
    ] = None,
    suppress: Annotated[str | None, option("The share of rows that releases may suppress.", "SHARE")] = None,
    numeric: NumericOption = None,
    categorical: CategoricalOption = None,
    missing: Annotated[
        Missing, option("A missing value counts as one more value, drops its row, or is an error.")
    ] = "value",
    distinct_rows: DistinctOption = False,
    plot: PlotOption = None,
    names: NamesOption = None,
    output: FormatOption = "text",
) -> None:
    """Play the game, draw it if that is wanted, and show it."""
    play("homogeneity", "releasing and guessing", locals(), _homogeneity_text)


def _homogeneity_text(game: "Game") -> str:
    blind = f"Baseline: a blind guess is right {percent_text(game.settings['blind_guess'])} of the time."
    return f"{game!r}\n{blind}"
