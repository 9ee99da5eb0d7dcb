"""A table that is read once and asked often, and small pictures of its columns."""

from noiseless.domain import ColumnSummary
from noiseless.errors import RequestError
from noiseless.tables.base import Table
from noiseless.tables.duckdb_table import DuckDBTable
from noiseless.tables.engine import SOURCE, OwnEngine, identifier


def read_once(table: Table) -> DuckDBTable:
    """A table whose columns are read and typed now; what does not fit into memory spills to the disk.

    Raises:
        RequestError: it stays on a cluster.
    """
    here = table if isinstance(table, DuckDBTable) else table.here(table.columns)
    if not isinstance(here, DuckDBTable):
        raise RequestError("a table on Spark is not read whole; export the columns that matter to a file")
    held = here.held()
    if isinstance(held.engine, OwnEngine):
        held.engine.give_back()  # what reading it took
    return held


def histogram(table: DuckDBTable, column: ColumnSummary, bars: int) -> list[int]:
    """How many rows are in each of some equal parts of a column's range, or have each of its frequent values.

    Args:
        table: the table.
        column: what is known of the column.
        bars: how many numbers at most.
    """
    name = identifier(column.name)
    if column.distinct == 0:
        return []
    if column.kind in ("integer", "decimal", "date") and column.distinct > bars:
        return equal_parts(table, column, bars)
    order = "1" if column.kind != "text" else "2 DESC"
    groups = f"SELECT {name}, count(*) FROM {SOURCE} WHERE {name} IS NOT NULL GROUP BY 1"
    return [rows for _, rows in table.fetch(f"{groups} ORDER BY {order} LIMIT {bars}")]


def equal_parts(table: DuckDBTable, column: ColumnSummary, parts: int) -> list[int]:
    """How many rows are in each of some equal parts of the range of numbers or days."""
    name = identifier(column.name)
    number = f"epoch({name}::TIMESTAMP)" if column.kind == "date" else f"{name}::DOUBLE"
    ends = f"SELECT min({number}) AS low, max({number}) AS high FROM {SOURCE}"
    place = f"least({parts - 1}, floor(({number} - low) / (high - low) * {parts}))::INTEGER"
    sql = f"SELECT {place}, count(*) FROM {SOURCE}, ({ends}) WHERE {name} IS NOT NULL GROUP BY 1"
    counted = dict(table.fetch(sql))
    return [counted.get(part, 0) for part in range(parts)]


def frequencies(table: DuckDBTable, column: str, most: int) -> list[tuple[str | None, int]]:
    """The most frequent values of a column as texts, and how many rows have each."""
    table.require(column)
    groups = f"SELECT {identifier(column)}::VARCHAR, count(*) FROM {SOURCE} GROUP BY 1"
    return [(value, rows) for value, rows in table.fetch(f"{groups} ORDER BY 2 DESC, 1 LIMIT {most}")]
