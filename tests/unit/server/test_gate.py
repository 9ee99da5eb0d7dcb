"""The way in and out: one shape of refusals, headers, limits, what is logged."""

import logging
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from noiseless.curator import Curator
from noiseless.server.telemetry import LOGGER, JsonLines, PlainLines
from server_examples import QUERIES, TOTAL, Example, bearer, code, example
from waiting import HANGS, wait_until

SECRET = "SELECT COUNT(*) FROM meters WHERE heating = 'pump' AND suburb <> 'mrs-smith'"


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Example]:
    """A server for requests that change nothing."""
    with example(tmp_path_factory.mktemp("untouched")) as found:
        yield found


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Example]:
    with example(tmp_path) as found:
        yield found


def test_what_is_not_there_has_the_shape_of_all_refusals(untouched: Example) -> None:
    assert code(untouched.http.get("/nothing")) == (404, "not_found")
    assert code(untouched.analyst.get("/v1/nothing")) == (404, "not_found")
    assert code(untouched.analyst.get("/v1/datasets/")) == (404, "not_found")
    assert code(untouched.analyst.get("/v1/datasets/%00%ff")) == (404, "not_found")


def test_other_methods_are_refused(untouched: Example) -> None:
    for method, path in (("DELETE", "/healthz"), ("GET", QUERIES), ("PUT", QUERIES), ("PATCH", "/v1/tokens")):
        found = untouched.http.request(method, path, headers=bearer(untouched.analyst.token))
        assert code(found) == (405, "method_not_allowed")
        assert "allow" in found.headers


def test_every_response_is_safe_to_show(untouched: Example) -> None:
    for response in (
        untouched.http.get("/healthz"),
        untouched.analyst.get("/v1/session"),
        untouched.http.get("/v1/x"),
    ):
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["cache-control"] == "no-store"
        assert "default-src 'none'" in response.headers["content-security-policy"]
        assert "server" not in response.headers
        assert "access-control-allow-origin" not in response.headers


def test_health_and_readiness(server: Example, monkeypatch: pytest.MonkeyPatch) -> None:
    from noiseless.ledger import Ledger

    assert server.http.get("/healthz").json() == {"status": "ok"}
    assert server.http.get("/readyz").json() == {"ready": True}

    def fail(*_: object, **__: object) -> None:
        raise OSError("/secret")

    monkeypatch.setattr(Ledger, "state", fail)
    assert server.http.get("/healthz").status_code == 200
    assert code(server.http.get("/readyz")) == (503, "unavailable")


def test_a_ledger_that_is_away_keeps_nobody_waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from noiseless.ledger import Ledger

    back = threading.Event()
    with example(tmp_path, patience=0.05) as server:
        monkeypatch.setattr(Ledger, "state", lambda *_, **__: back.wait(HANGS))
        try:
            assert code(server.http.get("/readyz")) == (503, "unavailable")
        finally:
            back.set()


def test_what_fails_inside_tells_nothing(
    server: Example, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ValueError("kwh of household 17 is secret-value")

    monkeypatch.setattr(Curator, "ask", fail)
    monkeypatch.setattr(logging.getLogger(LOGGER), "propagate", True)
    with caplog.at_level(logging.INFO, LOGGER):
        found = server.analyst.ask(TOTAL)
    assert code(found) == (500, "internal")
    assert "secret-value" not in found.text

    def lines() -> list[str]:
        return [JsonLines().format(record) for record in caplog.records]

    wait_until(lambda: any('"ValueError"' in line for line in lines()), "the line after the response")
    assert not any("secret-value" in line for line in lines())


def test_the_log_has_no_values_and_no_literals(
    server: Example, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(logging.getLogger(LOGGER), "propagate", True)

    def records() -> list[logging.LogRecord]:
        return [record for record in caplog.records if record.name == LOGGER]

    with caplog.at_level(logging.INFO, LOGGER):
        server.analyst.ask(SECRET)
        server.analyst.ask(SECRET, dry_run=True)
        server.analyst.ask(TOTAL)
        server.analyst.ask("SELECT COUNT(*) FROM meters WHERE heating = 'mrs-smith'")
        server.http.get("/mrs-smith?token=mrs-smith")
        server.analyst.get("/v1/datasets/mrs-smith")
        wait_until(lambda: len(records()) >= 6, "the lines after the responses")
    lines = [form().format(record) for record in records() for form in (JsonLines, PlainLines)]
    assert not any(
        word in line for line in lines for word in ("mrs-smith", "pump", "SELECT", server.analyst.token)
    )
    batches = [line for line in lines if '"batch"' in line]
    assert batches[0].split('"batch": ')[1][:18] == batches[1].split('"batch": ')[1][:18]


def test_metrics(server: Example) -> None:
    server.analyst.ask(TOTAL)
    server.analyst.ask(TOTAL)
    server.analyst.ask(TOTAL, dry_run=True)
    page = server.http.get("/metrics").text
    assert 'noiseless_batches_total{outcome="new"} 1.0' in page
    assert 'noiseless_batches_total{outcome="free"} 1.0' in page
    assert 'noiseless_batches_total{outcome="priced"} 1.0' in page
    route = QUERIES.replace("meters", "{name}")
    assert f'noiseless_requests_total{{method="POST",route="{route}",status="200"}} 3.0' in page
    assert "meters" not in page.replace("noiseless", "")


def test_metrics_for_owners_only(tmp_path: Path) -> None:
    with example(tmp_path, metrics="owner") as server:
        assert code(server.http.get("/metrics")) == (401, "unauthorised")
        assert code(server.analyst.get("/metrics")) == (403, "forbidden")
        assert server.owner.get("/metrics").status_code == 200
    with example(tmp_path, metrics="off") as server:
        assert code(server.http.get("/metrics")) == (404, "not_found")


def test_who_waits_for_too_long_is_told_to_come_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, begun, over = Curator.ask, threading.Event(), threading.Event()

    def slow(self: Curator, *sql: str, analyst: str | None = None) -> object:
        begun.set()
        over.wait(HANGS)
        return real(self, *sql, analyst=analyst)

    with example(tmp_path, timeout=0.2) as server:
        monkeypatch.setattr(Curator, "ask", slow)
        try:
            while not begun.is_set():
                assert code(server.analyst.ask(TOTAL)) == (503, "timeout")
            assert server.http.get("/healthz").status_code == 200
        finally:
            over.set()
    monkeypatch.setattr(Curator, "ask", real)
    with example(tmp_path) as server:
        again = server.analyst.ask(TOTAL).json()
        assert (again["batch_bits"], again["spent"]) == (1, 1)  # what nobody waited for was not charged


def test_slow_questions_do_not_keep_others_waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    over = threading.Event()

    def slow(*_: object, **__: object) -> None:
        over.wait(HANGS)

    with example(tmp_path, threads=2, waiting=4) as server, ThreadPoolExecutor(8) as pool:
        server.analyst.get("/v1/session")
        monkeypatch.setattr(Curator, "ask", slow)
        asked = [pool.submit(server.analyst.ask, TOTAL) for _ in range(6)]
        try:
            wait_until(lambda: sum(each.done() for each in asked) == 2, "four wait and two are refused")
            refused = [each.result().status_code for each in asked if each.done()]
            assert server.analyst.get("/v1/session").status_code == 200
            assert sum(each.done() for each in asked) == 2  # the others wait all the time
        finally:
            over.set()
    assert refused == [503, 503]


def test_the_console_has_a_strict_policy(tmp_path: Path) -> None:
    from noiseless.server.public_routes import POLICY, routes
    from noiseless.web import HERE, pages

    (tmp_path / "index.html").write_text("<p>hello</p>")
    (tmp_path / "app.js").write_text("1")
    (tmp_path / "secret.py").write_text("1")
    (tmp_path / ".hidden").write_text("1")
    shared = {f"/{file.name}" for file in HERE.iterdir() if file.suffix in {".js", ".css", ".svg"}}
    assert set(pages(tmp_path)) == {"/", "/app.js", "/index.html", *shared}
    assert pages(tmp_path)["/app.js"].kind == "text/javascript"
    assert pages(tmp_path / "nothing") == {}
    assert len(routes(tmp_path)) == 3 + len(shared)
    assert "unsafe" not in POLICY
