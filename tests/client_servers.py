"""A server for the tests of the client that does what a test says, and misbehaves."""

import json
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

from noiseless.client.calls import Patience

TOKEN = "nls_0123456789abcdef_" + "s3cret" * 7 + "x"
Role = Literal["owner", "analyst"]


def new_token(ledger: str, *datasets: str, name: str = "ann", role: Role = "analyst") -> str:
    """A token that is kept in a ledger."""
    from noiseless.ledger import Ledger
    from noiseless.ledger.analysts import NewToken, add_token

    made = NewToken.random()
    with Ledger.open(ledger) as opened:
        add_token(opened, datasets, name=name, role=role, token=made)
    return made.text


@dataclass
class Seen:
    """A request that came."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any


@dataclass
class Say:
    """A reply; `raw` is sent as it is, and the connection ends then unless it is kept."""

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    drip: float = 0.0
    keep: bool = False


Script = Callable[[Seen], Say | None]
"""What to reply; None drops the connection without a reply."""

SESSION = {"name": "ann", "role": "analyst", "datasets": ["meters"], "expires": None}


def number(value: str | None, lower: str | None, upper: str | None, **more: object) -> dict[str, Any]:
    """A number of a reply as servers write it."""
    ends = {"value": value, "lower": lower, "upper": upper}
    exact = {f"{name}_exact": text for name, text in ends.items()}
    rounded = {name: None if text is None else float(_ratio(text)) for name, text in ends.items()}
    return {"group": {}, "column": "AVG(kwh)", **rounded, **exact, "may_be_missing": False, **more}


def _ratio(text: str) -> float:
    top, _, bottom = text.partition("/")
    return int(top) / int(bottom or 1)


def statement(*rows: dict[str, Any], columns: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    """A statement of a reply as servers write it."""
    told = [{"name": "AVG(kwh)", "group": False, "bits": 1.0, "bits_exact": "1", "free": False}]
    return {
        "sql": "SELECT AVG(kwh) FROM meters",
        "columns": told if columns is None else columns,
        "rows": list(rows),
        "bits": 1.0,
        "bits_exact": "1",
        "free": False,
    }


def reply(*statements: dict[str, Any], **more: object) -> dict[str, Any]:
    """A reply to a batch as servers write it."""
    return {
        "answers": list(statements),
        "batch_bits": 1.0,
        "batch_bits_exact": "1",
        "rule": "reach",
        "spent": 1.0,
        "spent_exact": "1",
        "remaining": 5.0,
        "remaining_outputs": "32",
        "warnings": [],
        "dry_run": False,
        **more,
    }


def refusal(status: int, code: str, message: str, **details: object) -> Say:
    """A refusal as servers write it."""
    return Say({"error": {"code": code, "message": message, "details": details}}, status)


class FakeServer(ThreadingHTTPServer):
    """Replies as a script says; what came is kept."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, script: Script, port: int = 0) -> None:
        self.script, self.seen, self.connections = script, list[Seen](), 0
        super().__init__(("127.0.0.1", port), _Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def asked(self) -> list[Seen]:
        """Requests other than those of `connect`."""
        return [seen for seen in self.seen if seen.path != "/v1/session"]

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away is no error."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: FakeServer

    def setup(self) -> None:
        super().setup()
        self.server.connections += 1

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        length = int(self.headers.get("content-length", 0))
        body = json.loads(self.rfile.read(length)) if length else None
        headers = {name.lower(): value for name, value in self.headers.items()}
        seen = Seen(self.command, self.path, headers, body)
        self.server.seen.append(seen)
        said = self.server.script(seen)
        if said is None and self.path == "/v1/session":
            said = Say(SESSION)
        if said is None:
            self.close_connection = True
            return
        self._say(said)

    do_POST = do_DELETE = do_GET  # noqa: N815 - as the standard library calls them

    def _say(self, said: Say) -> None:
        if said.raw is not None:
            self.close_connection = not said.keep
            for start in range(0, len(said.raw), 1 if said.drip else len(said.raw)):
                self.wfile.write(said.raw[start : start + 1] if said.drip else said.raw)
                time.sleep(said.drip)
            return
        content = json.dumps(said.body).encode()
        self.send_response(said.status)
        headers = {"Content-Type": "application/json", "Content-Length": str(len(content)), **said.headers}
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)


@contextmanager
def fake(script: Script, port: int = 0) -> Iterator[FakeServer]:
    """A fake server that runs."""
    with FakeServer(script, port) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


IMPATIENT = Patience(first=1000, most=1000)
"""Waits so long before the second try that there is none."""


class FakeTime:
    """A clock that only waiting moves."""

    def __init__(self) -> None:
        self.now = 0.0
        self.waits: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds

    def patience(self, total: float = 180.0) -> Patience:
        return Patience(total=total, clock=lambda: self.now, sleep=self.sleep)


def unguessable() -> str:
    """A token that stands nowhere else."""
    return f"nls_{secrets.token_hex(8)}_{secrets.token_urlsafe(32)}"
