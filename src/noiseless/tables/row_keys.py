"""One integer key a row: columns packed into 63 bits by the engine."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa

from noiseless.tables.coding import DictionaryCoding, IntegerCoding, whole_type
from noiseless.tables.engine import SOURCE, identifier, identifiers, literal

if TYPE_CHECKING:
    from noiseless.tables.duckdb_table import DuckDBTable

INTEGERS = {
    "TINYINT": pa.int8(),
    "SMALLINT": pa.int16(),
    "INTEGER": pa.int32(),
    "BIGINT": pa.int64(),
    "UTINYINT": pa.uint8(),
    "USMALLINT": pa.uint16(),
    "UINTEGER": pa.uint32(),
    "UBIGINT": pa.uint64(),
}
_PACKABLE = INTEGERS | {"BOOLEAN": pa.bool_(), "DATE": pa.date32()}

_MOST_TEXTS = 4096
"""Texts are packed by listing them in the query, up to this many a column."""

_SAMPLE, _MANY = 100_000, 0.9
"""Texts are packed when this share of this many rows differ; with fewer combinations grouping is faster."""


class Packed(NamedTuple):
    """A column's place among the keys.

    Attributes:
        coding: how its values are numbered.
        nullable: whether some value is missing, so that the key must look.
    """

    coding: IntegerCoding | DictionaryCoding
    nullable: bool


def packed_columns(table: "DuckDBTable", columns: Sequence[str]) -> tuple[tuple[Packed, ...], int] | None:
    """How each column goes into a key, and how many rows there are; None when grouping suits them better.

    Counting keys takes a quarter of the time of grouping where combinations are many. The facts it asks for
    about numbers stand in the metadata of a Parquet file.
    """
    texts = [c for c in columns if table.kinds[c] == "VARCHAR"]
    if any(table.kinds[c] not in _PACKABLE for c in columns if c not in texts):
        return None
    if texts and not _many_combinations(table, columns):
        return None
    dictionaries = {c: _dictionary(table, c) for c in texts}
    if None in dictionaries.values():
        return None
    rows, *found = table.fetch(f"SELECT count(*), {_facts(table, columns)} FROM {SOURCE}")[0]
    packed = []
    for column, low, high, present in zip(columns, found[::3], found[1::3], found[2::3], strict=True):
        coding = dictionaries.get(column) or _integers(column, table.kinds[column], low, high)
        packed.append(Packed(coding, nullable=present < rows))
    return tuple(packed), rows


def _facts(table: "DuckDBTable", columns: Sequence[str]) -> str:
    """The lowest and the highest value of each column of numbers, and how many values there are."""
    parts = []
    for column in columns:
        name, kind = identifier(column), table.kinds[column]
        ends = ("NULL", "NULL") if kind == "VARCHAR" else (f"min({name})", f"max({name})")
        parts += [_number(ends[0], kind), _number(ends[1], kind), f"count({name})"]
    return ", ".join(parts)


def _many_combinations(table: "DuckDBTable", columns: Sequence[str]) -> bool:
    names = identifiers(columns)
    sample = f"(SELECT {names} FROM {SOURCE} LIMIT {_SAMPLE})"
    distinct = table.fetch(f"SELECT count(*) FROM (SELECT DISTINCT {names} FROM {sample})")[0][0]
    return bool(distinct >= _MANY * _SAMPLE)


def _dictionary(table: "DuckDBTable", column: str) -> DictionaryCoding | None:
    """The texts of a column, numbered in their order; None when they cannot be listed in a query."""
    name = identifier(column)
    listing = (
        f"SELECT DISTINCT {name} FROM {SOURCE} WHERE {name} IS NOT NULL ORDER BY 1 LIMIT {_MOST_TEXTS + 1}"
    )
    values = [value for (value,) in table.fetch(listing)]
    if len(values) > _MOST_TEXTS or any("\0" in value for value in values):
        return None
    return DictionaryCoding(column, pa.array(values, pa.string()))


def _integers(column: str, kind: str, low: int | None, high: int | None) -> IntegerCoding:
    first, last = (0, -1) if low is None or high is None else (int(low), int(high))
    return IntegerCoding(column, first, last - first + 2, _PACKABLE[kind])


def _number(value: str, kind: str) -> str:
    """A value as a whole number, in SQL; days are counted from 1970 (and infinity is a day like others)."""
    return f"({value} - DATE '1970-01-01')" if kind == "DATE" else f"({value})"


def key(word: Sequence[Packed]) -> str:
    """The mixed-radix key as SQL, the last column varying fastest: a sum of codes times strides."""
    terms, stride = [], 1
    for coding, nullable in reversed(word):
        terms.append(f"{_code(coding, nullable=nullable)} * {stride}::BIGINT")
        stride *= coding.size
    packed = " + ".join(terms)
    return f"({packed})::INTEGER" if whole_type(stride) is np.int32 else packed


def _code(coding: IntegerCoding | DictionaryCoding, *, nullable: bool) -> str:
    """A value's code as SQL; wide enough never to overflow, since the extent fits into a key."""
    column = identifier(coding.name)
    if isinstance(coding, DictionaryCoding):
        texts = ", ".join(map(literal, coding.values.to_pylist())) or "''"
        number = f"(enum_code({column}::ENUM({texts}))::BIGINT + 1)"
    elif pa.types.is_uint64(coding.type):
        number = f"({column}::HUGEINT - ({coding.low - 1}))::BIGINT"
    elif pa.types.is_date32(coding.type):
        number = f"({_number(column, 'DATE')}::BIGINT - ({coding.low - 1}))"
    elif coding.low > -(2**63):
        number = f"({column}::BIGINT - ({coding.low - 1}))"
    else:
        number = f"({column}::BIGINT - ({coding.low}) + 1)"
    return f"coalesce({number}, 0)" if nullable else f"({number})"
