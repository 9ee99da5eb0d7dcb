"""What a column looks like before and after a release."""

from datetime import date
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from noiseless.arrays import FloatArray, IntArray
from noiseless.display import counted
from noiseless.domain import ColumnSummary
from noiseless.releases.changes import ColumnChange
from noiseless.releases.results import Release
from noiseless.reports.release_rows import change_text
from noiseless.studio.roles import BARS
from noiseless.tables.canonical import canonical
from noiseless.tables.duckdb_table import DuckDBTable
from noiseless.tables.engine import SOURCE, identifiers
from noiseless.tables.profile import equal_parts, histogram

PARTS = 40
"""Of a line."""
SHOWN = 10
"""Rows, where somebody asks to see some."""

_NUMBER, _DAY = r"-?\d+(?:\.\d+)?", r"\d{4}-\d{2}-\d{2}"
_SPANS = {
    rf"^(?P<first>{_DAY})(?: to (?P<last>{_DAY}))?$": pa.date32(),
    rf"^(?P<first>{_NUMBER})(?: to (?P<last>{_NUMBER}))?$": pa.float64(),
    rf"^(?P<first>{_NUMBER})-(?P<last>\d+(?:\.\d+)?)$": pa.float64(),
    rf"^\[(?P<first>{_NUMBER}), (?P<last>{_NUMBER})\)$": pa.float64(),
}
"""How days, numbers and intervals of them are written."""


def before_and_after(change: ColumnChange, before: dict[str, Any], released: pa.Table) -> dict[str, Any]:
    """A column in the table and in its release: on one line where its values lie on one, else by frequency.

    No value of the table is in it but the ends of numbers and days.

    Args:
        change: what the release did to it.
        before: how its values are spread in the table.
        released: what it reads then, and in how many rows.
    """
    texts, rows = (released.column(name).combine_chunks() for name in ("text", "rows"))
    most = pc.select_k_unstable(released, BARS, [("rows", "descending"), ("text", "ascending")])
    shown = released.take(most).to_pylist()
    found = {
        "name": change.name,
        "worst": worst_change(change),
        "distinct": len(texts),
        "values": [{"value": one["text"], "rows": one["rows"]} for one in shown],
    }
    line = before["line"]
    if line is None:
        return found | before
    low, high = (_at(line[end]) for end in ("low", "high"))
    after = evenly(texts, rows.to_numpy(), low, high, PARTS)
    ends = {end: str(line[end]) for end in ("low", "high")}
    return found | {"line": line | ends | after}


def spread_before(table: DuckDBTable, column: ColumnSummary) -> dict[str, Any]:
    """How the values of a column are spread in the table: on a line, or by frequency."""
    low, high = column.low, column.high
    if low is None or high is None or _at(low) >= _at(high):
        return {"before": histogram(table, column, BARS), "line": None}
    return {"line": {"low": low, "high": high, "before": equal_parts(table, column, PARTS)}}


def rows_before_and_after(table: DuckDBTable, release: Release) -> dict[str, Any]:
    """The first rows of a table as they are and as they are released, as texts."""
    from noiseless.releases.application import apply_release

    names = release.request.public
    before = table.arrow(f"SELECT {identifiers(names)} FROM {SOURCE} LIMIT {SHOWN}")
    after = apply_release(before, release, keep_order=True).table
    found = (
        zip(*(canonical(one.column(name)).to_pylist() for name in names), strict=True)
        for one in (before, after)
    )
    return {
        "columns": list(names),
        "rows": [{"before": list(was), "after": list(now)} for was, now in zip(*found, strict=True)],
    }


def worst_change(change: ColumnChange) -> str:
    """The worst that a release does to a value of a column, in words."""
    if change.changed_rows == 0:
        return "none"
    if change.largest is not None:
        return change_text(change.largest, change.kind)
    return f"{counted(change.most_alike, 'values')} as one" if change.most_alike > 1 else "*"


def evenly(texts: pa.Array, rows: IntArray, low: float, high: float, parts: int) -> dict[str, Any]:
    """How released numbers, days and intervals of them lie on a line, each interval spread evenly.

    >>> evenly(pa.array(["0-4", "5", "*"]), np.array([8, 3, 1]), 0, 8, 4)
    {'after': [4.0, 4.0, 3.0, 0.0], 'elsewhere': 1}
    """
    ends = read_spans(texts)
    lies = np.isfinite(ends[0])
    begin, end = np.clip((ends[:, lies] - low) / ((high - low) / parts), 0, parts)
    held, wide = rows[lies], end > begin
    places = np.minimum(begin[~wide].astype(int), parts - 1)
    found = np.bincount(places, weights=held[~wide], minlength=parts).astype(float)
    begin, end, held = begin[wide], end[wide], held[wide]
    for part in range(parts):
        shared = np.minimum(end, part + 1) - np.maximum(begin, part)
        found[part] += (held * np.maximum(shared, 0) / (end - begin)).sum()
    return {"after": found.tolist(), "elsewhere": int(rows[~lies].sum())}


def read_spans(texts: pa.Array) -> FloatArray:
    """The ends of what is released for numbers or days, in two rows; nan for other texts.

    >>> read_spans(pa.array(["35-39", "-3 to 5", "[0.5, 1)", "7", "*"])).tolist()
    [[35.0, -3.0, 0.5, 7.0, nan], [39.0, 5.0, 1.0, 7.0, nan]]
    """
    found = np.full((2, len(texts)), np.nan)
    for form, kind in _SPANS.items():
        parts = pc.extract_regex(texts, form)
        here = pc.is_valid(parts)
        where = here.to_numpy(zero_copy_only=False)
        first, last = (part.filter(here) for part in parts.flatten())
        last = pc.if_else(pc.equal(last, ""), first, last)
        for end, said in zip(found, (first, last), strict=True):
            end[where] = _places(said.cast(kind))
    return found


def _places(values: pa.Array) -> FloatArray:
    """Where numbers or days lie on their line."""
    if pa.types.is_date(values.type):
        return np.asarray(values.cast(pa.int32()).to_numpy(), float) + date(1970, 1, 1).toordinal()
    return np.asarray(values.to_numpy(), float)


def _at(value: int | Decimal | date) -> float:
    return float(value.toordinal() if isinstance(value, date) else value)
