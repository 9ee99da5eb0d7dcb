"""What a stream has told and of whom, in one SQLite file: written before anything leaves.

A transaction holds, together: how many readings each person of a batch has had, how far the input was read,
and the very bytes that are about to be written. After a crash these bytes are written again, never computed
or charged again.
"""

import json
import os
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

from noiseless.collection.local.schedule import Schedule
from noiseless.errors import NoiselessError, OutputError, RequestError
from noiseless.files import reserve_private
from noiseless.ranges.spans import Lattice
from noiseless.tables.feeds import Mark

_VERSION = 1
_SCHEMA = """
CREATE TABLE run (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    version INTEGER NOT NULL,
    schedule TEXT NOT NULL,
    settings TEXT NOT NULL,
    finished INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    "check" INTEGER NOT NULL,
    lines INTEGER NOT NULL,
    sent INTEGER NOT NULL,
    outbox BLOB NOT NULL,
    counts TEXT NOT NULL
);
CREATE TABLE persons (person TEXT PRIMARY KEY, readings INTEGER NOT NULL) WITHOUT ROWID;
"""
_SAVE = "INSERT OR REPLACE INTO run VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_COUNT = "INSERT OR REPLACE INTO persons VALUES (?, ?)"
_WANTED = "SELECT person, readings FROM persons WHERE person IN ({})"

_PERSONS = 10_000
"""This many persons make one statement; SQLite takes 32,766 values in one."""


@dataclass(frozen=True)
class Progress:
    """How far a run has come.

    Attributes:
        mark: how far the input has been told.
        sent: how many bytes were written before the last ones.
        outbox: the last ones: they may have been written, in part or not at all.
        counts: rows and values that were met by then.
        finished: whether there is nothing left to do.
    """

    mark: Mark
    sent: int = 0
    outbox: bytes = b""
    counts: Mapping[str, int] = field(default_factory=dict)
    finished: bool = False

    @property
    def written(self) -> int:
        """How many bytes are written when the last ones are."""
        return self.sent + len(self.outbox)

    def next(self, mark: Mark, outbox: bytes, counts: Mapping[str, int]) -> "Progress":
        """One batch further: what was in the outbox has been written."""
        return Progress(mark, self.written, outbox, counts)


class StreamState:
    """The file, in the hands of one process at a time.

    Attributes:
        path: where it is.
        progress: how far its last run has come; None when there was none.
    """

    def __init__(self, path: str | os.PathLike[str], schedule: Schedule) -> None:
        """Open or make the file.

        Args:
            path: where it is.
            schedule: what each reading of a person tells.

        Raises:
            OutputError: it cannot be opened, is in use, or is something else.
            RequestError: it holds another schedule: counts of readings mean other bits there.
        """
        self.path = Path(path)
        self._schedule = schedule_text(schedule)
        self._settings = ""
        self.progress: Progress | None = None
        try:
            target = Path(os.path.realpath(self.path))  # a link may lead to a file that is not there yet
            reserve_private(target)
            self._connection = sqlite3.connect(
                target, timeout=0, isolation_level=None, check_same_thread=False
            )
        except (OSError, sqlite3.Error):
            raise OutputError(str(self.path), "cannot be opened; check its folder and permissions") from None
        try:
            self._open()
        except NoiselessError:
            self._connection.close()
            raise
        except sqlite3.DatabaseError as error:
            self._connection.close()
            busy = "locked" in str(error)
            problem = "is in use by another run" if busy else "is no state of a stream; name another file"
            raise OutputError(str(self.path), problem) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def begin(
        self, settings: Mapping[str, Any], *, resume: bool = False, abandon: bool = False
    ) -> Progress | None:
        """The run to go on with; None when a new one is to begin.

        Args:
            settings: all that a run's output depends on.
            resume: go on with a run that has not finished.
            abandon: leave such a run as it is.

        Raises:
            RequestError: a run has not finished and neither is wanted, or it had other settings.
        """
        wanted = json.dumps(settings, sort_keys=True)
        before, self._settings = self._settings, wanted
        found = self.progress
        if found is None or abandon:
            return None
        if not resume:
            if found.finished:
                return None
            raise RequestError(
                f"{self.path}: the last run has not finished; go on with --resume and the same input again "
                "from its beginning, or begin another with --abandon (what was released stays charged)"
            )
        if before != wanted:
            raise RequestError(
                f"{self.path}: the last run had other options; resume it with the same ones, and the same OUT"
            )
        return found

    def save(self, progress: Progress, readings: Mapping[str, int] = MappingProxyType({})) -> None:
        """Make a step durable: how far a run has come, and the readings of the persons in it."""
        mark = progress.mark
        counts = json.dumps(dict(progress.counts))
        run = (_VERSION, self._schedule, self._settings, progress.finished, mark.offset, mark.check)
        rest = (mark.lines, progress.sent, progress.outbox, counts)
        try:
            self._connection.execute("BEGIN")
            self._connection.executemany(_COUNT, readings.items())
            self._connection.execute(_SAVE, (*run, *rest))
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            raise OutputError(str(self.path), f"cannot be written ({type(error).__name__})") from None
        self.progress = progress

    def readings(self, persons: Sequence[str]) -> dict[str, int]:
        """How many readings some persons have had; those with none are left out."""
        found: dict[str, int] = {}
        for start in range(0, len(persons), _PERSONS):
            part = persons[start : start + _PERSONS]
            wanted = _WANTED.format(", ".join("?" * len(part)))
            found.update(self._connection.execute(wanted, part).fetchall())
        return found

    def persons(self) -> tuple[int, int]:
        """How many persons there are, and the most readings that one of them has had."""
        count, most = self._connection.execute("SELECT count(*), max(readings) FROM persons").fetchone()
        return count, most or 0

    def _open(self) -> None:
        connection = self._connection
        connection.execute("PRAGMA page_size = 65536")  # the outbox is large: half the work of small pages
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA cache_size = -65536")
        connection.execute("BEGIN EXCLUSIVE")
        known = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if not known:
            for statement in _SCHEMA.split(";"):
                connection.execute(statement)
        connection.execute("COMMIT")
        row = connection.execute("SELECT * FROM run").fetchone()
        if row is None:
            return
        _, version, schedule, self._settings, finished, offset, check, lines, sent, outbox, counts = row
        if version != _VERSION:
            raise OutputError(str(self.path), "was written by another version; begin a new state")
        if schedule != self._schedule:
            raise RequestError(
                f"{self.path}: its persons were counted with other cells or another budget; give the same "
                "ones, or begin a new state (which forgets what was released)"
            )
        mark = Mark(offset, check, lines)
        self.progress = Progress(mark, sent, outbox, json.loads(counts), bool(finished))


def schedule_text(schedule: Schedule) -> str:
    """All that decides what a person's readings tell, as text.

    >>> from noiseless.collection.local.scalar import LocalQuantizer
    >>> from noiseless.questions import Continuum
    >>> schedule_text(Schedule.stopping(LocalQuantizer.finest(Continuum.of(0, 10), 4), 9))
    '[[4, [["value", "0", "10", null, 4, false]]]]'
    """
    stages = []
    for stage in schedule.stages:
        parts = [
            [
                part.name,
                str(part.span.low),
                str(part.span.high),
                str(part.span.step) if isinstance(part.span, Lattice) else None,
                part.cells,
                part.missing,
            ]
            for part in stage.mechanism.parts
        ]
        stages.append([stage.readings, parts])
    return json.dumps(stages)
