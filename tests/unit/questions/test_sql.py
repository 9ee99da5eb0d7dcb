# ruff: noqa: E501 - a statement and what it comes to stand on one line

import pickle
import subprocess
import sys
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from filter_examples import ColumnComparison, normal, question
from noiseless.domain import Schema
from noiseless.errors import RequestError
from noiseless.questions.filters import NOBODY, AllOf, AnyOf, Everything, Filter, Not
from noiseless.questions.question import Limits
from noiseless.questions.sql import (
    AnswerInterval,
    Hints,
    KeyColumn,
    Position,
    Row,
    SqlError,
    Statement,
    parse,
)
from noiseless.questions.sql.statement import write_hints
from sql_examples import SCHEMA, TABLE, Grammar


def read(sql: str) -> Statement:
    return parse(sql, SCHEMA, TABLE)


@pytest.mark.parametrize(
    ("sql", "text"),
    [
        ("select avg(kwh) from meters", "SELECT AVG(kwh) FROM meters"),
        ("SELECT mean(KWH) FROM Meters;", "SELECT AVG(kwh) FROM meters"),
        ('SELECT AVG("kwh") AS a -- why\n FROM "meters" /* so */', "SELECT AVG(kwh) FROM meters"),
        ("SELECT m.suburb, COUNT(m.kwh) FROM meters m GROUP BY 1", "SELECT suburb, COUNT(*) FROM meters GROUP BY suburb"),
        ("SELECT COUNT(1), COUNT(), SUM(1) FROM meters", "SELECT COUNT(*), COUNT(*), COUNT(*) FROM meters"),
        ("SELECT SUM(2 * kwh + 1) FROM meters", "SELECT COUNT(*) + 2 * SUM(kwh) FROM meters"),
        ("SELECT SUM(kwh - (kwh - 3)) FROM meters", "SELECT 3 * COUNT(*) FROM meters"),
        ("SELECT AVG(3 - kwh / 2) FROM meters", "SELECT -0.5 * AVG(kwh) + 3 FROM meters"),
        ("SELECT MIN(-kwh), MAX(2 * kwh) FROM meters", "SELECT -MAX(kwh), 2 * MAX(kwh) FROM meters"),
        ("SELECT VAR_POP(1 - 3 * kwh) FROM meters", "SELECT 9 * VAR_POP(kwh) FROM meters"),
        ("SELECT STDDEV_POP(kwh) FROM meters", "SELECT SQRT(VAR_POP(kwh)) FROM meters"),
        ("SELECT VARIANCE(kwh) FROM meters", "SELECT COUNT(*) * VAR_POP(kwh) / (COUNT(*) - 1) FROM meters"),
        (
            "SELECT STDDEV(kwh), STDDEV_SAMP(kwh) FROM meters",
            "SELECT SQRT(COUNT(*) * VAR_POP(kwh) / (COUNT(*) - 1)), SQRT(COUNT(*) * VAR_POP(kwh) / (COUNT(*) - 1)) FROM meters",
        ),
        ("SELECT QUANTILE_DISC(kwh, 1.0) FROM meters", "SELECT MAX(kwh) FROM meters"),
        ("SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY kwh) FROM meters", "SELECT MEDIAN(kwh) FROM meters"),
        (
            "SELECT QUANTILE_DISC(kwh, 1/3) FROM meters",
            "SELECT PERCENTILE_DISC((1 / 3)) WITHIN GROUP (ORDER BY kwh) FROM meters",
        ),
        ("SELECT SUM(solar) FROM meters", "SELECT COUNT(*) FROM meters WHERE solar = TRUE"),
        ("SELECT COUNT_IF(solar) FROM meters", "SELECT COUNT(*) FROM meters WHERE solar = TRUE"),
        ("SELECT SUM(CASE WHEN solar THEN 1 ELSE 0 END) FROM meters", "SELECT COUNT(*) FROM meters WHERE solar = TRUE"),
        ("SELECT SUM(IF(solar, kwh, 0)) FROM meters", "SELECT SUM(kwh) FROM meters WHERE solar = TRUE"),
        (
            "SELECT AVG(CAST(solar AS INT)) FROM meters",
            "SELECT COUNT(*) FILTER (WHERE solar = TRUE) / COUNT(*) FROM meters",
        ),
        ("SELECT AVG(CASE WHEN solar THEN kwh END) FROM meters", "SELECT AVG(kwh) FROM meters WHERE solar = TRUE"),
        ("SELECT COUNT(CASE WHEN solar THEN 1 ELSE 0 END) FROM meters", "SELECT COUNT(*) FROM meters"),
        ("SELECT CAST(SUM(kwh) AS DOUBLE) / NULLIF(COUNT(*), 0) FROM meters", "SELECT SUM(kwh) / COUNT(*) FROM meters"),
        ("SELECT AVG(kwh) + AVG(kwh) - 1 + 1 FROM meters", "SELECT 2 * AVG(kwh) FROM meters"),
        ("SELECT (AVG(kwh) + 1) * (2 + 2 * AVG(kwh)) FROM meters", "SELECT 2 * (AVG(kwh) + 1) * (AVG(kwh) + 1) FROM meters"),
        ("SELECT 1 / (COUNT(*) / SUM(kwh)) FROM meters", "SELECT 1 / (COUNT(*) / SUM(kwh)) FROM meters"),
        ("SELECT AVG(kwh) / 3 FROM meters", "SELECT (1 / 3) * AVG(kwh) FROM meters"),
        ("SELECT COUNT(*) FROM meters WHERE kwh > 3.2", "SELECT COUNT(*) FROM meters WHERE kwh >= 3.5"),
        ("SELECT COUNT(*) FROM meters WHERE kwh < 100 OR FALSE", "SELECT COUNT(*) FROM meters"),
        ("SELECT COUNT(*) FROM meters WHERE 3 >= 2 * kwh", "SELECT COUNT(*) FROM meters WHERE kwh <= 1.5"),
        ("SELECT COUNT(*) FROM meters WHERE kwh <> 2", "SELECT COUNT(*) FROM meters WHERE kwh <> 2"),
        ("SELECT COUNT(*) FROM meters WHERE born < '1990-01-06'", "SELECT COUNT(*) FROM meters WHERE born <= DATE '1990-01-04'"),
        ("SELECT COUNT(*) FROM meters WHERE job > 'cl'", "SELECT COUNT(*) FROM meters"),
        ("SELECT COUNT(*) FROM meters WHERE kwh IS NOT NULL", "SELECT COUNT(*) FROM meters"),
        ("SELECT COUNT(*) FROM meters WHERE suburb = 'it''s east'", "SELECT COUNT(*) FROM meters WHERE suburb = 'it''s east'"),
        ('SELECT COUNT(*) FROM meters WHERE NOT "Plan B"', 'SELECT COUNT(*) FROM meters WHERE "Plan B" = FALSE'),
        (
            "SELECT COUNT(*) FROM meters WHERE suburb = 'north' AND solar OR NOT suburb <> 'north' AND solar",
            "SELECT COUNT(*) FROM meters WHERE suburb = 'north' AND solar = TRUE",
        ),
        (
            "SELECT COUNT(*) FROM meters WHERE suburb = 'north' OR year = 2020",
            "SELECT COUNT(*) FROM meters WHERE suburb = 'north' OR (suburb <> 'north' AND year = 2020)",
        ),
        ("SELECT COUNT(*) FROM meters ORDER BY 1 LIMIT 5", "SELECT COUNT(*) FROM meters"),
        (
            "SELECT year y, suburb, SUM(kwh) s FROM meters GROUP BY y, suburb ORDER BY s DESC, 1 LIMIT 3",
            "SELECT year, suburb, SUM(kwh) FROM meters GROUP BY suburb, year ORDER BY SUM(kwh) DESC, year LIMIT 3",
        ),
        ("SELECT AVG(kwh) FROM meters GROUP BY suburb", "SELECT AVG(kwh) FROM meters GROUP BY suburb"),
        (
            "SELECT job, COUNT(*) n FROM meters GROUP BY job ORDER BY n DESC LIMIT 2",
            "SELECT job, COUNT(*) FROM meters GROUP BY job ORDER BY COUNT(*) DESC LIMIT 2",
        ),
        (
            "SELECT suburb, COUNT(*) FILTER (WHERE solar) a, SUM(kwh) FROM meters WHERE year > 2018 GROUP BY suburb",
            "SELECT suburb, COUNT(*) FILTER (WHERE year >= 2019 AND solar = TRUE), SUM(kwh) FROM meters WHERE year >= 2019 GROUP BY suburb",
        ),
        (
            "SELECT COUNT(*) FILTER (WHERE solar), SUM(kwh) FILTER (WHERE solar) FROM meters",
            "SELECT COUNT(*), SUM(kwh) FROM meters WHERE solar = TRUE",
        ),
        ("SELECT COUNT(*) FILTER (WHERE kwh > 9), COUNT(*) FROM meters", "SELECT 0, COUNT(*) FROM meters"),
        ("SELECT /*+ bits( 1.50 ) */ AVG(kwh) FROM meters", "SELECT /*+ bits(1.5) */ AVG(kwh) FROM meters"),
        ("SELECT /*+ REACH(4) */ AVG(kwh) FROM meters", "SELECT /*+ reach(4) */ AVG(kwh) FROM meters"),
    ],
)  # fmt: skip
def test_what_is_understood(sql: str, text: str) -> None:
    statement = read(sql)
    assert statement.text == text
    again = read(statement.text)
    assert (again.text, again.questions, again.hints) == (text, statement.questions, statement.hints)


@pytest.mark.parametrize("asked", ["STDDEV(kwh)", "SQRT(VAR_POP(kwh))"])
def test_what_is_priced_for_one_row_a_person_says_how_to_ask_for_it(asked: str) -> None:
    with pytest.raises(RequestError, match=r"here each may have 3 \(max_rows\).* FROM \(SELECT house, SUM"):
        parse(f"SELECT {asked} FROM meters", SCHEMA, "meters", Limits(rows=3, unit="house"))


@pytest.mark.parametrize(
    ("sql", "problem"),
    [
        ("", r"is empty; write e.g. SELECT COUNT\(\*\) FROM meters"),
        ("  ;; ", "is empty"),
        ("hello", "begins with SELECT, not with 'hello'"),
        ("SELECT", "FROM is missing"),
        ("SELECT FROM meters", "no output|cannot be read"),
        ("SELECT COUNT(*)", "FROM is missing; add FROM meters"),
        ("SELECT COUNT(*) FROM water", "no table is called 'water'; write FROM meters"),
        ('SELECT COUNT(*) FROM "METERS"', "no table is called"),
        ("SELECT COUNT(*) FROM db.meters", "more than a table's name"),
        ("SELECT COUNT(*) FROM meters AS m(a, b)", "renamed in FROM"),
        ("SELECT COUNT(*) FROM (SELECT * FROM meters) AS t", "about persons, and none are declared"),
        ("SELECT COUNT(*) FROM meters, meters m", "no public table is called"),
        ("SELECT COUNT(*) FROM meters TABLESAMPLE (10 PERCENT)", "a sample"),
        ("SELECT COUNT(*) FROM meters WHERE kwhh < 3", "no column is called 'kwhh'; did you mean kwh"),
        ("SELECT COUNT(*) FROM meters WHERE x.kwh < 3", "no table here is called 'x'"),
        ('SELECT AVG("KWH") FROM meters', "no column is called 'KWH'"),
        ("WITH t AS (SELECT 1) SELECT COUNT(*) FROM t", "WITH is not understood"),
        ("SELECT COUNT(*) FROM meters; SELECT COUNT(*) FROM meters", "several statements"),
        ("SELECT COUNT(*) FROM meters UNION SELECT COUNT(*) FROM meters", "one SELECT about one table"),
        ("DROP TABLE meters", "begins with SELECT"),
        ("UPDATE meters SET kwh = 0", "begins with SELECT"),
        ("SELECT DISTINCT suburb FROM meters", "DISTINCT is not understood; ask for a histogram"),
        (
            "SELECT suburb, SUM(kwh) FROM meters GROUP BY suburb HAVING SUM(kwh) > 3",
            "HAVING chooses by public counts alone; ask for all groups",
        ),
        ("SELECT COUNT(*) INTO x FROM meters", "INTO is not understood"),
        ("SELECT COUNT(*) FROM meters FOR UPDATE", "FOR UPDATE is not understood"),
        ("SELECT suburb, COUNT(*) FROM meters GROUP BY suburb OFFSET 2", "OFFSET is not understood"),
        ("SELECT suburb, COUNT(*) FROM meters GROUP BY suburb LIMIT 0", "LIMIT takes a whole number above 0"),
        ("SELECT suburb, COUNT(*) FROM meters GROUP BY suburb LIMIT 1 + 1", "LIMIT takes|cannot be read"),
        ("SELECT suburb, COUNT(*) FROM meters GROUP BY suburb FETCH FIRST 2 ROWS ONLY", "LIMIT takes"),
        ("SELECT suburb, COUNT(*) FROM meters GROUP BY suburb QUALIFY 1 = 1", "QUALIFY"),
        ("SELECT suburb, COUNT(*) FROM meters GROUP BY ROLLUP (suburb)", "GROUP BY"),
        ("SELECT suburb, COUNT(*) FROM meters GROUP BY ALL", "GROUP BY is not understood"),
        ("SELECT suburb, COUNT(*) FROM meters GROUP BY suburb ORDER BY kwh", "outside an aggregate"),
        ("SELECT suburb, COUNT(*) FROM meters GROUP BY suburb ORDER BY 3", "ORDER BY names no output"),
        ("SELECT suburb, COUNT(*) FROM meters GROUP BY suburb ORDER BY 2 NULLS FIRST", "NULLS FIRST"),
        ("SELECT suburb FROM meters GROUP BY suburb", "nothing is asked that depends on the data"),
        ("SELECT 1 FROM meters", "nothing is asked"),
        ("SELECT * FROM meters", "rows are never shown"),
        ("SELECT meters.* FROM meters", "rows are never shown"),
        ("SELECT kwh FROM meters", "'kwh' stands outside an aggregate; add it to GROUP BY"),
        ("SELECT suburb, COUNT(*) FROM meters", "'suburb' stands outside"),
        ("SELECT 'x', COUNT(*) FROM meters", "a constant here is no number"),
        ("SELECT COUNT(DISTINCT kwh) FROM meters", "DISTINCT values .* histogram"),
        ("SELECT COUNT(kwh, job) FROM meters", "several things"),
        ("SELECT COUNT(* EXCEPT (kwh)) FROM meters", "COUNT|cannot be read"),
        ("SELECT SUM(job) FROM meters", "'job' holds no numbers; count its values"),
        ("SELECT SUM(year) FROM meters", "'year' is public"),
        ("SELECT SUM(LENGTH(suburb)) FROM meters", r"column 'LENGTH\(suburb\)' is public"),
        ("SELECT SUM(1 / kwh) FROM meters", "may divide by 0; write NULLIF"),
        ("SELECT SUM(kwh / 0) FROM meters", "by 0"),
        ("SELECT AVG(3) FROM meters", "of no column"),
        ("SELECT ROUND(AVG(kwh), 1) FROM meters", "round the reply"),
        ("SELECT MODE(kwh) FROM meters", "ORDER BY COUNT"),
        ("SELECT MY_UDF(kwh) FROM meters", "the function 'MY_UDF' is not understood here; take COUNT"),
        ("SELECT STRING_AGG(job, ',') FROM meters", "STRING_AGG is not understood here; rows are never shown"),
        ("SELECT SUM(kwh) OVER () FROM meters", "window functions"),
        ("SELECT (SELECT COUNT(*) FROM meters) FROM meters", "query within a query"),
        ("SELECT COUNT(*) % 2 FROM meters", "only \\+ - \\* / are understood"),
        ("SELECT COUNT(*) / 0 FROM meters", "divides by 0"),
        ("SELECT COUNT(*) / (1 - 1) FROM meters", "divides by 0"),
        ("SELECT SQRT(-1) + COUNT(*) FROM meters", "negative number"),
        ("SELECT " + " * ".join(["COUNT(*)"] * 17) + " FROM meters", "more than 16 answers"),
        ("SELECT " + ", ".join(["COUNT(*)"] * 201) + " FROM meters", "over 200 aggregates"),
        ("SELECT PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY kwh DESC) FROM meters", "quantile is not understood"),
        ("SELECT PERCENTILE_CONT(0.3) WITHIN GROUP (ORDER BY kwh) FROM meters", "ask for PERCENTILE_DISC"),
        ("SELECT QUANTILE_DISC(kwh, 1.5) FROM meters", "between 0 and 1"),
        ("SELECT QUANTILE_DISC(kwh) FROM meters", "quantile is not understood"),
        ("SELECT COUNT(*) FROM meters WHERE kwh > 4", "nobody can pass the filter"),
        ("SELECT COUNT(*) FROM meters WHERE FALSE", "nobody can pass"),
        ("SELECT AVG(kwh) FILTER (WHERE year > 3000), COUNT(*) FROM meters", "nobody can pass"),
        ("SELECT AVG(solar) FILTER (WHERE kwh > 100) FROM meters", "nobody can pass"),
        ("SELECT AVG(solar) FILTER (WHERE kwh > 100) / 2, COUNT(*) FROM meters", "nobody can pass"),
        ("SELECT AVG(CASE WHEN solar THEN 1 ELSE 0 END) FILTER (WHERE kwh > 100) FROM meters", "nobody can pass"),
        ("SELECT VARIANCE(kwh) FILTER (WHERE year = 3000) FROM meters", "nobody can pass"),
        ("SELECT COUNT(*) FROM meters WHERE suburb = 'nord'", "has no value 'nord'; did you mean 'north'"),
        ("SELECT COUNT(*) FROM meters WHERE job IN ('cook', 'king')", "'job' has no value 'king'; it has 'clerk'"),
        ("SELECT COUNT(*) FROM meters WHERE job = 'Cook'", "did you mean 'cook'"),
        ("SELECT AVG('kwh') FROM meters", "'kwh' in single quotes is a text; write the column as kwh"),
        ("SELECT COUNT(*) FROM meters WHERE 'KWH' > 1", "'KWH' in single quotes is a text"),
        ("SELECT COUNT(*) FROM meters WHERE 'job' = 'cook'", "'job' in single quotes is a text"),
        ("SELECT COUNT(*) FROM meters GROUP BY 'job'", "'job' in single quotes is a text"),
        ("SELECT AVG(`kwh`) FROM meters", "cannot be read at 'kwh'; .* not in backquotes"),
        ("SELECT COUNT(*) FROM meters WHERE suburb = 3", "holds texts"),
        ("SELECT COUNT(*) FROM meters WHERE kwh = '3'", "'kwh' holds numbers"),
        ("SELECT COUNT(*) FROM meters WHERE solar = 1", "'solar' holds truth values"),
        ("SELECT COUNT(*) FROM meters WHERE solar + 1 > 1", "'solar' holds truth values"),
        ("SELECT COUNT(*) FROM meters WHERE born = 3", "'born' holds dates"),
        ("SELECT COUNT(*) FROM meters WHERE born > '1990-13-01'", "'1990-13-01' is no date"),
        ("SELECT COUNT(*) FROM meters WHERE born > TIMESTAMP '1990-01-01 00:00:00'", "cast is not understood"),
        ("SELECT COUNT(*) FROM meters WHERE kwh = NULL", "nothing compares with NULL; write IS NULL"),
        ("SELECT COUNT(*) FROM meters WHERE kwh IN (1, NULL)", "nothing compares with NULL"),
        ("SELECT COUNT(*) FROM meters WHERE kwh = ?", "placeholder has no value"),
        ("SELECT COUNT(*) FROM meters WHERE kwh", "'kwh' is not a condition on its own"),
        ("SELECT COUNT(*) FROM meters WHERE 3", "constant is no condition"),
        ("SELECT COUNT(*) FROM meters WHERE suburb = job", "nobody can pass"),
        ("SELECT COUNT(*) FROM meters WHERE kwh > year", "nobody can pass"),
        ("SELECT COUNT(*) FROM meters WHERE suburb = kwh", "numbers and texts meet in one expression"),
        ("SELECT COUNT(*) FROM meters WHERE kwh IN (SELECT 1)", "IN is not understood"),
        ("SELECT COUNT(*) FROM meters WHERE EXISTS (SELECT 1)", "query within a query"),
        ("SELECT COUNT(*) FROM meters WHERE COUNT(*) > 1", "aggregate cannot stand in a filter"),
        ("SELECT COUNT(*) FROM meters WHERE kwh IS 3", "IS"),
        ("SELECT COUNT(*) FROM meters WHERE kwh BETWEEN SYMMETRIC 2 AND 1", "BETWEEN"),
        ("SELECT COUNT(*) FROM meters WHERE kwh::INT = 3", "rounds halves differently .*; write ROUND or FLOOR"),
        ("SELECT SUM(CAST(kwh * kwh AS INT)) FROM meters", "rounds halves differently .*; write ROUND or FLOOR"),
        ("SELECT SUM(FLOOR(kwh, 1)) FROM meters", "this FLOOR is not understood; write FLOOR with fewer"),
        ("SELECT SUM(ROUND(kwh, 0, 1)) FROM meters", "this ROUND is not understood"),
        ("SELECT COUNT(*) FROM meters WHERE kwh * kwh BETWEEN SYMMETRIC 2 AND 1", "this BETWEEN is not"),
        ("SELECT WEEK(born, 1), COUNT(*) FROM meters GROUP BY 1", "this WEEK is not understood"),
        ("SELECT SUM(WIDTH_BUCKET(kwh, 0, 2, 1.5)) FROM meters", "number of buckets is no whole number"),
        ("SELECT SUM(WIDTH_BUCKET(job, 0, 2, 2)) FROM meters", "WIDTH_BUCKET is of something else than numbers"),
        ("SELECT YEAR(born + 9999999), COUNT(*) FROM meters GROUP BY 1", "out of the years 1 to 9999; move it by"),
        ("SELECT COUNT(*) FROM meters WHERE born + INTERVAL 99999999 DAY > '1990-01-01'", "out of the years"),
        ("SELECT SUM(TRUNC(kwh)) FROM meters", r"TRUNC is not understood here; write SIGN\(x\) \* FLOOR"),
        ("SELECT SUM(SQRT(kwh)) FROM meters", "SQRT is not understood here; compute it of each value"),
        ("SELECT SUM(MY_UDF(kwh)) FROM meters", "function 'MY_UDF' is not understood here; write it with"),
        ("SELECT SUM(AVG(kwh)) FROM meters", "an aggregate stands within a row; compute with answers"),
        ("SELECT SUM(kwh // 2) FROM meters", r"cannot be read .*; write FLOOR\(x / y\) for //"),
        ("SELECT BOOL_OR(solar) FROM meters", r"BOOL_OR is not understood here; ask for COUNT_IF"),
        ("SELECT COUNT(*) FROM meters WHERE kwh IS DISTINCT FROM 1", "IS DISTINCT FROM is not understood here; write"),
        ("SELECT COUNT(*) FROM meters WHERE (kwh, year) = (1, 2019)", "a row of several values is not understood"),
        ("SELECT COUNT(*) FROM meters WHERE job || 'x' = 'cookx'", r"\|\| is not understood here; list the texts"),
        ("SELECT COUNT(*) FROM meters WHERE job LIKE 'c' ESCAPE '!'", "ESCAPE is not understood here; write LIKE"),
        ("SELECT COUNT(*) FROM meters WHERE RANDOM() < 0.5", "RANDOM is not understood here; leave chance out"),
        ("SELECT COUNT(*) FROM meters WHERE born > CURRENT_DATE", "CURRENT_DATE is not understood here; write the"),
        ("SELECT COUNT(*) FROM meters WHERE kwh <> ALL (1, 2)", "function 'ALL' is not understood here; write IN"),
        ("SELECT COUNT(*) FROM meters WHERE kwh < 1_000", "'1_000' is no number"),
        ("SELECT COUNT(*) FROM meters WHERE kwh < 1e400", "'1e400' is too long"),
        ("SELECT COUNT(*) FROM meters WHERE suburb = 'north", "close every quote"),
        ("SELECT COUNT(*) FROM meters WHERE (kwh < 1", "the SQL cannot be read at"),
        ("SELECT COUNT(*) FROM meters \0", "NUL"),
        ('SELECT COUNT(*) AS "a\nb" FROM meters', "alias"),
        ("SELECT /*+ bits(2), reach(2) */ COUNT(*) FROM meters", "no hint; give one of bits"),
        ("SELECT /*+ fast */ COUNT(*) FROM meters", "'fast' is no hint"),
        ("SELECT /*+ reach(1.5) */ COUNT(*) FROM meters", "makes no sense"),
        ("SELECT /*+ bits(99999) */ COUNT(*) FROM meters", "makes no sense"),
        ("SELECT COUNT(*) /*+ bits(2) */ FROM meters", "a hint is not in its place"),
        ("SELECT /* bits(2) */ COUNT(*) FROM meters", "reads like a hint and is none; begin hints with a plus"),
        ("SELECT COUNT(*) FROM meters -- + reach (3)", "reads like a hint and is none"),
    ],
)  # fmt: skip
def test_what_is_refused(sql: str, problem: str) -> None:
    with pytest.raises(SqlError, match=problem) as caught:
        read(sql)
    assert isinstance(caught.value, RequestError)
    assert len(str(caught.value).splitlines()) == 1
    assert "; " in str(caught.value)


def test_a_text_only() -> None:
    with pytest.raises(SqlError, match="is one text"):
        read(b"SELECT 1")  # type: ignore[arg-type]
    with pytest.raises(SqlError, match="is one text"):
        read(3)  # type: ignore[arg-type]


def test_an_error_says_where_and_can_be_kept_in_a_log() -> None:
    with pytest.raises(SqlError) as caught:
        read("SELECT COUNT(*)\nFROM meters\nWHERE suburb = 'Smith''s house'")
    error = caught.value
    assert error.position == Position(3, 16)
    assert "Smith" in str(error)
    assert "Smith" not in error.bare
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.bare, again.position) == (str(error), error.bare, error.position)


def test_missing_values_count_as_the_schema_says() -> None:
    schema = Schema.parse('columns.kwh = {role = "private", bounds = [0, 10], missing = 0}')
    assert parse("SELECT COUNT(kwh) FROM t", schema, "t").text == "SELECT COUNT(*) FROM t"
    with pytest.raises(SqlError, match="counts as an ordinary one"):
        parse("SELECT COUNT(*) FROM t WHERE kwh IS NULL", schema, "t")


def test_columns_that_differ_in_case_only_need_their_own_spelling() -> None:
    schema = Schema.parse(
        'columns.A = {role = "private", bounds = [0, 1]}\ncolumns.a = {role = "private", bounds = [0, 1]}'
    )
    assert parse("SELECT SUM(a), SUM(A) FROM t", schema, "t").text == "SELECT SUM(a), SUM(A) FROM t"
    other = Schema.parse(
        'columns.Ab = {role = "private", bounds = [0, 1]}\ncolumns.aB = {role = "private", bounds = [0, 1]}'
    )
    with pytest.raises(SqlError, match="no column is called 'ab'"):
        parse("SELECT SUM(ab) FROM t", other, "t")


@pytest.mark.parametrize(
    "name", ["select", "date", "two words", 'a"b', "year", "Ünï", "1st", "value", "x'y", "order"]
)
def test_names_of_any_kind(name: str) -> None:
    quoted = '"' + name.replace('"', '""') + '"'
    schema = Schema.parse('columns.c = {role = "private", bounds = [0, 5]}')
    schema = Schema({name: schema.columns["c"]})
    statement = parse(f"SELECT SUM({quoted}) FROM {quoted} WHERE {quoted} > 2", schema, name)
    assert statement.questions == (question(schema, "sum", name, ColumnComparison(name, ">", 2)),)
    assert parse(statement.text, schema, name).questions == statement.questions
    if " " in name:
        for wrong in (name, f"`{name}`"):
            with pytest.raises(SqlError, match=f"stand in double quotes: {quoted} "):
                parse(f"SELECT SUM({wrong}) FROM {quoted}", schema, name)


def test_filters_on_huge_private_domains_are_refused_before_any_price() -> None:
    schema = Schema.parse('columns.x = {role = "private", bounds = [0, 1e9]}')
    assert parse("SELECT AVG(x) FROM t", schema, "t").questions
    for sql in ("SELECT COUNT(*) FROM t WHERE x > 3", "SELECT x, COUNT(*) FROM t GROUP BY x"):
        with pytest.raises(SqlError, match="too many for private filters"):
            parse(sql, schema, "t")


def test_names_of_outputs() -> None:
    statement = read(
        "SELECT suburb, AVG(kwh), AVG(kwh), COUNT(*) AS n FROM meters WHERE year = 2020 GROUP BY suburb"
    )
    assert statement.names == ("suburb", "AVG(kwh)", "AVG(kwh)_2", "n")
    assert statement.columns[0].content == KeyColumn("suburb")
    assert len(statement.questions) == 2
    spread = "SELECT STDDEV(kwh), var_samp(2 * kwh), STDDEV_POP(kwh) + 1 FROM meters"
    assert read(spread).names == ("STDDEV(kwh)", "VAR_SAMP(2 * kwh)", "SQRT(VAR_POP(kwh)) + 1")
    long = read(f"SELECT {' + '.join(f'QUANTILE_DISC(kwh, 0.{i})' for i in range(1, 9))} FROM meters")
    assert long.names == ("column_1",)


def test_hints() -> None:
    assert read("SELECT /*+ bits(2) */ COUNT(*) FROM meters").hints == Hints(bits=Fraction(2))
    assert read("SELECT /*+ max_error(.5) */ COUNT(*) FROM meters").hints == Hints(max_error=Fraction(1, 2))
    least = read("SELECT /*+ MAX_ERROR(.5)  least( leakage ) */ COUNT(*) FROM meters")
    assert least.hints == Hints(max_error=Fraction(1, 2), least="leakage")
    assert least.text.startswith("SELECT /*+ max_error(0.5) least(leakage) */ COUNT(*)")
    assert read("SELECT /*+ max_error(1)least(cells) */ COUNT(*) FROM meters").hints == Hints(
        max_error=Fraction(1)
    )
    with pytest.raises(SqlError, match="the least leakage is that within an error"):
        read("SELECT /*+ bits(1) least(leakage) */ COUNT(*) FROM meters")
    assert read("SELECT COUNT(*) FROM meters").hints == Hints()
    assert write_hints(Hints(max_error=Fraction(1, 4))) == "/*+ max_error(0.25) */ "


def test_sqlglot_is_imported_only_when_sql_is_read() -> None:
    code = "import sys, noiseless.questions.sql, noiseless.questions.question; sys.exit('sqlglot' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_groups_and_order_of_a_reply() -> None:
    statement = read(
        "SELECT suburb, AVG(kwh) AS a, 3 AS three FROM meters GROUP BY suburb ORDER BY a DESC, suburb LIMIT 3"
    )
    (asked,) = statement.questions
    told = {
        "north": AnswerInterval.of(0, 1),
        "south": AnswerInterval.of(0, 2),
        "it's east": None,
        "west": AnswerInterval.of(1, 1),
    }
    rows = [Row({"suburb": suburb}, {asked: answer}) for suburb, answer in told.items()]
    assert statement.reply(rows) == (
        ("south", AnswerInterval.of(0, 2), AnswerInterval.of(3)),
        ("west", AnswerInterval.of(1), AnswerInterval.of(3)),
        ("north", AnswerInterval.of(0, 1), AnswerInterval.of(3)),
    )


def test_a_group_in_which_nobody_passes_a_public_filter() -> None:
    statement = read(
        "SELECT suburb, COUNT(*) FILTER (WHERE year = 2020), MAX(kwh) FILTER (WHERE year = 2020) FROM meters GROUP BY suburb"
    )
    ((_, count, most),) = statement.reply([Row({"suburb": "north"}, {})])
    assert (count, most) == (AnswerInterval.of(0), None)
    assert statement.groups == Everything()
    for asked in statement.questions:
        assert asked.public == normal(ColumnComparison("year", "=", 2020), SCHEMA)


def test_a_count_of_all_is_public() -> None:
    (asked,) = read("SELECT COUNT(*) FROM meters WHERE year = 2020").questions
    assert asked.private is None
    (asked,) = read("SELECT COUNT(*) FROM meters WHERE solar").questions
    assert asked.private is not None


def spelt(where: Filter, random: Random) -> str:
    """A filter in some spelling."""
    match where:
        case Everything():
            return random.choice(["TRUE", "1 = 1", "kwh IS NOT NULL", "kwh <= 99", "NOT FALSE"])
        case AllOf() | AnyOf():
            together = isinstance(where, AllOf)
            parts = [spelt(part, random) for part in random.sample(where.parts, len(where.parts))]
            if not parts:
                return "TRUE" if together else "FALSE"
            if random.random() < 0.5:
                return f"NOT ({(' OR ' if together else ' AND ').join(f'(NOT ({part}))' for part in parts)})"
            return (" AND " if together else " or ").join(f"({part})" for part in parts)
        case Not():
            return f"NOT ({spelt(where.part, random)})"
        case ColumnComparison():
            return _compared(where, random)
    raise TypeError


def _compared(where: ColumnComparison, random: Random) -> str:
    name, constant = random.choice([where.column, where.column.upper(), f'"{where.column}"']), where.constant
    if isinstance(constant, tuple):
        listed = random.sample(constant, len(constant))
        return random.choice(
            [
                f"{name} IN ({', '.join(map(str, listed))})",
                " OR ".join(f"{name} = {each}" for each in listed),
                f"NOT {name} NOT IN ({', '.join(map(str, listed))})",
            ]
        )
    assert isinstance(constant, int)
    off = f"{constant}.1"  # between two values of a whole-numbered column
    spellings = {
        ">=": [f"{name} >= {constant}", f"{constant} <= {name}", f"NOT {name} < {constant}", f"{name} > {constant - 1}.9"],
        ">": [f"{name} > {constant}", f"{name} >= {off}", f"NOT ({name} BETWEEN -5 AND {constant})", f"2*{name} > {2 * constant}"],
        "<=": [f"{name} <= {constant}", f"{name} < {off}", f"{name} BETWEEN -99 AND {constant}", f"-{name} >= -{constant}"],
        "<": [f"{name} < {constant}", f"{constant} > {name}", f"NOT {constant} <= {name}", f"{name} - 1 < {constant - 1}"],
        "=": [f"{name} = {constant}", f"{name} IN ({constant})", f"{name} BETWEEN {constant} AND {off}"],
        "!=": [f"{name} <> {constant}", f"{name} != {constant}", f"NOT {name} = {constant}", f"{name} NOT IN ({constant})"],
    }  # fmt: skip
    return random.choice(spellings[where.operator])


WHOLE = Schema.parse(
    'columns.year = {role = "public", bounds = [0, 5]}\ncolumns.kwh = {role = "private", bounds = [0, 5]}'
)


def whole_filters(column: str) -> st.SearchStrategy[Filter]:
    numbers = st.integers(1, 5)
    leaves = st.one_of(
        st.builds(
            ColumnComparison, st.just(column), st.sampled_from(["=", "!=", "<", "<=", ">", ">="]), numbers
        ),
        st.builds(
            ColumnComparison,
            st.just(column),
            st.just("in"),
            st.lists(numbers, min_size=1, max_size=4).map(tuple),
        ),
        st.just(Everything()),
    )
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.builds(Not, inner),
            st.lists(inner, min_size=1, max_size=3).map(lambda parts: AllOf(tuple(parts))),
            st.lists(inner, min_size=1, max_size=3).map(lambda parts: AnyOf(tuple(parts))),
        ),
        max_leaves=5,
    )


@given(whole_filters("year"), whole_filters("kwh"), st.integers(0, 2**32))
def test_spelling_makes_no_new_question(public: Filter, hidden: Filter, seed: int) -> None:
    random = Random(seed)
    where = AllOf((public, hidden))
    expected = normal(where, WHOLE)
    found = set()
    for _ in range(3):
        parts = [f"({spelt(public, random)})", f"({spelt(hidden, random)})"]
        random.shuffle(parts)
        aggregate = random.choice(
            ["COUNT(*)", "count(kwh)", "SUM(1)", "SUM(CASE WHEN TRUE THEN 1 ELSE 0 END)"]
        )
        sql = f"SELECT {aggregate} AS {random.choice('abc')} FROM t WHERE {' AND '.join(parts)}"
        if expected == NOBODY:
            with pytest.raises(SqlError, match="nobody can pass"):
                parse(sql, WHOLE, "t")
            continue
        statement = parse(sql, WHOLE, "t")
        found.add((statement.questions, statement.text))
    if expected != NOBODY:
        ((questions, _),) = found
        assert questions == (question(WHOLE, "count", None, where),)


def test_different_statements_have_different_texts() -> None:
    """Texts are equal exactly when questions, groups, order and arithmetic are."""
    grammar = Grammar(Random(3))
    seen: dict[str, tuple[object, ...]] = {}
    for _ in range(200):
        try:
            found = read(grammar.statement())
        except SqlError:
            continue
        contents = tuple(column.content for column in found.columns)
        meaning = (contents, found.by, found.histogram, found.order, found.limit)
        assert seen.setdefault(found.text, meaning) == meaning
    assert len(seen) > 100
    assert len(set(seen.values())) == len(seen)


def test_private_columns_are_counted_where_an_aggregate_depends_on_them() -> None:
    """What FILTER and WHERE come to together is one private column, or one that is derived of several."""
    schema = Schema.parse(
        'columns.a = {role = "private", bounds = [0, 10], step = 1}\n'
        'columns.b = {role = "private", categories = ["x", "y"]}'
    )
    either = "SELECT COUNT(*) FILTER (WHERE a > 5) FROM t WHERE a > 5 OR b = 'x'"
    (asked,) = parse(either, schema, "t").questions
    assert asked.private is not None
    (both,) = parse("SELECT COUNT(*) FROM t WHERE a > 5 AND b = 'x'", schema, "t").questions
    assert both.private is not None
    assert both.private.column == "= a >= 6 AND b = 'x'"


def test_a_column_named_like_a_word_of_sql_is_to_be_quoted() -> None:
    schema = Schema.parse('columns.when = {role = "private", bounds = [2024-01-01, 2024-12-31]}')
    with pytest.raises(SqlError, match='words of SQL, stand in double quotes: "when"'):
        parse("SELECT COUNT(*) FROM t WHERE when > '2024-03-05'", schema, "t")
    assert parse("SELECT COUNT(*) FROM t WHERE \"when\" > '2024-03-05'", schema, "t").text
