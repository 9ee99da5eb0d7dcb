"""The curator against the definition: all that one person could be is listed, and answers are counted."""

import shutil
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import prod
from pathlib import Path
from random import Random

import pytest

from noiseless.curator import Curator
from noiseless.curator.exposure import RealisedExposure
from noiseless.ledger import Ledger
from noiseless.pricing import BudgetError
from noiseless.questions.sql import AnswerInterval
from oracle.towns import FakeBooks, Town
from soaking import seeds

DATASETS = seeds(3)
"""So many datasets a test; there are hundreds of tests."""


def towns(seed: int, rows: int = 1, *, sql: bool = True) -> list[Town]:
    random = Random(seed * 7919 + rows)
    return [Town(random, rows, sql=sql) for _ in DATASETS]


@pytest.mark.parametrize("seed", range(20))
def test_no_person_causes_more_joint_answers_than_are_charged(seed: int) -> None:
    for town in towns(seed):
        batch = town.edition.batch([town.question().sql for _ in range(town.random.randint(1, 4))])
        price = town.priced(batch, FakeBooks()).price
        for person in set(town.owners):
            outputs = {
                str([answers[disclosure.question] for disclosure in batch.disclosures])
                for people in town.others(person)
                for answers in [town.answers(batch, people)]
            }
            assert len(outputs) <= town.share(price, person)


@pytest.mark.parametrize("seed", range(10))
def test_persons_with_several_rows_cause_no_more_than_are_charged(seed: int) -> None:
    for town in towns(seed, rows=2)[:6]:
        batch = town.edition.batch([town.question().sql for _ in range(town.random.randint(1, 3))])
        price = town.priced(batch, FakeBooks()).price
        for person in set(town.owners):
            outputs = {
                str([answers[disclosure.question] for disclosure in batch.disclosures])
                for people in town.others(person)
                for answers in [town.answers(batch, people)]
            }
            assert len(outputs) <= town.share(price, person)


@pytest.mark.parametrize("seed", range(12))
def test_batch_after_batch_no_person_causes_more_than_the_product_of_what_was_charged(seed: int) -> None:
    """What is free, and what is charged less for, follows from what was charged for before."""
    for town in towns(seed):
        books, batches, charged = FakeBooks(), [], []
        for _ in range(3):
            batch = town.edition.batch([town.question().sql for _ in range(town.random.randint(1, 2))])
            priced = town.priced(batch, books)
            books.charge(priced)
            batches.append(batch)
            charged.append(priced.price)
        for person in set(town.owners):
            outputs = {
                str([town.answers(batch, people) for batch in batches]) for people in town.others(person)
            }
            assert len(outputs) <= prod(town.share(price, person) for price in charged)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("rows", [1, 2])
def test_every_interval_holds_the_truth_and_its_middle_is_the_value(seed: int, rows: int) -> None:
    for town in towns(seed + 1000, rows):
        for question in (town.question() for _ in range(4)):
            batch = town.edition.batch([question.sql])
            (planned,) = batch.statements
            rows_of_reply = planned.reply(town.answers(batch, town.people))
            found = [row[-1] for row in rows_of_reply]
            truths = question.truths(town.people)
            assert len(found) == len(truths)
            for interval, truth in zip(found, truths, strict=True):
                if truth is None:
                    assert interval is None
                else:
                    assert isinstance(interval, AnswerInterval)
                    assert interval.lower <= truth <= interval.upper
                    assert interval.value == (interval.lower + interval.upper) / 2


@pytest.mark.parametrize("seed", range(12))
def test_what_follows_from_stored_answers_is_what_the_data_says(seed: int) -> None:
    for town in towns(seed + 2000):
        books = FakeBooks()
        for _ in range(6):
            batch = town.edition.batch([town.question().sql])
            priced = town.priced(batch, books)
            computed = town.answers(batch, town.people)
            for disclosure in batch.disclosures:
                known = priced.answer(disclosure)
                fresh = {each.question for each in priced.fresh}
                assert (known is None) == (disclosure.question in fresh)
                assert known is None or {**known, "within": None} == {
                    **computed[disclosure.question],
                    "within": None,
                }
            books.charge(priced)
            books.answer(computed)


@pytest.mark.parametrize("seed", [*range(15), 54])  # 54: one record has more cells than another
def test_exposure_is_what_enumerating_finds(seed: int) -> None:
    for town in towns(seed + 3000, sql=False):
        books = FakeBooks()
        batch = town.edition.batch([town.question().sql for _ in range(town.random.randint(1, 4))])
        books.charge(town.priced(batch, books))
        charged = {row.question for row in books.rows}
        exposure = RealisedExposure.of(
            [row.body for row in books.rows], town.snapshot(town.people), town.public
        )
        found = {
            ("ab"[town_number], x, y): (outputs, possible)
            for town_number, x, y, outputs, possible in zip(
                *(exposure.numbers[name].tolist() for name in ("town", "x", "y")),
                exposure.outputs.tolist(),
                exposure.possible.tolist(),
                strict=True,
            )
        }
        for person, row in enumerate(town.people):
            listed = []
            for people in town.others(person):
                answers = town.answers(batch, people)
                listed.append(str([answers[question] for question in sorted(charged)]))
            answers = town.answers(batch, town.people)
            own = str([answers[question] for question in sorted(charged)])
            assert found[row.town, row.x, row.y] == (len(set(listed)), listed.count(own))


@pytest.mark.parametrize("seed", range(8))
def test_exposure_of_persons_with_several_rows_is_a_bound(seed: int) -> None:
    for town in towns(seed + 4000, rows=2, sql=False)[:6]:
        books = FakeBooks()
        batch = town.edition.batch([town.question().sql for _ in range(2)])
        books.charge(town.priced(batch, books))
        charged = {row.question for row in books.rows}
        exposure = RealisedExposure.of(
            [row.body for row in books.rows], town.snapshot(town.people), town.public
        )
        for person in set(town.owners):
            outputs = {
                str([answers[question] for question in sorted(charged)])
                for people in town.others(person)
                for answers in [town.answers(batch, people)]
            }
            assert len(outputs) <= exposure.persons[str(person)]


# Adversaries who know everybody else, against a real ledger

VALUES = 8
Ask = Callable[[str], Fraction | None]
"""The middle of an answer; None when the ledger refuses."""

FILE = """
[dataset]
name = "t"
source = "t.csv"
[budget]
bits = {bits}
[columns.town]
role = "public"
categories = ["a", "b"]
[columns.x]
role = "private"
bounds = [0, 7]
"""


def binary_search(ask: Ask) -> None:
    """Ask about the middle of what is left, again and again."""
    low, high = 0, VALUES
    while high - low > 1:
        middle = (low + high) // 2
        found = ask(f"SELECT COUNT(*) FROM t WHERE x >= {middle}")
        if found is None:
            return
        low, high = (middle, high) if found == 3 else (low, middle)  # two others have 7 and 7


def differencing(ask: Ask) -> None:
    """The total, less what is known of everybody else, in ever finer cells."""
    for outputs in (2, 3, 4, 5, 8):
        ask(f"SELECT /*+ reach({outputs}) */ SUM(x) FROM t")
        ask("SELECT /*+ bits(9) */ SUM(x) FROM t WHERE town = 'a'")
        ask(f"SELECT /*+ reach({outputs}) */ SUM(x) FROM t WHERE town = 'b'")


def combining(ask: Ask) -> None:
    """Whatever tells something new, chosen by what was told before."""
    asked = ["MIN(x)", "MAX(x)", "SUM(x)", "MEDIAN(x)", "VAR_POP(x)"]
    told = 0
    for number in range(12):
        found = ask(
            f"SELECT /*+ reach({2 + told % 3}) */ {asked[(number + told) % 5]} FROM t WHERE town = 'b'"
        )
        told += 0 if found is None else int(found * 4) + 1
        found = ask(f"SELECT COUNT(*) FROM t WHERE x = {(told + number) % VALUES}")
        told += 0 if found is None else int(found)


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("ledger") / "empty.db"
    Ledger.open(path).close()
    return path


@pytest.mark.parametrize("bits", [1, 2])
@pytest.mark.parametrize("strategy", [binary_search, differencing, combining])
def test_an_adversary_is_stopped_at_the_stated_bits(
    strategy: Callable[[Ask], None], bits: int, ledger: Path, tmp_path: Path
) -> None:
    transcripts, refusals = set(), 0
    for value in range(VALUES):
        folder = tmp_path / str(value)
        folder.mkdir()
        shutil.copy(ledger, folder / "t-ledger.db")
        (folder / "t.csv").write_text(f"town,x\na,7\na,7\nb,{value}\n")
        (folder / "t.toml").write_text(FILE.format(bits=bits))
        transcript: list[tuple[str, object]] = []
        with Curator.open(folder / "t.toml") as curator:

            def ask(sql: str) -> Fraction | None:
                try:
                    (answer,) = curator.ask(sql).answers
                except BudgetError:
                    transcript.append((sql, "refused"))  # noqa: B023
                    return None
                transcript.append((sql, answer.interval))  # noqa: B023
                return answer.value

            strategy(ask)
            assert curator.state.total.within(bits)
        refusals += sum(said == "refused" for _, said in transcript)
        transcripts.add(str(transcript))
    assert 1 < len(transcripts) <= 2**bits
    assert refusals


VISITS = """
columns.x = {role = "private", bounds = [0, 1]}
columns.y = {role = "private", categories = ["p", "q"], per = "person"}
[dataset]
name = "t"
source = "t.csv"
unit = "person"
max_rows = 2
[budget]
bits = 50
"""


@pytest.mark.parametrize("number", ["SUM(s)", "AVG(s)", "SUM(s * s)"])
def test_groups_of_persons_tell_more_than_the_group(number: str, tmp_path: Path) -> None:
    """Ann is in one of two groups, and adds 0, 1 or 2 to it: that is more than one of the groups."""
    view = "(SELECT person, y, COUNT_IF(x > 0) AS s FROM t GROUP BY person, y)"
    sql = f"SELECT /*+ reach(9) */ y, {number} FROM {view} GROUP BY y"
    replies, charged = set(), set()
    for kind, first, second in product("pq", (0, 1), (0, 1)):
        own = [f"ann,{first},{kind}", f"ann,{second},{kind}", "bob,1,p", "bob,1,p", "cy,0,q", "cy,1,q"]
        folder = tmp_path / f"{kind}{first}{second}"
        folder.mkdir()
        (folder / "t.csv").write_text("\n".join(["person,x,y", *own]))
        (folder / "t.toml").write_text(VISITS + "min_group = 1\n")
        with Curator.open(folder / "t.toml") as curator:
            reply = curator.ask(sql)
        replies.add(str(reply.results[0].rows))
        charged.add(reply.batch.outputs)
    assert len(replies) <= min(charged)
