from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noiseless.errors import RequestError
from noiseless.exact import Bits, Nats
from noiseless.measures import leakage, maximin
from noiseless.theory.accuracy.regions import PiecewiseConstant
from noiseless.theory.continuous import Box, BoxSet


def half_open(*corners: tuple[int, int]) -> Box:
    return Box.of(*((low, high, "[)") for low, high in corners))


@st.composite
def policies(draw: st.DrawFn) -> tuple[PiecewiseConstant, dict[tuple[int, ...], int]]:
    """Unit cubes of a small grid, each given one of a few outputs."""
    sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=3))
    cubes = list(product(*map(range, sizes)))
    labels = {cube: draw(st.integers(0, 3)) for cube in cubes}
    regions = {
        label: BoxSet.of(*(half_open(*((c, c + 1) for c in cube)) for cube in cubes if labels[cube] == label))
        for label in sorted(set(labels.values()))
    }
    return PiecewiseConstant.of(regions), labels


@given(policies())
def test_reach_is_what_one_coordinate_can_cause(
    case: tuple[PiecewiseConstant, dict[tuple[int, ...], int]],
) -> None:
    policy, labels = case
    for axis in range(len(next(iter(labels)))):
        caused: dict[tuple[int, ...], set[int]] = {}
        for cube, label in labels.items():
            caused.setdefault(cube[:axis] + cube[axis + 1 :], set()).add(label)
        assert policy.reach(axis).outputs == max(map(len, caused.values()))


@given(policies())
def test_a_vector_is_told_as_its_region(case: tuple[PiecewiseConstant, dict[tuple[int, ...], int]]) -> None:
    policy, labels = case
    for cube, label in labels.items():
        assert policy([Fraction(2 * c + 1, 2) for c in cube]) == label
    assert maximin(policy.joint) == Bits(len(set(labels.values())))
    smallest = min(list(labels.values()).count(label) for label in set(labels.values()))
    assert leakage(policy.joint) == Nats(Fraction(len(labels), smallest))


def test_edges_belong_to_one_region() -> None:
    touching = {"a": BoxSet.of(Box.of((0, 1))), "b": BoxSet.of(Box.of((1, 2)))}
    with pytest.raises(RequestError, match="at their edges"):
        PiecewiseConstant.of(touching)
    with pytest.raises(RequestError, match="overlap"):
        PiecewiseConstant.of({"a": BoxSet.of(Box.of((0, 2))), "b": BoxSet.of(Box.of((1, 3)))})


def test_a_closed_interval_reaches_one_cell_more() -> None:
    """A point of a region on an edge is an output of its own: fibres are looked at exactly."""
    policy = PiecewiseConstant.of(
        {
            "left": BoxSet.of(Box.of((0, 1, "[)"), (0, 1))),
            "right": BoxSet.of(Box.of((1, 2, "[]"), (0, 1, "[)"))),
            "corner": BoxSet.of(Box.of((1, 2), (1, 1))),
        }
    )
    assert policy.reach(0).outputs == 2
    assert policy.reach(1).outputs == 2
    assert policy((1, 1)) == "corner"


def test_policies_that_make_no_sense() -> None:
    with pytest.raises(RequestError, match="at least one region"):
        PiecewiseConstant.of({})
    with pytest.raises(RequestError, match="same number"):
        PiecewiseConstant.of({"a": BoxSet.of(Box.of((0, 1))), "b": BoxSet.of(Box.of((0, 1), (0, 1)))})
    with pytest.raises(RequestError, match="in no region"):
        PiecewiseConstant.of({"a": BoxSet.of(Box.of((0, 1)))})((2,))
