"""The table behind a dataset: opened when an answer must be computed, and held against its digest."""

import hashlib
import hmac
import os
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import escape, glob, has_magic
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from noiseless.curator.file import CuratorFile
from noiseless.curator.snapshot import Snapshot
from noiseless.errors import NoiselessError, OutputError, SourceError
from noiseless.files import create_private
from noiseless.tables import Table, open_table
from noiseless.tables.engine import POSTGRESQL, OwnEngine
from noiseless.work import WorkCancelledError, check

if TYPE_CHECKING:
    from noiseless.tables.postgres_table import StateWatch

_KEY_BYTES, _SALT_BYTES = 32, 16
_LOOK_SECONDS = 0.1
_DECLARED = b"declared\n"
Stamp = tuple[object, ...] | None
"""What tells whether a source was touched; None when nothing does."""


class Seal(NamedTuple):
    """What makes digests of one state, each of them another one.

    A digest is shown to analysts. Were that of equal states the same, anyone who knows all other records
    would see whether the last one changed, and whether it changed back.

    Attributes:
        key: the secret.
        text: the keyed digest of all rows, which is nowhere shown.
    """

    key: bytes
    text: str

    def new_digest(self) -> str:
        """A digest that nobody has seen."""
        return self._digest(secrets.token_hex(_SALT_BYTES))

    def fits(self, digest: str) -> bool:
        """Whether a digest is one of this state; those of earlier releases had no salt."""
        _, _, salted = digest.partition(":")
        salt, colon, _ = salted.partition(":")
        return digest == (self._digest(salt) if colon else self.text)

    def _digest(self, salt: str) -> str:
        found = hmac.new(self.key, f"{salt}:{self.text}".encode(), hashlib.sha256)
        return f"hmac-sha256:{salt}:{found.hexdigest()}"


class ChangedSourceError(SourceError):
    """The source is not the version that was declared; nothing was charged."""


class _State(NamedTuple):
    """What was read.

    Attributes:
        snapshot: all rows.
        seal: of them.
        digest: a declared one that they are known to have.
    """

    snapshot: Snapshot
    seal: Seal
    digest: str


class DatasetSource:
    """A dataset's table; nothing is opened before it is needed."""

    def __init__(self, file: CuratorFile) -> None:
        self.file = file
        self._lock = threading.Lock()
        self._state: _State | None = None
        self._stamp: Stamp = None
        self._table: Table | None = None
        self._is_interrupted = False
        self._server = _watch(file.source)
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
        state = self._state
        if state is None:
            return None
        if state.digest != digest:
            if not state.seal.fits(digest):
                return None
            self._state = state._replace(digest=digest)
        return state.snapshot

    def snapshot(self, digest: str, version: int) -> Snapshot:
        """The declared state.

        Raises:
            ChangedSourceError: the source is in another state, or cannot be read as it was declared. What is
                wrong with it is for its owner alone: it may depend on private values.
            WorkCancelledError: nobody waits for it any more, or the reading was interrupted.
        """
        with self._reading():
            if (kept := self.kept(digest)) is not None and self.is_ready(digest):
                return kept
            try:
                self._read()
            except WorkCancelledError:
                raise
            except NoiselessError:
                raise self._changed("can no longer be read as declared in", version) from None
            found = self.kept(digest)
            if found is None:
                raise self._changed("changed since", version)
            return found

    def read(self) -> tuple[Snapshot, str]:
        """The present state and a new digest of it, for the owner.

        Raises:
            NoiselessError: it cannot be read as the file declares it.
        """
        with self._reading():
            state = self._read()
            return state.snapshot, state.digest

    def interrupt(self) -> None:
        """Give up the reading that goes on, and begin none: the process ends."""
        self._is_interrupted = True
        engine = getattr(self._table, "engine", None)
        if isinstance(engine, OwnEngine):
            engine.connection.interrupt()

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """One reads at a time, for all; those who wait leave when nobody waits for them."""
        while not self._lock.acquire(timeout=_LOOK_SECONDS):
            check()
        try:
            yield
        except BaseException:
            if self._is_interrupted:  # in the engine's own words, or in any other
                raise WorkCancelledError("the table is not read any further; nothing was charged") from None
            raise
        finally:
            self._table = None
            self._lock.release()

    def _read(self) -> _State:
        stamp: Stamp = None if self._server is not None else self._stamped()
        self._table = table = open_table(self.file.written or self.file.source)
        snapshot = Snapshot.take(table, self.file.schema, self.file.unit)
        key = digest_key(self.file)
        seal = Seal(key, snapshot.digest(key, self.file.unit, self.file.rows))
        if self._server is not None:  # all was read in one transaction, and this is its state
            stamp = getattr(table, "state", None)
        elif self._stamped() != stamp:
            raise SourceError(self.file.source, "changed while it was read; try again when it is complete")
        self._stamp, self._state = stamp, _State(snapshot, seal, seal.new_digest())
        return self._state

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


def _watch(source: str) -> "StateWatch | None":
    """The watch over a source; None for one that is not on a server."""
    if not source.startswith(POSTGRESQL):
        return None
    from noiseless.tables.postgres_table import StateWatch

    return StateWatch(source)


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
