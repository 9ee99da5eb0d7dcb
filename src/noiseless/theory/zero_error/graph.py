"""Confusability graphs, the blocks of a channel, and Shannon's fractional cover of a block."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from noiseless.arrays import IntArray
from noiseless.errors import RequestError
from noiseless.intervals import Enclosure
from noiseless.ranges import JointRange, overlap_partition

MAX_PAIRS = 100_000
"""Up to this many pairs a piece the linear program is solved."""

_SCALE = 2**40

_DENOMINATORS = range(1, 61)

_ROUNDING = 1e-7

Cliques = Sequence[Sequence[int]]


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

    >>> Graph.from_edges(3, [(0, 1), (1, 2)])
    Graph(3 nodes, 2 edges)

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
        edges = self.size
        return f"Graph({len(self)} node{'s' * (len(self) != 1)}, {edges} edge{'s' * (edges != 1)})"

    @property
    def size(self) -> int:
        """How many edges there are."""
        return sum(row.bit_count() for row in self.rows) // 2

    @property
    def edges(self) -> Iterator[tuple[int, int]]:
        """The pairs of nodes that are joined, in order."""
        return ((a, b) for a, row in enumerate(self.rows) for b in members(row) if a < b)

    @property
    def everything(self) -> int:
        """All nodes, as bits."""
        return (1 << len(self.rows)) - 1

    @cached_property
    def matrix(self) -> npt.NDArray[np.bool_]:
        """The adjacency matrix."""
        joined = np.zeros((len(self), len(self)), bool)
        for node, row in enumerate(self.rows):
            joined[node, list(members(row))] = True
        return joined

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
        left, components = self.everything, []
        while left:
            front = inside = left & -left
            while front:
                reached = 0
                for node in members(front):
                    reached |= self.rows[node]
                front = reached & ~inside
                inside |= front
            components.append(list(members(inside)))
            left &= ~inside
        return components

    def reduced_components(self) -> list[list[int]]:
        """The components of what `undominated` leaves, as nodes of this graph."""
        kept = self.undominated()
        return [[kept[node] for node in part] for part in self.induced(kept).components()]

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


@dataclass(frozen=True)
class ChannelBlock:
    """A block of the overlap partition, with one input for each set of outputs.

    Attributes:
        inputs: the codes of the inputs kept.
        causes: for each output the places in `inputs` of those that can cause it.
    """

    inputs: tuple[int, ...]
    causes: tuple[tuple[int, ...], ...]


def check_pairs(joint: JointRange) -> None:
    """Check that there is something to send.

    Raises:
        RequestError: the range holds no pair.
    """
    if not joint.size_x:
        raise RequestError("a channel has at least one input and one output; this joint range holds no pair")


def channel_blocks(joint: JointRange) -> tuple[list[int], list[ChannelBlock]]:
    """Take the channel X -> Y apart.

    Returns:
        An input for each block that has an output all of its inputs can cause: one message, no more; and the
        other blocks.

    >>> pairs = [(1, "a"), (2, "a"), (3, "b"), (4, "b"), (4, "c"), (5, "c")]
    >>> single, (rest,) = channel_blocks(JointRange.from_pairs(pairs))
    >>> single, rest.inputs, rest.causes
    ([0], (2, 3, 4), ((0, 1), (1, 2)))
    """
    partition = overlap_partition(joint)
    sizes = np.bincount(partition.x_blocks, minlength=partition.count)
    whole = np.zeros(partition.count, bool)
    whole[partition.y_blocks[joint.posterior_sizes == sizes[partition.y_blocks]]] = True
    first = np.unique(partition.x_blocks, return_index=True)[1]
    back = joint.swapped()
    blocks: dict[int, list[int]] = {}
    for x in np.flatnonzero(~whole[partition.x_blocks]).tolist():
        blocks.setdefault(int(partition.x_blocks[x]), []).append(x)
    return first[whole].tolist(), [_block(back, inputs) for inputs in blocks.values()]


def _block(back: JointRange, inputs: list[int]) -> ChannelBlock:
    kept: dict[tuple[int, ...], int] = {}
    for x in inputs:
        kept.setdefault(tuple(back.posterior(x).tolist()), x)
    causes: dict[int, list[int]] = {}
    for place, outputs in enumerate(kept):
        for y in outputs:
            causes.setdefault(y, []).append(place)
    return ChannelBlock(tuple(kept.values()), tuple(map(tuple, causes.values())))


def fractional_cover(size: int, cliques: Cliques) -> Enclosure:
    """Enclose the least total weight of cliques such that those of each of `size` nodes weigh at least 1.

    Each output's causes form a clique of the confusability graph, so that such a cover is not below theta; it
    multiplies over uses of the channel, so its logarithm bounds the zero-error capacity (Shannon, 1956).
    Giving each clique the weight 1/(smallest number of cliques of a node) covers too: the bound is never
    above L0(Y;X).

    The linear program is solved in floats; its solution and that of its dual are rounded to rationals and
    scaled until they hold exactly.
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    columns, rows = np.repeat(np.arange(len(cliques)), list(map(len, cliques))), np.concatenate(cliques)
    easy = Fraction(len(cliques), int(np.bincount(rows).min()))
    if len(rows) > MAX_PAIRS:
        return Enclosure(Fraction(1), easy)
    shape = (size, len(cliques))
    incidence: Any = csr_array((np.ones(len(rows), np.int64), (rows, columns)), shape=shape)
    solved = linprog(np.ones(len(cliques)), A_ub=-incidence, b_ub=-np.ones(size), method="highs")
    if solved.x is None:
        return Enclosure(Fraction(1), easy)
    covers = [(weights.sum(), (incidence @ weights).min()) for weights in _rounded(solved.x)]
    packings = [(nodes.sum(), (nodes @ incidence).max()) for nodes in _rounded(-solved.ineqlin.marginals)]
    return Enclosure(
        max([Fraction(1), *(Fraction(int(total), int(fullest)) for total, fullest in packings if fullest)]),
        min([easy, *(Fraction(int(total), int(least)) for total, least in covers if least)]),
    )


def _rounded(values: npt.NDArray[np.float64]) -> Iterator[IntArray]:
    """Whole numbers in the values' proportions, nearly: by a small common denominator, and by a large one."""
    values = np.maximum(values, 0.0)
    for scale in _DENOMINATORS:
        whole = np.rint(values * scale)
        if np.abs(values * scale - whole).max() < _ROUNDING:
            yield whole.astype(np.int64)
            break
    yield np.rint(values * _SCALE).astype(np.int64)
