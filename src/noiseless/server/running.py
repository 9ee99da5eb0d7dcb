"""Running a server until it is told to stop."""

import faulthandler
import gc
import logging
import multiprocessing
import os
import signal
import socket
import sys
import tempfile
import threading
from dataclasses import dataclass
from ipaddress import ip_address
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from typing import Any

from noiseless.errors import NoiselessError, RequestError
from noiseless.server.settings import Settings

STOP_SECONDS = 30
"""So long a server takes to stop at most."""
_CLOSE_SECONDS = 5
"""Of these are left when requests that are not answered by then are given up."""
_TURN_SECONDS = 0.001


@dataclass(frozen=True)
class Listening:
    """Where and how a server listens.

    Attributes:
        host: the address.
        port: the port.
        tls_cert: the file of its certificate; None for plain HTTP.
        tls_key: the file of the certificate's key.
        workers: how many processes.
        log_format: json or text.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    tls_cert: str | None = None
    tls_key: str | None = None
    workers: int = 1
    log_format: str = "json"

    @property
    def url(self) -> str:
        """Where people find it."""
        everywhere = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - where a browser finds it
        host = everywhere.get(self.host, self.host)
        host = f"[{host}]" if ":" in host else host
        return f"{'http' if self.tls_cert is None else 'https'}://{host}:{self.port}"

    @property
    def in_the_clear(self) -> bool:
        """Whether tokens and answers leave this machine as plain HTTP, unless a proxy stands before it."""
        if self.tls_cert is not None or self.host == "localhost":
            return False
        try:
            return not ip_address(self.host).is_loopback
        except ValueError:
            return True


def _require_free(listening: Listening) -> None:
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


def serve(settings: Settings, listening: Listening) -> None:
    """Serve until SIGTERM or SIGINT; what was charged for is finished then.

    Raises:
        NoiselessError: a dataset cannot be opened, or the address is taken.
    """
    import uvicorn

    from noiseless.server.app import create_app
    from noiseless.server.logs import log, set_up_logging
    from noiseless.server.office import Office

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
    office = Office(settings)  # what is wrong is told before any process is started
    office.warn_of_missing_tokens()
    office.close_at_once()
    with tempfile.TemporaryDirectory(prefix="noiseless-metrics-") as folder:
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder
        _tell_people(listening)
        _supervise(settings, listening)


def _supervise(settings: Settings, listening: Listening) -> None:
    """Serve with several processes that share a socket."""
    import uvicorn
    from prometheus_client.multiprocess import mark_process_dead

    from noiseless.server.supervisor import Supervisor

    spawn = multiprocessing.get_context("spawn")
    with uvicorn.Config("", **_options(listening)).bind_socket() as shared:

        def start() -> BaseProcess:
            process = spawn.Process(target=_work, args=(settings, listening, shared))
            process.start()
            return process

        Supervisor(start, listening.workers, stop_seconds=STOP_SECONDS, forget=mark_process_dead).run()


def _options(listening: Listening) -> dict[str, Any]:
    """Of uvicorn."""
    from noiseless.server.protocol import PatientProtocol

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


def _tell_people(listening: Listening) -> None:
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


def _work(settings: Settings, listening: Listening, shared: socket.socket) -> None:
    """One of several processes."""
    import uvicorn

    from noiseless.server.app import create_app
    from noiseless.server.errors import logged
    from noiseless.server.logs import log, set_up_logging

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


def end_at_latest() -> None:
    """End the process when its time to stop is over, whatever its threads do then."""
    faulthandler.dump_traceback_later(STOP_SECONDS, exit=True)  # needs no turn of the interpreter
