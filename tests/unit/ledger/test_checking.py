"""Whatever is changed behind the ledger's back is found out."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from noiseless.amounts import Cost
from noiseless.ledger import Anchor, Entry, Ledger, LedgerError, NewQuestion, Shares
from noiseless.ledger.backups import load
from noiseless.ledger.entries import START, chained
from postgres import PostgresServer

pytest_plugins = ["databases"]


def filled(url: str) -> Anchor:
    """A ledger with all kinds of entries; its head."""
    with Ledger.open(url) as ledger:
        ledger.declare("meters", digest="a", budget=9)
        ledger.declare("visits", digest="c", budget=None)
        ledger.settle(
            "meters",
            lambda books: books.charge(
                Shares(Cost(2), {"north": Cost(4), "south": Cost(3)}),
                analyst="ann",
                questions=[NewQuestion("q1", "g1", "p1", {"n": 1}), NewQuestion("q2", "g1")],
            ),
        )
        ledger.store("meters", {"q1": {"value": 1}})
        ledger.record_release("visits", "cert", Shares(Cost(2), {"north": Cost(4), "south": Cost(3)}))
        ledger.declare("meters", digest="b", budget=9, new_version=True)
        ledger.change_budget("meters", 8)
        ledger.record_randomised("visits", "geometric", Cost(1, 1))  # type: ignore[arg-type]
        report = ledger.verify()
        assert (report.ok, report.entries, report.head) == (True, 8, ledger.head)
        return ledger.head


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("ledger") / "filled.db"
    filled(f"sqlite:///{file}")
    return file


@pytest.fixture
def sqlite_url(template: Path, tmp_path: Path) -> str:
    """A filled ledger: what is read is checked alike on both databases, so one will do for most."""
    return f"sqlite:///{shutil.copy(template, tmp_path / 'ledger.db')}"


def tamper(url: str, *statements: str) -> None:
    """Change a ledger as somebody would who may do everything, and cleans up afterwards."""
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as connection:
            triggers = connection.execute(
                "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
            ).fetchall()
            for sql in (*(f"DROP TRIGGER {name}" for name, _ in triggers), *statements):
                connection.execute(sql)
            for _, sql in triggers:
                connection.execute(sql)
            connection.commit()
        return
    entries = "ALTER TABLE ledger_entries"
    for sql in (f"{entries} DISABLE TRIGGER USER", *statements, f"{entries} ENABLE TRIGGER USER"):
        PostgresServer.execute(url, sql)


def problems(url: str, expect: Anchor | None = None) -> str:
    with Ledger.open(url) as ledger:
        report = ledger.verify(expect)
        assert report.ok == (not report.problems)
        return "\n".join(report.problems)


@pytest.mark.parametrize(
    "change",
    [
        "time = '2026-01-01T00:00:00.000000Z'",
        "dataset = 'visits'",
        "kind = 'randomised'",
        "analyst = 'eve'",
        "analyst = NULL",
        "body = replace(body, '\"4\"', '\"2\"')",
        "body = body || ' '",
        "hash = previous",
    ],
)
def test_a_changed_entry_is_found(sqlite_url: str, change: str) -> None:
    tamper(sqlite_url, f"UPDATE ledger_entries SET {change} WHERE seq = 3")
    assert "entry 3 was changed" in problems(sqlite_url)


@pytest.mark.parametrize(
    ("seq", "expected"),
    [
        (1, "entry 1 is missing: 2 follows 0"),
        (5, "entry 5 is missing: 6 follows 4"),
        (8, "the accounts of dataset 'visits' are not what its entries say"),
    ],
)
def test_a_deleted_entry_is_found(sqlite_url: str, seq: int, expected: str) -> None:
    tamper(sqlite_url, f"DELETE FROM ledger_entries WHERE seq = {seq}")
    assert expected in problems(sqlite_url)


@pytest.mark.parametrize("number", [0, -1, -7, -(2**63)])
def test_entries_before_the_first_are_found_and_not_restored(
    database_url: str, tmp_path: Path, number: int
) -> None:
    filled(database_url)
    body = '{"cells":{},"others":{"outputs":"2"},"questions":[],"version":1}'
    entry = Entry(number, "2026-01-01", "meters", "charge", None, body, START.hash, "0" * 64)
    values = ", ".join("NULL" if value is None else f"'{value}'" for value in entry.row[1:])
    tamper(database_url, f"INSERT INTO ledger_entries VALUES ({number}, {values})")
    assert f"entry {number} has no place in the chain" in problems(database_url)
    with Ledger.open(database_url) as ledger:
        assert ledger.backup(tmp_path / "backup") == 9
    with (
        Ledger.open(tmp_path / "restored.db") as restored,
        pytest.raises(LedgerError, match=f"entry {number} has no place in the chain"),
    ):
        restored.restore(tmp_path / "backup")


def test_answers_deleted_at_the_end_are_found(sqlite_url: str) -> None:
    with Ledger.open(sqlite_url) as ledger:
        ledger.store("meters", {"q2": {"value": 2}}, version=1)
    tamper(sqlite_url, "DELETE FROM ledger_entries WHERE seq = 9")
    assert "the answer of question q2 is not the one that was given" in problems(sqlite_url)


def test_even_an_entry_that_changes_nothing_cannot_disappear(sqlite_url: str) -> None:
    with Ledger.open(sqlite_url) as ledger:
        ledger.change_budget("meters", 8)
        ledger.record_randomised("visits", "nothing", Cost())
        assert ledger.verify().ok
    tamper(sqlite_url, "DELETE FROM ledger_entries WHERE seq = 10")
    assert problems(sqlite_url) == "the accounts of dataset 'visits' are not what its entries say"
    tamper(sqlite_url, "DELETE FROM ledger_entries WHERE seq = 9")
    assert "the accounts of dataset 'meters' are not what its entries say" in problems(sqlite_url)


def test_a_deleted_entry_is_found_though_others_were_renumbered(sqlite_url: str) -> None:
    tamper(
        sqlite_url,
        "DELETE FROM ledger_entries WHERE seq = 5",
        *(f"UPDATE ledger_entries SET seq = {seq - 1} WHERE seq = {seq}" for seq in (6, 7, 8)),
    )
    found = problems(sqlite_url)
    assert "entry 5 does not follow the entry before it" in found
    assert "entry 5 was changed" in found


def test_swapped_entries_are_found(database_url: str) -> None:
    filled(database_url)
    moves = [(6, 99), (7, 6), (99, 7)]
    tamper(database_url, *(f"UPDATE ledger_entries SET seq = {b} WHERE seq = {a}" for a, b in moves))
    assert "entry 6 does not follow the entry before it" in problems(database_url)


@pytest.mark.parametrize("seq", [0, 9])
def test_an_inserted_entry_is_found(sqlite_url: str, seq: int) -> None:
    columns = "time, dataset, kind, analyst, body, previous, hash"
    again = f"SELECT {seq}, {columns} FROM ledger_entries WHERE seq = 4"
    tamper(sqlite_url, f"INSERT INTO ledger_entries (seq, {columns}) {again}")
    assert problems(sqlite_url)


def test_an_entry_that_is_well_chained_is_found_by_what_follows_from_it(database_url: str) -> None:
    body = {"version": 2, "others": {"outputs": "2"}, "cells": {}}
    entry = Entry.after(filled(database_url), "meters", "charge", None, body)
    values = ", ".join(
        f"'{value}'" for value in (entry.time, "meters", "charge", entry.text, entry.previous, entry.hash)
    )
    columns = "seq, time, dataset, kind, body, previous, hash"
    tamper(
        database_url,
        f"INSERT INTO ledger_entries ({columns}) VALUES (9, {values})",
    )
    assert problems(database_url) == "the accounts of dataset 'meters' are not what its entries say"


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        (
            "UPDATE ledger_datasets SET accounts = '1 0 2/1 0 north' WHERE name = 'meters'",
            "accounts of dataset 'meters'",
        ),
        ("UPDATE ledger_datasets SET accounts = '2 0 1/1 0' WHERE id = 2", "accounts of dataset 'visits'"),
        ("UPDATE ledger_datasets SET changed = 1 WHERE id = 1", "accounts of dataset 'meters'"),
        ("UPDATE ledger_datasets SET budget = 'null' WHERE name = 'meters'", "accounts of dataset 'meters'"),
        ("UPDATE ledger_datasets SET digest = 'a'", "accounts of dataset 'meters'"),
        ("UPDATE ledger_datasets SET version = 1", "accounts of dataset 'meters'"),
        (
            "UPDATE ledger_datasets SET accounts = '2 0 2/1 0 south' WHERE id = 1",
            "accounts of dataset 'meters'",
        ),
        ("UPDATE ledger_datasets SET name = 'other' WHERE id = 1", "accounts of dataset 'meters'"),
        ("DELETE FROM ledger_datasets WHERE id = 2", "accounts of dataset 'visits'"),
        ("UPDATE ledger_accounts SET ratio = '1/1' WHERE cell = 'north'", "accounts of public cells"),
        ("DELETE FROM ledger_accounts WHERE cell = 'south'", "accounts of public cells"),
        ("INSERT INTO ledger_accounts VALUES (1, 'k', 'west', '1/2', '0')", "accounts of public cells"),
        ("INSERT INTO ledger_accounts VALUES (7, 'k', 'west', '1/2', '0')", "never declared"),
        ("UPDATE ledger_accounts SET ratio = 'much' WHERE cell = 'north'", "accounts of public cells"),
        ("UPDATE ledger_accounts SET key = 'k' WHERE cell = 'north'", "accounts of public cells"),
        (
            "INSERT INTO ledger_accounts SELECT 1, 'k', cell, ratio, '0' FROM ledger_accounts LIMIT 1",
            "accounts of public cells",
        ),
        ("UPDATE ledger_accounts SET ratio = '1/0' WHERE cell = 'north'", "accounts of public cells"),
        ("UPDATE ledger_datasets SET accounts = ''", "accounts of dataset 'visits'"),
        ("UPDATE ledger_analysts SET factors = 'x'", "accounts of analysts"),
        ("UPDATE ledger_analysts SET factors = '2^1'", "accounts of analysts"),
        ("DELETE FROM ledger_analysts", "accounts of analysts"),
        ("INSERT INTO ledger_analysts VALUES (7, 'eve', '1', '0')", "never declared"),
        (
            "UPDATE ledger_told SET answer = '{\"value\":2}' WHERE question = 'q1'",
            "the answer of question q1",
        ),
        ("UPDATE ledger_told SET answer = NULL, answered = NULL", "the answer of question q1"),
        ("UPDATE ledger_told SET answer = '{}', answered = 4 WHERE question = 'q2'", "question q2"),
        ("UPDATE ledger_told SET body = '{}' WHERE question = 'q1'", "question q1"),
        ("UPDATE ledger_told SET grid = 'g2' WHERE question = 'q1'", "question q1"),
        ("UPDATE ledger_told SET people = NULL WHERE question = 'q1'", "question q1"),
        ("UPDATE ledger_told SET charge = 2 WHERE question = 'q1'", "question q1"),
        ("UPDATE ledger_told SET key = 7 WHERE question = 'q1'", "question q1"),
        ("UPDATE ledger_told SET grid_key = 7 WHERE question = 'q1'", "question q1"),
        ("UPDATE ledger_told SET people_key = NULL WHERE question = 'q1'", "question q1"),
        ("UPDATE ledger_told SET question = 'q3' WHERE question = 'q1'", "question q3"),
        ("UPDATE ledger_told SET version = 2 WHERE question = 'q1'", "question q1"),
        ("DELETE FROM ledger_told WHERE question = 'q2'", "1 questions that were charged for are missing"),
        (
            (
                "INSERT INTO ledger_told (key, dataset, version, question, body, charge) "
                "VALUES (5, 1, 2, 'q1', '{}', 3)"
            ),
            "question q1",
        ),
    ],
)
def test_what_does_not_follow_from_the_entries_is_found(sqlite_url: str, sql: str, expected: str) -> None:
    tamper(sqlite_url, sql)
    assert expected in problems(sqlite_url)


def test_a_whole_dataset_that_is_gone_is_found(database_url: str) -> None:
    filled(database_url)
    tamper(
        database_url,
        "DELETE FROM ledger_entries WHERE dataset = 'visits'",
        "DELETE FROM ledger_datasets WHERE name = 'visits'",
        "DELETE FROM ledger_told WHERE dataset = 2",
    )
    assert "entry 2 is missing" in problems(database_url)


def rewritten(url: str, target: Path, keep: Callable[[Entry], bool]) -> str:
    """A ledger that somebody wrote anew, all hashes right."""
    with Ledger.open(url) as source, Ledger.open(target) as ledger:
        chain, place = [], START
        for entry in source.entries():
            if keep(entry):
                chain.append(Entry.after(place, entry.dataset, entry.kind, entry.analyst, entry.body))
                place = chain[-1].anchor
        ledger._database.write(lambda session: load(session, iter(chain)))
    return f"sqlite:///{target}"


def test_an_anchor_kept_elsewhere_tells_a_rewritten_ledger(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'a.db'}"
    head = filled(url)
    middle = Anchor(5, next(entry.hash for entry in Ledger.open(url).entries(after=4)))
    assert problems(url, head) == problems(url, middle) == problems(url, START) == ""
    forged = rewritten(url, tmp_path / "b.db", lambda entry: entry.kind != "budget")
    assert problems(forged) == ""
    assert problems(forged, head) == "the ledger ends with entry 7, but 8 was expected"
    assert "entry 5 is not the one that was expected" in problems(forged, middle)
    with Ledger.open(url) as ledger:
        assert ledger.verify(str(head)).ok
        assert ledger.verify((8, head.hash)).ok
        with pytest.raises(LedgerError, match="SEQ:HASH"):
            ledger.verify("8")


def test_a_ledger_that_goes_on_still_holds_its_anchor(database_url: str) -> None:
    head = filled(database_url)
    with Ledger.open(database_url) as ledger:
        ledger.change_budget("meters", 3)
    assert problems(database_url, head) == ""


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE ledger_entries SET body = '{}' WHERE seq = 3",
        "DELETE FROM ledger_entries",
        "INSERT OR REPLACE INTO ledger_entries SELECT * FROM ledger_entries WHERE seq = 3",
        "TRUNCATE ledger_entries",
    ],
)
def test_the_database_itself_refuses_to_change_entries(database_url: str, sql: str) -> None:
    filled(database_url)
    if database_url.startswith("sqlite"):
        if sql.startswith("TRUNCATE"):
            pytest.skip("SQLite has no TRUNCATE")
        with (
            closing(sqlite3.connect(database_url.removeprefix("sqlite:///"))) as connection,
            pytest.raises(sqlite3.IntegrityError, match="never changed"),
        ):
            connection.execute(sql)
    else:
        import psycopg

        if sql.startswith("INSERT"):
            pytest.skip("PostgreSQL has no INSERT OR REPLACE")
        with pytest.raises(psycopg.errors.RaiseException, match="never changed"):
            PostgresServer.execute(database_url, sql)
    assert problems(database_url) == ""


@pytest.mark.parametrize(
    "body",
    ["{}", "[]", "null", "nothing", '{"version":1,"others":{"outputs":"x"},"cells":{}}', '{"version":1}'],
)
def test_an_entry_that_says_nothing_is_a_problem_and_no_crash(tmp_path: Path, body: str) -> None:
    url = f"sqlite:///{tmp_path / 'a.db'}"
    filled(url)
    for kind in ("charge", "version", "budget", "answers", "dataset", "nonsense"):
        changed = f"UPDATE ledger_entries SET body = '{body}', kind = '{kind}' WHERE seq = 3"
        tamper(url, changed)
        assert "entry 3 was changed" in problems(url)


PAID = '"cells":{},"others":{"outputs":"2"},"version":1'
DECLARED = '"analyst_budget":null,"digest":"z","record":null,"version":1'
NO_ENTRIES = [
    ("answers", '{"version":1,"answers":[1]}'),
    ("answers", '{"version":1,"answers":{"q1":NaN}}'),
    ("answers", '{"version":[],"answers":{"q1":1}}'),
    ("answers", "[" * 100_000),
    ("answers", "[" * 100_000 + "]" * 100_000),
    ("answers", '{"answers":{"q1":' + "[" * 900 + "]" * 900 + '},"version":{}}'),
    ("budget", '{"budget":"9","analyst_budget":null}'),
    ("budget", '{"budget":{"bits":"-9"},"analyst_budget":null}'),
    ("budget", '{"budget":null,"analyst_budget":{"reach":"1/0"}}'),
    ("budget", '{"budget":null,"analyst_budget":[]}'),
    ("charge", '{"cells":{},"others":{"outputs":"-2"},"questions":[],"version":1}'),
    ("charge", f'{{{PAID},"questions":[1]}}'),
    ("charge", f'{{{PAID},"questions":7}}'),
    ("charge", f'{{{PAID},"questions":[{{"question":[],"grid":null,"people":null,"body":{{}}}}]}}'),
    ("charge", f'{{{PAID},"questions":[{{"question":"q","grid":null,"people":null,"body":NaN}}]}}'),
    ("version", '{"version":"2","digest":"b","record":null,"carry_over":true}'),
    ("version", '{"version":2,"digest":["b"],"record":null,"carry_over":true}'),
    ("version", '{"version":2,"digest":"b","record":{"attributes":7},"carry_over":true}'),
    ("token", '{"id":[]}'),
    ("revocation", "7"),
    ("dataset", f'{{{DECLARED},"budget":"9"}}'),
    ("dataset", "null"),
    ("nothing", "{}"),
]


@pytest.mark.parametrize(("kind", "body"), NO_ENTRIES, ids=range(len(NO_ENTRIES)))
def test_what_is_no_entry_is_found_even_where_its_hash_fits(
    sqlite_url: str, tmp_path: Path, kind: str, body: str
) -> None:
    with Ledger.open(sqlite_url) as ledger:
        head = ledger.head
    dataset = "new" if kind == "dataset" else "meters"
    fields = (head.seq + 1, "2026-01-01T00:00:00.000000Z", dataset, kind, None, body)
    entry = Entry(*fields, head.hash, chained(head.hash, *fields))
    with closing(sqlite3.connect(sqlite_url.removeprefix("sqlite:///"))) as connection:
        connection.execute("INSERT INTO ledger_entries VALUES (?, ?, ?, ?, ?, ?, ?, ?)", entry.row)
        connection.commit()
    assert f"entry {entry.seq} " in problems(sqlite_url)
    with Ledger.open(sqlite_url) as ledger:
        ledger.backup(tmp_path / "backup.db")
        ledger.export(tmp_path / "export.json")
    for name in ("backup.db", "export.json"):
        with (
            Ledger.open(tmp_path / "restored.db") as restored,
            pytest.raises(LedgerError, match=f"no unbroken chain: entry {entry.seq} "),
        ):
            restored.restore(tmp_path / name)


def test_a_row_that_is_no_text_is_said_to_be_unreadable(sqlite_url: str) -> None:
    tamper(sqlite_url, "UPDATE ledger_entries SET body = CAST(x'ff' AS TEXT) WHERE seq = 3")
    with pytest.raises(LedgerError, match="has a row that cannot be read"):
        problems(sqlite_url)
