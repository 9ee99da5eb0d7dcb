"""The next pair of problem (7) of [P3] for any columns, as machine code.

Among the pairs of different subgraphs whose cost is within a limit: the smallest S-ranges, then the lowest
cells; else the cheapest. Each cell keeps its best partner within the limit and its best one beyond; what
became stale is a lower bound.
"""

# ruff: noqa: C901, PLR0912, PLR0917, SIM102 - kernels are long loops over many arrays, taken one by one

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from noiseless.arrays import IntArray
from noiseless.search.merging.cost_kernels import HULL, Geometry, bounds_of, join, less, pair_cost
from noiseless.tables.kernels import compiled

NONE, STALE = -1, -2
Flags = npt.NDArray[np.bool_]
NOTHING = 2**62
"""Above all S-ranges, counts, ranks and places."""


class Partners(NamedTuple):
    """The cells that there are, and the best partners of each.

    `near` is (partner, its |S|, its number) within the limit, `far` is (partner, its |S|, cost, denominator)
    beyond it; `bounds` is room for what a cell costs with each other one.
    """

    alive: IntArray
    block: IntArray
    size: IntArray
    limit: IntArray
    near: IntArray
    far: IntArray
    bounds: IntArray


def _nearest(
    geometry: Geometry,
    partners: Partners,
    cell: int,
) -> None:
    """Look at all partners of a cell."""
    cells, points, tree, penalties, shape = geometry
    alive, block, size, limit, near, far, bounds = partners
    near[cell, 0], far[cell, 0] = NONE, NONE
    under = bounds_of(cells, tree, penalties, shape, cell, alive, bounds)
    for k in range(len(alive)):
        other = alive[k]
        if block[other] == block[cell]:
            continue
        beyond = less(limit[0], limit[1], bounds[k], under)
        if beyond and far[cell, 0] >= 0 and less(far[cell, 2], far[cell, 3], bounds[k], under):
            continue
        top, bottom = bounds[k], under
        if shape[3] > HULL:
            top, bottom = pair_cost(cells, points, tree, penalties, shape, cell, other)
            beyond = less(limit[0], limit[1], top, bottom)
        if not beyond:
            if near[cell, 0] < 0 or size[other] < near[cell, 1]:
                near[cell, 0], near[cell, 1], near[cell, 2] = other, size[other], other
        elif (
            far[cell, 0] < 0
            or less(top, bottom, far[cell, 2], far[cell, 3])
            or (size[other] < far[cell, 1] and not less(far[cell, 2], far[cell, 3], top, bottom))
        ):
            far[cell, 0], far[cell, 1], far[cell, 2], far[cell, 3] = other, size[other], top, bottom


nearest = compiled(_nearest)


def _before(a: int, size_a: int, b: int, size_b: int, c: int, size_c: int, d: int, size_d: int) -> bool:
    """Whether the pair (a, b) comes before the pair (c, d): smallest S-ranges, then lowest cells."""
    first, second = min(size_a, size_b), min(size_c, size_d)
    if first != second:
        return first < second
    first, second = max(size_a, size_b), max(size_c, size_d)
    if first != second:
        return first < second
    return min(a, b) < min(c, d) or (min(a, b) == min(c, d) and max(a, b) < max(c, d))


before = compiled(_before)


def _best_pair(
    geometry: Geometry,
    partners: Partners,
) -> tuple[int, int]:
    """The best pair within the limit or else beyond it; (-1, -1) if all cells are of one subgraph.

    First those whose partner still stands; then those of which only a bound is left, if that may be better.
    """
    alive, block, size, _, near, far, _ = partners
    for beyond in range(2):
        best, other = -1, -1
        for stale in range(2):
            for cell in alive:
                mate = far[cell, 0] if beyond else near[cell, 0]
                if mate >= 0 and block[mate] == block[cell]:  # joined since: only a bound is left
                    mate = STALE
                if mate == NONE or (mate == STALE) != (stale == 1):
                    continue
                if beyond and best >= 0 and less(far[best, 2], far[best, 3], far[cell, 2], far[cell, 3]):
                    continue
                if stale:
                    if not beyond and best >= 0:
                        low, small = near[cell, 2], near[cell, 1]
                        if before(best, size[best], other, size[other], cell, size[cell], low, small):
                            near[cell, 0] = STALE
                            continue
                    nearest(geometry, partners, cell)
                    mate = far[cell, 0] if beyond else near[cell, 0]
                    if mate == NONE:
                        continue
                better = best < 0 or (beyond and less(far[cell, 2], far[cell, 3], far[best, 2], far[best, 3]))
                if not better and not (
                    beyond and less(far[best, 2], far[best, 3], far[cell, 2], far[cell, 3])
                ):
                    better = before(cell, size[cell], mate, size[mate], best, size[best], other, size[other])
                if better:
                    best, other = cell, mate
        if best >= 0:
            return best, other
    return -1, -1


best_pair = compiled(_best_pair)


def _merge_pair(
    geometry: Geometry,
    partners: Partners,
    i: int,
    j: int,
) -> None:
    """Put cell j into cell i, which has the limit's new value before it; `alive` is without j already."""
    cells, points, tree, penalties, shape = geometry
    alive, block, size, limit, near, far, bounds = partners
    join(cells, tree, shape, i, j)
    gone, stays = block[j], block[i]
    size[i] += size[j]
    for cell in alive:
        if block[cell] == gone:
            block[cell] = stays
    near[i, 0], far[i, 0] = NONE, NONE
    under = bounds_of(cells, tree, penalties, shape, i, alive, bounds)
    for k in range(len(alive)):
        cell = alive[k]
        if cell == i:
            continue
        if far[cell, 0] != NONE and not less(limit[0], limit[1], far[cell, 2], far[cell, 3]):
            near[cell, 0], near[cell, 1], far[cell, 0] = STALE, 0, STALE  # what was beyond may be within
        if near[cell, 0] in (i, j):
            near[cell, 0] = STALE
        if far[cell, 0] in (i, j):
            far[cell, 0] = STALE
        if block[cell] == stays:
            continue
        top, bottom = bounds[k], under
        if shape[3] > HULL:
            if (
                less(limit[0], limit[1], top, bottom)
                and far[i, 0] >= 0
                and far[cell, 0] != NONE
                and less(far[i, 2], far[i, 3], top, bottom)
                and less(far[cell, 2], far[cell, 3], top, bottom)
            ):
                continue
            top, bottom = pair_cost(cells, points, tree, penalties, shape, i, cell)
        if not less(limit[0], limit[1], top, bottom):
            if near[i, 0] < 0 or size[cell] < near[i, 1]:
                near[i, 0], near[i, 1], near[i, 2] = cell, size[cell], cell
            if (
                near[cell, 0] == NONE
                or size[i] < near[cell, 1]
                or (size[i] == near[cell, 1] and i < near[cell, 2])
            ):
                near[cell, 0], near[cell, 1], near[cell, 2] = i, size[i], i
            continue
        if (
            far[i, 0] < 0
            or less(top, bottom, far[i, 2], far[i, 3])
            or (size[cell] < far[i, 1] and not less(far[i, 2], far[i, 3], top, bottom))
        ):
            far[i, 0], far[i, 1], far[i, 2], far[i, 3] = cell, size[cell], top, bottom
        if far[cell, 0] == NONE or less(top, bottom, far[cell, 2], far[cell, 3]):
            far[cell, 0], far[cell, 1], far[cell, 2], far[cell, 3] = i, size[i], top, bottom
        elif far[cell, 0] >= 0 and not less(far[cell, 2], far[cell, 3], top, bottom):
            if size[i] < far[cell, 1] or (size[i] == far[cell, 1] and i < far[cell, 0]):
                far[cell, 0], far[cell, 1] = i, size[i]


merge_pair = compiled(_merge_pair)


def _costs_with(
    geometry: Geometry,
    alive: IntArray,
    block: IntArray,
    cell: int,
    cap: tuple[int, int],
    tops: IntArray,
    bottoms: IntArray,
) -> None:
    """What a cell costs with each one of another subgraph; -1 for others and for what reaches the cap."""
    cells, points, tree, penalties, shape = geometry
    under = bounds_of(cells, tree, penalties, shape, cell, alive, tops)
    for at in range(len(alive)):
        if block[alive[at]] == block[cell] or (cap[1] > 0 and not less(tops[at], under, cap[0], cap[1])):
            tops[at], bottoms[at] = -1, 1
        else:
            tops[at], bottoms[at] = pair_cost(cells, points, tree, penalties, shape, cell, alive[at])


costs_with = compiled(_costs_with)


def _rarest(alive: IntArray, size: IntArray) -> tuple[int, int]:
    """The place of the first cell with the smallest |S|, and how many have it."""
    place, many = 0, 0
    for at in range(len(alive)):
        if size[alive[at]] < size[alive[place]]:
            place, many = at, 1
        elif size[alive[at]] == size[alive[place]]:
            many += 1
    return place, many


rarest = compiled(_rarest)


def _largest(alive: IntArray, own: IntArray, below: IntArray) -> tuple[int, int]:
    """The place of the first cell that costs most, and how many do."""
    place, many = 0, 0
    for at in range(len(alive)):
        cell, best = alive[at], alive[place]
        if less(own[best], below[best], own[cell], below[cell]):
            place, many = at, 1
        elif not less(own[cell], below[cell], own[best], below[best]):
            many += 1
    return place, many


largest = compiled(_largest)


def _options(
    alive: IntArray,
    size: IntArray,
    name: IntArray,
    own: IntArray,
    below: IntArray,
    tops: IntArray,
    bottoms: IntArray,
    here: int,
    found: IntArray,
) -> int:
    """For each smallest S-range that merging the cell at a place can lead to, the best partner; how many.

    A row of `found` is that S-range, the partner's place, and the largest loss that is left as a fraction.
    """
    small, small_at, next_small, loss_at, options = NOTHING, -1, NOTHING, -1, 0
    loss_top, loss_below, next_top, next_below = 0, 1, 0, 1
    for at in range(len(alive)):
        cell = alive[at]
        if at == here:
            continue
        if size[cell] < small:
            small, small_at, next_small = size[cell], at, small
        else:
            next_small = min(next_small, size[cell])
        if less(loss_top, loss_below, own[cell], below[cell]):
            next_top, next_below = loss_top, loss_below
            loss_top, loss_below, loss_at = own[cell], below[cell], at
        elif less(next_top, next_below, own[cell], below[cell]):
            next_top, next_below = own[cell], below[cell]
    for at in range(len(alive)):
        if tops[at] < 0:
            continue
        cell, mine = alive[at], alive[here]
        left = min(next_small if at == small_at else small, size[cell] + size[mine])
        top, bottom = (next_top, next_below) if at == loss_at else (loss_top, loss_below)
        if less(top, bottom, tops[at], bottoms[at]):
            top, bottom = tops[at], bottoms[at]
        k = 0
        while k < options and found[k, 0] != left:
            k += 1
        if k == options:
            found[k, 0], found[k, 1], found[k, 2], found[k, 3] = left, at, top, bottom
            options += 1
            continue
        other = alive[found[k, 1]]
        if less(top, bottom, found[k, 2], found[k, 3]) or (
            (size[cell] < size[other] or (size[cell] == size[other] and name[cell] < name[other]))
            and not less(found[k, 2], found[k, 3], top, bottom)
        ):
            found[k, 1], found[k, 2], found[k, 3] = at, top, bottom
    return options


options = compiled(_options)


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


def _smallest(alive: IntArray, size: IntArray, flags: Flags) -> int:
    """The smallest |S| of the marked cells."""
    least = NOTHING
    for cell in alive:
        if flags[cell] and size[cell] < least:
            least = size[cell]
    return least


smallest = compiled(_smallest)
