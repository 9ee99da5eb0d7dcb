"""How much work may be done for nothing: counted before it is done, and given up when nobody waits for it.

A price is free, so anyone who may ask for one could ask for any amount of work. Each batch has an allowance
of steps, of about a microsecond each. What planning and pricing are going to take is spent beforehand.
"""

import sys
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Self, TypeVar

from noiseless.errors import NoiselessError, RequestError

Made = TypeVar("Made")

MOST_STEPS = 20_000_000
"""A batch that needs more is refused: some 20 seconds."""


class WorkError(RequestError):
    """A price would take more work than a batch may; nothing was charged, no data was looked at."""


class WorkCancelledError(NoiselessError):
    """Nobody waits for the work any more; nothing was charged."""


class Cancellation:
    """Whether some work is still wanted; threads may share one.

    >>> wanted = Cancellation()
    >>> with wanted.active():
    ...     check()
    ...     wanted.cancel()
    ...     check()
    Traceback (most recent call last):
        ...
    noiseless.work.WorkCancelledError: the work was cancelled; nothing was charged
    """

    def __init__(self) -> None:
        self._is_cancelled = False

    def cancel(self) -> None:
        """Have the work end at its next check."""
        self._is_cancelled = True

    def check(self) -> None:
        """Go on, if the work is wanted.

        Raises:
            WorkCancelledError: it is not.
        """
        if self._is_cancelled:
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

    >>> work = Work(most=100)
    >>> work.spend(60)
    >>> work.left
    40
    """

    def __init__(self, most: int = MOST_STEPS) -> None:
        self.left = most
        self._things: set[Hashable] = set()
        self._items: dict[Hashable, int] = {}

    def spend(self, steps: int, thing: Hashable = None) -> None:
        """Take so many steps from the allowance, before they are done.

        Args:
            steps: how many.
            thing: what they are for, if that is made once in a batch: then they are taken once.

        Raises:
            WorkError: fewer are left.
            WorkCancelledError: nobody waits any more.
        """
        if thing is None:
            self._items[None] = self._items.get(None, 0) + steps
        else:
            self._items[thing] = steps
            if thing in self._things:
                return
            self._things.add(thing)
        self._take(steps)

    @contextmanager
    def itemised(self) -> Iterator[dict[Hashable, int]]:
        """List what is spent meanwhile, by what it is for."""
        before, self._items = self._items, {}
        try:
            yield self._items
        finally:
            self._items = before

    def make(self, thing: Hashable, do: Callable[[], Made]) -> tuple[Made, int]:
        """Make a thing, and say what was spent for it; the batch may use it again for nothing."""
        with self.counted(), self.itemised() as items:
            made = do()
        steps = sum(items.values())
        self._things.add(thing)
        self._items[thing] = steps
        return made, steps

    def _take(self, steps: int) -> None:
        check()
        if steps > self.left:
            raise WorkError(
                "the price of the batch takes too much work; ask for fewer statements, groups or columns"
                " at a time, or shorten its lists of values"
            )
        self.left -= steps

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


def make(thing: Hashable, do: Callable[[], Made]) -> tuple[Made, int]:
    """Make a thing that will be remembered, and say what it took: that is spent when it is used again."""
    return (_present.get() or Work(most=sys.maxsize)).make(thing, do)
