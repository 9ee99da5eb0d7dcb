"""What somebody learns who knows how cells are chosen: the statement of docs/limits.md, by enumeration."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from itertools import product

import numpy as np
import pytest

from noiseless.ranges import JointRange
from noiseless.search.merging import ColumnCodebook, Numbers, leakage_path
from noiseless.search.optimum import ContiguousOptimum
from noiseless.search.portfolio import Goal, Problem, choose

Person = tuple[str, int]
"""A secret, and a public value."""
Range = frozenset[Person]
Cell = frozenset[int]


def contiguous(held: JointRange, values: list[int]) -> np.ndarray:
    found = ContiguousOptimum(Problem(held, ColumnCodebook(Numbers(values))), "distortion").for_posterior(2)
    assert found is not None
    return found


def chosen(held: JointRange, values: list[int]) -> np.ndarray:
    return choose(
        Problem(held, ColumnCodebook(Numbers(values))), Goal(min_posterior=2, utility="distortion")
    ).cells.cell_of


def greedy(held: JointRange, values: list[int]) -> np.ndarray:
    met = leakage_path(held, ColumnCodebook(Numbers(values))).meeting(min_posterior=2)
    assert met is not None
    return met.cells.cell_of


WAYS = (contiguous, chosen, greedy)
Way = Callable[[JointRange, list[int]], np.ndarray]


@cache
def cells_of(held: Range, way: Way) -> dict[int, Cell]:
    """The cell of each public value."""
    pairs = sorted(held, key=lambda pair: (pair[1], pair[0]))
    values = sorted({x for _, x in pairs})
    labels = dict(zip(values, way(JointRange.from_pairs(pairs), values).tolist(), strict=True))
    return {x: frozenset(other for other in values if labels[other] == labels[x]) for x in values}


def tables(people: int, secrets: str, values: int) -> Iterator[tuple[Person, ...]]:
    """All tables in which two secrets can be left, and something can be merged."""
    for table in product(product(secrets, range(values)), repeat=people):
        if all(len(set(column)) > 1 for column in zip(*table, strict=True)):
            yield table


@pytest.mark.parametrize("way", WAYS)
def test_of_a_person_known_by_the_released_value_alone(way: Way) -> None:
    """She may be any row that reads so: the joint range, the released table and the algorithm rule out no
    secret that stands behind her released value.
    """
    possible: dict[tuple[Range, object, Cell], set[str]] = defaultdict(set)
    for table in tables(3, "abc", 3):
        held = frozenset(table)
        cells = cells_of(held, way)
        released = tuple(sorted(tuple(sorted(cells[x])) for _, x in table))
        possible[held, released, cells[table[0][1]]].add(table[0][0])
    for (held, _, cell), secrets in possible.items():
        assert secrets == {s for s, x in held if x in cell}
        assert len(secrets) >= 2


@pytest.mark.parametrize("way", WAYS)
def test_of_a_person_whose_public_value_and_neighbours_are_known(way: Way) -> None:
    """x = 1, 2, 3, 4 and s = ?, a, a, b with two values left: the cells tell the first secret."""
    released = {
        first: set(cells_of(frozenset({(first, 1), ("a", 2), ("a", 3), ("b", 4)}), way).values())
        for first in "ab"
    }
    assert released["a"] == {frozenset({1, 2, 3, 4})}
    assert released["b"] == {frozenset({1, 2}), frozenset({3, 4})}
