from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from filter_examples import ColumnComparison, holds, normal
from noiseless.curator.disclosure import (
    CellDisclosure,
    CellOutputSpace,
    CountsDisclosure,
    Disclosure,
)
from noiseless.curator.fingerprints import fingerprint, read_cells, write_cells
from noiseless.curator.group_answer import Precision
from noiseless.curator.output_space import most_blocks
from noiseless.curator.planner import Planner
from noiseless.curator.public_state import Grouping, PublicState
from noiseless.domain import Schema
from noiseless.errors import RequestError
from noiseless.ledger import ChargedQuestion
from noiseless.pricing.batches import price
from noiseless.pricing.partition import Predicate
from noiseless.pricing.reach import QuantizedQuery, finest
from noiseless.questions import Attribute, Lattice, total
from noiseless.questions.filters import AllOf, AnyOf, Everything, Filter, Not, with_number
from noiseless.questions.question import Group, Limits, Population, Question
from noiseless.questions.sql import parse
from noiseless.questions.statistics import FilteredMean
from noiseless.ranges.quantizer import Edged, Quantizer, Stepped, Uniform

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


def disclosures(sql: str, outputs: int = 2, chosen: Planner | None = None) -> list[Disclosure | None]:
    made = chosen or planner()
    (question,) = parse(sql, SCHEMA, "t").questions
    return [part.disclosure for part in made.parts(question, Precision(outputs)).values()]


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
        (disclosure,) = disclosures(sql)
        assert disclosure is not None
        assert disclosure.grid == fingerprint([disclosure.version, disclosure.what, disclosure.people.name])
        assert disclosure.question == fingerprint([disclosure.grid, disclosure.alike.told])
        if len(disclosure.columns) == 1:
            around = [disclosure.version, "counts", disclosure.columns[0], disclosure.people.name]
            assert disclosure.around == fingerprint(around)
    (mean,) = disclosures("SELECT AVG(age) FROM t WHERE town = 'a'")
    assert mean is not None
    assert mean.question == "e755ca4c66a9b0981b77bea8a2a3890d51b918bb6219ce5a06c1867f6943e2e1"


def test_canonical_json_never_changes() -> None:
    value = [1, ("sum", 'Größe "x"\n\u2028\x7f', ((0, 3),), None, True), {"b": [1], "a": "é\\"}]
    assert fingerprint(value) == "ea5c8a59dccb5bb4eaa5f6f747b4fcf539b7ccaeead633d09bfc07636730a447"


def test_what_has_no_price_is_refused_however_often_and_whatever_its_constants() -> None:
    made = planner()
    for constant in (18, 18, 30):
        with pytest.raises(RequestError, match="may divide by 0"):
            disclosures(f"SELECT MAX(income / (age - {constant})) FROM t WHERE year = 2004", chosen=made)
        (found,) = disclosures(f"SELECT COUNT(*) FROM t WHERE year = 2004 AND age > {constant}", chosen=made)
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
    found = {
        disclosure.question for sql in several for disclosure in disclosures(sql) if disclosure is not None
    }
    assert len(found) == 1


def test_other_questions_people_versions_and_cells_have_others() -> None:
    asked = [
        *disclosures("SELECT SUM(age) FROM t"),
        *disclosures("SELECT SUM(age) FROM t", outputs=3),
        *disclosures("SELECT SUM(income) FROM t"),
        *disclosures("SELECT SUM(age) FROM t WHERE town = 'a'"),
        *disclosures("SELECT SUM(age) FROM t WHERE year = 2001"),
        *disclosures("SELECT SUM(age) FROM t WHERE ill"),
        *disclosures("SELECT SUM(age) FROM t WHERE NOT ill"),
        *disclosures("SELECT SUM(age) FROM t WHERE age > 5"),
        *disclosures("SELECT MIN(age) FROM t"),
        *disclosures("SELECT MEDIAN(age) FROM t"),
        *disclosures("SELECT VAR_POP(age) FROM t"),
        *disclosures("SELECT age, COUNT(*) FROM t GROUP BY age", outputs=200),
        *disclosures("SELECT COUNT(*) FROM t WHERE age = 3"),
        *disclosures("SELECT AVG(age) FROM t WHERE ill", chosen=planner(least=4)),
        *disclosures("SELECT AVG(age) FROM t WHERE ill", chosen=planner(least=5)),
        *disclosures("SELECT SUM(age) FROM t", chosen=planner(rows=2)),
        *disclosures("SELECT SUM(age) FROM t", chosen=Planner(PublicState(SCHEMA, Limits(), POPULATION, 2))),
    ]
    found = [disclosure.question for disclosure in asked if disclosure is not None]
    assert len(set(found)) == len(asked)
    first, second = asked[:2]
    assert first is not None
    assert second is not None
    assert first.grid == second.grid


def test_a_mean_of_a_small_public_group_is_not_told() -> None:
    asked = Question("mean", "age", by=("town", "year"))
    parts = planner(least=5).parts(asked, Precision(2)).values()
    assert [part.disclosure is None for part in parts] == [size < 5 for size in sorted_sizes()]
    assert all(part.value(None) is None for part in parts if part.disclosure is None)
    assert all(part.disclosure is not None for part in planner().parts(asked, Precision(2)).values())


def sorted_sizes() -> list[int]:
    return [size for _, size in sorted(zip(CELLS, POPULATION.sizes, strict=True))]


def test_a_histogram_has_as_many_blocks_as_are_allowed() -> None:
    for outputs, blocks in ((1, 1), (2, 2), (121, 121), (500, 121)):
        (disclosure,) = disclosures("SELECT age, COUNT(*) FROM t GROUP BY age", outputs)
        assert isinstance(disclosure, CountsDisclosure)
        assert disclosure.partition.blocks == blocks
        assert disclosure.event.footprint(planner().public.record).outputs == blocks
        assert (disclosure.constant is not None) == (blocks == 1)


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
        for disclosure in disclosures(sql, outputs, made):
            assert disclosure is not None
            assert price([disclosure.event], made.public.record).outputs <= outputs, sql


def test_a_filtered_mean_needs_a_bit() -> None:
    with pytest.raises(RequestError, match="allow it 1 bit or more"):
        disclosures("SELECT AVG(age) FROM t WHERE ill", 1, planner(least=3))
    (one,) = disclosures("SELECT AVG(age) FROM t WHERE ill", 3, planner(least=3))
    assert isinstance(one, CellDisclosure)
    assert one.mechanism.reach.outputs == 3
    assert one.mechanism.quantizer.cells > 1


def test_a_filtered_mean_gets_the_finest_cells_that_are_sound() -> None:
    query = FilteredMean(100, Attribute("x", range(101)), 10, frozenset(range(50)))
    for outputs in range(2, 30):
        found = finest(query, outputs)
        assert found.reach.outputs <= outputs
        finer = QuantizedQuery(query, Uniform(query.span, found.quantizer.cells + 11))
        assert finer.reach.outputs > outputs


def test_an_error_gives_the_fewest_cells() -> None:
    (question,) = parse("SELECT AVG(age) FROM t", SCHEMA, "t").questions
    (part,) = planner().parts(question, Precision(2, Fraction(5))).values()
    assert isinstance(part.disclosure, CellDisclosure)
    answers = [part.value({"cell": cell}) for cell in range(part.disclosure.mechanism.quantizer.cells)]
    assert max(answer.upper - answer.lower for answer in answers if answer is not None) <= 10
    assert len(answers) == 12


@pytest.mark.parametrize("rows", [2, 3])
def test_counts_of_groups_of_persons_with_several_rows_are_linear_forms(rows: int) -> None:
    (disclosure,) = disclosures("SELECT COUNT(*) FROM t WHERE ill AND town = 'a'", rows + 1, planner(rows))
    assert isinstance(disclosure, CellDisclosure)
    assert disclosure.mechanism.reach.outputs == rows + 1
    assert disclosure.mechanism.worst_error == 0
    (part,) = (
        planner(rows)
        .parts(
            parse("SELECT COUNT(*) FROM t WHERE NOT ill AND town = 'a'", SCHEMA, "t").questions[0],
            Precision(rows + 1),
        )
        .values()
    )
    assert part.disclosure is not None
    assert part.disclosure.question == disclosure.question
    people = part.disclosure.people.size
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
    asked = disclosures("SELECT SUM(age) FROM t")[0]
    assert isinstance(asked, CellDisclosure)
    span = query.span

    def told(cells: Quantizer) -> CellDisclosure:
        alike = CellOutputSpace(QuantizedQuery(query, cells))
        return CellDisclosure(asked.people, ("sum",), 1, alike, ("age",), ())

    def disclosure(points: int) -> CellDisclosure:
        return told(Stepped(span, points))

    def charged(name: str, before: CellDisclosure, cell: int | None) -> ChargedQuestion:
        return ChargedQuestion(name, None, None, before.body, None if cell is None else {"cell": cell}, 1)

    both = [
        charged("a", disclosure(20), 2),
        charged("b", disclosure(30), 1),
    ]
    assert list(disclosure(60).derived(both[:1])) == [{"cell": 0}]
    edged = told(Edged.of(span, [Fraction(20), Fraction(30), Fraction(40)]))
    assert list(edged.derived(both[:1])) == []
    assert list(edged.derived(both)) == [{"cell": 3}]
    unknown = [both[0], charged("b", disclosure(30), None)]
    assert list(edged.derived(unknown)) == [None]


def test_blocks() -> None:
    assert with_number((), 4) == ((4, 5),)
    assert Predicate.of_runs("x", 5, ()).chosen == frozenset()
    assert Predicate.of_runs("x", 5, ((0, 5),)).chosen == frozenset({0})
    assert most_blocks(10, 2, 10, alike=True) == 4
    assert most_blocks(10, 2, 10, alike=False) == 3
