"""The processes of one server: how they are begun, looked after and stopped."""

import gc
import logging
import multiprocessing
import os
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from typing import Any

import uvicorn
from prometheus_client.multiprocess import mark_process_dead

from noiseless.errors import NoiselessError, RequestError
from noiseless.server.app import create_app, end_at_latest
from noiseless.server.errors import logged
from noiseless.server.protocol import PatientProtocol
from noiseless.server.service import Service
from noiseless.server.settings import STOP_SECONDS, ListenOptions, Settings
from noiseless.server.telemetry import log, set_up_logging

_CLOSE_SECONDS = 5
"""Of the seconds to stop, this many are left when requests that are not answered by then are given up."""
_TURN_SECONDS = 0.001


def _require_free(listening: ListenOptions) -> None:
    """Refuse an address at which nobody can listen, before anything is opened."""
    try:
        family, *_, address = socket.getaddrinfo(
            listening.host, listening.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.create_server(address[:2], family=family):
            pass
    except OSError as error:
        where, why = f"{listening.host}, port {listening.port}", error.strerror or "cannot be listened at"
        raise RequestError(f"{where}: {why}; stop what listens there, or take another --port") from None


def serve(settings: Settings, listening: ListenOptions) -> None:
    """Serve until SIGTERM or SIGINT; what was charged for is finished then.

    Raises:
        NoiselessError: a dataset cannot be opened, or the address is taken.
    """
    _require_free(listening)
    set_up_logging(listening.log_format)
    if listening.in_the_clear:
        remedy = "--tls-cert and --tls-key, or a reverse proxy that does TLS and alone reaches this port"
        log("plain HTTP: tokens and answers can be read on the way", logging.WARNING, remedy=remedy)
    if listening.workers == 1:
        app = create_app(settings)
        app.office.warn_of_missing_tokens()
        _stop_quietly()
        _take_short_turns()
        _tell_people(listening)
        uvicorn.run(app, **_options(listening))
        gc.unfreeze()  # libraries complain at the end about what was never collected
        return
    office = Service(settings)  # what is wrong is told before any process is started
    office.warn_of_missing_tokens()
    office.close_at_once()
    with tempfile.TemporaryDirectory(prefix="noiseless-metrics-") as folder:
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder
        _tell_people(listening)
        _supervise(settings, listening)


def _supervise(settings: Settings, listening: ListenOptions) -> None:
    """Serve with several processes that share a socket."""
    spawn = multiprocessing.get_context("spawn")
    with uvicorn.Config("", **_options(listening)).bind_socket() as shared:

        def start() -> BaseProcess:
            process = spawn.Process(target=_work, args=(settings, listening, shared))
            process.start()
            return process

        Supervisor(start, listening.workers, stop_seconds=STOP_SECONDS, forget=mark_process_dead).run()


def _options(listening: ListenOptions) -> dict[str, Any]:
    """Of uvicorn."""
    return {
        "host": listening.host,
        "port": listening.port,
        "ssl_certfile": listening.tls_cert,
        "ssl_keyfile": listening.tls_key,
        "http": PatientProtocol,
        "ws": "none",
        "log_config": None,
        "access_log": False,
        "server_header": False,
        "proxy_headers": False,
        "timeout_graceful_shutdown": STOP_SECONDS - _CLOSE_SECONDS,
    }


def _tell_people(listening: ListenOptions) -> None:
    """On a terminal one plain line beside the log: where to go."""
    if sys.stderr.isatty():
        sys.stderr.write(f"Open {listening.url} in a browser; Ctrl-C stops the server.\n")


def _stop_quietly() -> None:
    """Uvicorn sends itself the signal again when it has stopped; the process would end as if it failed."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)


def _take_short_turns() -> None:
    """Threads that compute let the one that answers go first, and what was opened is no garbage."""
    sys.setswitchinterval(_TURN_SECONDS)
    gc.collect()
    gc.freeze()


def _work(settings: Settings, listening: ListenOptions, shared: socket.socket) -> None:
    """One of several processes."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    set_up_logging(listening.log_format)
    try:
        app = create_app(settings)
    except NoiselessError as error:  # its message is for the owner, and may depend on the data
        log("failed", logging.ERROR, problem=logged(error))
        sys.exit(1)
    _take_short_turns()
    uvicorn.Server(uvicorn.Config(app, **_options(listening))).run([shared])


def _end_with_parent() -> None:
    """Stop when the process is gone that looks after this one: nobody would stop it otherwise."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        end_at_latest()
        os.kill(os.getpid(), signal.SIGTERM)


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
