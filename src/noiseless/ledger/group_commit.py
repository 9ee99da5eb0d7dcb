"""Group commit: tasks that wait at the same time share a durable transaction, unless one spoils it.

A transaction takes as long as the disk needs to make it durable, however much is in it. Each caller goes on
only after the transaction that holds its work is durable, just as if it had been alone in it.
"""

import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import reduce
from operator import or_
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from noiseless.errors import NoiselessError
from noiseless.ledger.books import OpenBooks
from noiseless.ledger.errors import LedgerError, LedgerUnavailableError
from noiseless.ledger.state import Lookups
from noiseless.pricing.history import BudgetError

if TYPE_CHECKING:
    from noiseless.ledger.asked_batches import AskedBatch
    from noiseless.ledger.database import LedgerDatabase
    from noiseless.ledger.transaction import DatabaseTransaction

try:
    import fcntl
except ImportError:  # pragma: no cover - not on Windows
    fcntl = None  # type: ignore[assignment]

_MOST_TOGETHER = 64
_LOCKS = 2
_PAUSE, _MOST_PATIENCE = 0.0002, 1.0

Found = TypeVar("Found")
Answers = tuple[int | None, Mapping[str, Mapping[str, Any]]]
"""Answers that are to be stored, and their version; the present one unless said."""
Answered = tuple[Found, Mapping[str, Mapping[str, Any]]]
"""What came of some work, and the answers that stand."""
Note = Callable[[int, int], "AskedBatch"]
"""Given the number of the entry that charges and of the dataset's version, the batch that is charged for."""


class WouldChargeError(NoiselessError):
    """Something was to be asked for free only, and is not free."""


class Settlement(NamedTuple, Generic[Found]):
    """What is to be done with a dataset's books.

    Attributes:
        work: what to do while they are locked; perhaps more than once.
        compute: given what came of it, and when that is durable, the answers to be stored.
        lookups: what the work is going to look up, if that is known.
        is_quick: whether computing takes less time than waking a thread: another one may do it.
    """

    work: Callable[[OpenBooks], Found]
    compute: Callable[[Found], Answers] | None = None
    lookups: Lookups | None = None
    is_quick: bool = False


class Task:
    """An errand on its way: first its work, then its answers, each in a transaction."""

    def __init__(
        self, errand: Settlement[Any], note: Note | None = None, answers: Answers = (None, {})
    ) -> None:
        self.work, self._compute, self.lookups, self.is_quick = errand
        self.note, self.answers = note, answers
        self.found: Any = None
        self.error: Exception | None = None
        self.done = False
        self._settled: tuple[Any] | None = None

    @classmethod
    def storing(cls, answers: Mapping[str, Mapping[str, Any]], version: int | None) -> "Task":
        """The task to store answers, and nothing else."""
        errand: Settlement[None] = Settlement(lambda _: None, None, Lookups(questions=frozenset(answers)))
        return cls(errand, None, (version, answers))

    def finish(self, found: Any, error: Exception | None) -> None:  # noqa: ANN401 - whatever work finds
        """There is nothing more to do."""
        self.found, self.error, self.done = found, error, True

    @property
    def is_next_computed(self) -> bool:
        """Whether its work is durable, and its answers are to be computed before anything is written."""
        return self._settled is not None and not self.done and not self.answers[1]

    def take(self, found: Any, error: Exception | None) -> None:  # noqa: ANN401 - whatever work finds
        """Take what is durable now; answers that follow from it are computed next, and stored."""
        if self._settled is not None:
            self.finish((*self._settled, found), error)
        elif self._compute is None or error is not None:
            self.finish(found, error)
        else:
            self._settled = (found,)

    def go_on(self) -> None:
        """Compute the answers, if they are what comes next; without any, all is done."""
        if not self.is_next_computed or self._settled is None or self._compute is None:
            return
        try:
            self.answers = self._compute(*self._settled)
        except Exception as error:  # noqa: BLE001 - it is raised again by whoever asked
            self.finish(None, error)
            return
        self.lookups = Lookups(questions=frozenset(self.answers[1]))
        if not self.answers[1]:
            self.finish((*self._settled, {}), None)

    def outcome(self) -> Any:  # noqa: ANN401 - whatever work finds
        """What came of it."""
        if self.error is not None:
            raise self.error
        return self.found


class _UndoneError(Exception):
    """One task failed half done: none may stand; its argument is why."""


def _write_together(
    database: "LedgerDatabase",
    dataset: str,
    tasks: Sequence[Task],
    turn: Callable[[], AbstractContextManager[None]],
) -> None:
    """Do the next step of each task, all in one transaction; `turn` is held meanwhile."""
    try:
        with turn():
            outcomes = database.write(lambda session: _together(session, dataset, tasks))
    except LedgerError as error:
        outcomes = [(None, error)] * len(tasks)
    except Exception as error:  # noqa: BLE001 - it is raised again by whoever caused it
        if len(tasks) > 1:
            for task in tasks:
                _write_together(database, dataset, [task], turn)
            return
        outcomes = [(None, error.args[0] if isinstance(error, _UndoneError) else error)]
    for task, (found, error_of_it) in zip(tasks, outcomes, strict=True):
        task.take(found, error_of_it)


def _together(
    session: "DatabaseTransaction", dataset: str, tasks: Sequence[Task]
) -> list[tuple[Any, Exception | None]]:
    several = [task.lookups for task in tasks if task.lookups is not None]
    books = OpenBooks.locked(session, dataset, reduce(or_, several) if several else None)
    try:
        stored, noted = _stored(books, [task.answers for task in tasks]), list["AskedBatch"]()
        outcomes = [
            (stored[place], None) if task.answers[1] else _worked(session, books, task, noted)
            for place, task in enumerate(tasks)
        ]
        if noted:
            from noiseless.ledger.asked_batches import note_charged  # which needs SQLAlchemy

            note_charged(session, noted)
    except NoiselessError as error:
        raise _UndoneError(error) from error
    return outcomes


def _stored(books: OpenBooks, several: list[Answers]) -> list[dict[str, Any]]:
    """Store the answers of all tasks, one entry a version; the answers that stand, for each task."""
    merged: dict[int | None, dict[str, Mapping[str, Any]]] = {}
    for version, answers in several:
        if answers:
            merged[version] = {**answers, **merged.get(version, {})}
    stood = {version: books.store(answers, version) for version, answers in merged.items()}
    return [{question: stood[version][question] for question in answers} for version, answers in several]


def _worked(
    session: "DatabaseTransaction", books: OpenBooks, task: Task, noted: "list[AskedBatch]"
) -> tuple[Any, Exception | None]:
    """What came of one task; a refusal concerns that one alone."""
    written, before = session.written, books.dataset
    try:
        found = task.work(books)
    except BudgetError as error:  # it is raised before anything is written
        if session.written != written:
            raise
        return None, error
    if task.note is not None and books.dataset is not before and session.written is not None:
        noted.append(task.note(session.written.seq, books.dataset.version))
    return found, None


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
            _write_together(self._database, self._dataset, tasks, self._turn)
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

    def __init__(self, path: Path | None, patience: float) -> None:
        self._patience = min(patience, _MOST_PATIENCE)
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
            end = time.monotonic() + self._patience
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


class GroupCommit:
    """The queues of all datasets of a ledger, in one process."""

    def __init__(self, database: "LedgerDatabase") -> None:
        self._database = database
        self._turns: _Turns | None = None
        self._queues: dict[str, _Queue] = {}
        self._process = os.getpid()

    def settle(self, dataset: str, tasks: Sequence[Task]) -> None:
        """Have some tasks done, in transactions that they share with whatever others have to do."""
        if os.getpid() != self._process:  # a child knows nothing of its parent's threads
            self._turns, self._queues, self._process = None, {}, os.getpid()
        if self._turns is None:
            self._turns = _Turns(self._database.path, self._database.patience)
        queue = self._queues.get(dataset)
        if queue is None:
            queue = self._queues.setdefault(dataset, _Queue(self._database, dataset, self._turns.taken))
        queue.settle(*tasks)

    def outcome(self, dataset: str, task: Task) -> Any:  # noqa: ANN401 - whatever the work finds
        """What comes of a task."""
        self.settle(dataset, [task])
        return task.outcome()

    def close(self) -> None:
        """Give up this process's turns."""
        if self._turns is not None:
            self._turns.close()
            self._turns = None


def only_free(work: Callable[[OpenBooks], Found], books: OpenBooks) -> Found:
    """Do some work on books that must not change.

    Raises:
        WouldChargeError: it changed them.
    """
    before = books.dataset
    found = work(books)
    if books.dataset is not before:
        raise WouldChargeError("it is not free any more")
    return found
