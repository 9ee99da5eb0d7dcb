"""What every job on Spark needs: a session, columns that lose nothing, errors in a line without values."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import reduce
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pyarrow as pa

from noiseless.errors import NoiselessError, OutputError, RequestError, SourceError
from noiseless.tables.coding import readable

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.types import DataType, StructType

SCHEME = "spark::"
"""How the name of a table of the active Spark session begins."""

Batches = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]
"""What a worker makes of the batches of its part of a table."""

_WRITERS = {".parquet": "parquet", ".csv": "csv", ".jsonl": "json", ".ndjson": "json"}
_BATCH_ROWS = 2**17
"""Batches are put together up to this many rows: Spark's own are small, and each call has a cost."""


def is_spark_frame(source: object) -> bool:
    """Whether something is a DataFrame of PySpark, classic or Connect; PySpark itself is not imported."""
    return any(
        kind.__name__ == "DataFrame" and kind.__module__.startswith("pyspark.sql.")
        for kind in type(source).__mro__
    )


def active_session() -> "SparkSession":
    """The active session; a new one, as Spark's own settings describe it, when there is none.

    Raises:
        SourceError: PySpark or Java is missing.
    """
    try:
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession
    except ImportError:
        raise SourceError("Spark", "PySpark is missing; pip install 'noiseless[spark]'") from None
    try:
        return SparkSession.getActiveSession() or SparkSession.builder.getOrCreate()
    except (PySparkException, OSError):
        raise SourceError("Spark", "could not be started; is Java 17 or later installed?") from None


@contextmanager
def readable_spark_errors(label: str) -> Iterator[None]:
    """Re-raise what Spark says, which quotes the data, as a `SourceError` that holds no value of it."""
    from pyspark.errors import PySparkException

    try:
        yield
    except PySparkException as error:
        raise _explained(label, error) from None
    except Exception as error:
        if type(error).__module__.split(".")[0] != "py4j":  # which Spark Connect does without
            raise
        raise _explained(label, error) from None


def _explained(label: str, error: Exception) -> NoiselessError:
    condition = getattr(error, "getCondition", lambda: None)() or type(error).__name__
    text = str(error)
    if condition == "TABLE_OR_VIEW_NOT_FOUND":
        return SourceError(label, "there is no such table; spark.catalog.listTables() names those there are")
    if "maxResultSize" in text:
        return SourceError(
            label, "has more distinct combinations than spark.driver.maxResultSize takes; raise it"
        )
    if "OutOfMemoryError" in text or "Java heap space" in text:
        return SourceError(label, "does not fit into the memory of Spark's driver; raise spark.driver.memory")
    return SourceError(label, f"could not be computed by Spark ({condition}); its log says more")


def plain(column: "Column", kind: "DataType") -> "Column":
    """A column as values that Spark can group and Arrow can hold, no two that differ taken for one.

    NaN is missing. Grouping makes one number of -0 and 0. Texts are compared byte for byte, whatever their
    collation. Arrays, structs and maps stay what they are.
    """
    from pyspark.sql import functions as F  # noqa: N812 - everybody calls it that
    from pyspark.sql import types as T  # noqa: N812

    if isinstance(kind, T.FloatType | T.DoubleType):
        return F.when(~F.isnan(column), column)
    if isinstance(kind, T.StringType):
        return column if kind == T.StringType() else F.collate(column, "UTF8_BINARY")
    if kind.typeName() == "variant":
        return F.to_json(column)
    if isinstance(kind, T.YearMonthIntervalType | T.CalendarIntervalType):
        return column.cast("string")
    return column


def quoted(name: str) -> str:
    """A column's name as Spark reads it, whatever characters it holds."""
    return "`" + name.replace("`", "``") + "`"


def collected(frame: "DataFrame") -> pa.Table:
    """A small frame in Arrow, in types that the engine on this machine reads without losing anything."""
    return readable(frame.toArrow())


def mapped(frame: "DataFrame", work: Batches, fields: "str | StructType") -> "DataFrame":
    """What workers make of a frame's batches, each up to this many rows.

    Args:
        frame: the frame.
        work: what takes the place of batches; it runs on the executors, where the package is installed too.
        fields: the columns of what it makes, as Spark declares them.
    """

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return work(_joined(batches))

    with warnings.catch_warnings():  # PySpark warns of versions of pandas, which is not used here
        warnings.simplefilter("ignore", FutureWarning)
        return frame.mapInArrow(run, cast("Any", fields))


def _joined(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The same rows in fewer batches; none is empty."""
    held: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        if not len(batch):
            continue
        held.append(batch)
        rows += len(batch)
        if rows >= _BATCH_ROWS:
            yield _one(held)
            held, rows = [], 0
    if held:
        yield _one(held)


def _one(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    if len(batches) == 1:
        return batches[0]
    return pa.Table.from_batches(batches).combine_chunks().to_batches()[0]


def batch_totals(
    frame: "DataFrame",
    columns: Sequence[str],
    count: Callable[[pa.RecordBatch], Sequence[int | None]],
    sums: Sequence[str],
    maxima: Sequence[str] = (),
) -> dict[str, Any]:
    """What is counted in each batch of some columns, added up or the largest: a job that brings a row back.

    Args:
        frame: the rows.
        columns: those that are looked at, in this order.
        count: the numbers of a batch, those to be added up first.
        sums: what these are called.
        maxima: what the others are called.
    """
    from pyspark.sql import functions as F  # noqa: N812

    names = [*sums, *maxima]

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield pa.RecordBatch.from_arrays([pa.array([n], pa.int64()) for n in count(batch)], names)

    chosen = frame.select(*(frame[quoted(name)] for name in columns))
    counts = mapped(chosen, work, ", ".join(f"{name} long" for name in names))
    added = (F.coalesce(F.sum(name), F.lit(0)).alias(name) for name in sums)
    return dict(counts.agg(*added, *(F.max(name).alias(name) for name in maxima)).first().asDict())


def retyped(frame: "DataFrame", kinds: Mapping[str, pa.DataType]) -> "StructType":
    """The columns of a frame, some of them with other types, as Spark declares them."""
    from pyspark.sql.types import DataType, StructField, StructType

    return StructType(
        [
            StructField(field.name, DataType.fromDDL(declared_type(kinds[field.name])), nullable=True)
            if field.name in kinds
            else field
            for field in frame.schema.fields
        ]
    )


def declared_type(kind: pa.DataType) -> str:
    """A type of Arrow as Spark declares it."""
    from pyspark.sql.pandas.types import from_arrow_type

    return str(from_arrow_type(kind).simpleString())


def write_frame(frame: "DataFrame", out: str | PathLike[str]) -> None:
    """Let Spark write a frame: to a new folder, by its ending, or to a new table, `spark::TABLE`.

    Raises:
        OutputError: it exists already, or cannot be written.
        RequestError: no format goes with the ending.
    """
    from pyspark.errors import PySparkException

    target = str(out)
    ending = Path(target).suffix.lower()
    writer = frame.write.mode("errorifexists")
    if not target.startswith(SCHEME) and ending not in _WRITERS:
        raise RequestError(
            f"{target}: Spark writes {', '.join(_WRITERS)}, or spark::TABLE; change the ending"
        )
    try:
        if target.startswith(SCHEME):
            writer.saveAsTable(target.removeprefix(SCHEME))
        else:
            writer.format(_WRITERS[ending]).option("header", "true").save(target)
    except PySparkException as error:
        raise OutputError(target, f"cannot be written ({error.getCondition() or 'see the log'})") from None


def cut(frame: "DataFrame") -> "DataFrame":
    """The frame computed now, its plan cut short: a checkpoint where the session has a folder for them.

    Otherwise executors keep it, and it is lost with one of them. They keep it on their disks: Spark frees it
    some time after its last use, and memory that is held until then makes the next job spill.
    """
    from pyspark import StorageLevel

    context = getattr(frame.sparkSession, "_sc", None)
    if context is None or context.getCheckpointDir() is not None:
        with suppress(Exception):  # Spark Connect: only the server knows whether there is a folder
            return frame.checkpoint()
    return frame.localCheckpoint(storageLevel=StorageLevel.DISK_ONLY)


def joined(left: "DataFrame", right: "DataFrame", fields: Sequence[str]) -> "DataFrame":
    """An inner join on columns in which missing values are equal; all with all where there are none."""
    from pyspark.sql import functions as F  # noqa: N812 - everybody calls it that

    if not fields:
        return left.crossJoin(F.broadcast(right))
    same = (F.col(f"l.{field}").eqNullSafe(F.col(f"r.{field}")) for field in fields)
    kept = [F.col(f"l.{name}") for name in left.columns]
    added = [F.col(f"r.{name}") for name in right.columns if name not in fields]
    whole = left.alias("l").join(right.alias("r"), reduce(lambda a, b: a & b, same))
    return whole.select(*kept, *added)
