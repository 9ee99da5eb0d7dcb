"""Largest independent sets in strong products of small connected graphs."""

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache

from noiseless.theory.zero_error.cover import fractional_cover
from noiseless.theory.zero_error.graph import Graph, mask_of, members
from noiseless.theory.zero_error.independence import edge_cliques, independent_set, swapped_set
from noiseless.theory.zero_error.pieces import Piece
from noiseless.theory.zero_error.search import larger_set
from noiseless.theory.zero_error.symmetry import orbits

STEPS = 20_000
"""How many steps the exact search takes on one product of up to 200 nodes, for each orbit of nodes."""

_USUAL = 200

_ROOM = 2_000
"""How many nodes the products that are searched may have together; others keep what shorter codes give."""

_SWAPS = 30
_SYMMETRIC = 40
"""Up to so many nodes a factor its automorphisms are looked for."""

Word = tuple[int, ...]
Kinds = tuple[int, ...]


class Products:
    """Codes in products of some graphs, each product searched once; letters are nodes of the factors.

    Local search starts from the codes of fewer letters, and branch and bound follows, at whose root one node
    of each orbit is enough: equal factors can be exchanged, and each factor has its automorphisms.
    """

    def __init__(
        self, graphs: tuple[Graph, ...], limit: int, theta: Callable[[Graph], Fraction] | None
    ) -> None:
        self.graphs = graphs
        self.limit = limit
        self.theta = theta and cache(theta)
        self.room = _ROOM
        self.found: dict[Kinds, tuple[list[Word], int]] = {(): ([()], 1)}
        self.looks: dict[int, list[int]] = {}
        self.fractions: dict[int, Fraction] = {}

    def code(self, kinds: Kinds) -> tuple[list[Word], int]:
        """The words found in the product of these graphs (ascending), and how many there can be at most."""
        if kinds not in self.found:
            if len(kinds) == 1:
                best = independent_set(self.graphs[kinds[0]])
                self.found[kinds] = [(node,) for node in best.nodes], best.bound
            else:
                self.found[kinds] = self._product(kinds)
        return self.found[kinds]

    def _product(self, kinds: Kinds) -> tuple[list[Word], int]:
        """The best product of shorter codes, and what a search makes of it."""
        splits = [(self.code(kinds[:cut])[0], self.code(kinds[cut:])[0]) for cut in range(1, len(kinds))]
        first, second = max(splits, key=lambda split: len(split[0]) * len(split[1]))
        known = [left + right for left, right in itertools.product(first, second)]
        bound = self._bound(kinds)
        nodes = math.prod(len(self.graphs[kind]) for kind in kinds)
        if len(known) == bound or nodes > self.room:
            return known, bound
        self.room -= nodes
        return self._search(kinds, known, bound)

    def _bound(self, kinds: Kinds) -> int:
        """A fractional clique cover of a factor times the code of the rest (Rosenfeld); theta multiplies."""
        bound = min(
            math.floor(self._fractional(kind) * self.code(kinds[:cut] + kinds[cut + 1 :])[1])
            for cut, kind in enumerate(kinds)
        )
        if self.theta is None:
            return bound
        return min(bound, math.floor(math.prod(self.theta(self.graphs[kind]) for kind in kinds)))

    def _fractional(self, kind: int) -> Fraction:
        if kind not in self.fractions:
            graph = self.graphs[kind]
            piece = Piece(tuple(range(len(graph))), tuple(map(tuple, edge_cliques(graph))), 1)
            self.fractions[kind] = fractional_cover(piece).upper
        return self.fractions[kind]

    def _search(self, kinds: Kinds, known: list[Word], bound: int) -> tuple[list[Word], int]:
        product = Graph((0,))
        for kind in kinds:
            product = product.strong_product(self.graphs[kind])
        letters = list(itertools.product(*(range(len(self.graphs[kind])) for kind in kinds)))
        place = {word: node for node, word in enumerate(letters)}
        best = swapped_set(product, bound, [place[word] for word in known], _SWAPS)
        if len(best) < bound:
            best, finished = self._by_orbits(product, kinds, best)
            bound = len(best) if finished else bound
        return [letters[node] for node in best], bound

    def _by_orbits(self, product: Graph, kinds: Kinds, best: list[int]) -> tuple[list[int], bool]:
        """Sets with a node of each orbit in turn; an orbit done with need not be looked at again."""
        groups: dict[tuple[tuple[int, int], ...], list[int]] = {}
        looks = [[(kind, look) for look in self._looks(kind)] for kind in kinds]
        for node, look in enumerate(itertools.product(*looks)):
            groups.setdefault(tuple(sorted(look)), []).append(node)
        alive = product.everything
        steps = self.limit * _USUAL**2 // max(_USUAL, len(product)) ** 2
        for group in sorted(groups.values(), key=len, reverse=True):
            first = group[0]
            around = list(members(alive & ~product.rows[first] & ~(1 << first)))
            if len(around) >= len(best):
                found, finished = larger_set(product.induced(around), len(best) - 1, steps)
                if found is not None:
                    best = [first, *(around[node] for node in found)]
                if not finished:
                    return best, False
            alive &= ~mask_of(group)
        return best, True

    def _looks(self, kind: int) -> list[int]:
        """The orbit of each node of a factor."""
        if kind not in self.looks:
            graph = self.graphs[kind]
            self.looks[kind] = orbits(graph) if len(graph) <= _SYMMETRIC else list(range(len(graph)))
        return self.looks[kind]
