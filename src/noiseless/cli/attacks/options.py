"""What attack commands share: their options, and how a game is played and shown."""

from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from noiseless.cli.options import Gaps, column_option, number_option, option, print_json, progress_bar, say
from noiseless.errors import RequestError

if TYPE_CHECKING:
    from noiseless.adversaries import Game

TableArgument = Annotated[str, typer.Argument(metavar="TABLE", help="A file, a glob or a database table.")]
BudgetsOption = Annotated[
    list[str] | None,
    option('Bits that may leak about one person, or "reach K"; repeat it for more.', "B", "--budget"),
]
RoundsOption = Annotated[int, option("How many rounds to play.", "N", min=1)]
SeedOption = Annotated[int, option("The seed of the random numbers.", "SEED", min=0)]
PlotOption = Annotated[Path | None, option("Draw the scores against the budget.", "OUT.png|svg")]
GapsOption = Annotated[Gaps, option("Refuse missing values, or drop their rows.")]
ColumnOption = Annotated[str, column_option("The private column; a row is a person.")]
BoundsOption = Annotated[
    tuple[Decimal, Decimal] | None,
    number_option(
        "--bounds",
        "LO HI",
        "Its smallest and largest possible number; without them its values are categories.",
    ),
]
StepOption = Annotated[Decimal, number_option("--step", "S", "The resolution of numbers.")]


def play(
    game: str,
    doing: str,
    options: Mapping[str, Any],
    text: "Callable[[Game], str]" = repr,
    across: str = "budget",
    **settled: Any,  # noqa: ANN401 - whatever a game takes
) -> None:
    """Play a game, draw it if that is wanted, and show it.

    Args:
        game: its name in `noiseless.adversaries`.
        doing: what the bar says meanwhile.
        options: of the command: what the game takes, `plot` and `output`; for those that are not given the
            game has its own defaults.
        text: what is said of the game to people.
        across: what scores are drawn against.
        settled: what the game takes in any case, instead of what is in the options.
    """
    from noiseless import adversaries

    asked = {name: value for name, value in options.items() if value is not None and value != []}
    asked |= settled
    plot, output = asked.pop("plot", None), asked.pop("output")
    if plot is not None:
        from noiseless.reports.canvas import picture_kind
        from noiseless.tables import check_output

        picture_kind(plot)
        check_output(plot)
    with progress_bar(doing) as tell:
        played = getattr(adversaries, game)(asked.pop("table"), **asked, progress=tell)
    if plot is not None:
        from noiseless.reports.game_plot import game_plot

        game_plot(played, plot, across=across)
    if output == "json":
        print_json(played.to_dict())
        return
    say(text(played))
    if plot is not None:
        say(f"Plot: {plot}")


def check_bounds(bounds: tuple[Decimal, Decimal] | None) -> None:
    """Check that there are bounds, for a column must hold numbers.

    Raises:
        RequestError: there are none.
    """
    if bounds is None:
        raise RequestError("say what the column may hold: --bounds LO HI")


def with_entropy(game: "Game") -> str:
    """A game as text, and what there is to know of a record."""
    from noiseless.exact import Bits

    values = game.settings["values"]
    held = f"The value is one of {values:,}: {Bits(values)}"
    return f"{game!r}\n{held}. A budget as large as that protects nothing."


def percent_text(share: float) -> str:
    """A share that guarantees nothing, in per cent to the nearest of three digits.

    >>> percent_text(0.35), percent_text(1 / 3)
    ('35 %', '33.3 %')
    """
    return f"{100 * share:.3g} %"
