"""Cells for the resolution alone: public values dealt to as many cells as can hide enough sensitive ones."""

import numpy as np

from noiseless.arrays import IntArray
from noiseless.ranges import JointRange
from noiseless.search.contiguous.counting import most_answers
from noiseless.search.selection.problem import Problem
from noiseless.search.selection.strips import Strip, together


def dealt(problem: Problem, parts: list[Strip], k: int) -> IntArray | None:
    """The labels of cells with k sensitive values each; None if some group has fewer.

    Where every value has one sensitive value no partition has a smaller largest cell (see `contiguous.deal`).
    Otherwise values go by their commonest or rarest sensitive value, to as many cells as that way allows.
    """
    cells = []
    for part in parts:
        if k > part.sensitive:
            return None
        cells.append(_dealt(part.sweep.line.joint, k))
    return together(problem, parts, cells)[0]


def _dealt(joint: JointRange, k: int) -> IntArray:
    top = most_answers(joint, k)
    found, best = np.zeros(joint.size_y, np.int64), 1
    for order in _orders(joint):
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


def _orders(joint: JointRange) -> list[IntArray]:
    """Values by their commonest, and by their rarest, sensitive value; those with the same one together."""
    sizes = joint.support_sizes
    ranks = np.empty(joint.size_x, np.int64)
    ranks[np.lexsort((np.arange(joint.size_x), -sizes))] = np.arange(joint.size_x)
    own = ranks[joint.x]
    first, last = np.minimum.reduceat(own, joint.starts[:-1]), np.maximum.reduceat(own, joint.starts[:-1])
    orders = [np.lexsort((last, first))]
    if len(joint) > joint.size_y:
        orders += [np.lexsort((first, last)), np.lexsort((first, joint.posterior_sizes))]
    return orders
