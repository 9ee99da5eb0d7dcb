"""How a server is started."""

import os
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from noiseless.server.running import Listening, serve
from noiseless.server.settings import Settings

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


def test_a_worker_that_is_slow_to_open_its_datasets_is_not_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Uvicorn ends a worker that does not answer for 5 seconds; a large table takes longer to be read."""
    (tmp_path / "meters.csv").write_text("kwh\n1\n2\n")
    (tmp_path / "meters.toml").write_text(CURATOR)
    monkeypatch.setattr(os, "environ", dict(os.environ))
    monkeypatch.setattr("noiseless.server.logs.set_up_logging", lambda _: None)
    started: list[tuple[Any, dict[str, Any]]] = []
    monkeypatch.setattr(uvicorn, "run", lambda app, **options: started.append((app, options)))
    serve(Settings((str(tmp_path / "meters.toml"),)), Listening(workers=2))
    ((app, options),) = started
    assert options["workers"] == 2
    config = uvicorn.Config(app, **{name: value for name, value in options.items() if name != "log_config"})
    assert config.timeout_worker_healthcheck >= 60
