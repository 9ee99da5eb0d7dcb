from pathlib import Path

import pytest

from noiseless.ledger.errors import LedgerError
from noiseless.ledger.location import beside, locate, normal_url, shown


@pytest.mark.parametrize(
    "address",
    [
        "sqlite://",
        "sqlite:///",
        "sqlite:///:memory:",
        "sqlite:///file:x",
        "sqlite:///a.db?mode=ro",
        "mysql://x",
        "",
    ],
)
def test_what_is_no_durable_ledger_is_refused(address: str) -> None:
    with pytest.raises(LedgerError):
        normal_url(address)


def test_passwords_are_not_shown() -> None:
    assert "secret" not in shown("postgresql+psycopg://me:secret@host:5432/db?password=secret")
    with pytest.raises(LedgerError) as caught:
        normal_url("oracle://me:secret@host/db")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("ledger", "expected"),
    [
        ("", "sqlite:///{}/meters-ledger.db"),
        ('[ledger]\nurl = "sqlite:///kept.db"\n', "sqlite:///{}/kept.db"),
        ('[ledger]\nurl = "sqlite:////var/kept.db"\n', "sqlite:////var/kept.db"),
        ('[ledger]\nurl = "postgresql://host/db"\n', "postgresql+psycopg://host/db"),
    ],
)
def test_a_curator_file_names_its_ledger(ledger: str, expected: str, tmp_path: Path) -> None:
    file = tmp_path / "curator.toml"
    file.write_text(f'[dataset]\nname = "meters"\n{ledger}')
    assert locate(str(file)) == (expected.format(tmp_path), "meters")


@pytest.mark.parametrize(
    "content", ["", "[dataset]\n", "dataset = 3\n", "not toml", '[ledger]\nurl = "x"\n', "ledger = 1"]
)
def test_a_file_that_is_no_curators_is_refused(content: str, tmp_path: Path) -> None:
    file = tmp_path / "curator.toml"
    file.write_text(content)
    with pytest.raises(LedgerError, match="curator's file"):
        locate(str(file))


def test_a_file_that_is_not_there_is_named() -> None:
    with pytest.raises(LedgerError, match=r"nowhere\.toml: no such file"):
        locate("nowhere.toml")


def test_a_url_names_no_dataset() -> None:
    assert locate("sqlite:///a.db") == ("sqlite:///a.db", None)
    assert beside(Path("/x"), "d", "/y/z.db") == "sqlite:////y/z.db"
