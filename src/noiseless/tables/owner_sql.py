"""A number that the owner's SQL computes of a table, in an engine that sees that table and nothing else."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from functools import cache
from math import isfinite

import duckdb
import pyarrow as pa

from noiseless.errors import RequestError

_ALONE: dict[str, str | bool | int | float | list[str]] = {
    "threads": 1,
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
}
"""One thread: sums of doubles are added in the order of the rows, and are the same every time."""


@cache
def _database(process: int) -> duckdb.DuckDBPyConnection:  # noqa: ARG001 - a fork must not share it
    return duckdb.connect(config=_ALONE)


@contextmanager
def _holding(table: pa.Table, name: str) -> Iterator[duckdb.DuckDBPyConnection]:
    with _database(os.getpid()).cursor() as connection:
        connection.register(name, table)
        yield connection


def check_number_sql(sql: str, table: pa.Table, name: str) -> None:
    """Refuse a text that is no SELECT of one column from such a table; no row is looked at.

    Args:
        sql: the text.
        table: a table without rows.
        name: what it is called.

    Raises:
        RequestError: the engine cannot run it, or it has several columns.
    """
    with _holding(table, name) as connection:
        try:
            statements = connection.extract_statements(sql)
            if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
                raise RequestError("is no SELECT; write one that computes a number")
            described = connection.execute(f"DESCRIBE {sql}").fetchall()
        except duckdb.Error as error:
            first = str(error).splitlines()[0]
            raise RequestError(
                f"cannot be run ({first}); FROM is {name}, with its declared columns"
            ) from None
    if len(described) != 1:
        raise RequestError(f"has {len(described):,} columns; select one number")


def sql_number(sql: str, table: pa.Table, name: str) -> Fraction | None:
    """The number in the first row of the result; None where there is none.

    Whether the engine stumbles over a value (a cast, an overflow, a time zone that is none) may depend on the
    data, and is no number too: what an analyst sees must not say more than the cell. Errors of the machine,
    such as too little memory, are none of these.
    """
    with _holding(table, name) as connection:
        try:
            found = connection.execute(sql).fetchone()
        except duckdb.OperationalError:
            raise
        except duckdb.Error:
            return None
    value = None if found is None else found[0]
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal) or not isfinite(value):
        return None
    return Fraction(value)
