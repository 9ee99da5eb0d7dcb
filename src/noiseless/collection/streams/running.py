"""A stream told as cells, step by durable step."""

from collections.abc import Hashable, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import BinaryIO, cast

import pyarrow.compute as pc

from noiseless.collection.local.column_release import ColumnRelease, ReleaseAs
from noiseless.collection.local.moved import ENDLESS
from noiseless.collection.local.on_pipe import tell, write_as
from noiseless.collection.local.on_table import Quantized, column_release, result
from noiseless.collection.local.streaming import Local, Schedule
from noiseless.collection.streams.sinks import FileSink, PipeSink, Sink
from noiseless.collection.streams.state import Progress, StreamState
from noiseless.errors import RequestError
from noiseless.tables import Missing
from noiseless.tables.feeds import Feed
from noiseless.tables.pipes import Pipe, PipeBatch, open_pipe

CHUNK = 2**23
"""So many bytes of input make a durable step when they come fast: each one waits for the disk."""

_LARGE = 2**20
"""A batch of fewer bytes is written at once; the next one is not read before."""


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
        with ThreadPoolExecutor(1) as disk:
            running = _Running(memory, sink, pipe, release, disk)
            running.begin(progress)
            return running.run()


class _Running:
    """One run: read, tell, make durable, write; in this order for each batch.

    While a large batch is made durable the next one is read. It is looked at no further before the first is
    durable and written.
    """

    def __init__(
        self, memory: StreamState, sink: Sink, pipe: Pipe, release: ColumnRelease, disk: Executor
    ) -> None:
        self.memory = memory
        self.sink = sink
        self.pipe = pipe
        self.release = release
        self.disk = disk
        self.read = 0
        self._leaving: tuple[Future[None], bytes] | None = None

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
            if counts["moved"]:  # how far was not kept by all versions
                moved = counts.get("farthest", ENDLESS)
                self.release.farthest = {part.name: moved for part in self.release.parts}
        if not (progress.finished and isinstance(self.sink, FileSink)):
            self.sink.go_on(progress)

    def run(self) -> Quantized:
        """Go through all batches that are left."""
        progress = self._progress
        if not progress.finished:
            try:
                for batch in self.pipe.batches(self.release.columns, progress.mark):
                    self._step(batch)
            finally:
                self._leave()
            self.sink.settle()
            self.memory.save(replace(self._progress, finished=True))
        found = result(self.release, self.read)
        if self.release.unit is None:
            return found
        persons, most = self.memory.persons()
        return replace(found, persons=persons, most_readings=most)

    def _step(self, batch: PipeBatch) -> None:
        """A batch; what comes before a row that is refused is told, and charged."""
        unit, given = self.release.unit, batch.given()
        self._leave()
        if unit is not None:
            self._count(pc.unique(given[unit]).drop_null().to_pylist())
        taken, text, refusal = tell(batch, self.release, given)
        self.read += len(taken)
        if len(taken):
            end = self.pipe.feed.mark if taken is batch else taken.end
            progress = self._progress.next(end, text, self._counts())
            self._leaving = self.disk.submit(self._keep, progress), text
        if len(batch.data) < _LARGE or refusal is not None or not self.pipe.feed.is_ready():
            self._leave()
        if refusal is not None:
            raise refusal

    def _count(self, persons: list[str]) -> None:
        """Begin with the readings that the persons of a batch have had; those of the last one are at hand."""
        last = self.release.meters.counts
        found = self.memory.readings([person for person in persons if person not in last])
        found |= {person: last[person] for person in persons if person in last}
        self.release.meters.counts = cast("dict[Hashable, int]", found)

    def _keep(self, progress: Progress) -> None:
        """Make a step durable."""
        self.sink.settle()  # what was in the outbox is durable elsewhere before it is replaced
        self.memory.save(progress, cast("dict[str, int]", self.release.meters.counts))

    def _leave(self) -> None:
        """Write what was told last, as soon as it is durable."""
        if self._leaving is not None:
            (kept, text), self._leaving = self._leaving, None
            kept.result()
            self.sink.write(text)

    @property
    def _progress(self) -> Progress:
        assert self.memory.progress is not None  # noqa: S101 - begin comes first
        return self.memory.progress

    def _counts(self) -> dict[str, int]:
        release = self.release
        moved = sum(release.outside.values())
        found = {"read": self.read, "rows": release.rows, "silent": release.meters.silent, "moved": moved}
        return found | ({"farthest": max(release.farthest.values())} if release.farthest else {})
