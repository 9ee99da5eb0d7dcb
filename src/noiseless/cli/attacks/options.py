"""What attack commands share: their options, a progress bar, and how a game is shown."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from noiseless.cli.options import Format, print_json, say
from noiseless.cli.options import progress_bar as share_bar

if TYPE_CHECKING:
    from noiseless.adversaries import Game

from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING

from noiseless.cli.options import columns
from noiseless.cli.plan import read_bounds, read_number
from noiseless.errors import RequestError

if TYPE_CHECKING:
    from noiseless.adversaries import Game


TableArgument = Annotated[str, typer.Argument(metavar="TABLE", help="A file, a glob or a database table.")]
BudgetsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--budget", metavar="B", help='Bits that one person may tell, or "reach K"; give it again for more.'
    ),
]
RoundsOption = Annotated[int, typer.Option("--rounds", metavar="N", help="How many rounds to play.", min=1)]
SeedOption = Annotated[int, typer.Option("--seed", metavar="SEED", help="Where random numbers begin.", min=0)]
PlotOption = Annotated[
    Path | None,
    typer.Option("--plot", metavar="OUT.png|svg", help="Draw the scores against the budget."),
]


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int], None] | None]:
    """A bar on stderr when that is a terminal: told how many steps of how many are done."""
    with share_bar(what) as tell:
        yield None if tell is None else lambda done, total: tell(done / max(total, 1))


def check_plot(plot: Path | None) -> None:
    """Refuse a plot that cannot be written, before the game is played."""
    if plot is not None:
        from noiseless.reports.game_plot import picture_kind
        from noiseless.tables import check_output

        picture_kind(plot)
        check_output(plot)


def show_game(game: "Game", output: Format, plot: Path | None = None, text: str | None = None) -> None:
    """Print a game as text (its own, unless one is given) or JSON, and draw it if that is wanted."""
    if plot is not None:
        from noiseless.reports.game_plot import game_plot

        game_plot(game, plot)
    if output is Format.json:
        print_json(game.to_dict())
        return
    say(repr(game) if text is None else text)
    if plot is not None:
        say(f"drawn in {plot}")


class Gaps(StrEnum):
    """What happens to rows without a value."""

    error = "error"
    drop = "drop"


ColumnOption = Annotated[
    str,
    typer.Option(
        "--column", metavar="COLUMN", autocompletion=columns, help="The private column; a row is a person."
    ),
]
BoundsOption = Annotated[
    tuple[str, str] | None,
    typer.Option(
        "--bounds",
        metavar="LO HI",
        help="Its smallest and largest possible number; without them its values are categories.",
    ),
]
StepOption = Annotated[str, typer.Option("--step", metavar="S", help="The resolution of numbers.")]
PublicOption = Annotated[
    list[str] | None,
    typer.Option(
        "--public",
        metavar="COLUMN",
        autocompletion=columns,
        help="A column that everybody knows: whoever is alone in these can be singled out. Everybody, if not"
        " given.",
    ),
]
TargetsOption = Annotated[
    int, typer.Option("--targets", metavar="N", help="How many people to attack, drawn by lot.", min=1)
]
GapsOption = Annotated[Gaps, typer.Option("--missing", help="Refuse missing values, or drop their rows.")]


def needed_bounds(bounds: tuple[str, str] | None) -> tuple[Decimal, Decimal]:
    """The bounds of a column that must hold numbers.

    Raises:
        RequestError: there are none.
    """
    found = read_bounds(bounds)
    if found is None:
        raise RequestError("say what the column may hold: --bounds LO HI")
    return found


def read_step(step: str) -> Decimal:
    """The step as it was written."""
    return read_number("--step", step)


def with_entropy(game: "Game") -> str:
    """A game as text, and what there is to know of a record."""
    from noiseless.exact import Bits

    values = game.settings["values"]
    held = f"The value is one of {values:,}: {Bits(values)}"
    return f"{game!r}\n{held}. A budget as large as that protects nothing."
