"""Algorithm 2 of [P3] as machine code: by counts (U1), and on a line (U2, one column)."""

# Compiled functions return plain numbers; what they call is untyped.
# mypy: disable-error-code="no-any-return,return-value"

# ruff: noqa: PLR0917 - kernels are long loops over many arrays, taken one by one

import numpy as np

from noiseless.arrays import IntArray
from noiseless.tables.kernels import compiled


def _precedes(keys: IntArray, a: int, b: int) -> bool:
    """Whether row a of some keys comes before row b."""
    for k in range(3):
        if keys[a, k] != keys[b, k]:
            return keys[a, k] < keys[b, k]
    return False


precedes = compiled(_precedes)


def _push(heap: IntArray, keys: IntArray, size: int, item: int) -> None:
    at = size
    while at > 0 and precedes(keys, item, heap[(at - 1) >> 1]):
        heap[at] = heap[(at - 1) >> 1]
        at = (at - 1) >> 1
    heap[at] = item


def _pop(heap: IntArray, keys: IntArray, size: int) -> int:
    """The first item of a heap of `size`, which is then shorter by one."""
    first, item, at = heap[0], heap[size - 1], 0
    while 2 * at + 1 < size - 1:
        down = 2 * at + 1
        if down + 1 < size - 1 and precedes(keys, heap[down + 1], heap[down]):
            down += 1
        if not precedes(keys, heap[down], item):
            break
        heap[at] = heap[down]
        at = down
    heap[at] = item
    return first


push, pop = compiled(_push), compiled(_pop)


def _meld(
    a: int, b: int, count: IntArray, left: IntArray, right: IntArray, rank: IntArray, spine: IntArray
) -> int:
    """Two leftist heaps of cells by (count, number) made one."""
    depth = 0
    while a >= 0 and b >= 0:
        if count[b] < count[a] or (count[b] == count[a] and b < a):
            a, b = b, a
        spine[depth] = a
        depth += 1
        a = right[a]
    found = b if a < 0 else a
    while depth:
        depth -= 1
        node = spine[depth]
        right[node] = found
        if left[node] < 0 or rank[left[node]] < rank[found]:
            left[node], right[node] = found, left[node]
        rank[node] = 1 if right[node] < 0 else rank[right[node]] + 1
        found = node
    return found


meld = compiled(_meld)


def _by_counts(blocks: IntArray, components: int, kept: IntArray, absorbed: IntArray) -> None:
    """Merge the first cells of the two first subgraphs: by smallest cell, largest subgraph, lowest cell."""
    n = len(blocks)
    count, rank = np.ones(n, np.int64), np.ones(n, np.int64)
    left, right = np.full(n, -1), np.full(n, -1)
    spine, tops, held = np.empty(256, np.int64), np.full(components, -1), np.zeros(components, np.int64)
    for cell in range(n - 1, -1, -1):
        left[cell] = tops[blocks[cell]]
        tops[blocks[cell]] = cell
        held[blocks[cell]] += 1
    keys, heap = np.empty((components, 3), np.int64), np.empty(components, np.int64)
    for block in range(components):
        keys[block, 0], keys[block, 1], keys[block, 2] = 1, -held[block], tops[block]
        push(heap, keys, block, block)
    for merge in range(components - 1):
        size = components - merge
        a, b = pop(heap, keys, size), pop(heap, keys, size - 1)
        first, second = tops[a], tops[b]
        cell, gone = min(first, second), max(first, second)
        rest = meld(left[first], right[first], count, left, right, rank, spine)
        more = meld(left[second], right[second], count, left, right, rank, spine)
        count[cell] += count[gone]
        left[cell], right[cell], rank[cell] = -1, -1, 1
        rest = meld(rest, more, count, left, right, rank, spine)
        tops[a] = meld(rest, cell, count, left, right, rank, spine)
        held[a] += held[b]
        keys[a, 0], keys[a, 1], keys[a, 2] = count[tops[a]], -held[a], tops[a]
        push(heap, keys, size - 2, a)
        kept[merge], absorbed[merge] = cell, gone


by_counts = compiled(_by_counts)


def _root(parent: IntArray, at: int) -> int:
    while parent[at] != at:
        parent[at] = parent[parent[at]]
        at = parent[at]
    return at


root = compiled(_root)


def _on_a_line(
    place: IntArray,
    name: IntArray,
    blocks: IntArray,
    parent: IntArray,
    order: IntArray,
    kept: IntArray,
    absorbed: IntArray,
) -> None:
    """Merge the closest neighbours of different subgraphs.

    No cell ever lies inside another: what would, is closer to one of the two that were merged around it. So
    cells are ordered by their ends, and the cheapest pair is one of neighbours. Cells are known by the rank
    of their largest value; `order` holds the first of each pair of neighbours at the start, cheapest first.
    """
    n, merges, wanted = len(place), 0, len(kept)
    low, left, right, dead = np.arange(n), np.arange(-1, n - 1), np.arange(1, n + 1), np.zeros(n, np.bool_)
    keys = np.empty((2 * wanted + 2, 3), np.int64)  # row 0 is the next pair of `order`
    ends = np.empty((2 * wanted + 2, 2), np.int64)
    heap, held, used, at = np.empty(2 * wanted + 2, np.int64), 0, 1, 0
    while merges < wanted:
        while True:
            if at < len(order):
                a, b = order[at], order[at] + 1
                if (
                    dead[a]
                    or dead[b]
                    or low[a] != a
                    or low[b] != b
                    or root(parent, blocks[a]) == root(parent, blocks[b])
                ):
                    at += 1
                    continue
                keys[0, 0] = place[b] - place[a]
                keys[0, 1], keys[0, 2] = min(name[a], name[b]), max(name[a], name[b])
                if held == 0 or precedes(keys, 0, heap[0]):
                    at += 1
                    break
            entry = pop(heap, keys, held)
            held -= 1
            a, b = ends[entry, 0], ends[entry, 1]
            valid = (
                not dead[a] and not dead[b] and right[a] == b and place[b] - place[low[a]] == keys[entry, 0]
            )
            valid = (
                valid and min(name[a], name[b]) == keys[entry, 1] and max(name[a], name[b]) == keys[entry, 2]
            )
            if valid and root(parent, blocks[a]) != root(parent, blocks[b]):
                break
        parent[root(parent, blocks[a])] = root(parent, blocks[b])
        kept[merges], absorbed[merges] = min(name[a], name[b]), max(name[a], name[b])
        merges += 1
        name[b], low[b], dead[a], left[b] = min(name[a], name[b]), low[a], True, left[a]
        if left[b] >= 0:
            right[left[b]] = b
        for first, second in ((left[b], b), (b, right[b])):
            if first >= 0 and second < n and root(parent, blocks[first]) != root(parent, blocks[second]):
                keys[used, 0] = place[second] - place[low[first]]
                keys[used, 1] = min(name[first], name[second])
                keys[used, 2] = max(name[first], name[second])
                ends[used, 0], ends[used, 1] = first, second
                push(heap, keys, held, used)
                held += 1
                used += 1


on_a_line = compiled(_on_a_line)
