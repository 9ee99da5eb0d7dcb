"""What sessions remember takes no more bytes than they say, and no more than they may."""

import gc
import tracemalloc
from collections.abc import Iterator

import pytest

from noiseless import work as memory
from noiseless.curator import Curator
from noiseless.ledger.state import question_key
from noiseless.work import Cache

TOWNS, BLOCKS = 30, 20
KINDS = {
    "many cells": [
        f"SELECT AVG(kwh) FROM big WHERE town <= {n} AND block <> {m}" for n in range(6) for m in range(2)
    ],
    "one cell": [
        f"SELECT SUM(kwh) FROM big WHERE town = {n} AND block = {m}" for n in range(6) for m in range(2)
    ],
    "conditions": [f"SELECT COUNT(*) FROM big WHERE town = 3 AND income > {n}" for n in range(6)],
    "lists": [
        f"SELECT COUNT(*) FROM big WHERE income IN ({', '.join(str(3 * k + n % 3) for k in range(n + 2))})"
        for n in range(30, 36)
    ],
    "filtered": [f"SELECT SUM(kwh) FROM big WHERE income > {n}" for n in range(30, 36)],
    "contributions": [f"SELECT SUM(income) FROM big WHERE income > {n}" for n in range(30, 36)],
    "groups": [
        f"SELECT block, AVG(kwh), SUM(income) FROM big WHERE town <= {n} GROUP BY block" for n in range(6)
    ],
    "long": ["SELECT AVG(kwh) FROM big" + " " * n for n in range(3000, 3006)],
    "histograms": [f"SELECT income, COUNT(*) FROM big WHERE town = {n} GROUP BY income" for n in range(6)],
    "orders": [f"SELECT MEDIAN(income), MIN(kwh) FROM big WHERE town = {n}" for n in range(6)],
    "errors": [f"SELECT /*+ max_error({n}) */ SUM(income) FROM big WHERE town = 1" for n in range(1, 7)],
}


@pytest.fixture(scope="module")
def curator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Curator]:
    folder = tmp_path_factory.mktemp("big")
    rows = [f"{n},{m},{(n + m) % 21 / 2},{n * m}" for n in range(TOWNS) for m in range(BLOCKS)] * 2
    (folder / "big.csv").write_text("\n".join(["town,block,kwh,income", *rows]) + "\n")
    columns = {
        "town": f'"public"\nbounds = [0, {TOWNS}]',
        "block": f'"public"\nbounds = [0, {BLOCKS}]',
        "kwh": '"private"\nbounds = [0, 10]\nstep = 0.5',
        "income": '"private"\nbounds = [0, 1000]',
    }
    (folder / "big.toml").write_text(
        '[dataset]\nname = "big"\nsource = "big.csv"\n[budget]\nbits = 40\nquery_bits = 1\n'
        + "".join(f"[columns.{name}]\nrole = {said}\n" for name, said in columns.items())
    )
    for number in range(5000):  # a bounded cache, which grows in leaps until it is full
        question_key("question", 0, 0, f"{number}")
    with Curator.open(folder / "big.toml") as opened:
        opened.price("SELECT SUM(kwh), COUNT(*) FROM big WHERE town = 1 AND income > 3")
        yield opened


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch) -> memory._All:
    """Memories of this test alone."""
    found = memory._All()
    monkeypatch.setattr(memory, "_all", found)
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_remembered_takes_no_more_bytes_than_it_says(curator: Curator, kind: str) -> None:
    first, *others = KINDS[kind]
    curator.price(first)  # modules that a kind needs are imported once, and are no memory of a session
    gc.collect()
    before = sum(each.size for each in memory._all._memories)
    tracemalloc.start()
    try:
        for sql in others:
            curator.price(sql)
        gc.collect()
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    said = sum(each.size for each in memory._all._memories) - before
    assert 0 < taken <= said


def test_all_memories_of_a_process_have_one_bound(own: memory._All, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "MOST_BYTES", 1_000_000)
    several = [Cache[int](10**9) for _ in range(5)]
    for number in range(10_000):
        assert several[number % 5].keep(number, number, number % 300) == number
        assert sum(each.size for each in several) <= 1_100_000
    assert sum(len(each._things) for each in several) > 10
    del several
    gc.collect()
    assert len(own._memories) == 0


def test_what_is_too_heavy_by_itself_is_not_remembered(own: memory._All) -> None:
    del own
    few = Cache[str](10_000)
    few.keep("light", "a")
    assert few.keep("heavy", "b", 1_000) == "b"
    assert (few.get("light"), few.get("heavy")) == ("a", None)
