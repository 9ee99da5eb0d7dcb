"""Checking values against declared domains, inside the engine; they are counted, never shown."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from noiseless.domain import CategoryColumn, Column, DateColumn, NumberColumn, Schema
from noiseless.errors import ColumnError, DomainError
from noiseless.tables.engine import SOURCE, identifier, literal
from noiseless.tables.row_keys import INTEGERS

if TYPE_CHECKING:
    from noiseless.tables.duckdb_table import DuckDBTable


_BITS = {"FLOAT": 24, "DOUBLE": 53}
"""How many bits of a number each floating-point type holds."""

_DIGITS_OF_A_DOUBLE = 15
"""Decimal numbers of this many digits have a double each."""

_CANONICAL = r"0|-?[1-9][0-9]*|-?(0|[1-9][0-9]*)\.[0-9]*[1-9]"
"""Numbers of which no two spellings mean the same."""


class _Reading(NamedTuple):
    """How a column is read into its domain, as SQL.

    Attributes:
        value: the value, null when it is of another kind altogether.
        inside: whether the value is in the domain.
        nearest: the nearest value of the domain; null where nearness has no meaning.
    """

    value: str
    inside: str
    nearest: str


def conforming(table: "DuckDBTable", schema: Schema, columns: Sequence[str], *, clamp: bool) -> str:
    """The query that reads `columns` into their declared domains.

    Raises:
        DomainError: a column has values outside its domain that may not, or cannot, be clamped.
    """
    refuse_strangers(count_strangers(table, schema, columns, clamp=clamp), schema, clamp=clamp)
    parts = []
    for name, reading in _readings(table, schema, columns).items():
        value = f"CASE WHEN {reading.inside} THEN {reading.value} ELSE {reading.nearest} END"
        parts.append(f"coalesce({value}, {_constant(schema.columns[name].missing)}) AS {identifier(name)}")
    return f"SELECT * REPLACE ({', '.join(parts)}) FROM {SOURCE}" if parts else f"SELECT * FROM {SOURCE}"


def count_strangers(
    table: "DuckDBTable", schema: Schema, columns: Sequence[str], *, clamp: bool
) -> dict[str, int]:
    """How many values of each column lie outside its domain (and cannot be clamped, if that is asked for)."""
    readings = _readings(table, schema, columns)
    if not readings:
        return {}
    counts = [
        table.counted(
            f"{identifier(name)} IS NOT NULL AND NOT coalesce({_accepted(reading, clamp=clamp)}, false)"
        )
        for name, reading in readings.items()
    ]
    numbers = table.fetch(f"SELECT {', '.join(counts)} FROM {SOURCE}")[0]
    return dict(zip(readings, map(int, numbers), strict=True))


def _readings(table: "DuckDBTable", schema: Schema, columns: Sequence[str]) -> dict[str, _Reading]:
    return {c: _reading(identifier(c), table.kinds[c], schema.columns[c]) for c in columns}


def refuse_strangers(counts: Mapping[str, int], schema: Schema, *, clamp: bool) -> None:
    """Refuse a table of which some columns have values outside their domains.

    Raises:
        DomainError: the first one of them.
    """
    for name, count in counts.items():
        if count:
            column = schema.columns[name]
            raise DomainError(name, count, column.describe(), _remedy(column, clamp=clamp))


def _remedy(column: Column, *, clamp: bool) -> str:
    if isinstance(column, CategoryColumn):
        return "add them to the schema's categories, or mend the data"
    if clamp:
        return "they are of another kind; mend the data"
    return "declare wider bounds or a finer step, or pass --clamp to move them to the nearest value"


def _accepted(reading: _Reading, *, clamp: bool) -> str:
    return f"({reading.inside} OR {reading.nearest} IS NOT NULL)" if clamp else reading.inside


def _reading(quoted: str, kind: str, column: Column) -> _Reading:
    if isinstance(column, NumberColumn):
        is_exact = kind.startswith("DECIMAL") or kind in INTEGERS
        return (_read_exact if is_exact else _read_double)(quoted, kind, column)
    if isinstance(column, DateColumn):
        return _read_date(quoted, kind, column)
    if isinstance(column, CategoryColumn):
        text = f"{quoted}::VARCHAR"
        known = ", ".join(literal(str(category)) for category in column.categories)
        return _Reading(text, f"{text} IN ({known})", "NULL")
    return _read_boolean(quoted, kind)


def _read_boolean(quoted: str, kind: str) -> _Reading:
    if kind == "BOOLEAN":
        return _Reading(quoted, f"{quoted} IS NOT NULL", "NULL")
    if kind == "VARCHAR":
        return _Reading(f"({quoted} = 'true')", f"{quoted} IN ('true', 'false')", "NULL")
    return _Reading("NULL::BOOLEAN", "false", "NULL")


def _read_exact(quoted: str, kind: str, column: NumberColumn) -> _Reading:
    """Whole and decimal numbers in whole units: 128-bit integers, nothing rounded."""
    low, high, step, scale = column.low_units, column.high_units, column.step_units, column.scale
    units = f"({quoted}::{'HUGEINT' if kind in INTEGERS else kind} * {scale})"
    whole = f"{units}::HUGEINT"
    inside = f"({units} = {whole} AND {whole} BETWEEN {low} AND {high} AND ({whole} - ({low})) % {step} = 0)"
    ended = _between(whole, str(low), str(high))
    point = f"(({low}) + (({ended}) - ({low}) + {step // 2}) // {step} * {step})"
    if scale == 1 and kind in INTEGERS:
        fits = low >= -(2**63) and high < 2**63
        cast = "BIGINT" if fits else "HUGEINT"
        return _Reading(f"{quoted}::{cast}", inside, f"({point})::{cast}")
    _require_apart(quoted, "DOUBLE", column)
    return _Reading(f"{quoted}::DOUBLE", inside, f"({point})::DOUBLE / {scale}")


def _read_double(quoted: str, kind: str, column: NumberColumn) -> _Reading:
    """A double stands for the lattice point whose nearest double it is; a text must be canonical."""
    low, high, step, scale = column.low_units, column.high_units, column.step_units, column.scale
    _require_apart(quoted, kind, column)
    value = f"TRY_CAST({quoted} AS DOUBLE)"
    point = f"((({low}) + round(({value} * {scale} - ({low})) / {step}) * {step}) / {scale}::DOUBLE)"
    written = point if kind != "FLOAT" else f"{point}::FLOAT::DOUBLE"
    ends = f"({low})::DOUBLE / {scale}", f"({high})::DOUBLE / {scale}"
    inside = f"({value} = {written} AND {point} BETWEEN {ends[0]} AND {ends[1]})"
    if kind == "VARCHAR":
        digits = f"length(regexp_replace({quoted}, '[^0-9]', '', 'g')) <= {_DIGITS_OF_A_DOUBLE}"
        inside = f"({inside} AND regexp_full_match({quoted}, '{_CANONICAL}') AND {digits})"
    return _Reading(point, inside, _between(point, *ends))


def _require_apart(quoted: str, kind: str, column: NumberColumn) -> None:
    """Refuse a domain two values of which may be one floating-point number.

    Numbers of n bits hold all whole numbers up to 2^n; decimals of k units are a k-th part of themselves
    apart, which is further than neighbouring numbers of n bits are while k is below 2^(n-1).
    """
    bits = _BITS.get(kind, _BITS["DOUBLE"])
    largest = max(-column.low_units, column.high_units)
    if largest > 2**bits if column.scale == 1 else largest >= 2 ** (bits - 1):
        problem = f"may hold {column.describe()}, which floating-point numbers of {bits} bits cannot tell"
        name = quoted.strip('"').replace('""', '"')
        raise ColumnError(name, f"{problem} apart; declare a coarser step or narrower bounds")


def _read_date(quoted: str, kind: str, column: DateColumn) -> _Reading:
    """A day; a moment stands for its day only at midnight, a text only when written as 2024-12-31."""
    first, last = (f"DATE '{day}'" for day in column.bounds)
    value = f"TRY_CAST({quoted} AS DATE)"
    same = {"DATE": "true", "VARCHAR": f"{value}::VARCHAR = {quoted}"}.get(
        kind, f"TRY_CAST({value} AS TIMESTAMP) = TRY_CAST({quoted} AS TIMESTAMP)"
    )
    inside = f"({value} BETWEEN {first} AND {last} AND ({value} - {first}) % {column.step} = 0 AND {same})"
    point = f"{first} + (round(({value} - {first}) / {column.step}) * {column.step})::INTEGER"
    return _Reading(value, inside, _between(point, first, last))


def _between(point: str, low: str, high: str) -> str:
    """A value moved between two ends; null stays null, which `least` and `greatest` would not see."""
    return f"CASE WHEN {point} < {low} THEN {low} WHEN {point} > {high} THEN {high} ELSE {point} END"


def _constant(value: object) -> str:
    """What a missing value counts as, in SQL."""
    return "NULL" if value is None else literal(str(value)) if isinstance(value, str) else f"'{value}'"
