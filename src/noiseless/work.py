"""How much work may be done for nothing: counted before it is done, and given up when nobody waits for it.

A price is free, so anyone who may ask for one could ask for any amount of work. Each batch has an allowance
of steps, of about a microsecond each. What planning and pricing are going to take is spent beforehand.
"""

import sys
from collections.abc import Hashable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Self

from noiseless.errors import NoiselessError, RequestError

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
        """Take so many steps from the allowance, before they are done.

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
