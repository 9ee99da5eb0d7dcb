"""The [queries] of a curator's file: what an owner lets analysts ask by a name, checked when it is read."""

import re
from collections.abc import Mapping
from difflib import get_close_matches
from fractions import Fraction
from typing import Any, Literal, cast

import numpy as np
import pyarrow as pa

from noiseless.curator.snapshot import decoded
from noiseless.domain import BooleanColumn, CategoryColumn, Schema
from noiseless.domain.literals import read_number
from noiseless.errors import NoiselessError, SchemaError
from noiseless.questions.declared_query import DatasetFunction, DeclaredQuery
from noiseless.questions.filters import Runs, as_runs
from noiseless.questions.row_function import Piece, RowFormula, RowPieces

_KINDS = {
    "formula": {"formula", "step", "aggregate"},
    "pieces": {"pieces", "otherwise", "aggregate"},
    "sql": {"sql", "bounds", "sensitivity"},
}
_NAME = re.compile(r"[a-z_][a-z0-9_]{0,62}")


def read_queries(tables: object, schema: Schema, dataset: str) -> tuple[DeclaredQuery, ...]:
    """The declared queries.

    Args:
        tables: what [queries] holds, numbers as decimals.
        schema: the declared columns.
        dataset: what the table is called in SQL.

    Raises:
        SchemaError: one is not well formed, in a line that says how to mend it.
    """
    if not isinstance(tables, Mapping):
        raise SchemaError('queries must be tables; write e.g. [queries.excess] and below it formula = "..."')
    found = []
    for name, table in tables.items():
        try:
            found.append(_read(name, table, schema, dataset))
        except NoiselessError as error:
            raise SchemaError(f"[queries.{name}]: {error}") from None
    return tuple(found)


def _read(name: str, table: object, schema: Schema, dataset: str) -> DeclaredQuery:
    from noiseless.questions.sql.tokens import is_free_name

    if not _NAME.fullmatch(name) or not is_free_name(name):
        raise SchemaError("is no free name; take small letters, digits and _, and no function of SQL")
    if not isinstance(table, Mapping):
        raise SchemaError('is no table; write formula = "..." below it')
    kinds = [kind for kind in _KINDS if kind in table]
    if len(kinds) != 1:
        raise SchemaError("says not what it is; give one of formula, pieces and sql")
    for key in table:
        if key not in _KINDS[kinds[0]]:
            close = get_close_matches(key, sorted(_KINDS[kinds[0]]), n=1)
            known = f"did you mean {close[0]}?" if close else f"it has {', '.join(sorted(_KINDS[kinds[0]]))}"
            raise SchemaError(f"has no key {key!r}; {known}")
    if kinds[0] == "sql":
        return _of_sql(name, table, schema, dataset)
    aggregate = table.get("aggregate", "mean")
    if aggregate not in ("sum", "mean"):
        raise SchemaError('aggregate is "sum" or "mean", over the rows')
    function = _formula(table, schema) if kinds[0] == "formula" else _pieces(table, schema)
    means = cast("Literal['sum', 'mean']", aggregate)
    return DeclaredQuery(name, function, means, function.columns, f"{aggregate} of {_said(table)}")


def _said(table: Mapping[str, Any]) -> str:
    """A row's value, in words."""
    if "formula" in table:
        return f"{table['formula']}, in steps of {table['step']}"
    pieces = []
    for piece in table["pieces"]:
        where = " and ".join(f"{name} in {_listing(of)}" for name, of in piece.items() if name != "value")
        pieces.append(f"{piece['value']} where {where}")
    return f"{', else '.join(pieces)}, else {table.get('otherwise', 0)}"


def _listing(values: object) -> str:
    return f"[{', '.join(map(str, values))}]" if isinstance(values, list) else str(values)


def _number(table: Mapping[str, Any], key: str, example: str) -> Fraction:
    try:
        return Fraction(read_number(table.get(key)))
    except ValueError:
        raise SchemaError(f"{key} must be a number; write e.g. {key} = {example}") from None


def _formula(table: Mapping[str, Any], schema: Schema) -> RowFormula:
    formula, step = table["formula"], _number(table, "step", "0.01")
    if not isinstance(formula, str):
        raise SchemaError('formula must be a text; write e.g. formula = "max(kwh - 5, 0)**2"')
    if step <= 0:
        raise SchemaError("step must be above 0: a row's value is rounded to a multiple of it")
    return RowFormula.of(formula, step, schema)


def _pieces(table: Mapping[str, Any], schema: Schema) -> RowPieces:
    listed = table["pieces"]
    if not isinstance(listed, list) or not listed or not all(isinstance(each, Mapping) for each in listed):
        raise SchemaError("pieces must be a list; write e.g. pieces = [{ value = 1, kwh = [5, 10] }]")
    otherwise = _number({"otherwise": 0, **table}, "otherwise", "0")
    return RowPieces.of([_piece(each, schema) for each in listed], otherwise, schema)


def _piece(piece: Mapping[str, Any], schema: Schema) -> Piece:
    value = _number(piece, "value", "1")
    conditions = [(name, _runs(name, within, schema)) for name, within in piece.items() if name != "value"]
    if not conditions:
        raise SchemaError("a piece holds for no column; write e.g. { value = 1, kwh = [5, 10] }")
    return value, tuple(sorted(conditions))


def _runs(name: str, within: object, schema: Schema) -> Runs:
    """The numbers of a column between two ends, both included, or of some categories."""
    if name not in schema.private:
        raise SchemaError(f"{name!r} is no private column; pieces are of private columns")
    column = schema.columns[name]
    values = within if isinstance(within, list) else [within]
    numbers = [column.index(value) for value in values]
    if None in numbers or not numbers:
        raise SchemaError(f"a piece of {name!r} is outside what is declared, {column.describe()}")
    found = [number for number in numbers if number is not None]
    if isinstance(column, CategoryColumn | BooleanColumn) or len(found) == 1:
        return as_runs(found)
    if len(found) != 2 or found[0] > found[1]:  # noqa: PLR2004 - two ends
        raise SchemaError(f"a piece of {name!r} is given by its two ends; write e.g. {name} = [1, 2]")
    return ((found[0], found[1] + 1),)


def _of_sql(name: str, table: Mapping[str, Any], schema: Schema, dataset: str) -> DeclaredQuery:
    from noiseless.tables.owner_sql import check_number_sql

    sql, bounds = table["sql"], table.get("bounds")
    if not isinstance(sql, str):
        raise SchemaError(f'sql must be a text; write e.g. sql = "SELECT AVG(kwh) FROM {dataset}"')
    if not isinstance(bounds, list) or len(bounds) != 2:  # noqa: PLR2004 - low and high
        raise SchemaError("bounds must be two numbers; write e.g. bounds = [0, 1]")
    low, high = (_number({"bounds": each}, "bounds", "[0, 1]") for each in bounds)
    sensitivity = _number(table, "sensitivity", "0.01")
    if low >= high or sensitivity <= 0:
        raise SchemaError("bounds must ascend, and a sensitivity is above 0")
    names = (*schema.public, *schema.private)
    empty = pa.table([decoded(schema.columns[each], np.empty(0, np.int64)) for each in names], list(names))
    try:
        check_number_sql(sql, empty, dataset)
    except NoiselessError as error:
        raise SchemaError(f"sql {error}") from None
    text = (
        f"{sql}, between {bounds[0]} and {bounds[1]}; one person moves it by {table['sensitivity']} at most"
    )
    function = DatasetFunction(sql, dataset, (low, high), sensitivity)
    return DeclaredQuery(name, function, "sum", schema.private, text)
