import numpy as np
import pyarrow as pa
import pytest

from noiseless.tables import open_table
from noiseless.verification.evidence import PublicValues
from noiseless.verification.rows import DistinctRows, Groups, combined, numbered


def grouping(groups: Groups) -> list[list[int]]:
    return [np.flatnonzero(groups.of == number).tolist() for number in range(len(groups))]


@pytest.mark.parametrize("limit", [10, 2**61])
def test_equal_keys_are_a_group(limit: int) -> None:
    """By slots where there are few possible keys, by sorting where there are many."""
    groups = numbered(np.array([7, 3, 7, 9, 3]), limit)
    assert grouping(groups) == [[1, 4], [0, 2], [3]]
    assert all(groups.of[row] == number for number, row in enumerate(groups.example.tolist()))


def test_codes_whose_product_is_beyond_64_bits_are_combined() -> None:
    chance = np.random.default_rng(2)
    codes = [chance.integers(0, 3, 200) * (2**38) for _ in range(5)]
    groups = combined(codes, [2**40] * 5, 200)
    tuples = list(zip(*(code.tolist() for code in codes), strict=True))
    assert len(groups) == len(set(tuples))
    for number, row in enumerate(groups.example.tolist()):
        assert {tuples[i] for i in np.flatnonzero(groups.of == number)} == {tuples[row]}


def test_without_columns_all_rows_are_one_group() -> None:
    assert grouping(combined([], [], 3)) == [[0, 1, 2]]
    assert len(combined([], [], 0)) == 0


def test_rows_are_texts_and_counts() -> None:
    table = open_table(pa.table({"a": [2.5, 1.0, 1.0, None], "b": ["x", None, None, "y"]}))
    rows = DistinctRows.read(table, ["a", "b"])
    found = dict(zip(rows.tuples(["a", "b"], np.arange(len(rows))), rows.counts.tolist(), strict=True))
    assert found == {("2.5", "x"): 1, ("1", None): 2, (None, "y"): 1}
    assert rows.total == 4


def test_values_are_found_by_their_texts_missing_ones_too() -> None:
    table = open_table(pa.table({"a": ["p", "p", None, "q"], "b": [1, 2, 1, None]}))
    values = PublicValues.of(DistinctRows.read(table, ["a", "b"]), ("a", "b"))
    known = values.rows.tuples(("a", "b"), values.groups.example)
    assert values.find(known).tolist() == list(range(4))
    absent = [("q", "1"), (None, None), ("x", "1"), ("p", "3"), ("p", None), ("p", "1.0")]
    assert values.find(absent).tolist() == [-1] * len(absent)
    assert values.find([]).tolist() == []
