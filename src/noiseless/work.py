"""How much work may be done for nothing, and how much of it is remembered; given up when nobody waits for it.

A price is free, so anyone who may ask for one could ask for any amount of work, without end. Each batch has
an allowance of steps, of about a microsecond each. What planning and pricing are going to take is spent
beforehand. What they find is remembered within bounds.
"""

import math
import sys
import threading
import time
import weakref
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Generic, Self, TypeVar

from noiseless.errors import NoiselessError, RequestError

MOST_STEPS = 20_000_000
"""A batch that needs more is refused: some 20 seconds."""

Progress = Callable[[float], None]
"""Told the share of the work that is done, from 0 to 1."""


class WorkError(RequestError):
    """A price would take more work than a batch may; nothing was charged, no data was looked at."""


class WorkCancelledError(NoiselessError):
    """Nobody waits for the work any more; nothing was charged."""


class Cancellation:
    """Whether some work is still wanted; threads may share one. It may end by itself after some seconds.

    >>> wanted = Cancellation()
    >>> with wanted.active():
    ...     check()
    ...     wanted.cancel()
    ...     check()
    Traceback (most recent call last):
        ...
    noiseless.work.WorkCancelledError: the work was cancelled; nothing was charged
    """

    def __init__(self, seconds: float = math.inf) -> None:
        self._ends = time.monotonic() + seconds

    def cancel(self) -> None:
        """Have the work end at its next check."""
        self._ends = -math.inf

    @property
    def is_over(self) -> bool:
        """Whether the work is no longer wanted."""
        return self._ends < time.monotonic()

    def check(self) -> None:
        """Go on, if the work is wanted.

        Raises:
            WorkCancelledError: it is not.
        """
        if self.is_over:
            raise WorkCancelledError("the work was cancelled; nothing was charged")

    @contextmanager
    def active(self) -> Iterator[Self]:
        """What this thread does meanwhile is the work."""
        before = _active.set(self)
        try:
            yield self
        finally:
            _active.reset(before)


NEVER = Cancellation()
"""That of work which is done although nobody waits for it."""
_active: ContextVar[Cancellation] = ContextVar("cancellation", default=NEVER)


def active() -> Cancellation:
    """That of the work of this thread."""
    return _active.get()


def check() -> None:
    """Go on, if the work of this thread is wanted: for loops that may take long before anything is charged.

    Raises:
        WorkCancelledError: it is not.
    """
    _active.get().check()


class Work:
    """The allowance of one batch.

    Attributes:
        left: how many steps it may still take.
        items: what was spent, by what it was for.
        things: what was made or used.

    >>> work = Work(most=100)
    >>> work.spend(60)
    >>> work.left
    40
    """

    def __init__(self, most: int = MOST_STEPS) -> None:
        self.left = most
        self.items: dict[Hashable, int] = {}
        self.things: set[Hashable] = set()

    def spend(self, steps: int, thing: Hashable = None) -> None:
        """Take this many steps from the allowance, before they are done.

        Args:
            steps: how many.
            thing: what they are for, if that is made once in a batch: then they are taken once.

        Raises:
            WorkError: fewer are left.
            WorkCancelledError: nobody waits any more.
        """
        if thing is None:
            self.items[None] = self.items.get(None, 0) + steps
        else:
            self.items[thing] = steps
            if thing in self.things:
                return
            self.things.add(thing)
        self.require(steps)
        self.left -= steps

    def require(self, steps: int) -> None:
        """Refuse more steps than are left.

        Raises:
            WorkError: there are fewer.
            WorkCancelledError: nobody waits any more.
        """
        check()
        if steps > self.left:
            raise WorkError(
                "the price of the batch takes too much work; ask for fewer statements, groups or columns"
                " at a time, or shorten its lists of values"
            )

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Take what `spend` says meanwhile from this allowance."""
        token = _present.set(self)
        try:
            yield
        finally:
            _present.reset(token)


_present: ContextVar[Work | None] = ContextVar("work", default=None)


def spend(steps: int, thing: Hashable = None) -> None:
    """Take steps from the allowance of the batch that is being priced; without one there is no limit."""
    work = _present.get()
    if work is None:
        check()
    else:
        work.spend(steps, thing)


def foresee(steps: Mapping[Hashable, int]) -> None:
    """Refuse things that will take more steps than are left, before any of them is begun.

    Args:
        steps: what each is going to take; those that the batch made or used before take none.
    """
    work = _present.get()
    if work is not None:
        work.require(sum(taken for thing, taken in steps.items() if thing not in work.things))


@contextmanager
def itemised(thing: Hashable = None) -> Iterator[dict[Hashable, int]]:
    """List what is spent meanwhile, by what it is for.

    Args:
        thing: what is made meanwhile, if that will be remembered: the batch may use it again for nothing.
    """
    work = _present.get() or Work(most=sys.maxsize)
    with work.counted():
        before, work.items = work.items, {}
        try:
            yield work.items
        finally:
            items, work.items = work.items, before
            if thing is not None and items:
                work.things.add(thing)
                work.items[thing] = sum(items.values())


ItemT = TypeVar("ItemT")
MadeT = TypeVar("MadeT")

NUMBER = 100
"""The most bytes that a number takes, in a set or as an object of its own."""
_EACH = 2_000
"""The most bytes that anything takes besides."""

MOST_BYTES = 2**29
"""The most bytes that all memories of a process take together, as they are estimated."""


class Cache(Generic[ItemT]):
    """Things by their keys; all are forgotten when they become too heavy together.

    What is heavy is estimated from above. When all memories of a process become too heavy together, the
    heaviest are forgotten.

    >>> memory = Cache[str](most=5_000)
    >>> memory.keep("a", "first"), memory.keep("b", "second"), memory.keep("c", "third")
    ('first', 'second', 'third')
    >>> memory.get("a"), memory.get("c")
    (None, 'third')
    """

    def __init__(self, most: int) -> None:
        """Nothing is remembered yet.

        Args:
            most: the most bytes.
        """
        self._most = most
        self._things: dict[Hashable, ItemT] = {}
        self.size = 0
        """How many bytes it takes."""
        self.get: Callable[[Hashable], ItemT | None] = self._things.get
        """What is remembered under a key."""
        _all.add(self)

    def keep(self, key: Hashable, thing: ItemT, weight: int = 1) -> ItemT:
        """Remember something; it is returned. What is too heavy by itself is not remembered.

        Args:
            key: what it is found by.
            thing: what is remembered.
            weight: how many numbers it holds, or as much as they take.
        """
        size = _EACH + NUMBER * weight
        if size > self._most:
            return thing
        with _all.lock:
            if self.size + size > self._most:
                self.forget()
            self._things[key] = thing
            self.size += size
            _all.make_room(size)
        return thing

    def made(
        self: "Cache[Any]", key: Hashable, make: Callable[[], MadeT], weigh: Callable[[MadeT], int]
    ) -> MadeT:
        """Something that is made once, and kept with the steps that it took: a batch takes them each time.

        Otherwise a refusal would depend on what was asked before.

        Args:
            key: what it is found by.
            make: make it, spending steps.
            weigh: how heavy it is.
        """
        found: tuple[MadeT, int] | None = self.get(key)
        if found is None:
            with itemised((self, key)) as items:
                made = make()
            found = self.keep(key, (made, sum(items.values())), weigh(made))
        elif found[1]:
            spend(found[1], (self, key))
        return found[0]

    def forget(self) -> None:
        """Forget everything."""
        self._things.clear()
        self.size = 0


class _All:
    """All memories of this process."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self._memories: weakref.WeakSet[Cache[Any]] = weakref.WeakSet()
        self._grown = 0

    def add(self, memory: Cache[Any]) -> None:
        with self.lock:
            self._memories.add(memory)

    def make_room(self, size: int) -> None:
        """Forget the heaviest if something new makes all of them too heavy; they are seldom counted."""
        self._grown += size
        if self._grown <= MOST_BYTES:
            return
        heaviest = sorted(self._memories, key=lambda memory: memory.size)
        self._grown = sum(memory.size for memory in heaviest)
        while self._grown > MOST_BYTES // 2:
            last = heaviest.pop()
            self._grown -= last.size
            last.forget()


_all = _All()
