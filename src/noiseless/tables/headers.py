"""The names of a table's columns, from as little of it as possible: for completion at the command line."""

import json
from pathlib import Path

import duckdb
import fastexcel
import pyarrow as pa
import pyarrow.parquet as pq

from noiseless.errors import NoiselessError
from noiseless.tables.sources import EXCEL_ENDINGS, JSON_LAYOUTS, PARQUET_ENDINGS, open_table, source_paths
from noiseless.tables.text_files import read_csv_sql

_MOST = 1 << 20
"""Characters of a JSON file that are looked at: a first row that is longer is not read."""

_FAILURES = (NoiselessError, OSError, ValueError, duckdb.Error, fastexcel.FastExcelError, pa.ArrowException)


def header(source: str) -> list[str]:
    """The columns of a file, of the first file of a glob or folder, or of a DuckDB table; none if that fails.

    No more than a header or a first row is read, and no error is raised: whoever presses the tabulator key
    has not finished writing. Databases that are elsewhere are not asked.

    >>> header("patients.csv")[:2], header("nobody.csv"), header("postgresql://host/db::people")
    (['patient', 'age'], [], [])

    Args:
        source: what `open_table` takes.
    """
    try:
        return _header(source)
    except _FAILURES:
        return []


def _header(source: str) -> list[str]:
    if source.startswith("duckdb:///"):
        return list(open_table(source).columns)
    if "::" in source or "://" in source:
        return []
    file = source_paths(source)[0]
    ending = file.suffix.lower()
    if ending in PARQUET_ENDINGS:
        return list(pq.read_schema(file).names)
    if ending in EXCEL_ENDINGS:
        sheet = fastexcel.read_excel(str(file)).load_sheet(0, n_rows=0)
        return [column.name for column in sheet.available_columns()]
    if ending in JSON_LAYOUTS:
        return _first_row(file)
    return list(read_csv_sql([file], None)[1].names)


def _first_row(file: Path) -> list[str]:
    """The keys of the first object, of lines or of a list."""
    with file.open(encoding="utf-8") as opened:
        text = opened.read(_MOST)
    first, _ = json.JSONDecoder().raw_decode(text, text.index("{"))
    return list(first)
