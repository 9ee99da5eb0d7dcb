"""A stream told as cells, step by durable step."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import BinaryIO

import pyarrow.compute as pc

from noiseless.errors import RequestError
from noiseless.mechanisms.local.column_release import ColumnRelease, ReleaseAs
from noiseless.mechanisms.local.on_pipe import tell, write_as
from noiseless.mechanisms.local.on_table import Quantized, column_release, result
from noiseless.mechanisms.local.streaming import Local, Schedule
from noiseless.streams.sinks import FileSink, PipeSink, Sink
from noiseless.streams.state import Progress, StreamState
from noiseless.tables import Missing
from noiseless.tables.feeds import Feed
from noiseless.tables.pipes import Batch, Pipe, open_pipe

CHUNK = 2**23
"""So many bytes of input make a durable step when they come fast: each one waits for the disk."""


def quantize_stream(
    stream: BinaryIO,
    mechanism: Local | Schedule,
    out: BinaryIO | str | PathLike[str],
    state: str | PathLike[str],
    *,
    resume: bool = False,
    abandon: bool = False,
    received: int | None = None,
    unit: str | None = None,
    release_as: ReleaseAs = "midpoint",
    clamp: bool = False,
    missing: Missing = "error",
    names: Sequence[str] | None = None,
) -> Quantized:
    """`quantize_pipe` with a memory: budgets last from run to run, and a run that was stopped can go on.

    Args:
        stream: what to read; on resuming, the same from its beginning.
        mechanism: as in `quantize`.
        out: a file, which grows batch by batch and gets each byte once; or a stream, whose reader gets the
            last batch again on resuming unless `received` is given.
        state: the file that remembers; it is made when it is not there.
        resume: go on with a run that has not finished; when there is none, begin.
        abandon: begin a new run although the last one has not finished; what was told stays charged.
        received: how many bytes the reader of a stream has already.
        unit: as in `quantize`, and so are the others.
        release_as: how a cell is told.
        clamp: whether values are moved into the domain.
        missing: what happens to missing values.
        names: the columns' names, for CSV without a header line.

    Raises:
        RequestError: a run has not finished, or had other options.
        OutputError: the state or the output cannot be written.
    """
    path = Path(out).absolute() if isinstance(out, str | PathLike) else None
    if path is not None and received is not None:
        raise RequestError("--received is what the reader of a pipe has; a file is looked at")
    sink: Sink = PipeSink(out, received) if path is None else FileSink(path)  # type: ignore[arg-type]
    schedule = mechanism if isinstance(mechanism, Schedule) else Schedule.endless(mechanism)
    settings = {
        "out": None if path is None else str(path),
        "unit": unit,
        "release_as": release_as,
        "clamp": clamp,
        "missing": missing,
        "names": None if names is None else list(names),
    }
    with StreamState(state, schedule) as memory, closing(sink):
        progress = memory.begin(settings, resume=resume, abandon=abandon)
        sink.check(progress)
        pipe = open_pipe(Feed(stream, CHUNK), names)
        if path is not None:
            write_as(pipe, path)
        release = column_release(schedule, unit, release_as, clamp, missing, texts=pipe.is_text)
        running = _Running(memory, sink, pipe, release)
        running.begin(progress)
        return running.run()


class _Running:
    """One run: read, tell, make durable, write; in this order for each batch."""

    def __init__(self, memory: StreamState, sink: Sink, pipe: Pipe, release: ColumnRelease) -> None:
        self.memory = memory
        self.sink = sink
        self.pipe = pipe
        self.release = release
        self.read = 0

    def begin(self, progress: Progress | None) -> None:
        """Begin, or go on where a run was stopped."""
        self.pipe.check(self.release.columns)
        if progress is None:
            progress = Progress(self.pipe.feed.mark, 0, self.pipe.preamble, self._counts())
            self.memory.save(progress)
        else:
            counts = dict(progress.counts)
            self.read, self.release.rows = counts["read"], counts["rows"]
            self.release.meters.silent = counts["silent"]
            self.release.outside = {self.release.parts[0].name: counts["moved"]}
        if not (progress.finished and isinstance(self.sink, FileSink)):
            self.sink.go_on(progress)

    def run(self) -> Quantized:
        """Go through all batches that are left."""
        progress = self._progress
        if not progress.finished:
            for batch in self.pipe.batches(self.release.columns, progress.mark):
                self._step(batch)
            self.sink.settle()
            self.memory.save(replace(self._progress, finished=True))
        found = result(self.release, self.read)
        if self.release.unit is None:
            return found
        persons, most = self.memory.persons()
        return replace(found, persons=persons, most_readings=most)

    def _step(self, batch: Batch) -> None:
        """A batch; what comes before a row that is refused is told, and charged."""
        counts = self.release.meters.counts
        unit, given = self.release.unit, batch.given()
        if unit is not None:
            counts.clear()
            counts.update(self.memory.readings(pc.unique(given[unit]).drop_null().to_pylist()))
        taken, text, refusal = tell(batch, self.release, given)
        self.read += len(taken)
        if len(taken):
            self.sink.settle()  # what was in the outbox is durable elsewhere before it is replaced
            told = ((str(person), readings) for person, readings in counts.items())
            self.memory.save(self._progress.next(taken.end, text, self._counts()), told)
            self.sink.write(text)
        if refusal is not None:
            raise refusal

    @property
    def _progress(self) -> Progress:
        assert self.memory.progress is not None  # noqa: S101 - begin comes first
        return self.memory.progress

    def _counts(self) -> dict[str, int]:
        release = self.release
        moved = sum(release.outside.values())
        return {"read": self.read, "rows": release.rows, "silent": release.meters.silent, "moved": moved}
