"""What is spent of a dataset: short reads that all who ask at the same time share."""

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from typing import NamedTuple

from noiseless.ledger import State
from noiseless.ledger.asked_batches import AskedBatch
from noiseless.server.errors import unavailable

_AWAY = "the ledger cannot be read now; ask again"

AnalystKey = tuple[str, str]
"""An analyst, and the idempotency key that came with a batch of theirs."""


class Standing(NamedTuple):
    """What is spent at one moment, and the end of a reply that says so."""

    version: int
    state: State
    body: bytes


class Looked(NamedTuple):
    """A standing, and the batches that came with some keys before."""

    standing: Standing
    batches: Mapping[AnalystKey, AskedBatch]


class Standings:
    """Reads of one dataset; each begins after all of those who share it asked for it."""

    def __init__(
        self, read: Callable[[frozenset[AnalystKey]], Looked], pool: Executor, patience: float
    ) -> None:
        self._read, self._pool, self._patience = read, pool, patience
        self._waiting: list[asyncio.Future[Looked]] = []
        self._wanted: set[AnalystKey] = set()
        self._is_reading = False

    async def get(self, key: AnalystKey | None = None) -> Looked:
        """What is spent, as of a moment after this call, and the batch of a key if there is one.

        Raises:
            ApiError: the ledger cannot be read in time.
        """
        loop = asyncio.get_running_loop()
        mine: asyncio.Future[Looked] = loop.create_future()
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

        def finish(reading: "asyncio.Future[Looked]") -> None:
            late.cancel()
            error = asyncio.CancelledError() if reading.cancelled() else reading.exception()
            _tell_all(waiting, reading.result() if error is None else None, error)
            self._begin(loop)

        loop.run_in_executor(self._pool, self._read, wanted).add_done_callback(finish)


def _tell_all(
    waiting: "list[asyncio.Future[Looked]]", found: Looked | None, error: BaseException | None
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
