"""Blurring a Spark DataFrame: batch by batch on the executors, as a table on one machine is blurred."""

from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, cast

import pyarrow as pa

from noiseless.collection.blur.lattice import Blur, BlurredTable, apply_blur
from noiseless.errors import (
    DomainError,
    EmptyTableError,
    MissingValuesError,
    RequestError,
    UnknownColumnError,
)
from noiseless.tables import open_table
from noiseless.tables.duckdb_table import DuckDBTable
from noiseless.tables.replacement import MissingRows, _released_kind
from noiseless.tables.spark_frames import declared_type, mapped, quoted, readable_spark_errors, write_frame

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_COUNTED = ("rows", "moved", "protected", "change")


@dataclass(frozen=True, eq=False, repr=False)
class BlurredFrame(BlurredTable):
    """A Spark DataFrame whose compared column is blurred, and what that did to it.

    Attributes:
        frame: the blurred rows; Spark computes them when they are used.
    """

    frame: "DataFrame"

    def write(self, out: str | PathLike[str]) -> None:
        """Let Spark write the blurred rows.

        Args:
            out: a folder (.parquet, .csv or .jsonl), or `spark::TABLE`.
        """
        write_frame(self.frame, out)

    def to_arrow(self) -> pa.Table:
        """The blurred table in this machine's memory."""
        return self.frame.toArrow()


def blur_frame(
    frame: "DataFrame", mechanism: Blur, missing: MissingRows = "error", label: str = "Spark DataFrame"
) -> BlurredFrame:
    """Blur a Spark DataFrame. One job checks and counts; the blurred frame is computed when it is used.

    Raises:
        DomainError: there are values outside the declared domains; they are counted, never shown.
        MissingValuesError: values are missing and may not be dropped.
        EmptyTableError: no row is left.
        UnknownColumnError: the frame lacks a column.
    """
    if missing not in ("drop", "error"):
        raise RequestError('missing values are an "error", or their rows are left out: "drop"')
    columns, compared = mechanism.hypothesis.columns, mechanism.hypothesis.column
    for name in columns:
        if name not in frame.columns:
            raise UnknownColumnError(name, frame.columns)
    needed = [name for name in columns if mechanism.schema.columns[name].missing is None]
    with readable_spark_errors(label):
        read, rows, absent = _rows(frame, needed)
        if missing == "error":
            _refuse_missing(absent)
        if not rows:
            raise EmptyTableError(f"{label}: there is no row to release")
        kept = frame.where(~_is_missing(frame, needed)) if needed and missing == "drop" else frame
        kind = _kind_told(kept, mechanism)
        found = _counts(kept, mechanism)
        told = _blurred(kept, mechanism, kind)
    step = mechanism.lattice.columns[compared]
    return BlurredFrame(
        mechanism,
        rows=rows,
        dropped=read - rows,
        moved=found["moved"],
        protected_rows=found["protected"],
        max_change=type(mechanism.max_change)(found["change"] * step.step_units, step.scale),
        _columns=cast("Any", None),
        _released=None,
        frame=told,
    )


def _is_missing(frame: "DataFrame", columns: list[str]) -> "Column":
    """Whether a row has no value, or NaN, in one of some columns."""
    from functools import reduce

    from pyspark.sql.types import DoubleType, FloatType

    found = []
    for name in columns:
        column = frame[quoted(name)]
        is_float = isinstance(frame.schema[name].dataType, FloatType | DoubleType)
        found.append(column.isNull() | column.isNaN() if is_float else column.isNull())
    return reduce(lambda a, b: a | b, found)


def _rows(frame: "DataFrame", needed: list[str]) -> tuple[int, int, dict[str, int]]:
    """How many rows there are, how many have all values, and how many each column lacks."""
    from pyspark.sql import functions as F  # noqa: N812

    if not needed:
        read = int(frame.count())
        return read, read, {}
    lacks = [F.count_if(_is_missing(frame, [name])) for name in needed]
    read, lacking, *each = frame.agg(
        F.count(F.lit(1)), F.count_if(_is_missing(frame, needed)), *lacks
    ).first()
    return int(read), int(read - lacking), dict(zip(needed, map(int, each), strict=True))


def _refuse_missing(absent: dict[str, int]) -> None:
    for name, count in absent.items():
        if count:
            remedy = "fill them, declare what a missing value counts as, or pass --missing drop"
            raise MissingValuesError(name, count, remedy)


def _kind_told(frame: "DataFrame", mechanism: Blur) -> pa.DataType:
    """The type of the blurred column, found on no rows at all; unfit types of others are refused."""
    columns, compared = mechanism.hypothesis.columns, mechanism.hypothesis.column
    nothing = frame.select(*(frame[quoted(name)] for name in columns)).limit(0).toArrow()
    table = cast("DuckDBTable", open_table(nothing))
    table.select(columns).strangers(mechanism.schema, columns)
    kind = _released_kind(table.kinds[compared], mechanism.lattice.compared)
    return table.arrow(f"SELECT NULL::{kind} AS told").schema.field(0).type


def _counts(frame: "DataFrame", mechanism: Blur) -> dict[str, int]:
    """What the blur does, added up over all batches.

    Raises:
        DomainError: values lie outside their domain.
    """
    from pyspark.sql import functions as F  # noqa: N812

    columns = mechanism.hypothesis.columns
    step = mechanism.lattice.compared
    names = [*_COUNTED, *(f"strange{i}" for i in range(len(columns)))]

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            strange = dict.fromkeys(columns, 0)
            counts = [0, 0, 0, 0]
            try:
                found = apply_blur(mechanism, pa.Table.from_batches([batch]).rename_columns(columns))
                change = int(found.max_change * step.scale / step.step_units)
                counts = [found.rows, found.moved, found.protected_rows, change]
            except DomainError as error:  # of the first column that has some
                strange[error.column] = error.count
            values = [*counts, *strange.values()]
            yield pa.RecordBatch.from_arrays([pa.array([n], pa.int64()) for n in values], names)

    chosen = frame.select(*(frame[quoted(name)] for name in columns))
    counted = mapped(chosen, work, ", ".join(f"{name} long" for name in names))
    row = counted.agg(*((F.max if name == "change" else F.sum)(name).alias(name) for name in names)).first()
    for i, name in enumerate(columns):
        if row[f"strange{i}"]:
            remedy = "declare wider bounds or a finer step, or mend the data"
            raise DomainError(
                name, int(row[f"strange{i}"]), mechanism.schema.columns[name].describe(), remedy
            )
    return {name: int(row[name]) for name in _COUNTED}


def _blurred(frame: "DataFrame", mechanism: Blur, kind: pa.DataType) -> "DataFrame":
    """The rows with the compared column blurred."""
    from pyspark.sql.types import DataType, StructField, StructType

    columns, compared = mechanism.hypothesis.columns, mechanism.hypothesis.column
    places = [frame.columns.index(name) for name in columns]
    place = frame.columns.index(compared)
    fields = list(frame.schema.fields)
    fields[place] = StructField(compared, DataType.fromDDL(declared_type(kind)), nullable=True)

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            given = pa.table([batch.column(i) for i in places], list(columns))
            told = apply_blur(mechanism, given).to_arrow().column(compared).cast(kind).combine_chunks()
            yield batch.set_column(place, pa.field(compared, kind), told)

    return mapped(frame, work, cast("Any", StructType(fields)))
