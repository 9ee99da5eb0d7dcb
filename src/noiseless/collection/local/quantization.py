"""Columns released as cells: of a table, or while they arrive through a pipe."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, TypedDict, Unpack

import pyarrow as pa

from noiseless.collection.local.column_release import ColumnRelease, ReleaseAs, distance
from noiseless.collection.local.schedule import LocalMechanism, Schedule
from noiseless.collection.local.vectors import LocalVector
from noiseless.display import FrameMixin
from noiseless.errors import NoiselessError, RequestError
from noiseless.exact import round_up
from noiseless.tables import Missing, open_table, require_distinct, written_whole
from noiseless.tables.csv_pipe import CsvPipe
from noiseless.tables.frame_kind import ARROW, FrameKind
from noiseless.tables.pipes import Columns, Pipe, PipeBatch
from noiseless.tables.replacement import rewrite, rewritten
from noiseless.tables.sources import open_pipe
from noiseless.tables.spark_table import spark_frame

ProgressCallback = Callable[[int, int | None], None]

_AS_TEXT = {".csv", ".tsv"}


class ReleaseOptions(TypedDict, total=False):
    """How columns are told, wherever they come from: as in `quantize`."""

    unit: str | None
    release_as: ReleaseAs
    clamp: bool
    missing: Missing


@dataclass(frozen=True, eq=False)
class Quantized(FrameMixin):
    """What was released, and what that tells.

    Attributes:
        schedule: what each reading of a person tells.
        rows: how many rows were released.
        dropped: how many were left out because a value was missing.
        clamped: how many values were moved into their domain.
        persons: how many different persons there were; None when each row is one.
        most_readings: the most readings that a person had.
        silent: how many rows came when their person's bits were spent.
        farthest: how far values of each column were moved at most: an exponent of two, which tells less than
            the distance.
        roundings: how far the numbers that were written can be from the middles of cells, for each column.
        table: the released table, when it was not written to a file.
    """

    schedule: Schedule
    rows: int
    dropped: int
    clamped: int
    persons: int | None
    most_readings: int
    silent: int
    farthest: Mapping[str, int] = field(default_factory=dict)
    roundings: Mapping[str, Fraction] = field(default_factory=dict)
    table: pa.Table | None = None
    _came_as: FrameKind = ARROW

    @property
    def frame(self) -> Any:  # noqa: ANN401 - any frame
        """The released table, in the kind of frame that the original came as; Arrow for a file."""
        return self._came_as.frame(self.to_arrow(), in_order=True)

    def to_arrow(self) -> pa.Table:
        """The released table.

        Raises:
            RequestError: it was written to a file.
        """
        if self.table is None:
            raise RequestError("the released table was written to a file; read it from there")
        return self.table if isinstance(self.table, pa.Table) else self.table.toArrow()  # that of Spark

    @property
    def mechanism(self) -> LocalMechanism:
        """What tells a reading, at its finest."""
        return self.schedule.stages[0].mechanism

    @property
    def cells(self) -> int:
        """How many cells there are; of several columns, how many combinations."""
        return math.prod(part.cells for part in self.mechanism.parts)

    @property
    def reached(self) -> tuple[LocalMechanism, ...]:
        """What told the readings that there were: later ones of a person may have had coarser cells."""
        begins = (0, *self.schedule.ends)
        stages = zip(self.schedule.stages, begins, strict=False)
        return tuple(stage.mechanism for stage, begin in stages if begin < max(self.most_readings, 1))

    @property
    def worst_error(self) -> Fraction | float:
        """How far a number that was written can be from its reading, moved ones included.

        It holds for every reading of which something was told; infinite where an infinite one was moved.
        """
        weights = self.mechanism.weights if isinstance(self.mechanism, LocalVector) else (Fraction(1),)
        return max(weight * self.column_error(number) for number, weight in enumerate(weights))

    @property
    def worst_error_inside(self) -> Fraction:
        """The same for the readings that were not moved, and the middles themselves."""
        return max(mechanism.worst_error for mechanism in self.reached)

    def column_error(self, number: int, *, moved: bool = True) -> Fraction | float:
        """How far the numbers written in a column, counted from 0, can be from the readings.

        Args:
            number: which one.
            moved: also those that were moved into the domain.
        """
        parts = [mechanism.parts[number] for mechanism in self.reached]
        name = parts[0].name
        error = max(part.worst_error for part in parts) + self.roundings.get(name, 0)
        return error + distance(self.farthest.get(name)) if moved else error

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a user should know before publishing."""
        found = []
        for part in self.mechanism.parts:
            if part.protects_nothing and part.cells > 1:
                found.append(f"every value of {part.name} has a cell of its own: this protects nothing")
            elif part.smallest_posterior == 1 and part.cells > 1:
                found.append(f"some cells of {part.name} hold one value: it is published exactly")
        return tuple(found)

    def to_dict(self) -> dict[str, Any]:
        """All results under the names they have in JSON."""
        mechanism, parts = self.mechanism, self.mechanism.parts
        entropy = mechanism.entropy_of_record
        spent = self.schedule.spending(self.most_readings)
        found: dict[str, Any] = {
            "columns": [self._described(number) for number in range(len(parts))],
            "cells": self.cells,
            "reach": mechanism.reach,
            "bits": mechanism.bits.upper,
            "rows": self.rows,
            "dropped": self.dropped,
            "clamped": self.clamped,
            "clamped_by": max((_up(distance(one)) for one in self.farthest.values()), default=None),
            "worst_error": _up(self.worst_error),
            "worst_error_exact": str(self.worst_error),
            "worst_error_inside": round_up(self.worst_error_inside),
            "worst_error_inside_exact": str(self.worst_error_inside),
            "entropy_of_record": math.inf if entropy is None else entropy.lower,
            "persons": self.persons,
            "bits_per_person": None if self.persons is None else spent.bits,
            "silent_rows": self.silent,
            "stages": [{"reach": s.mechanism.reach, "readings": s.readings} for s in self.schedule.stages],
            "warnings": list(self.warnings),
        }
        if len(parts) == 1:
            found |= {key: found["columns"][0][key] for key in ("cell_width", "cell_width_exact")}
        return found

    def _described(self, number: int) -> dict[str, Any]:
        part, error = self.mechanism.parts[number], self.column_error(number)
        return {
            "name": part.name,
            "cells": part.cells,
            "cell_width": float(part.cell_width),
            "cell_width_exact": str(part.cell_width),
            "worst_error": _up(error),
            "worst_error_exact": str(error),
            "smallest_posterior": math.inf if part.smallest_posterior is None else part.smallest_posterior,
        }


def _up(size: Fraction | float) -> float:
    return size if isinstance(size, float) else round_up(size)


def quantize(
    source: Any,  # noqa: ANN401 - any frame or source
    mechanism: LocalMechanism | Schedule,
    out: str | PathLike[str] | None = None,
    *,
    unit: str | None = None,
    release_as: ReleaseAs = "midpoint",
    clamp: bool = False,
    missing: Missing = "error",
    names: Sequence[str] | None = None,
    progress: ProgressCallback | None = None,
) -> Quantized:
    """Release columns of a table as cells; other columns and the order of rows stay.

    Args:
        source: any table: a file name, a frame, an opened table.
        mechanism: how readings become cells; its names are the columns. A schedule if people have several.
        out: where to write the table; without it the result holds it in memory.
        unit: the column that identifies a person, to count their readings.
        release_as: publish the middle of a cell, its interval, or its number.
        clamp: move values outside the domain to its nearest value; this adds to their error.
        missing: refuse missing values ("error"), leave their rows out ("drop"), or publish them ("value").
        names: the columns' names, for text files without a header line.
        progress: called now and then with the number of rows read, and of all rows where that is known.

    Raises:
        DomainError: values lie outside their domain; they are counted, never shown.
        MissingValuesError: values are missing, and `missing` is "error".
        UnknownColumnError: the table lacks a column.

    >>> from noiseless import LocalQuantizer
    >>> ages = LocalQuantizer.for_budget("age", (0, 119), 2, step=1)
    >>> quantize(pa.table({"age": [31, 35, 92]}), ages, release_as="interval").table["age"].to_pylist()
    ['[30, 59]', '[30, 59]', '[90, 119]']
    """
    options = ReleaseOptions(unit=unit, release_as=release_as, clamp=clamp, missing=missing)
    if (frame := spark_frame(source)) is not None:
        from noiseless.collection.local.spark import quantize_frame

        return quantize_frame(frame, mechanism, out, **options)
    table = open_table(source, names=names)
    path = None if out is None else Path(out)
    texts = path is not None and path.suffix.lower() in _AS_TEXT and table.textual
    release = column_release(mechanism, texts=texts, **options)
    table.require(*release.columns)
    read, total = 0, None if progress is None or table.textual else table.count()

    def change(batch: pa.RecordBatch) -> pa.RecordBatch:
        nonlocal read
        read += len(batch)
        try:
            found, kept = release.release({name: batch.column(name) for name in release.columns})
        except RequestError as error:
            raise RequestError(f"{', '.join(release.columns)}: {error}") from None
        if progress is not None:
            progress(read, total)
        for name, values in found.items():
            place = batch.schema.get_field_index(name)
            batch = batch.set_column(place, pa.field(name, values.type), values)
        return batch if kept is None else batch.filter(pa.array(kept))

    if path is None:
        held = rewritten(table, change, release.types)
        release.check()
        return replace(result(release, read, held), _came_as=table.came_as)
    rewrite(table, change, release.types, path, release.check)
    return result(release, read)


def column_release(
    mechanism: LocalMechanism | Schedule, *, texts: bool, **options: Unpack[ReleaseOptions]
) -> ColumnRelease:
    """The release of a mechanism, checked.

    Raises:
        RequestError: what is asked for does not go together.
    """
    schedule = mechanism if isinstance(mechanism, Schedule) else Schedule.endless(mechanism)
    release = ColumnRelease(schedule, texts=texts, **options)
    if any(part.missing != (release.missing == "value") for part in release.parts):
        raise RequestError(
            'a mechanism that publishes missing values needs missing="value", and nothing else does'
        )
    if release.unit is None and schedule.ends:
        raise RequestError("a budget over time is one person's; name the column that names a person")
    unit = [] if release.unit is None else [release.unit]
    require_distinct(column=[part.name for part in release.parts], unit=unit)
    return release


def result(release: ColumnRelease, read: int, table: pa.Table | None = None) -> Quantized:
    """What was released by now."""
    counts = release.meters.counts
    return Quantized(
        release.schedule,
        rows=release.rows,
        dropped=read - release.rows,
        clamped=sum(release.outside.values()),
        persons=None if release.unit is None else len(counts),
        most_readings=max(counts.values(), default=0) if release.unit is not None else min(1, release.rows),
        silent=release.meters.silent,
        farthest=release.farthest,
        roundings=release.roundings(),
        table=table,
    )


_PIPED = {True: (".csv", ".tsv"), False: (".jsonl", ".ndjson")}
"""What can be written from a pipe of CSV, and from one of JSON lines."""


def quantize_pipe(
    stream: BinaryIO,
    mechanism: LocalMechanism | Schedule,
    out: BinaryIO | str | PathLike[str],
    *,
    names: Sequence[str] | None = None,
    **options: Unpack[ReleaseOptions],
) -> Quantized:
    """`quantize` for CSV or JSON lines that arrive through a pipe; each batch is written when it is told.

    Args:
        stream: what to read.
        mechanism: as in `quantize`.
        out: a stream, which then holds what came before a refusal; or a file, written whole or not at all.
        names: the columns' names, for CSV without a header line.
        options: as in `quantize`.
    """
    pipe = open_pipe(stream, names)
    release = column_release(mechanism, texts=pipe.is_text, **options)
    if not isinstance(out, str | PathLike):
        return result(release, _run(pipe, release, out))
    path = Path(out)
    write_as(pipe, path)
    with written_whole(path) as part, part.open("wb") as file:
        return result(release, _run(pipe, release, file))


def _run(pipe: Pipe, release: ColumnRelease, out: BinaryIO) -> int:
    """Write batch after batch; how many rows were read."""
    pipe.check(release.columns)
    out.write(pipe.preamble)
    out.flush()
    read = 0
    for batch in pipe.batches(release.columns):
        told, text, refusal = tell(batch, release)
        out.write(text)
        out.flush()
        read += len(told)
        if refusal is not None:
            raise refusal
    return read


def tell(
    batch: PipeBatch, release: ColumnRelease, columns: Columns | None = None
) -> tuple[PipeBatch, bytes, NoiselessError | None]:
    """What is published about a batch up to the first row that is refused.

    Args:
        batch: the rows.
        release: what tells them.
        columns: what the batch gives, if that is known.

    Returns:
        The rows that were taken, what is written for them, and why the next one is refused, if one is.
    """
    given = batch.given() if columns is None else columns
    coded = release.coded(given)
    size = release.fitting(given, coded)
    refusal = None
    if size < len(batch):
        refusal = _refusal(batch, release, size)
        batch = batch.head(size)
        given = batch.given()
        coded = release.coded(given)
    if not size:
        return batch, b"", refusal
    return batch, batch.written(*release.release(given, coded)), refusal


def _refusal(batch: PipeBatch, release: ColumnRelease, row: int) -> NoiselessError:
    try:
        release.refuse(batch.row(row).given(), batch.line(row))
    except NoiselessError as error:
        return error
    raise AssertionError("a row that is refused has a reason")


def write_as(pipe: Pipe, path: Path) -> None:
    """Have a pipe write what the ending of a file says.

    Raises:
        RequestError: it cannot.
    """
    endings = _PIPED[pipe.is_text]
    if path.suffix.lower() not in endings:
        raise RequestError(f"{path}: from this pipe {' or '.join(endings)} is written; change the ending")
    if isinstance(pipe, CsvPipe) and path.suffix.lower() == ".tsv":
        pipe.separate_by("\t")
