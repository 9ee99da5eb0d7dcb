"""Exports, backups, and filling an empty ledger from them."""

import contextlib
import csv
import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from noiseless.files import create_private
from noiseless.ledger import statements
from noiseless.ledger.entries import START, Entry, canonical, now
from noiseless.ledger.errors import LedgerError
from noiseless.ledger.integrity import unbroken
from noiseless.ledger.replay import REVOKED, Replay, revocation_body
from noiseless.ledger.schema import TABLES
from noiseless.ledger.state import quota_row, surplus_row

if TYPE_CHECKING:
    from noiseless.ledger.database import LedgerDatabase
    from noiseless.ledger.ledger import Ledger
    from noiseless.ledger.transaction import DatabaseTransaction

FORMAT = "noiseless-ledger"
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")
COLUMNS = TABLES["ledger_entries"]
_FIRST_LINE, _LAST_LINE = f'{{"format":"{FORMAT}","version":1,"entries":[', "]}"
_SQLITE_BEGINS = b"SQLite format 3\x00"
_BATCH = 5000


def export(ledger: "Ledger", path: Path, form: str | None, dataset: str | None) -> int:
    """Write entries into a new file; how many there were."""
    chosen = form or path.suffix.removeprefix(".").lower()
    writers: dict[str, Callable[[IO[str], Iterator[Entry]], int]] = {"csv": _write_csv, "json": _write_json}
    if chosen not in writers:
        raise LedgerError(f"{path}: entries are exported as csv or json; choose one")
    return _into_new_file(path, lambda file: writers[chosen](file, ledger.entries(dataset)))


def _write_csv(file: IO[str], entries: Iterator[Entry]) -> int:
    writer = csv.writer(file)  # whose lines end so that a line's end within a name is quoted
    writer.writerow(COLUMNS)
    count = 0
    for entry in entries:
        count += 1
        writer.writerow([_harmless(value) for value in entry.row])
    return count


def _harmless(value: object) -> object:
    """A name that a spreadsheet would take for a formula, with an apostrophe before it."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULAS) else value


def _write_json(file: IO[str], entries: Iterator[Entry]) -> int:
    """One object, an entry a line; a body is a text, since that is what the hash is of."""
    file.write(_FIRST_LINE)
    count = 0
    for count, entry in enumerate(entries, 1):
        file.write(",\n" if count > 1 else "\n")
        file.write(canonical(dict(zip(COLUMNS, entry.row, strict=True))))
    file.write(f"\n{_LAST_LINE}\n")
    return count


def _write_chain(session: "DatabaseTransaction", file: IO[str]) -> int:
    """All entries, with those that have no place in the chain: a restore must find out."""
    return _write_json(file, (Entry(*row) for row in session.stream(statements.CHAIN)))


def _into_new_file(path: Path, write: Callable[[IO[str]], int]) -> int:
    """Write a file that is there as a whole or not at all, for its owner alone."""
    with _new_file(path) as part, part.open("w", encoding="utf-8", newline="") as file:
        count = write(file)
        file.flush()
        os.fsync(file.fileno())
    return count


@contextlib.contextmanager
def _new_file(path: Path, reason: str | None = None) -> Iterator[Path]:
    """A private file to be written, which gets its name in the end.

    Args:
        path: its name.
        reason: what is said if it cannot be written; what the system says unless given.

    Raises:
        LedgerError: there is one of that name, or it cannot be written.
    """
    if path.exists():
        raise LedgerError(f"{path}: is there already; name a new file")
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        os.close(create_private(part))
        yield part
        _give_name(part, path)
    except FileExistsError as error:
        raise LedgerError(f"{path}: is there already; name a new file") from error
    except (OSError, sqlite3.Error) as error:
        said = (getattr(error, "strerror", None) or "cannot be written").lower()
        raise LedgerError(f"{path}: {reason or said}") from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink()


def _give_name(part: Path, path: Path) -> None:
    """Give a file its name; unlike a rename a link never replaces another file."""
    try:
        os.link(part, path)
    except FileExistsError:
        raise
    except OSError as error:  # not every file system has links
        if path.exists():
            raise FileExistsError from error
        part.rename(path)


def backup(database: "LedgerDatabase", path: Path) -> int:
    """Write a backup into a new file; how many entries it holds."""
    if not database.is_sqlite:
        return database.read(lambda session: _into_new_file(path, partial(_write_chain, session)))
    failure = "the backup cannot be written; check the folder and the room in it"
    with _new_file(path, failure) as part, contextlib.closing(sqlite3.connect(part)) as target:
        database.read(lambda session: session.copy_into(target))
        count = int(target.execute("SELECT count(*) FROM ledger_entries").fetchone()[0])
        target.execute("PRAGMA journal_mode = DELETE")  # one file, nothing beside it
    return count


def restore(database: "LedgerDatabase", path: Path) -> int:
    """Fill an empty ledger from a backup or an export, checking every entry; how many there were."""
    try:
        return database.write(lambda session: load(session, read_entries(path)))
    finally:
        database.close_idle()  # and the memory that it took


def load(session: "DatabaseTransaction", entries: Iterator[Entry]) -> int:
    """Write entries into an empty ledger, and all that follows from them; it then has no tokens.

    Raises:
        LedgerError: the ledger is not empty, or the entries are no unbroken chain.
    """
    if session.head() != START:
        raise LedgerError("a backup is restored into an empty ledger only; name a new one")
    session.expect_much()
    replay, place = Replay(), START
    chain = unbroken(entries, replay)
    while batch := list(islice(chain, _BATCH)):
        session.many(statements.APPEND, [entry.row for entry, _ in batch])
        session.many(statements.PUT_TOLD, [row for _, rows in batch for row in rows.asked])
        session.many(statements.ANSWER, [row for _, rows in batch for row in rows.answers])
        place = batch[-1][0].anchor
    _write_accounts(session, replay)
    session.written = place if place.seq else None
    _forget_tokens(session, replay.tokens.datasets)
    return place.seq


def _forget_tokens(session: "DatabaseTransaction", datasets: Iterable[str]) -> None:
    """A restored ledger trusts nobody: tokens that were revoked since the backup must stay so."""
    for dataset in datasets:
        body = revocation_body(None, now(), "restore")
        session.append(Entry.after(session.head(), dataset, REVOKED, None, body))


def _write_accounts(session: "DatabaseTransaction", replay: Replay) -> None:
    for name, dataset in replay.datasets.items():
        held = replay.holdings[name]
        session.put(statements.ADD_DATASET, dataset)
        surpluses = [surplus_row(dataset.id, *item) for item in held.cells.items()]
        session.many(statements.PUT_SURPLUS, surpluses)
        quotas = [quota_row(dataset.id, *item) for item in held.analysts.items()]
        session.many(statements.PUT_QUOTA, quotas)


def read_entries(path: Path) -> Iterator[Entry]:
    """The entries of a backup or a JSON export.

    Raises:
        LedgerError: it is neither.
    """
    try:
        with path.open("rb") as file:
            begins = file.read(len(_SQLITE_BEGINS))
        if begins == _SQLITE_BEGINS:
            yield from _of_database(path)
            return
        for line in _of_json(path):
            yield _of_line(line)
    except OSError as error:
        raise LedgerError(f"{path}: {(error.strerror or 'cannot be read').lower()}") from error
    except (ValueError, KeyError, TypeError, RecursionError, sqlite3.Error) as error:
        raise LedgerError(f"{path}: is no backup of a ledger") from error


def _of_line(line: dict[str, Any]) -> Entry:
    if type(line["seq"]) is not int:
        raise TypeError("an entry's number is an integer")
    return Entry(*(line[name] for name in COLUMNS))


def _of_json(path: Path) -> Iterator[dict[str, Any]]:
    """The entries of an export, line by line; one that was formatted otherwise is read as a whole."""
    with path.open(encoding="utf-8") as file:
        if file.readline() == f"{_FIRST_LINE}\n":
            for line in file:
                if line == f"{_LAST_LINE}\n":
                    return
                yield json.loads(line.rstrip().removesuffix(","))
            raise LedgerError(f"{path}: ends in the middle; take another backup")
    content = json.loads(path.read_text("utf-8"))
    if (content["format"], content["version"]) != (FORMAT, 1):
        raise LedgerError(f"{path}: is no backup of a ledger that this version can read")
    yield from content["entries"]


def _of_database(path: Path) -> Iterator[Entry]:
    from urllib.parse import quote

    with contextlib.closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True)) as source:
        for row in source.execute(statements.CHAIN):
            yield Entry(*row)
