"""Columns as small integers: each distinct value of a column gets a code, 0 is kept for a missing value."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

IntArray = npt.NDArray[np.signedinteger[Any]]
"""Whole numbers: 32 bits each where that is certainly enough (`whole_type`), else 64."""

_FEW_CODES, _CODES_A_ROW = 2**20, 4
"""Whole numbers that span more codes than this are ranked instead, so that codes stay small."""


def whole_type(limit: int) -> type[np.signedinteger[Any]]:
    """The type for whole numbers below `limit`: large arrays cost time and memory by the byte."""
    return np.int32 if limit < 2**31 else np.int64


class Coding(Protocol):
    """How the values of one column are numbered: codes 1.. in the order of the values, 0 when missing."""

    @property
    def name(self) -> str:
        """The column's name."""

    @property
    def size(self) -> int:
        """How many codes there can be, the one for missing included."""

    @property
    def ordered(self) -> bool:
        """Whether the values are numbers, dates or truth values, so that their order means something."""

    def decode(self, codes: IntArray) -> pa.Array:
        """The values behind some codes; null for code 0."""


@dataclass(frozen=True)
class IntegerCoding:
    """Whole numbers, truth values and dates: a code is the distance from the lowest value, plus one."""

    name: str
    low: int
    size: int
    type: pa.DataType

    ordered = True

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
    ordered: bool

    @property
    def size(self) -> int:
        """How many codes there can be, the one for missing included."""
        return len(self.values) + 1

    def decode(self, codes: IntArray) -> pa.Array:
        """The values behind some codes; null for code 0."""
        return self.values.take(pa.array(codes - 1, mask=codes == 0))


def encode(name: str, column: pa.ChunkedArray) -> tuple[Coding, IntArray]:
    """Number the values of one column that is already in memory."""
    if pt.is_integer(column.type) and not pt.is_uint64(column.type):
        return _encode_integers(name, column)
    return _encode_dictionary(name, column)


def _encode_integers(name: str, column: pa.ChunkedArray) -> tuple[Coding, IntArray]:
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
        nothing = pa.array([], column.type)
        return DictionaryCoding(name, nothing, _is_ordered(column.type)), np.empty(0, np.int64)
    encoded = column.dictionary_encode().combine_chunks()
    order = pc.array_sort_indices(encoded.dictionary)
    ranks = np.empty(len(order) + 1, np.int64)
    ranks[order.to_numpy()] = np.arange(1, len(order) + 1)
    ranks[-1] = 0  # where a null index points to
    codes = ranks[pc.fill_null(encoded.indices, -1).to_numpy()]
    return DictionaryCoding(name, encoded.dictionary.take(order), _is_ordered(column.type)), codes


def _is_ordered(kind: pa.DataType) -> bool:
    tests = (pt.is_integer, pt.is_floating, pt.is_decimal, pt.is_temporal, pt.is_boolean)
    return any(test(kind) for test in tests)
