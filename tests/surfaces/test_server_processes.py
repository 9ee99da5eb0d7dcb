"""Servers that are killed, stopped and run in several processes: the ledger's promises hold over HTTP.

Clients note what they were told. After every kill the server is started again and each client asks again what
it was not answered; then everything that anybody was told must be in the ledger, and charged for once.
"""

import random
import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from curator_examples import write_curator
from noiseless.curator import Curator
from noiseless.ledger import Ledger, charged
from server_examples import CONTEXT, QUERIES, TOTAL, Process, bearer, delete, get, new_token, post
from soaking import FEWER_KILLS as KILLS
from waiting import HANGS, wait_until

pytest_plugins = ["databases"]

CLIENTS = 16


def write_wide_curator(folder: Path, bits: int = 2000) -> Path:
    """A dataset with a column of many values: enough different questions."""
    path = write_curator(folder, bits=bits)
    wide = '[columns.income]\nrole = "private"\nbounds = [0, 100000]\n'
    path.write_text(path.read_text() + wide)
    rows = (folder / "meters.csv").read_text().splitlines()
    more = [f"{row},{number * 1117}" for number, row in enumerate(rows[1:])]
    (folder / "meters.csv").write_text("\n".join([f"{rows[0]},income", *more]) + "\n")
    return path


def question(number: int) -> str:
    return f"SELECT COUNT(*) FROM meters WHERE income > {number}"


class Asking:
    """Clients that ask, each its own questions and some that all of them ask, and ask again when cut off."""

    def __init__(self, server: Process, token: str) -> None:
        self.server, self.token = server, token
        self.told: dict[str, list[tuple[object, float]]] = {}
        self.up, self.ended = threading.Event(), threading.Event()
        self.numbers = iter(range(1, 100_000))
        self.lock = threading.Lock()

    def count(self) -> int:
        """How often somebody was told something."""
        with self.lock:
            return sum(map(len, self.told.values()))

    def client(self, chance: random.Random) -> None:
        with httpx.Client(
            verify=CONTEXT, base_url=self.server.url, headers=bearer(self.token), timeout=HANGS
        ) as http:
            while not self.ended.is_set():
                with self.lock:
                    number = next(self.numbers)
                self.until_told(http, question(number // 2 if chance.random() < 0.3 else number))

    def until_told(self, http: httpx.Client, sql: str) -> None:
        while True:
            self.up.wait()
            try:
                found = http.post(QUERIES, json={"queries": [sql]})
            except httpx.TransportError:
                if self.ended.is_set():
                    return
                time.sleep(0.005)
                continue
            assert found.status_code == 200, found.text
            reply = found.json()
            with self.lock:
                self.told.setdefault(sql, []).append((reply["answers"][0]["rows"], reply["batch_bits"]))
            return


@pytest.fixture
def curator(tmp_path: Path) -> Path:
    return write_wide_curator(tmp_path)


def check(curator: Path, told: dict[str, list[tuple[object, float]]]) -> None:
    """Everything told is in the ledger, is charged for once, and everybody was told the same."""
    with Curator.open(curator) as asked:
        entries = list(asked.ledger.entries())
        questions = [
            q["question"] for e in entries if e.kind == "charge" for q in e.body.get("questions", ())
        ]
        assert len(questions) == len(set(questions))  # nothing was charged for twice
        paid = [charged(entry).most.outputs for entry in entries if entry.kind == "charge"]
        state = asked.state
        product = 1
        for outputs in paid:
            product *= outputs
        assert state.total.outputs == product
        assert asked.ledger.verify().ok
        for sql, several in told.items():
            assert len({repr(rows) for rows, _ in several}) == 1
            again = asked.ask(sql)
            assert again.batch_bits == 0  # it was charged for before it was told
            assert float(again.answers[0].value or 0) == several[0][0][0]["value"]  # type: ignore[index]


def test_killed_under_many_clients(curator: Path) -> None:
    chance = random.Random(1)
    server = Process(curator)
    asking = Asking(server, new_token(curator))
    server.start()
    with ThreadPoolExecutor(CLIENTS) as pool:
        clients = [pool.submit(asking.client, random.Random(seed)) for seed in range(CLIENTS)]
        try:
            for _ in range(KILLS):
                asking.up.set()
                before = asking.count()
                wait_until(lambda: asking.count() >= before + CLIENTS, "clients are told")  # noqa: B023 - at once
                time.sleep(chance.uniform(0, 0.2))
                server.kill()
                asking.up.clear()
                server.start()
        finally:
            asking.ended.set()
            asking.up.set()
        for client in clients:
            client.result(HANGS)
    server.kill()
    assert len(asking.told) > CLIENTS
    check(curator, asking.told)


@pytest.mark.parametrize("place", ["priced", "charged", "computed", "stored", "replied"])
def test_killed_at_every_place(curator: Path, place: str) -> None:
    token = new_token(curator)
    with Process(curator, failpoint=place) as server:
        with pytest.raises(httpx.TransportError):
            post(f"{server.url}{QUERIES}", json={"queries": [question(7)]}, headers=bearer(token))
        server.wait()
        server.failpoint = None
        server.start()
        body = {"queries": [question(7)], "key": "once"}
        found = post(f"{server.url}{QUERIES}", json=body, headers=bearer(token)).json()
    assert found["batch_bits"] == (1 if place == "priced" else 0)
    assert found["spent"] == 1
    check(curator, {question(7): [(found["answers"][0]["rows"], 0)]})


def test_stopped_gracefully_what_was_asked_is_answered(curator: Path) -> None:
    token = new_token(curator)
    with Process(curator) as server, ThreadPoolExecutor(CLIENTS) as pool:

        def ask(number: int) -> httpx.Response:
            return post(
                f"{server.url}{QUERIES}",
                json={"queries": [question(number)]},
                headers=bearer(token),
            )

        assert ask(1).status_code == 200
        asked = [pool.submit(ask, number) for number in range(2, 2 + CLIENTS)]
        time.sleep(0.05)
        assert server.stop() == 0
        replies = [each.result() for each in asked if each.exception() is None]
    assert all(reply.status_code in {200, 503} for reply in replies)
    assert [line["event"] for line in server.lines()][-1] in {"stopped", "uvicorn"}
    assert any(line["event"] == "stopped" for line in server.lines())
    with Ledger.open(curator.parent / "meters-ledger.db") as ledger:
        entries = list(ledger.entries())
    asked_for = {q["question"] for e in entries if e.kind == "charge" for q in e.body.get("questions", ())}
    answered = {q for e in entries if e.kind == "answers" for q in e.body["answers"]}
    assert asked_for - answered == {"public state"}  # what was charged for was finished


def test_several_processes_are_one_server(curator: Path) -> None:
    token, owner = new_token(curator), new_token(curator, name="olga", role="owner")
    with Process(curator, options=("--workers", "2")) as server:

        def ask(number: int) -> dict[str, float]:
            body = {"queries": [question(number % 20)]}
            with httpx.Client(verify=CONTEXT, timeout=HANGS) as http:
                found = http.post(f"{server.url}{QUERIES}", json=body, headers=bearer(token))
            assert found.status_code == 200
            return dict(found.json())

        with ThreadPoolExecutor(8) as pool:
            replies = list(pool.map(ask, range(80)))
        assert sum(reply["batch_bits"] for reply in replies) == 20
        made = post(f"{server.url}/v1/tokens", json={"name": "bob"}, headers=bearer(owner)).json()
        bob = bearer(made["token"])

        def all_say(status: int) -> bool:
            found = (get(f"{server.url}/v1/session", headers=bob).status_code for _ in range(10))
            return set(found) == {status}

        wait_until(lambda: all_say(200), "the other process knows the token")
        delete(f"{server.url}/v1/tokens/{made['id']}", headers=bearer(owner))
        wait_until(lambda: all_say(401), "the other process knows that it is revoked")
        page = get(f"{server.url}/metrics").text
        assert 'noiseless_batches_total{outcome="new"} 20.0' in page
        assert server.stop() == 0


def test_retries_that_race_are_charged_once(curator: Path) -> None:
    token = new_token(curator)
    with Process(curator) as server, ThreadPoolExecutor(CLIENTS) as pool:

        def ask(_: int) -> dict[str, float]:
            body = {"queries": [TOTAL, question(5)], "key": "same"}
            found = post(f"{server.url}{QUERIES}", json=body, headers=bearer(token))
            return dict(found.json())

        replies = list(pool.map(ask, range(CLIENTS)))
    assert len({repr([answer["rows"] for answer in reply["answers"]]) for reply in replies}) == 1  # type: ignore[attr-defined]
    assert {reply["spent"] for reply in replies} == {replies[0]["spent"]}
    assert sorted(reply["repeated"] for reply in replies) == [False] + [True] * (CLIENTS - 1)
    assert len({reply["batch_bits"] for reply in replies}) == 1


def test_on_postgresql(tmp_path: Path, postgres_url: str) -> None:
    path = write_wide_curator(tmp_path)
    path.write_text(
        path.read_text().replace("[columns.suburb]", f'[ledger]\nurl = "{postgres_url}"\n[columns.suburb]')
    )
    asking = Asking(Process(path), new_token(path))
    asking.server.start()
    asking.up.set()
    with ThreadPoolExecutor(CLIENTS) as pool:
        clients = [pool.submit(asking.client, random.Random(seed)) for seed in range(CLIENTS)]
        wait_until(lambda: asking.count() >= 5 * CLIENTS, "clients are told")
        asking.server.kill()
        asking.server.start()
        asking.ended.set()
        for client in clients:
            client.result(HANGS)
    asking.server.kill()
    check(path, asking.told)


def test_a_server_stops_in_time_whatever_is_being_priced(tmp_path: Path) -> None:
    curator = write_curator(tmp_path)
    token = new_token(curator)
    terms = [" AND ".join(f"kwh > {number / 1000 + place}" for number in range(400)) for place in range(8)]
    queries = [f"SELECT COUNT(*) FROM meters WHERE {each}" for each in terms]
    with Process(curator) as server, ThreadPoolExecutor(20) as pool:

        def price(number: int) -> int:
            body = {"queries": [*queries[number % 8 :], *queries[: number % 8]], "dry_run": True}
            code = 200
            while code == 200:  # again and again, until the server ends
                code = post(f"{server.url}{QUERIES}", json=body, headers=bearer(token)).status_code
            return code

        def working() -> bool:
            said = re.search(r"^noiseless_working (\S+)$", get(f"{server.url}/metrics").text, re.MULTILINE)
            return said is not None and float(said[1]) > 10

        asked = [pool.submit(price, number) for number in range(20)]
        wait_until(working, "many wait")
        assert server.stop() == 0
        codes = {each.result() for each in asked if each.exception() is None}
    assert codes == {503}  # what had not begun was not waited for
