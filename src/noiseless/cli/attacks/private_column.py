"""The options of attacks on one private column: which it is, what it may hold, and who is attacked."""

from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from noiseless.cli.completion import columns
from noiseless.cli.plan import read_bounds, read_number
from noiseless.errors import RequestError

if TYPE_CHECKING:
    from noiseless.adversaries import Game


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
