"""What makes a free batch cheap: answers that are known, and reads of what is spent that are shared.

Requests that come at the same time share one read, and none waits for a thread: a free batch is answered more
than twice as often a second as through a thread of its own.
"""

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from typing import NamedTuple

from noiseless.ledger import State
from noiseless.ledger.asked_batches import AskedBatch
from noiseless.server.errors import unavailable

MOST_BYTES = 64_000_000
"""Of answers that a process remembers, of all of its datasets together."""
_MOST_NOTED = 100_000
_LONGEST_NOTED = 10_000

Sql = tuple[str, ...]


class CachedAnswers(NamedTuple):
    """The answers of a batch that is free, as JSON."""

    version: int
    answers: bytes


class AnswerCache(OrderedDict[Sql, CachedAnswers]):
    """Answers of batches that are free, the latest asked last; for the event loop."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most, self._bytes = most, 0

    def keep(self, sql: Sql, known: CachedAnswers) -> None:
        """Remember the answers of a batch; what was not asked for longest is forgotten."""
        self.forget(sql)
        self[sql] = known
        self._bytes += _size(sql, known)
        while self._bytes > self._most:
            self._bytes -= _size(*self.popitem(last=False))

    def forget(self, sql: Sql) -> None:
        """Forget the answers of a batch."""
        known = self.pop(sql, None)
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


def _size(sql: Sql, known: CachedAnswers) -> int:
    return len(known.answers) + sum(map(len, sql)) + 500


_AWAY = "the ledger cannot be read now; ask again"

AnalystKey = tuple[str, str]
"""An analyst, and the idempotency key that came with a batch of theirs."""


class StandingSnapshot(NamedTuple):
    """What is spent at one moment, the end of a reply that says so, and batches that came with some keys."""

    state: State
    account: bytes
    batches: Mapping[AnalystKey, AskedBatch]


class SharedReads:
    """Reads of one dataset, one at a time; each begins after all of those who share it asked for it."""

    def __init__(
        self, read: Callable[[frozenset[AnalystKey]], StandingSnapshot], pool: Executor, patience: float
    ) -> None:
        self._read, self._pool, self._patience = read, pool, patience
        self._wanted: set[AnalystKey] = set()
        self._next: asyncio.Task[StandingSnapshot] | None = None
        self._reading: asyncio.Future[StandingSnapshot] | None = None

    async def get(self, key: AnalystKey | None = None) -> StandingSnapshot:
        """What is spent, as of a moment after this call, and the batch of a key if there is one.

        Raises:
            ApiError: the ledger cannot be read in time.
        """
        if key is not None:
            self._wanted.add(key)
        if self._next is None:
            self._next = asyncio.get_running_loop().create_task(self._begin())
        return await asyncio.shield(self._next)  # others share it

    async def _begin(self) -> StandingSnapshot:
        if self._reading is not None:
            await asyncio.wait([self._reading])
        wanted, self._wanted, self._next = frozenset(self._wanted), set(), None
        loop = asyncio.get_running_loop()
        reading = self._reading = loop.run_in_executor(self._pool, self._read, wanted)
        reading.add_done_callback(_heed)
        await asyncio.wait([reading], timeout=self._patience)
        if not reading.done():
            raise unavailable(_AWAY)
        return reading.result()


def _heed(reading: asyncio.Future[StandingSnapshot]) -> None:
    """An error is told to those who still wait, if anybody does."""
    if not reading.cancelled():
        reading.exception()
