"""What is said to follow from earlier answers, against all datasets that agree with these."""

import re
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from itertools import product
from random import Random

import pytest

from noiseless.curator.disclosure import StoredAnswer
from noiseless.curator.edition import Batch
from noiseless.curator.exact_answers import may_be_exact
from noiseless.curator.tolerances import tolerances
from noiseless.curator.transaction import PricedBatch
from noiseless.errors import RequestError
from noiseless.intervals import AnswerInterval, Tolerance
from oracle.test_linear_relations import Asked, Statements
from oracle.towns import FakeBooks, Row, Town
from soaking import seeds

DATASETS = seeds(2)


def small(random: Random, most: int = 700, rows: int = 1) -> Town:
    """A town of few people with few values: all that they can be is listed."""
    while True:
        town = Town(random, rows, sql=False)
        if len(town.records) ** len(town.towns) <= most and len(town.towns) > 1:
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


@pytest.mark.parametrize("seed", range(12))
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
    """Two people in each of two towns, six values of x from 0 on and three of y."""
    town = Town.of(6, 3, 4, homes="ab")
    town.people = [Row(home, *town.random.choice(town.records)) for home in town.towns]
    return town


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


HINTS = (
    "/*+ reach(2) */ ",
    "/*+ reach(2) */ ",
    "/*+ reach(3) */ ",
    "/*+ max_error(1) */ ",
    EXACT[7:] + " ",
    "",
)
FREE = "/*+ bits(0) */ "


def sums(town: Town) -> tuple[str, str, Asked]:
    """A sum or a count with a precision, the same for free, and what it is by definition."""
    statements = Statements(town)
    while True:
        asked = statements.statement()
        number = re.sub(r"/\*.*?\*/ ", "", asked.sql)
        if asked.least is None and re.match(r"SELECT (town, )?(SUM|COUNT)\(", number):
            hint = town.random.choice(HINTS)
            paid, free = (number.replace("SELECT ", f"SELECT {each}", 1) for each in (hint, FREE))
            return paid, free, asked


Numbers = list[tuple[object, AnswerInterval]]
"""Of each row, with its group."""


def quoted(town: Town, sql: str, books: FakeBooks) -> tuple[PricedBatch, Tolerance, Numbers]:
    """The price, what is said of the width, and the numbers that need not be paid for."""
    batch = town.batch(sql)
    (planned,) = batch.statements
    priced = town.priced(batch, books, is_quote=True)
    said = tolerances(planned, priced.enclosed)[-1]
    assert said is not None
    if priced.fresh:
        return priced, said, []
    answers = {one.question: priced.answer(one) for one in batch.disclosures}
    rows = planned.reply({question: answer for question, answer in answers.items() if answer is not None})
    return priced, said, [(row[0], row[-1]) for row in rows if isinstance(row[-1], AnswerInterval)]


def outcome(
    town: Town, asked: Sequence[tuple[str, str, Asked]], people: Sequence[Row]
) -> tuple[list[object], list[object], list[object]]:
    """Of a dataset: what is said without looking at it, what is paid for, and what follows."""
    books, said, paid, followed = FakeBooks(), list[object](), list[object](), list[object]()
    for sql, free, meant in asked:
        nothing, width, intervals = quoted(town, free, books)
        assert nothing.price.outputs == 1
        truths = {of: sum((w(row) for row in people if row.town in of), Fraction(0)) for of, w in meant.sums}
        for group, interval in intervals:
            truth = truths.get(str(group), next(iter(truths.values())))
            assert interval.lower <= truth <= interval.upper, free
            assert interval.error <= width.error, free
        priced, sharper, _ = quoted(town, sql, books)
        if sharper.derived is not None:
            assert sharper.derived == width.error
        batch = town.batch(sql)
        unseen = FakeBooks()  # in which no sum in cells is found by what it adds up
        unseen.rows = [
            row if may_be_exact(row.body.get("cells", ["stepped", 1])) else replace(row, people=None)
            for row in books.rows
        ]
        for other in (books, unseen):
            assert town.priced(batch, other).price == priced.price
        told = town.answers(batch, people)
        fresh = sorted(one.question for one in priced.fresh)
        said.append((width, sharper, fresh, str(priced.price), sorted(nothing.enclosed)))
        paid.append([told[question] for question in fresh])
        followed.append(intervals)
        books.charge(priced)
        books.answer({question: answer for question, answer in told.items() if question in fresh})
    return said, paid, followed


@pytest.mark.parametrize("seed", range(12))
def test_intervals_that_follow_hold_the_truth_and_tell_nothing_new(seed: int) -> None:
    """Which ones follow, and how wide they are, is the same whatever was answered; so is every charge."""
    random = Random(seed * 179_424_673)
    for town in [small(random, 64, random.choice((1, 1, 2))) for _ in DATASETS]:
        asked = list[tuple[str, str, Asked]]()
        for _ in range(5):
            with suppress(RequestError):  # nobody can pass
                one = sums(town)
                for sql in one[:2]:
                    town.edition.batch([sql])
                asked.append(one)
        found = [outcome(town, asked, people) for people in everything(town)]
        assert len({str(said) for said, _, _ in found}) == 1
        alone: dict[str, set[int]] = defaultdict(set)
        together: dict[str, set[int]] = defaultdict(set)
        for number, (_, paid, followed) in enumerate(found):
            alone[str(paid)].add(number)
            together[str((paid, followed))].add(number)
        assert sorted(map(sorted, alone.values())) == sorted(map(sorted, together.values()))


TWO = "SELECT /*+ reach(2) */"


@pytest.mark.parametrize(
    ("earlier", "asked"),
    [
        ([f"{TWO} town, SUM(x) FROM t GROUP BY town"], "SUM(x) FROM t"),
        (
            [f"{TWO} SUM(x) FROM t", f"{EXACT} SUM(x) FROM t WHERE town = 'a'"],
            "SUM(x) FROM t WHERE town = 'b'",
        ),
        ([f"{TWO} SUM(x) FROM t"], "AVG(x) FROM t"),
        ([f"{TWO} SUM(x) FROM t"], "SUM(5 - x) FROM t"),
        ([f"{TWO} SUM(x) FROM t WHERE y = 'p'", f"{TWO} SUM(x) FROM t WHERE y <> 'p'"], "SUM(x) FROM t"),
        ([f"{COUNT} x >= 2", f"{TWO} SUM(x) FROM t"], "SUM(CASE WHEN x >= 2 THEN x + 2 ELSE x END) FROM t"),
    ],
)
def test_an_interval_follows(earlier: list[str], asked: str) -> None:
    town = village()
    for several, follows in ((earlier, True), (earlier[:-1], False)):
        books = FakeBooks()
        for sql in several:
            batch = town.edition.batch([sql])
            books.charge(town.priced(batch, books))
            books.answer(town.answers(batch, town.people))
        _, said, _ = quoted(town, f"SELECT {FREE}{asked}", books)
        assert said.tells_nothing != follows
        assert (quoted(town, f"SELECT /*+ reach(3) */ {asked}", books)[1].derived is not None) == follows


def test_the_sharpest_of_several_cells_is_taken() -> None:
    town, books = village(), FakeBooks()
    for hint in ("reach(2)", "reach(4)", "reach(3)"):
        batch = town.edition.batch([f"SELECT /*+ {hint} */ SUM(x) FROM t"])
        books.charge(town.priced(batch, books))
    _, said, _ = quoted(town, f"SELECT {FREE}SUM(x) FROM t", books)
    (planned,) = town.edition.batch(["SELECT /*+ reach(4) */ SUM(x) FROM t"]).statements
    (finest,) = tolerances(planned, {})
    assert finest is not None
    assert said.error == finest.error
