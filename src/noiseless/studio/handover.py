"""A curator's server that the studio starts on a file its steward confirmed, and stops with itself."""

import os
import re
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from noiseless.errors import RequestError
from noiseless.files import create_private

HOST = "127.0.0.1"
_PAUSE = 0.1
_LONGEST = 120.0
"""Seconds until a server that does not answer is given up."""
_PROPOSAL = re.compile(r"^(?:#[^\n]*\n)*proposal[ \t]*=[ \t]*true[^\n]*\n", re.MULTILINE)
"""The line that says so, and what is said above it."""


class Handover:
    """At most one server, on this machine alone.

    The curator's file and its ledger are written where the steward says: what was
    charged must outlive the studio.

    Args:
        folder: the private folder, for what the server logs.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def start(self, text: str, target: Path, *, confirmed: bool) -> dict[str, Any]:
        """Write the file, make a token for its owner, and serve it.

        Args:
            text: the file.
            target: where to write it.
            confirmed: whether the steward checked every bound; the draft is only then no proposal any more.

        Raises:
            NoiselessError: it is not confirmed, cannot be written or read, or the server does not start.
        """
        if not confirmed:
            raise RequestError("check every bound first: a bound read off the data gives the data away")
        if target.suffix != ".toml" or target.is_relative_to(self._folder):
            raise RequestError(
                "name a .toml file in a folder of your own: the curator's ledger is kept beside it"
            )
        with self._lock:
            self.stop()
            _write(target, _PROPOSAL.sub("", text))
            token = _token(target)
            with socket.create_server((HOST, 0)) as found:
                port = found.getsockname()[1]
            self._serve(target, port)
        return {"address": f"http://{HOST}:{port}/", "token": token, "file": str(target)}

    def _serve(self, target: Path, port: int) -> None:
        log = self._folder / "curator.log"
        command = [
            sys.executable,
            "-m",
            "noiseless",
            "serve",
            str(target),
            "--host",
            HOST,
            "--port",
            str(port),
        ]
        with log.open("wb") as written:
            self._process = subprocess.Popen(command, stdout=written, stderr=written)  # noqa: S603 - our own
        for _ in range(int(_LONGEST / _PAUSE)):
            if self._process.poll() is not None:
                said = log.read_text("utf-8", "replace").strip().splitlines()
                self._process = None
                raise RequestError(f"the curator did not start: {said[-1] if said else 'it said nothing'}")
            if _answers(port):
                return
            threading.Event().wait(_PAUSE)
        self.stop()
        raise RequestError("the curator did not start in time; try `noiseless serve` in a terminal")

    def stop(self) -> None:
        """End the server; work already charged is finished first."""
        process, self._process = self._process, None
        if process is not None:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _write(target: Path, text: str) -> None:
    """A new file that only its owner may read, or the same one again."""
    try:
        with os.fdopen(create_private(target), "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        if target.read_text("utf-8", "replace") != text:
            raise RequestError(f"{target}: is there already, and another one; name a new file") from None
    except OSError as error:
        raise RequestError(f"{target}: cannot be written ({error.strerror})") from None


def _token(target: Path) -> str:
    """A new token for the owner of a curator's file, which is checked on the way."""
    from noiseless.curator import CuratorFile
    from noiseless.ledger import Ledger
    from noiseless.ledger.analysts import NewToken, add_token

    try:
        file = CuratorFile.read(target)
    except Exception:
        target.unlink(missing_ok=True)
        raise
    token = NewToken.random()
    with Ledger.open(file.ledger) as ledger:
        add_token(ledger, [file.name], name="steward", role="owner", token=token, expires=None, by="studio")
    return token.text


def _answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://{HOST}:{port}/readyz", timeout=5) as answer:
            return bool(answer.status == 200)  # noqa: PLR2004 - HTTP
    except (urllib.error.URLError, OSError):
        return False
