"""The independence number: how many inputs can be told apart in one use of the channel."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from noiseless.theory.zero_error.graph import Graph, mask_of, members
from noiseless.theory.zero_error.search import larger_set

STEPS = 1_000_000
"""How many steps the exact search may take on one connected piece of up to 200 nodes."""

_USUAL = 200

_SWAPS = 20


@dataclass(frozen=True)
class IndependentSet:
    """Nodes no two of which are joined, and how many there can be at most.

    Attributes:
        nodes: the nodes, ascending.
        bound: no independent set has more nodes.
    """

    nodes: tuple[int, ...]
    bound: int

    @property
    def size(self) -> int:
        """How many nodes it has."""
        return len(self.nodes)

    @property
    def exact(self) -> bool:
        """Whether it is proved to be a largest one."""
        return self.size == self.bound


def independent_set(graph: Graph, limit: int = STEPS, at_most: int | None = None) -> IndependentSet:
    """A largest independent set, found by reduction, local search and branch and bound.

    Dominated nodes go first (`Graph.undominated`); components add up; where the complement falls apart (every
    node of one part joined to every node of the other) the larger part decides. A clique cover as large as
    the set found ends the search before it begins.

    >>> independent_set(Graph.from_edges(5, [(i, (i + 1) % 5) for i in range(5)]))
    IndependentSet(nodes=(0, 2), bound=2)

    Args:
        graph: the graph.
        limit: how many steps the search may take on one piece of up to 200 nodes; as steps cost more on
            larger pieces, fewer are taken there. When they run out the set is the best one met and `bound`
            is the size of a clique cover, or `at_most`.
        at_most: a bound known from elsewhere; a set that reaches it needs no search.
    """
    kept = graph.undominated()
    rest = graph.induced(kept)
    parts = rest.components()
    nodes: list[int] = []
    bound = 0
    for part in parts:
        found = _connected(rest.induced(part), limit, at_most if len(parts) == 1 else None)
        nodes += [kept[part[node]] for node in found.nodes]
        bound += found.bound
    return IndependentSet(tuple(sorted(nodes)), bound if at_most is None else min(bound, at_most))


def _connected(graph: Graph, limit: int, at_most: int | None) -> IndependentSet:
    if len(graph) == 1:
        return IndependentSet((0,), 1)
    parts = graph.complement().components()
    if len(parts) == 1:
        return _searched(graph, limit, at_most)
    found = [(independent_set(graph.induced(part), limit, at_most), part) for part in parts]
    best, where = max(found, key=lambda each: each[0].size)
    return IndependentSet(tuple(where[node] for node in best.nodes), max(each.bound for each, _ in found))


def _searched(graph: Graph, limit: int, at_most: int | None) -> IndependentSet:
    bound = len(clique_cover(graph))
    if at_most is not None:
        bound = min(bound, at_most)
    best = swapped_set(graph, bound)
    if len(best) < bound and limit > 0:
        steps = limit * _USUAL**2 // max(_USUAL, len(graph)) ** 2
        better, finished = larger_set(graph, len(best), steps)
        best = best if better is None else sorted(better)
        bound = len(best) if finished else bound
    return IndependentSet(tuple(best), bound)


def clique_cover(graph: Graph) -> list[int]:
    """Cliques that cover all nodes, as bits: a colouring of the complement by saturation (Brelaz).

    The node that the fewest cliques have room for comes next.
    """
    cliques: list[int] = []
    common: list[int] = []  # who could join each clique
    left = graph.everything
    room = [0] * len(graph)
    while left:
        node = min(members(left), key=lambda n: (room[n] - len(cliques), graph.rows[n].bit_count()))
        left ^= 1 << node
        fitting = [number for number, who in enumerate(common) if who >> node & 1]
        number = max(fitting, key=lambda n: (common[n] & graph.rows[node] & left).bit_count(), default=None)
        if number is None:
            cliques.append(1 << node)
            common.append(graph.rows[node])
            joined = graph.rows[node]
            for other in members(joined):
                room[other] += 1
            continue
        cliques[number] |= 1 << node
        for other in members(common[number] & ~graph.rows[node]):
            room[other] -= 1
        common[number] &= graph.rows[node]
    return cliques


def edge_cliques(graph: Graph) -> list[list[int]]:
    """Maximal cliques that hold every node and every edge, one for each edge that no earlier clique holds."""
    found = []
    missing = [row >> node + 1 << node + 1 for node, row in enumerate(graph.rows)]
    for node, row in enumerate(graph.rows):
        while missing[node] or not row:
            clique, common = [node], row
            first = missing[node] & -missing[node]
            while common:
                other = (first or common & -common).bit_length() - 1
                clique.append(other)
                common, first = common & graph.rows[other], 0
            for member in clique:
                missing[member] &= ~mask_of(clique)
            found.append(clique)
            if not row:
                break
    return found


def swapped_set(graph: Graph, enough: int, start: Sequence[int] = (), swaps: int = _SWAPS) -> list[int]:
    """A large independent set by local search, without a proof; no random numbers, so always the same.

    A free node is added; else a node with one conflict takes the place of that one; else the node that has
    waited longest comes in and all its conflicts go. Those that waited longest come first, and a node that
    went out waits a few turns.

    Args:
        graph: the graph.
        enough: the size at which to stop.
        start: an independent set to begin with.
        swaps: how many turns to take, for each node.
    """
    joined = graph.matrix
    inside = np.zeros(len(graph), bool)
    inside[list(start)] = True
    conflicts = joined[inside].sum(axis=0)
    moved = joined.sum(axis=1) - len(graph)  # at first, those with few neighbours come first
    best = list(start)
    for turn in range(swaps * len(graph)):
        if len(best) >= enough or inside.all():
            break
        waits = np.where(inside, np.inf, moved + np.where(conflicts == 0, 0, 1e9 * conflicts.clip(max=2)))
        waits[(conflicts > 0) & (moved > turn - 8)] += 1e12
        node = int(waits.argmin())
        out = np.flatnonzero(joined[node] & inside)
        inside[out] = False
        inside[node] = True
        conflicts += joined[node] - joined[out].sum(axis=0)
        moved[out], moved[node] = turn, turn
        if inside.sum() > len(best):
            best = np.flatnonzero(inside).tolist()
    return best


def is_independent(graph: Graph, nodes: Sequence[int]) -> bool:
    """Whether no two of the nodes are joined."""
    mask = mask_of(nodes)
    return len(set(nodes)) == len(nodes) and not any(graph.rows[node] & mask for node in nodes)
