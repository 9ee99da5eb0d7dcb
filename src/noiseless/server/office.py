"""What all requests of one process share: the datasets, who may ask, limits, threads and counters."""

import asyncio
import contextlib
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from noiseless.errors import NoiselessError, RequestError
from noiseless.ledger.sharing import SharedLedger
from noiseless.ledger.side_tables import create_tables
from noiseless.server.callers import Callers
from noiseless.server.desks import Desk, Standing
from noiseless.server.errors import timeout, unavailable
from noiseless.server.limits import Rates
from noiseless.server.logs import log
from noiseless.server.metrics import Metrics
from noiseless.server.settings import Settings

Found = TypeVar("Found")

_READERS = 4
_NOTE_EVERY = 0.5


class Office:
    """One process of a server."""

    def __init__(self, settings: Settings) -> None:
        """Open all datasets.

        Raises:
            NoiselessError: one of them cannot be opened.
        """
        self.settings = settings
        self.metrics = Metrics()
        self.rates = Rates(settings.rate, settings.burst)
        self.is_closing = False
        self._ledgers: dict[str, SharedLedger] = {}
        try:
            self.desks = self._opened(settings)
        except BaseException:
            self._close_ledgers()
            raise
        self._workers = ThreadPoolExecutor(settings.threads, "ask")
        self._readers = ThreadPoolExecutor(_READERS, "read")  # short reads never wait for long questions
        self.callers = Callers(list(self._ledgers.values()), list(self.desks), self._readers)
        self._standings = {name: _Shared(desk.standing, self._readers) for name, desk in self.desks.items()}
        self._waiting = 0
        self._noting: asyncio.Task[None] | None = None

    def _opened(self, settings: Settings) -> dict[str, Desk]:
        if not settings.curators:
            raise RequestError("there is nothing to serve; name at least one curator's file")
        found: dict[str, Desk] = {}
        for path in settings.curators:
            desk = Desk(path, self._ledgers)
            if desk.name in found:
                raise RequestError(f"two files are about a dataset called {desk.name!r}; serve one of them")
            create_tables(desk.ledger)
            desk.open()
            found[desk.name] = desk
        return found

    # While it is open

    async def start(self) -> None:
        """Begin what goes on in the background."""
        self._noting = asyncio.get_running_loop().create_task(self._note_regularly())
        log("started", datasets=len(self.desks))

    async def close(self) -> None:
        """Finish what was charged for, write what is to be noted, close the ledgers."""
        self.is_closing = True
        if self._noting is not None:
            self._noting.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._noting
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(None, self._workers.shutdown)
        await loop.run_in_executor(None, self._write_notes)
        await loop.run_in_executor(None, self._readers.shutdown)
        self._close_ledgers()
        log("stopped")

    def close_at_once(self) -> None:
        """Close what was only opened to see whether it can be."""
        self._workers.shutdown()
        self._readers.shutdown()
        self._close_ledgers()

    def _close_ledgers(self) -> None:
        for ledger in self._ledgers.values():
            ledger.close()

    async def _note_regularly(self) -> None:
        while True:
            await asyncio.sleep(_NOTE_EVERY)
            await asyncio.get_running_loop().run_in_executor(self._readers, self._write_notes)

    def _write_notes(self) -> None:
        for desk in self.desks.values():
            try:
                desk.write_notes()
            except NoiselessError as error:
                log("history", logging.WARNING, problem=type(error).__name__)

    # Work

    async def work(self, what: Callable[[], Found]) -> Found:
        """Do some work in a thread. Who waits for too long is told so; the work goes on all the same.

        Raises:
            ApiError: it takes too long, or too many wait already.
        """
        if self._waiting >= self.settings.waiting or self.is_closing:
            raise unavailable()
        loop = asyncio.get_running_loop()
        self._waiting += 1
        self.metrics.working.inc()
        future = loop.run_in_executor(self._workers, what)
        future.add_done_callback(self._done)
        done, _ = await asyncio.wait([future], timeout=self.settings.timeout)
        if not done:
            raise timeout()
        return future.result()

    def _done(self, future: "asyncio.Future[Found]") -> None:
        self._waiting -= 1
        self.metrics.working.dec()
        if not future.cancelled():
            future.exception()  # whoever waited for it may have gone away

    async def standing(self, dataset: str) -> Standing:
        """What is spent of a dataset, as of a moment after this call."""
        return await self._standings[dataset].get()

    async def is_ready(self) -> bool:
        """Whether every ledger can be read."""
        if self.is_closing:
            return False
        try:
            await asyncio.gather(*(self.standing(name) for name in self.desks))
        except Exception:  # noqa: BLE001 - whatever it is, nothing can be asked now
            return False
        return True


class _Shared:
    """A short read that all who ask for it at the same time share; it begins after each of them asked."""

    def __init__(self, read: Callable[[], Standing], pool: ThreadPoolExecutor) -> None:
        self._read, self._pool = read, pool
        self._next: asyncio.Future[Standing] | None = None
        self._is_reading = False

    async def get(self) -> Standing:
        loop = asyncio.get_running_loop()
        if self._next is None:
            self._next = loop.create_future()
            self._next.add_done_callback(_heed)
        mine = self._next
        if not self._is_reading:
            self._begin(loop)
        return await asyncio.shield(mine)

    def _begin(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._next is None:
            self._is_reading = False
            return
        waiting, self._next, self._is_reading = self._next, None, True

        def finish(reading: "asyncio.Future[Standing]") -> None:
            if not waiting.done():
                if reading.cancelled():
                    waiting.cancel()
                elif (error := reading.exception()) is not None:
                    waiting.set_exception(error)
                else:
                    waiting.set_result(reading.result())
            self._begin(loop)

        loop.run_in_executor(self._pool, self._read).add_done_callback(finish)


def _heed(future: "asyncio.Future[Standing]") -> None:
    if not future.cancelled():
        future.exception()
