"""A dataset whose file, source and ledger do not agree: analysts and logs learn nothing of what is wrong."""

import logging
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from curator_examples import ROWS, write_curator
from noiseless.curator import custody
from noiseless.errors import (
    DomainError,
    EmptyTableError,
    MissingValuesError,
    NoiselessError,
    RequestError,
    SourceError,
)
from noiseless.ledger import Ledger
from noiseless.server import processes as running
from noiseless.server.settings import ListenOptions, Settings
from noiseless.server.telemetry import LOGGER, JsonLines
from server_examples import TOTAL, Example, code, example

# Too long to stand in a time or a duration of the log.
SECRET = 171_717_171_717
TELLING = [
    DomainError("kwh", SECRET, "0..10", "declare more"),
    MissingValuesError("kwh", SECRET, "fill them"),
    RequestError(f"a person has {SECRET} rows, and max_rows is 2"),
    SourceError(f"/private/{SECRET}.csv", "cannot be read"),
    EmptyTableError(f"{SECRET}.csv has no rows"),
]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Example]:
    with example(tmp_path) as found:
        yield found


def telling(text: str) -> bool:
    return str(SECRET) in text.replace(",", "")


@pytest.mark.parametrize("error", TELLING, ids=lambda error: type(error).__name__)
def test_what_is_wrong_with_the_data_is_for_the_owner_alone(
    server: Example,
    error: NoiselessError,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail(*_: object) -> None:
        raise error

    server.analyst.ask(TOTAL)
    with Ledger.open(tmp_path / "meters-ledger.db") as ledger:
        ledger.declare("meters", digest="other", budget=6, new_version=True)
    monkeypatch.setattr(custody, "current", fail)
    monkeypatch.setattr(logging.getLogger(LOGGER), "propagate", True)
    with caplog.at_level(logging.INFO, LOGGER):
        found = [server.analyst.ask(TOTAL), server.analyst.ask(TOTAL, dry_run=True)]
        below = ("", "/sample", "/history", "/exposure")
        found += [server.owner.get(f"/v1/datasets/meters{path}") for path in below]
    assert {code(each) for each in found if each.status_code != 200} == {(409, "data_changed")}
    assert code(found[0]) == code(found[1]) == (409, "data_changed")
    seen = [each.text for each in found] + [JsonLines().format(record) for record in caplog.records]
    assert all(telling(str(text)) for text in TELLING)
    assert not any(map(telling, seen))


def test_a_changed_source_is_refused_and_served_again_once_it_is_declared(
    server: Example, tmp_path: Path
) -> None:
    from noiseless.curator import Curator

    write_curator(tmp_path, rows=(*ROWS, ("west", "10", "true", "gas")))
    refused = server.analyst.ask(TOTAL)
    assert code(refused) == (409, "data_changed")
    assert "its owner must declare it" in refused.text
    with Curator.unchecked(server.curator) as curator:
        curator.declare_version()
    assert server.analyst.ask(TOTAL).status_code == 200


def test_whoever_starts_a_server_is_told_what_is_wrong(tmp_path: Path) -> None:
    write_curator(tmp_path, rows=(*ROWS, ("west", "11", "true", "gas")))
    with pytest.raises(DomainError, match="1 value is outside"), example(tmp_path):
        pass


@pytest.mark.usefixtures("own_logging")
def test_the_log_of_one_of_several_processes_is_not(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    curator = write_curator(tmp_path, rows=(*ROWS, ("west", "11", "true", "gas")))
    with pytest.raises(SystemExit), socket.socket() as shared:
        running._work(Settings((str(curator),)), ListenOptions(), shared)
    said = capfd.readouterr().err
    assert "DomainError" in said
    assert "outside" not in said
