from fractions import Fraction
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pytest

from noiseless.curator.group_answer import Precision
from noiseless.curator.planner import Planner
from noiseless.curator.public_state import PublicState
from noiseless.curator.snapshot import Snapshot
from noiseless.domain import Schema
from noiseless.questions import Continuum, Lattice
from noiseless.questions.filters import AllOf, Among, AnyOf, Everything, Not, joined, parted
from noiseless.questions.question import Limits
from noiseless.questions.sql import AnswerInterval, SqlError, parse
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


def ask(frame: Any, sql: str, limits: Limits | None = None) -> list[Any]:  # noqa: ANN401 - any frame
    snapshot = Snapshot.take(open_table(frame), SCHEMA)
    public = PublicState(SCHEMA, limits or Limits(), snapshot.population, 1)
    (question,) = parse(sql, SCHEMA, "t", public.limits).questions
    return [
        part.value(None if part.disclosure is None else part.disclosure.compute(snapshot), number)
        for part in Planner(public).parts(question, Precision(10**6)).values()
        for number in range(2 if question.aggregate == "histogram" else 1)
    ]


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT AVG(kwh) FROM t GROUP BY suburb", [Fraction(7, 4), Fraction(9, 2)]),
        ("SELECT SUM(kwh) FROM t", [17]),
        ("SELECT SUM(kwh) FROM t WHERE solar", [12]),
        ("SELECT SUM(kwh) FROM t WHERE kwh >= 2", [15]),
        ("SELECT COUNT(*) FROM t", [5]),
        ("SELECT COUNT(*) FROM t WHERE solar", [3]),
        ("SELECT COUNT(*) FROM t WHERE kwh > 2 AND suburb = 'south'", [2]),
        ("SELECT MIN(kwh) FROM t", [Fraction(1, 2)]),
        ("SELECT MAX(kwh) FROM t WHERE suburb IN ('north')", [2]),
        ("SELECT MEDIAN(kwh) FROM t WHERE suburb = 'north'", [Fraction(7, 4)]),
        ("SELECT QUANTILE_DISC(kwh, 0.25) FROM t", [Fraction(3, 2)]),
        ("SELECT VAR_POP(kwh) FROM t", [Fraction(577, 50)]),
        ("SELECT solar, COUNT(*) FROM t GROUP BY solar", [2, 3]),
    ],
)
def test_answers_are_the_same_everywhere(frame: object, sql: str, expected: list[Any]) -> None:
    assert ask(frame, sql) == [AnswerInterval.of(number) for number in expected]


@pytest.mark.parametrize(
    ("where", "mean"), [("kwh > 1", Fraction(33, 8)), ("NOT solar", Fraction(5, 2)), ("kwh > 9", None)]
)
def test_means_over_a_private_filter(where: str, mean: Fraction | None) -> None:
    """Too few pass the last one."""
    (found,) = ask(FRAMES["polars"], f"SELECT AVG(kwh) FROM t WHERE {where}", Limits(least_group=2))
    if mean is None:
        assert found is None
    else:
        assert found.lower <= mean <= found.upper <= found.lower + Fraction(1, 10**4)


@pytest.mark.parametrize(
    ("sql", "remedy"),
    [
        ("SELECT AVG(kwh) FROM t WHERE kwh > 1", "min_group"),
        ("SELECT SUM(suburb) FROM t", "is public"),
        ("SELECT SUM(kwh) FROM t WHERE kwh > 'a'", "numbers"),
        ("SELECT SUM(water) FROM t", "no column is called 'water'"),
    ],
)
def test_what_cannot_be_priced_is_refused(sql: str, remedy: str) -> None:
    with pytest.raises(SqlError, match=remedy):
        ask(FRAMES["polars"], sql)


def test_filters() -> None:
    low, other = (Among(name, ((0, 2),), SCHEMA.columns[name]) for name in ("kwh", "suburb"))
    assert AnyOf((low, Not(other))).columns == {"kwh", "suburb"}
    assert joined([Everything(), AllOf((other, low)), Everything()]) == AllOf((other, low))
    assert parted(AllOf((other, low))) == (other, low)
    assert parted(Everything()) == (Everything(), None)


def test_a_float_is_the_decimal_that_it_is_written_as() -> None:
    assert Lattice.of(0, 120, 0.1).last == 1200  # type: ignore[arg-type]
    assert Continuum.of(0, 0.1).high == Fraction(1, 10)  # type: ignore[arg-type]
