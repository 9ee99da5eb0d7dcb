"""The error of the best estimate behind answers between which points of the cell move along lines.

Where lines pass, [[X|y]] is a fixed set of intervals and points that are affine in y. Between the y at which
two ends change places, or the middle of the cell passes an end, the radius is the smaller of two affine
functions; so its infimum and supremum over y are found at finitely many places, exactly.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from noiseless.theory.continuous.endpoints import Endpoint, linear
from noiseless.theory.continuous.intervals import Interval, IntervalSet
from noiseless.theory.continuous.joint import Answer, inner_point
from noiseless.theory.distortion.distances import Distance
from noiseless.theory.distortion.radii import cell_radius


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

    def half_sum(self, other: "Affine") -> "Affine":
        """The middle of two."""
        return Affine((self.slope + other.slope) / 2, (self.offset + other.offset) / 2)

    def root(self) -> Fraction | None:
        """Where it is 0, if at one place."""
        return None if self.slope == 0 else -self.offset / self.slope


def error_span(answer: Answer) -> tuple[Distance, Distance]:
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
        middle = low.half_sum(high)
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
