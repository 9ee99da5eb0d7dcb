"""What all requests of a process share: datasets, callers, limits of each token, threads and counters."""

import asyncio
import contextlib
import logging
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from noiseless.errors import NoiselessError, RequestError
from noiseless.ledger import Ledger
from noiseless.ledger.entries import now
from noiseless.server.callers import Callers, SharedReads, heed, own_tokens
from noiseless.server.datasets import MOST_BYTES, AnalystKey, ServedDataset, StandingSnapshot
from noiseless.server.errors import timeout, too_many, unavailable
from noiseless.server.settings import Settings
from noiseless.server.telemetry import Metrics, log
from noiseless.work import Cancellation, WorkCancelledError

_MOST_BUCKETS = 10_000


class RateLimit:
    """How many requests each token has left: this many at once, and this many a second from then on."""

    def __init__(self, rate: float, burst: int) -> None:
        self._rate, self._burst = rate, float(max(burst, 1))
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, token: str, at: float | None = None) -> None:
        """One more request.

        Raises:
            ApiError: too many were made.
        """
        if self._rate <= 0:
            return
        now = time.monotonic() if at is None else at
        left, since = self._buckets.pop(token, (self._burst, now))
        left = min(self._burst, left + (now - since) * self._rate)
        taken = left >= 1
        self._buckets[token] = (left - 1 if taken else left, now)
        if len(self._buckets) > _MOST_BUCKETS:
            self._buckets.popitem(last=False)
        if not taken:
            raise too_many((1 - left) / self._rate)


class ConcurrencyLimit:
    """At most this many pieces of work at once, and this many of each token; others wait in their order."""

    def __init__(self, most: int, of_each: int) -> None:
        self._most, self._of_each = max(1, most), max(1, of_each)
        self._busy: Counter[str] = Counter()
        self._waiting: deque[tuple[str, asyncio.Future[None]]] = deque()

    def take(self, token: str) -> bool:
        """Take a turn, which must be given back; false if one must wait for it."""
        if self._busy[token] >= self._of_each or self._busy.total() >= self._most:
            return False
        self._busy[token] += 1
        return True

    async def wait(self, token: str) -> None:
        """Wait for a turn, which must be given back."""
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append((token, turn))
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # it was given just now
                self.give_back(token)
            raise

    def give_back(self, token: str) -> None:
        """Let the next one have the turn whose token may have it."""
        self._busy[token] -= 1
        self._busy += Counter()  # without those that are not busy
        waiting, self._waiting = self._waiting, deque()
        for whose, turn in waiting:
            if turn.done():
                continue
            if self.take(whose):
                turn.set_result(None)
            else:
                self._waiting.append((whose, turn))


Found = TypeVar("Found")

_READERS = 4
_NOTE_EVERY = 0.5
_LOOK_SECONDS = 0.1


class Service:
    """One process of a server."""

    def __init__(self, settings: Settings) -> None:
        """Open all datasets.

        Raises:
            NoiselessError: one of them cannot be opened.
        """
        self.settings = settings
        self.metrics = Metrics()
        self.rates = RateLimit(settings.rate, settings.burst)
        self.is_closing = False
        self._ledgers: dict[str, Ledger] = {}
        try:
            self.desks = self._opened(settings)
        except BaseException:
            self._close_ledgers()
            raise
        self._workers = ThreadPoolExecutor(settings.threads, "ask")
        self._readers = ThreadPoolExecutor(_READERS, "read")  # short reads never wait for long questions
        patience = settings.patience
        self.callers = Callers(self._by_dataset, self._readers, patience)
        self._standings = {
            name: SharedReads(desk.look, self._readers, patience) for name, desk in self.desks.items()
        }
        self._waiting = 0
        threads = settings.threads
        self._turns = ConcurrencyLimit(threads, threads // 2)
        self._few_turns = ConcurrencyLimit(max(2, threads // 8), threads // 16)
        self._noting: asyncio.Task[None] | None = None
        self._wanted: set[Cancellation] = set()

    def _opened(self, settings: Settings) -> dict[str, ServedDataset]:
        if not settings.curators:
            raise RequestError("there is nothing to serve; name at least one curator's file")
        found: dict[str, ServedDataset] = {}
        for path in settings.curators:
            desk = ServedDataset(path, self._ledgers, MOST_BYTES // len(settings.curators))
            if desk.name in found:
                raise RequestError(f"two files are about a dataset called {desk.name!r}; serve one of them")
            desk.open()
            found[desk.name] = desk
        return found

    @property
    def _by_dataset(self) -> dict[str, Ledger]:
        return {name: desk.ledger for name, desk in self.desks.items()}

    def warn_of_missing_tokens(self) -> None:
        """Say which datasets nobody can ask about: a ledger that is new or restored has no tokens."""
        at, ledgers = now(), self._by_dataset
        asked = {
            token.dataset
            for ledger in self._ledgers.values()
            for token in own_tokens(ledger, ledgers)
            if token.is_valid(at)
        }
        for name, desk in self.desks.items():
            if name not in asked:
                remedy = f"noiseless token add {desk.path.name} --name NAME --role owner"
                log("no tokens", logging.WARNING, dataset=name, remedy=remedy)

    # While it is open

    async def start(self) -> None:
        """Begin what goes on in the background."""
        self._noting = asyncio.get_running_loop().create_task(self._note_regularly())
        log("started", datasets=len(self.desks))

    def begin_closing(self) -> None:
        """Take no more work, begin none that waits, give up what was not charged for."""
        self.is_closing = True
        self._workers.shutdown(wait=False, cancel_futures=True)
        for wanted in self._wanted:
            wanted.cancel()

    async def close(self) -> None:
        """Finish what was charged for, write what is to be noted, close the ledgers."""
        self.begin_closing()
        if self._noting is not None:
            self._noting.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._noting
        loop = asyncio.get_running_loop()
        ended = loop.run_in_executor(None, self._workers.shutdown)
        while not ended.done():
            for desk in self.desks.values():
                desk.interrupt()  # again and again: one that just begins may miss it
            await asyncio.wait([ended], timeout=_LOOK_SECONDS)
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

    async def work(self, what: Callable[[], Found], token: str, *, is_priced: bool = False) -> Found:
        """Do some work in a thread. Who waits for too long is told so; what was not charged for ends then.

        Args:
            what: the work.
            token: whose it is; nobody's work keeps all threads busy.
            is_priced: whether it only computes: more of that at the same time is no faster.

        Raises:
            ApiError: it takes too long, or too many wait already.
        """
        if self._waiting >= self.settings.waiting or self.is_closing:
            raise unavailable()
        self._waiting += 1
        self.metrics.working.inc()
        turns = self._few_turns if is_priced else self._turns
        end = time.monotonic() + self.settings.timeout
        if not turns.take(token):
            await self._wait_for(turns, token)
        if self.is_closing:
            self._leave()
            turns.give_back(token)
            raise unavailable()
        wanted = Cancellation()
        self._wanted.add(wanted)
        begun = self._workers.submit(_worked, what, wanted)
        future = asyncio.wrap_future(begun)
        future.add_done_callback(lambda done: self._done(done, turns, token))
        try:
            await asyncio.wait([future], timeout=max(0.0, end - time.monotonic()))
        finally:
            self._wanted.discard(wanted)
            wanted.cancel()
        if not future.done():
            begun.cancel()  # which does nothing once the work has begun
            raise timeout()
        if future.cancelled():
            raise unavailable()
        try:
            return future.result()
        except WorkCancelledError:  # the server stops
            raise unavailable() from None

    async def _wait_for(self, turns: ConcurrencyLimit, token: str) -> None:
        try:
            async with asyncio.timeout(self.settings.timeout):
                await turns.wait(token)
        except TimeoutError:
            self._leave()
            raise timeout() from None
        except asyncio.CancelledError:
            self._leave()
            raise

    def _done(self, future: "asyncio.Future[Found]", turns: ConcurrencyLimit, token: str) -> None:
        self._leave()
        turns.give_back(token)
        heed(future)

    def _leave(self) -> None:
        self._waiting -= 1
        self.metrics.working.dec()

    async def look(self, dataset: str, *keys: AnalystKey) -> StandingSnapshot:
        """What is spent of a dataset, as of a moment after this call, and the batches of analysts' keys.

        Raises:
            ApiError: the ledger cannot be read now.
        """
        return await self._standings[dataset].get(*keys)

    async def is_ready(self) -> bool:
        """Whether every ledger can be read."""
        if self.is_closing:
            return False
        try:
            await asyncio.gather(*(self.look(name) for name in self.desks))
        except Exception:  # noqa: BLE001 - whatever it is, nothing can be asked now
            return False
        return True


def _worked(what: Callable[[], Found], wanted: Cancellation) -> Found:
    with wanted.active():
        return what()
