"""What the steps create is what a ledger is checked against."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ledger_structure import structure_of_new
from noiseless.ledger import Ledger
from noiseless.ledger.integrity import expected_structure
from postgres import PostgresServer

pytest_plugins = ["databases"]


def test_the_steps_create_what_is_expected(database_url: str) -> None:
    """If they create something else on purpose: `python tests/ledger_structure.py`."""
    kind = database_url.partition(":")[0].partition("+")[0]
    assert structure_of_new(database_url) == expected_structure()[kind]


def test_a_ledger_whose_triggers_were_dropped_is_not_whole(database_url: str) -> None:
    with Ledger.open(database_url) as ledger:
        ledger.declare("meters", digest="a", budget=3)
        if database_url.startswith("sqlite"):
            with closing(sqlite3.connect(database_url.removeprefix("sqlite:///"))) as connection:
                for name in ("update", "delete", "replace"):
                    connection.execute(f"DROP TRIGGER ledger_entries_no_{name}")
            expected = [
                f"the trigger ledger_entries_no_{name} is missing" for name in ("delete", "replace", "update")
            ]
        else:
            PostgresServer.execute(database_url, "ALTER TABLE ledger_entries DISABLE TRIGGER ALL")
            expected = ["the trigger ledger_entries_no_change of ledger_entries was changed"]
        report = ledger.verify()
        assert (report.ok, list(report.problems)) == (False, expected)


@pytest.mark.parametrize(
    ("kind", "name", "condition"),
    [
        ("trigger", "ledger_tokens_no_reprieve", "OLD.revoked IS NOT NULL"),
        ("index", "ledger_told_by_grid", "grid_key IS NOT NULL"),
        ("index", "ledger_batches_free", "NULL"),
    ],
)
def test_a_condition_in_quotes_is_another_one(tmp_path: Path, kind: str, name: str, condition: str) -> None:
    """SQLite takes what stands in double quotes for a text where it names nothing."""
    path = tmp_path / "ledger.db"
    with Ledger.open(path) as ledger:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            ((sql,),) = connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", [name])
            quoted = sql.replace(condition, f'"{condition}"')
            assert quoted != sql
            connection.execute(f"DROP {kind} {name}")
            connection.execute(quoted)
        assert ledger.verify().problems == (f"the {kind} {name} was changed",)


def test_other_programs_may_have_tables_beside_the_ledgers(database_url: str) -> None:
    with Ledger.open(database_url) as ledger:
        ledger.declare("meters", digest="a", budget=3)
        for sql in (
            "CREATE TABLE ledger_of_somebody (x INTEGER PRIMARY KEY)",
            "CREATE INDEX theirs ON ledger_of_somebody (x)",
            "CREATE VIEW spending AS SELECT dataset, count(*) FROM ledger_entries GROUP BY dataset",
        ):
            if database_url.startswith("sqlite"):
                with closing(sqlite3.connect(database_url.removeprefix("sqlite:///"))) as connection:
                    connection.execute(sql)
            else:
                PostgresServer.execute(database_url, sql)
        assert ledger.verify().ok


def test_rows_that_an_index_lacks_are_found(tmp_path: Path) -> None:
    """A question that is not found by its grid would be priced as if nothing like it had been told."""
    path = tmp_path / "ledger.db"
    from noiseless.amounts import Cost
    from noiseless.ledger import NewQuestion

    with Ledger.open(path) as ledger:
        ledger.declare("meters", digest="a", budget=9)
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            ((sql,),) = connection.execute("SELECT sql FROM sqlite_master WHERE name = 'ledger_told_by_grid'")
            connection.execute("PRAGMA writable_schema = ON")
            hidden = sql.replace("IS NOT NULL", "IS NULL")
            change = "UPDATE sqlite_master SET sql = ? WHERE name = 'ledger_told_by_grid'"
            connection.execute(change, [hidden])
    with Ledger.open(path) as ledger:
        ledger.settle("meters", lambda books: books.charge(Cost(2), questions=[NewQuestion("q", "g")]))
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(change, [sql])
    with Ledger.open(path) as ledger:
        problems = ledger.verify().problems
        assert problems
        assert all(one.startswith("the file is damaged: ") for one in problems)


def test_a_server_that_runs_no_triggers_is_found(own_postgres: PostgresServer) -> None:
    url = own_postgres.new_url()
    expected = ("the setting session_replication_role switches triggers off; reset it",)
    with Ledger.open(url) as ledger:
        assert ledger.verify().ok  # on a connection that is kept
        for whose in ("DATABASE postgres", "ROLE noiseless", "ROLE ALL"):
            own_postgres.execute(url, f"ALTER {whose} SET session_replication_role = replica")
            with Ledger.open(url) as later:
                for one in (ledger, later):
                    assert one.verify().problems == expected, whose
            own_postgres.execute(url, f"ALTER {whose} RESET session_replication_role")
            assert ledger.verify().ok, whose
