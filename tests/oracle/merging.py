"""The merging algorithms of [P3], word for word, with the misprints mended; slow on purpose.

A range is a set of triples (s, x, a): a sensitive value, a public value (its number, which is its place in
the tie-breaks) and what the reader knows besides (always 0 without side information). A cell is a frozenset
of public values and is called by its smallest one. Distortion comes as a function of a cell.

Mended: Psi asks for subgraphs that *meet* the cells; U1 counts public values, not S-ranges; line 8 of
Algorithm 1 puts the merged cell back; it returns Q(t), unless the last iteration did not lower the
Lagrangian.
"""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

Triple = tuple[int, int, int]
Cell = frozenset[int]
Partition = frozenset[Cell]
Cost = Callable[[Cell], Any]
Smaller = Callable[[tuple[Fraction, Any], tuple[Fraction, Any]], int]
"""Compares two Lagrangians given as (leak, loss): -1, 0 or 1."""


@dataclass(frozen=True)
class Range:
    triples: frozenset[Triple]

    @property
    def values(self) -> list[int]:
        return sorted({x for _, x, _ in self.triples})

    def posterior(self, cell: Cell, a: int) -> frozenset[int]:
        """[[S|X, a]]."""
        return frozenset(s for s, x, b in self.triples if x in cell and a == b)

    def seen_with(self, cell: Cell) -> set[int]:
        return {a for _, x, a in self.triples if x in cell}

    def exposure(self, cell: Cell) -> Fraction:
        """max_a |[[S|a]]| / |[[S|X, a]]|."""
        every = frozenset(self.values)
        return max(
            Fraction(len(self.posterior(every, a)), len(self.posterior(cell, a)))
            for a in self.seen_with(cell)
        )

    def leak(self, q: Partition) -> Fraction:
        """The argument of L0(S -> Xh|A)."""
        return max(self.exposure(cell) for cell in q)

    def min_posterior(self, q: Partition) -> int:
        return min(len(self.posterior(cell, a)) for cell in q for a in self.seen_with(cell))

    def helps(self, cell: Cell, other: Cell) -> bool:
        """[[S|X]] != [[S|X']]; with side information: X' adds something where X is exposed most."""
        if {a for _, _, a in self.triples} == {0}:
            return self.posterior(cell, 0) != self.posterior(other, 0)
        every = frozenset(self.values)
        worst = [
            a
            for a in self.seen_with(cell)
            if Fraction(len(self.posterior(every, a)), len(self.posterior(cell, a))) == self.exposure(cell)
        ]
        return any(not self.posterior(other, a) <= self.posterior(cell, a) for a in worst)

    def subgraphs(self, q: Partition) -> list[set[tuple[Cell, int]]]:
        """The finest decomposition of the graph of the answers (cell, a): joined if some s can cause both."""
        left = {(cell, a) for cell in q for a in self.seen_with(cell)}
        found = []
        while left:
            grown = [left.pop()]
            for cell, a in grown:
                near = {node for node in left if self.posterior(*node) & self.posterior(cell, a)}
                left -= near
                grown += near
            found.append(set(grown))
        return found

    def size_of(self, graph: set[tuple[Cell, int]]) -> int:
        """How many (x, a) a subgraph holds; without side information: how many x."""
        return len({(x, a) for _, x, a in self.triples for cell, b in graph if x in cell and a == b})


def merged(q: Partition, first: Cell, second: Cell) -> Partition:
    return (q - {first, second}) | {first | second}


def named(first: Cell, second: Cell) -> tuple[int, int]:
    low, high = sorted((min(first), min(second)))
    return low, high


def start(r: Range) -> Partition:
    return frozenset(frozenset({x}) for x in r.values)


def algorithm_1(r: Range, cost: Cost) -> Iterator[list[Partition]]:
    """One list of partitions an iteration, one partition a merge; never stops for a Lagrangian."""
    q = start(r)
    while len(q) > 1:
        worst = r.leak(q)
        pi = [cell for cell in q if r.exposure(cell) == worst]
        steps = []
        while pi:
            cell = min(pi, key=min)
            others = [other for other in q if other != cell and r.helps(cell, other)]
            if not others:
                return
            partner = min(others, key=lambda other: (cost(cell | other), min(other)))
            q = merged(q, cell, partner)
            pi = [other for other in pi if other not in (cell, partner)]
            steps.append(q)
        yield steps


def candidates(r: Range, q: Partition) -> list[tuple[Cell, Cell]]:
    """Psi: the pairs whose merging joins subgraphs."""
    before = len(r.subgraphs(q))
    pairs = itertools.combinations(sorted(q, key=min), 2)
    return [pair for pair in pairs if len(r.subgraphs(merged(q, *pair))) < before]


def joined(r: Range, q: Partition, pair: tuple[Cell, Cell]) -> tuple[int, int]:
    """The sizes of the two largest of the subgraphs that a merge joins, negated for sorting."""
    graphs = r.subgraphs(q)
    sizes = set()
    for a in r.seen_with(pair[0]) & r.seen_with(pair[1]):
        met = [i for i, graph in enumerate(graphs) if (pair[0], a) in graph or (pair[1], a) in graph]
        if len(met) == 2:
            sizes |= set(met)
    ordered = sorted((r.size_of(graphs[i]) for i in sizes), reverse=True)
    return -ordered[0], -ordered[1]


def algorithm_2(r: Range, cost: Cost, *, largest_first: bool) -> Iterator[Partition]:
    """One partition a merge; never stops for a Lagrangian. `largest_first` is the tie-break for U1."""
    q = start(r)
    while pairs := candidates(r, q):
        best = min(
            pairs,
            key=lambda pair: (
                cost(pair[0] | pair[1]),
                joined(r, q, pair) if largest_first else (),
                named(*pair),
            ),
        )
        q = merged(q, *best)
        yield q


def problem_7(r: Range, cost: Cost, compare: Smaller) -> Iterator[Partition]:
    """One partition a merge, until no two subgraphs can be joined."""
    q = start(r)
    while pairs := candidates(r, q):
        best: tuple[Cell, Cell] | None = None
        for pair in pairs:
            if best is None or _precedes(r, q, pair, best, cost, compare):
                best = pair
        if best is None:
            raise AssertionError
        q = merged(q, *best)
        yield q


def _precedes(  # noqa: PLR0917 - two pairs and what they are compared by
    r: Range, q: Partition, pair: tuple[Cell, Cell], best: tuple[Cell, Cell], cost: Cost, compare: Smaller
) -> bool:
    values = [(r.leak(merged(q, *p)), max(cost(cell) for cell in merged(q, *p))) for p in (pair, best)]
    order = compare(values[0], values[1])
    if order:
        return order < 0
    sizes = [sorted(len({s for s, x, _ in r.triples if x in cell}) for cell in p) for p in (pair, best)]
    return (sizes[0], named(*pair)) < (sizes[1], named(*best))
