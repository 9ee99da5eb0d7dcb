"""Tables on PostgreSQL: the server groups rows, and only the groups leave it, as text that loses nothing."""

import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any, NamedTuple, Self

import pyarrow as pa
import pyarrow.compute as pc

from noiseless.errors import SourceError
from noiseless.tables.base import Table
from noiseless.tables.duckdb_table import COUNT, DuckDBTable, weighted_table
from noiseless.tables.engine import identifier
from noiseless.tables.postgres_session import PostgresAddress, PostgresSession, relation

_MOST_DIGITS = 38
"""Decimals of more digits are compared as text."""

_NUMERIC = 1700
_ENDS_OF_DAYS = 2**31 - 1
_ENDS_OF_TIME = 2**63 - 1
"""How Arrow and DuckDB write infinity: the greatest whole number and its negative."""


class Wire(NamedTuple):
    """How a type is sent and read.

    Attributes:
        sql: what is sent, with {} for the key.
        read: the type in which it is read.
        type: the type it then gets.
    """

    sql: str
    read: pa.DataType
    type: pa.DataType


def _infinite(finite: str, end: int) -> str:
    """A day or moment as a whole number; {} is the key."""
    return (
        f"CASE WHEN isfinite({{0}}) THEN {finite}"
        f" WHEN {{0}} > 'epoch' THEN {end} WHEN {{0}} IS NOT NULL THEN -{end} END"
    )


_MOMENT = _infinite(
    "extract(epoch FROM date_trunc('second', {0}))::bigint * 1000000"
    " + extract(microseconds FROM {0})::bigint % 1000000",
    _ENDS_OF_TIME,
)
_WIRES = {  # by the types' numbers in pg_type, which never change
    16: Wire("{0}", pa.bool_(), pa.bool_()),
    20: Wire("{0}", pa.int64(), pa.int64()),
    21: Wire("{0}", pa.int16(), pa.int16()),
    23: Wire("{0}", pa.int32(), pa.int32()),
    26: Wire("{0}", pa.int64(), pa.int64()),  # oid
    700: Wire("{0}", pa.float32(), pa.float32()),
    701: Wire("{0}", pa.float64(), pa.float64()),
    1082: Wire(_infinite("{0} - DATE 'epoch'", _ENDS_OF_DAYS), pa.int32(), pa.date32()),
    1083: Wire("(extract(epoch FROM {0}) * 1000000)::bigint", pa.int64(), pa.time64("us")),
    1114: Wire(_MOMENT, pa.int64(), pa.timestamp("us")),
    1184: Wire(_MOMENT, pa.int64(), pa.timestamp("us", "UTC")),
    _NUMERIC: Wire("trim_scale(NULLIF({0}, 'NaN'))::text", pa.string(), pa.string()),
}
_TEXT = Wire("{0}", pa.string(), pa.string())


@dataclass(frozen=True)
class ServerColumn:
    """A column of a table on a server.

    Attributes:
        name: its name.
        oid: the number of its type, of a domain's base type.
        modifier: what the type is declared with, as the catalogue holds it; -1 for nothing.
    """

    name: str
    oid: int
    modifier: int = -1

    @property
    def key(self) -> str:
        """What rows are grouped by, as SQL."""
        name = identifier(self.name)
        return name if self.oid in _WIRES else f'{name}::text COLLATE "C"'

    @property
    def wire(self) -> Wire:
        """How its keys are sent."""
        return _WIRES.get(self.oid, _TEXT)

    def received(self, column: pa.ChunkedArray) -> pa.ChunkedArray:
        """What was sent, as values of the column's type."""
        if self.oid == _NUMERIC:
            return _decimals(column, self.modifier)
        return column if column.type == self.wire.type else column.cast(self.wire.type)


def _decimals(texts: pa.ChunkedArray, modifier: int) -> pa.ChunkedArray:
    """Decimal numbers of the declared digits, or of as many as they have; texts when those are too many."""
    if modifier >= 0:
        digits, places = (modifier - 4) >> 16 & 0xFFFF, (modifier - 4) & 0x7FF
        if places <= digits <= _MOST_DIGITS:  # places below zero have the eleventh bit set
            return texts.cast(pa.decimal128(digits, places))
    if pc.any(pc.match_substring(texts, "Infinity")).as_py():
        return texts
    plain = pc.replace_substring(texts, "-", "")
    point = pc.find_substring(plain, ".")
    length = pc.utf8_length(plain)
    whole = pc.if_else(pc.less(point, 0), length, point)
    places = _most(pc.if_else(pc.less(point, 0), 0, pc.subtract(pc.subtract(length, point), 1)))
    digits = max(1, _most(whole) + places)
    return texts if digits > _MOST_DIGITS else texts.cast(pa.decimal128(digits, places))


def _most(numbers: Any) -> int:  # noqa: ANN401 - Arrow ships no types
    return int(pc.max(numbers).as_py() or 0)


_SHOWN, _LISTED = 8, 1000
Fetch = Callable[[str, Sequence[object]], list[tuple[Any, ...]]]

_FIND = """
SELECT c.oid::bigint, n.nspname::text, c.relname::text,
    c.relkind IN ('r', 'p', 'v') AND has_table_privilege(c.oid, 'SELECT')
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.oid = to_regclass(%s) AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
"""

_LIST = """
SELECT n.nspname || '.' || c.relname
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname NOT IN ('pg_catalog', 'information_schema')
    AND n.nspname NOT LIKE 'pg\\_%%' AND has_table_privilege(c.oid, 'SELECT')
ORDER BY NOT pg_table_is_visible(c.oid), n.nspname, c.relname LIMIT %s
"""

_COLUMNS = """
WITH RECURSIVE kinds AS (
    SELECT attnum, attname, atttypid AS type, atttypmod AS modifier
    FROM pg_catalog.pg_attribute WHERE attrelid = %s AND attnum > 0 AND NOT attisdropped
    UNION ALL
    SELECT k.attnum, k.attname, t.typbasetype, t.typtypmod
    FROM kinds k JOIN pg_catalog.pg_type t ON t.oid = k.type WHERE t.typtype = 'd'
)
SELECT k.attname::text, k.type::bigint, k.modifier
FROM kinds k JOIN pg_catalog.pg_type t ON t.oid = k.type WHERE t.typtype <> 'd' ORDER BY k.attnum
"""

_STATE = """
WITH RECURSIVE parts AS (
    SELECT %s::oid AS oid
    UNION SELECT i.inhrelid FROM parts p JOIN pg_catalog.pg_inherits i ON i.inhparent = p.oid
)
SELECT
    bool_and(c.relkind IN ('r', 'p', 'm')) AND NOT pg_is_in_recovery() AND NOT row_security_active(%s::oid),
    pg_current_snapshot()::text, pg_postmaster_start_time()::text,
    string_agg(c.oid || ':' || coalesce(pg_relation_filenode(c.oid), 0), ' ' ORDER BY c.oid)
FROM parts p JOIN pg_catalog.pg_class c ON c.oid = p.oid
"""


class CatalogueTable(NamedTuple):
    """A table in the catalogue.

    Attributes:
        oid: its number.
        schema: the schema it is in.
        name: its name.
        lockable: whether it may be locked by its name: tables and views may, other kinds not.
    """

    oid: int
    schema: str
    name: str
    lockable: bool


def find_table(session: PostgresSession, names: Sequence[str]) -> CatalogueTable:
    """The table of a name; as it is written or, as in SQL, in small letters.

    Raises:
        SourceError: there is none; the message names some that there are.
    """
    for spelling in (names, [name.lower() for name in names]):
        if rows := session.rows(_FIND, [relation(spelling)]):
            return CatalogueTable(*rows[0])
    known = [name for (name,) in session.rows(_LIST, [_LISTED])]
    close = get_close_matches(".".join(names), [*known, *(name.partition(".")[2] for name in known)])
    listed = ", ".join(known[:_SHOWN]) or "none that this user may read"
    hint = f"did you mean {close[0]}?" if close else f"the database has {listed}"
    raise SourceError(session.label, f"there is no such table; {hint}")


def columns_of(session: PostgresSession, found: CatalogueTable) -> tuple[ServerColumn, ...]:
    """The columns of a table, domains as the types they are made from."""
    return tuple(ServerColumn(*row) for row in session.rows(_COLUMNS, [found.oid]))


def state_of(rows: Fetch, found: CatalogueTable) -> tuple[str, ...] | None:
    """What changes whenever other rows of a table may be visible than before; None if nothing tells.

    It is the set of transactions that are visible now: as long as nobody has finished one that wrote anything
    anywhere on the server, no table has changed. What a view or a foreign table shows, or a row-level policy,
    can depend on other things, and on a standby the set is not told in full: nothing tells there.
    """
    certain, *state = rows(_STATE, [found.oid, found.oid])[0]
    return tuple(state) if certain else None


@dataclass(frozen=True, eq=False, repr=False)
class PostgresTable(Table):
    """A table or view as it was when it was opened: all its operations see one snapshot of the database.

    The transaction behind it lasts as long as the table is in use; `close` ends it at once. What is selected
    from the table is on this machine, and needs the server no more.

    Attributes:
        session: the transaction.
        found: the table.
        fields: its columns.
        label: what messages call it.
        state: what changes whenever the table may hold other rows; None if nothing tells.
        distinct: whether exact duplicates of whole rows are dropped.
    """

    session: PostgresSession
    found: CatalogueTable
    fields: tuple[ServerColumn, ...]
    label: str
    state: tuple[str, ...] | None = field(default=None)
    distinct: bool = False

    @classmethod
    def open(cls, source: str) -> "PostgresTable":
        """Open `postgresql://user@host/database::schema.table`.

        Raises:
            SourceError: it cannot be found or read; in one line, without a password.
        """
        address = PostgresAddress.parse(source)
        session = PostgresSession(address)
        found = find_table(session, address.names)
        session.begin(relation((found.schema, found.name)), lock=found.lockable)
        if find_table(session, (found.schema, found.name)) != found:
            raise SourceError(address.label, "was replaced while it was opened; try again")
        fields = columns_of(session, found)
        if not fields:
            raise SourceError(address.label, "has no columns")
        return cls(session, found, fields, address.label, state_of(session.rows, found))

    def close(self) -> None:
        """End the transaction; what was selected stays usable."""
        self.session.close()

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns, in order."""
        return tuple(column.name for column in self.fields)

    def count(self) -> int:
        """How many rows there are."""
        return int(self.session.rows(f"SELECT count(*) FROM {self._rows(self.fields[:1])}")[0][0])

    def distinct_rows(self) -> Self:
        """The table without exact duplicates of whole rows."""
        return replace(self, distinct=True)

    def select(self, columns: Sequence[str]) -> DuckDBTable:
        """Only these columns, grouped in the server; with their counts, on this machine."""
        self.require_plain(*columns)
        chosen = [self.fields[self.columns.index(name)] for name in columns]
        types = {f"c{i}": column.wire.read for i, column in enumerate(chosen)} | {COUNT: pa.int64()}
        data = self.session.copy(self.grouping(columns), types)
        received = [column.received(data.column(i)) for i, column in enumerate(chosen)]
        groups = pa.table([*received, data.column(COUNT)], [*columns, COUNT])
        return weighted_table(groups, self.label).select(columns)

    def grouping(self, columns: Sequence[str]) -> str:
        """The query that groups rows; it is the only one that reads a table's values."""
        chosen = [self.fields[self.columns.index(name)] for name in columns]
        keys = [f"k{i}" for i in range(len(chosen))]
        sent = [column.wire.sql.format(key) for column, key in zip(chosen, keys, strict=True)]
        named = [f"{identifier(c.name)} AS {key}" for c, key in zip(chosen, keys, strict=True)]
        grouped = (
            f"SELECT {', '.join([*named, 'count(*) AS n'])} FROM {self._rows(chosen)}"
            f" GROUP BY {', '.join(str(i + 1) for i in range(len(chosen)))}"
        )
        return f"SELECT {', '.join([*sent, 'n'])} FROM ({grouped}) g"

    def _rows(self, chosen: Sequence[ServerColumn]) -> str:
        """The rows as keys of the chosen columns; the server plans it as if it were not nested."""
        table = relation((self.found.schema, self.found.name))
        if self.distinct:
            keys = ", ".join(f"{c.key} AS {identifier(c.name)}" for c in self.fields)
            return f"(SELECT DISTINCT {keys} FROM {table}) r"
        return f"(SELECT {', '.join(f'{c.key} AS {identifier(c.name)}' for c in chosen)} FROM {table}) r"


class StateWatch:
    """A connection, outside any transaction, that tells a table's state as often as it is asked."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._lock = threading.Lock()
        self._session: PostgresSession | None = None
        self._process = 0

    def now(self) -> tuple[str, ...] | None:
        """The state as `PostgresTable.state` has it; None if nothing tells, or the server does not answer."""
        with self._lock:
            was_open = self._session is not None and self._process == os.getpid()
            for _ in range(1 + was_open):  # a connection may have been lost since the last question
                try:
                    return self._told()
                except SourceError:
                    self._session = None
            return None

    def _told(self) -> tuple[str, ...] | None:
        address = PostgresAddress.parse(self._source)
        if self._session is None or self._process != os.getpid():
            self._session, self._process = PostgresSession(address), os.getpid()
        return state_of(self._session.rows, find_table(self._session, address.names))

    def close(self) -> None:
        """End the connection."""
        with self._lock:
            if self._session is not None:
                self._session.close()
            self._session = None
