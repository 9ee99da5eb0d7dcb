"""Cells of public values as arrays: what one cell costs together with each of many others, in whole numbers.

A cell is known by what its cost follows from: the lowest, the highest and the sum of its numbers, its
category or that it has several, and the lowest node above its members. Costs are fractions, numerators and
denominators, and are compared exactly.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from noiseless.arrays import BoolArray, IntArray
from noiseless.exact import Bits
from noiseless.search.axes import TreeAxis
from noiseless.search.codebook import Codebook, ColumnCodebook
from noiseless.search.loss import Length, Lengths, Loss

NEVER = 2**62
"""More than any cost."""

_TRIED = 8
"""This many pairs with the lowest bounds are measured first: what they cost tells which others to measure."""

_AT_ONCE = 2**20
"""This many members of pairs are measured in one go."""

_SURE = 1e-12
"""Products of floats that differ by more, relative to their size, differ that way."""

Cost = tuple[int, int]
Costs = tuple[IntArray, IntArray]


class Hulls:
    """Cells, each called by a number; to begin with each holds the public value of that number.

    Attributes:
        exact: whether `together` gives costs; else they are lower bounds.
        grows: whether no cell costs more than one that holds it.
        counts: how many values each cell holds.
        own: what each cell costs.
        nothing: the least cost, as a numerator.
    """

    def __init__(self, codebook: ColumnCodebook | None, size: int, *, room: int = 0) -> None:
        """A cell for each value, and room for others.

        Args:
            codebook: what cells cost, where that fits; None if they cost as much as they hold.
            size: how many public values there are.
            room: how many cells to make room for; see `fill`.
        """
        self.codebook, values = codebook, np.arange(size)
        self.counts = np.ones(size + room, np.int64)
        self.exact = self.grows = self._alike = True
        self.nothing: Any = 0
        self.own = self.counts.copy(), np.ones(size + room, np.int64)
        if codebook is None:
            return
        scaled = codebook.scaled
        self._trees = [_Tree(axis, costs) for axis, costs in codebook.trees]
        numbers, marks = scaled.positions(slice(None)), scaled.categories
        self._low, self._high, self._sum, self._mark, self._place = (
            np.pad(np.array(part, np.int64).reshape(-1, size), ((0, 0), (0, room)))
            for part in (numbers, numbers, numbers, marks, [axis.codes for axis, _ in codebook.trees])
        )
        self._mean = codebook.word == "centroid" and len(self._low) > 0
        self._alike = not self._mean and codebook.word != "medoid"
        self.grows = codebook.by_hull
        self.exact = self.grows or (self._mean and (len(self._low) == 1 or codebook.combine == "max"))
        self.own = codebook.cell_costs(values, values)

    @cached_property
    def _members(self) -> list[IntArray]:
        """The members of each cell; made when they are needed, for they take much room."""
        return list(np.arange(len(self.counts))[:, None])

    def together(self, cell: int, others: IntArray) -> Costs:
        """What a cell costs with each of others, or at least that."""
        count = self.counts[others] + self.counts[cell]
        if self.codebook is None:
            return count, np.ones_like(count)
        book, below, widths, fixed = self.codebook, np.full_like(count, 2), [], []
        for column in range(len(self._low)):
            low = np.minimum(self._low[column, others], self._low[column, cell])
            high = np.maximum(self._high[column, others], self._high[column, cell])
            if self._mean:  # how far the further end is from the mean, and not twice from the middle
                total, below = self._sum[column, others] + self._sum[column, cell], count
                widths.append(np.maximum(high * count - total, total - low * count))
            else:
                widths.append(high - low)
        for mark, penalty in zip(self._mark, book.scaled.penalties, strict=True):
            fixed.append(below * penalty * ((mark[others] != mark[cell]) | (mark[cell] < 0)))
        for tree, place in zip(self._trees, self._place, strict=True):
            fixed.append(below * tree.costs_with(int(place[cell]))[place[others]])
        return book.least_cost(widths, fixed), below**2 if book.combine == "squares" else below

    def costs(self, cell: int, others: IntArray) -> Costs:
        """What a cell costs with each of others."""
        if self.exact or self.codebook is None or not len(others):
            return self.together(cell, others)
        work = int(self.counts[others].sum()) + len(others) * len(self._members[cell])
        parts = []
        for some in np.array_split(others, min(len(others), 1 + work // _AT_ONCE)):
            pairs = [np.append(self._members[cell], self._members[other]) for other in some]
            sizes = self.counts[some] + self.counts[cell]
            parts.append(self.codebook.cell_costs(np.concatenate(pairs), np.cumsum(sizes) - sizes))
        tops, bottoms = zip(*parts, strict=True)
        return np.concatenate(tops), np.concatenate(bottoms)

    def cheapest(self, cell: int, allowed: BoolArray, limit: Cost | None = None) -> tuple[Cost, IntArray]:
        """The least cost of a cell with one of those allowed (there are some), and those that cost it.

        Where some cost no more than a limit, the limit and those.
        """
        others = np.flatnonzero(allowed)
        costs = self.together(cell, others)
        if limit is not None:
            near = others[self.compare(costs, limit) <= 0]
            if not self.exact:
                near = near[self.compare(self.costs(cell, near), limit) <= 0]
            if len(near):
                return limit, near
        if not self.exact:
            first = others[np.argsort(costs[0] / costs[1], kind="stable")[:_TRIED]]
            most, _ = self.least(self.costs(cell, first))
            others = others[self.compare(costs, most) <= 0]
            costs = self.costs(cell, others)
        cost, places = self.least(costs)
        return cost, others[places]

    def cost(self, cell: int, other: int) -> Cost:
        """What a cell costs with another one."""
        tops, bottoms = self.costs(cell, np.array([other]))
        return tops.item(), bottoms.item()

    def losses_with(self, cell: int, others: IntArray) -> Costs:
        """The largest cost of all cells once a cell is joined with each of others."""
        tops, bottoms = self.own[0].copy(), self.own[1]
        tops[cell] = self.nothing
        most, (worst, *_) = self.least((tops, bottoms), largest=True)
        tops[worst] = self.nothing
        following, _ = self.least((tops, bottoms), largest=True)
        rest = [np.where(others == worst, *ends) for ends in zip(following, most, strict=True)]
        costs = self.costs(cell, others)
        higher = self.compare(costs, (rest[0], rest[1])) > 0
        return np.where(higher, costs[0], rest[0]), np.where(higher, costs[1], rest[1])

    def join(self, cell: int, other: int, cost: Cost) -> None:
        """Put another cell into a cell, at a cost; the other costs nothing from then on."""
        self.own[0][cell], self.own[1][cell] = cost
        self.own[0][other] = self.nothing
        self.counts[cell] += self.counts[other]
        if self.codebook is None:
            return
        self._low[:, cell] = np.minimum(self._low[:, cell], self._low[:, other])
        self._high[:, cell] = np.maximum(self._high[:, cell], self._high[:, other])
        self._sum[:, cell] += self._sum[:, other]
        self._mark[self._mark[:, cell] != self._mark[:, other], cell] = -1
        for tree, place in zip(self._trees, self._place, strict=True):
            place[cell] = tree.common(int(place[cell]), int(place[other]))
        if not self.exact:
            self._members[cell] = np.append(self._members[cell], self._members[other])

    def fill(self, first: int, cells: Sequence[Sequence[int]]) -> None:
        """Make cells, from a number on, of some public values each, whose own cells are untouched."""
        sizes, chosen = np.array([len(cell) for cell in cells]), slice(first, first + len(cells))
        self.counts[chosen] = sizes
        if self.codebook is None:
            return
        order, starts = np.concatenate(cells), np.cumsum(sizes) - sizes
        for part, ends in ((self._low, np.minimum), (self._high, np.maximum), (self._sum, np.add)):
            part[:, chosen] = ends.reduceat(part[:, order], starts, axis=1)
        least, most = (
            ends.reduceat(self._mark[:, order], starts, axis=1) for ends in (np.minimum, np.maximum)
        )
        self._mark[:, chosen] = np.where(least == most, least, -1)
        for tree, place in zip(self._trees, self._place, strict=True):
            place[chosen] = tree.places[tree.axis.cell_nodes(order, starts)]
        for number, cell in enumerate(cells, first):
            self._members[number] = np.array(cell)

    def loss(self, cost: Cost) -> Loss:
        """A cost as a loss: a length, or the bits of how many values a cell holds."""
        return Bits(max(cost[0], 1)) if self.codebook is None else self.codebook.length(*cost)

    def lengths(self, costs: Sequence[Cost]) -> Lengths:
        """Costs as lengths."""
        tops, bottoms = np.array(costs).T
        if self.codebook is None:
            raise TypeError("cells that cost as much as they hold have no lengths")
        return Lengths(tops, bottoms, self.codebook.cost_unit, self.codebook.rooted)

    # --- fractions ----------------------------------------------------------------------------------

    def compare(self, costs: Costs, others: Costs | Cost) -> IntArray:
        """The signs of costs less others."""
        if self._alike:
            above, below = np.greater(costs[0], others[0]), np.less(costs[0], others[0])
            return np.asarray(above.view(np.int8) - below.view(np.int8))
        tops, bottoms, other_tops, other_bottoms = np.broadcast_arrays(*costs, *others)
        first, second = tops * other_bottoms.astype(float), other_tops * bottoms.astype(float)
        signs: IntArray = np.sign(first - second).astype(np.int64)
        near = np.abs(first - second) <= _SURE * (first + second)
        same = near & (tops == other_tops) & (bottoms == other_bottoms)
        signs[same] = 0
        for k in np.flatnonzero(near & ~same).tolist():
            here, there = int(tops[k]) * int(other_bottoms[k]), int(other_tops[k]) * int(bottoms[k])
            signs[k] = (here > there) - (here < there)
        return signs

    def least(self, costs: Costs, *, largest: bool = False) -> tuple[Cost, IntArray]:
        """The least of some costs, or the largest, and where it is."""
        tops, bottoms = costs
        if self._alike:
            place = int(tops.argmax() if largest else tops.argmin())
            return (tops.item(place), bottoms.item(place)), np.flatnonzero(tops == tops[place])
        about = tops / bottoms
        near = about >= about.max() * (1 - _SURE) if largest else about <= about.min() * (1 + _SURE)
        pairs = set(zip(tops[near].tolist(), bottoms[near].tolist(), strict=True))
        known = [Fraction(top, bottom) for top, bottom in pairs]
        exact = max(known) if largest else min(known)
        cost = exact.numerator, exact.denominator
        return cost, np.flatnonzero(near)[self.compare((tops[near], bottoms[near]), cost) == 0]


class MeasuredHulls(Hulls):
    """The same for any codebook and any numbers: each pair is measured, and costs are lengths over 1."""

    def __init__(self, codebook: Codebook, size: int) -> None:
        super().__init__(None, size)
        self._any, self.grows, self.nothing = codebook, False, Length(0)
        self.own = _column([codebook.cost([value]) for value in range(size)]), self.own[1]

    def together(self, cell: int, others: IntArray) -> Costs:
        """What a cell costs with each of others."""
        members = (np.sort(np.append(self._members[cell], self._members[other])) for other in others)
        found = [self._any.cost(both.tolist()) for both in members]
        return _column(found), np.ones(len(found), np.int64)

    def join(self, cell: int, other: int, cost: Cost) -> None:
        """Put another cell into a cell, at a cost."""
        super().join(cell, other, cost)
        self._members[cell] = np.append(self._members[cell], self._members[other])

    def loss(self, cost: Any) -> Loss:  # noqa: ANN401 - a length over 1
        """The length itself."""
        length: Length = cost[0]
        return length

    def lengths(self, costs: Sequence[Any]) -> Lengths:
        """The lengths themselves."""
        return Lengths.of([length for length, _ in costs])


def _column(lengths: list[Length]) -> IntArray:
    found = np.empty(len(lengths), object)
    found[:] = lengths
    return found


def hulls(codebook: Codebook | None, size: int) -> Hulls:
    """The cells of a codebook, or of none."""
    if codebook is None or (isinstance(codebook, ColumnCodebook) and codebook.fits):
        return Hulls(codebook, size)
    return MeasuredHulls(codebook, size)


class _Tree:
    """A hierarchy; its nodes are called by their places in depth-first order."""

    def __init__(self, axis: TreeAxis, costs: IntArray) -> None:
        self.axis, self.places = axis, np.argsort(axis.nodes)
        self._above = self.places[axis.parents[axis.nodes]].tolist()
        self._last = axis.lasts[axis.nodes].tolist()
        self._costs = costs[axis.nodes].tolist()

    def common(self, first: int, second: int) -> int:
        """The lowest node above two."""
        node, last = min(first, second), max(first, second)
        while self._last[node] < last:
            node = self._above[node]
        return node

    def costs_with(self, node: int) -> IntArray:
        """What the lowest node above a node and each other one costs."""
        path = [node]
        while self._above[path[-1]] != path[-1]:
            path.append(self._above[path[-1]])
        found = np.empty(len(self._last), np.int64)
        for at in reversed(path):  # what is below a node follows it
            found[at : self._last[at] + 1] = self._costs[at]
        return found
