"""A statement, whatever its spelling, has the answer that DuckDB computes, and intervals hold it."""

import json
from fractions import Fraction
from math import isfinite
from random import Random
from typing import Any

import duckdb
import numpy as np
import pytest

from noiseless.domain import Schema
from noiseless.errors import RequestError
from noiseless.questions.attributes import column_of
from noiseless.questions.derived import DerivedColumn, name_of
from noiseless.questions.question import Limits
from noiseless.questions.sql import AnswerInterval, SqlError, parse
from soaking import soaking
from sql_examples import SCHEMA, TABLE, Grammar, for_duckdb
from sql_worlds import World, coarsely, exactly, frame, random_records

LIMITS = Limits(least_group=1)


def statements(random: Random, number: int) -> list[str]:
    grammar = Grammar(random)
    return [grammar.statement() for _ in range(number)]


def by_duckdb(connection: duckdb.DuckDBPyConnection, sql: str) -> list[tuple[Any, ...]]:
    return connection.execute(for_duckdb(sql)).fetchall()


def agree(cell: object, found: Any) -> bool:  # noqa: ANN401 - whatever DuckDB has
    """Equal up to the rounding of doubles; DuckDB has NULL for a sum over nobody, we have 0."""
    if found is None or (isinstance(found, float) and not isfinite(found)):  # it may divide by 0
        return cell is None or isinstance(cell, AnswerInterval)
    if isinstance(cell, AnswerInterval):
        truth = Fraction(cell.lower)
        width = max(Fraction(1), abs(truth)) / 10**9
        return Fraction(cell.upper) - truth <= width and abs(truth - Fraction(found)) <= width
    return bool(found == cell)


@pytest.mark.parametrize("seed", range(8))
def test_duckdb_computes_the_same(seed: int) -> None:
    random = Random(seed)
    records = random_records(random, random.choice([1, 2, 7, 40]))
    rows = frame(records)  # noqa: F841 - DuckDB finds it by its name
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE {TABLE} AS SELECT * FROM rows")
    world, compared = World(records), 0
    for sql in statements(random, 2000 if soaking() else 40):
        try:
            statement = parse(sql, SCHEMA, TABLE)
            reply = world.reply(statement, exactly, LIMITS)
        except RequestError:  # nobody passes a filter, or a mean over a private one
            continue
        if statement.by or statement.histogram:
            # Every public group, and every value of a histogram, has a row here; in DuckDB if it has people.
            sql = sql.split(" LIMIT ")[0]  # noqa: PLW2901 - the same without a limit
            reply = world.reply(parse(sql, SCHEMA, TABLE), exactly, LIMITS)
        expected = by_duckdb(connection, sql)
        keys = [place for place, name in enumerate(statement.names) if not name.startswith("o")]
        ours = {tuple(row[place] for place in keys): row for row in reply}
        theirs = {tuple(row[place] for place in keys): row for row in expected}
        assert theirs.keys() <= ours.keys(), sql
        for key, found in theirs.items():
            assert all(map(agree, ours[key], found)), (sql, ours[key], found)
        # They order by doubles, and have no sum over nobody; where all is whole the order is the same.
        if all(isinstance(cell, int | str | bool) for row in expected for cell in row):
            assert [key for key in ours if key in theirs] == list(theirs), sql
        compared += 1
    assert compared > 10


@pytest.mark.parametrize("seed", range(8))
def test_intervals_hold_the_truth(seed: int) -> None:
    """Told in one bit each, answers and all that is computed from them are intervals around the truth."""
    random = Random(100 + seed)
    world = World(random_records(random, random.choice([1, 3, 20])))
    for sql in statements(random, 1000 if soaking() else 30):
        unordered = sql.split(" ORDER BY ")[0]  # the order of intervals is not that of the truth
        try:
            statement = parse(unordered, SCHEMA, TABLE)
            truth = world.reply(statement, exactly, LIMITS)
        except RequestError:
            continue
        told = world.reply(statement, coarsely, LIMITS)
        for exact_row, told_row in zip(truth, told, strict=True):
            for exact, cell in zip(exact_row, told_row, strict=True):
                if not isinstance(cell, AnswerInterval):
                    assert cell == exact, sql
                elif exact is None:
                    assert cell.may_be_missing, sql
                else:
                    assert isinstance(exact, AnswerInterval)
                    assert cell.lower <= exact.lower, sql
                    assert exact.upper <= cell.upper, sql


BUCKET = "CASE WHEN {0} < 0 THEN 0 WHEN {0} >= 3 THEN 4 ELSE FLOOR({0}) + 1 END"
"""WIDTH_BUCKET({0}, 0, 3, 3), which DuckDB does not have."""
OF_ROWS = [
    ("SUM(WIDTH_BUCKET(NULLIF(kwh, 1), 0, 3, 3))", f"SUM({BUCKET.format('NULLIF(kwh, 1)')})"),
    ("COUNT(WIDTH_BUCKET(NULLIF(kwh, 1), 0, 3, 3))", f"COUNT({BUCKET.format('NULLIF(kwh, 1)')})"),
    *(
        (text, text)
        for text in (
            "VAR_SAMP(CASE WHEN solar THEN kwh ELSE 0 END)",
            "STDDEV(CASE WHEN year > 2018 THEN kwh ELSE 0 END)",
            "VARIANCE(CASE WHEN kwh > 0 THEN kwh END)",
            "COVAR_POP(CASE WHEN solar THEN kwh ELSE 0 END, kwh * kwh)",
            "COVAR_SAMP(kwh, CASE WHEN year > 2018 THEN 1 ELSE 0 END)",
            "COVAR_POP(CASE WHEN kwh > 0 THEN kwh END, kwh * kwh)",
            "SUM(CAST((kwh >= 1) AS INT))",
            "SUM(CAST(kwh * 2 AS INT))",
            "COUNT(*) FILTER (WHERE (kwh > 1) IS TRUE)",
            "COUNT(*) FILTER (WHERE (NULLIF(kwh, 1) > 0) IS NOT TRUE)",
            "COUNT(*) FILTER (WHERE (NULLIF(kwh, 1) > 0) IS FALSE)",
            "COUNT(*) FILTER (WHERE (kwh + kwh) IS NOT NULL AND kwh > 0)",
            "COUNT(*) FILTER (WHERE solar = (NOT (kwh > 1)))",
            "COUNT(*) FILTER (WHERE (kwh > 1) = TRUE)",
            "COUNT(*) FILTER (WHERE (kwh > 1) <> (kwh BETWEEN 0 AND 2))",
        )
    ),
]


@pytest.mark.parametrize(("ours", "theirs"), OF_ROWS)
def test_what_is_missing_or_0_in_a_row_counts_as_in_duckdb(ours: str, theirs: str) -> None:
    records = random_records(Random(5), 40)
    rows = frame(records)  # noqa: F841 - DuckDB finds it by its name
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE {TABLE} AS SELECT * FROM rows")
    statement = parse(f"SELECT {ours} FROM meters", SCHEMA, TABLE)
    ((cell,),) = World(records).reply(statement, exactly, LIMITS)
    ((found,),) = by_duckdb(connection, f"SELECT {theirs} FROM meters")
    assert agree(cell, found), (cell, found)


def test_letters_have_the_capitals_that_they_have_in_duckdb() -> None:
    letters = [chr(code) for code in range(0xC0, 0x2100) if chr(code).isalpha()]
    schema = Schema.parse(f"columns.name = {{role = 'private', categories = {json.dumps(letters)}}}")
    for name in ("UPPER", "LOWER"):
        column = column_of(name_of(f"{name}(name)", schema), schema)
        assert isinstance(column, DerivedColumn)
        numbers = column.numbers({"name": np.arange(len(letters))}.__getitem__)
        ours = [column.value(int(number)) for number in numbers]
        (theirs,) = zip(*duckdb.execute(f"SELECT {name}(UNNEST(?))", [letters]).fetchall(), strict=True)
        differ = [(one, two) for one, two in zip(ours, theirs, strict=True) if one != two]
        assert len(differ) < len(letters) // 100, differ  # their tables of letters are of other years
        assert ours[letters.index("ß")] == theirs[letters.index("ß")]


def test_means_over_private_filters() -> None:
    """They have no value where fewer pass than the declared smallest group, and DuckDB's where enough do."""
    records = random_records(Random(4), 30)
    rows = frame(records)  # noqa: F841 - DuckDB finds it by its name
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE {TABLE} AS SELECT * FROM rows")
    world = World(records)
    for condition in ("solar", "kwh > 1", "job = 'nurse'", "kwh BETWEEN 0 AND 1.2", "kwh = 4"):
        sql = f"SELECT AVG(kwh), COUNT(*) FROM meters WHERE {condition}"
        ((mean, count),) = world.reply(parse(sql, SCHEMA, TABLE), exactly, Limits(least_group=5))
        ((found, passed),) = by_duckdb(connection, sql)
        assert agree(count, passed)
        assert agree(mean, found) if passed >= 5 else mean is None


def test_what_depends_on_the_owner_is_refused_when_that_is_known() -> None:
    sql = "SELECT AVG(kwh) FROM meters WHERE solar"
    assert parse(sql, SCHEMA, TABLE).questions
    with pytest.raises(SqlError, match="min_group"):
        parse(sql, SCHEMA, TABLE, Limits())
    with pytest.raises(SqlError, match="one row a person"):
        parse("SELECT VAR_POP(kwh) FROM meters", SCHEMA, TABLE, Limits(rows=2))
