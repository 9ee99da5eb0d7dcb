"""A public column on a line, in exact whole units; and what counting alone shows of its cells."""

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import gcd

import numpy as np

from noiseless.arrays import IntArray
from noiseless.errors import RequestError
from noiseless.ranges import JointRange


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

    @cached_property
    def least_posterior(self) -> int:
        """The smallest number of sensitive values behind an x: the posterior when nothing is merged."""
        return int(self.joint.posterior_sizes.min())


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
    them to so many cells in turn. An s with as many values or more reaches all cells; the others are dealt
    evenly and each at most once to a cell, so each cell gets k different ones.
    """
    sizes = joint.posterior_sizes
    missing = max(posterior - int(sizes.min()), 0)
    return max(-(-joint.size_y // most_answers(joint, posterior)), 1 - (-missing // int(sizes.max())))
