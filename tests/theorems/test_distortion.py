"""What no estimator can do (Theorems II.1 and II.2 of [P4]); each docstring is the statement."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from continuous_examples import FEWER, box_ranges, box_sets, line_ranges
from noiseless.theory.continuous.boxes import Box, BoxSet
from noiseless.theory.continuous.joint import ContinuousRange
from noiseless.theory.distortion import (
    cell_radius,
    max_distortion,
    max_distortion_bound,
    min_distortion,
    min_distortion_bound,
    radius_for_volume,
)
from noiseless.theory.polytopes import Distance, Polytope


@given(box_ranges() | line_ranges())
def test_theorems_ii_1_and_ii_2(joint: ContinuousRange) -> None:
    """exp(h0(X|Y))/2 <= dmax and exp(d0(X|Y))/2 <= dmin for scalars, for any joint range."""
    assert max_distortion_bound(joint) <= max_distortion(joint)
    assert min_distortion_bound(joint) <= min_distortion(joint) <= max_distortion(joint)


@FEWER
@given(box_ranges(size_x=2, most=3))
def test_theorems_for_vectors(joint: ContinuousRange) -> None:
    """Gamma(n/2+1)^(1/n)/sqrt(pi) exp(h0(X|Y)/n) <= dmax and the same with d0 <= dmin, n = 2."""
    assert max_distortion_bound(joint) <= max_distortion(joint)
    assert min_distortion_bound(joint) <= min_distortion(joint)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=9))
def test_theorem_ii_1_in_many_dimensions(lengths: list[int]) -> None:
    """The printed bound holds in every dimension n, here for boxes."""
    box = BoxSet.of(Box.of(*((0, length) for length in lengths)))
    assert max_distortion_bound([box]) <= cell_radius(box)


@FEWER
@given(st.integers(1, 4), st.integers(1, 4), st.data())
def test_theorem_ii_2_for_polytopes(people: int, cells: int, data: st.DataObject) -> None:
    """The same for the cells of a linear query, whose volumes and radii are exact."""
    weights = [data.draw(st.integers(1, 3)) for _ in range(people)]
    box, total = Box.of(*[(0, 1)] * people), sum(weights)
    parts = [
        Polytope.slab(box, weights, Fraction(k * total, cells), Fraction((k + 1) * total, cells))
        for k in range(cells)
    ]
    assert sum(part.measure or 0 for part in parts) == 1
    assert max_distortion_bound(parts) <= max_distortion(parts)
    assert min_distortion_bound(parts) <= min_distortion(parts)


@given(box_sets(1, least=1))
def test_intervals_attain_theorem_ii_1(cell: BoxSet) -> None:
    """For scalars the bound is attained exactly by intervals (up to null sets that widen nothing)."""
    numbers = cell.as_intervals()
    if len(numbers) == 1:
        assert cell_radius(numbers) == Distance(Fraction(numbers.measure) ** 2 / 4)
    elif numbers.measure != numbers.hull.length:
        assert cell_radius(numbers) > Fraction(numbers.measure) / 2


def test_no_box_attains_theorem_ii_1_in_the_plane() -> None:
    """Balls attain it, boxes do not: the half diagonal of a square is 25 per cent above the bound."""
    square = cell_radius("[0, 1] x [0, 1]")
    assert square == Distance(Fraction(1, 2))
    assert 1.25 < square.lower / radius_for_volume(1, 2) < 1.26


def test_the_centre_must_be_possible() -> None:
    """With a hole where the middle is, the best possible estimate is worse than half the diameter."""
    assert cell_radius("[0, 1] | [9, 10]") == 9
    assert cell_radius("[0, 10]") == 5
