"""`noiseless attack estimate` and `hypothesis`: a value, or a yes/no fact, inferred from what is released."""

from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from noiseless.cli.attacks.options import (
    BoundsOption,
    BudgetsOption,
    ColumnOption,
    GapsOption,
    PlotOption,
    TableArgument,
    check_bounds,
    percent_text,
    play,
)
from noiseless.cli.blur import DomainsOption, HypothesisBounds, ModeOption
from noiseless.cli.options import FormatOption, NamesOption, number_option, option
from noiseless.cli.values import read_ranges

if TYPE_CHECKING:
    from noiseless.adversaries import Game

ESTIMATE_HELP = """Estimate a person's value from a quantised answer.

The error is shown beside the least error promised.

Examples:

  noiseless attack estimate patients.csv --column age --bounds 0 120

  noiseless attack estimate meters.csv --column kwh --bounds 0 10 --any-number --power 1 --plot estimate.svg
"""


EstimatePrior = StrEnum("EstimatePrior", ["uniform", "triangular", "table"])
"""What the adversary believes beforehand."""


QuantizedQuantity = StrEnum("QuantizedQuantity", ["value", "sum"])
"""Of what the cell is told."""


def estimate_command(
    table: TableArgument,
    *,
    column: ColumnOption,
    bounds: BoundsOption = None,
    step: Annotated[Decimal, number_option("--step", "S", "The resolution of values.")] = Decimal(1),
    any_number: Annotated[
        bool, typer.Option("--any-number", help="Values are any numbers between the bounds, without a step.")
    ] = False,
    budgets: BudgetsOption = None,
    priors: Annotated[
        list[EstimatePrior] | None,
        option("What the adversary believes; all priors by default.", None, "--prior"),
    ] = None,
    told: Annotated[
        list[QuantizedQuantity] | None,
        option("What is published: the cell of the person's own value, or of the sum over the table."),
    ] = None,
    power: Annotated[int, option("Errors as they are (1) or squared (2).", "P", min=1, max=2)] = 2,
    missing: GapsOption = "error",
    plot: PlotOption = None,
    names: NamesOption = None,
    output: FormatOption = "text",
) -> None:
    """Play the game and show it."""
    options = locals()
    del options["any_number"]
    check_bounds(bounds)
    play("estimate", "estimating", options, _estimate_text, step=None if any_number else step)


def _estimate_text(game: "Game") -> str:
    return f"{game!r}\nNo estimate from as many outputs is better than the bound."


HYPOTHESIS_HELP = """Infer a yes/no fact about each row from a blurred table.

Some rows give it away for certain; for the others the adversary bets. Noise that moves values as far as the
blur may is attacked beside it.

Examples:

  noiseless attack hypothesis people.csv --hypothesis "weight >= 30*(height/100)**2" --max-change 2
  --max-change 5 --bounds weight=0:200 --bounds height=50:250

  noiseless attack hypothesis pay.parquet --hypothesis "income > 50000" --max-change 2000
  --bounds income=0:500000:100 --prior table --plot hypothesis.svg
"""


def hypothesis_command(
    table: TableArgument,
    *,
    hypothesis: Annotated[str, option("The fact: a column compared with an expression of others.", "TEXT")],
    max_changes: Annotated[
        list[Decimal],
        number_option("--max-change", "D", "The most that a value may move; repeat it for more blurs."),
    ],
    bounds: HypothesisBounds = None,
    schema: DomainsOption = None,
    mode: ModeOption = "stretch",
    prior: Annotated[
        Literal["uniform", "table"],
        option("The betting adversary's belief: any value alike, or as in the table."),
    ] = "uniform",
    missing: GapsOption = "error",
    plot: Annotated[Path | None, option("Draw the scores against the largest change.", "OUT.png|svg")] = None,
    names: NamesOption = None,
    output: FormatOption = "text",
) -> None:
    """Play the game and show it."""
    options = locals()
    ranges = read_ranges("--bounds", bounds)
    play("hypothesis", "testing", options, _hypothesis_text, across="max_change", bounds=ranges)


def _hypothesis_text(game: "Game") -> str:
    rows, true = game.settings["rows"], game.settings["true"]
    share = max(true, rows - true) / rows
    fact = game.settings["hypothesis"]
    baseline = f"Baseline: a blind guess is right for {percent_text(share)}."
    title = f"{fact} holds for {true:,} of {rows:,} rows. {baseline}"
    return f"{title}\n{game!r}"
