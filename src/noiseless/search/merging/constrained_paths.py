"""Problem (7) of [P3]: the next pair each time, by an exact comparison of Lagrangians.

Most merges change neither the smallest S-range nor, below the largest loss so far, the loss: those pairs
tie, and the engine's `best` finds the first of them or else the cheapest one. Only pairs with a cell that
alone (or as one of two) has the smallest S-range or the largest loss can do better: these are looked at one
by one.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from noiseless.arrays import IntArray
from noiseless.exact import Bits
from noiseless.ranges import overlap_partition
from noiseless.search.codebook import Codebook, ColumnCodebook
from noiseless.search.loss import Lagrangian, Loss
from noiseless.search.merging import cost_kernels, pair_kernels
from noiseless.search.merging.general_paths import geometry
from noiseless.search.merging.pair_kernels import NOTHING, Flags, least_two, smallest
from noiseless.search.merging.replay import Merges
from noiseless.search.problem import Problem
from noiseless.tables.kernels import compiled

# ruff: noqa: C901, PLR0912, PLR0917, SIM102 - kernels are long loops over many arrays, taken one by one

_BOTH = 2
"""A pair can be both of two cells that are alone with the smallest S-range, or with the largest loss."""

Key = tuple[int, int, int, int]
"""The tie-break: the smaller and the larger |S|, the lower and the higher cell."""


class PairFinder(ABC):
    """The cells of a run, each known by a number; `alive` are those there are.

    Attributes:
        alive: the numbers of the cells, ascending.
        block: the subgraph that each is in.
        size: |[[S|X]]| of each.
        name: the first public value of each.
        own: the numerators and denominators of what each costs.
    """

    def __init__(self, problem: Problem, order: IntArray) -> None:
        partition = overlap_partition(problem.joint)
        self.components = partition.count
        self.alive = np.arange(problem.size)
        self.name = order.copy()
        self.block = np.asarray(partition.y_blocks, np.int64)[order]
        self.size = np.asarray(problem.joint.posterior_sizes, np.int64)[order]
        self.own = np.zeros(problem.size, np.int64), np.ones(problem.size, np.int64)
        self.monotone, self.on_a_line = True, False
        self.place = self.low = self.own[0]

    def best(self) -> tuple[int, int]:
        """The pair that is best if it changes no smallest S-range and removes no largest loss."""
        most, cells = int(self.own[0][self.alive].max()), (self.block, self.size, self.name)
        return _two(
            best_by_passes(self.alive, self.place, self.low, self.own[0], *cells, most, self.on_a_line)
        )

    @abstractmethod
    def cost(self, i: int, j: int) -> tuple[int, int]:
        """What two cells cost together, as a fraction."""

    @abstractmethod
    def costs(self, cell: int, cap: tuple[int, int]) -> tuple[IntArray, IntArray]:
        """What a cell costs with each of `alive`, as fractions; -1 for those of its own subgraph.

        Those that cost a cap or more may be left out; there is none if its denominator is 0.
        """

    @abstractmethod
    def loss(self, top: int, bottom: int) -> Loss:
        """A cost as a loss."""

    def worst(self) -> tuple[int, int, tuple[int, int]]:
        """Where the cell that costs most is, how many do, and that cost; where costs grow, the cost alone."""
        return -1, 0, (int(self.own[0].max()), 1)

    def merge(self, i: int, j: int, top: int, bottom: int) -> tuple[int, int]:
        """Merge two cells at a cost; the public values that they are called by, the lower one first."""
        kept, gone = max(i, j), min(i, j)
        names = sorted((int(self.name[i]), int(self.name[j])))
        self.alive = np.delete(self.alive, np.searchsorted(self.alive, gone))
        self.block[self.block == self.block[gone]] = self.block[kept]
        self.size[kept] += self.size[gone]
        self.name[kept] = names[0]
        self.own[0][kept], self.own[1][kept] = top, bottom
        self.components -= 1
        return names[0], names[1]

    def key(self, i: int, j: int) -> Key:
        """The tie-break of a pair."""
        sizes, names = sorted(self.size[[i, j]].tolist()), sorted(self.name[[i, j]].tolist())
        return sizes[0], sizes[1], names[0], names[1]


class PairsByCounts(PairFinder):
    """U1, whatever the columns: a pair costs the number of values in it.

    With a weight of 0 no loss counts: each value is then counted as nothing.
    """

    def __init__(self, problem: Problem, *, count: int = 1) -> None:
        super().__init__(problem, np.arange(problem.size))
        self.own[0][:] = count

    def cost(self, i: int, j: int) -> tuple[int, int]:  # noqa: D102 - as above
        return int(self.own[0][i] + self.own[0][j]), 1

    def costs(self, cell: int, cap: tuple[int, int]) -> tuple[IntArray, IntArray]:  # noqa: ARG002, D102
        together = self.own[0][self.alive] + self.own[0][cell]
        tops = np.where(self.block[self.alive] == self.block[cell], -1, together)
        return tops, np.ones_like(tops)

    def loss(self, top: int, bottom: int) -> Loss:  # noqa: D102
        return Bits(Fraction(max(top, 1), bottom))


class PairsOnALine(PairFinder):
    """U2 for one column whose values differ: cells are known by the rank of their largest value."""

    def __init__(self, problem: Problem, codebook: ColumnCodebook) -> None:
        values = codebook.scaled.positions[:, 0]
        order = np.argsort(values, kind="stable")
        super().__init__(problem, order)
        self.place, self.low, self.codebook = values[order], np.arange(problem.size), codebook
        self.on_a_line = True

    def cost(self, i: int, j: int) -> tuple[int, int]:  # noqa: D102
        return int(self.place[max(i, j)] - self.place[min(self.low[i], self.low[j])]), 1

    def costs(self, cell: int, cap: tuple[int, int]) -> tuple[IntArray, IntArray]:  # noqa: ARG002, D102
        alive = self.alive
        low = np.minimum(self.low[alive], self.low[cell])
        tops = self.place[np.maximum(alive, cell)] - self.place[low]
        tops[self.block[alive] == self.block[cell]] = -1
        return tops, np.ones_like(tops)

    def loss(self, top: int, bottom: int) -> Loss:  # noqa: D102 - here a cost is a width
        square = self.codebook.combine == "squares"
        return (
            self.codebook.length(top**2, 4 * bottom**2) if square else self.codebook.length(top, 2 * bottom)
        )

    def merge(self, i: int, j: int, top: int, bottom: int) -> tuple[int, int]:  # noqa: D102
        self.low[max(i, j)] = min(self.low[i], self.low[j])
        return super().merge(i, j, top, bottom)


class PairsOfAnyColumns(PairFinder):
    """U2 for any columns."""

    def __init__(self, problem: Problem, codebook: Codebook) -> None:
        super().__init__(problem, np.arange(problem.size))
        if not isinstance(codebook, ColumnCodebook):
            raise TypeError("only codebooks over columns are compiled")
        self.codebook, self.geometry = codebook, geometry(codebook, problem.size)
        self.monotone = self.geometry.shape[3] == cost_kernels.HULL
        self.limit, self.bounds = np.array([0, 1]), np.empty(problem.size, np.int64)
        self.near, self.far = np.zeros((problem.size, 3), np.int64), np.zeros((problem.size, 4), np.int64)
        self._forget()

    def _forget(self) -> None:
        self.near[:] = pair_kernels.STALE, 0, 0
        self.far[:] = pair_kernels.STALE, 0, 0, 1

    @property
    def _partners(self) -> pair_kernels.Partners:
        cells = self.alive, self.block, self.size
        return pair_kernels.Partners(*cells, self.limit, self.near, self.far, self.bounds)

    def best(self) -> tuple[int, int]:  # noqa: D102
        return _two(pair_kernels.best_pair(self.geometry, self._partners))

    def cost(self, i: int, j: int) -> tuple[int, int]:  # noqa: D102
        return _two(cost_kernels.pair_cost(*self.geometry, i, j))

    def costs(self, cell: int, cap: tuple[int, int]) -> tuple[IntArray, IntArray]:  # noqa: D102
        tops, bottoms = np.empty((2, len(self.alive)), np.int64)
        pair_kernels.costs_with(self.geometry, self.alive, self.block, cell, cap, tops, bottoms)
        return tops, bottoms

    def loss(self, top: int, bottom: int) -> Loss:  # noqa: D102
        return self.codebook.length(top, bottom)

    def worst(self) -> tuple[int, int, tuple[int, int]]:  # noqa: D102
        place, many = pair_kernels.largest(self.alive, *self.own)
        cell = self.alive[place]
        return int(place), int(many), (int(self.own[0][cell]), int(self.own[1][cell]))

    def merge(self, i: int, j: int, top: int, bottom: int) -> tuple[int, int]:  # noqa: D102
        i, j = min(i, j), max(i, j)
        self.alive = np.delete(self.alive, np.searchsorted(self.alive, j))
        self.own[0][i], self.own[1][i] = top, bottom
        before = Fraction(int(self.limit[0]), int(self.limit[1]))
        self.limit[:] = self.worst()[2]
        if Fraction(int(self.limit[0]), int(self.limit[1])) < before:
            self._forget()
        pair_kernels.merge_pair(self.geometry, self._partners, i, j)
        self.components -= 1
        return i, j


def _two(numbers: tuple[Any, Any]) -> tuple[int, int]:
    return int(numbers[0]), int(numbers[1])


def run(problem: Problem, codebook: Codebook | None, weight: Fraction, method: str) -> Merges:
    """All merges."""
    if codebook is None or weight == 0:
        engine: PairFinder = PairsByCounts(problem, count=int(weight != 0))
    elif method == "ordered" and isinstance(codebook, ColumnCodebook):
        engine = PairsOnALine(problem, codebook)
    else:
        engine = PairsOfAnyColumns(problem, codebook)
    pairs = [_step(engine, weight) for _ in range(engine.components - 1)]
    table = np.array(pairs, np.int64).reshape(-1, 2)
    return Merges(table[:, 0].copy(), table[:, 1].copy(), None, None, method)


Option = tuple[Lagrangian, Key, tuple[int, int], tuple[int, int]]


def _step(engine: PairFinder, weight: Fraction) -> tuple[int, int]:
    """Merge the best pair."""
    i, j = engine.best()
    alive, cost = engine.alive, engine.cost(i, j)
    worst, many, most = engine.worst()
    loss = engine.loss(*(most if Fraction(*most) > Fraction(*cost) else cost))
    least, few = pair_kernels.rarest(alive, engine.size)
    leak = Fraction(1, int(engine.size[alive[least]]))
    best: Option = Lagrangian(leak, loss, weight), engine.key(i, j), (i, j), cost
    rare = {int(least): (0, 0)} if few <= _BOTH else {}
    if not engine.monotone and many <= _BOTH:
        rare.setdefault(worst, most)  # it can do better only by making the largest loss smaller
    for here, cap in rare.items():
        for option in _options(engine, here, cap, weight):
            if option[:2] < best[:2]:
                best = option
    return engine.merge(*best[2], *best[3])


def _options(engine: PairFinder, here: int, cap: tuple[int, int], weight: Fraction) -> Iterator[Option]:
    """The best pair with the cell at a place, for each smallest S-range that it can lead to."""
    alive, (tops, bottoms) = engine.alive, engine.costs(int(engine.alive[here]), cap)
    found = np.empty((len(alive), 4), np.int64)
    many = pair_kernels.options(alive, engine.size, engine.name, *engine.own, tops, bottoms, here, found)
    for left, at, top, bottom in found[:many].tolist():
        pair = int(alive[here]), int(alive[at])
        value = Lagrangian(Fraction(1, left), engine.loss(top, bottom), weight)
        yield value, engine.key(*pair), pair, (int(tops[at]), int(bottoms[at]))


# Among the pairs of different subgraphs whose cost is within a limit: the smallest S-ranges, then the
# lowest cells. One pass tells which cells have a partner of a given S-size within the limit, so a pair is
# found in a few passes.


def _reach_by_counts(
    order: IntArray, count: IntArray, block: IntArray, size: IntArray, kind: int, limit: int, reaches: Flags
) -> int:
    """Which cells have a partner with |S| = kind within a limit; the least cost if no pair is within it."""
    found, least = np.empty(3, np.int64), NOTHING
    least_two(order, count, block, size, kind, found)
    for cell in order:
        cost = count[cell] + (found[0] if block[cell] != found[1] else found[2])
        reaches[cell] = cost <= limit
        least = min(least, cost)
    return least


reach_by_counts = compiled(_reach_by_counts)


def _reach_on_a_line(
    order: IntArray,
    place: IntArray,
    low: IntArray,
    block: IntArray,
    size: IntArray,
    kind: int,
    limit: int,
    reaches: Flags,
) -> int:
    """The same on a line: cells by the rank of their largest value, `order` ascending.

    No cell is wider than the limit, so a pair is within it iff the higher top less the bottom of the other
    is.
    """
    least, bottom, whose, other_bottom = NOTHING, -1, -1, -1  # the highest bottoms so far, of two blocks
    for cell in order:
        mate = bottom if block[cell] != whose else other_bottom
        reaches[cell] = False
        if mate >= 0:
            cost = place[cell] - place[min(mate, low[cell])]
            reaches[cell] = cost <= limit
            least = min(least, cost)
        if kind < 0 or size[cell] == kind:
            if block[cell] == whose:
                bottom = max(bottom, low[cell])
            elif low[cell] > bottom:
                bottom, whose, other_bottom = low[cell], block[cell], bottom
            else:
                other_bottom = max(other_bottom, low[cell])
    top, whose, other_top = -1, -1, -1  # the nearest tops above, of two blocks
    for at in range(len(order) - 1, -1, -1):
        cell = order[at]
        mate = top if block[cell] != whose else other_top
        if mate >= 0 and place[mate] - place[low[cell]] <= limit:
            reaches[cell] = True
        if kind < 0 or size[cell] == kind:
            if block[cell] != whose:
                other_top = top
            top, whose = cell, block[cell]
    return least


reach_on_a_line = compiled(_reach_on_a_line)


def _best_by_passes(
    alive: IntArray,
    place: IntArray,
    low: IntArray,
    count: IntArray,
    block: IntArray,
    size: IntArray,
    name: IntArray,
    limit: int,
    line: bool,
) -> tuple[int, int]:
    """The best pair of all within the limit, or else of the cheapest ones; on a line or by counts."""
    flags, others = np.zeros(len(size), np.bool_), np.zeros(len(size), np.bool_)
    small, large, grown = -1, -1, True
    for step in range(
        4
    ):  # any partner; again if the limit grew; one of the smallest; of its smallest partner
        if step == 1 and not grown:
            continue
        if step == 2:  # noqa: PLR2004 - as listed
            small = smallest(alive, size, flags)
        elif step == 3:  # noqa: PLR2004
            large = smallest(alive, size, flags)
            if large == small:
                break
        wanted, marks = (large, others) if step == 3 else (small, flags)  # noqa: PLR2004
        if line:
            least = reach_on_a_line(alive, place, low, block, size, wanted, limit, marks)
        else:
            least = reach_by_counts(alive, count, block, size, wanted, limit, marks)
        if step == 0:
            grown, limit = least > limit, max(limit, least)
    first, second = -1, -1
    for cell in alive:
        if (size[cell] == large and flags[cell]) or (size[cell] == small and others[cell]):
            if first < 0 or name[cell] < name[first]:
                first = cell
    for cell in alive:
        if block[cell] != block[first] and size[cell] + size[first] == small + large:
            if line:
                cost = place[max(cell, first)] - place[min(low[cell], low[first])]
            else:
                cost = count[cell] + count[first]
            if cost <= limit and (second < 0 or name[cell] < name[second]):
                second = cell
    return first, second


best_by_passes = compiled(_best_by_passes)
