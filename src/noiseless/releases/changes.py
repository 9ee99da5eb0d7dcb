"""What a release did to each public column."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from noiseless.arrays import IntArray
from noiseless.releases.column_change import ColumnChange, Example
from noiseless.releases.columns import PublicColumn
from noiseless.releases.measuring import Measured
from noiseless.releases.words import Words
from noiseless.tables.kernels import distinct_values

_EXAMPLES, _VALUES = 3, 6


def column_changes(measured: Measured) -> tuple[ColumnChange, ...]:
    """What became of each public column."""
    read = measured.read
    return tuple(_change(measured, c, w) for c, w in zip(read.public.columns, read.words, strict=True))


def _change(measured: Measured, column: PublicColumn, word: Words) -> ColumnChange:
    read, rows = measured.read, np.asarray(measured.source.public.counts)
    ranks, words = _numbered(word)
    seen = ranks[read.cell_of]
    originals = _numbered_texts(column, words)
    changed = int(rows[originals[column.codes] != seen].sum())
    largest = mean = None
    if column.is_line:
        shown = ~read.hidden & (column.marks[column.codes] == 0)
        gaps, held = word.gaps[shown], rows[shown]
        largest = (int(gaps.max()) if len(gaps) else 0) * word.unit
        mean = _total(gaps, held) * word.unit / max(1, int(held.sum()))
    return ColumnChange(
        column.name,
        column.kind,
        len(column.texts),
        len(words),
        changed,
        largest,
        mean,
        _examples(column, seen, words, rows, originals),
    )


def _total(gaps: npt.NDArray[Any], rows: IntArray) -> int:
    bound = int(gaps.max(initial=0)) * int(rows.sum())
    wide = gaps if bound < 2**62 and gaps.dtype != object else gaps.astype(object)
    return int((wide * rows).sum()) if len(gaps) else 0


def _numbered(word: Words) -> tuple[IntArray, pa.Array]:
    """Which of the different texts each cell reads, and those texts."""
    encoded = word.texts.dictionary_encode(null_encoding="encode")
    return encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64), encoded.dictionary


def _numbered_texts(column: PublicColumn, words: pa.Array) -> IntArray:
    """Each original value's number among the released texts; -1 where it is none of them."""
    places = pc.fill_null(pc.index_in(column.texts, value_set=words), -1)
    return np.asarray(places.to_numpy(zero_copy_only=False), np.int64)


def _examples(
    column: PublicColumn, seen: IntArray, words: pa.Array, rows: IntArray, places: IntArray
) -> tuple[Example, ...]:
    """What became of most values: the texts that stand for the most rows, among those that change any."""
    pairs = distinct_values(seen * len(column.texts) + column.codes)
    owners, values = pairs // len(column.texts), pairs % len(column.texts)
    changed = np.bincount(owners, weights=places[values] != owners, minlength=len(words)) > 0
    held = np.bincount(seen, weights=rows, minlength=len(words))
    order = np.lexsort((np.arange(len(words)), -held, ~changed))[:_EXAMPLES]
    order = order[changed[order]] if changed.any() else order
    found = []
    for place in sorted(order.tolist()):
        members = values[owners == place]
        texts = column.texts.take(members[:_VALUES]).to_pylist()
        found.append(Example(words[place].as_py(), tuple(texts), max(0, len(members) - _VALUES)))
    return tuple(found)
