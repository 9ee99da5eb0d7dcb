"""Public values dealt to cells in turns, so that each has enough sensitive values: the largest resolution."""

from fractions import Fraction

import numpy as np

from noiseless.arrays import IntArray
from noiseless.exact import Bits, as_fraction
from noiseless.search.contiguous.sweep import least_cell_size, most_answers
from noiseless.search.goal import Targets
from noiseless.search.loss import Lagrangian
from noiseless.search.problem import Problem
from noiseless.search.strips import LineStrip, together

DEALS, DEALT = 200, 6
"""For a weight this many posteriors are looked at, and this many of them dealt."""


def deal_cells(problem: Problem, parts: list[LineStrip], k: int) -> IntArray | None:
    """The labels of cells with k sensitive values each; None if some group has fewer.

    Where every value has one sensitive value no partition has a smaller largest cell (see `least_cell_size`).
    Otherwise values go by their commonest or rarest sensitive value, to as many cells as that way allows.
    """
    cells = []
    for part in parts:
        if k > part.sensitive:
            return None
        cells.append(_deal_strip(part, k))
    return together(problem, parts, cells)[0]


def _deal_strip(part: LineStrip, k: int) -> IntArray:
    joint = part.sweep.line.joint
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


def promising_posteriors(targets: Targets, k: int, most: int) -> list[int]:
    """The posteriors for which a weight could be served best, by the bound on the largest cell."""
    problem, weight = targets.problem, as_fraction(targets.goal.weight or 0)
    known = np.unique(np.linspace(k, most, min(DEALS, most - k + 1)).astype(int)).tolist()

    def bound(posterior: int) -> float:
        least = least_cell_size(problem.joint, posterior)
        return float(Lagrangian(Fraction(problem.joint.size_x, posterior), Bits(least), weight))

    return sorted(known, key=bound)[:DEALT]
