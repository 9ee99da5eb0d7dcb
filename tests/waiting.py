"""Waiting for what happens, however long a busy machine takes, and ports that nobody else takes meanwhile."""

import socket
import sys
import time
from collections.abc import Callable
from typing import Final, TypeVar

HANGS: Final = 900.0
"""Seconds after which what is waited for hangs: not even a machine with load 10 is so slow."""

Found = TypeVar("Found")


def wait_until(happened: Callable[[], Found], what: str) -> Found:
    """Look again and again until there is something to see; what there is.

    Looks keep a processor from what they wait for: the longer it takes, the rarer they are.
    """
    end, pause = time.monotonic() + HANGS, 0.005
    while not (found := happened()):
        assert time.monotonic() < end, f"{what}: not within {HANGS:.0f} seconds"
        time.sleep(pause)
        pause = min(1.5 * pause, 0.1)
    return found


_kept: list[socket.socket] = []


def free_port() -> int:
    """A port for a server that is started later, perhaps again and again.

    It stays bound, without listening, until the process ends: so it is not given to anybody who asks for any
    port, nor to a connection that somebody begins. On Linux a server that names it gets it all the same.
    """
    found = socket.socket()
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    found.bind(("127.0.0.1", 0))
    port: int = found.getsockname()[1]
    if sys.platform == "linux":
        _kept.append(found)
    else:
        found.close()
    return port
