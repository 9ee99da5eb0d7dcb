"""How much of a declared range a blur makes undecidable: counted, or enclosed where it is vast."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from noiseless.arrays import IntArray
from noiseless.collection.blur.fibres import BlurLattice
from noiseless.collection.blur.volume import branch
from noiseless.errors import ExpressionError
from noiseless.intervals import Enclosure

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


def enclose(lattice: BlurLattice, most_boxes: int = MOST_BOXES) -> list[BoxBounds]:
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


def bounds_on(lattice: BlurLattice, box: IndexBox) -> BoxBounds:
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


def _position(lattice: BlurLattice, box: IndexBox) -> Enclosure:
    """Where the boundary can be, in steps from the lowest point of a fibre."""
    g, column = lattice.hypothesis.boundary.over(_ranges(lattice, box)), lattice.compared
    low, high = ((end * column.scale - column.low_units) / column.step_units for end in (g.lower, g.upper))
    return Enclosure(low, high)


def _ranges(lattice: BlurLattice, box: IndexBox) -> dict[str, tuple[Fraction, Fraction]]:
    """The smallest and the largest value of each column in a box."""
    return {
        name: (Fraction(lattice.columns[name].value(first)), Fraction(lattice.columns[name].value(last)))
        for name, (first, last) in box.items()
    }


def _bounds(lattice: BlurLattice, fibres: int, position: Enclosure) -> BoxBounds:
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


def _split(lattice: BlurLattice, position: Fraction) -> int:
    """How many whole points lie below the boundary, counted from the lowest one of the fibre."""
    return math.ceil(position) if lattice.hypothesis.ties_above else math.floor(position) + 1


def _halves(lattice: BlurLattice, box: IndexBox) -> list[IndexBox]:
    """The two halves of a box along the column that matters most."""
    name = lattice.hypothesis.boundary.steepest(_ranges(lattice, box))
    first, last = box[name]
    middle = (first + last) // 2
    return [{**box, name: (first, middle)}, {**box, name: (middle + 1, last)}]


MOST_FIBRES = 2**24
"""Up to this many fibres are counted one by one (seconds); beyond, boxes of them are enclosed."""

_CHUNK = 2**16


@dataclass(frozen=True)
class BlurCensus:
    """The sizes of the parts of a declared range.

    Attributes:
        points: |[[X]]|, the points of the compared column and of the columns of the boundary together.
        merged: how many of them are undecidable, or a lower bound.
        merged_at_most: the same, or an upper bound.
        released: how many different values are released for those, or a lower bound.
    """

    points: int
    merged: int
    merged_at_most: int
    released: int

    @property
    def is_exact(self) -> bool:
        """Whether the counts are exact."""
        return self.merged == self.merged_at_most

    @property
    def protected_share(self) -> Fraction:
        """The share of the range that is undecidable: e/(1+e) in Theorem 4 of [P2]; or a lower bound."""
        return Fraction(self.merged, self.points)

    @property
    def protected_share_at_most(self) -> Fraction:
        """The same, or an upper bound."""
        return Fraction(self.merged_at_most, self.points)

    @property
    def decided(self) -> int:
        """The symmetric difference of [[Y|p0]] and [[Y|p1]]: the points that are left as they are."""
        return self.points - self.merged

    @property
    def outputs(self) -> int:
        """|[[Y]]|: those, and the values that are released for merged points."""
        return self.decided + self.released


def take_census(lattice: BlurLattice) -> BlurCensus:
    """Count the undecidable points of the declared range.

    Each fibre is looked at while there are at most `MOST_FIBRES`. Beyond, branch and bound gives lower and
    upper ends; away from the ends of the range these differ by one point a fibre.

    Raises:
        ExpressionError: the boundary divides by 0 somewhere.
    """
    sizes = {name: lattice.columns[name].size for name in lattice.hypothesis.others}
    fibres = math.prod(sizes.values())
    points = fibres * lattice.compared.size
    if fibres > MOST_FIBRES:
        boxes = enclose(lattice)
        counts = [(b.fibres * b.merged, b.fibres * b.merged_at_most, b.fibres * b.released) for b in boxes]
        return BlurCensus(points, *(sum(column) for column in zip(*counts, strict=True)))
    merged = released = 0
    for others in _chunks(sizes, fibres):
        found = lattice.fibres(others)
        merged += _total(found.merged)
        released += _total(found.released)
    return BlurCensus(points, merged, merged, released)


def _chunks(sizes: dict[str, int], fibres: int) -> Iterator[dict[str, IntArray]]:
    """All combinations of points, some at a time, the last column varying fastest."""
    for start in range(0, fibres, _CHUNK):
        rest = np.arange(start, min(start + _CHUNK, fibres))
        chunk: dict[str, IntArray] = {}
        for name in reversed(sizes):
            rest, chunk[name] = np.divmod(rest, sizes[name])
        yield chunk


def _total(counts: IntArray) -> int:
    """The sum as a Python integer: a fibre may have more points than 64 bits can hold."""
    high, low = np.divmod(counts, 2**32)
    return (int(high.sum()) << 32) + int(low.sum())
