"""The command of attacks that ask a curator about one person: they differ in what they ask."""

from collections.abc import Callable
from importlib import import_module

from noiseless.cli.attacks.options import (
    BudgetsOption,
    PlotOption,
    SeedOption,
    TableArgument,
    check_plot,
    progress_bar,
    show_game,
)
from noiseless.cli.attacks.private_column import (
    BoundsOption,
    ColumnOption,
    Gaps,
    GapsOption,
    PublicOption,
    StepOption,
    TargetsOption,
    read_step,
    with_entropy,
)
from noiseless.cli.options import Format, FormatOption, NamesOption, split_names
from noiseless.cli.plan import read_bounds


def asking_command(name: str, doing: str) -> Callable[..., None]:
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
