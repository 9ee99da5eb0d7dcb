"""What two cells cost together, as machine code, exactly.

A cost is a fraction of whole numbers. `shape` is (numeric columns, categories, hierarchies, kind, combine).
A row of `cells` holds, for each numeric column, its lowest, its highest and the sum of its values; the
category of each column of categories (-1 when mixed); the node of each hierarchy; then the count, the first
and the last member and, for the public value of the row's number, the member that follows it. A row of
`points` holds a public value's numbers, categories and leaves. `tree` holds the parents, depths and costs
of all nodes; then, if they are few, for each node what it costs together with each other.

Whoever changes a function here also touches the other files of kernels that call it: numba looks at the age
of the file that a compiled function stands in only.
"""

# Compiled functions return plain numbers; what they call is untyped.
# mypy: disable-error-code="no-any-return,return-value"

# ruff: noqa: PLR0917 - kernels are long loops over many arrays, taken one by one

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from noiseless.arrays import IntArray
from noiseless.tables.kernels import compiled

RESOLUTION, HULL, MIDRANGE, CENTROID, MEDOID = range(5)
LARGEST, SUM, SQUARES = range(3)
Shape = tuple[int, int, int, int, int]
Words = npt.NDArray[np.uint64]


class Geometry(NamedTuple):
    """Cells of one public value each, and what their costs follow from."""

    cells: IntArray
    points: IntArray
    tree: IntArray
    penalties: IntArray
    shape: Shape


TABLE = 3
"""The row of `tree` at which the table of costs begins, if there is one."""

ENDLESS = 2**62
"""More than any cost."""


def _product_above(x: np.uint64, y: np.uint64) -> np.uint64:
    """The upper 64 bits of a product."""
    mask, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    x0, x1, y0, y1 = x & mask, x >> half, y & mask, y >> half
    middle = x1 * y0 + ((x0 * y0) >> half)
    other = x0 * y1 + (middle & mask)
    return x1 * y1 + (middle >> half) + (other >> half)


product_above = compiled(_product_above)


def _less_exactly(a: int, b: int, c: int, d: int) -> bool:
    first, second = np.uint64(a) * np.uint64(d), np.uint64(c) * np.uint64(b)
    above, other = product_above(np.uint64(a), np.uint64(d)), product_above(np.uint64(c), np.uint64(b))
    return above < other or (above == other and first < second)


less_exactly = compiled(_less_exactly)


def _less(a: int, b: int, c: int, d: int) -> bool:
    """Whether a / b < c / d; none is negative, b and d are above 0."""
    if b == d:
        return a < c
    first, second = float(a) * float(d), float(c) * float(b)
    if abs(first - second) > 1e-12 * (first + second):
        return first < second
    return less_exactly(a, b, c, d)


less = compiled(_less)


def _common(tree: IntArray, a: int, b: int) -> int:
    """The lowest node above two nodes."""
    while a != b:
        if tree[1, a] >= tree[1, b]:
            a = tree[0, a]
        else:
            b = tree[0, b]
    return a


common = compiled(_common)


def _common_cost(tree: IntArray, a: int, b: int) -> int:
    """What the lowest node above two nodes costs."""
    return tree[TABLE + a, b] if len(tree) > TABLE else tree[2, common(tree, a, b)]


common_cost = compiled(_common_cost)


def _combined(combine: int, so_far: int, part: int) -> int:
    if combine == LARGEST:
        return max(so_far, part)
    return so_far + (part * part if combine == SQUARES else part)


combined = compiled(_combined)


def _fixed(
    cells: IntArray,
    tree: IntArray,
    penalties: IntArray,
    shape: Shape,
    i: int,
    j: int,
    scale: int,
    combine: int,
) -> int:
    """What categories and hierarchies cost in two cells together, alike for every member."""
    numbers, categories, nodes, _, _ = shape
    total, at = 0, 3 * numbers
    for k in range(at, at + categories):
        if cells[i, k] != cells[j, k] or cells[i, k] < 0:
            total = combined(combine, total, scale * penalties[k - at])
    at += categories
    for k in range(at, at + nodes):
        total = combined(combine, total, scale * common_cost(tree, cells[i, k], cells[j, k]))
    return total


fixed = compiled(_fixed)


def _hull(cells: IntArray, shape: Shape, i: int, j: int, so_far: int, combine: int) -> int:
    """The widths of two cells together, put to what there is."""
    numbers = shape[0]
    for k in range(numbers):
        width = max(cells[i, numbers + k], cells[j, numbers + k]) - min(cells[i, k], cells[j, k])
        so_far = combined(combine, so_far, width)
    return so_far


hull = compiled(_hull)


def _medoid_cost(
    points: IntArray, tree: IntArray, penalties: IntArray, shape: Shape, members: IntArray
) -> int:
    """The least largest distance of a member to all others."""
    numbers, categories, nodes, _, combine = shape
    best = -1
    for middle in members:
        worst = 0
        for member in members:
            total = 0
            for k in range(numbers):
                total = combined(combine, total, abs(points[middle, k] - points[member, k]))
            for k in range(numbers, numbers + categories):
                if points[middle, k] != points[member, k]:
                    total = combined(combine, total, penalties[k - numbers])
            for k in range(numbers + categories, numbers + categories + nodes):
                total = combined(combine, total, common_cost(tree, points[middle, k], points[member, k]))
            worst = max(worst, total)
            if 0 <= best <= worst:
                break
        if best < 0 or worst < best:
            best = worst
    return best


medoid_cost = compiled(_medoid_cost)


def _members(cells: IntArray, i: int, j: int) -> IntArray:
    """The public values of two cells."""
    last = cells.shape[1] - 1
    found, at = np.empty(cells[i, last - 3] + cells[j, last - 3], np.int64), 0
    for cell in (i, j):
        member = cells[cell, last - 2]
        while member >= 0:
            found[at] = member
            at += 1
            member = cells[member, last]
    return found


members_of = compiled(_members)


def _farthest(
    cells: IntArray,
    points: IntArray,
    tree: IntArray,
    penalties: IntArray,
    shape: Shape,
    i: int,
    j: int,
    below: int,
) -> int:
    """The largest distance of a member to the midrange (below: 2) or centroid (below: count), times below."""
    numbers, combine, last = shape[0], shape[4], cells.shape[1] - 1
    constant, worst = fixed(cells, tree, penalties, shape, i, j, below, combine), 0
    for cell in (i, j):
        member = cells[cell, last - 2]
        while member >= 0:
            total = constant
            for k in range(numbers):
                if shape[3] == CENTROID:
                    middle = cells[i, 2 * numbers + k] + cells[j, 2 * numbers + k]
                else:
                    middle = min(cells[i, k], cells[j, k]) + max(cells[i, numbers + k], cells[j, numbers + k])
                total = combined(combine, total, abs(below * points[member, k] - middle))
            worst = max(worst, total)
            member = cells[member, last]
    return worst


farthest = compiled(_farthest)


def _pair_cost(
    cells: IntArray, points: IntArray, tree: IntArray, penalties: IntArray, shape: Shape, i: int, j: int
) -> tuple[int, int]:
    """What two cells cost together."""
    kind, combine = shape[3], shape[4]
    count = cells[i, cells.shape[1] - 4] + cells[j, cells.shape[1] - 4]
    if kind == RESOLUTION:
        return count, 1
    if kind == HULL:
        constant = fixed(cells, tree, penalties, shape, i, j, 2, combine)
        return hull(cells, shape, i, j, constant, combine), 4 if combine == SQUARES else 2
    if kind == MEDOID:
        return medoid_cost(points, tree, penalties, shape, members_of(cells, i, j)), 1
    below = count if kind == CENTROID else 2
    worst = farthest(cells, points, tree, penalties, shape, i, j, below)
    return worst, below * below if combine == SQUARES else below


pair_cost = compiled(_pair_cost)


# This looks at all cells. What it would call is written out: a function that was compiled earlier and kept on
# disk is never inlined, which costs ten times the work.


def _bounds(
    cells: IntArray,
    tree: IntArray,
    penalties: IntArray,
    shape: Shape,
    i: int,
    alive: IntArray,
    found: IntArray,
) -> int:
    """What a cell costs at least with each of some others, as numerators; the denominator.

    For RESOLUTION and HULL that is the cost. No other codeword is closer to all members than half of any one
    column's width.
    """
    numbers, categories, nodes, kind, combine = shape
    last, at = cells.shape[1] - 1, 3 * numbers
    how = SUM if kind == RESOLUTION else combine if kind == HULL else LARGEST
    for k in range(len(alive)):
        j, total = alive[k], 0
        if kind == RESOLUTION:
            total = cells[i, last - 3] + cells[j, last - 3]
        for c in range(numbers):
            part = max(cells[i, numbers + c], cells[j, numbers + c]) - min(cells[i, c], cells[j, c])
            total = max(total, part) if how == LARGEST else total + (part * part if how == SQUARES else part)
        for c in range(at, at + categories):
            part = 0 if cells[i, c] == cells[j, c] and cells[i, c] >= 0 else 2 * penalties[c - at]
            total = max(total, part) if how == LARGEST else total + (part * part if how == SQUARES else part)
        for c in range(at + categories, at + categories + nodes):
            if len(tree) > TABLE:
                part = 2 * tree[TABLE + cells[i, c], cells[j, c]]
            else:
                part = 2 * tree[2, common(tree, cells[i, c], cells[j, c])]
            total = max(total, part) if how == LARGEST else total + (part * part if how == SQUARES else part)
        found[k] = total * total if combine == SQUARES and kind != HULL else total
    return 1 if kind == RESOLUTION else 4 if combine == SQUARES else 2


bounds_of = compiled(_bounds)


def _join(cells: IntArray, tree: IntArray, shape: Shape, i: int, j: int) -> None:
    """Put cell j into cell i."""
    numbers, categories, nodes, _, _ = shape
    last = cells.shape[1] - 1
    for k in range(numbers):
        cells[i, k] = min(cells[i, k], cells[j, k])
        cells[i, numbers + k] = max(cells[i, numbers + k], cells[j, numbers + k])
        cells[i, 2 * numbers + k] += cells[j, 2 * numbers + k]
    for k in range(3 * numbers, 3 * numbers + categories):
        if cells[i, k] != cells[j, k]:
            cells[i, k] = -1
    for k in range(3 * numbers + categories, 3 * numbers + categories + nodes):
        cells[i, k] = common(tree, cells[i, k], cells[j, k])
    cells[i, last - 3] += cells[j, last - 3]
    cells[cells[i, last - 1], last] = cells[j, last - 2]
    cells[i, last - 1] = cells[j, last - 1]


join = compiled(_join)


def _root(parent: IntArray, at: int) -> int:
    """The root of a set; the way there is halved."""
    while parent[at] != at:
        parent[at] = parent[parent[at]]
        at = parent[at]
    return at


root = compiled(_root)


def _larger(tops: IntArray, bottoms: IntArray, a: int, b: int) -> int:
    return b if less(tops[a], bottoms[a], tops[b], bottoms[b]) else a


larger = compiled(_larger)


def _distortions(
    geometry: Geometry,
    kept: IntArray,
    absorbed: IntArray,
    tops: IntArray,
    bottoms: IntArray,
) -> None:
    """The largest cost of a cell after each merge: a tournament, for a merge can also make it smaller."""
    cells, points, tree, penalties, shape = geometry
    n = len(points)
    own, below = np.zeros(n, np.int64), np.ones(n, np.int64)
    base = 1
    while base < n:
        base *= 2
    winners = np.zeros(2 * base, np.int64)
    for leaf in range(n):
        winners[base + leaf] = leaf
    tops[0], bottoms[0] = 0, 1
    for step in range(len(kept)):
        i, j = kept[step], absorbed[step]
        own[i], below[i] = pair_cost(cells, points, tree, penalties, shape, i, j)
        own[j], below[j] = 0, 1
        join(cells, tree, shape, i, j)
        if shape[3] == HULL:
            larger_now = less(tops[step], bottoms[step], own[i], below[i])
            tops[step + 1] = own[i] if larger_now else tops[step]
            bottoms[step + 1] = below[i] if larger_now else bottoms[step]
            continue
        for cell in (i, j):
            node = (base + cell) >> 1
            while node:
                winners[node] = larger(own, below, winners[2 * node], winners[2 * node + 1])
                node >>= 1
        tops[step + 1], bottoms[step + 1] = own[winners[1]], below[winners[1]]


distortions = compiled(_distortions)
