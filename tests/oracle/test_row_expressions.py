"""Expressions of a row against the definition: all that one person could be is listed."""

from math import prod
from random import Random

import pytest

from noiseless.curator.edition import Batch
from noiseless.errors import RequestError
from noiseless.questions import derived
from noiseless.questions.sql import AnswerInterval
from oracle.expression_towns import ExpressionTown, HomeTown, JoinTown, PersonTown, SameKindTown
from oracle.towns import FakeBooks
from soaking import seeds

DATASETS = seeds(3)
LISTED = [derived.MOST_LISTED, 0]
"""Level sets that are listed, and images that are only bounded."""


def towns(seed: int, rows: int = 1) -> list[ExpressionTown]:
    random = Random(seed * 104_729 + rows)
    return [ExpressionTown(random, rows) for _ in DATASETS]


def answered(town: ExpressionTown, asked: list[str], listed: int) -> Batch | None:
    """Statements as they are planned; None where bounds do not suffice."""
    try:
        return town.edition.batch(asked)
    except RequestError:
        assert not listed, asked
        return None


@pytest.mark.parametrize("listed", LISTED)
@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize("seed", range(12))
def test_no_person_causes_more_joint_answers_than_are_charged(
    seed: int, rows: int, listed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(derived, "MOST_LISTED", listed)
    for town in towns(seed, rows):
        asked = [town.question().sql for _ in range(town.random.randint(1, 3))]
        batch = answered(town, asked, listed)
        if batch is None:
            continue
        price = town.priced(batch, FakeBooks()).price
        for person in set(town.owners):
            outputs = {str(town.answers(batch, people)) for people in town.others(person)}
            assert len(outputs) <= town.share(price, person), asked


@pytest.mark.parametrize("kind", [SameKindTown, HomeTown, PersonTown, JoinTown])
@pytest.mark.parametrize("seed", range(12))
def test_what_is_the_same_in_all_rows_of_a_person_costs_no_less_than_it_tells(
    seed: int, kind: type[ExpressionTown]
) -> None:
    """Batch after batch, of everything that a person with several rows can be."""
    random = Random(seed)
    for _ in DATASETS:
        town = kind(random, 2)
        books, batches, charged = FakeBooks(), [], []
        for _ in range(2):
            asked = [town.question().sql for _ in range(random.randint(1, 3))]
            batch = town.edition.batch([*asked, *(["SELECT y, COUNT(*) FROM t GROUP BY y"] * (seed % 2))])
            priced = town.priced(batch, books)
            books.charge(priced)
            batches.append(batch)
            charged.append(priced.price)
        for person in set(town.owners):
            outputs = {
                str([town.answers(batch, people) for batch in batches]) for people in town.others(person)
            }
            paid = [town.share(price, person) for price in charged]
            assert len(outputs) <= prod(paid), [one.sql for batch in batches for one in batch.statements]


def test_groups_of_what_is_per_person_cost_no_more_with_several_rows() -> None:
    """GROUP BY what all rows of a person share does not multiply."""
    town = HomeTown(Random(5), 2)
    batch = town.edition.batch(["SELECT /*+ reach(9) */ town, y, COUNT(*) FROM t GROUP BY town, y"])
    assert town.priced(batch, FakeBooks()).price.outputs == town.kinds


@pytest.mark.parametrize("seed", range(12))
def test_batch_after_batch_no_person_causes_more_than_was_charged(seed: int) -> None:
    for town in towns(seed + 100):
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


@pytest.mark.parametrize("listed", LISTED)
@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize("seed", range(16))
def test_every_interval_holds_the_truth(
    seed: int, rows: int, listed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(derived, "MOST_LISTED", listed)
    for town in towns(seed + 200, rows):
        for question in (town.question() for _ in range(4)):
            batch = answered(town, [question.sql], listed)
            if batch is None:
                continue
            (planned,) = batch.statements
            reply = planned.reply(town.answers(batch, town.people))
            truths = question.truths(town.people)
            told = [row[-1] for row in reply]
            if not listed and len(told) > len(truths):  # bounded keys have rows that nobody can be in
                continue
            for interval, truth in zip(told, truths, strict=True):
                if truth is None:
                    assert interval is None, question.sql
                elif (
                    listed or interval is not None
                ):  # where a value is bounded to be missing there may be none
                    assert isinstance(interval, AnswerInterval), question.sql
                    assert interval.lower <= truth <= interval.upper, question.sql


@pytest.mark.parametrize("seed", range(15))
def test_what_follows_from_stored_answers_is_what_the_data_says(seed: int) -> None:
    for town in towns(seed + 300):
        books = FakeBooks()
        for _ in range(6):
            batch = town.edition.batch([town.question().sql])
            priced = town.priced(batch, books)
            computed = town.answers(batch, town.people)
            for disclosure in batch.disclosures:
                known = priced.answer(disclosure)
                assert known is None or {**known, "within": None} == {
                    **computed[disclosure.question],
                    "within": None,
                }
            books.charge(priced)
            books.answer(computed)


@pytest.mark.parametrize(("kind", "rows"), [(PersonTown, 2), (JoinTown, 1), (JoinTown, 2)])
@pytest.mark.parametrize("seed", range(14))
def test_answers_about_persons_and_joined_tables_hold_the_truth(
    seed: int, kind: type[ExpressionTown], rows: int
) -> None:
    random = Random(seed + 400)
    for town in [kind(random, rows) for _ in DATASETS]:
        for question in (town.question() for _ in range(4)):
            batch = town.edition.batch([question.sql])
            (planned,) = batch.statements
            told = [row[-1] for row in planned.reply(town.answers(batch, town.people))]
            for interval, truth in zip(told, question.truths(town.people), strict=True):
                if truth is None:
                    assert interval is None, question.sql
                else:
                    assert isinstance(interval, AnswerInterval), question.sql
                    assert interval.lower <= truth <= interval.upper, question.sql
