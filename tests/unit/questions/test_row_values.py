"""Different values of rows, in order."""

from fractions import Fraction

import numpy as np
import pytest

from noiseless.questions.row_expression import Vector
from noiseless.questions.row_values import distinct_values


@pytest.mark.parametrize("most", [5, 1_000, 2**26, 2**31, 2**53, 2**60])
def test_quotients_are_told_apart_and_ordered_exactly(most: int) -> None:
    """Also where doubles cannot: neighbours of one double, and equal ones of other terms."""
    random = np.random.default_rng(most)
    tops, lows = random.integers(-most, most, 600), random.integers(1, most, 600)
    tops[::3], lows[::3] = tops[1::3], lows[1::3]
    if most < 2**31:
        tops[::3], lows[::3] = 2 * tops[1::3], 2 * lows[1::3]
    tops[2::6], lows[2::6] = most, most - np.arange(100) % 4
    exact = [Fraction(int(top), int(low)) for top, low in zip(tops, lows, strict=True)]
    values, places = distinct_values(Vector("number", tops, lows))
    assert list(values) == sorted(set(exact))
    assert [values[int(place)] for place in places] == exact
