"""`noiseless ledger`: accounts, checks, exports and backups from the command line."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from noiseless.amounts import Cost
from noiseless.cli.main import run
from noiseless.exact import Bits
from noiseless.ledger import Ledger, NewQuestion, Shares
from noiseless.ledger.entries import canonical


@pytest.fixture
def filled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A curator's file whose ledger has some entries."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "meters.toml").write_text('[dataset]\nname = "meters"\n')
    with Ledger.open("meters-ledger.db") as ledger:
        ledger.declare("meters", digest="a", budget=3, analyst_budget=Bits(5))
        ledger.settle(
            "meters",
            lambda books: books.charge(
                Shares(Cost(2), {"north": Cost(3)}), analyst="ann", questions=[NewQuestion("q")]
            ),
        )
        ledger.store("meters", {"q": {"value": 1}})
        ledger.declare("visits", digest="a", budget=None)
        ledger.declare("visits", digest="b", budget=None, new_version=True, carry_over=False)
        ledger.record_release("visits", "cert", Cost(8))
    return "meters.toml"


def result(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> Any:  # noqa: ANN401 - JSON
    assert run(["ledger", *arguments, "--format", "json"]) == code
    return json.loads(capsys.readouterr().out)


def test_show_tells_accounts_and_entries(filled: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = result(capsys, "show", filled)
    assert [entry["kind"] for entry in found["entries"]] == ["dataset", "charge", "answers"]
    assert found["chain_ok"]
    assert found["spent"] == Cost(3).upper
    (meters,) = found["datasets"]
    assert (meters["budget"], meters["spent_outputs"], meters["remaining_outputs"]) == (3.0, 3, 2)
    assert meters["remaining"] == pytest.approx(1.415, abs=1e-3)
    assert meters["analysts"] == {"ann": Cost(3).upper}
    everything = result(capsys, "show", "sqlite:///meters-ledger.db", "--last", "2")
    assert [entry["kind"] for entry in everything["entries"]] == ["version", "release"]
    assert [state["dataset"] for state in everything["datasets"]] == ["meters", "visits"]
    assert (everything["spent"], everything["datasets"][1]["remaining"]) == (3.0, None)
    assert len(result(capsys, "show", filled, "--dataset", "visits")["entries"]) == 3


@pytest.mark.parametrize("most", [1, 300, 500, 10**6])
def test_show_goes_on_where_it_stopped(
    filled: str, most: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    everything = result(capsys, "show", "meters-ledger.db")
    assert (len(everything["entries"]), everything["next"]) == (6, None)
    monkeypatch.setattr("noiseless.cli.ledger._MOST_CHARACTERS", most)
    found, before = list[Any](), ["--last", "1000"]
    while True:
        page = result(capsys, "show", "meters-ledger.db", *before)
        sizes = [len(canonical(entry["body"])) for entry in page["entries"]]
        assert len(sizes) == 1 or sum(sizes) <= most
        found[:0] = page["entries"]
        if page["next"] is None:
            break
        before = ["--before", str(page["next"])]
    assert found == everything["entries"]
    assert result(capsys, "show", filled, "--last", "0")["next"] is None


@pytest.mark.usefixtures("filled")
def test_show_reads_well(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ledger", "show", "meters-ledger.db"]) == 0
    text = capsys.readouterr().out
    assert "meters, version 1: 1.59 bits of 3.00 bits are spent; 1.41 bits are left" in text
    assert "meters: 1 question for 1.59 bits by ann" in text
    assert "visits: version 2, budgets begin anew" in text
    assert "visits: a table release for 3.00 bits" in text
    assert "The ledger is whole up to 6:" in text
    assert "Earlier entries" not in text
    assert run(["ledger", "show", "meters-ledger.db", "--last", "2"]) == 0
    assert "\nEarlier entries: --before 5, or --last N.\n     5  " in capsys.readouterr().out


def test_verify_says_what_is_broken(filled: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = result(capsys, "verify", filled)
    assert (found["chain_ok"], found["entries"], found["problems"], found["spent"]) == (True, 6, [], 3.0)
    assert result(capsys, "verify", filled, "--expect", found["head"])["chain_ok"]
    assert not result(capsys, "verify", filled, "--expect", f"7:{'0' * 64}", code=1)["chain_ok"]
    with closing(sqlite3.connect("meters-ledger.db")) as connection:
        connection.execute("UPDATE ledger_datasets SET accounts = '' WHERE name = 'meters'")
        connection.commit()
    broken = result(capsys, "verify", filled, code=1)
    assert broken["problems"] == ["the accounts of dataset 'meters' are not what its entries say"]
    assert run(["ledger", "verify", filled]) == 1
    assert "The ledger is broken: the accounts" in capsys.readouterr().out
    assert run(["ledger", "show", filled]) == 2
    assert "cannot be read; see `noiseless ledger verify`" in capsys.readouterr().err


@pytest.mark.parametrize("body", ["[]", "3", "null", '"x"', "{}", '{"cells": 3}', "[[", "", None, b"\xff"])
def test_show_names_entries_that_say_nothing(
    filled: str, capsys: pytest.CaptureFixture[str], body: str | bytes | None
) -> None:
    """Whatever stands there, each entry is a line, and the last line says that the ledger is broken."""
    ledger = filled.replace(".toml", "-ledger.db")
    with closing(sqlite3.connect(ledger)) as connection:
        connection.execute("DROP TRIGGER ledger_entries_no_update")
        connection.execute("PRAGMA writable_schema = ON")
        kept = "UPDATE sqlite_master SET sql = replace(sql, 'body TEXT NOT NULL', 'body TEXT')"
        connection.execute(kept)
        connection.commit()
    with closing(sqlite3.connect(ledger)) as connection:
        connection.execute("UPDATE ledger_entries SET body = ? WHERE kind <> 'dataset'", [body])
        connection.commit()
    assert run(["ledger", "show", ledger]) == 1
    shown = capsys.readouterr().out.splitlines()
    assert [line.partition(": ")[2] for line in shown[2:-1]] == [
        "declared",
        "does not say what an entry says by ann",
        "does not say what an entry says",
        "declared",
        *["does not say what an entry says"] * 2,
    ]
    assert shown[-1].startswith("The ledger is broken: ")


def test_exports_and_backups_are_restored(filled: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert result(capsys, "export", filled, "-o", "all.csv") == {"entries": 6, "file": "all.csv"}
    assert result(capsys, "export", filled, "-o", "all.json", "--dataset", "visits")["entries"] == 3
    assert result(capsys, "backup", filled, "-o", "backup.db")["entries"] == 6
    head = result(capsys, "verify", filled)["head"]
    found = result(capsys, "restore", "backup.db", "sqlite:///new.db")
    assert (found["chain_ok"], found["head"], found["from"]) == (True, head, "backup.db")
    assert run(["ledger", "restore", "backup.db", "another.db"]) == 0
    assert "6 entries were restored from backup.db" in capsys.readouterr().out
    assert run(["ledger", "restore", "all.json", "third.db"]) == 2
    assert "no unbroken chain" in capsys.readouterr().err


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["show", "nowhere.db"], "nowhere.db: there is no ledger"),
        (["verify", "nowhere.toml"], "nowhere.toml: no such file"),
        (["show", "mysql://x/y"], "is no address of a ledger"),
        (["verify", "meters.toml", "--expect", "6"], "is no anchor"),
        (["show", "meters.toml", "--dataset", "other"], "has no dataset 'other'"),
        (["export", "meters.toml", "-o", "all.xml"], "csv or json"),
        (["backup", "meters.toml", "-o", "meters.toml"], "is there already"),
        (["restore", "meters.toml", "new.db"], "is no backup of a ledger"),
        (["restore", "meters-ledger.db", "meters.toml"], "empty ledger only"),
    ],
)
def test_a_wrong_request_is_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["ledger", *arguments]) == 2
    said = capsys.readouterr()
    assert message in said.err
    assert (said.err.count("\n"), said.out) == (1, "")
    assert not Path("nowhere.db").exists()
