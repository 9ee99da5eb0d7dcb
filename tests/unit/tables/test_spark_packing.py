"""Narrow columns packed into whole numbers by Spark, and read again: no bit is lost."""

from datetime import date
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from noiseless.tables.spark_table import Packing
from spark_sessions import needs_spark, spark

pytestmark = needs_spark

BITS = {"boolean": 1, "tinyint": 8, "smallint": 16, "int": 32, "date": 32, "bigint": 64, "string": 64}
NARROW: dict[str, tuple[pa.DataType, list[Any]]] = {
    "truth": (pa.bool_(), [True, False]),
    "tiny": (pa.int8(), [-(2**7), -1, 2**7 - 1]),
    "small": (pa.int16(), [-(2**15), -1, 2**15 - 1]),
    "whole": (pa.int32(), [-(2**31), -1, 2**31 - 1]),
    "again": (pa.int32(), [-(2**31), 0, 2**31 - 1]),
    "day": (pa.date32(), [date(1, 1, 1), date(1969, 12, 31), date(9999, 12, 31)]),
}
"""The ends of each type that is packed."""


@given(st.lists(st.tuples(st.sampled_from(sorted(BITS)), st.booleans()), max_size=9))
def test_no_two_values_share_a_bit(columns: list[tuple[str, bool]]) -> None:
    """Each value has as many bits as its type, each that can be missing one more, and all are different."""
    from pyspark.sql import types as T  # noqa: N812

    kinds = (T.BooleanType, T.ByteType, T.ShortType, T.IntegerType, T.DateType, T.LongType, T.StringType)
    of = {kind().simpleString(): kind() for kind in kinds}
    packing = Packing.of([T.StructField(f"c{n}", of[kind], null) for n, (kind, null) in enumerate(columns)])
    places = [*packing.values.values(), *packing.missing.values()]
    taken = [(word, shift + bit) for word, shift, bits in places for bit in range(bits)]
    assert len(set(taken)) == len(taken)
    assert all(bit < 64 for _, bit in taken)
    narrow = {f"c{n}": kind for n, (kind, _) in enumerate(columns) if BITS[kind] < 64}
    if packing.words:
        assert packing.kinds == narrow
        assert {name: place.bits for name, place in packing.values.items()} == {
            name: BITS[kind] for name, kind in narrow.items()
        }
        assert set(packing.missing) == {name for name in narrow if columns[int(name[1:])][1]}
        assert packing.words < len(narrow)
    else:
        assert not packing.kinds


@pytest.mark.parametrize("text", [False, True])
def test_packed_values_are_read_as_they_were(text: bool) -> None:
    """Every value beside every other missing or present, at the ends of each type."""
    rows = [
        [
            None if (number >> place) % 2 else values[(number + place) % len(values)]
            for place, (_, values) in enumerate(NARROW.values())
        ]
        for number in range(2 ** len(NARROW))
    ]
    columns = [
        pa.array(column, kind)
        for column, (kind, _) in zip(zip(*rows, strict=True), NARROW.values(), strict=True)
    ]
    data = pa.table(columns, list(NARROW))
    if text:
        data = data.add_column(2, "word", pa.array([str(number) for number in range(len(rows))]))
    frame = spark().createDataFrame(data).coalesce(1)
    packing = Packing.of(frame.schema.fields)
    packed = packing.packed(frame)
    assert packed.columns == ["w0", "w1", *["word"] * text]
    found = packing.unpacked(packed.toArrow())
    assert found.to_pylist() == data.to_pylist()
    assert found.schema.types == data.schema.types
    assert packing.unpacked(packed.limit(0).toArrow()).equals(found.slice(0, 0))
