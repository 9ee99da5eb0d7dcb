"""Releasing columns of a Spark DataFrame as cells: the same kernels, on the executors; no row leaves them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pyarrow as pa

from noiseless.collection.local.column_release import ColumnRelease, ReleaseAs
from noiseless.collection.local.quantization import Quantized
from noiseless.collection.local.schedule import LocalMechanism, Schedule
from noiseless.errors import RequestError, UnknownColumnError
from noiseless.tables import Missing, require_distinct
from noiseless.tables.spark_frames import declared_type, mapped, quoted, readable_spark_errors, write_frame

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_NUMBER = "noiseless_number"
_COUNTED = ("rows", "outside", "strange", "absent")


@dataclass(frozen=True)
class _Recipe:
    """What executors need to tell rows as cells; it travels to them.

    Attributes:
        schedule: what each reading of a person tells.
        release_as: how a cell is told.
        clamp: whether values outside the domain are moved to its nearest value.
        missing: what happens to missing values.
    """

    schedule: Schedule
    release_as: ReleaseAs
    clamp: bool
    missing: Missing

    def of_stage(self, stage: int) -> ColumnRelease:
        """What tells the readings of one stage; it keeps no count of persons."""
        endless = Schedule.endless(self.schedule.stages[stage].mechanism)
        return ColumnRelease(
            endless, release_as=self.release_as, texts=False, clamp=self.clamp, missing=self.missing
        )

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are replaced."""
        return tuple(part.name for part in self.schedule.stages[0].mechanism.parts)

    @property
    def types(self) -> dict[str, pa.DataType]:
        """What is told in all stages: doubles where some stage tells them."""
        found = [self.of_stage(stage).types for stage in range(len(self.schedule.stages))]
        return {
            name: next((kinds[name] for kinds in found if pa.types.is_floating(kinds[name])), found[0][name])
            for name in self.columns
        }


def quantize_frame(
    frame: "DataFrame",
    mechanism: LocalMechanism | Schedule,
    out: str | PathLike[str] | None = None,
    *,
    unit: str | None = None,
    order: str | Sequence[str] = (),
    release_as: ReleaseAs = "midpoint",
    clamp: bool = False,
    missing: Missing = "error",
    label: str = "Spark DataFrame",
) -> Quantized:
    """Release columns of a Spark DataFrame as cells; the result's `table` is a DataFrame too.

    One job checks and counts the values. The released frame is computed when it is used, and holds what
    `quantize` tells of the same rows on one machine.

    Args:
        frame: the DataFrame.
        mechanism: what tells a reading: its names are the columns. A schedule, when persons have several.
        out: a folder for Spark to write the released frame to (.parquet, .csv or .jsonl), or `spark::TABLE`.
        unit: the column that names a person, when readings are counted.
        order: the columns that order the readings of a person, when a schedule ends: rows of a frame have no
            order of their own.
        release_as: tell the middle of a cell, its interval, or its number.
        clamp: move values outside the domain to its nearest value.
        missing: missing values are an "error", their rows are left out ("drop"), or they are told ("value").
        label: what messages call the frame.

    Raises:
        DomainError: values lie outside their domain; they are counted, never shown.
        MissingValuesError: values are missing, and that may not be.
        UnknownColumnError: the frame lacks a column.
    """
    schedule = mechanism if isinstance(mechanism, Schedule) else Schedule.endless(mechanism)
    ordered = (order,) if isinstance(order, str) else tuple(order)
    recipe = _Recipe(schedule, release_as, clamp, missing)
    _check(recipe, frame.columns, unit, ordered)
    with readable_spark_errors(label):
        read, counts, farthest = _counts(frame, recipe)
        release = recipe.of_stage(0)
        release.rows, release.outside, release.strange, release.absent = (
            counts["rows"][recipe.columns[0]],
            counts["outside"],
            counts["strange"],
            counts["absent"],
        )
        if unit is not None:
            release.unit = unit
            release.absent[unit] = frame.where(frame[quoted(unit)].isNull()).count()
        release.check()
        kept = _without_missing(frame, recipe) if unit is not None and missing == "drop" else frame
        persons, most, silent = _readings(kept, unit, schedule)
        told = _told(_numbered(kept, unit, ordered) if schedule.ends else kept, recipe)
    if out is not None:
        write_frame(told, out)
    return Quantized(
        schedule,
        rows=release.rows,
        dropped=read - release.rows,
        clamped=sum(release.outside.values()),
        persons=persons,
        most_readings=min(1, release.rows) if unit is None else most,
        silent=silent,
        farthest=farthest,
        roundings=ColumnRelease(schedule, release_as, texts=False).roundings(),
        table=told if out is None else None,
    )


def _check(recipe: _Recipe, columns: Sequence[str], unit: str | None, order: tuple[str, ...]) -> None:
    parts = recipe.schedule.stages[0].mechanism.parts
    if any(part.missing != (recipe.missing == "value") for part in parts):
        raise RequestError(
            'a mechanism that tells missing values goes with missing="value", and only with it'
        )
    if recipe.schedule.ends and (unit is None or not order):
        raise RequestError(
            "a budget over time is one person's, and rows on Spark have no order; name the column that names"
            " a person as unit, and the columns that order the readings of one as order"
        )
    require_distinct(column=recipe.columns, unit=[] if unit is None else [unit])
    for name in (*recipe.columns, *([] if unit is None else [unit]), *order):
        if name not in columns:
            raise UnknownColumnError(name, columns)


def _counts(frame: "DataFrame", recipe: _Recipe) -> tuple[int, dict[str, dict[str, int]], dict[str, int]]:
    """How many rows there are; for each column, what values were met, and how far they are moved."""
    from pyspark.sql import functions as F  # noqa: N812

    columns = recipe.columns
    counted = ["read", *(f"{kind}{i}" for i in range(len(columns)) for kind in _COUNTED)]
    moved = [f"farthest{i}" for i in range(len(columns))]
    names = [*counted, *moved]

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            release = recipe.of_stage(0)
            release.release(dict(zip(columns, batch.columns, strict=True)))
            found: list[int | None] = [len(batch)]
            for name in columns:
                met = (release.outside, release.strange, release.absent)
                found += [release.rows, *(counts.get(name, 0) for counts in met)]
            found += [release.farthest.get(name) for name in columns]
            yield pa.RecordBatch.from_arrays([pa.array([n], pa.int64()) for n in found], names)

    chosen = frame.select(*(frame[quoted(name)] for name in columns))
    batches = mapped(chosen, work, ", ".join(f"{name} long" for name in names))
    row = batches.agg(
        *(F.coalesce(F.sum(name), F.lit(0)).alias(name) for name in counted),
        *(F.max(name).alias(name) for name in moved),
    ).first()
    found = {kind: {name: int(row[f"{kind}{i}"]) for i, name in enumerate(columns)} for kind in _COUNTED}
    far = zip(columns, (row[name] for name in moved), strict=True)
    return int(row["read"]), found, {name: int(one) for name, one in far if one is not None}


def _readings(frame: "DataFrame", unit: str | None, schedule: Schedule) -> tuple[int | None, int, int]:
    """How many persons there are, the most readings of one, and how many readings come too late."""
    from pyspark.sql import functions as F  # noqa: N812

    if unit is None:
        return None, 0, 0
    told = schedule.ends[-1] if len(schedule.ends) == len(schedule.stages) else None
    late = F.lit(0) if told is None else F.greatest(F.col("n") - told, F.lit(0))
    person = frame.select(frame[quoted(unit)].alias("unit")).groupBy("unit").agg(F.count(F.lit(1)).alias("n"))
    persons, most, silent = person.agg(F.count(F.lit(1)), F.max("n"), F.sum(late)).first()
    return int(persons), int(most or 0), int(silent or 0)


def _without_missing(frame: "DataFrame", recipe: _Recipe) -> "DataFrame":
    """The rows with all values, by the same rule as everywhere."""
    places = [frame.columns.index(name) for name in recipe.columns]

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            given = {name: batch.column(i) for name, i in zip(recipe.columns, places, strict=True)}
            _, kept = recipe.of_stage(0).release(given)
            yield batch if kept is None else batch.filter(pa.array(kept))

    return mapped(frame, work, cast("Any", frame.schema))


def _numbered(frame: "DataFrame", unit: str | None, order: tuple[str, ...]) -> "DataFrame":
    """The rows with the number, from 0, of each reading of a person."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F  # noqa: N812

    of_person = Window.partitionBy(frame[quoted(unit or "")]).orderBy(*(frame[quoted(c)] for c in order))
    return frame.withColumn(_NUMBER, F.row_number().over(of_person).cast("long") - 1)


def _told(frame: "DataFrame", recipe: _Recipe) -> "DataFrame":
    """The rows with what is told in place of the columns; past the last stage, nothing."""
    from pyspark.sql.types import StructField, StructType

    types = recipe.types
    fields = [field for field in frame.schema.fields if field.name != _NUMBER]
    places = {name: frame.columns.index(name) for name in recipe.columns}
    for name, place in places.items():
        fields[place] = StructField(name, _spark_type(types[name]), nullable=True)
    numbered = _NUMBER in frame.columns

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        stages = [recipe.of_stage(stage) for stage in range(len(recipe.schedule.stages))]
        ends = np.array(recipe.schedule.ends, np.int64)
        for batch in batches:
            given = {name: batch.column(place) for name, place in places.items()}
            columns = list(batch.columns)
            if numbered:
                stage_of = np.searchsorted(ends, columns.pop().to_numpy(), side="right")
                found, kept = _by_stage(stages, stage_of, given, types), None
            else:
                found, kept = stages[0].release(given)
                stages[0].check()  # the frame may have changed since its values were checked
            for name, place in places.items():
                columns[place] = found[name].cast(types[name])
            told = pa.RecordBatch.from_arrays(columns, [field.name for field in fields])
            yield told if kept is None else told.filter(pa.array(kept))

    return mapped(frame, work, cast("Any", StructType(fields)))


def _by_stage(
    stages: Sequence[ColumnRelease],
    stage_of: "np.ndarray[Any, np.dtype[np.intp]]",
    given: Mapping[str, pa.Array],
    types: Mapping[str, pa.DataType],
) -> dict[str, pa.Array]:
    """What is told of readings in several stages: those past the last are null."""
    order = np.argsort(stage_of, kind="stable")
    parts: dict[str, list[pa.Array]] = {name: [] for name in given}
    for stage, release in enumerate([*stages, None]):
        rows = pa.array(np.flatnonzero(stage_of == stage))
        if release is None:
            found = {name: pa.nulls(len(rows), types[name]) for name in given}
        else:
            found, _ = release.release({name: values.take(rows) for name, values in given.items()})
            release.check()
        for name, values in found.items():
            parts[name].append(values.cast(types[name]))
    back = pa.array(np.argsort(order))
    return {name: pa.concat_arrays(values).take(back) for name, values in parts.items()}


def _spark_type(kind: pa.DataType) -> Any:  # noqa: ANN401 - a type of Spark's
    from pyspark.sql.types import DataType

    return DataType.fromDDL(declared_type(kind))
