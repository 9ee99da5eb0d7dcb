"""Work that nobody waits for any more ends soon: whoever does it checks now and then whether it is wanted."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Self

from noiseless.errors import NoiselessError


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
    noiseless.curator.cancellation.WorkCancelledError: the work was cancelled; nothing was charged
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
"""That of work which is done whoever waits for it."""
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
