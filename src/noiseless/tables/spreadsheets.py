"""Sheets of Excel and OpenDocument files."""

import re
from pathlib import Path
from typing import Any

import pyarrow as pa

from noiseless.errors import SourceError

EXCEL = frozenset({".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"})
"""The endings of such files."""


def read_sheet(path: Path, sheet: str | int = 0, **how: Any) -> pa.Table:  # noqa: ANN401 - fastexcel's
    """A sheet as a table with a header; each column holds one kind of cells, unless `how` says otherwise.

    Raises:
        SourceError: it cannot be read.
    """
    import fastexcel

    options = how or {"schema_sample_rows": None, "dtype_coercion": "strict"}
    try:
        book = fastexcel.read_excel(str(path))
        if isinstance(sheet, str) and sheet not in book.sheet_names:
            known = ", ".join(map(repr, book.sheet_names))
            raise SourceError(str(path), f"has no sheet {sheet!r}; it has {known}")
        return pa.table(book.load_sheet(sheet, **options).to_arrow())
    except fastexcel.FastExcelError as error:
        raise SourceError(str(path), _problem(path, error)) from None


def _problem(path: Path, error: Exception) -> str:
    """What is wrong with a sheet; of cells that do not fit together, where they are."""
    column = re.search(r"could not determine dtype for column (.*)", str(error))
    if column is None:
        return f"is not a readable Excel file ({type(error).__name__})"
    if any(name.startswith("__UNNAMED__") for name in read_sheet(path, dtypes="string").column_names):
        return "does not begin with a header row; delete what stands above it"
    return (
        f"column {column[1].strip()!r} holds numbers and other things; make them alike, or empty the others"
    )


def sheet_rows(path: Path, sheet: str | int | None = None) -> list[tuple[str | None, ...]]:
    """The cells of a sheet as they are written, row by row: no header, no types; the first sheet, if none.

    Raises:
        SourceError: it cannot be read.
    """
    cells = read_sheet(path, sheet or 0, header_row=None, dtypes="string")
    return list(zip(*(column.to_pylist() for column in cells.columns), strict=True))
