"""From what a user points at (a file, a glob, a database table, a frame) to a table."""

from collections.abc import Sequence
from glob import glob
from pathlib import Path
from typing import Any

import duckdb
import narwhals as nw
import pyarrow as pa

from noiseless.errors import RequestError, SourceError
from noiseless.tables.base import Table
from noiseless.tables.duckdb_table import DuckDBTable, connect
from noiseless.tables.engine_errors import readable_errors
from noiseless.tables.sql import SOURCE, identifier, literal
from noiseless.tables.text_files import read_csv_sql

_PARQUET = {".parquet", ".pq"}
_JSON = {".jsonl", ".ndjson"}
_EXCEL = {".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"}
_LATER = {"postgresql:": "PostgreSQL", "postgres:": "PostgreSQL", "spark:": "Spark"}


def open_table(source: Any, *, names: Sequence[str] | None = None) -> Table:  # noqa: ANN401 - any frame
    """Open a table.

    Args:
        source: a CSV, TSV, JSON-lines, Parquet or Excel file, a glob of such files,
            `duckdb:///file.db::table`, or any frame narwhals understands (pandas, polars, pyarrow, a DuckDB
            relation, Ibis).
        names: the columns' names, for text files without a header line.

    Raises:
        SourceError: it cannot be found or read.
    """
    if isinstance(source, Table):
        return source
    if isinstance(source, str | Path):
        return _open_text(str(source), names)
    return _open_frame(source)


def _open_text(source: str, names: Sequence[str] | None) -> DuckDBTable:
    scheme = source.split(":", 1)[0] + ":"
    if scheme in _LATER and "::" in source:
        raise SourceError(
            source.rsplit("::", 1)[-1], f"{_LATER[scheme]} tables cannot be read yet; export it"
        )
    if source.startswith("duckdb:///"):
        return _open_database(source.removeprefix("duckdb:///"))
    paths = _paths(source)
    endings = {path.suffix.lower() for path in paths}
    if len(endings) > 1:
        raise SourceError(source, f"mixes files of kinds {', '.join(sorted(endings))}; give one kind")
    ending = endings.pop()
    connection = connect()
    if ending in _EXCEL:
        return _owned(connection, pa.concat_tables([_read_excel(p) for p in paths]), source)
    files = f"[{', '.join(literal(str(p)) for p in paths)}]"
    if ending in _PARQUET:
        return _scan(connection, f"read_parquet({files})", source)
    if ending in _JSON:
        return _scan(connection, f"read_json({files}, format = 'newline_delimited')", source)
    sql, dialect = read_csv_sql(paths, names)
    return _rename(_scan(connection, sql, source), dialect.names, textual=True)


def _paths(source: str) -> list[Path]:
    path = Path(source)
    if path.is_dir():
        raise SourceError(source, f"is a folder; name a file in it, or a glob such as '{path / '*.parquet'}'")
    if path.is_file():
        return [path]
    matches = glob(source, recursive=True)  # noqa: PTH207 - Path.glob takes no absolute patterns
    found = [Path(match) for match in sorted(matches) if Path(match).is_file()]
    if not found:
        raise SourceError(source, "there is no such file; check the name and the folder")
    return found


def _scan(connection: duckdb.DuckDBPyConnection, function: str, label: str) -> DuckDBTable:
    with readable_errors(label):
        return DuckDBTable(connection.sql(f"SELECT * FROM {function}"), label, connection)


def _rename(table: DuckDBTable, names: Sequence[str], *, textual: bool) -> DuckDBTable:
    """Give a table with columns c0, c1, ... its real names."""
    folded = {name.casefold() for name in names}
    if len(folded) < len(names):
        raise SourceError(
            table.label, "has columns whose names differ by upper and lower case only; rename them"
        )
    pairs = ", ".join(f"c{i} AS {identifier(name)}" for i, name in enumerate(names))
    renamed = table.where(f"SELECT {pairs} FROM {SOURCE}")
    return DuckDBTable(renamed.relation, table.label, table.connection, textual=textual)


def _owned(connection: duckdb.DuckDBPyConnection, data: pa.Table, label: str) -> DuckDBTable:
    """Arrow data on a connection of ours."""
    if not data.column_names:
        raise SourceError(label, "has no columns")
    plain = data.rename_columns([f"c{i}" for i in range(data.num_columns)])
    table = DuckDBTable(connection.from_arrow(plain), label, connection)
    return _rename(table, data.column_names, textual=False)


def _open_database(address: str) -> DuckDBTable:
    file, _, name = address.partition("::")
    if not name:
        raise SourceError(address, "names no table; write duckdb:///FILE::TABLE")
    if not Path(file).is_file():
        raise SourceError(file, "there is no such database file; check the name and the folder")
    with readable_errors(file):
        connection = duckdb.connect(file, read_only=True)
        known = [
            row[0]
            for row in connection.execute("SELECT table_name FROM information_schema.tables").fetchall()
        ]
        if name not in known:
            raise SourceError(file, f"has no table {name!r}; it has {', '.join(map(repr, known)) or 'none'}")
        return DuckDBTable(connection.table(identifier(name)), f"{file}::{name}", connection)


def _read_excel(path: Path) -> pa.Table:
    import fastexcel

    try:
        sheet = fastexcel.read_excel(str(path)).load_sheet(0)
    except fastexcel.FastExcelError as error:
        raise SourceError(str(path), f"is not a readable Excel file ({type(error).__name__})") from None
    return pa.table(sheet.to_arrow())


def _open_frame(frame: Any) -> DuckDBTable:  # noqa: ANN401 - any frame
    label = f"{type(frame).__module__.split('.')[0]} {type(frame).__name__}"
    if isinstance(frame, duckdb.DuckDBPyRelation):
        return DuckDBTable(frame, label)
    try:
        wrapped = nw.from_native(frame)
        if wrapped.implementation.is_pyspark():
            raise SourceError(label, "Spark frames cannot be read yet; write it to Parquet")
        eager = wrapped.collect(backend="pyarrow") if isinstance(wrapped, nw.LazyFrame) else wrapped
        return _owned(connect(), eager.to_arrow(), label)
    except nw.exceptions.DuplicateError:
        raise SourceError(label, "has two columns of the same name; rename one of them") from None
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        raise SourceError(
            label, "has a column that mixes kinds of values; give each column one type"
        ) from None
    except TypeError:
        raise RequestError(
            f"a {label} is not a table; give a file name or a pandas, polars, pyarrow or DuckDB frame"
        ) from None
