"""`noiseless attack membership` and `appliances`: games about the readings of smart meters."""

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
from noiseless.cli.options import Format, FormatOption, NamesOption, columns, split_names
from noiseless.cli.plan import BoundsOption, read_bounds, read_number

if TYPE_CHECKING:
    from noiseless.adversaries import Game, Score
    from noiseless.adversaries.game import Budget

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from noiseless.adversaries import Game


MEMBERSHIP_HELP = """Guess which of two households is in a group, from the group's mean at each time.

The table has a column a household, or a row a reading (--unit, --time and --value). A budget is what one
household may tell through one mean; a series of means tells as many times that.

Examples:

  noiseless attack membership meters.parquet --bounds 0 10 --step 0.001 --plot membership.svg

  noiseless attack membership readings.csv --unit household --time hour --value kwh --bounds 0 10
  --people 4 --people 8 --budget 2 --budget 3
"""


class GroupAggregate(StrEnum):
    """What is told of a group."""

    mean = "mean"
    sum = "sum"


class MembershipAdversary(StrEnum):
    """How the adversary guesses."""

    correlation = "correlation"
    square_error = "square-error"
    peaks = "peaks"


def membership_command(
    table: TableArgument,
    *,
    unit: Annotated[
        str | None,
        typer.Option(
            "--unit",
            metavar="COLUMN",
            autocompletion=columns,
            help="The column that names a household, in a long table.",
        ),
    ] = None,
    time: Annotated[
        str | None,
        typer.Option(
            "--time", metavar="COLUMN", autocompletion=columns, help="The column that orders readings."
        ),
    ] = None,
    value: Annotated[
        str | None,
        typer.Option(
            "--value",
            metavar="COLUMN",
            autocompletion=columns,
            help="The column of readings, in a long table.",
        ),
    ] = None,
    bounds: BoundsOption = None,
    step: Annotated[
        str | None,
        typer.Option("--step", metavar="S", help="The resolution of readings; their decimals without it."),
    ] = None,
    clamp: Annotated[
        bool, typer.Option("--clamp", help="Move readings outside the bounds to the nearest.")
    ] = False,
    most_missing: Annotated[
        str,
        typer.Option(
            "--most-missing",
            metavar="SHARE",
            help="Leave out households that lack more of their readings.",
        ),
    ] = "0.001",
    query: Annotated[
        GroupAggregate, typer.Option("--query", help="What is told of a group.")
    ] = GroupAggregate.mean,
    people: Annotated[
        list[int] | None,
        typer.Option("--people", metavar="N", help="A group's size; give it again for more."),
    ] = None,
    budget: BudgetsOption = None,
    adversary: Annotated[
        list[MembershipAdversary] | None,
        typer.Option("--adversary", help="How to guess; all ways without it."),
    ] = None,
    printed: Annotated[
        bool,
        typer.Option("--printed", help="Play also with the cells of the recipe as first printed, too many."),
    ] = False,
    window: Annotated[
        int | None,
        typer.Option("--window", metavar="N", help="Tell so many answers a round, at random times.", min=3),
    ] = None,
    rounds: RoundsOption = 1000,
    seed: SeedOption = 0,
    plot: PlotOption = None,
    names: NamesOption = None,
    output: FormatOption = Format.text,
) -> None:
    """Play the game and show it."""
    from noiseless.adversaries.membership import BUDGETS, membership
    from noiseless.adversaries.membership_rounds import ADVERSARIES

    check_plot(plot)
    with progress_bar("playing") as progress:
        game = membership(
            table,
            unit=unit,
            time=time,
            value=value,
            bounds=read_bounds(bounds),
            step=None if step is None else read_number("--step", step),
            clamp=clamp,
            most_missing=read_number("--most-missing", most_missing),
            names=split_names(names),
            query=query.value,
            people=people or None,
            budgets=budget or BUDGETS,
            adversaries=[a for a in ADVERSARIES if not adversary or a in adversary],
            printed=printed,
            window=window,
            rounds=rounds,
            seed=seed,
            progress=progress,
        )
    show_game(game, output, plot, _membership_text(game, declared=bounds is not None))


def _membership_text(game: "Game", *, declared: bool) -> str:
    """A block an adversary: a row a budget, a column a group size."""
    settings, rounds = game.settings, game.results[0].details["rounds"]
    title = (
        f"Which of two households is in the {settings['query']} of n? The probability of a right guess in"
        f" {rounds:,} rounds,\nand its 95 % interval, from {settings['window']:,} answers;"
        f" {settings['households']:,} households take part. A coin is right with 0.5."
    )
    lines = [title]
    for name, results in _blocks(game.results).items():
        lines += ["", name, *_grid(results)]
    return "\n".join([*lines, "", *_notes(game, declared=declared)])


def _blocks(results: "tuple[Score, ...]") -> "dict[str, list[Score]]":
    blocks = dict[str, list[Any]]()
    recipes = {one.details["recipe"] for one in results}
    for one in results:
        printed = ", cells as printed in [P1]" * (one.details["recipe"] == "printed")
        sound = ", the finest cells" * (one.details["recipe"] == "finest" and len(recipes) > 1)
        blocks.setdefault(f"{one.details['adversary']}{printed}{sound}", []).append(one)
    return blocks


def _grid(results: "list[Score]") -> list[str]:
    sizes = list(dict.fromkeys(one.details["people"] for one in results))
    found = {(one.budget, one.details["people"]): one for one in results}
    rows = [["bits", *(f"n = {size:,}" for size in sizes)]]
    for budget in dict.fromkeys(one.budget for one in results):
        cells = [found[budget, size] for size in sizes]
        rows.append([_bits(budget), *(f"{one.score:.3f} {_interval(one)}" for one in cells)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  " + "  ".join(f"{c:>{w}}" for c, w in zip(row, widths, strict=True)).rstrip() for row in rows]


def _bits(budget: "Budget | None") -> str:
    from noiseless.exact import Bits

    if budget is None:
        return "all"
    return f"reach {budget.ratio}" if isinstance(budget, Bits) else f"{float(budget):g}"


def _interval(one: "Score") -> str:
    """Both ends with two decimals, never narrower than it is."""
    from noiseless.display import bound_text

    return f"{bound_text(one.low, 2, up=False)}-{bound_text(one.high, 2, up=True)}"


def _notes(game: "Game", *, declared: bool) -> list[str]:
    settings, notes = game.settings, list[str]()
    priced = [one for one in game.results if one.budget is not None and one.details["total_bits"]]
    if priced:
        bits, total = float(priced[0].budget or 0), priced[0].details["total_bits"]
        answers = f"{settings['window']:,} answers"
        notes.append(f"Bits are those of one answer: {answers} of {bits:g} tell {total:,.0f} of a household.")
    if any(one.details["recipe"] == "printed" for one in game.results):
        notes.append("Cells as printed let one household tell more than the budget; see `reach` in the JSON.")
    if not declared:
        notes.append("The bounds were taken from the readings; a release must declare them: --bounds LO HI.")
    if settings["left_out"]:
        notes.append(f"{settings['left_out']:,} households lack too many readings and were left out.")
    if settings["filled"]:
        notes.append(f"{settings['filled']:,} missing readings were taken for the ones before them.")
    return notes


APPLIANCES_HELP = """How well appliances are recognised from the quantised readings of a house's meter: f-scores.

Examples:

  noiseless attack appliances house.parquet --meter mains --circuit fridge --circuit oven --bounds 0 12000

  noiseless attack appliances house.parquet --meter mains --circuit fridge --circuit oven --bounds 0 12000
  --step 1 --budget 2 --budget 4 --budget 8 --plot appliances.svg
"""

_BUDGETS = tuple(map(str, range(1, 9)))


class RecognitionAdversary(StrEnum):
    """Who guesses."""

    combinatorial = "combinatorial"
    frequencies = "frequencies"


class MeterGaps(StrEnum):
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
        list[RecognitionAdversary] | None,
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
        MeterGaps, typer.Option("--missing", help="Refuse missing values, or drop their rows.")
    ] = MeterGaps.error,
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
            adversaries=[one.value for one in adversary or RecognitionAdversary],
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
    show_game(game, output, plot, _appliances_text(game))


def _appliances_text(game: "Game") -> str:
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
