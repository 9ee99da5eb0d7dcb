"""A public column on a line, in exact whole units; and what counting alone shows of its cells."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm
from typing import Any

import numpy as np
import numpy.typing as npt

from noiseless.arrays import IntArray
from noiseless.errors import RequestError
from noiseless.exact import Bits
from noiseless.ranges import JointRange

Coordinates = Sequence[Any] | npt.NDArray[Any]

MOST_WHOLE = 2**62
"""Numbers below this fit into machine integers, and so do their differences; others are kept as Python's."""


@dataclass(frozen=True, eq=False, repr=False)
class OrderedRange:
    """A joint range [[S, X]] whose public values x lie on a line.

    >>> line = OrderedRange.of(JointRange.from_pairs([("a", 7), ("b", 1), ("b", 4)]))
    >>> line.values, line.places.tolist(), line.joint.posterior(0).tolist()
    ((Fraction(1, 1), Fraction(4, 1), Fraction(7, 1)), [0, 1, 2], [1])

    Attributes:
        joint: the pairs (s, x), the x numbered in ascending order.
        places: the distance of each x from the lowest, in units (Python integers where they are huge).
        lowest: the lowest x.
        unit: the largest number of which all distances are multiples.
        order: the code that each x had in the joint range that it comes from.
    """

    joint: JointRange
    places: npt.NDArray[Any]
    lowest: Fraction
    unit: Fraction
    order: IntArray

    @classmethod
    def of(cls, joint: JointRange, coordinates: Coordinates | None = None) -> "OrderedRange":
        """From a joint range [[S, X]]: the X of `JointRange` is sensitive, its Y is public.

        Args:
            joint: the joint range.
            coordinates: where each code of the public column lies: whole numbers, fractions, decimals, or
                floats (taken for the rationals that they are). If None the labels of the public column, or
                the codes where it has no labels.

        Raises:
            RequestError: there is not one finite number for each public value, or two are equal.
        """
        if coordinates is None:
            coordinates = np.arange(joint.size_y) if joint.y_labels is None else joint.y_labels
        if len(coordinates) != joint.size_y:
            raise RequestError(f"give one coordinate for each of the {joint.size_y:,} public values")
        numbers, scale = _whole(coordinates)
        order = np.argsort(numbers, kind="stable")
        distances = numbers[order] - numbers.min()
        steps = np.diff(distances)
        if not steps.all():
            raise RequestError("two public values have the same coordinate; merge them first")
        step = int(np.gcd.reduce(steps)) if steps.dtype != object else gcd(*steps)
        step = step or 1
        lowest = Fraction(int(numbers.min())) * scale
        return cls(_reordered(joint, order), distances // step, lowest, step * scale, order)

    def __len__(self) -> int:
        """How many public values there are."""
        return len(self.places)

    def __repr__(self) -> str:
        return f"OrderedRange({self.joint.size_x:,} sensitive values, {len(self):,} public ones on a line)"

    @property
    def span(self) -> int:
        """The distance between the lowest and the highest x, in units."""
        return int(self.places[-1])

    @property
    def values(self) -> tuple[Fraction, ...]:
        """Each x, ascending."""
        return tuple(self.lowest + int(place) * self.unit for place in self.places)

    @cached_property
    def least_posterior(self) -> int:
        """The smallest number of sensitive values behind an x: the posterior when nothing is merged."""
        return int(self.joint.posterior_sizes.min())

    def leakage(self, posterior: int) -> Bits:
        """L0 = log2 |[[S]]| / posterior, for the smallest posterior set of a release."""
        return Bits(Fraction(self.joint.size_x, posterior))


def _whole(coordinates: Coordinates) -> tuple[npt.NDArray[Any], Fraction]:
    """The coordinates as whole multiples of a number, and that number."""
    if isinstance(coordinates, np.ndarray):
        if coordinates.dtype.kind in "iu" and coordinates.ndim == 1:
            return _machine(
                coordinates.astype(object) if coordinates.dtype == np.uint64 else coordinates
            ), Fraction(1)
        coordinates = coordinates.tolist()
    exact = [_exact(value) for value in coordinates]
    bottom = lcm(*{value.denominator for value in exact})
    whole = np.empty(len(exact), object)
    whole[:] = [value.numerator * (bottom // value.denominator) for value in exact]
    return _machine(whole), Fraction(1, bottom)


def _machine(numbers: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """As machine integers if they and their differences fit."""
    if int(numbers.min()) > -MOST_WHOLE and int(numbers.max()) < MOST_WHOLE:
        return numbers.astype(np.int64)
    return numbers.astype(object)


def _exact(value: Any) -> Fraction:  # noqa: ANN401 - whatever the labels are
    number = value.item() if isinstance(value, np.generic) else value
    try:
        if isinstance(number, int | float | Decimal | Fraction):
            return Fraction(number)
    except (ValueError, OverflowError):
        pass
    raise RequestError("public values on a line are finite numbers; give `coordinates` for other labels")


def _reordered(joint: JointRange, order: IntArray) -> JointRange:
    """The same pairs, the y renumbered: new y i is old y `order[i]`."""
    if np.array_equal(order, np.arange(len(order))):
        return joint
    sizes = joint.posterior_sizes[order]
    starts = np.concatenate(([0], np.cumsum(sizes)))
    old = np.repeat(joint.starts[:-1][order] - starts[:-1], sizes) + np.arange(len(joint))
    y = np.repeat(np.arange(len(order)), sizes)
    labels = None if joint.y_labels is None else [joint.y_labels[int(code)] for code in order]
    return JointRange.from_sorted(joint.x[old], y, joint.size_x, joint.x_labels, labels)


def most_answers(joint: JointRange, posterior: int) -> int:
    """No partition has more cells with k sensitive values each: the largest q with sum_s min(n_s, q) >= q k.

    n_s counts the public values behind which s occurs: s cannot be in more cells than that.

    >>> most_answers(JointRange.from_pairs([("a", 1), ("a", 2), ("a", 3), ("b", 4), ("c", 5)]), 2)
    2
    """
    sizes = np.sort(joint.support_sizes)
    below = np.concatenate(([0], np.cumsum(sizes)))
    low, high = 1, joint.size_y
    while low < high:
        middle = (low + high + 1) // 2
        smaller = int(np.searchsorted(sizes, middle))
        if int(below[smaller]) + middle * (len(sizes) - smaller) >= middle * posterior:
            low = middle
        else:
            high = middle - 1
    return low


def least_cell_size(joint: JointRange, posterior: int) -> int:
    """No partition with this posterior has a smaller largest cell.

    There are at most `most_answers` cells; and each value adds at most max |[[S|x]]| sensitive values to its
    cell. Where every x has one s the bound is attained (see `deal`).
    """
    sizes = joint.posterior_sizes
    missing = max(posterior - int(sizes.min()), 0)
    return max(-(-joint.size_y // most_answers(joint, posterior)), 1 - (-missing // int(sizes.max())))


def deal(joint: JointRange, posterior: int) -> IntArray:
    """The cell of each public value in a partition, of any kind, whose largest cell is as small as can be.

    Where every x has one s: sort the values by s, the commonest first, and deal them to q = `most_answers`
    cells in turn. An s with q values or more reaches all cells; the others are dealt evenly and each at most
    once to a cell, so each cell gets k different ones, and none holds more than ceil(n / q) values. The cells
    pay no heed to distances.

    >>> deal(JointRange.from_pairs([("a", 1), ("a", 2), ("b", 3), ("b", 4)]), 2).tolist()
    [0, 1, 0, 1]

    Raises:
        RequestError: some x has several s, or there are not so many sensitive values.
    """
    if len(joint) != joint.size_y:
        raise RequestError("cells can be dealt where every public value has one sensitive value")
    check_posterior(joint, posterior)
    order = np.lexsort((joint.x, -joint.support_sizes[joint.x]))
    cells = np.empty(joint.size_y, np.int64)
    cells[order] = np.arange(joint.size_y) % most_answers(joint, posterior)
    return cells


def check_posterior(joint: JointRange, posterior: int) -> None:
    """A posterior is between 1 and the number of sensitive values.

    Raises:
        RequestError: it is not.
    """
    if not 1 <= posterior <= joint.size_x:
        raise RequestError(
            f"a posterior is a whole number from 1 to {joint.size_x:,}, the sensitive values there are"
        )
