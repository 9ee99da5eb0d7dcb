"""Columns of Arrow in types that the engine reads without losing anything, in the notation of their kind."""

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

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
