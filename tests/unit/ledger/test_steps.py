"""A ledger of the step before is brought up to date, and back."""

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from noiseless.amounts import Cost
from noiseless.ledger import Entry, Ledger, LedgerError, NewQuestion
from noiseless.ledger.analysts import NewToken, add_token, list_tokens, revoke_token, token_hash
from noiseless.ledger.database import LedgerDatabase
from noiseless.ledger.entries import START
from noiseless.ledger.migrations import _change, step_back, upgrade
from noiseless.ledger.schema import STEPS, TABLES, everything

pytest_plugins = ["databases"]

BEFORE = Path(__file__).parents[2] / "fixtures" / "ledger_0002.sql"
EXPORT = BEFORE.with_suffix(".json")
LAST = 8
"""The last entry of the ledger before the step."""


def rows_of(url: str) -> dict[str, set[tuple[Any, ...]]]:
    """All rows of all tables."""
    database = LedgerDatabase(url, patience=5)
    try:
        return database.read(
            lambda session: {name: {tuple(row) for row in session.rows(everything(name))} for name in TABLES}
        )
    finally:
        database.close()


@pytest.fixture
def before(database_url: str, tmp_path: Path) -> str:
    """The ledger of the step before, as that noiseless wrote it; on PostgreSQL the same rows."""
    place = tmp_path / "before.db" if not database_url.startswith("sqlite") else tmp_path / "ledger.db"
    with closing(sqlite3.connect(place)) as connection:
        connection.executescript(BEFORE.read_text("utf-8"))
    if database_url.startswith("sqlite"):
        return database_url
    database = LedgerDatabase(database_url, patience=5)
    _change(database, lambda session: upgrade(session, "0002"))
    tables = rows_of(f"sqlite:///{place}")

    def copy(session: Any) -> None:  # noqa: ANN401 - a session
        for name, rows in tables.items():
            for row in sorted(rows, key=lambda row: str(row[0]).zfill(9)):
                session.run(f"INSERT INTO {name} VALUES ({', '.join(['%s'] * len(row))})", row)

    database.write(copy)
    database.close()
    return database_url


def test_tokens_that_were_there_are_recorded_as_found(before: str) -> None:
    with Ledger.open(before, create=False) as ledger:
        report = ledger.verify()
        assert (report.ok, report.problems) == (True, ())
        found = [(entry.dataset, entry.kind, entry.body["id"]) for entry in ledger.entries(after=LAST)]
        first, second, third, fourth = (f"{number:016x}" for number in (1, 2, 3, 4))
        assert found == [
            ("meters", "token", first),
            ("visits", "token", first),
            ("meters", "token", second),
            ("meters", "token", third),
            ("meters", "revocation", third),
            ("later", "token", fourth),
        ]
        issued = [entry.body for entry in ledger.entries(after=LAST) if entry.kind == "token"]
        assert all(body["found"] for body in issued)
        assert [body["name"] for body in issued] == ["olga", "olga", "ann", "rex", "eve"]
        tokens = {token.id: token for token in list_tokens(ledger)}
        assert tokens[second].hash == token_hash(f"nls_{second}_{'x' * 43}")
        assert tokens[third].revoked_by == "olga"
        assert not any(token.hash in entry.text for token in tokens.values() for entry in ledger.entries())


def test_a_ledger_of_the_step_before_goes_on(before: str) -> None:
    with Ledger.open(before) as ledger:
        ledger.settle(
            "meters", lambda books: books.charge(Cost(2), analyst="ann", questions=[NewQuestion("new")])
        )
        revoke_token(ledger, f"{1:016x}", ["meters", "visits"])
        ledger.declare("later", digest="d", budget=3)
        assert ledger.verify().ok
        last = json.loads(EXPORT.read_text())["entries"][-1]
        assert ledger.verify((last["seq"], last["hash"])).ok  # a head that was noted before the step


def test_the_way_back_leaves_all_but_the_entries_about_tokens(before: str) -> None:
    earlier = rows_of(before)
    Ledger.open(before).close()
    step_back(before, "0002")
    assert rows_of(before) == earlier
    Ledger.open(before).close()
    step_back(before, "0002")
    assert rows_of(before) == earlier


def test_there_and_back_with_entries_in_between(before: str) -> None:
    """Numbers and hashes of later entries change; what they say, and all that follows from them, does not."""
    with Ledger.open(before) as ledger:
        ledger.declare("later", digest="d", budget=9)
        number = ledger.settle(
            "later",
            lambda books: books.charge(
                Cost(2), analyst="ann", questions=[NewQuestion("q", "g", "p"), NewQuestion("q1")]
            ),
        )
        add_token(ledger, ["later"], name="zoe", role="analyst", token=NewToken.random())
        ledger.store("later", {"q": {"value": 1}})
        ledger.declare("more", digest="d", budget=9)
        ledger.settle("more", lambda books: books.charge(Cost(3), questions=[NewQuestion("q", "g", "p")]))
        ledger._database.write(lambda session: session.run("UPDATE ledger_batches SET charge = ?", [number]))
        kept = [entry for entry in ledger.entries() if entry.kind not in {"token", "revocation"}]
        states = [ledger.state(name).to_dict() for name in ledger.datasets()]
        told = {name: ledger.told(name, grids=["g"], people=["p"]) for name in ("later", "more")}
        tokens = list_tokens(ledger)
    step_back(before, "0002")
    after = sorted(rows_of(before)["ledger_entries"])
    place = START
    for row, entry in zip(after, kept, strict=True):
        fields = (entry.dataset, entry.kind, entry.analyst)
        assert (row[0], row[1], row[2:5], row[5]) == (place.seq + 1, entry.time, fields, entry.text)
        assert Entry(*row).previous == place.hash
        assert Entry(*row).is_intact
        place = Entry(*row).anchor
    assert {row[6] for row in rows_of(before)["ledger_batches"]} == {10}  # the charge for the new dataset
    with Ledger.open(before) as ledger:  # which replays all of it
        assert ledger.verify().ok
        assert [ledger.state(name).to_dict() for name in ledger.datasets()] == states
        for name, before_it in told.items():
            found = ledger.told(name, grids=["g"], people=["p"])
            assert [(one.question, one.answer) for one in found] == [
                (one.question, one.answer) for one in before_it
            ]
        assert list_tokens(ledger) == tokens


def test_there_is_no_way_back_to_other_steps(before: str) -> None:
    for step in ("0001", STEPS[-1], "none"):
        with pytest.raises(LedgerError, match="no way back to step"):
            step_back(before, step)
    with Ledger.open(before) as ledger:
        assert ledger.verify().ok


def change_entries(url: str, sql: str) -> None:
    """Change entries behind the back of a ledger of the newest step, and leave its triggers as they were."""
    database = LedgerDatabase(url, patience=5)

    def change(session: Any) -> None:  # noqa: ANN401 - a session
        if not session.is_sqlite:
            session.run("ALTER TABLE ledger_entries DISABLE TRIGGER USER")
            session.run(sql)
            session.run("ALTER TABLE ledger_entries ENABLE TRIGGER USER")
            return
        chosen = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'ledger_entries'"
        triggers = session.rows(chosen)
        for statement in (
            *(f"DROP TRIGGER {name}" for name, _ in triggers),
            sql,
            *(made for _, made in triggers),
        ):
            session.run(statement)

    database.write(change)
    database.close()


def test_neither_way_makes_a_changed_ledger_whole(before: str) -> None:
    change_entries(before, "UPDATE ledger_entries SET time = '2026-01-01' WHERE seq = 3")
    with Ledger.open(before) as ledger:  # which applies the last step
        ledger.declare("later", digest="d", budget=9)
        assert ledger.verify().problems == ("entry 3 was changed: its hash is not that of its fields",)
    kept = rows_of(before)
    with pytest.raises(LedgerError, match="is not whole, so it stays as it is: entry 3 was changed"):
        step_back(before, "0002")
    assert rows_of(before) == kept


def test_the_way_back_does_not_give_changed_entries_fitting_hashes(before: str) -> None:
    with Ledger.open(before) as ledger:
        ledger.declare("later", digest="d", budget=9)
        last = ledger.head.seq
    change_entries(before, f"UPDATE ledger_entries SET time = '2026-01-01' WHERE seq = {last}")
    with pytest.raises(LedgerError, match=f"entry {last} was changed"):
        step_back(before, "0002")


def test_the_way_back_is_a_command(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    Ledger.open(path).close()
    command = [sys.executable, "-m", "noiseless.ledger.migrations"]
    subprocess.run([*command, str(path), "0002"], check=True)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT * FROM ledger_schema").fetchall() == [("0002",)]
    for wrong in ([], [str(path), "0001"], [str(tmp_path / "none.db"), "0002"]):
        done = subprocess.run([*command, *wrong], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr.count("\n")) == (1, 1)


def test_an_export_of_the_step_before_is_restored(database_url: str) -> None:
    with Ledger.open(database_url) as ledger:
        assert ledger.restore(EXPORT) == LAST
        report = ledger.verify()
        assert (report.ok, report.entries) == (True, LAST)


def test_a_backup_of_the_step_before_is_restored(before: str, tmp_path: Path) -> None:
    with Ledger.open(before) as ledger:
        ledger.backup(tmp_path / "backup")
    with Ledger.open(tmp_path / "new.db") as new:
        assert new.restore(tmp_path / "backup") == LAST + 6
        assert new.verify().ok
        assert list_tokens(new) == []
        forgotten = [(entry.dataset, entry.kind, entry.body["id"]) for entry in new.entries(after=LAST + 6)]
        assert forgotten == [(name, "revocation", None) for name in ("later", "meters", "visits")]


def test_a_ledger_of_the_step_before_that_may_only_be_read_is_named(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(BEFORE.read_text("utf-8"))
    from noiseless.ledger.migrations import _checked

    with pytest.raises(LedgerError, match="copy it to where it may be written"):
        _checked(LedgerDatabase(f"sqlite:///{path}", 5, read_only=True), create=False)
