"""A session of the studio: a socket on this machine, a private folder, a link that works once."""

import signal
import socket
import sys
import tempfile
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn

from noiseless.studio.app import Studio, create_app
from noiseless.studio.project import Project

HOST = "127.0.0.1"


def run_studio(project: Project, *, port: int, browser: bool, say: Callable[[str], None]) -> None:
    """Serve one browser on this machine until the process is told to stop.

    Args:
        project: what to begin with.
        port: where to listen; 0 for any free port.
        browser: whether to open the link in the browser.
        say: told the link.

    Raises:
        OSError: the port is taken.
    """
    with (
        _leaving(),
        socket.create_server((HOST, port)) as listening,
        tempfile.TemporaryDirectory(prefix="noiseless-studio-", ignore_cleanup_errors=True) as folder,
    ):
        chosen = listening.getsockname()[1]
        guard = create_app(Studio(Path(folder), project), chosen)
        link = f"http://{HOST}:{chosen}{guard.link}"
        say(link)
        if browser:
            webbrowser.open(link)
        server = uvicorn.Server(
            uvicorn.Config(guard, access_log=False, log_level="warning", lifespan="on", server_header=False)
        )
        server.run(sockets=[listening])


@contextmanager
def _leaving() -> Iterator[None]:
    """Leave in order when told to end, so that the private folder is removed: a signal would end it at once.

    The server finishes first, and then sends itself the signal again.
    """
    ways: dict[signal.Signals, Callable[..., object]] = {signal.SIGTERM: lambda *_: sys.exit()}
    if sys.platform != "win32":  # a terminal that is closed
        ways[signal.SIGHUP] = lambda *_: signal.raise_signal(signal.SIGTERM)
    before = {told: signal.signal(told, way) for told, way in ways.items()}
    try:
        yield
    finally:
        for told, way in before.items():
            signal.signal(told, way)
