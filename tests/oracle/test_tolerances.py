"""What a quote says of an answer's width, against all that a person can make the answers be."""

from fractions import Fraction
from itertools import product
from random import Random

import pytest

from noiseless.curator.tolerances import tolerances
from noiseless.intervals import AnswerInterval
from oracle.towns import FakeBooks, Row, Town
from soaking import seeds

DATASETS = seeds(3)

COMPUTED = (
    "SUM(x) - 2 * COUNT(*) FILTER (WHERE x >= {0})",
    "SUM(x) / COUNT(*)",
    "COUNT(*) FILTER (WHERE x >= {0}) / COUNT(*)",
    "SUM(x) / COUNT(*) FILTER (WHERE x >= {0})",
    "SQRT(SUM(x) + 40) - MAX(x) * MIN(x)",
    "3 - MAX(x) / 2",
    "STDDEV_POP(x)",
    "VARIANCE(x) + 1",
    "MIN(x) * MIN(x)",
    "SQRT(MIN(x))",
)


def statements(town: Town) -> list[str]:
    bound = town.value(town.random.randrange(town.size))
    number = town.random.choice(COMPUTED).format(bound)
    hint = town.random.choice(("", "/*+ bits(0) */ ", "/*+ reach(3) */ ", "/*+ max_error(1) */ "))
    grouped = (
        f"SELECT {hint}town, {number} FROM t GROUP BY town",
        f"SELECT {hint}{number} FROM t",
        f"SELECT {hint}{number}, COUNT(*) FROM t WHERE town = 'a'",
    )
    return [town.question().sql, town.question().sql, town.random.choice(grouped)]


@pytest.mark.parametrize("seed", range(60))
def test_no_answer_is_wider_than_its_quote_says(seed: int) -> None:
    """Nor missing where it says that there is a number, nor other than constant where it tells nothing."""
    random = Random(seed * 104_729)
    for town in [Town(random) for _ in DATASETS]:
        for sql in statements(town):
            batch = town.edition.batch([sql])
            (planned,) = batch.statements
            foretold = tolerances(planned, {})
            replies = {
                planned.reply(town.answers(batch, people))
                for person in set(town.owners)
                for people in town.others(person)
            }
            for place, said in enumerate(foretold):
                cells = [row[place] for rows in replies for row in rows]
                if planned.statement.names[place] in planned.whole_domains:
                    assert len(set(cells) - {None}) <= 1, sql
                if said is None:
                    assert not any(isinstance(cell, AnswerInterval) for cell in cells)
                    continue
                found = [cell for cell in cells if isinstance(cell, AnswerInterval)]
                assert all((cell.upper - cell.lower) / 2 <= said.error for cell in found), sql
                if not said.may_be_missing:
                    assert len(found) == len(cells), sql
                    assert not any(cell.may_be_missing for cell in found), sql
                if said.tells_nothing:
                    assert len({rows if not rows else tuple(r[place] for r in rows) for rows in replies}) == 1
            if all(said is None or said.tells_nothing for said in foretold):
                assert town.priced(batch, FakeBooks()).price.outputs == 1


@pytest.mark.parametrize("number", ["SUM(x)", "AVG(x)", "MAX(x)", "MIN(x)", "COUNT(*) FILTER (WHERE x > 0)"])
@pytest.mark.parametrize("seed", range(4))
def test_some_answer_is_as_wide_as_its_quote_says(number: str, seed: int) -> None:
    town = Town(Random(seed))
    bound = town.value(0)
    batch = town.edition.batch([f"SELECT {number.replace('> 0', f'> {bound}')} FROM t"])
    (planned,) = batch.statements
    (said,) = tolerances(planned, {})
    widest = Fraction(0)
    for numbers in product(range(town.size), repeat=len(town.towns)):
        people = [Row(home, x, 0) for home, x in zip(town.towns, numbers, strict=True)]
        ((cell,),) = planned.reply(town.answers(batch, people))
        assert isinstance(cell, AnswerInterval)
        widest = max(widest, Fraction(cell.upper) - Fraction(cell.lower))
    assert said is not None
    assert widest / 2 == said.error


@pytest.mark.parametrize("seed", range(30))
def test_a_charge_does_not_depend_on_answers(seed: int) -> None:
    """Whatever the earlier answers were, "none" among them, later batches cost the same."""
    town = Town(Random(seed * 31 + 7))
    batches = [town.edition.batch([town.question().sql]) for _ in range(4)]
    costs = set()
    for people in [*town.others(town.owners[0]), town.people]:
        books, charged = FakeBooks(), []
        for batch in batches:
            priced = town.priced(batch, books)
            charged.append((priced.price.outputs, tuple(one.question for one in priced.fresh)))
            books.charge(priced)
            books.answer(town.answers(batch, people))
        costs.add(tuple(charged))
    assert len(costs) == 1


@pytest.mark.parametrize("seed", range(20))
def test_no_number_is_an_answer_that_is_paid_for(seed: int) -> None:
    """A mean over a private filter with one cell has two outputs: "none", and all that it can be."""
    town = next(t for t in (Town(Random(seed * 7 + k)) for k in range(99)) if t.limits.least_group == 1)
    asked = f"AVG(x) AS mean FROM t WHERE x > {town.value(0)}"
    batch, finer = (town.edition.batch([f"SELECT /*+ bits({bits}) */ {asked}"]) for bits in (1, 2))
    (planned,) = batch.statements
    assert planned.whole_domains == ("mean",)
    assert batch.notes(()) == (
        "mean is the whole domain, or none if too few rows pass; /*+ bits(2) */ narrows it",
    )
    assert finer.notes(()) == ()
    (said,) = tolerances(planned, {})
    assert said is not None
    assert said.may_be_missing
    assert not said.tells_nothing
    assert town.priced(batch, FakeBooks()).price.outputs == 2
