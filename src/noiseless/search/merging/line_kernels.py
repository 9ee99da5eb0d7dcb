"""Algorithm 1 of [P3] on a line as machine code.

The cells of one column with half their width as cost. Let OLD be the cells not yet merged in an iteration
and NEW those that were. None of OLD lies inside another, and none of NEW: whatever lies inside a cell as it
is merged has the S-set of the cell that chose, hence waits, and when its turn comes it joins that cell or
one beyond. So both are ordered by their ends, and the cheapest partner of a cell is one of five: its
neighbours in OLD beyond those of its own S-set, its neighbours in NEW, and the narrowest of NEW that
contain it. OLD only shrinks, so runs of one S-set only grow together (union-find); NEW is a set of bits
with a tree of widths.
"""

# ruff: noqa: C901, PLR0912, PLR0915, PLR0917, ARG001 - kernels are long loops over many arrays, taken one by one

import numpy as np

from noiseless.arrays import IntArray
from noiseless.search.merging.bit_sets import Words, add, after, before, drop
from noiseless.search.merging.leakage_kernels import ascend, same, unite
from noiseless.tables.kernels import compiled

NAME, LOW, LEFT, RIGHT, ALL_LEFT, ALL_RIGHT, STATE, PARENT, FIRST, LAST = range(10)
"""What is known of a cell, in one line of the cache (a row of 16): cells are visited in any order.

A cell is known by the rank of its largest value. LOW is the rank of its smallest, NAME its first public
value. LEFT and RIGHT chain OLD, ALL_LEFT and ALL_RIGHT all cells, with a sentinel below (-1) and above (n).
A waiting cell belongs to a run of equal S-sets: PARENT, FIRST, LAST. `place` is the value at each rank. The
first set of bits holds NEW; once many of NEW contain others, the second holds their lower ends (whose they
are is in `owner`), and `tree` the narrowest of them.
"""

OLD, WAITING, NEW, DEAD = range(4)
TOPS, BOTTOMS = 0, 1


def _root(cells: IntArray, at: int) -> int:
    while cells[at, PARENT] != at:
        cells[at, PARENT] = cells[cells[at, PARENT], PARENT]
        at = cells[at, PARENT]
    return at


root = compiled(_root)


def _link(
    cells: IntArray, words: Words, sizes: IntArray, chains: IntArray, ends: IntArray, a: int, b: int
) -> None:
    """Make one run of two waiting neighbours if their S-sets agree."""
    if cells[a, STATE] == WAITING and cells[b, STATE] == WAITING and same(words, sizes, chains, ends, a, b):
        left, right = root(cells, a), root(cells, b)
        if left != right:
            cells[left, PARENT] = right
            cells[right, FIRST] = cells[left, FIRST]


link = compiled(_link)


def _leave(
    cells: IntArray, words: Words, sizes: IntArray, chains: IntArray, ends: IntArray, cell: int
) -> None:
    """Take a cell out of OLD."""
    a, b, empty = cells[cell, LEFT], cells[cell, RIGHT], True
    cells[a, RIGHT], cells[b, LEFT] = b, a
    if cells[cell, STATE] == WAITING:
        run = root(cells, cell)
        empty = cells[run, FIRST] == cells[run, LAST]
        if cells[run, FIRST] == cell:
            cells[run, FIRST] = b
        elif cells[run, LAST] == cell:
            cells[run, LAST] = a
    cells[cell, STATE] = DEAD
    if empty:
        link(cells, words, sizes, chains, ends, a, b)


leave = compiled(_leave)


def _narrower(cells: IntArray, place: IntArray, a: int, b: int) -> int:
    """Of two cells (or -1) the narrower one, then the one with the lower name."""
    if a < 0 or b < 0:
        return b if a < 0 else a
    first, second = place[a] - place[cells[a, LOW]], place[b] - place[cells[b, LOW]]
    return b if second < first or (second == first and cells[b, NAME] < cells[a, NAME]) else a


narrower = compiled(_narrower)


def _plant(
    cells: IntArray, place: IntArray, bits: Words, base: IntArray, owner: IntArray, tree: IntArray, cell: int
) -> None:
    """Put a cell of NEW into the tree."""
    add(bits, base, BOTTOMS, cells[cell, LOW])
    owner[cells[cell, LOW]] = cell
    node = (len(tree) >> 1) + cell
    tree[node] = cell
    node >>= 1
    while node and narrower(cells, place, tree[node], cell) == cell:
        tree[node] = cell
        node >>= 1


def _uproot(
    cells: IntArray, place: IntArray, bits: Words, base: IntArray, owner: IntArray, tree: IntArray, cell: int
) -> None:
    """Take a cell of NEW out of the tree."""
    drop(bits, base, BOTTOMS, cells[cell, LOW])
    node = (len(tree) >> 1) + cell
    tree[node] = -1
    node >>= 1
    while node and tree[node] == cell:
        tree[node] = narrower(cells, place, tree[2 * node], tree[2 * node + 1])
        node >>= 1


plant, uproot = compiled(_plant), compiled(_uproot)


def _narrowest(cells: IntArray, place: IntArray, tree: IntArray, begin: int, end: int) -> int:
    """The narrowest of NEW from rank `begin` to below `end`."""
    half, found = len(tree) >> 1, -1
    begin, end = begin + half, end + half
    while begin < end:
        if begin & 1:
            found = narrower(cells, place, found, tree[begin])
            begin += 1
        if end & 1:
            end -= 1
            found = narrower(cells, place, found, tree[end])
        begin >>= 1
        end >>= 1
    return found


narrowest = compiled(_narrowest)


def _cheaper(cells: IntArray, place: IntArray, cell: int, best: int, other: int) -> int:
    """Of two possible partners (or -1) the cheaper one, then the one with the lower name."""
    if best < 0 or other < 0:
        return other if best < 0 else best
    low = cells[cell, LOW]
    first = place[max(cell, best)] - place[min(low, cells[best, LOW])]
    second = place[max(cell, other)] - place[min(low, cells[other, LOW])]
    return other if second < first or (second == first and cells[other, NAME] < cells[best, NAME]) else best


cheaper = compiled(_cheaper)


def _partner(
    cells: IntArray,
    place: IntArray,
    bits: Words,
    base: IntArray,
    owner: IntArray,
    tree: IntArray,
    cell: int,
    planted: bool,
) -> tuple[int, int]:
    """The cheapest partner of a waiting cell, then the lowest (-1: all have its S-set); the steps walked."""
    size = len(owner)
    low, run, best, steps = cells[cell, LOW], root(cells, cell), -1, 0
    old = cells[cells[run, LAST], RIGHT]
    if old < size:
        best = old
    old = cells[cells[run, FIRST], LEFT]
    if old >= 0:
        best = cheaper(cells, place, cell, best, old)
    best = cheaper(cells, place, cell, best, before(bits, base, TOPS, cell))
    top = after(bits, base, TOPS, cell)
    if planted and top >= 0 and cells[top, LOW] < low:
        beyond = after(bits, base, BOTTOMS, low)
        top = owner[beyond] if beyond >= 0 else -1
        best = cheaper(
            cells, place, cell, best, narrowest(cells, place, tree, cell + 1, top if top >= 0 else size)
        )
    while top >= 0 and cells[top, LOW] < low:
        best = cheaper(cells, place, cell, best, top)
        top = after(bits, base, TOPS, top)
        steps += 1
    return cheaper(cells, place, cell, best, top), steps


partner_of = compiled(_partner)


def _waiting_cells(
    cells: IntArray,
    words: Words,
    sizes: IntArray,
    chains: IntArray,
    ends: IntArray,
    buckets: IntArray,
    links: IntArray,
    entered: IntArray,
    at_name: IntArray,
    names: IntArray,
    found: IntArray,
) -> int:
    """The cells with the smallest S-sets, by name, marked as waiting and joined to runs; how many there are.

    `buckets[0]` is the smallest size that may be there; the entries of each size are a chain.
    """
    while True:
        size, taken = buckets[0], 0
        entry = buckets[size]
        while entry >= 0:
            cell = entered[entry]
            if cells[cell, STATE] == OLD and sizes[cell] == size:
                cells[cell, STATE] = WAITING
                cells[cell, PARENT], cells[cell, FIRST], cells[cell, LAST] = cell, cell, cell
                names[taken], found[taken] = cells[cell, NAME], cell
                at_name[cells[cell, NAME]] = cell
                taken += 1
            entry = links[entry]
        buckets[size] = -1
        if taken:
            break
        buckets[0] += 1
    ascend(names[:taken])
    for cell in found[:taken]:  # by and large neighbours follow each other here
        link(cells, words, sizes, chains, ends, cell, cells[cell, RIGHT])
    return taken


waiting_cells = compiled(_waiting_cells)


def _settle(
    cells: IntArray,
    place: IntArray,
    bits: Words,
    base: IntArray,
    owner: IntArray,
    tree: IntArray,
    planted: bool,
) -> None:
    """At the end of an iteration NEW becomes OLD."""
    cell = after(bits, base, TOPS, -1)
    while cell >= 0:
        cells[cell, STATE] = OLD
        drop(bits, base, TOPS, cell)
        if planted:
            uproot(cells, place, bits, base, owner, tree, cell)
        a, b = cells[cell, ALL_LEFT], cells[cell, ALL_RIGHT]
        cells[cell, LEFT], cells[cell, RIGHT], cells[a, RIGHT], cells[b, LEFT] = a, b, cell, cell
        cell = after(bits, base, TOPS, cell)


settle = compiled(_settle)


def _on_a_line(
    words: Words,
    sizes: IntArray,
    chains: IntArray,
    ends: IntArray,
    kept_cells: IntArray,
    gone_cells: IntArray,
    set_sizes: IntArray,
    round_ends: IntArray,
    lengths: IntArray,
    cells: IntArray,
    place: IntArray,
    bits: Words,
    base: IntArray,
    owner: IntArray,
    tree: IntArray,
    most: int,
    patience: int,
) -> None:
    """Algorithm 1 with U2, one column."""
    n = len(owner)
    buckets, links, entered = np.full(most + 2, -1), np.full(2 * n, -1), np.empty(2 * n, np.int64)
    buckets[0] = 1
    for cell in range(n):
        links[cell], entered[cell] = buckets[sizes[cell]], cell
        buckets[sizes[cell]] = cell
    entries, alive, merges, rounds = n, n, 0, 0
    round_ends[0] = 0
    names, at_name, found = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    while alive > 1:
        waiting = names[
            : waiting_cells(cells, words, sizes, chains, ends, buckets, links, entered, at_name, names, found)
        ]
        made, planted, walked = 0, False, 0
        for name in waiting:
            cell = at_name[name]
            if cells[cell, STATE] != WAITING or cells[cell, NAME] != name:
                continue
            other, steps = partner_of(cells, place, bits, base, owner, tree, cell, planted)
            if other < 0:
                break
            walked += steps
            leave(cells, words, sizes, chains, ends, cell)
            if cells[other, STATE] == NEW:
                drop(bits, base, TOPS, other)
                if planted:
                    uproot(cells, place, bits, base, owner, tree, other)
                cells[other, STATE] = DEAD
            else:
                leave(cells, words, sizes, chains, ends, other)
            kept, gone = max(cell, other), min(cell, other)
            a, b = cells[gone, ALL_LEFT], cells[gone, ALL_RIGHT]
            cells[a, ALL_RIGHT], cells[b, ALL_LEFT] = b, a
            first, second = (
                min(cells[kept, NAME], cells[gone, NAME]),
                max(cells[kept, NAME], cells[gone, NAME]),
            )
            size = sizes[kept]
            unite(words, sizes, chains, ends, kept, gone)
            cells[kept, LOW] = min(cells[kept, LOW], cells[gone, LOW])
            cells[kept, NAME], cells[kept, STATE] = first, NEW
            add(bits, base, TOPS, kept)
            made += 1
            if planted:
                plant(cells, place, bits, base, owner, tree, kept)
            elif walked > patience * (len(waiting) + 64):  # many contain others: walking would be quadratic
                planted = True
                one = after(bits, base, TOPS, -1)
                while one >= 0:
                    plant(cells, place, bits, base, owner, tree, one)
                    one = after(bits, base, TOPS, one)
            if sizes[kept] != size:
                links[entries], entered[entries] = buckets[sizes[kept]], kept
                buckets[sizes[kept]] = entries
                entries += 1
            kept_cells[merges], gone_cells[merges], set_sizes[merges] = first, second, sizes[kept]
            merges += 1
            alive -= 1
        if made == 0:
            break
        rounds += 1
        round_ends[rounds] = merges
        settle(cells, place, bits, base, owner, tree, planted)
    lengths[0], lengths[1] = merges, rounds + 1


on_a_line = compiled(_on_a_line)
