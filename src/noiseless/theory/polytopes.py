"""Polytopes and their smallest enclosing balls, exactly: radii are square roots of rationals."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property, total_ordering
from itertools import product
from typing import Self

from noiseless.errors import RequestError
from noiseless.exact import Rational, round_down, round_up
from noiseless.intervals import root_bounds
from noiseless.theory.continuous.boxes import Box
from noiseless.theory.continuous.cuts import Number, finite


@total_ordering
@dataclass(frozen=True, eq=False)
class Distance:
    """The exact number sqrt(squared), for a rational that is not negative or for infinity.

    >>> Distance(2) < Fraction(3, 2), Distance(Fraction(1, 16)) == Fraction(1, 4), str(Distance(450))
    (True, True, '21.2132')
    """

    squared: Fraction | float

    def __init__(self, squared: Rational | float) -> None:
        if (isinstance(squared, Decimal) and squared.is_nan()) or not squared >= 0:
            raise ValueError("the root of a number that is negative or not a number")
        object.__setattr__(self, "squared", math.inf if squared == math.inf else Fraction(squared))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Distance):
            return self.squared == other.squared
        if isinstance(other, int | Fraction | Decimal | float):
            return other >= 0 and self.squared == _square(other)
        return NotImplemented

    def __lt__(self, other: "Distance | Rational | float") -> bool:
        if isinstance(other, Distance):
            return self.squared < other.squared
        if isinstance(other, int | Fraction | Decimal | float):
            return other > 0 and self.squared < _square(other)
        return NotImplemented

    def __hash__(self) -> int:
        exact = self.exact
        return hash(("root", self.squared) if exact is None else exact)  # equal to a number

    def __mul__(self, factor: Rational) -> "Distance":
        if factor < 0:
            raise ValueError("a distance times a negative number")
        return Distance(self.squared * Fraction(factor) ** 2)

    def __float__(self) -> float:
        """Rounded down: an error that protects is never overstated."""
        return self.lower

    def __repr__(self) -> str:
        return f"Distance({self.squared})"

    def __str__(self) -> str:
        if isinstance(self.squared, float):
            return "inf"
        return f"{Decimal(math.floor(root_bounds(self.squared)[0] * 10**4)).scaleb(-4):.4f}"

    @property
    def exact(self) -> Fraction | float | None:
        """The number itself, if it is rational or infinite."""
        if isinstance(self.squared, float):
            return self.squared
        low, high = root_bounds(self.squared)
        return low if low == high else None

    @property
    def lower(self) -> float:
        """A float that is not above the exact value, at most one unit in the last place away."""
        return math.inf if isinstance(self.squared, float) else round_down(root_bounds(self.squared)[0])

    @property
    def upper(self) -> float:
        """A float that is not below the exact value."""
        return math.inf if isinstance(self.squared, float) else round_up(root_bounds(self.squared)[1])


def _square(number: Rational | float) -> Fraction | float:
    return math.inf if number == math.inf else Fraction(number) ** 2


Vector = tuple[Fraction, ...]

MOST_COORDINATES = 16
"""A box has 2^n corners; with more coordinates than this they are not listed."""


@dataclass(frozen=True)
class Ball:
    """A closed ball."""

    centre: Vector
    squared_radius: Fraction

    @property
    def radius(self) -> Distance:
        """Its radius."""
        return Distance(self.squared_radius)

    def __contains__(self, point: Vector) -> bool:
        return _squared_distance(self.centre, point) <= self.squared_radius


def smallest_enclosing_ball(points: Sequence[Sequence[Number]]) -> Ball:
    """The one smallest ball that holds all points; its centre lies in their convex hull.

    >>> smallest_enclosing_ball([(0, 0), (2, 0), (0, 2)])
    Ball(centre=(Fraction(1, 1), Fraction(1, 1)), squared_radius=Fraction(2, 1))
    """
    exact = list(dict.fromkeys(tuple(map(finite, point)) for point in points))
    if not exact or len({len(point) for point in exact}) != 1:
        raise RequestError("give at least one point, and all points with equally many coordinates")
    return enclosing_ball(exact, [Fraction(0)] * len(exact))


def enclosing_ball(points: Sequence[Vector], extra: Sequence[Fraction]) -> Ball:
    """The centre c that minimises max_i |c - p_i|^2 + extra_i, and that value.

    With extra = 0 the smallest enclosing ball; else the same with the centre held in a plane, extra being the
    squared distances of the points to it. The centre walks towards the points that are farthest, keeping
    equally far from them, until it lies between them (Fischer, Gaertner and Kutz 2003). Every step is
    rational, and ties are broken by the lowest index (Bland's rule), so that it ends.
    """
    centre = points[0]
    farthest = max(range(len(points)), key=lambda i: (_squared_distance(centre, points[i]) + extra[i], -i))
    support = [farthest]
    while True:
        weights = _weights(centre, [points[i] for i in support])
        goal = tuple(
            sum((w * points[i][k] for w, i in zip(weights, support, strict=True)), Fraction(0))
            for k in range(len(centre))
        )
        if goal == centre:
            leaving = [i for w, i in zip(weights, support, strict=True) if w < 0]
            if not leaving:
                first = support[0]
                return Ball(centre, _squared_distance(centre, points[first]) + extra[first])
            support.remove(min(leaving))
            continue
        share, stopper = _walk(centre, goal, points, extra, support)
        centre = tuple(c + share * (g - c) for c, g in zip(centre, goal, strict=True))
        if stopper is not None:
            support.append(stopper)


def _walk(
    centre: Vector, goal: Vector, points: Sequence[Vector], extra: Sequence[Fraction], support: Sequence[int]
) -> tuple[Fraction, int | None]:
    """How far the centre may go towards its goal before another point becomes as far as the support."""
    way = tuple(g - c for g, c in zip(goal, centre, strict=True))
    first = points[support[0]]
    reach = _squared_distance(centre, first) + extra[support[0]]
    share, stopper = Fraction(1), None
    for i, point in enumerate(points):
        rate = 2 * sum(w * (a - b) for w, a, b in zip(way, first, point, strict=True))
        if rate > 0 and i not in support:
            slack = reach - _squared_distance(centre, point) - extra[i]
            if slack < share * rate:
                share, stopper = slack / rate, i
    return share, stopper


def _weights(centre: Vector, support: Sequence[Vector]) -> list[Fraction]:
    """The affine coordinates of the centre's foot on the plane through affinely independent points."""
    base = support[0]
    spans = [tuple(a - b for a, b in zip(point, base, strict=True)) for point in support[1:]]
    offset = tuple(a - b for a, b in zip(centre, base, strict=True))
    rows = [[_dot(u, v) for v in spans] + [_dot(u, offset)] for u in spans]
    solved = _solve(rows)
    return [1 - sum(solved, Fraction(0)), *solved]


def _solve(rows: list[list[Fraction]]) -> list[Fraction]:
    """Solve a positive definite system given with its right-hand side (Gauss-Jordan)."""
    for k in range(len(rows)):
        pivot = [entry / rows[k][k] for entry in rows[k]]
        for j, row in enumerate(rows):
            factor = row[k]
            if j != k and factor:
                rows[j] = [a - factor * b for a, b in zip(row, pivot, strict=True)]
        rows[k] = pivot
    return [row[-1] for row in rows]


def _dot(u: Vector, v: Vector) -> Fraction:
    return sum((a * b for a, b in zip(u, v, strict=True)), Fraction(0))


def _squared_distance(u: Vector, v: Vector) -> Fraction:
    return sum(((a - b) ** 2 for a, b in zip(u, v, strict=True)), Fraction(0))


@dataclass(frozen=True)
class Polytope:
    """The convex hull of points: a cell of a linear query on a box, for one.

    Attributes:
        vertices: the points; more than the vertices do no harm.
        measure: its volume, if known.
    """

    vertices: tuple[Vector, ...]
    measure: Fraction | None = None

    @classmethod
    def of(cls, vertices: Sequence[Sequence[Number]]) -> Self:
        """From its vertices, the volume being left open."""
        return cls(tuple(tuple(map(finite, vertex)) for vertex in vertices))

    @classmethod
    def slab(cls, box: Box, normal: Sequence[Number], low: Number, high: Number) -> Self:
        """{x in box: low <= normal . x <= high}: what a linear query's cell leaves of a box.

        Its vertices are corners of the box and points where edges of the box cross one of the two planes,
        which are parallel, so that no vertex lies on both.

        Raises:
            RequestError: the box is unbounded or has too many coordinates, or nothing is left of it.

        >>> corner = Polytope.slab(Box.of((0, 1), (0, 1)), (1, 1), 0, "1/2")
        >>> corner.radius.squared, corner.measure
        (Fraction(1, 8), Fraction(1, 8))
        """
        a, b, c = finite(low), finite(high), tuple(map(finite, normal))
        sides = _corners(box, len(c))
        vertices = tuple(dict.fromkeys(_slab_vertices(sides, c, a, b)))
        if not vertices:
            raise RequestError("no point of the box lies between the two planes")
        return cls(vertices, slab_volume(box, c, a, b))

    @cached_property
    def ball(self) -> Ball:
        """The smallest ball that holds it; the centre lies in it, because it is convex and closed."""
        return smallest_enclosing_ball(self.vertices)

    @property
    def radius(self) -> Distance:
        """Its Chebyshev radius: the error of the best estimate when nothing but the cell is known."""
        return self.ball.radius


def _corners(box: Box, size: int) -> list[tuple[Fraction, Fraction]]:
    if box.dimension != size:
        raise RequestError(f"the box has {box.dimension} coordinates and the query {size}")
    if size > MOST_COORDINATES:
        raise RequestError(f"corners are listed for up to {MOST_COORDINATES} coordinates")
    return [(finite(side.low), finite(side.high)) for side in box.sides]


def _slab_vertices(
    sides: Sequence[tuple[Fraction, Fraction]], normal: Vector, low: Fraction, high: Fraction
) -> Iterator[Vector]:
    for axis, (start, stop) in enumerate(sides):
        slope = normal[axis]
        for rest in product(*(side for i, side in enumerate(sides) if i != axis)):
            base = _dot(rest, normal[:axis] + normal[axis + 1 :])
            ends = [start, stop]
            if slope:
                ends += [(plane - base) / slope for plane in (low, high)]
            for value in ends:
                if start <= value <= stop and low <= base + slope * value <= high:
                    yield (*rest[:axis], value, *rest[axis:])


def slab_volume(box: Box, normal: Sequence[Number], low: Number, high: Number) -> Fraction:
    """The volume of {x in box: low <= normal . x <= high}: signed powers over the corners of the box.

    >>> slab_volume(Box.of((0, 1), (0, 1), (0, 1)), (1, 1, 1), 0, 1)
    Fraction(1, 6)
    """
    a, b, c = finite(low), finite(high), tuple(map(finite, normal))
    sides = _corners(box, len(c))
    slanted = [(side, slope) for side, slope in zip(sides, c, strict=True) if slope]
    flat = math.prod(
        (high - low for (low, high), slope in zip(sides, c, strict=True) if not slope), start=Fraction(1)
    )
    if not slanted:
        return flat if a <= 0 <= b else Fraction(0)
    return flat * (_volume_below(slanted, b) - _volume_below(slanted, a)) if a <= b else Fraction(0)


def _volume_below(slanted: Sequence[tuple[tuple[Fraction, Fraction], Fraction]], level: Fraction) -> Fraction:
    """vol{c . x <= level} = sum over corners v of (-1)^(upper ends of v) (level - c . v)+^n / (n! prod c)."""
    size = len(slanted)
    total = Fraction(0)
    for choice in product((0, 1), repeat=size):
        room = level - sum(slope * side[k] for k, (side, slope) in zip(choice, slanted, strict=True))
        if room > 0:
            total += (-1) ** sum(choice) * room**size
    return total / (math.factorial(size) * math.prod(slope for _, slope in slanted))


def mean_cell_radius(people: int, cells: int, width: Number, cell: int) -> Distance:
    """The Chebyshev radius of a cell of the mean of n values in an interval, in q equal cells.

    Any n and q.

    >>> mean_cell_radius(2, 21, 150, 0)
    Distance(5000/49)
    """
    if people < 1 or cells < 1 or not 0 <= cell < cells:
        raise RequestError("there is at least one person and one cell, and cells are numbered from 0")
    first, last = Fraction(cell * people, cells), Fraction((cell + 1) * people, cells)
    return symmetric_slab_radius(people, first, last) * finite(width)


def symmetric_slab_radius(people: int, low: Fraction, high: Fraction) -> Distance:
    """The Chebyshev radius of {x in [0,1]^n: low <= sum of x <= high}.

    It is symmetric, so the centre is t (1, ..., 1); among the x with a given sum s the farthest from it have
    all entries but one at an end: their squares sum to floor(s) + (s - floor(s))^2.
    """
    sums = {low, high} | {Fraction(k) for k in (math.ceil(low), math.floor(high)) if low <= k <= high}
    return symmetric_radius(people, {s: math.floor(s) + (s - math.floor(s)) ** 2 for s in sums})


def symmetric_radius(people: int, squares: Mapping[Fraction, Fraction]) -> Distance:
    """The Chebyshev radius of a set that is symmetric in people: its centre is t (1, ..., 1).

    Args:
        people: how many coordinates there are.
        squares: for each sum of an extreme point the largest sum of squares of such a point.
    """

    def largest(t: Fraction) -> Fraction:
        return people * t * t + max(square - 2 * t * s for s, square in squares.items())

    places = {s / people for s in squares}
    places |= {(squares[s] - squares[r]) / (2 * (s - r)) for s in squares for r in squares if r < s}
    return Distance(min(map(largest, places)))


def mean_errors(people: int, cells: int, width: Number) -> tuple[Distance, Distance]:
    """The errors dmin and dmax for the mean of n values in an interval of a width, in q equal cells.

    Example IV.2 of [P4], corrected: dmin = (R/q) sqrt(n(n-1)) for 2 <= n <= q, and R/(2q) for n = 1; it does
    depend on n. To keep it large q must be small, not large.
    """
    radii = [mean_cell_radius(people, cells, width, cell) for cell in range((cells + 1) // 2)]
    return min(radii), max(radii)
