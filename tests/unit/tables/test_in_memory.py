"""Rows that are in memory are tallied where they lie as the engine tallies them."""

from dataclasses import replace
from datetime import date
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noiseless.errors import UnknownColumnError
from noiseless.tables.duckdb_table import COUNT
from noiseless.tables.row_keys import tally_in_memory
from noiseless.tables.sources import open_table
from noiseless.tables.tally import Tally
from noiseless.tables.weighted import WeightedTable

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


def told(tally: Tally) -> list[tuple[Any, ...]]:
    """The combinations in order, and their counts."""
    return list(zip(*(tally.decode(name).to_pylist() for name in tally.columns), tally.counts, strict=True))


def by_the_engine(table: WeightedTable) -> WeightedTable:
    return replace(table, groups=replace(table.groups, memory=None))


@settings(max_examples=25, deadline=None)
@given(combinations(), st.randoms())
def test_a_weighted_tally_is_that_of_the_engine(data: pa.Table, order: Any) -> None:  # noqa: ANN401 - Random
    """Also of fewer columns, and when rows were left out after they came."""
    here = WeightedTable.of(data, "here")
    columns = list(here.columns)
    order.shuffle(columns)
    here = here.select(columns)
    there = by_the_engine(here)
    fewer = columns[: 1 + len(columns) // 2]
    for one, other in (
        (here, there),
        (here.select(fewer), there.select(fewer)),
        (here.with_missing(fewer, "drop"), there.with_missing(fewer, "drop")),
        (here.distinct_rows(), there.distinct_rows()),
    ):
        assert told(one.tally(one.columns)) == told(other.tally(other.columns))
        assert told(one.tally(fewer)) == told(other.tally(fewer))


@settings(max_examples=15, deadline=None)
@given(combinations())
def test_a_frame_is_tallied_as_by_the_engine(data: pa.Table) -> None:
    frame = open_table(data.drop_columns([COUNT]))
    here = frame.select(frame.columns)
    there = replace(here, memory=None)  # type: ignore[type-var]
    assert told(here.tally(here.columns)) == told(there.tally(here.columns))


@pytest.mark.parametrize(
    ("names", "fits"),
    [
        (("int", "small", "day", "truth"), True),
        (("int", "other", "small"), True),  # two words
        (("small", "text"), False),
        (("long",), False),  # the lowest number has none below it
    ],
)
def test_which_columns_need_no_engine(names: tuple[str, ...], fits: bool) -> None:
    data = pa.table({name: pa.array([None, *COLUMNS[name][1][:3]][:3], COLUMNS[name][0]) for name in names})
    found = tally_in_memory(data.append_column(COUNT, pa.array([1, 2, 3])), names, COUNT)
    assert (found is not None) == fits


def test_unknown_columns_are_refused() -> None:
    table = WeightedTable.of(pa.table({"a": [1], COUNT: [1]}), "here")
    with pytest.raises(UnknownColumnError):
        table.tally(["b"])
