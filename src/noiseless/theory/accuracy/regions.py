"""Regions of datasets that lead to one answer: drawn in the plane, policies in any dimension."""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from noiseless.arrays import IntArray
from noiseless.errors import RequestError
from noiseless.exact import round_down, round_up
from noiseless.pricing.reach import Reach
from noiseless.ranges.quantizer import Quantizer
from noiseless.theory.accuracy.enclosed_functions import Boxes
from noiseless.theory.accuracy.function_volume import FunctionVolume
from noiseless.theory.accuracy.pushforward import LinearVolume
from noiseless.theory.continuous import Box, BoxSet, ContinuousRange
from noiseless.theory.continuous.cuts import overlaps
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
        """The regions of a function of two numbers, this many pixels a side (a power of 2)."""
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


@dataclass(frozen=True)
class PiecewiseConstant:
    """A function that is constant on each of finitely many regions (the Q(X) of [P4], section IV).

    The optimal policies of Theorem IV.1 are of this kind. Each coordinate is one person's value, or one
    attribute of a person.

    >>> low = BoxSet.of(Box.of((0, 1, "[)"), (0, 2)))
    >>> high = BoxSet.of(Box.of((1, 2), (0, 2)))
    >>> policy = PiecewiseConstant.of({"low": low, "high": high})
    >>> policy((Fraction(1, 2), 2)), policy.reach(0), policy.reach(1)
    ('low', Reach(outputs=2, exact=True), Reach(outputs=1, exact=True))

    Attributes:
        regions: what is published and where; disjoint, none empty.

    Guarantee:
        * Coordinate i can cause at most `reach(i)` different outputs, whatever the other coordinates
          are.
    """

    regions: tuple[tuple[Hashable, BoxSet], ...]

    @classmethod
    def of(cls, regions: Mapping[Any, BoxSet]) -> "PiecewiseConstant":
        """Check the regions.

        Raises:
            RequestError: there is none, one is empty, two overlap, or dimensions differ.
        """
        if not regions or not all(regions.values()):
            raise RequestError("a policy has at least one region, and none of them is empty")
        if len({region.dimension for region in regions.values()}) > 1:
            raise RequestError("all regions need the same number of coordinates")
        whole = BoxSet.union([box for region in regions.values() for box in region])
        if whole.measure != sum((region.measure for region in regions.values()), Fraction(0)):
            raise RequestError("regions overlap; each vector is published as one of them")
        if overlaps(list(regions.values())):
            raise RequestError("regions overlap at their edges; make one of two neighbours half open")
        return cls(tuple(regions.items()))

    def __call__(self, vector: Sequence[Fraction | int]) -> Hashable:
        """What is published about a vector.

        Raises:
            RequestError: it lies in no region.
        """
        for told, region in self.regions:
            if vector in region:
                return told
        raise RequestError("the vector lies in no region; it is outside the declared range")

    @cached_property
    def joint(self) -> ContinuousRange:
        """[[X, Y]]: the vectors behind each output; leakage and maximin information are measured on it."""
        return ContinuousRange.from_labels(dict(self.regions))

    def reach(self, coordinate: int) -> Reach:
        """How many outputs one coordinate can cause, all others fixed (Definition 1 of [P1]), exactly."""
        others = list(range(1, self.joint.size_x + 1))  # coordinate 0 of the joint range is the output
        others.remove(coordinate + 1)
        if not others:
            return Reach(len(self.regions), exact=True)
        sections = self.joint.boxes.project([*others, 0]).sections(len(others))
        return Reach(max(int(outputs.count) for _, outputs in sections), exact=True)


def _around(points: Sequence[tuple[Fraction, ...]]) -> tuple[Point, ...]:
    """Convex corners counterclockwise from the lowest of the leftmost: by the slope seen from there."""
    first, *others = sorted((point[0], point[1]) for point in points)
    return (first, *sorted(others, key=lambda point: _slope(first, point)))


def _slope(start: Point, end: Point) -> Fraction | float:
    """Of a point to the right, or straight above."""
    return (end[1] - start[1]) / (end[0] - start[0]) if end[0] > start[0] else math.inf


def _require_plane(dimension: int) -> None:
    if dimension != PLANE:
        raise RequestError("regions are drawn for two numbers")
