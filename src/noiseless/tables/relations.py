"""Running a query over a relation, whoever's connection it lives on."""

from typing import cast

import duckdb

from noiseless.tables.sql import SOURCE


def over(relation: duckdb.DuckDBPyRelation, sql: str) -> duckdb.DuckDBPyRelation:
    """The result of a SELECT that reads a relation under the name `SOURCE`."""
    return cast("duckdb.DuckDBPyRelation", relation.query(SOURCE, sql))
