"""A column's values as rules tell them: each distinct value once, exactly."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from noiseless.arrays import IntArray
from noiseless.exact import round_up
from noiseless.rules import Coarsening, DatePeriod, Prefix
from noiseless.rules.exact_columns import (
    Exact,
    as_column,
    as_moments,
    as_texts,
    exact_values,
    placed,
    ticks,
    ticks_of_day,
)
from noiseless.rules.told_values import tell_values
from noiseless.tables import Tally
from noiseless.tables.coding import Coding, encode
from noiseless.tables.kernels import add_by_code, distinct_values

Kind = Literal["number", "date", "text"]


@dataclass(frozen=True)
class Change:
    """What rules did to one public column.

    Attributes:
        column: the column.
        kind: what it holds: `number`, `date` or `text`.
        before: how many different values it had.
        after: how many different ones are told.
        changed_rows: in how many rows it reads otherwise.
        largest: the largest distance (in days, for dates) between a value and what is told for it; where a
            label is told, between a value and the middle of the values told alike. None for texts.
    """

    column: str
    kind: Kind
    before: int
    after: int
    changed_rows: int
    largest: Fraction | None

    def to_dict(self) -> dict[str, Any]:
        """As it is in JSON."""
        return {
            "column": self.column,
            "kind": self.kind,
            "values_before": self.before,
            "values_after": self.after,
            "changed_rows": self.changed_rows,
            "largest_change": None if self.largest is None else round_up(self.largest),
        }


@dataclass(frozen=True, eq=False)
class ToldColumn:
    """A column of a tally as it is told: how its values are numbered, and the code in each combination."""

    coding: Coding
    codes: IntArray

    @classmethod
    def of(cls, tally: Tally, column: str) -> "ToldColumn":
        """A column as it is."""
        return cls(tally.coding(column), tally.codes(column))

    def texts(self) -> tuple[list[str | None], IntArray]:
        """The distinct values as a text file has them, and which of them each combination has."""
        distinct, place = ranked(self.codes)
        return as_texts(self.coding.decode(distinct)), place

    def withheld(self, chosen: "np.ndarray[Any, np.dtype[np.bool_]]") -> "ToldColumn":
        """The column, as texts, with `*` in the chosen combinations."""
        texts, place = self.texts()
        coding, codes = encode(self.coding.name, pa.chunked_array([pa.array([*texts, "*"], pa.string())]))
        return ToldColumn(coding, np.where(chosen, codes[-1], codes[place]))


def ranked(codes: IntArray) -> tuple[IntArray, IntArray]:
    """The distinct codes (from 0 up), ascending, and the place of each code among them."""
    size = int(codes.max()) + 1 if len(codes) else 0
    if size <= 2 * len(codes):  # close together: a table of all codes is faster than sorting
        met = np.zeros(size, bool)
        met[codes] = True
        return np.flatnonzero(met), (np.cumsum(met) - 1)[codes]
    distinct = distinct_values(codes)
    return distinct.astype(np.int64, copy=False), np.searchsorted(distinct, codes)


def tell(tally: Tally, column: str, rules: Sequence[Coarsening]) -> tuple[ToldColumn, Change]:
    """A column of a tally as rules tell it, one after the other; missing values stay missing.

    Raises:
        ColumnError: a rule is not about such values.
    """
    distinct, place = ranked(tally.codes(column))
    raw = tally.coding(column).decode(distinct)
    if isinstance(rules[0], Prefix) and pt.is_integer(raw.type):  # postcodes that were read as numbers
        raw = raw.cast(pa.string())
    if isinstance(rules[0], DatePeriod) and pt.is_string(raw.type):  # dates with a time, which stay texts
        moments = as_moments(raw)
        raw = raw if moments is None else moments
    before = exact_values(column, raw)
    labels = not pt.is_string(raw.type)
    after = before
    for rule in rules:
        after = tell_values(column, rule, after, labels=labels and rule is not rules[0])
    coding, codes = encode(column, pa.chunked_array([as_column(after, raw.type)]))
    rows = add_by_code(place, tally.counts, len(distinct))
    changed = np.array([old != new for old, new in zip(before, after, strict=True)], bool)
    change = Change(
        column,
        kind="text" if pt.is_string(raw.type) else "date" if pt.is_temporal(raw.type) else "number",
        before=sum(value is not None for value in before),
        after=len(set(after) - {None}),
        changed_rows=int(rows[changed].sum()),
        largest=None if pt.is_string(raw.type) else _largest_change(raw, before, after),
    )
    return ToldColumn(coding, codes[place]), change


def _largest_change(raw: pa.Array, before: Sequence[Any], after: Sequence[Any]) -> Fraction:
    """The largest distance of a value from what is told, or from the middle of those told as one label."""
    moments = pt.is_timestamp(raw.type)
    ends: dict[Exact, tuple[Any, Any]] = {}  # the lowest and the highest value that are told so
    for old, new in zip(ticks(raw) if moments else before, after, strict=True):
        if old is not None:
            low, high = ends.get(new, (old, old))
            ends[new] = min(low, old), max(high, old)
    unit = ticks_of_day(raw.type) if moments else 1
    largest = Fraction(0)
    for new, (first, last) in ends.items():
        if first == last == new:
            continue
        low, high, told = _place(first) / unit, _place(last) / unit, placed(new)
        largest = max(largest, *((high - low) / 2,) if told is None else (abs(low - told), abs(high - told)))
    return largest


def _place(value: Exact) -> Fraction:
    """Where a number or a date lies."""
    place = placed(value)
    if place is None:
        raise TypeError(value)
    return place
