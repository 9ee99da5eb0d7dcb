"""Connections that are slow, cut off, too talkative or not what they say."""

import json
import os
import shutil
import socket
import ssl
import subprocess
import threading
import time
from contextlib import AbstractContextManager
from http.client import HTTPConnection
from pathlib import Path

import pytest

from client_servers import (
    IMPATIENT,
    SESSION,
    TOKEN,
    FakeServer,
    FakeTime,
    Say,
    Seen,
    fake,
    reply,
    statement,
)
from noiseless.client import BadReply, Client, ServerError, TooLarge, Unreachable, connect
from noiseless.client.calls import Patience
from noiseless.errors import RequestError
from waiting import HANGS, free_port

SQL = "SELECT AVG(kwh) FROM meters"
ANSWER = Say(reply(statement()))
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


def always(said: Say) -> AbstractContextManager[FakeServer]:
    """Whatever is asked."""
    return fake(lambda seen: None if seen.path == "/v1/session" else said)


def idle(client: Client) -> list[HTTPConnection]:
    """The connections that are kept."""
    kept = client._calls.transport._pool.pool
    assert kept is not None
    return [connection for connection in kept.queue if connection is not None and connection.sock is not None]


def test_connections_are_kept() -> None:
    with always(ANSWER) as server:
        with connect(server.url, TOKEN) as client:
            for _ in range(5):
                client.ask(SQL)
        assert (len(server.seen), server.connections) == (6, 1)


def test_a_kept_connection_that_the_server_ended_is_replaced_at_once() -> None:
    def script(seen: Seen) -> Say | None:
        return Say(ANSWER.body, headers={"Connection": "close"}) if seen.method == "POST" else None

    with fake(script) as server, connect(server.url, TOKEN) as client:
        (first,) = idle(client)
        assert first.sock is not None
        first.sock.shutdown(socket.SHUT_RDWR)
        fake_time = FakeTime()
        client._calls.patience = fake_time.patience()
        client.ask(SQL)
        assert fake_time.waits == []  # nobody was busy
        assert len(server.asked()) == 1
        client.ask(SQL)
        assert idle(client) == []  # the server said that it ends these


@pytest.mark.parametrize("pause", [0.0, 0.05])
def test_what_comes_after_a_reply_is_not_taken_for_the_next_one(pause: float) -> None:
    """A reply that nobody asked for, in the same packet or in one of its own."""

    def content(outputs: int) -> bytes:
        body = json.dumps(reply(statement(), spent_exact=f"log2({outputs})")).encode()
        return HEAD + f"Content-Length: {len(body)}\r\n\r\n".encode() + body

    def script(seen: Seen) -> Say | None:
        if seen.path == "/v1/session":
            return None
        place = len(server.asked())
        stray = content(666) if place == 1 else b""
        return Say(raw=content(place + 2) + stray, keep=True)

    with fake(script) as server, connect(server.url, TOKEN) as client:
        assert client.ask(SQL).spent.outputs == 3
        time.sleep(pause)
        assert client.ask(SQL).spent.outputs == 4


def test_a_reply_to_another_request_is_told() -> None:
    with always(Say(reply(statement(), key="other"))) as server, connect(server.url, TOKEN) as client:
        with pytest.raises(BadReply, match="to another request"):
            client.ask(SQL)
        assert client.ask(SQL, key="other").spent.outputs == 2


def test_several_threads_use_several_connections() -> None:
    together = threading.Barrier(4, timeout=HANGS)

    def script(seen: Seen) -> Say | None:
        if seen.method != "POST":
            return None
        together.wait()
        return ANSWER

    with fake(script) as server, connect(server.url, TOKEN) as client:
        threads = [threading.Thread(target=client.ask, args=(SQL,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert server.connections == 4
        assert len(idle(client)) == 4


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_process_that_was_forked_does_not_read_from_its_parents_connections(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with always(ANSWER) as server, connect(server.url, TOKEN) as client:
        monkeypatch.setattr(os, "getpid", lambda: 1)  # as a child would see it
        client.ask(SQL)
        assert server.connections == 2


@pytest.mark.parametrize(
    "raw",
    [
        HEAD + b"Content-Length: 100\r\n\r\n{",  # and then nothing
        HEAD,
        b"",
    ],
)
def test_a_reply_that_never_ends_is_given_up_in_time(raw: bytes) -> None:
    ended = threading.Event()

    def script(seen: Seen) -> Say | None:
        if seen.path == "/v1/session":
            return None
        ended.wait(HANGS)
        return None

    def drip(seen: Seen) -> Say | None:
        return None if seen.path == "/v1/session" else Say(raw=raw + b" " * 10**6, drip=0.02)

    with fake(drip if raw else script) as server:
        client = connect(server.url, TOKEN)
        client._calls.transport._timeout = 0.3
        client._calls.patience = IMPATIENT
        with pytest.raises(Unreachable, match="no reply in time; asking again is safe"):
            client.ask(SQL)  # although every single byte comes in time, for hours
        ended.set()
        client.close()


def test_a_large_reply_is_refused_before_it_is_read() -> None:
    with always(Say(raw=HEAD + b"Content-Length: 10000000000\r\n\r\n{")) as server:
        client = connect(server.url, TOKEN)
        with pytest.raises(BadReply, match="more than 64,000,000 bytes; ask for less at once"):
            client.ask(SQL)
        client.close()


def test_a_reply_without_an_end_is_refused_when_it_is_too_large() -> None:
    chunk = b"1000\r\n" + b" " * 0x1000 + b"\r\n"
    with always(Say(raw=HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + chunk * 100)) as server:
        client = connect(server.url, TOKEN, max_bytes=100_000)
        with pytest.raises(BadReply, match="more than 100,000 bytes"):
            client.ask(SQL)
        client.close()


@pytest.mark.parametrize(
    "raw", [b"SSH-2.0-OpenSSH_9.2\r\n", b"\x15\x03\x01\x00\x02\x02\x16", b"HTTP/1.1 abc OK\r\n\r\n"]
)
def test_what_speaks_no_http_is_told(raw: bytes) -> None:
    said = "does not speak HTTP; check the address and the port"
    with fake(lambda _: Say(raw=raw)) as server, pytest.raises(BadReply, match=said):
        connect(server.url, TOKEN)


def test_heads_without_end_are_refused() -> None:
    endless = Say(raw=HEAD + b"X: y\r\n" * 1000 + b"\r\n{}")
    with fake(lambda _: endless) as server, pytest.raises(BadReply):
        connect(server.url, TOKEN)


def test_nothing_prints_the_token_even_where_http_is_debugged(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(HTTPConnection, "debuglevel", 1)
    with always(ANSWER) as server, connect(server.url, TOKEN) as client:
        client.ask(SQL)
        assert server.asked()[0].headers["authorization"] == f"Bearer {TOKEN}"
    told = capsys.readouterr()
    assert TOKEN not in told.out + told.err


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long clients wait, of which nobody has to wait for the end."""
    found: list[float] = []
    patience = Patience(sleep=found.append)
    monkeypatch.setattr("noiseless.client.client.Patience", lambda: patience)
    return found


def test_a_name_that_nobody_knows_is_told_before_long(
    waits: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(Unreachable, match=r"https://nowhere\.invalid cannot be reached: "):
        connect("https://nowhere.invalid", TOKEN)
    assert sum(waits) < 5


def test_nobody_there_is_told_before_long(waits: list[float]) -> None:
    with pytest.raises(Unreachable, match=r"refused; check that a server runs there, and its port$"):
        connect(f"http://127.0.0.1:{free_port()}", TOKEN)
    assert sum(waits) < 5


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate that only those trust who are told to, with its key in the same file."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl makes the certificate")
    folder = tmp_path_factory.mktemp("tls")
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    made = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    files = ["-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")]
    subprocess.run(["openssl", "req", "-x509", *made, *names, *files], check=True, capture_output=True)
    both = folder / "both.pem"
    both.write_text((folder / "key.pem").read_text() + (folder / "cert.pem").read_text())
    return both


def test_certificates_are_checked(certificate: Path) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with always(ANSWER) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        port = server.server_address[1]
        for insecure in (False, True):  # which is about plain HTTP, and never about certificates
            with pytest.raises(
                Unreachable, match=r"its certificate is not trusted .*pass ca_file="
            ) as caught:
                connect(f"https://localhost:{port}", TOKEN, insecure=insecure)
            assert "asking again" not in str(caught.value)
        with pytest.raises(Unreachable, match="its certificate is not trusted"):
            connect(f"https://127.0.0.1:{port}", TOKEN, ca_file=certificate)  # another name
        assert server.seen == []  # no token was sent
        with connect(f"https://localhost:{port}", TOKEN, ca_file=certificate) as client:
            client.ask(SQL)
            client.ask(SQL)
        assert len(server.asked()) == 2


def test_tls_to_who_speaks_none_is_told() -> None:
    with fake(lambda _: Say(raw=b"")) as server:
        with pytest.raises(Unreachable):
            connect(server.url.replace("http://", "https://"), TOKEN, patience=1)
        assert server.seen == []


def test_a_file_of_certificates_that_is_none_is_told(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="no file of certificates"):
        connect("https://data.example.org", TOKEN, ca_file=tmp_path / "nothing.pem")


@pytest.mark.parametrize("status", [100, 102, 103])
def test_a_response_that_is_only_announced_is_waited_for(status: int) -> None:
    content = json.dumps(reply(statement())).encode()
    early = f"HTTP/1.1 {status} Soon\r\nLink: </x>\r\n\r\n".encode() * 2
    late = HEAD + f"Content-Length: {len(content)}\r\n\r\n".encode() + content
    with always(Say(raw=early + late, keep=True)) as server, connect(server.url, TOKEN) as client:
        for _ in range(3):
            assert client.price(SQL).results[0].sql == SQL


def test_another_protocol_that_nobody_asked_for_ends_the_connection() -> None:
    said = Say(raw=b"HTTP/1.1 101 Switching Protocols\r\n\r\n" + b"x", keep=True)
    with always(said) as server, connect(server.url, TOKEN) as client:
        with pytest.raises(ServerError):
            client.price(SQL)
        assert idle(client) == []


def test_a_refusal_before_all_was_sent_is_read() -> None:
    body = b'{"error":{"code":"too_large","message":"too much","details":{}}}'
    head = f"HTTP/1.1 413 Too Large\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"

    def refuse(listening: socket.socket) -> None:
        for said in (b"", head.encode() + body):
            connection, _ = listening.accept()
            connection.recv(1000)
            if said:
                connection.sendall(said)
                connection.shutdown(socket.SHUT_WR)
                time.sleep(0.3)
            else:
                session = json.dumps(SESSION).encode()
                size = f"Connection: close\r\nContent-Length: {len(session)}\r\n\r\n".encode()
                connection.sendall(HEAD + size + session)
            connection.close()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=refuse, args=(listening,))
        thread.start()
        client = connect(f"http://127.0.0.1:{listening.getsockname()[1]}", TOKEN, patience=2)
        with pytest.raises((TooLarge, Unreachable)):  # the system may throw the refusal away
            client.ask("x" * 30_000_000)
        thread.join()


def test_what_a_server_writes_is_no_command_for_the_terminal() -> None:
    evil = "\x1b[2J\x07"
    session = {**SESSION, "name": evil, "datasets": [evil]}
    said = reply(statement(), rule=evil, warnings=[evil])
    with fake(lambda seen: Say(session if seen.path == "/v1/session" else said)) as server:
        client = connect(server.url, TOKEN)
        for shown in (client, client[evil], client[evil].price(SQL)):
            assert "\x1b" not in repr(shown)
            assert "\x07" not in repr(shown)
            assert "x1b" in repr(shown)
