"""Random sets of numbers and vectors and continuous joint ranges, with ends on a coarse lattice.

All ends are whole numbers between 0 and 4, so that two sets are equal exactly when they agree on `GRID`.
"""

from fractions import Fraction
from itertools import product

from hypothesis import settings
from hypothesis import strategies as st

from noiseless.theory.continuous.boxes import Box, BoxSet
from noiseless.theory.continuous.intervals import Interval, IntervalSet
from noiseless.theory.continuous.joint import ContinuousRange

FEWER = settings(max_examples=8)
"""For tests that look at many points of each example."""

GRID = [Fraction(k, 2) for k in range(-1, 10)]

ends = st.integers(0, 4).map(Fraction)


@st.composite
def intervals(draw: st.DrawFn) -> Interval:
    low, high = sorted((draw(ends), draw(ends)))
    return Interval.of(low, high, draw(st.sampled_from(["[]", "[)", "(]", "()"])) if low < high else "[]")


def interval_sets(least: int = 0, most: int = 4) -> st.SearchStrategy[IntervalSet]:
    return st.lists(intervals(), min_size=least, max_size=most).map(IntervalSet.union)


def boxes(dimension: int) -> st.SearchStrategy[Box]:
    return st.tuples(*[intervals()] * dimension).map(Box)


def box_sets(dimension: int, least: int = 0, most: int = 4) -> st.SearchStrategy[BoxSet]:
    listed = st.lists(boxes(dimension), min_size=least, max_size=most)
    return listed.map(lambda given: BoxSet.union(given, dimension=dimension))


def on_grid(numbers: IntervalSet) -> frozenset[Fraction]:
    return frozenset(value for value in GRID if value in numbers)


def on_plane(points: BoxSet) -> frozenset[tuple[Fraction, ...]]:
    return frozenset(point for point in product(GRID, repeat=points.dimension) if point in points)


@st.composite
def box_ranges(draw: st.DrawFn, size_x: int = 1, size_y: int = 1, most: int = 4) -> ContinuousRange:
    """[[X, Y]] that is a union of boxes."""
    pairs = draw(st.lists(st.tuples(boxes(size_x), boxes(size_y)), min_size=1, max_size=most))
    return ContinuousRange.from_boxes(pairs)


@st.composite
def solid_ranges(draw: st.DrawFn, size_x: int = 1, size_y: int = 1) -> ContinuousRange:
    """The same, in which [[X]] and [[Y]] have a volume."""
    joint = draw(box_ranges(size_x, size_y))
    corner = Box.of(*[(0, 1)] * size_x), Box.of(*[(0, 1)] * size_y)
    return ContinuousRange.from_boxes([*_products(joint), corner])


@st.composite
def line_ranges(draw: st.DrawFn, slopes: tuple[Fraction | int, ...] = (1, -1)) -> ContinuousRange:
    """Boxes, possibly none, and stretches of lines with whole offsets."""
    pairs = draw(st.lists(st.tuples(boxes(1), boxes(1)), max_size=3))
    line = st.tuples(intervals(), st.sampled_from(slopes), st.integers(-2, 2))
    return ContinuousRange.of(pairs, draw(st.lists(line, min_size=1, max_size=3)))


def _products(joint: ContinuousRange) -> list[tuple[Box, Box]]:
    return [(Box(box.sides[joint.size_y :]), Box(box.sides[: joint.size_y])) for box in joint.boxes]
