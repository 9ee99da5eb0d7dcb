"""A transaction on one connection, to SQLite or PostgreSQL."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from noiseless.ledger import statements
from noiseless.ledger.entries import START, Anchor, Entry, canonical
from noiseless.ledger.errors import LedgerError

if TYPE_CHECKING:
    from noiseless.ledger.database import LedgerDatabase

_CHAIN_LOCK = 0x6C65646765  # any number that other programs in the database do not lock
_LOCK_CHAIN = f"SELECT pg_advisory_xact_lock({_CHAIN_LOCK})"
_PART = 2000
_LARGE_CACHE = 400_000  # kilobytes


class DatabaseTransaction:
    """A transaction on one connection; while it writes, nobody else does.

    Statements to a server travel together until one of them has rows to be read: what is only written takes
    no round trip of its own, and what the server has against it is heard at the end.

    Attributes:
        is_sqlite: whether it is SQLite; PostgreSQL otherwise.
        written: the place of the last entry that it appended.
    """

    def __init__(self, database: "LedgerDatabase", driver: Any) -> None:  # noqa: ANN401 - the driver's own
        self.is_sqlite = database.is_sqlite
        self.written: Anchor | None = None
        self._database = database
        self._driver = driver
        self._is_open = False
        self._pipeline: Any = None
        self._head: Anchor | None = None

    # Statements

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of a statement."""
        rows: list[tuple[Any, ...]] = self.put(sql, parameters).fetchall()
        return rows

    def run(self, sql: str, parameters: Sequence[Any] = ()) -> int:
        """Run a statement; how many rows it changed."""
        cursor = self.put(sql, parameters)
        if self._pipeline is not None:
            self._pipeline.sync()
        return int(cursor.rowcount)

    def put(self, sql: str, parameters: Sequence[Any] = ()) -> Any:  # noqa: ANN401 - the driver's own
        """Run a statement; on a server, when a result is asked for or the transaction ends."""
        if not self.is_sqlite:
            return self._driver.execute(_of_postgresql(sql), parameters or None)
        lists = tuple([len(each) == 1 for each in parameters if isinstance(each, list)])
        if lists:
            sql, parameters = _of_sqlite(sql, lists), [_given(each) for each in parameters]
        return self._driver.execute(sql, parameters)

    def many(self, sql: str, parameters: Sequence[Sequence[Any]]) -> None:
        """Run a statement for many parameters, none of them a list."""
        if parameters:
            text = sql if self.is_sqlite else _of_postgresql(sql)
            self._driver.cursor().executemany(text, parameters)

    def stream(self, sql: str) -> Iterator[tuple[Any, ...]]:
        """The rows of a statement without parameters, a part at a time."""
        if self.is_sqlite:
            yield from self._driver.execute(sql)
            return
        self._end_pipeline()
        with self._driver.cursor(name="ledger") as cursor:
            cursor.itersize = _PART
            yield from cursor.execute(sql)

    # The chain

    def head(self) -> Anchor:
        """The last entry's place; who writes is the only one to append after it."""
        place = self.written or self._head
        if place is None:
            last = self.rows(statements.LAST_ENTRY)
            place = self._head = Anchor(*last[0]) if last else START
        return place

    def append(self, entry: Entry) -> None:
        """Write an entry, which must follow `head()`."""
        self.put(statements.APPEND, entry.row)
        self.written = entry.anchor

    # Begin and end

    def begin(self, *, writes: bool) -> None:
        """Begin to read one state of the database, or to write, when nobody else does any more."""
        self._is_open = True
        if self.is_sqlite:
            self._driver.execute("BEGIN IMMEDIATE" if writes else "BEGIN")
            return
        if self._database.has_pipelines:
            self._sent_together = ExitStack()
            self._pipeline = self._sent_together.enter_context(self._driver.pipeline())
        if writes:
            self._driver.execute("BEGIN ISOLATION LEVEL READ COMMITTED")
            self._driver.execute(_LOCK_CHAIN)  # what is read after it is the present state
        else:
            self._driver.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")

    def commit(self) -> None:
        """Make it durable.

        Raises:
            LedgerError: the server undid it instead.
        """
        done = self._driver.execute("COMMIT")
        self._end_pipeline()
        self._is_open = False
        if not self.is_sqlite and done.statusmessage != "COMMIT":
            raise LedgerError(f"{self._database.where}: the server undid the transaction")

    def end(self) -> None:
        """Undo whatever is not committed, and give the connection back; one that is no good is closed."""
        is_good = isinstance(sys.exception(), Exception | None)  # else nobody knows in the middle of what
        try:
            if is_good and self._is_open:
                self._end_pipeline()
                if not self.is_sqlite or self._driver.in_transaction:
                    self._driver.execute("ROLLBACK")
        except self._database.driver_error:
            is_good = False
        self._database.give_back(self._driver, is_good=is_good and not self.is_broken)

    def _end_pipeline(self) -> None:
        """Wait for all that was sent.

        Raises:
            Exception: the driver's own, of the first statement that failed.
        """
        if self._pipeline is not None:
            self._pipeline = None
            self._sent_together.close()

    @property
    def is_broken(self) -> bool:
        """Whether the connection is of no use any more."""
        return not self.is_sqlite and bool(self._driver.closed or self._driver.broken)

    # For backups

    def expect_much(self) -> None:
        """Keep changed pages in memory: rows whose keys are in no order would change each many times."""
        if self.is_sqlite:
            self._driver.execute(f"PRAGMA cache_size = -{_LARGE_CACHE}")

    def copy_into(self, target: Any) -> None:  # noqa: ANN401 - a connection of sqlite3
        """Copy a SQLite database as it is at this moment."""
        self._driver.backup(target)


@lru_cache(maxsize=256)
def _of_sqlite(sql: str, lists: tuple[bool, ...]) -> str:
    """A statement for SQLite, which has no arrays: lists are given as JSON.

    A list of one thing (which of them are, is said for each) is that thing, and found in half the time.
    """
    for is_one in lists:
        sql = sql.replace("= ANY(?)", "= ?" if is_one else "IN (SELECT value FROM json_each(?))", 1)
    return sql


def _given(parameter: Any) -> Any:  # noqa: ANN401 - what drivers take
    if not isinstance(parameter, list):
        return parameter
    return parameter[0] if len(parameter) == 1 else canonical(parameter)


@lru_cache(maxsize=256)
def _of_postgresql(sql: str) -> str:
    """A statement for psycopg."""
    return sql.replace("?", "%s")
