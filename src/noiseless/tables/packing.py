"""One integer key a row: the SQL expression that packs several columns of whole numbers into 63 bits."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa

from noiseless.tables.coding import IntegerCoding
from noiseless.tables.sql import SOURCE, identifier

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


class Packed(NamedTuple):
    """A column's place among the keys.

    Attributes:
        coding: how its values are numbered.
        nullable: whether some value is missing, so that the key must look.
    """

    coding: IntegerCoding
    nullable: bool


def packed_columns(table: "DuckDBTable", columns: Sequence[str]) -> tuple[tuple[Packed, ...], int] | None:
    """How each column goes into a key, and how many rows there are; None unless all hold whole numbers.

    The facts it asks for stand in the metadata of a Parquet file.
    """
    kinds = table.kinds
    if any(kinds[c] not in _PACKABLE for c in columns):
        return None
    facts = ", ".join(
        f"{_number(f'min({q})', kinds[c])}, {_number(f'max({q})', kinds[c])}, count({q})"
        for c, q in zip(columns, map(identifier, columns), strict=True)
    )
    rows, *found = table.fetch(f"SELECT count(*), {facts} FROM {SOURCE}")[0]
    ends = zip(columns, found[::3], found[1::3], found[2::3], strict=True)
    return tuple(_packed(c, kinds[c], low, high, present < rows) for c, low, high, present in ends), rows


def _packed(column: str, kind: str, low: int | None, high: int | None, nullable: bool) -> Packed:
    first, last = (0, -1) if low is None or high is None else (int(low), int(high))
    return Packed(IntegerCoding(column, first, last - first + 2, _PACKABLE[kind]), nullable)


def _number(value: str, kind: str) -> str:
    """A value as a whole number, in SQL; days are counted from 1970 (and infinity is a day like others)."""
    return f"({value} - DATE '1970-01-01')" if kind == "DATE" else f"({value})"


def key(word: Sequence[Packed]) -> str:
    """The mixed-radix key as SQL, the last column varying fastest: a sum of codes times strides."""
    terms, stride = [], 1
    for coding, nullable in reversed(word):
        terms.append(f"{_code(coding, nullable=nullable)} * {stride}::BIGINT")
        stride *= coding.size
    return " + ".join(terms)


def _code(coding: IntegerCoding, *, nullable: bool) -> str:
    """A value's code as SQL; wide enough never to overflow, since the extent fits into a key."""
    column = identifier(coding.name)
    if pa.types.is_uint64(coding.type):
        number = f"({column}::HUGEINT - ({coding.low - 1}))::BIGINT"
    elif pa.types.is_date32(coding.type):
        number = f"({_number(column, 'DATE')}::BIGINT - ({coding.low - 1}))"
    elif coding.low > -(2**63):
        number = f"({column}::BIGINT - ({coding.low - 1}))"
    else:
        number = f"({column}::BIGINT - ({coding.low}) + 1)"
    return f"coalesce({number}, 0)" if nullable else f"({number})"
