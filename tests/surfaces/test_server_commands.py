"""`noiseless token` and `noiseless serve`."""

import json
import socket
from pathlib import Path

import pytest

from curator_examples import write_curator
from noiseless.cli.main import run
from noiseless.ledger import Ledger
from noiseless.ledger.analysts import list_tokens
from waiting import free_port

pytestmark = pytest.mark.usefixtures("own_logging")


@pytest.fixture
def curator(tmp_path: Path) -> str:
    return str(write_curator(tmp_path))


def test_a_token_is_made_listed_and_revoked(curator: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["token", "add", curator, "--name", "ann", "--expires", "2999-01-01", "--format", "json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert (made["name"], made["role"], made["datasets"]) == ("ann", "analyst", ["meters"])
    assert run(["token", "list", curator, "--format", "json"]) == 0
    (listed,) = json.loads(capsys.readouterr().out)["tokens"]
    assert (listed["id"], listed["valid"], listed["created_by"]) == (made["id"], True, "owner")
    assert made["token"] not in json.dumps(listed)
    assert run(["token", "revoke", curator, made["id"], "--by", "olga"]) == 0
    assert capsys.readouterr().out == f"{made['id']} is revoked\n"
    assert run(["token", "revoke", curator, made["id"], "--format", "json"]) == 1
    assert json.loads(capsys.readouterr().out)["revoked"] is False
    run(["token", "list", curator])
    assert "revoked" in capsys.readouterr().out


def test_a_token_prints_as_one_line(curator: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["token", "add", curator, "--name", "olga", "--role", "owner"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("nls_")
    assert text.count("\n") == 1
    assert run(["token", "revoke", curator, text.strip()]) == 0  # the whole token will do too


def test_an_expired_token_is_shown_as_such(curator: str, capsys: pytest.CaptureFixture[str]) -> None:
    from server_examples import new_token

    new_token(Path(curator), expires="2001-01-01T00:00:00.000000Z")
    run(["token", "list", curator])
    assert "expired 2001-01-01T00:00Z" in capsys.readouterr().out


def test_one_token_for_several_datasets(
    curator: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "other"
    folder.mkdir()
    other = write_curator(folder)
    other.write_text(other.read_text().replace('"meters"', '"others"'))
    assert run(["token", "add", curator, str(other), "--name", "ann", "--format", "json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert made["datasets"] == ["meters", "others"]
    for path in (tmp_path / "meters-ledger.db", folder / "others-ledger.db"):
        with Ledger.open(path) as ledger:
            assert [token.id for token in list_tokens(ledger)] == [made["id"]]


def test_tokens_are_listed_in_columns(curator: str, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("ann", "a longer name"):
        run(["token", "add", curator, "--name", name])
    capsys.readouterr()
    run(["token", "list", curator])
    assert len({line.index("for ever") for line in capsys.readouterr().out.splitlines()}) == 1


def test_no_tokens(curator: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["token", "list", curator]) == 0
    assert capsys.readouterr().out == "meters has no tokens\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["token", "add", "CURATOR"], "--name"),
        (["token", "add", "CURATOR", "--name", "a", "--expires", "soon"], "an expiry is a span"),
        (["token", "add", "CURATOR", "--name", "a", "--role", "king"], "king"),
        (["token", "add", "CURATOR", "--name", "a" * 101], "1 to 100 characters"),
        (["token", "list", "nothing.toml"], "no such file"),
        (["serve", "nothing.toml", "--port", "PORT"], "no such file"),
        (["serve", "CURATOR", "CURATOR", "--port", "PORT"], "two files are about a dataset called 'meters'"),
        (["serve", "CURATOR", "--tls-cert", "cert.pem"], "go together"),
        (
            ["serve", "CURATOR", "--tls-cert", "cert.pem", "--tls-key", "key.pem"],
            "cert.pem: there is no such file",
        ),
        (["serve", "CURATOR", "--port", "0"], "--port"),
        (["serve"], "CURATOR"),
    ],
)
def test_a_wrong_request_is_one_line(
    curator: str, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    places = {"CURATOR": curator, "PORT": str(free_port())}
    assert run([places.get(argument, argument) for argument in arguments]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert said in lines[-1]
    assert lines[-1].startswith("noiseless: ")


def test_a_file_that_says_something_else_than_the_ledger_is_not_served(
    curator: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run(["query", curator, "SELECT SUM(kwh) FROM meters"])
    path = Path(curator)
    path.write_text(path.read_text().replace("bits = 6", "bits = 5"))
    assert run(["serve", curator, "--port", str(free_port())]) == 2
    assert "noiseless dataset budget" in capsys.readouterr().err


def test_a_port_that_is_taken_is_one_line(curator: str, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert run(["serve", curator, "--port", str(port)]) == 2
    assert f"port {port}: " in capsys.readouterr().err
