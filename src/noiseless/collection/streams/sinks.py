"""Where a stream's output goes, so that after a crash it goes on where it stopped."""

import os
from pathlib import Path
from typing import BinaryIO, Protocol

from noiseless.collection.streams.state import Progress
from noiseless.errors import OutputError, RequestError
from noiseless.files import check_output


class Sink(Protocol):
    """What takes bytes, one batch after the other."""

    def check(self, progress: Progress | None) -> None:
        """Look, before anything is charged, whether output can go on from there (None: begin)."""

    def go_on(self, progress: Progress) -> None:
        """Write what a run may not have written before it was stopped."""

    def write(self, data: bytes) -> None:
        """Write a batch."""

    def settle(self) -> None:
        """Make all that was written durable."""

    def close(self) -> None:
        """Let go of it."""


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


def _settle_folder(folder: Path) -> None:
    """Make the name of a new file durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
