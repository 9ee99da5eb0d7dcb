"""`noiseless ledger`: what was charged, whether the record is whole, exports and backups."""

from collections import deque
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from noiseless.amounts import rounded_down, rounded_up, standing
from noiseless.cli.options import Format, FormatOption, option, print_json, say, show, working
from noiseless.display import bound_text, counted
from noiseless.errors import NoiselessError

if TYPE_CHECKING:
    from noiseless.ledger import Entry, Ledger, State

HELP = """What was charged for answers, and whether the record is intact.

Examples:

  noiseless ledger show meters.toml

  noiseless ledger verify meters.toml
"""

SHOW_HELP = """What each dataset has spent and has left, and the entries.

The whole chain is checked too; the exit code is 1 if it is broken. Long entries are shown some megabytes at a
time, the last ones first: --before goes on with earlier ones, and `ledger export` writes all of them.

Examples:

  noiseless ledger show meters.toml

  noiseless ledger show sqlite:///meters-ledger.db --last 5
"""

VERIFY_HELP = """Check every entry, the chain of hashes, and accounts and tokens against a replay.

The tables, indices and triggers are checked too. Note the head that it prints, outside the machine that holds
the ledger: with --expect a ledger that was rewritten, or put back to an earlier time, is found out too.

Examples:

  noiseless ledger verify meters.toml

  noiseless ledger verify meters.toml --expect "$(cat noted-head.txt)"
"""

EXPORT_HELP = """Write the entries into a CSV or JSON file, by its name.

Examples:

  noiseless ledger export meters.toml -o entries.csv

  noiseless ledger export postgresql+psycopg://curator@db/ledgers --dataset meters -o entries.json
"""

BACKUP_HELP = """Write a backup, while the ledger stays in use.

From SQLite it is a database, from PostgreSQL all entries as JSON.

Example:

  noiseless ledger backup meters.toml -o meters-ledger-backup.db
"""

RESTORE_HELP = """Fill an empty ledger from a backup or a JSON export of all entries, checking every entry.

Example:

  noiseless ledger restore meters-ledger-backup.db sqlite:///meters-ledger.db
"""

RECORD_DP_HELP = """Charge for an answer that a differentially private tool gave about a dataset.

The charge is in bits of mutual information, the currency that noise and noiseless answers share; the command
prints what then holds. Most tools call tables neighbours where one has a record more. If a tool replaces
one record by another, add --neighbours replace: it costs less.

Examples:

  noiseless ledger record-dp meters.toml --epsilon 0.5

  noiseless ledger record-dp meters.toml --epsilon 1 --delta 1e-6 --neighbours replace --times 3
"""

BROKEN = 1
_SHOWN = 20
_MOST_CHARACTERS = 8_000_000
"""Entries are shown that are about so long together; `--before` shows earlier ones."""

Target = Annotated[
    str, typer.Argument(metavar="LEDGER", help="A curator's file, a ledger's URL, or a SQLite file.")
]
DatasetOption = Annotated[str | None, option("Only the entries of one dataset.", "NAME")]
OutOption = Annotated[Path, option("The new file to write.", "FILE", "--out", "-o")]

app = typer.Typer(help=HELP, no_args_is_help=True)


@app.command("show", help=SHOW_HELP)
def show_command(
    target: Target,
    *,
    dataset: DatasetOption = None,
    last: Annotated[int | None, option("How many entries; 20 by default as text.", "N", min=0)] = None,
    before: Annotated[int | None, option("Only entries before this number.", "SEQ", min=1)] = None,
    output: FormatOption = "text",
) -> int:
    """Show accounts and entries.

    Returns:
        The exit code: 0, or 1 when the chain is broken.
    """
    ledger, named = _opened(target)
    with ledger, working("checking the chain"):
        chosen = dataset or named
        states = [ledger.state(name) for name in ([chosen] if chosen else ledger.datasets())]
        shown = _SHOWN if last is None and output == "text" else last
        entries, earlier = _last(ledger.entries(chosen), shown, before)
        report = ledger.verify()
    if output == "json":
        print_json(
            {
                "datasets": [state.to_dict() for state in states],
                **report.to_dict(),
                "entries": [entry.to_dict() for entry in entries],
                "next": entries[0].seq if entries and earlier else None,
                "spent": max((state.spent.upper for state in states), default=0.0),
            }
        )
    else:
        rest = [f"Earlier entries: --before {entries[0].seq}, or --last N."] if entries and earlier else []
        say("\n".join([*map(_account, states), *rest, *map(_line, entries), _verdict(report.to_dict())]))
    return 0 if report.ok else BROKEN


@app.command("record-dp", help=RECORD_DP_HELP)
def record_dp_command(
    curator: Annotated[str, typer.Argument(metavar="CURATOR.toml", help="The curator's file.")],
    *,
    epsilon: Annotated[str, option("The epsilon of the tool's promise, in nats.", "E")],
    delta: Annotated[str, option("The delta of the tool's promise.", "D")] = "0",
    neighbours: Annotated[
        Literal["replace", "add-remove"], option("How the tool's neighbouring tables differ.")
    ] = "add-remove",
    per_row: Annotated[
        bool, typer.Option("--per-row", help="The tool protects a single row, and a person has several.")
    ] = False,
    times: Annotated[int, option("How many such answers, each with its own noise.", "K", min=1)] = 1,
    by: Annotated[str, option("Who asked the tool.", "NAME")] = "owner",
    output: FormatOption = "text",
) -> int:
    """Charge for a differentially private answer.

    Returns:
        The exit code: 0, or 1 when the budget does not allow it.
    """
    from noiseless.cli.convert import read_guaranteed
    from noiseless.cli.query import refused
    from noiseless.curator import Curator
    from noiseless.curator.private_answer import PrivateAnswer
    from noiseless.pricing import BudgetError

    numbers = read_guaranteed(epsilon, "--epsilon"), read_guaranteed(delta, "--delta")
    answer = PrivateAnswer(*numbers, neighbours, per_row, times)
    with Curator.open(curator) as owned:
        try:
            charged = owned.record_private(answer, by=by)
        except BudgetError as error:
            return refused(error, output)
        found = charged.to_dict() | standing(owned.state.spent, owned.state.left)
    spent = f"{charged.cost} charged; {rounded_up(found['spent'])} bits are spent"
    left = "" if found["remaining"] is None else f", {rounded_down(found['remaining'])} left"
    show(output, found, f"{spent}{left}\n{charged.statement}")
    return 0


@app.command("verify", help=VERIFY_HELP)
def verify_command(
    target: Target,
    *,
    expect: Annotated[
        str | None, option("A head that was noted earlier, outside the ledger.", "SEQ:HASH")
    ] = None,
    output: FormatOption = "text",
) -> int:
    """Check the ledger.

    Returns:
        The exit code: 0, or 1 when something is wrong with it.
    """
    ledger, _ = _opened(target)
    with ledger, working("checking the chain"):
        report = ledger.verify(expect)
    found = report.to_dict()
    show(output, found, "\n".join([_verdict(found), *(f"  {problem}" for problem in report.problems)]))
    return 0 if report.ok else BROKEN


@app.command("export", help=EXPORT_HELP)
def export_command(
    target: Target, *, out: OutOption, dataset: DatasetOption = None, output: FormatOption = "text"
) -> None:
    """Write the entries."""
    ledger, _ = _opened(target)
    with ledger, working("writing"):
        count = ledger.export(out, dataset=dataset)
    _tell_written(out, count, output)


@app.command("backup", help=BACKUP_HELP)
def backup_command(target: Target, *, out: OutOption, output: FormatOption = "text") -> None:
    """Write a backup."""
    ledger, _ = _opened(target)
    with ledger, working("writing"):
        count = ledger.backup(out)
    _tell_written(out, count, output)


@app.command("restore", help=RESTORE_HELP)
def restore_command(
    backup: Annotated[Path, typer.Argument(metavar="BACKUP", help="A backup, or a JSON export.")],
    target: Target,
    *,
    output: FormatOption = "text",
) -> int:
    """Fill an empty ledger.

    Returns:
        The exit code: 0, or 1 when the backup is broken.
    """
    from noiseless.ledger import Ledger, locate

    with Ledger.open(locate(target)[0]) as ledger, working("checking and writing"):
        count = ledger.restore(backup)
        report = ledger.verify()
    found = report.to_dict()
    show(
        output,
        {**found, "from": str(backup)},
        f"{count:,} entries were restored from {backup}\n{_verdict(found)}",
    )
    return 0 if report.ok else BROKEN


def _last(entries: Iterable["Entry"], most: int | None, before: int | None) -> tuple[list["Entry"], bool]:
    """The last entries, as many as are wanted and fit; and whether there are earlier ones."""
    kept, total, has_earlier = deque["Entry"](), 0, False
    for entry in entries:
        if before is not None and entry.seq >= before:
            break
        kept.append(entry)
        total += len(str(entry.text))
        while (total > _MOST_CHARACTERS and len(kept) > 1) or (most is not None and len(kept) > most):
            total -= len(str(kept.popleft().text))
            has_earlier = True
    return list(kept), has_earlier


def _opened(target: str) -> tuple["Ledger", str | None]:
    """The ledger and the dataset that a curator's file names."""
    from noiseless.ledger import Ledger, locate

    url, dataset = locate(target)
    return Ledger.open(url, create=False), dataset


def _tell_written(out: Path, count: int, output: Format) -> None:
    show(output, {"entries": count, "file": str(out)}, f"{count:,} entries were written to {out}")


def _verdict(found: dict[str, Any]) -> str:
    if found["chain_ok"]:
        return f"The ledger is whole up to {found['head']}"
    return f"The ledger is broken: {found['problems'][0]}"


def _account(state: "State") -> str:
    limit = "without a budget" if state.budget is None else f"of {_bits(state.to_dict()['budget'])}"
    left = "" if state.left.bits is None else f"; {_bits(state.left.bits)} are left"
    disclosed = " (a record may be fully disclosed)" if state.disclosed else ""
    return f"{state.dataset}, version {state.version}: {state.spent} {limit} are spent{disclosed}{left}"


def _bits(value: float) -> str:
    return f"{bound_text(value, 2, up=False)} bits"


def _line(entry: "Entry") -> str:
    who = f" by {entry.analyst}" if entry.analyst else ""
    try:
        said = _said(entry)
    except (NoiselessError, LookupError, TypeError, ValueError, AttributeError, ArithmeticError):
        said = "does not say what an entry says"  # somebody changed it
    return f"{entry.seq:>6}  {str(entry.time)[:19]}Z  {entry.dataset}: {said}{who}"


_DECLARED = {"dataset": "declared", "budget": "new budgets"}


def _said(entry: "Entry") -> str:
    """An entry in words."""
    from noiseless.curator.custody import PUBLIC
    from noiseless.ledger import charged

    body = entry.body
    if entry.kind == "charge" and [asked["question"] for asked in body.get("questions", ())] == [PUBLIC]:
        return "the public facts of this version were recorded: its columns and groups"
    if entry.kind in {"charge", "release", "randomised"}:
        what = {
            "charge": counted(len(body.get("questions", ())), "questions"),
            "release": "a table release",
            "randomised": "a randomised release",
        }[entry.kind]
        return f"{what} for {charged(entry).most}"
    if entry.kind == "publication":
        return _said_of_tables(entry)
    if entry.kind == "answers":
        return counted(len(body["answers"]), "answers")
    if entry.kind == "version":
        return f"version {body['version']}, budgets {'carried over' if body['carry_over'] else 'begin anew'}"
    return _said_of_token(entry) if entry.kind in {"token", "revocation"} else _DECLARED[entry.kind]


def _said_of_tables(entry: "Entry") -> str:
    """What was published, and what was promised of it."""
    from noiseless.tabulations.promise import PublicationPromise

    body = entry.body["questions"][0]["body"]
    tables = body["publication"]["tables"]
    figures = counted(sum(len(table["lower"]) for table in tables), "figures")
    promise = PublicationPromise.of_json(body["promise"])
    return f"published {', '.join(table['name'] for table in tables)} ({figures}); promised: {promise}"


def _said_of_token(entry: "Entry") -> str:
    body = entry.body
    if entry.kind == "revocation":
        return "all tokens were revoked" if body["id"] is None else f"token {body['id']} was revoked"
    return f"token {body['id']} for {body['name']} ({body['role']}){', found' * body['found']}"
