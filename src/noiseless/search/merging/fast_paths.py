"""Algorithms 1 and 2 of [P3] in close to n log n: by counts (U1), and on a line (U2, one column)."""

import numpy as np

from noiseless.arrays import IntArray
from noiseless.ranges import JointRange, overlap_partition
from noiseless.search.codebook import Codebook, ColumnCodebook
from noiseless.search.merging import leakage_kernels, line_kernels
from noiseless.search.merging.bit_sets import bits_for
from noiseless.search.merging.cost_kernels import root
from noiseless.search.merging.leakage_kernels import Sets, Trail
from noiseless.search.merging.replay import Merges
from noiseless.search.problem import Problem
from noiseless.tables.kernels import compiled

# Compiled functions return plain numbers; what they call is untyped.
# mypy: disable-error-code="no-any-return,return-value"
# ruff: noqa: PLR0917 - kernels are long loops over many arrays, taken one by one

MOST_WORDS = 2**26
"""Up to so many words of bits (half a gigabyte) S-sets are rows of bits; beyond it, chains of elements.

Bits are half as fast again where values have one sensitive value, and up to five times where they have many.
"""


def leakage_by_counts(problem: Problem) -> Merges:
    """Algorithm 1 with U1: no order among the public values is needed."""
    trail = _trail(problem.size)
    leakage_kernels.by_counts(
        *s_sets(problem.joint), *trail, np.ones(problem.size, np.int64), problem.joint.size_x
    )
    return _merges(trail, "counts")


_PATIENCE = 8
"""How many containing cells are walked past, a waiting cell on average, before a tree of them is kept.

Without the tree 100,000 values with two long runs of a sensitive value take four times as long.
"""


def leakage_on_a_line(problem: Problem, codebook: Codebook | None, *, patience: int = _PATIENCE) -> Merges:
    """Algorithm 1 with U2 for one numeric column whose values differ."""
    if not isinstance(codebook, ColumnCodebook):
        raise TypeError("an ordered column has a codebook of its own")
    n, trail = problem.size, _trail(problem.size)
    values = codebook.scaled.positions[:, 0]
    by_value = np.argsort(values, kind="stable")
    ranks = np.arange(n)
    cells = np.zeros((n + 2, 16), np.int32)  # a line of the cache each; one above all, one below all (-1)
    cells[:n, line_kernels.NAME], cells[:n, line_kernels.LOW] = by_value, ranks
    for chain in (line_kernels.LEFT, line_kernels.ALL_LEFT):
        cells[: n + 1, chain] = np.arange(-1, n)
    for chain in (line_kernels.RIGHT, line_kernels.ALL_RIGHT):
        cells[:n, chain], cells[-1, chain] = ranks + 1, 0
    tree = np.full(2 << (n - 1).bit_length(), -1, np.int32)
    line_kernels.on_a_line(
        *s_sets(problem.joint, order=by_value),
        *trail,
        cells,
        values[by_value],
        *bits_for(n),
        np.zeros(n, np.int32),
        tree,
        problem.joint.size_x,
        patience,
    )
    return _merges(trail, "ordered")


def s_sets(joint: JointRange, *, order: IntArray | None = None, most_words: int | None = None) -> Sets:
    """The S-set of each public value.

    Args:
        joint: the joint range.
        order: in which order the public values are wanted.
        most_words: up to so many words of bits the sets are rows of bits.
    """
    n, m = joint.size_y, joint.size_x
    width = -(-m // 64)
    s, y, starts = (np.asarray(part, np.int64) for part in (joint.x, joint.y, joint.starts))
    order = np.arange(n) if order is None else order
    sizes = np.asarray(joint.posterior_sizes, np.int64)[order]
    if n * width <= (MOST_WORDS if most_words is None else most_words):
        words = np.zeros((n, width), np.uint64)
        np.bitwise_or.at(words, (y, s >> 6), np.uint64(1) << (s & 63).astype(np.uint64))
        return Sets(words[order], sizes, np.zeros((3, 0), np.int64), np.zeros((0, 2), np.int64))
    chains = np.zeros((3, max(len(s), m) + 1), np.int64)
    chains[0, : len(s)], chains[1, : len(s)] = np.arange(1, len(s) + 1), s + 1
    chains[0, starts[1:] - 1] = -1
    ends = np.stack((starts[:-1], starts[1:] - 1), axis=1)[order]
    return Sets(np.zeros((n, 0), np.uint64), sizes, chains, ends)


def _trail(size: int) -> Trail:
    kept, absorbed, sets, rounds = np.zeros((4, size + 1), np.int64)
    return Trail(kept, absorbed, sets, rounds, np.zeros(2, np.int64))


def _merges(trail: Trail, method: str) -> Merges:
    merges, rounds = trail.ends.tolist()
    return Merges(
        trail.kept[:merges], trail.absorbed[:merges], trail.rounds[:rounds], trail.sets[:merges], method
    )


def maximin_by_counts(problem: Problem) -> Merges:
    """Algorithm 2 with U1: no order among the public values is needed."""
    partition = overlap_partition(problem.joint)
    kept, absorbed = np.empty((2, partition.count - 1), np.int64)
    by_counts(np.asarray(partition.y_blocks, np.int64), partition.count, kept, absorbed)
    return Merges(kept, absorbed, None, None, "counts")


def maximin_on_a_line(problem: Problem, codebook: Codebook | None) -> Merges:
    """Algorithm 2 with U2 for one numeric column whose values differ."""
    if not isinstance(codebook, ColumnCodebook):
        raise TypeError("an ordered column has a codebook of its own")
    values = codebook.scaled.positions[:, 0]
    name = np.argsort(values, kind="stable")
    place, partition = values[name], overlap_partition(problem.joint)
    blocks = np.asarray(partition.y_blocks, np.int64)[name]
    kept, absorbed = np.empty((2, partition.count - 1), np.int64)
    between = np.flatnonzero(blocks[1:] != blocks[:-1])
    low, high = np.minimum(name[between], name[between + 1]), np.maximum(name[between], name[between + 1])
    order = between[np.lexsort((low * np.int64(problem.size) + high, place[between + 1] - place[between]))]
    on_a_line(place, name.copy(), blocks, np.arange(partition.count), order, kept, absorbed)
    return Merges(kept, absorbed, None, None, "ordered")


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
