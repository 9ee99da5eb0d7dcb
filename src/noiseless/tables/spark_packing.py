"""Narrow columns share whole numbers of 64 bits: Spark groups, shuffles and sends fewer columns.

Each column keeps all its bits, and one more where it can be missing. So packed rows are equal when and only
when the rows are, and nothing about the values needs to be known before.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from noiseless.tables.spark_frames import quoted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructField

_WORD = 64
_BITS = {"boolean": 1, "tinyint": 8, "smallint": 16, "int": 32, "date": 32}
"""How many bits the values of a type take."""

_TYPES = {
    "boolean": np.int8,
    "tinyint": np.int8,
    "smallint": np.int16,
    "int": np.int32,
    "date": np.int32,
}


class _Place(NamedTuple):
    """Where the bits of a value, or the one that says that it is missing, stand."""

    word: int
    shift: int
    bits: int


@dataclass(frozen=True)
class Packing:
    """Which columns of a frame share a word, and which stay as they are.

    Attributes:
        names: all columns, in order.
        kinds: the types of those that are packed.
        values: where their bits are.
        missing: where the bits are that say that a value is missing, of columns where one can be.
    """

    names: tuple[str, ...]
    kinds: dict[str, str]
    values: dict[str, _Place]
    missing: dict[str, _Place]

    @classmethod
    def of(cls, fields: Sequence["StructField"]) -> "Packing":
        """The packing of columns; none is packed unless there are fewer columns then."""
        names = tuple(field.name for field in fields)
        kinds = {f.name: kind for f in fields if (kind := f.dataType.simpleString()) in _BITS}
        widest_first = sorted(kinds, key=lambda name: -_BITS[kinds[name]])
        flagged = [field.name for field in fields if field.nullable and field.name in kinds]
        places = _fill([*(_BITS[kinds[name]] for name in widest_first), *(1 for _ in flagged)])
        found = cls(
            names,
            kinds,
            dict(zip(widest_first, places[: len(kinds)], strict=True)),
            dict(zip(flagged, places[len(kinds) :], strict=True)),
        )
        return found if found.words < len(kinds) else cls(names, {}, {}, {})

    @property
    def words(self) -> int:
        """How many words there are."""
        return 1 + max((p.word for p in (*self.values.values(), *self.missing.values())), default=-1)

    def packed(self, frame: "DataFrame") -> "DataFrame":
        """The same rows, as words w0, w1, ... and the columns that stay."""
        if not self.words:
            return frame
        parts: list[list[str]] = [[] for _ in range(self.words)]
        for name, place in self.values.items():
            parts[place.word].append(f"shiftleft({_bits(name, self.kinds[name])}, {place.shift})")
        for name, place in self.missing.items():
            parts[place.word].append(f"shiftleft(CAST({quoted(name)} IS NULL AS BIGINT), {place.shift})")
        words = [f"{' | '.join(part)} AS w{number}" for number, part in enumerate(parts)]
        return frame.selectExpr(*words, *(quoted(name) for name in self.names if name not in self.kinds))

    def unpacked(self, data: pa.Table) -> pa.Table:
        """The columns of collected rows in their order, and then the whole numbers added to them."""
        if not self.words:
            return data
        words = [data.column(number).to_numpy() for number in range(self.words)]
        used = [int(np.bitwise_or.reduce(word)) for word in words]
        columns = {name: data.column(name) for name in self.names if name not in self.kinds}
        added = data.column_names[self.words + len(columns) :]
        for name in added:  # copied: a column of a batch holds the whole batch in memory
            columns[name] = pa.array(data.column(name).to_numpy())
        for name, (word, shift, _) in self.values.items():
            flag = self.missing.get(name)
            absent = None
            if flag is not None and used[flag.word] >> flag.shift & 1:
                absent = (words[flag.word] >> flag.shift & 1).astype(bool)
            columns[name] = _column(words[word], shift, self.kinds[name], absent)
        return pa.table({name: columns[name] for name in (*self.names, *added)})


def _fill(sizes: Sequence[int]) -> list[_Place]:
    """A place for each number of bits: in the first word that has room."""
    filled: list[int] = []
    places = []
    for bits in sizes:
        word = next((n for n, used in enumerate(filled) if used + bits <= _WORD), len(filled))
        if word == len(filled):
            filled.append(0)
        places.append(_Place(word, filled[word], bits))
        filled[word] += bits
    return places


def _bits(name: str, kind: str) -> str:
    """The bits of a column's values as a whole number, in Spark's SQL; none where a value is missing."""
    number = f"unix_date({quoted(name)})" if kind == "date" else quoted(name)
    return f"coalesce(CAST({number} AS BIGINT) & {2 ** _BITS[kind] - 1}L, 0L)"


def _column(
    word: npt.NDArray[np.int64], shift: int, kind: str, absent: npt.NDArray[np.bool_] | None
) -> pa.Array:
    """The values whose bits begin at some place of each word."""
    narrow = np.empty(len(word), _TYPES[kind])
    np.right_shift(word, shift, out=narrow, casting="unsafe")  # drops the bits of other columns
    values = pa.array((narrow & 1).astype(bool) if kind == "boolean" else narrow, mask=absent)
    return values.view(pa.date32()) if kind == "date" else values
