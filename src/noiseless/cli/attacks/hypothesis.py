"""`noiseless attack hypothesis`: is a yes/no fact found out, before and after a blur?"""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from noiseless.cli.attacks.options import TableArgument, check_plot, progress_bar, show_game
from noiseless.cli.attacks.private_column import Gaps, GapsOption
from noiseless.cli.blur import Mode, _bounds
from noiseless.cli.completion import columns_before_equals
from noiseless.cli.options import Format, FormatOption, NamesOption, say, split_names
from noiseless.cli.plan import read_number

HELP = """Test a yes/no fact about each row from a blurred table: for certain, and by betting.

The same is done with noise that moves values as far as the blur may.

Examples:

  noiseless attack hypothesis people.csv --hypothesis "weight >= 30*(height/100)**2" --max-change 2
  --max-change 5 --bounds weight=0:200 --bounds height=50:250

  noiseless attack hypothesis pay.parquet --hypothesis "income > 50000" --max-change 2000
  --bounds income=0:500000:100 --prior table --plot hypothesis.svg
"""


class Prior(StrEnum):
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
        Prior,
        typer.Option("--prior", help="The betting adversary's belief: any value alike, or as in the table."),
    ] = Prior.uniform,
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
        from noiseless.reports.games import game_plot

        game_plot(game, plot, across="max_change")
        if output is Format.text:
            say(f"drawn in {plot}")
