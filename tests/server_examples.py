"""Servers for tests: in this process, or in one of their own that can be killed."""

import atexit
import contextlib
import json
import logging
import os
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Self

import httpx
import uvicorn

from curator_examples import write_curator
from noiseless.curator import CuratorFile
from noiseless.ledger import Ledger
from noiseless.ledger.analysts import NewToken, Role, add_token
from noiseless.server.app import create_app
from noiseless.server.gate import Gate
from noiseless.server.protocol import PatientProtocol
from noiseless.server.settings import Settings
from waiting import HANGS, free_port, wait_until

QUERIES = "/v1/datasets/meters/queries"
TOTAL = "SELECT SUM(kwh) FROM meters"
CONTEXT = ssl.create_default_context()
"""Made once: a client that makes its own, even for plain HTTP, is busy with it for 30 ms."""

get = partial(httpx.get, verify=CONTEXT, timeout=HANGS)
post = partial(httpx.post, verify=CONTEXT, timeout=HANGS)
delete = partial(httpx.delete, verify=CONTEXT, timeout=HANGS)

logging.getLogger("uvicorn.access").propagate = False  # as uvicorn has it in any process that serves


def new_token(*curators: Path, name: str = "ann", role: Role = "analyst", expires: str | None = None) -> str:
    """A token for the datasets of some files."""
    token = NewToken.random()
    for path in curators:
        file = CuratorFile.read(path)
        with Ledger.open(file.ledger) as ledger:
            add_token(ledger, [file.name], name=name, role=role, token=token, expires=expires)
    return token.text


def bearer(token: str) -> dict[str, str]:
    """The header that holds a token."""
    return {"Authorization": f"Bearer {token}"}


class Client:
    """Asks a server with one token."""

    def __init__(self, http: httpx.Client, token: str) -> None:
        self.http, self.token = http, token

    def get(self, path: str, **named: Any) -> httpx.Response:  # noqa: ANN401 - as httpx takes it
        return self.http.get(path, headers=bearer(self.token), **named)

    def post(self, path: str, body: object) -> httpx.Response:
        return self.http.post(path, json=body, headers=bearer(self.token))

    def delete(self, path: str) -> httpx.Response:
        return self.http.delete(path, headers=bearer(self.token))

    def ask(self, *sql: str, **more: object) -> httpx.Response:
        return self.post(QUERIES, {"queries": list(sql), **more})


class Example:
    """A server in this process, its owner and an analyst."""

    def __init__(self, curator: Path, http: httpx.Client, app: Gate) -> None:
        self.curator, self.http, self.app, self.office = curator, http, app.app, app.office
        self.analyst = Client(http, new_token(curator))
        self.owner = Client(http, new_token(curator, name="olga", role="owner"))

    def client(self, token: str) -> Client:
        return Client(self.http, token)


@contextlib.contextmanager
def example(folder: Path, curators: Sequence[Path] = (), **settings: Any) -> Iterator[Example]:  # noqa: ANN401 - of `Settings`
    """A server of the dataset of `curator_examples`."""
    path = folder / "curator.toml"
    if not path.exists():
        write_curator(folder)
    chosen = {"rate": 0.0, "timeout": HANGS, "body_timeout": HANGS, "patience": HANGS, **settings}
    app = create_app(Settings(tuple(map(str, (path, *curators))), **chosen))
    with running(app) as url, httpx.Client(base_url=url, timeout=HANGS, verify=CONTEXT) as http:
        yield Example(path, http, app)


@contextlib.contextmanager
def running(app: Gate) -> Iterator[str]:
    """An application behind a real socket, in a thread of this process; its URL."""
    quiet: dict[str, Any] = {"log_config": None, "access_log": False, "server_header": False}
    config = uvicorn.Config(
        app, port=0, http=PatientProtocol, ws="none", timeout_keep_alive=int(HANGS), **quiet
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        wait_until(lambda: server.started or not thread.is_alive(), "the server starts")
        assert server.started
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(HANGS)


def code(response: httpx.Response) -> tuple[int, str]:
    """The status and the code of a refusal, whose shape is checked."""
    body = response.json()
    assert list(body) == ["error"]
    assert list(body["error"]) == ["code", "message", "details"]
    assert response.headers["content-type"] == "application/json"
    return response.status_code, body["error"]["code"]


class Nursery:
    """A process that forks servers; it ends with the tests."""

    def __init__(self) -> None:
        command = [sys.executable, str(Path(__file__).with_name("server_nursery.py"))]
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        home = Path(__file__).parent  # the folder that the first test is in may be gone for the others
        self._process = subprocess.Popen(command, cwd=home, **pipes)
        self._lock = threading.Lock()

    def ask(self, **wanted: object) -> Any:  # noqa: ANN401 - JSON
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with self._lock:
            self._process.stdin.write(json.dumps(wanted) + "\n")
            self._process.stdin.flush()
            return json.loads(self._process.stdout.readline())

    def end(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(HANGS)
        self._process.stdout.close()


_nursery: list[Nursery] = []


def nursery() -> Nursery:
    """The one of this process."""
    if not _nursery:
        _nursery.append(Nursery())
        atexit.register(_nursery[0].end)
    return _nursery[0]


class Process:
    """A server in a process of its own."""

    def __init__(self, *curators: Path, options: Sequence[str] = (), failpoint: str | None = None) -> None:
        self.curators, self.options, self.failpoint = curators, options, failpoint
        self.port = free_port()
        self.log = curators[0].parent / f"server-{self.port}.log"
        self.url = f"http://127.0.0.1:{self.port}"
        self._child: int | None = None
        self._code: int | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def start(self) -> None:
        patient = ("--rate", "0", "--timeout", str(HANGS), "--body-timeout", str(HANGS))
        arguments = [*map(str, self.curators), "--port", str(self.port), *patient, *self.options]
        start = {"arguments": arguments, "log": str(self.log), "failpoint": self.failpoint}
        self._child, self._code = nursery().ask(start=start), None
        wait_until(self._is_ready, "the server starts")

    def _is_ready(self) -> bool:
        if self.code is not None:
            raise RuntimeError(self.log.read_text()[-2000:])
        try:
            return get(f"{self.url}/readyz").status_code == 200
        except httpx.TransportError:
            return False

    @property
    def code(self) -> int | None:
        """The exit code, minus the signal; None while it runs."""
        if self._code is None and self._child is not None:
            self._code = nursery().ask(poll=self._child)
        return self._code

    def wait(self) -> int:
        wait_until(lambda: self.code is not None, "the server ends")
        assert self.code is not None
        return self.code

    def kill(self) -> None:
        if self.code is None and self._child is not None:
            os.kill(self._child, signal.SIGKILL)
            self.wait()

    def stop(self) -> int:
        assert self._child is not None
        os.kill(self._child, signal.SIGTERM)
        return self.wait()

    def lines(self) -> list[dict[str, Any]]:
        """The log."""
        return [json.loads(line) for line in self.log.read_text().splitlines() if line.startswith("{")]

    def workers(self) -> list[int]:
        """The processes that the server says it runs."""
        lines = self.lines()
        ended = {line["pid"] for line in lines if line["event"] == "worker ended"}
        return [e["pid"] for e in lines if e["event"] == "worker started" and e["pid"] not in ended]

    def send(self, data: bytes, *, later: bytes = b"") -> bytes:
        """Send bytes as they are, perhaps in two parts; all that comes back until the connection ends."""
        with socket.create_connection(("127.0.0.1", self.port), HANGS) as connection:
            connection.sendall(data)
            if later:
                time.sleep(0.1)  # the parts arrive one by one, most likely; what comes back is the same
                connection.sendall(later)
            return received(connection)


def is_running(pid: int) -> bool:
    """Whether a process runs; one that has ended and that nobody has asked about yet does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def received(connection: socket.socket) -> bytes:
    """All that comes until the server ends the connection."""
    found = b""
    with contextlib.suppress(ConnectionResetError):
        while part := connection.recv(65536):
            found += part
    return found
