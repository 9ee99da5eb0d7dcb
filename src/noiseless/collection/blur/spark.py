"""Blurring a Spark DataFrame: batch by batch on the executors, as a table on one machine is blurred."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from operator import or_
from os import PathLike
from typing import cast

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - everybody calls it that
from pyspark.sql.types import DoubleType, FloatType

from noiseless.collection.blur.lattice import Blur, BlurredTable
from noiseless.errors import DomainError, EmptyTableError, MissingValuesError, UnknownColumnError
from noiseless.tables import open_table
from noiseless.tables.duckdb_table import DuckDBTable
from noiseless.tables.replacement import MISSING_REMEDY, MissingRows, _released_kind
from noiseless.tables.spark_frames import (
    batch_totals,
    mapped,
    quoted,
    readable_spark_errors,
    retyped,
    write_frame,
)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class BlurredFrame(BlurredTable):
    """A Spark DataFrame whose compared column is blurred, and what that did to it."""

    _blurred: DataFrame

    @property
    def frame(self) -> DataFrame:
        """The blurred rows; Spark computes them when they are used."""
        return self._blurred

    def write(self, out: str | PathLike[str]) -> None:
        """Let Spark write the blurred rows.

        Args:
            out: a folder (.parquet, .csv or .jsonl), or `spark::TABLE`.
        """
        write_frame(self.frame, out)

    def to_arrow(self) -> pa.Table:
        """What Spark computes."""
        return self.frame.toArrow()


def blur_frame(
    frame: DataFrame, mechanism: Blur, missing: MissingRows = "error", label: str = "Spark DataFrame"
) -> BlurredFrame:
    """Blur a Spark DataFrame. One job checks and counts; the blurred frame is computed when it is used.

    Raises:
        NoiselessError: as `blur`.
    """
    columns = mechanism.hypothesis.columns
    for name in columns:
        if name not in frame.columns:
            raise UnknownColumnError(name, frame.columns)
    needed = [name for name in columns if mechanism.schema.columns[name].missing is None]
    with readable_spark_errors(label):
        read, rows, absent = _rows(frame, needed)
        if missing == "error":
            for name, count in absent.items():
                if count:
                    raise MissingValuesError(name, count, MISSING_REMEDY)
        if not rows:
            raise EmptyTableError(f"{label}: there is no row to release")
        kept = frame.where(~_is_missing(frame, needed)) if needed and missing == "drop" else frame
        kind = _kind_told(kept, mechanism)
        moved, protected, change = _counts(kept, mechanism)
        told = _blurred(kept, mechanism, kind)
    return BlurredFrame(
        mechanism=mechanism,
        rows=rows,
        dropped=read - rows,
        moved=moved,
        protected_rows=protected,
        max_change=change * Fraction(mechanism.compared.step),
        _blurred=told,
    )


def _is_missing(frame: DataFrame, columns: list[str]) -> Column:
    """Whether a row has no value, or NaN, in one of some columns."""
    missing = []
    for name in columns:
        column = frame[quoted(name)]
        is_float = isinstance(frame.schema[name].dataType, FloatType | DoubleType)
        missing.append(column.isNull() | column.isNaN() if is_float else column.isNull())
    return reduce(or_, missing)


def _rows(frame: DataFrame, needed: list[str]) -> tuple[int, int, dict[str, int]]:
    """How many rows there are, how many have all values, and how many each column lacks."""
    if not needed:
        read = int(frame.count())
        return read, read, {}
    lacks = [F.count_if(_is_missing(frame, [name])) for name in needed]
    read, lacking, *each = frame.agg(
        F.count(F.lit(1)), F.count_if(_is_missing(frame, needed)), *lacks
    ).first()
    return int(read), int(read - lacking), dict(zip(needed, map(int, each), strict=True))


def _kind_told(frame: DataFrame, mechanism: Blur) -> pa.DataType:
    """The type of the blurred column, found on no rows at all; unfit types of others are refused."""
    columns, compared = mechanism.hypothesis.columns, mechanism.hypothesis.column
    nothing = frame.select(*(frame[quoted(name)] for name in columns)).limit(0).toArrow()
    table = cast("DuckDBTable", open_table(nothing))
    table.select(columns).strangers(mechanism.schema, columns)
    kind = _released_kind(table.kinds[compared], mechanism.compared)
    return table.arrow(f"SELECT NULL::{kind} AS told").schema.field(0).type


def _counts(frame: DataFrame, mechanism: Blur) -> tuple[int, int, int]:
    """How many rows the blur moves, how many it protects, and by how many steps it moves one at most.

    Raises:
        DomainError: values lie outside their domain.
    """
    columns, step = mechanism.hypothesis.columns, Fraction(mechanism.compared.step)

    def count(batch: pa.RecordBatch) -> list[int | None]:
        strange = dict.fromkeys(columns, 0)
        try:
            told = mechanism.apply(pa.Table.from_batches([batch]).rename_columns(columns))
        except DomainError as error:  # of the first column that has some
            strange[error.column] = error.count
            return [0, 0, *strange.values(), 0]
        return [told.moved, told.protected_rows, *strange.values(), int(told.max_change / step)]

    met = [f"strange{i}" for i in range(len(columns))]
    totals = batch_totals(frame, columns, count, ["moved", "protected", *met], ["change"])
    for name, place in zip(columns, met, strict=True):
        if totals[place]:
            remedy = "declare wider bounds or a finer step, or mend the data"
            raise DomainError(name, totals[place], mechanism.schema.columns[name].describe(), remedy)
    return totals["moved"], totals["protected"], totals["change"]


def _blurred(frame: DataFrame, mechanism: Blur, kind: pa.DataType) -> DataFrame:
    """The rows with the compared column blurred."""
    columns, compared = mechanism.hypothesis.columns, mechanism.hypothesis.column
    places = [frame.columns.index(name) for name in columns]
    place = frame.columns.index(compared)

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            given = pa.table([batch.column(i) for i in places], list(columns))
            told = mechanism.apply(given).to_arrow().column(compared).cast(kind).combine_chunks()
            yield batch.set_column(place, pa.field(compared, kind), told)

    return mapped(frame, work, retyped(frame, {compared: kind}))
