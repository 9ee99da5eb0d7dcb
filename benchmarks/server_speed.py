"""The server beside bare endpoints, in one run: new questions, and questions that were asked before.

A new question is charged for and its answer kept, durably, before it is answered. It stands beside a bare
FastAPI endpoint that makes one durable SQLite transaction a request, and with a ledger in PostgreSQL beside
one that makes it there too; a repeated one beside a bare endpoint that returns JSON. All are asked over 16
connections, taking turns.
"""

import argparse
import asyncio
import json
import random
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

from measure import ROOT, WORK
from page import Form, Part, Section, Table

CONNECTIONS = 16
AGGREGATES = ("SUM", "MAX", "MIN", "MEDIAN", "VAR_POP")
SUBURBS = 4000

CURATOR = """
[dataset]
name = "meters"
source = "meters.csv"
[budget]
bits = 40
[ledger]
url = "{ledger}"
[columns.suburb]
role = "public"
bounds = [1, {suburbs}]
[columns.kwh]
role = "private"
bounds = [0, 10]
step = 0.01
"""


def bare_app(folder: str, ledger: str) -> Any:  # noqa: ANN401 - a FastAPI application
    """One durable transaction a request, and plain JSON."""
    from fastapi import FastAPI, Request

    app = FastAPI()
    connection = sqlite3.connect(Path(folder) / "bare.db", isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, body TEXT)")
    turn = threading.Lock()

    @app.post("/durable")
    def durable(body: dict[str, Any]) -> dict[str, Any]:
        with turn:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("INSERT INTO t (body) VALUES (?)", (json.dumps(body),))
            connection.execute("COMMIT")
        return {"answers": [1.5], "spent": 2.0}

    if "postgresql" in ledger:
        app.post("/durable-postgresql")(durable_postgresql(ledger))

    @app.post("/plain")
    async def plain(request: Request) -> dict[str, Any]:
        body = await request.json()
        answer = {"sql": body["queries"][0], "value": 1.5, "lower": 1.0, "upper": 2.0}
        return {"answers": [answer], "spent": 2.0}

    return app


def durable_postgresql(ledger: str) -> Any:  # noqa: ANN401 - an endpoint
    """One durable transaction a request in PostgreSQL, each thread on a connection of its own."""
    import psycopg
    from sqlalchemy import create_engine

    engine = create_engine(ledger)
    arguments, options = engine.dialect.create_connect_args(engine.url)
    mine = threading.local()

    def connected() -> Any:  # noqa: ANN401 - a connection of psycopg
        if not hasattr(mine, "connection"):
            mine.connection = psycopg.connect(*arguments, **options, autocommit=True)
        return mine.connection

    connected().execute("CREATE TABLE IF NOT EXISTS bare (id SERIAL PRIMARY KEY, body TEXT)")

    def durable(body: dict[str, Any]) -> dict[str, Any]:
        connected().execute("INSERT INTO bare (body) VALUES (%s)", (json.dumps(body),))
        return {"answers": [1.5], "spent": 2.0}

    return durable


def serve_bare(folder: str, port: str, ledger: str) -> None:
    """Run the bare application as this server is run."""
    import uvicorn

    uvicorn.run(bare_app(folder, ledger), port=int(port), access_log=False, log_level="warning")


def serve_ours(folder: str, port: str, workers: str) -> None:
    """Run the server."""
    from noiseless.server.processes import serve
    from noiseless.server.settings import ListenOptions, Settings

    settings = Settings((str(Path(folder) / "curator.toml"),), rate=0)
    serve(settings, ListenOptions(port=int(port), workers=int(workers)))


def prepared(folder: Path, ledger: str) -> str:
    """A table of many suburbs with a few households each, and a token."""
    from noiseless.ledger import Ledger
    from noiseless.ledger.analysts import NewToken, add_token

    chance = random.Random(1)
    rows = [f"{suburb + 1},{chance.randrange(1001) / 100}" for suburb in range(SUBURBS) for _ in range(8)]
    (folder / "meters.csv").write_text("suburb,kwh\n" + "\n".join(rows) + "\n")
    (folder / "curator.toml").write_text(CURATOR.format(suburbs=SUBURBS, ledger=ledger))
    token = NewToken.random()
    url = ledger if "postgresql" in ledger else f"sqlite:///{folder}/{ledger.removeprefix('sqlite:///')}"
    with Ledger.open(url) as opened:
        add_token(opened, ["meters"], name="bench", role="analyst", token=token)
    return token.text


def questions() -> Iterator[str]:
    """Questions that were never asked before."""
    for aggregate in AGGREGATES:
        for suburb in range(SUBURBS):
            yield f"SELECT {aggregate}(kwh) FROM meters WHERE suburb = {suburb + 1}"


def message(path: str, sql: str, token: str) -> bytes:
    """A request."""
    body = json.dumps({"queries": [sql]}).encode()
    head = (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


class Connection(asyncio.Protocol):
    """Sends one request after the other and notes how long each takes."""

    def __init__(self, waiting: Iterator[bytes], times: list[float], done: asyncio.Future[None]) -> None:
        self.waiting, self.times, self.done = waiting, times, done
        self.buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        self.transport: Any = transport
        self._next()

    def _next(self) -> None:
        request = next(self.waiting, None)
        if request is None:
            self.transport.close()
            if not self.done.done():
                self.done.set_result(None)
            return
        self.begun = time.perf_counter()
        self.transport.write(request)

    def data_received(self, data: bytes) -> None:
        """A part of a response."""
        self.buffer += data
        head, found, body = self.buffer.partition(b"\r\n\r\n")
        if not found:
            return
        length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
        if len(body) >= length:
            self.times.append(time.perf_counter() - self.begun)
            if not head.startswith(b"HTTP/1.1 200"):
                self.done.set_exception(RuntimeError(self.buffer.decode()))
                self.transport.close()
                return
            self.buffer = b""
            self._next()


def asked(port: int, requests: Iterable[bytes]) -> tuple[float, list[float]]:
    """Ask over 16 connections: requests a second, and how long each took."""
    import uvloop

    async def all_of_them() -> tuple[float, list[float]]:
        loop = asyncio.get_running_loop()
        waiting, times = iter(list(requests)), list[float]()
        ends = [loop.create_future() for _ in range(CONNECTIONS)]
        begun = time.perf_counter()
        for end in ends:
            await loop.create_connection(lambda end=end: Connection(waiting, times, end), "127.0.0.1", port)  # type: ignore[misc]
        await asyncio.gather(*ends)
        return len(times) / (time.perf_counter() - begun), times

    return uvloop.run(all_of_them())


@contextmanager
def running(*arguments: str) -> Iterator[int]:
    """A server in a process of its own; its port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    name, folder, *more = arguments
    command = [sys.executable, str(Path(__file__)), name, folder, str(port), *more]
    log = (Path(folder) / f"{name}.log").open("wb")
    process = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log)
    try:
        _wait_for(port)
        yield port
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)
        log.close()


def _wait_for(port: int) -> None:
    for _ in range(600):
        try:
            with socket.create_connection(("127.0.0.1", port), 1):
                return
        except OSError:
            time.sleep(0.05)
    raise RuntimeError("the server did not start")


def rows(
    rounds: int = 7, size: int = 400, ledger: str = "sqlite:///ledger.db", workers: int = 1
) -> list[dict[str, Any]]:
    """New and repeated questions beside bare endpoints, taking turns."""
    WORK.mkdir(exist_ok=True)
    with ExitStack() as stack:
        folder = tempfile.mkdtemp(dir=WORK)
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        token = prepared(Path(folder), ledger)
        bare = stack.enter_context(running("serve_bare", folder, ledger))
        ours = stack.enter_context(running("serve_ours", folder, str(workers)))
        durable = ["durable", "durable-postgresql"] if "postgresql" in ledger else ["durable"]
        return _measured(bare, ours, token, rounds=rounds, size=size, durable=durable)


def _measured(
    bare: int, ours: int, token: str, *, rounds: int, size: int, durable: list[str]
) -> list[dict[str, Any]]:
    fresh, path = questions(), "/v1/datasets/meters/queries"
    asked(ours, [message(path, sql, token) for sql in islice(fresh, 50)])
    found: dict[str, list[tuple[float, list[float]]]] = {}
    for _ in range(rounds):
        some = list(islice(fresh, size))
        mine = [message(path, sql, token) for sql in some]
        for name in durable:
            found.setdefault(name, []).append(asked(bare, [message(f"/{name}", sql, token) for sql in some]))
        found.setdefault("new", []).append(asked(ours, mine))
        asked(ours, mine)
        plain = [message("/plain", sql, token) for sql in some]
        found.setdefault("plain", []).append(asked(bare, plain * 4))
        found.setdefault("repeated", []).append(asked(ours, mine * 4))
    return [*(_row("new", name, found) for name in durable), _row("repeated", "plain", found)]


def _row(ours: str, bare: str, found: dict[str, list[tuple[float, list[float]]]]) -> dict[str, Any]:
    rate, beside = (median(speed for speed, _ in found[name]) for name in (ours, bare))
    times = sorted(seconds for _, several in found[ours] for seconds in several)
    middle, late = times[len(times) // 2], times[int(len(times) * 0.99)]
    return {
        "questions": ours,
        "a second": rate,
        f"bare {bare} a second": beside,
        "ratio": rate / beside,
        "median ms": middle * 1000,
        "p99 ms": late * 1000,
        "p99 / median": late / middle,
    }


INTRODUCTION = """\
Over 16 connections, beside bare FastAPI endpoints, which are the limit: one durable SQLite transaction a
request (new questions) and plain JSON (repeats). New questions make two durable transactions, shared with
the questions that arrive at the same time."""


def measured(form: Form) -> Iterator[Part]:
    """New and repeated questions, the ledger in SQLite."""
    for row in rows(2, 60) if form.small else rows():
        yield Table([row])


SECTION = Section("server", "The server", INTRODUCTION, measured)


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] in {"serve_bare", "serve_ours"}:
        globals()[sys.argv[1]](*sys.argv[2:])
    else:
        parser = argparse.ArgumentParser(description=__doc__)
        parser.add_argument("--rounds", type=int, default=7)
        parser.add_argument("--size", type=int, default=400)
        parser.add_argument("--ledger", default="sqlite:///ledger.db")
        parser.add_argument("--workers", type=int, default=1)
        for row in rows(**vars(parser.parse_args())):
            for key, value in row.items():
                print(f"{key:<28}{value:>14,.4g}" if isinstance(value, float) else f"{key:<28}{value:>14}")
            print()
