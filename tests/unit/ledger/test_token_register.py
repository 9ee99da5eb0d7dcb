"""Tokens stand in the chain: one that was added, changed or revoked behind the ledger's back is found."""

import json
import multiprocessing
import sqlite3
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from noiseless.amounts import Cost
from noiseless.ledger import Entry, Ledger, LedgerError
from noiseless.ledger.analysts import NewToken, add_token, list_tokens, revoke_token, token_hash
from noiseless.ledger.replay import TokenRegister

pytest_plugins = ["databases"]


FORGED = """
INSERT INTO ledger_tokens
SELECT dataset, 'id', 'eve', 'owner', hash, created, created_by, NULL, NULL, NULL FROM ledger_tokens
WHERE name = 'ann'
"""


def new_token(ledger: Ledger, *datasets: str, name: str = "ann") -> NewToken:
    made = NewToken.random()
    add_token(ledger, datasets or ["meters"], name=name, role="analyst", token=made, by="olga")
    return made


def test_issuing_and_revoking_are_entries(database_url: str) -> None:
    with Ledger.open(database_url) as ledger:
        made = new_token(ledger, "meters", "visits")
        assert revoke_token(ledger, made.id, ["visits", "none"], by="oscar") == 1
        found = [(entry.kind, entry.dataset, entry.analyst) for entry in ledger.entries()]
        assert found == [("token", "meters", None), ("token", "visits", None), ("revocation", "visits", None)]
        issued, _, revoked = (entry.body for entry in ledger.entries())
        assert set(issued) == {"id", "name", "role", "created", "expires", "by", "seal", "found"}
        assert (issued["name"], issued["by"], issued["found"]) == ("ann", "olga", False)
        assert (revoked["id"], revoked["by"]) == (made.id, "oscar")
        assert ledger.verify().ok


def test_no_entry_export_or_backup_of_entries_holds_a_token_or_its_hash(
    database_url: str, tmp_path: Path
) -> None:
    with Ledger.open(database_url) as ledger:
        made = new_token(ledger)
        ledger.export(tmp_path / "all.json")
        ledger.export(tmp_path / "all.csv")
    for name in ("all.json", "all.csv"):
        text = (tmp_path / name).read_text()
        assert made.id in text
        assert made.text not in text
        assert made.text.split("_", 2)[2] not in text
        assert token_hash(made.text) not in text


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        (
            "UPDATE ledger_tokens SET revoked = NULL, revoked_by = NULL WHERE name = 'rex'",
            "is not what its entries say",
        ),
        ("UPDATE ledger_tokens SET revoked = '2026', revoked_by = 'x' WHERE name = 'ann'", "is not what its"),
        ("UPDATE ledger_tokens SET role = 'owner' WHERE name = 'ann'", "is not what its entries say"),
        ("UPDATE ledger_tokens SET expires = NULL WHERE name = 'ann'", "is not what its entries say"),
        ("UPDATE ledger_tokens SET hash = 'ab' WHERE name = 'ann'", "is not what its entries say"),
        ("UPDATE ledger_tokens SET dataset = 'visits' WHERE name = 'ann'", "no entry issues token"),
        ("DELETE FROM ledger_tokens WHERE name = 'ann'", "is missing"),
        (
            FORGED,
            "no entry issues token id of dataset 'meters'; revoke it",
        ),
    ],
)
def test_what_is_done_to_tokens_behind_the_ledgers_back_is_found(
    tmp_path: Path, sql: str, expected: str
) -> None:
    path = tmp_path / "ledger.db"
    with Ledger.open(path) as ledger:
        add_token(
            ledger, ["meters"], name="ann", role="analyst", token=NewToken.random(), expires="2999-01-01"
        )
        revoke_token(ledger, new_token(ledger, name="rex").id, ["meters"])
        with closing(sqlite3.connect(path)) as connection:
            triggers = connection.execute(
                "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
            ).fetchall()
            for name, _ in triggers:
                connection.execute(f"DROP TRIGGER {name}")
            connection.execute(sql)
            for _, made in triggers:
                connection.execute(made)
            connection.commit()
        assert expected in "\n".join(ledger.verify().problems)


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE ledger_tokens SET role = 'owner'",
        "UPDATE ledger_tokens SET hash = 'ab'",
        "UPDATE ledger_tokens SET revoked = NULL WHERE name = 'rex'",
        "DELETE FROM ledger_tokens",
    ],
)
def test_the_database_itself_refuses_to_change_tokens(database_url: str, sql: str) -> None:
    with Ledger.open(database_url) as ledger:
        revoke_token(ledger, new_token(ledger, name="rex").id, ["meters"])
        new_token(ledger)
        with pytest.raises(LedgerError):
            ledger._database.write(lambda session: session.run(sql))
        assert ledger.verify().ok


def test_a_token_that_no_entry_issued_can_be_ended(tmp_path: Path) -> None:
    """Its revocation is an entry; the ledger is whole again after it was restored from its entries."""
    path, forged = tmp_path / "ledger.db", NewToken.random()
    with Ledger.open(path) as ledger:
        new_token(ledger)
        with closing(sqlite3.connect(path)) as connection:
            row = (
                "meters",
                forged.id,
                "eve",
                "owner",
                token_hash(forged.text),
                "2026",
                "owner",
                None,
                None,
                None,
            )
            connection.execute(f"INSERT INTO ledger_tokens VALUES ({', '.join('?' * len(row))})", row)
            connection.commit()
        assert revoke_token(ledger, forged.id, ["meters"]) == 1
        assert not ledger.verify().ok
        ledger.backup(tmp_path / "backup.db")
    with Ledger.open(tmp_path / "new.db") as new:
        new.restore(tmp_path / "backup.db")
        assert new.verify().ok


def test_a_token_whose_revocation_was_undone_is_revoked_again(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with Ledger.open(path) as ledger:
        made = new_token(ledger)
        revoke_token(ledger, made.id, ["meters"])
        with closing(sqlite3.connect(path)) as connection:
            ((kept,),) = connection.execute(
                "SELECT sql FROM sqlite_master WHERE name = 'ledger_tokens_no_reprieve'"
            )
            connection.execute("DROP TRIGGER ledger_tokens_no_reprieve")
            connection.execute("UPDATE ledger_tokens SET revoked = NULL, revoked_by = NULL")
            connection.execute(kept)
            connection.commit()
        assert not ledger.verify().ok
        assert revoke_token(ledger, made.id, ["meters"]) == 1
        assert ledger.verify().ok


@pytest.mark.parametrize("body", ["{}", "[]", "null", "nothing", '{"id":1}', '{"id":null}'])
@pytest.mark.parametrize("kind", ["token", "revocation"])
def test_an_entry_that_says_nothing_is_no_crash(kind: str, body: str) -> None:
    with pytest.raises(LedgerError, match="does not say what an entry says"):
        TokenRegister().follow(Entry(1, "", "meters", kind, None, body, "", ""))


def test_a_restored_ledger_trusts_nobody(database_url: str, tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "a.db") as ledger:
        ledger.declare("meters", digest="a", budget=3)
        new_token(ledger, "meters", "later")
        revoke_token(ledger, new_token(ledger, name="rex").id, ["meters"])
        ledger.export(tmp_path / "all.json")
        head, count = ledger.head, len(list(ledger.entries()))
    with Ledger.open(database_url) as new:
        assert new.restore(tmp_path / "all.json") == count
        assert list_tokens(new) == []
        assert new.verify(head).ok
        again = new_token(new)
        assert [token.id for token in list_tokens(new)] == [again.id]
        new.export(tmp_path / "again.json")
        assert new.verify().ok
    with Ledger.open(tmp_path / "third.db") as third:
        third.restore(tmp_path / "again.json")
        assert third.verify().ok
        assert json.loads((tmp_path / "again.json").read_text())["entries"]


def add_many(url: str, number: int) -> None:
    with Ledger.open(url) as ledger:
        for turn in range(4):
            made = new_token(ledger, "meters", f"own {number}", name=f"{number}")
            ledger.settle("meters", lambda books: books.charge(Cost(2), analyst=f"{number}"))
            if turn % 2:
                revoke_token(ledger, made.id, ["meters", f"own {number}"])


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_processes_and_threads_issue_tokens_at_the_same_time(database_url: str) -> None:
    with Ledger.open(database_url) as ledger:
        ledger.declare("meters", digest="a", budget=None)
    context = multiprocessing.get_context("fork")
    children = [context.Process(target=add_many, args=(database_url, number)) for number in range(3)]
    threads = [threading.Thread(target=add_many, args=(database_url, number)) for number in (7, 8)]
    workers: list[Any] = [*children, *threads]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [child.exitcode for child in children] == [0] * 3
    with Ledger.open(database_url) as ledger:
        report = ledger.verify()
        assert (report.ok, report.entries) == (True, 1 + 5 * 4 * 3 + 5 * 2 * 2)
        assert sum(token.revoked is None for token in list_tokens(ledger)) == 5 * 2 * 2


@pytest.mark.parametrize("by", ["", "x" * 501, "a\x00b"])
def test_who_makes_or_revokes_a_token_is_a_name(tmp_path: Path, by: str) -> None:
    with Ledger.open(tmp_path / "ledger.db") as ledger:
        made = new_token(ledger)
        with pytest.raises(LedgerError, match="who makes a token is a text"):
            add_token(ledger, ["meters"], name="ann", role="analyst", token=NewToken.random(), by=by)
        with pytest.raises(LedgerError, match="who revokes a token is a text"):
            revoke_token(ledger, made.id, ["meters"], by=by)
