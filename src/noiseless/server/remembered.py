"""What one process remembers of a dataset's batches: answers that are free, and notes for the history."""

from collections import OrderedDict, deque
from collections.abc import Callable
from typing import NamedTuple

from noiseless.ledger.asked_batches import AskedBatch

MOST_BYTES = 64_000_000
"""Of answers that a process remembers, of all of its datasets together."""
_MOST_NOTED = 100_000
_LONGEST_NOTED = 10_000

Sql = tuple[str, ...]


class Known(NamedTuple):
    """The answers of a batch that is free, as JSON."""

    version: int
    answers: bytes


class KnownAnswers:
    """Answers of batches that are free; for the event loop."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: OrderedDict[Sql, Known] = OrderedDict()
        self._bytes = 0

    def get(self, sql: Sql) -> Known | None:
        """The answers of a batch, if they are known."""
        found = self._known.get(sql)
        if found is not None:
            self._known.move_to_end(sql)
        return found

    def keep(self, sql: Sql, known: Known) -> None:
        """Remember the answers of a batch; what was not asked for longest is forgotten."""
        self.forget(sql)
        self._known[sql] = known
        self._bytes += _size(sql, known)
        while self._bytes > self._most:
            self._bytes -= _size(*self._known.popitem(last=False))

    def forget(self, sql: Sql) -> None:
        """Forget the answers of a batch."""
        known = self._known.pop(sql, None)
        if known is not None:
            self._bytes -= _size(sql, known)


class FreeBatches:
    """Batches that cost nothing, to be noted in the history; a note may be lost if the server is killed.

    They cost whoever asks them nothing, so that long ones are not noted: nobody shall fill a disk with them.
    """

    def __init__(self) -> None:
        self._noted: OrderedDict[int, None] = OrderedDict()
        self._waiting: deque[AskedBatch] = deque()

    def note(self, analyst: str, sql: Sql, asked: Callable[[], AskedBatch]) -> None:
        """Have a batch in the history, once."""
        if sum(map(len, sql)) > _LONGEST_NOTED:
            return
        key = hash((analyst, sql))  # short; where two are the same, a note is missing and nothing else
        if key not in self._noted:
            self._noted[key] = None
            self._waiting.append(asked())
            if len(self._noted) > _MOST_NOTED:
                self._noted.popitem(last=False)

    def take(self) -> list[AskedBatch]:
        """What is to be written now."""
        return [self._waiting.popleft() for _ in range(len(self._waiting))]


def _size(sql: Sql, known: Known) -> int:
    return len(known.answers) + sum(map(len, sql)) + 500
