"""The merging algorithms of [P3] with sets and loops, for ranges too large for the word-for-word ones.

Costs of pairs are remembered until one of the two is merged; otherwise this is the algorithms as they stand.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import chain
from typing import Any

import numpy as np

from noiseless.exact import Bits
from noiseless.ranges import JointRange, overlap_partition
from noiseless.search.codebook import Codebook
from noiseless.search.loss import Lagrangian, Lengths, Loss, Objective
from noiseless.search.merging import MergePath, SideInformation
from noiseless.search.problem import Problem

Pair = tuple[int, int]


def plain_path(
    objective: Objective,
    joint: JointRange,
    codebook: Codebook | None = None,
    *,
    weight: Fraction | None = None,
    side: SideInformation | None = None,
) -> MergePath:
    """The path of an algorithm, each point counted from its cells."""
    cells, rounds = PlainCells(Problem(joint, side=side), codebook), None
    if objective == "leakage":
        done = list(plain_leakage(cells))
        rounds, pairs = np.cumsum([0, *map(len, done)]), list(chain.from_iterable(done))
    else:
        made = plain_maximin(cells) if weight is None else plain_both(cells, weight)
        pairs = list(made)
    left, points, losses = PlainCells(Problem(joint, side=side), codebook), [], []
    for pair in [None, *pairs]:
        if pair is not None:
            left.merge(*pair)
        worst = max(left.exposure(known) for known in left.posteriors.values())
        smallest = min(len(held) for known in left.posteriors.values() for held in known.values())
        largest = max(map(len, left.members.values()))
        points.append((worst.numerator, worst.denominator, left.components, smallest, largest))
        losses.append(max(left.own(i) for i in left.members))
    tops, bottoms, components, smallest_sets, largest_cells = np.array(points).T
    kept, absorbed = np.array(pairs, np.int64).reshape(-1, 2).T
    return MergePath(
        objective,
        "resolution" if codebook is None else "distortion",
        left.problem.size,
        kept,
        absorbed,
        np.arange(len(points)) if rounds is None else rounds,
        (tops, bottoms),
        components,
        smallest_sets,
        largest_cells,
        None if codebook is None else Lengths.of(losses),
        weight,
    )


@dataclass
class PlainCells:
    """The cells of a run, each called by its first value.

    Attributes:
        problem: the range and the side information.
        codebook: what the merges are measured by; None for resolution.
        members: the public values of each cell.
        posteriors: for each cell and each known a, [[S|X, a]].
        nodes: for each cell and each known a, a node of the subgraph it is in.
        parents: a union-find over these nodes.
        weights: how many (x, a) the subgraph of each root holds.
    """

    problem: Problem
    codebook: Codebook | None
    members: dict[int, list[int]] = field(default_factory=dict)
    posteriors: dict[int, dict[int, set[int]]] = field(default_factory=dict)
    nodes: dict[int, dict[int, int]] = field(default_factory=dict)
    parents: list[int] = field(default_factory=list)
    weights: list[int] = field(default_factory=list)
    _pairs: dict[Pair, Any] = field(default_factory=dict)
    _own: dict[int, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        joint, known = self.problem.joint, self.problem.known.tolist()
        blocks = overlap_partition(joint).y_blocks.tolist()
        self.parents = list(range(max(blocks) + 1))
        self.weights = [0] * len(self.parents)
        self.members = {x: [x] for x in range(self.problem.size)}
        self.posteriors = {x: {} for x in self.members}
        self.nodes = {x: {} for x in self.members}
        for y, (x, a, block) in enumerate(zip(self.problem.public.tolist(), known, blocks, strict=True)):
            self.posteriors[x].setdefault(a, set()).update(joint.posterior(y).tolist())
            self.nodes[x][a] = block
            self.weights[block] += 1
        self.prior = dict(enumerate(self.problem.prior.tolist()))

    def find(self, node: int) -> int:
        """The root of a node's subgraph."""
        while self.parents[node] != node:
            self.parents[node] = node = self.parents[self.parents[node]]
        return node

    @property
    def components(self) -> int:
        """How many subgraphs there are."""
        return sum(parent == node for node, parent in enumerate(self.parents))

    def exposure(self, posteriors: dict[int, set[int]]) -> Fraction:
        """max_a |[[S|a]]| / |[[S|X, a]]|."""
        return max(Fraction(self.prior[a], len(values)) for a, values in posteriors.items())

    def union(self, i: int, j: int) -> dict[int, set[int]]:
        """[[S|X, a]] of two cells together."""
        first, second = self.posteriors[i], self.posteriors[j]
        return {a: first.get(a, set()) | second.get(a, set()) for a in first | second}

    def cost(self, i: int, j: int) -> Any:  # noqa: ANN401 - a length, or how many values
        """What two cells would cost together."""
        if self.codebook is None:
            return len(self.members[i]) + len(self.members[j])
        if (i, j) not in self._pairs:
            self._pairs[i, j] = self.codebook.cost(sorted(self.members[i] + self.members[j]))
        return self._pairs[i, j]

    def own(self, i: int) -> Any:  # noqa: ANN401 - as above
        """What a cell costs."""
        if self.codebook is None:
            return len(self.members[i])
        if i not in self._own:
            self._own[i] = self.codebook.cost(self.members[i])
        return self._own[i]

    def joined(self, i: int, j: int) -> set[int]:
        """The roots of the subgraphs that merging two cells would join; empty if it would join none."""
        found = set()
        for a, node in self.nodes[i].items():
            if a in self.nodes[j]:
                first, second = self.find(node), self.find(self.nodes[j][a])
                if first != second:
                    found |= {first, second}
        return found

    def candidates(self) -> Iterator[Pair]:
        """Psi of [P3]: the pairs whose merging joins subgraphs."""
        cells = sorted(self.members)
        for place, i in enumerate(cells):
            for j in cells[place + 1 :]:
                if self.joined(i, j):
                    yield i, j

    def merge(self, i: int, j: int) -> Pair:
        """Merge two cells; the one that stays and the one that goes."""
        i, j = min(i, j), max(i, j)
        self.posteriors[i] = self.union(i, j)
        for a, node in self.nodes.pop(j).items():
            first, second = self.find(self.nodes[i].setdefault(a, node)), self.find(node)
            if first != second:
                self.parents[second] = first
                self.weights[first] += self.weights[second]
        self.members[i] = sorted(self.members[i] + self.members.pop(j))
        del self.posteriors[j]
        self._own.pop(i, None)
        self._pairs = {pair: cost for pair, cost in self._pairs.items() if not {i, j} & set(pair)}
        return i, j


def plain_leakage(cells: PlainCells) -> Iterator[list[Pair]]:
    """Algorithm 1: the merges of each iteration."""
    while len(cells.members) > 1:
        exposures = {i: cells.exposure(known) for i, known in cells.posteriors.items()}
        worst = max(exposures.values())
        waiting = {i for i, exposure in exposures.items() if exposure == worst}
        done: list[Pair] = []
        while waiting:
            i = min(waiting)
            known = cells.posteriors[i]
            open_to = [a for a, values in known.items() if Fraction(cells.prior[a], len(values)) == worst]
            partners = [
                j
                for j, other in cells.posteriors.items()
                if j != i and any(not other.get(a, set()) <= known[a] for a in open_to)
            ]
            if not partners:  # the worst exposure stays as it is
                if done:
                    yield done
                return
            j = min(partners, key=lambda j: (cells.cost(min(i, j), max(i, j)), j))
            waiting -= {i, j}
            done.append(cells.merge(i, j))
        yield done


def plain_maximin(cells: PlainCells) -> Iterator[Pair]:
    """Algorithm 2: the merges."""

    def key(pair: Pair) -> tuple[Any, ...]:
        if cells.codebook is not None:
            return cells.cost(*pair), pair
        sizes = sorted(-cells.weights[root] for root in cells.joined(*pair))
        return cells.cost(*pair), sizes[:2], pair

    while best := min(cells.candidates(), key=key, default=None):
        yield cells.merge(*best)


def plain_both(cells: PlainCells, weight: Fraction) -> Iterator[Pair]:
    """Problem (7): the merges."""
    while True:
        best: tuple[Lagrangian, list[int], Pair] | None = None
        leaks = sorted(((cells.exposure(known), i) for i, known in cells.posteriors.items()), reverse=True)
        costs = sorted(((cells.own(i), i) for i in cells.members), reverse=True)
        for pair in cells.candidates():
            others = next((leak for leak, i in leaks if i not in pair), Fraction(1))
            leak = max(others, cells.exposure(cells.union(*pair)))
            rest = [cost for cost, i in costs[:3] if i not in pair][:1]
            loss = max([cells.cost(*pair), *rest])
            value = Lagrangian(leak, as_loss(loss), weight)
            sizes = sorted(len(set().union(*cells.posteriors[i].values())) for i in pair)
            if best is None or (value, sizes, pair) < best:
                best = value, sizes, pair
        if best is None:
            return
        yield cells.merge(*best[2])


def as_loss(cost: Any) -> Loss:  # noqa: ANN401 - as above
    """A cost as a loss: how many values as bits, a length as it is."""
    return Bits(cost) if isinstance(cost, int) else cost
