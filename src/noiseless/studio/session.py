"""A session of the studio: a socket on this machine, a private folder, a link that works once."""

import socket
import tempfile
import webbrowser
from collections.abc import Callable
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
