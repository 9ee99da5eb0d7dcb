"""Public values dealt to cells in turns, so that each has enough sensitive values: the largest resolution."""

from bisect import bisect_left

import numpy as np

from noiseless.arrays import IntArray
from noiseless.ranges import JointRange
from noiseless.search.strips import LineStrip, together


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


def deal_cells(parts: list[LineStrip], k: int) -> IntArray | None:
    """The labels of cells with k sensitive values each; None if some group has fewer.

    Where every value has one sensitive value no partition has a smaller largest cell (see `least_cell_size`).
    Otherwise values go by their commonest or rarest sensitive value, to as many cells as that way allows.
    """
    cells = []
    for part in parts:
        if k > part.sensitive:
            return None
        cells.append(_deal_strip(part, k))
    return together([part.members for part in parts], cells)[0]


def _deal_strip(part: LineStrip, k: int) -> IntArray:
    joint = part.joint
    top = most_answers(joint, k)
    found, best = np.zeros(joint.size_y, np.int64), 1
    for order in part.orders:
        low, high, many = best, top, top
        while low < high:  # more cells have fewer sensitive values each, nearly always
            cells = np.empty(joint.size_y, np.int64)
            cells[order] = np.arange(joint.size_y) % many
            if int(joint.merged(cells).posterior_sizes.min()) >= k:
                found, low = cells, many
            else:
                high = many - 1
            many = (low + high + 1) // 2
        best = low
        if best == top:
            break
    return found
