"""Whatever is sent as SQL: a statement that can be priced and evaluated, or one clean line; never a value."""

import logging
from random import Random

import pytest

from noiseless.errors import NoiselessError
from noiseless.pricing.reach import QuantizedQuery
from noiseless.questions.filters import normal
from noiseless.questions.question import Limits
from noiseless.questions.sql import SqlError, Statement, parse
from noiseless.questions.sql.errors import quoted
from noiseless.ranges.quantizer import Uniform
from soaking import soaking
from sql_examples import SCHEMA, TABLE, Grammar, spoilt
from sql_worlds import World, coarsely, exactly, query_of, random_records

CHUNKS = 8
LIMITS = Limits(least_group=1)
CANARY = "1990-01-10"
"""A private value that most people of the table have, and that no statement here mentions."""

RECORDS = [record | {"born": SCHEMA.columns["born"].value(3)} for record in random_records(Random(0), 25)]
WORLD = World(RECORDS)


def inputs(chunk: int) -> list[str]:
    """800 texts in all, 100,000 in a soak."""
    number = (100_000 if soaking() else 800) // CHUNKS
    random = Random(chunk)
    grammar = Grammar(random)
    found = []
    for _ in range(number):
        text = grammar.statement() if random.random() < 0.6 else grammar.odd()
        found.append(spoilt(text, random) if random.random() < 0.6 else text)
    return found


def check_refusal(error: NoiselessError, sql: str) -> None:
    message = str(error)
    assert len(message.splitlines()) == 1, sql
    assert message.isprintable(), sql
    assert len(message) < 400, sql
    assert "; " in message, sql
    assert CANARY not in message, sql
    if isinstance(error, SqlError):
        assert error.written is None or quoted(error.written) not in error.bare, sql


def read(sql: str) -> Statement:
    return parse(sql, SCHEMA, TABLE, LIMITS)


def check_statement(statement: Statement, sql: str) -> None:
    """Every question is in its normal form, and is priced and evaluated; the text reads back as it."""
    for question in statement.questions:
        assert normal(question.where, SCHEMA) == question.where, sql
        question.check(SCHEMA, LIMITS)
        for records in WORLD.groups(question.public, question.by).values():
            if question.aggregate not in ("count", "histogram"):
                query = query_of(question, len(records), LIMITS)
                assert QuantizedQuery(query, Uniform(query.span, 2)).reach.outputs >= 1
    again = read(statement.text)
    assert again.text == statement.text, sql
    assert again.questions == statement.questions, sql
    assert [one.content for one in again.columns] == [one.content for one in statement.columns], sql
    exact, told = (WORLD.reply(statement, tell, LIMITS) for tell in (exactly, coarsely))
    assert len(exact) == len(told)
    assert all(len(row) == len(statement.names) == len(set(statement.names)) for row in exact)


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_any_text_is_understood_or_refused(chunk: int, caplog: pytest.LogCaptureFixture) -> None:
    understood = refused = 0
    with caplog.at_level(logging.DEBUG):
        for sql in inputs(chunk):
            try:
                statement = read(sql)
            except SqlError as error:
                check_refusal(error, sql)
                refused += 1
                continue
            understood += 1
            if all(WORLD.groups(question.public) for question in statement.questions):
                check_statement(statement, sql)
    heard = {record.name.partition(".")[0] for record in caplog.records}  # others may have logs of their own
    assert not heard & {"noiseless", "sqlglot"}  # nothing that an analyst wrote goes into a log
    assert understood > refused / 10
    assert refused > understood / 10


@pytest.mark.parametrize("depth", [10, 1_000, 30_000])
@pytest.mark.parametrize(
    "shape",
    [
        lambda n: f"SELECT COUNT(*) FROM meters WHERE {'(' * n}kwh < 1{')' * n}",
        lambda n: f"SELECT {'(' * n}COUNT(*){')' * n} FROM meters",
        lambda n: f"SELECT COUNT(*) FROM meters WHERE {'NOT ' * n}solar",
        lambda n: f"SELECT {'-' * n}COUNT(*) FROM meters",
        lambda n: f"SELECT {'- ' * n}COUNT(*) FROM meters",
        lambda n: f"SELECT {'SUM(' * n}kwh{')' * n} FROM meters",
        lambda n: f"SELECT SUM({'CASE WHEN solar THEN ' * n}kwh{' END' * n}) FROM meters",
        lambda n: f"SELECT COUNT(*) FROM meters WHERE {' OR '.join(['kwh < 1'] * n)}",
        lambda n: f"SELECT {' + '.join(['COUNT(*)'] * n)} FROM meters",
        lambda n: f"SELECT {' + '.join(['1'] * n)} FROM meters",
        lambda n: f"SELECT COUNT(*) FROM meters WHERE kwh < {'9' * n}",
        lambda n: f"SELECT COUNT(*) FROM meters WHERE kwh < 0.{'9' * n}",
        lambda n: f"SELECT COUNT(*) FROM meters WHERE kwh < 1e{'9' * n}",
        lambda n: f"SELECT COUNT(*) FROM meters WHERE suburb = '{'x' * n}'",
        lambda n: f"SELECT COUNT(*) AS {'x' * n} FROM meters",
        lambda n: f"SELECT COUNT(*) FROM {'x' * n}",
        lambda n: f"SELECT COUNT(*) FROM meters WHERE {'x.' * n}kwh < 1",
        lambda n: f"{'(' * n}SELECT COUNT(*) FROM meters{')' * n}",
        lambda n: f"SELECT COUNT(*) FROM {'(' * n}meters{')' * n}",
        lambda n: f"SELECT COUNT(*) FROM meters{';' * n}",
        lambda n: f"/*{'/*' * n}*/ SELECT COUNT(*) FROM meters",
        lambda n: f"SELECT COUNT(*){'::INT' * n} FROM meters",
        lambda n: f"SELECT kwh{'[1]' * n} FROM meters",
        lambda n: f"SELECT COUNT(*) FROM meters WHERE kwh IN ({', '.join(map(str, range(n)))})",
        lambda n: "SELECT " + "x" * n,
        lambda n: " " * n,
        lambda n: "\0" * n,
        lambda n: "\N{SNOWMAN}" * n,
    ],
)
def test_long_and_deep_texts(shape, depth: int) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001 - a maker of texts
    sql = shape(depth)
    try:
        statement = read(sql)
    except SqlError as error:
        check_refusal(error, sql)
    else:
        check_statement(statement, sql)
