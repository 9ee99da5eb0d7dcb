"""Packing whole numbers that are already in memory, without a trip through the engine."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from noiseless.tables.coding import IntArray, IntegerCoding, whole_type
from noiseless.tables.kernels import add_multiple
from noiseless.tables.tally import Tally, Word, split_into_words


def tally_in_memory(data: pa.Table, columns: Sequence[str]) -> Tally | None:
    """The tally of columns of whole numbers without missing values; None when some are of another kind."""
    chosen = [data.column(name) for name in columns]
    if any(not pt.is_integer(c.type) or pt.is_uint64(c.type) or c.null_count for c in chosen) or not len(
        data
    ):
        return None
    codings = [_coding(name, column) for name, column in zip(columns, chosen, strict=True)]
    layout = split_into_words([coding.size for coding in codings], len(data))
    if layout is None:
        return None
    return Tally.from_words(
        [
            Word(
                tuple(codings[i] for i in word), _keys([codings[i] for i in word], [chosen[i] for i in word])
            )
            for word in layout
        ]
    )


def _coding(name: str, column: pa.ChunkedArray) -> IntegerCoding:
    ends = pc.min_max(column).as_py()
    return IntegerCoding(name, ends["min"], ends["max"] - ends["min"] + 2, column.type)


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
