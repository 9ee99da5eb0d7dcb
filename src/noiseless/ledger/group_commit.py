"""Group commit: tasks that wait at the same time share a durable transaction, unless one spoils it.

A transaction takes as long as the disk needs to make it durable, however much is in it. Each caller goes on
only after the transaction that holds its work is durable, just as if it had been alone in it.
"""

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from noiseless.errors import NoiselessError
from noiseless.ledger.analysts import AskedBatch, note_charged
from noiseless.ledger.books import OpenBooks
from noiseless.ledger.errors import LedgerUnavailableError
from noiseless.pricing.history import BudgetError

if TYPE_CHECKING:
    from noiseless.ledger.database import LedgerDatabase
    from noiseless.ledger.transaction import DatabaseTransaction

_TOGETHER = 1000
"""The most tasks that share a transaction."""

Found = TypeVar("Found")
Answers = tuple[int | None, Mapping[str, Mapping[str, Any]]]
"""Answers that are to be stored, and their version; the present one unless said."""
Answered = tuple[Found, Mapping[str, Mapping[str, Any]]]
"""What came of some work, and the answers that stand."""
Note = Callable[[int, int], AskedBatch]
"""Given the number of the entry that charges and of the dataset's version, the batch that is charged for."""


class WouldChargeError(NoiselessError):
    """Something was to be asked for free only, and is not free."""


class Settlement(NamedTuple, Generic[Found]):
    """What is to be done with a dataset's books.

    Attributes:
        work: what to do while they are locked; perhaps more than once.
        compute: given what came of it, and when that is durable, the answers to be stored.
        is_quick: whether computing takes less time than waking a thread: another one may do it.
    """

    work: Callable[[OpenBooks], Found]
    compute: Callable[[Found], Answers] | None = None
    is_quick: bool = False


class Task:
    """An errand on its way: its work is written, its answers are computed, and they are written too.

    Attributes:
        answers: what is to be stored; where there are any at the beginning, that is all there is to do.
        is_to_write: whether its next step needs a transaction.
        done: whether there is nothing more to do.
    """

    def __init__(
        self, errand: Settlement[Any], note: Note | None = None, answers: Answers = (None, {})
    ) -> None:
        self.work, self._compute, self.is_quick = errand
        self.note, self.answers = note, answers
        self.is_to_write, self.done = True, False
        self.found: Any = None
        self.error: Exception | None = None
        self._settled: tuple[Any] | None = None

    def finish(self, found: Any, error: Exception | None = None) -> None:  # noqa: ANN401 - whatever work finds
        """There is nothing more to do."""
        self.found, self.error, self.is_to_write, self.done = found, error, False, True

    def take(self, found: Any) -> None:  # noqa: ANN401 - whatever work finds
        """Take what is durable now; answers that follow from it are computed next."""
        if self._settled is not None:
            self.finish((*self._settled, found))
        elif self._compute is None:
            self.finish(found)
        else:
            self._settled, self.is_to_write = (found,), False

    def compute(self) -> None:
        """Compute the answers, if they are what comes next; without any, all is done."""
        if self.is_to_write or self.done or self._settled is None or self._compute is None:
            return
        try:
            self.answers = self._compute(*self._settled)
        except Exception as error:  # noqa: BLE001 - it is raised again in the asking thread
            self.finish(None, error)
            return
        if self.answers[1]:
            self.is_to_write = True
        else:
            self.finish((*self._settled, {}))

    def outcome(self) -> Any:  # noqa: ANN401 - whatever work finds
        """What came of it."""
        if self.error is not None:
            raise self.error
        return self.found


class _Queue:
    """The tasks of all callers about one dataset, and those of them that somebody is writing now."""

    def __init__(self) -> None:
        self.tasks: list[Task] = []
        self.group: list[Task] = []
        self.changed = threading.Condition()


class GroupCommit:
    """The queues of all datasets of a ledger, in one process."""

    def __init__(self, database: "LedgerDatabase") -> None:
        self._database = database
        self._queues: dict[str, _Queue] = {}
        self._process = os.getpid()

    def settle(self, dataset: str, tasks: Sequence[Task]) -> None:
        """Have tasks done: wait while somebody writes, who may take them along; then write for all who wait.

        Only who put a group into the queue touches its tasks until it is taken out again. Quick answers are
        computed by who writes, and so are written together; others by who asked, while nobody waits.
        """
        queue, group = self._queue(dataset), list[Task]()
        try:
            with queue.changed:
                queue.tasks += tasks
            while not all(task.done for task in tasks):
                with queue.changed:
                    while queue.group and any(task.is_to_write or task in queue.group for task in tasks):
                        queue.changed.wait()
                    if any(task.is_to_write for task in tasks):
                        group = queue.group = [task for task in queue.tasks if task.is_to_write][:_TOGETHER]
                if not group:
                    for task in tasks:
                        task.compute()
                    continue
                self._write(dataset, group)
                with queue.changed:
                    group = queue.group = []
                    queue.changed.notify_all()
        except BaseException:  # this thread is interrupted; nobody knows what is written
            said = f"{self._database.where}: was interrupted; ask again: what was charged is free"
            for task in group:
                if not task.done:
                    task.finish(None, LedgerUnavailableError(said, certain=False))
            raise
        finally:
            with queue.changed:
                queue.tasks = [task for task in queue.tasks if task not in tasks]
                if queue.group is group:
                    queue.group = []
                queue.changed.notify_all()

    def _write(self, dataset: str, tasks: Sequence[Task]) -> None:
        """Write a step of each task in one transaction; if one of them spoils it, each in its own.

        Quick answers are computed then.
        """
        outcomes: list[Any]
        try:
            outcomes = self._database.write(partial(_together, dataset=dataset, tasks=tasks))
        except LedgerUnavailableError as error:
            outcomes = [error] * len(tasks)
        except Exception as error:  # noqa: BLE001 - it is raised again where it was caused
            if len(tasks) > 1:
                for task in tasks:
                    self._write(dataset, [task])
                return
            outcomes = [error]
        for task, outcome in zip(tasks, outcomes, strict=True):
            if isinstance(outcome, Exception):
                task.finish(None, outcome)
            else:
                task.take(outcome)
            if task.is_quick:
                task.compute()

    def _queue(self, dataset: str) -> _Queue:
        if os.getpid() != self._process:  # a child knows nothing of its parent's threads
            self._queues, self._process = {}, os.getpid()
        return self._queues.get(dataset) or self._queues.setdefault(dataset, _Queue())


def _together(session: "DatabaseTransaction", dataset: str, tasks: Sequence[Task]) -> list[Any]:
    """What came of the next step of each task; a refusal concerns that one alone, and is what came of it."""
    books = OpenBooks.of(session, dataset)
    outcomes: list[Any] = _stored(books, [task.answers for task in tasks])
    noted: list[AskedBatch] = []
    for place, task in enumerate(tasks):
        if task.answers[1]:
            continue
        written, before = session.written, books.dataset
        try:
            outcomes[place] = task.work(books)
        except BudgetError as error:  # it is raised before anything is written
            if session.written != written:
                raise
            outcomes[place] = error
            continue
        if task.note is not None and books.dataset is not before and session.written is not None:
            noted.append(task.note(session.written.seq, books.dataset.version))
    if noted:
        note_charged(session, noted)
    return outcomes


def _stored(books: OpenBooks, several: list[Answers]) -> list[dict[str, Any]]:
    """Store the answers of all tasks, one entry a version; the answers that stand, for each task."""
    merged: dict[int | None, dict[str, Mapping[str, Any]]] = {}
    for version, answers in several:
        if answers:
            merged[version] = {**answers, **merged.get(version, {})}
    stood = {version: books.store(answers, version) for version, answers in merged.items()}
    return [{question: stood[version][question] for question in answers} for version, answers in several]


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
