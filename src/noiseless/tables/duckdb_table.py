"""Tables on DuckDB: files, SQL tables, and any frame handed over through Arrow."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast

import duckdb
import numpy as np
import pyarrow as pa

from noiseless.errors import RequestError, SourceError
from noiseless.files import written_whole
from noiseless.tables.base import Missing, Table
from noiseless.tables.coding import names_are_texts, summarise, typed
from noiseless.tables.engine import (
    IN_PLACE,
    ROOT,
    SOURCE,
    Engine,
    OwnEngine,
    identifier,
    identifiers,
    literal,
    readable_errors,
    renamed,
)
from noiseless.tables.frame_kind import ARROW, FrameKind
from noiseless.tables.link import link
from noiseless.tables.row_keys import Packed, key, packed_columns
from noiseless.tables.tally import Tally, Word, split_into_words

if TYPE_CHECKING:
    from noiseless.domain import ColumnSummary, Schema

COUNT, _ROW, _POSITION = "noiseless_count", "noiseless_row", "noiseless_position"
"""Names of columns that queries add; no table of a user's has them."""

ROWS_IN_MEMORY = 2**27
"""Up to this many rows one integer key a row is held in memory (1 GiB); beyond, DuckDB groups and spills."""

WRITERS = {
    ".csv": "FORMAT csv, HEADER",
    ".tsv": "FORMAT csv, HEADER, DELIMITER '\t'",
    ".parquet": "FORMAT parquet",
    ".jsonl": "FORMAT json",
    ".ndjson": "FORMAT json",
}

_KINDS = re.compile(
    r"U?(TINY|SMALL|BIG)INT|U?INTEGER|BOOLEAN|DATE|TIME|TIMESTAMP(_S|_MS|_NS| WITH TIME ZONE)?"
    r"|DECIMAL\(\d+,\d+\)"
)
"""Types whose values are compared as they are; anything but these and `FLOATS` is compared as text."""

FLOATS = ("FLOAT", "DOUBLE")


def present_number(number: str, kind: str) -> str:
    """A floating-point number as SQL: NaN is missing, and -0 is 0.

    Most writers of Parquet leave NaN out of the largest value of a column. There the engine takes `isnan` for
    false unseen; whether a number is finite or infinite it looks up.
    """
    return f"CASE WHEN isfinite({number}) OR isinf({number}) THEN {number} + 0::{kind} END"


def plain_column(column: str, kind: str) -> tuple[str, str]:
    """A column as values that can be counted, as SQL, and their type."""
    name = identifier(column)
    if _KINDS.fullmatch(kind):
        return name, kind
    if kind in FLOATS:
        return f"{present_number(name, kind)} AS {name}", kind
    return f"{name}::VARCHAR COLLATE C AS {name}", "VARCHAR"


@dataclass(frozen=True, eq=False, repr=False)
class DuckDBTable(Table):
    """A query that DuckDB can run, and what can be asked over it.

    Attributes:
        engine: where queries run.
        query: the SELECT whose result is the table.
        kinds: the columns and their SQL types.
        label: what messages call it.
        textual: whether all columns are still text read from a file, to be typed when they are selected.
        files: the files it is read from.
        numbered: whether the rows stand in an order that means something to the user.
        weighted: whether each row stands for as many as its column `COUNT` says.
        came_as: the kind of frame that it came as.
        notice: what a reader should know of how it was opened; empty for nothing.
    """

    engine: Engine
    query: str
    kinds: Mapping[str, str]
    label: str
    textual: bool = False
    numbered: bool = True
    files: tuple[Path, ...] = ()
    weighted: bool = False
    came_as: FrameKind = ARROW
    notice: str = ""

    @classmethod
    def describe(cls, engine: Engine, query: str, label: str, files: tuple[Path, ...] = ()) -> "DuckDBTable":
        """The table that a query makes."""
        with readable_errors(label):
            kinds = {name: kind for name, kind, *_ in engine.rows(f"DESCRIBE {query}")}
        return cls(engine, query, kinds, label, files=files)

    @classmethod
    def in_memory(cls, data: pa.Table, label: str) -> "DuckDBTable":
        """Arrow data on a connection of ours.

        Raises:
            SourceError: there are no columns, or names that the engine would confuse.
        """
        if not data.column_names:
            raise SourceError(label, "has no columns")
        engine, names = OwnEngine.start(), renamed(label, data.column_names)
        engine.connection.register(ROOT, data.rename_columns([f"c{i}" for i in range(data.num_columns)]))
        return cls.describe(engine, f"SELECT {names} FROM {ROOT}", label)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns, in order."""
        return tuple(name for name in self.kinds if not (self.weighted and name == COUNT))

    @property
    def has_names(self) -> bool:
        """Text files: whether a column of numbers or dates has a text above it, which is then its name."""
        return not self.textual or names_are_texts(self)

    def counted(self, condition: str) -> str:
        """How many rows fulfil a condition, as SQL."""
        if self.weighted:
            return f"coalesce(sum({COUNT}) FILTER (WHERE {condition}), 0)::BIGINT"
        return f"count(*) FILTER (WHERE {condition})"

    def count(self) -> int:
        """How many rows there are."""
        number = self.counted("true") if self.weighted else "count(*)"  # which a file's metadata tell
        return int(self.fetch(f"SELECT {number} FROM {SOURCE}")[0][0])

    def select(self, columns: Sequence[str]) -> Self:
        """Only these columns; text from a file is parsed and typed now, once."""
        narrowed = self._plain(columns)
        return cast("Self", typed(narrowed)) if self.textual else narrowed

    def held(self) -> Self:
        """The same, read and typed now, and held by the engine; what memory cannot hold spills to disk."""
        plain = self._plain(self.columns)
        if self.textual:
            return cast("Self", typed(plain, in_place=True))
        plain.keep("noiseless_held")
        return replace(plain, query="SELECT * FROM noiseless_held")

    def _plain(self, columns: Sequence[str]) -> Self:
        self.require_plain(*columns)
        plain = {column: plain_column(column, self.kinds[column]) for column in columns}
        if self.weighted:
            plain[COUNT] = COUNT, self.kinds[COUNT]
        query = self.over(f"SELECT {', '.join(sql for sql, _ in plain.values())} FROM {SOURCE}")
        kinds = {column: kind for column, (_, kind) in plain.items()}
        return replace(self, query=query, kinds=kinds)

    def distinct_rows(self) -> Self:
        """The table without exact duplicates of whole rows."""
        once = f"{identifiers(self.columns)}, 1::BIGINT AS {COUNT}" if self.weighted else "*"
        return self.where(f"SELECT DISTINCT {once} FROM {SOURCE}")

    def with_missing(self, columns: Sequence[str], missing: Missing) -> Self:
        """The table with missing values in `columns` treated as `missing` says."""
        if missing == "drop":
            present = " AND ".join(f"{identifier(c)} IS NOT NULL" for c in columns)
            return self.where(f"SELECT * FROM {SOURCE} WHERE {present}")
        if missing == "error":
            self.require_present(*columns)
        return self

    def count_missing(self, column: str) -> int:
        """How many values of a column are missing."""
        return int(self.fetch(f"SELECT {self.counted(f'{identifier(column)} IS NULL')} FROM {SOURCE}")[0][0])

    def conform(self, schema: "Schema", columns: Sequence[str], *, clamp: bool = False) -> Self:
        """The table with `columns` checked against, or clamped to, their declared domains."""
        from noiseless.tables.conformance import conforming

        return self.where(conforming(self, schema, columns, clamp=clamp))

    def strangers(self, schema: "Schema", columns: Sequence[str]) -> dict[str, int]:
        """How many values of each column lie outside its declared domain."""
        from noiseless.tables.conformance import count_strangers

        return count_strangers(self, schema, columns, clamp=False)

    def tally(self, columns: Sequence[str]) -> Tally:
        """The distinct combinations of some columns, with how many rows have each.

        Whole numbers, truth values and dates are packed into one integer key a row by the engine, and the
        keys are counted or sorted here, which beats any hash table. Anything else the engine groups.
        """
        self.require(*columns)
        if self.weighted:
            return self._tally_weighted(columns)
        packable = packed_columns(self, columns)
        if packable is not None:
            packed, rows = packable
            layout = split_into_words([column.coding.size for column in packed], rows)
            if layout is not None and rows <= ROWS_IN_MEMORY:
                return self._tally_packed([[packed[i] for i in word] for word in layout])
        sql = f"SELECT {identifiers(columns)}, count(*) AS {COUNT} FROM {SOURCE} GROUP BY ALL"
        return Tally.from_arrow(self.arrow(sql), COUNT)

    def _tally_weighted(self, columns: Sequence[str]) -> Tally:
        names = identifiers(columns)
        query = f"SELECT {names}, {COUNT} FROM {SOURCE}"  # of all columns few repeat: the tally adds them up
        if set(columns) != set(self.columns):
            query = f"SELECT {names}, sum({COUNT})::BIGINT AS {COUNT} FROM {SOURCE} GROUP BY ALL"
        return Tally.from_arrow(self.arrow(query), COUNT)

    def _tally_packed(self, words: Sequence[Sequence[Packed]]) -> Tally:
        """Tally one key a row and word, packed by the engine."""
        keys = ", ".join(f"{key(word)} AS w{i}" for i, word in enumerate(words))
        columns = list(reversed(self.arrow(f"SELECT {keys} FROM {SOURCE}").columns))
        return Tally.from_words(
            [
                Word(tuple(c.coding for c in word), np.require(columns.pop().to_numpy(), requirements="W"))
                for word in words
            ]
        )

    def summarise(self, columns: Sequence[str] | None = None) -> "tuple[ColumnSummary, ...]":
        """What each column holds, as far as a proposal of a schema needs it."""
        chosen = self.columns if columns is None else tuple(columns)
        return summarise(self.select(chosen))

    def locate(self, values: Mapping[str, pa.Array], present: Sequence[str] = ()) -> list[int | None]:
        """The number, from 1, of the first row that has each combination of values."""
        wanted = pa.table(dict(values) | {_POSITION: pa.array(range(len(next(iter(values.values())))))})
        if not self.numbered:
            return [None] * len(wanted)
        first = f"m.{_POSITION}, min(s.{_ROW})"
        with self._matched(tuple(values), wanted, present, inner=True) as (table, rows):
            found = dict(table.fetch(f"SELECT {first} FROM {rows} GROUP BY m.{_POSITION}"))
        return [found.get(position) for position in range(len(wanted))]

    def annotate(
        self,
        columns: Sequence[str],
        marks: pa.Table,
        out: Path,
        *,
        keep: Sequence[str] = (),
        present: Sequence[str] = (),
    ) -> int:
        """Write, for each row in order, the marks that belong to its combination of `columns`.

        Rows that are only counted have no numbers: they stand in the order of the columns to `keep`.

        Raises:
            RequestError: there is no number and no such column, which would say whose marks these are.
        """
        writer = WRITERS.get(out.suffix.lower())
        if writer is None:
            raise RequestError(f"{out}: records are written as {', '.join(WRITERS)}; change the ending")
        if self.weighted and not keep:
            raise RequestError(
                f"{self.label}: its rows have no numbers; name the column that identifies them (--unit"
                " COLUMN), or export the table to a Parquet file"
            )
        shown = [] if self.weighted else [f"s.{_ROW} AS row"]
        shown += [f"s.{identifier(c)}" for c in keep]
        shown += [f"m.{identifier(c)}" for c in marks.column_names if c not in columns]
        order = "ALL" if self.weighted else f"s.{_ROW}"
        rows_of = self._matched((*columns, *keep), marks, present, inner=False)
        with written_whole(out, self.files, private=True) as part, rows_of as (table, rows):
            query = f"SELECT {', '.join(shown)} FROM {rows} ORDER BY {order}"
            with readable_errors(self.label):
                table.engine.rows(
                    f"COPY ({table.over(query)}) TO {literal(str(part))} ({writer}, {IN_PLACE})"
                )
        return self.count()

    @contextmanager
    def _matched(
        self, columns: Sequence[str], marks: pa.Table, present: Sequence[str], *, inner: bool
    ) -> Iterator[tuple["DuckDBTable", str]]:
        """The numbered rows (s) joined with the marks of their combination (m), as SQL."""
        chosen = tuple(dict.fromkeys((*columns, *present)))
        table, connection = self.owned(chosen)
        table = table.select(chosen)
        shared = [identifier(c) for c in columns if c in marks.column_names]
        match = " AND ".join(
            [f"s.{name} IS NOT DISTINCT FROM m.{name}" for name in shared]
            + [f"s.{identifier(c)} IS NOT NULL" for c in present]
        )
        number = f"unnest(range({COUNT}))" if self.weighted else "row_number() OVER ()"
        numbered = f"(SELECT {number} AS {_ROW}, * FROM {SOURCE}) s"
        connection.register("noiseless_marks", marks)
        try:
            yield table, f"{numbered} {'' if inner else 'LEFT'} JOIN noiseless_marks m ON {match}"
        finally:
            connection.unregister("noiseless_marks")

    def link(
        self, others: Sequence[Table], unit: str, shared: Sequence[str], public: Sequence[str]
    ) -> tuple["DuckDBTable", tuple[str, ...]]:
        """This and other releases of the same people as one table, joined by who they are about."""
        wanted = (unit, *shared, *public)
        parts = [
            table
            if isinstance(table, DuckDBTable)
            else table.select([column for column in wanted if column in table.columns])
            for table in (self, *others)
        ]
        if not all(isinstance(part, DuckDBTable) for part in parts):
            raise RequestError("releases on different engines cannot be joined; export them to files")
        return link([part.apart() for part in cast("list[DuckDBTable]", parts)], unit, shared, public)

    def apart(self) -> "DuckDBTable":
        """The rows one by one; those that are only counted, in no order."""
        if not self.weighted:
            return self
        repeated = f"SELECT *, unnest(range({COUNT})) FROM {SOURCE}"
        return replace(self, weighted=False).where(f"SELECT {identifiers(self.columns)} FROM ({repeated})")

    def owned(self, columns: Sequence[str]) -> "tuple[DuckDBTable, duckdb.DuckDBPyConnection]":
        """A table with at least these columns on a connection of ours, to which others can be joined."""
        if isinstance(self.engine, OwnEngine):
            return self, self.engine.connection
        engine = OwnEngine.start()
        engine.connection.register(ROOT, self.arrow(f"SELECT {identifiers(columns)} FROM {SOURCE}"))
        table = self.describe(engine, f"SELECT * FROM {ROOT}", self.label, self.files)
        return replace(table, came_as=self.came_as), engine.connection

    def keep(self, name: str) -> None:
        """Compute the table now and keep it as a temporary table of our connection; it may spill to disk."""
        with readable_errors(self.label):
            self.engine.rows(f"CREATE OR REPLACE TEMP TABLE {name} AS {self.query}")

    def over(self, sql: str) -> str:
        """A query that reads this table as `SOURCE`, made self-contained."""
        return f"WITH {SOURCE} AS NOT MATERIALIZED ({self.query}) {sql}"

    def where(self, sql: str) -> Self:
        """The table that a query over this one makes."""
        found = self.describe(self.engine, self.over(sql), self.label)
        return replace(self, query=found.query, kinds=found.kinds)

    def field(self, column: str) -> str:
        """What a column is called in a query."""
        return identifier(column)

    def fetch(self, sql: str) -> list[tuple[Any, ...]]:
        """The rows of a query over this table."""
        with readable_errors(self.label):
            return self.engine.rows(self.over(sql))

    def arrow(self, sql: str) -> pa.Table:
        """The result of a query over this table as an Arrow table."""
        with readable_errors(self.label):
            return self.engine.arrow(self.over(sql))


def weighted_table(data: pa.Table, label: str) -> DuckDBTable:
    """The table that a server has grouped; what is counted are the rows behind its combinations.

    Args:
        data: the columns and, as `COUNT`, how many rows have each combination of them (one may occur several
            times). Doubles may be NaN, texts are UTF-8; what has a type of the server's own comes as text.
        label: what messages call the table.

    >>> table = weighted_table(pa.table({"ward": ["a", "b"], COUNT: [3, 1]}), "patients")
    >>> table.columns, table.count(), table.select(["ward"]).tally(["ward"]).counts.tolist()
    (('ward',), 4, [3, 1])
    """
    return replace(DuckDBTable.in_memory(data, label), numbered=False, weighted=True)


def at_hand(table: Table) -> DuckDBTable:
    """A table whose rows can be read one by one.

    Raises:
        RequestError: they stay on their server.
    """
    if isinstance(table, DuckDBTable) and not table.weighted:
        return table
    raise RequestError(
        f"{table.label}: this needs the rows one by one, and they stay on their server; export the table"
        " to a Parquet file and name that"
    )
