"""Graphs as rows of bits: who can be confused with whom."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Self

import numpy as np
import numpy.typing as npt

from noiseless.ranges import JointRange


def members(mask: int) -> Iterator[int]:
    """The positions of the bits that are set, ascending."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def mask_of(nodes: Iterable[int]) -> int:
    """The number whose bits at these positions are set."""
    mask = 0
    for node in nodes:
        mask |= 1 << node
    return mask


@dataclass(frozen=True, repr=False)
class Graph:
    """An undirected graph without loops on the nodes 0, 1, 2, ...

    Attributes:
        rows: the neighbours of each node, as the bits of a number.
    """

    rows: tuple[int, ...]

    @classmethod
    def from_edges(cls, size: int, edges: Iterable[tuple[int, int]]) -> Self:
        """From pairs of different nodes below `size`.

        >>> Graph.from_edges(5, [(i, (i + 1) % 5) for i in range(5)])
        Graph(5 nodes, 5 edges)

        Raises:
            ValueError: an edge leaves the nodes or is a loop.
        """
        rows = [0] * size
        for a, b in edges:
            if a == b or not (0 <= a < size and 0 <= b < size):
                raise ValueError("an edge joins two different nodes below the size of the graph")
            rows[a] |= 1 << b
            rows[b] |= 1 << a
        return cls(tuple(rows))

    @classmethod
    def of_inputs(cls, joint: JointRange) -> Self:
        """The confusability graph of the channel X -> Y: inputs that can cause the same output are joined.

        >>> Graph.of_inputs(JointRange.from_pairs([("a", 1), ("b", 1), ("b", 2), ("c", 3)]))
        Graph(3 nodes, 1 edge)
        """
        starts = joint.starts.tolist()
        causes = joint.x.tolist()
        return cls.of_cliques(joint.size_x, (causes[start:end] for start, end in pairwise(starts)))

    @classmethod
    def of_cliques(cls, size: int, cliques: Iterable[Sequence[int]]) -> Self:
        """The graph in which the members of each clique are joined, and no others."""
        rows = [0] * size
        for clique in cliques:
            mask = mask_of(clique)
            for node in clique:
                rows[node] |= mask
        return cls(tuple(row & ~(1 << node) for node, row in enumerate(rows)))

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        edges = sum(row.bit_count() for row in self.rows) // 2
        return f"Graph({len(self)} node{'s' * (len(self) != 1)}, {edges} edge{'s' * (edges != 1)})"

    @property
    def everything(self) -> int:
        """All nodes, as bits."""
        return (1 << len(self.rows)) - 1

    @cached_property
    def matrix(self) -> npt.NDArray[np.bool_]:
        """The adjacency matrix."""
        found = np.zeros((len(self), len(self)), bool)
        for node, row in enumerate(self.rows):
            found[node, list(members(row))] = True
        return found

    def complement(self) -> "Graph":
        """The graph of what this one does not join."""
        return Graph(tuple(self.everything & ~row & ~(1 << node) for node, row in enumerate(self.rows)))

    def induced(self, nodes: Sequence[int]) -> "Graph":
        """The graph on some of the nodes, renumbered in the order given."""
        number = {node: place for place, node in enumerate(nodes)}
        kept = mask_of(nodes)
        return Graph(
            tuple(mask_of(number[other] for other in members(self.rows[node] & kept)) for node in nodes)
        )

    def strong_product(self, other: "Graph") -> "Graph":
        """Pairs of nodes, as a * len(other) + b, joined when each place is equal or joined: words of two."""
        width = len(other)
        closed = [row | 1 << node for node, row in enumerate(other.rows)]
        rows = []
        for a, row in enumerate(self.rows):
            places = [i * width for i in members(row | 1 << a)]
            for b in range(width):
                mask = 0
                for place in places:
                    mask |= closed[b] << place
                rows.append(mask & ~(1 << (a * width + b)))
        return Graph(tuple(rows))

    def components(self) -> list[list[int]]:
        """The connected components, each an ascending list of nodes."""
        left, found = self.everything, []
        while left:
            front = inside = left & -left
            while front:
                reached = 0
                for node in members(front):
                    reached |= self.rows[node]
                front = reached & ~inside
                inside |= front
            found.append(list(members(inside)))
            left &= ~inside
        return found

    def undominated(self) -> list[int]:
        """What is left when nodes v with N[u] inside N[v] for another u are taken out, one after the other.

        Wherever v can be used in a code u can, so neither the independence number of any strong power, nor
        Lovasz's number, nor the zero-error capacity changes. Twins and the neighbours of a node whose
        neighbourhood is a clique go this way; chordal graphs dissolve into isolated nodes.
        """
        alive = self.everything
        closed = [row | 1 << node for node, row in enumerate(self.rows)]
        waiting = alive
        while waiting:
            again = 0
            for node in members(waiting):
                outside = alive & ~closed[node]
                if any(not closed[other] & outside for other in members(self.rows[node] & alive)):
                    alive ^= 1 << node
                    for other in members(self.rows[node] & alive):  # they may dominate more now
                        again |= closed[other]
            waiting = again & alive
        return list(members(alive))
