"""Where to draw a joint range as two columns of nodes: components apart, few lines crossing."""

from dataclasses import dataclass

import numpy as np

from noiseless.arrays import FloatArray, IntArray
from noiseless.ranges import JointRange, overlap_partition

_SWEEPS = 4
"""How often each side is ordered by the other."""

_GAP = 0.6
"""The space between two components, in rows."""


@dataclass(frozen=True, eq=False)
class Layout:
    """Heights of the nodes, in rows from the top, and their components from the top.

    The order of the values decides only between places that look alike: a drawing without labels does
    not give away which value is the smallest.
    """

    x_heights: FloatArray
    y_heights: FloatArray
    x_blocks: IntArray
    y_blocks: IntArray
    rows: float


def lay_out(joint: JointRange) -> Layout:
    """Place the nodes: the largest component on top, nodes by the mean height of their neighbours."""
    partition = overlap_partition(joint)
    widths = np.bincount(partition.x_blocks), np.bincount(partition.y_blocks)
    order = np.lexsort((-widths[1], -widths[0], -(widths[0] + widths[1])))
    place = np.empty_like(order)
    place[order] = np.arange(partition.count)
    x_blocks, y_blocks = place[partition.x_blocks], place[partition.y_blocks]
    x_heights, y_heights = _untangled(joint)
    tops = 0.0
    for block in range(partition.count):
        xs = np.flatnonzero(x_blocks == block)
        ys = np.flatnonzero(y_blocks == block)
        tall = max(len(xs), len(ys))
        _spread(x_heights, xs, tops, tall)
        _spread(y_heights, ys, tops, tall)
        tops += tall + _GAP
    return Layout(x_heights, y_heights, x_blocks, y_blocks, tops - _GAP)


def _untangled(joint: JointRange) -> tuple[FloatArray, FloatArray]:
    """A rank for each x and each y such that neighbours have similar ranks."""
    x_ranks = _ranks(-joint.support_sizes.astype(float))
    y_ranks = _ranks(-joint.posterior_sizes.astype(float))
    for _ in range(_SWEEPS):
        y_ranks = _ranks(np.bincount(joint.y, x_ranks[joint.x]) / joint.posterior_sizes)
        x_ranks = _ranks(np.bincount(joint.x, y_ranks[joint.y]) / joint.support_sizes)
    return x_ranks, y_ranks


def _ranks(keys: FloatArray) -> FloatArray:
    ranks = np.empty(len(keys))
    ranks[np.argsort(keys, kind="stable")] = np.arange(len(keys))
    return ranks


def _spread(heights: FloatArray, nodes: IntArray, top: float, tall: int) -> None:
    """Replace the ranks of a component's nodes on one side by heights, evenly over the component's rows."""
    step = tall / len(nodes)
    ordered = nodes[np.argsort(heights[nodes], kind="stable")]
    heights[ordered] = top + step * (np.arange(len(nodes)) + 0.5)
