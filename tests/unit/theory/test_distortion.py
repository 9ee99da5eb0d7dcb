import math
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given

from continuous_examples import FEWER, box_sets, interval_sets, line_ranges
from noiseless.errors import RequestError
from noiseless.theory.continuous.boxes import Box, BoxSet
from noiseless.theory.continuous.intervals import IntervalSet
from noiseless.theory.continuous.joint import ContinuousRange
from noiseless.theory.distortion import (
    cell_radius,
    max_distortion,
    max_distortion_bound,
    min_distortion,
    min_distortion_bound,
    radius_for_volume,
)
from noiseless.theory.polytopes import Distance, Polytope, smallest_enclosing_ball

EXAMPLE_II_1 = ContinuousRange.from_function([("[0, 1/2)", 1, 0), ("[1/2, 1]", 0, 1)])


def test_example_ii_1() -> None:
    """dmax = 1/4 attains the bound of Theorem II.1, dmin = 0 that of Theorem II.2."""
    assert max_distortion(EXAMPLE_II_1) == Fraction(1, 4) == max_distortion_bound(EXAMPLE_II_1)
    assert min_distortion(EXAMPLE_II_1) == 0 == min_distortion_bound(EXAMPLE_II_1)


@pytest.mark.parametrize(
    ("cell", "squared"),
    [
        ("[0, 4]", 4),
        ("(0, 4)", 4),
        ("{3}", 0),
        ("[0, 1] | [3, 4]", 9),  # the middle 2 is not possible: 1 and 3 are, 3 away from the far end
        ("[0, 1) | (3, 4]", 9),  # approached, not attained
        ("[0, 1] | {4}", 9),
        ("{0} | {4}", 16),
        ("[0, 2] x [0, 2]", 2),
        ("[0, 2] x {0}", 1),
        ("{0} x {0} | {2} x {0}", 4),
        ("[0, 1] x [0, 3] | [1, 3] x [0, 1]", 5),  # the centre (3/2, 3/2) of the hull is not in the L
        (
            "[0, 3] x [0, 1] | [0, 3] x [2, 3] | [0, 1] x [1, 2]",
            Fraction(25, 4),
        ),  # a U: the centre is (1, 3/2)
        ("[0, inf)", math.inf),
        ("[0, inf) x {0}", math.inf),
    ],
)
def test_radii(cell: str, squared: Fraction | float) -> None:
    assert cell_radius(cell) == Distance(squared)


def test_polytopes_are_cells() -> None:
    cells = [Polytope.slab(Box.of((0, 1), (0, 1)), (1, 1), low, low + 1) for low in (0, 1)]
    assert max_distortion(cells) == min_distortion(cells) == Distance(Fraction(1, 2))
    assert max_distortion_bound(cells) == radius_for_volume(Fraction(1, 2), 2)
    with pytest.raises(RequestError, match="not known"):
        max_distortion_bound([Polytope.of([(0, 0), (1, 0), (0, 1)])])


def test_wrong_cells() -> None:
    with pytest.raises(RequestError, match="at least one cell"):
        max_distortion([])
    with pytest.raises(RequestError, match="equally many"):
        min_distortion(["[0, 1]", "[0, 1] x [0, 1]"])
    with pytest.raises(RequestError, match="empty cell"):
        cell_radius(BoxSet.empty(2))
    with pytest.raises(RequestError, match="labels"):
        max_distortion(ContinuousRange.from_labels({"a": (0, 1)}).swapped())
    both = BoxSet.of(Box.of(*[(0, 1)] * 17), Box.of(*[(2, 3)] * 17))
    with pytest.raises(RequestError, match="up to 16"):
        cell_radius(both)


def test_labelled_answers() -> None:
    joint = ContinuousRange.from_labels({"low": "[0, 1)", "high": "[1, 4]"})
    assert max_distortion(joint) == Fraction(3, 2) == max_distortion_bound(joint)
    assert min_distortion(joint) == Fraction(1, 2) == min_distortion_bound(joint)


def test_points_that_move() -> None:
    """[[X|y]] = [0,1] and the point 2 + y: the middle (2 + y)/2 is not possible, 1 is; 1 + y away."""
    joint = ContinuousRange.of([((0, 1), "[0, 2]")], [("[2, 4]", 1, -2)])
    assert min_distortion(joint) == 2 - 1 + 0  # y = 0: from 1 to 2
    assert max_distortion(joint) == 3  # y = 2: from 1 to 4
    cross = ContinuousRange.of(lines=[("[0, 2]", 1, 0), ("[0, 2]", -1, 2)])
    assert min_distortion(cross) == 0  # where the lines cross only one value is possible
    assert max_distortion(cross) == 2  # at the ends, 0 or 2
    three = ContinuousRange.of([((0, 0), (0, 2)), ((4, 4), (0, 2))], [("[1, 3]", 1, -1)])
    assert min_distortion(three) == 2  # best when the point is in the middle
    assert max_distortion(three) == 3
    assert max_distortion(ContinuousRange.of([("[0, inf)", (0, 1))], [((0, 1), 1, 0)])) == math.inf
    assert max_distortion(ContinuousRange.of([((0, 1), "[0, inf)")], [("[0, inf)", 1, 0)])) == math.inf


def test_a_single_answer_inside_many_is_ignored_by_dmax_only() -> None:
    joint = ContinuousRange.from_boxes([((0, 2), "[0, 1) | (1, 2]"), ((0, 9), (1, 1))])
    assert max_distortion(joint) == 1
    narrow = ContinuousRange.from_boxes([((0, 2), "[0, 1) | (1, 2]"), ((0, 1), (1, 1))])
    assert min_distortion(narrow) == Fraction(1, 2)


def test_balls_of_known_volume() -> None:
    assert radius_for_volume(0, 3) == 0
    assert radius_for_volume(math.inf, 3) == math.inf
    assert radius_for_volume(Fraction(1, 3), 1) <= Fraction(1, 6)
    for n in range(1, 30):
        volume = math.pi ** (n / 2) / math.gamma(n / 2 + 1)
        assert radius_for_volume(Fraction(volume), n) == pytest.approx(1)


@given(interval_sets(least=1))
def test_radii_of_numbers_against_all_centres(cell: IntervalSet) -> None:
    """No possible estimate does better, and some come as near as one likes."""
    radius = cell_radius(cell)
    closed = IntervalSet.of(*((interval.low, interval.high) for interval in cell))
    centres = [Fraction(k, 4) for k in range(17) if Fraction(k, 4) in closed]
    low, high = Fraction(cell.hull.low), Fraction(cell.hull.high)
    far = [max(c - low, high - c) for c in centres]
    assert min(far) == radius


@FEWER
@given(box_sets(2, least=1, most=3))
def test_radii_of_vectors_against_centres_on_a_grid(cell: BoxSet) -> None:
    """No possible estimate on a grid does better, the best one hardly worse, a free centre not worse."""
    radius = cell_radius(cell)
    closed = [[(Fraction(side.low), Fraction(side.high)) for side in box.sides] for box in cell]
    corners = {corner for sides in closed for corner in product(*sides)}
    grid = [
        max((x - a) ** 2 + (y - b) ** 2 for a, b in corners)
        for x, y in product([Fraction(k, 4) for k in range(17)], repeat=2)
        if any(s[0][0] <= x <= s[0][1] and s[1][0] <= y <= s[1][1] for s in closed)
    ]
    assert radius <= Distance(min(grid))
    assert Distance(min(grid)).upper <= radius.upper + 0.18  # a grid point is within sqrt(2)/8 of any centre
    assert smallest_enclosing_ball(sorted(corners)).radius <= radius


@FEWER
@given(line_ranges(slopes=(1, -1, 2)))
def test_moving_points_against_samples(joint: ContinuousRange) -> None:
    """dmin and dmax enclose the radius behind every y that counts, and dmax is approached by some."""
    low, high = min_distortion(joint), max_distortion(joint)
    open_y = [answer.where.sides[0] for answer in joint.answers if answer.counts]
    samples = [Fraction(k, 6) for k in range(-60, 61)]
    seen = [cell_radius(joint.posterior(y)) for y in samples if any(y in where for where in open_y)]
    assert all(low <= radius <= high for radius in seen)
    assert max(seen).upper >= high.lower - 0.5  # no y is farther than 1/6 from a sample
