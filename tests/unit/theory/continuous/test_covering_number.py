import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from continuous_examples import FEWER, box_sets, interval_sets
from noiseless.errors import RequestError
from noiseless.exact import Bits, Nats, ball
from noiseless.theory.continuous.boxes import Box, BoxSet
from noiseless.theory.continuous.covering_number import (
    covering_bounds,
    covering_entropy,
    covering_gap,
    covering_number,
)
from noiseless.theory.continuous.intervals import IntervalSet

radii = st.sampled_from([Fraction(1, 4), Fraction(1, 2), Fraction(3, 4), Fraction(1), Fraction(5, 2)])


@pytest.mark.parametrize(
    ("numbers", "eps", "count"),
    [
        ("[0, 1]", "1/2", 1),
        ("(0, 1)", "1/2", 1),
        ("[0, 1]", "0.49", 2),
        ("[0, 4]", "1/2", 4),
        ("(0, 4)", "1/2", 4),  # open ends save nothing
        ("{0} | {1} | {2}", "1/2", 2),
        ("{0} | {1} | {2}", "0.49", 3),
        ("[0, 1) | (1, 2]", 1, 1),
        ("[0, 1] | [3/2, 2] | [5/2, 3]", "3/4", 2),  # the second set covers the ends of two intervals
        ("{7}", "1/1000", 1),
    ],
)
def test_covering_numbers(numbers: str, eps: str | int, count: int) -> None:
    assert covering_number(numbers, eps) == count
    assert covering_entropy(numbers, eps) == Bits(count)


def test_empty_and_unbounded_sets() -> None:
    assert covering_number(IntervalSet.of(), 1) == 0
    assert covering_number("[0, inf)", 1) == math.inf
    assert covering_entropy("[0, inf)", 1) == math.inf
    with pytest.raises(RequestError, match="empty"):
        covering_entropy(IntervalSet.of(), 1)
    with pytest.raises(RequestError, match="bounded"):
        covering_gap("[0, inf)", 1)
    with pytest.raises(RequestError, match="bounded"):
        covering_bounds("[0, inf) x [0, 1]", 1)
    with pytest.raises(RequestError, match="positive"):
        covering_number("[0, 1]", 0)


@FEWER
@given(interval_sets(least=1), radii)
def test_against_all_ways_to_group_points(numbers: IntervalSet, eps: Fraction) -> None:
    """The covering number of a set is that of a fine grid in it, found by dynamic programming."""
    points = [k for k in range(129) if Fraction(k, 32) in numbers]
    fewest, width = [0], int(64 * eps)
    for last in range(len(points)):
        starts = [first for first in range(last + 1) if points[last] - points[first] <= width]
        fewest.append(1 + min(fewest[first] for first in starts))
    assert covering_number(numbers, eps) == fewest[-1]


@given(interval_sets(least=1), radii)
def test_remark_ii_1(numbers: IntervalSet, eps: Fraction) -> None:
    """mu <= 2 eps N always, and eps N <= mu when each interval is at least eps long (Remark II.1 of [P4])."""
    count = int(covering_number(numbers, eps))
    assert numbers.measure <= 2 * eps * count
    assert covering_gap(numbers, eps) <= Nats(2)
    if all(interval.length >= eps for interval in numbers):
        assert eps * count <= numbers.measure
        assert covering_gap(numbers, eps) >= Nats(1)


@given(st.fractions(0, 5, max_denominator=8), radii)
def test_remark_ii_1_for_one_interval(length: Fraction, eps: Fraction) -> None:
    """For an interval eps N <= mu exactly when it is at least eps long."""
    assert (eps * covering_number((0, length), eps) <= length) == (length >= eps)


def test_remark_ii_1_fails_for_a_point() -> None:
    """As printed eps N <= mu: for a point N = 1 and mu = 0."""
    assert covering_number("{3}", 1) == 1
    assert covering_gap("{3}", 1) == Nats(0)
    assert covering_gap("[0, 1]", 2) < Nats(1)  # and for too coarse an eps
    assert covering_gap("[0, 10] | {20}", 1) >= Nats(1)  # a point beside enough length does no harm


def test_remark_ii_1_fails_in_thirteen_dimensions() -> None:
    """With Euclid's norm eps^n N > mu for every set with a volume once the unit ball's volume is below 1."""
    from flint import arb

    volumes = {n: arb.pi() ** ball(Fraction(n, 2)) / ball(Fraction(n, 2) + 1).gamma() for n in range(1, 40)}
    assert all(volumes[n] > 1 for n in range(1, 13))
    assert all(volumes[n] < 1 for n in range(13, 40))
    cube, eps = BoxSet.of(Box.of(*[(0, 1)] * 13)), Fraction(1, 4)
    assert covering_bounds(cube, eps).low * eps**13 > cube.measure
    # In the maximum norm the same cube keeps the remark's inequality.
    assert covering_bounds(cube, eps, norm="maximum").high * eps**13 <= cube.measure


def test_boxes_in_the_maximum_norm() -> None:
    assert covering_bounds("[0, 1] x [0, 3]", "1/4", norm="maximum") == (12, 12)
    assert covering_bounds("(0, 1) x {3}", "1/4", norm="maximum") == (2, 2)


def test_bounds_of_boxes() -> None:
    assert covering_bounds("[0, 3] x [0, 4]", "5/2") == (1, 1)  # its diagonal is 5
    low, high = covering_bounds("[0, 1] x [0, 1]", "1/4")
    assert (low, high) == (6, 9)  # 16/pi is above 5
    long = covering_bounds("[0, 100] x [0, 1/10]", "1/2")
    assert long.high - long.low <= 1  # bricks that are long, not cubes
    assert covering_bounds("[0, 1]", "1/4") == (2, 2)


@FEWER
@given(box_sets(2, least=1), radii, st.sampled_from(["euclidean", "maximum"]))
def test_bounds_are_in_order(boxes: BoxSet, eps: Fraction, norm: str) -> None:
    """Lower bounds are below upper ones, and Euclid's norm takes no fewer sets than the maximum norm."""
    low, high = covering_bounds(boxes, eps, norm)  # type: ignore[arg-type]
    assert 1 <= low <= high
    assert covering_bounds(boxes, eps, "maximum").low <= covering_bounds(boxes, eps).high
    assert boxes.measure <= (2 * eps) ** 2 * high
