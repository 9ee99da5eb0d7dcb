"""Cells and figures as a network, where figures are two laminar families.

Each figure is a node, and an arc between it and the figure that holds it (or the root); the flow on that arc
is the figure. Each base cell is an arc from its smallest figure of the first family to that of the second.
Tables that fit are the circulations within bounds. From one of them follow all:

* a cell is disclosed if and only if its arc joins two strong components of the residual graph, or is a bridge
  inside one (Gusfield 1988);
* its largest value is what it has plus the largest flow around it, and the cut that stops this flow is the
  proof: multipliers 1 and -1 of figures.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from noiseless.arrays import BoolArray, IntArray
from noiseless.errors import RequestError
from noiseless.tables.kernels import compiled
from noiseless.tabulations.flow_kernels import mark_bridges, push
from noiseless.tabulations.laminar import Families
from noiseless.tabulations.publication import UNBOUNDED
from noiseless.tabulations.refutation import Multipliers

_SMALL = 20_000
"""Steps of a loop that are done sooner than machine code is loaded."""
_ONCE = 9
"""A query more is asked this often, so that only small networks are worth plain loops."""


@dataclass(eq=False)
class Network:
    """A circulation and its bounds; arcs are the cells, then the figures, then those that made it feasible.

    Attributes:
        cells: how many arcs are cells.
        figures: how many arcs after them are figures.
        tail: the node where each arc begins; 0 is the root.
        head: the node where each arc ends.
        low: the least flow of each arc.
        high: the largest flow.
        flow: a circulation, once `feasible` says that there is one.
        least: the least flow that an arc had in any circulation so far.
        most: the largest.
    """

    cells: int
    figures: int
    tail: IntArray
    head: IntArray
    low: IntArray
    high: IntArray
    flow: IntArray
    least: IntArray
    most: IntArray
    families: Families

    @classmethod
    def of(
        cls,
        matrix: csr_array,
        families: Families,
        cell_bounds: tuple[IntArray, IntArray],
        row_bounds: tuple[IntArray, IntArray],
    ) -> "Network":
        """The network of two laminar families, with a flow that may not be balanced yet."""
        node = np.arange(matrix.shape[0]) + 1
        first, second = (np.where(home < 0, 0, home + 1) for home in families.homes)
        above = np.where(families.parent < 0, 0, families.parent + 1)
        down = families.family == 0
        tail = np.r_[first, np.where(down, above, node)]
        head = np.r_[second, np.where(down, node, above)]
        low, high = (np.r_[cell, row] for cell, row in zip(cell_bounds, row_bounds, strict=True))
        finite = (np.abs(end[np.abs(end) < UNBOUNDED]).sum(dtype=np.float64) for end in (low, high))
        if (most := 1 + int(sum(finite))) > UNBOUNDED // 4:
            raise RequestError("the figures add up to more than 2^60 steps: choose a larger step")
        low, high = np.maximum(low, -most), np.minimum(high, most)  # more than any finite cut lets through
        cells = matrix.shape[1]
        flow = np.zeros(len(tail), np.int64)
        flow[:cells] = low[:cells]
        start = matrix.astype(np.int64) @ flow[:cells]
        flow[cells:] = np.clip(start, low[cells:], high[cells:])
        balance = np.bincount(head, flow, len(node) + 1) - np.bincount(tail, flow, len(node) + 1)
        made = cls(cells, len(node), tail, head, low, high, flow, flow.copy(), flow.copy(), families)
        made.close(balance.astype(np.int64))
        return made

    def close(self, balance: IntArray) -> None:
        """Add arcs that carry what nodes have too much of to those that lack it: `feasible` fills them."""
        too_much, lack = np.flatnonzero(balance > 0), np.flatnonzero(balance < 0)
        source, sink = len(balance), len(balance) + 1
        tail = np.r_[np.full(len(too_much), source), lack, sink]
        head = np.r_[too_much, np.full(len(lack), sink), source]
        high = np.r_[balance[too_much], -balance[lack], balance[too_much].sum()]
        none = np.zeros(len(tail), np.int64)
        self.tail, self.head = np.r_[self.tail, tail], np.r_[self.head, head]
        self.low, self.high = np.r_[self.low, none], np.r_[self.high, high]
        self.flow, self.least, self.most = (np.r_[each, none] for each in (self.flow, self.least, self.most))

    @cached_property
    def _halves(self) -> tuple[IntArray, IntArray, IntArray]:
        begins = np.stack([self.tail, self.head], axis=1).ravel()
        ends = np.stack([self.head, self.tail], axis=1).ravel()
        starts = np.zeros(self.nodes + 1, np.int64)
        np.cumsum(np.bincount(begins, minlength=self.nodes), out=starts[1:])
        return starts, np.argsort(begins, kind="stable"), ends

    @property
    def nodes(self) -> int:
        """How many nodes there are, the two that make it feasible among them."""
        return int(max(self.tail.max(), self.head.max())) + 1

    def feasible(self) -> bool:
        """Find a circulation; whether there is one (Hoffman)."""
        last = len(self.flow) - 1
        self._push(np.array([2 * last]), self.high[last:])
        if self.flow[last] < self.high[last]:
            return False
        own = slice(self.cells + self.figures, None)
        self.low[own] = self.high[own] = self.flow[own]
        self.least, self.most = self.flow.copy(), self.flow.copy()
        return True

    def fixed(self) -> BoolArray:
        """Which arcs carry the same in every circulation."""
        up, down = self.flow < self.high, self.flow > self.low
        begins, ends = np.r_[self.tail[up], self.head[down]], np.r_[self.head[up], self.tail[down]]
        graph = coo_array((np.ones(len(begins), np.int8), (begins, ends)), shape=(self.nodes, self.nodes))
        part = connected_components(graph, connection="strong")[1]
        inside = (up | down) & (part[self.tail] == part[self.head])
        found: BoolArray = ~inside | self._bridges(inside)
        return found

    def _bridges(self, inside: BoolArray) -> BoolArray:
        starts, halves, ends = self._halves
        nodes = self.nodes
        bridge = np.zeros(len(self.flow), np.int64)
        arrays = (
            *(starts, halves, ends, inside.astype(np.int64), np.full(nodes, -1), np.zeros(nodes, np.int64)),
            *(np.zeros(nodes, np.int64), np.zeros(nodes, np.int64), bridge),
        )
        if len(self.flow) > _SMALL:
            compiled(mark_bridges)(*arrays)
        else:
            lists = [each.tolist() for each in arrays]
            mark_bridges(*lists)
            bridge[:] = lists[-1]
        return bridge > 0

    def extend(self, arcs: IntArray, ups: BoolArray, goals: IntArray) -> None:
        """Bring each arc as far up or down as a circulation can, or to its goal; `least`, `most` learn it."""
        self._push(2 * arcs + ~ups, goals)

    def cut(self, arc: int, up: bool) -> Multipliers:
        """Multipliers of figures (numbered as here) that prove the extreme of an arc; the flow attains it.

        What flows out of the nodes that the failed search reached, flows in. So the arc is what leaves them
        minus what enters them otherwise.
        """
        bound = (self.high if up else self.low)[[arc]]
        level = np.zeros(0, np.int64)
        if (self.most if up else self.least)[arc] != bound[0]:
            level = self._push(np.array([2 * arc + (not up)]), bound)
        if (self.most if up else self.least)[arc] == bound[0]:
            return ((arc - self.cells, 1 if up else -1),) if arc >= self.cells else ()
        reached = (level >= 0).astype(np.int64)
        figures = slice(self.cells, self.cells + self.figures)
        change = reached[self.tail[figures]] - reached[self.head[figures]]
        return tuple((int(k), int(change[k])) for k in np.flatnonzero(change) if k != arc - self.cells)

    def packed(self, arcs: IntArray, ups: BoolArray, goals: IntArray) -> IntArray:
        """A circulation with as many arcs at their goals as one pass can bring there; the first always is."""
        kept = self.low.copy(), self.high.copy()
        self._push(2 * arcs + ~ups, goals, keep=True)
        self.low, self.high = kept
        return self.flow.copy()

    def _push(self, wanted: IntArray, goals: IntArray, *, keep: bool = False) -> IntArray:
        """Run queries; the levels of the last search."""
        starts, halves, ends = self._halves
        return pushed(
            (starts, halves, ends, self.low, self.high, self.flow, self.least, self.most),
            wanted,
            goals,
            keep=keep,
        )


def pushed(
    network: tuple[IntArray, ...], wanted: IntArray, goals: IntArray, *, keep: bool = False
) -> IntArray:
    """Run queries of `flow_kernels.push`, as plain loops where these are sooner; the last search's levels.

    Args:
        network: `starts`, `halves`, `ends`, `low`, `high`, `flow`, `least` and `most`; the last three change.
        wanted: the halves that are followed.
        goals: how far.
        keep: whether arcs that have reached their goals stay there.
    """
    nodes = len(network[0]) - 1
    level = np.full(nodes, -1)
    arrays = (
        *network,
        *(wanted, goals, np.array([int(keep)]), np.zeros(nodes, np.int64), level),
        *(np.zeros(nodes, np.int64), np.zeros(nodes, np.int64)),
    )
    if (len(wanted) + _ONCE) * len(network[5]) > _SMALL:
        compiled(push)(*arrays)
    else:
        lists = [each.tolist() for each in arrays]
        push(*lists)
        for array, values in zip(arrays[5:8], lists[5:8], strict=True):
            array[:] = values
        level[:] = lists[12]
    return level
