import math
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from continuous_examples import FEWER
from noiseless.errors import RequestError
from noiseless.theory.continuous.boxes import Box
from noiseless.theory.polytopes import (
    Ball,
    Distance,
    Polytope,
    enclosing_ball,
    mean_cell_radius,
    mean_errors,
    slab_volume,
    smallest_enclosing_ball,
)

Points = list[tuple[Fraction, ...]]


def clouds(most: int = 7) -> st.SearchStrategy[Points]:
    """Points on a small lattice, many of them in special position."""
    coordinate = st.integers(-2, 2).map(Fraction)
    return st.integers(1, 3).flatmap(
        lambda size: st.lists(st.tuples(*[coordinate] * size), min_size=1, max_size=most)
    )


def at(*coordinates: Fraction | int) -> tuple[Fraction, ...]:
    return tuple(map(Fraction, coordinates))


def squared(u: tuple[Fraction, ...], v: tuple[Fraction, ...]) -> Fraction:
    return sum(((a - b) ** 2 for a, b in zip(u, v, strict=True)), Fraction(0))


def test_known_balls() -> None:
    assert smallest_enclosing_ball([(3, 4)]) == Ball((Fraction(3), Fraction(4)), Fraction(0))
    assert smallest_enclosing_ball([(0,), (1,), ("1/3",)]).squared_radius == Fraction(1, 4)
    acute = smallest_enclosing_ball([(0, 0), (4, 0), (1, 3)])
    assert acute == Ball(at(2, 1), Fraction(5))
    obtuse = smallest_enclosing_ball([(0, 0), (10, 0), (5, 1)])
    assert obtuse == Ball(at(5, 0), Fraction(25))
    assert obtuse.radius == 5
    assert at(5, -5) in obtuse
    assert at(5, 6) not in obtuse


def test_wrong_points() -> None:
    with pytest.raises(RequestError, match="at least one point"):
        smallest_enclosing_ball([])
    with pytest.raises(RequestError, match="equally many"):
        smallest_enclosing_ball([(0,), (0, 0)])


@given(clouds())
def test_balls_hold_all_points_and_cannot_shrink(points: Points) -> None:
    """All points lie inside, and the centre lies between points on the edge: no other ball is as small."""
    found = smallest_enclosing_ball(points)
    assert all(point in found for point in points)
    edge = [point for point in points if squared(found.centre, point) == found.squared_radius]
    assert _in_hull(found.centre, edge)


def _in_hull(point: tuple[Fraction, ...], corners: Points) -> bool:
    """Whether some simplex of corners holds the point (Caratheodory), by exact barycentric coordinates."""
    size = len(point)
    for count in range(1, size + 2):
        for chosen in combinations(dict.fromkeys(corners), count):
            if _foot_inside(point, chosen):
                return True
    return False


def _foot_inside(point: tuple[Fraction, ...], chosen: tuple[tuple[Fraction, ...], ...]) -> bool:
    from flint import fmpq, fmpq_mat

    rows = [[fmpq(c.numerator, c.denominator) for c in corner] + [fmpq(1)] for corner in chosen]
    matrix = fmpq_mat(rows)
    gram = matrix * matrix.transpose()
    if gram.det() == 0:
        return False
    goal = fmpq_mat([[fmpq(c.numerator, c.denominator)] for c in (*point, Fraction(1))])
    weights = gram.inv() * matrix * goal
    exact = matrix.transpose() * weights == goal
    return bool(exact and all(weights[i, 0] >= 0 for i in range(len(chosen))))


@FEWER
@given(clouds(5), st.data())
def test_balls_with_extra_distances(points: Points, data: st.DataObject) -> None:
    """The smallest ball with its centre in a plane: no lattice point of the plane has a smaller value."""
    extra = [Fraction(data.draw(st.integers(0, 9))) for _ in points]
    found = enclosing_ball(points, extra)
    values = [squared(found.centre, p) + e for p, e in zip(points, extra, strict=True)]
    assert max(values) == found.squared_radius
    assert _in_hull(
        found.centre, [p for p, v in zip(points, values, strict=True) if v == found.squared_radius]
    )


def test_slabs_of_boxes() -> None:
    square, half = Box.of((0, 2), (0, 2)), Fraction(1, 2)
    corner = Polytope.slab(square, (1, 1), 0, 1)
    assert set(corner.vertices) == {at(0, 0), at(1, 0), at(0, 1)}
    assert corner.radius == Distance(Fraction(1, 2))
    middle = Polytope.slab(square, (1, 1), 1, 3)
    assert set(middle.vertices) == {at(1, 0), at(0, 1), at(2, 0), at(0, 2), at(2, 1), at(1, 2)}
    assert middle.measure == 3
    upright = Polytope.slab(square, (1, 0), "1/2", 1)
    assert set(upright.vertices) == {at(half, 0), at(1, 0), at(half, 2), at(1, 2)}
    assert upright.measure == 1
    assert Polytope.slab(square, (0, 0), -1, 1).measure == 4
    touching = Polytope.slab(square, (1, 1), 4, 5)
    assert touching.vertices == (at(2, 2),)
    assert touching.measure == 0


def test_wrong_slabs() -> None:
    square = Box.of((0, 1), (0, 1))
    with pytest.raises(RequestError, match="no point"):
        Polytope.slab(square, (1, 1), 3, 4)
    with pytest.raises(RequestError, match="2 coordinates"):
        Polytope.slab(square, (1,), 0, 1)
    with pytest.raises(RequestError, match="finite"):
        Polytope.slab(Box.of((0, math.inf)), (1,), 0, 1)
    with pytest.raises(RequestError, match="up to 16"):
        Polytope.slab(Box.of(*[(0, 1)] * 17), [1] * 17, 0, 1)


@FEWER
@given(
    st.lists(st.tuples(st.integers(-2, 2), st.integers(1, 3)), min_size=1, max_size=3),
    st.lists(st.integers(-2, 2), min_size=3, max_size=3),
    st.lists(st.integers(-9, 9), min_size=3, max_size=3, unique=True).map(sorted),
)
def test_slabs_add_up(sides: list[tuple[int, int]], normal: list[int], levels: list[int]) -> None:
    """Volumes of adjacent slabs add up, those of all slabs to the box; vertices lie in box and slab."""
    box = Box.of(*((low, low + width) for low, width in sides))
    slopes = normal[: len(sides)]
    first, second, third = levels
    parts = slab_volume(box, slopes, first, second) + slab_volume(box, slopes, second, third)
    flat = not any(slopes)  # then a plane that holds the box is counted on both sides
    assert flat or parts == slab_volume(box, slopes, first, third)
    assert slab_volume(box, slopes, -99, 99) == box.measure
    assert slab_volume(box, slopes, third, first) == 0
    if slab_volume(box, slopes, first, third) > 0:
        cell = Polytope.slab(box, slopes, first, third)
        assert all(vertex in box for vertex in cell.vertices)
        values = [sum(s * v for s, v in zip(slopes, vertex, strict=True)) for vertex in cell.vertices]
        assert first <= min(values) <= max(values) <= third


def test_volumes_against_a_grid() -> None:
    """A plane with a negative slope, counted on a fine grid of cell centres."""
    box, n = Box.of((0, 2), (1, 2)), 60
    centres = [(Fraction(2 * i + 1, n), 1 + Fraction(2 * j + 1, 2 * n)) for i in range(n) for j in range(n)]
    share = Fraction(sum(-1 <= x - 2 * y <= 0 for x, y in centres), n * n)
    assert abs(slab_volume(box, (1, -2), -1, 0) - share * 2) < Fraction(1, 20)


@FEWER
@given(st.integers(1, 4), st.integers(1, 5), st.data())
def test_cells_of_a_mean_against_vertices(people: int, cells: int, data: st.DataObject) -> None:
    """The closed form for the mean agrees with the smallest ball round the vertices of the cell."""
    cell = data.draw(st.integers(0, cells - 1))
    box = Box.of(*[(100, 250)] * people)
    edges = [people * (100 + Fraction(150 * k, cells)) for k in (cell, cell + 1)]
    polytope = Polytope.slab(box, [1] * people, *edges)
    assert polytope.radius == mean_cell_radius(people, cells, 150, cell)


def test_example_iv_2_corrected() -> None:
    """The adversary's error is (R/q) sqrt(n(n-1)) for 2 <= n <= q: it does depend on n."""
    for cells in range(2, 12):
        for people in range(2, cells + 1):
            smallest, _ = mean_errors(people, cells, 150)
            assert smallest == Distance(Fraction(150, cells) ** 2 * people * (people - 1))


def test_example_iv_2_for_one_person_and_for_many() -> None:
    """n = 1: R/(2q). n > q, q >= 2: with n = m q + r, f = r/q the corner cell is no simplex any more."""
    for cells in range(2, 9):
        assert mean_errors(1, cells, 150)[0] == Fraction(150, 2 * cells)
        for people in range(1, 40):
            m, f = divmod(Fraction(people, cells), 1)
            if f >= Fraction(2, cells):
                square = m + f**2 - Fraction(people, cells**2)
            elif 2 * m >= f * people:
                square = m - Fraction(m**2, people)
            else:
                square = m - m * f + people * f**2 / 4
            assert mean_errors(people, cells, 150)[0] == Distance(square * 150**2)
    assert mean_errors(9, 1, 2)[0] == 3  # one cell: the cube's half diagonal


def test_example_iv_2_as_printed_is_wrong() -> None:
    """The paper: dmin = R sqrt(2)/q whatever n, and at least 10 cm needs gamma above 22/75."""
    printed = Distance(Fraction(150, 5) ** 2 * 2)
    assert mean_errors(2, 5, 150)[0] == printed
    assert mean_errors(3, 5, 150)[0] > printed
    assert mean_errors(1, 5, 150)[0] < printed
    # A larger gamma makes more cells, and the error smaller: 21 cells keep 10 cm, 22 do not.
    assert mean_errors(2, 21, 150)[0] >= 10
    assert mean_errors(2, 22, 150)[0] < 10
    assert max(q for q in range(1, 60) if mean_errors(2, q, 150)[0] >= 10) == 21  # gamma <= 21/75


def test_the_corner_cell_is_the_smallest() -> None:
    for people in range(1, 15):
        for cells in range(1, 15):
            radii = [mean_cell_radius(people, cells, 1, cell) for cell in range(cells)]
            assert min(radii) == radii[0] == radii[-1]
            assert (min(radii), max(radii)) == mean_errors(people, cells, 1)


def test_wrong_means() -> None:
    for wrong in [(0, 1, 1, 0), (1, 0, 1, 0), (1, 2, 1, 2)]:
        with pytest.raises(RequestError, match="at least one person"):
            mean_cell_radius(*wrong)
