"""The overlap partition of a joint range: which values every answer tells apart.

Components of the bipartite graph, of the confusability graph, the overlap partition of [P1] and [P3] and the
taxicab partition of [P4] are one object.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from noiseless.arrays import IntArray
from noiseless.ranges.joint import JointRange, LoosePairs
from noiseless.tables.kernels import compiled

Codes = IntArray | list[int]

_SMALL = 50_000
"""Below this many pairs plain Python beats loading the compiled kernel."""


def roots_of_pairs(x: IntArray, y: IntArray, size_x: int, size_y: int) -> IntArray:
    """For each x the smallest x that is connected with it; pairs in any order."""
    first = np.full(size_y, -1)
    if len(x) < _SMALL:
        parents = list(range(size_x))
        _unite(x.tolist(), y.tolist(), first.tolist(), parents)
        return np.array(parents, np.int64)
    roots = np.arange(size_x)
    compiled(_unite)(x, y, first, roots)
    return roots


def _unite(x: Codes, y: Codes, first: Codes, parent: Codes) -> None:
    """Union by smallest root, with path halving; in the end each parent is the root.

    Joining each x with the first x seen with its y is enough: the trees stand on one side only, and neither
    the bipartite graph nor the confusability graph is ever built. The loop stops when one component is left,
    which with few values on a side is soon.
    """
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
    for value in range(len(parent)):  # roots are smallest, so each parent is final before its children
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
    roots = roots_of_pairs(joint.x, joint.y, joint.size_x, joint.size_y)
    return _relabelled(roots, np.arange(joint.size_x), joint.x[joint.starts[:-1]])


def count_blocks(joint: JointRange) -> int:
    """How many blocks the overlap partition has, without writing it down or sorting the pairs."""
    pairs = joint.pairs if isinstance(joint.pairs, LoosePairs) else joint
    sides = (joint.size_x, pairs.x), (joint.size_y, pairs.y)
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
