"""From what a user points at (a file, a glob, a database table, a frame, a pipe) to a table."""

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import duckdb
import pyarrow as pa

from noiseless.errors import NoiselessError, RequestError, SourceError
from noiseless.examples import where_from
from noiseless.tables.base import Table
from noiseless.tables.coding import readable, typed_where_fits
from noiseless.tables.duckdb_table import DuckDBTable
from noiseless.tables.engine import (
    POSTGRESQL,
    ROOT,
    CallersEngine,
    OwnEngine,
    files,
    identifier,
    literal,
    readable_errors,
    renamed,
    spill_folder,
)
from noiseless.tables.frame_kind import FrameKind
from noiseless.tables.spark_frames import SCHEME, is_spark_frame
from noiseless.tables.spreadsheets import EXCEL, read_sheet, sheet_names
from noiseless.tables.text_files import check_csv, common_dialect, first_dialect, open_json, read_csv_sql
from noiseless.tables.text_source import TextSource

if TYPE_CHECKING:
    import narwhals as nw

    from noiseless.tables.feeds import Feed
    from noiseless.tables.pipes import Pipe

_PARQUET = {".parquet", ".pq"}
_JSON_LAYOUTS = {".jsonl": "newline_delimited", ".ndjson": "newline_delimited", ".json": "auto"}
_TYPED = {*_PARQUET, *_JSON_LAYOUTS, *EXCEL}

_SAID = "encoding, separator, decimal, date_format and sheet say how"

_LONGEST_ROW = 1 << 20
"""Characters of a JSON file that are looked at: a first row that is longer is not read."""


def open_table(
    source: Any,  # noqa: ANN401 - any frame
    *,
    names: Sequence[str] | None = None,
    encoding: str | None = None,
    separator: str | None = None,
    decimal: str | None = None,
    date_format: str | Sequence[str] | None = None,
    sheet: str | None = None,
) -> Table:
    """Open a table.

    Args:
        source: a CSV, TSV, JSON-lines, Parquet or Excel file, a glob of such files, a folder of Parquet
            files, `duckdb:///file.db::table`, `postgresql://user@host/database::schema.table`,
            `spark::table`, a PySpark DataFrame, or any frame narwhals understands (pandas, polars, pyarrow, a
            DuckDB relation, Ibis).
        names: the columns' names, for text files without a header line.
        encoding: what a text file is encoded in, if not in UTF-8: `cp1252`, `latin-2`, `utf-16`.
        separator: what separates the fields of a CSV file (`,`, `;`, `|`, `tab`), if it is not recognised.
        decimal: `,` where 1234,50 or 1.234,50 stands for 1234.5.
        date_format: how dates are written, if not as 1971-08-17: `DD.MM.YYYY`, `MM/DD/YYYY`. Where it has a
            time too (`DD.MM.YYYY hh:mm`), the day is read. Give several where dates differ.
        sheet: the sheet of an Excel file; the first by default.

    Raises:
        SourceError: it cannot be found or read.

    >>> table = open_table("patients.csv")
    >>> table.columns, table.count()
    (('patient', 'age', 'sex', 'postcode', 'illness'), 40)
    """
    written = encoding, decimal, date_format, separator, sheet
    if any(said is not None for said in written):
        if not isinstance(source, str | Path):
            raise RequestError(f"{_SAID} files are read; leave them out for a frame")
        source = TextSource(str(source), *written)
    if isinstance(source, Table):
        return source
    if isinstance(source, TextSource):
        return _open_as_written(source, names)
    if isinstance(source, str | Path):
        return _open_text(str(source), names)
    return _open_frame(source)


def _open_as_written(source: TextSource, names: Sequence[str] | None) -> Table:
    if "::" in source.source:
        raise RequestError(f"{_SAID} files are read; leave them out for a database")
    paths = source_paths(source.source)
    ending = _one_ending(source.source, paths)
    if source.encoding is not None and ending in {*_PARQUET, *EXCEL}:
        raise RequestError(f"{source} is no text file; leave its encoding out")
    if source.separator is not None and ending in _TYPED:
        raise RequestError(f"{source} has columns without a separator; leave it out")
    if source.sheet is not None and ending not in EXCEL:
        raise RequestError(f"{source} is no Excel file; leave the sheet out")
    copies = [source.in_utf8(path) for path in paths]
    try:
        table = _open_files(source, copies, ending, names)
    except SourceError as error:  # of the copy, whose name says nothing
        known = dict(zip(map(str, copies), map(str, paths), strict=True))
        raise SourceError(known.get(error.source, error.source), error.problem) from None
    return replace(source.read(table), files=tuple(paths))


def _one_ending(source: str, paths: Sequence[Path]) -> str:
    endings = {path.suffix.lower() for path in paths}
    if len(endings) > 1:
        raise SourceError(source, f"mixes files of kinds {', '.join(sorted(endings))}; give one kind")
    if endings == {".toml"}:
        raise SourceError(
            source, "is a TOML file, such as a curator's or a schema; name the table of records"
        )
    return endings.pop()


def _open_text(source: str, names: Sequence[str] | None) -> Table:
    if source.startswith(POSTGRESQL):
        return _open_postgresql(source, names)
    if source.startswith(SCHEME):
        from noiseless.tables.spark_table import SparkTable

        return SparkTable.open(source, names)
    if source.startswith("duckdb:///"):
        return _open_database(source.removeprefix("duckdb:///"))
    paths = source_paths(source)
    table = _open_files(TextSource(source), paths, _one_ending(source, paths), names)
    return replace(table, files=tuple(paths))


def _open_postgresql(source: str, names: Sequence[str] | None) -> Table:
    from noiseless.tables.postgres_table import PostgresTable

    if names is not None:
        raise RequestError("a database names its columns; names are for text files without a header line")
    return PostgresTable.open(source)


def _open_files(
    source: TextSource, paths: Sequence[Path], ending: str, names: Sequence[str] | None
) -> DuckDBTable:
    if names is not None and ending in _TYPED:
        raise RequestError(
            f"{source} names its columns itself; names are for text files without a header line"
        )
    if ending in EXCEL:
        return _open_sheets(source.source, paths, source.sheet)
    if ending in _PARQUET:
        return _open_parquet(source.source, paths)
    if ending in _JSON_LAYOUTS:
        return open_json(source.source, paths, _JSON_LAYOUTS[ending])
    dialect = common_dialect(paths, names, source.separator)
    longest = max(check_csv(path, dialect.separator, len(dialect.names)) for path in paths)
    query = f"SELECT {renamed(source.source, dialect.names)} FROM {read_csv_sql(paths, dialect, longest)}"
    kinds = dict.fromkeys(dialect.names, "VARCHAR")
    return DuckDBTable(OwnEngine.start(), query, kinds, source.source, textual=True)


def _open_sheets(source: str, paths: Sequence[Path], sheet: str | None) -> DuckDBTable:
    """A sheet of each of some Excel files with equal columns; those of several kinds of cells read as CSV."""
    first = [read_sheet(path, sheet) for path in paths]
    for (table, _), path in zip(first, paths, strict=True):
        if table.column_names != first[0][0].column_names:
            raise SourceError(str(path), f"has other columns than {paths[0]}; read them apart")
    mixed = [
        name
        for name in first[0][0].column_names
        if len({table.field(name).type for table, _ in first}) > 1 or any(name in kinds for _, kinds in first)
    ]
    found = [
        read_sheet(path, sheet, mixed)[0] if mixed else table
        for (table, _), path in zip(first, paths, strict=True)
    ]
    table = typed_where_fits(DuckDBTable.in_memory(readable(pa.concat_tables(found)), source), mixed)
    names = sheet_names(paths[0])
    if sheet is not None or len(names) == 1:
        return table
    return replace(table, notice=f"the file has {len(names):,} sheets, and {names[0]!r} was read (--sheet)")


def _open_parquet(source: str, paths: Sequence[Path]) -> DuckDBTable:
    """Parquet files with equal columns: the engine would cast the others to the first one's types."""
    engine = OwnEngine.start()
    tables = [
        DuckDBTable.describe(
            engine, f"SELECT * FROM read_parquet({files([p])}, hive_partitioning = false)", str(p)
        )
        for p in paths
    ]
    for table, path in zip(tables, paths, strict=True):
        if list(table.kinds.items()) != list(tables[0].kinds.items()):
            raise SourceError(str(path), f"has other columns or types than {paths[0]}; read them apart")
    query = f"SELECT * FROM read_parquet({files(paths)}, hive_partitioning = false)"
    return replace(tables[0], query=query, label=source)


def source_paths(source: str) -> list[Path]:
    """The files that a path, a folder of Parquet files or a glob names.

    Raises:
        SourceError: there is none.
    """
    path = Path(source)
    if source == "-":
        raise SourceError(source, "a pipe is read by `noiseless quantize` only; write it to a file first")
    if path.is_dir():
        return _in_folder(path)
    if path.is_file():
        return [path]
    matches = glob(source, recursive=True)  # noqa: PTH207 - Path.glob takes no absolute patterns
    found = [Path(match) for match in sorted(matches) if Path(match).is_file()]
    if not found:
        raise SourceError(source, f"there is no such file; {where_from(source)}")
    return found


def _in_folder(folder: Path) -> list[Path]:
    """The Parquet files of a folder, as engines write one table, without what begins with a dot or with _.

    Raises:
        SourceError: there are none, or folders within it tell rows apart, whose names would be columns.
    """
    parts = [path for path in sorted(folder.iterdir()) if not path.name.startswith((".", "_"))]
    if any(path.is_dir() and "=" in path.name for path in parts):
        raise SourceError(
            str(folder),
            "is partitioned by the names of folders, which would be columns; write it as plain files",
        )
    found = [path for path in parts if path.is_file() and path.suffix.lower() in _PARQUET]
    if not found or len(found) < len(parts):
        what = "holds no Parquet files" if not found else "holds other things than Parquet files"
        raise SourceError(
            str(folder), f"{what}; name a file in it, or a glob such as '{folder / '*.parquet'}'"
        )
    return found


def _open_database(address: str) -> DuckDBTable:
    file, _, name = address.partition("::")
    if not name:
        raise SourceError(address, "names no table; write duckdb:///FILE::TABLE")
    if not Path(file).is_file():
        raise SourceError(file, "there is no such database file; check the name and the folder")
    with readable_errors(file):
        connection = duckdb.connect(file, read_only=True)
        with suppress(duckdb.Error):  # a connection of the caller's spills elsewhere already
            connection.execute(f"SET temp_directory = {literal(spill_folder())}")
        known = [
            row[0]
            for row in connection.execute("SELECT table_name FROM information_schema.tables").fetchall()
        ]
        if name not in known:
            raise SourceError(file, f"has no table {name!r}; it has {', '.join(map(repr, known)) or 'none'}")
        query = f"SELECT * FROM {identifier(name)}"
        return DuckDBTable.describe(OwnEngine(connection), query, f"{file}::{name}", (Path(file),))


def _open_frame(frame: Any) -> Table:  # noqa: ANN401 - any frame
    label = f"{type(frame).__module__.split('.')[0]} {type(frame).__name__}".removeprefix("builtins ")
    if is_spark_frame(frame):
        from noiseless.tables.spark_table import SparkTable

        return replace(SparkTable.of(frame), came_as=FrameKind.of(frame))
    if isinstance(frame, duckdb.DuckDBPyRelation):
        related = DuckDBTable.describe(CallersEngine(frame), f"SELECT * FROM {ROOT}", label)
        return replace(related, came_as=FrameKind.of(frame))
    if isinstance(frame, pa.RecordBatch):
        frame = pa.Table.from_batches([frame])
    import narwhals as nw  # with pandas or polars at hand it is loaded already, and without frames not needed

    try:
        wrapped = nw.from_native(frame)
        eager = wrapped.collect(backend="pyarrow") if isinstance(wrapped, nw.LazyFrame) else wrapped
    except nw.exceptions.DuplicateError:
        raise SourceError(label, "has two columns of the same name; rename one of them") from None
    except TypeError:
        rows = "; a list of rows becomes one with pandas.DataFrame(rows)" * isinstance(frame, dict | list)
        raise RequestError(
            f"a {label} is not a table; give a file name or a pandas, polars, pyarrow or DuckDB frame{rows}"
        ) from None
    if eager.implementation.is_polars() and nw.Object in eager.schema.values():  # whose Arrow is addresses
        raise SourceError(label, _unknown_kind(eager))
    try:
        data = readable(eager.to_arrow())
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        raise SourceError(label, _unknown_kind(eager)) from None
    return replace(DuckDBTable.in_memory(data, label), came_as=FrameKind.of(frame))


def _unknown_kind(frame: "nw.DataFrame[Any]") -> str:
    """Which column Arrow cannot hold."""
    import narwhals as nw

    for name, kind in frame.schema.items():
        problem = f"column {str(name)!r} holds mixed or unknown kinds of values ({kind}); give it one type"
        if frame.implementation.is_polars() and kind == nw.Object:
            return problem
        try:
            readable(frame.select(nw.col(name)).to_arrow())
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            return problem
    return "holds columns of mixed or unknown kinds of values; give each one type"


def open_pipe(stream: "BinaryIO | Feed", names: Sequence[str] | None = None) -> "Pipe":
    """A pipe of JSON lines when its first character is `{`, of CSV otherwise.

    Args:
        stream: what to read.
        names: the columns' names, for CSV without a header line.

    Raises:
        SourceError: it is empty or no text.
    """
    from noiseless.tables.csv_pipe import CsvPipe
    from noiseless.tables.feeds import LABEL, Feed
    from noiseless.tables.json_pipe import JsonPipe

    feed = stream if isinstance(stream, Feed) else Feed(stream)
    while not feed.ended and not re.search(b"[\r\n]", feed.pending.lstrip()):
        feed.more()
    if not feed.pending.strip():
        raise SourceError(LABEL, "is empty; a table needs a header line and rows")
    return JsonPipe(feed) if feed.pending.lstrip().startswith(b"{") else CsvPipe.begin(feed, names)


def header(source: str) -> list[str]:
    """The columns of a file, of the first file of a glob or folder, or of a DuckDB table; none if that fails.

    No more than a header or a first row is read, and no error is raised: a user who presses the tab key
    has not finished writing. Databases that are elsewhere are not asked.

    >>> header("patients.csv")[:2], header("nobody.csv"), header("postgresql://host/db::people")
    (['patient', 'age'], [], [])

    Args:
        source: what `open_table` takes.
    """
    import fastexcel

    failures = NoiselessError, OSError, ValueError, duckdb.Error, fastexcel.FastExcelError, pa.ArrowException
    try:
        return _header(source)
    except failures:
        return []


def file_form(source: str | TextSource) -> dict[str, str]:
    """How a file is written, as it was recognised or said; of several files the first. Nothing of a database.

    >>> file_form("patients.csv")
    {'kind': 'CSV', 'encoding': 'UTF-8', 'separator': ','}

    Raises:
        SourceError: it cannot be found or read.
    """
    said = source if isinstance(source, TextSource) else TextSource(source)
    if "::" in str(source):
        return {}
    file = source_paths(str(source))[0]
    ending = file.suffix.lower()
    if ending in _PARQUET:
        return {"kind": "Parquet"}
    if ending in EXCEL:
        first, *others = sheet_names(file)
        found = {"kind": "Excel", "sheet": said.sheet or first}
        return {**found, "others": str(len(others))} if others else found
    if ending in _JSON_LAYOUTS:
        return {"kind": "JSON", "encoding": said.encoding or "UTF-8"}
    separator = first_dialect(file, None, said.separator, said.encoding).separator
    return {"kind": "CSV", "encoding": said.encoding or "UTF-8", "separator": separator}


def _header(source: str) -> list[str]:
    if source.startswith("duckdb:///"):
        return list(open_table(source).columns)
    if "::" in source or "://" in source:
        return []
    file = source_paths(source)[0]
    ending = file.suffix.lower()
    if ending in _PARQUET:
        import pyarrow.parquet as pq

        return list(pq.read_schema(file).names)
    if ending in EXCEL:
        import fastexcel

        sheet = fastexcel.read_excel(str(file)).load_sheet(0, n_rows=0)
        return [column.name for column in sheet.available_columns()]
    if ending in _JSON_LAYOUTS:
        return _first_row(file)
    return list(common_dialect([file], None).names)


def _first_row(file: Path) -> list[str]:
    """The keys of the first object, of lines or of a list."""
    with file.open(encoding="utf-8") as opened:
        text = opened.read(_LONGEST_ROW)
    first, _ = json.JSONDecoder().raw_decode(text, text.index("{"))
    return list(first)
