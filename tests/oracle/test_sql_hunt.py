"""Mixtures of expressions, filters and histories, against the definition."""

from random import Random

import pytest

from noiseless.domain import Schema
from noiseless.questions import derived
from noiseless.questions.question import Limits
from noiseless.questions.sql import AnswerInterval, SqlError, parse
from oracle.expression_towns import ExpressionTown

SCHEMA = Schema.parse(
    """
    columns.town = {role = "public", categories = ["a", "b"]}
    columns.x = {role = "private", bounds = [-1, 2]}
    columns.z = {role = "private", bounds = [0, 2]}
    columns.b = {role = "private", type = "boolean"}
    """
)
IMPOSSIBLE = ["x > z AND x < z", "x * z = 1 AND x * z = 2", "x > z AND NOT x > z", "x = z AND x + z = 1"]
"""Each part can be true; together they never are, which only the listed values show."""


@pytest.mark.parametrize("condition", IMPOSSIBLE)
def test_conditions_on_several_columns_that_nobody_can_pass(condition: str) -> None:
    """A count and a sum are 0, for free, and anything else is refused in one line."""
    for zero in ("COUNT(*)", "SUM(x)", "SUM(x * z)"):
        sql = f"SELECT town, COUNT(*), {zero} FILTER (WHERE {condition}) AS none FROM t GROUP BY town"
        statement = parse(sql, SCHEMA, "t", Limits(least_group=1))
        assert statement.text == "SELECT town, COUNT(*), 0 FROM t GROUP BY town"
        with pytest.raises(SqlError, match=r"nothing is asked|nobody can pass"):
            parse(f"SELECT {zero} FROM t WHERE {condition}", SCHEMA, "t", Limits(least_group=1))
    for aggregate in ("AVG(x)", "MAX(z)", "MEDIAN(x - z)", "VAR_POP(x)", "CORR(x, z)", "AVG(b)"):
        for sql in (f"{aggregate} FROM t", f"b, {aggregate} FROM t"):
            grouped = " GROUP BY b" if sql.startswith("b,") else ""
            with pytest.raises(SqlError, match="nobody can pass"):
                parse(f"SELECT {sql} WHERE {condition}{grouped}", SCHEMA, "t", Limits(least_group=1))


@pytest.mark.parametrize("hint", ["", "/*+ bits(0) */ "])
@pytest.mark.parametrize("condition", ["x > 1 OR x <= z + 1", "(x <= 0 AND x <= z) OR x > 0"])
def test_conditions_on_several_columns_that_everybody_passes(condition: str, hint: str) -> None:
    """Each part can be false; together they never are: it is as if nothing were said."""
    town = ExpressionTown(Random(0))
    for aggregate in ("COUNT(*)", "SUM(x)", "MAX(z)", "STDDEV(x)"):
        sql = f"SELECT {hint}town, {aggregate} FROM t WHERE {condition} GROUP BY town"
        plain = parse(sql.replace(f"WHERE {condition} ", ""), SCHEMA, "t", Limits(least_group=1))
        assert parse(sql, SCHEMA, "t", Limits(least_group=1)).text == plain.text
    never = f"x > {town.value(0)} AND y = 'p' OR x <= {town.value(0)} OR y <> 'p'"
    batch = town.edition.batch([f"SELECT {hint}COUNT(*) FROM t WHERE {never}"])
    assert not batch.disclosures


@pytest.mark.parametrize("listed", [derived.MOST_LISTED, 0])
@pytest.mark.parametrize(
    ("expression", "problem"),
    [
        ("WIDTH_BUCKET(CASE WHEN x > z THEN 'a' ELSE 'b' END, 0, 1, 2)", "something else than numbers"),
        ("CAST(x * z / 2 AS INT)", "rounds halves differently"),
        ("CAST(CASE WHEN x > z THEN 'a' ELSE 'b' END AS INT)", "something else than numbers"),
        ("DATE '2020-01-01' + x * z / 2", "by a fraction"),
        ("EXTRACT(day FROM DATE '9999-12-30' + x * z)", "out of the years 1 to 9999"),
    ],
)
def test_what_cannot_be_computed_is_refused_before_it_is_paid_for(
    expression: str, problem: str, listed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(derived, "MOST_LISTED", listed)
    with pytest.raises(SqlError, match=problem):
        parse(f"SELECT {expression}, COUNT(*) FROM t GROUP BY 1", SCHEMA, "t", Limits(least_group=1))


@pytest.mark.parametrize("listed", [derived.MOST_LISTED, 0])
def test_the_0th_power_of_nothing_is_nothing(listed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in SQL: POWER(NULL, 0) is NULL; values that are listed, and those that are only bounded."""
    monkeypatch.setattr(derived, "MOST_LISTED", listed)
    for seed in range(5):
        town = ExpressionTown(Random(seed))
        expected = sum(row.x != 0 for row in town.people)
        for value, truth in (("x", len(town.people)), (f"NULLIF(x, {town.value(0)})", expected)):
            batch = town.edition.batch([f"SELECT /*+ reach(9) */ SUM(POWER({value}, 0) * 1) FROM t"])
            (told,) = batch.statements[0].reply(town.answers(batch, town.people))
            assert told == (AnswerInterval.of(truth, truth),)
