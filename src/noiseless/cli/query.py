"""`noiseless query`: ask a curator locally, as one batch."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from noiseless.cli.options import CuratorArgument, Format, FormatOption, option, print_json, say, show
from noiseless.errors import NoiselessError, RequestError

if TYPE_CHECKING:
    from noiseless.pricing import BudgetError
    from noiseless.replies import Reply

HELP = """Ask a private table in SQL, within its owner's budget.

All statements form one batch, priced together before any of them is answered. With --each, every statement
is priced alone, and a refused one does not hold up the others. An
answer is an interval that certainly holds the truth; asked again it comes back unchanged and costs nothing.

Examples:

  noiseless query meters.toml "SELECT AVG(kwh) FROM meters WHERE suburb = 'north'" --dry-run

  noiseless query meters.toml "SELECT suburb, AVG(kwh) FROM meters GROUP BY suburb"
  "SELECT MAX(kwh) FROM meters"

  noiseless query meters.toml --each "SELECT MAX(kwh) FROM meters" "SELECT MIN(kwh) FROM meters"

  noiseless query meters.toml "SELECT FLOOR(kwh / 2), COUNT(*) FROM meters GROUP BY FLOOR(kwh / 2)"

  noiseless query meters.toml "SELECT /*+ max_error(0.5) */ SUM(kwh) FROM meters" --analyst ann --format json
"""

REFUSED = 1
"""The exit code when the budget does not allow a batch."""
WRONG = 2
"""The exit code when a statement cannot be priced."""


def query_command(
    curator: CuratorArgument,
    sql: Annotated[list[str], typer.Argument(metavar="SQL..", help="SELECT statements, asked as one batch.")],
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show what the batch would cost; nothing is charged.")
    ] = False,
    each: Annotated[
        bool, typer.Option("--each", help="Ask the statements one after the other, each priced alone.")
    ] = False,
    analyst: Annotated[str | None, option("Who asks; the account to charge.", "NAME")] = None,
    output: FormatOption = "text",
) -> int:
    """Print the answers, or what they would cost.

    Returns:
        The exit code: 0, or 1 when the budget does not allow the questions; with --each also 2, when there is
        a statement that cannot be priced.
    """
    from noiseless.curator import Curator
    from noiseless.pricing import BudgetError

    with Curator.open(curator) as asked:
        if each:
            if dry_run:
                raise RequestError(
                    "what a statement costs depends on those before it; leave out --each or --dry-run"
                )
            return _tell_each(sql, list(asked.ask_each(sql, analyst=analyst)), output)
        try:
            found = asked.price(*sql, analyst=analyst) if dry_run else asked.ask(*sql, analyst=analyst)
        except BudgetError as error:
            return refused(error, output)
    show(output, found.to_dict(), repr(found))
    return 0 if found.allowed else REFUSED


def _tell_each(statements: list[str], outcomes: "list[Reply | NoiselessError]", output: Format) -> int:
    """Say what came of each statement; the exit code of the worst."""
    from noiseless.pricing import BudgetError

    refusals = [found for found in outcomes if isinstance(found, NoiselessError)]
    if output == "json":
        pairs = zip(statements, outcomes, strict=True)
        told = ((sql, _error(it) if isinstance(it, NoiselessError) else it.to_dict()) for sql, it in pairs)
        print_json({"batches": [{"sql": sql, **found} for sql, found in told]})
    else:
        for sql, found in zip(statements, outcomes, strict=True):
            if isinstance(found, NoiselessError):
                typer.echo(f"noiseless: {sql}: {found}", err=True)
            else:
                say(f"{sql}: {found!r}")
    if not all(isinstance(error, BudgetError) for error in refusals):
        return WRONG
    return REFUSED if refusals else 0


def refused(error: "BudgetError", output: Format) -> int:
    """Say that the budget does not allow a batch; the exit code."""
    if output == "json":
        print_json(_error(error))
    else:
        typer.echo(f"noiseless: {error}", err=True)
    return REFUSED


def _error(error: NoiselessError) -> dict[str, Any]:
    """An error as the server tells it."""
    from noiseless.curator import UnansweredError
    from noiseless.pricing import BudgetError

    if isinstance(error, BudgetError):
        return {"error": {"code": "budget", "message": str(error), "details": refusal(error)}}
    code = "internal" if isinstance(error, UnansweredError) else "bad_query"
    return {"error": {"code": code, "message": str(error), "details": {}}}


def refusal(error: "BudgetError") -> dict[str, Any]:
    """What is spent, asked for and left, in bits; it depends on the questions alone."""
    from noiseless.amounts import remaining_bits

    return {
        "spent": error.spent.upper,
        "asked": error.asked.upper,
        "remaining": remaining_bits(error.budget, error.spent),
        "remaining_outputs": error.remaining,
    }
