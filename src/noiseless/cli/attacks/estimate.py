"""`noiseless attack estimate`: how well can a person's value be guessed from a quantised answer?"""

from enum import StrEnum
from typing import Annotated

import typer

from noiseless.cli.attacks.options import (
    BudgetsOption,
    PlotOption,
    TableArgument,
    check_plot,
    progress_bar,
    show_game,
)
from noiseless.cli.attacks.private_column import (
    BoundsOption,
    ColumnOption,
    Gaps,
    GapsOption,
    needed_bounds,
    read_step,
)
from noiseless.cli.options import Format, FormatOption, NamesOption, split_names

HELP = """Estimate a person's value from a quantised answer, beside the least error that is promised.

Examples:

  noiseless attack estimate patients.csv --column age --bounds 0 120

  noiseless attack estimate meters.csv --column kwh --bounds 0 10 --any-number --power 1 --plot estimate.svg
"""


class Prior(StrEnum):
    """What the adversary believes beforehand."""

    uniform = "uniform"
    triangular = "triangular"
    table = "table"


class Told(StrEnum):
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
        list[Prior] | None,
        typer.Option("--prior", help="What the adversary believes; all of them without it."),
    ] = None,
    told: Annotated[
        list[Told] | None,
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
