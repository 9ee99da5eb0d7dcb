"""The files of docs/deploy, as far as their programs are installed here."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

import noiseless as nl
from curator_examples import write_curator
from noiseless.client import TooLarge
from server_examples import TOTAL, Process, bearer, new_token
from tls_examples import certificate
from waiting import HANGS, free_port, wait_until

DEPLOY = Path(__file__).parents[2] / "docs" / "deploy"

NGINX = """
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{}}
http {{
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/site.conf;
}}
"""


def program(name: str) -> str:
    found = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("deploy")


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Process]:
    with Process(write_curator(folder)) as found:
        yield found


@pytest.fixture(scope="module")
def proxy(folder: Path, server: Process) -> Iterator[str]:
    """A real nginx in front of the server; its URL."""
    nginx, (cert, key), port = program("nginx"), certificate(folder), free_port()
    site = (DEPLOY / "nginx.conf").read_text()
    below = "location /below/ { proxy_pass http://noiseless/; proxy_http_version 1.1; }"
    for old, new in (
        ("127.0.0.1:8000", f"127.0.0.1:{server.port}"),
        ("listen 443", f"listen 127.0.0.1:{port}"),
        ("/etc/ssl/data.pem", str(cert)),
        ("/etc/ssl/data.key", str(key)),
        ("location = /metrics", f"{below}\n    location = /metrics"),
    ):
        assert old in site
        site = site.replace(old, new)
    (folder / "site.conf").write_text(site)
    (folder / "nginx.conf").write_text(NGINX.format(folder=folder))
    command = [nginx, "-c", str(folder / "nginx.conf"), "-e", str(folder / "error.log")]
    checked = subprocess.run([*command, "-t"], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: _is_up(port, cert), "nginx starts")
        yield f"https://localhost:{port}"
    finally:
        process.terminate()
        process.wait(HANGS)


def _is_up(port: int, cert: Path) -> bool:
    try:
        return httpx.get(f"https://localhost:{port}/healthz", verify=str(cert), timeout=HANGS).is_success
    except httpx.TransportError:
        return False


@pytest.mark.filterwarnings("ignore:.*verify=<str>.*:DeprecationWarning")
@pytest.mark.parametrize("below", ["", "/below"])
def test_the_client_asks_through_nginx(proxy: str, folder: Path, below: str) -> None:
    token = new_token(folder / "curator.toml")
    with nl.connect(proxy + below, token, ca_file=folder / "server.pem") as client:
        first, again = client.ask(TOTAL), client.ask(TOTAL)
        assert first.answers[0].lower == again.answers[0].lower
        assert client.datasets()[0].name == "meters"
        with pytest.raises(TooLarge):
            client.ask("SELECT " + "x" * 2_000_000)


@pytest.mark.filterwarnings("ignore:.*verify=<str>.*:DeprecationWarning")
def test_what_nginx_shows_and_hides(proxy: str, folder: Path) -> None:
    with httpx.Client(base_url=proxy, verify=str(folder / "server.pem"), timeout=HANGS) as http:
        console = http.get("/")
        assert (console.status_code, "noiseless" in console.text) == (200, True)
        assert console.headers["strict-transport-security"] == "max-age=31536000"
        assert "script-src 'self'" in console.headers["content-security-policy"]
        assert http.get("/below/").status_code == 200
        assert http.get("/below/app.js").headers["content-type"].startswith("text/javascript")
        assert http.get("/metrics").status_code == 403
        assert http.get("/v1/session").status_code == 401
        token = new_token(folder / "curator.toml")

        def name() -> str | None:
            session = http.get("/v1/session", headers=bearer(token))
            return str(session.json()["name"]) if session.is_success else None

        assert wait_until(name, "the new token is known") == "ann"


def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    analyse = program("systemd-analyze")
    text = (DEPLOY / "noiseless.service").read_text()
    start = re.search(r"^ExecStart=(\S+) (.*)$", text, re.MULTILINE)
    assert start is not None
    unit = tmp_path / "noiseless.service"
    unit.write_text(text.replace(start[1], sys.executable))
    found = subprocess.run([analyse, "verify", str(unit)], capture_output=True, text=True, check=False)
    assert (found.returncode, "noiseless.service" in found.stderr) == (0, False), found.stderr
    command = [analyse, "security", "--offline=true", "--threshold=30", str(unit)]
    safe = subprocess.run(command, capture_output=True, text=True, check=False)
    assert safe.returncode == 0, safe.stdout[-300:] + safe.stderr


def test_the_container_starts_what_there_is(server: Process) -> None:
    """Its own steps need an image of Python; here its command and its check are those of this package."""
    text = (DEPLOY / "Containerfile").read_text()
    entry = re.search(r'^ENTRYPOINT \["noiseless", "serve", (.*)\]$', text, re.MULTILINE)
    assert entry is not None
    shown = subprocess.run(
        [sys.executable, "-m", "noiseless", "serve", "--help"], capture_output=True, text=True, check=True
    )
    assert "--host" in entry[1]
    assert "--host" in shown.stdout
    check = re.search(r'^ +CMD \["python", "-c", "(.*)"\]$', text, re.MULTILINE)
    assert check is not None
    for port, healthy in ((server.port, True), (free_port(), False)):
        command = [sys.executable, "-c", check[1].replace("8000", str(port))]
        assert (subprocess.run(command, capture_output=True, check=False).returncode == 0) is healthy
