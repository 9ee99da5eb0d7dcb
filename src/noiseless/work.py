"""How much work a price may take: counted in steps before they are done, and given up when nobody waits.

A price is free, so whoever may ask for one could ask for any amount of work. Each batch has an allowance of
steps, of about a microsecond each. What a step of planning or pricing is going to take is spent beforehand.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from noiseless.errors import NoiselessError, RequestError

MOST_STEPS = 20_000_000
"""A batch that needs more is refused: some 20 seconds."""


class WorkError(RequestError):
    """A price would take more work than a batch may; nothing was charged, no data was looked at."""


class CancelledError(NoiselessError):
    """Nobody waits for the reply any more; nothing was charged."""


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
        self._is_cancelled = _is_cancelled.get()

    def spend(self, steps: int) -> None:
        """Take so many steps from the allowance, before they are done.

        Raises:
            WorkError: fewer are left.
            CancelledError: nobody waits any more.
        """
        if self._is_cancelled():
            raise CancelledError("nobody waits for the price any more; ask again")
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


def spend(steps: int = 0) -> None:
    """Take steps from the allowance of the batch that is being priced; without one there is no limit.

    Without steps it only asks whether somebody waits: what takes long calls it every few milliseconds.
    """
    work = _present.get()
    if work is not None:
        work.spend(steps)


@contextmanager
def cancellable(is_cancelled: Callable[[], bool]) -> Iterator[None]:
    """Give up the prices of batches that are asked meanwhile once `is_cancelled`, which is asked often.

    >>> with cancellable(lambda: True):
    ...     Work().spend(1)
    Traceback (most recent call last):
    noiseless.work.CancelledError: nobody waits for the price any more; ask again
    """
    token = _is_cancelled.set(is_cancelled)
    try:
        yield
    finally:
        _is_cancelled.reset(token)


def _never() -> bool:
    return False


_present: ContextVar[Work | None] = ContextVar("work", default=None)
_is_cancelled: ContextVar[Callable[[], bool]] = ContextVar("is_cancelled", default=_never)
