"""The overlap partition of a joint range: which values every answer tells apart.

Components of the bipartite graph, of the confusability graph, the overlap partition of [P1] and [P3] and the
taxicab partition of [P4] are one object.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from noiseless.arrays import IntArray
from noiseless.ranges.joint import GroupedPairs, JointRange
from noiseless.tables.kernels import compiled

# Joining each x of a posterior set with the first x seen there is enough: the trees stand on one side only,
# and neither the bipartite graph nor the confusability graph is ever built. The loops stop when one component
# is left, which with few values on a side is soon.


Codes = IntArray | list[int]

_SMALL = 50_000
"""Below this many pairs plain Python beats loading the compiled kernel."""


def roots_of_groups(x: IntArray, starts: IntArray, size_x: int) -> IntArray:
    """For each x the smallest x that is connected with it.

    Args:
        x: the x of each pair, pairs grouped by y.
        starts: where each y's pairs begin, and the number of pairs at the end.
        size_x: how many x there are.
    """
    return _run(_unite_groups, [x, starts], size_x)


def roots_of_pairs(x: IntArray, y: IntArray, size_x: int, size_y: int) -> IntArray:
    """For each x the smallest x that is connected with it; pairs in any order."""
    return _run(_unite_pairs, [x, y, np.full(size_y, -1)], size_x)


def _run(unite: Callable[..., None], inputs: list[IntArray], size_x: int) -> IntArray:
    if len(inputs[0]) < _SMALL:
        parents = list(range(size_x))
        unite(*(array.tolist() for array in inputs), parents)
        return np.array(parents, np.int64)
    roots = np.arange(size_x)
    compiled(unite)(*inputs, roots)
    return roots


# Union by smallest root, with path halving. The two loops differ in how they find the first x of a y; they
# are written out because a compiled function that takes another one cannot be kept on disk.


def _unite_groups(x: Codes, starts: Codes, parent: Codes) -> None:
    left = len(parent) - 1
    for group in range(len(starts) - 1):
        a = x[starts[group]]
        while parent[a] != a:
            parent[a] = parent[parent[a]]
            a = parent[a]
        for pair in range(starts[group] + 1, starts[group + 1]):
            b = x[pair]
            while parent[b] != b:
                parent[b] = parent[parent[b]]
                b = parent[b]
            if a != b:
                a, b = min(a, b), max(a, b)
                parent[b] = a
                left -= 1
        if left == 0:
            break
    for value in range(len(parent)):  # roots are smallest, so each parent is final before its children
        parent[value] = parent[parent[value]]


def _unite_pairs(x: Codes, y: Codes, first: Codes, parent: Codes) -> None:
    left = len(parent) - 1
    for pair in range(len(x)):
        b = x[pair]
        a = first[y[pair]]
        if a < 0:
            first[y[pair]] = b
            continue
        while parent[a] != a:
            parent[a] = parent[parent[a]]
            a = parent[a]
        while parent[b] != b:
            parent[b] = parent[parent[b]]
            b = parent[b]
        if a != b:
            parent[max(a, b)] = min(a, b)
            left -= 1
            if left == 0:
                break
    for value in range(len(parent)):
        parent[value] = parent[parent[value]]


@dataclass(frozen=True, eq=False)
class Partition:
    """A partition of [[X]] and of [[Y]] into blocks that belong together.

    Attributes:
        x_blocks: the block of each x, numbered by smallest x.
        y_blocks: the block of each y.
        count: how many blocks there are.
    """

    x_blocks: IntArray
    y_blocks: IntArray
    count: int

    def after_merge(self, cells: npt.ArrayLike) -> "Partition":
        """The partition once the values of Y are merged into cells ([P3] V-B1): fuse the blocks a cell meets.

        Args:
            cells: the cell of each y.

        Returns:
            The partition of [[X]] and of [[Y]] (the original values of Y, not the cells).
        """
        cell_of = np.asarray(cells, np.int64)
        roots = roots_of_pairs(self.y_blocks, cell_of, self.count, int(cell_of.max()) + 1)
        return _relabelled(roots, self.x_blocks, self.y_blocks)


def overlap_partition(joint: JointRange) -> Partition:
    """The overlap (taxicab) partition of a joint range (Definition 1 of [P3], Definition II.2 of [P4])."""
    x, starts = joint.grouped
    roots = roots_of_groups(x, starts, joint.size_x)
    return _relabelled(roots, np.arange(joint.size_x), x[starts[:-1]])


def count_blocks(joint: JointRange) -> int:
    """How many blocks the overlap partition has, without writing it down or sorting the pairs."""
    if isinstance(joint.pairs, GroupedPairs):
        size, roots = joint.size_x, roots_of_groups(*joint.pairs, joint.size_x)
    else:
        sides = (joint.size_x, joint.pairs.x), (joint.size_y, joint.pairs.y)
        (size, few), (other, many) = sorted(sides, key=lambda side: side[0])  # small trees stay in the cache
        roots = roots_of_pairs(few, many, size, other)
    return int(np.count_nonzero(roots == np.arange(size)))


def _relabelled(roots: IntArray, x: IntArray, y: IntArray) -> Partition:
    """Number the blocks 0, 1, ... and name the block of each x and y, given a representative of each."""
    distinct, blocks = np.unique(roots, return_inverse=True)
    return Partition(blocks[x], blocks[y], len(distinct))


def confusability_edges(joint: JointRange) -> IntArray:
    """The pairs y < y' whose posterior sets overlap ([P3] section IV), one row an edge.

    There can be |[[Y]]|^2 / 2 of them; the overlap partition needs none.
    """
    from scipy.sparse import csr_array

    shape = (joint.size_y, joint.size_x)
    incidence = csr_array((np.ones(len(joint), np.int64), joint.x, joint.starts), shape=shape)
    shared = (incidence @ incidence.T).tocoo()
    first, second = shared.coords
    edges = np.column_stack((first, second))[first < second].astype(np.int64)
    ordered: IntArray = edges[np.lexsort((edges[:, 1], edges[:, 0]))]
    return ordered
