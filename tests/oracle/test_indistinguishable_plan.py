"""Plans by indistinguishability, against Definition 5 of [P2] by enumeration of datasets."""

from fractions import Fraction
from itertools import combinations, product
from typing import Any

import pytest

import noiseless as nl
from noiseless.questions import Attribute, total
from noiseless.ranges.quantizer import Stepped
from noiseless.theory.indistinguishability import linear_indistinguishability
from noiseless.theory.indistinguishable_plan import fewest_points, telling_outputs
from noiseless.theory.linear_query import LinearQuery


def worst_difference(people: int, most: int, points: int) -> int:
    """The largest symmetric difference of [[Y|x_i]] and [[Y|x_i']], dataset by dataset."""
    quantizer = Stepped(total(people, Attribute("x", range(most + 1))).span, points)
    told = {
        own: {quantizer.cell_at(own + sum(others)) for others in product(range(most + 1), repeat=people - 1)}
        for own in range(most + 1)
    }
    return max(len(told[a] ^ told[b]) for a, b in combinations(told, 2))


@pytest.mark.parametrize(("people", "most"), [(2, 1), (2, 5), (3, 1), (3, 3), (4, 2), (5, 1)])
def test_telling_outputs_are_counted_right(people: int, most: int) -> None:
    for points in range(1, people * most + 2):
        assert telling_outputs(people, most, points) == worst_difference(people, most, points)
    for outputs in range(1, 2 * most + 3):
        sound = [p for p in range(1, people * most + 2) if worst_difference(people, most, p) <= outputs]
        assert fewest_points(people, most, outputs) == min(sound)


@pytest.mark.parametrize("people", [2, 3, 10])
@pytest.mark.parametrize("outputs", [1, 2, 3, 4, 7])
def test_one_cell_more_would_tell_more(people: int, outputs: int) -> None:
    found = nl.plan("mean", n=people, bounds=(0, 100), indistinguishable=outputs)
    query = LinearQuery.average(people, 0, 100)
    assert linear_indistinguishability(query, found.cells).size <= outputs
    assert linear_indistinguishability(query, found.cells + 1).size > outputs
    assert found.to_dict()["telling_outputs"] == linear_indistinguishability(query, found.cells).size


def test_plans_say_what_they_keep() -> None:
    found = nl.plan("mean", n=10, bounds=(0, 1), indistinguishable=2)
    assert "At most 2 answers distinguish two values of one person, the others unknown" in str(found)
    assert (found.cells, found.to_dict()["epsilon"]) == (19, 1.0)
    exact = nl.plan("count", n=30, indistinguishable=2)
    assert exact.cells == 31
    assert exact.worst_error == 0
    vast = nl.plan("mean", n=10**9, bounds=(0, 10**12), step=1, indistinguishable=3)
    assert vast.to_dict()["telling_outputs"] <= 3
    wide = nl.plan("sum", n=30, bounds=(0, 100000), step=Fraction(1, 100), indistinguishable=1)
    assert wide.to_dict()["telling_outputs"] == 1


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"query": "max", "n": 9, "indistinguishable": 2}, "counts, sums and means"),
        ({"query": "sum", "n": 1, "indistinguishable": 2}, "two or more people"),
        ({"query": "sum", "n": 9, "indistinguishable": 0}, "a whole number of outputs"),
        ({"query": "sum", "n": 9, "indistinguishable": 2, "budget": 1}, "only one of them"),
    ],
)
def test_what_cannot_be_planned_is_refused(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(nl.NoiselessError, match=said):
        nl.plan(bounds=(0, 1), **asked)
