"""Writers of a SQLite file take turns; SQLite itself lets them try again ever more seldom."""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from noiseless.ledger.errors import LedgerUnavailableError

try:
    import fcntl
except ImportError:  # pragma: no cover - not on Windows
    fcntl = None  # type: ignore[assignment]

_PAUSE, _MOST_PATIENCE = 0.0002, 1.0


class Turns:
    """The turns of a file: threads take them by a lock, processes by two files beside it.

    Whoever is next holds one file while they wait for the other one, so that nobody comes in between. Files
    are a courtesy that nothing depends on: who waits for too long goes ahead, and SQLite decides.
    """

    def __init__(self, path: Path, where: str, patience: float) -> None:
        self._path, self._where, self._patience = path, where, patience
        self._here = threading.Lock()
        self._files: list[int] = []

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Be the only one of those who take turns.

        Raises:
            LedgerUnavailableError: another thread does not come to an end.
        """
        if not self._here.acquire(timeout=self._patience):
            raise LedgerUnavailableError(f"{self._where}: is locked by another thread; ask again")
        try:
            end = time.monotonic() + min(self._patience, _MOST_PATIENCE)
            for file in self._files or self._opened():
                self._take(file, end)
            self._give_up(self._files[:1])
            yield
        finally:
            self._give_up(self._files)
            self._here.release()

    def _opened(self) -> list[int]:
        """The files, or none where there cannot be any."""
        if fcntl is not None:
            with suppress(OSError):
                for ending in ("next", "turn"):
                    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
                    path = self._path.with_name(f"{self._path.name}-{ending}")
                    self._files.append(os.open(path, flags, 0o600))
        return self._files

    @staticmethod
    def _take(file: int, end: float) -> None:
        while time.monotonic() < end:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                time.sleep(_PAUSE)
            else:
                return

    @staticmethod
    def _give_up(files: list[int]) -> None:
        with suppress(OSError):  # closed meanwhile
            for file in files:
                fcntl.flock(file, fcntl.LOCK_UN)

    def close(self) -> None:
        """Close the files."""
        files, self._files = self._files, []
        for file in files:
            os.close(file)
