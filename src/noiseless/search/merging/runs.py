"""The algorithms of [P3] by arrays.

Algorithm 1 looks at all cells before each merge, the others at all pairs of cells: of values one square, of
time another. A cell is called by its first public value; arrays have a place for each value, and those of
cells that are gone are not looked at.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from noiseless.arrays import FloatArray, IntArray
from noiseless.exact import Bits
from noiseless.search.codebook import Codebook
from noiseless.search.loss import Lagrangian
from noiseless.search.merging.merge_costs import MergeCosts
from noiseless.search.merging.merged_cells import GONE, MergedCells, as_ratio

_SURE = 1e-9
"""Two Lagrangians whose floats differ by more (relative to their size) differ that way."""


def run_leakage(cells: MergedCells, codebook: Codebook | None) -> list[int]:
    """Algorithm 1; after how many merges each iteration ends."""
    size = cells.problem.size
    costs, rounds = MergeCosts(codebook, size), [0]
    stuck = False  # a cell is exposed most, and nothing can help it
    while len(cells.pairs) < size - 1 and not stuck:
        waits = cells.exposures == cells.exposures.max()
        for cell in np.flatnonzero(waits).tolist():
            if not waits[cell]:
                continue
            helping = np.flatnonzero(cells.helping(cell))
            stuck = not len(helping)
            if stuck:
                break
            found = costs.together(cell, helping)
            kept, gone = sorted((cell, int(helping[found.argmin()])))
            waits[[kept, gone]] = False
            costs.join(kept, gone, float(found.min()))
            cells.join(kept, gone)
        if len(cells.pairs) > rounds[-1]:
            rounds.append(len(cells.pairs))
    return rounds


def run_maximin(cells: MergedCells, codebook: Codebook | None) -> None:
    """Algorithm 2."""
    pairs = CellPairs(cells, MergeCosts(codebook, cells.problem.size))
    while len(pairs.first):
        ties = np.flatnonzero(pairs.costs == pairs.costs.min())
        sizes = () if codebook is not None else _joined_sizes(cells, pairs.first[ties], pairs.second[ties])
        pairs.join(ties, *(-size for size in sizes))


def _joined_sizes(cells: MergedCells, first: IntArray, second: IntArray) -> tuple[IntArray, IntArray]:
    """How many answers the largest, and the next, of the subgraphs have that merging pairs makes one."""
    held = np.append(np.bincount(cells.subgraphs), -1)
    order = np.argsort(held, kind="stable")
    ranks = np.empty_like(order)
    ranks[order] = np.arange(len(held))
    met = ranks[cells.joined(first, second)].reshape(-1, len(first))
    largest = met.max(axis=0)
    return held[order[largest]], held[order[np.where(met == largest, 0, met).max(axis=0)]]


def run_constrained(cells: MergedCells, codebook: Codebook | None, weight: Fraction) -> None:
    """Problem (7)."""
    pairs = CellPairs(cells, MergeCosts(codebook, cells.problem.size, exact=True), exposed=True)
    while len(pairs.first):
        ties = pairs.least(pairs.leaks, weight)[1]
        first, second = (cells.ranges[end[ties]] for end in (pairs.first, pairs.second))
        pairs.join(ties, np.minimum(first, second), np.maximum(first, second))


@dataclass(eq=False)
class CellPairs:
    """The pairs of cells that can be merged.

    Attributes:
        cells: the cells.
        merge_costs: what they cost.
        every: whether all pairs can be, or those of different subgraphs.
        exposed: whether it matters how exposed they are.
        first: the lower cell of each pair.
        second: the higher one.
        costs: what the two cost together.
        exposures: how exposed they are together, if that matters.
    """

    cells: MergedCells
    merge_costs: MergeCosts
    every: bool = False
    exposed: bool = False

    def __post_init__(self) -> None:
        self._put([self._row(cell, np.arange(cell)) for cell in range(len(self.cells.ranges))])

    def _row(self, cell: int, others: IntArray) -> list[Any]:
        """The pairs of a cell with those of others that it can be merged with."""
        if not self.every:
            others = others[self.cells.apart(cell)[others]]
        ends = [np.minimum(cell, others), np.maximum(cell, others)]
        if not len(others):
            return [*ends, np.zeros(0), np.zeros(0)]
        exposures = self.cells.exposures_with(cell, others) if self.exposed else np.zeros(len(others))
        return [*ends, self.merge_costs.together(cell, others), exposures]

    def _put(self, rows: list[list[Any]]) -> None:
        self.first, self.second, self.costs, self.exposures = map(np.concatenate, zip(*rows, strict=True))

    @property
    def leaks(self) -> FloatArray:
        """For each pair the largest exposure of all cells once it is merged."""
        return np.asarray(np.maximum(self.exposures, self._beside(self.cells.exposures)))

    def _beside(self, values: FloatArray) -> FloatArray:
        """For each pair the largest value of all other cells."""
        padded = np.append(values, [0.0, 0.0])
        third, second, first = np.argsort(padded)[-3:].tolist()
        has_first, has_second = ((self.first == top) | (self.second == top) for top in (first, second))
        without = np.where(has_second, padded[third], padded[second])
        return np.asarray(np.where(has_first, without, padded[first]))

    def least(self, leaks: FloatArray, weight: Fraction) -> tuple[Lagrangian, IntArray]:
        """The smallest Lagrangian, and which pairs lead to it.

        Args:
            leaks: what is given away once each pair is merged.
            weight: the multiplier; with 0 the loss counts nothing.
        """
        losses = np.maximum(self.costs, self._beside(self.merge_costs.own)) if weight else np.ones(len(leaks))
        counted = losses if self.merge_costs.codebook is not None else np.log2(losses)
        about = np.log2(leaks) + float(weight) * counted
        near = np.flatnonzero(about <= about.min() + _SURE * (1 + abs(about.min())))
        options = []
        while len(near):
            alike = leaks[near] == leaks[near[0]]
            group, near = near[alike], near[~alike]
            leak, loss = float(leaks[group[0]]), float(losses[group].min())
            options.append((self.lagrangian(leak, loss, weight), group[losses[group] == loss]))
        best = min(value for value, _ in options)
        return best, np.concatenate([group for value, group in options if value == best])

    def lagrangian(self, leak: float, loss: float, weight: Fraction) -> Lagrangian:
        """What is given away and what is lost, as floats, together exactly."""
        return Lagrangian(as_ratio(leak), self.merge_costs.loss(loss) if weight else Bits(1), weight)

    def join(self, ties: IntArray, *keys: IntArray) -> None:
        """Merge the first of some pairs: the one with the least keys, and then the lowest cells."""
        chosen = np.arange(len(ties))
        for key in (*keys, self.first[ties], self.second[ties]):
            chosen = chosen[key[chosen] == key[chosen].min()]
        place = ties[chosen[0]]
        kept, gone = int(self.first[place]), int(self.second[place])
        self.merge_costs.join(kept, gone, float(self.costs[place]))
        self.cells.join(kept, gone)
        stay = (self.first != kept) & (self.second != kept) & (self.first != gone) & (self.second != gone)
        if not self.every:
            stay &= np.any(self.cells.joined(self.first, self.second)[0] >= 0, axis=0)
        left = [part[stay] for part in (self.first, self.second, self.costs, self.exposures)]
        others = np.flatnonzero(self.cells.ranges != GONE)
        self._put([left, self._row(kept, others[others != kept])])
