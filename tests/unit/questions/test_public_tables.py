"""Columns of public tables as expressions of a row."""

from typing import Any

import pytest

from noiseless.domain import Schema
from noiseless.questions.public_table import PublicTable
from noiseless.questions.question import Limits
from noiseless.questions.sql import SqlError, parse

SCHEMA = Schema.parse(
    """
    columns.x = {role = "private", bounds = [0, 3]}
    columns.kind = {role = "private", categories = ["b", "c"]}
    """
)
JOIN = "FROM t LEFT JOIN kinds ON kinds.kind = t.kind"


def text(sql: str, *keys: str) -> str:
    """The normal form beside a table that knows some keys."""
    several = len(keys)
    content: dict[str, list[Any]] = {
        "kind": [*keys],
        "worth": [2] * several,
        "name": ["u"] * several,
        "good": [True] * several,
    }
    return parse(
        sql, SCHEMA, "t", Limits(least_group=1, tables=(PublicTable.of("kinds", "kind", content),))
    ).text


def test_what_no_row_of_the_table_says_is_not_counted() -> None:
    assert text(f"SELECT COUNT(worth), COUNT(x), COUNT(t.kind) {JOIN}", "b") == (
        "SELECT COUNT(*) FILTER (WHERE kind = 'b'), COUNT(*), COUNT(*) FROM t"
    )


@pytest.mark.parametrize(
    "condition",
    [
        "name LIKE '%r'",
        "UPPER(name) = 'U'",
        "LENGTH(name) > 1",
        "worth > 1",
        "good",
        "SUBSTRING(name, 1, 1) = 'u'",
    ],
)
def test_a_table_may_know_no_key_that_is_declared(condition: str) -> None:
    assert (
        text(f"SELECT COUNT(*) {JOIN} WHERE x > 1 OR {condition}", "a")
        == "SELECT COUNT(*) FROM t WHERE x >= 2"
    )
    for unknown in (condition, f"NOT {condition}"):
        with pytest.raises(SqlError, match="nobody can pass"):
            text(f"SELECT COUNT(*) {JOIN} WHERE {unknown}", "a")
