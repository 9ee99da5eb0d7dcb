"""Few blocks of sensitive values told apart, for very many public values: blocks are joined by near values.

Each cell that holds values of two blocks makes them one. Candidates are neighbours in the order of a column;
a spanning tree of the blocks takes the cheapest of them. This is what Algorithm 2 of [P3] comes to where its
cells hold two values, in n log n.
"""

from collections.abc import Iterator

import numpy as np

from noiseless.arrays import IntArray
from noiseless.ranges import overlap_partition
from noiseless.search.codebook import ColumnCodebook
from noiseless.search.goal import Targets
from noiseless.search.problem import Problem

SHOWN = 6
"""For this many numbers of blocks cells are made, where none is asked for."""


def joins_blocks(targets: Targets) -> bool:
    """Whether blocks count, and columns say which values are near."""
    book, counts = targets.problem.codebook, targets.goal.objective != "leakage" or targets.blocks is not None
    return counts and targets.problem.side is None and isinstance(book, ColumnCodebook) and book.fits


def joined_blocks(problem: Problem, blocks: int | None) -> Iterator[IntArray]:
    """Cells that leave some numbers of blocks, as labels: first as few as there can be, or those asked for.

    Args:
        problem: what is merged: columns, without side information.
        blocks: how many may be left; None for some numbers of them.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    partition = overlap_partition(problem.joint)
    pairs = _spanning_pairs(problem, np.asarray(partition.y_blocks, np.int64))
    numbers = np.unique(np.geomspace(max(1, len(pairs)), 1, SHOWN).astype(int))[::-1]
    for many in numbers if blocks is None else [max(0, partition.count - blocks)]:
        first, second = pairs[:many].T
        links = coo_array((np.ones(len(first)), (first, second)), shape=(problem.size, problem.size))
        yield connected_components(links, directed=False)[1].astype(np.int64)


def _spanning_pairs(problem: Problem, blocks: IntArray) -> IntArray:
    """Pairs of values that join all blocks that can be joined, the cheapest first."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import minimum_spanning_tree

    pairs = np.concatenate([_neighbours(problem, number) for number in range(len(_columns(problem).axes))])
    pairs = pairs[blocks[pairs[:, 0]] != blocks[pairs[:, 1]]]
    if not len(pairs):
        return np.asarray(pairs)
    pairs = pairs[np.argsort(_costs(problem, pairs), kind="stable")]
    ends = np.sort(blocks[pairs], axis=1)
    many = int(blocks.max()) + 1
    _, cheapest = np.unique(ends[:, 0] * many + ends[:, 1], return_index=True)
    graph = coo_array((cheapest + 1.0, ends[cheapest].T), shape=(many, many))  # in order, and none is 0
    chosen = minimum_spanning_tree(graph.tocsr()).data.astype(np.int64) - 1
    return np.asarray(pairs[np.sort(chosen)])


def _columns(problem: Problem) -> ColumnCodebook:
    if not isinstance(problem.codebook, ColumnCodebook):
        raise TypeError("neighbours are looked for in columns")
    return problem.codebook


def _neighbours(problem: Problem, number: int) -> IntArray:
    """Values of one group that are next to each other by a column, and then by the others."""
    codes = [axis.codes for axis in _columns(problem).axes]
    order = np.lexsort((*codes, codes[number], problem.group_of))
    pairs = np.stack((order[:-1], order[1:]), axis=1)
    return np.asarray(pairs[problem.group_of[pairs[:, 0]] == problem.group_of[pairs[:, 1]]])


def _costs(problem: Problem, pairs: IntArray) -> IntArray:
    """What pairs cost, in the order of these costs: the middle is no further from two than another word."""
    book = _columns(problem)
    middle = ColumnCodebook(*book.columns, distance=book.distance)
    return middle.cell_costs(pairs.reshape(-1), 2 * np.arange(len(pairs)))[0]
