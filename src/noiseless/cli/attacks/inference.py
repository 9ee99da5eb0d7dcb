"""`noiseless attack estimate` and `hypothesis`: a person's value, or a yes/no fact, inferred from what is released."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from noiseless.cli.attacks.options import (
    BoundsOption,
    BudgetsOption,
    ColumnOption,
    Gaps,
    GapsOption,
    PlotOption,
    TableArgument,
    check_plot,
    needed_bounds,
    progress_bar,
    read_step,
    show_game,
)
from noiseless.cli.blur import Mode, _bounds
from noiseless.cli.options import Format, FormatOption, NamesOption, columns_before_equals, say, split_names
from noiseless.cli.plan import read_number

ESTIMATE_HELP = """Estimate a person's value from a quantised answer, beside the least error that is promised.

Examples:

  noiseless attack estimate patients.csv --column age --bounds 0 120

  noiseless attack estimate meters.csv --column kwh --bounds 0 10 --any-number --power 1 --plot estimate.svg
"""


class EstimatePrior(StrEnum):
    """What the adversary believes beforehand."""

    uniform = "uniform"
    triangular = "triangular"
    table = "table"


class QuantizedQuantity(StrEnum):
    """Of what the cell is told."""

    value = "value"
    sum = "sum"


def estimate_command(
    table: TableArgument,
    *,
    column: ColumnOption,
    bounds: BoundsOption = None,
    step: Annotated[str, typer.Option("--step", metavar="S", help="The resolution of values.")] = "1",
    any_number: Annotated[
        bool, typer.Option("--any-number", help="Values are any numbers between the bounds, without a step.")
    ] = False,
    budget: BudgetsOption = None,
    prior: Annotated[
        list[EstimatePrior] | None,
        typer.Option("--prior", help="What the adversary believes; all of them without it."),
    ] = None,
    told: Annotated[
        list[QuantizedQuantity] | None,
        typer.Option("--told", help="The cell of the person's own value, or of the sum over the table."),
    ] = None,
    power: Annotated[
        int, typer.Option("--power", metavar="P", help="Errors as they are (1) or squared (2).", min=1, max=2)
    ] = 2,
    missing: GapsOption = Gaps.error,
    plot: PlotOption = None,
    names: NamesOption = None,
    output: FormatOption = Format.text,
) -> None:
    """Play the game and show it."""
    from noiseless.adversaries.estimate import BUDGETS, estimate

    check_plot(plot)
    with progress_bar("estimating") as tell:
        game = estimate(
            table,
            column,
            bounds=needed_bounds(bounds),
            step=None if any_number else read_step(step),
            budgets=budget or BUDGETS,
            priors=None if not prior else [each.value for each in prior],
            told=None if not told else [each.value for each in told],
            power=power,
            missing=missing.value,
            names=split_names(names),
            progress=tell,
        )
    show_game(game, output, plot, f"{game!r}\nNo estimate from as many outputs is better than the bound.")


HYPOTHESIS_HELP = """Test a yes/no fact about each row from a blurred table: for certain, and by betting.

The same is done with noise that moves values as far as the blur may.

Examples:

  noiseless attack hypothesis people.csv --hypothesis "weight >= 30*(height/100)**2" --max-change 2
  --max-change 5 --bounds weight=0:200 --bounds height=50:250

  noiseless attack hypothesis pay.parquet --hypothesis "income > 50000" --max-change 2000
  --bounds income=0:500000:100 --prior table --plot hypothesis.svg
"""


class HypothesisPrior(StrEnum):
    """What the betting adversary believes."""

    uniform = "uniform"
    table = "table"


def hypothesis_command(
    table: TableArgument,
    *,
    hypothesis: Annotated[
        str,
        typer.Option(
            "--hypothesis",
            metavar="TEXT",
            help="The fact: a column compared with an expression of others.",
        ),
    ],
    max_change: Annotated[
        list[str],
        typer.Option(
            "--max-change", metavar="D", help="The most that a value may move; give it again for more blurs."
        ),
    ],
    bounds: Annotated[
        list[str] | None,
        typer.Option(
            "--bounds",
            metavar="COL=LO:HI[:STEP]",
            autocompletion=columns_before_equals,
            help="What a column of the hypothesis may hold; its step is 1 unless given.",
        ),
    ] = None,
    schema: Annotated[
        Path | None, typer.Option("--schema", metavar="FILE", help="Declared domains, instead of --bounds.")
    ] = None,
    mode: Annotated[
        Mode, typer.Option("--mode", help="Keep released values spread out, or release one value a fibre.")
    ] = Mode.stretch,
    prior: Annotated[
        HypothesisPrior,
        typer.Option("--prior", help="The betting adversary's belief: any value alike, or as in the table."),
    ] = HypothesisPrior.uniform,
    missing: GapsOption = Gaps.error,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="OUT.png|svg", help="Draw the scores against the largest change."),
    ] = None,
    names: NamesOption = None,
    output: FormatOption = Format.text,
) -> None:
    """Play the game and show it."""
    from noiseless.adversaries.hypothesis import hypothesis as play

    check_plot(plot)
    with progress_bar("testing") as tell:
        game = play(
            table,
            hypothesis,
            max_changes=[read_number("--max-change", change) for change in max_change],
            bounds=_bounds(bounds or []),
            schema=schema,
            mode=mode.value,
            prior=prior.value,
            missing=missing.value,
            names=split_names(names),
            progress=tell,
        )
    rows, true = game.settings["rows"], game.settings["true"]
    share = max(true, rows - true) / rows
    fact = game.settings["hypothesis"]
    title = f"{fact} holds for {true:,} of {rows:,} rows; whoever sees nothing is right for {share:.3f}."
    show_game(game, output, text=f"{title}\n{game!r}")
    if plot is not None:
        from noiseless.reports.game_plot import game_plot

        game_plot(game, plot, across="max_change")
        if output is Format.text:
            say(f"drawn in {plot}")
