"""`noiseless dataset`: for the owner of a dataset: its versions, its standing, what it exposes of whom."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from noiseless.amounts import budget_bits, rounded_down, rounded_up
from noiseless.cli.options import CuratorArgument, Format, FormatOption, option, show, working
from noiseless.display import counted

if TYPE_CHECKING:
    from noiseless.curator import Curator

HELP = """Declare a dataset's versions and budgets; see what is spent.

Examples:

  noiseless dataset declare meters.toml

  noiseless dataset show meters.toml
"""

DECLARE_HELP = """Declare a version of the source, with the file's budgets.

A declared version counts as new even if the source is unchanged, so that nobody learns whether it changed.
Answers of an earlier version are not reused. What was paid for it counts for the new one too, unless
--start-anew says that its people are others.

Examples:

  noiseless dataset declare meters.toml

  noiseless dataset declare meters.toml --start-anew --by "data protection office"
"""

BUDGET_HELP = """Record the budgets of the curator's file; the version stays.

Example:

  noiseless dataset budget meters.toml --by "data protection office"
"""

SHOW_HELP = """A dataset's public facts: version, columns, groups, budgets.

Example:

  noiseless dataset show meters.toml
"""

EXPOSURE_HELP = """How far the answers so far narrow down each person.

For each person: how many different answers they could have caused, had everybody else's data stayed the same.

The file holds private values: it is for the owner alone, and only the owner can read it.

Example:

  noiseless dataset exposure meters.toml -o exposure.csv
"""

RELEASE_HELP = """Charge a table release to the dataset's budget, by its certificate.

Examples:

  noiseless dataset release heart.toml certificate.json

  noiseless dataset release heart.toml certificate.json --fixed-cells 12
"""

ByOption = Annotated[str, option("Who decides; the ledger records it.", "NAME")]

app = typer.Typer(help=HELP, no_args_is_help=True)


@app.command("declare", help=DECLARE_HELP)
def declare_command(
    curator: CuratorArgument,
    start_anew: Annotated[
        bool, typer.Option("--start-anew", help="Stop counting what was paid for earlier versions.")
    ] = False,
    by: ByOption = "owner",
    output: FormatOption = "text",
) -> None:
    """Declare a version."""
    from noiseless.curator import Curator

    with Curator.unchecked(curator) as owned, working("reading the source"):
        version = owned.declare_version(carry_over=not start_anew, by=by)
        found = {"new_version": version.is_new, **_standing(owned)}
    show(output, found, f"version {version.number} of {version.dataset} is declared\n{_text(found)}")


@app.command("budget", help=BUDGET_HELP)
def budget_command(curator: CuratorArgument, by: ByOption = "owner", output: FormatOption = "text") -> None:
    """Record other budgets."""
    from noiseless.curator import Curator

    with Curator.unchecked(curator) as owned:
        owned.record_budgets(by=by)
        found = _standing(owned)
    _say_standing(found, output)


@app.command("show", help=SHOW_HELP)
def show_command(curator: CuratorArgument, output: FormatOption = "text") -> None:
    """Show a dataset."""
    from noiseless.curator import Curator

    with Curator.open(curator) as owned:
        found = _standing(owned)
    _say_standing(found, output)


@app.command("exposure", help=EXPOSURE_HELP)
def exposure_command(
    curator: CuratorArgument,
    out: Annotated[Path, option("A CSV, Parquet or JSON-lines file to write.", "FILE", "--out", "-o")],
    output: FormatOption = "text",
) -> None:
    """Write the exposure of each class of equal rows."""
    from noiseless.curator import Curator

    with Curator.open(curator) as owned, working("looking at every record"):
        found = owned.exposure()
        found.write(out)
    summary = {"classes": len(found), "questions": found.questions, "file": str(out)}
    exposed = f"{len(found):,} classes of equal rows, exposed to {counted(found.questions, 'questions')}"
    show(output, summary, f"{out}: {exposed}")


@app.command("release", help=RELEASE_HELP)
def release_command(
    curator: CuratorArgument,
    certificate: Annotated[str, typer.Argument(metavar="CERT", help="The release's certificate.")],
    fixed_cells: Annotated[
        int | None,
        option("The number of cells, if they were fixed before the data was seen.", "N"),
    ] = None,
    by: ByOption = "owner",
    output: FormatOption = "text",
) -> int:
    """Charge a release.

    Returns:
        The exit code: 0, or 1 when the budget does not allow it.
    """
    from noiseless.cli.query import refused
    from noiseless.curator import Curator
    from noiseless.pricing import BudgetError

    with Curator.open(curator) as owned:
        try:
            cost = owned.record_release(certificate, cells=fixed_cells, by=by)
        except BudgetError as error:
            return refused(error, output)
        found = {"bits": cost.upper, "outputs": cost.outputs, **_standing(owned)}
    show(output, found, f"the release costs {cost}\n{_text(found)}")
    return 0


def _say_standing(found: dict[str, Any], output: Format) -> None:
    show(output, found, f"version {found['version']} of {found['dataset']}\n{_text(found)}")


def _standing(owned: "Curator") -> dict[str, Any]:
    """What everybody may know, under the names that it has in JSON."""
    public, state = owned.public, owned.state
    return {
        "dataset": owned.file.name,
        "version": state.version,
        "rows": public.rows,
        "unit": owned.file.unit,
        "max_rows": public.limits.rows,
        "public_cells": len(public.population.cells),
        "columns": {name: column.explain() for name, column in public.schema.columns.items()},
        "private": list(public.schema.private),
        "queries": [query.to_dict() for query in public.limits.queries],
        "entropy_of_record": public.entropy.lower,
        "budget": budget_bits(state.budget),
        "spent": state.spent.upper,
        "spent_outputs": state.spent.outputs,
        "remaining": state.left.bits,
        "protects": state.protects,
        "disclosed": state.disclosed,
        "analysts": {name: cost.upper for name, cost in sorted(state.analysts.items())},
    }


def _text(found: dict[str, Any]) -> str:
    columns = [
        f"  {name}: {domain}{', private' * (name in found['private'])}"
        for name, domain in found["columns"].items()
    ]
    columns += [f"  {query['name']}(): {query['definition']}" for query in found["queries"]]
    left = "and the budget protects nothing"
    if found["protects"]:
        left = f"{rounded_down(found['remaining'])} left"
    limit = "" if found["budget"] is None else f" of {rounded_up(found['budget'])}"
    spent = f"{rounded_up(found['spent'])}{limit} bits spent"
    record = "one row"
    if found["unit"] is not None:
        record = f"up to {counted(found['max_rows'], 'rows')} with the same {found['unit']}"
    holds = f"a record is {record} and holds {rounded_up(found['entropy_of_record'])} bits"
    cells = found["public_cells"]
    people = f"{counted(found['rows'], 'rows')} in {cells:,} public cell{'s' * (cells != 1)}"
    return "\n".join([people, *columns, f"{spent}, {left}; {holds}"])
