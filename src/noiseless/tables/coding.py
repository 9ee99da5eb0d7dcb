"""Columns as codes: which type a column has, its distinct values in order, and the code of each row."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal
from uuid import uuid4

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from noiseless.tables.engine import SOURCE, identifier, identifiers

if TYPE_CHECKING:
    from noiseless.domain import ColumnSummary
    from noiseless.tables.duckdb_table import DuckDBTable


IntArray = npt.NDArray[np.signedinteger[Any]]
"""Whole numbers: 32 bits each where that is certainly enough (`whole_type`), else 64."""

_FEW_CODES, _CODES_A_ROW = 2**20, 4
"""Whole numbers that span more codes than this are ranked instead, so that codes stay small."""


def whole_type(limit: int) -> type[np.signedinteger[Any]]:
    """The type for whole numbers below `limit`: large arrays cost time and memory by the byte."""
    return np.int32 if limit < 2**31 else np.int64


def narrow(codes: IntArray, size: int) -> IntArray:
    """Codes below `size` in the narrowest type that holds them: for what is held long, and only looked up."""
    kinds = (np.int8, np.int16, np.int32, np.int64)
    return codes.astype(next(kind for kind in kinds if size - 1 <= np.iinfo(kind).max), copy=False)


@dataclass(frozen=True)
class IntegerCoding:
    """Whole numbers, truth values and dates: a code is the distance from the lowest value, plus one.

    Attributes:
        name: the column's name.
        low: the lowest value.
        size: how many codes there can be, the one for missing included.
        type: what the values are.
    """

    name: str
    low: int
    size: int
    type: pa.DataType

    def decode(self, codes: IntArray) -> pa.Array:
        """The values behind some codes; null for code 0."""
        shifted = codes.view(np.uint64) + np.uint64((self.low - 1) % 2**64)  # exact modulo 2**64
        numbers = shifted if pt.is_uint64(self.type) else shifted.view(np.int64)
        array = pa.array(numbers, mask=codes == 0)
        return (array.cast(pa.int32()) if pt.is_date32(self.type) else array).cast(self.type)


@dataclass(frozen=True, eq=False)
class DictionaryCoding:
    """Any other values: a value's code is its rank among the distinct values, plus one."""

    name: str
    values: pa.Array

    @property
    def size(self) -> int:
        """How many codes there can be, the one for missing included."""
        return len(self.values) + 1

    def decode(self, codes: IntArray) -> pa.Array:
        """The values behind some codes; null for code 0."""
        return self.values.take(pa.array(codes - 1, mask=codes == 0))


Coding = IntegerCoding | DictionaryCoding
"""How the values of one column are numbered: codes 1.. in the order of the values, 0 when missing."""


def encode(name: str, column: pa.ChunkedArray) -> tuple[Coding, IntArray]:
    """Number the values of one column that is already in memory."""
    if pt.is_integer(column.type) and not pt.is_uint64(column.type):
        return _encode_integers(name, column)
    return _encode_dictionary(name, column)


def _encode_integers(name: str, column: pa.ChunkedArray) -> tuple[Coding, IntArray]:
    import pyarrow.compute as pc

    extremes = pc.min_max(column).as_py()
    low, high = extremes["min"], extremes["max"]
    if low is None:
        return IntegerCoding(name, 0, 1, column.type), np.zeros(len(column), np.int64)
    if high - low > max(_FEW_CODES, _CODES_A_ROW * len(column)):
        return _encode_dictionary(name, column)
    filled = pc.fill_null(column.cast(pa.int64()), low)
    codes = filled.to_numpy() - low + 1
    if column.null_count:
        codes[pc.is_null(column).to_numpy()] = 0
    return IntegerCoding(name, low, high - low + 2, column.type), codes


def _encode_dictionary(name: str, column: pa.ChunkedArray) -> tuple[Coding, IntArray]:
    if not len(column):
        return DictionaryCoding(name, pa.array([], column.type)), np.empty(0, np.int64)
    import pyarrow.compute as pc

    encoded = column.dictionary_encode().combine_chunks()
    order = pc.array_sort_indices(encoded.dictionary)
    ranks = np.empty(len(order) + 1, np.int64)
    ranks[order.to_numpy()] = np.arange(1, len(order) + 1)
    ranks[-1] = 0  # where a null index points to
    codes = ranks[pc.fill_null(encoded.indices, -1).to_numpy()]
    return DictionaryCoding(name, encoded.dictionary.take(order)), codes


_PARTS_OF_A_SECOND = {"s": 0, "ms": 3, "us": 6, "ns": 9}
_DAY = 86_400


def readable(table: pa.Table) -> pa.Table:
    """The same values in types that the engine knows.

    >>> hours = pa.array([3600, 90061], pa.duration("s"))
    >>> readable(pa.table({"stay": hours})).column("stay").to_pylist()
    ['0 days 01:00:00', '1 days 01:01:01']
    """
    return pa.table([_readable(column) for column in table.columns], table.column_names)


def _readable(column: pa.ChunkedArray) -> pa.ChunkedArray:
    for is_of_kind, converted in _KINDS:
        if is_of_kind(column.type):
            return converted(column)
    return column


def _of_dictionary(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Categories, decoded; those that no row has are gone with it."""
    parts = [
        _readable(pa.chunked_array([chunk.dictionary])).combine_chunks().take(chunk.indices)
        for chunk in column.chunks
    ]
    return pa.chunked_array(parts) if parts else column.cast(column.type.value_type)


def _of_extension(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """What pandas and Arrow have built on other types: intervals, periods, and the like."""
    name, kind = column.type.extension_name, column.type
    storage = pa.chunked_array([chunk.storage for chunk in column.chunks], kind.storage_type)
    if name == "pandas.interval":
        left, right = "[("[kind.closed in ("right", "neither")], "])"[kind.closed in ("left", "neither")]
        return _written(storage, lambda ends: f"{left}{ends['left']}, {ends['right']}{right}")
    if name == "pandas.period":
        import pandas as pd

        return _written(storage, lambda ordinal: str(pd.Period(ordinal=ordinal, freq=kind.freq)))
    if name == "arrow.bool8":
        return storage.cast(pa.bool_())
    if name == "arrow.uuid":
        return column
    return _readable(storage)


def _written(column: pa.ChunkedArray, text: Callable[[Any], str]) -> pa.ChunkedArray:
    """Each value as a text; a missing one stays missing."""
    return pa.chunked_array([_texts(column.to_pylist(), text)])


def _texts(values: Sequence[Any], text: Callable[[Any], str]) -> pa.Array:
    known: dict[str, str] = {}
    found = []
    for value in values:
        key = repr(value)
        if value is not None and key not in known:
            known[key] = text(value)
        found.append(None if value is None else known[key])
    return pa.array(found, pa.string())


def _duration(ticks: int, digits: int) -> str:
    """A time that passes: days, hours, minutes and seconds."""
    seconds, part = divmod(abs(ticks), 10**digits)
    days, rest = divmod(seconds, _DAY)
    clock = f"{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}"
    fraction = f".{part:0{digits}}".rstrip("0") if part else ""
    return f"{'-' * (ticks < 0)}{days} days {clock}{fraction}"


def _durations(column: pa.ChunkedArray) -> pa.ChunkedArray:
    digits = _PARTS_OF_A_SECOND[column.type.unit]
    return _written(column.cast(pa.int64()), lambda ticks: _duration(ticks, digits))


def _decoded_runs(column: pa.ChunkedArray) -> pa.ChunkedArray:
    import pyarrow.compute as pc

    chunks = [pc.run_end_decode(chunk) for chunk in column.chunks]
    return _readable(pa.chunked_array(chunks, column.type.value_type))


_KINDS: tuple[tuple[Callable[[pa.DataType], bool], Callable[[pa.ChunkedArray], pa.ChunkedArray]], ...] = (
    (lambda kind: isinstance(kind, pa.BaseExtensionType), _of_extension),
    (pt.is_dictionary, _of_dictionary),
    (pt.is_run_end_encoded, _decoded_runs),
    (pt.is_duration, _durations),
    (pt.is_date64, lambda column: column.cast(pa.timestamp("ms"))),
    (pt.is_float16, lambda column: column.cast(pa.float32())),
    (pt.is_decimal256, lambda column: _written(column, "{:f}".format)),
    (pt.is_null, lambda column: column.cast(pa.string())),
)


_DIGITS_OF_A_DOUBLE = 15
_INTEGER = "regexp_full_match({0}, '0|-?[1-9][0-9]{{0,17}}')"
_DECIMAL = r"regexp_full_match({0}, '-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]{{1,2}})?')"
_SHORT = (
    f"CASE WHEN length({{0}}) <= {_DIGITS_OF_A_DOUBLE} THEN true"
    f" ELSE length(regexp_replace({{0}}, '[^0-9]', '', 'g')) <= {_DIGITS_OF_A_DOUBLE} END"
)
_ONE_SPELLING = "count(DISTINCT {0}) = count(DISTINCT TRY_CAST({0} AS DOUBLE))"
"""Whether no two texts stand for the same number: `1.5` and `1.50` can be told apart by a reader."""
_DATE = "regexp_full_match({0}, '[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}') AND TRY_CAST({0} AS DATE) IS NOT NULL"
_PRESENT = "FILTER ({0} IS NOT NULL)"
"""Empty fields must not be asked: null AND false is false."""
_FORMS = {
    "BIGINT": f"bool_and({_INTEGER}) {_PRESENT}",
    "DOUBLE": f"bool_and({_DECIMAL} AND {_SHORT}) {_PRESENT}",
    "DATE": f"bool_and({_DATE}) {_PRESENT}",
}
"""What each value of a type looks like, the best type first."""
_TESTS = {**_FORMS, "DOUBLE": f"{_FORMS['DOUBLE']} AND {_ONE_SPELLING}"}
"""What the values of a type have in common."""
_FIRST_ROWS = 2048
_BATCH = 20
"""Columns a query: planning takes more than twice as long for twice as many."""
_NAMED = 200
"""Columns that are looked at to find out whether names stand above them."""


def typed(table: "DuckDBTable", as_text: Collection[str] = (), *, in_place: bool = False) -> "DuckDBTable":
    """The same columns, held in the engine, each with the best type that fits all its values.

    Args:
        table: the columns as texts.
        as_text: columns that stay as they are written.
        in_place: whether types take the place of texts, which halves what is held; else texts are typed
            whenever they are read.
    """
    name = f"noiseless_text_{uuid4().hex}"
    table.keep(name)
    text = replace(table, query=f"SELECT * FROM {name}", textual=False)
    kinds: dict[str, str] = {}
    for start in range(0, len(text.columns), _BATCH):
        kinds |= _kinds(text, text.columns[start : start + _BATCH])
    kinds |= dict.fromkeys(as_text, "VARCHAR")
    if in_place:
        for column, kind in kinds.items():
            if kind != "VARCHAR":
                text.engine.rows(f"ALTER TABLE {name} ALTER {identifier(column)} TYPE {kind}")
        return replace(text, kinds=kinds)
    casts = ", ".join(f"{identifier(c)}::{kind} AS {identifier(c)}" for c, kind in kinds.items())
    return replace(text, query=text.over(f"SELECT {casts} FROM {SOURCE}"), kinds=kinds)


def typed_where_fits(table: "DuckDBTable", columns: Sequence[str]) -> "DuckDBTable":
    """Some columns of text with the best type that fits all their values, as in a CSV file."""
    kinds = {column: kind for column, kind in _kinds(table, columns).items() if kind != "VARCHAR"}
    if not kinds:
        return table
    casts = (
        f"{identifier(c)}::{kinds[c]} AS {identifier(c)}" if c in kinds else identifier(c)
        for c in table.kinds
    )
    return replace(
        table,
        query=table.over(f"SELECT {', '.join(casts)} FROM {SOURCE}"),
        kinds={**table.kinds, **kinds},
    )


def _kinds(text: "DuckDBTable", columns: Sequence[str]) -> dict[str, str]:
    """The type that each column's values allow: the first whose test no value fails.

    A test that fails on some rows fails on all: after the first rows few are left to ask of all. In the
    first rows only forms are looked at: telling spellings apart takes longer.
    """
    if not columns:
        return {}
    wanted = [(column, kind) for column in columns for kind in _FORMS]
    few = f"(SELECT {identifiers(columns)} FROM {SOURCE} LIMIT {_FIRST_ROWS})"
    left = [
        asked
        for asked, holds in zip(wanted, _ask(text, wanted, few, _FORMS), strict=True)
        if holds is not False
    ]
    kinds: dict[str, str] = {}
    while left:
        first = dict(reversed(left))  # of each column
        answers = _ask(text, list(first.items()), SOURCE, _TESTS)
        kinds |= {c: kind for (c, kind), holds in zip(first.items(), answers, strict=True) if holds}
        left = [(c, kind) for c, kind in left if c not in kinds and first[c] != kind]
    return {column: kinds.get(column, "VARCHAR") for column in columns}


def _ask(
    text: "DuckDBTable", wanted: Sequence[tuple[str, str]], rows: str, tests_of: Mapping[str, str]
) -> tuple[bool | None, ...]:
    """Whether all values of each column pass the test of a type; None when there is no value."""
    tests = ", ".join(tests_of[kind].format(identifier(column)) for column, kind in wanted)
    return text.fetch(f"SELECT {tests} FROM {rows}")[0]


_BLANKS = {"na", "n/a", "nan", "nil", "none", "null", "missing", "unknown", "inf", "true", "false"}
"""What stands in a column of numbers where there is none."""


def names_are_texts(table: "DuckDBTable") -> bool:
    """Whether a word stands above each column of a text file, and numbers or dates below one of them."""
    columns = table.columns[:_NAMED]
    if not all(re.search(r"[^\W\d_]", column) and column.casefold() not in _BLANKS for column in columns):
        return False
    return any(kind != "VARCHAR" for kind in _kinds(table, columns).values())


_FEW = 100
"""List the values of a text column up to this many."""

_MOST_DECIMALS = 9
_MOMENTS = ("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS")

Kind = Literal["integer", "decimal", "boolean", "date", "text"]


def summarise(table: "DuckDBTable") -> "tuple[ColumnSummary, ...]":
    """One summary a column."""
    return tuple(_summary(table, column, table.kinds[column]) for column in table.columns)


def _summary(table: "DuckDBTable", column: str, sql_type: str) -> "ColumnSummary":
    quoted, kind = identifier(column), _kind(sql_type)
    if (
        sql_type in _MOMENTS
        and table.fetch(f"SELECT bool_and({quoted} = {quoted}::DATE) FROM {SOURCE}")[0][0]
    ):
        quoted, kind = f"{quoted}::DATE", "date"
    ends = f"min({quoted}), max({quoted})" if kind in ("integer", "decimal", "date") else "NULL, NULL"
    facts = f"{table.counted(f'{quoted} IS NULL')}, count(DISTINCT {quoted}), {ends}"
    missing, distinct, low, high = table.fetch(f"SELECT {facts} FROM {SOURCE}")[0]
    decimals = _decimals(table, quoted) if kind == "decimal" and distinct else 0
    values = None
    if kind == "text" and 0 < distinct <= _FEW:
        listing = f"SELECT DISTINCT {quoted}::VARCHAR FROM {SOURCE} WHERE {quoted} IS NOT NULL ORDER BY 1"
        values = tuple(value for (value,) in table.fetch(listing))
    from noiseless.domain import ColumnSummary

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
