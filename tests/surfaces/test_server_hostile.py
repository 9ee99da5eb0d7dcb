"""Requests that are broken, huge, slow or forged: clean refusals, and the server keeps serving."""

import json
import select
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from curator_examples import write_curator
from noiseless.server import protocol
from noiseless.server.protocol import PatientProtocol
from server_examples import QUERIES, TOTAL, Process, bearer, example, get, new_token, post, received
from waiting import HANGS, wait_until

LIMITED = ("--max-body", "100000")


@pytest.fixture(scope="module")
def curator(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_curator(tmp_path_factory.mktemp("hostile"))


@pytest.fixture(scope="module")
def token(curator: Path) -> str:
    return new_token(curator)


@pytest.fixture(scope="module")
def server(curator: Path) -> Iterator[Process]:
    with Process(curator, options=LIMITED) as found:
        yield found


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Process, str]]:
    """A server that does not wait for the rest of a body, and a token for it."""
    curator = write_curator(tmp_path_factory.mktemp("hasty"))
    with Process(curator, options=(*LIMITED, "--body-timeout", "0.5")) as found:
        yield found, new_token(curator)


@pytest.fixture(autouse=True)
def keeps_serving(server: Process, token: str) -> Iterator[None]:
    yield
    found = post(f"{server.url}{QUERIES}", json={"queries": [TOTAL]}, headers=bearer(token))
    assert found.status_code == 200
    assert found.json()["batch_bits"] in {0, 1}


def head(token: str, *lines: str) -> bytes:
    several = [f"POST {QUERIES} HTTP/1.1", "Host: x", f"Authorization: Bearer {token}"]
    return "\r\n".join([*several, "Content-Type: application/json", *lines, "", ""]).encode()


def last(token: str, *lines: str) -> bytes:
    """The head of a request after which nothing more is asked."""
    return head(token, "Connection: close", *lines)


def statuses(response: bytes) -> list[int]:
    """The status of each response, all of which have the shape of refusals unless they are answers."""
    return [int(part[:3]) for part in response.split(b"HTTP/1.1 ")[1:]]


BODY = json.dumps({"queries": [TOTAL]}).encode()
JSON = {"Content-Type": "application/json"}


def test_a_length_that_is_too_large_is_refused_unread(server: Process, token: str) -> None:
    found = server.send(head(token, "Content-Length: 99999999999"))
    assert statuses(found) == [413]
    assert b"connection: close" in found.lower()
    assert b'"too_large"' in found


def test_a_chunked_body_that_does_not_end_is_refused(server: Process, token: str) -> None:
    chunk = b"1000\r\n" + b" " * 4096 + b"\r\n"
    found = server.send(head(token, "Transfer-Encoding: chunked") + chunk * 40)
    assert statuses(found) == [413]


def test_a_slow_body_is_refused(hasty: tuple[Process, str]) -> None:
    """However often some more of it comes."""
    server, token = hasty
    with socket.create_connection(("127.0.0.1", server.port), HANGS) as connection:
        connection.sendall(head(token, "Content-Length: 100000") + b"{")
        with suppress(ConnectionError):  # it may be ended while some more is sent
            while not select.select([connection], [], [], 0.05)[0]:
                connection.sendall(b" ")
        assert statuses(received(connection)) in ([408], [])


def test_a_body_that_stops_is_refused(hasty: tuple[Process, str]) -> None:
    server, token = hasty
    assert statuses(server.send(head(token, "Content-Length: 100") + b"{")) == [408]


def test_many_slow_bodies_keep_nobody_waiting(server: Process, token: str) -> None:
    slow = [socket.create_connection(("127.0.0.1", server.port), HANGS) for _ in range(100)]
    for connection in slow:
        connection.sendall(head(token, "Content-Length: 100") + b"{")
    found = get(f"{server.url}/v1/session", headers=bearer(token))
    assert found.status_code == 200
    assert select.select(slow, [], [], 0)[0] == []  # they are still waited for
    for connection in slow:
        connection.close()


@pytest.mark.parametrize(
    "lines",
    [
        (f"Content-Length: {len(BODY)}", "Transfer-Encoding: chunked"),
        ("Content-Length: 5", f"Content-Length: {len(BODY)}"),
        ("Content-Length: -5",),
        ("Content-Length: 0x10",),
        ("Content-Length: +5",),
        ("Transfer-Encoding: chunked, identity",),
        ("Transfer-Encoding: xchunked",),
        ("Transfer-Encoding : chunked",),
        ("X: a\rGET /smuggled HTTP/1.1",),
        ("Content-Length : 5",),
        ("Host: y", f"Content-Length: {len(BODY)}"),
        ("Content-Type: text/plain", f"Content-Length: {len(BODY)}"),
        ("Content-Encoding: gzip", f"Content-Length: {len(BODY)}"),
        ("Transfer-Encoding: gzip, chunked",),
    ],
)
def test_a_request_that_could_be_read_in_two_ways_is_refused(
    hasty: tuple[Process, str], lines: tuple[str, ...]
) -> None:
    server, token = hasty
    smuggled = b"GET /v1/session HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    found = statuses(server.send(head(token, *lines) + BODY + smuggled))
    assert len(found) <= 1
    assert all(400 <= status < 500 for status in found)


@pytest.mark.parametrize("first", [b"GET /healthz HTTP/1.1\r\n\r\n", b"GET /healthz\r\n\r\n"])
def test_a_request_names_its_host_and_its_version(server: Process, first: bytes) -> None:
    assert statuses(server.send(first)) == [400]


def test_a_parameter_that_comes_twice_is_refused(server: Process, token: str) -> None:
    path = f"{server.url}/v1/datasets/meters/sample?rows=1&rows=1000"
    assert get(path, headers=bearer(token)).status_code == 400


@pytest.mark.parametrize("apart", [True, False])
def test_a_token_after_the_body_counts_for_nothing(server: Process, token: str, apart: bool) -> None:
    lines = f"POST {QUERIES} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n".encode()
    lines += b"Connection: close\r\n"
    body = lines + b"Transfer-Encoding: chunked\r\n\r\n" + f"{len(BODY):x}\r\n".encode() + BODY + b"\r\n"
    trailer = f"0\r\nAuthorization: Bearer {token}\r\n\r\n".encode()
    found = server.send(body, later=trailer) if apart else server.send(body + trailer)
    assert statuses(found) == [401]


def test_a_connection_cannot_be_kept_by_empty_lines(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(protocol, "_HEAD_SECONDS", 0.5)
    with example(tmp_path) as own:
        url = httpx.URL(str(own.http.base_url))
        with socket.create_connection((url.host, url.port or 80), HANGS) as connection:
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            assert connection.recv(65536)
            with suppress(ConnectionError):
                connection.sendall(b"\r\n")
            received(connection)  # which ends


def test_whoever_never_reads_is_not_waited_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    real, given_up = PatientProtocol._cut_off, threading.Event()

    def cut_off(self: PatientProtocol) -> None:
        real(self)
        given_up.set()

    monkeypatch.setattr(protocol, "_READ_SECONDS", 0.2)
    monkeypatch.setattr(PatientProtocol, "_cut_off", cut_off)
    with example(tmp_path) as own:
        url = httpx.URL(str(own.http.base_url))
        with socket.create_connection((url.host, url.port or 80), HANGS) as connection:
            connection.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n" * 400)
            assert given_up.wait(HANGS)
            total = 0
            with suppress(ConnectionError):
                while part := connection.recv(1 << 20):
                    total += len(part)
        assert total < 200 * len(own.http.get("/openapi.json").content)


def test_whoever_sends_nothing_more_still_gets_the_response(server: Process, token: str) -> None:
    with socket.create_connection(("127.0.0.1", server.port), HANGS) as connection:
        connection.sendall(head(token, f"Content-Length: {len(BODY)}") + BODY)
        connection.shutdown(socket.SHUT_WR)
        assert statuses(received(connection)) == [200]


@pytest.mark.parametrize("size", [2_000_000, 12_000_000])
def test_whoever_sends_far_too_much_is_told_so(server: Process, token: str, size: int) -> None:
    content = b" " * size
    headers = {**bearer(token), "Content-Type": "application/json"}
    found = post(f"{server.url}{QUERIES}", content=content, headers=headers)
    assert (found.status_code, found.json()["error"]["code"]) == (413, "too_large")
    unknown = post(f"{server.url}{QUERIES}", content=content)
    assert unknown.status_code in {401, 413}


def test_pipelined_requests_are_answered_one_by_one(server: Process, token: str) -> None:
    lines = f"GET /v1/session HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
    several = f"{lines}\r\n{lines}\r\n{lines}Connection: close\r\n\r\n".encode()
    assert statuses(server.send(several)) == [200, 200, 200]


def test_a_token_that_is_sent_twice_counts_for_nothing(server: Process, token: str) -> None:
    found = server.send(
        f"GET /v1/session HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
        f"Authorization: Bearer {token}\r\nConnection: close\r\n\r\n".encode()
    )
    assert statuses(found) == [401]


@pytest.mark.parametrize(
    "garbage", [b"\x16\x03\x01\x02\x00\x01", b"GET\r\n\r\n", b"\x00" * 100, b"GET / HTTP/9.9\r\n\r\n"]
)
def test_what_is_no_http_is_refused_in_the_usual_shape(server: Process, garbage: bytes) -> None:
    found = server.send(garbage)
    assert statuses(found) == [400]
    assert json.loads(found.partition(b"\r\n\r\n")[2])["error"]["code"] == "bad_request"


def test_a_head_has_an_end(server: Process, token: str) -> None:
    lines = [f"X-{number}: {'x' * 1000}" for number in range(200)]
    found = server.send(head(token, *lines))
    assert statuses(found) in ([431], [])  # the connection may be gone before the refusal is read


@pytest.mark.parametrize("cut", [40, -2])
def test_a_large_body_is_no_part_of_a_head_that_comes_in_pieces(
    server: Process, token: str, cut: int
) -> None:
    body = json.dumps({"queries": ["SELECT COUNT(*) FROM meters"], "dry_run": True}).encode() + b" " * 150_000
    whole = head(token, f"Content-Length: {len(body)}")
    found = server.send(whole[:cut], later=whole[cut:] + body)
    assert statuses(found) == [413]  # which is what a body is refused with


@pytest.mark.parametrize("deep", [b"[" * 49_000, b'{"queries":' + b'{"a":' * 9000])
def test_deep_json_is_a_bad_request(server: Process, token: str, deep: bytes) -> None:
    found = server.send(last(token, f"Content-Length: {len(deep)}") + deep)
    assert statuses(found) == [400]


def test_ten_thousand_statements_are_too_many(server: Process, token: str) -> None:
    body = json.dumps({"queries": ["S"] * 10_000}).encode()
    found = server.send(last(token, f"Content-Length: {len(body)}") + body)
    assert statuses(found) == [413]
    assert b"a batch has at most 100 statements" in found


def test_deep_sql_is_a_bad_query(server: Process, token: str) -> None:
    for sql in (
        "SELECT " + "(" * 5000,
        "SELECT " + "SUM(" * 5000,
        "SELECT COUNT(*) FROM meters WHERE " + "NOT " * 5000,
    ):
        body = json.dumps({"queries": [sql]}).encode()
        found = server.send(last(token, f"Content-Length: {len(body)}") + body)
        assert statuses(found) == [400]
        assert b'"bad_query"' in found


def test_a_client_that_goes_away_is_charged_once(server: Process, token: str) -> None:
    def spent() -> float:
        found = get(f"{server.url}/v1/datasets", headers=bearer(token))
        return float(found.json()["datasets"][0]["spent"])

    before = spent()
    body = json.dumps({"queries": ["SELECT MAX(kwh) FROM meters"]}).encode()
    for _ in range(20):
        with socket.create_connection(("127.0.0.1", server.port), HANGS) as connection:
            connection.sendall(head(token, f"Content-Length: {len(body)}") + body)
    wait_until(lambda: spent() != before, "somebody is charged")
    again = post(f"{server.url}{QUERIES}", content=body, headers={**bearer(token), **JSON}).json()
    assert (again["batch_bits"], again["spent"]) == (0, before + 1)


def test_websockets_are_refused(server: Process) -> None:
    found = server.send(
        b"GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: eA==\r\n\r\n"
    )
    assert statuses(found) in ([200], [400], [404])


def test_the_log_says_nothing_that_was_sent(server: Process, token: str) -> None:
    text = server.log.read_text()
    assert TOTAL not in text
    assert token not in text
    assert "Traceback" not in text
