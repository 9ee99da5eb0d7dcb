"""The independence number: how many inputs can be told apart in one use of the channel."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from noiseless.tables.kernels import compiled
from noiseless.theory.zero_error.graph import Graph, mask_of, members

STEPS = 1_000_000
"""How many steps the exact search may take on one connected piece of up to 200 nodes."""

_USUAL = 200

_SWAPS = 20

Words = Any
"""Sets as words of bits: lists of integers for small graphs, arrays of 64-bit integers for compiled loops."""

_WORD = 62
"""Bits a word: with fewer than 63 no step meets the sign."""

_SMALL = 40
"""Up to this many nodes plain Python beats loading the compiled loops, which takes a second."""


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
    parts = graph.reduced_components()
    nodes: list[int] = []
    bound = 0
    for part in parts:
        largest = _connected(graph.induced(part), limit, at_most if len(parts) == 1 else None)
        nodes += [part[node] for node in largest.nodes]
        bound += largest.bound
    return IndependentSet(tuple(sorted(nodes)), bound if at_most is None else min(bound, at_most))


def _connected(graph: Graph, limit: int, at_most: int | None) -> IndependentSet:
    if len(graph) == 1:
        return IndependentSet((0,), 1)
    parts = graph.complement().components()
    if len(parts) == 1:
        return _searched(graph, limit, at_most)
    sets = [(independent_set(graph.induced(part), limit, at_most), part) for part in parts]
    best, where = max(sets, key=lambda each: each[0].size)
    return IndependentSet(tuple(where[node] for node in best.nodes), max(each.bound for each, _ in sets))


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
    cliques = []
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
            cliques.append(clique)
            if not row:
                break
    return cliques


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


def larger_set(graph: Graph, known: int, limit: int) -> tuple[list[int] | None, bool]:
    """Look for a largest independent set of more than `known` nodes, in at most `limit` steps.

    Returns:
        Such a set, if one was met, and whether the search came to its end.
    """
    order = _order(graph)
    tree = _Tree(graph.induced(order))
    branches = [list(range(len(graph)))]
    pools = [tree.everything()]
    chosen: list[int] = []
    best: list[int] | None = None
    for _ in range(limit):
        while branches and not branches[-1]:
            branches.pop()
            pools.pop()
            del chosen[-1:]
        if not branches:
            return best, True
        place = branches[-1].pop()
        chosen.append(place)
        pool, branch = tree.descend(pools[-1], place, known - len(chosen))
        if branch:
            branches.append(branch)
            pools.append(pool)
            continue
        if branch is None and len(chosen) > known:
            best, known = [order[member] for member in chosen], len(chosen)
        chosen.pop()
    return best, not any(branches)


def _order(graph: Graph) -> list[int]:
    """Put the node with the most neighbours last, take it out of the graph, and go on with the rest."""
    joined = graph.matrix
    score = joined.sum(axis=1)
    sequence: list[int] = []
    for _ in range(len(graph)):
        node = int(score.argmax())
        sequence.append(node)
        score = score - joined[node]
        score[sequence] = -1
    return sequence[::-1]


class _Tree:
    """The steps down the search tree, and the room they work in."""

    def __init__(self, graph: Graph) -> None:
        size, self.width = len(graph), -(-len(graph) // _WORD)
        full = (1 << _WORD) - 1
        rows = [[row >> _WORD * word & full for word in range(self.width)] for row in graph.complement().rows]
        self.size, self.plain = size, size <= _SMALL
        self.rows = rows if self.plain else np.array(rows, np.int64)
        self.cliques = self._zeros(size + 1, self.width)
        self.spare = self._zeros(2, self.width)
        self.numbers = self._zeros(6, size + 1)
        loops: tuple[Any, Any] = (_cover, _unrefuted) if self.plain else _machine_code()
        self.cover, self.filter = loops

    def _zeros(self, *shape: int) -> Words:
        zeros = np.zeros(shape, np.int64)
        return zeros.tolist() if self.plain else zeros

    def everything(self) -> Words:
        """The set of all nodes."""
        nodes = self._zeros(self.width)
        for place in range(self.size):
            nodes[place // _WORD] |= 1 << place % _WORD
        return nodes

    def descend(self, pool: Words, place: int, allowed: int) -> tuple[Words, list[int] | None]:
        """Take a node out of the pool: the nodes of the pool compatible with it, and those to branch on.

        Those to branch on are None when nothing is compatible, and empty when the rest has no independent set
        of more than `allowed` nodes.
        """
        pool[place // _WORD] &= ~(1 << place % _WORD)
        child = self._zeros(self.width)
        left = self.cover(self.rows, pool, place, allowed, child, self.cliques, self.spare)
        if left <= 0:
            return child, None if left < 0 else []
        count = self.filter(self.rows, allowed, self.cliques, self.spare, self.numbers)
        branch = self.numbers[5][:count]
        return child, branch if self.plain else branch.tolist()


@cache
def _machine_code() -> tuple[Any, Any]:
    return compiled(_cover), compiled(_unrefuted)


def _cover(  # noqa: PLR0917 - compiled: no keywords
    rows: Words, pool: Words, place: int, allowed: int, child: Words, cliques: Words, spare: Words
) -> int:
    """Fill `child` and cover it with at most `allowed` cliques, greedily; `spare[0]` is what they leave.

    Returns:
        -1 when `child` is empty, 0 when nothing is left, else 1.
    """
    width, rest = len(child), spare[0]
    total = 0
    for word in range(width):
        child[word] = pool[word] & rows[place][word]
        rest[word] = child[word]
        total |= child[word]
    if total == 0:
        return -1
    for clique in range(allowed):
        total = 0
        for word in range(width):
            cliques[clique][word] = rest[word]
            total |= rest[word]
        if total == 0:
            return 0
        for word in range(width):
            waiting = cliques[clique][word]
            while waiting:
                bit = waiting & -waiting
                node = word * _WORD + math.frexp(float(bit))[1] - 1
                rest[word] ^= bit
                for other in range(word, width):  # only the neighbours of `node` can stay beside it
                    cliques[clique][other] &= ~rows[node][other]
                waiting &= cliques[clique][word] & ~bit
    total = 0
    for word in range(width):
        total |= rest[word]
    return 1 if total else 0


def _unrefuted(  # noqa: C901, PLR0912, PLR0915 - compiled: one function
    rows: Words, allowed: int, cliques: Words, spare: Words, numbers: Words
) -> int:
    """Which nodes of `spare[0]` have to be branched on: written to the last of `numbers`; how many.

    A node is assumed to be in the set. A clique all but one of whose members are then excluded gives that
    member, which excludes more; a clique with no member left is a conflict. The cliques that led to it are
    used up, since each can serve in one conflict only. Cliques `0..allowed-1` take part. Branching on all
    nodes instead takes 4 to 8 times as long where a fifth of the pairs are joined.
    """
    rest, live = spare[0], spare[1]
    used, busy, trail, origin = numbers[0], numbers[1], numbers[2], numbers[3]
    needed, out = numbers[4], numbers[5]
    width = len(rest)
    for clique in range(allowed):
        used[clique] = 0
    count = 0
    for place in range(width * _WORD):
        home, bit = place // _WORD, 1 << place % _WORD
        if not rest[home] & bit:
            continue
        for word in range(width):
            live[word] = rows[place][word]
        for clique in range(allowed):
            busy[clique] = used[clique]
        steps, conflict, more = 0, -1, True
        while more and conflict < 0:
            more = False
            for clique in range(allowed):
                if busy[clique]:
                    continue
                single, where, several = 0, 0, False
                for word in range(width):
                    left = cliques[clique][word] & live[word]
                    if left:
                        several = single != 0 or (left & (left - 1)) != 0
                        single, where = left, word
                        if several:
                            break
                if several:
                    continue
                if single == 0:
                    conflict = clique
                    break
                node = where * _WORD + math.frexp(float(single))[1] - 1
                busy[clique] = 1
                trail[steps], origin[steps], needed[steps] = node, clique, 0
                steps, more = steps + 1, True
                for word in range(width):
                    live[word] &= rows[node][word]
        if conflict < 0:
            out[count] = place
            count += 1
            continue
        if steps == 0:  # joined to the whole clique: one of its members from now on
            cliques[conflict][home] |= bit
            continue
        clique, end = conflict, steps
        while end >= 0:
            used[clique] = 1
            for word in range(width):
                left = cliques[clique][word] & rows[place][word]
                while left:
                    one = left & -left
                    left ^= one
                    for step in range(end):  # the first step that excluded this member is a reason
                        if not rows[trail[step]][word] & one:
                            needed[step] = 1
                            break
            end -= 1
            while end >= 0 and not needed[end]:
                end -= 1
            if end >= 0:
                clique = origin[end]
    return count
