"""The distinct rows of a table: columns as codes of canonical texts, and how often each row occurs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from noiseless.arrays import IntArray
from noiseless.tables import Table, Tally
from noiseless.verification.canonical import canonical_texts
from noiseless.verification.standalone import meant

_SLOTS, _SLOTS_A_KEY = 2**20, 8
"""Keys are numbered through one slot for each possible key up to this many slots; beyond, by sorting."""

_KEY_LIMIT = 2**62
_MIDNIGHT = " 00:00:00"


@dataclass(frozen=True, eq=False)
class Groups:
    """Rows put together by what they have in common.

    Attributes:
        of: the group of each row, numbered 0, 1, 2, ...
        example: a row of each group.
    """

    of: IntArray
    example: IntArray

    def __len__(self) -> int:
        return len(self.example)


@dataclass(frozen=True, eq=False)
class Rows:
    """Distinct rows.

    Attributes:
        texts: for each column the canonical texts of the values that occur, a missing value among them.
        codes: for each column the place of each row's value among these texts.
        counts: how often each row occurs.
    """

    texts: Mapping[str, pa.Array]
    codes: Mapping[str, IntArray]
    counts: IntArray

    @classmethod
    def read(cls, table: Table, columns: Sequence[str]) -> "Rows":
        """The distinct rows of some columns of a table."""
        return cls.from_tally(table.tally(columns))

    @classmethod
    def from_tally(cls, tally: Tally) -> "Rows":
        """The same from a tally."""
        texts, codes = {}, {}
        for column in tally.columns:
            coding, found = tally.coding(column), tally.codes(column)
            groups = numbered(found, coding.size)
            texts[column] = canonical_texts(coding.decode(found[groups.example]))
            codes[column] = groups.of
        return cls(texts, codes, tally.counts)

    def by_days(self, columns: Sequence[str]) -> "Rows":
        """The same rows with days for moments in some columns, where all of a column are midnights."""
        texts = dict(self.texts)
        for column in columns:
            present = texts[column].drop_null()
            if len(present) and pc.all(pc.ends_with(present, _MIDNIGHT)).as_py():
                texts[column] = pc.utf8_slice_codeunits(texts[column], 0, -len(_MIDNIGHT))
        return Rows(texts, self.codes, self.counts)

    def merged(self, columns: Sequence[str]) -> "Rows":
        """The same rows with one value for all its spellings in some columns; rows may then be alike."""
        texts, codes = dict(self.texts), dict(self.codes)
        for column in columns:
            places: dict[str, int] = {}
            of = [places.setdefault(meant(text), len(places)) for text in self.texts[column].to_pylist()]
            texts[column], codes[column] = pa.array(list(places)), np.array(of, np.int64)[self.codes[column]]
        return Rows(texts, codes, self.counts)

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def total(self) -> int:
        """How many rows the table has."""
        return int(self.counts.sum())

    def groups(self, columns: Sequence[str]) -> Groups:
        """Rows that agree in some columns; one group when there are none."""
        return combined([self.codes[c] for c in columns], [len(self.texts[c]) for c in columns], len(self))

    def tuples(self, columns: Sequence[str], rows: IntArray) -> list[tuple[str | None, ...]]:
        """The texts of some columns in some rows."""
        if not columns:
            return [()] * len(rows)
        chosen = [self.texts[c].take(pa.array(self.codes[c][rows])).to_pylist() for c in columns]
        return list(zip(*chosen, strict=True))


def combined(codes: Sequence[IntArray], sizes: Sequence[int], length: int) -> Groups:
    """Rows that agree in all of several codes."""
    keys, limit = np.zeros(length, np.int64), 1
    for code, size in zip(codes, sizes, strict=True):
        if limit * max(size, 1) >= _KEY_LIMIT:
            found = numbered(keys, limit)
            keys, limit = found.of, len(found)
        keys, limit = keys * size + code, limit * max(size, 1)
    return numbered(keys, limit)


def numbered(keys: IntArray, limit: int) -> Groups:
    """Equal keys as groups, in the order of the keys; all are below `limit`."""
    if limit <= max(_SLOTS, _SLOTS_A_KEY * len(keys)):
        slots = np.full(limit, -1, np.int64)
        slots[keys] = np.arange(len(keys))
        present = slots >= 0
        ranks = np.cumsum(present) - 1
        return Groups(ranks[keys], slots[present])
    _, example, of = np.unique(keys, return_index=True, return_inverse=True)
    return Groups(of.reshape(-1), example)
