"""Algorithms 1 and 2 of [P3] for any columns, as machine code: quadratic."""

# Compiled functions return plain numbers; what they call is untyped.
# mypy: disable-error-code="no-any-return,return-value"

# ruff: noqa: C901, PLR0912, PLR0915, PLR0917, SIM102 - kernels are long loops over many arrays, taken one by one

import numpy as np

from noiseless.arrays import IntArray
from noiseless.search.merging.cost_kernels import (
    ENDLESS,
    HULL,
    LARGEST,
    RESOLUTION,
    SQUARES,
    SUM,
    TABLE,
    Geometry,
    Words,
    bounds_of,
    common,
    join,
    less,
    pair_cost,
    root,
)
from noiseless.tables.kernels import compiled

# What it would call for each cell is written out: a function that was compiled earlier and kept on disk is
# never inlined, which costs ten times the work.


def _partner(
    geometry: Geometry,
    words: Words,
    wanted: Words,
    alive: IntArray,
    i: int,
) -> int:
    """The first of the cells that cost least together with a cell and have a wanted element; -1 if none has.

    As soon as a pair costs too much (see `bounds_of`) the next one is looked at.
    """
    cells, points, tree, penalties, shape = geometry
    numbers, categories, nodes, kind, combine = shape
    last, at = cells.shape[1] - 1, 3 * numbers
    how = SUM if kind == RESOLUTION else combine if kind == HULL else LARGEST
    square = combine == SQUARES and kind > HULL
    best, most, below, limit = -1, 0, 1, ENDLESS
    for j in alive:
        total = 0
        if kind == RESOLUTION:
            total = cells[i, last - 3] + cells[j, last - 3]
        for c in range(numbers):
            part = max(cells[i, numbers + c], cells[j, numbers + c]) - min(cells[i, c], cells[j, c])
            total = max(total, part) if how == LARGEST else total + (part * part if how == SQUARES else part)
        if (total * total if square else total) > limit:
            continue
        for c in range(at, at + categories):
            part = 0 if cells[i, c] == cells[j, c] and cells[i, c] >= 0 else 2 * penalties[c - at]
            total = max(total, part) if how == LARGEST else total + (part * part if how == SQUARES else part)
        if (total * total if square else total) > limit:
            continue
        for c in range(at + categories, at + categories + nodes):
            if len(tree) > TABLE:
                part = 2 * tree[TABLE + cells[i, c], cells[j, c]]
            else:
                part = 2 * tree[2, common(tree, cells[i, c], cells[j, c])]
            total = max(total, part) if how == LARGEST else total + (part * part if how == SQUARES else part)
        if (total * total if square else total) > limit or i == j:
            continue
        helps = False
        for w in range(len(wanted)):
            if words[j, w] & wanted[w]:
                helps = True
                break
        if not helps:
            continue
        if kind <= HULL:
            best, limit = j, total - 1
            continue
        top, bottom = pair_cost(cells, points, tree, penalties, shape, i, j)
        if best < 0 or less(top, bottom, most, below):
            best, most, below = j, top, bottom
            under = 4.0 if square else 2.0
            limit = int(min(under * top / bottom * (1 + 1e-9) + 1, 4e18))  # rounded up: `less` decides
    return best


partner = compiled(_partner)


NONE, STALE = -1, -2


def _exposure(
    words: Words, known: IntArray, prior: IntArray, seen: IntArray, met: IntArray, cell: int
) -> tuple[int, int]:
    """max_a |[[S|a]]| / |[[S|X, a]]|; `seen` keeps how often each a was seen, `met` how many and which."""
    for at in range(1, met[0] + 1):
        seen[met[at]] = 0
    met[0] = 0
    for w in range(words.shape[1]):
        word, element = words[cell, w], 64 * w
        while word:
            if word & np.uint64(1):
                a = known[element]
                if seen[a] == 0:
                    met[0] += 1
                    met[met[0]] = a
                seen[a] += 1
            word >>= np.uint64(1)
            element += 1
    top, bottom = 0, 1
    for at in range(1, met[0] + 1):
        a = met[at]
        if less(top, bottom, prior[a], seen[a]):
            top, bottom = prior[a], seen[a]
    return top, bottom


exposure = compiled(_exposure)


def _wanted(
    words: Words,
    known: IntArray,
    starts: IntArray,
    elements: IntArray,
    prior: IntArray,
    seen: IntArray,
    met: IntArray,
    cell: int,
    wanted: Words,
) -> None:
    """Mark what would help a cell: values of S it lacks, for each a at which it is exposed most."""
    top, bottom = exposure(words, known, prior, seen, met, cell)
    wanted[:] = np.uint64(0)
    for at in range(1, met[0] + 1):
        a = met[at]
        if prior[a] * bottom == top * seen[a]:
            for place in range(starts[a], starts[a + 1]):
                wanted[elements[place] >> 6] |= np.uint64(1) << np.uint64(elements[place] & 63)
    for w in range(len(wanted)):
        wanted[w] &= ~words[cell, w]


mark_wanted = compiled(_wanted)


def _leakage(
    geometry: Geometry,
    words: Words,
    known: IntArray,
    starts: IntArray,
    elements: IntArray,
    prior: IntArray,
    kept: IntArray,
    absorbed: IntArray,
    sets: IntArray,
    rounds: IntArray,
    lengths: IntArray,
) -> None:
    """Algorithm 1: each waiting cell looks at all others."""
    cells, points, tree, _, shape = geometry
    n = len(points)
    alive, size, merges, ended = np.arange(n), n, 0, 0
    dead, waits = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
    tops, bottoms = np.empty(n, np.int64), np.empty(n, np.int64)
    seen, met, wanted = (
        np.zeros(len(prior), np.int64),
        np.zeros(len(prior) + 1, np.int64),
        np.empty(words.shape[1], np.uint64),
    )
    for cell in range(n):
        tops[cell], bottoms[cell] = exposure(words, known, prior, seen, met, cell)
    rounds[0] = 0
    stuck = False  # a cell that is exposed most and that nothing can help
    while size > 1 and not stuck:
        worst = alive[0]
        for cell in alive[:size]:
            if less(tops[worst], bottoms[worst], tops[cell], bottoms[cell]):
                worst = cell
        if tops[worst] == bottoms[worst]:
            break
        top, bottom = tops[worst], bottoms[worst]
        for cell in alive[:size]:
            waits[cell] = tops[cell] * bottom == top * bottoms[cell]
        for cell in alive[:size].copy():
            if dead[cell] or not waits[cell]:
                continue
            mark_wanted(words, known, starts, elements, prior, seen, met, cell, wanted)
            best = partner(geometry, words, wanted, alive[:size], cell)
            if best < 0:
                stuck = True
                break
            i, j = min(cell, best), max(cell, best)
            join(cells, tree, shape, i, j)
            for w in range(words.shape[1]):
                words[i, w] |= words[j, w]
            dead[j], waits[i], waits[j] = True, False, False
            tops[i], bottoms[i] = exposure(words, known, prior, seen, met, i)
            kept[merges], absorbed[merges] = i, j
            sets[merges] = seen[met[1]] if len(prior) == 1 else 0
            merges += 1
            at = np.searchsorted(
                alive[:size], j
            )  # it stays ascending: the first of equal partners is the lowest
            for place in range(at, size - 1):
                alive[place] = alive[place + 1]
            size -= 1
        if merges > rounds[ended]:
            ended += 1
            rounds[ended] = merges
    lengths[0], lengths[1] = merges, ended + 1


leakage = compiled(_leakage)


def _load(nodes: IntArray, first: IntArray, parent: IntArray, at: IntArray, cell: int) -> None:
    """Remember in which subgraph a cell is with each a; `at` holds the time of writing and the subgraph."""
    at[0, -1] += 1
    node = first[cell]
    while node >= 0:
        at[0, nodes[1, node]] = at[0, -1]
        at[1, nodes[1, node]] = root(parent, nodes[2, node])
        node = nodes[0, node]


load = compiled(_load)


def _apart(nodes: IntArray, first: IntArray, parent: IntArray, at: IntArray, cell: int) -> bool:
    """Whether merging a cell with the one remembered joins subgraphs: they meet an a in different ones."""
    node = first[cell]
    while node >= 0:
        a = nodes[1, node]
        if at[0, a] == at[0, -1] and at[1, a] != root(parent, nodes[2, node]):
            return True
        node = nodes[0, node]
    return False


apart = compiled(_apart)


def _fuse(nodes: IntArray, first: IntArray, parent: IntArray, at: IntArray, i: int, j: int) -> int:
    """Put the nodes of cell j to those of cell i; how many subgraphs are gone."""
    load(nodes, first, parent, at, i)
    gone, node = 0, first[j]
    while node >= 0:
        following, a = nodes[0, node], nodes[1, node]
        if at[0, a] == at[0, -1]:
            p, q = root(parent, at[1, a]), root(parent, nodes[2, node])
            if p != q:
                parent[max(p, q)] = min(p, q)
                gone += 1
        else:
            nodes[0, node] = first[i]
            first[i] = node
        node = following
    return gone


fuse = compiled(_fuse)


def _cheapest(
    geometry: Geometry,
    nodes: IntArray,
    first: IntArray,
    parent: IntArray,
    at: IntArray,
    alive: IntArray,
    bounds: IntArray,
    cell: int,
) -> tuple[int, int, int]:
    """The cheapest partner of a cell, the lowest of several (-1 if there is none), and its cost."""
    cells, points, tree, penalties, shape = geometry
    load(nodes, first, parent, at, cell)
    under = bounds_of(cells, tree, penalties, shape, cell, alive, bounds)
    best, most, below = -1, 0, 1
    for k in range(len(alive)):
        if best >= 0 and not less(bounds[k], under, most, below):
            continue
        other = alive[k]
        if not apart(nodes, first, parent, at, other):
            continue
        cost, bottom = bounds[k], under
        if shape[3] > HULL:
            cost, bottom = pair_cost(cells, points, tree, penalties, shape, cell, other)
        if best < 0 or less(cost, bottom, most, below):
            best, most, below = other, cost, bottom
    return best, most, below


cheapest = compiled(_cheapest)


def _maximin(
    geometry: Geometry,
    nodes: IntArray,
    first: IntArray,
    parent: IntArray,
    known: int,
    kept: IntArray,
    absorbed: IntArray,
) -> int:
    """Algorithm 2 with U2: each cell keeps its cheapest partner; what became stale is a lower bound."""
    cells, points, tree, penalties, shape = geometry
    n = len(points)
    alive, size, merges, bounds = np.arange(n), n, 0, np.empty(n, np.int64)
    at = np.zeros((2, known + 1), np.int64)
    partner, tops, bottoms = np.full(n, STALE), np.zeros(n, np.int64), np.ones(n, np.int64)
    while True:
        best, looking = -1, True
        while looking:
            looking, best = False, -1
            for stale in range(2):  # first those whose partner still stands, then those with a bound only
                for cell in alive[:size]:
                    if partner[cell] == NONE or (partner[cell] == STALE) != (stale == 1):
                        continue
                    if best >= 0 and less(tops[best], bottoms[best], tops[cell], bottoms[cell]):
                        continue
                    if stale:
                        partner[cell], tops[cell], bottoms[cell] = cheapest(
                            geometry, nodes, first, parent, at, alive[:size], bounds, cell
                        )
                        if partner[cell] == NONE or (
                            best >= 0 and less(tops[best], bottoms[best], tops[cell], bottoms[cell])
                        ):
                            continue
                    a, b = min(cell, partner[cell]), max(cell, partner[cell])
                    if (
                        best < 0
                        or less(tops[cell], bottoms[cell], tops[best], bottoms[best])
                        or (a, b) < (min(best, partner[best]), max(best, partner[best]))
                    ):
                        best = cell
            if best >= 0:
                load(nodes, first, parent, at, best)
                if not apart(nodes, first, parent, at, partner[best]):
                    partner[best], looking = STALE, True
        if best < 0:
            return merges
        i, j = min(best, partner[best]), max(best, partner[best])
        join(cells, tree, shape, i, j)
        fuse(nodes, first, parent, at, i, j)
        kept[merges], absorbed[merges] = i, j
        merges += 1
        place = np.searchsorted(alive[:size], j)
        for k in range(place, size - 1):
            alive[k] = alive[k + 1]
        size -= 1
        load(nodes, first, parent, at, i)
        under = bounds_of(cells, tree, penalties, shape, i, alive[:size], bounds)
        partner[i], tops[i], bottoms[i] = NONE, 0, 1
        for k in range(size):
            other = alive[k]
            if other == i:
                continue
            if partner[other] in (i, j):
                partner[other] = STALE
            if partner[i] >= 0 and partner[other] != NONE and less(tops[i], bottoms[i], bounds[k], under):
                if less(tops[other], bottoms[other], bounds[k], under):
                    continue
            if not apart(nodes, first, parent, at, other):
                continue
            cost, bottom = bounds[k], under
            if shape[3] > HULL:
                cost, bottom = pair_cost(cells, points, tree, penalties, shape, i, other)
            if partner[i] < 0 or less(cost, bottom, tops[i], bottoms[i]):
                partner[i], tops[i], bottoms[i] = other, cost, bottom
            if partner[other] == NONE or less(cost, bottom, tops[other], bottoms[other]):
                partner[other], tops[other], bottoms[other] = i, cost, bottom
            elif partner[other] > i and not less(tops[other], bottoms[other], cost, bottom):
                partner[other] = i


maximin = compiled(_maximin)
