"""Exports, backups and restores."""

import csv
import json
import threading
from pathlib import Path

import pytest

from noiseless.amounts import Cost
from noiseless.ledger import Ledger, LedgerError, NewQuestion, Shares

pytest_plugins = ["databases"]


def fill(ledger: Ledger) -> None:
    ledger.declare("meters", digest="a", budget=99, analyst_budget=50)
    ledger.settle(
        "meters",
        lambda books: books.charge(
            Shares(Cost(2), {'north, "x"\n': Cost(4)}),
            analyst="ann",
            questions=[NewQuestion("q1", "g1", "p1", {"text": 'é\n,"'}), NewQuestion("q2")],
        ),
    )
    ledger.store("meters", {"q1": {"value": 1.5}})
    ledger.declare("meters", digest="b", budget=99, analyst_budget=50, new_version=True)
    ledger.declare("visits", digest="c", budget=None)
    ledger.record_release("visits", "cert", Cost(3))


def contents(ledger: Ledger) -> object:
    states = [ledger.state(name) for name in ledger.datasets()]
    return list(ledger.entries()), states, ledger.told("visits", questions=["release:cert"])


def test_a_backup_is_restored_as_it_was(database_url: str, tmp_path: Path) -> None:
    with Ledger.open(database_url) as ledger:
        fill(ledger)
        assert ledger.backup(tmp_path / "backup") == 6
        with Ledger.open(tmp_path / "new.db") as new:
            assert new.restore(tmp_path / "backup") == 6
            assert contents(new) == contents(ledger)
            assert new.verify(ledger.head).ok
            new.change_budget("meters", 3)
            assert new.verify(ledger.head).ok


def test_a_json_export_is_restored_too(database_url: str, tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "old.db") as ledger, Ledger.open(database_url) as new:
        fill(ledger)
        assert ledger.export(tmp_path / "all.json") == 6
        assert new.restore(tmp_path / "all.json") == 6
        assert contents(new) == contents(ledger)
        assert new.verify().ok
        pretty = json.dumps(json.loads((tmp_path / "all.json").read_text()), indent=1)
        (tmp_path / "pretty.json").write_text(pretty)
        with Ledger.open(tmp_path / "third.db") as third:
            assert third.restore(tmp_path / "pretty.json") == 6
            assert third.head == ledger.head


def test_an_empty_ledger_has_a_backup(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "a.db") as ledger, Ledger.open(tmp_path / "b.db") as new:
        assert ledger.export(tmp_path / "all.json") == ledger.backup(tmp_path / "all.db") == 0
        assert new.restore(tmp_path / "all.json") == new.restore(tmp_path / "all.db") == 0
        assert new.verify().ok


def test_csv_has_a_line_an_entry(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "a.db") as ledger:
        fill(ledger)
        assert ledger.export(tmp_path / "all.csv") == 6
        assert ledger.export(tmp_path / "visits.txt", "csv", dataset="visits") == 2
        entries = list(ledger.entries())
    with (tmp_path / "all.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["hash"] for row in rows] == [entry.hash for entry in entries]
    assert [row["body"] for row in rows] == [entry.text for entry in entries]
    assert [row["analyst"] for row in rows] == ["", "ann", "", "", "", ""]


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])
def test_no_name_in_a_csv_file_is_a_formula(tmp_path: Path, name: str) -> None:
    with Ledger.open(tmp_path / "a.db") as ledger:
        ledger.declare(name, digest="a", budget=9)
        ledger.settle(name, lambda books: books.charge(Cost(2), analyst=name, questions=[NewQuestion("q")]))
        ledger.export(tmp_path / "all.csv")
        ledger.export(tmp_path / "all.json")
    with (tmp_path / "all.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [(row["dataset"], row["analyst"]) for row in rows] == [(f"'{name}", ""), (f"'{name}", f"'{name}")]
    entries = json.loads((tmp_path / "all.json").read_text())["entries"]
    assert [entry["dataset"] for entry in entries] == [name, name]  # the hashes are of these


@pytest.mark.parametrize("name", ["all.json", "all.csv", "backup"])
def test_no_file_is_overwritten(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("mine")
    with Ledger.open(tmp_path / "a.db") as ledger, pytest.raises(LedgerError, match="is there already"):
        ledger.backup(tmp_path / name) if name == "backup" else ledger.export(tmp_path / name)
    assert (tmp_path / name).read_text() == "mine"
    assert {file.name for file in tmp_path.iterdir()} - {"a.db-next", "a.db-turn"} == {"a.db", name}


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "a.db") as ledger:
        with pytest.raises(LedgerError, match="no such file or directory"):
            ledger.export(tmp_path / "nowhere" / "all.csv")
        with pytest.raises(LedgerError, match="cannot be written"):
            ledger.backup(tmp_path / "nowhere" / "all.db")
        with pytest.raises(LedgerError, match="csv or json"):
            ledger.export(tmp_path / "all.xml")
        with pytest.raises(LedgerError, match="no such file"):
            ledger.restore(tmp_path / "nowhere.db")


def test_a_ledger_that_is_not_empty_is_not_overwritten(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "a.db") as ledger, Ledger.open(tmp_path / "b.db") as other:
        fill(ledger)
        ledger.backup(tmp_path / "backup.db")
        other.declare("mine", digest="x", budget=1)
        with pytest.raises(LedgerError, match="empty ledger"):
            other.restore(tmp_path / "backup.db")
        assert other.datasets() == ["mine"]


def test_a_broken_backup_is_not_restored(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "a.db") as ledger:
        fill(ledger)
        ledger.export(tmp_path / "all.json")
    text = (tmp_path / "all.json").read_text()
    lines = text.splitlines(keepends=True)
    broken = {
        "changed": text.replace('\\"outputs\\":\\"4\\"', '\\"outputs\\":\\"2\\"'),
        "shorter": "".join([*lines[:3], *lines[4:]]),
        "swapped": "".join([*lines[:2], lines[3], lines[2], *lines[4:]]),
        "cut off": text[: len(text) // 2],
        "cut at a line": "".join(lines[:3]),
        "of something else": '{"format":"other","version":1,"entries":[]}',
        "newer": '{"format":"noiseless-ledger","version":2,"entries":[]}',
        "no JSON": "hello",
        "no object": "[1]",
        "of no entries": '{"format":"noiseless-ledger","version":1,"entries":[{"seq":1}]}',
        "empty": "",
    }
    for name, content in broken.items():
        assert content != text
        (tmp_path / "broken").write_text(content)
        with Ledger.open(tmp_path / f"{name}.db") as new:
            with pytest.raises(LedgerError):
                new.restore(tmp_path / "broken")
            assert new.head.seq == 0
            assert new.verify().ok


def test_a_backup_is_taken_while_others_go_on(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "a.db") as ledger:
        fill(ledger)
        over = threading.Event()

        def write() -> None:
            while not over.is_set():
                ledger.change_budget("meters", 7)

        writer = threading.Thread(target=write)
        writer.start()
        try:
            for number in range(5):
                count = ledger.backup(tmp_path / f"{number}.db")
                with Ledger.open(tmp_path / f"{number}-new.db") as new:
                    assert new.restore(tmp_path / f"{number}.db") == count
                    assert new.verify().ok
        finally:
            over.set()
            writer.join()
        assert not [file for file in tmp_path.iterdir() if file.suffix == ".part"]


@pytest.mark.parametrize("number", ["1", None, [], 1.0, True])
def test_entries_whose_numbers_are_none_are_refused(tmp_path: Path, number: object) -> None:
    with Ledger.open(tmp_path / "ledger.db") as ledger:
        ledger.declare("meters", digest="a", budget=3)
        ledger.export(tmp_path / "export.json")
    content = json.loads((tmp_path / "export.json").read_text())
    content["entries"][0]["seq"] = number
    (tmp_path / "changed.json").write_text(json.dumps(content))
    with (
        Ledger.open(tmp_path / "other.db") as other,
        pytest.raises(LedgerError, match="is no backup of a ledger"),
    ):
        other.restore(tmp_path / "changed.json")
