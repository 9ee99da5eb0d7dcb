"""Every type of a frame is read in its own notation, or refused in one line; and the next call works."""

import datetime as dt
import uuid
from decimal import Decimal
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import noiseless as nl
from noiseless.tables import open_table
from noiseless.tables.coding import readable
from noiseless.tables.engine import OwnEngine

SIX = list("abcabc")
READ: dict[str, tuple[Any, list[str | None]]] = {
    "interval": (
        pd.cut(pd.Series([1, 5, 9, 2, 60, 8]), [0, 3, 7, 10]),
        ["(0, 3]", "(3, 7]", "(7, 10]", None],
    ),
    "left": (
        pd.Series(pd.arrays.IntervalArray.from_breaks([0.5, 1, 2, 3, 4, 5, 6], closed="left")),
        ["[0.5, 1.0)", "[1.0, 2.0)", "[2.0, 3.0)", "[3.0, 4.0)", "[4.0, 5.0)", "[5.0, 6.0)"],
    ),
    "month": (
        pd.Series(pd.PeriodIndex(["2020-01", "2020-02", None] * 2, freq="M")),
        ["2020-01", "2020-02", None],
    ),
    "quarter": (pd.Series(pd.PeriodIndex(["2020Q1", "2020Q2"] * 3, freq="Q")), ["2020Q1", "2020Q2"]),
    "elapsed": (
        pd.Series(pd.to_timedelta([3600, 3600, 90061, -1, None, 0.5], unit="s")),
        ["0 days 01:00:00", "1 days 01:01:01", "-0 days 00:00:01", "0 days 00:00:00.5", None],
    ),
    "duration": (pl.Series([dt.timedelta(hours=1), None] * 3), ["0 days 01:00:00", None]),
    "unused": (pd.Series(SIX, dtype=pd.CategoricalDtype(list("zcbaq"))), ["a", "b", "c"]),
    "enum": (pl.Series(SIX, dtype=pl.Enum(list("zcba"))), ["a", "b", "c"]),
    "holes": (
        pa.DictionaryArray.from_arrays(pa.array([0, 1, None] * 2, pa.int8()), pa.array(["a", None])),
        ["a", None],
    ),
    "runs": (pa.RunEndEncodedArray.from_arrays([3, 6], ["a", "b"]), ["a", "b"]),
    "bytes": (pa.array([b"a", b"\xff"] * 3), ["a", "\\xFF"]),
    "list": (pa.array([[1], [1, 2]] * 3), ["[1]", "[1, 2]"]),
    "struct": (pl.Series([{"a": 1}, {"a": 2}] * 3), ["{'a': 1}", "{'a': 2}"]),
    "uuid": (pd.Series([uuid.UUID(int=i % 2) for i in range(6)]), [str(uuid.UUID(int=i)) for i in range(2)]),
    "view": (pa.array(["a", "b"] * 3, pa.string_view()), ["a", "b"]),
    "wide": (
        pa.array([Decimal(10) ** 60, Decimal("1.5")] * 3, pa.decimal256(76, 2)),
        ["1" + "0" * 60 + ".00", "1.50"],
    ),
}
"""Columns and how their values read."""

COUNTED: dict[str, tuple[Any, int]] = {
    "half": (pa.array(np.array([1, 2, 3, 1, 2, 3], np.float16)), 3),
    "flags": (pa.ExtensionArray.from_storage(pa.bool8(), pa.array([0, 1] * 3, pa.int8())), 2),
    "zoned": (pd.Series(pd.date_range("2020-01-01", periods=6, tz="Europe/Berlin")), 6),
    "times": (pa.array([1, 2, 3, 4, 5, 6], pa.time64("ns")), 6),
    "large": (pa.array([2**64 - 1, 0, 1] * 2, pa.uint64()), 3),
    "union": (
        pa.UnionArray.from_sparse(
            pa.array([0, 1] * 3, pa.int8()), [pa.array(range(6)), pa.array(list("abcdef"))]
        ),
        6,
    ),
}
REFUSED: dict[str, Any] = {
    "mixed": pd.Series([1, "1", 2.5, None, "x", True]),
    "complex": pd.Series([1 + 2j] * 6),
    "sparse": pd.Series(pd.arrays.SparseArray([0, 0, 1, 2, 0, 1])),
    "objects": pl.Series([object() for _ in range(6)], dtype=pl.Object),
    "strange": pd.Series([object() for _ in range(6)]),
    "nothing": pa.nulls(6),
    "blank": pd.Series([pd.NaT] * 6),
}
HEALTHY = pa.table({"x": [0, 0, 1], "s": ["a", "b", "a"]})


def frame(column: Any) -> Any:  # noqa: ANN401 - a column and a frame of pandas, polars or pyarrow
    kind = (
        pd.DataFrame
        if isinstance(column, pd.Series)
        else pl.DataFrame
        if isinstance(column, pl.Series)
        else pa.table
    )
    return kind({"x": [0, 0, 0, 1, 1, 1], "y": list("ababab"), "c": column})


@pytest.mark.parametrize("name", [*READ, *COUNTED])
def test_every_role_takes_it(name: str) -> None:
    column, expected = (READ | COUNTED)[name]
    data = frame(column)
    found = nl.audit(data, sensitive="c", public="x")
    assert found.sensitive_values == (expected if isinstance(expected, int) else len(expected))
    assert nl.audit(data, sensitive="x", public="c").public_values == found.sensitive_values
    assert nl.audit(data, sensitive="y", public="x", given="c").rows == 6
    if isinstance(expected, list):
        shown = nl.audit(data, sensitive="x", public="c").reveal_witnesses()
        assert {None if w.values is None else w.values["c"] for w in shown} == set(expected)
        made = nl.release(data, sensitive="x", public="c", min_posterior=1)
        assert set(made.table.column("c").to_pylist()) == set(expected)
        assert nl.verify(made.certificate, original=data, released=made.table).holds


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_read_is_refused_in_one_line_that_names_it(name: str) -> None:
    several: list[dict[str, Any]] = [
        {"sensitive": "c", "public": "x"},
        {"sensitive": "x", "public": "y", "given": "c"},
    ]
    for roles in several:
        with pytest.raises(nl.NoiselessError, match="column 'c'") as refused:
            nl.audit(frame(REFUSED[name]), **roles)
        assert "\n" not in str(refused.value)
    assert nl.audit(HEALTHY, sensitive="s", public="x").rows == 3


@given(st.lists(st.none() | st.timedeltas(), min_size=1, max_size=8), st.sampled_from(["us", "ns"]))
def test_durations_read_back(values: list[dt.timedelta | None], unit: str) -> None:
    if unit == "ns":
        values = [None if value is None else value % dt.timedelta(days=9000) for value in values]
    texts = readable(pa.table({"c": pa.array(values, pa.duration(unit))})).column("c").to_pylist()
    assert [None if text is None else _read(text) for text in texts] == values


def _read(text: str) -> dt.timedelta:
    days, _, clock = text.removeprefix("-").split(" ")
    hours, minutes, seconds = clock.split(":")
    whole, _, part = seconds.partition(".")
    found = dt.timedelta(
        days=int(days),
        hours=int(hours),
        minutes=int(minutes),
        seconds=int(whole),
        microseconds=int(part.ljust(6, "0")),
    )
    return -found if text.startswith("-") else found


@pytest.mark.parametrize("error", [duckdb.InternalException, duckdb.FatalException])
def test_a_broken_database_does_not_outlive_its_call(error: type[Exception]) -> None:
    class Broken:
        def execute(self, sql: str) -> None:
            raise error(sql)

        sql = execute

    before = OwnEngine.start()
    with pytest.raises(error):
        OwnEngine(Broken()).rows("SELECT 1")  # type: ignore[arg-type]  # a connection that fails
    assert OwnEngine.start().rows("SELECT count(*) FROM duckdb_databases()")
    with pytest.raises(error):
        OwnEngine(Broken()).arrow("SELECT 1")  # type: ignore[arg-type]
    OwnEngine.start().rows("CREATE TABLE noiseless_mark AS SELECT 1")
    assert not before.rows("SELECT * FROM duckdb_tables() WHERE table_name = 'noiseless_mark'")
    OwnEngine.start().rows("DROP TABLE noiseless_mark")
    assert open_table(HEALTHY).count() == 3
