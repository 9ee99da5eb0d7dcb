"""What is said to follow from earlier answers, against all datasets that agree with these."""

from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from itertools import product
from random import Random

import pytest

from noiseless.curator.disclosure import StoredAnswer
from noiseless.curator.edition import Batch
from noiseless.errors import RequestError
from oracle.test_linear_relations import Statements
from oracle.towns import FakeBooks, Row, Town
from soaking import seeds

DATASETS = seeds(2)


def small(random: Random) -> Town:
    """A town of few people with few values: all that they can be is listed."""
    while True:
        town = Town(random, sql=False)
        if len(town.records) ** len(town.towns) <= 700 and len(town.towns) > 1:
            return town


def statement(town: Town) -> str:
    """Counts of runs, of lists and of groups, exact sums and means: what follows from one another."""
    random = town.random
    low, high = sorted(town.value(random.randrange(town.size)) for _ in range(2))
    kinds = sorted(random.sample("pqr"[: town.kinds], random.randint(1, town.kinds)))
    conditions = [f"x >= {high}", f"x BETWEEN {low} AND {high}", f"x = {low}", f"x IN ({low}, {high})"]
    conditions.append(f"y IN ({', '.join(map(repr, kinds))})")
    hint = random.choice(("", "", "/*+ max_error(0) */ ", "/*+ max_error(0) */ ", "/*+ reach(3) */ "))
    numbers = ["COUNT(*)"] * 5 + ["SUM(x)"] * 2 + (["AVG(x)"] if town.limits.least_group else [])
    number, condition = random.choice(numbers), random.choice(conditions)
    if number == "SUM(x)" and random.random() < 0.5:
        condition = f"x >= {town.value(0)}"
    where = [condition]
    hint = "" if number == "AVG(x)" else hint  # which is never exact
    scope = random.choice(("all", "all", *sorted(set(town.towns)), "each"))
    if random.random() < 0.15:
        name = random.choice("xy")
        return f"SELECT {hint}{name}, COUNT(*) FROM t GROUP BY {name}"
    if scope == "each":
        return f"SELECT {hint}town, {number} FROM t WHERE {condition} GROUP BY town"
    where += [] if scope == "all" else [f"town = '{scope}'"]
    return f"SELECT {hint}{number} FROM t WHERE {' AND '.join(where)}"


def everything(town: Town) -> list[list[Row]]:
    """All datasets with the same public values."""
    every = product(town.records, repeat=len(town.towns))
    return [[Row(home, *own) for home, own in zip(town.towns, some, strict=True)] for some in every]


Answers = list[dict[str, StoredAnswer]]


def partition(datasets: Sequence[Answers], questions: Sequence[set[str]]) -> dict[str, set[int]]:
    """The datasets by all answers to some of the questions."""
    found: dict[str, set[int]] = defaultdict(set)
    for number, answers in enumerate(datasets):
        told = [[one[q] for q in sorted(some)] for one, some in zip(answers, questions, strict=True)]
        found[str(told)].add(number)
    return found


@pytest.mark.parametrize("seed", range(30))
def test_free_answers_tell_nothing_new(seed: int) -> None:
    """The datasets are told apart by what was charged for just as by everything that was answered."""
    random = Random(seed * 65_537)
    for town in [small(random) for _ in DATASETS]:
        books, batches, charged = FakeBooks(), list[Batch](), list[set[str]]()
        for _ in range(7):
            sql = statement(town) if random.random() < 0.5 else Statements(town).statement().sql
            try:
                batch = town.edition.batch([sql])
            except RequestError:  # nobody can pass
                continue
            priced = town.priced(batch, books)
            computed = town.answers(batch, town.people)
            fresh = {one.question for one in priced.fresh}
            for disclosure in batch.disclosures:
                if disclosure.question not in fresh:
                    assert priced.answer(disclosure) == computed[disclosure.question]
            assert fresh or priced.price.outputs == 1
            batches.append(batch)
            charged.append(fresh)
            books.charge(priced)
            books.answer(computed)
        whole = [{one.question for one in batch.disclosures} for batch in batches]
        datasets = [[town.answers(batch, people) for batch in batches] for people in everything(town)]
        paid, told = partition(datasets, charged), partition(datasets, whole)
        assert sorted(map(sorted, paid.values())) == sorted(map(sorted, told.values()))


def follows(town: Town, earlier: Sequence[str], asked: str) -> bool:
    books = FakeBooks()
    for sql in earlier:
        batch = town.edition.batch([sql])
        books.charge(town.priced(batch, books))
        books.answer(town.answers(batch, town.people))
    batch = town.edition.batch([asked])
    priced = town.priced(batch, books)
    if priced.fresh:
        return False
    assert priced.price.outputs == 1
    answers = town.answers(batch, town.people)
    assert all(priced.answer(one) == answers[one.question] for one in batch.disclosures)
    return True


def village() -> Town:
    """Somebody in each town, six values of x from 0 on and three of y."""
    return Town(Random(_seed_of_a_village()))


@cache
def _seed_of_a_village() -> int:
    for seed in range(10_000):
        town = Town(Random(seed))
        shape = (town.size, town.low, town.step, town.kinds, town.limits.least_group)
        if shape == (6, 0, 1, 3, 1) and set(town.towns) == {"a", "b"}:
            return seed
    raise AssertionError


COUNT, EXACT = "SELECT COUNT(*) FROM t WHERE", "SELECT /*+ max_error(0) */"


@pytest.mark.parametrize(
    ("earlier", "asked"),
    [
        ([f"{COUNT} x >= 2", f"{COUNT} x >= 4"], f"{COUNT} x IN (2, 3)"),
        ([f"{COUNT} x >= 2", f"{COUNT} x IN (2, 3)"], f"{COUNT} x >= 4"),
        ([f"{COUNT} x IN (2, 3)", f"{COUNT} x = 4"], f"{COUNT} x BETWEEN 2 AND 4"),
        ([f"{COUNT} x BETWEEN 1 AND 4", f"{COUNT} x IN (1, 2)"], f"{COUNT} x IN (3, 4)"),
        ([f"{COUNT} y = 'p'", f"{COUNT} y = 'q'"], "SELECT /*+ reach(3) */ y, COUNT(*) FROM t GROUP BY y"),
        ([f"{COUNT} x >= {n}" for n in (2, 4)], "SELECT /*+ reach(3) */ x, COUNT(*) FROM t GROUP BY x"),
        (["SELECT town, COUNT(*) FROM t WHERE x >= 3 GROUP BY town"], f"{COUNT} x >= 3"),
        ([f"{COUNT} x >= 3", f"{COUNT} x >= 3 AND town = 'a'"], f"{COUNT} x >= 3 AND town = 'b'"),
        (
            [f"SELECT town, COUNT(*) FROM t WHERE x >= {n} GROUP BY town" for n in (2, 5)],
            f"{COUNT} x BETWEEN 2 AND 4",
        ),
        ([f"{EXACT} town, SUM(x) FROM t GROUP BY town"], "SELECT SUM(x) FROM t"),
        ([f"{EXACT} town, SUM(x) FROM t GROUP BY town"], "SELECT AVG(x) FROM t"),
        (
            [f"{EXACT} SUM(x) FROM t", f"{EXACT} SUM(x) FROM t WHERE town = 'a'"],
            "SELECT SUM(x) FROM t WHERE town = 'b'",
        ),
        ([f"{COUNT} y = 'p'", f"{EXACT} SUM(x) FROM t WHERE y = 'p'"], "SELECT AVG(x) FROM t WHERE y = 'p'"),
        ([f"{COUNT} x >= 2", f"{EXACT} SUM(x) FROM t WHERE x >= 2"], "SELECT AVG(x) FROM t WHERE x >= 2"),
        ([f"{COUNT} x >= 1", f"{EXACT} SUM(x) FROM t"], "SELECT AVG(x) FROM t WHERE x >= 1"),
        ([f"{COUNT} x >= 2 AND y = 'p'", f"{COUNT} x < 2 AND y = 'p'"], f"{COUNT} y = 'p'"),
        ([f"{COUNT} x >= 2", f"{COUNT} x >= 2 AND y = 'p'"], f"{COUNT} x >= 2 AND y <> 'p'"),
        (
            [f"{COUNT} x >= 2", f"{COUNT} y = 'p'", f"{COUNT} x >= 2 AND y = 'p'"],
            f"{COUNT} x < 2 AND y <> 'p'",
        ),
        (["SELECT /*+ reach(20) */ x, y, COUNT(*) FROM t GROUP BY x, y"], f"{COUNT} x >= 2 OR y = 'p'"),
        (
            ["SELECT /*+ reach(20) */ x, y, COUNT(*) FROM t GROUP BY x, y"],
            "SELECT /*+ reach(9) */ FLOOR(x / 2), COUNT(*) FROM t WHERE y <> 'p' GROUP BY FLOOR(x / 2)",
        ),
        (
            ["SELECT /*+ reach(20) */ x, y, COUNT(*) FROM t GROUP BY x, y"],
            f"{EXACT} SUM(CASE WHEN y = 'p' THEN x ELSE 1 END) FROM t",
        ),
        ([f"{EXACT} y, SUM(x) FROM t GROUP BY y"], f"{EXACT} SUM(x) FROM t"),
        ([f"{EXACT} SUM(x * x) FROM t", f"{EXACT} SUM(x) FROM t"], f"{EXACT} SUM(x * x - 2 * x + 1) FROM t"),
        (
            ["SELECT town, COUNT(*) FROM t WHERE x >= 3 GROUP BY town"],
            "SELECT COUNT(*) FROM t WHERE town = 'a' OR x >= 3",
        ),
        (
            [f"{COUNT} x >= 2", f"{COUNT} x >= 2 AND town = 'a'", f"{COUNT} x >= 4 AND town = 'b'"],
            f"{COUNT} x BETWEEN 2 AND 3 AND town = 'b'",
        ),
    ],
)
def test_what_adds_up_is_free(earlier: list[str], asked: str) -> None:
    town = village()
    assert follows(town, earlier, asked)
    assert not follows(town, earlier[:-1], asked)


def test_an_answer_that_was_charged_for_and_never_stored_is_free_all_the_same() -> None:
    town, books = village(), FakeBooks()
    for sql in (f"{COUNT} x >= 2", f"{COUNT} x >= 4"):
        books.charge(town.priced(town.edition.batch([sql]), books))
    batch = town.edition.batch([f"{COUNT} x IN (2, 3)"])
    priced = town.priced(batch, books)
    assert not priced.fresh
    assert priced.answer(batch.disclosures[0]) is None
