"""A curator that has been asked anything in any order answers as a new one does, and as the rows do."""

import re
from collections.abc import Iterator
from fractions import Fraction
from math import isfinite
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import polars as pl
import pytest

from noiseless.curator import Curator, UnansweredError
from noiseless.errors import NoiselessError
from noiseless.questions.sql import AnswerInterval
from noiseless.replies import Quote, Reply
from soaking import soaking
from sql_examples import COLUMNS, TABLE, Grammar, for_duckdb, sibling
from sql_worlds import Record, frame, random_records

FILE = """
[dataset]
name = "meters"
source = "meters.parquet"
{unit}
[budget]
bits = 5000
query_bits = {query_bits}
{least}
"""

SIMILAR = 3
"""So many statements are alike but for their constants."""


def written(
    folder: Path, records: list[Record], *, query_bits: int, least: int | None = 1, rows: int = 1
) -> Path:
    """A table, and the file of its curator; with several rows a person, neighbours are the same one."""
    persons = [place // rows for place in range(len(records))]
    frame(records).with_columns(person=pl.Series(persons)).write_parquet(folder / "meters.parquet")
    path = folder / "meters.toml"
    least_group = "" if least is None else f"min_group = {least}"
    unit = f'unit = "person"\nmax_rows = {rows}' if rows > 1 else ""
    path.write_text(FILE.format(query_bits=query_bits, least=least_group, unit=unit) + COLUMNS)
    return path


def in_duckdb(records: list[Record]) -> duckdb.DuckDBPyConnection:
    """The same table there."""
    rows = frame(records)  # noqa: F841 - DuckDB finds it by its name
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE {TABLE} AS SELECT * FROM rows")
    return connection


def statements(random: Random, number: int) -> Iterator[str]:
    """Some that are alike, in any order."""
    grammar = Grammar(random)
    found = []
    for _ in range(number):
        text = random.choice([grammar.statement, grammar.statement, grammar.implied, grammar.implied])()
        text = grammar.odd() if random.random() < 0.1 else text
        if random.random() < 0.3:
            hint = random.choice(["bits(2)", "reach(3)", "max_error(1)", "bits(5)"])
            text = text.replace("SELECT ", f"SELECT /*+ {hint} */ ", 1)
        found += [text, *(sibling(text, random) for _ in range(SIMILAR - 1))]
    random.shuffle(found)
    yield from found


def said(work: Any, *asked: Any, **more: Any) -> object:  # noqa: ANN401 - whatever is compared
    """An outcome as it can be compared: what is spent depends on who asked before."""
    try:
        found: Quote = work(*asked, **more)
    except NoiselessError as error:
        return type(error), str(error)
    shown = [(result.names, result.rows) for result in found.results]
    return shown, [result.costs for result in found.results], found.batch, found.rule, found.warnings


def holds(cell: object, found: Any) -> bool:  # noqa: ANN401 - whatever DuckDB has
    """Whether an answer holds the truth, up to the rounding of doubles.

    DuckDB has NULL for a sum over nobody, we have 0.
    """
    if found is None or (isinstance(found, float) and not isfinite(found)):
        return cell is None or isinstance(cell, AnswerInterval)
    if not isinstance(cell, AnswerInterval) or isinstance(found, AnswerInterval):
        return bool(cell == found)
    truth = Fraction(found)
    width = max(Fraction(1), abs(truth)) / 10**9
    return cell.lower - width <= truth <= cell.upper + width


def check_truth(reply: Quote, sql: str, connection: duckdb.DuckDBPyConnection) -> None:
    """Every answer holds what DuckDB computes of the same rows, where anybody passes."""
    (result,) = reply.results
    keys = [place for place, cost in enumerate(result.costs) if cost is None]
    found = connection.execute(for_duckdb(sql.partition(" ORDER BY ")[0])).fetchall()
    theirs = {tuple(row[place] for place in keys): row for row in found}
    for row in result.rows:
        key = tuple(row[place] for place in keys)
        assert all(map(holds, row, theirs.get(key, row))), (sql, row, theirs[key])


@pytest.mark.parametrize("seed", range(4))
def test_a_curator_that_was_asked_before_is_no_different_from_a_new_one(seed: int, tmp_path: Path) -> None:
    """Prices, refusals, values and intervals; every interval holds what DuckDB computes of the same rows."""
    random = Random(seed)
    records = random_records(random, random.choice([3, 12, 40]))
    path = written(tmp_path, records, query_bits=random.choice([1, 2, 5]))
    connection, answered, refused = in_duckdb(records), 0, 0
    with Curator.open(path) as old:
        for sql in statements(random, 400 if soaking() else 8):
            analyst = random.choice(["ann", "bob", "eve"])
            with Curator.open(path) as new:
                assert said(old.price, sql, analyst=analyst) == said(new.price, sql, analyst=analyst), sql
                outcome, again = (said(one.ask, sql, analyst=analyst) for one in (old, new))
            assert outcome[0] == again[0], sql  # type: ignore[index]
            assert said(old.ask, sql) == again, sql
            if isinstance(outcome[0], type):  # type: ignore[index]
                refused += 1
                continue
            check_truth(old.ask(sql), sql, connection)
            answered += 1
    assert answered > refused / 4


@pytest.mark.parametrize("seed", range(2))
def test_a_curator_with_a_ledger_of_its_own_gives_the_same_answers(seed: int, tmp_path: Path) -> None:
    """Nothing was asked there before: neither memory nor ledger has a part in what an answer is."""
    random = Random(100 + seed)
    records = random_records(random, random.choice([3, 12]))
    (tmp_path / "old").mkdir()
    asked = list(statements(random, 200 if soaking() else 5))
    with Curator.open(written(tmp_path / "old", records, query_bits=3, least=2)) as old:
        prices = [said(old.price, sql) for sql in asked]
        for number, (sql, price) in enumerate(zip(asked, prices, strict=True)):
            (tmp_path / f"{number}").mkdir()
            with Curator.open(written(tmp_path / f"{number}", records, query_bits=3, least=2)) as new:
                assert said(new.price, sql) == price, sql
                assert said(new.ask, sql)[0] == said(old.ask, sql)[0], sql  # type: ignore[index]


def test_conditions_that_follow_from_others_keep_their_own_constants(tmp_path: Path) -> None:
    """WHERE implies the FILTER of the first statement, and not that of the second."""
    homes: list[Record] = [{"suburb": "north", "kwh": 0}, {"suburb": "north", "kwh": 1}]
    homes += [{"suburb": "south", "kwh": 2}, {"suburb": "south", "kwh": 4}]
    others = random_records(Random(0), len(homes))
    records = [
        other | home | {"year": 2018 + n} for n, (other, home) in enumerate(zip(others, homes, strict=True))
    ]
    condition = "COUNT(*) FILTER (WHERE kwh BETWEEN 0 AND 1) AS o0"
    public = "COUNT(*) FILTER (WHERE year IN (2018, 2019)) AS o0, COUNT(*) AS o1"
    case = "SUM(CASE WHEN kwh IN (0, 0.5, 1) THEN 1 ELSE 0 END) AS o0"
    asked = {
        f"SELECT {condition} FROM meters WHERE kwh = 1": [1],
        f"SELECT {condition} FROM meters WHERE kwh <= 3": [2],
        f"SELECT {case} FROM meters WHERE kwh = 0": [1],
        f"SELECT {case} FROM meters WHERE kwh <= 2": [2],
        f"SELECT {public} FROM meters WHERE year = 2019": [1, 1],
        f"SELECT {public} FROM meters WHERE year = 2021": [0, 1],
    }
    with Curator.open(written(tmp_path, records, query_bits=3)) as curator:
        for _ in range(2):
            for sql, expected in asked.items():
                assert [answer.value for answer in curator.ask(sql).answers] == expected, sql


AGGREGATES = (
    *("COUNT(*)", "COUNT(kwh)", "SUM(kwh)", "SUM(solar)", "AVG(kwh)", "AVG(2 * kwh - 1)", "AVG(solar)"),
    *(
        "MIN(kwh)",
        "MAX(-kwh)",
        "MEDIAN(kwh)",
        "VAR_POP(kwh)",
        "VARIANCE(kwh)",
        "STDDEV_POP(kwh)",
        "STDDEV(kwh)",
    ),
    *(
        "QUANTILE_DISC(kwh, 0.5)",
        "SUM(CASE WHEN solar THEN 1 ELSE 0 END)",
        "COUNT(CASE WHEN solar THEN 1 END)",
    ),
    *("AVG(CASE WHEN solar THEN kwh ELSE 0 END)", "SUM(kwh) / COUNT(*)", "1 / COUNT(*)", "SQRT(SUM(kwh))"),
)
CONDITIONS = (
    *("kwh > 100", "kwh < 100", "kwh BETWEEN 2 AND 1", "kwh BETWEEN -9 AND 9", "kwh IN (8, 9)", "kwh = 1.25"),
    *("kwh <= -1", "solar AND NOT solar", "solar OR NOT solar", "solar", "NOT solar"),
    *("year = 3000", "year > 0", "year = 2021", "suburb = 'south'", "suburb = 'south' AND kwh > 1"),
    *(
        "TRUE",
        "FALSE",
        "1 = 2",
        "year = 2018 AND kwh > 9",
        "NOT kwh < 100",
        "job IN ('clerk', 'nurse', 'cook')",
    ),
)
"""What nobody passes, or everybody, or only those of a public group that may have nobody in it."""
COMPUTED = re.compile("/|SQRT")


def on_the_edge(random: Random, number: int) -> Iterator[str]:
    """Every aggregate under every condition, in all places where one can stand."""
    shapes = (
        "SELECT {0} AS o0 FROM meters WHERE {1}",
        "SELECT {0} AS o0, COUNT(*) AS o1 FROM meters WHERE {1}",
        "SELECT suburb, {0} AS o0 FROM meters WHERE {1} GROUP BY suburb",
        "SELECT job, {0} AS o0 FROM meters WHERE {1} GROUP BY job",
        "SELECT {0} FILTER (WHERE {1}) AS o0, COUNT(*) AS o1 FROM meters",
        "SELECT year, {0} FILTER (WHERE {1}) AS o0 FROM meters GROUP BY year",
        "SELECT {0} FILTER (WHERE {1}) AS o0 FROM meters WHERE kwh >= 0",
        "SELECT {0} FILTER (WHERE {1}) AS o0 FROM meters WHERE suburb = 'south'",
    )
    every = [
        shape.format(aggregate, condition)
        for aggregate in AGGREGATES
        for condition in CONDITIONS
        for shape in shapes
        if "FILTER" not in shape or not COMPUTED.search(aggregate)
    ]
    yield from every if soaking() else random.sample(every, number)


@pytest.mark.parametrize(("least", "rows"), [(None, 1), (1, 1), (5, 1), (None, 2)])
@pytest.mark.parametrize("people", [1, 12])
def test_on_the_edge_there_is_an_answer_or_a_line(
    least: int | None, rows: int, people: int, tmp_path: Path
) -> None:
    """Nobody can pass, everybody does, nobody is in the group: never another error, never a wrong answer."""
    random = Random(people)
    records = [record for record in random_records(random, people * 3) if record["suburb"] != "south"][
        :people
    ]
    path = written(tmp_path, records, query_bits=2, least=least, rows=rows)
    connection, replies = in_duckdb(records), 0
    asked = list(on_the_edge(random, 60))
    with Curator.open(path) as curator:
        for sql, outcome in zip(asked, curator.ask_each(asked), strict=True):
            if isinstance(outcome, Reply):
                replies += 1
                if least in (None, 1):
                    check_truth(outcome, sql, connection)
                continue
            assert not isinstance(outcome, UnansweredError), (sql, outcome)
            assert str(outcome).isprintable(), sql
            assert "; " in str(outcome), sql
    assert replies > len(asked) / 10
