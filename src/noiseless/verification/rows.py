"""The distinct rows of a table as canonical texts, the same from any file and engine, and their digest."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from noiseless.arrays import IntArray
from noiseless.tables import Table, Tally
from noiseless.tables.plain_spelling import plain_spelling
from noiseless.verification.plain_tables import compact_json, plain_digits, shortest_decimal


def canonical_texts(values: pa.Array) -> pa.Array:
    """The texts of some values of one column; missing stays missing.

    >>> canonical_texts(pa.array([5.0, 0.1, 1e21, -0.0, None])).to_pylist()
    ['5', '0.1', '1000000000000000000000', '0', None]
    >>> canonical_texts(pa.array([True, None])).to_pylist()
    ['true', None]
    """
    for is_of_kind, texts in _KINDS:
        if is_of_kind(values.type):
            return texts(values)
    return values.cast(pa.large_string())  # whole numbers and texts


def _each(values: pa.Array, text: Callable[[Any], str]) -> pa.Array:
    return pa.array(
        [None if value is None else text(value) for value in values.to_pylist()], pa.large_string()
    )


def _temporal(values: pa.Array) -> pa.Array:
    """Days, moments and times of the day as ISO 8601 has them, with a space for the T."""
    kind = values.type
    if pt.is_timestamp(kind):
        naive = values.cast(pa.timestamp(kind.unit))  # moments with a time zone become those of UTC
        suffix = "" if kind.tz is None else "+00"
        return _from_numpy(naive, suffix)
    if pt.is_date(kind):
        return _from_numpy(values, "")
    if pt.is_time(kind):
        wide = pa.int32() if pt.is_time32(kind) else pa.int64()
        moments = values.cast(wide).cast(pa.int64()).cast(pa.timestamp(kind.unit))
        texts = _from_numpy(moments, "")
        return pc.utf8_slice_codeunits(texts, len("1970-01-01 "))
    return values.cast(pa.large_string())


def _from_numpy(values: pa.Array, suffix: str) -> pa.Array:
    moments = values.drop_null().to_numpy(zero_copy_only=False)
    texts = iter([_moment(text) + suffix for text in np.datetime_as_string(moments).tolist()])
    present = values.is_valid().to_pylist()
    return pa.array([next(texts) if there else None for there in present], pa.large_string())


def _moment(text: str) -> str:
    """A moment as the engine writes it: a year in four digits, a fraction of a second where there is one."""
    text = text.replace("T", " ")
    if text.startswith("-"):  # a year before 0, of which numpy writes three digits
        year, rest = text[1:].split("-", 1)
        text = f"-{year:0>4}-{rest}"
    return text.rstrip("0").removesuffix(".") if "." in text else text


def _blob(value: bytes) -> str:
    r"""Bytes as the engine writes them: plain characters as they are, others as \xHH."""
    return "".join(
        chr(byte) if 32 <= byte <= 126 and chr(byte) not in "\\'\"" else f"\\x{byte:02X}"  # noqa: PLR2004 - printable ASCII
        for byte in value
    )


_KINDS: tuple[tuple[Callable[[pa.DataType], bool], Callable[[pa.Array], pa.Array]], ...] = (
    (pt.is_dictionary, lambda values: canonical_texts(values.dictionary_decode())),
    (pt.is_floating, lambda values: _each(values.cast(pa.float64()), shortest_decimal)),
    (pt.is_decimal, lambda values: _each(values, lambda value: plain_digits(f"{value:f}"))),
    (pt.is_boolean, lambda values: pc.if_else(values, "true", "false").cast(pa.large_string())),
    (pt.is_temporal, _temporal),
    (pt.is_binary, lambda values: _each(values, _blob)),
    (pt.is_large_binary, lambda values: _each(values, _blob)),
)


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
class DistinctRows:
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
    def read(cls, table: Table, columns: Sequence[str]) -> "DistinctRows":
        """The distinct rows of some columns of a table."""
        return cls.from_tally(table.tally(columns))

    @classmethod
    def from_tally(cls, tally: Tally) -> "DistinctRows":
        """The same from a tally."""
        texts, codes = {}, {}
        for column in tally.columns:
            coding, found = tally.coding(column), tally.codes(column)
            groups = numbered(found, coding.size)
            texts[column] = canonical_texts(coding.decode(found[groups.example]))
            codes[column] = groups.of
        return cls(texts, codes, tally.counts)

    def by_days(self, columns: Sequence[str]) -> "DistinctRows":
        """The same rows with days for moments in some columns, where all of a column are midnights."""
        texts = dict(self.texts)
        for column in columns:
            present = texts[column].drop_null()
            if len(present) and pc.all(pc.ends_with(present, _MIDNIGHT)).as_py():
                texts[column] = pc.utf8_slice_codeunits(texts[column], 0, -len(_MIDNIGHT))
        return DistinctRows(texts, self.codes, self.counts)

    def merged(self, columns: Sequence[str]) -> "DistinctRows":
        """The same rows with one value for all its spellings in some columns; rows may then be alike."""
        texts, codes = dict(self.texts), dict(self.codes)
        for column in columns:
            places: dict[str, int] = {}
            of = [
                places.setdefault(plain_spelling(text or ""), len(places))
                for text in self.texts[column].to_pylist()
            ]
            texts[column], codes[column] = pa.array(list(places)), np.array(of, np.int64)[self.codes[column]]
        return DistinctRows(texts, codes, self.counts)

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


_CHUNK = 2**18


def table_digest(rows: DistinctRows, columns: Sequence[str]) -> str:
    """SHA-256 over the columns' names and, in their order, the hashes of the distinct rows with their counts.

    A row is the JSON array of its canonical texts; its hash is the SHA-256 of that in UTF-8.
    """
    whole = sha256(f"{compact_json(list(columns))}\n".encode())
    hashes = _row_hashes(rows, columns)
    order = _sorted(hashes)
    for start in range(0, len(order), _CHUNK):
        chosen = order[start : start + _CHUNK]
        whole.update(_with_counts(hashes[chosen], rows.counts[chosen].astype(np.int64)))
    return f"sha256:{whole.hexdigest()}"


def _with_counts(hashes: npt.NDArray[np.uint8], counts: IntArray) -> bytes:
    """Each hash followed by its count in decimal digits and a line feed."""
    buffers = [None, pa.py_buffer(np.ascontiguousarray(hashes))]
    parts = pa.FixedSizeBinaryArray.from_buffers(pa.binary(32), len(counts), buffers).cast(pa.large_binary())
    digits = pa.array(counts).cast(pa.large_string()).cast(pa.large_binary())
    nothing, line_feed = (pa.scalar(end, pa.large_binary()) for end in (b"", b"\n"))
    lines = pc.binary_join_element_wise(parts, digits, line_feed, nothing)
    return bytes(lines.buffers()[2])


def _row_hashes(rows: DistinctRows, columns: Sequence[str]) -> npt.NDArray[np.uint8]:
    """The hash of each row, 32 bytes each."""
    quoted = [[compact_json(text) for text in rows.texts[column].to_pylist()] for column in columns]
    quoted[0] = [f"[{text}" for text in quoted[0]]
    quoted[-1] = [f"{text}]" for text in quoted[-1]]
    parts = [pa.array([text.encode() for text in texts], pa.large_binary()) for texts in quoted]
    comma = pa.scalar(b",", pa.large_binary())
    found = []
    for start in range(0, len(rows), _CHUNK):
        chosen = slice(start, start + _CHUNK)
        taken = [
            part.take(pa.array(rows.codes[column][chosen]))
            for part, column in zip(parts, columns, strict=True)
        ]
        lines = pc.binary_join_element_wise(*taken, comma).to_pylist()
        found.append(b"".join([sha256(line).digest() for line in lines]))
    return np.frombuffer(b"".join(found), np.uint8).reshape(-1, 32)


def _sorted(hashes: npt.NDArray[np.uint8]) -> IntArray:
    """The order of the hashes as bytes; the first eight of them nearly always decide."""
    words = hashes.view(">u8")
    leading = words[:, 0].astype(np.uint64)
    order = np.argsort(leading)
    if np.any(leading[order][1:] == leading[order][:-1]):
        order = np.lexsort([words[:, i].astype(np.uint64) for i in (3, 2, 1, 0)])
    return order
