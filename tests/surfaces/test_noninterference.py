"""What is not charged for does not depend on private values: all that an analyst can read is compared.

Two towns have the same public columns, and differ in the private values of one person. The same things are
done in both, in the same order: every endpoint is asked well and badly, dry runs, refusals, errors and new
versions included. Only questions are paid for whose answers are the same in both towns. Then every byte must
be the same, but for what is listed in `CHANCE`, `TIMES` and `METRICS`: that is drawn by lot, or takes time.
"""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from curator_examples import FILE, ROWS, write_rows
from noiseless import connect
from noiseless.cli.main import run
from noiseless.client.errors import ServerError
from noiseless.curator import Curator
from noiseless.errors import NoiselessError
from noiseless.ledger import Ledger
from server_examples import QUERIES, Example, example
from waiting import wait_until

CHANCE = {
    "digest": rb"hmac-sha256:[0-9a-f]{32}:[0-9a-f]{64}",  # each has a salt of its own; see the last test
    "hash": rb'"(?:hash|previous)": ?"[0-9a-f]{64}"|\b\d+:[0-9a-f]{64}\b',  # of times and a digest
    "token": rb'\\?"(?:id|seal)\\?": ?\\?"(?:[0-9a-f]{16}|[0-9a-f]{64})\\?"',  # tokens are random
    "certificate": rb"(?<!-)sha256:[0-9a-f]{64}",  # of a release, which was charged for
    "request": rb"\b[0-9a-f]{8}-[0-9a-f]+\b",
}
TIMES = {
    "time": rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?Z?",
    "date": rb"(?<=date: )[^\n]+",
}
METRICS = rb"(?m)^noiseless_(?:request\w+|\w+_created)(?:\{.*\})? .+\n"
"""Seconds, and numbers of requests: they are counted after the reply, and compared in the end."""

HERE = ROWS
THERE = (("north", "0", "false", "oil"), *ROWS[1:])
"""The private values of the first person, as they are in another town: they differ in all of them."""

ANSWERED = tuple(f"SELECT AVG(kwh) FROM meters WHERE suburb = '{name}'" for name in ("north", "south"))
FREE = (
    "SELECT COUNT(*) FROM meters",
    "SELECT suburb, COUNT(*) FROM meters GROUP BY suburb",
    "SELECT /*+ bits(0) */ SUM(kwh) FROM meters WHERE suburb = 'west'",
)
PRICED = (
    *FREE,
    *(
        f"SELECT {what} FROM meters"
        for what in ("SUM(kwh)", "MEDIAN(kwh)", "MAX(kwh)", "VARIANCE(kwh)", "MIN(kwh)")
    ),
    *(
        f"SELECT /*+ {hint} */ AVG(kwh) FROM meters"
        for hint in ("bits(3)", "max_error(0.1)", "max_error(0)", "reach(5)")
    ),
    "SELECT COUNT(*) FROM meters WHERE solar",
    "SELECT COUNT(*) FROM meters WHERE kwh BETWEEN 1 AND 2 AND suburb <> 'west'",
    "SELECT SUM(kwh) FROM meters WHERE heating = 'oil'",
    "SELECT AVG(kwh) FROM meters WHERE solar",
    "SELECT heating, COUNT(*) FROM meters GROUP BY heating",
    "SELECT suburb, SUM(kwh) / COUNT(*) FROM meters GROUP BY suburb",
    "SELECT suburb, heating, COUNT(*) FROM meters GROUP BY suburb, heating",
    "SELECT heating FROM meters GROUP BY heating ORDER BY COUNT(*) DESC LIMIT 1",
)
WRONG = (
    "",
    "SELECT",
    "SELECT * FROM meters",
    "SELECT kwh FROM meters",
    "SELECT SUM(nothing) FROM meters",
    "SELECT SUM(kwh) FROM elsewhere",
    "SELECT COUNT(*) FROM meters WHERE kwh = 1 OR MODE(solar)",
    "SELECT COUNT(*) FROM meters WHERE kwh > 99",
    "DROP TABLE meters",
)
DEAR = tuple(
    f"SELECT /*+ bits(40) */ {name}, COUNT(*) FROM meters GROUP BY {name}"
    for name in ("kwh", "solar", "heating")
)
"""All of a record together."""


class Town:
    """A server, all that an analyst asked of it, and all that came back."""

    def __init__(self, server: Example, is_there: bool) -> None:
        self.server, self.is_there = server, is_there
        self.told: list[tuple[str, bytes]] = []
        self.digests: list[str] = []
        self.asked: set[tuple[str, str]] = set()

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        return THERE if self.is_there else HERE

    def note(self, what: str, text: bytes | str) -> None:
        self.told.append((what, plain(text if isinstance(text, bytes) else text.encode())))

    def send(self, method: str, pattern: str, *, path: str = "", **named: Any) -> httpx.Response:  # noqa: ANN401 - httpx
        """One request, by an analyst unless it brings other headers."""
        self.asked.add((method, pattern))
        address = path or pattern.replace("{name}", "meters").replace("{token}", "0123456789abcdef")
        headers = {"Authorization": f"Bearer {self.server.analyst.token}", **named.pop("headers", {})}
        found = self.server.http.request(method, address, headers=headers, **named)
        head = [f"{name.lower()}: {value}" for name, value in found.headers.multi_items()]
        if pattern == "/metrics":
            head = [line for line in head if not line.startswith("content-length")]  # of lines with seconds
        said = "\n".join([f"{found.status_code} {found.reason_phrase}", *head, ""]).encode()
        self.note(f"{method} {address} {named}", said + found.content)
        return found

    def declare(self, rows: tuple[tuple[str, ...], ...]) -> None:
        """The owner has written the table anew, be it the same, and says so."""
        write_rows(self.server.curator.parent, rows)
        with Curator.unchecked(self.server.curator) as curator:
            curator.declare_version()
        self.digests.append(str(self.send("GET", "/v1/datasets/{name}").json()["digest"]))


def plain(text: bytes) -> bytes:
    """What is told, without chance and time."""
    for name, pattern in (CHANCE | TIMES).items():
        text = re.sub(pattern, f"<{name}>".encode(), text)
    return re.sub(METRICS, b"", text)


def look_everywhere(town: Town) -> None:
    """Every endpoint, with parameters that make sense and with others."""
    send = town.send
    for path in ("/healthz", "/readyz", "/metrics", "/openapi.json", "/v1/session", "/v1/datasets", "/"):
        send("GET", path)
        send("GET", path, headers={"Authorization": "Bearer nls_0123456789abcdef_x"})
        send("OPTIONS", path)
        send("HEAD", path)
    for name in ("meters", "Meters", "nothing"):
        for below in ("", "/sample", "/history", "/ledger", "/exposure"):
            send("GET", f"/v1/datasets/{{name}}{below}", path=f"/v1/datasets/{name}{below}")
    for parameters in (
        {"rows": 3, "seed": 9},
        {"rows": 0},
        {"x": 1},
        {"limit": 1},
        {"before": "9"},
        {"after": 2},
    ):
        for below in ("/sample", "/history", "/ledger"):
            send("GET", f"/v1/datasets/{{name}}{below}", params=parameters)
    send("POST", "/v1/datasets/{name}/budget", json={"bits": 99, "reason": "more"})
    send("GET", "/v1/tokens")
    send("POST", "/v1/tokens", json={"name": "bob"})
    send("DELETE", "/v1/tokens/{token}")
    send("GET", "/v1/nothing")
    send("PUT", QUERIES.replace("meters", "{name}"), json={})


def ask_everything(town: Town) -> None:
    """Dry runs, mistakes, refusals, what was answered, and what is paid for."""

    def post(**body: object) -> dict[str, Any]:
        return dict(town.send("POST", "/v1/datasets/{name}/queries", json=body).json())

    for sql in (*PRICED, *WRONG):
        post(queries=[sql], dry_run=True)
    for sql in WRONG:
        assert "error" in post(queries=[sql])
    for sql in FREE:
        assert post(queries=[sql])["batch_bits"] == 0
    for batch in (PRICED, (PRICED[0], WRONG[3]), (*DEAR, *ANSWERED), ()):
        post(queries=list(batch), dry_run=True)
    for batch in (DEAR, (*FREE, *DEAR), (*PRICED, *DEAR)):
        assert post(queries=list(batch), key="dear")["error"]["code"] == "budget_exceeded"
    for sql in ANSWERED:
        key = f"version {len(town.digests)}: {sql}"
        first = post(queries=[sql], key=key)
        assert "answers" in first, first
        post(queries=[sql], key=key)
        post(queries=[sql])
        post(queries=["SELECT MIN(kwh) FROM meters"], key=key)
        post(queries=[sql], key=f"version 0: {sql}")
    post(queries=["SELECT 1"] * 101)
    post(queries="SELECT")
    town.send("POST", "/v1/datasets/{name}/queries", content=b"{")
    town.server.office.desks["meters"].write_notes()  # which is done twice a second otherwise


def use_client(town: Town) -> None:
    """The same with the client, of which people see the representations."""
    with connect(str(town.server.http.base_url), town.server.analyst.token) as found:
        shown: list[Callable[[], object]] = [
            lambda: found,
            lambda: found.datasets,
            found.dataset,
            lambda: found.price(*ANSWERED),
            lambda: found.ask(*ANSWERED),
            lambda: found.sample(3),
            found.history,
            found["meters"].ledger,
            found["meters"].exposure,
            *[lambda sql=sql: found.price(sql) for sql in (*PRICED, *WRONG)],
            lambda: found.ask(*DEAR),
        ]
        for place, look in enumerate(shown):
            try:
                thing = look()
            except (ServerError, NoiselessError) as error:
                town.note(f"client {place}", f"{type(error).__name__}: {error} {vars(error)}")
            else:
                page = getattr(thing, "_repr_html_", str)
                town.note(
                    f"client {place}", str(thing).replace(str(town.server.http.base_url), "URL") + str(page())
                )


def use_commands(town: Town, capsys: pytest.CaptureFixture[str]) -> None:
    """Commands that may be passed on to those who ask, or to an auditor."""
    file, folder = str(town.server.curator), town.server.curator.parent
    capsys.readouterr()
    for form in ("text", "json"):
        for arguments in (
            ["query", file, "--dry-run", *PRICED],
            ["query", file, "--each", *FREE, *WRONG[1:], *ANSWERED],
            ["query", file, *DEAR],
            ["ledger", "show", file],
            ["ledger", "verify", file],
            ["ledger", "export", file, "-o", str(folder / f"{form}-{len(town.told)}.json")],
        ):
            code = run([*arguments, "--format", form])
            said = capsys.readouterr()
            exported = Path(arguments[-1]).read_text() if arguments[1] == "export" else ""
            text = f"{code}\n{said.out}\n{said.err}\n{exported}".replace(str(folder), "FOLDER")
            town.note(
                f"{form}: {' '.join(arguments).replace(str(folder), 'FOLDER')}",
                re.sub(r"json-\d+|text-\d+", "FILE", text),
            )


@pytest.fixture
def towns(tmp_path: Path) -> Iterator[list[Town]]:
    with_quota = FILE.format(bits=6.5, query_bits=1, budget="min_group = 2\nanalyst_bits = 8", dataset="")
    for name, rows in (("here", HERE), ("there", THERE)):
        (tmp_path / name).mkdir()
        write_rows(tmp_path / name, rows)
        (tmp_path / name / "curator.toml").write_text(with_quota)
    with example(tmp_path / "here") as here, example(tmp_path / "there") as there:
        yield [Town(here, is_there=False), Town(there, is_there=True)]


def live(town: Town, capsys: pytest.CaptureFixture[str]) -> None:
    """What is done in a town; in one the person changes and changes back, in the other nobody changes."""
    look_everywhere(town)
    ask_everything(town)
    look_everywhere(town)
    use_client(town)
    for rows in (HERE, town.rows, town.rows):
        town.declare(rows)
        ask_everything(town)
        town.send("GET", "/v1/datasets/{name}/history", params={"limit": 3})
    with Curator.open(town.server.curator) as curator:
        curator.record_release(certificate(town), description="a table")
        curator.record_release(certificate(town), description="again")
    look_everywhere(town)
    use_client(town)
    use_commands(town, capsys)


def requests_of(town: Town) -> frozenset[str]:
    """How many requests there were of each kind, which anybody may read."""
    page = town.server.http.get("/metrics").text.splitlines()
    return frozenset(
        line for line in page if re.match(r"noiseless_(requests|batches|statements)_total", line)
    )


def certificate(town: Town) -> dict[str, Any]:
    """One whose digests of the original, and so it itself, depend on the data."""
    columns: dict[str, list[str]] = {"sensitive": ["heating"], "public": ["suburb"], "given": [], "keep": []}
    claim = {"cells": 2, "suppressed_rows": 0}
    return {"columns": columns, "claim": claim, "original": {"digest": repr(town.rows)}}


def test_all_that_is_free_is_the_same_whoever_has_which_values(
    towns: list[Town], capsys: pytest.CaptureFixture[str]
) -> None:
    for town in towns:
        live(town, capsys)
    here, there = towns
    assert [what for what, _ in here.told] == [what for what, _ in there.told]
    for (what, text), (_, other) in zip(here.told, there.told, strict=True):
        assert text == other, what
    wait_until(lambda: len({requests_of(town) for town in towns}) == 1, "the same requests counted")
    for town in towns:
        assert len(set(town.digests)) == len(town.digests)  # none tells that a version is like another
    with Ledger.open(here.server.curator.parent / "meters-ledger.db") as ledger:
        assert sum(entry.kind == "version" for entry in ledger.entries()) == 3


def test_every_endpoint_is_asked(towns: list[Town]) -> None:
    """A new one must be added above."""
    town = towns[0]
    look_everywhere(town)
    ask_everything(town)
    application: Any = town.server.app
    documented = {
        (method.upper(), path) for path, item in application.openapi()["paths"].items() for method in item
    }
    assert documented <= town.asked
    routers = [getattr(route, "original_router", None) for route in application.routes]
    every = [*application.routes, *(route for router in routers if router for route in router.routes)]
    routes = {route.path for route in every if hasattr(route, "path")} - {path for _, path in town.asked}
    assert all(path.startswith("/") and "." in path for path in routes), routes  # files of the console


def test_the_towns_do_differ(towns: list[Town]) -> None:
    """Questions that are about the person have other answers: the test above is not void."""
    sql = "SELECT COUNT(*) FROM meters WHERE heating = 'oil'"
    here, there = (town.server.analyst.ask(sql).json()["answers"][0]["value"] for town in towns)
    assert here != there


def test_what_is_left_out_is_chance_and_time() -> None:
    text = b'{"spent":1.0,"digest":"hmac-sha256:%s:%s","time":"2030-01-01T00:00:00.000000Z"}'
    salted = plain(text % (b"0" * 32, b"1" * 64))
    assert json.loads(salted) == {"spent": 1.0, "digest": "<digest>", "time": "<time>"}
    unsalted = b'"hmac-sha256:' + b"2" * 64 + b'"'
    assert plain(unsalted) == unsalted
