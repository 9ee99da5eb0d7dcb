import datetime as dt
from decimal import Decimal

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from noiseless.verification.rows import canonical_texts


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (pa.array([5, -3, 2**63 - 1, None]), ["5", "-3", "9223372036854775807", None]),
        (pa.array([2**64 - 1], pa.uint64()), ["18446744073709551615"]),
        (pa.array([5.0, -0.0, 1e-7, 123456789.125]), ["5", "0", "0.0000001", "123456789.125"]),
        (pa.array([1e22]), ["10000000000000000000000"]),
        (pa.array([float("inf"), float("-inf")]), ["inf", "-inf"]),
        (pa.array([0.1], pa.float32()), ["0.10000000149011612"]),
        (pa.array([Decimal("1.50"), Decimal("-0.00"), Decimal("100.00")]), ["1.5", "0", "100"]),
        (pa.array([Decimal("12345678901234567890.10")]), ["12345678901234567890.1"]),
        (pa.array([True, False, None]), ["true", "false", None]),
        (pa.array(["007", "1.50", " x", "", None]), ["007", "1.50", " x", "", None]),
        (pa.array(["a", None]).dictionary_encode(), ["a", None]),
        (pa.array([dt.date(2020, 2, 29), None]), ["2020-02-29", None]),
        (pa.array([0, 1_500], pa.timestamp("ms")), ["1970-01-01 00:00:00", "1970-01-01 00:00:01.5"]),
        (pa.array([dt.time(3, 4, 5), dt.time(3, 4, 5, 500_000)]), ["03:04:05", "03:04:05.5"]),
        (pa.array([0], pa.timestamp("us", tz="Europe/Berlin")), ["1970-01-01 00:00:00+00"]),
        (pa.array([b"a\\\x00'"]), ["a\\x5C\\x00\\x27"]),
        (pa.array([None, None]), [None, None]),
        (pa.array([], pa.date32()), []),
    ],
)
def test_each_kind_of_value_has_one_text(values: pa.Array, expected: list[str | None]) -> None:
    assert canonical_texts(values).to_pylist() == expected


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_double_reads_back_from_its_text(number: float) -> None:
    (text,) = canonical_texts(pa.array([number])).to_pylist()
    assert float(text) == number
    assert "e" not in text
    assert text != "-0"
    assert "." not in text or text[-1] not in "0."


def test_moments_are_written_as_the_engine_writes_them() -> None:
    moments = ("2020-01-02 03:04:05.678", "1969-12-31", "0044-03-15 12:00:00.5")
    values = ", ".join(f"(TIMESTAMP '{moment}')" for moment in moments)
    query = f"SELECT x, x::VARCHAR FROM (VALUES {values}) t(x)"
    found = duckdb.connect().sql(query).to_arrow_table()
    assert canonical_texts(found.column(0).combine_chunks()).to_pylist() == found.column(1).to_pylist()
