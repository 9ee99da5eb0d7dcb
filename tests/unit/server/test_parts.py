"""Small parts: rates, numbers as JSON, settings, notes beside charges."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from noiseless.amounts import Cost, budget_text
from noiseless.exact import Bits
from noiseless.ledger import Ledger, NewQuestion
from noiseless.ledger.analysts import (
    AskedBatch,
    KeyReusedError,
    NewToken,
    add_token,
    find_batch,
    find_batches,
    list_batches,
    list_tokens,
    note_batches,
    read_note,
    write_note,
)
from noiseless.ledger.database import LedgerDatabase
from noiseless.ledger.migrations import step_back
from noiseless.server.datasets import finite
from noiseless.server.errors import ApiError
from noiseless.server.service import RateLimit
from noiseless.server.settings import Settings

pytest_plugins = ["databases"]


def test_rates() -> None:
    rates = RateLimit(2, 3)
    for _ in range(3):
        rates.take("a", at=0)
    with pytest.raises(ApiError) as refused:
        rates.take("a", at=0)
    assert refused.value.headers == {"Retry-After": "1"}
    rates.take("b", at=0)
    rates.take("a", at=0.5)
    with pytest.raises(ApiError):
        rates.take("a", at=0.6)
    for _ in range(3):
        rates.take("a", at=100)
    for _ in range(1000):
        RateLimit(0, 1).take("a")


def test_numbers_as_json() -> None:
    assert [finite(value) for value in (1.5, float("inf"), float("-inf"), None)] == [1.5, "inf", "-inf", None]
    assert Cost(1).text == "0"
    assert Cost(2**5000).text == "5000"
    assert Cost(6, Fraction(1, 3)).text == "log2(6) + 1/3"
    assert budget_text(Bits(Fraction(7, 2))) == "log2(7/2)"


def test_settings_keep_the_key_of_the_log_to_themselves() -> None:
    settings = Settings(("a.toml", "b.toml"), max_batch=3)
    assert settings.log_key not in repr(settings)


def opened(url: str, budget: int = 100) -> Ledger:
    ledger = Ledger.open(url)
    ledger.declare("meters", digest="d", budget=budget)
    return ledger


def charge(question: str, outputs: int = 2):  # type: ignore[no-untyped-def]  # noqa: ANN201 - some work
    return lambda books: books.charge(Cost(outputs), questions=[NewQuestion(question)])


def test_batches_of_the_same_time_are_all_reached_page_by_page(database_url: str) -> None:
    with opened(database_url) as ledger:
        first = AskedBatch.now("meters", "ann", 1, ["SELECT 1"])
        sqls, analysts = [("SELECT 1",), ("SELECT 2",), ("SELECT 3",)], ["ann", "bob", "Zoe"]
        note_batches(ledger, [replace(first, sql=sql, analyst=name) for sql in sqls for name in analysts])
        everything = list_batches(ledger, "meters", None, before=None, most=10)
        assert len(everything) == 9
        for most in (1, 2, 4):
            found: list[AskedBatch] = []
            while page := list_batches(
                ledger, "meters", None, before=found[-1].place if found else None, most=most
            ):
                found += page
            assert found == everything


def test_batches_and_notes(database_url: str) -> None:
    with opened(database_url) as ledger:
        asked = AskedBatch.now("meters", "ann", 1, ["SELECT 1"], key="k")

        def note(entry: int, version: int) -> AskedBatch:
            return replace(asked, charge=entry, version=version)

        with ledger.noting(note):
            entry = ledger.settle("meters", charge("q1", 8))
            ledger.settle("meters", lambda books: books.store({"q1": {"cell": 1}}))
        (found,) = list_batches(ledger, "meters", "ann", before=None, most=10)
        assert (found.charge, found.cost, found.sql, found.key) == (entry, Cost(8), ("SELECT 1",), "k")
        assert list_batches(ledger, "meters", "bob", before=None, most=10) == []
        assert list_batches(ledger, "meters", None, before=found.time, most=10) == []
        assert find_batch(ledger, "meters", "ann", "k") == found
        assert find_batch(ledger, "meters", "ann", "other") is None


def test_a_key_that_came_with_another_batch_undoes_the_charge(database_url: str) -> None:
    with opened(database_url) as ledger:
        for sql, number in (("SELECT 1", 1), ("SELECT 1", 2), ("SELECT 2", 3)):
            asked = AskedBatch.now("meters", "ann", 1, [sql], key="k")

            def note(entry: int, version: int, asked: AskedBatch = asked) -> AskedBatch:
                return replace(asked, charge=entry, version=version)

            with ledger.noting(note):
                if sql == "SELECT 1":
                    ledger.settle("meters", charge(f"q{number}", 2))
                    continue
                head = ledger.head
                with pytest.raises(KeyReusedError):
                    ledger.settle("meters", charge(f"q{number}", 2))
                assert ledger.head == head
        bob = AskedBatch.now("meters", "bob", 1, ["SELECT 2"], key="k")
        note_batches(ledger, [bob, bob])
        wanted = [("ann", "k"), ("bob", "k"), ("cy", "k")]
        found = find_batches(ledger, "meters", wanted)
        assert {who: batch.sql for (who, _), batch in found.items()} == {
            "ann": ("SELECT 1",),
            "bob": ("SELECT 2",),
        }


def test_tables_that_servers_made_before_the_step_are_kept(database_url: str) -> None:
    with opened(database_url) as ledger:
        add_token(ledger, ["meters"], name="ann", role="owner", token=NewToken.random())
        note_batches(ledger, [AskedBatch.now("meters", "ann", 1, [sql], key=sql) for sql in ("a", "b")])
    step_back(database_url, "0002")
    database = LedgerDatabase(database_url, patience=5)
    try:
        back = [f"DROP INDEX ledger_batches_{name}" for name in ("by_key", "by_time", "free")]
        same = "UPDATE ledger_batches SET idempotency = 'same'"
        earlier = "UPDATE ledger_schema SET version_num = '0001'"
        database.write(lambda session: [session.run(sql) for sql in (*back, same, earlier)])
    finally:
        database.close()
    with Ledger.open(database_url) as ledger:
        assert [token.name for token in list_tokens(ledger)] == ["ann"]
        assert {batch.key for batch in list_batches(ledger, "meters", None, before=None, most=9)} == {
            "same",
            None,
        }
        write_note(ledger, "meters", "a", "1")
        write_note(ledger, "meters", "a", "2")
        assert (read_note(ledger, "meters", "a"), read_note(ledger, "meters", "b")) == ("2", None)
        assert ledger.verify().ok


def test_processes_take_turns_only_at_sqlite_files(tmp_path: Path) -> None:
    with opened(f"sqlite:///{tmp_path / 'l.db'}") as ledger:
        ledger.settle("meters", charge("q1"))
        assert {path.name for path in tmp_path.glob("*-turn")} == {"l.db-turn"}


def test_of_batches_that_cost_nothing_the_latest_are_kept(database_url: str) -> None:
    def asked(number: int, who: str = "ann") -> AskedBatch:
        return AskedBatch("meters", who, 1, f"2030-01-01T00:00:{number:06d}Z", (f"SELECT {number}",))

    with opened(database_url) as ledger:
        note_batches(ledger, [asked(number) for number in range(900)])
        note_batches(ledger, [asked(0, "bob")])
        note_batches(ledger, [asked(number) for number in range(900, 1100)])
        found = list_batches(ledger, "meters", "ann", before=None, most=2000)
        assert [batch.sql[0] for batch in found] == [f"SELECT {number}" for number in range(1099, 99, -1)]
        assert len(list_batches(ledger, "meters", "bob", before=None, most=9)) == 1
