"""Releasing columns of a Spark DataFrame as cells: the same kernels, on the executors; no row leaves them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from os import PathLike
from typing import Unpack

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812 - everybody calls it that

from noiseless.collection.local.column_release import ColumnRelease
from noiseless.collection.local.quantization import Quantized, ReleaseOptions, column_release, result
from noiseless.collection.local.schedule import LocalMechanism, Schedule
from noiseless.errors import RequestError, UnknownColumnError
from noiseless.tables.spark_frames import (
    batch_totals,
    mapped,
    quoted,
    readable_spark_errors,
    retyped,
    write_frame,
)

_NUMBER = "noiseless_number"


def quantize_frame(
    frame: DataFrame,
    mechanism: LocalMechanism | Schedule,
    out: str | PathLike[str] | None = None,
    *,
    order: str | Sequence[str] = (),
    label: str = "Spark DataFrame",
    **options: Unpack[ReleaseOptions],
) -> Quantized:
    """Release columns of a Spark DataFrame as cells; the result's `table` is a DataFrame too.

    One job checks and counts the values. The released frame is computed when it is used, and holds what
    `quantize` tells of the same rows on one machine.

    Args:
        frame: the DataFrame.
        mechanism: as in `quantize`.
        out: a folder for Spark to write the released frame to (.parquet, .csv or .jsonl), or `spark::TABLE`.
        order: the columns that order the readings of a person, when a schedule ends: rows of a frame have no
            order of their own.
        label: what messages call the frame.
        options: as in `quantize`.

    Raises:
        NoiselessError: as `quantize`.
    """
    schedule = mechanism if isinstance(mechanism, Schedule) else Schedule.endless(mechanism)
    ordered, unit = (order,) if isinstance(order, str) else tuple(order), options.get("unit")
    if schedule.ends and (unit is None or not ordered):
        raise RequestError(
            "a budget over time is one person's, and rows on Spark have no order; name the column that names"
            " a person as unit, and the columns that order the readings of one as order"
        )
    release = column_release(schedule, texts=False, **options)
    for name in (*release.columns, *ordered):
        if name not in frame.columns:
            raise UnknownColumnError(name, frame.columns)
    with readable_spark_errors(label):
        read = _count(frame, release)
        release.check()
        kept = _without_missing(frame, release) if unit is not None and release.missing == "drop" else frame
        persons, most, silent = _readings(kept, unit, schedule)
        told = _told(_numbered(kept, unit, ordered) if schedule.ends else kept, release)
    if out is not None:
        write_frame(told, out)
    quantized = result(release, read, told if out is None else None)
    if unit is None:
        return quantized
    return replace(quantized, persons=persons, most_readings=most, silent=silent)


def _count(frame: DataFrame, release: ColumnRelease) -> int:
    """Have a release count the values of a frame; how many rows there are."""
    columns = [part.name for part in release.parts]
    met = [f"{kind}{i}" for kind in ("outside", "strange", "absent") for i in range(len(columns))]
    moved = [f"farthest{i}" for i in range(len(columns))]

    def count(batch: pa.RecordBatch) -> list[int | None]:
        alone = release.blank(None)
        alone.release(dict(zip(columns, batch.columns, strict=True)))
        found = (
            kind.get(name, 0) for kind in (alone.outside, alone.strange, alone.absent) for name in columns
        )
        return [len(batch), alone.rows, *found, *(alone.farthest.get(name) for name in columns)]

    totals = batch_totals(frame, columns, count, ["read", "rows", *met], moved)
    release.rows = totals["rows"]
    for i, name in enumerate(columns):
        release.outside[name], release.strange[name] = totals[f"outside{i}"], totals[f"strange{i}"]
        release.absent[name] = totals[f"absent{i}"]
        if totals[f"farthest{i}"] is not None:
            release.farthest[name] = totals[f"farthest{i}"]
    if release.unit is not None:
        release.absent[release.unit] = frame.where(frame[quoted(release.unit)].isNull()).count()
    return int(totals["read"])


def _readings(frame: DataFrame, unit: str | None, schedule: Schedule) -> tuple[int | None, int, int]:
    """How many persons there are, the most readings of one, and how many readings come too late."""
    if unit is None:
        return None, 0, 0
    told = schedule.ends[-1] if len(schedule.ends) == len(schedule.stages) else None
    late = F.lit(0) if told is None else F.greatest(F.col("n") - told, F.lit(0))
    person = frame.select(frame[quoted(unit)].alias("unit")).groupBy("unit").agg(F.count(F.lit(1)).alias("n"))
    persons, most, silent = person.agg(F.count(F.lit(1)), F.max("n"), F.sum(late)).first()
    return int(persons), int(most or 0), int(silent or 0)


def _without_missing(frame: DataFrame, release: ColumnRelease) -> DataFrame:
    """The rows with all values, by the same rule as everywhere."""
    places = {part.name: frame.columns.index(part.name) for part in release.parts}

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            given = {name: batch.column(place) for name, place in places.items()}
            _, kept = release.blank(None).release(given)
            yield batch if kept is None else batch.filter(pa.array(kept))

    return mapped(frame, work, frame.schema)


def _numbered(frame: DataFrame, unit: str | None, order: tuple[str, ...]) -> DataFrame:
    """The rows with the number, from 0, of each reading of a person."""
    of_person = Window.partitionBy(frame[quoted(unit or "")]).orderBy(*(frame[quoted(c)] for c in order))
    return frame.withColumn(_NUMBER, F.row_number().over(of_person).cast("long") - 1)


def _told(frame: DataFrame, release: ColumnRelease) -> DataFrame:
    """The rows with what is published in place of the columns; past the last stage, nothing."""
    shown = frame.drop(_NUMBER)
    names = shown.columns
    places = {part.name: frame.columns.index(part.name) for part in release.parts}
    numbered = _NUMBER in frame.columns

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        here, ends = release.blank(None), np.array(release.schedule.ends, np.int64)
        for batch in batches:
            columns, stages = list(batch.columns), None
            if numbered:
                stages = np.searchsorted(ends, columns.pop().to_numpy(), side="right")
            labels, kept = here.release(
                {name: columns[place] for name, place in places.items()}, None, stages
            )
            here.check()  # the frame may have changed since its values were checked
            for name, place in places.items():
                columns[place] = labels[name]
            told = pa.RecordBatch.from_arrays(columns, names)
            yield told if kept is None else told.filter(pa.array(kept))

    return mapped(frame, work, retyped(shown, release.types))
