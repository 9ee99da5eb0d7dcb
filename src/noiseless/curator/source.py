"""The table behind a dataset: opened when an answer must be computed, and held against its digest."""

import os
import secrets
import threading
from contextlib import suppress
from glob import escape, glob, has_magic
from pathlib import Path

from noiseless.curator.file import CuratorFile
from noiseless.curator.snapshot import Snapshot
from noiseless.errors import NoiselessError, OutputError, SourceError
from noiseless.private_files import create_private
from noiseless.tables import open_table
from noiseless.tables.postgres_watch import StateWatch

_KEY_BYTES = 32
_DECLARED = b"declared\n"
Stamp = tuple[object, ...] | None
"""What tells whether a source was touched; None when nothing does."""


class ChangedSourceError(SourceError):
    """The source is not the version that was declared; nothing was charged."""


class Source:
    """A dataset's table; nothing is opened before it is needed."""

    def __init__(self, file: CuratorFile) -> None:
        self.file = file
        self._lock = threading.Lock()
        self._read_so_far: tuple[Snapshot | None, str] = (None, "")
        self._stamp: Stamp = None
        self._server = StateWatch.of(file.source)
        self._place = file.source.removeprefix("duckdb:///").partition("::")[0]
        self._pattern = self._place if has_magic(self._place) else None
        if Path(self._place).is_dir():
            self._pattern = f"{escape(self._place)}/*"

    def is_ready(self, digest: str) -> bool:
        """Whether the declared state is in memory and the source seems untouched since it was read."""
        if self.kept(digest) is None or self._stamp is None:
            return False
        return self._stamp == (self._stamped() if self._server is None else self._server.now())

    def kept(self, digest: str) -> Snapshot | None:
        """The declared state, if it is in memory, whatever became of the source since."""
        snapshot, found = self._read_so_far
        return snapshot if found == digest else None

    def snapshot(self, digest: str, version: int) -> Snapshot:
        """The declared state.

        Raises:
            ChangedSourceError: the source is in another state, or cannot be read as it was declared. What is
                wrong with it is for its owner alone: it may depend on private values.
        """
        with self._lock:
            if (kept := self.kept(digest)) is not None and self.is_ready(digest):
                return kept
            try:
                snapshot, found = self._read()
            except NoiselessError:
                raise self._changed("can no longer be read as declared in", version) from None
            if found != digest:
                raise self._changed("changed since", version)
            return snapshot

    def read(self) -> tuple[Snapshot, str]:
        """The present state and its digest, for the owner.

        Raises:
            NoiselessError: it cannot be read as the file declares it.
        """
        with self._lock:
            return self._read()

    def _read(self) -> tuple[Snapshot, str]:
        stamp: Stamp = None if self._server is not None else self._stamped()
        table = open_table(self.file.source)
        snapshot = Snapshot.take(table, self.file.schema, self.file.unit)
        digest = snapshot.digest(digest_key(self.file), self.file.unit, self.file.rows)
        if self._server is not None:  # all was read in one transaction, and this is its state
            stamp = getattr(table, "state", None)
        elif self._stamped() != stamp:
            raise SourceError(self.file.source, "changed while it was read; try again when it is complete")
        self._stamp, self._read_so_far = stamp, (snapshot, digest)
        return snapshot, digest

    def _changed(self, what: str, version: int) -> ChangedSourceError:
        remedy = f"its owner declares a new one with: noiseless dataset declare {self.file.path.name}"
        return ChangedSourceError(self.file.name, f"the source {what} version {version}; {remedy}")

    def _stamped(self) -> tuple[object, ...]:
        """Sizes and times of the source's files; a table on a server tells its state itself."""
        names = [self._place]
        if self._pattern is not None:
            names += sorted(glob(self._pattern, recursive=True))  # noqa: PTH207 - absolute patterns
        found = []
        for name in names:
            try:
                status = os.stat(name)  # noqa: PTH116 - for every question: a path takes as long as the call
            except OSError:
                continue
            found.append((name, status.st_size, status.st_mtime_ns, status.st_ino))
        return tuple(found)


def digest_key(file: CuratorFile) -> bytes:
    """The secret that digests are made with, kept beside the curator's file; made when it is first needed.

    Raises:
        OutputError: it cannot be read or written, or is no key.
    """
    path = _key_path(file)
    try:
        try:
            key = path.read_bytes()
        except FileNotFoundError:
            key = _new_key(path)
    except OSError as error:
        raise OutputError(str(path), f"cannot be read or written ({error.strerror})") from None
    if len(key) < _KEY_BYTES:
        raise OutputError(str(path), "is no whole key; put the dataset's own key back, or remove the file")
    return key[:_KEY_BYTES]


def was_declared(file: CuratorFile) -> bool:
    """Whether the key's file says that a ledger knows the dataset: one that does not has lost its charges."""
    try:
        return _key_path(file).read_bytes()[_KEY_BYTES:] == _DECLARED
    except OSError:
        return False


def note_declared(file: CuratorFile) -> None:
    """Say so, after the ledger does. Where the file may only be read, nothing is said."""
    path = _key_path(file)
    with suppress(OSError):
        key = path.read_bytes()
        if len(key) == _KEY_BYTES:
            _written_aside(path, key + _DECLARED).replace(path)


def _key_path(file: CuratorFile) -> Path:
    return file.path.parent / f"{file.name}-digest.key"


def _new_key(path: Path) -> bytes:
    """Of two who make one the first wins."""
    part = _written_aside(path, secrets.token_bytes(_KEY_BYTES))
    try:
        path.hardlink_to(part)
    except FileExistsError:
        pass
    finally:
        part.unlink()
    return path.read_bytes()


def _written_aside(path: Path, content: bytes) -> Path:
    """Written whole under another name, for the owner alone."""
    part = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}.part")
    part.unlink(missing_ok=True)
    with os.fdopen(create_private(part), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    return part
