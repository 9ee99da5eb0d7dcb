"""The confusability graph, for those who want to see it; nothing else in the package builds it."""

import numpy as np

from noiseless.arrays import IntArray
from noiseless.ranges.joint import JointRange


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
