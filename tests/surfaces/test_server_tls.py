"""HTTPS by `noiseless serve` itself, as the client and others see it."""

import signal
import ssl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

import noiseless as nl
from curator_examples import write_curator
from noiseless.client import Unreachable
from server_examples import TOTAL, new_token
from tls_examples import certificate
from waiting import HANGS, free_port, wait_until


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tls")


@pytest.fixture(scope="module", params=[1, 2], ids=["one process", "two processes"])
def server(folder: Path, request: pytest.FixtureRequest) -> Iterator[int]:
    """A server with a certificate that it signed itself; its port."""
    cert, key = certificate(folder)
    port, curator = free_port(), write_curator(folder)
    options = ("--host", "0.0.0.0", "--port", str(port), "--tls-cert", str(cert), "--tls-key", str(key))
    program = [str(Path(sys.executable).with_name("noiseless")), "serve", str(curator), *options]
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen([*program, "--workers", str(request.param)], stdout=log, stderr=log)
        try:
            _wait(port, cert, process)
            yield port
        finally:
            process.send_signal(signal.SIGTERM)
            code = process.wait(HANGS)
    assert code == 0, (folder / "server.log").read_text()
    lines = (folder / "server.log").read_text().splitlines()
    assert all(line.startswith("{") for line in lines), lines


def _wait(port: int, cert: Path, process: "subprocess.Popen[bytes]") -> None:
    trusted = ssl.create_default_context(cafile=str(cert))

    def is_ready() -> bool:
        assert process.poll() is None
        try:
            url = f"https://localhost:{port}/readyz"
            return httpx.get(url, verify=trusted, timeout=HANGS).status_code == 200
        except httpx.TransportError:
            return False

    wait_until(is_ready, "the server starts")


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
def test_the_client_asks_over_tls(server: int, folder: Path, host: str) -> None:
    token = new_token(folder / "curator.toml")
    with nl.connect(f"https://{host}:{server}", token, ca_file=folder / "server.pem") as client:
        assert client.ask(TOTAL).answers[0].lower is not None
        assert client.session.name == "ann"


def test_a_certificate_of_somebody_else_is_refused(server: int, folder: Path) -> None:
    other, _ = certificate(folder, "other")
    token = new_token(folder / "curator.toml")
    for trusted in (other, None):
        with pytest.raises(Unreachable, match="certificate is not trusted"):
            nl.connect(f"https://localhost:{server}", token, ca_file=trusted)


def test_a_certificate_of_another_name_is_refused(server: int, folder: Path) -> None:
    token = new_token(folder / "curator.toml")
    with pytest.raises(Unreachable, match="certificate is not trusted"):
        nl.connect(f"https://127.0.0.2:{server}", token, ca_file=folder / "server.pem")


def test_plain_http_to_a_tls_port_is_refused(server: int) -> None:
    with pytest.raises(httpx.TransportError):
        httpx.get(f"http://localhost:{server}/healthz", timeout=HANGS)


def test_old_protocols_are_refused(server: int) -> None:
    old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
    old.minimum_version = ssl.TLSVersion.TLSv1_2
    with httpx.Client(verify=old, timeout=HANGS) as client:
        assert client.get(f"https://localhost:{server}/healthz").status_code == 200
    command = [
        "openssl",
        "s_client",
        "-connect",
        f"localhost:{server}",
        "-tls1_1",
        "-cipher",
        "ALL:@SECLEVEL=0",
    ]
    found = subprocess.run(command, check=False, input=b"", capture_output=True, timeout=HANGS)
    assert found.returncode != 0
