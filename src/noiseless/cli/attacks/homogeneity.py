"""`noiseless attack homogeneity`: whose sensitive value is told by the public ones."""

from pathlib import Path
from typing import Annotated, Any

import typer

from noiseless.cli.attacks.options import (
    BudgetsOption,
    PlotOption,
    TableArgument,
    check_plot,
    progress_bar,
    show_game,
)
from noiseless.cli.completion import columns
from noiseless.cli.options import Format, FormatOption, MissingValues, NamesOption, split_names

HELP = """How many people's sensitive value is told by what is public about them, in a table or in a release.

Examples:

  noiseless attack homogeneity patients.csv --sensitive illness --public age --public postcode

  noiseless attack homogeneity patients.csv --sensitive illness --public age --budget 0.5 --budget 1
  --budget 1.5 --plot homogeneity.svg

  noiseless attack homogeneity patients.csv --sensitive illness --public age --released released.csv
  --unit patient
"""


def homogeneity_command(
    table: TableArgument,
    *,
    sensitive: Annotated[
        list[str],
        typer.Option(
            "--sensitive",
            metavar="COLUMN",
            autocompletion=columns,
            help="What the adversary is after; several are one.",
        ),
    ],
    public: Annotated[
        list[str],
        typer.Option(
            "--public",
            metavar="COLUMN",
            autocompletion=columns,
            help="What it sees; give it again for more columns.",
        ),
    ],
    given: Annotated[
        list[str] | None,
        typer.Option(
            "--given", metavar="COLUMN", autocompletion=columns, help="What it knows from elsewhere."
        ),
    ] = None,
    released: Annotated[
        str | None,
        typer.Option(
            "--released", metavar="TABLE", help="A release of the table; with --unit or --same-order."
        ),
    ] = None,
    certificate: Annotated[
        Path | None,
        typer.Option("--certificate", metavar="FILE", help="The certificate of a release instead."),
    ] = None,
    unit: Annotated[
        str | None,
        typer.Option(
            "--unit", metavar="COLUMN", autocompletion=columns, help="The column that names a person."
        ),
    ] = None,
    same_order: Annotated[
        bool, typer.Option("--same-order", help="The release has its rows in the order of the table.")
    ] = False,
    few: Annotated[
        int, typer.Option("--few", metavar="N", help="How few values left count as told.", min=1)
    ] = 1,
    budget: BudgetsOption = None,
    min_posterior: Annotated[
        list[int] | None,
        typer.Option(
            "--min-posterior",
            metavar="K",
            help="Release the table with K sensitive values behind each answer; give it again for more.",
            min=1,
        ),
    ] = None,
    suppress: Annotated[
        str | None,
        typer.Option("--suppress", metavar="SHARE", help="The share of rows that releases may suppress."),
    ] = None,
    numeric: Annotated[
        list[str] | None,
        typer.Option(
            "--numeric",
            metavar="COLUMN",
            autocompletion=columns,
            help="A public column of text to read as numbers.",
        ),
    ] = None,
    categorical: Annotated[
        list[str] | None,
        typer.Option(
            "--categorical",
            metavar="COLUMN",
            autocompletion=columns,
            help="A public column of numbers to take as categories.",
        ),
    ] = None,
    missing: Annotated[
        MissingValues,
        typer.Option("--missing", help="A missing value is one value, drops its row, or is an error."),
    ] = MissingValues.value,
    distinct_rows: Annotated[
        bool, typer.Option("--distinct-rows", help="Drop exact duplicates of whole rows first.")
    ] = False,
    plot: PlotOption = None,
    names: NamesOption = None,
    output: FormatOption = Format.text,
) -> None:
    """Play the game, draw it if that is wanted, and show it."""
    from noiseless.adversaries.homogeneity import homogeneity

    check_plot(plot)
    options: dict[str, Any] = {"suppress": suppress, "numeric": numeric, "categorical": categorical}
    with progress_bar("releasing and guessing") as tell:
        game = homogeneity(
            table,
            sensitive=sensitive,
            public=public,
            given=given or (),
            released=released,
            certificate=certificate,
            unit=unit,
            same_order=same_order,
            few=few,
            budgets=budget or (),
            min_posteriors=min_posterior or (),
            missing=missing.value,
            distinct_rows=distinct_rows,
            names=split_names(names),
            progress=tell,
            **{name: value for name, value in options.items() if value},
        )
    blind = f"Whoever sees nothing guesses right with probability {game.settings['blind_guess']:.3f}."
    show_game(game, output, plot, f"{game!r}\n{blind}")
