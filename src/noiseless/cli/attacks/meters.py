"""`noiseless attack membership` and `appliances`: games about the readings of smart meters."""

from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from noiseless.cli.attacks.options import (
    BudgetsOption,
    GapsOption,
    PlotOption,
    RoundsOption,
    SeedOption,
    TableArgument,
    play,
)
from noiseless.cli.options import (
    BoundsOption,
    ClampOption,
    FormatOption,
    NamesOption,
    ReadingBoundsOption,
    ReadingStepOption,
    column_option,
    number_option,
    option,
)
from noiseless.display import aligned, bound_text
from noiseless.exact import Bits

if TYPE_CHECKING:
    from noiseless.adversaries import Game, Score
    from noiseless.adversaries.game import Budget

MEMBERSHIP_HELP = """Guess which of two households is in a group, from its means.

The table has a column for each household, or a row for each reading (--unit, --time and --value). A budget
is what one household may leak through one mean; a series of means leaks that much for each mean.

Examples:

  noiseless attack membership meters.parquet --bounds 0 10 --step 0.001 --plot membership.svg

  noiseless attack membership readings.csv --unit household --time hour --value kwh --bounds 0 10
  --people 4 --people 8 --budget 2 --budget 3
"""


MembershipAdversary = StrEnum(
    "MembershipAdversary", {"correlation": "correlation", "square_error": "square-error", "peaks": "peaks"}
)
"""How the adversary guesses."""


def membership_command(
    table: TableArgument,
    *,
    unit: Annotated[str | None, column_option("The column that names a household, in a long table.")] = None,
    time: Annotated[str | None, column_option("The column that orders readings.")] = None,
    value: Annotated[str | None, column_option("The column of readings, in a long table.")] = None,
    bounds: BoundsOption = None,
    step: Annotated[
        Decimal | None,
        number_option("--step", "S", "The resolution of readings; by default, their decimals."),
    ] = None,
    clamp: Annotated[
        bool, typer.Option("--clamp", help="Move readings outside the bounds to the nearest.")
    ] = False,
    most_missing: Annotated[
        Decimal,
        number_option("--most-missing", "SHARE", "Leave out households that lack more of their readings."),
    ] = Decimal("0.001"),
    query: Annotated[Literal["mean", "sum"], option("What is published about a group.")] = "mean",
    people: Annotated[list[int] | None, option("A group's size; repeat it for more.", "N")] = None,
    budgets: BudgetsOption = None,
    adversary: Annotated[
        list[MembershipAdversary] | None, option("How to guess; all ways by default.")
    ] = None,
    printed: Annotated[
        bool,
        typer.Option(
            "--printed", help="Also play with the cells of the recipe as first printed, which are too many."
        ),
    ] = False,
    window: Annotated[
        int | None, option("Publish this many answers in each round, at random times.", "N", min=3)
    ] = None,
    rounds: RoundsOption = 1000,
    seed: SeedOption = 0,
    plot: PlotOption = None,
    names: NamesOption = None,
    output: FormatOption = "text",
) -> None:
    """Play the game and show it."""
    options = locals()
    chosen = options.pop("adversary")
    play(
        "membership",
        "playing",
        options,
        lambda game: _membership_text(game, declared=bounds is not None),
        adversaries=[way.value for way in MembershipAdversary if not chosen or way in chosen],
    )


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
    return [f"  {line}" for line in aligned(rows, ">" * len(rows[0]))]


def _bits(budget: "Budget | None") -> str:
    if budget is None:
        return "all"
    return f"reach {budget.ratio}" if isinstance(budget, Bits) else f"{float(budget):g}"


def _interval(one: "Score") -> str:
    """Both ends with two decimals, never narrower than it is."""
    return f"{bound_text(one.low, 2, up=False)}-{bound_text(one.high, 2, up=True)}"


def _notes(game: "Game", *, declared: bool) -> list[str]:
    settings, notes = game.settings, list[str]()
    priced = [one for one in game.results if one.budget is not None and one.details["total_bits"]]
    if priced:
        bits, total = float(priced[0].budget or 0), priced[0].details["total_bits"]
        answers = f"{settings['window']:,} answers"
        notes.append(
            f"Bits are those of one answer: {answers} of {bits:g} leak {total:,.0f} about a household."
        )
    if any(one.details["recipe"] == "printed" for one in game.results):
        notes.append(
            "Cells as printed leak more about one household than the budget; see `reach` in the JSON."
        )
    if not declared:
        notes.append("The bounds were taken from the readings; a release must declare them: --bounds LO HI.")
    if settings["left_out"]:
        notes.append(f"{settings['left_out']:,} households lack too many readings and were left out.")
    if settings["filled"]:
        notes.append(f"{settings['filled']:,} missing readings were taken for the ones before them.")
    return notes


APPLIANCES_HELP = """\
Recognise appliances from the quantised readings of a house's meter.

Examples:

  noiseless attack appliances house.parquet --meter mains --circuit fridge --circuit oven --bounds 0 12000

  noiseless attack appliances house.parquet --meter mains --circuit fridge --circuit oven --bounds 0 12000
  --step 1 --budget 2 --budget 4 --budget 8 --plot appliances.svg
"""


RecognitionAdversary = StrEnum("RecognitionAdversary", ["combinatorial", "frequencies"])
"""Who guesses."""


def appliances_command(
    table: TableArgument,
    *,
    meter: Annotated[str, column_option("The readings of the whole house.")],
    circuit: Annotated[list[str], column_option("The readings of one appliance; repeat it for more.")],
    bounds: ReadingBoundsOption,
    step: ReadingStepOption = None,
    budgets: BudgetsOption = None,
    adversaries: Annotated[
        list[RecognitionAdversary] | None,
        option(
            "By the nearest sum of learned levels, or by what was on before; or both.", None, "--adversary"
        ),
    ] = None,
    top: Annotated[int | None, option("Only the circuits that use the most energy.", "N", min=1)] = None,
    levels: Annotated[int, option("Levels of power of an appliance that is on.", "N", min=1)] = 2,
    threshold: Annotated[
        Decimal, number_option("--threshold", "P", "How far above standby an appliance is on.")
    ] = Decimal(10),
    train: Annotated[
        Decimal, number_option("--train", "SHARE", "The share of rows to learn from, from the first on.")
    ] = Decimal("0.25"),
    blocks: Annotated[int, option("Blocks of time that are resampled.", "N", min=1)] = 100,
    rounds: RoundsOption = 1000,
    seed: SeedOption = 0,
    clamp: ClampOption = False,
    missing: GapsOption = "error",
    plot: PlotOption = None,
    names: NamesOption = None,
    output: FormatOption = "text",
) -> None:
    """Play the game, draw it if that is wanted, and show it."""
    options = locals()
    options["circuits"] = options.pop("circuit")
    play("appliances", "recognising appliances", options, _appliances_text, threshold=float(threshold))


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
        lines += ["", f"{adversary}:", *(f"  {line}" for line in aligned(cells, ">" * len(cells[0])))]
    return "\n".join(lines)
