"""Several tasks in one durable transaction; each in its own where one of them spoils it.

A transaction takes as long as the disk needs to make it durable, however much is in it.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from noiseless.errors import NoiselessError
from noiseless.ledger.books import OpenBooks
from noiseless.ledger.errors import LedgerError
from noiseless.ledger.state import Lookups
from noiseless.pricing.history import BudgetError

if TYPE_CHECKING:
    from noiseless.ledger.asked_batches import AskedBatch
    from noiseless.ledger.database import LedgerDatabase
    from noiseless.ledger.transaction import DatabaseTransaction

Found = TypeVar("Found")
Answers = tuple[int | None, Mapping[str, Mapping[str, Any]]]
"""Answers that are to be stored, and their version; the present one unless said."""
Answered = tuple[Found, Mapping[str, Mapping[str, Any]]]
"""What came of some work, and the answers that stand."""
Note = Callable[[int, int], "AskedBatch"]
"""Given the number of the entry that charges and of the dataset's version, the batch that is charged for."""


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
    """One task failed half done: none may stand.

    Attributes:
        cause: why it failed.
    """

    def __init__(self, cause: NoiselessError) -> None:
        super().__init__(str(cause))
        self.cause = cause


def do_together(database: "LedgerDatabase", dataset: str, tasks: Sequence[Task]) -> None:
    """Do all steps of all tasks, the same step of all in one transaction."""
    while waiting := [task for task in tasks if not task.done]:
        write_together(database, dataset, waiting)
        for task in waiting:
            task.go_on()


def write_together(
    database: "LedgerDatabase",
    dataset: str,
    tasks: Sequence[Task],
    turn: Callable[[], AbstractContextManager[None]] = nullcontext,
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
                write_together(database, dataset, [task], turn)
            return
        outcomes = [(None, error.cause if isinstance(error, _UndoneError) else error)]
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
