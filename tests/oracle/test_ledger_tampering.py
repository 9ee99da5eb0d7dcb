"""Whatever one statement changes in a ledger's database is found, but for what docs/ledger.md lists.

Files that do not belong together are found too, or are the ledger as it was at an earlier time: only a head
that was noted elsewhere tells that one from the ledger as it is.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import product
from pathlib import Path

import pytest

from ledger_tampering import changes_of_rows, changes_of_structure, contents, fill, is_found, moves_of_entries
from noiseless.amounts import Cost
from noiseless.ledger import Anchor, Ledger, LedgerError, NewQuestion
from noiseless.ledger.analysts import NewToken, add_token
from noiseless.ledger.transaction import DatabaseTransaction
from soaking import soaking

pytest_plugins = ["databases"]

BESIDE_THE_CHAIN = ("UPDATE", "DELETE FROM", "INSERT INTO"), ("ledger_batches", "ledger_notes")
"""No entry speaks of the rows of these tables, and nothing that people pay depends on them."""

STRIDE = {"sqlite": 5, "postgresql": 29}
"""Of how many changes one is made, where time is short; prime, so that every kind of change is."""


@pytest.fixture
def ledger(database_url: str) -> Iterator[Ledger]:
    with Ledger.open(database_url) as found:
        fill(found)
        yield found


def changes(session: DatabaseTransaction) -> list[list[str]]:
    """All changes that one statement makes, and moves of entries."""
    tables = contents(session)
    (entries,) = (one for one in tables if one.table == "ledger_entries")
    rows, moves = changes_of_rows(tables), moves_of_entries(entries)
    return [*rows, *moves, *changes_of_structure(session, tables)]


def is_beside_the_chain(statement: str) -> bool:
    return any(statement.startswith(f"{verb} {table} ") for verb, table in product(*BESIDE_THE_CHAIN))


def test_whatever_one_statement_changes_is_found(ledger: Ledger) -> None:
    database = ledger._database
    every = database.read(changes)
    assert len(every) > 3000
    stride = 1 if soaking() else STRIDE["sqlite" if database.is_sqlite else "postgresql"]
    missed = [statements for statements in every[::stride] if not is_found(database, *statements)]
    assert [statements for statements in missed if not is_beside_the_chain(f"{statements[0]} ")] == []
    assert ledger.verify().ok


Files = tuple[bytes, bytes]
"""A database and its log."""


def history(folder: Path) -> tuple[list[Files], list[Anchor]]:
    """A ledger's files after each of some transactions, its log begun anew now and then; all its heads."""
    path, found, heads = folder / "ledger.db", list[Files](), list[Anchor]()
    with Ledger.open(path) as ledger, closing(sqlite3.connect(path)) as other:
        ledger.declare("meters", digest="a", budget=None)
        for number in range(9):
            if number % 3 == 0:
                add_token(ledger, ["meters"], name="ann", role="analyst", token=NewToken.random())
            asked = [NewQuestion(f"q{number}", body={"text": "x" * 3000 * (number % 2)})]
            ledger.settle(
                "meters",
                lambda books: books.charge(Cost(2), analyst=f"{number % 4}", questions=asked),  # noqa: B023
            )
            if number % 4 == 1:
                other.execute("PRAGMA wal_checkpoint(RESTART)").fetchall()
            elif number % 4 == 3:
                other.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            found.append((path.read_bytes(), path.with_name("ledger.db-wal").read_bytes()))
        heads += [Anchor(0, "0" * 64), *(entry.anchor for entry in ledger.entries())]
    return found, heads


def verdict(folder: Path, files: tuple[bytes, bytes | None], expect: Anchor | None = None) -> Anchor | None:
    """The head of a ledger that is whole, of files that somebody put there; None if it is not."""
    path = folder / "put.db"
    for ending, content in zip(("", "-wal", "-shm"), (*files, None), strict=True):
        place = path.with_name(f"put.db{ending}")
        place.unlink(missing_ok=True)
        if content is not None:
            place.write_bytes(content)
    try:
        with Ledger.open(path, create=False) as ledger:
            report = ledger.verify(expect)
    except LedgerError:
        return None
    return report.head if report.ok else None


def put_together(several: list[Files]) -> Iterator[tuple[bytes, bytes | None]]:
    """Files of other times, without the log, and cut off."""
    for (database, _), (_, log) in product(several, several):
        yield database, log
    for database, log in several[:: 1 if soaking() else 4]:
        yield database, None
        for cut in (1, 4096, len(database) // 2, len(database) - 4096, len(database) - 1):
            yield database[:cut], log
            yield database[:cut], None
        for cut in range(0, len(log), 512 if soaking() else 4120 * 3 + 7):
            yield database, log[:cut]


def test_files_that_do_not_belong_together_are_found_or_are_an_earlier_ledger(tmp_path: Path) -> None:
    several, heads = history(tmp_path)
    seen = set[Anchor | None]()
    for files in put_together(several):
        found = verdict(tmp_path, files)
        seen.add(found)
        assert found is None or found in heads
        assert verdict(tmp_path, files, heads[-1]) == (found if found == heads[-1] else None)
    assert None in seen
    assert len(seen) > 5
