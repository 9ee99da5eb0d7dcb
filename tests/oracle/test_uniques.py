"""Minimal uniques against their definition, and against figures that are published."""

import math
from collections import Counter
from itertools import combinations
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from noiseless.audits.uniques import minimal_uniques
from noiseless.errors import RequestError
from noiseless.tables import open_table

COLUMNS = ["a", "b", "c", "d"]
Rows = list[dict[str, Any]]
ROWS = st.lists(
    st.fixed_dictionaries(
        {name: st.integers(0, 2) | st.none() for name in COLUMNS[:3]} | {"d": st.booleans()}
    ),
    min_size=1,
    max_size=8,
).filter(lambda rows: all(any(row[c] is not None for row in rows) for c in COLUMNS))


def is_unique(rows: Rows, row: dict[str, Any], columns: tuple[str, ...]) -> bool:
    return sum(all(row[c] == other[c] for c in columns) for other in rows) == 1


def minimal(rows: Rows, row: dict[str, Any], most: int) -> list[tuple[str, ...]]:
    """From the definition: unique there, and on no proper subset."""
    sets = [each for size in range(1, most + 1) for each in combinations(COLUMNS, size)]
    parts = {each: [p for size in range(1, len(each)) for p in combinations(each, size)] for each in sets}
    return [
        each
        for each in sets
        if is_unique(rows, row, each) and not any(is_unique(rows, row, part) for part in parts[each])
    ]


@given(ROWS, st.integers(1, 4))
def test_minimal_uniques_scores_and_shares(rows: Rows, most: int) -> None:
    found = minimal_uniques(open_table(pa.Table.from_pylist(rows)).tally(COLUMNS), COLUMNS, most)
    each = [minimal(rows, row, most) for row in rows]
    assert {key.columns: key.rows for key in found.keys} == Counter(key for keys in each for key in keys)

    def score(key: tuple[str, ...]) -> int:
        return math.prod(4 - size for size in range(len(key), min(most, 3) + 1))

    assert found.unique_rows == sum(bool(keys) for keys in each)
    assert sorted(found.scores[found.scores > 0].tolist()) == sorted(
        sum(map(score, keys)) for keys in each if keys
    )
    total = sum(score(key) for keys in each for key in keys)
    for column in COLUMNS:
        part = sum(score(key) for keys in each for key in keys if column in key)
        assert found.shares[column] * total == part


def test_the_example_of_sdc_micro() -> None:
    """sdcMicro's own test of `suda2`: contributions of 50, 37.5 and 37.5 per cent."""
    table = pa.table({"a": [2, 1, 1], "b": [0, 3, 0], "c": [0, 6, 0]})
    found = minimal_uniques(open_table(table).tally(["a", "b", "c"]), ["a", "b", "c"], 3)
    assert {name: float(share) for name, share in found.shares.items()} == {"a": 0.5, "b": 0.375, "c": 0.375}
    assert sorted(found.scores.tolist()) == [2, 2, 4]


def test_work_is_bounded_before_it_begins() -> None:
    names = [f"c{number}" for number in range(60)]
    table = open_table(pa.table({name: [1, 2, 3] for name in names})).tally(names)
    with pytest.raises(RequestError, match="ask for a smaller size"):
        minimal_uniques(table, names, 10)
    with pytest.raises(RequestError, match="a size of 1 or more"):
        minimal_uniques(table, names, 0)
