"""The algorithms of [P3] by arrays: each step looks at all cells that are left.

Time is quadratic in the number of public values, memory a bit for each of them and each sensitive value. A
cell is called by its first public value; arrays have a place for each value, and those of cells that are gone
are not looked at.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from noiseless.arrays import FloatArray, IntArray
from noiseless.search.codebook import Codebook
from noiseless.search.hulls import NEVER, Cost, Costs, Hulls, hulls
from noiseless.search.loss import Lagrangian
from noiseless.search.merging.merged_cells import MergedCells, Pair, as_ratio


def run_leakage(cells: MergedCells, codebook: Codebook | None) -> list[int]:
    """Algorithm 1; after how many merges each iteration ends."""
    size = cells.problem.size
    costs, rounds = hulls(codebook, size), [0]
    stuck = False  # a cell is exposed most, and nothing can help it
    while len(cells.pairs) < size - 1 and not stuck:
        waits = cells.exposures == cells.exposures.max()
        for cell in np.flatnonzero(waits).tolist():
            if not waits[cell]:
                continue
            helping = cells.helping(cell)
            stuck = not helping.any()
            if stuck:
                break
            cost, partners = costs.cheapest(cell, helping)
            kept, gone = sorted((cell, int(partners[0])))
            waits[[kept, gone]] = False
            costs.join(kept, gone, cost)
            cells.join(kept, gone)
        if len(cells.pairs) > rounds[-1]:
            rounds.append(len(cells.pairs))
    return rounds


def run_maximin(cells: MergedCells, codebook: Codebook | None) -> None:
    """Algorithm 2."""
    if codebook is None:
        (_join_smallest if cells.problem.side is None else _join_smallest_beside)(cells)
        return
    size = cells.problem.size
    found = Partners(cells, hulls(codebook, size), np.zeros(size, np.int64))
    while best := found.best():
        found.join(*best, (found.costs[0].item(best[0]), found.costs[1].item(best[0])))


def _join_smallest(cells: MergedCells) -> None:
    """U1: the first cells of the two first subgraphs, by smallest cell, largest subgraph, lowest cell."""
    roots, size = cells.subgraphs, len(cells.answers)
    held, counts = np.bincount(roots), np.ones(size, np.int64)
    for _ in range(len(held) - 1):
        keys = np.where(counts > 0, (counts + 1) * size - held[roots], NEVER)
        first = int(keys.argmin())
        second = int(np.where(roots == roots[first], NEVER, keys).argmin())
        kept, gone = sorted((first, second))
        counts[kept], counts[gone] = counts[kept] + counts[gone], 0
        held[roots[kept]] += held[roots[gone]]
        cells.join(kept, gone)


def _join_smallest_beside(cells: MergedCells) -> None:
    """U1 with side information: two cells can be in several subgraphs each, so all pairs are looked at."""
    counts = [1] * len(cells.answers)
    while pairs := [
        (one, int(other))
        for one in range(len(counts))
        for other in np.flatnonzero(cells.apart(one))
        if one < other
    ]:
        held = np.bincount(cells.subgraphs)

        def key(pair: Pair, held: IntArray = held) -> tuple[int, list[int], Pair]:
            met = (-int(held[graph]) for graphs in cells.joined(*pair) for graph in graphs)
            return counts[pair[0]] + counts[pair[1]], sorted(met)[:2], pair

        kept, gone = min(pairs, key=key)
        counts[kept] += counts[gone]
        cells.join(kept, gone)


_NONE, _STALE = -1, -2


class Partners:
    """The best partner of each cell: of those that cost a limit or less, or else of the cheapest, the first.

    The first is the one with the smallest S-range, then the lowest. What is known of a partner that is no
    longer there is a lower bound.

    Attributes:
        cells: only those of different subgraphs are partners.
        hulls: what they cost.
        ranges: |[[S|X]]| of each cell, or 0 if that does not matter.
        limit: what any cell costs at most, if up to that pairs are alike.
        partner: the partner of each cell.
        costs: what the two cost, or the limit.
        others: the partner's |[[S|X]]|.
    """

    def __init__(self, cells: MergedCells, hulls: Hulls, ranges: IntArray, *, limited: bool = False) -> None:
        self.cells, self.hulls, self.ranges, self._limited = cells, hulls, ranges, limited
        self.limit: Cost = hulls.least(hulls.own, largest=True)[0] if limited else (hulls.nothing, 1)
        self.partner, self.others = np.full(len(ranges), _NONE), np.zeros(len(ranges), np.int64)
        self.costs = np.zeros_like(hulls.own[0]), np.ones(len(ranges), np.int64)
        for cell in range(len(ranges)):
            self._look(cell)

    def _put(self, cell: int, partner: int, cost: Cost) -> None:
        self.partner[cell], self.others[cell] = partner, self.ranges[partner]
        self.costs[0][cell], self.costs[1][cell] = cost

    def _look(self, cell: int) -> None:
        """Find a cell's partner among all; one that has none will never have one."""
        apart = self.cells.apart(cell)
        if not apart.any():
            self.partner[cell] = _NONE
            return
        cost, ties = self.hulls.cheapest(cell, apart, self.limit)
        self._put(cell, int(ties[self.ranges[ties].argmin()]), cost)

    def best(self) -> Pair | None:
        """The best pair of all; None if there is none."""
        while True:
            open_ = np.flatnonzero(self.partner != _NONE)
            if not len(open_):
                return None
            ties = open_[self.hulls.least((self.costs[0][open_], self.costs[1][open_]))[1]]
            for key in (np.minimum, np.maximum):  # S-ranges, the smaller one first; then the lowest cell
                ranges = key(self.ranges[ties], self.others[ties])
                ties = ties[ranges == ranges.min()]
            cell, partner = int(ties[0]), int(self.partner[ties[0]])
            if partner >= 0 and self.cells.apart(cell)[partner]:
                return cell, partner
            self._look(cell)

    def join(self, cell: int, other: int, cost: Cost) -> None:
        """Put the higher of two cells into the lower one, at a cost."""
        cell, other = sorted((cell, other))
        self.hulls.join(cell, other, cost)
        self.cells.join(cell, other)
        self.partner[(self.partner == cell) | (self.partner == other)] = _STALE
        self.partner[other] = _NONE
        if self._limited:
            self._move(self.hulls.least(self.hulls.own, largest=True)[0])
        self._look(cell)
        if self.partner[cell] >= 0:
            self._offer(cell)

    def _move(self, limit: Cost) -> None:
        """Another limit: what was within the higher of the two is open again."""
        if limit == self.limit:
            return
        both = (self.hulls.compare(self.costs, one) <= 0 for one in (self.limit, limit))
        near = np.logical_or(*both) & (self.partner != _NONE)
        self.costs[0][near], self.costs[1][near] = limit
        self.partner[near], self.others[near] = _STALE, 0
        self.limit = limit

    def _offer(self, cell: int) -> None:
        """A cell that is new as a partner of others."""
        others = np.flatnonzero(self.cells.apart(cell))
        known = self.costs[0][others], self.costs[1][others]
        bounds = self.hulls.together(cell, others)
        if not self.hulls.exact:
            may = (self.hulls.compare(bounds, known) <= 0) | (self.hulls.compare(bounds, self.limit) <= 0)
            others, known = others[may], (known[0][may], known[1][may])
            bounds = self.hulls.costs(cell, others)
        near = self.hulls.compare(bounds, self.limit) <= 0
        tops, bottoms = (np.where(near, end, part) for end, part in zip(self.limit, bounds, strict=True))
        signs, mine = self.hulls.compare((tops, bottoms), known), self.ranges[cell]
        there, partner = self.others[others], self.partner[others]
        lower = (mine < there) | ((mine == there) & (cell < partner))
        better = (signs < 0) | ((signs == 0) & lower)
        found = others[better]
        self.partner[found], self.others[found] = cell, mine
        self.costs[0][found], self.costs[1][found] = tops[better], bottoms[better]


# --- problem (7) --------------------------------------------------------------------------------------

# Most merges change neither the largest exposure nor, below the largest loss so far, the loss: those pairs
# tie, and the first of them, or else the cheapest one, is kept for each cell. Only pairs with a cell that
# alone (or as one of two) has the largest exposure or the largest loss can do better: these are looked at one
# by one.

_BOTH = 2
"""A pair can be both of two cells that are alone with the largest exposure, or with the largest loss."""

Option = tuple[Lagrangian, tuple[int, ...], Pair, Cost]
"""A pair: its value; the smaller and the larger |S|, the lower and the higher cell; both; and their cost."""


def run_constrained(cells: MergedCells, codebook: Codebook | None, weight: Fraction) -> None:
    """Problem (7). With a weight of 0 each value is counted as nothing."""
    costs = hulls(codebook if weight else None, cells.problem.size)
    if not weight:
        costs.counts[:] = costs.own[0][:] = 0
    search = _Options(Partners(cells, costs, cells.ranges, limited=True), weight)
    while best := search.best():
        search.partners.join(*best[2], best[3])


@dataclass(frozen=True, eq=False)
class _Options:
    """The pairs that may be merged next."""

    partners: Partners
    weight: Fraction

    def best(self) -> Option | None:
        """The pair that lowers the Lagrangian most; None if there is none."""
        pair, cells, hulls = self.partners.best(), self.partners.cells, self.partners.hulls
        if pair is None:
            return None
        options = list(self._with(pair[0], np.array([pair[1]])))
        exposed = np.flatnonzero(cells.exposures == cells.exposures.max())
        if len(exposed) <= _BOTH:
            options += self._with(int(exposed[0]), np.flatnonzero(cells.apart(int(exposed[0]))))
        most, costliest = hulls.least(hulls.own, largest=True)
        if not hulls.grows and len(costliest) <= _BOTH:  # it must make the largest loss smaller
            cell = int(costliest[0])
            others = np.flatnonzero(cells.apart(cell))
            options += self._with(cell, others[hulls.compare(hulls.together(cell, others), most) < 0])
        return min(options, key=lambda option: option[:2])

    def _with(self, cell: int, others: IntArray) -> Iterator[Option]:
        """The best pair with a cell, for each largest exposure that it can lead to."""
        if not len(others):
            return
        cells, hulls = self.partners.cells, self.partners.hulls
        leaks, losses = cells.leaks_with(cell, others), hulls.losses_with(cell, others)
        for leak, loss, ties in cheapest_by_leak(hulls, leaks, losses):
            pair = cell, int(others[ties[cells.ranges[others[ties]].argmin()]])
            value = Lagrangian(as_ratio(leak), hulls.loss(loss), self.weight)
            ranges = sorted(cells.ranges[list(pair)].tolist())
            yield value, (*ranges, *sorted(pair)), pair, hulls.cost(*pair)


def cheapest_by_leak(
    hulls: Hulls, leaks: FloatArray, losses: Costs
) -> Iterator[tuple[float, Cost, IntArray]]:
    """For each of some leaks the least loss, and where it is."""
    for leak in sorted(set(leaks.tolist())):
        group = np.flatnonzero(leaks == leak)
        loss, ties = hulls.least((losses[0][group], losses[1][group]))
        yield leak, loss, group[ties]
