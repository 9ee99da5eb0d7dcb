"""Columns of a table in memory, for games that need every row."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from noiseless.arrays import FloatArray
from noiseless.errors import ColumnError, EmptyTableError
from noiseless.tables import Missing, open_table, require_distinct
from noiseless.tables.replacement import rewritten


def read_columns(
    source: Any,  # noqa: ANN401 - anything that open_table opens
    columns: Sequence[str],
    *,
    missing: Missing = "error",
    names: Sequence[str] | None = None,
) -> pa.Table:
    """Some columns of a table, rows in their order.

    Args:
        source: a file, a glob, a database table, any frame.
        columns: the columns.
        missing: a missing value is an "error", its row is left out ("drop"), or it stays ("value").
        names: the columns' names, for text files without a header line.

    Raises:
        EmptyTableError: no row is left.
        NoiselessError: the table cannot be read, or lacks a column.
    """
    table = open_table(source, names=names)
    require_distinct(column=columns)
    chosen = table.select(columns).with_missing(columns, missing)
    found = rewritten(chosen, lambda batch: batch, {})
    if not len(found):
        raise EmptyTableError(f"{table.label}: there is no row to play with")
    return found


def as_floats(table: pa.Table, column: str) -> FloatArray:
    """A column of numbers as floats.

    Raises:
        ColumnError: it holds something else.
    """
    values = table.column(column)
    if not (pt.is_integer(values.type) or pt.is_floating(values.type) or pt.is_decimal(values.type)):
        raise ColumnError(column, "does not hold numbers; name a column of numbers")
    return np.asarray(values.cast(pa.float64(), safe=False).to_numpy(), np.float64)
