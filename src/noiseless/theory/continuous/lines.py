"""How sets are given to continuous ranges, and the lines on which one variable is a function of another."""

from dataclasses import dataclass
from fractions import Fraction

from noiseless.theory.continuous.boxes import Box, BoxSet
from noiseless.theory.continuous.endpoints import Endpoint
from noiseless.theory.continuous.intervals import EMPTY, IntervalSet, Piece

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

    def within(self, boxes: BoxSet) -> IntervalSet:
        """The x of its points that lie in boxes (y, x)."""
        inside = EMPTY
        for box in boxes:
            y, x = (IntervalSet((side,)) for side in box.sides)
            inside |= x & y.affine(1 / self.slope, -self.offset / self.slope)
        return self.domain & inside
