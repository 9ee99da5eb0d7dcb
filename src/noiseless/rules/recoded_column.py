"""A column's values as rules tell them: each distinct value once, exactly."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from noiseless.arrays import IntArray
from noiseless.errors import ColumnError, RequestError
from noiseless.exact import round_up
from noiseless.rules.base import Coarsening, NumberCoarsening
from noiseless.rules.counts import CensusCounts, MinCell
from noiseless.rules.exact_values import (
    Exact,
    as_column,
    as_moments,
    as_texts,
    exact_values,
    is_moment,
    placed,
    ticks,
    ticks_of_day,
)
from noiseless.rules.recoding import DatePeriod, Prefix
from noiseless.tables import Tally
from noiseless.tables.coding import Coding, encode
from noiseless.tables.kernels import add_by_code, ranked

_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")


def recode_values(column: str, rule: Coarsening, values: Sequence[Any], *, labels: bool) -> list[Any]:
    """What a rule tells of each value, the numbers among them ascending; missing ones stay missing.

    Args:
        column: what messages call the column.
        rule: the rule.
        values: the values.
        labels: texts that an earlier rule made of numbers stay as they are.

    Raises:
        ColumnError: the rule is not about such values.
    """
    numeric = isinstance(rule, NumberCoarsening)
    chosen = [
        place
        for place, value in enumerate(values)
        if value is not None and not (labels and numeric and isinstance(value, str))
    ]
    if numeric and _in_order(rule, [values[place] for place in chosen]):
        told = _told_by_runs(column, rule, [values[place] for place in chosen])
    else:
        told = _told_one_by_one(column, rule, [values[place] for place in chosen])
    found = list(values)
    for place, value in zip(chosen, told, strict=True):
        found[place] = value
    return found


def _in_order(rule: Coarsening, values: Sequence[Any]) -> bool:
    """Whether it is enough to look at the ends of a run: a rule about counts must see every fraction."""
    if any(isinstance(value, str) or hasattr(value, "toordinal") for value in values):
        return False
    return not isinstance(rule, MinCell | CensusCounts) or all(type(value) is int for value in values)


def _told_by_runs(column: str, rule: Coarsening, values: Sequence[Any]) -> list[Any]:
    """The rule keeps the order, so values between two that are told alike are told so too: halve and look.

    That tells 100,000 different values rounded to 1,000 a quarter of the time of asking for each.
    """
    told: list[Any] = [None] * len(values)
    if not values:
        return told
    first, last = _told_one_by_one(column, rule, [values[0], values[-1]])
    runs = [(0, first, len(values) - 1, last)]
    while runs:
        begin, low, end, high = runs.pop()
        if low == high:
            told[begin : end + 1] = [low] * (end + 1 - begin)
        elif end == begin + 1:
            told[begin], told[end] = low, high
        else:
            middle = (begin + end) // 2
            between = rule.told(values[middle])
            runs += [(begin, low, middle, between), (middle, between, end, high)]
    return told


def _told_one_by_one(column: str, rule: Coarsening, values: Sequence[Any]) -> list[Any]:
    found: list[Any] = []
    strange = 0
    for value in values:
        try:
            found.append(rule.told(value))
        except RequestError:
            strange += 1
    if strange:
        raise ColumnError(column, _unfit(rule, values, strange))
    return found


def _unfit(rule: Coarsening, values: Sequence[Any], strange: int) -> str:
    """Why a rule cannot tell some values, and how to mend it; none of them is shown."""
    texts = [value for value in values if isinstance(value, str)]
    if isinstance(rule, NumberCoarsening) and texts:
        if words := sum(not _NUMBER.fullmatch(text) for text in texts):
            why = f"{words:,} of its {len(texts):,} different values are not numbers"
            return f"is text: {why}; empty those that are missing, or leave {rule.text} out"
        why = "is text: its numbers are not all written alike (96, not 96.0 or 096)"
        return f"{why}, as {rule.text} needs; for codes such as postcodes take prefix:N"
    if isinstance(rule, DatePeriod) and texts:
        if words := sum(not is_moment(text) for text in texts):
            why = f"{words:,} of its {len(texts):,} different values are not dates"
            return f"is text: {why} as {rule.text} reads them; write 2020-12-31 or 2020-12-31 23:59:00"
        return f"has dates in several time zones; write all in one, as {rule.text} needs"
    if held := _other(rule, values):
        return held
    return f"has values that {rule.text} is not about, {strange:,} different; noiseless rules lists the rules"


def _other(rule: Coarsening, values: Sequence[Any]) -> str | None:
    """What a column holds altogether that a rule is not about, and what is."""
    if all(hasattr(value, "toordinal") for value in values):
        return f"holds dates, which {rule.text} is not about; publish them with date:year or date:month"
    if isinstance(rule, DatePeriod):
        return f"holds numbers, which {rule.text} is not about; publish them with round:B or top:T"
    if not isinstance(rule, NumberCoarsening):
        return f"holds numbers with a point, which {rule.text} is not about; give the column as text"
    return None


ColumnKind = Literal["number", "date", "text"]


@dataclass(frozen=True)
class RuleEffect:
    """What rules did to one public column.

    Attributes:
        column: the column.
        kind: what it holds: `number`, `date` or `text`.
        before: how many different values it had.
        after: how many different ones are told.
        changed_rows: in how many rows it reads otherwise.
        largest: the largest distance (in days, for dates) between a value and what is published for it; where
            a label is told, between a value and the middle of the values told alike. None for texts.
    """

    column: str
    kind: ColumnKind
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
class RecodedColumn:
    """A column of a tally as it is told: how its values are numbered, and the code in each combination."""

    coding: Coding
    codes: IntArray

    @classmethod
    def of(cls, tally: Tally, column: str) -> "RecodedColumn":
        """A column as it is."""
        return cls(tally.coding(column), tally.codes(column))

    def texts(self) -> tuple[list[str | None], IntArray]:
        """The distinct values as a text file has them, and which of them each combination has."""
        distinct, place = ranked(self.codes)
        return as_texts(self.coding.decode(distinct)), place

    def withheld(self, chosen: "np.ndarray[Any, np.dtype[np.bool_]]") -> "RecodedColumn":
        """The column, as texts, with `*` in the chosen combinations."""
        texts, place = self.texts()
        coding, codes = encode(self.coding.name, pa.chunked_array([pa.array([*texts, "*"], pa.string())]))
        return RecodedColumn(coding, np.where(chosen, codes[-1], codes[place]))


def recode(tally: Tally, column: str, rules: Sequence[Coarsening]) -> tuple[RecodedColumn, RuleEffect]:
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
        after = recode_values(column, rule, after, labels=labels and rule is not rules[0])
    coding, codes = encode(column, pa.chunked_array([as_column(after, raw.type)]))
    rows = add_by_code(place, tally.counts, len(distinct))
    changed = np.array([old != new for old, new in zip(before, after, strict=True)], bool)
    change = RuleEffect(
        column,
        kind="text" if pt.is_string(raw.type) else "date" if pt.is_temporal(raw.type) else "number",
        before=sum(value is not None for value in before),
        after=len(set(after) - {None}),
        changed_rows=int(rows[changed].sum()),
        largest=None if pt.is_string(raw.type) else _largest_change(raw, before, after),
    )
    return RecodedColumn(coding, codes[place]), change


def _largest_change(raw: pa.Array, before: Sequence[Any], after: Sequence[Any]) -> Fraction:
    """The largest distance of a value from its published one, or from the middle of those under one label."""
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
