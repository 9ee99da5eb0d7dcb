"""Releasing columns as cells while they arrive through a pipe."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import BinaryIO

from noiseless.collection.local.column_release import ColumnRelease, ReleaseAs
from noiseless.collection.local.on_table import Quantized, column_release, result
from noiseless.collection.local.streaming import Local, Schedule
from noiseless.errors import NoiselessError, RequestError
from noiseless.tables import Missing, written_whole
from noiseless.tables.csv_pipe import CsvPipe
from noiseless.tables.pipes import Columns, Pipe, PipeBatch, open_pipe

_PIPED = {True: (".csv", ".tsv"), False: (".jsonl", ".ndjson")}
"""What can be written from a pipe of CSV, and from one of JSON lines."""


def quantize_pipe(
    stream: BinaryIO,
    mechanism: Local | Schedule,
    out: BinaryIO | str | PathLike[str],
    *,
    unit: str | None = None,
    release_as: ReleaseAs = "midpoint",
    clamp: bool = False,
    missing: Missing = "error",
    names: Sequence[str] | None = None,
) -> Quantized:
    """`quantize` for CSV or JSON lines that arrive through a pipe; each batch is written when it is told.

    Args:
        stream: what to read.
        mechanism: as in `quantize`.
        out: a stream, which then holds what came before a refusal; or a file, written whole or not at all.
        unit: as in `quantize`, and so are the others.
        release_as: how a cell is told.
        clamp: whether values are moved into the domain.
        missing: what happens to missing values.
        names: the columns' names, for CSV without a header line.
    """
    pipe = open_pipe(stream, names)
    release = column_release(mechanism, unit, release_as, clamp, missing, texts=pipe.is_text)
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
    """What is told of a batch up to the first row that is refused.

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
