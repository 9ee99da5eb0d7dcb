"""Chebyshev radii of cells: the error of the best estimate that is itself possible.

An estimate of X from y must be one of the values that y leaves possible (Assumption II.1 of [P4]), so the
centre of the ball is confined to the cell. For a convex cell this costs nothing: the centre of the smallest
enclosing ball lies in it, or on its edge. A cell with holes has its centre at the best place that it does
hold, and the radius grows. If that place is an end that does not belong to the cell, no single best
estimate exists, and the radius is what estimates come arbitrarily near to.
"""

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import product

from noiseless.errors import RequestError
from noiseless.theory.continuous.boxes import BoxSet
from noiseless.theory.continuous.intervals import IntervalSet
from noiseless.theory.continuous.lines import SetLike, as_boxes
from noiseless.theory.distortion.distances import Distance
from noiseless.theory.distortion.polytopes import (
    MOST_COORDINATES,
    Ball,
    Polytope,
    Vector,
    enclosing_ball,
    smallest_enclosing_ball,
)

Cell = SetLike | Polytope
"""A set of values of X that an answer leaves possible."""


def cell_radius(cell: Cell) -> Distance:
    """The infimum over c in the cell of the supremum over x in the cell of |x - c|, exactly.

    Raises:
        RequestError: the cell is empty, or has too many coordinates for its corners to be listed.

    >>> cell_radius("[0, 4]"), cell_radius("[0, 1] | [3, 4]"), cell_radius("[0, 3] x [0, 4]")
    (Distance(4), Distance(9), Distance(25/4))
    """
    if isinstance(cell, Polytope):
        return cell.radius
    boxes = as_boxes(cell)
    if not boxes:
        raise RequestError("an empty cell has no radius")
    if not boxes.is_bounded:
        return Distance(math.inf)
    if boxes.dimension == 1:
        return Distance(interval_radius(boxes.as_intervals()) ** 2)
    if len(boxes.boxes) == 1:
        sides = (side.length for side in boxes.boxes[0].sides)
        return Distance(sum((Fraction(side) ** 2 / 4 for side in sides), Fraction(0)))
    return Distance(_radius_of_union(boxes))


def interval_radius(cell: IntervalSet) -> Fraction:
    """The radius of a bounded set of numbers: half its width, and the way from its middle to the set."""
    hull = cell.hull
    middle, half = Fraction(hull.low + hull.high) / 2, Fraction(hull.length) / 2
    gaps = (max(interval.low - middle, middle - interval.high, Fraction(0)) for interval in cell)
    return half + Fraction(min(gaps))


def _radius_of_union(boxes: BoxSet) -> Fraction:
    """The squared radius of several boxes.

    From any c some point of the set is at least sqrt(R^2 + |c - o|^2) away, o and R being the centre and the
    radius of the smallest enclosing ball; so boxes are tried from the nearest to o on, until none can win.
    """
    if boxes.dimension > MOST_COORDINATES:
        raise RequestError(f"corners are listed for up to {MOST_COORDINATES} coordinates")
    closed = [[(Fraction(side.low), Fraction(side.high)) for side in box.sides] for box in boxes]
    corners = list(dict.fromkeys(corner for sides in closed for corner in product(*sides)))
    ball = smallest_enclosing_ball(corners)
    best: Fraction | float = math.inf
    for gap, sides in sorted((_gap(ball.centre, sides), sides) for sides in closed):
        if ball.squared_radius + gap >= best:
            break
        found = ball.squared_radius if gap == 0 else _held_in(sides, corners, ball)
        best = min(best, found)
    return Fraction(best)


def _gap(point: Vector, sides: list[tuple[Fraction, Fraction]]) -> Fraction:
    """The squared distance of a point from a closed box."""
    gaps = (max(low - p, p - high, Fraction(0)) for p, (low, high) in zip(point, sides, strict=True))
    return sum((gap * gap for gap in gaps), Fraction(0))


def _held_in(sides: list[tuple[Fraction, Fraction]], corners: list[Vector], ball: Ball) -> Fraction:
    """The least squared radius of a ball round all corners whose centre lies in a closed box.

    The best centre lies inside some face, and is the best one of the face's whole plane.
    """
    best: Fraction | float = math.inf
    for face in _faces(sides):
        plane = [(v, v) if v is not None else side for v, side in zip(face, sides, strict=True)]
        if ball.squared_radius + _gap(ball.centre, plane) >= best:
            continue
        held = [i for i, v in enumerate(face) if v is not None]
        free = [i for i, v in enumerate(face) if v is None]
        extra = [sum(((corner[i] - plane[i][0]) ** 2 for i in held), Fraction(0)) for corner in corners]
        found = enclosing_ball([tuple(corner[i] for i in free) for corner in corners], extra)
        inside = all(plane[i][0] <= c <= plane[i][1] for i, c in zip(free, found.centre, strict=True))
        if inside:
            best = min(best, found.squared_radius)
    return Fraction(best)


def _faces(sides: list[tuple[Fraction, Fraction]]) -> Iterator[tuple[Fraction | None, ...]]:
    """All faces of a box but the box itself, corners first: the value on each axis, None where it is free."""
    ends = [(low, high, None) if low < high else (low,) for low, high in sides]
    return (face for face in product(*ends) if any(value is not None for value in face))


def cell_measure(cell: Cell) -> Fraction | float:
    """The volume of a cell.

    Raises:
        RequestError: it is a polytope that was given by its vertices alone.
    """
    if not isinstance(cell, Polytope):
        return as_boxes(cell).measure
    if cell.measure is None:
        raise RequestError("the volume of this polytope is not known; cut it from a box with Polytope.slab")
    return cell.measure


def cell_dimension(cell: Cell) -> int:
    """How many coordinates the values of a cell have."""
    return len(cell.vertices[0]) if isinstance(cell, Polytope) else as_boxes(cell).dimension
