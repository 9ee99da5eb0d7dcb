"""Problem (7) of [P3] by arrays: the next pair each time, by an exact comparison of Lagrangians.

Most merges change neither the smallest S-range nor, below the largest loss so far, the loss: those pairs
tie, and the first of them, or else the cheapest one, is kept for each cell. Only pairs with a cell that alone
(or as one of two) has the smallest S-range or the largest loss can do better: these are looked at one by one.
"""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from noiseless.arrays import IntArray
from noiseless.exact import Bits
from noiseless.search.codebook import ColumnCodebook
from noiseless.search.hulls import NEVER, Cost, Costs, Hulls
from noiseless.search.loss import Lagrangian, Loss
from noiseless.search.merging.general_paths import Partners, merges_of
from noiseless.search.merging.replay import Merges
from noiseless.search.problem import Problem

_BOTH = 2
"""A pair can be both of two cells that are alone with the smallest S-range, or with the largest loss."""

Key = tuple[int, int, int, int]
"""The tie-break: the smaller and the larger |S|, the lower and the higher cell."""

Option = tuple[Lagrangian, Key, tuple[int, int], Cost]
"""A pair: what it comes to, its tie-break, its cells and what they cost together."""


def constrained_merges(problem: Problem, codebook: ColumnCodebook | None, weight: Fraction) -> Merges:
    """Problem (7) without side information; with a weight of 0 each value is counted as nothing."""
    hulls = Hulls(codebook if weight else None, problem.size, count=int(weight != 0))
    ranges = np.array(problem.joint.posterior_sizes, np.int64)
    search = _Options(Partners(problem, hulls, ranges, limited=True), weight)
    pairs = []
    while best := search.best():
        pairs.append(search.partners.join(*best[2], best[3]))
    return merges_of(pairs)


class _Options:
    """The pairs that may be merged next."""

    def __init__(self, partners: Partners, weight: Fraction) -> None:
        self.partners, self.weight = partners, weight
        self.hulls, self.ranges = partners.hulls, partners.ranges

    def best(self) -> Option | None:
        """The pair that lowers the Lagrangian most; None if there is none."""
        pair, hulls = self.partners.best(), self.hulls
        if pair is None:
            return None
        cost = _single(hulls.costs(pair[0], np.array([pair[1]])))
        most, worst = hulls.least(hulls.own, largest=True)
        rarest = np.flatnonzero(self.ranges == self.ranges.min())
        loss = cost if Fraction(*cost) > Fraction(*most) else most
        best = self._option(int(self.ranges[rarest[0]]), loss, pair, cost)
        options = list[Option]()
        if len(rarest) <= _BOTH:
            options += self._with(int(rarest[0]), None)
        if not hulls.grows and len(worst) <= _BOTH:
            options += self._with(int(worst[0]), most)  # it must make the largest loss smaller
        return min([best, *options], key=lambda option: option[:2])

    def _option(self, left: int, loss: Cost, pair: tuple[int, int], cost: Cost) -> Option:
        ranges, cells = sorted(self.ranges[list(pair)].tolist()), sorted(pair)
        value = Lagrangian(Fraction(1, left), self._loss(loss), self.weight)
        return value, (ranges[0], ranges[1], cells[0], cells[1]), pair, cost

    def _loss(self, cost: Cost) -> Loss:
        book = self.hulls.codebook
        return Bits(Fraction(max(cost[0], 1), cost[1])) if book is None else book.length(*cost)

    def _with(self, cell: int, below: Cost | None) -> Iterator[Option]:
        """The best pair with a cell, below some cost, for each smallest S-range that it can lead to."""
        hulls, others = self.hulls, np.flatnonzero(self.partners.subgraphs.apart(cell))
        if below is not None:
            others = others[hulls.compare(hulls.together(cell, others), below) < 0]
        if not len(others):
            return
        costs, ranges = hulls.costs(cell, others), self.ranges.copy()
        ranges[cell] = NEVER
        small = int(ranges.argmin())
        without = np.where(others == small, np.delete(ranges, small).min(initial=NEVER), ranges[small])
        left = np.minimum(without, ranges[others] + self.ranges[cell])
        losses = self._losses(cell, others, costs)
        for least in np.unique(left).tolist():
            group = np.flatnonzero(left == least)
            loss, ties = hulls.least((losses[0][group], losses[1][group]))
            places = group[ties]
            place = places[self.ranges[others[places]].argmin()]
            cost = int(costs[0][place]), int(costs[1][place])
            yield self._option(least, loss, (cell, int(others[place])), cost)

    def _losses(self, cell: int, others: IntArray, costs: Costs) -> Costs:
        """The largest loss once a cell is merged with each of others."""
        hulls, (tops, bottoms) = self.hulls, self.hulls.own
        tops = tops.copy()
        tops[cell] = 0
        most, worst = hulls.least((tops, bottoms), largest=True)
        tops[worst[0]] = 0
        following, _ = hulls.least((tops, bottoms), largest=True)
        alone = others == worst[0]
        rest = np.where(alone, following[0], most[0]), np.where(alone, following[1], most[1])
        higher = hulls.compare(costs, rest) > 0
        return np.where(higher, costs[0], rest[0]), np.where(higher, costs[1], rest[1])


def _single(costs: Costs) -> Cost:
    return int(costs[0][0]), int(costs[1][0])
