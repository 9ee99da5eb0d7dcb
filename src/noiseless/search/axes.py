"""Public columns as orders along which cells are cut, and how much of a column a cell spans.

Of numbers a cell spans its width, of categories how many others it holds, of a hierarchy how many other
leaves its node stands for.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce

import numpy as np

from noiseless.arrays import BoolArray, FloatArray, IntArray
from noiseless.search.columns import Categories, Column, Hierarchy, Numbers
from noiseless.tables.coding import narrow

_ROOM = 2**62

_FEW_PLACES = 500
"""Up to this many places of a hierarchy the node above each two is listed."""


@dataclass(frozen=True, eq=False)
class Axis:
    """A column of numbers, in order.

    Attributes:
        codes: the place of each public value in the order; equal ones share it.
        points: where each place lies, in whole units.
        whole: how many units the column spans.
        weight: what the whole column counts.
    """

    codes: IntArray
    points: IntArray
    whole: Fraction
    weight: Fraction

    @cached_property
    def order(self) -> IntArray:
        """The public values in the column's order."""
        return np.argsort(self.codes, kind="stable")

    @cached_property
    def ranks(self) -> IntArray:
        """The place of each public value in that order, all different."""
        ranks = np.empty(len(self.codes), np.int64)
        ranks[self.order] = np.arange(len(self.codes))
        return ranks

    @cached_property
    def scale(self) -> float:
        """What a unit counts."""
        return float(self.weight / self.whole) if self.whole else 0.0

    @cached_property
    def _about(self) -> FloatArray:
        return self.points.astype(np.float64)

    def places(self, codes: IntArray) -> IntArray:
        """Places to measure by, for codes in ascending order."""
        return codes

    def spans(self, first: IntArray, last: IntArray) -> FloatArray:
        """About how many units there are from one place to another."""
        return np.asarray(self._about[last] - self._about[first])

    def cell_spans(self, order: IntArray, starts: IntArray) -> IntArray:
        """How many units each cell spans, given as their members one after the other."""
        codes = self.codes[order]
        first, last = np.minimum.reduceat(codes, starts), np.maximum.reduceat(codes, starts)
        return np.asarray(self.points[last] - self.points[first])


@dataclass(frozen=True, eq=False)
class CategoryAxis(Axis):
    """A column of categories, in any order: a cell spans as many as it holds."""

    def places(self, codes: IntArray) -> IntArray:
        """Categories counted as they come."""
        return np.cumsum(begins(codes))

    def spans(self, first: IntArray, last: IntArray) -> FloatArray:
        """How many categories there are besides the first."""
        return np.asarray(last - first, np.float64)

    def cell_spans(self, order: IntArray, starts: IntArray) -> IntArray:
        """How many categories there are besides the first."""
        many = len(self.points)
        held = np.repeat(np.arange(len(starts)) * many, sizes_of(starts, len(order)))
        held += self.codes[order]
        held.sort()
        return np.add.reduceat(begins(held), starts, dtype=np.int64) - 1


@dataclass(frozen=True, eq=False)
class TreeAxis(Axis):
    """A column with a hierarchy, its nodes in depth-first order: a cell spans the leaves below its node.

    Attributes:
        nodes: the node of each place.
        parents: the node above each node; the top one is its own.
        lasts: the last place below each node.
        counts: how many leaves are below each node besides the first.
    """

    nodes: IntArray
    parents: IntArray
    lasts: IntArray
    counts: IntArray

    def spans(self, first: IntArray, last: IntArray) -> FloatArray:
        """How many leaves are below the lowest node above both."""
        return self.counts[self.common(first, last)].astype(np.float64)

    def common(self, first: IntArray, last: IntArray) -> IntArray:
        """The lowest node above two places, and so above all between them."""
        if len(self.points) <= _FEW_PLACES:
            return self._table[first, last]
        low, high = np.minimum(first, last), np.maximum(first, last)
        nodes = self.nodes[low]
        while (beyond := self.lasts[nodes] < high).any():
            nodes = np.where(beyond, self.parents[nodes], nodes)
        return nodes

    @cached_property
    def _table(self) -> IntArray:
        """The same for each two places: what is below a node follows it."""
        found = np.empty((len(self.points),) * 2, np.int64)
        for place, node in enumerate(self.nodes.tolist()):
            found[place : self.lasts[node] + 1, place : self.lasts[node] + 1] = node
        return found

    def cell_nodes(self, order: IntArray, starts: IntArray) -> IntArray:
        """The lowest node above all members of each cell."""
        codes = self.codes[order]
        return self.common(np.minimum.reduceat(codes, starts), np.maximum.reduceat(codes, starts))

    def cell_spans(self, order: IntArray, starts: IntArray) -> IntArray:
        """How many leaves are below that node."""
        return self.counts[self.cell_nodes(order, starts)]


def begins(codes: IntArray) -> BoolArray:
    """Where each run of equal codes begins."""
    found = np.ones(len(codes), bool)
    np.not_equal(codes[1:], codes[:-1], out=found[1:])
    return found


def sizes_of(starts: IntArray, total: int) -> IntArray:
    """How many members each cell has, given where each begins and how many there are in all."""
    sizes = np.empty(len(starts), np.int64)
    np.subtract(starts[1:], starts[:-1], out=sizes[:-1])
    sizes[-1:] = total - starts[-1:]
    return sizes


def shares(axes: Sequence[Axis], order: IntArray, starts: IntArray) -> FloatArray:
    """About what cells span of all columns, as a share of each and by its weight."""
    spans = [one.cell_spans(order, starts).astype(np.float64) * one.scale for one in axes]
    return reduce(np.add, spans)


def axis(column: Column) -> Axis:
    """A column as an axis."""
    if isinstance(column, Numbers):
        values = column.points
        if values.dtype != object and int(values[-1]) - int(values[0]) >= _ROOM:
            values = values.astype(object)
        points = values - values[0]
        whole = Fraction(int(points[-1]))
        if column.span is not None:
            whole = (column.span[1] - column.span[0]) / column.unit
        return Axis(column.codes, points, whole, column.weight)
    if isinstance(column, Categories):
        many = len(column.labels)
        return CategoryAxis(column.codes, np.arange(many), Fraction(many - 1), column.weight)
    return _tree_axis(column)


def _tree_axis(column: Hierarchy) -> TreeAxis:
    size, paths = len(column.parents), column.paths
    nodes = sorted(range(size), key=lambda node: paths[node][::-1])  # each before those below it
    places, lasts, counts = (np.zeros(size, np.int64) for _ in range(3))
    for place, node in enumerate(nodes):
        places[node] = place
        lasts[paths[node]] = place
    for leaf in column.lowest.tolist():
        counts[paths[leaf]] += 1
    return TreeAxis(
        narrow(places, size)[column.leaf],
        np.arange(size),
        Fraction(int(counts.max()) - 1),
        column.weight,
        np.array(nodes),
        column.parents,
        lasts,
        counts - 1,
    )
