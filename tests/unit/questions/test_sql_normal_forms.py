"""Filters that let the same rows pass are the same object; others never are."""

from collections.abc import Iterator
from decimal import Decimal
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from filter_examples import ColumnComparison, holds, normal, question
from noiseless.domain import Schema, Value
from noiseless.errors import ColumnError, RequestError
from noiseless.questions.filters import (
    NOBODY,
    AllOf,
    Among,
    AnyOf,
    Everything,
    Filter,
    Not,
    as_runs,
    between,
    outside,
    parted,
)
from noiseless.questions.question import Question
from noiseless.questions.sql import parse
from noiseless.questions.sql.canonical import write_filter
from noiseless.questions.sql.conditions import passing_runs

SCHEMA = Schema.parse(
    """
    [columns.a]
    role = "public"
    bounds = [0, 2]
    [columns.b]
    role = "public"
    categories = ["x", "y", "it's"]
    [columns.p]
    role = "private"
    bounds = [0, 1]
    step = 0.25
    [columns.q]
    role = "private"
    type = "boolean"
    """
)
CONSTANTS: dict[str, list[Any]] = {
    "a": [-1, 0, 1, Decimal("1.5"), 2, 3],
    "b": ["x", "y", "it's"],
    "p": [Decimal("-0.1"), 0, Decimal("0.25"), Decimal("0.3"), Decimal("0.75"), 1, 2],
    "q": [True, False],
}
ROWS: list[dict[str, Value]] = [
    dict(zip(SCHEMA.columns, values, strict=True))
    for values in product(*([c.value(i) for i in range(c.size)] for c in SCHEMA.columns.values()))
]


def comparisons(columns: str) -> st.SearchStrategy[Filter]:
    operators = st.sampled_from(["=", "!=", "<", "<=", ">", ">="])

    def one(column: str) -> st.SearchStrategy[Filter]:
        constants = st.sampled_from(CONSTANTS[column])
        several = st.lists(constants, min_size=1, max_size=3).map(tuple)
        return st.one_of(
            st.builds(ColumnComparison, st.just(column), operators, constants),
            st.builds(ColumnComparison, st.just(column), st.just("in"), several),
        )

    return st.sampled_from(columns).flatmap(one)


def filters(columns: str) -> st.SearchStrategy[Filter]:
    return st.recursive(
        comparisons(columns) | st.just(Everything()),
        lambda inner: st.one_of(
            st.builds(Not, inner),
            st.lists(inner, max_size=3).map(lambda parts: AllOf(tuple(parts))),
            st.lists(inner, max_size=3).map(lambda parts: AnyOf(tuple(parts))),
        ),
        max_leaves=8,
    )


def outcome(where: Filter) -> tuple[bool, ...]:
    return tuple(holds(where, row) for row in ROWS)


@given(filters("abpq"), filters("abpq"))
def test_equal_exactly_when_they_let_the_same_rows_pass(one: Filter, two: Filter) -> None:
    first, second = normal(one, SCHEMA), normal(two, SCHEMA)
    assert outcome(first) == outcome(one)
    assert (first == second) == (outcome(one) == outcome(two))
    assert (write_filter(first) == write_filter(second)) == (first == second)
    if first == second:
        assert hash(first) == hash(second)
    assert normal(first, SCHEMA) == first


@given(filters("ap"))
def test_few_columns_collide_often(where: Filter) -> None:
    """On one public and one private column there are few different filters: each is seen many times."""
    seen = _SEEN.setdefault(outcome(where), normal(where, SCHEMA))
    assert seen == normal(where, SCHEMA)
    assert write_filter(seen) == write_filter(normal(where, SCHEMA))


_SEEN: dict[tuple[bool, ...], Filter] = {}


def respelt(where: Filter) -> Iterator[Filter]:
    """The same filter in other words."""
    yield Not(Not(where))
    yield AllOf((where, where))
    yield AnyOf((where, AllOf((where, ColumnComparison("a", "=", 1)))))
    match where:
        case AllOf():
            yield Not(AnyOf(tuple(Not(part) for part in where.parts)))
            yield AllOf(where.parts[::-1])
        case AnyOf():
            yield Not(AllOf(tuple(Not(part) for part in where.parts)))
            yield AnyOf(where.parts[::-1])
        case ColumnComparison(operator="in", constant=tuple() as constants):
            yield AnyOf(tuple(ColumnComparison(where.column, "=", constant) for constant in constants))
        case ColumnComparison(operator=">="):
            yield Not(ColumnComparison(where.column, "<", where.constant))
            yield AnyOf(
                (
                    ColumnComparison(where.column, ">", where.constant),
                    ColumnComparison(where.column, "=", where.constant),
                )
            )


@given(filters("abpq"))
def test_spelling_does_not_matter(where: Filter) -> None:
    assert {normal(same, SCHEMA) for same in respelt(where)} == {normal(where, SCHEMA)}


@given(filters("ab"), filters("p"))
def test_public_and_private_parts_stand_apart(public: Filter, hidden: Filter) -> None:
    whole = normal(AllOf((hidden, public)), SCHEMA)
    if whole == NOBODY:
        return
    kept = normal(hidden, SCHEMA)
    assert parted(whole) == (normal(public, SCHEMA), None if kept == Everything() else kept)


@given(filters("ab"), filters("p"))
def test_the_text_of_a_filter_reads_back_as_it(public: Filter, hidden: Filter) -> None:
    where = normal(AllOf((public, hidden)), SCHEMA)
    if where == NOBODY:
        return
    (asked,) = parse(f"SELECT COUNT(*) FROM t WHERE {write_filter(where)}", SCHEMA, "t").questions
    assert asked.where == where


def test_runs() -> None:
    assert as_runs([]) == ()
    assert outside((), 3) == ((0, 3),)
    assert outside(((0, 3),), 3) == ()
    assert outside(((0, 1), (2, 3)), 3) == ((1, 2),)
    assert between(-5, 99, 3) == ((0, 3),)
    assert between(2, 1, 3) == ()


@pytest.mark.parametrize("name", SCHEMA.columns)
@pytest.mark.parametrize("operator", ["=", "!=", "<", "<=", ">", ">="])
def test_what_passes_a_comparison(name: str, operator: Any) -> None:  # noqa: ANN401 - one of a few words
    column = SCHEMA.columns[name]
    for constant in CONSTANTS[name]:
        runs = passing_runs(name, column, operator, constant)
        listed = {number for start, stop in runs for number in range(start, stop)}
        comparison = ColumnComparison(name, operator, constant)
        assert listed == {i for i in range(column.size) if holds(comparison, {name: column.value(i)})}
        among = Among(name, runs, column)
        assert all(holds(among, row) == holds(comparison, row) for row in ROWS)
        assert runs == as_runs(listed)


def test_domains_of_any_size() -> None:
    schema = Schema.parse('columns.x = {role = "public", bounds = [0, 1e200], step = 1e-90}')
    low = normal(ColumnComparison("x", "<", Decimal(7)), schema)
    assert low == normal(Not(ColumnComparison("x", ">=", Decimal(7))), schema)
    assert write_filter(low) == f"x <= 6.{'9' * 90}"


def test_mixed_categories() -> None:
    schema = Schema.parse('columns.x = {role = "public", categories = [1, "one", 2]}')
    assert write_filter(normal(ColumnComparison("x", "=", 1), schema)) == "x = 1"
    assert write_filter(normal(ColumnComparison("x", "!=", "one"), schema)) == "x <> 'one'"
    with pytest.raises(ColumnError, match="same kind"):
        normal(ColumnComparison("x", "<", 2), schema)
    with pytest.raises(ColumnError, match="same kind"):
        normal(ColumnComparison("x", "=", constant=True), schema)


@pytest.mark.parametrize(
    ("where", "problem"),
    [
        (ColumnComparison("a", "=", "x"), "holds numbers"),
        (ColumnComparison("b", "=", 3), "holds texts"),
        (ColumnComparison("q", "=", 1), "holds truth values"),
    ],
)
def test_filters_that_make_no_sense(where: Filter, problem: str) -> None:
    with pytest.raises(ColumnError, match=problem):
        normal(where, SCHEMA)


def test_filters_that_nobody_writes_are_refused_in_time() -> None:
    """A filter whose diagram is exponential: pairs of columns that stand far apart."""
    names = [f"c{i:02}" for i in range(40)]
    schema = Schema.parse(
        "\n".join(f'columns.{name} = {{role = "public", bounds = [0, 1]}}' for name in names)
    )
    pairs = [
        AllOf((ColumnComparison(one, "=", 1), ColumnComparison(two, "=", 1)))
        for one, two in zip(names[:20], names[20:], strict=True)
    ]
    with pytest.raises(RequestError, match="too long"):
        normal(AnyOf(tuple(pairs)), schema)


@pytest.mark.parametrize(
    ("aggregate", "asked"),
    [
        ("COUNT(p) FILTER (WHERE p >= 0)", Question("count")),
        ("QUANTILE_DISC(p, 0)", Question("min", "p")),
        ("QUANTILE_DISC(p, 1)", Question("max", "p")),
        ("SUM(q)", question(SCHEMA, "count", None, ColumnComparison("q", "=", constant=True))),
        # a count would filter on two private columns
        (
            "SUM(q) FILTER (WHERE p > 0)",
            question(SCHEMA, "sum", "q", ColumnComparison("p", ">", 0)),
        ),
    ],
)
def test_questions_have_a_normal_form(aggregate: str, asked: Question) -> None:
    assert parse(f"SELECT {aggregate} FROM t", SCHEMA, "t").questions == (asked,)


def test_groups_stand_in_the_order_of_the_schema() -> None:
    (asked,) = parse("SELECT COUNT(*) FROM t GROUP BY b, a", SCHEMA, "t").questions
    assert asked == Question("count", by=("a", "b"))


def test_a_question_about_nobody_is_refused() -> None:
    with pytest.raises(RequestError, match="nobody can pass"):
        Question("count", public=NOBODY).check(SCHEMA)
