"""Certain bounds on what a blur merges in more fibres than can be counted: branch and bound on boxes."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from noiseless.collection.blur.branching import branch
from noiseless.collection.blur.pairing import Lattice
from noiseless.errors import ExpressionError
from noiseless.exact import Enclosure

MOST_BOXES = 4096
"""How many boxes are halved."""

IndexBox = Mapping[str, tuple[int, int]]
"""The first and the last point of each other column."""


@dataclass(frozen=True)
class BoxBounds:
    """Bounds for each fibre of a box.

    Attributes:
        fibres: how many there are.
        merged: at least how many points of a fibre are merged.
        merged_at_most: at most how many.
        released: at least how many values are released for them.
        settled: whether halving the box would hardly tell more.
        defined: whether the boundary is known to divide by 0 nowhere in it.
    """

    fibres: int
    merged: int
    merged_at_most: int
    released: int
    settled: bool
    defined: bool = True

    @property
    def doubt(self) -> int | float:
        """How many points are in doubt that halving could settle (a heap's key: no guarantee)."""
        if not self.defined:
            return math.inf
        return 0 if self.settled else self.fibres * (self.merged_at_most - self.merged)


def enclose(lattice: Lattice, most_boxes: int = MOST_BOXES) -> list[BoxBounds]:
    """Boxes that make up the declared range, with bounds on each: the ones in most doubt are halved first.

    Raises:
        ExpressionError: the boundary divides by 0 somewhere, or may do so.
    """
    whole: IndexBox = {name: (0, lattice.columns[name].size - 1) for name in lattice.hypothesis.others}
    found = branch(whole, lambda box: bounds_on(lattice, box), lambda box: _halves(lattice, box), most_boxes)
    if not all(bounds.defined for bounds in found):
        problem = "may divide by 0 for some declared values, which are too many to try each"
        raise ExpressionError(lattice.hypothesis.text, f"{problem}; declare narrower bounds or coarser steps")
    return found


def bounds_on(lattice: Lattice, box: IndexBox) -> BoxBounds:
    """Bounds on the fibres of a box, from an enclosure of the boundary over it."""
    fibres = math.prod(last - first + 1 for first, last in box.values())
    if fibres == 1:
        found = lattice.fibres({name: np.array([first]) for name, (first, _) in box.items()})
        merged, released = int(found.merged[0]), int(found.released[0])
        return BoxBounds(1, merged, merged, released, settled=True)
    try:
        position = _position(lattice, box)
    except ZeroDivisionError:
        return BoxBounds(fibres, 0, lattice.compared.size, 0, settled=False, defined=False)
    return _bounds(lattice, fibres, position)


def _position(lattice: Lattice, box: IndexBox) -> Enclosure:
    """Where the boundary can be, in steps from the lowest point of a fibre."""
    g, column = lattice.hypothesis.boundary.over(_ranges(lattice, box)), lattice.compared
    low, high = ((end * column.scale - column.low_units) / column.step_units for end in (g.lower, g.upper))
    return Enclosure(low, high)


def _ranges(lattice: Lattice, box: IndexBox) -> dict[str, tuple[Fraction, Fraction]]:
    """The smallest and the largest value of each column in a box."""
    return {
        name: (Fraction(lattice.columns[name].value(first)), Fraction(lattice.columns[name].value(last)))
        for name, (first, last) in box.items()
    }


def _bounds(lattice: Lattice, fibres: int, position: Enclosure) -> BoxBounds:
    """Bounds for one fibre whose boundary is anywhere in an enclosure.

    A half holds `steps` or `steps` + 1 points, or as many as the fibre has on that side if these are fewer.
    Where the ends of the range are far, both halves together hold floor(2D), D in steps, or one more.
    """
    size, steps, both = lattice.compared.size, lattice.steps, math.floor(2 * lattice.reach)
    split_low, split_high = (
        min(max(_split(lattice, end), 0), size) for end in (position.lower, position.upper)
    )
    least = min(split_low, steps), min(size - split_high, steps)
    most = min(split_high, steps + 1), min(size - split_low, steps + 1)
    merged = sum(least) if all(least) else 0
    at_most = min(sum(most), both + 1) if all(most) else 0
    inside = position.lower >= lattice.reach and position.upper + lattice.reach <= size - 1
    if inside:
        merged = max(merged, both)
    released = min(least)
    if lattice.mode == "collapse":
        merged, at_most, released = min(merged, 2 * steps + 1), min(at_most, 2 * steps + 1), int(all(least))
    return BoxBounds(fibres, merged, at_most, released, settled=inside or merged == at_most)


def _split(lattice: Lattice, position: Fraction) -> int:
    """How many whole points lie below the boundary, counted from the lowest one of the fibre."""
    return math.ceil(position) if lattice.hypothesis.ties_above else math.floor(position) + 1


def _halves(lattice: Lattice, box: IndexBox) -> list[IndexBox]:
    """The two halves of a box along the column that matters most."""
    name = lattice.hypothesis.boundary.steepest(_ranges(lattice, box))
    first, last = box[name]
    middle = (first + last) // 2
    return [{**box, name: (first, middle)}, {**box, name: (middle + 1, last)}]
