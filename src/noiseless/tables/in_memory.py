"""Packing whole numbers that are already in memory, without a trip through the engine."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from noiseless.arrays import IntArray
from noiseless.tables.coding import IntegerCoding, whole_type
from noiseless.tables.kernels import add_multiple
from noiseless.tables.tally import Tally, Word, split_into_words

_LOWEST = -(2**63)


def tally_in_memory(data: pa.Table, columns: Sequence[str], weights: str | None = None) -> Tally | None:
    """The tally of whole numbers, dates and truth values; None when there is a column of another kind.

    Args:
        data: the rows.
        columns: those to tally.
        weights: the column that says how many rows each one stands for; each for itself unless said.
    """
    numbered: list[_Numbered] = []
    for name in columns:
        found = _numbered(name, data.column(name))
        if found is None:
            return None
        numbered.append(found)
    layout = split_into_words([column.coding.size for column in numbered], len(data))
    if layout is None:
        return None
    words = []
    for positions in layout:
        codings, numbers = zip(*(numbered[position] for position in positions), strict=True)
        words.append(Word(codings, _keys(codings, numbers)))
    if weights is None:
        return Tally.from_words(words)
    counts = data.column(weights).to_numpy()
    return Tally.from_words(words, counts.astype(whole_type(int(counts.sum()) + 1)))


class _Numbered(NamedTuple):
    """How the values of a column are numbered; and the values, a missing one just below the lowest."""

    coding: IntegerCoding
    numbers: pa.ChunkedArray


def _numbered(name: str, column: pa.ChunkedArray) -> _Numbered | None:
    """The values as whole numbers; None when they are none, or span more than codes do."""
    kind = column.type
    if pt.is_date32(kind):
        column = column.cast(pa.int32())
    elif pt.is_boolean(kind):
        column = column.cast(pa.int8())
    elif not pt.is_integer(kind) or pt.is_uint64(kind):
        return None
    low, high = (end.as_py() for end in pc.min_max(column).values())
    if low is None:
        return None
    if column.null_count:
        if low == _LOWEST:
            return None
        column = column.cast(pa.int64()).fill_null(low - 1)
    return _Numbered(IntegerCoding(name, low, high - low + 2, kind), column)


def _keys(codings: Sequence[IntegerCoding], columns: Sequence[pa.ChunkedArray]) -> IntArray:
    """Mixed-radix keys: a sum of values times strides, modulo 2**64, which the true key is far below."""
    strides = [1]
    for coding in reversed(codings[1:]):
        strides.insert(0, strides[0] * coding.size)
    shift = sum((1 - coding.low) * stride for coding, stride in zip(codings, strides, strict=True))
    keys = np.full(len(columns[0]), np.uint64(shift % 2**64).astype(np.int64))
    for column, stride in zip(columns, strides, strict=True):
        add_multiple(keys, column.to_numpy(), stride)
    return keys.astype(whole_type(strides[0] * codings[0].size), copy=False)
