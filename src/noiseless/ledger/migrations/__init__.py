"""A ledger's database: created, brought up to date or back a step, by one process at a time."""

import os
import time
from collections.abc import Callable
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

from noiseless.files import reserve_private
from noiseless.ledger.database import LedgerDatabase
from noiseless.ledger.errors import LedgerError, LedgerUnavailableError, explain_sqlite
from noiseless.ledger.integrity import verify_session
from noiseless.ledger.location import normal_url, shown, sqlite_path
from noiseless.ledger.migrations.tables import create_beside, create_chain
from noiseless.ledger.migrations.token_entries import record_tokens, take_out_tokens
from noiseless.ledger.schema import HEAD, STEPS, VERSION_TABLE
from noiseless.ledger.transaction import DatabaseTransaction

_PATIENCE = 30.0


_STEPS = {"0001": create_chain, "0002": create_beside, "0003": record_tokens}


def upgrade(session: DatabaseTransaction, last: str = HEAD) -> None:
    """Take the steps that are missing, up to one; none where another process was faster."""
    present = _step(session) or ""
    if not present:
        key = f"CONSTRAINT {VERSION_TABLE}_pkc PRIMARY KEY (version_num)"
        session.put(f"CREATE TABLE IF NOT EXISTS {VERSION_TABLE} (version_num VARCHAR(32) NOT NULL, {key})")
    for step, take in _STEPS.items():
        if present < step <= last:
            take(session)
            _note_step(session, step)


def _note_step(session: DatabaseTransaction, step: str) -> None:
    session.put(f"DELETE FROM {VERSION_TABLE}")
    session.put(f"INSERT INTO {VERSION_TABLE} VALUES (?)", [step])


def open_database(url: str, *, create: bool, patience: float) -> LedgerDatabase:
    """The database of a ledger, with all its tables.

    Raises:
        LedgerError: there is none and none is to be created, or it cannot be opened.
    """
    path = sqlite_path(url)
    if path is None:
        return _checked(LedgerDatabase(url, patience), create=create)
    is_there = path.is_file() and path.stat().st_size > 0
    if not is_there and not create:
        raise LedgerError(f"{shown(url)}: there is no ledger; check the name and the folder")
    if is_there and not os.access(path, os.W_OK):
        if create:
            raise LedgerError(f"{shown(url)}: cannot be written; check the permissions of the file")
        return _read_only(url, path, patience)
    if not is_there:
        with suppress(OSError):  # SQLite says what is wrong
            reserve_private(path)  # a ledger holds questions, answers and digests of tokens
    found = _checked(LedgerDatabase(url, patience), create=create)
    if not is_there:
        _sync_folder(path)
    return found


def _read_only(url: str, path: Path, patience: float) -> LedgerDatabase:
    """A file that may only be read; without a log beside it nobody can be writing it."""
    immutable = not path.with_name(f"{path.name}-wal").exists()
    return _checked(LedgerDatabase(url, patience, read_only=True, immutable=immutable), create=False)


def _checked(database: LedgerDatabase, *, create: bool) -> LedgerDatabase:
    try:
        step = database.read(_step)
        if step != HEAD:
            _bring_up_to_date(database, step, create=create)
    except BaseException:
        database.close()
        raise
    return database


def _step(session: DatabaseTransaction) -> str | None:
    """The last step that was applied."""
    tables = "sqlite_master WHERE name = ?"
    if not session.is_sqlite:  # names that `to_regclass` did not find once, it does not find for a while
        tables = "pg_class WHERE relname = ? AND pg_table_is_visible(oid)"
    if not session.rows(f"SELECT 1 FROM {tables}", [VERSION_TABLE]):
        return None
    steps = session.rows(f"SELECT version_num FROM {VERSION_TABLE}")
    return str(steps[0][0]) if steps else None


def _bring_up_to_date(database: LedgerDatabase, step: str | None, *, create: bool) -> None:
    if step is None and not create:
        raise LedgerError(f"{database.where}: there is no ledger")
    if step is not None and step.isdecimal() and step > HEAD:
        raise LedgerError(f"{database.where}: was written by a newer noiseless; install that")
    if step is not None and step not in STEPS:
        raise LedgerError(f"{database.where}: does not say which noiseless wrote it; restore a backup")
    if database.read_only:
        raise LedgerError(
            f"{database.where}: was written by an earlier noiseless; copy it to where it may be written"
        )
    _change(database, upgrade)


def step_back(address: str, step: str) -> None:
    """Bring a ledger back to a step before, for an earlier noiseless; all charges, answers and tokens stay.

    Raises:
        LedgerError: there is no ledger, it is not whole, or there is no way back to that step.
    """
    database = open_database(normal_url(address), create=False, patience=_PATIENCE)
    try:
        if step != STEPS[-2]:
            raise LedgerError(f"there is no way back to step {step!r}, only to {STEPS[-2]}")
        _change(database, partial(_take_back, database.where))
    finally:
        database.close()


def _take_back(where: str, session: DatabaseTransaction) -> None:
    """Take the last step back, if the ledger is whole: entries get other hashes, which would fit again.

    Raises:
        LedgerError: the ledger is not whole.
    """
    report = verify_session(session, None)
    if not report.ok:
        raise LedgerError(f"{where}: is not whole, so it stays as it is: {report.problems[0]}")
    take_out_tokens(session)
    _note_step(session, STEPS[-2])


def _change(database: LedgerDatabase, change: Callable[[DatabaseTransaction], None]) -> None:
    """Change the tables, alone."""
    if database.is_sqlite:
        _keep_a_log(database)
    database.write(change)
    database.close_idle()  # connections that were opened before do not know of the log yet


def _keep_a_log(database: LedgerDatabase) -> None:
    """Write-ahead logging, which the file remembers; SQLite does not wait for others when switching to it."""
    end, mode = time.monotonic() + database.patience, ""
    while not mode:
        try:
            with closing(database.connect()) as connection:
                ((mode,),) = connection.execute("PRAGMA journal_mode = WAL")
        except database.driver_error as error:
            meaning = explain_sqlite(error, database.where)
            if not isinstance(meaning, LedgerUnavailableError) or time.monotonic() > end:
                raise meaning from error
            time.sleep(0.01)
    if mode != "wal":
        raise LedgerError(f"{database.where}: its file system has no write-ahead logging; use another")


def _sync_folder(path: Path) -> None:
    """Make the name of a new file as durable as what it holds."""
    if os.name == "posix":
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
