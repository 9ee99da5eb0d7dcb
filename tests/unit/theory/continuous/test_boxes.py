import math
from fractions import Fraction
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from continuous_examples import FEWER, GRID, box_sets, boxes, interval_sets, on_plane
from noiseless.errors import ExpressionError, RequestError
from noiseless.theory.continuous.boxes import Box, BoxSet
from noiseless.theory.continuous.intervals import Interval, IntervalSet


def test_an_l_shape() -> None:
    shape = BoxSet.of(Box.of((0, 2), (0, 1)), Box.of((0, 1), (0, 2)))
    assert shape.measure == 3
    assert shape == BoxSet.parse("[0, 1] x [0, 2] | (1, 2] x [0, 1]")
    assert shape.slice({0: "3/2"}).as_intervals() == IntervalSet.of((0, 1))
    assert (1, 2) in shape
    assert ("1.01", 2) not in shape


def test_open_and_closed_edges_differ() -> None:
    closed, open_ = BoxSet.parse("[0, 1] x [0, 1]"), BoxSet.parse("(0, 1) x (0, 1)")
    assert open_ < closed
    assert (closed - open_).measure == 0
    assert (closed - open_).slice({0: 0}).as_intervals() == IntervalSet.of((0, 1))
    assert (closed - open_).slice({0: "1/2"}).as_intervals() == IntervalSet.of((0, 0), (1, 1))


def test_products_of_sets() -> None:
    a, b = IntervalSet.parse("[0, 1] | {5}"), IntervalSet.parse("[0, 2) | (3, 4)")
    assert BoxSet.product(a, b) == BoxSet.parse(
        "[0, 1] x [0, 2) | [0, 1] x (3, 4) | {5} x [0, 2) | {5} x (3, 4)"
    )
    assert BoxSet.product(a, IntervalSet.of()) == BoxSet.empty(2)


def test_volumes_that_are_not_finite() -> None:
    assert BoxSet.parse("[0, inf) x [0, 1]").measure == math.inf
    assert BoxSet.parse("(-inf, inf) x {1}").measure == 0
    assert BoxSet.empty(3).measure == 0


def test_counting_points() -> None:
    assert BoxSet.parse("{1} x {2} | {1} x {3} | {4} x {2}").count == 3
    assert BoxSet.parse("{1} x [2, 3]").count == math.inf
    assert BoxSet.empty(2).count == 0


def test_many_dimensions_are_no_trouble() -> None:
    sides = Interval.of(0, 2), Interval.of(1, 3), Interval.of(0, 3, "()")
    a, b, c = (BoxSet.of(Box((side,) * 20)) for side in sides)
    assert (a | b).measure == 2 * 2**20 - 1
    assert a | b | c == c | b | a
    assert ((a | b) - c).slice(dict.fromkeys(range(19), 0)).as_intervals() == IntervalSet.of((0, 2))


def test_text_is_read_back() -> None:
    text = "[0, 1] x {2} | (1, 2) x [0, inf)"
    assert str(BoxSet.parse(text)) == text
    assert eval(repr(BoxSet.parse(text))) == BoxSet.parse(text)
    assert eval(repr(BoxSet.empty(2))) == BoxSet.empty(2)


@pytest.mark.parametrize(
    "text", ["", "[0, 1] x", "[0, 1] | [0, 1] x [0, 1]", "[0, 1] x {1, 2}", "[1, 0] x {2}"]
)
def test_unreadable_texts(text: str) -> None:
    with pytest.raises(ExpressionError):
        BoxSet.parse(text)


def test_wrong_requests() -> None:
    plane = BoxSet.parse("[0, 1] x [0, 1]")
    for wrong in ([], [0, 0], [2], [-1]):
        with pytest.raises(RequestError, match="axes"):
            plane.project(wrong)
    for fixed in ({0: 0, 1: 0}, {2: 0}):
        with pytest.raises(RequestError, match="fix"):
            plane.slice(fixed)
    with pytest.raises(RequestError, match="dimension"):
        _ = plane | BoxSet.parse("[0, 1]")
    with pytest.raises(RequestError, match="dimension"):
        BoxSet.of(Box.of((0, 1)), Box.of((0, 1), (0, 1)))
    with pytest.raises(RequestError, match="dimension"):
        BoxSet.of()
    with pytest.raises(RequestError, match="side"):
        Box.of()
    with pytest.raises(RequestError, match="dimension 1"):
        plane.as_intervals()


@FEWER
@given(box_sets(2), box_sets(2))
def test_set_algebra_on_a_grid(a: BoxSet, b: BoxSet) -> None:
    """Every operation agrees with the same one on the points of a grid that tells the sets apart."""
    here, there = on_plane(a), on_plane(b)
    assert on_plane(a | b) == here | there
    assert on_plane(a & b) == here & there
    assert on_plane(a - b) == here - there
    assert on_plane(a ^ b) == here ^ there
    assert (a <= b) == (here <= there)
    assert (a == b) == (here == there)
    assert (a < b, a > b, a >= b) == (here < there, here > there, here >= there)
    assert bool(a) == bool(here)


@FEWER
@given(box_sets(3), box_sets(3), box_sets(3))
def test_laws(a: BoxSet, b: BoxSet, c: BoxSet) -> None:
    """One form for each set; De Morgan inside a common set; additivity of the volume."""
    everything = a | b | c
    assert everything == c | (b | a)
    assert everything - (a | b) == (everything - a) & (everything - b)
    assert everything - (a & b) == (everything - a) | (everything - b)
    assert a & (b | c) == (a & b) | (a & c)
    assert (a ^ b) ^ c == a ^ (b ^ c)
    assert a.measure + b.measure == (a | b).measure + (a & b).measure
    assert (a ^ b).measure == (a - b).measure + (b - a).measure
    assert hash((a | b) - b) == hash(a - b)


@FEWER
@given(st.lists(boxes(3), min_size=1, max_size=5))
def test_volumes_by_inclusion_and_exclusion(given_boxes: list[Box]) -> None:
    expected = Fraction(0)
    for size in range(1, len(given_boxes) + 1):
        for chosen in combinations(given_boxes, size):
            common: Box | None = chosen[0]
            for box in chosen[1:]:
                common = common.meet(box) if common else None
            expected += (-1) ** (size + 1) * Fraction(common.measure if common else 0)
    assert BoxSet.union(given_boxes).measure == expected


@FEWER
@given(box_sets(2, most=5))
def test_boxes_are_disjoint_and_make_up_the_set(a: BoxSet) -> None:
    assert BoxSet.union(a.boxes, dimension=2) == a
    assert all(first.meet(second) is None for first, second in combinations(a.boxes, 2))
    assert sum((Fraction(box.measure) for box in a), Fraction(0)) == a.measure


@FEWER
@given(box_sets(2))
def test_projections_and_slices(a: BoxSet) -> None:
    points = on_plane(a)
    for axis in (0, 1):
        projected = a.project([axis]).as_intervals()
        assert {value for value in GRID if value in projected} == {point[axis] for point in points}
        for value in GRID[::3]:
            section = a.slice({axis: value}).as_intervals()
            assert {u for u in GRID if u in section} == {p[1 - axis] for p in points if p[axis] == value}
    assert a.project([1, 0]).project([1, 0]) == a


@FEWER
@given(box_sets(3))
def test_sections_make_up_the_set(a: BoxSet) -> None:
    parts = [BoxSet.product(BoxSet.of(where), section) for where, section in a.sections(1)]
    total = BoxSet.empty(3)
    for part in parts:
        assert not total & part
        total |= part
    assert total == a


@given(interval_sets(), interval_sets())
def test_products(a: IntervalSet, b: IntervalSet) -> None:
    both = BoxSet.product(a, b)
    assert both.measure == a.measure * b.measure
    assert both == BoxSet.union([Box((u, v)) for u, v in product(a, b)], dimension=2)
    assert both.project([0]).as_intervals() == (a if b else IntervalSet.of())


@given(st.lists(boxes(2), min_size=33, max_size=60))
def test_many_boxes(many: list[Box]) -> None:
    """More boxes than are swept at once give the same set."""
    one_by_one = BoxSet.empty(2)
    for box in many:
        one_by_one |= BoxSet.of(box)
    assert BoxSet.union(many) == one_by_one
