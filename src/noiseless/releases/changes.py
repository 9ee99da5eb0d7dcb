"""What a release did to each public column."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from noiseless.arrays import BoolArray, IntArray
from noiseless.display import counted, html_table, time_span
from noiseless.releases.codewords import Codewords
from noiseless.releases.columns import Kind, PublicColumn
from noiseless.releases.partition import MeasuredPartition
from noiseless.search.generalisation import SUPPRESSED
from noiseless.search.loss import Length
from noiseless.tables.coding import narrow
from noiseless.tables.kernels import run_starts


@dataclass(frozen=True)
class Example:
    """What became of some values of a column.

    Attributes:
        released: what is released, as text; None for a missing value.
        values: original values that read so (some of them, ascending), as text; None for a missing value.
        more: how many others do.
    """

    released: str | None
    values: tuple[str | None, ...]
    more: int = 0

    def to_dict(self) -> dict[str, Any]:
        """As it is in JSON."""
        return {"released": self.released, "values": list(self.values), "more": self.more}

    def __str__(self) -> str:
        more = f" and {self.more:,} more" if self.more else ""
        return f"{', '.join(map(_shown, self.values))}{more} -> {_shown(self.released)}"


@dataclass(frozen=True, repr=False)
class ColumnChange:
    """What a release did to one public column.

    Attributes:
        name: the column.
        kind: `number`, `date`, `category` or `hierarchy`.
        before: how many different values it had.
        after: how many different values are released.
        changed_rows: in how many rows it reads otherwise.
        largest: the largest change of a number that is released, None for other kinds.
        mean: the mean change over the rows, None for other kinds.
        examples: what became of some values.
        level: the level of its hierarchy that all values are on; None where each cell has its own.
        most_alike: how many different values read alike at most; suppressed ones are not counted.
    """

    name: str
    kind: Kind
    before: int
    after: int
    changed_rows: int
    largest: Fraction | None
    mean: Fraction | None
    examples: tuple[Example, ...]
    level: int | None = None
    most_alike: int = 1

    def to_dict(self) -> dict[str, Any]:
        """As it is in JSON."""
        return {
            "name": self.name,
            "kind": self.kind,
            "level": self.level,
            "before": self.before,
            "after": self.after,
            "changed_rows": self.changed_rows,
            "largest": None if self.largest is None else float(self.largest),
            "mean": None if self.mean is None else float(self.mean),
            "examples": [example.to_dict() for example in self.examples],
        }

    def __repr__(self) -> str:
        told = [f"{self.kind}, {self.before:,} -> {counted(self.after, 'values')}"]
        told += [f"{counted(self.changed_rows, 'rows')} changed", *self._moved]
        return f"ColumnChange({self.name!r}: {', '.join(told)})"

    def _repr_html_(self) -> str:
        rows = {
            "kind": self.kind,
            "different values": f"{self.before:,} -> {self.after:,}",
            "rows changed": f"{self.changed_rows:,}",
            "how far": ", ".join(self._moved),
            "for example": "; ".join(map(str, self.examples)),
        }
        return html_table(self.name, {name: text for name, text in rows.items() if text})

    @property
    def suppressed(self) -> bool:
        """Whether it reads `*` in every row."""
        return self.after == 1 and any(example.released == SUPPRESSED for example in self.examples)

    @property
    def _moved(self) -> list[str]:
        """How far values were moved; nothing for what has no distance."""
        changes = {"by up to": self.largest, "on average": self.mean}
        spans = {
            how: time_span(x) if self.kind == "date" else (x, "")
            for how, x in changes.items()
            if x is not None
        }
        return [f"{how} {Length(amount)} {unit}".strip() for how, (amount, unit) in spans.items()]


def _shown(text: str | None) -> str:
    return "(missing)" if text is None else text


_EXAMPLES, _VALUES = 3, 6


def column_changes(measured: MeasuredPartition) -> tuple[ColumnChange, ...]:
    """What became of each public column."""
    read = measured.read
    return tuple(_change(measured, c, w) for c, w in zip(read.public.columns, read.words, strict=True))


def _change(measured: MeasuredPartition, column: PublicColumn, word: Codewords) -> ColumnChange:
    read, rows = measured.read, np.asarray(measured.source.public.counts)
    ranks, words = _numbered(word)
    seen = narrow(ranks, len(words))[read.cell_of]
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
        column.level,
        _most_alike(column, seen, read.hidden),
    )


def _most_alike(column: PublicColumn, seen: IntArray, hidden: BoolArray) -> int:
    if hidden.any():
        column, seen = replace(column, codes=column.codes[~hidden]), seen[~hidden]
    owners, _ = _pairs(column, seen)
    return int(np.bincount(owners).max(initial=1)) if len(owners) else 1


def _pairs(column: PublicColumn, seen: IntArray) -> tuple[IntArray, IntArray]:
    """The different pairs of a released text and a value that reads so."""
    keys = seen.astype(np.int64)
    keys *= len(column.texts)
    keys += column.codes
    keys.sort()
    owners, values = np.divmod(keys[run_starts(keys)], len(column.texts))
    return owners, values


def _total(gaps: npt.NDArray[Any], rows: IntArray) -> int:
    bound = int(gaps.max(initial=0)) * int(rows.sum())
    wide = gaps.astype(np.int64 if bound < 2**62 and gaps.dtype != object else object)
    return int((wide * rows).sum()) if len(gaps) else 0


def _numbered(word: Codewords) -> tuple[IntArray, pa.Array]:
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
    owners, values = _pairs(column, seen)
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
