"""Transactions on SQLite and PostgreSQL: durable, one at a time a dataset, retried when that is safe."""

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar
from urllib.parse import quote
from weakref import WeakSet

from sqlalchemy import Engine, create_engine, event, make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.pool import QueuePool

from noiseless.ledger.entries import Anchor, canonical
from noiseless.ledger.errors import (
    LedgerError,
    LedgerUnavailableError,
    LostConnectionError,
    explain_connecting,
    explain_postgresql,
    explain_sqlite,
)
from noiseless.ledger.location import shown, sqlite_path
from noiseless.ledger.statements import Statements
from noiseless.ledger.transaction import DatabaseTransaction, Parameters

KEPT_OPEN, _MORE = 8, 56
"""How many connections a process keeps, and how many more it may have for a while."""

_CACHE = 16_000  # kilobytes
_LOG = 4000  # pages: questions change pages here and there, which are written back once for many of them
_MAPPED = 2**31 - 2**16  # bytes, the most that SQLite maps; what is written is never written through the map
_CONNECTING = {  # a server that is gone without a word is noticed within a minute
    "connect_timeout": 10,
    "keepalives_idle": 20,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
}


def engine_of(url: str, patience: float, *, immutable: bool, read_only: bool) -> Engine:
    """A pool of connections that are ready for use: durable, patient, without transactions of their own."""
    path = sqlite_path(url)
    if path is None:
        given = make_url(url).query
        options = {name: value for name, value in _CONNECTING.items() if name not in given}
        engine = create_engine(url, connect_args={**options, "autocommit": True}, **_pool(patience))
        event.listen(engine, "connect", _ready_postgresql(patience))
        return engine
    mode = "immutable=1" if immutable else "mode=ro" if read_only else "mode=rwc"
    uri = f"file:{quote(str(path))}?{mode}"  # whatever folder the process goes to later

    def connect() -> sqlite3.Connection:
        return sqlite3.connect(uri, uri=True, timeout=patience, isolation_level=None, check_same_thread=False)

    engine = create_engine("sqlite://", creator=connect, paramstyle="named", **_pool(patience))
    event.listen(engine, "connect", _ready_sqlite)
    return engine


def _pool(patience: float) -> dict[str, Any]:
    return {
        "poolclass": QueuePool,
        "pool_size": KEPT_OPEN,
        "max_overflow": _MORE,
        "pool_timeout": patience,
        "pool_reset_on_return": None,  # sessions end their transactions themselves
    }


def _ready_sqlite(connection: Any, _: object) -> None:  # noqa: ANN401 - the driver's own
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA fullfsync = ON")  # where a plain fsync does not reach the disk
    connection.execute(f"PRAGMA cache_size = -{_CACHE}")
    connection.execute(f"PRAGMA wal_autocheckpoint = {_LOG}")
    connection.execute(f"PRAGMA mmap_size = {_MAPPED}")  # a question is found as fast among many as among few


def _ready_postgresql(patience: float) -> Callable[[Any, object], None]:
    def ready(connection: Any, _: object) -> None:  # noqa: ANN401 - the driver's own
        connection.execute(
            "SELECT set_config('synchronous_commit', 'on', false)"
            " WHERE current_setting('synchronous_commit') IN ('off', 'local')"
        )
        connection.execute(f"SET lock_timeout = {max(1, int(patience * 1000))}")

    return ready


def has_pipelines() -> bool:
    """Whether statements may go to PostgreSQL together."""
    from psycopg import Pipeline

    return Pipeline.is_supported()


Found = TypeVar("Found")
Work = TypeVar("Work")

_LONGEST_PAUSE = 0.5

_OPEN: "WeakSet[LedgerDatabase]" = WeakSet()
_INHERITED: list[object] = []
"""Connections of a parent process, which stay open here for ever."""


class LedgerDatabase:
    """A SQLite file or a PostgreSQL database."""

    def __init__(
        self, url: str, patience: float, *, immutable: bool = False, read_only: bool = False
    ) -> None:
        self.where, self.path = shown(url), sqlite_path(url)
        self.is_sqlite = self.path is not None
        self.patience, self.read_only = patience, read_only
        self.engine = engine_of(url, patience, immutable=immutable, read_only=read_only)
        self.statements = Statements(self.engine.dialect)
        self.driver_error: type[Exception] = self.engine.dialect.loaded_dbapi.Error
        self.has_pipelines = not self.is_sqlite and has_pipelines()
        self._begin_reading = "BEGIN" if self.is_sqlite else "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
        self._begin_writing = "BEGIN IMMEDIATE" if self.is_sqlite else "BEGIN ISOLATION LEVEL READ COMMITTED"
        self.was_reached = False
        self._turn = threading.Lock() if self.is_sqlite else None
        self.remembered: dict[str, tuple[Anchor, object]] = {}
        _OPEN.add(self)

    def keys(self, values: Sequence[str] | Sequence[int]) -> Any:  # noqa: ANN401 - as the statement wants them
        """A list as a parameter: JSON for SQLite, an array for PostgreSQL."""
        return canonical(list(values)) if self.is_sqlite else list(values)

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()

    # Transactions

    def read(self, work: Callable[[DatabaseTransaction], Found]) -> Found:
        """Do some reading on one consistent state of the database; again if the connection breaks."""
        return self._patiently(self._read_once, work)

    def rows(self, sql: str, parameters: Parameters) -> list[tuple[Any, ...]]:
        """The rows of one statement, which needs no transaction; again if the connection breaks."""
        return self._patiently(self._rows_once, (sql, parameters))

    def _rows_once(self, statement: tuple[str, Parameters]) -> list[tuple[Any, ...]]:
        session = self._session()
        try:
            return session.rows(*statement)
        except self.driver_error as error:
            raise self.meaning(error, session) from error
        finally:
            session.end()

    def _read_once(self, work: Callable[[DatabaseTransaction], Found]) -> Found:
        session = self._session()
        try:
            session.begin(self._begin_reading)
            return work(session)
        except self.driver_error as error:
            raise self.meaning(error, session) from error
        finally:
            session.end()

    def write(self, work: Callable[[DatabaseTransaction], Found]) -> Found:
        """Do some writing and make it durable; again if that is certain not to have happened."""
        return self._patiently(self._write_once, work)

    def _write_once(self, work: Callable[[DatabaseTransaction], Found]) -> Found:
        turn = self.take_turn()
        try:
            session = self._session()
            try:
                session.begin(self._begin_writing)
                found = work(session)
            except self.driver_error as error:
                raise self.meaning(error, session) from error
            else:
                self.commit(session)
                return found
            finally:
                session.end()
        finally:
            if turn is not None:
                turn.release()

    def take_turn(self) -> "threading.Lock | None":
        """Threads that write to SQLite take turns by a lock, to be released: SQLite's own waiting polls."""
        if self._turn is not None and not self._turn.acquire(timeout=self.patience):
            raise LedgerUnavailableError(f"{self.where}: is locked by another thread; ask again")
        return self._turn

    def commit(self, session: DatabaseTransaction) -> None:
        """Make a transaction durable, and find out whether it is if nobody says so."""
        try:
            session.commit()
        except self.driver_error as error:
            meaning = self.meaning(error, session)
            if not isinstance(meaning, LostConnectionError) or session.written is None:
                raise meaning from error
            if not self._is_written(session.written):
                raise meaning from error

    def _is_written(self, place: Anchor) -> bool:
        """Whether an entry is in the chain although nobody said so.

        Who appends holds the lock of the chain until the transaction ends either way, so once we hold it the
        lost transaction has ended.
        """

        def look(session: DatabaseTransaction) -> bool:
            session.locked_head()
            return session.rows(session.statements.entry_hash, {"seq": place.seq}) == [(place.hash,)]

        try:
            return self.write(look)
        except LedgerError as error:
            raise LedgerUnavailableError(
                f"{self.where}: the server went away, and it is not known whether the entry was written;"
                " ask again: what was charged is free",
                certain=False,
            ) from error

    # Connections

    def _patiently(self, tried: Callable[[Work], Found], work: Work) -> Found:
        """Try again while the server is away, for as long as the ledger's patience lasts."""
        end, pause = time.monotonic() + self.patience, 0.01
        while True:
            try:
                return tried(work)
            except LostConnectionError:
                if time.monotonic() + pause > end:
                    raise
            self.engine.dispose()  # those that nobody uses now are likely to be gone too
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _session(self) -> DatabaseTransaction:
        try:
            found = DatabaseTransaction(self, self.engine.raw_connection())
        except PoolTimeoutError as error:
            raise LedgerUnavailableError(f"{self.where}: all connections are in use; ask again") from error
        except (self.driver_error, DBAPIError) as error:
            original = error.orig if isinstance(error, DBAPIError) else error
            if self.is_sqlite:
                raise explain_sqlite(original, self.where) from error
            raise explain_connecting(original, self.where, was_reached=self.was_reached) from error
        self.was_reached = True
        return found

    def after_fork(self) -> None:
        """A child must not use, nor even close, connections of its parent."""
        _INHERITED.append(self.engine.pool)
        self.engine.dispose(close=False)
        self._turn = threading.Lock() if self.is_sqlite else None

    def meaning(self, error: BaseException, session: DatabaseTransaction) -> LedgerError:
        """What a driver's error means."""
        if self.is_sqlite:
            return explain_sqlite(error, self.where)
        return explain_postgresql(error, self.where, broken=session.is_broken)


def _after_fork() -> None:
    for database in list(_OPEN):
        database.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
