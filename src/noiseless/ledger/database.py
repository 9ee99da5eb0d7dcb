"""A SQLite file or a PostgreSQL database: connections that are kept, transactions that are tried again.

Writers of a SQLite file take turns; SQLite itself lets them try again ever more seldom.
"""

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote
from weakref import WeakSet

from noiseless.ledger import statements
from noiseless.ledger.entries import Anchor
from noiseless.ledger.errors import (
    LedgerError,
    LedgerUnavailableError,
    LostConnectionError,
    explain_connecting,
    explain_postgresql,
    explain_sqlite,
)
from noiseless.ledger.location import shown, sqlite_path
from noiseless.ledger.transaction import DatabaseTransaction

try:
    import fcntl
except ImportError:  # pragma: no cover - not on Windows
    fcntl = None  # type: ignore[assignment]

_PAUSE, _MOST_PATIENCE = 0.0002, 1.0


class Turns:
    """The turns of a file: threads take them by a lock, processes by two files beside it.

    The next process holds one file while it waits for the other one, so that nobody comes in between.
    Files are a courtesy that nothing depends on: a process that waits too long goes ahead, and
    SQLite decides.
    """

    def __init__(self, path: Path, where: str, patience: float) -> None:
        self._path, self._where, self._patience = path, where, patience
        self._here = threading.Lock()
        self._files: list[int] = []

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Be the only one of those who take turns.

        Raises:
            LedgerUnavailableError: another thread does not come to an end.
        """
        if not self._here.acquire(timeout=self._patience):
            raise LedgerUnavailableError(f"{self._where}: is locked by another thread; ask again")
        try:
            end = time.monotonic() + min(self._patience, _MOST_PATIENCE)
            for file in self._files or self._opened():
                self._take(file, end)
            self._give_up(self._files[:1])
            yield
        finally:
            self._give_up(self._files)
            self._here.release()

    def _opened(self) -> list[int]:
        """The files, or none where there cannot be any."""
        if fcntl is not None:
            with suppress(OSError):
                for ending in ("next", "turn"):
                    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
                    path = self._path.with_name(f"{self._path.name}-{ending}")
                    self._files.append(os.open(path, flags, 0o600))
        return self._files

    @staticmethod
    def _take(file: int, end: float) -> None:
        while time.monotonic() < end:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                time.sleep(_PAUSE)
            else:
                return

    @staticmethod
    def _give_up(files: list[int]) -> None:
        with suppress(OSError):  # closed meanwhile
            for file in files:
                fcntl.flock(file, fcntl.LOCK_UN)

    def close(self) -> None:
        """Close the files."""
        files, self._files = self._files, []
        for file in files:
            os.close(file)


Found = TypeVar("Found")

KEPT_OPEN, _MOST_OPEN = 8, 64
"""How many connections a process keeps, and how many it may have for a while."""
_LONGEST_PAUSE = 0.5

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

_OPEN: "WeakSet[LedgerDatabase]" = WeakSet()
_INHERITED: list[object] = []
"""Connections of a parent process, which stay open here for ever."""


def _connect_sqlite(path: Path, mode: str, patience: float) -> sqlite3.Connection:
    uri = f"file:{quote(str(path))}?{mode}"  # whatever folder the process goes to later
    connection = sqlite3.connect(
        uri, uri=True, timeout=patience, isolation_level=None, check_same_thread=False
    )
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA fullfsync = ON")  # where a plain fsync does not reach the disk
    connection.execute(f"PRAGMA cache_size = -{_CACHE}")
    connection.execute(f"PRAGMA wal_autocheckpoint = {_LOG}")
    connection.execute(f"PRAGMA mmap_size = {_MAPPED}")  # a question is found as fast among many as among few
    return connection


def _connect_postgresql(url: str, patience: float) -> Any:  # noqa: ANN401 - the driver's own
    import psycopg
    from psycopg.conninfo import conninfo_to_dict

    address = url.replace("+psycopg", "", 1)
    given = conninfo_to_dict(address)
    options: dict[str, Any] = {name: value for name, value in _CONNECTING.items() if name not in given}
    connection = psycopg.connect(address, autocommit=True, **options)
    connection.execute(
        "SELECT set_config('synchronous_commit', 'on', false)"
        " WHERE current_setting('synchronous_commit') IN ('off', 'local')"
    )
    connection.execute(f"SET lock_timeout = {max(1, int(patience * 1000))}")
    return connection


class LedgerDatabase:
    """A SQLite file or a PostgreSQL database."""

    def __init__(
        self, url: str, patience: float, *, immutable: bool = False, read_only: bool = False
    ) -> None:
        self.where, self.path = shown(url), sqlite_path(url)
        self.is_sqlite = self.path is not None
        self.patience, self.read_only = patience, read_only
        self.driver_error: type[Exception] = sqlite3.Error
        self.has_pipelines = False
        self.connect: Callable[[], Any]
        if self.path is not None:
            mode = "immutable=1" if immutable else "mode=ro" if read_only else "mode=rwc"
            self.connect = partial(_connect_sqlite, self.path, mode, patience)
        else:
            import psycopg

            self.driver_error, self.has_pipelines = psycopg.Error, psycopg.Pipeline.is_supported()
            self.connect = partial(_connect_postgresql, url, patience)
        self._was_reached = False
        self._begin_anew()
        _OPEN.add(self)

    def _begin_anew(self) -> None:
        self._idle: list[Any] = []
        self._places = threading.Semaphore(_MOST_OPEN)
        self._turns = None if self.path is None else Turns(self.path, self.where, self.patience)

    def after_fork(self) -> None:
        """A child must not use, nor even close, connections of its parent."""
        _INHERITED.append(self._idle)
        self._begin_anew()

    def close(self) -> None:
        """Close all that nobody uses now."""
        self.close_idle()
        if self._turns is not None:
            self._turns.close()

    def close_idle(self) -> None:
        """Close the connections that nobody uses now."""
        while self._idle:
            with suppress(IndexError, self.driver_error):  # another thread may take the last one
                self._idle.pop().close()

    # Transactions

    def read(self, work: Callable[[DatabaseTransaction], Found]) -> Found:
        """Do some reading on one consistent state of the database; again if the connection breaks."""
        return self._transact(work, begins=True)

    def look(self, work: Callable[[DatabaseTransaction], Found]) -> Found:
        """Do some reading by one statement, which needs no transaction; again if the connection breaks."""
        return self._transact(work)

    def write(self, work: Callable[[DatabaseTransaction], Found]) -> Found:
        """Do some writing alone and make it durable; again if that is certain not to have happened."""
        with nullcontext() if self._turns is None else self._turns.taken():
            return self._transact(work, begins=True, writes=True)

    def _transact(
        self, work: Callable[[DatabaseTransaction], Found], *, begins: bool = False, writes: bool = False
    ) -> Found:
        """Do some work in a transaction; again while the server is away, as long as patience lasts."""
        end, pause = time.monotonic() + self.patience, 0.01
        while True:
            try:
                session = self._session()
                try:
                    if begins:
                        session.begin(writes=writes)
                    found = work(session)
                    if writes:
                        self._commit(session)
                except self.driver_error as error:
                    raise self.meaning(error, session) from error
                else:
                    return found
                finally:
                    session.end()
            except LostConnectionError:
                if time.monotonic() + pause > end:
                    raise
            self.close_idle()  # those that nobody uses now are likely to be gone too
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _commit(self, session: DatabaseTransaction) -> None:
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

        Who writes holds the lock of the chain until the transaction ends either way, so once we hold it the
        lost transaction has ended.
        """
        try:
            hashes = self.write(lambda session: session.rows(statements.ENTRY_HASH, [place.seq]))
        except LedgerError as error:
            raise LedgerUnavailableError(
                f"{self.where}: the server went away, and it is not known whether the entry was written;"
                " ask again: what was charged is free",
                certain=False,
            ) from error
        return hashes == [(place.hash,)]

    # Connections

    def _session(self) -> DatabaseTransaction:
        if not self._places.acquire(timeout=self.patience):
            raise LedgerUnavailableError(f"{self.where}: all connections are in use; ask again")
        try:
            return DatabaseTransaction(self, self._connection())
        except BaseException:
            self._places.release()
            raise

    def _connection(self) -> Any:  # noqa: ANN401 - the driver's own
        with suppress(IndexError):
            return self._idle.pop()
        try:
            connection = self.connect()
        except self.driver_error as error:
            if self.is_sqlite:
                raise explain_sqlite(error, self.where) from error
            raise explain_connecting(error, self.where, was_reached=self._was_reached) from error
        self._was_reached = True
        return connection

    def give_back(self, connection: Any, *, is_good: bool) -> None:  # noqa: ANN401 - the driver's own
        """Keep a connection for others, unless it is no good or there are enough."""
        if is_good and len(self._idle) < KEPT_OPEN:
            self._idle.append(connection)
        else:
            with suppress(self.driver_error):
                connection.close()
        self._places.release()

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
