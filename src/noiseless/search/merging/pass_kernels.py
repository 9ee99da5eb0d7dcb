"""The next pair of problem (7) of [P3] by counts and on a line, as machine code.

Among the pairs of different subgraphs whose cost is within a limit: the smallest S-ranges, then the lowest
cells. One pass tells which cells have a partner of a given S-size within the limit, so a pair is found in a
few passes.
"""

# ruff: noqa: C901, PLR0912, PLR0917, SIM102 - kernels are long loops over many arrays, taken one by one

import numpy as np
import numpy.typing as npt

from noiseless.arrays import IntArray
from noiseless.tables.kernels import compiled

Flags = npt.NDArray[np.bool_]

NOTHING = 2**62
"""Above all counts, ranks and places."""


def _least_two(
    order: IntArray, value: IntArray, block: IntArray, size: IntArray, kind: int, found: IntArray
) -> None:
    """The least value of a cell with |S| = kind (any if -1), its block, and the least of another block."""
    found[0], found[1], found[2] = NOTHING, -1, NOTHING
    for cell in order:
        if (kind < 0 or size[cell] == kind) and value[cell] < found[2]:
            if block[cell] == found[1]:
                found[0] = min(found[0], value[cell])
            elif value[cell] < found[0]:
                found[2], found[0], found[1] = found[0], value[cell], block[cell]
            else:
                found[2] = value[cell]


least_two = compiled(_least_two)


def _reach_by_counts(
    order: IntArray, count: IntArray, block: IntArray, size: IntArray, kind: int, limit: int, reaches: Flags
) -> int:
    """Which cells have a partner with |S| = kind within a limit; the least cost if no pair is within it."""
    found, least = np.empty(3, np.int64), NOTHING
    least_two(order, count, block, size, kind, found)
    for cell in order:
        cost = count[cell] + (found[0] if block[cell] != found[1] else found[2])
        reaches[cell] = cost <= limit
        least = min(least, cost)
    return least


reach_by_counts = compiled(_reach_by_counts)


def _reach_on_a_line(
    order: IntArray,
    place: IntArray,
    low: IntArray,
    block: IntArray,
    size: IntArray,
    kind: int,
    limit: int,
    reaches: Flags,
) -> int:
    """The same on a line: cells by the rank of their largest value, `order` ascending.

    No cell is wider than the limit, so a pair is within it iff the higher top less the bottom of the other
    is.
    """
    least, bottom, whose, other_bottom = NOTHING, -1, -1, -1  # the highest bottoms so far, of two blocks
    for cell in order:
        mate = bottom if block[cell] != whose else other_bottom
        reaches[cell] = False
        if mate >= 0:
            cost = place[cell] - place[min(mate, low[cell])]
            reaches[cell] = cost <= limit
            least = min(least, cost)
        if kind < 0 or size[cell] == kind:
            if block[cell] == whose:
                bottom = max(bottom, low[cell])
            elif low[cell] > bottom:
                bottom, whose, other_bottom = low[cell], block[cell], bottom
            else:
                other_bottom = max(other_bottom, low[cell])
    top, whose, other_top = -1, -1, -1  # the nearest tops above, of two blocks
    for at in range(len(order) - 1, -1, -1):
        cell = order[at]
        mate = top if block[cell] != whose else other_top
        if mate >= 0 and place[mate] - place[low[cell]] <= limit:
            reaches[cell] = True
        if kind < 0 or size[cell] == kind:
            if block[cell] != whose:
                other_top = top
            top, whose = cell, block[cell]
    return least


reach_on_a_line = compiled(_reach_on_a_line)


def _smallest(alive: IntArray, size: IntArray, flags: Flags) -> int:
    """The smallest |S| of the marked cells."""
    least = NOTHING
    for cell in alive:
        if flags[cell] and size[cell] < least:
            least = size[cell]
    return least


smallest = compiled(_smallest)


def _best_by_passes(
    alive: IntArray,
    place: IntArray,
    low: IntArray,
    count: IntArray,
    block: IntArray,
    size: IntArray,
    name: IntArray,
    limit: int,
    line: bool,
) -> tuple[int, int]:
    """The best pair of all within the limit, or else of the cheapest ones; on a line or by counts."""
    flags, others = np.zeros(len(size), np.bool_), np.zeros(len(size), np.bool_)
    small, large, grown = -1, -1, True
    for step in range(
        4
    ):  # any partner; again if the limit grew; one of the smallest; of its smallest partner
        if step == 1 and not grown:
            continue
        if step == 2:  # noqa: PLR2004 - as listed
            small = smallest(alive, size, flags)
        elif step == 3:  # noqa: PLR2004
            large = smallest(alive, size, flags)
            if large == small:
                break
        wanted, marks = (large, others) if step == 3 else (small, flags)  # noqa: PLR2004
        if line:
            least = reach_on_a_line(alive, place, low, block, size, wanted, limit, marks)
        else:
            least = reach_by_counts(alive, count, block, size, wanted, limit, marks)
        if step == 0:
            grown, limit = least > limit, max(limit, least)
    first, second = -1, -1
    for cell in alive:
        if (size[cell] == large and flags[cell]) or (size[cell] == small and others[cell]):
            if first < 0 or name[cell] < name[first]:
                first = cell
    for cell in alive:
        if block[cell] != block[first] and size[cell] + size[first] == small + large:
            if line:
                cost = place[max(cell, first)] - place[min(low[cell], low[first])]
            else:
                cost = count[cell] + count[first]
            if cost <= limit and (second < 0 or name[cell] < name[second]):
                second = cell
    return first, second


best_by_passes = compiled(_best_by_passes)
