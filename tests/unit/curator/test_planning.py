from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from filter_examples import ColumnComparison, holds, normal
from noiseless.curator.batch_price import price_alone
from noiseless.curator.cell_disclosure import CellDisclosure, read_cells, write_cells
from noiseless.curator.disclosure import (
    CountsDisclosure,
    Disclosure,
    EarlierQuestion,
    condition,
    fingerprint,
    most_blocks,
    neighbouring,
    with_number,
)
from noiseless.curator.planner import Planner, Precision, mechanism_for
from noiseless.curator.public_state import Grouping, PublicState
from noiseless.domain import Schema
from noiseless.errors import RequestError
from noiseless.pricing.batches import price
from noiseless.pricing.reach import QuantizedQuery
from noiseless.questions import Attribute, Lattice, total
from noiseless.questions.filters import AllOf, AnyOf, Everything, Filter, Not
from noiseless.questions.question import Group, Limits, Population, Question
from noiseless.questions.sql import parse
from noiseless.questions.statistics import FilteredMean
from noiseless.ranges.quantizer import Edged, Stepped, Uniform

SCHEMA = Schema.parse(
    """
    [columns.town]
    role = "public"
    categories = ["c", "a", "b"]
    [columns.year]
    role = "public"
    bounds = [2000, 2010]
    [columns.age]
    role = "private"
    bounds = [0, 120]
    [columns.income]
    role = "private"
    bounds = [-10, 1000]
    step = 5
    [columns.ill]
    role = "private"
    type = "boolean"
    """
)
CELLS = tuple((town, year) for town, year in product("cab", (2001, 2004, 2005)))
POPULATION = Population(("town", "year"), CELLS, tuple(range(3, 12)))


def planner(rows: int = 1, least: int | None = None) -> Planner:
    return Planner(PublicState(SCHEMA, Limits(rows, least), POPULATION, 1))


def tellings(sql: str, outputs: int = 2, chosen: Planner | None = None) -> list[Disclosure | None]:
    made = chosen or planner()
    (question,) = parse(sql, SCHEMA, "t").questions
    return [part.telling for part in made.parts(question, Precision(outputs))]


def groups(population: Population, where: Filter, by: tuple[str, ...] = ()) -> tuple[Group, ...]:
    """The groups, cell by cell."""
    found: dict[tuple[Any, ...], list[int]] = {}
    for cell, values in enumerate(population.cells):
        row = dict(zip(population.columns, values, strict=True))
        if holds(where, row):
            found.setdefault(tuple(row[name] for name in by), []).append(cell)
    return tuple(
        Group(values, frozenset(cells), sum(population.sizes[cell] for cell in cells))
        for values, cells in sorted(found.items())
    )


FILTERS = (
    Everything(),
    ColumnComparison("town", "=", "a"),
    ColumnComparison("year", ">", 2001),
    Not(ColumnComparison("year", "in", (2004, 2005))),
    AllOf((ColumnComparison("town", "!=", "b"), ColumnComparison("year", "<", 2005))),
    AnyOf((ColumnComparison("town", "=", "b"), ColumnComparison("year", "=", 2001))),
)


@pytest.mark.parametrize("by", [(), ("town",), ("year",), ("town", "year")])
@pytest.mark.parametrize("where", FILTERS)
def test_groups_are_those_of_the_population(where: Filter, by: tuple[str, ...]) -> None:
    assert Grouping(SCHEMA, POPULATION).groups(normal(where, SCHEMA), by) == groups(POPULATION, where, by)


@pytest.mark.parametrize("cells", [1, 14, 15, 16, 17, 40])
def test_groups_of_a_few_cells_are_found_as_those_of_many(cells: int) -> None:
    schema = Schema.parse('columns.zone = {role = "public", bounds = [0, 99]}')
    zones = [3, 3, *range(5, 45)] if cells > 1 else [7]
    population = Population(("zone",), tuple((zone,) for zone in zones), tuple(range(1, len(zones) + 1)))
    for first in (0, 3, 7, 40):
        where = normal(
            AllOf((ColumnComparison("zone", ">=", first), ColumnComparison("zone", "<", first + cells))),
            schema,
        )
        assert Grouping(schema, population).groups(where, ()) == groups(population, where)


def test_fingerprints_are_of_canonical_json() -> None:
    """What ledgers hold is found by them: they never change."""
    for sql in (
        "SELECT AVG(age) FROM t WHERE town = 'a'",
        "SELECT SUM(age) FROM t WHERE ill",
        "SELECT COUNT(*) FROM t WHERE age >= 18 AND year = 2004",
        "SELECT ill, COUNT(*) FROM t GROUP BY ill",
    ):
        (telling,) = tellings(sql)
        assert telling is not None
        assert telling.grid == fingerprint([telling.version, telling.what, telling.people.name])
        assert telling.question == fingerprint([telling.grid, telling.alike.told])
        if len(telling.columns) == 1:
            around = [telling.version, "counts", telling.columns[0], telling.people.name]
            assert telling.around == fingerprint(around)
    (mean,) = tellings("SELECT AVG(age) FROM t WHERE town = 'a'")
    assert mean is not None
    assert mean.question == "e755ca4c66a9b0981b77bea8a2a3890d51b918bb6219ce5a06c1867f6943e2e1"


def test_what_has_no_price_is_refused_however_often_and_whatever_its_constants() -> None:
    made = planner()
    for constant in (18, 18, 30):
        with pytest.raises(RequestError, match="has no price"):
            tellings(f"SELECT MAX(age) FROM t WHERE year = 2004 AND income > {constant}", chosen=made)
        (found,) = tellings(f"SELECT COUNT(*) FROM t WHERE year = 2004 AND age > {constant}", chosen=made)
        assert found is not None


@pytest.mark.parametrize(
    "several",
    [
        ("SELECT AVG(age) FROM t", "SELECT SUM(age) FROM t", "SELECT SUM(age) FROM t WHERE age > 0"),
        (
            "SELECT COUNT(*) FROM t WHERE age < 30",
            "SELECT COUNT(*) FROM t WHERE age >= 30",
            "SELECT COUNT(*) FROM t WHERE NOT age BETWEEN 0 AND 29",
        ),
        (
            "SELECT MAX(age) FROM t WHERE town = 'a'",
            "SELECT QUANTILE(age, 1) FROM t WHERE town IN ('a', 'a')",
        ),
        (
            "SELECT AVG(age) FROM t WHERE town <> 'c'",
            "SELECT AVG(age) FROM t WHERE town = 'a' OR town = 'b'",
        ),
        ("SELECT ill, COUNT(*) FROM t GROUP BY ill", "SELECT COUNT(*) FROM t WHERE ill"),
    ],
)
def test_one_question_has_one_fingerprint_whatever_its_words(several: tuple[str, ...]) -> None:
    found = {telling.question for sql in several for telling in tellings(sql) if telling is not None}
    assert len(found) == 1


def test_other_questions_people_versions_and_cells_have_others() -> None:
    asked = [
        *tellings("SELECT SUM(age) FROM t"),
        *tellings("SELECT SUM(age) FROM t", outputs=3),
        *tellings("SELECT SUM(income) FROM t"),
        *tellings("SELECT SUM(age) FROM t WHERE town = 'a'"),
        *tellings("SELECT SUM(age) FROM t WHERE year = 2001"),
        *tellings("SELECT SUM(age) FROM t WHERE ill"),
        *tellings("SELECT SUM(age) FROM t WHERE NOT ill"),
        *tellings("SELECT SUM(age) FROM t WHERE age > 5"),
        *tellings("SELECT MIN(age) FROM t"),
        *tellings("SELECT MEDIAN(age) FROM t"),
        *tellings("SELECT VAR_POP(age) FROM t"),
        *tellings("SELECT age, COUNT(*) FROM t GROUP BY age", outputs=200),
        *tellings("SELECT COUNT(*) FROM t WHERE age = 3"),
        *tellings("SELECT AVG(age) FROM t WHERE ill", chosen=planner(least=4)),
        *tellings("SELECT AVG(age) FROM t WHERE ill", chosen=planner(least=5)),
        *tellings("SELECT SUM(age) FROM t", chosen=planner(rows=2)),
        *tellings("SELECT SUM(age) FROM t", chosen=Planner(PublicState(SCHEMA, Limits(), POPULATION, 2))),
    ]
    found = [telling.question for telling in asked if telling is not None]
    assert len(set(found)) == len(asked)
    first, second = asked[:2]
    assert first is not None
    assert second is not None
    assert first.grid == second.grid


def test_a_mean_of_a_small_public_group_is_not_told() -> None:
    parts = planner(least=5).parts(Question("mean", "age", by=("town", "year")), Precision(2))
    assert [part.telling is None for part in parts] == [size < 5 for size in sorted_sizes()]
    assert all(part.value(None) is None for part in parts if part.telling is None)
    assert planner().parts(Question("mean", "age", by=("town", "year")), Precision(2))[0].telling is not None


def sorted_sizes() -> list[int]:
    return [size for _, size in sorted(zip(CELLS, POPULATION.sizes, strict=True))]


def test_a_histogram_has_as_many_blocks_as_are_allowed() -> None:
    for outputs, blocks in ((1, 1), (2, 2), (121, 121), (500, 121)):
        (telling,) = tellings("SELECT age, COUNT(*) FROM t GROUP BY age", outputs)
        assert isinstance(telling, CountsDisclosure)
        assert telling.partition.blocks == blocks
        assert telling.event.footprint(planner().public.record).outputs == blocks
        assert (telling.constant is not None) == (blocks == 1)


@pytest.mark.parametrize("outputs", [1, 2, 3, 4, 7, 40])
@pytest.mark.parametrize("rows", [1, 2, 3])
@pytest.mark.parametrize("town", ["", " AND town = 'a'"])
def test_no_plan_has_more_outputs_than_allowed(outputs: int, rows: int, town: str) -> None:
    made = planner(rows, 2 if rows == 1 else None)
    asked = [f"SELECT COUNT(*) FROM t WHERE age > 7{town}", f"SELECT SUM(age) FROM t WHERE ill{town}"]
    public = town.replace(" AND", " WHERE")
    asked += [f"SELECT {name}(age) FROM t{public}" for name in ("SUM", "AVG", "MIN", "MEDIAN")]
    asked += [f"SELECT age, COUNT(*) FROM t{public} GROUP BY age"]
    if rows == 1 and outputs > 1:
        asked += [
            f"SELECT AVG(age) FROM t WHERE ill{town}",
            f"SELECT AVG(income) FROM t WHERE income > 5{town}",
        ]
    for sql in asked:
        for telling in tellings(sql, outputs, made):
            assert telling is not None
            assert price([telling.event], made.public.record).outputs <= outputs, sql


def test_a_filtered_mean_needs_a_bit() -> None:
    with pytest.raises(RequestError, match="allow it 1 bit or more"):
        tellings("SELECT AVG(age) FROM t WHERE ill", 1, planner(least=3))
    (one,) = tellings("SELECT AVG(age) FROM t WHERE ill", 3, planner(least=3))
    assert isinstance(one, CellDisclosure)
    assert one.mechanism.reach.outputs == 3
    assert one.mechanism.quantizer.cells > 1


def test_a_filtered_mean_gets_the_finest_cells_that_are_sound() -> None:
    query = FilteredMean(100, Attribute("x", range(101)), 10, frozenset(range(50)))
    for outputs in range(2, 30):
        found = mechanism_for(query, Precision(outputs))
        assert found.reach.outputs <= outputs
        finer = QuantizedQuery(query, Uniform(query.span, found.quantizer.cells + 11))
        assert finer.reach.outputs > outputs


def test_an_error_gives_the_fewest_cells() -> None:
    (question,) = parse("SELECT AVG(age) FROM t", SCHEMA, "t").questions
    (part,) = planner().parts(question, Precision(2, Fraction(5)))
    assert isinstance(part.telling, CellDisclosure)
    answers = [part.value({"cell": cell}) for cell in range(part.telling.mechanism.quantizer.cells)]
    assert max(answer.upper - answer.lower for answer in answers if answer is not None) <= 10
    assert len(answers) == 12


@pytest.mark.parametrize("rows", [2, 3])
def test_counts_of_groups_of_persons_with_several_rows_are_linear_forms(rows: int) -> None:
    (telling,) = tellings("SELECT COUNT(*) FROM t WHERE ill AND town = 'a'", rows + 1, planner(rows))
    assert isinstance(telling, CellDisclosure)
    assert telling.mechanism.reach.outputs == rows + 1
    assert telling.mechanism.worst_error == 0
    (part,) = planner(rows).parts(
        parse("SELECT COUNT(*) FROM t WHERE NOT ill AND town = 'a'", SCHEMA, "t").questions[0],
        Precision(rows + 1),
    )
    assert part.telling is not None
    assert part.telling.question == telling.question
    people = part.telling.people.size
    assert part.value({"cell": 2}).value == people - 2  # type: ignore[union-attr]


def test_grids_are_written_and_read() -> None:
    span = Lattice.of(0, 20, 1)
    for grid in (Stepped(span, 3), Uniform(span, 4), Edged.of(span, [Fraction(5), Fraction(6)])):
        again = read_cells(write_cells(grid), span)
        assert [again.begin(cell) for cell in range(again.cells)] == [
            grid.begin(cell) for cell in range(grid.cells)
        ]


def test_two_grids_together_may_imply_a_third() -> None:
    query = total(10, Attribute("age", range(13)))
    asked = tellings("SELECT SUM(age) FROM t")[0]
    assert isinstance(asked, CellDisclosure)
    span = query.span

    def telling(points: int) -> CellDisclosure:
        return CellDisclosure(asked.people, ("sum",), 1, QuantizedQuery(query, Stepped(span, points)), "age")

    both = [
        EarlierQuestion("a", telling(20).body, {"cell": 2}),
        EarlierQuestion("b", telling(30).body, {"cell": 1}),
    ]
    assert telling(60).is_implied(both[:1])
    assert telling(60).derive(both[:1]) == {"cell": 0}
    edged = CellDisclosure(
        asked.people,
        ("sum",),
        1,
        QuantizedQuery(query, Edged.of(span, [Fraction(20), Fraction(30), Fraction(40)])),
        "age",
    )
    assert edged.is_implied(both)
    assert not edged.is_implied(both[:1])
    assert edged.derive(both) == {"cell": 3}
    unknown = [both[0], EarlierQuestion("b", telling(30).body, None)]
    assert edged.is_implied(unknown)
    assert edged.derive(unknown) is None


def test_blocks() -> None:
    assert with_number((), 4) == ((4, 5),)
    assert neighbouring("x", 7, 7).blocks == 7
    assert condition("x", 5, ()).chosen == frozenset()
    assert condition("x", 5, ((0, 5),)).chosen == frozenset({0})
    assert most_blocks(10, 2, 10, alike=True) == 4
    assert most_blocks(10, 2, 10, alike=False) == 3


@pytest.mark.parametrize("outputs", [2, 3, 500])
def test_the_quick_price_of_one_question_is_its_price(outputs: int) -> None:
    asked = [
        "SELECT SUM(age) FROM t",
        "SELECT MAX(age) FROM t WHERE town = 'a'",
        "SELECT VAR_POP(age) FROM t WHERE year > 2001",
        "SELECT SUM(age) FROM t WHERE ill AND town <> 'a'",
        "SELECT SUM(income) FROM t WHERE income > 100",
        "SELECT COUNT(*) FROM t WHERE ill",
        "SELECT ill, COUNT(*) FROM t WHERE town = 'b' GROUP BY ill",
        "SELECT age, COUNT(*) FROM t GROUP BY age",
    ]
    record = planner().public.record
    for sql in asked:
        for telling in tellings(sql, outputs):
            assert telling is not None
            assert price_alone(telling.event, record) == price([telling.event], record), sql
    (mean,) = tellings("SELECT AVG(age) FROM t WHERE ill", outputs, planner(least=3))
    assert mean is not None
    assert price_alone(mean.event, record) == price([mean.event], record)
