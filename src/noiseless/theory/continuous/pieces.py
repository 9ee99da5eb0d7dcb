"""What continuous joint ranges are made of: sets however given, stretches of lines, cells of Y."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from operator import or_

from noiseless.theory.continuous.boxes import Box, BoxSet
from noiseless.theory.continuous.cuts import Endpoint, is_infinite
from noiseless.theory.continuous.intervals import EMPTY, Interval, IntervalSet, Piece

SetLike = BoxSet | IntervalSet | Box | Piece | str
"""How a set of numbers or vectors may be given; a text is read as `BoxSet.parse` does."""


def as_boxes(given: SetLike) -> BoxSet:
    """Any description of a set as a set of boxes.

    >>> as_boxes((0, 1)) == as_boxes("[0, 1]") == as_boxes(IntervalSet.of((0, 1)))
    True
    """
    if isinstance(given, BoxSet):
        return given
    if isinstance(given, str):
        return BoxSet.parse(given)
    if isinstance(given, IntervalSet):
        return BoxSet.from_intervals(given)
    if isinstance(given, Box):
        return BoxSet.of(given)
    return BoxSet.from_intervals(IntervalSet.of(given))


def as_intervals(given: SetLike) -> IntervalSet:
    """Any description of a set of numbers."""
    return as_boxes(given).as_intervals()


@dataclass(frozen=True)
class Line:
    """{(x, slope * x + offset): x in domain}, the slope not being 0: a stretch, or some, of one line."""

    domain: IntervalSet
    slope: Fraction
    offset: Fraction

    @property
    def image(self) -> IntervalSet:
        """The y that occur on it."""
        return self.domain.affine(self.slope, self.offset)

    @property
    def inverse(self) -> "Line":
        """The same points with x and y exchanged."""
        return Line(self.image, 1 / self.slope, -self.offset / self.slope)

    def __contains__(self, point: tuple[Endpoint, Endpoint]) -> bool:
        return point[0] in self.domain and point[1] == self.slope * point[0] + self.offset

    def at(self, x: Fraction) -> Box:
        """The point (y, x) above a number x."""
        return Box.point((self.slope * x + self.offset, x))

    def over(self, values: IntervalSet) -> IntervalSet:
        """The x of its points whose y is one of some values."""
        return self.domain & values.affine(1 / self.slope, -self.offset / self.slope)

    def within(self, boxes: BoxSet) -> IntervalSet:
        """The x of its points that lie in boxes (y, x)."""
        sides = ((IntervalSet.of(side) for side in box.sides) for box in boxes)
        return reduce(or_, (x & self.over(y) for y, x in sides), EMPTY)


def is_open_part(where: Box, large: Iterable[Box]) -> bool:
    """Whether a box of a set holds a non-empty part that is open in the set.

    Boxes with a volume do. A flat one does not where larger boxes of the set touch it: there it is an edge of
    theirs, which an essential supremum ignores. An isolated point is open.

    Args:
        where: a box of the set.
        large: the boxes of the set that are no single points.
    """
    flat = [i for i, side in enumerate(where.sides) if side.is_point]
    if not flat:
        return True
    long = [i for i in range(where.dimension) if i not in flat]
    touching = [
        box
        for box in large
        if any(not box.sides[i].is_point for i in flat)
        and all(Interval.of(box.sides[i].low, box.sides[i].high).meet(where.sides[i]) for i in flat)
    ]
    if not long:
        return not touching
    own = BoxSet.of(Box(tuple(where.sides[i] for i in long)))
    covered = BoxSet.union((Box(tuple(box.sides[i] for i in long)) for box in touching), dimension=len(long))
    return (own - covered).measure != 0


def inner_point(where: Interval) -> Endpoint:
    """A number of an interval, and no end of it unless it is a point."""
    if is_infinite(where.low):
        return Fraction(0) if is_infinite(where.high) else where.high - 1
    return where.low + 1 if is_infinite(where.high) else (where.low + where.high) / 2
