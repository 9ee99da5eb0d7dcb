"""What a column holds, in the few facts that a proposal of a schema is made from."""

from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal

from noiseless.domain import ColumnSummary
from noiseless.tables.sql import SOURCE, identifier

if TYPE_CHECKING:
    from noiseless.tables.duckdb_table import DuckDBTable

_FEW = 100
"""List the values of a text column up to this many."""

_MOST_DECIMALS = 9
_MOMENTS = ("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS")

Kind = Literal["integer", "decimal", "boolean", "date", "text"]


def summarise(table: "DuckDBTable") -> tuple[ColumnSummary, ...]:
    """One summary a column."""
    return tuple(_summary(table, column, kind) for column, kind in table.kinds.items())


def _summary(table: "DuckDBTable", column: str, sql_type: str) -> ColumnSummary:
    quoted, kind = identifier(column), _kind(sql_type)
    if (
        sql_type in _MOMENTS
        and table.fetch(f"SELECT bool_and({quoted} = {quoted}::DATE) FROM {SOURCE}")[0][0]
    ):
        quoted, kind = f"{quoted}::DATE", "date"
    ends = f"min({quoted}), max({quoted})" if kind in ("integer", "decimal", "date") else "NULL, NULL"
    facts = f"count(*) - count({quoted}), count(DISTINCT {quoted}), {ends}"
    missing, distinct, low, high = table.fetch(f"SELECT {facts} FROM {SOURCE}")[0]
    decimals = _decimals(table, quoted) if kind == "decimal" and distinct else 0
    values = None
    if kind == "text" and 0 < distinct <= _FEW:
        listing = f"SELECT DISTINCT {quoted}::VARCHAR FROM {SOURCE} WHERE {quoted} IS NOT NULL ORDER BY 1"
        values = tuple(value for (value,) in table.fetch(listing))
    return ColumnSummary(
        name=column,
        kind=kind,
        missing=missing,
        distinct=distinct,
        low=_exact(low),
        high=_exact(high),
        decimals=decimals,
        values=values,
    )


def _kind(sql_type: str) -> Kind:
    if sql_type.endswith("INT") or sql_type in ("INTEGER", "UINTEGER"):
        return "integer"
    if sql_type in ("FLOAT", "DOUBLE") or sql_type.startswith("DECIMAL"):
        return "decimal"
    return {"BOOLEAN": "boolean", "DATE": "date"}.get(sql_type, "text")  # type: ignore[return-value]  # the literals above


def _decimals(table: "DuckDBTable", quoted: str) -> int:
    """The fewest digits after the point that write every value exactly, as far as doubles can tell."""
    tests = ", ".join(
        f"coalesce(bool_and(round({quoted}, {d}) = {quoted}), true)" for d in range(_MOST_DECIMALS)
    )
    answers = table.fetch(f"SELECT {tests} FROM {SOURCE}")[0]
    return answers.index(True) if True in answers else _MOST_DECIMALS


def _exact(value: Any) -> Any:  # noqa: ANN401 - whatever type the column has
    return Decimal(repr(value)) if isinstance(value, float) else value
