"""How values come from PostgreSQL: as text that loses nothing, read into Arrow.

Rows are grouped by *keys* in which values that differ stay apart: numbers, days and moments as they are,
everything else as text compared byte by byte, whatever collation the column has. Only the keys of groups are
then turned into what is sent.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from noiseless.tables.sql import identifier

_MOST_DIGITS = 38
"""Decimals of more digits are compared as text."""

_NUMERIC = 1700
_ENDS_OF_DAYS = 2**31 - 1
_ENDS_OF_TIME = 2**63 - 1
"""How Arrow and DuckDB write infinity: the greatest whole number and its negative."""


class Wire(NamedTuple):
    """How a type is sent and read.

    Attributes:
        sql: what is sent, with {} for the key.
        read: the type in which it is read.
        type: the type it then gets.
    """

    sql: str
    read: pa.DataType
    type: pa.DataType


def _infinite(finite: str, end: int) -> str:
    """A day or moment as a whole number; {} is the key."""
    return (
        f"CASE WHEN isfinite({{0}}) THEN {finite}"
        f" WHEN {{0}} > 'epoch' THEN {end} WHEN {{0}} IS NOT NULL THEN -{end} END"
    )


_MOMENT = _infinite(
    "extract(epoch FROM date_trunc('second', {0}))::bigint * 1000000"
    " + extract(microseconds FROM {0})::bigint % 1000000",
    _ENDS_OF_TIME,
)
_WIRES = {  # by the types' numbers in pg_type, which never change
    16: Wire("{0}", pa.bool_(), pa.bool_()),
    20: Wire("{0}", pa.int64(), pa.int64()),
    21: Wire("{0}", pa.int16(), pa.int16()),
    23: Wire("{0}", pa.int32(), pa.int32()),
    26: Wire("{0}", pa.int64(), pa.int64()),  # oid
    700: Wire("{0}", pa.float32(), pa.float32()),
    701: Wire("{0}", pa.float64(), pa.float64()),
    1082: Wire(_infinite("{0} - DATE 'epoch'", _ENDS_OF_DAYS), pa.int32(), pa.date32()),
    1083: Wire("(extract(epoch FROM {0}) * 1000000)::bigint", pa.int64(), pa.time64("us")),
    1114: Wire(_MOMENT, pa.int64(), pa.timestamp("us")),
    1184: Wire(_MOMENT, pa.int64(), pa.timestamp("us", "UTC")),
    _NUMERIC: Wire("trim_scale(NULLIF({0}, 'NaN'))::text", pa.string(), pa.string()),
}
_TEXT = Wire("{0}", pa.string(), pa.string())


@dataclass(frozen=True)
class ServerColumn:
    """A column of a table on a server.

    Attributes:
        name: its name.
        oid: the number of its type, of a domain's base type.
        modifier: what the type is declared with, as the catalogue holds it; -1 for nothing.
    """

    name: str
    oid: int
    modifier: int = -1

    @property
    def key(self) -> str:
        """What rows are grouped by, as SQL."""
        name = identifier(self.name)
        return name if self.oid in _WIRES else f'{name}::text COLLATE "C"'

    @property
    def wire(self) -> Wire:
        """How its keys are sent."""
        return _WIRES.get(self.oid, _TEXT)

    def received(self, column: pa.ChunkedArray) -> pa.ChunkedArray:
        """What was sent, as values of the column's type."""
        if self.oid == _NUMERIC:
            return _decimals(column, self.modifier)
        return column if column.type == self.wire.type else column.cast(self.wire.type)


def _decimals(texts: pa.ChunkedArray, modifier: int) -> pa.ChunkedArray:
    """Decimal numbers of the declared digits, or of as many as they have; texts when those are too many."""
    if modifier >= 0:
        digits, places = (modifier - 4) >> 16 & 0xFFFF, (modifier - 4) & 0x7FF
        if places <= digits <= _MOST_DIGITS:  # places below zero have the eleventh bit set
            return texts.cast(pa.decimal128(digits, places))
    if pc.any(pc.match_substring(texts, "Infinity")).as_py():
        return texts
    plain = pc.replace_substring(texts, "-", "")
    point = pc.find_substring(plain, ".")
    length = pc.utf8_length(plain)
    whole = pc.if_else(pc.less(point, 0), length, point)
    places = _most(pc.if_else(pc.less(point, 0), 0, pc.subtract(pc.subtract(length, point), 1)))
    digits = max(1, _most(whole) + places)
    return texts if digits > _MOST_DIGITS else texts.cast(pa.decimal128(digits, places))


def _most(numbers: Any) -> int:  # noqa: ANN401 - Arrow ships no types
    return int(pc.max(numbers).as_py() or 0)
