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
        from noiseless.reports.games import picture_kind
        from noiseless.tables import check_output

        picture_kind(plot)
        check_output(plot)


def show_game(game: "Game", output: Format, plot: Path | None = None, text: str | None = None) -> None:
    """Print a game as text (its own, unless one is given) or JSON, and draw it if that is wanted."""
    if plot is not None:
        from noiseless.reports.games import game_plot

        game_plot(game, plot)
    if output is Format.json:
        print_json(game.to_dict())
        return
    say(repr(game) if text is None else text)
    if plot is not None:
        say(f"drawn in {plot}")
