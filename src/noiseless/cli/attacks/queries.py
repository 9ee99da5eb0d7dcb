"""`noiseless attack binary-search`, `differencing` and `reconstruction`: attacks that ask a curator."""

from collections.abc import Callable
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

from noiseless.cli.attacks.options import (
    BoundsOption,
    BudgetsOption,
    ColumnOption,
    GapsOption,
    PlotOption,
    RoundsOption,
    SeedOption,
    StepOption,
    TableArgument,
    check_bounds,
    percent_text,
    play,
    with_entropy,
)
from noiseless.cli.options import FormatOption, NamesOption, column_option, number_option, option

if TYPE_CHECKING:
    from noiseless.adversaries import Game


def curator_attack(game: str, doing: str) -> Callable[..., None]:
    """The command that plays a game.

    Args:
        game: its name.
        doing: what the bar says meanwhile.
    """

    def command(
        table: TableArgument,
        *,
        column: ColumnOption,
        bounds: BoundsOption = None,
        step: StepOption = Decimal(1),
        public: Annotated[
            list[str] | None,
            column_option(
                "A column everyone knows: people who are unique in these can be singled out. Everyone, if"
                " not given."
            ),
        ] = None,
        budgets: BudgetsOption = None,
        targets: Annotated[int, option("How many people to attack, drawn by lot.", "N", min=1)] = 3,
        seed: SeedOption = 0,
        missing: GapsOption = "error",
        plot: PlotOption = None,
        names: NamesOption = None,
        output: FormatOption = "text",
    ) -> None:
        """Play the game and show it."""
        options = {name: value for name, value in locals().items() if name not in ("game", "doing")}
        play(game, doing, options, _curator_text)

    return command


def _curator_text(game: "Game") -> str:
    kept = "In every play no more was learnt than was charged for, and the truth was among the values left."
    return f"{with_entropy(game)}\n{kept}"


BINARY_SEARCH_HELP = """\
Search for one person's value by asking a curator for thresholds.

A real curator answers, in a temporary folder, until its ledger refuses.

Examples:

  noiseless attack binary-search patients.csv --column age --bounds 0 120 --public sex --public postcode

  noiseless attack binary-search patients.csv --column illness --targets 5 --budget 1 --budget 2
  --plot binary-search.svg
"""

binary_search_command = curator_attack("binary_search", "searching")


DIFFERENCING_HELP = """\
Ask a curator for sums and counts with and without one person.

A real curator answers, in a temporary folder, until its ledger refuses.

Examples:

  noiseless attack differencing patients.csv --column age --bounds 0 120 --public sex --public postcode

  noiseless attack differencing patients.csv --column illness --targets 5 --budget 1 --budget 2
  --plot differencing.svg
"""

differencing_command = curator_attack("differencing", "asking")


RECONSTRUCTION_HELP = """\
Solve for a private column from sums over random halves of people.

The sums are answered in cells or with noise.

Examples:

  noiseless attack reconstruction patients.csv --column age --bounds 0 120

  noiseless attack reconstruction meters.csv --column kwh --bounds 0 10 --step 0.1 --questions 100
  --budget 4 --budget 6 --within 0.5 --plot reconstruction.svg
"""


SumRelease = StrEnum(
    "SumRelease", {"noiseless": "noiseless", "gaussian": "gaussian", "one_by_one": "gaussian, one by one"}
)
"""How sums are told."""


def reconstruction_command(
    table: TableArgument,
    *,
    column: ColumnOption,
    bounds: BoundsOption = None,
    step: StepOption = Decimal(1),
    budgets: BudgetsOption = None,
    questions: Annotated[list[int] | None, option("How many sums; repeat it for more.", "N", min=1)] = None,
    mechanisms: Annotated[
        list[SumRelease] | None,
        option("How sums are answered; by default in cells and with Gaussian noise.", None, "--mechanism"),
    ] = None,
    people: Annotated[int, option("How many take part, drawn by lot.", "N", min=2, max=200)] = 30,
    within: Annotated[
        Decimal | None,
        number_option("--within", "E", "How far off a value may be; a twentieth of the range by default."),
    ] = None,
    fewer_than: Annotated[
        int | None, option("Fewer values left than this count as narrowed; a quarter by default.", "K", min=2)
    ] = None,
    rounds: RoundsOption = 4,
    seed: SeedOption = 0,
    missing: GapsOption = "error",
    plot: PlotOption = None,
    names: NamesOption = None,
    output: FormatOption = "text",
) -> None:
    """Play the game and show it."""
    options = locals()
    check_bounds(bounds)
    play("reconstruction", "solving", options, _reconstruction_text)


def _reconstruction_text(game: "Game") -> str:
    guess = f"Baseline: guessing the middle is right for {percent_text(game.settings['guessed'])} of people."
    read = "An attack that scores near the baseline found out nothing. left: the values still possible."
    return f"{with_entropy(game)}\n{guess}\n{read}"
