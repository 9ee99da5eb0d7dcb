"""`noiseless attack appliances`: which appliances are on, guessed from a quantised meter."""

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from noiseless.cli.attacks.options import (
    BudgetsOption,
    PlotOption,
    RoundsOption,
    SeedOption,
    TableArgument,
    check_plot,
    progress_bar,
    show_game,
)
from noiseless.cli.completion import columns
from noiseless.cli.options import Format, FormatOption, NamesOption, split_names
from noiseless.cli.plan import read_number

if TYPE_CHECKING:
    from noiseless.adversaries import Game

HELP = """How well appliances are recognised from the quantised readings of a house's meter: f-scores.

Examples:

  noiseless attack appliances house.parquet --meter mains --circuit fridge --circuit oven --bounds 0 12000

  noiseless attack appliances house.parquet --meter mains --circuit fridge --circuit oven --bounds 0 12000
  --step 1 --budget 2 --budget 4 --budget 8 --plot appliances.svg
"""

_BUDGETS = tuple(map(str, range(1, 9)))


class Players(StrEnum):
    """Who guesses."""

    combinatorial = "combinatorial"
    frequencies = "frequencies"


class Gaps(StrEnum):
    """What happens to rows with a missing value."""

    error = "error"
    drop = "drop"


def appliances_command(
    table: TableArgument,
    *,
    meter: Annotated[
        str,
        typer.Option(
            "--meter", metavar="COLUMN", autocompletion=columns, help="The readings of the whole house."
        ),
    ],
    circuit: Annotated[
        list[str],
        typer.Option(
            "--circuit",
            metavar="COLUMN",
            autocompletion=columns,
            help="The readings of one appliance; give it again for more.",
        ),
    ],
    bounds: Annotated[
        tuple[str, str],
        typer.Option("--bounds", metavar="LO HI", help="The smallest and the largest possible reading."),
    ],
    step: Annotated[
        str | None,
        typer.Option("--step", metavar="S", help="The resolution of readings; any number without it."),
    ] = None,
    budget: BudgetsOption = None,
    adversary: Annotated[
        list[Players] | None,
        typer.Option(
            "--adversary", help="By the nearest sum of learned levels, or by what was on before; or both."
        ),
    ] = None,
    top: Annotated[
        int | None,
        typer.Option("--top", metavar="N", help="Only the circuits that use the most energy.", min=1),
    ] = None,
    levels: Annotated[
        int, typer.Option("--levels", metavar="N", help="Levels of power of an appliance that is on.", min=1)
    ] = 2,
    threshold: Annotated[
        str,
        typer.Option("--threshold", metavar="P", help="How far above standby an appliance is on."),
    ] = "10",
    train: Annotated[
        str, typer.Option("--train", metavar="SHARE", help="The share of rows to learn from, the first ones.")
    ] = "0.25",
    blocks: Annotated[
        int, typer.Option("--blocks", metavar="N", help="Blocks of time that are resampled.", min=1)
    ] = 100,
    rounds: RoundsOption = 1000,
    seed: SeedOption = 0,
    clamp: Annotated[
        bool, typer.Option("--clamp", help="Move readings outside the bounds to the nearest value.")
    ] = False,
    missing: Annotated[
        Gaps, typer.Option("--missing", help="Refuse missing values, or drop their rows.")
    ] = Gaps.error,
    plot: PlotOption = None,
    names: NamesOption = None,
    output: FormatOption = Format.text,
) -> None:
    """Play the game, draw it if that is wanted, and show it."""
    from noiseless.adversaries.appliances import appliances

    check_plot(plot)
    with progress_bar("recognising appliances") as tell:
        game = appliances(
            table,
            meter=meter,
            circuits=circuit,
            bounds=(read_number("--bounds", bounds[0]), read_number("--bounds", bounds[1])),
            step=None if step is None else read_number("--step", step),
            budgets=budget or _BUDGETS,
            adversaries=[one.value for one in adversary or Players],
            top=top,
            levels=levels,
            threshold=float(read_number("--threshold", threshold)),
            train=read_number("--train", train),
            blocks=blocks,
            rounds=rounds,
            clamp=clamp,
            missing=missing.value,
            names=split_names(names),
            seed=seed,
            progress=tell,
        )
    show_game(game, output, plot, _text(game))


def _text(game: "Game") -> str:
    """A table for each adversary: a line a budget, a column an appliance."""
    settings: Any = game.settings
    learned, rows = settings["trained_rows"], settings["rows"]
    lines = [f"f-scores: learned from {learned:,} readings, guessed in {rows - learned:,} (seed {game.seed})"]
    for adversary in dict.fromkeys(score.details["adversary"] for score in game.results):
        mine = [score for score in game.results if score.details["adversary"] == adversary]
        names = list(dict.fromkeys(score.details["appliance"] for score in mine))
        cells = [["bits", names[0], "95 % interval", *names[1:]]]
        for place in range(0, len(mine), len(names)):
            mean, *each = mine[place : place + len(names)]
            bits = "inf" if mean.budget is None else f"{float(mean.budget):.4g}"
            interval = f"{mean.low:.3f} to {mean.high:.3f}"
            cells.append([bits, f"{mean.score:.3f}", interval, *(f"{one.score:.3f}" for one in each)])
        lines += ["", f"{adversary}:", *_aligned(cells)]
    return "\n".join(lines)


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  " + "  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True)) for row in rows
    ]
