"""The processes of one server: an end is noticed at once, whenever it comes, and another process begins."""

import logging
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess

from noiseless.server.logs import log

_STEADY = 10.0
"""Seconds after which a process that ends is no sign of a storm."""
_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.5, 10.0
"""Seconds before a process is started again: none the first time, then from the one to the other."""

_TELL_AGAIN = 1.0
"""Seconds after which those that have not stopped are told again."""


@dataclass(eq=False)
class _Place:
    """One of the processes.

    Attributes:
        process: that which runs now; None between two.
        begun: when it began.
        due: when it, or the next one, is to begin.
        early: how many in a row ended soon after they began.
    """

    process: BaseProcess | None = None
    begun: float = 0.0
    due: float = 0.0
    early: int = 0


class Supervisor:
    """Keeps some processes running until it is told to stop."""

    def __init__(
        self,
        start: Callable[[], BaseProcess],
        count: int,
        *,
        stop_seconds: float,
        forget: Callable[[int], None] = lambda _: None,
    ) -> None:
        """Nothing runs yet.

        Args:
            start: starts a process.
            count: how many there are.
            stop_seconds: how long they may take to stop.
            forget: called with the number of each process that has ended.
        """
        self._start, self._forget, self._stop_seconds = start, forget, stop_seconds
        self._places = [_Place() for _ in range(count)]

    def run(self) -> None:
        """Until SIGTERM or SIGINT; no process is left then."""
        with _signals() as bell:
            while not _rung(bell):
                for place in self._places:
                    self._look_after(place)
                wait([bell, *(process.sentinel for process in self._processes())], self._pause())
            self._stop()

    def _look_after(self, place: _Place) -> None:
        if place.process is not None and not place.process.is_alive():
            self._note_end(place)
        if place.process is None and place.due <= time.monotonic():
            place.begun = time.monotonic()
            try:
                place.process = self._start()
            except OSError as error:  # no memory, too many processes
                self._delay(place)
                log("worker cannot start", logging.ERROR, problem=error.strerror, again_in=self._left(place))
            else:
                log("worker started", pid=place.process.pid)

    def _note_end(self, place: _Place) -> None:
        process, place.process = place.process, None
        if process is None:
            return
        self._forget(process.pid or 0)
        self._delay(place)
        log(
            "worker ended",
            logging.ERROR,
            pid=process.pid,
            exit_code=process.exitcode,
            again_in=self._left(place),
        )
        process.close()

    def _delay(self, place: _Place) -> None:
        """When the next process begins: later and later while they end soon."""
        now = time.monotonic()
        place.early = place.early + 1 if now - place.begun < _STEADY else 0
        doubled = _SHORTEST_PAUSE * 2.0 ** min(place.early - 2, 10)
        place.due = now + (min(doubled, _LONGEST_PAUSE) if place.early > 1 else 0.0)

    def _left(self, place: _Place) -> float:
        return round(max(0.0, place.due - time.monotonic()), 1)

    def _pause(self) -> float | None:
        """How long nothing is to be done unless something happens; None without end."""
        due = [place.due for place in self._places if place.process is None]
        return max(0.0, min(due) - time.monotonic()) if due else None

    def _processes(self) -> list[BaseProcess]:
        return [place.process for place in self._places if place.process is not None]

    def _stop(self) -> None:
        """Let all of them finish in time; those that do not are killed."""
        processes = self._processes()
        end = time.monotonic() + self._stop_seconds
        while running := [process for process in processes if process.is_alive()]:
            if (left := end - time.monotonic()) <= 0:
                break
            for process in running:
                process.terminate()  # again and again: one that is just being made may miss it
            wait([process.sentinel for process in running], min(left, _TELL_AGAIN))
        for process in running:
            log("worker killed", logging.ERROR, pid=process.pid, seconds=self._stop_seconds)
            process.kill()
        for process in processes:
            process.join()


@contextmanager
def _signals() -> Iterator[socket.socket]:
    """What becomes readable when SIGTERM or SIGINT comes, also between two steps of the program."""
    bell, rope = socket.socketpair()
    bell.setblocking(False)
    rope.setblocking(False)
    numbers = (signal.SIGTERM, signal.SIGINT)
    before = [signal.signal(number, lambda *_: None) for number in numbers]
    waker = signal.set_wakeup_fd(rope.fileno(), warn_on_full_buffer=False)
    try:
        yield bell
    finally:
        signal.set_wakeup_fd(waker)
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
        bell.close()
        rope.close()


def _rung(bell: socket.socket) -> bool:
    with suppress(BlockingIOError):
        return bool(bell.recv(1))
    return False
