"""A table with columns replaced batch by batch: rows keep their order, and few are in memory at a time."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import cast
from uuid import uuid4

import duckdb
import pyarrow as pa

from noiseless.tables.base import Table
from noiseless.tables.duckdb_table import _WRITERS, DuckDBTable
from noiseless.tables.engine import OwnEngine, spill_folder
from noiseless.tables.engine_errors import readable_errors
from noiseless.tables.outputs import written_whole
from noiseless.tables.replacing import check_table_output
from noiseless.tables.sql import SOURCE, identifiers, literal

Change = Callable[[pa.RecordBatch], pa.RecordBatch]
"""From a batch of rows to those that take its place."""

_ROWS = 2**17
_AS_WRITTEN = {".csv", ".tsv"}


class _Rewriting:
    """Batches of a table, changed as they are asked for; an error on the way is kept for whoever asked."""

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
    writer = OwnEngine(_writer())
    writer.connection.register(name, pa.RecordBatchReader.from_batches(rows.schema, iter(rows)))
    with written_whole(out, table.files) as part:
        try:
            with readable_errors(table.label), _interruptible():
                writer.rows(f"COPY (SELECT * FROM {name}) TO {literal(str(part))} ({_WRITERS[ending]})")
        finally:
            rows.close()
            if rows.error is not None:
                raise rows.error from None
        check()


def _writer() -> duckdb.DuckDBPyConnection:
    """An engine apart, of one thread: rows are written in the order in which they come, as they come.

    With more threads the engine keeps the order by holding back what it has written, all of it in the end.
    """
    writer = duckdb.connect(
        config={"threads": 1, "preserve_insertion_order": "false", "temp_directory": spill_folder()}
    )
    writer.execute("SET enable_progress_bar = false")  # it would go to standard output
    return writer


@contextmanager
def _interruptible() -> Iterator[None]:
    try:
        yield
    except duckdb.InterruptException:
        raise KeyboardInterrupt from None


def rewritten(table: Table, change: Change, fields: Mapping[str, pa.DataType]) -> pa.Table:
    """The same in memory."""
    rows = _Rewriting(_typed(table, as_text=False), change, fields)
    try:
        with readable_errors(table.label):
            return pa.Table.from_batches(list(rows), rows.schema)
    finally:
        rows.close()


def _typed(table: Table, *, as_text: bool) -> DuckDBTable:
    chosen = cast("DuckDBTable", table)
    return chosen.select(chosen.columns) if chosen.textual and not as_text else chosen


def _reader(table: DuckDBTable) -> pa.RecordBatchReader:
    query = f"SELECT {identifiers(table.columns)} FROM {SOURCE}"
    if isinstance(table.engine, OwnEngine):
        with readable_errors(table.label):
            return table.engine.connection.sql(table.over(query)).to_arrow_reader(_ROWS)
    return table.arrow(query).to_reader(_ROWS)
