"""The overlap partition of a joint range: which values every answer tells apart.

Components of the bipartite graph, of the confusability graph, the overlap partition of [P1] and [P3] and the
taxicab partition of [P4] are one object.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from noiseless.arrays import IntArray
from noiseless.ranges.components import roots_of_groups, roots_of_pairs
from noiseless.ranges.joint import Grouped, JointRange


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
    if isinstance(joint.pairs, Grouped):
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
