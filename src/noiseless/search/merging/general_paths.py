"""Cells over any columns as the kernels take them: the quadratic algorithms of [P3], and costs."""

import numpy as np

from noiseless.arrays import IntArray
from noiseless.ranges import overlap_partition
from noiseless.search.codebook import Codebook, ColumnCodebook
from noiseless.search.merging import cost_kernels, general_kernels
from noiseless.search.merging.cost_kernels import Geometry, Shape, Words, bounds_of, join, less, pair_cost
from noiseless.search.merging.replay import Merges
from noiseless.search.problem import Problem
from noiseless.tables.kernels import compiled

# Compiled functions return plain numbers; what they call is untyped.
# mypy: disable-error-code="no-any-return,return-value"
# ruff: noqa: PLR0917 - kernels are long loops over many arrays, taken one by one

_COMBINE = {"max": cost_kernels.LARGEST, "sum": cost_kernels.SUM, "squares": cost_kernels.SQUARES}
_KIND = {
    "midrange": cost_kernels.MIDRANGE,
    "centroid": cost_kernels.CENTROID,
    "medoid": cost_kernels.MEDOID,
    "interval": cost_kernels.HULL,
}

_FEW_NODES = 512
"""Up to so many nodes what each costs together with each other is looked up."""


def geometry(codebook: Codebook | None, size: int) -> Geometry:
    """The cells to begin with; None for resolution."""
    links = np.stack((np.ones(size, np.int64), np.arange(size), np.arange(size), np.full(size, -1)), axis=1)
    if codebook is None:
        empty = np.zeros((size, 0), np.int64)
        shape = (0, 0, 0, cost_kernels.RESOLUTION, cost_kernels.SUM)
        return Geometry(links, empty, np.zeros((3, 1), np.int64), np.zeros(0, np.int64), shape)
    if not isinstance(codebook, ColumnCodebook):
        raise TypeError("only codebooks over columns are compiled")
    scaled = codebook.scaled
    offsets = np.cumsum([0, *(len(tree.parents) for tree, _ in scaled.hierarchies)])
    nodes = scaled.nodes + offsets[:-1] if len(offsets) > 1 else scaled.nodes
    many = int(offsets[-1])
    tree = np.zeros((cost_kernels.TABLE + many * (many <= _FEW_NODES), max(1, many)), np.int64)
    for (hierarchy, costs), start, end in zip(scaled.hierarchies, offsets, offsets[1:], strict=False):
        tree[: cost_kernels.TABLE, start:end] = hierarchy.parents + start, hierarchy.depths, costs
        if many <= _FEW_NODES:
            at = cost_kernels.TABLE + int(start)
            tree[at : at + len(costs), start:end] = hierarchy.common_costs(costs)
    kind = cost_kernels.HULL if codebook.by_hull else _KIND[codebook.word]
    numbers = np.asarray(scaled.positions, np.int64)
    categories = np.asarray(scaled.categories, np.int64)
    return Geometry(
        np.ascontiguousarray(np.hstack((numbers, numbers, numbers, categories, nodes, links))),
        np.ascontiguousarray(np.hstack((numbers, categories, nodes))),
        tree,
        np.array(scaled.penalties, np.int64),
        (numbers.shape[1], categories.shape[1], nodes.shape[1], kind, _COMBINE[codebook.combine]),
    )


def distortions(codebook: Codebook, kept: IntArray, absorbed: IntArray) -> tuple[IntArray, IntArray]:
    """The largest cost of a cell after each merge, on the codebook's integer scale."""
    tops, bottoms = np.empty((2, len(kept) + 1), np.int64)
    cost_kernels.distortions(geometry(codebook, len(codebook)), kept, absorbed, tops, bottoms)
    return tops, bottoms


def leakage_of_any_columns(problem: Problem, codebook: Codebook | None) -> Merges:
    """Algorithm 1, with side information or without."""
    joint, n = problem.joint, problem.size
    s, x, a = np.asarray(joint.x, np.int64), problem.public[joint.y], problem.known[joint.y]
    keys, element = np.unique(a * joint.size_x + s, return_inverse=True)  # the pairs (s, a) that occur
    known = keys // joint.size_x
    words = np.zeros((n, -(-len(keys) // 64)), np.uint64)
    np.bitwise_or.at(words, (x, element >> 6), np.uint64(1) << (element & 63).astype(np.uint64))
    starts = np.append(0, np.cumsum(np.bincount(known)))
    kept, absorbed, sets, rounds = (np.zeros(n + 1, np.int64) for _ in range(4))
    ends = np.zeros(2, np.int64)
    general_kernels.leakage(
        geometry(codebook, n),
        words,
        known,
        starts,
        np.arange(len(keys)),
        problem.prior,
        kept,
        absorbed,
        sets,
        rounds,
        ends,
    )
    merges, ended = ends.tolist()
    return Merges(kept[:merges], absorbed[:merges], rounds[:ended], sets[:merges], "general")


def maximin_of_any_columns(problem: Problem, codebook: Codebook | None) -> Merges:
    """Algorithm 2 with U2, with side information or without."""
    joint, n = problem.joint, problem.size
    partition = overlap_partition(joint)
    if partition.count == 1:  # nothing is left to join
        none = np.zeros(0, np.int64)
        return Merges(none, none, None, None, "general")
    nodes = np.stack((np.full(joint.size_y, -1), problem.known, np.asarray(partition.y_blocks, np.int64)))
    first = np.full(n, -1)
    for node, x in enumerate(problem.public.tolist()):  # the nodes of each public value are a chain
        nodes[0, node], first[x] = first[x], node
    kept, absorbed = np.zeros((2, n + 1), np.int64)
    merges = general_kernels.maximin(
        geometry(codebook, n),
        np.ascontiguousarray(nodes),
        first,
        np.arange(partition.count),
        int(problem.known.max()) + 1,
        kept,
        absorbed,
    )
    return Merges(kept[:merges], absorbed[:merges], None, None, "general")


def _costs_of_cells(
    geometry: Geometry,
    order: IntArray,
    starts: IntArray,
    tops: IntArray,
    bottoms: IntArray,
) -> None:
    """What each cell costs; its members are order[starts[c]:starts[c + 1]]."""
    cells, points, tree, penalties, shape = geometry
    for cell in range(len(starts) - 1):
        first, last = order[starts[cell]], order[starts[cell + 1] - 1]
        if first == last:
            continue
        for at in range(starts[cell] + 1, starts[cell + 1] - 1):
            join(cells, tree, shape, first, order[at])
        tops[cell], bottoms[cell] = pair_cost(cells, points, tree, penalties, shape, first, last)


costs_of_cells = compiled(_costs_of_cells)


def _radii(
    geometry: Geometry,
    words: Words,
    alive: IntArray,
    centres: IntArray,
    found: IntArray,
) -> None:
    """For each centre and each k what a cell with it and with k elements costs at least; -1 if none has k.

    A cell that holds the centre and another value costs at least the bound of the two, so one with k elements
    costs at least as much as the nearest values that have k together. `found[c, k - 1]` is a numerator (see
    `bounds_of`).
    """
    cells, _, tree, penalties, shape = geometry
    bounds = np.empty(len(alive), np.int64)
    held = np.empty(words.shape[1], np.uint64)
    for c in range(len(centres)):
        bounds_of(cells, tree, penalties, shape, centres[c], alive, bounds)
        held[:] = np.uint64(0)
        count = 0
        for k in range(found.shape[1]):
            found[c, k] = -1
        for place in np.argsort(bounds):
            before = count
            for w in range(len(held)):
                fresh = words[alive[place], w] & ~held[w]
                held[w] |= fresh
                while fresh:
                    fresh &= fresh - np.uint64(1)
                    count += 1
            for k in range(before, min(count, found.shape[1])):
                found[c, k] = bounds[place]
            if count >= found.shape[1]:
                break


radii = compiled(_radii)


def _reached(
    geometry: Geometry,
    words: Words,
    alive: IntArray,
    centres: IntArray,
    top: int,
    bottom: int,
    found: IntArray,
) -> None:
    """For each centre how many elements those have together that may share a cell of some cost with it."""
    cells, _, tree, penalties, shape = geometry
    bounds = np.empty(len(alive), np.int64)
    held = np.empty(words.shape[1], np.uint64)
    for c in range(len(centres)):
        under = bounds_of(cells, tree, penalties, shape, centres[c], alive, bounds)
        held[:] = np.uint64(0)
        for place in range(len(alive)):
            if not less(top, bottom, bounds[place], under):
                for w in range(len(held)):
                    held[w] |= words[alive[place], w]
        count = 0
        for w in range(len(held)):
            word = held[w]
            while word:
                word &= word - np.uint64(1)
                count += 1
        found[c] = count


reached = compiled(_reached)


def _gather(cells: IntArray, tree: IntArray, shape: Shape, row: int, members: IntArray) -> None:
    """Make a row the cell of some values; who follows whom is not kept."""
    for k in range(cells.shape[1]):
        cells[row, k] = cells[members[0], k]
    for at in range(1, len(members)):
        join(cells, tree, shape, row, members[at])


gather = compiled(_gather)
