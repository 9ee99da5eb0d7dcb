"""A table with columns replaced by what is released for them; all other columns and the order stay."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast
from uuid import uuid4

import duckdb
import numpy as np
import pyarrow as pa

from noiseless.errors import DomainError, EmptyTableError, RequestError
from noiseless.files import check_output, written_whole
from noiseless.tables.base import Table
from noiseless.tables.duckdb_table import FLOATS, WRITERS, DuckDBTable, at_hand, present_number
from noiseless.tables.engine import (
    SOURCE,
    OwnEngine,
    identifier,
    identifiers,
    literal,
    readable_errors,
    spill_folder,
)
from noiseless.tables.row_keys import INTEGERS
from noiseless.tables.sources import open_table
from noiseless.tables.tally import Tally

if TYPE_CHECKING:
    from noiseless.domain import NumberColumn, Schema

_RELEASED, _ROW, _KEY, _POSITION = (f"noiseless_{name}" for name in ("released", "row", "key_", "position"))
_AS_WRITTEN = {".csv", ".tsv"}

MissingRows = Literal["drop", "error"]
"""Rows without a value are left out, or an error."""

MISSING_REMEDY = "fill them, declare what a missing value counts as, or pass --missing drop"
"""What to do about missing values that the schema does not stand in for."""


@dataclass(frozen=True, eq=False)
class DeclaredColumns:
    """Some columns of a table whose values are all in their declared domains.

    Attributes:
        table: the whole table, on a connection of ours.
        schema: the domains.
        columns: the columns.
        needed: those whose missing values leave a row out.
        kinds: the types of the columns.
        tally: their distinct combinations.
    """

    table: DuckDBTable
    schema: "Schema"
    columns: tuple[str, ...]
    needed: tuple[str, ...]
    kinds: Mapping[str, str]
    tally: Tally

    @classmethod
    def read(
        cls, table: Table, schema: "Schema", columns: Sequence[str], missing: MissingRows
    ) -> "DeclaredColumns":
        """Read columns, and check them against their domains.

        Raises:
            UnknownColumnError: the table does not have one of them.
            MissingValuesError: values are missing that no declaration stands in for, and may not be dropped.
            DomainError: values lie outside the domain; they are counted, never shown.
            ColumnError: a column's type does not tell all values of its domain apart.
            EmptyTableError: no row is left.
        """
        table.require(*columns)
        table.require_plain(*table.columns)
        owned, _ = at_hand(table).owned(table.columns)
        needed = tuple(name for name in columns if schema.columns[name].missing is None)
        narrow = owned.select(columns)
        if missing == "error":
            narrow.require_present(*needed, remedy=MISSING_REMEDY)
        elif needed:
            narrow = narrow.with_missing(needed, "drop")
        tally = narrow.tally(columns)
        if not len(tally):
            raise EmptyTableError(f"{table.label}: there is no row to release")
        found = cls(owned, schema, tuple(columns), needed, narrow.kinds, tally)
        if any(found._distinct(name)[0].strangers(schema, [name])[name] for name in columns):
            _refuse_strangers(narrow, schema, columns)
        return found

    def values(self, column: str) -> pa.Array:
        """The value of a column in each combination, in its domain: whole numbers or doubles."""
        distinct, place = self._distinct(column)
        conforming = distinct.conform(self.schema, [column])
        ordered = conforming.arrow(f"SELECT {identifier(column)} FROM {SOURCE} ORDER BY {_POSITION}")
        return ordered.column(0).combine_chunks().take(pa.array(place))

    def _distinct(self, column: str) -> tuple[DuckDBTable, "np.ndarray[tuple[int], np.dtype[np.intp]]"]:
        """A table of the distinct values of a column, and where each combination's value is in it."""
        codes, place = np.unique(self.tally.codes(column), return_inverse=True)
        values = self.tally.coding(column).decode(codes)
        table = pa.table({column: values, _POSITION: np.arange(len(codes))})
        return cast("DuckDBTable", open_table(table)), place

    def write(self, column: str, released: pa.Array, out: Path) -> None:
        """Write the table with a column replaced, whole or not at all.

        Args:
            column: the column to replace.
            released: what is released for each combination, as text in plain digits.
            out: a CSV, TSV, Parquet or JSON-lines file, by its ending. From text to text other columns are
                written as they were read; otherwise they are given types.
        """
        check_table_output(out, self.table.files)
        ending = out.suffix.lower()
        with written_whole(out, self.table.files) as part:
            query = self._replaced(column, released, as_text=ending in _AS_WRITTEN)
            with readable_errors(self.table.label):
                self.table.engine.rows(f"COPY ({query}) TO {literal(str(part))} ({WRITERS[ending]})")

    def to_arrow(self, column: str, released: pa.Array) -> pa.Table:
        """The table with a column replaced, in memory."""
        with readable_errors(self.table.label):
            return self.table.engine.arrow(self._replaced(column, released, as_text=False))

    def _replaced(self, column: str, released: pa.Array, *, as_text: bool) -> str:
        """The query for the whole table, each row with what is released for its combination."""
        table = self.table if as_text or not self.table.textual else self.table.select(self.table.columns)
        keys = {name: f"{_KEY}{number}" for number, name in enumerate(self.columns)}
        marks = {key: self.tally.decode(name) for name, key in keys.items()}
        registered = f"noiseless_marks_{uuid4().hex}"
        connection = cast("OwnEngine", table.engine).connection
        connection.register(registered, pa.table({**marks, _RELEASED: released}))
        plain = [
            f"{_plain(identifier(c), table.kinds[c], self.kinds[c])} AS {key}" for c, key in keys.items()
        ]
        present = "".join(f" AND s.{keys[name]} IS NOT NULL" for name in self.needed)
        equal = {name: "=" if name in self.needed else "IS NOT DISTINCT FROM" for name in self.columns}
        match = " AND ".join(f"s.{key} {equal[name]} m.{key}" for name, key in keys.items())
        kind = _released_kind(table.kinds[column], cast("NumberColumn", self.schema.columns[column]))
        found = f"CASE WHEN m.{_RELEASED} IS NULL THEN error('no match') ELSE m.{_RELEASED} END"
        return table.over(
            f"SELECT s.* EXCLUDE ({_ROW}, {', '.join(keys.values())})"
            f" REPLACE (({found})::{kind} AS {identifier(column)})"
            f" FROM (SELECT row_number() OVER () AS {_ROW}, *, {', '.join(plain)} FROM {SOURCE}) s"
            f" LEFT JOIN {registered} m ON {match}"
            f" WHERE true{present} ORDER BY s.{_ROW}"
        )


def check_table_output(out: Path, sources: Sequence[Path]) -> None:
    """Check, before long work, that a table can be written to a file.

    Raises:
        OutputError: the file cannot be written, or is one of the sources.
        RequestError: no format goes with its ending.
    """
    check_output(out, sources)
    if out.suffix.lower() not in WRITERS:
        raise RequestError(f"{out}: tables are written as {', '.join(WRITERS)}; change the ending")


def _refuse_strangers(table: DuckDBTable, schema: "Schema", columns: Sequence[str]) -> None:
    for name, count in table.strangers(schema, columns).items():
        if count:
            remedy = "declare wider bounds or a finer step, or mend the data"
            if table.kinds[name] == "VARCHAR":
                remedy = "write plain numbers, all alike (96, not 96.0 or 096), or declare wider bounds"
            raise DomainError(name, count, schema.columns[name].describe(), remedy)


def _plain(quoted: str, stored: str, kind: str) -> str:
    """A column as values of a type, as `select` reads it: NaN is missing, and -0 is 0."""
    if kind in FLOATS:
        number = quoted if stored == kind else f"TRY_CAST({quoted} AS {kind})"
        return present_number(number, kind)
    return quoted if stored == kind else f"{quoted}::{kind}"


def _released_kind(kind: str, column: "NumberColumn") -> str:
    """The type of the replaced column: its own if that holds every value of the domain."""
    largest = max(-column.low_units, column.high_units)
    if kind == "VARCHAR" or kind in FLOATS or (kind in INTEGERS and _fits(kind, column)):
        return kind
    if decimal := re.fullmatch(r"DECIMAL\((\d+),(\d+)\)", kind):
        digits, places = int(decimal[1]), int(decimal[2])
        if 10**places % column.scale == 0 and largest * 10**places // column.scale < 10**digits:
            return kind
    return "DOUBLE" if column.scale > 1 else "BIGINT" if largest < 2**63 else "HUGEINT"


def _fits(kind: str, column: "NumberColumn") -> bool:
    width, signed = INTEGERS[kind].bit_width, not kind.startswith("U")
    low, high = (-(2 ** (width - 1)), 2 ** (width - 1)) if signed else (0, 2**width)
    return column.scale == 1 and low <= column.low_units and column.high_units < high


Change = Callable[[pa.RecordBatch], pa.RecordBatch]
"""From a batch of rows to those that take its place."""

_ROWS = 2**17


class _Rewriting:
    """Batches of a table, changed as they are asked for; an error on the way is kept for the caller."""

    def __init__(self, table: DuckDBTable, change: Change, fields: Mapping[str, pa.DataType]) -> None:
        self._source = _reader(table)
        self._change = change
        self.error: BaseException | None = None
        names = self._source.schema.names
        self.schema = pa.schema(
            [pa.field(name, fields.get(name, self._source.schema.field(name).type)) for name in names]
        )

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        try:
            for batch in self._source:
                yield self._change(batch).cast(self.schema)
        except GeneratorExit:
            raise
        except BaseException as error:  # Ctrl-C too: the engine would make something else of it
            self.error = error
            raise

    def close(self) -> None:
        """Let go of the table's connection, wherever reading has got to."""
        self._source.close()


def rewrite(
    table: Table,
    change: Change,
    fields: Mapping[str, pa.DataType],
    out: Path,
    check: Callable[[], None] = lambda: None,
) -> None:
    """Write a table with some columns replaced, whole or not at all.

    Args:
        table: the table. From text to text other columns are written as they were read, otherwise they are
            given types.
        change: what takes the place of a batch of rows. What it raises is raised here; nothing is then
            written.
        fields: the types of the columns that it replaces.
        out: a CSV, TSV, Parquet or JSON-lines file, by its ending.
        check: called when all rows have passed; when it raises, nothing is written either.

    Raises:
        OutputError: the file cannot be written, or is the table itself.
        RequestError: no format goes with its ending.
    """
    check_table_output(out, table.files)
    ending = out.suffix.lower()
    rows = _Rewriting(_typed(table, as_text=ending in _AS_WRITTEN), change, fields)
    name = f"noiseless_rows_{uuid4().hex}"
    writer = OwnEngine(ordered_writer())
    writer.connection.register(name, pa.RecordBatchReader.from_batches(rows.schema, iter(rows)))
    with written_whole(out, table.files) as part:
        try:
            with readable_errors(table.label):
                writer.rows(f"COPY (SELECT * FROM {name}) TO {literal(str(part))} ({WRITERS[ending]})")
        finally:
            rows.close()
            if rows.error is not None:
                raise rows.error from None
        check()


def ordered_writer() -> duckdb.DuckDBPyConnection:
    """An engine apart, of one thread: rows are written in the order in which they come, as they come.

    With more threads the engine keeps the order by holding back what it has written, all of it in the end.
    """
    writer = duckdb.connect(
        config={"threads": 1, "preserve_insertion_order": "false", "temp_directory": spill_folder()}
    )
    with suppress(duckdb.InvalidInputException):  # of notebooks without widgets, which have no bar
        writer.execute("SET enable_progress_bar = false")  # it would go to standard output
    return writer


def rewritten(table: Table, change: Change, fields: Mapping[str, pa.DataType]) -> pa.Table:
    """The same in memory."""
    rows = _Rewriting(_typed(table, as_text=False), change, fields)
    try:
        with readable_errors(table.label):
            return pa.Table.from_batches(list(rows), rows.schema)
    finally:
        rows.close()


def _typed(table: Table, *, as_text: bool) -> DuckDBTable:
    chosen = at_hand(table)
    return chosen.select(chosen.columns) if chosen.textual and not as_text else chosen


def _reader(table: DuckDBTable) -> pa.RecordBatchReader:
    query = f"SELECT {identifiers(table.columns)} FROM {SOURCE}"
    if isinstance(table.engine, OwnEngine):
        with readable_errors(table.label):
            return table.engine.connection.sql(table.over(query)).to_arrow_reader(_ROWS)
    return table.arrow(query).to_reader(_ROWS)
