"""Piecewise-constant policies in n dimensions: a vector is told as the region it lies in."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from noiseless.errors import RequestError
from noiseless.pricing.reach import Reach
from noiseless.theory.continuous import Box, BoxSet, ContinuousRange

_MOST = 2**24
"""The finest common grid of all regions is listed up to this many places."""


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
        regions: what is told and where; disjoint, none empty.

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
            raise RequestError("regions overlap; each vector is told as one of them")
        policy = cls(tuple(regions.items()))
        if (policy.grid < -1).any():
            raise RequestError("regions overlap at their edges; make one of two neighbours half open")
        return policy

    def __call__(self, vector: Sequence[Fraction | int]) -> Hashable:
        """What is told of a vector.

        Raises:
            RequestError: it lies in no region.
        """
        for told, region in self.regions:
            if vector in region:
                return told
        raise RequestError("the vector lies in no region; it is outside the declared range")

    @property
    def joint(self) -> ContinuousRange:
        """[[X, Y]]: the vectors behind each output; leakage and maximin information are measured on it."""
        return ContinuousRange.from_labels(dict(self.regions))

    def reach(self, coordinate: int) -> Reach:
        """How many outputs one coordinate can cause, all others fixed (Definition 1 of [P1]), exactly."""
        lines = np.moveaxis(self.grid, coordinate, -1).reshape(-1, self.grid.shape[coordinate])
        ordered = np.sort(lines, axis=1)
        changes = (np.diff(ordered, axis=1) != 0).sum(axis=1) + 1
        outside = (ordered < 0).any(axis=1)
        return Reach(max(1, int((changes - outside).max())), exact=True)

    @cached_property
    def grid(self) -> npt.NDArray[np.int64]:
        """The region at each place of the common grid; -1 outside all of them, -2 where two meet.

        On each axis the places are, in turn, the ends of regions and the open stretches between them, so that
        no region changes within a place.
        """
        shape = [2 * len(ends) + 1 for ends in self._ends]
        if np.prod([float(size) for size in shape]) > _MOST:
            raise RequestError("the regions have too many different edges; merge some")
        grid = np.full(shape, -1, np.int64)
        for number, (_, region) in enumerate(self.regions):
            for box in region:
                part = grid[tuple(self._places(axis, box) for axis in range(len(shape)))]
                part[...] = np.where((part == -1) | (part == number), number, -2)
        return grid

    @cached_property
    def _ends(self) -> list[list[Fraction | float]]:
        sides = zip(*(box.sides for _, region in self.regions for box in region), strict=True)
        return [sorted({end for side in axis for end in (side.low, side.high)}) for axis in sides]

    def _places(self, axis: int, box: Box) -> slice:
        side, ends = box.sides[axis], self._ends[axis]
        first = 2 * ends.index(side.low) + (1 if side.closed_low else 2)
        last = 2 * ends.index(side.high) + (1 if side.closed_high else 0)
        return slice(first, last + 1)
