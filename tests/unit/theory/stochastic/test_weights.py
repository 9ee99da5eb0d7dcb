from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from noiseless.theory.stochastic.weights import (
    best_of_groups,
    distinct,
    exact_sum,
    largest_quotient,
    times,
    whole,
)

positive = st.integers(1, 2**20) | st.integers(2**52, 2**55) | st.integers(2**200, 2**201)


@given(st.lists(st.floats(0, 1e300) | st.just(5e-324), min_size=1))
def test_floats_become_whole_numbers_in_the_same_proportions(values: list[float]) -> None:
    weights, unit = whole(values, "numbers")
    assert [Fraction(weight, unit) for weight in weights.tolist()] == [Fraction(value) for value in values]


@given(st.lists(st.fractions(0) | st.integers(0), min_size=1))
def test_rationals_become_whole_numbers_in_the_same_proportions(values: list[Fraction]) -> None:
    weights, unit = whole(np.array(values, object), "numbers")
    assert [Fraction(weight, unit) for weight in weights.tolist()] == values


@pytest.mark.parametrize("kind", [np.uint8, np.uint64, np.int32, np.float32, bool])
def test_all_kinds_of_numbers_are_read(kind: npt.DTypeLike) -> None:
    weights, unit = whole(np.array([0, 1, 1], kind), "numbers")
    assert (weights.tolist(), unit) == ([0, 1, 1], 1)


def test_sums_beyond_64_bits_are_kept_exactly() -> None:
    weights, _ = whole(np.array([2**62, 2**62, 2**62]), "numbers")
    assert sum(weights.tolist()) == weights.sum() == 3 * 2**62
    assert times(np.array([2**40]), np.array([2**40])).tolist() == [2**80]


@given(st.lists(st.lists(st.tuples(positive, positive), min_size=1, max_size=5), min_size=1, max_size=5))
def test_the_largest_quotient_is_found_exactly(groups: list[list[tuple[int, int]]]) -> None:
    starts = np.cumsum([0, *map(len, groups)])
    above = np.array([a for group in groups for a, _ in group], object)
    below = np.array([b for group in groups for _, b in group], object)
    best = best_of_groups(above, below, starts)
    expected = [max(Fraction(a, b) for a, b in group) for group in groups]
    assert [Fraction(a, b) for a, b in zip(above[best], below[best], strict=True)] == expected
    assert largest_quotient(above, below) == max(expected)


def test_quotients_that_floats_cannot_tell_apart() -> None:
    above, below = np.array([2**60, 2**60 + 1, 2**60 + 2]), np.array([2**60 - 1, 2**60, 2**60 + 1])
    assert largest_quotient(above, below) == Fraction(2**60, 2**60 - 1)
    assert largest_quotient(above[::-1], below[::-1]) == Fraction(2**60, 2**60 - 1)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 9)), min_size=1))
def test_sums_of_fractions(pairs: list[tuple[int, int]]) -> None:
    above, below = np.array(pairs).T
    assert exact_sum(above, below) == sum(Fraction(a, b) for a, b in pairs)


def test_a_huge_common_denominator_is_not_built() -> None:
    assert exact_sum(np.ones(3000, np.int64), np.arange(10**6, 10**6 + 3000)) is None


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1))
def test_distinct_rows(rows: list[tuple[int, int]]) -> None:
    columns = np.array(rows).T
    first, kinds = distinct(*columns)
    assert [rows[first[kind]] for kind in kinds] == rows
    assert len(first) == len(set(rows))
