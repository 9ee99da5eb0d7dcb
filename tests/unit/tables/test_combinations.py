"""Tallies of frames and of groups with weights, beside a count of their rows by Python."""

import math
from collections import Counter
from collections.abc import Sequence
from datetime import date
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from noiseless.errors import UnknownColumnError
from noiseless.tables.base import Table
from noiseless.tables.duckdb_table import COUNT, weighted_table
from noiseless.tables.sources import open_table

COLUMNS: dict[str, tuple[pa.DataType, list[Any]]] = {
    "long": (pa.int64(), [-(2**63), -(2**62), -1, 5, 2**63 - 1]),
    "int": (pa.int32(), [-(2**31), -1, 0, 2**31 - 1]),
    "other": (pa.int32(), [-(2**31), 7, 2**31 - 1]),
    "small": (pa.int16(), [-3, -2, 9]),
    "day": (pa.date32(), [date(1, 1, 1), date(1969, 12, 31), date(9999, 12, 31)]),
    "truth": (pa.bool_(), [False, True]),
    "text": (pa.string(), ["", "a", "A"]),
    "double": (pa.float64(), [0.0, -0.0, 0.5, float("nan")]),
}
"""A column of each kind with its ends; all are missing at times."""


@st.composite
def combinations(draw: st.DrawFn) -> pa.Table:
    names = draw(st.lists(st.sampled_from(sorted(COLUMNS)), min_size=1, max_size=5, unique=True))
    rows = draw(st.integers(0, 8))
    columns = {
        name: pa.chunked_array(
            [
                pa.array(draw(st.lists(st.none() | st.sampled_from(values), min_size=n, max_size=n)), kind)
                for n in (rows // 2, rows - rows // 2)
            ]
        )
        for name, (kind, values) in ((name, COLUMNS[name]) for name in names)
    }
    counts = draw(st.lists(st.sampled_from([1, 2, 2**31, 2**40]), min_size=rows, max_size=rows))
    return pa.table({**columns, COUNT: pa.array(counts, pa.int64())})


def told(table: Table, columns: Sequence[str]) -> dict[tuple[Any, ...], int]:
    tally = table.tally(columns)
    decoded = zip(*(tally.decode(name).to_pylist() for name in columns), strict=True)
    return dict(zip(decoded, tally.counts.tolist(), strict=True))


def counted(data: pa.Table, columns: Sequence[str], weights: Sequence[int]) -> dict[tuple[Any, ...], int]:
    """NaN is a missing value."""
    counts: Counter[tuple[Any, ...]] = Counter()
    for row, weight in zip(data.select(columns).to_pylist(), weights, strict=True):
        values = (row[name] for name in columns)
        counts[tuple(None if isinstance(v, float) and math.isnan(v) else v for v in values)] += weight
    return dict(counts)


@given(combinations(), st.randoms())
def test_combinations_are_counted(data: pa.Table, order: Any) -> None:  # noqa: ANN401 - Random
    """Also of fewer columns, in any order."""
    grouped, frame = weighted_table(data, "here"), open_table(data.drop_columns([COUNT]))
    columns = list(grouped.columns)
    order.shuffle(columns)
    counts = data.column(COUNT).to_pylist()
    for some in (columns, columns[: 1 + len(columns) // 2]):
        assert told(grouped.select(columns), some) == counted(data, some, counts)
        assert told(grouped.select(columns).distinct_rows(), columns) == dict.fromkeys(
            counted(data, columns, counts), 1
        )
        assert told(frame.select(columns), some) == counted(data, some, [1] * len(data))


def test_unknown_columns_are_refused() -> None:
    table = weighted_table(pa.table({"a": [1], COUNT: [1]}), "here")
    with pytest.raises(UnknownColumnError):
        table.tally(["b"])
