"""One ordered public column as a line: sweeps for a posterior each, and what counting alone shows."""

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import gcd
from typing import Any

import numpy as np

from noiseless.arrays import IntArray
from noiseless.errors import RequestError
from noiseless.ranges import JointRange
from noiseless.search.contiguous import kernels
from noiseless.search.contiguous.kernels import Row
from noiseless.search.loss import Utility
from noiseless.tables.kernels import compiled


@dataclass(frozen=True, eq=False, repr=False)
class OrderedRange:
    """A joint range [[S, X]] whose public values x lie on a line.

    >>> line = OrderedRange.of(JointRange.from_pairs([("a", 7), ("b", 1), ("b", 4)]), np.array([7, 1, 4]))
    >>> line.places.tolist(), line.unit, line.joint.posterior(0).tolist()
    ([0, 1, 2], Fraction(3, 1), [1])

    Attributes:
        joint: the pairs (s, x), the x numbered in ascending order.
        places: the distance of each x from the lowest, in units (Python integers where they are huge).
        unit: the largest number of which all distances are multiples.
        order: the code that each x had in the joint range that it comes from.
    """

    joint: JointRange
    places: IntArray
    unit: Fraction
    order: IntArray

    @classmethod
    def of(cls, joint: JointRange, places: IntArray) -> "OrderedRange":
        """From a joint range [[S, X]]: the X of `JointRange` is sensitive, its Y is public.

        Args:
            joint: the joint range.
            places: where each public value lies, in whole numbers.

        Raises:
            RequestError: there is not one place for each public value, or two are equal.
        """
        if len(places) != joint.size_y:
            raise RequestError(f"give one place for each of the {joint.size_y:,} public values")
        order = np.argsort(places, kind="stable")
        distances = places[order] - places.min()
        steps = np.diff(distances)
        if not steps.all():
            raise RequestError("two public values have the same place; merge them first")
        step = (int(np.gcd.reduce(steps)) if steps.dtype != object else gcd(*steps)) or 1
        return cls(_reordered(joint, order), distances // step, Fraction(step), order)

    def __len__(self) -> int:
        """How many public values there are."""
        return len(self.places)

    def __repr__(self) -> str:
        return f"OrderedRange({self.joint.size_x:,} sensitive values, {len(self):,} public ones on a line)"

    @property
    def span(self) -> int:
        """The distance between the lowest and the highest x, in units."""
        return int(self.places[-1])


def _reordered(joint: JointRange, order: IntArray) -> JointRange:
    """The same pairs, the y renumbered: new y i is old y `order[i]`."""
    if np.array_equal(order, np.arange(len(order))):
        return joint
    sizes = joint.posterior_sizes[order]
    starts = np.concatenate(([0], np.cumsum(sizes)))
    old = np.repeat(joint.starts[:-1][order] - starts[:-1], sizes) + np.arange(len(joint))
    y = np.repeat(np.arange(len(order)), sizes)
    return JointRange.from_sorted(joint.x[old], y, joint.size_x)


def most_answers(joint: JointRange, posterior: int) -> int:
    """No partition has more cells with k sensitive values each: the largest q with sum_s min(n_s, q) >= q k.

    n_s counts the public values behind which s occurs: s cannot be in more cells than that.

    >>> most_answers(JointRange.from_pairs([("a", 1), ("a", 2), ("a", 3), ("b", 4), ("c", 5)]), 2)
    2
    """
    sizes = np.sort(joint.support_sizes)
    below = np.concatenate(([0], np.cumsum(sizes)))

    def too_many(cells: int) -> bool:
        smaller = int(np.searchsorted(sizes, cells))
        return int(below[smaller]) + cells * (len(sizes) - smaller) < cells * posterior

    return 1 + bisect_left(range(2, joint.size_y + 1), True, key=too_many)


def least_cell_size(joint: JointRange, posterior: int) -> int:
    """No partition with this posterior has a smaller largest cell.

    There are at most `most_answers` cells; and each value adds at most max |[[S|x]]| sensitive values to its
    cell. Where every x has one s the bound is attained: sort the values by s, the commonest first, and deal
    them to this many cells in turn. An s with as many values or more reaches all cells; the others are dealt
    evenly and each at most once to a cell, so each cell gets k different ones.
    """
    sizes = joint.posterior_sizes
    missing = max(posterior - int(sizes.min()), 0)
    return max(-(-joint.size_y // most_answers(joint, posterior)), 1 - (-missing // int(sizes.max())))


SMALL = 200_000
"""Below this many steps plain Python is faster than loading the compiled kernels."""

_LEAST = 20
"""The least total takes as many steps a value as a whole frontier of this many posteriors."""

_CHECKS = 24
"""How often a lower bound is tried to be raised: the bracket shrinks by this power of two."""


@dataclass(frozen=True, eq=False)
class Sweep:
    """A line, how the width of a cell is counted, and how many rows a cell holds.

    Attributes:
        line: the public values with their sensitive sets.
        utility: "distortion": a cell is as wide as its values are apart; "resolution": as the number of
            values that it holds, less one.
        weights: how many rows each value has; one each if not given.
        rows: how many rows each cell holds at least.
    """

    line: OrderedRange
    utility: Utility = "distortion"
    weights: IntArray | None = None
    rows: int = 1

    @property
    def span(self) -> int:
        """The width of the whole line."""
        return self.line.span if self.utility == "distortion" else len(self.line) - 1

    @cached_property
    def fast(self) -> bool:
        """Whether the compiled kernels are used; huge numbers stay with Python."""
        steps = len(self.line.joint) * max(_LEAST, self.line.joint.size_x)
        return steps >= SMALL and self.line.places.dtype != object

    def run(self, kernel: Callable[..., Any], *arguments: Any) -> Any:  # noqa: ANN401 - as the kernel's own
        """Call a kernel, compiled or not."""
        return (compiled(kernel) if self.fast else kernel)(*arguments)

    def row(self, values: Any) -> Row:  # noqa: ANN401 - an array of integers
        """An array as the kernels want it."""
        return np.ascontiguousarray(values, np.int64) if self.fast else np.asarray(values).tolist()

    def blank(self, size: int, value: int | None = None) -> Row:
        """Room for a kernel's results, filled with a value or with anything."""
        if not self.fast:
            return [value or 0] * size
        return np.empty(size, np.int64) if value is None else np.full(size, value, np.int64)

    @cached_property
    def places(self) -> Row:
        """Where the values lie."""
        return self.row(self.line.places)

    @cached_property
    def x(self) -> Row:
        """The places that widths are measured between."""
        return self.places if self.utility == "distortion" else self.row(np.arange(len(self.line)))

    @cached_property
    def heads(self) -> Row:
        """How many rows there are before each value, and at the end of the line."""
        held = np.ones(len(self.line), np.int64) if self.weights is None else self.weights
        return self.row(np.append(0, np.cumsum(held)))

    @cached_property
    def pairs(self) -> tuple[Row, Row, Row]:
        """Where the pairs of each x begin, and the pairs before and after with the same sensitive value."""
        joint = self.line.joint
        before, after = self.blank(len(joint)), self.blank(len(joint))
        self.run(kernels.link, self.row(joint.x), self.blank(joint.size_x, -1), before, after)
        return self.row(joint.starts), before, after

    @cached_property
    def _anywhere(self) -> Row:
        return self.blank(len(self.line), 0)

    def can_hold(self, posterior: int) -> bool:
        """Whether the line has as many sensitive values, and rows enough for a cell."""
        return posterior <= self.line.joint.size_x and int(self.heads[-1]) >= self.rows

    def windows(self, posterior: int, lows: Row | None = None) -> "Windows":
        """The narrowest runs with this many sensitive values, and the rows that a cell holds.

        Args:
            posterior: how many sensitive values.
            lows: for each value the first one with which it may share a cell.
        """
        size = len(self.line)
        starts, best, queue = self.blank(size), self.blank(size + 1), self.blank(size + 1)
        limits = self._anywhere if lows is None else lows, posterior, self.rows, self.span + 1
        width = self.run(
            kernels.narrowest_cells, self.x, *self.pairs, self.heads, *limits, starts, best, queue
        )
        return Windows(self, starts, int(width))

    def is_refuted(self, posterior: int, width: int) -> bool:
        """Whether two values show that no partition at all has this posterior and cells of this width."""
        return bool(self.run(kernels.clashes, self.x, *self.pairs, width, posterior))

    def least_of_any(self, posterior: int, low: int, high: int) -> int:
        """No partition at all with this posterior has cells narrower than this.

        Every value lies in a run with k sensitive values, and two values far apart do not share theirs.

        Args:
            posterior: k.
            low: no partition has cells narrower than this.
            high: a width that some partition with this posterior has.
        """
        if low < high and self.is_refuted(posterior, high - 1):
            low = high
        for _ in range(_CHECKS):
            middle = (low + high) // 2
            if low >= high - 1:
                break
            if self.is_refuted(posterior, middle - 1):
                low = middle
            else:
                high = middle
        return low


@dataclass(frozen=True, eq=False)
class Windows:
    """The narrowest runs of values with k different sensitive values, and the rows that a cell holds.

    Attributes:
        sweep: the line.
        starts: for each value the last one from which a run to it is such a run, or -1.
        width: the least width of contiguous cells that are such runs; wider than the line if there are none.
    """

    sweep: Sweep
    starts: Row
    width: int

    def least_width(self) -> int:
        """The least width of cells with k sensitive values each: exact, contiguous cells."""
        return self.width

    def cover_widths(self) -> IntArray:
        """For each value the least width of a run that holds it and k sensitive values."""
        sweep, starts, x = self.sweep, np.asarray(self.starts), np.asarray(self.sweep.x)
        widths = sweep.row(np.where(starts < 0, sweep.span + 1, x - x[starts]))
        queue, found = (sweep.blank(len(sweep.line)) for _ in range(2))
        sweep.run(kernels.cover_widths, sweep.x, widths, queue, found)
        return np.asarray(found)

    def cover_width(self) -> int:
        """The least width of runs with k sensitive values that together cover the line: they may overlap."""
        return int(self.cover_widths().max())
