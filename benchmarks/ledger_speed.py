"""The ledger beside SQLite itself: durable charges and answers, and what is told among many entries."""

import hashlib
import random
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from measure import WORK
from noiseless.amounts import Cost
from noiseless.ledger import Books, Entry, Ledger, NewQuestion, Shares
from noiseless.ledger.backups import load
from noiseless.ledger.entries import START
from noiseless.ledger.schema import HEAD
from page import Form, Part, Section, Table

DATASET = "meters"
_SQL = "SELECT AVG(kwh) FROM meters WHERE suburb = 'north' AND kwh > 3"
_ANSWER = {"value": 4.25, "lower": "4", "upper": "9/2"}


def fingerprint(*parts: object) -> str:
    """A fingerprint as a curator makes them."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def question(number: int) -> NewQuestion:
    """A question about a cell of its own."""
    return NewQuestion(fingerprint(number), fingerprint("grid", number), None, {"sql": _SQL, "cells": 8})


def writing(rounds: int = 400, size: int = 4) -> dict[str, Any]:
    """Charges and answers beside pairs of bare durable transactions, taking turns on one disk; medians."""
    WORK.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=WORK) as folder, Ledger.open(Path(folder) / "ledger.db") as ledger:
        ledger.declare(DATASET, digest="a", budget=40)
        with closing(_bare(Path(folder) / "bare.db")) as bare:
            times: list[tuple[float, float]] = []
            for turn in range(rounds):
                numbers = range(turn * size, (turn + 1) * size)
                ours = _seconds(partial(_charge_and_store, ledger), numbers)
                times.append((ours, _seconds(lambda _: _two_transactions(bare), numbers)))
    ours, alone = (sorted(column)[rounds // 2] / size for column in zip(*times, strict=True))
    return {
        "charged and stored a second": 1 / ours,
        "pairs of bare transactions a second": 1 / alone,
        "ratio": ours / alone,
    }


def _charge_and_store(ledger: Ledger, number: int) -> None:
    asked = question(number)
    ledger.settle(
        DATASET, lambda books: books.charge(Shares(cells={f"cell {number}": Cost(2)}), questions=[asked])
    )
    ledger.store(DATASET, {asked.question: _ANSWER})


def _bare(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, body TEXT)")
    return connection


def _two_transactions(connection: sqlite3.Connection) -> None:
    for _ in range(2):
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO t (body) VALUES (?)", (_SQL,))
        connection.execute("COMMIT")


def _seconds(work: Callable[[Any], None], things: Iterable[object]) -> float:
    start = time.perf_counter()
    for thing in things:
        work(thing)
    return time.perf_counter() - start


def reading(sizes: tuple[int, int] = (10**2, 10**6), rounds: int = 40, size: int = 200) -> dict[str, Any]:
    """What a price reads, among few and among many entries, taking turns; the best of several runs."""
    chance = random.Random(1)
    ledgers = [Ledger.open(_filled(entries)) for entries in sizes]
    times: list[list[float]] = []
    for _ in range(rounds):
        row = []
        for ledger, entries in zip(ledgers, sizes, strict=True):
            asked = [question(chance.randrange(entries)) for _ in range(size)]  # half of them were told
            row.append(_seconds(partial(_read, ledger), asked) / size)
        times.append(row)
    for ledger in ledgers:
        ledger.close()
    few, many = (min(column) for column in zip(*times, strict=True))
    return {
        "few entries": sizes[0],
        "many entries": sizes[1],
        "us among few": few * 1e6,
        "us among many": many * 1e6,
        "ratio": many / few,
    }


def _read(ledger: Ledger, asked: NewQuestion) -> None:
    def read(books: Books) -> None:
        books.state_with(["cell 1"], ["ann"])
        books.told(questions=[asked.question], grids=[asked.grid or ""])

    ledger.look(DATASET, read)


def _filled(entries: int) -> Path:
    """A ledger with so many entries, half of them charges; kept for the next run."""
    path = WORK / f"ledger-{HEAD}-{entries}.db"
    if not path.exists():
        WORK.mkdir(exist_ok=True)
        part = path.with_suffix(".part")
        part.unlink(missing_ok=True)
        with Ledger.open(part) as ledger:
            ledger._database.write(lambda session: load(session, _entries(entries)))  # noqa: SLF001
        part.rename(path)
    return path


def _entries(count: int) -> Iterator[Entry]:
    body: dict[str, Any] = {"version": 1, "digest": "a", "record": None, "by": "owner"}
    budgets = {"budget": {"bits": "40"}, "analyst_budget": None}
    entry = Entry.after(START, DATASET, "dataset", None, {**body, **budgets})
    yield entry
    for number in range(count // 2):
        asked = question(number)
        share = {f"cell {number}": {"outputs": "2"}}
        body = {"version": 1, "others": {"outputs": "1"}, "cells": share, "questions": [asked.to_dict()]}
        entry = Entry.after(entry.anchor, DATASET, "charge", "ann", body)
        yield entry
        said = {"version": 1, "answers": {asked.question: _ANSWER}}
        entry = Entry.after(entry.anchor, DATASET, "answers", None, said)
        yield entry


INTRODUCTION = """\
Charges and answers made durable, beside pairs of bare durable SQLite transactions on the same disk, which
are the limit, medians of many turns; then what a price reads among few entries and among many."""


def measured(form: Form) -> Iterator[Part]:
    """Writing and reading."""
    yield Table([writing(20 if form.small else 400)], "Writing")
    few, many = (10**2, 10**4) if form.small else (10**2, 10**6)
    yield Table([reading((few, many), 5 if form.small else 40)], "Reading")


SECTION = Section("ledger", "The ledger", INTRODUCTION, measured)


if __name__ == "__main__":
    for found in (writing(), reading()):
        for name, value in found.items():
            print(f"{name:<40}{value:>12,.3g}" if isinstance(value, float) else f"{name:<40}{value:>12,}")
        print()
