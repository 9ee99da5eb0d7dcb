"""`noiseless attack binary-search`, `differencing` and `reconstruction`: attacks that ask a curator."""

from collections.abc import Callable
from enum import StrEnum
from importlib import import_module
from typing import Annotated

import typer

from noiseless.cli.attacks.options import (
    BoundsOption,
    BudgetsOption,
    ColumnOption,
    Gaps,
    GapsOption,
    PlotOption,
    PublicOption,
    RoundsOption,
    SeedOption,
    StepOption,
    TableArgument,
    TargetsOption,
    check_plot,
    needed_bounds,
    progress_bar,
    read_step,
    show_game,
    with_entropy,
)
from noiseless.cli.options import Format, FormatOption, NamesOption, split_names
from noiseless.cli.plan import read_bounds, read_number


def curator_attack(name: str, doing: str) -> Callable[..., None]:
    """The command that plays a game.

    Args:
        name: of the game, and of its module.
        doing: what the bar says meanwhile.
    """

    def command(
        table: TableArgument,
        *,
        column: ColumnOption,
        bounds: BoundsOption = None,
        step: StepOption = "1",
        public: PublicOption = None,
        budget: BudgetsOption = None,
        targets: TargetsOption = 3,
        seed: SeedOption = 0,
        missing: GapsOption = Gaps.error,
        plot: PlotOption = None,
        names: NamesOption = None,
        output: FormatOption = Format.text,
    ) -> None:
        """Play the game and show it."""
        home = import_module(f"noiseless.adversaries.{name}")
        check_plot(plot)
        with progress_bar(doing) as tell:
            game = getattr(home, name)(
                table,
                column,
                bounds=read_bounds(bounds),
                step=read_step(step),
                budgets=budget or home.BUDGETS,
                public=public or (),
                targets=targets,
                seed=seed,
                missing=missing.value,
                names=split_names(names),
                progress=tell,
            )
        show_game(game, output, plot, with_entropy(game))

    return command


BINARY_SEARCH_HELP = """Search for one person's value by thresholds, asked of a curator until its ledger refuses.

A real curator answers, in a temporary folder.

Examples:

  noiseless attack binary-search patients.csv --column age --bounds 0 120 --public sex --public postcode

  noiseless attack binary-search patients.csv --column illness --targets 5 --budget 1 --budget 2
  --plot binary-search.svg
"""

binary_search_command = curator_attack("binary_search", "searching")


DIFFERENCING_HELP = """Ask a curator for sums and counts with and without one person: what that tells, and what it costs.

A real curator answers, in a temporary folder, until its ledger refuses.

Examples:

  noiseless attack differencing patients.csv --column age --bounds 0 120 --public sex --public postcode

  noiseless attack differencing patients.csv --column illness --targets 5 --budget 1 --budget 2
  --plot differencing.svg
"""

differencing_command = curator_attack("differencing", "asking")


RECONSTRUCTION_HELP = """Solve for a private column from sums over random halves of some people, told in cells or with noise.

Examples:

  noiseless attack reconstruction patients.csv --column age --bounds 0 120

  noiseless attack reconstruction meters.csv --column kwh --bounds 0 10 --step 0.1 --questions 100
  --budget 4 --budget 6 --within 0.5 --plot reconstruction.svg
"""


class Mechanism(StrEnum):
    """How sums are told."""

    noiseless = "noiseless"
    gaussian = "gaussian"
    one_by_one = "gaussian, one by one"


def reconstruction_command(
    table: TableArgument,
    *,
    column: ColumnOption,
    bounds: BoundsOption = None,
    step: StepOption = "1",
    budget: BudgetsOption = None,
    questions: Annotated[
        list[int] | None,
        typer.Option("--questions", metavar="N", help="How many sums; give it again for more.", min=1),
    ] = None,
    mechanism: Annotated[
        list[Mechanism] | None,
        typer.Option("--mechanism", help="How sums are told; in cells and with Gaussian noise without it."),
    ] = None,
    people: Annotated[
        int, typer.Option("--people", metavar="N", help="How many take part, drawn by lot.", min=2, max=200)
    ] = 30,
    within: Annotated[
        str | None,
        typer.Option(
            "--within", metavar="E", help="How far off a value may be; a twentieth of the range without it."
        ),
    ] = None,
    fewer_than: Annotated[
        int | None,
        typer.Option(
            "--fewer-than",
            metavar="K",
            help="How few values left count as narrowed; a quarter without it.",
            min=2,
        ),
    ] = None,
    rounds: RoundsOption = 4,
    seed: SeedOption = 0,
    missing: GapsOption = Gaps.error,
    plot: PlotOption = None,
    names: NamesOption = None,
    output: FormatOption = Format.text,
) -> None:
    """Play the game and show it."""
    from noiseless.adversaries.reconstruction import BUDGETS, MECHANISMS, QUESTIONS, reconstruction

    check_plot(plot)
    with progress_bar("solving") as tell:
        game = reconstruction(
            table,
            column,
            bounds=needed_bounds(bounds),
            step=read_step(step),
            budgets=budget or BUDGETS,
            questions=questions or QUESTIONS,
            mechanisms=MECHANISMS[:2] if not mechanism else [each.value for each in mechanism],
            people=people,
            rounds=rounds,
            within=None if within is None else read_number("--within", within),
            fewer_than=fewer_than,
            seed=seed,
            missing=missing.value,
            names=split_names(names),
            progress=tell,
        )
    guess = f"Whoever sees nothing and guesses the middle is right for {game.settings['guessed']:.3f}."
    show_game(game, output, plot, f"{with_entropy(game)}\n{guess}")
