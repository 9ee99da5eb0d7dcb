"""A table on a real PostgreSQL behind commands and behind a curator."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import noiseless as nl
from curator_examples import FILE, ROWS, write_curator
from noiseless.cli.main import run
from noiseless.curator import ChangedSourceError, Curator
from postgres import PostgresServer

pytest_plugins = ["databases"]

TABLE = "CREATE TABLE meters (suburb text, kwh numeric(4, 1), solar boolean, heating char(8))"
QUESTIONS = (
    "SELECT AVG(kwh) FROM meters",
    "SELECT suburb, MAX(kwh) FROM meters GROUP BY suburb",
    "SELECT COUNT(*) FROM meters WHERE kwh > 2",
    "SELECT COUNT(*) FROM meters WHERE heating = 'gas'",
)


def fill(server: PostgresServer) -> str:
    """The table of the curator's examples."""
    url = server.new_url()
    rows = ", ".join(str(row) for row in ROWS)
    server.execute(url, f"{TABLE}; INSERT INTO meters VALUES {rows}")
    return url


@pytest.fixture
def meters(postgres: PostgresServer) -> str:
    return fill(postgres)


def secretly(url: str) -> str:
    """The same address with a password in it, which the server does not ask for."""
    return url.replace("noiseless@", "noiseless:topsecret@") + "::meters"


def write_file(folder: Path, meters: str) -> Path:
    """A curator's file about the table."""
    place = folder / "there"
    place.mkdir()
    text = FILE.format(bits=20, query_bits=1, budget="", dataset="")
    file = place / "curator.toml"
    file.write_text(text.replace('"meters.csv"', json.dumps(secretly(meters))))
    return file


@pytest.fixture
def path(tmp_path: Path, meters: str) -> Path:
    return write_file(tmp_path, meters)


@pytest.fixture
def curator(path: Path) -> Iterator[Curator]:
    with Curator.open(path) as found:
        yield found


def told(curator: Curator) -> list[dict[str, Any]]:
    return [answer.to_dict() for sql in QUESTIONS for answer in curator.ask(sql).answers]


def test_answers_are_those_of_a_file(curator: Curator, tmp_path: Path) -> None:
    here = tmp_path / "here"
    here.mkdir()
    with Curator.open(write_curator(here, bits=20)) as other:
        assert told(curator) == told(other)
        assert repr(curator.exposure()) == repr(other.exposure())


def test_a_change_is_noticed_before_the_next_answer(
    curator: Curator, meters: str, postgres: PostgresServer
) -> None:
    curator.ask(QUESTIONS[0])
    spent = curator.state.spent
    postgres.execute(meters, "UPDATE meters SET kwh = 4 WHERE kwh = 3.0 AND heating = 'gas'")
    with pytest.raises(ChangedSourceError, match="the source changed since version 1"):
        curator.ask(QUESTIONS[2])
    assert curator.state.spent == spent
    assert curator.ask(QUESTIONS[0]).answers[0].free  # what was sent stays sent
    postgres.execute(meters, "UPDATE meters SET kwh = 3 WHERE kwh = 4")  # other versions of rows, same values
    curator.ask(QUESTIONS[2])
    postgres.execute(meters, "INSERT INTO meters SELECT * FROM meters WHERE suburb = 'west'")
    curator.declare_version()
    assert curator.ask(QUESTIONS[3]).answers


def test_a_change_elsewhere_does_not_matter(curator: Curator, meters: str, postgres: PostgresServer) -> None:
    curator.ask(QUESTIONS[0])
    postgres.execute(meters, "CREATE TABLE other AS SELECT 1 AS n")
    assert curator.ask(QUESTIONS[2]).answers


def test_a_server_that_is_gone_is_told_without_its_password(
    own_postgres: PostgresServer, tmp_path: Path
) -> None:
    with Curator.open(write_file(tmp_path, fill(own_postgres))) as curator:
        curator.ask(QUESTIONS[0])
        own_postgres.stop()
        with pytest.raises(ChangedSourceError, match="can no longer be read as declared") as caught:
            curator.ask(QUESTIONS[2])
        assert "topsecret" not in str(caught.value)
        own_postgres.start()
        assert curator.ask(QUESTIONS[2]).answers


def test_a_view_is_read_for_every_question(meters: str, path: Path, postgres: PostgresServer) -> None:
    postgres.execute(meters, "CREATE VIEW seen AS SELECT * FROM meters")
    path.write_text(path.read_text().replace("::meters", "::seen"))
    with Curator.open(path) as curator:
        curator.ask(QUESTIONS[0])
        postgres.execute(meters, "DELETE FROM meters WHERE suburb = 'west'")
        with pytest.raises(ChangedSourceError):
            curator.ask(QUESTIONS[2])


def test_commands(meters: str, path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page, records = tmp_path / "audit.html", tmp_path / "records.csv"
    source = secretly(meters)
    assert run(["audit", source, "--sensitive", "kwh", "--public", "suburb", "--html", str(page)]) == 0
    assert "topsecret" not in page.read_text()
    assert "postgresql://noiseless@/postgres::meters" in page.read_text()
    assert run(["audit", source, "--sensitive", "kwh", "--public", "suburb", "--format", "json"]) == 0
    assert run(["schema", source]) == 0
    assert run(["query", str(path), QUESTIONS[0]]) == 0
    assert run(["dataset", "declare", str(path)]) == 0
    out = capsys.readouterr()
    assert "3 groups" in out.out
    assert "topsecret" not in out.out + out.err
    assert run(["audit", source, "--sensitive", "kwh", "--public", "suburb", "--records", str(records)]) != 0
    assert run(["audit", source + "x", "--sensitive", "kwh", "--public", "suburb"]) != 0
    assert run(["audit", source, "--sensitive", "kw", "--public", "suburb"]) != 0
    out = capsys.readouterr()
    assert "its rows have no numbers" in out.err
    assert "did you mean meters?" in out.err
    assert "topsecret" not in out.out + out.err


def test_a_release_can_be_made_and_verified(meters: str, tmp_path: Path) -> None:
    released = nl.release(secretly(meters), sensitive="heating", public=["suburb"], min_posterior=2)
    released.save(tmp_path / "out.csv", certificate=tmp_path / "certificate.json")
    assert nl.verify(
        tmp_path / "certificate.json", original=secretly(meters), released=tmp_path / "out.csv"
    ).holds
    shown = repr(released) + str(released.to_dict()) + (tmp_path / "certificate.json").read_text()
    assert "topsecret" not in shown
