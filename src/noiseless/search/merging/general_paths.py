"""Algorithms 1 and 2 of [P3] by arrays: each step looks at all cells that are left.

Time is quadratic in the number of public values, memory linear (times |S| / 64 words for Algorithm 1). A cell
is called by its first public value; arrays have a place for each value, and those of cells that are gone are
not looked at.
"""

from collections.abc import Iterator

import numpy as np

from noiseless.arrays import BoolArray, FloatArray, IntArray
from noiseless.ranges import overlap_partition
from noiseless.search.codebook import ColumnCodebook
from noiseless.search.hulls import NEVER, Cost, Hulls
from noiseless.search.merging.replay import Merges
from noiseless.search.problem import Problem

_WORD = 64


class _PosteriorSets:
    """For each cell the pairs (s, a) that it leaves possible, as bits: a row for each word of them."""

    def __init__(self, problem: Problem) -> None:
        joint = problem.joint
        s, x, a = np.asarray(joint.x, np.int64), problem.public[joint.y], problem.known[joint.y]
        pairs, bit = np.unique(a * joint.size_x + s, return_inverse=True)
        bit = bit.reshape(-1)
        self.words = np.zeros((-(-len(pairs) // _WORD), problem.size), np.uint64)
        np.bitwise_or.at(self.words, (bit // _WORD, x), np.uint64(1) << (bit % _WORD).astype(np.uint64))
        self.prior = np.append(problem.prior, 0)
        self.known = np.full(_WORD * len(self.words), len(problem.prior))  # what fills the last word
        self.known[: len(pairs)] = pairs // joint.size_x
        sizes = np.asarray(joint.posterior_sizes, np.int64)
        self.exposures = np.zeros(problem.size)
        np.maximum.at(self.exposures, problem.public, problem.prior[problem.known] / sizes)
        self._plain, self._numbers = problem.side is None, dict[bytes, int]()
        self._number = np.array([self._numbered(cell) for cell in range(problem.size)])

    def _numbered(self, cell: int) -> int:
        """The number of a cell's set: equal ones have the same."""
        return self._numbers.setdefault(self.words[:, cell].tobytes(), len(self._numbers))

    def _held(self, cell: int) -> tuple[BoolArray, FloatArray]:
        """Which pairs a cell leaves possible, and for each a |[[S|a]]| / |[[S|X, a]]|.

        Two such ratios that differ also differ as floats: their numbers are below 2^25.
        """
        held = np.unpackbits(self.words[:, cell].copy().view(np.uint8), bitorder="little").astype(bool)
        sizes = np.bincount(self.known[held], minlength=len(self.prior))
        return held, np.where(sizes > 0, self.prior / np.maximum(sizes, 1), 0)

    def helping(self, cell: int) -> BoolArray:
        """Which cells add a sensitive value to a cell that is exposed most, for an a at which it is.

        Without side information no set is smaller than its own: all help but those that are equal.
        """
        if self._plain:
            return np.asarray((self._number != self._number[cell]) & (self.exposures > 0))
        held, ratios = self._held(cell)
        wanted = np.packbits((ratios == ratios.max())[self.known] & ~held, bitorder="little").view(np.uint64)
        rows = np.flatnonzero(wanted)
        return np.asarray(np.bitwise_or.reduce(self.words[rows] & wanted[rows, None], axis=0) != 0)

    def join(self, cell: int, other: int) -> int:
        """Put another cell into a cell; how many pairs that leaves possible."""
        self.words[:, cell] |= self.words[:, other]
        self.words[:, other] = 0
        held, ratios = self._held(cell)
        self.exposures[cell], self.exposures[other] = ratios.max(), 0
        self._number[cell] = self._numbered(cell)
        return int(np.count_nonzero(held))


def leakage_merges(problem: Problem, codebook: ColumnCodebook | None) -> Merges:
    """Algorithm 1, with side information or without."""
    sets, hulls = _PosteriorSets(problem), Hulls(codebook, problem.size)
    pairs, sizes, rounds = list[tuple[int, int]](), list[int](), [0]
    stuck = False  # a cell is exposed most, and nothing can help it
    while len(pairs) < problem.size - 1 and not stuck:
        waits = sets.exposures == sets.exposures.max()
        for cell in np.flatnonzero(waits).tolist():
            if not waits[cell]:
                continue
            helping = sets.helping(cell)
            stuck = not helping.any()
            if stuck:
                break
            cost, partners = hulls.cheapest(cell, helping)
            kept, gone = sorted((cell, int(partners[0])))
            waits[[kept, gone]] = False
            hulls.join(kept, gone, cost)
            sizes.append(sets.join(kept, gone))
            pairs.append((kept, gone))
        if len(pairs) > rounds[-1]:
            rounds.append(len(pairs))
    return merges_of(pairs, np.array(rounds), np.array(sizes, np.int64))


def merges_of(
    pairs: list[tuple[int, int]], rounds: IntArray | None = None, sets: IntArray | None = None
) -> Merges:
    """A run's merges, given as pairs."""
    kept, absorbed = np.array(pairs, np.int64).reshape(-1, 2).T.copy()
    return Merges(kept, absorbed, rounds, sets, "general")


class _Subgraphs:
    """Which subgraph each (x, a) is in, and which cell each x."""

    def __init__(self, problem: Problem) -> None:
        self.cell_of, self.known = problem.public.copy(), problem.known
        self.roots = np.array(overlap_partition(problem.joint).y_blocks, np.int64)
        self._size, self._plain = problem.size, problem.side is None
        self._at = np.empty(int(self.known.max()) + 1, np.int64)

    def _load(self, cell: int) -> None:
        """Note in which subgraph a cell is with each a."""
        mine = self.cell_of == cell
        self._at[:] = -1
        self._at[self.known[mine]] = self.roots[mine]

    def apart(self, cell: int) -> BoolArray:
        """Which cells are in other subgraphs than a cell, with some a that both have."""
        if self._plain:
            return np.asarray((self.roots != self.roots[cell]) & (self.cell_of == np.arange(self._size)))
        self._load(cell)
        here = self._at[self.known]
        found = np.zeros(self._size, bool)
        found[self.cell_of[(here >= 0) & (here != self.roots)]] = True
        return found

    def join(self, cell: int, other: int) -> None:
        """Put another cell into a cell: their subgraphs are one for each a that both have."""
        self._load(cell)
        mine, theirs = self._at[self.known], np.flatnonzero(self.cell_of == other)
        links = mine[theirs] * (int(self.roots.max()) + 1) + self.roots[theirs]
        for node in theirs[np.unique(links, return_index=True)[1]].tolist():
            here, there = self._at[self.known[node]], self.roots[node]
            if here >= 0:
                self.roots[self.roots == there] = here
                self._at[self._at == there] = here
        self.cell_of[theirs] = cell


_NONE, _STALE = -1, -2


class Partners:
    """The best partner of each cell: of those that cost a limit or less, or else of the cheapest, the first.

    The first is the one with the smallest S-range, then the lowest. What is known of a partner that is no
    longer there is a lower bound.

    Attributes:
        hulls: the cells.
        subgraphs: only cells of different ones are partners.
        ranges: |[[S|X]]| of each cell, or 0 if that does not matter.
        limit: what any cell costs at most, if up to that pairs are alike.
        partner: the partner of each cell.
        costs: what the two cost, or the limit.
        others: the partner's |[[S|X]]|.
    """

    def __init__(self, problem: Problem, hulls: Hulls, ranges: IntArray, *, limited: bool = False) -> None:
        self.hulls, self.subgraphs, self.ranges = hulls, _Subgraphs(problem), ranges
        self.limit, self._limited, size = (0, 1), limited, len(ranges)
        if limited:
            self.limit = hulls.least(hulls.own, largest=True)[0]
        self.partner, self.others = np.full(size, _NONE), np.zeros(size, np.int64)
        self.costs = np.full(size, NEVER), np.ones(size, np.int64)
        for cell in range(size):
            self._look(cell)

    def _put(self, cell: int, partner: int, cost: Cost) -> None:
        self.partner[cell], self.others[cell] = partner, self.ranges[partner] if partner >= 0 else 0
        self.costs[0][cell], self.costs[1][cell] = cost

    def _look(self, cell: int) -> None:
        """Find a cell's partner among all."""
        apart = self.subgraphs.apart(cell)
        if not apart.any():
            self._put(cell, _NONE, (NEVER, 1))
            return
        cost, ties = self.limit, self.hulls.within(cell, apart, self.limit)
        if not len(ties):
            cost, ties = self.hulls.cheapest(cell, apart)
        self._put(cell, int(ties[self.ranges[ties].argmin()]), cost)

    def best(self) -> tuple[int, int] | None:
        """The best pair of all; None if there is none."""
        while True:
            cost, ties = self.hulls.least(self.costs)
            if cost[0] == NEVER:
                return None
            for key in (np.minimum, np.maximum):  # S-ranges, the smaller one first; then the lowest cell
                ranges = key(self.ranges[ties], self.others[ties])
                ties = ties[ranges == ranges.min()]
            cell, partner = int(ties[0]), int(self.partner[ties[0]])
            if partner >= 0 and self.subgraphs.apart(cell)[partner]:
                return cell, partner
            self._look(cell)

    def join(self, cell: int, other: int, cost: Cost) -> tuple[int, int]:
        """Put the higher of two cells into the lower one, at a cost."""
        cell, other = sorted((cell, other))
        self.hulls.join(cell, other, cost)
        self.subgraphs.join(cell, other)
        self.ranges[cell], self.ranges[other] = self.ranges[cell] + self.ranges[other], NEVER
        self._put(other, _NONE, (NEVER, 1))
        self.partner[(self.partner == cell) | (self.partner == other)] = _STALE
        if self._limited:
            self._move(self.hulls.least(self.hulls.own, largest=True)[0])
        self._look(cell)
        if self.partner[cell] >= 0:
            self._offer(cell)
        return cell, other

    def _move(self, limit: Cost) -> None:
        """Another limit: what was within the higher of the two is open again."""
        if limit == self.limit:
            return
        both = self.hulls.compare(self.costs, self.limit) <= 0, self.hulls.compare(self.costs, limit) <= 0
        near = both[0] | both[1]
        self.costs[0][near], self.costs[1][near] = limit
        self.partner[near], self.others[near] = _STALE, 0
        self.limit = limit

    def _offer(self, cell: int) -> None:
        """A cell that is new as a partner of others."""
        others = np.flatnonzero(self.subgraphs.apart(cell))
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


def maximin_merges(problem: Problem, codebook: ColumnCodebook | None) -> Merges:
    """Algorithm 2, with U2, or with U1 and without side information."""
    if codebook is None:
        return merges_of(list(_smallest_unions(problem)))
    found, pairs = Partners(problem, Hulls(codebook, problem.size), np.zeros(problem.size, np.int64)), []
    while best := found.best():
        pairs.append(found.join(*best, (int(found.costs[0][best[0]]), int(found.costs[1][best[0]]))))
    return merges_of(pairs)


def _smallest_unions(problem: Problem) -> Iterator[tuple[int, int]]:
    """U1: the first cells of the two first subgraphs, by smallest cell, largest subgraph, lowest cell."""
    partition = overlap_partition(problem.joint)
    roots = np.array(partition.y_blocks, np.int64)
    held, counts, size = np.bincount(roots), np.ones(problem.size, np.int64), problem.size
    for _ in range(partition.count - 1):
        keys = np.where(counts > 0, (counts + 1) * size - held[roots], NEVER)
        first = int(keys.argmin())
        second = int(np.where(roots == roots[first], NEVER, keys).argmin())
        kept, gone = sorted((first, second))
        counts[kept], counts[gone] = counts[kept] + counts[gone], 0
        held[roots[kept]] += held[roots[gone]]
        roots[roots == roots[gone]] = roots[kept]
        yield kept, gone
