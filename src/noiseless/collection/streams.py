"""Streams that outlive a process: told as cells, step by durable step, to a file or a pipe."""

import os
from collections.abc import Hashable, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import BinaryIO, Unpack, cast

import pyarrow.compute as pc

from noiseless.collection.local.column_release import ENDLESS, ColumnRelease
from noiseless.collection.local.quantization import (
    Quantized,
    ReleaseOptions,
    column_release,
    result,
    tell,
    write_as,
)
from noiseless.collection.local.schedule import LocalMechanism, Schedule
from noiseless.collection.stream_state import Progress, StreamState
from noiseless.errors import OutputError, RequestError
from noiseless.files import check_output
from noiseless.tables.feeds import Feed
from noiseless.tables.pipes import Pipe, PipeBatch
from noiseless.tables.sources import open_pipe


class FileSink:
    """A file that grows batch by batch: each byte is written once."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: BinaryIO | None = None

    def check(self, progress: Progress | None) -> None:
        """A new run needs a new file; a run that goes on needs what it has written.

        Raises:
            OutputError: it is not so.
        """
        check_output(self.path)
        size = self.path.stat().st_size if self.path.exists() else -1
        if progress is None and size >= 0:
            raise OutputError(str(self.path), "is there already; name another file, or pass --resume")
        if progress is not None and size < progress.sent and (size >= 0 or progress.sent):
            raise OutputError(
                str(self.path), f"has fewer than the {progress.sent:,} bytes that were written; put it back"
            )

    def go_on(self, progress: Progress) -> None:
        """Cut off what is not whole, and write it again."""
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o666)
        self._file = os.fdopen(descriptor, "r+b", buffering=0)
        self._file.truncate(progress.sent)
        self._file.seek(progress.sent)
        self.write(progress.outbox)
        if not progress.sent:
            _settle_folder(self.path.parent)

    def write(self, data: bytes) -> None:
        """Append."""
        assert self._file is not None  # noqa: S101 - go_on comes first
        view = memoryview(data)
        try:
            while view:
                view = view[self._file.write(view) :]
        except OSError as error:
            raise OutputError(str(self.path), f"cannot be written ({error.strerror})") from None

    def settle(self) -> None:
        """Have the system write it to the disk."""
        if self._file is not None:
            os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()


class PipeSink:
    """A stream whose reader may have got the last batch, or part of it, when the run was stopped.

    Attributes:
        received: how many bytes the reader has, if it knows; otherwise it gets the last batch again.
    """

    def __init__(self, stream: BinaryIO, received: int | None = None) -> None:
        self._stream = stream
        self.received = received

    def check(self, progress: Progress | None) -> None:
        """What a reader lacks must still be there.

        Raises:
            RequestError: it is not.
        """
        if self.received is None:
            return
        first, last = (0, 0) if progress is None else (progress.sent, progress.written)
        if not first <= self.received <= last:
            raise RequestError(
                f"--received {self.received:,} cannot be; the reader has {first:,} bytes at least, and "
                f"{last:,} at most"
            )

    def go_on(self, progress: Progress) -> None:
        """Send what the reader may not have."""
        known = progress.sent if self.received is None else self.received
        if not progress.finished or self.received is not None:
            self.write(progress.outbox[known - progress.sent :])

    def write(self, data: bytes) -> None:
        """Send; waits for a reader who is slow."""
        self._stream.write(data)
        self._stream.flush()

    def settle(self) -> None:
        """Nothing: what was sent is the reader's."""

    def close(self) -> None:
        """Nothing: the stream is somebody else's."""


Sink = FileSink | PipeSink
"""What takes bytes, one batch after the other."""


def _settle_folder(folder: Path) -> None:
    """Make the name of a new file durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


CHUNK = 2**23
"""This many bytes of input make a durable step when they come fast: each one waits for the disk."""

_LARGE = 2**20
"""A batch of fewer bytes is written at once; the next one is not read before."""


def quantize_stream(
    stream: BinaryIO,
    mechanism: LocalMechanism | Schedule,
    out: BinaryIO | str | PathLike[str],
    state: str | PathLike[str],
    *,
    resume: bool = False,
    abandon: bool = False,
    received: int | None = None,
    names: Sequence[str] | None = None,
    **options: Unpack[ReleaseOptions],
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
        names: the columns' names, for CSV without a header line.
        options: as in `quantize`.

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
        "unit": options.get("unit"),
        "release_as": options.get("release_as", "midpoint"),
        "clamp": options.get("clamp", False),
        "missing": options.get("missing", "error"),
        "names": None if names is None else list(names),
    }
    with StreamState(state, schedule) as memory, closing(sink):
        progress = memory.begin(settings, resume=resume, abandon=abandon)
        sink.check(progress)
        pipe = open_pipe(Feed(stream, CHUNK), names)
        if path is not None:
            write_as(pipe, path)
        release = column_release(schedule, texts=pipe.is_text, **options)
        with ThreadPoolExecutor(1) as disk:
            run = _StreamRun(memory, sink, pipe, release, disk)
            run.begin(progress)
            return run.run()


@dataclass
class _StreamRun:
    """One run: read, tell, make durable, write; in this order for each batch.

    While a large batch is made durable the next one is read. It is looked at no further before the first is
    durable and written.
    """

    memory: StreamState
    sink: Sink
    pipe: Pipe
    release: ColumnRelease
    disk: Executor
    read: int = 0
    _leaving: tuple[Future[None], bytes] | None = None

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
