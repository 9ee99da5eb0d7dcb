"""What a column looks like before and after a release."""

import re
from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from noiseless.display import counted
from noiseless.domain import ColumnSummary
from noiseless.releases.changes import ColumnChange
from noiseless.search.loss import Length
from noiseless.studio.roles import BARS
from noiseless.tables.duckdb_table import DuckDBTable
from noiseless.tables.profile import equal_parts, histogram

PARTS = 40
"""Of a line."""

_NUMBER = r"-?\d+(?:\.\d+)?"
_DAY = r"\d{4}-\d{2}-\d{2}"
_SPANS = tuple(
    re.compile(form)
    for form in (
        rf"({_DAY})(?: to ({_DAY}))?",
        rf"({_NUMBER})(?: to ({_NUMBER})|-(\d+(?:\.\d+)?))?",
        rf"\[({_NUMBER}), ({_NUMBER})\)",
    )
)


def before_and_after(
    table: DuckDBTable, column: ColumnSummary, change: ColumnChange, released: pa.Table
) -> dict[str, Any]:
    """A column in the table and in its release: on one line where its values lie on one, else by frequency.

    No value of the table is in it but the ends of numbers and days.
    """
    counts = pc.value_counts(released.column(column.name)).to_pylist()
    texts = {None if one["values"] is None else str(one["values"]): one["counts"] for one in counts}
    ordered = sorted(texts.items(), key=lambda one: (-one[1], str(one[0])))
    found = {
        "name": column.name,
        "worst": worst_change(change),
        "distinct": len(texts),
        "values": [{"value": value, "rows": rows} for value, rows in ordered[:BARS]],
    }
    low, high = _at(column.low), _at(column.high)
    if low is None or high is None or low >= high:
        return found | {"before": histogram(table, column, BARS), "line": None}
    line = {
        "low": str(column.low),
        "high": str(column.high),
        "before": equal_parts(table, column, PARTS),
        **evenly(texts.items(), low, high, PARTS),
    }
    return found | {"line": line}


def worst_change(change: ColumnChange) -> str:
    """The worst that a release does to a value of a column, in words."""
    if change.changed_rows == 0:
        return "none"
    if change.largest is not None:
        return f"{Length(change.largest)}{' days' if change.kind == 'date' else ''}"
    return f"{counted(change.most_alike, 'values')} as one" if change.most_alike > 1 else "*"


def evenly(
    texts: Iterable[tuple[str | None, int]], low: float, high: float, parts: int
) -> dict[str, list[float] | int]:
    """How released numbers, days and intervals of them lie on a line, each interval spread evenly.

    >>> evenly([("0-4", 8), ("5", 3), ("*", 1)], 0, 8, 4)
    {'after': [4.0, 4.0, 3.0, 0.0], 'elsewhere': 1}
    """
    found, elsewhere = [0.0] * parts, 0
    width = (high - low) / parts
    for text, rows in texts:
        span = read_span(text)
        if span is None:
            elsewhere += rows
            continue
        begin, end = (min(max((x - low) / width, 0), parts) for x in span)
        if end <= begin:
            found[min(int(begin), parts - 1)] += rows
            continue
        for part in range(int(begin), min(int(end) + 1, parts)):
            share = (min(end, part + 1) - max(begin, part)) / (end - begin)
            found[part] += rows * max(share, 0)
    return {"after": found, "elsewhere": elsewhere}


def read_span(text: str | None) -> tuple[float, float] | None:
    """The ends of what is released for a number or a day; None for other texts.

    >>> read_span("35-39"), read_span("-3 to 5"), read_span("[0.5, 1)"), read_span("7"), read_span("*")
    ((35.0, 39.0), (-3.0, 5.0), (0.5, 1.0), (7.0, 7.0), None)
    """
    for form in _SPANS:
        match = form.fullmatch(text or "")
        if match:
            ends: Sequence[str] = [end for end in match.groups() if end is not None]
            places = [_at(date.fromisoformat(end) if re.fullmatch(_DAY, end) else float(end)) for end in ends]
            return (places[0] or 0.0, places[-1] or 0.0)
    return None


def _at(value: Any) -> float | None:  # noqa: ANN401 - the end of a column
    if isinstance(value, date):
        return float(value.toordinal())
    return None if value is None else float(value)
