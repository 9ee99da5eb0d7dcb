"""Losses that add up over cells: several columns, suppressed rows, numbers of any size."""

import math
from fractions import Fraction

import numpy as np
import pytest

from noiseless.arrays import IntArray
from noiseless.errors import RequestError
from noiseless.search.codebook import ColumnCodebook
from noiseless.search.columns import Categories, Column, Hierarchy, Numbers
from noiseless.search.mean_loss import GRAIN, LOSSES

F = Fraction

AGES, PAY = [20, 30, 40, 60], [0, 5, 5, 20]
ROWS = np.array([1, 2, 1, 1])


def total(
    name: str, cells: list[int], *columns: Column, hidden: tuple[int, ...] = (), rows: IntArray = ROWS
) -> Fraction:
    gone = np.isin(np.arange(len(cells)), hidden)
    return LOSSES[name].total(ColumnCodebook(*columns).axes, np.array(cells), gone, rows)


def squares(values: list[int], middle: Fraction | None = None) -> Fraction:
    mean = F(sum(values), len(values)) if middle is None else middle
    return sum(((value - mean) ** 2 for value in values), F(0))


@pytest.mark.parametrize("name", sorted(LOSSES))
def test_cells_of_one_value_lose_nothing_but_rows_that_are_alike(name: str) -> None:
    lost = total(name, [0, 1, 2, 3], Numbers(AGES))
    assert lost == (F(1 + 4 + 1 + 1, 25) if name == "discernibility" else 0)


@pytest.mark.parametrize("name", ["ncp", "squares", "discernibility"])
def test_one_cell_loses_all(name: str) -> None:
    assert total(name, [0, 0, 0, 0], Numbers(AGES), Numbers(PAY)) == 1


def test_squares_are_a_share_of_each_column_by_weight() -> None:
    cells, columns = [0, 0, 1, 1], (Numbers(AGES), Numbers(PAY, weight=3))
    age = (squares([20, 30, 30]) + squares([40, 60])) / squares([20, 30, 30, 40, 60])
    pay = (squares([0, 5, 5]) + squares([5, 20])) / squares([0, 5, 5, 5, 20])
    assert total("squares", cells, *columns) == (age + 3 * pay) / 4


def test_suppressed_rows_lose_what_they_would_in_one_cell() -> None:
    cells, hidden = [0, 1, 0, 1], (1, 3)
    middle = F(20 + 30 + 30 + 40 + 60, 5)
    gone = squares([30, 30, 60], middle)
    assert total("squares", cells, Numbers(AGES), hidden=hidden) == (
        (squares([20, 40]) + gone) / squares([20, 30, 30, 40, 60])
    )
    assert total("ncp", cells, Numbers(AGES), hidden=hidden) == (2 * F(20, 40) + 3) / 5
    assert total("discernibility", cells, Numbers(AGES), hidden=hidden) == F(2 * 2 + 3 * 5, 25)
    bits = 2 * math.log2(2) + 2 * math.log2(5 / 2) + math.log2(5)
    assert float(total("entropy", cells, Numbers(AGES), hidden=hidden)) == pytest.approx(
        bits / 5, abs=2 / GRAIN
    )


def test_rows_count_whatever_the_columns_are() -> None:
    kinds = Categories(["a", "b", "a", "c"]), Hierarchy(list("abcd"), dict.fromkeys("abcd", ("any",)))
    for name in ("discernibility", "entropy"):
        assert total(name, [0, 1, 1, 1], *kinds) == total(name, [0, 1, 1, 1], Numbers(AGES))
    assert total("ncp", [0, 1, 1, 1], *kinds) == F(4, 5)  # all that there is, for four rows of five


def test_squares_are_for_numbers() -> None:
    with pytest.raises(RequestError, match="for numbers"):
        total("squares", [0, 0, 1, 1], Numbers(AGES), Categories(list("abca")))


def test_huge_numbers_and_many_rows_stay_exact() -> None:
    far, many = 10**30, 10**12
    values = [0, far, 3 * far, 3 * far + 3]
    rows = np.array([many, 1, many, 1])
    lost = total("squares", [0, 0, 1, 1], Numbers(values), rows=rows)
    numbers = [(0, many), (far, 1), (3 * far, many), (3 * far + 3, 1)]

    def apart(part: list[tuple[int, int]]) -> Fraction:
        held = sum(count for _, count in part)
        mean = F(sum(value * count for value, count in part), held)
        return sum((count * (value - mean) ** 2 for value, count in part), F(0))

    assert lost == (apart(numbers[:2]) + apart(numbers[2:])) / apart(numbers)
    assert total("discernibility", [0, 0, 1, 1], Numbers(values), rows=rows) == F(
        2 * (many + 1) ** 2, (2 * many + 2) ** 2
    )
