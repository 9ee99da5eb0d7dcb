"""Tables on a real local Spark: what is counted there and here is what DuckDB counts."""

import math
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from noiseless.domain import Schema
from noiseless.errors import (
    ColumnError,
    DomainError,
    MissingValuesError,
    RequestError,
    SourceError,
    UnknownColumnError,
)
from noiseless.tables import Table, open_table
from noiseless.tables.duckdb_table import DuckDBTable, at_hand
from noiseless.tables.spark_frames import is_spark_frame
from noiseless.tables.spark_groups import SparkGroups
from noiseless.tables.spark_table import SparkTable, spark_frame
from spark_sessions import needs_spark, spark

pytestmark = needs_spark

LATER = datetime(2024, 1, 1, 1, 1, 1, 1, tzinfo=UTC)
COLUMNS = {
    "whole": (pa.int64(), st.sampled_from([-(2**63), -1, 0, 1, 2**63 - 1])),
    "half": (pa.int32(), st.sampled_from([-(2**31), -1, 0, 2**31 - 1])),
    "small": (pa.int16(), st.integers(-2, 2)),
    "double": (pa.float64(), st.sampled_from([0.0, -0.0, 0.5, math.nan, math.inf, 5e-324])),
    "float": (pa.float32(), st.sampled_from([0.0, -0.0, 0.5, math.nan])),
    "decimal": (pa.decimal128(38, 10), st.sampled_from([Decimal("0.1"), Decimal("-12345678901234567890.5")])),
    "text": (pa.string(), st.sampled_from(["", " ", "a", "A", "a ", "\u00e9", "e\u0301", "*", "null"])),
    "truth": (pa.bool_(), st.booleans()),
    "day": (pa.date32(), st.sampled_from([date(1, 1, 1), date(1969, 12, 31), date(2024, 2, 29)])),
    "moment": (pa.timestamp("us", "UTC"), st.sampled_from([datetime(1970, 1, 1, tzinfo=UTC), LATER])),
    "bytes": (pa.binary(), st.sampled_from([b"", b"\x00", b"\xff"])),
}
"""A column of each type that is compared as it is."""


@st.composite
def tables(draw: st.DrawFn) -> pa.Table:
    rows = draw(st.integers(1, 12))
    lists = {
        name: st.lists(values | st.none(), min_size=rows, max_size=rows)
        for name, (_, values) in COLUMNS.items()
    }
    return pa.table({name: pa.array(draw(lists[name]), COLUMNS[name][0]) for name in COLUMNS})


def on_spark(data: pa.Table, most: int = 2 * 10**7) -> SparkTable:
    return SparkTable.of(spark().createDataFrame(data), most=most)


def counted(table: Table, columns: tuple[str, ...]) -> list[tuple[Any, ...]]:
    """Combinations and their counts, in the order of the tally."""
    tally = table.select(columns).tally(columns)
    decoded = [tally.decode(column).to_pylist() for column in columns]
    return list(zip(*decoded, tally.counts.tolist(), strict=True))


@settings(max_examples=3, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
@given(tables(), st.permutations(list(COLUMNS)), st.integers(1, 4))
def test_tallies_are_those_of_duckdb(data: pa.Table, names: list[str], width: int) -> None:
    chosen = tuple(names[:width])
    here = open_table(data)
    remote = on_spark(data)
    assert remote.columns == here.columns
    assert counted(remote, chosen) == counted(here, chosen)
    assert remote.count_missing(chosen[0]) == here.select(chosen).count_missing(chosen[0])


def test_every_type_at_once_and_what_is_not_compared_as_it_is() -> None:
    session = spark()
    frame = session.sql("""
        SELECT * FROM VALUES
          (array(1, 2), map('b', 1, 'a', 2), named_struct('x', 1), interval '2' month, NULL, 'A', 1),
          (array(1, 2), map('a', 2, 'b', 1), named_struct('x', 1), interval '2' month, NULL, 'a', 1),
          (array(12), map('a', 2), named_struct('x', NULL), interval '3' month, NULL, 'A', 2)
        AS t(list, map, struct, months, nothing, folded, `a.b``c`)
    """).selectExpr("*", "collate(folded, 'UTF8_LCASE') AS collated", "parse_json('[1, 2]') AS variant")
    table = SparkTable.of(frame)
    assert table.count() == 3
    sizes = {name: len(table.tally([name])) for name in table.columns}
    assert sizes == {
        "list": 2,
        "map": 2,
        "struct": 2,
        "months": 2,
        "nothing": 1,
        "folded": 2,
        "a.b`c": 2,
        "collated": 2,
        "variant": 1,
    }
    assert table.count_missing("nothing") == 3


def test_duplicates_of_whole_rows_are_dropped_as_duckdb_does() -> None:
    data = pa.table({"x": [1, 1, 2, 2], "z": [0.0, -0.0, math.nan, math.nan], "w": ["a", "a", "b", "c"]})
    here, remote = open_table(data).distinct_rows(), on_spark(data).distinct_rows()
    assert remote.count() == here.count() == 3
    assert counted(remote, ("x", "z")) == counted(here, ("x", "z"))


SCHEMA = """
[columns.age]
role = "private"
bounds = [0, 100]

[columns.ward]
role = "public"
categories = ["a", "b"]
"""


@pytest.fixture
def schema(tmp_path: Any) -> Schema:  # noqa: ANN401 - a path
    (tmp_path / "schema.toml").write_text(SCHEMA)
    return Schema.read(tmp_path / "schema.toml")


@pytest.mark.parametrize("most", [10**6, 1])
def test_groups_are_narrowed_alike_here_and_on_spark(most: int, schema: Schema) -> None:
    """With `most` = 1 nothing is collected: the same operations are jobs."""
    ages = [0, 30, 30, 100, None, 101, -5, 40]
    data = pa.table({"age": ages, "ward": ["a", "b", "b", "a", "b", None, "a", "c"]})
    columns = ("age", "ward")
    here, remote = open_table(data).select(columns), on_spark(data, most).select(columns)
    assert isinstance(remote, SparkGroups if most == 1 else DuckDBTable)
    assert remote.count() == 8
    assert remote.strangers(schema, columns) == here.strangers(schema, columns) == {"age": 2, "ward": 1}
    with pytest.raises(DomainError, match="2 values"):
        remote.conform(schema, ["age"])
    with pytest.raises(DomainError, match="1 value"):
        remote.conform(schema, columns, clamp=True)
    clamped = remote.conform(schema, ["age"], clamp=True)
    with pytest.raises(MissingValuesError, match="age"):
        remote.with_missing(columns, "error")
    full = clamped.with_missing(columns, "drop")
    assert full.count() == 6
    assert getattr(full, "left_out", 2) == 2
    same = here.conform(schema, ["age"], clamp=True).with_missing(columns, "drop")
    if most > 1:
        assert counted(full, columns) == counted(same, columns)
    else:
        assert isinstance(full, SparkGroups)
        assert sorted(map(tuple, full.frame.collect())) == sorted(counted(same, columns))
        with pytest.raises(RequestError, match="more than 1 distinct"):
            full.tally(columns)
        with pytest.raises(RequestError, match="joined by Spark"):
            full.link([], "age", (), ())


def test_a_few_combinations_of_many_come_to_this_machine() -> None:
    data = pa.table({"x": np.arange(40), "w": ["a"] * 30 + [None] * 10})
    groups = on_spark(data, most=5).select(("x", "w"))
    assert isinstance(groups, SparkGroups)
    assert groups.count_missing("w") == 10
    assert groups.tally(["w"]).counts.tolist() == [10, 30]
    assert [summary.distinct for summary in groups.summarise(["w"])] == [1]
    assert groups.distinct_rows().count() == 40


def test_summaries_are_those_of_duckdb() -> None:
    data = pa.table({"x": [3, 1, None], "f": [0.25, 0.5, math.nan], "w": ["b", "a", "b"]})
    assert on_spark(data).summarise() == open_table(data).summarise()


def test_rows_are_neither_numbered_nor_fetched() -> None:
    table = on_spark(pa.table({"x": [1]}))
    assert table.locate({"x": pa.array([1, 2])}) == [None, None]
    with pytest.raises(RequestError, match="one by one"):
        at_hand(table)


def test_errors_are_one_line_without_values() -> None:
    session = spark()
    with pytest.raises(SourceError, match="there is no such table"):
        SparkTable.open("spark::nowhere")
    with pytest.raises(SourceError, match="names no table"):
        SparkTable.open("spark::")
    with pytest.raises(RequestError, match="names its columns"):
        SparkTable.open("spark::nowhere", ["a"])
    with pytest.raises(SourceError, match="upper and lower case"):
        SparkTable.of(session.createDataFrame(pa.table({"a": [1], "A": [1]})))
    with pytest.raises(SourceError, match="no columns"):
        SparkTable.of(session.range(1).select())
    with pytest.raises(UnknownColumnError):
        on_spark(pa.table({"a": [1]})).select(["b"])
    with pytest.raises(ColumnError, match="kept for the package"):
        on_spark(pa.table({"noiseless_x": [1]})).select(["noiseless_x"])
    bad = SparkTable.of(session.sql("SELECT cast(w AS int) AS x FROM VALUES ('secret 42') AS t(w)"))
    with pytest.raises(SourceError) as caught:
        bad.tally(["x"])
    assert "CAST_INVALID_INPUT" in str(caught.value)
    assert "secret" not in str(caught.value)


def test_frames_and_names_are_told_apart() -> None:
    frame = spark().createDataFrame(pa.table({"x": [1, 2]}))
    frame.createOrReplaceTempView("two_rows")
    assert is_spark_frame(frame)
    assert not is_spark_frame(pa.table({"x": [1]}))
    assert spark_frame("two_rows.csv") is None
    found = spark_frame("spark::two_rows")
    assert found is not None
    assert found.count() == 2
    assert repr(SparkTable.of(frame)) == "SparkTable('Spark DataFrame', 1 columns)"
    assert isinstance(open_table(pa.table({"x": [1]})), DuckDBTable)
