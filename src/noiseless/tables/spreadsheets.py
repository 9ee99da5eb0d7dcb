"""Sheets of Excel and OpenDocument files."""

import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from noiseless.errors import SourceError

EXCEL = frozenset({".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"})
"""The endings of such files."""


Sheet = str | int | None
"""The name or the number of a sheet, from 0; None is the first."""


def read_sheet(path: Path, sheet: Sheet = None, as_text: Collection[str] = ()) -> tuple[pa.Table, list[str]]:
    """A sheet as a table with a header, each column of one kind of cells.

    Args:
        path: the file.
        sheet: which of its sheets.
        as_text: columns to read as texts, whatever they hold.

    Returns:
        The table; and its columns that hold several kinds of cells, or texts like n/a among numbers, which
        are read as texts.

    Raises:
        SourceError: it cannot be read, or has no header.
    """
    texts = _cells(path, sheet, dtypes="string")
    if any(
        name.startswith("__UNNAMED__") and texts[name].null_count < len(texts) for name in texts.column_names
    ):
        first, *others = sheet_names(path)
        problem = "does not begin with a header row that names all columns; delete what stands above it"
        if others:
            sheets = ", ".join(map(repr, (first, *others)))
            problem = f"sheet {sheet or first!r} {problem}, or name another (--sheet): it has {sheets}"
        raise SourceError(str(path), problem)
    mixed = list(as_text)
    while True:
        try:
            how = {"schema_sample_rows": None, "dtype_coercion": "strict"}
            typed = _cells(path, sheet, dtypes=dict.fromkeys(mixed, "string") or None, **how)
            break
        except MixedCellsError as error:
            if error.column in mixed or error.column not in texts.column_names:
                raise SourceError(str(path), f"column {error.column!r} cannot be read") from None
            mixed.append(error.column)
    for name in typed.column_names:
        if typed[name].null_count > texts[name].null_count and name not in mixed:  # n/a among numbers
            mixed.append(name)
    for name in mixed:
        days = pc.replace_substring_regex(texts[name], r"^([0-9]{4}-[0-9]{2}-[0-9]{2}) 00:00:00$", r"\1")
        typed = typed.set_column(typed.column_names.index(name), name, days)
    named = [name for name in typed.column_names if not name.startswith("__UNNAMED__")]
    return typed.select(named), mixed


class MixedCellsError(Exception):
    """A column of a sheet holds several kinds of cells.

    Attributes:
        column: its name.
    """

    def __init__(self, column: str) -> None:
        super().__init__(column)
        self.column = column


def _cells(path: Path, sheet: Sheet, **how: Any) -> pa.Table:  # noqa: ANN401 - fastexcel's
    """The cells of a sheet.

    Raises:
        MixedCellsError: a column would need several types.
        SourceError: it cannot be read.
    """
    import fastexcel

    try:
        book = fastexcel.read_excel(str(path))
        if isinstance(sheet, str) and sheet not in book.sheet_names:
            known = ", ".join(map(repr, book.sheet_names))
            raise SourceError(str(path), f"has no sheet {sheet!r}; it has {known}")
        return pa.table(book.load_sheet(sheet or 0, **how).to_arrow())
    except fastexcel.FastExcelError as error:
        mixed = re.search(r"could not determine dtype for column (.*)", str(error))
        if mixed is not None:
            raise MixedCellsError(mixed[1].strip()) from None
        raise SourceError(str(path), f"is not a readable Excel file ({type(error).__name__})") from None


def sheet_names(path: Path) -> list[str]:
    """The sheets of a file.

    Raises:
        SourceError: it cannot be read.
    """
    import fastexcel

    try:
        return list(fastexcel.read_excel(str(path)).sheet_names)
    except fastexcel.FastExcelError as error:
        raise SourceError(str(path), f"is not a readable Excel file ({type(error).__name__})") from None


def sheet_rows(path: Path, sheet: Sheet = None) -> list[tuple[str | None, ...]]:
    """The cells of a sheet as they are written, row by row: no header, no types; the first sheet, if none.

    Raises:
        SourceError: it cannot be read.
    """
    cells = _cells(path, sheet, header_row=None, dtypes="string")
    return list(zip(*(column.to_pylist() for column in cells.columns), strict=True))
