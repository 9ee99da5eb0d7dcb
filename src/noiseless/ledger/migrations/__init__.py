"""A ledger's database: created, brought up to date or back a step, by one process at a time."""

import os
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from noiseless.files import reserve_private
from noiseless.ledger.database import LedgerDatabase
from noiseless.ledger.errors import LedgerError, LedgerUnavailableError, explain_postgresql, explain_sqlite
from noiseless.ledger.integrity import verify_session
from noiseless.ledger.location import normal_url, shown, sqlite_path
from noiseless.ledger.schema import HEAD, STEPS, VERSION_TABLE
from noiseless.ledger.transaction import LOCK_CHAIN, DatabaseTransaction

if TYPE_CHECKING:
    from alembic.config import Config
    from sqlalchemy import Connection

_PATIENCE = 30.0
_ADVISORY_LOCK = 0x6E6F697365  # any number that nobody else uses


def upgrade(connection: "Connection", step: str = HEAD) -> None:
    """Apply the steps that are missing, up to one, within the connection's transaction."""
    from alembic import command

    command.upgrade(_config(connection), step)


def downgrade(connection: "Connection", step: str) -> None:
    """Undo all steps after one, within the connection's transaction."""
    from alembic import command

    command.downgrade(_config(connection), step)


def _config(connection: "Connection") -> "Config":
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", "noiseless.ledger:migrations")
    config.attributes["connection"] = connection
    return config


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
        raise LedgerError(f"{shown(url)}: there is no ledger")
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
    if session.is_sqlite:
        there = bool(session.rows(f"SELECT 1 FROM sqlite_master WHERE name = '{VERSION_TABLE}'"))
    else:
        there = session.rows(f"SELECT to_regclass('{VERSION_TABLE}')") != [(None,)]
    found = session.rows(f"SELECT version_num FROM {VERSION_TABLE}") if there else []
    return str(found[0][0]) if found else None


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
    _change(database, upgrade)  # which does nothing where another process was faster


def step_back(address: str, step: str) -> None:
    """Bring a ledger back to a step before, for an earlier noiseless; all charges, answers and tokens stay.

    Raises:
        LedgerError: there is no ledger, it is not whole, or there is no way back to that step.
    """
    database = open_database(normal_url(address), create=False, patience=_PATIENCE)
    try:
        if step != STEPS[-2]:
            raise LedgerError(f"there is no way back to step {step!r}, only to {STEPS[-2]}")
        _change(database, lambda connection: _downgrade(database, connection, step))
    finally:
        database.close()


def _downgrade(database: LedgerDatabase, connection: "Connection", step: str) -> None:
    """Take steps back on a ledger that is whole alone: entries get other hashes, which would fit again."""
    session = DatabaseTransaction(database, connection.connection.driver_connection)
    try:
        report = verify_session(session, None)
    except database.driver_error as error:
        raise database.meaning(error, session) from error
    if not report.ok:
        raise LedgerError(f"{database.where}: is not whole, so it stays as it is: {report.problems[0]}")
    downgrade(connection, step)


def _change(database: LedgerDatabase, change: Callable[["Connection"], None]) -> None:
    """Change the tables, alone."""
    from sqlalchemy import NullPool, create_engine
    from sqlalchemy.exc import DBAPIError

    if database.is_sqlite:
        _keep_a_log(database)
    dialect = "sqlite://" if database.is_sqlite else "postgresql+psycopg://"
    engine = create_engine(dialect, creator=database.connect, poolclass=NullPool)
    try:
        with engine.connect() as connection:
            if database.is_sqlite:
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            else:
                connection.exec_driver_sql("BEGIN")
                connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_ADVISORY_LOCK})")
                connection.exec_driver_sql(LOCK_CHAIN)
            change(connection)
            connection.commit()
        database.close()  # connections that were opened before do not know of the log yet
    except DBAPIError as error:
        if database.is_sqlite:
            raise explain_sqlite(error.orig, database.where) from error
        raise explain_postgresql(error.orig, database.where, broken=error.connection_invalidated) from error


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
