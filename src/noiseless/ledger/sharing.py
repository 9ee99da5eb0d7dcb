"""A ledger for many threads: work that waits at the same time shares one durable transaction.

A transaction takes as long as the disk needs to make it durable, however much is in it. Each caller goes on
only after the transaction that holds its work is durable, just as if it had been alone in it.
"""

import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import reduce
from operator import or_
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from noiseless.accounting.history import BudgetError
from noiseless.errors import NoiselessError
from noiseless.ledger.asked_batches import AskedBatch, note_charged
from noiseless.ledger.books import OpenBooks
from noiseless.ledger.errors import LedgerError
from noiseless.ledger.ledger import Answers, Ledger
from noiseless.ledger.lookups import Lookups

if TYPE_CHECKING:
    from noiseless.ledger.database import Database
    from noiseless.ledger.session import Session

try:
    import fcntl
except ImportError:  # pragma: no cover - not on Windows
    fcntl = None  # type: ignore[assignment]

Found = TypeVar("Found")
Work = Callable[[OpenBooks], Any]
Note = Callable[[int, int], AskedBatch]
"""Given the number of the entry that charges and of the dataset's version, the batch that is charged for."""

_MOST_TOGETHER = 64
_LOCKS = 2
_PAUSE, _MOST_PATIENCE = 0.0002, 1.0


class WouldChargeError(NoiselessError):
    """Something was to be asked for free only, and is not free."""


class _UndoneError(Exception):
    """Somebody's work failed half done: nobody's may stand."""


class _Waiting:
    """One caller's work, and what came of it."""

    def __init__(
        self,
        work: Work,
        note: Note | None,
        answers: Answers = (None, {}),
        lookups: Lookups | None = None,
        compute: Callable[[Any], Answers] | None = None,
    ) -> None:
        self.work, self.note, self.answers, self.lookups = work, note, answers, lookups
        self.found: Any = None
        self._compute = compute
        self._settled: tuple[Any] | None = None
        self.error: BaseException | None = None
        self.done = False
        self._turn = threading.Lock()
        self._turn.acquire()

    def wait(self) -> None:
        self._turn.acquire()

    def wake(self) -> None:
        self._turn.release()

    def finish(self, found: Any, error: BaseException | None) -> None:  # noqa: ANN401 - whatever work finds
        self.found, self.error, self.done = found, error, True

    def take(self, found: Any, error: BaseException | None) -> None:  # noqa: ANN401 - whatever work finds
        """Take what is durable now; answers that follow from it are computed next, and stored."""
        if self._settled is not None:
            self.finish((*self._settled, found), error)
        elif self._compute is None or error is not None:
            self.finish(found, error)
        else:
            self._settled = (found,)

    def go_on(self) -> bool:
        """Compute the answers after the charge is durable; whether there are any to be stored."""
        if self.done or self._settled is None or self._compute is None:
            return False
        try:
            self.answers = self._compute(*self._settled)
        except Exception as error:  # noqa: BLE001 - it is raised again by whoever asked
            self.finish(None, error)
            return False
        self.lookups = Lookups(questions=frozenset(self.answers[1]))
        if not self.answers[1]:
            self.finish((*self._settled, {}), None)
        return not self.done

    def outcome(self) -> Any:  # noqa: ANN401 - whatever work finds
        if self.error is not None:
            raise self.error
        return self.found


class _Queue:
    """Those who want to write to the books of one dataset; the first of them writes for all."""

    def __init__(
        self, database: "Database", dataset: str, turn: Callable[[], AbstractContextManager[None]]
    ) -> None:
        self._database, self._dataset, self._turn = database, dataset, turn
        self._lock = threading.Lock()
        self._waiting: list[_Waiting] = []
        self._is_busy = False

    def settle(self, mine: _Waiting) -> Any:  # noqa: ANN401 - whatever work finds
        with self._lock:
            self._waiting.append(mine)
            leads, self._is_busy = not self._is_busy, True
        if not leads:
            mine.wait()
        while not mine.done:
            self._lead(mine)
        return mine.outcome()

    def _lead(self, mine: _Waiting) -> None:
        with self._lock:
            group, self._waiting = self._waiting[:_MOST_TOGETHER], self._waiting[_MOST_TOGETHER:]
        again: list[_Waiting] = []
        try:
            self._write(group)
            again.extend(each for each in group if each.go_on())  # nobody is woken for so short a while
        finally:
            with self._lock:
                self._waiting[:0] = again
                goes_on = mine in again
                after = self._waiting[0] if self._waiting and not goes_on else None
                self._is_busy = goes_on or after is not None
            for each in group:
                if each in again:
                    continue
                if not each.done:  # this thread is being ended
                    each.finish(None, LedgerError("the ledger was closed meanwhile; ask again"))
                if each is not mine:
                    each.wake()
            if after is not None:
                after.wake()

    def _write(self, group: list[_Waiting]) -> None:
        """All of them in one transaction; each by itself where one of them spoils it."""
        try:
            with self._turn():
                outcomes = self._database.write(lambda session: self._together(session, group))
        except LedgerError as error:
            outcomes = [(None, error)] * len(group)
        except Exception as error:  # noqa: BLE001 - it is raised again by whoever caused it
            if len(group) > 1:
                for each in group:
                    self._write([each])
                return
            cause = error.__cause__ if isinstance(error, _UndoneError) else error
            outcomes = [(None, cause or error)]
        for each, (found, error_of_it) in zip(group, outcomes, strict=True):
            each.take(found, error_of_it)

    def _together(self, session: "Session", group: list[_Waiting]) -> list[tuple[Any, BaseException | None]]:
        several = [each.lookups for each in group if each.lookups is not None]
        books = OpenBooks.locked(session, self._dataset, reduce(or_, several) if several else None)
        try:
            stored, noted = _stored(books, [each.answers for each in group]), list[AskedBatch]()
            outcomes = [
                (stored[place], None) if each.answers[1] else _worked(session, books, each, noted)
                for place, each in enumerate(group)
            ]
            note_charged(session, noted)
        except NoiselessError as error:
            raise _UndoneError from error
        return outcomes


def _stored(books: OpenBooks, several: list[Answers]) -> list[dict[str, Any]]:
    """Store the answers of all callers, one entry a version; the answers that stand, for each caller."""
    merged: dict[int | None, dict[str, Mapping[str, Any]]] = {}
    for version, answers in several:
        if answers:
            merged[version] = {**answers, **merged.get(version, {})}
    stood = {version: books.store(answers, version) for version, answers in merged.items()}
    return [{question: stood[version][question] for question in answers} for version, answers in several]


def _worked(
    session: "Session", books: OpenBooks, each: _Waiting, noted: list[AskedBatch]
) -> tuple[Any, BaseException | None]:
    """What came of one caller's work; a refusal concerns that caller alone."""
    written, before = session.written, books.dataset
    try:
        found = each.work(books)
    except BudgetError as error:  # it is raised before anything is written
        if session.written != written:
            raise
        return None, error
    if each.note is not None and books.dataset is not before and session.written is not None:
        noted.append(each.note(session.written.seq, books.dataset.version))
    return found, None


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
        if getattr(self._here, "free", False):
            return super().settle(dataset, lambda books: _free(books, work), lookups)
        mine = _Waiting(work, getattr(self._here, "note", None), lookups=lookups)
        found: Found = self._queue(dataset).settle(mine)
        return found

    def answer(
        self,
        dataset: str,
        work: Callable[[OpenBooks], Found],
        compute: Callable[[Found], Answers],
        lookups: Lookups | None = None,
        *,
        is_quick: bool = False,
    ) -> tuple[Found, Mapping[str, Mapping[str, Any]]]:
        """As `Ledger.answer`; what is quick is computed by the thread that writes for all."""
        if not is_quick or getattr(self._here, "free", False):
            return super().answer(dataset, work, compute, lookups)
        note = getattr(self._here, "note", None)
        mine = _Waiting(work, note, lookups=lookups, compute=compute)
        found: tuple[Found, Mapping[str, Mapping[str, Any]]] = self._queue(dataset).settle(mine)
        return found

    def _queue(self, dataset: str) -> _Queue:
        queue = self._queues.get(dataset)
        if queue is None:
            queue = self._queues.setdefault(dataset, _Queue(self._database, dataset, self._turns.taken))
        return queue

    def store(
        self, dataset: str, answers: Mapping[str, Mapping[str, Any]], *, version: int | None = None
    ) -> dict[str, Mapping[str, Any]]:
        """As `Ledger.store`; answers of several callers may stand in one entry."""
        if not answers or getattr(self._here, "free", False):
            return super().store(dataset, answers, version=version)

        def store(books: OpenBooks) -> dict[str, Mapping[str, Any]]:
            return books.store(answers, version)

        lookups = Lookups(questions=frozenset(answers))
        mine = _Waiting(store, None, (version, answers), lookups)
        found: dict[str, Mapping[str, Any]] = self._queue(dataset).settle(mine)
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


def _free(books: OpenBooks, work: Callable[[OpenBooks], Found]) -> Found:
    before = books.dataset
    found = work(books)
    if books.dataset is not before:
        raise WouldChargeError("it is not free any more")
    return found
