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


class BudgetStanding(NamedTuple):
    """What is spent at one moment, and the end of a reply that says so."""

    version: int
    state: State
    body: bytes


class StandingSnapshot(NamedTuple):
    """A standing, and the batches that came with some keys before."""

    standing: BudgetStanding
    batches: Mapping[AnalystKey, AskedBatch]


class SharedReads:
    """Reads of one dataset; each begins after all of those who share it asked for it."""

    def __init__(
        self, read: Callable[[frozenset[AnalystKey]], StandingSnapshot], pool: Executor, patience: float
    ) -> None:
        self._read, self._pool, self._patience = read, pool, patience
        self._waiting: list[asyncio.Future[StandingSnapshot]] = []
        self._wanted: set[AnalystKey] = set()
        self._is_reading = False

    async def get(self, key: AnalystKey | None = None) -> StandingSnapshot:
        """What is spent, as of a moment after this call, and the batch of a key if there is one.

        Raises:
            ApiError: the ledger cannot be read in time.
        """
        loop = asyncio.get_running_loop()
        mine: asyncio.Future[StandingSnapshot] = loop.create_future()
        self._waiting.append(mine)
        if key is not None:
            self._wanted.add(key)
        if not self._is_reading:
            self._is_reading = True
            loop.call_soon(self._begin, loop)  # all who came at the same time share it
        return await mine

    def _begin(self, loop: asyncio.AbstractEventLoop) -> None:
        if not self._waiting:
            self._is_reading = False
            return
        waiting, wanted = self._waiting, frozenset(self._wanted)
        self._waiting, self._wanted = [], set()
        late = loop.call_later(self._patience, _tell_all, waiting, None, unavailable(_AWAY))

        def finish(reading: "asyncio.Future[StandingSnapshot]") -> None:
            late.cancel()
            error = asyncio.CancelledError() if reading.cancelled() else reading.exception()
            _tell_all(waiting, reading.result() if error is None else None, error)
            self._begin(loop)

        loop.run_in_executor(self._pool, self._read, wanted).add_done_callback(finish)


def _tell_all(
    waiting: "list[asyncio.Future[StandingSnapshot]]",
    found: StandingSnapshot | None,
    error: BaseException | None,
) -> None:
    for each in waiting:
        if each.done():
            continue
        if found is not None:
            each.set_result(found)
        elif isinstance(error, Exception):
            each.set_exception(error)
        else:
            each.cancel()
