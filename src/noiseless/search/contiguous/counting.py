"""How few values the largest cell of any partition can hold: by counting, and exactly by dealing."""

import numpy as np

from noiseless.arrays import IntArray
from noiseless.errors import RequestError
from noiseless.ranges import JointRange


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
