from collections import Counter
from fractions import Fraction
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pytest

from noiseless.domain import Schema
from noiseless.errors import ColumnError, DomainError, MissingValuesError, RequestError
from noiseless.questions import Continuum, CountedQuery, Lattice
from noiseless.questions.filters import AllOf, AnyOf, ColumnComparison, Everything, Filter, Not, split
from noiseless.questions.question import Limits, Population, Question, RowCounts
from noiseless.questions.statistics import FilteredMean, Histogram, TopCounts
from noiseless.tables import open_table

SCHEMA = Schema.parse(
    """
    [columns.suburb]
    role = "public"
    categories = ["north", "south"]
    [columns.kwh]
    role = "private"
    bounds = [0, 10]
    step = 0.5
    [columns.solar]
    role = "private"
    type = "boolean"
    """
)
ROWS = {
    "suburb": ["north", "north", "south", "south", "south"],
    "kwh": [1.5, 2.0, 10.0, 0.5, 3.0],
    "solar": [True, False, True, True, False],
}
FRAMES = {
    "polars": pl.DataFrame(ROWS),
    "pandas": pd.DataFrame(ROWS),
    "reordered": pd.DataFrame(ROWS).iloc[[3, 1, 4, 0, 2]],
    "duckdb": duckdb.from_arrow(pl.DataFrame(ROWS).to_arrow()),
}


def ask(frame: Any, question: Question, limits: Limits | None = None) -> list[Any]:  # noqa: ANN401 - any frame
    table = open_table(frame)
    population = Population.of(table, SCHEMA, sorted(question.public_columns(SCHEMA)))
    answers: list[Any] = []
    for asked in question.resolve(SCHEMA, population, limits or Limits()):
        counts = RowCounts.take(table, SCHEMA, population, asked.private_columns).about(asked, SCHEMA)
        query = asked.query
        if isinstance(query, CountedQuery):
            answers.append(query.span.value(query.position(counts)))  # type: ignore[union-attr]
        elif isinstance(query, FilteredMean):
            answers.append(query.mean(counts))
        elif isinstance(query, Histogram | TopCounts):
            answers.append(query.counts(counts))
    return answers


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (Question("mean", "kwh", by=("suburb",)), [Fraction(7, 4), Fraction(9, 2)]),
        (Question("sum", "kwh"), [17]),
        (Question("sum", "kwh", where=ColumnComparison("solar", "=", constant=True)), [12]),
        (Question("sum", "kwh", where=ColumnComparison("kwh", ">=", 2)), [15]),
        (Question("count"), [5]),
        (Question("count", where=ColumnComparison("solar", "=", constant=True)), [3]),
        (
            Question(
                "count",
                where=AllOf((ColumnComparison("kwh", ">", 2), ColumnComparison("suburb", "=", "south"))),
            ),
            [2],
        ),
        (Question("min", "kwh"), [Fraction(1, 2)]),
        (Question("max", "kwh", where=ColumnComparison("suburb", "in", ("north",))), [2]),
        (Question("median", "kwh", where=ColumnComparison("suburb", "=", "north")), [Fraction(7, 4)]),
        (Question("quantile", "kwh", share=Fraction(1, 4)), [Fraction(3, 2)]),
        (Question("variance", "kwh"), [Fraction(577, 50)]),
        (Question("histogram", "solar"), [(2, 3)]),
        (Question("top", "solar"), [((1, 3),)]),
        (Question("mean", "kwh", where=ColumnComparison("kwh", ">", 1)), [Fraction(33, 8)]),
        (Question("mean", "kwh", where=ColumnComparison("solar", "=", constant=False)), [Fraction(5, 2)]),
    ],
)
def test_answers_are_the_same_everywhere(frame: object, question: Question, expected: list[Any]) -> None:
    assert ask(frame, question, Limits(least_group=2)) == expected


def test_too_few_pass_a_private_filter() -> None:
    question = Question("mean", "kwh", where=ColumnComparison("kwh", ">", 9))
    assert ask(FRAMES["polars"], question, Limits(least_group=2)) == [None]


@pytest.mark.parametrize(
    ("question", "remedy"),
    [
        (Question("mean", "kwh", where=ColumnComparison("kwh", ">", 1)), "min_group"),
        (Question("median", "kwh", where=ColumnComparison("kwh", ">", 1)), "filter on public columns"),
        (Question("histogram", "solar", where=ColumnComparison("kwh", ">", 1)), "all of its classes"),
        (Question("sum", "suburb"), "is public"),
        (Question("sum", "kwh", by=("solar",)), "is private"),
        (Question("sum", "kwh", where=ColumnComparison("suburb", "=", "east")), "nobody passes"),
        (Question("quantile", "kwh"), "say which quantile"),
        (
            Question(
                "sum",
                "kwh",
                where=AnyOf((ColumnComparison("suburb", "=", "north"), ColumnComparison("kwh", ">", 1))),
            ),
            "joined by 'and'",
        ),
        (
            Question(
                "count",
                where=AllOf((ColumnComparison("kwh", ">", 1), ColumnComparison("solar", "=", constant=True))),
            ),
            "one private column",
        ),
        (Question("sum", "kwh", where=ColumnComparison("kwh", ">", "a")), "same kind"),
        (Question("sum", "water"), "not declared"),
    ],
)
def test_what_cannot_be_priced_is_refused(question: Question, remedy: str) -> None:
    with pytest.raises((RequestError, ColumnError), match=remedy):
        ask(FRAMES["polars"], question)


def test_a_question_is_checked_when_it_is_made() -> None:
    with pytest.raises(RequestError, match="no aggregate"):
        Question("mode", "kwh")  # type: ignore[arg-type]
    with pytest.raises(RequestError, match="which column"):
        Question("sum")


def test_values_outside_the_domain_are_counted_never_shown() -> None:
    wrong = pl.DataFrame({**ROWS, "kwh": [1.5, 2.0, 77.25, 0.5, 3.0]})
    with pytest.raises(DomainError, match="1 value is outside") as caught:
        ask(wrong, Question("sum", "kwh"))
    assert "77" not in str(caught.value)
    with pytest.raises(MissingValuesError, match="1 missing value"):
        ask(pl.DataFrame({**ROWS, "kwh": [1.5, 2.0, None, 0.5, 3.0]}), Question("sum", "kwh"))


def test_filters() -> None:
    either = AnyOf((ColumnComparison("a", "<", 3), Not(ColumnComparison("b", "=", "x"))))
    assert either.columns == {"a", "b"}
    assert either.holds({"a": 5, "b": "y"})
    assert not either.holds({"a": 5, "b": "x"})
    public, private = split(
        AllOf((ColumnComparison("a", "<", 3), ColumnComparison("b", "=", "x"))), frozenset("b")
    )
    assert (public, private) == (ColumnComparison("a", "<", 3), ColumnComparison("b", "=", "x"))
    assert split(Everything(), frozenset("b")) == (Everything(), Everything())


@pytest.mark.parametrize("bad", [("like", 3), ("in", 3), ("=", (3, 4))])
def test_comparisons_that_make_no_sense(bad: tuple[Any, Any]) -> None:
    with pytest.raises(RequestError):
        ColumnComparison("a", *bad)


def test_a_filter_is_a_set_of_values_of_a_declared_column() -> None:
    low: Filter = ColumnComparison("kwh", "<=", 1)
    assert low.numbers("kwh", SCHEMA.columns["kwh"]) == {0, 1, 2}
    with pytest.raises(RequestError, match="other private columns"):
        low.numbers("solar", SCHEMA.columns["solar"])


def test_histograms_of_persons_with_several_rows() -> None:
    assert Histogram.of_values(9, "colour", 4).outputs == 4
    assert Histogram.of_values(9, "colour", 4, rows=2).outputs == 10  # multisets of two of four
    merged = Histogram(9, "colour", 4, (frozenset({0, 1}), frozenset({2, 3}), frozenset()))
    assert merged.outputs == 2
    assert merged.counts(Counter({0: 3, 1: 1, 3: 5})) == (4, 5, 0)
    with pytest.raises(RequestError, match="each value of the domain once"):
        Histogram(9, "colour", 4, (frozenset({0, 1}), frozenset({1, 2, 3})))


def test_a_float_is_the_decimal_that_it_is_written_as() -> None:
    assert Lattice.of(0, 120, 0.1).last == 1200  # type: ignore[arg-type]
    assert Continuum.of(0, 0.1).high == Fraction(1, 10)  # type: ignore[arg-type]
