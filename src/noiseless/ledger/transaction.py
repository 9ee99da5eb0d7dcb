"""A transaction on one connection; what it writes is written together, at its end."""

import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from sqlalchemy import ClauseElement, PoolProxiedConnection

from noiseless.ledger.entries import START, Anchor, Entry
from noiseless.ledger.errors import SAME_KEY, LedgerError
from noiseless.ledger.rows import as_columns
from noiseless.ledger.schema import text_of

if TYPE_CHECKING:
    from noiseless.ledger.database import LedgerDatabase
    from noiseless.ledger.rows import AnswerRow, QuestionRow
    from noiseless.ledger.statements import KeyedSelect, RowWrite

Parameters = Mapping[str, Any] | Sequence[Any]
"""By their names, or in their order, as the statement has them."""
SearchRequest = tuple["KeyedSelect", Sequence[str] | Sequence[int], tuple[int, ...]]
"""A search, the values that are searched for, and what else the statement wants."""

_ALONE: AbstractContextManager[None] = nullcontext()
_PART = 2000
_LARGE_CACHE = 400_000  # kilobytes


class DatabaseTransaction:
    """A transaction on one connection."""

    def __init__(self, database: "LedgerDatabase", proxied: PoolProxiedConnection) -> None:
        self.statements = database.statements
        self.written: Anchor | None = None
        self._database = database
        self._is_sqlite = database.is_sqlite
        self._proxied = proxied
        self._driver = cast("Any", proxied.driver_connection)
        self._is_open = False
        self._unsent: str | None = None
        self._execute: Callable[..., Any] = self._driver.execute if self._is_sqlite else self._sent
        self._head: Anchor | None = None
        self._rows: dict[RowWrite, dict[object, Parameters]] = {}
        self._told: set[str | None] = set()
        self.flushes = 0

    def rows(self, sql: str | ClauseElement, parameters: Parameters = ()) -> list[tuple[Any, ...]]:
        """All rows of a statement."""
        rows: list[tuple[Any, ...]] = self._execute(self._text(sql), parameters).fetchall()
        return rows

    def _text(self, sql: str | ClauseElement) -> str:
        return sql if isinstance(sql, str) else text_of(sql, self.statements.dialect)

    def _sent(self, sql: str, parameters: Parameters = ()) -> Any:  # noqa: ANN401 - the driver's own
        """Run a statement on a server; what begins the transaction travels with the first one."""
        if self._unsent is None:
            return self._driver.execute(sql, parameters)
        with self.together():
            self._send_begin()
            return self._driver.execute(sql, parameters)

    def _send_begin(self) -> None:
        if self._unsent is not None:
            begin, self._unsent = self._unsent, None
            self._driver.execute(begin)

    def stream(self, sql: str) -> Iterator[tuple[Any, ...]]:
        """The rows of a statement without parameters, a part at a time."""
        if self._is_sqlite:
            yield from self._driver.execute(sql)
            return
        self._send_begin()
        with self._driver.cursor(name="ledger") as cursor:
            cursor.itersize = _PART
            yield from cursor.execute(sql)

    def run(self, sql: str | ClauseElement, parameters: Parameters = ()) -> int:
        """Run a statement; how many rows it changed."""
        return int(self._execute(self._text(sql), parameters).rowcount)

    def answer(self, rows: Sequence["AnswerRow"]) -> set[str]:
        """Keep the answers of questions that have none; which questions had none."""
        write = self.statements.answer
        if write.some is None:
            return {row.question for row in rows if self._driver.execute(write.one, row).rowcount}
        return {question for (question,) in self.rows(write.some, as_columns(rows))}

    def many(self, sql: str, parameters: Sequence[Parameters]) -> Any:  # noqa: ANN401 - the driver's own
        """Run a statement for many parameters; a cursor that knows how many rows it changed."""
        if len(parameters) == 1:
            return self._execute(sql, parameters[0])
        self._send_begin()
        cursor = self._driver.cursor()
        cursor.executemany(sql, parameters)
        return cursor

    def search(
        self, statement: "KeyedSelect", values: Sequence[str] | Sequence[int], *ours: int
    ) -> list[tuple[Any, ...]]:
        """The rows of some values."""
        return self.searches([(statement, values, ours)])[0]

    def searches(self, several: Sequence[SearchRequest]) -> list[list[tuple[Any, ...]]]:
        """The rows of some values, for each of several searches."""
        if self._is_sqlite or len(several) == 1:
            cursors = [self._searched(*each) for each in several]
        else:
            with self.together():
                cursors = [self._searched(*each) for each in several]
        return [[] if cursor is None else cursor.fetchall() for cursor in cursors]

    def _searched(
        self, statement: "KeyedSelect", values: Sequence[str] | Sequence[int], ours: tuple[int, ...]
    ) -> Any:  # noqa: ANN401 - the driver's own
        if not values:
            return None
        if len(values) == 1:
            return self._execute(statement.one, (*ours, values[0]))
        return self._execute(statement.some, (*ours, self._database.keys(values)))

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

    def locked(
        self, dataset: str, wanted: Parameters | None = None
    ) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]] | None]:
        """The row of a dataset; nobody else charges for it until the end of the transaction.

        Args:
            dataset: its name.
            wanted: the parameters of `Statements.fetch`, if it is to be run too (PostgreSQL).

        Returns:
            The row, if there is one, and what was fetched.
        """
        if self._is_sqlite:
            return self.rows(self.statements.dataset, {"name": dataset}), None
        with self.together():  # the lock first: what is read after it is the present state
            self._execute(self.statements.lock_chain)
            cursor = self._execute(self.statements.locked_dataset, {"name": dataset})
            fetched = None if wanted is None else self._execute(self.statements.fetch, wanted)
        found = cursor.fetchall()
        self._head = Anchor(*found[0][-2:]) if found else None
        return [row[:-2] for row in found], None if fetched is None else fetched.fetchall()

    def locked_head(self) -> Anchor:
        """The last entry's place; nobody else appends until the end of the transaction."""
        place = self.written or self._head
        if place is None:
            if not self._is_sqlite:
                self.run(self.statements.lock_chain)
            place = self._head = self.head()
        return place

    # What is known without being read: all that is written changes the head, which names one state only

    def remembered(self, dataset: str) -> Any | None:  # noqa: ANN401 - whatever was remembered
        """What was remembered of a dataset, if nobody wrote anything since.

        On a server the dataset's row is locked, and so read, anyway.
        """
        found = self._database.remembered.get(dataset) if self._is_sqlite else None
        return found[1] if found is not None and found[0] == self.locked_head() else None

    def remember(self, dataset: str, what: object) -> None:
        """Keep what is true of a dataset after the last entry; if that is undone, it is never found again."""
        self._database.remembered[dataset] = (self.locked_head(), what)

    def last_seen(self, dataset: str) -> Any | None:  # noqa: ANN401 - whatever was remembered
        """What was remembered last, whatever was written since."""
        found = self._database.remembered.get(dataset)
        return None if found is None else found[1]

    # Rows that are written at the end of the transaction, or when somebody is to read them

    def append(self, entry: Entry) -> None:
        """Write an entry, which must follow `locked_head()`."""
        self.put(self.statements.append, entry.seq, entry.row)
        self.written = entry.anchor

    def put(self, write: "RowWrite", key: object, row: Parameters) -> None:
        """Write a row; of several with one key the last one stands."""
        waiting = self._rows.get(write)
        if waiting is None:
            waiting = self._rows[write] = {}
        waiting[key] = row

    def put_told(self, row: "QuestionRow") -> None:
        """Write a question that is charged for; the first charge stands.

        Raises:
            LedgerError: another question has the same key.
        """
        before: Any = self._rows.setdefault(self.statements.put_told, {}).setdefault(row.key, row)
        if before is not row and before.question != row.question:
            raise LedgerError(SAME_KEY)
        self._told.update((row.question, row.grid, row.people))

    @property
    def tells_more(self) -> bool:
        """Whether any question is not written yet."""
        return bool(self._told)

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
        together: list[tuple[str, Sequence[Any]]] = []
        for write, rows in waiting.items():
            if write.some is not None:
                together.append((write.some, as_columns(rows.values())))
            else:
                self.many(write.one, list(rows.values()))
        if together:
            texts, columns = zip(*together, strict=True)
            self.many(_in_one(texts), [[column for some in columns for column in some]])

    def expect_much(self) -> None:
        """Keep changed pages in memory: rows whose keys are in no order would change each many times."""
        if self._is_sqlite:
            self.run(f"PRAGMA cache_size = -{_LARGE_CACHE}")

    def copy_into(self, target: Any) -> None:  # noqa: ANN401 - a connection of sqlite3
        """Copy a SQLite database as it is at this moment."""
        self._driver.backup(target)

    def begin(self, sql: str) -> None:
        """Begin the transaction."""
        if self._is_sqlite:
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
        if not self._is_sqlite and done.statusmessage != "COMMIT":
            raise LedgerError(f"{self._database.where}: the server undid the transaction")

    def end(self) -> None:
        """Undo whatever is not committed, and give the connection back; a broken one is thrown away."""
        has_begun = self._is_open and self._unsent is None
        self._is_open, self._unsent = False, None
        if not isinstance(sys.exception(), Exception | None):
            self._proxied.invalidate()  # interrupted: nobody knows in the middle of what
            return
        try:
            if has_begun and (not self._is_sqlite or self._driver.in_transaction):
                self._driver.execute("ROLLBACK")
        except self._database.driver_error:
            self._proxied.invalidate()
        else:
            if self.is_broken:
                self._proxied.invalidate()
            else:
                self._proxied.close()  # the pool keeps it

    @property
    def has_round_trips(self) -> bool:
        """Whether a statement goes to a server and back."""
        return not self._is_sqlite

    @property
    def is_broken(self) -> bool:
        """Whether the connection is of no use any more."""
        return not self._is_sqlite and (self._driver.closed or self._driver.broken)


@lru_cache(maxsize=64)
def _in_one(statements: tuple[str, ...]) -> str:
    """One statement that does what several do, each to a table of its own (PostgreSQL)."""
    *before, last = statements
    parts = [f"w{number} AS ({text})" for number, text in enumerate(before)]
    return f"WITH {', '.join(parts)} {last}" if parts else last
