"""Algorithm 2 of [P3] in close to n log n: by counts (U1), and on a line (U2, one column)."""

import numpy as np

from noiseless.ranges import overlap_partition
from noiseless.search.merging import maximin_kernels as kernels
from noiseless.search.merging.codebook import Codebook, ColumnCodebook
from noiseless.search.merging.replay import Merges
from noiseless.search.merging.side import Problem


def counts(problem: Problem) -> Merges:
    """Algorithm 2 with U1: no order among the public values is needed."""
    partition = overlap_partition(problem.joint)
    kept, absorbed = np.empty((2, partition.count - 1), np.int64)
    kernels.by_counts(np.asarray(partition.y_blocks, np.int64), partition.count, kept, absorbed)
    return Merges(kept, absorbed, None, None, "counts")


def ordered(problem: Problem, codebook: Codebook | None) -> Merges:
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
    kernels.on_a_line(place, name.copy(), blocks, np.arange(partition.count), order, kept, absorbed)
    return Merges(kept, absorbed, None, None, "ordered")
