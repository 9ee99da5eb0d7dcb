"""`noiseless attack binary-search`: how far does a search for one person's value get?"""

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

HELP = """Search for one person's value by thresholds, asked of a curator until its ledger refuses.

A real curator answers, in a temporary folder.

Examples:

  noiseless attack binary-search patients.csv --column age --bounds 0 120 --public sex --public postcode

  noiseless attack binary-search patients.csv --column illness --targets 5 --budget 1 --budget 2
  --plot binary-search.svg
"""


def binary_search_command(
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
    from noiseless.adversaries.binary_search import BUDGETS, binary_search

    check_plot(plot)
    with progress_bar("searching") as tell:
        game = binary_search(
            table,
            column,
            bounds=read_bounds(bounds),
            step=read_step(step),
            budgets=budget or BUDGETS,
            public=public or (),
            targets=targets,
            seed=seed,
            missing=missing.value,
            names=split_names(names),
            progress=tell,
        )
    show_game(game, output, plot, with_entropy(game))
