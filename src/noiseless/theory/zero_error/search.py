"""Branch and bound for the independence number, on words of bits.

Nodes that are not joined are *compatible*. At each step of the search the candidates are covered by cliques
of the graph; no independent set has more nodes than there are cliques. Candidates that are left when the
cliques are as many as a set no better than the best has nodes are branched on, save those for which unit
propagation finds a conflict with a few of the cliques: these and the node together give no more than these
alone (the bound of MaxSAT solvers; Li and Quan, 2010).
"""

import math
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from noiseless.tables.kernels import compiled
from noiseless.theory.zero_error.graph import Graph

Words = Any
"""Sets as words of bits: lists of integers for small graphs, arrays of 64-bit integers for compiled loops."""

_WORD = 62
"""Bits a word: with fewer than 63 no step meets the sign."""

_SMALL = 40
"""Up to so many nodes plain Python beats loading the compiled loops."""


class Found(NamedTuple):
    """A larger independent set than the one known, if one was met, and whether the search came to its end."""

    nodes: list[int] | None
    finished: bool


def larger_set(graph: Graph, known: int, limit: int) -> Found:
    """Look for a largest independent set of more than `known` nodes, in at most `limit` steps."""
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
            return Found(best, finished=True)
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
    return Found(best, finished=not any(branches))


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
        self.cliques = self._sets(size + 1)
        self.spare = self._sets(2)
        self.numbers: Words = (
            [[0] * (size + 1) for _ in range(6)] if self.plain else np.zeros((6, size + 1), np.int64)
        )
        loops: tuple[Any, Any] = (_cover, _unrefuted) if self.plain else _machine_code()
        self.cover, self.filter = loops

    def _sets(self, count: int) -> Words:
        return (
            [[0] * self.width for _ in range(count)]
            if self.plain
            else np.zeros((count, self.width), np.int64)
        )

    def everything(self) -> Words:
        """The set of all nodes."""
        (found,) = self._sets(1)
        for place in range(self.size):
            found[place // _WORD] |= 1 << place % _WORD
        return found

    def descend(self, pool: Words, place: int, allowed: int) -> tuple[Words, list[int] | None]:
        """Take a node out of the pool: the nodes of the pool compatible with it, and those to branch on.

        Those to branch on are None when nothing is compatible, and empty when the rest has no independent set
        of more than `allowed` nodes.
        """
        pool[place // _WORD] &= ~(1 << place % _WORD)
        (child,) = self._sets(1)
        left = self.cover(self.rows, pool, place, allowed, child, self.cliques, self.spare)
        if left <= 0:
            return child, None if left < 0 else []
        count = self.filter(self.rows, allowed, self.cliques, self.spare, self.numbers)
        found = self.numbers[5][:count]
        return child, found if self.plain else found.tolist()


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
    used up, since each can serve in one conflict only. Cliques `0..allowed-1` take part.
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
