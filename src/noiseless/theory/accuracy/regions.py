"""Regions in two dimensions (Figures 1 and 2 of [P4]): which datasets lead to which answer, for plotting."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from noiseless.arrays import IntArray
from noiseless.errors import RequestError
from noiseless.exact import round_down, round_up
from noiseless.ranges.quantizer import Quantizer
from noiseless.theory.accuracy.enclosed import Boxes
from noiseless.theory.accuracy.functions import FunctionVolume
from noiseless.theory.accuracy.pushforward import LinearVolume
from noiseless.theory.continuous.boxes import Box
from noiseless.theory.polytopes import Polytope

Point = tuple[Fraction, Fraction]

PLANE = 2
"""Regions are drawn in the plane."""

UNSURE = -1
"""The number of a pixel that more than one region may reach into."""


def polygons(volume: LinearVolume, quantizer: Quantizer) -> tuple[tuple[Point, ...], ...]:
    """The region of each cell of a linear query of two numbers, as its exact corners counterclockwise.

    Neighbouring regions share an edge; it belongs to the upper one (cells are half open).

    >>> from noiseless.ranges.quantizer import Uniform
    >>> mean = LinearVolume.of((Fraction(1, 2), Fraction(1, 2)), [(-2, 2), (-2, 2)])
    >>> [(int(x), int(y)) for x, y in polygons(mean, Uniform(mean.span, 4))[0]]
    [(-2, -2), (0, -2), (-2, 0)]
    """
    _require_plane(volume.dimension)
    box = Box.of(*volume.sides)
    cells = (quantizer.answer(cell) for cell in range(quantizer.cells))
    slabs = (Polytope.slab(box, volume.normal, cell.lower, cell.upper) for cell in cells)
    return tuple(_around(slab.vertices) for slab in slabs)


def _around(points: Sequence[tuple[Fraction, ...]]) -> tuple[Point, ...]:
    """The corners of the convex hull, counterclockwise from the lowest of the leftmost (Andrew's chains)."""
    ordered: list[Point] = sorted((point[0], point[1]) for point in points)

    def chain(way: Sequence[Point]) -> list[Point]:
        found: list[Point] = []
        for point in way:
            while len(found) > 1 and _turn(found[-2], found[-1], point) <= 0:
                found.pop()
            found.append(point)
        return found[:-1]

    return tuple(chain(ordered) + chain(ordered[::-1])) if len(ordered) > PLANE else tuple(ordered)


def _turn(a: Point, b: Point, c: Point) -> Fraction:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


@dataclass(frozen=True, eq=False)
class RegionGrid:
    """The regions of a policy as pixels, of which it is certain where they belong, or certainly unsure.

    Rows go up the second axis, columns along the first, as `matplotlib.pyplot.pcolormesh` wants them.

    Attributes:
        horizontal: where pixels begin on the first axis, and where the last one ends.
        vertical: the same on the second axis.
        lowest: the first cell that a pixel may reach into.
        highest: the last one.
        middles: the cell of each pixel's middle as floats see it: what to paint.
    """

    horizontal: tuple[Fraction, ...]
    vertical: tuple[Fraction, ...]
    lowest: IntArray
    highest: IntArray
    middles: IntArray

    @classmethod
    def of(cls, volume: FunctionVolume, quantizer: Quantizer, pixels: int = 256) -> "RegionGrid":
        """The regions of a function of two numbers, so many pixels a side (a power of 2)."""
        _require_plane(volume.dimension)
        if pixels < 1 or pixels & (pixels - 1):
            raise RequestError("the number of pixels a side is a power of 2")
        starts = np.arange(pixels) / pixels
        rows, columns = np.meshgrid(starts, starts, indexing="ij")
        boxes = Boxes(
            np.stack([columns.ravel(), rows.ravel()], axis=1), np.full((pixels**2, PLANE), 1 / pixels)
        )
        jets = volume.function.jets(boxes)
        inner = [quantizer.edge(cell) for cell in range(1, quantizer.cells)]
        below, above = np.array(list(map(round_down, inner))), np.array(list(map(round_up, inner)))
        shape = (pixels, pixels)
        # The cell of a value is the number of inner edges up to it. An edge is passed for sure from the float
        # not below it on, and perhaps from the float not above it on.
        lowest = np.searchsorted(above, jets.values.low, side="right").reshape(shape)
        highest = np.searchsorted(below, jets.values.high, side="right").reshape(shape)
        middles = (jets.centres.low + jets.centres.high) / 2
        sides = [
            tuple(low + (high - low) * k / pixels for k in range(pixels + 1))
            for low, high in volume.function.sides
        ]
        return cls(
            sides[0], sides[1], lowest, highest, np.searchsorted(above, middles, side="right").reshape(shape)
        )

    @property
    def numbers(self) -> IntArray:
        """The cell that the whole pixel certainly belongs to, or `UNSURE`."""
        return np.where(self.lowest == self.highest, self.lowest, UNSURE)

    def pieces(self, cell: int) -> int:
        """Into how many pieces the region of a cell falls at least, for certain.

        Pixels that the region may reach into are joined with all their neighbours; each group with a pixel
        that certainly belongs to the region holds at least one piece of it.
        """
        from scipy.ndimage import label

        possible = (self.lowest <= cell) & (cell <= self.highest)
        groups, _ = label(possible, structure=np.ones((3, 3)))
        certain = groups[(self.numbers == cell)]
        return len(np.unique(certain))


def _require_plane(dimension: int) -> None:
    if dimension != PLANE:
        raise RequestError("regions are drawn for two numbers")
