"""A ledger for many threads: work that waits at the same time shares one durable transaction.

A transaction takes as long as the disk needs to make it durable, however much is in it. Each caller goes on
only after the transaction that holds its work is durable, just as if it had been alone in it.
"""

import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from noiseless.errors import NoiselessError
from noiseless.ledger.books import OpenBooks
from noiseless.ledger.errors import LedgerError
from noiseless.ledger.ledger import Ledger
from noiseless.ledger.lookups import Lookups
from noiseless.ledger.together import Errand, Note, Task, write_together

if TYPE_CHECKING:
    from noiseless.ledger.database import Database

try:
    import fcntl
except ImportError:  # pragma: no cover - not on Windows
    fcntl = None  # type: ignore[assignment]

Found = TypeVar("Found")

_MOST_TOGETHER = 64
_LOCKS = 2
_PAUSE, _MOST_PATIENCE = 0.0002, 1.0


class WouldChargeError(NoiselessError):
    """Something was to be asked for free only, and is not free."""


class _Caller:
    """Somebody who sleeps until their tasks are done, or until it is their turn to write for all."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        self._tasks = tasks
        self._turn = threading.Lock()
        self._turn.acquire()

    @property
    def waiting(self) -> list[Task]:
        """The tasks that are not done."""
        return [task for task in self._tasks if not task.done]

    def sleep(self) -> None:
        self._turn.acquire()

    def wake(self) -> None:
        self._turn.release()


class _Queue:
    """Those who want to write to the books of one dataset; the first of them writes for all."""

    def __init__(
        self, database: "Database", dataset: str, turn: Callable[[], AbstractContextManager[None]]
    ) -> None:
        self._database, self._dataset, self._turn = database, dataset, turn
        self._lock = threading.Lock()
        self._callers: list[_Caller] = []
        self._is_busy = False

    def settle(self, *tasks: Task) -> None:
        """Have all of somebody's tasks done."""
        mine = _Caller(tasks)
        with self._lock:
            self._callers.append(mine)
            leads, self._is_busy = not self._is_busy, True
        if not leads:
            mine.sleep()
        while mine.waiting:
            self._lead(mine)

    def _lead(self, mine: _Caller) -> None:
        with self._lock:
            group, self._callers = self._callers[:_MOST_TOGETHER], self._callers[_MOST_TOGETHER:]
        again: list[_Caller] = []
        try:
            tasks = [task for caller in group for task in caller.waiting]
            write_together(self._database, self._dataset, tasks, self._turn)
            for task in tasks:
                task.go_on()  # nobody is woken for so short a while
            again = [caller for caller in group if caller.waiting]
        finally:
            with self._lock:
                self._callers[:0] = again
                goes_on = mine in again
                after = self._callers[0] if self._callers and not goes_on else None
                self._is_busy = goes_on or after is not None
            for caller in group:
                if caller in again:
                    continue
                for task in caller.waiting:  # this thread is being ended
                    task.finish(None, LedgerError("the ledger was closed meanwhile; ask again"))
                if caller is not mine:
                    caller.wake()
            if after is not None:
                after.wake()


class _Turns:
    """Processes that share a SQLite file take turns: SQLite itself lets them try again ever more seldom.

    Whoever is next holds one lock while they wait for the other one, so that nobody comes in between. This
    is a courtesy that nothing depends on: who waits for too long goes ahead, and SQLite decides.
    """

    def __init__(self, path: Path | None) -> None:
        self._files: list[int] = []
        self._here = threading.Lock()
        if path is not None and fcntl is not None:
            with suppress(OSError):
                for ending in ("next", "turn"):
                    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
                    self._files.append(os.open(path.with_name(f"{path.name}-{ending}"), flags, 0o600))

    @contextmanager
    def taken(self) -> Iterator[None]:
        if len(self._files) < _LOCKS:
            yield
            return
        with self._here:
            upcoming, turn = self._files
            end = time.monotonic() + _MOST_PATIENCE
            try:
                self._take(upcoming, end)
                self._take(turn, end)
                fcntl.flock(upcoming, fcntl.LOCK_UN)
                yield
            finally:
                for file in self._files:
                    fcntl.flock(file, fcntl.LOCK_UN)

    @staticmethod
    def _take(file: int, end: float) -> None:
        while time.monotonic() < end:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                time.sleep(_PAUSE)
            else:
                return

    def close(self) -> None:
        files, self._files = self._files, []
        for file in files:
            os.close(file)


class SharedLedger(Ledger):
    """A ledger whose callers in several threads share transactions."""

    def __init__(self, database: "Database") -> None:
        super().__init__(database)
        self._turns = _Turns(Path(database.where) if database.is_sqlite else None)
        self._queues: dict[str, _Queue] = {}
        self._here = threading.local()

    def close(self) -> None:
        """Close all connections."""
        super().close()
        self._turns.close()

    def settle(
        self, dataset: str, work: Callable[[OpenBooks], Found], lookups: Lookups | None = None
    ) -> Found:
        """As `Ledger.settle`; the transaction may hold other callers' work too."""
        found: Found = self._done(dataset, self._task(Errand(work, None, lookups)))
        return found

    def answer(
        self, dataset: str, errand: Errand[Found], *, is_quick: bool = False
    ) -> tuple[Found, Mapping[str, Mapping[str, Any]]]:
        """As `Ledger.answer`; what is quick is computed by the thread that writes for all."""
        if not is_quick:
            return super().answer(dataset, errand)
        found: tuple[Found, Mapping[str, Mapping[str, Any]]] = self._done(dataset, self._task(errand))
        return found

    def _task(self, errand: Errand[Any]) -> Task:
        if getattr(self._here, "free", False):
            errand = errand._replace(work=partial(_free, errand.work))
        return Task(errand, getattr(self._here, "note", None))

    def _do(self, dataset: str, tasks: Sequence[Task]) -> None:
        self._queue(dataset).settle(*tasks)

    def _done(self, dataset: str, task: Task) -> Any:  # noqa: ANN401 - whatever the work finds
        self._do(dataset, [task])
        return task.outcome()

    def _queue(self, dataset: str) -> _Queue:
        queue = self._queues.get(dataset)
        if queue is None:
            queue = self._queues.setdefault(dataset, _Queue(self._database, dataset, self._turns.taken))
        return queue

    def store(
        self, dataset: str, answers: Mapping[str, Mapping[str, Any]], *, version: int | None = None
    ) -> dict[str, Mapping[str, Any]]:
        """As `Ledger.store`; answers of several callers may stand in one entry."""
        if not answers:
            return {}

        def store(books: OpenBooks) -> dict[str, Mapping[str, Any]]:
            return books.store(answers, version)

        errand = Errand(store, None, Lookups(questions=frozenset(answers)))
        found: dict[str, Mapping[str, Any]] = self._done(dataset, Task(errand, None, (version, answers)))
        return found

    @contextmanager
    def noting(self, note: Note) -> Iterator[None]:
        """What this thread charges for meanwhile is noted in the same transaction.

        Args:
            note: says what is charged for. If it raises, nothing is charged.
        """
        self._here.note = note
        try:
            yield
        finally:
            self._here.note = None

    @contextmanager
    def for_free(self) -> Iterator[None]:
        """What this thread asks for meanwhile is refused unless it is free.

        Raises:
            WouldChargeError: it is not; nothing was charged.
        """
        self._here.free = True
        try:
            yield
        finally:
            self._here.free = False


def _free(work: Callable[[OpenBooks], Found], books: OpenBooks) -> Found:
    before = books.dataset
    found = work(books)
    if books.dataset is not before:
        raise WouldChargeError("it is not free any more")
    return found
