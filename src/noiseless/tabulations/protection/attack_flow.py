"""Moves as flows: where every column is in two equations at most, one of them with the opposite sign.

The equations are nodes then, and columns arcs between them: so it is in two dimensions, one of them with a
hierarchy. What stops a flow is a set of nodes, and that set the multipliers of the equations.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array, csc_array, csr_array
from scipy.sparse.csgraph import connected_components

from noiseless.arrays import FloatArray, IntArray
from noiseless.tabulations.network import pushed

_PAIR = 2
_UNIT = 2.0**40
"""Steps of the flow that stand for a whole requirement."""


@dataclass(frozen=True, eq=False)
class FlowNetwork:
    """Equations as nodes, the last node for columns of one equation, and columns as arcs.

    Attributes:
        signs: which equations are negated (-1) so that each column leaves one node and enters another.
        ends: where each half of an arc ends, as `flow_kernels` numbers them.
        starts: for each node, its first half.
        halves: the halves that leave each node.
    """

    signs: IntArray
    ends: IntArray
    starts: IntArray
    halves: IntArray

    @classmethod
    def of(cls, matrix: csr_array) -> "FlowNetwork | None":
        """The network of equations; None if they are none."""
        columns = csc_array(matrix)
        columns.sum_duplicates()
        many, sizes = matrix.shape[0], np.diff(columns.indptr)
        if not len(columns.data) or sizes.max() > _PAIR or np.any(np.abs(columns.data) != 1):
            return None
        first = columns.indptr[:-1][sizes == _PAIR]
        one, two = columns.indices[first], columns.indices[first + 1]
        same = (columns.data[first] == columns.data[first + 1]).astype(np.int64)  # one of them is negated
        begins = np.r_[2 * one, 2 * one + 1]
        ends = np.r_[2 * two + same, 2 * two + 1 - same]
        graph = coo_array((np.ones(len(begins), np.int8), (begins, ends)), shape=(2 * many, 2 * many))
        label = connected_components(graph, directed=False)[1].reshape(-1, 2)
        if np.any(label[:, 0] == label[:, 1]):
            return None
        signs = np.where(label[:, 0] < label[:, 1], 1, -1)
        arcs = np.repeat(np.arange(matrix.shape[1]), sizes)
        into = signs[columns.indices] * columns.data > 0
        tail, head = np.full((2, matrix.shape[1]), many)
        head[arcs[into]], tail[arcs[~into]] = columns.indices[into], columns.indices[~into]
        halves = np.stack([tail, head], axis=1).ravel()
        starts = np.r_[0, np.cumsum(np.bincount(halves, minlength=many + 1))]
        order = np.argsort(halves, kind="stable")
        return cls(signs, np.stack([head, tail], axis=1).ravel(), starts, order)

    def extreme(
        self, cell: int, sign: int, low: FloatArray, high: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """The move that brings a cell furthest, at most to 1, and multipliers that prove it is furthest.

        Args:
            cell: the cell.
            sign: up or down.
            low: how far down each column can go, in shares, as a number of 0 or more.
            high: how far up.
        """
        down, up = (np.floor(np.minimum(each, 1.0) * _UNIT).astype(np.int64) for each in (low, high))
        low_end, flow, least = -down, np.zeros(len(up), np.int64), np.zeros(len(up), np.int64)
        goal, half = (up[cell], 2 * cell) if sign > 0 else (low_end[cell], 2 * cell + 1)
        network = (self.starts, self.halves, self.ends, low_end, up, flow, least, least.copy())
        level = pushed(network, np.array([half]), np.array([goal]))
        reached = (level >= 0).astype(np.int64) * (flow[cell] != goal)
        return flow / _UNIT, -self.signs * (reached[:-1] - reached[-1]).astype(float)
