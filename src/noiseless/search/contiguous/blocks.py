"""Maximin information under a distortion bound: how few blocks can be told apart, as a bracket for any size.

Merging public values fuses the blocks of the overlap partition that a cell meets (Lemma 2 of [P3]). With
blocks and cells as nodes and public values as edges, the blocks left are the components of that graph: few
cells, and cells that join what is not joined yet, leave few. No polynomial algorithm is known to us.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from noiseless.arrays import IntArray
from noiseless.display import html_table, text_table
from noiseless.errors import RequestError
from noiseless.exact import Bits, Rational
from noiseless.ranges import JointRange, count_blocks, overlap_partition
from noiseless.ranges.partition import roots_of_pairs
from noiseless.search.contiguous.line import Coordinates, OrderedRange

_LOOK = 64
"""How many open cells a value may choose among."""

MOST_VALUES = 40
"""Up to so many values that hang together the exact optimum is searched for."""


@dataclass(frozen=True, eq=False, repr=False)
class FewestBlocks:
    """Cells that leave few blocks to tell apart, and how few any cells of their width could leave.

    Attributes:
        line: the public values in order, with their sensitive sets.
        cells: the cell of each public value, in the coding of the joint range that was given.
        lower: no cells within the distortion leave fewer blocks.
        proof: what shows `lower`: "counting", or "solver" where it rests on the dual bound of HiGHS as well.
    """

    line: OrderedRange
    cells: IntArray
    lower: int
    proof: Literal["counting", "solver"]

    @cached_property
    def _merged(self) -> JointRange:
        return self.line.joint.merged(self.cells[self.line.order])

    @cached_property
    def blocks(self) -> int:
        """How many blocks the overlap partition of S and the cells has: counted from the cells."""
        return count_blocks(self._merged)

    @property
    def maximin(self) -> Bits:
        """I*(S; Xh) of these cells."""
        return Bits(self.blocks)

    @cached_property
    def min_posterior(self) -> int:
        """How few sensitive values a cell leaves at least; one is possible with one block too."""
        return int(self._merged.posterior_sizes.min())

    @cached_property
    def distortion(self) -> Fraction:
        """Half the width of the widest cell."""
        cells = self.cells[self.line.order]
        places = self.line.places
        low = dict(zip(cells[::-1].tolist(), places[::-1].tolist(), strict=True))
        return (
            max(
                Fraction(place - low[cell])
                for cell, place in zip(cells.tolist(), places.tolist(), strict=True)
            )
            / 2
            * self.line.unit
        )

    @property
    def optimal(self) -> bool:
        """Whether no cells within the distortion leave fewer blocks."""
        return self.blocks == self.lower

    def _rows(self) -> dict[str, str]:
        return {
            "blocks": f"{self.blocks:,}, at least {self.lower:,} ({self.proof})",
            "maximin": str(self.maximin),
            "fewest values left": f"{self.min_posterior:,} of {self.line.joint.size_x:,}",
            "cells": f"{int(self.cells.max()) + 1:,} for {len(self.line):,} values",
            "distortion": str(self.distortion),
            "optimal": "yes" if self.optimal else "not proved",
        }

    def __repr__(self) -> str:
        return text_table("Fewest blocks", self._rows())

    def _repr_html_(self) -> str:
        return html_table("Fewest blocks", self._rows())


def fewest_blocks(
    joint: JointRange,
    coordinates: Coordinates | None = None,
    *,
    distortion: Rational,
    nodes: int = 1000,
) -> FewestBlocks:
    """Cells of any kind, each within `distortion` of its midrange, that leave few blocks to tell apart.

    >>> apart = JointRange.from_pairs([("a", 0), ("b", 1), ("c", 2), ("a", 3), ("d", 9)])
    >>> found = fewest_blocks(apart, distortion=1)
    >>> found.blocks, found.lower, found.optimal
    (2, 2, True)

    Args:
        joint: [[S, X]]: the X of `JointRange` is sensitive, its Y is public and lies on a line.
        coordinates: where each public value lies (see `OrderedRange.of`).
        distortion: no value may be further from the middle of its cell.
        nodes: of the tree that is searched for the optimum, where few values hang together; 0: none.

    Raises:
        RequestError: the distortion or the number of nodes is negative.
    """
    if distortion < 0 or nodes < 0:
        raise RequestError("a distortion and a number of nodes are not negative")
    line = OrderedRange.of(joint, coordinates)
    width = min(int(2 * Fraction(distortion) / line.unit), line.span)
    places, blocks = line.places.tolist(), overlap_partition(line.joint).y_blocks.tolist()
    cells = np.empty(len(line), np.int64)
    lower, used = 0, 0
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
    return FewestBlocks(line, cells, lower, proof)


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

_Rows = list[tuple[dict[int, float], float, float]]


def solve(places: list[int], blocks: list[int], width: int, nodes: int) -> tuple[IntArray | None, int]:
    """The best cells that the solver found, and its lower bound on how many blocks are left.

    The search ends after so many nodes of its tree, not after some time: the same program always has the same
    solution. The cells are read off by rounding; whether they are narrow enough is checked in whole numbers.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    program = _Program(places, np.unique(blocks, return_inverse=True)[1].tolist(), width)
    limits = LinearConstraint(
        program.matrix, [row[1] for row in program.rows], [row[2] for row in program.rows]
    )
    found = milp(
        program.cost,
        integrality=program.whole,
        bounds=Bounds(*program.bounds),
        constraints=limits,
        options={"node_limit": nodes},
    )
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
    def arcs(self) -> dict[tuple[int, int], int]:
        """The arcs, numbered."""
        size = len(self.places)
        pairs = ((i, j) for i in range(size) for j in range(i, size))
        near = [(i, j) for i, j in pairs if self.places[j] - self.places[i] <= self.width]
        return {arc: number for number, arc in enumerate(near)}

    @property
    def count(self) -> int:
        """How many blocks there are."""
        return max(self.blocks) + 1

    @property
    def offsets(self) -> tuple[int, int, int, int]:
        """Where flows, supplies and roots begin, and how many variables there are."""
        arcs = len(self.arcs)
        return arcs, 2 * arcs, 2 * arcs + self.count, 2 * arcs + 2 * self.count

    @cached_property
    def rows(self) -> _Rows:
        """The constraints: coefficients, lower end, upper end."""
        return [*self._cell_rows(), *self._flow_rows()]

    def _cell_rows(self) -> _Rows:
        """Each value is in one cell, and in one that has its leftmost value."""
        size = len(self.places)
        into: _Rows = [
            ({n: 1.0 for (_, j), n in self.arcs.items() if j == value}, 1, 1) for value in range(size)
        ]
        opened: _Rows = [
            ({n: 1.0, self.arcs[i, i]: -1.0}, -np.inf, 0) for (i, j), n in self.arcs.items() if i != j
        ]
        return into + opened

    def _flow_rows(self) -> _Rows:
        """Flow only along arcs that are used; a cell keeps none, a block one unit; only roots supply."""
        flow, supply, root, _ = self.offsets
        most = float(self.count)
        found: _Rows = []
        for number in self.arcs.values():
            found.append(({flow + number: 1.0, number: -most}, -np.inf, 0))
            found.append(({flow + number: 1.0, number: most}, 0, np.inf))
        for cell in range(len(self.places)):
            found.append(({flow + n: 1.0 for (i, _), n in self.arcs.items() if i == cell}, 0, 0))
        for block in range(self.count):
            inflow = {flow + n: 1.0 for (_, j), n in self.arcs.items() if self.blocks[j] == block}
            found.append((inflow | {supply + block: 1.0}, 1, 1))
            found.append(({supply + block: 1.0, root + block: -most}, -np.inf, 0))
        return found

    @property
    def matrix(self) -> Any:  # noqa: ANN401 - a sparse array of scipy
        """The coefficients."""
        from scipy.sparse import coo_array

        entries = [
            (row, column, value)
            for row, (line, _, _) in enumerate(self.rows)
            for column, value in line.items()
        ]
        rows, columns, values = zip(*entries, strict=True)
        return coo_array((values, (rows, columns)), shape=(len(self.rows), self.offsets[3])).tocsr()

    @property
    def cost(self) -> IntArray:
        """The roots are counted."""
        return (np.arange(self.offsets[3]) >= self.offsets[2]).astype(np.int64)

    @property
    def whole(self) -> IntArray:
        """Arcs and roots are whole."""
        used: IntArray = (np.arange(self.offsets[3]) < self.offsets[0]).astype(np.int64)
        return used + self.cost

    @property
    def bounds(self) -> tuple[IntArray, IntArray]:
        """The ends of each variable."""
        flow, supply, root, size = self.offsets
        low, high = np.zeros(size, np.int64), np.ones(size, np.int64)
        low[flow:supply], high[flow:root] = -self.count, self.count
        return low, high

    def cells(self, solution: npt.NDArray[np.float64]) -> IntArray | None:
        """The cell of each value: the arc that is used most, if that makes cells of the width."""
        chosen = [
            max((solution[n], i) for (i, j), n in self.arcs.items() if j == value)[1]
            for value in range(len(self.places))
        ]
        if any(self.places[j] - self.places[i] > self.width for j, i in enumerate(chosen)):
            return None
        found: IntArray = np.unique(chosen, return_inverse=True)[1]
        return found
