"""A transaction on one connection; what it writes is written together, at its end."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from sqlalchemy import PoolProxiedConnection

from noiseless.ledger.entries import START, Anchor, Entry
from noiseless.ledger.errors import LedgerError
from noiseless.ledger.failures import SAME_KEY

if TYPE_CHECKING:
    from noiseless.ledger.database import Database
    from noiseless.ledger.statements import Search

Parameters = Mapping[str, Any]

_ALONE: AbstractContextManager[None] = nullcontext()
_PART = 2000
_LARGE_CACHE = 400_000  # kilobytes


class Session:
    """A transaction on one connection."""

    def __init__(self, database: "Database", proxied: PoolProxiedConnection) -> None:
        self.statements = database.statements
        self.written: Anchor | None = None
        self._database = database
        self._proxied = proxied
        self._driver: Any = proxied.driver_connection
        self._is_open = False
        self._unsent: str | None = None
        self._head: Anchor | None = None
        self._rows: dict[str, dict[object, Parameters]] = {}
        self._told: set[str | None] = set()
        self.flushes = 0

    def rows(self, sql: str, parameters: Parameters | None = None) -> list[tuple[Any, ...]]:
        """All rows of a statement."""
        found: list[tuple[Any, ...]] = self._execute(sql, parameters).fetchall()
        return found

    def _execute(self, sql: str, parameters: Parameters | None = None) -> Any:  # noqa: ANN401 - the driver's own
        """Run a statement; what begins the transaction travels with the first one."""
        if self._unsent is None:
            return self._driver.execute(sql, parameters or {})
        with self.together():
            self._send_begin()
            return self._driver.execute(sql, parameters or {})

    def _send_begin(self) -> None:
        if self._unsent is not None:
            begin, self._unsent = self._unsent, None
            self._driver.execute(begin)

    def stream(self, sql: str) -> Iterator[tuple[Any, ...]]:
        """The rows of a statement without parameters, a part at a time."""
        if self._database.is_sqlite:
            yield from self._driver.execute(sql)
            return
        self._send_begin()
        with self._driver.cursor(name="ledger") as cursor:
            cursor.itersize = _PART
            yield from cursor.execute(sql)

    def run(self, sql: str, parameters: Parameters | None = None) -> int:
        """Run a statement; how many rows it changed."""
        return int(self._execute(sql, parameters).rowcount)

    def each(self, sql: str, parameters: Sequence[Parameters]) -> list[int]:
        """Run a statement for each of some parameters; how many rows each changed."""
        with self.together():
            cursors = [self._execute(sql, one) for one in parameters]
        return [int(cursor.rowcount) for cursor in cursors]

    def many(self, sql: str, parameters: Sequence[Parameters]) -> Any:  # noqa: ANN401 - the driver's own
        """Run a statement for many parameters; a cursor that knows how many rows it changed."""
        if len(parameters) == 1:
            return self._execute(sql, parameters[0])
        self._send_begin()
        cursor = self._driver.cursor()
        cursor.executemany(sql, parameters)
        return cursor

    def search(
        self, statement: "Search", values: Sequence[str] | Sequence[int], **ours: int
    ) -> list[tuple[Any, ...]]:
        """The rows of some values."""
        return self.searches([(statement, values)], **ours)[0]

    def searches(
        self, several: Sequence[tuple["Search", Sequence[str] | Sequence[int]]], **ours: int
    ) -> list[list[tuple[Any, ...]]]:
        """The rows of some values, for each of several searches."""
        with self.together() if len(several) > 1 else _ALONE:
            cursors = [
                self._execute(statement.one, {"keys": values[0], **ours})
                if len(values) == 1
                else self._execute(statement.some, {"keys": self._database.keys(values), **ours})
                if values
                else None
                for statement, values in several
            ]
        return [[] if cursor is None else cursor.fetchall() for cursor in cursors]

    def together(self) -> AbstractContextManager[Any]:
        """Statements may go to the server together; their results are there afterwards."""
        if not self._database.has_pipelines:
            return _ALONE
        pipeline: AbstractContextManager[Any] = self._driver.pipeline()
        return pipeline

    def head(self) -> Anchor:
        """The last entry's place."""
        found = self.rows(self.statements.head)
        return Anchor(*found[0]) if found else START

    def locked(self, dataset: str) -> list[tuple[Any, ...]]:
        """The row of a dataset; nobody else charges for it until the end of the transaction."""
        if self._database.is_sqlite:
            return self.rows(self.statements.lock_dataset, {"name": dataset})
        with self.together():  # with the lock of the chain, which whoever charges needs too
            found = self._execute(self.statements.lock_dataset, {"name": dataset})
            self._execute(self.statements.lock_chain)
            head = self._execute(self.statements.head)
        self._head = next((Anchor(*row) for row in head.fetchall()), START)
        rows: list[tuple[Any, ...]] = found.fetchall()
        return rows

    def locked_head(self) -> Anchor:
        """The last entry's place; nobody else appends until the end of the transaction."""
        place = self.written or self._head
        if place is None:
            if not self._database.is_sqlite:
                self.run(self.statements.lock_chain)
            place = self.head()
        return place

    # Rows that are written at the end of the transaction, or when somebody is to read them

    def append(self, entry: Entry) -> None:
        """Write an entry, which must follow `locked_head()`."""
        self.put(self.statements.append, entry.seq, entry.row)
        self.written = entry.anchor

    def put(self, sql: str, key: object, row: Parameters) -> None:
        """Write a row; of several with one key the last one stands."""
        self._rows.setdefault(sql, {})[key] = row

    def put_told(self, row: Parameters) -> None:
        """Write a question that is charged for; the first charge stands.

        Raises:
            LedgerError: another question has the same key.
        """
        before = self._rows.setdefault(self.statements.put_told, {}).setdefault(row["key"], row)
        if before["question"] != row["question"]:
            raise LedgerError(SAME_KEY)
        self._told |= {row["question"], row["grid"], row["people"]}

    def is_about_to_tell(self, fingerprints: Collection[str]) -> bool:
        """Whether a question with one of these fingerprints is not written yet."""
        return not self._told.isdisjoint(fingerprints)

    def flush(self) -> None:
        """Write all rows that are waiting."""
        if self._rows:
            with self.together():
                self._write_rows()

    def _write_rows(self) -> None:
        waiting, self._rows, self._told = self._rows, {}, set()
        self.flushes += 1
        for sql, rows in waiting.items():
            self.many(sql, list(rows.values()))

    def expect_much(self) -> None:
        """Keep changed pages in memory: rows whose keys are in no order would change each many times."""
        if self._database.is_sqlite:
            self.run(f"PRAGMA cache_size = -{_LARGE_CACHE}")

    def copy_into(self, target: Any) -> None:  # noqa: ANN401 - a connection of sqlite3
        """Copy a SQLite database as it is at this moment."""
        self._driver.backup(target)

    def begin(self, sql: str) -> None:
        """Begin the transaction."""
        self.written = self._head = None
        self._rows, self._told = {}, set()
        if self._database.is_sqlite:
            self._driver.execute(sql)
        else:
            self._unsent = sql
        self._is_open = True

    def commit(self) -> None:
        """Make it durable.

        Raises:
            LedgerError: the server undid it instead.
        """
        if self._unsent is not None and not self._rows:  # nothing was done
            self._unsent, self._is_open = None, False
            return
        with self.together():
            self._write_rows()
            done = self._driver.execute("COMMIT")
        self._is_open = False
        if not self._database.is_sqlite and done.statusmessage != "COMMIT":
            raise LedgerError(f"{self._database.where}: the server undid the transaction")

    def end(self) -> None:
        """Undo whatever is not committed, and give the connection back; a broken one is thrown away."""
        has_begun = self._is_open and self._unsent is None
        self._is_open, self._unsent = False, None
        try:
            if has_begun and (not self._database.is_sqlite or self._driver.in_transaction):
                self._driver.execute("ROLLBACK")
        except self._database.driver_error:
            self._proxied.invalidate()
        else:
            self._database.take_back(self)

    def close(self) -> None:
        """Close the connection."""
        if self._proxied.is_valid:
            self._proxied.invalidate()

    @property
    def has_round_trips(self) -> bool:
        """Whether a statement goes to a server and back."""
        return not self._database.is_sqlite

    @property
    def is_broken(self) -> bool:
        """Whether the connection is of no use any more."""
        return not self._database.is_sqlite and (self._driver.closed or self._driver.broken)
