"""The curator beside SQLite itself: questions priced, charged and answered, and prices among many entries.

A question needs two durable transactions, one for its charge and one for its answer; the bare loop does two
of those and nothing else. Every question is a new text: nothing is remembered of the one before. One caller
who waits for each answer pays for the whole of both transactions; questions that one caller asks without
waiting, or that several threads ask, share them.
"""

import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from measure import WORK, best_of
from noiseless.curator import Curator
from noiseless.ledger import Entry, Ledger
from noiseless.ledger.backups import load
from page import Form, Part, Section, Table

_SUBURBS = 5000
_ROWS = 10**5
_THREADS = 16
_KINDS = ("AVG(kwh)", "MAX(kwh)", "SUM(kwh)", "MIN(kwh)")

_FILE = """
[dataset]
name = "meters"
source = "meters.parquet"
[budget]
bits = 12
[columns.suburb]
role = "public"
bounds = [0, {suburbs}]
[columns.kwh]
role = "private"
bounds = [0, 10]
step = 0.001
[columns.solar]
role = "private"
type = "boolean"
"""


def questions() -> Iterator[str]:
    """Questions that nobody asked before: about one suburb after the other."""
    for threshold in range(1, 10):
        for suburb in range(_SUBURBS):
            kind = suburb % 5
            if kind < len(_KINDS) and threshold == 1:
                yield f"SELECT {_KINDS[kind]} FROM meters WHERE suburb = {suburb}"
            else:
                yield f"SELECT COUNT(*) FROM meters WHERE suburb = {suburb} AND kwh >= {threshold}"


def answering(rounds: int = 9, size: int = 200) -> list[dict[str, Any]]:
    """Questions in all ways to ask them, beside pairs of bare durable transactions."""
    WORK.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory(dir=WORK) as folder,
        tempfile.TemporaryDirectory(dir=WORK) as other,
        ThreadPoolExecutor(_THREADS) as threads,
        Curator.open(_written(Path(folder))) as curator,
        Curator.open(_written(Path(other))) as shared,
        closing(_bare(Path(folder) / "bare.db")) as bare,
    ):
        asked = questions()
        known = [next(asked) for _ in range(size)]
        for sql in known:
            curator.ask(sql)
        works: dict[str, Callable[[], int]] = {
            "pairs of bare transactions": lambda: _bare_pairs(bare, size),
            "asked one by one": lambda: _ask(curator, asked, size, 1),
            "asked by ask_each": lambda: sum(1 for _ in curator.ask_each(islice(asked, size))),
            "asked ten in a batch": lambda: _ask(curator, asked, size, 10),
            f"asked by {_THREADS} threads": lambda: _ask_by_threads(shared, asked, size, threads),
            "asked again": lambda: sum(len(curator.ask(sql).answers) for sql in known),
            "priced only": lambda: sum(len(curator.price(next(asked)).answers) for _ in range(size)),
        }
        times: dict[str, list[float]] = {name: [] for name in works}
        for _ in range(rounds):
            for name, work in works.items():
                start = time.perf_counter()
                done = work()
                times[name].append((time.perf_counter() - start) / done)
    best = {name: min(found) for name, found in times.items()}
    alone = best["pairs of bare transactions"]
    return [
        {
            "questions": name,
            "a second": 1 / seconds,
            "us each": seconds * 1e6,
            "of the bare loop": alone / seconds,
        }
        for name, seconds in best.items()
    ]


def pricing(sizes: tuple[int, int] = (10**2, 10**6), rounds: int = 15, size: int = 200) -> dict[str, Any]:
    """A price among few entries and among many, from a text that is new to the end, taking turns."""
    WORK.mkdir(exist_ok=True)
    curators = [Curator.open(_filled(entries)) for entries in sizes]
    asked = questions()
    for curator in curators:
        curator.price("SELECT AVG(kwh) FROM meters")
    times: list[list[float]] = []
    for _ in range(rounds):
        batch = [next(asked) for _ in range(size)]
        row = []
        for curator in curators:
            start = time.perf_counter()
            for sql in batch:
                curator.price(sql)
            row.append((time.perf_counter() - start) / size)
        times.append(row)
    for curator in curators:
        curator.close()
    few, many = (min(column) for column in zip(*times, strict=True))
    return {
        "few entries": sizes[0],
        "many entries": sizes[1],
        "us among few": few * 1e6,
        "us among many": many * 1e6,
        "ratio": many / few,
    }


def following(
    sizes: tuple[int, int] = (10**2, 10**4), rounds: int = 7, size: int = 100
) -> list[dict[str, Any]]:
    """What follows from few answers and from many: a price, from a text that is new, taking turns."""
    WORK.mkdir(exist_ok=True)
    ends = [100 * end for end in range(1, 91)]  # of counts that were told in both
    kinds: dict[str, Callable[[int], str]] = {
        "counts that follow": lambda k: (
            f"kwh >= {ends[k % 80] / 1000} AND kwh < {ends[k % 80 + k % 9 + 1] / 1000}"
        ),
        "counts that are new": lambda k: f"kwh IN ({ends[k % 80] / 1000}, {(ends[k % 80] + 37) / 1000})",
    }
    found: list[dict[str, Any]] = []
    for columns, also in (("one", ""), ("two", " AND solar")):
        lines = _compared(sizes, rounds, size, kinds, also)
        found += [{"columns": columns, **line} for line in lines]
    return found


def _compared(
    sizes: tuple[int, int], rounds: int, size: int, kinds: dict[str, Callable[[int], str]], also: str
) -> list[dict[str, Any]]:
    """Prices of counts of some kinds among few counts that were told and many, of rows that pass a filter."""
    with ExitStack() as opened:
        curators = [opened.enter_context(Curator.open(_counted(opened, told, also))) for told in sizes]
        found = []
        for name, condition in kinds.items():
            times: list[list[float]] = [[], []]
            for turn in range(rounds):
                asked = [
                    f"SELECT COUNT(*) FROM meters WHERE {condition(k)}{also} -- {turn}" for k in range(size)
                ]
                for curator, taken in zip(curators, times, strict=True):
                    start = time.perf_counter()
                    for sql in asked:
                        curator.price(sql)
                    taken.append((time.perf_counter() - start) / size)
            few, many = map(min, times)
            line = {
                "few told": sizes[0],
                "many told": sizes[1],
                "us among few": few * 1e6,
                "us among many": many * 1e6,
            }
            found.append({"priced": name, **line, "ratio": many / few})
    return found


def _counted(opened: ExitStack, told: int, also: str) -> Path:
    """A dataset about which so many counts were told, under a budget that refuses nothing."""
    path = _written(Path(opened.enter_context(tempfile.TemporaryDirectory(dir=WORK))), 2 * _SUBURBS)
    path.write_text(path.read_text().replace("bits = 12", "bits = 1000"))
    step = 10_000 // told
    with Curator.open(path) as curator:
        counts = [f"SELECT COUNT(*) FROM meters WHERE kwh >= {n * step / 1000}{also}" for n in range(1, told)]
        for start in range(0, told, 250):
            curator.ask(*counts[start : start + 250])
    return path


def exposing(sizes: tuple[int, ...] = (10**4, 10**5), questions: int = 3) -> list[dict[str, Any]]:
    """What each row has given away after some questions, beside a sort of the table's rows."""
    found = []
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder, Curator.open(_written(Path(folder), size)) as curator:
            curator.ask(*(f"SELECT {kind} FROM meters" for kind in _KINDS[:questions]))
            table = pq.read_table(Path(folder) / "meters.parquet")
            order = [(name, "ascending") for name in table.column_names]
            ours, sorting = best_of(2, curator.exposure, lambda: table.sort_by(order))  # noqa: B023 - at once
        found.append({"rows": size, "exposure s": ours, "sort s": sorting, "times a sort": ours / sorting})
    return found


def _ask(curator: Curator, asked: Iterator[str], size: int, together: int) -> int:
    for _ in range(size // together):
        curator.ask(*(next(asked) for _ in range(together)))
    return size


def _ask_by_threads(curator: Curator, asked: Iterator[str], size: int, threads: ThreadPoolExecutor) -> int:
    texts = [next(asked) for _ in range(max(size // _THREADS, 1) * _THREADS)]
    parts = [texts[place::_THREADS] for place in range(_THREADS)]

    def ask(part: list[str]) -> int:
        return sum(len(curator.ask(sql).answers) for sql in part)

    return sum(threads.map(ask, parts))


def _written(folder: Path, rows: int = _ROWS) -> Path:
    random = np.random.default_rng(7)
    table = pa.table(
        {
            "suburb": np.concatenate([np.arange(_SUBURBS), random.integers(0, _SUBURBS, rows - _SUBURBS)]),
            "kwh": random.integers(0, 10_001, rows) / 1000,
            "solar": random.random(rows) < 0.3,
        }
    )
    pq.write_table(table, folder / "meters.parquet")
    path = folder / "meters.toml"
    path.write_text(_FILE.format(suburbs=_SUBURBS - 1))
    return path


def _bare(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, body TEXT)")
    return connection


def _bare_pairs(connection: sqlite3.Connection, size: int) -> int:
    for _ in range(size):
        for _ in range(2):
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("INSERT INTO t (body) VALUES (?)", ("SELECT AVG(kwh) FROM meters",))
            connection.execute("COMMIT")
    return size


def _filled(entries: int) -> Path:
    """A dataset whose ledger has so many entries; kept for the next run."""
    folder = WORK / f"curator-{entries}"
    path = folder / "meters.toml"
    if not path.exists():
        part = folder.with_suffix(".part")
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        with Curator.open(_written(part)) as curator:
            declared = list(curator.ledger.entries())
        ledger = part / "meters-ledger.db"
        ledger.unlink()
        with Ledger.open(ledger) as grown:
            grown._database.write(lambda session: load(session, _grown(declared, entries)))  # noqa: SLF001
        part.rename(folder)
    return path


def _grown(declared: list[Entry], entries: int) -> Iterator[Entry]:
    """Further charges and answers as the curator writes them, of questions that are never asked here."""
    yield from declared
    last, number = declared[-1], 0
    while last.seq < entries:
        asked, body = f"{number:064x}", {"cells": ["stepped", 8]}
        told = {"question": asked, "grid": f"{number + 2**200:064x}", "people": None, "body": body}
        cells = {f'["{number}"]': {"outputs": "2"}}
        said = {"version": 1, "others": {"outputs": "1"}, "cells": cells, "questions": [told]}
        answers = {"version": 1, "answers": {asked: {"cell": 3}}}
        for kind, what in (("charge", said), ("answers", answers)):
            last = Entry.after(last.anchor, "meters", kind, None, what)
            yield last
        number += 1


INTRODUCTION = """\
Questions that are priced, charged and answered durably, beside a bare loop of two durable SQLite
transactions, which is the limit when each answer is waited for. It depends on how long the disk takes to
make a transaction durable. `ask_each` asks one after the other without waiting: each has its own price and
charge, and 32 share two transactions. Then the price of a new text among few entries of the ledger and
among many, and among few and many earlier answers from which it may follow; and what each row of a table
has given away, beside a sort of its rows."""


def measured(form: Form) -> Iterator[Part]:
    """Answers and prices."""
    yield Table(answering(2, 50) if form.small else answering(), "Answers")
    yield Table([pricing((100, 10**4), 3, 50) if form.small else pricing()], "Prices")
    yield Table(following((10, 10**3), 2, 50) if form.small else following(), "What follows")
    yield Table(exposing((10**4,)) if form.small else exposing(), "Exposure")


SECTION = Section("curator", "The curator", INTRODUCTION, measured)


if __name__ == "__main__":
    for line in answering():
        print(
            "  ".join(
                f"{name}: {value:,.3g}" if isinstance(value, float) else str(value)
                for name, value in line.items()
            )
        )
    print({name: round(value, 3) if isinstance(value, float) else value for name, value in pricing().items()})
