"""Algorithm 1 of [P3] as machine code: S-sets, and the search by counts alone (U1).

numba keeps compiled code beside the file it stands in and looks at that file's age only: whoever changes a
function here also touches `line_kernels.py`, which calls it.
"""

# Compiled functions return plain numbers; what they call is untyped.
# mypy: disable-error-code="no-any-return,return-value"

# ruff: noqa: C901, PLR0912, PLR0915, PLR0917, SIM110 - kernels are long loops over many arrays, taken one by one

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from noiseless.arrays import IntArray
from noiseless.tables.kernels import compiled

Words = npt.NDArray[np.uint64]


class Sets(NamedTuple):
    """The S-set of each cell: a row of bits each, or (no words at all) a chain of elements each.

    `chains` has three rows: for each pair the next one of its set (-1 at the end) and its element, numbered
    from 1 on; and for each element when it was last met, the time now standing first. `ends` holds the
    first and the last pair of each set. Kernels take these arrays one by one: taking them out of a tuple
    counts references, which costs more than the work.
    """

    words: Words
    sizes: IntArray
    chains: IntArray
    ends: IntArray


class Trail(NamedTuple):
    """Where merges are written: the cells, the size of the merged S-set, the ends of iterations."""

    kept: IntArray
    absorbed: IntArray
    sets: IntArray
    rounds: IntArray
    ends: IntArray


def _ones(word: np.uint64) -> int:
    x = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


ones = compiled(_ones)


def _unite(words: Words, sizes: IntArray, chains: IntArray, ends: IntArray, into: int, other: int) -> None:
    """The union of two S-sets, kept in the first one's place."""
    if words.shape[1]:
        for w in range(words.shape[1]):
            new = words[other, w] & ~words[into, w]
            if new:
                words[into, w] |= new
                sizes[into] += ones(new)
        return
    stamp = chains[2, 0] + 1
    chains[2, 0] = stamp
    link = ends[into, 0]
    while link >= 0:
        chains[2, chains[1, link]] = stamp
        link = chains[0, link]
    link = ends[other, 0]
    while link >= 0:
        further = chains[0, link]
        if chains[2, chains[1, link]] != stamp:
            chains[0, link] = -1
            chains[0, ends[into, 1]] = link
            ends[into, 1] = link
            sizes[into] += 1
        link = further


unite = compiled(_unite)


def _same(words: Words, sizes: IntArray, chains: IntArray, ends: IntArray, a: int, b: int) -> bool:
    """Whether two S-sets agree."""
    if sizes[a] != sizes[b]:
        return False
    if words.shape[1]:
        for w in range(words.shape[1]):
            if words[a, w] != words[b, w]:
                return False
        return True
    stamp = chains[2, 0] + 1
    chains[2, 0] = stamp
    link = ends[a, 0]
    while link >= 0:
        chains[2, chains[1, link]] = stamp
        link = chains[0, link]
    link = ends[b, 0]
    while link >= 0:
        if chains[2, chains[1, link]] != stamp:
            return False
        link = chains[0, link]
    return True


same = compiled(_same)


def _fingerprint(words: Words, chains: IntArray, ends: IntArray, a: int) -> np.uint64:
    """A number that equal S-sets share."""
    width = words.shape[1]
    if width == 1:
        return words[a, 0]
    mix, found = np.uint64(0x9E3779B97F4A7C15), np.uint64(0)
    for w in range(width):
        found = (found ^ words[a, w]) * mix
        found ^= found >> np.uint64(29)
    link = -1 if width else ends[a, 0]
    while link >= 0:
        x = np.uint64(chains[1, link]) * mix
        x = (x ^ (x >> np.uint64(31))) * np.uint64(0xBF58476D1CE4E5B9)
        found += x ^ (x >> np.uint64(27))
        link = chains[0, link]
    return found


fingerprint = compiled(_fingerprint)


def _push(counts: IntArray, cells: IntArray, size: int, count: int, cell: int) -> None:
    """Into a heap by (count, cell)."""
    at = size
    while at > 0:
        up = (at - 1) >> 1
        if counts[up] < count or (counts[up] == count and cells[up] <= cell):
            break
        counts[at], cells[at] = counts[up], cells[up]
        at = up
    counts[at], cells[at] = count, cell


push = compiled(_push)


def _sift(counts: IntArray, cells: IntArray, size: int) -> None:
    """Replace the root of a heap by its last element, and let that sink."""
    last = size - 1
    count, cell, at = counts[last], cells[last], 0
    while True:
        down = 2 * at + 1
        if down >= last:
            break
        right = down + 1
        if right < last and (
            counts[right] < counts[down] or (counts[right] == counts[down] and cells[right] < cells[down])
        ):
            down = right
        if counts[down] > count or (counts[down] == count and cells[down] >= cell):
            break
        counts[at], cells[at] = counts[down], cells[down]
        at = down
    counts[at], cells[at] = count, cell


sift = compiled(_sift)


def _ascend(numbers: IntArray) -> None:
    """Sort numbers that are not negative, in place, by digits of 11 bits; a quicksort can be quadratic."""
    if len(numbers) < 256:  # noqa: PLR2004 - fewer than it takes to clear the counts
        for i in range(1, len(numbers)):
            number, at = numbers[i], i
            while at > 0 and numbers[at - 1] > number:
                numbers[at] = numbers[at - 1]
                at -= 1
            numbers[at] = number
        return
    most, shift, begins = numbers.max(), 0, np.empty(2048, np.int64)
    spare = np.empty_like(numbers)
    while most >> shift:
        begins[:] = 0
        for number in numbers:
            begins[(number >> shift) & 2047] += 1
        total = 0
        for digit in range(2048):
            begins[digit], total = total, total + begins[digit]
        for number in numbers:
            digit = (number >> shift) & 2047
            spare[begins[digit]] = number
            begins[digit] += 1
        numbers[:] = spare
        shift += 11


ascend = compiled(_ascend)


def _collect(
    sizes: IntArray, buckets: IntArray, links: IntArray, cells: IntArray, state: IntArray, found: IntArray
) -> int:
    """The cells of the smallest S-sets, ascending, marked as waiting; how many there are.

    `buckets[0]` is the smallest size that may be there; the entries of each size are a chain.
    """
    while True:
        size, taken = buckets[0], 0
        entry = buckets[size]
        while entry >= 0:
            cell = cells[entry]
            if state[cell] == 0 and sizes[cell] == size:
                state[cell] = 1
                found[taken] = cell
                taken += 1
            entry = links[entry]
        buckets[size] = -1
        if taken:
            ascend(found[:taken])
            return taken
        buckets[0] += 1


collect = compiled(_collect)


def _better(count: IntArray, a: int, b: int) -> int:
    """Of two cells (or -1) the one with fewer values, then the lower one."""
    if a < 0 or (b >= 0 and (count[b] < count[a] or (count[b] == count[a] and b < a))):
        return b
    return a


better = compiled(_better)


def _counting_sort(keys: IntArray, items: IntArray, most: int) -> IntArray:
    """Items in the order of their keys, 0 to `most`; equal keys keep their order."""
    begins = np.zeros(most + 2, np.int64)
    for key in keys:
        begins[key + 1] += 1
    for key in range(most + 1):
        begins[key + 1] += begins[key]
    found = np.empty_like(items)
    for i in range(len(items)):
        found[begins[keys[i]]] = items[i]
        begins[keys[i]] += 1
    return found


counting_sort = compiled(_counting_sort)


def _grouped(
    words: Words,
    sizes: IntArray,
    chains: IntArray,
    ends: IntArray,
    count: IntArray,
    waiting: IntArray,
    group: IntArray,
    starts: IntArray,
) -> IntArray:
    """Waiting cells by S-set, then count, then number; `group` and `starts` are filled, their number last."""
    keys = count[waiting]
    most = keys.max()
    if most > 4 * len(waiting):
        order = waiting[np.argsort(keys, kind="mergesort")]
    else:
        order = counting_sort(keys, waiting, most)
    slots = 8
    while slots < 2 * len(order):
        slots *= 2
    table, groups = np.full(slots, -1), 0
    representatives = np.empty(len(order), np.int64)
    numbers = np.empty(len(order), np.int64)
    mask = np.uint64(slots - 1)
    for i in range(len(order)):
        cell = order[i]
        word = fingerprint(words, chains, ends, cell) * np.uint64(0x9E3779B97F4A7C15)
        slot = (word ^ (word >> np.uint64(32))) & mask
        while table[slot] >= 0 and not same(words, sizes, chains, ends, representatives[table[slot]], cell):
            slot = (slot + np.uint64(1)) & mask
        if table[slot] < 0:
            table[slot], representatives[groups] = groups, cell
            groups += 1
        group[cell] = numbers[i] = table[slot]
    order = counting_sort(numbers, order, groups - 1)
    at = 0
    for g in range(groups):
        starts[g] = at
        while at < len(order) and group[order[at]] == g:
            at += 1
    starts[groups] = at
    starts[-1] = groups
    return order


grouped = compiled(_grouped)


def _by_counts(
    words: Words,
    sizes: IntArray,
    chains: IntArray,
    ends: IntArray,
    kept_cells: IntArray,
    gone_cells: IntArray,
    set_sizes: IntArray,
    round_ends: IntArray,
    lengths: IntArray,
    count: IntArray,
    most: int,
) -> None:
    """Algorithm 1 with U1: a heap of the cells that do not wait, a tournament of S-sets for those that do."""
    n = len(count)
    state, group, starts = np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n + 2, np.int64)
    buckets = np.full(most + 2, -1)
    links, cells = np.full(2 * n, -1), np.empty(2 * n, np.int64)
    heap_counts, heap_cells, held = np.empty(2 * n, np.int64), np.empty(2 * n, np.int64), 0
    buckets[0] = 1
    for cell in range(n):
        links[cell], cells[cell] = buckets[sizes[cell]], cell
        buckets[sizes[cell]] = cell
    entries, alive, merges, rounds = n, n, 0, 0
    round_ends[0] = 0
    found = np.empty(n, np.int64)
    first = True
    while alive > 1:
        waiting = found[: collect(sizes, buckets, links, cells, state, found)].copy()
        if first:
            for cell in range(n):
                if state[cell] == 0:
                    push(heap_counts, heap_cells, held, 1, cell)
                    held += 1
            first = False
        order = grouped(words, sizes, chains, ends, count, waiting, group, starts)
        groups = starts[-1]
        base = 1
        while base < groups:
            base *= 2
        tree = np.full(2 * base, -1)
        at = starts[: groups + 1].copy()
        for g in range(groups):
            tree[base + g] = order[at[g]]
        for node in range(base - 1, 0, -1):
            tree[node] = better(count, tree[2 * node], tree[2 * node + 1])
        for cell in waiting:
            if state[cell] != 1:
                continue
            partner, node = -1, base + group[cell]
            while node > 1:
                partner = better(count, partner, tree[node ^ 1])
                node >>= 1
            while held and (state[heap_cells[0]] != 0 or count[heap_cells[0]] != heap_counts[0]):
                sift(heap_counts, heap_cells, held)
                held -= 1
            if held:
                partner = better(count, partner, heap_cells[0])
            if partner < 0:
                break
            touched = (group[cell], group[partner] if state[partner] == 1 else -1)
            kept, gone = min(cell, partner), max(cell, partner)
            before = sizes[kept]
            unite(words, sizes, chains, ends, kept, gone)
            count[kept] += count[gone]
            state[gone], state[kept] = -1, 0
            push(heap_counts, heap_cells, held, count[kept], kept)
            held += 1
            if sizes[kept] != before:
                links[entries], cells[entries] = buckets[sizes[kept]], kept
                buckets[sizes[kept]] = entries
                entries += 1
            for g in touched:
                if g >= 0:
                    while at[g] < starts[g + 1] and state[order[at[g]]] != 1:
                        at[g] += 1
                    node = base + g
                    tree[node] = order[at[g]] if at[g] < starts[g + 1] else -1
                    while node > 1:
                        node >>= 1
                        tree[node] = better(count, tree[2 * node], tree[2 * node + 1])
            kept_cells[merges], gone_cells[merges], set_sizes[merges] = kept, gone, sizes[kept]
            merges += 1
            alive -= 1
        if round_ends[rounds] == merges:
            break
        rounds += 1
        round_ends[rounds] = merges
    lengths[0], lengths[1] = merges, rounds + 1


by_counts = compiled(_by_counts)
