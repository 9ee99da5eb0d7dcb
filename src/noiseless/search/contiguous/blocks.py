"""Maximin information under a distortion bound: how few blocks can be told apart, as a bracket for any size.

Merging public values fuses the blocks of the overlap partition that a cell meets (Lemma 2 of [P3]). With
blocks and cells as nodes and public values as edges, the blocks left are the components of that graph: few
cells, and cells that join what is not joined yet, leave few. No polynomial algorithm is known to us.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from noiseless.arrays import IntArray
from noiseless.ranges import overlap_partition
from noiseless.ranges.partition import roots_of_pairs
from noiseless.search.contiguous.line import OrderedRange

_LOOK = 64
"""How many open cells a value may choose among."""

MOST_VALUES = 40
"""Up to so many values that hang together the exact optimum is searched for."""


class FewestBlocks(NamedTuple):
    """Cells that leave few blocks to tell apart, and how few any cells of their width could leave.

    Attributes:
        cells: the cell of each public value, in the coding of the joint range that was given.
        blocks: how many blocks the overlap partition of S and the cells has.
        lower: no cells of the width leave fewer blocks.
        proof: what shows `lower`: "counting", or "solver" where it rests on the dual bound of HiGHS as well.
    """

    cells: IntArray
    blocks: int
    lower: int
    proof: Literal["counting", "solver"]


def fewest_blocks(line: OrderedRange, width: int, *, nodes: int = 1000) -> FewestBlocks:
    """Cells of any kind, none wider than `width`, that leave few blocks to tell apart.

    >>> from noiseless.ranges import JointRange
    >>> apart = JointRange.from_pairs([("a", 0), ("b", 1), ("c", 2), ("a", 3), ("d", 9)])
    >>> found = fewest_blocks(OrderedRange.of(apart, np.array([0, 1, 2, 3, 9])), 2)
    >>> found.blocks, found.lower
    (2, 2)

    Args:
        line: the public values in order, with their sensitive sets.
        width: how far apart the values of a cell may be, in units of the line.
        nodes: of the tree that is searched for the optimum, where few values hang together; 0: none.
    """
    places, blocks = line.places.tolist(), overlap_partition(line.joint).y_blocks.tolist()
    cells = np.empty(len(line), np.int64)
    left = lower = used = 0
    proof: Literal["counting", "solver"] = "counting"
    for island in _islands(line, blocks, width):
        found = _Island([places[i] for i in island], [blocks[i] for i in island], width)
        least, own = found.lower, found.cells
        if least < found.count(own) and nodes and len(island) <= MOST_VALUES:
            better, bound = solve(found.places, found.blocks, width, nodes)
            own = own if better is None else min((own, better), key=found.count)
            if bound > least:
                least, proof = bound, "solver"
        cells[line.order[island]] = own + used
        used += int(own.max()) + 1
        lower += least
        left += found.count(own)
    return FewestBlocks(cells, left, lower, proof)


def _islands(line: OrderedRange, blocks: list[int], width: int) -> Iterator[IntArray]:
    """The values that can hang together at all: neighbours within `width`, and values of the same block.

    Whoever shares a cell is joined by neighbours, so no cell joins two islands (Kruskal's components).
    """
    shores = np.concatenate(([0], np.cumsum(np.diff(line.places) > width))).astype(np.int64)
    codes = np.asarray(blocks)
    roots = roots_of_pairs(codes, shores, int(codes.max()) + 1, int(shores.max()) + 1)[codes]
    order = np.argsort(roots, kind="stable")
    yield from np.split(order, np.flatnonzero(np.diff(roots[order])) + 1)


@dataclass(frozen=True)
class _Island:
    """Values that hang together, ascending.

    Attributes:
        places: where they are.
        blocks: the block of each.
        width: the width of the widest cell allowed.
    """

    places: list[int]
    blocks: list[int]
    width: int

    @cached_property
    def lower(self) -> int:
        """Components >= nodes - edges: the blocks and the fewest cells there can be, less the values."""
        return max(1, len(set(self.blocks)) + max(self._widest()) + 1 - len(self.places))

    @cached_property
    def cells(self) -> IntArray:
        """The best of some quick ways."""
        ways = [self._widest(), self._kruskal(), self._eager(earliest=True), self._eager(earliest=False)]
        mirrored = _Island([-x for x in self.places[::-1]], self.blocks[::-1], self.width)
        ways += [way[::-1] for way in (mirrored._widest(), mirrored._eager(earliest=True))]
        return min((np.unique(way, return_inverse=True)[1] for way in ways), key=self.count)

    def count(self, cells: IntArray) -> int:
        """How many blocks cells leave."""
        codes = np.unique(self.blocks, return_inverse=True)[1]
        roots = roots_of_pairs(codes, cells, int(codes.max()) + 1, int(cells.max()) + 1)
        return int(np.count_nonzero(roots == np.arange(len(roots))))

    def _widest(self) -> list[int]:
        """Contiguous cells from the left, each as wide as possible: the fewest cells there can be."""
        cell, start, found = 0, self.places[0], []
        for place in self.places:
            if place - start > self.width:
                cell, start = cell + 1, place
            found.append(cell)
        return found

    def _kruskal(self) -> list[int]:
        """Join neighbouring cells by ascending gaps if that joins blocks and the cell stays narrow enough."""
        size = len(self.places)
        cell, block = _Sets(size), _Sets(max(self.blocks) + 1)
        low, high = list(self.places), list(self.places)
        for i in sorted(range(size - 1), key=lambda i: self.places[i + 1] - self.places[i]):
            a, b = cell.root(i), cell.root(i + 1)
            if high[b] - low[a] <= self.width and block.join(self.blocks[i], self.blocks[i + 1]):
                low[b] = low[a]
                cell.parent[a] = b
        return [cell.root(i) for i in range(size)]

    def _eager(self, *, earliest: bool) -> list[int]:
        """From the left: into an open cell of another component (earliest or latest), else a new cell."""
        block = _Sets(max(self.blocks) + 1)
        opened: list[tuple[int, int, int]] = []  # where it starts, its number, one of its blocks
        found: list[int] = []
        for place, own in zip(self.places, self.blocks, strict=True):
            opened = [cell for cell in opened if place - cell[0] <= self.width]
            near = opened[:_LOOK] if earliest else opened[: -_LOOK - 1 : -1]
            chosen = next((cell for cell in near if block.join(cell[2], own)), None)
            if chosen is None:
                chosen = (place, len(found), own)
                opened.append(chosen)
            found.append(chosen[1])
        return found


class _Sets:
    """Disjoint sets."""

    def __init__(self, size: int) -> None:
        self.parent = list(range(size))

    def root(self, item: int) -> int:
        """The set of an item."""
        while self.parent[item] != item:
            self.parent[item] = self.parent[self.parent[item]]
            item = self.parent[item]
        return item

    def join(self, a: int, b: int) -> bool:
        """Unite two sets; whether they were apart."""
        a, b = self.root(a), self.root(b)
        self.parent[a] = b
        return a != b


# A cell is named by its leftmost value i, and an arc (i, j) says that value j may be in it. Each block
# needs one unit of flow, sent through cells from a block that is a root: each component needs a root, and
# one is enough.

_SLACK = 1e-4
"""How far the solver's dual bound may be off: it works to 1e-6."""


def solve(places: list[int], blocks: list[int], width: int, nodes: int) -> tuple[IntArray | None, int]:
    """The best cells that the solver found, and its lower bound on how many blocks are left.

    The search ends after so many nodes of its tree, not after some time: the same program always has the same
    solution. The cells are read off by rounding; whether they are narrow enough is checked in whole numbers.
    """
    from scipy.optimize import milp

    program = _Program(places, np.unique(blocks, return_inverse=True)[1].tolist(), width)
    found = milp(**program.parts(), options={"node_limit": nodes})
    bound = found.mip_dual_bound
    lower = 1 if bound is None or not math.isfinite(bound) else math.ceil(bound - _SLACK)
    return None if found.x is None else program.cells(found.x), lower


@dataclass(frozen=True)
class _Program:
    """Variables: whether an arc is used, the flow along it, each block's supply, whether it is a root."""

    places: list[int]
    blocks: list[int]
    width: int

    @cached_property
    def arcs(self) -> IntArray:
        """The arcs: their cells, and the values in them."""
        near = np.abs(np.subtract.outer(self.places, self.places)) <= self.width
        return np.stack(np.nonzero(np.triu(near)))

    def parts(self) -> dict[str, Any]:
        """What `milp` takes.

        Each value is in one cell, and in one that has its leftmost value; flow only along arcs that are used;
        a cell keeps none, a block one unit; only roots supply, and roots are counted.
        """
        from scipy.optimize import Bounds, LinearConstraint
        from scipy.sparse import block_array, coo_array, eye_array

        (cell, value), size, most = self.arcs, len(self.places), max(self.blocks) + 1
        many = len(cell)
        arcs, every = np.arange(many), eye_array(many)
        opener = np.flatnonzero(cell == value)[cell]  # the arc of each arc's leftmost value

        def incidence(rows: IntArray, count: int) -> Any:  # noqa: ANN401 - a sparse array of scipy
            return coo_array((np.ones(many), (rows, arcs)), shape=(count, many))

        others = cell != value
        opened = (every - coo_array((np.ones(many), (arcs, opener)), shape=(many, many))).tocsr()[others]
        each, none = eye_array(most), np.inf
        rows: list[tuple[list[Any], float, float, int]] = [
            ([incidence(value, size), None, None, None], 1, 1, size),
            ([opened, None, None, None], -none, 0, int(others.sum())),
            ([-most * every, every, None, None], -none, 0, many),
            ([most * every, every, None, None], 0, none, many),
            ([None, incidence(cell, size), None, None], 0, 0, size),
            ([None, incidence(np.array(self.blocks)[value], most), each, None], 1, 1, most),
            ([None, None, each, -most * each], -none, 0, most),
        ]
        parts, low, high, counts = zip(*rows, strict=True)
        group, within = np.repeat((0, 1, 2, 2, 3, 4, 4), counts), np.concatenate([*map(np.arange, counts)])
        order = np.lexsort((within, group))  # which of several best cells the solver finds depends on it
        limits = (np.repeat(ends, counts)[order] for ends in (low, high))
        sizes = (many, many, most, most)
        return {
            "c": np.repeat((0, 0, 0, 1), sizes),
            "integrality": np.repeat((1, 0, 0, 1), sizes),
            "bounds": Bounds(np.repeat((0, -most, 0, 0), sizes), np.repeat((1, most, most, 1), sizes)),
            "constraints": LinearConstraint(block_array(list(parts), format="csr")[order], *limits),
        }

    def cells(self, solution: npt.NDArray[np.float64]) -> IntArray | None:
        """The cell of each value: the arc that is used most, if that makes cells of the width."""
        arcs = list(zip(solution, *self.arcs.tolist(), strict=False))
        chosen = [max((used, i) for used, i, j in arcs if j == value)[1] for value in range(len(self.places))]
        if any(self.places[j] - self.places[i] > self.width for j, i in enumerate(chosen)):
            return None
        found: IntArray = np.unique(chosen, return_inverse=True)[1]
        return found
