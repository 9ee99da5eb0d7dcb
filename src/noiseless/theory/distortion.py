"""Distortion: how far the best estimate of X from Y may be from X ((4) and (7) of [P4]).

The best estimator puts its estimate, for each y by itself, where the largest distance to [[X|y]] is smallest.
dmax is what it cannot do better than behind the least telling answer, dmin behind the most telling one. As in
all suprema here answers that are no open part of [[Y]] are ignored by dmax; dmin ignores no answer.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise, product
from typing import NamedTuple

from flint import arb, ctx

from noiseless.errors import RequestError
from noiseless.exact import ball, ball_below
from noiseless.theory.continuous.boxes import BoxSet
from noiseless.theory.continuous.cuts import Endpoint, linear
from noiseless.theory.continuous.intervals import Interval, IntervalSet
from noiseless.theory.continuous.joint import AnswerRegion, ContinuousRange
from noiseless.theory.continuous.pieces import SetLike, as_boxes, inner_point
from noiseless.theory.polytopes import (
    MOST_COORDINATES,
    Ball,
    Distance,
    Polytope,
    Vector,
    enclosing_ball,
    smallest_enclosing_ball,
)

Cell = SetLike | Polytope
"""A set of values of X that an answer leaves possible."""

Cells = ContinuousRange | Sequence[Cell]
"""A joint range, or the cells [[X|y]] of a deterministic release by themselves."""

_PRECISION = 128
"""Bits of the balls; far more than a float shows."""


def max_distortion(cells: Cells) -> Distance:
    """The dmax of (4) of [P4] for the best estimator: ess sup_y of the Chebyshev radius of [[X|y]].

    How far the best guess of what is hidden can be from it, after the answer that helps least. The best
    guess is the centre of the smallest ball that holds what an answer leaves possible.

    >>> joint = ContinuousRange.from_function([("[0, 1/2)", 1, 0), ("[1/2, 1]", 0, 1)])
    >>> max_distortion(joint).exact, max_distortion_bound(joint)
    (Fraction(1, 4), 0.25)

    Inequalities:
        * `dmin <= dmax`.
        * `max_distortion_bound(joint) <= dmax`: Theorem II.1 of [P4].
    """
    if isinstance(cells, ContinuousRange):
        _check_numbers(cells)
        return max(error_span(answer)[1] for answer in cells.answers if answer.counts)
    return max(cell_radius(cell) for cell in _checked(cells))


def min_distortion(cells: Cells) -> Distance:
    """The dmin of (7) of [P4] for the best estimator: the smallest Chebyshev radius of any [[X|y]].

    How far the best guess of what is hidden can be from it, after the answer that helps most: nobody is
    ever estimated more closely for certain.

    >>> min_distortion(["[0, 3]", "[3, 10]"])
    Distance(9/4)

    Inequalities:
        * `dmin <= dmax`.
        * `min_distortion_bound(joint) <= dmin`: Theorem II.2 of [P4].
    """
    if isinstance(cells, ContinuousRange):
        _check_numbers(cells)
        return min(error_span(answer)[0] for answer in cells.answers)
    return min(cell_radius(cell) for cell in _checked(cells))


def max_distortion_bound(cells: Cells) -> float:
    """Theorem II.1 of [P4]: no estimator has a smaller dmax; rounded down.

    Gamma(n/2+1)^(1/n) / sqrt(pi) * exp(h0(X|Y)/n) is the radius of the ball with the volume of the largest
    cell. A cell lies in a ball round its estimate, so the bound holds in every dimension n, for every joint
    range (Y need not be a function of X) and wherever the estimate lies. Balls, and intervals, attain it.
    """
    if isinstance(cells, ContinuousRange):
        sizes = [answer.posterior.measure for answer in cells.answers if answer.counts]
        return radius_for_volume(max(sizes), cells.size_x)
    return radius_for_volume(max(map(cell_measure, cells)), cell_dimension(_checked(cells)[0]))


def min_distortion_bound(cells: Cells) -> float:
    """Theorem II.2 of [P4]: no estimator has a smaller dmin; the same with d0(X|Y), rounded down."""
    if isinstance(cells, ContinuousRange):
        sizes = [answer.posterior.measure for answer in cells.answers]
        return radius_for_volume(min(sizes), cells.size_x)
    return radius_for_volume(min(map(cell_measure, cells)), cell_dimension(_checked(cells)[0]))


def radius_for_volume(volume: Fraction | float, dimension: int) -> float:
    """The radius of the ball with a given volume, Gamma(n/2+1)^(1/n) / sqrt(pi) * volume^(1/n), rounded down.

    >>> radius_for_volume(Fraction(1, 2), 1), radius_for_volume(1, 2)
    (0.25, 0.5641895835477563)
    """
    if volume == 0 or volume == float("inf"):
        return float(volume)
    if dimension == 1:
        return Distance(Fraction(volume) ** 2 / 4).lower
    with ctx.workprec(_PRECISION):
        gamma = ball(Fraction(dimension, 2) + 1).gamma()
        return ball_below((gamma * ball(volume)).root(dimension) / arb.pi().sqrt())


def _checked(cells: Sequence[Cell]) -> Sequence[Cell]:
    if not cells:
        raise RequestError("give at least one cell")
    if len({cell_dimension(cell) for cell in cells}) != 1:
        raise RequestError("all cells need equally many coordinates")
    return cells


def _check_numbers(joint: ContinuousRange) -> None:
    if joint.x_labels is not None:
        raise RequestError("labels of X have no distances; give X numbers")


# An estimate of X from y must be one of the values that y leaves possible (Assumption II.1 of [P4]), so the
# centre of the ball is confined to the cell. For a convex cell this costs nothing: the centre of the smallest
# enclosing ball lies in it, or on its edge. A cell with holes has its centre at the best place that it does
# hold, and the radius grows. If that place is an end that does not belong to the cell, no single best
# estimate exists, and the radius is what estimates come arbitrarily near to.


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
        squared_radius = ball.squared_radius if gap == 0 else _held_in(sides, corners, ball)
        best = min(best, squared_radius)
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
        enclosing = enclosing_ball([tuple(corner[i] for i in free) for corner in corners], extra)
        inside = all(plane[i][0] <= c <= plane[i][1] for i, c in zip(free, enclosing.centre, strict=True))
        if inside:
            best = min(best, enclosing.squared_radius)
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


# Where lines pass, [[X|y]] is a fixed set of intervals and points that are affine in y. Between the y at
# which two ends change places, or the middle of the cell passes an end, the radius is the smaller of two
# affine functions; so its infimum and supremum over y are found at finitely many places, exactly.


class Affine(NamedTuple):
    """The function slope * y + offset."""

    slope: Fraction
    offset: Fraction

    def at(self, y: Endpoint) -> Endpoint:
        """Its value, or its limit when y is infinite."""
        return self.offset if self.slope == 0 else linear(self.slope, y, self.offset)

    def minus(self, other: "Affine") -> "Affine":
        """The difference of two."""
        return Affine(self.slope - other.slope, self.offset - other.offset)

    def root(self) -> Fraction | None:
        """Where it is 0, if at one place."""
        return None if self.slope == 0 else -self.offset / self.slope


def error_span(answer: AnswerRegion) -> tuple[Distance, Distance]:
    """The infimum and the supremum of the radius of [[X|y]] over the y of an answer."""
    if not answer.lines:
        radius = cell_radius(answer.posterior)
        return radius, radius
    fixed = answer.posterior.as_intervals()
    if not fixed.is_bounded:
        return Distance(math.inf), Distance(math.inf)
    where = answer.where.sides[0]
    moving = [Affine(1 / line.slope, -line.offset / line.slope) for line in answer.lines]
    if where.is_point:
        points = IntervalSet.of_points(point.at(where.low) for point in moving)
        radius = cell_radius(fixed | points)
        return radius, radius
    values = list(_values(where, fixed, moving))
    return _distance(min(values)), _distance(max(values))


def _distance(radius: Endpoint) -> Distance:
    return Distance(radius if isinstance(radius, float) else radius**2)


def _values(where: Interval, fixed: IntervalSet, moving: Sequence[Affine]) -> Iterator[Endpoint]:
    """The radius, or its limit, at every place where it may be smallest or largest."""
    ends = [Affine(Fraction(0), Fraction(end)) for interval in fixed for end in (interval.low, interval.high)]
    everything = [*ends, *moving]
    order = [a.minus(b).root() for a in moving for b in everything]
    for part in _split(where, order):
        y = inner_point(part)
        low = min(everything, key=lambda end: end.at(y))
        high = max(everything, key=lambda end: end.at(y))
        middle = Affine((low.slope + high.slope) / 2, (low.offset + high.offset) / 2)
        half = high.minus(middle)
        for piece in _split(part, [middle.minus(end).root() for end in everything]):
            yield from _piece_values(piece, middle, half, fixed, everything)


def _piece_values(
    piece: Interval, middle: Affine, half: Affine, fixed: IntervalSet, ends: Iterable[Affine]
) -> Iterator[Endpoint]:
    """The radius at the ends of a stretch without changes, and where the nearest end changes."""
    y = inner_point(piece)
    centre = middle.at(y)
    if centre in fixed:
        yield from (half.at(piece.low), half.at(piece.high))
        return
    left = max((end for end in ends if end.at(y) <= centre), key=lambda end: end.at(y))
    right = min((end for end in ends if end.at(y) >= centre), key=lambda end: end.at(y))
    ways = middle.minus(left), right.minus(middle)
    sums = [Affine(half.slope + way.slope, half.offset + way.offset) for way in ways]
    for part in _split(piece, [ways[0].minus(ways[1]).root()]):
        for place in (part.low, part.high):
            yield min(total.at(place) for total in sums)


def _split(where: Interval, places: Iterable[Fraction | None]) -> Iterator[Interval]:
    """An interval cut at the places inside it."""
    inside = sorted({place for place in places if place is not None and where.low < place < where.high})
    for low, high in pairwise([where.low, *inside, where.high]):
        yield Interval.of(low, high, "()")
