"""`noiseless query`: ask a curator locally, as one batch."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from noiseless.cli.options import Format, FormatOption, print_json, say

if TYPE_CHECKING:
    from noiseless.accounting import BudgetError

HELP = """Ask questions about a private table in SQL, within its owner's budget.

All statements are one batch: they are priced together, before any of them is answered. An answer is an
interval that certainly holds the truth; asked again it comes back unchanged and costs nothing.

Examples:

  noiseless query meters.toml "SELECT AVG(kwh) FROM meters WHERE suburb = 'north'" --dry-run

  noiseless query meters.toml "SELECT suburb, AVG(kwh) FROM meters GROUP BY suburb"
  "SELECT MAX(kwh) FROM meters"

  noiseless query meters.toml "SELECT /*+ max_error(0.5) */ SUM(kwh) FROM meters" --analyst ann --format json
"""

REFUSED = 1
"""The exit code when the budget does not allow a batch."""


def query_command(
    curator: Annotated[str, typer.Argument(metavar="CURATOR.toml", help="The curator's file.")],
    sql: Annotated[list[str], typer.Argument(metavar="SQL..", help="SELECT statements, asked as one batch.")],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what the batch would cost; nothing is charged.")
    ] = False,
    analyst: Annotated[
        str | None, typer.Option("--analyst", metavar="NAME", help="Who asks; the account to charge.")
    ] = None,
    output: FormatOption = Format.text,
) -> int:
    """Print the answers, or what they would cost.

    Returns:
        The exit code: 0, or 1 when the budget does not allow the questions.
    """
    from noiseless.accounting import BudgetError
    from noiseless.curator import Curator

    with Curator.open(curator) as asked:
        try:
            found = asked.price(*sql, analyst=analyst) if dry_run else asked.ask(*sql, analyst=analyst)
        except BudgetError as error:
            return refused(error, output)
    if output is Format.json:
        print_json(found.to_dict())
    else:
        say(repr(found))
    return 0 if found.allowed else REFUSED


def refused(error: "BudgetError", output: Format) -> int:
    """Say that the budget does not allow a batch; the exit code."""
    if output is Format.json:
        print_json({"error": {"code": "budget", "message": str(error), "details": refusal(error)}})
    else:
        typer.echo(f"noiseless: {error}", err=True)
    return REFUSED


def refusal(error: "BudgetError") -> dict[str, Any]:
    """What is spent, asked for and left, in bits; it depends on the questions alone."""
    from noiseless.accounting.cost import remaining_bits

    return {
        "spent": error.spent.upper,
        "asked": error.asked.upper,
        "remaining": remaining_bits(error.budget, error.spent),
        "remaining_outputs": error.remaining,
    }
