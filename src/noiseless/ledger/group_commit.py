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
from noiseless.ledger.errors import LedgerUnavailableError
from noiseless.ledger.ledger import Ledger
from noiseless.ledger.settlement import Answered, Note, Settlement, Task, write_together
from noiseless.ledger.state import Lookups

if TYPE_CHECKING:
    from noiseless.ledger.database import LedgerDatabase

try:
    import fcntl
except ImportError:  # pragma: no cover - not on Windows
    fcntl = None  # type: ignore[assignment]

Found = TypeVar("Found")

_ONLY_ANSWERS: Settlement[None] = Settlement(lambda _: None)
_MOST_TOGETHER = 64
_LOCKS = 2
_PAUSE, _MOST_PATIENCE = 0.0002, 1.0


class WouldChargeError(NoiselessError):
    """Something was to be asked for free only, and is not free."""


class _Caller:
    """Somebody who sleeps until their tasks are done, or until it is their turn to write for all.

    Attributes:
        has_left: whether they were interrupted; nothing more is done for them.
    """

    def __init__(self, tasks: Sequence[Task]) -> None:
        self._tasks = tasks
        self.has_left = False
        self._turn = threading.Lock()
        self._turn.acquire()

    @property
    def waiting(self) -> list[Task]:
        """The tasks that are not done."""
        return [] if self.has_left else [task for task in self._tasks if not task.done]

    @property
    def to_write(self) -> list[Task]:
        """Those of which something can be written now."""
        return [task for task in self.waiting if not task.is_next_computed]

    def sleep(self) -> None:
        self._turn.acquire()

    def wake(self) -> None:
        self._turn.release()


class _Queue:
    """Those who want to write to the books of one dataset; the first of them writes for all."""

    def __init__(
        self, database: "LedgerDatabase", dataset: str, turn: Callable[[], AbstractContextManager[None]]
    ) -> None:
        self._database, self._dataset, self._turn = database, dataset, turn
        self._lock = threading.Lock()
        self._callers: list[_Caller] = []
        self._leader: _Caller | None = None

    def settle(self, *tasks: Task) -> None:
        """Have all of somebody's tasks done."""
        mine = _Caller(tasks)
        try:
            while mine.waiting:
                self._take_part(mine)
                for task in mine.waiting:
                    task.go_on()  # nobody waits for slow answers but who asked
        except BaseException:
            self._leave(mine)
            raise

    def _take_part(self, mine: _Caller) -> None:
        """Wait until all is written that can be; as the first one, write."""
        with self._lock:
            self._callers.append(mine)
            self._leader = self._leader or mine
            leads = self._leader is mine
        if not leads:
            mine.sleep()
        while self._leader is mine:
            self._lead(mine)

    def _lead(self, mine: _Caller) -> None:
        """Write a step of all who wait, in one transaction; quick answers are computed for them too."""
        group: list[_Caller] = []
        try:
            with self._lock:
                group, self._callers = self._callers[:_MOST_TOGETHER], self._callers[_MOST_TOGETHER:]
            tasks = [task for caller in group for task in caller.to_write]
            write_together(self._database, self._dataset, tasks, self._turn)
            for task in tasks:
                if task.is_quick:
                    task.go_on()
        except BaseException:  # this thread is interrupted; nobody knows what is written
            for task in [task for caller in group for task in caller.waiting]:
                said = f"{self._database.where}: was interrupted; ask again: what was charged is free"
                task.finish(None, LedgerUnavailableError(said, certain=False))
            raise
        finally:
            self._release(group, mine)

    def _release(self, group: list[_Caller], mine: _Caller) -> None:
        """Wake those for whom nothing is to be written now, and who leads next."""
        with self._lock:
            again = [caller for caller in group if caller.to_write]
            self._callers[:0] = again
            after = mine if mine in again else next((who for who in self._callers if who.to_write), None)
            self._leader = after
        for caller in group:
            if caller is not mine and caller not in again:
                caller.wake()
        if after is not None and after is not mine:
            after.wake()

    def _leave(self, mine: _Caller) -> None:
        """Nobody waits for who was interrupted."""
        after = None
        with self._lock:
            mine.has_left = True
            self._callers = [caller for caller in self._callers if caller.to_write]
            if self._leader is mine:
                after = self._leader = next(iter(self._callers), None)
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
                with suppress(OSError):  # closed meanwhile
                    for file in (upcoming, turn):
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

    def __init__(self, database: "LedgerDatabase") -> None:
        super().__init__(database)
        self._here = threading.local()
        self._begin()

    def _begin(self) -> None:
        self._process = os.getpid()
        self._turns = _Turns(self._database.path)
        self._queues: dict[str, _Queue] = {}

    def close(self) -> None:
        """Close all connections."""
        super().close()
        self._turns.close()

    def settle(
        self, dataset: str, work: Callable[[OpenBooks], Found], lookups: Lookups | None = None
    ) -> Found:
        """As `Ledger.settle`; the transaction may hold other callers' work too."""
        found: Found = self._done(dataset, self._task(Settlement(work, None, lookups)))
        return found

    def answer(self, dataset: str, errand: Settlement[Found]) -> Answered[Found]:
        """As `Ledger.answer`; what is quick is computed by the thread that writes for all."""
        found: Answered[Found] = self._done(dataset, self._task(errand))
        return found

    def store(
        self, dataset: str, answers: Mapping[str, Mapping[str, Any]], *, version: int | None = None
    ) -> dict[str, Mapping[str, Any]]:
        """As `Ledger.store`; answers of several callers may stand in one entry."""
        if not answers:
            return {}
        errand = _ONLY_ANSWERS._replace(lookups=Lookups(questions=frozenset(answers)))
        found: dict[str, Mapping[str, Any]] = self._done(dataset, Task(errand, None, (version, answers)))
        return found

    def _task(self, errand: Settlement[Any]) -> Task:
        if getattr(self._here, "free", False):
            errand = errand._replace(work=partial(_free, errand.work))
        return Task(errand, getattr(self._here, "note", None))

    def _do(self, dataset: str, tasks: Sequence[Task]) -> None:
        if os.getpid() != self._process:  # a child knows nothing of its parent's threads
            self._begin()
        queue = self._queues.get(dataset)
        if queue is None:
            queue = self._queues.setdefault(dataset, _Queue(self._database, dataset, self._turns.taken))
        queue.settle(*tasks)

    def _done(self, dataset: str, task: Task) -> Any:  # noqa: ANN401 - whatever the work finds
        self._do(dataset, [task])
        return task.outcome()

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
