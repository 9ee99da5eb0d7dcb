import datetime as dt
import json
from decimal import Decimal
from fractions import Fraction
from hashlib import sha256
from unittest.mock import patch

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from noiseless.tables.canonical import canonical, decimal_texts, decimal_units, digest


def test_a_value_has_one_text_whatever_its_type() -> None:
    for values in (
        pa.array([5, 12]),
        pa.array([5.0, 12.0]),
        pa.array([Decimal("5.00"), Decimal("12.00")]),
        pa.array(["5", "12"]),
        pa.array([5, 12], pa.uint8()),
        pa.array([5.0, 12.0], pa.float32()),
        pa.chunked_array([["5"], ["12"]]),
        pa.array(["5", "12"]).dictionary_encode(),
    ):
        assert canonical(values).to_pylist() == ["5", "12"]


def test_other_kinds_of_values() -> None:
    moment = dt.datetime(2024, 2, 3, 4, 5, 6, 500_000)  # noqa: DTZ001 - without a zone
    assert canonical(pa.array([True, False, None])).to_pylist() == ["true", "false", None]
    assert canonical(pa.array([dt.date(2024, 2, 3)])).to_pylist() == ["2024-02-03"]
    assert canonical(pa.array([moment])).to_pylist() == ["2024-02-03 04:05:06.5"]
    assert canonical(pa.array([moment.replace(microsecond=0)])).to_pylist() == ["2024-02-03 04:05:06"]
    assert canonical(pa.array([moment], pa.timestamp("us", "UTC"))).to_pylist() == [
        "2024-02-03 04:05:06.5+00"
    ]
    assert canonical(pa.array([moment.time()])).to_pylist() == ["04:05:06.5"]
    assert canonical(pa.array([b"a\x00'"])).to_pylist() == ["a\\x00\\x27"]


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_floats_are_the_shortest_decimals_that_read_back_the_same(values: list[float]) -> None:
    for text, value in zip(canonical(pa.array(values)).to_pylist(), values, strict=True):
        assert float(text) == value
        assert "e" not in text
        assert text != "-0"
        assert not ("." in text and text.endswith("0"))
        assert Decimal(text) == Decimal(repr(value))


@given(st.lists(st.integers(-(10**40), 10**40), min_size=1), st.integers(0, 25))
def test_units_and_texts_are_each_others_inverse(numbers: list[int], places: int) -> None:
    small = all(abs(number) < 2**57 for number in numbers)
    units = np.array(numbers, np.int64 if small else object)
    texts = decimal_texts(units, places)
    back, fewest = decimal_units(texts)
    assert fewest <= places
    assert [int(unit) * 10 ** (places - fewest) for unit in back] == numbers
    assert [Fraction(text) * 10**places for text in texts.to_pylist()] == numbers


def slow_digest(names: list[str], rows: list[list[str | None]]) -> str:
    """The definition, in plain Python."""
    counts: dict[bytes, int] = {}
    for row in rows:
        key = sha256(json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode()).digest()
        counts[key] = counts.get(key, 0) + 1
    whole = json.dumps(names, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    whole += b"".join(key + str(count).encode() + b"\n" for key, count in sorted(counts.items()))
    return f"sha256:{sha256(whole).hexdigest()}"


CELLS = st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=4)


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=12))
def test_the_digest_is_its_definition_and_does_not_see_the_order(rows: list[tuple[str | None, ...]]) -> None:
    columns = [pa.array(column, pa.string()) for column in zip(*rows, strict=True)]
    coded = [(column, np.arange(len(rows))) for column in columns]
    turned = [(column, np.arange(len(rows))[::-1]) for column in columns]
    ones = np.ones(len(rows), np.int64)
    expected = slow_digest(["a", "ü"], [list(row) for row in rows])
    assert digest(["a", "ü"], coded, ones) == expected
    with patch("noiseless.tables.canonical._AT_ONCE", 5):
        assert digest(["a", "ü"], turned, ones) == expected
    assert digest(["b", "ü"], coded, ones) != expected
