"""How a server is started."""

import os
from pathlib import Path

import pytest

from noiseless.server import processes as running
from noiseless.server.processes import serve
from noiseless.server.settings import ListenOptions, Settings
from waiting import free_port

CURATOR = """
[dataset]
name = "meters"
source = "meters.csv"
[budget]
bits = 4
[columns.kwh]
role = "private"
bounds = [0, 10]
"""


def test_plain_http_beyond_this_machine_is_warned_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "meters.csv").write_text("kwh\n1\n2\n")
    (tmp_path / "meters.toml").write_text(CURATOR)
    monkeypatch.setattr(os, "environ", dict(os.environ))
    monkeypatch.setattr(running, "set_up_logging", lambda _: None)
    supervised: list[int] = []
    monkeypatch.setattr(running, "_supervise", lambda _, listening: supervised.append(listening.workers))
    logged: list[str] = []
    monkeypatch.setattr(running, "log", lambda event, *_, **__: logged.append(event))
    listening = ListenOptions(host="0.0.0.0", port=free_port(), workers=2)
    serve(Settings((str(tmp_path / "meters.toml"),)), listening)
    assert logged[0] == "plain HTTP: tokens and answers can be read on the way"
    assert listening.url == f"http://127.0.0.1:{listening.port}"
    assert supervised == [2]


@pytest.mark.parametrize(
    ("listening", "expected"),
    [
        (ListenOptions(), False),
        (ListenOptions(host="localhost"), False),
        (ListenOptions(host="::1"), False),
        (ListenOptions(host="0.0.0.0"), True),
        (ListenOptions(host="data.example.org"), True),
        (ListenOptions(host="0.0.0.0", tls_cert="cert.pem"), False),
    ],
)
def test_plain_http_beyond_this_machine_is_known(listening: ListenOptions, expected: bool) -> None:
    assert listening.in_the_clear is expected
