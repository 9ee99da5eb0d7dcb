"""Maximin information under a distortion bound: how few blocks can be told apart, as a bracket for any size.

Merging public values fuses the blocks of the overlap partition that a cell meets (Lemma 2 of [P3]). With
blocks and cells as nodes and public values as edges, the blocks left are the components of that graph: few
cells, and cells that join what is not joined yet, leave few. No polynomial algorithm is known to us.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Literal, NamedTuple

import numpy as np

from noiseless.arrays import IntArray
from noiseless.ranges import overlap_partition
from noiseless.ranges.joint import roots_of_pairs
from noiseless.search.codebook import ColumnCodebook
from noiseless.search.loss import Length
from noiseless.search.problem import Problem
from noiseless.search.strips import LineStrip, strips, together

_LOOK = 64
"""How many open cells a value may choose among."""

MOST_VALUES = 100
"""Up to this many values that hang together the exact optimum is searched for."""

NODES = 20_000
"""The search is given up after this many states: the same values get the same cells anywhere."""


class FewestBlocks(NamedTuple):
    """Cells that leave few blocks to tell apart, and how few any cells of their width could leave.

    Attributes:
        cells: the cell of each public value, in the coding of the joint range that was given.
        blocks: how many blocks the overlap partition of S and the cells has.
        lower: no cells of the width leave fewer blocks.
        proof: what shows `lower`: "counting", or "search" where all other cells were looked at as well.
    """

    cells: IntArray
    blocks: int
    lower: int
    proof: Literal["counting", "search"]


def fewest_blocks(line: LineStrip, width: int, *, nodes: int = NODES) -> FewestBlocks:
    """Cells of any kind, none wider than `width`, that leave few blocks to tell apart.

    >>> from noiseless.ranges import JointRange
    >>> apart = JointRange.from_pairs([("a", 0), ("b", 1), ("c", 2), ("a", 3), ("d", 9)])
    >>> found = fewest_blocks(LineStrip.of(apart, np.array([0, 1, 2, 3, 9])), 2)
    >>> found.blocks, found.lower
    (2, 2)

    Args:
        line: the public values in order, with their sensitive sets.
        width: how far apart the values of a cell may be, in units of the line.
        nodes: of the tree that is searched for the optimum, where few values hang together; 0: none.
    """
    places, blocks = line.places.tolist(), overlap_partition(line.joint).y_blocks.tolist()
    members, cells = list[IntArray](), list[IntArray]()
    left = lower = 0
    proof: Literal["counting", "search"] = "counting"
    for island in _islands(line, blocks, width):
        found = _Island([places[i] for i in island], [blocks[i] for i in island], width)
        least, own = found.lower, found.cells
        while least < found.count(own) and nodes and len(island) <= MOST_VALUES:
            search = _CellSearch(found, least, nodes)
            better = search.run()
            if better is not None:
                own = better
            elif search.nodes < 0:
                break
            else:
                least, proof = least + 1, "search"
        members.append(line.members[island])
        cells.append(own)
        lower += least
        left += found.count(own)
    return FewestBlocks(together(members, cells)[0], left, lower, proof)


def _islands(line: LineStrip, blocks: list[int], width: int) -> Iterator[IntArray]:
    """The values that can hang together at all: neighbours within `width`, and values of the same block.

    Values that share a cell are joined by neighbours, so no cell joins two islands (Kruskal's components).
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
    def beyond(self) -> list[int]:
        """For each value the first one that is too far away to share a cell that begins with it."""
        found, j = [], 0
        for place in self.places:
            while j < len(self.places) and self.places[j] - place <= self.width:
                j += 1
            found.append(j)
        return found

    @cached_property
    def needed(self) -> list[int]:
        """How few cells the values from each one on can have, and 0 at the end."""
        found = [0] * (len(self.places) + 1)
        for i in range(len(self.places) - 1, -1, -1):
            found[i] = 1 + found[self.beyond[i]]
        return found

    @cached_property
    def lower(self) -> int:
        """Components >= nodes - edges: the blocks and the fewest cells there can be, less the values."""
        return max(1, len(set(self.blocks)) + self.needed[0] - len(self.places))

    @cached_property
    def cells(self) -> IntArray:
        """The better one of two quick ways, from the left and from the right."""
        mirrored = _Island([-x for x in self.places[::-1]], self.blocks[::-1], self.width)
        ways = self._eager(), mirrored._eager()[::-1]
        return min((np.unique(way, return_inverse=True)[1] for way in ways), key=self.count)

    def count(self, cells: IntArray) -> int:
        """How many blocks cells leave."""
        codes = np.unique(self.blocks, return_inverse=True)[1]
        roots = roots_of_pairs(codes, cells, int(codes.max()) + 1, int(cells.max()) + 1)
        return int(np.count_nonzero(roots == np.arange(len(roots))))

    def _eager(self) -> list[int]:
        """From the left: into the first open cell of another component, else a new cell."""
        parents = list(range(max(self.blocks) + 1))

        def root(block: int) -> int:
            while parents[block] != block:
                parents[block] = parents[parents[block]]
                block = parents[block]
            return block

        opened, found = list[int](), list[int]()  # a cell is named by its first value
        for j, place in enumerate(self.places):
            opened = [i for i in opened if place - self.places[i] <= self.width]
            own = root(self.blocks[j])
            chosen = next((i for i in opened[:_LOOK] if root(self.blocks[i]) != own), j)
            if chosen == j:
                opened.append(j)
            parents[root(self.blocks[chosen])] = own
            found.append(chosen)
        return found


# With B blocks, n values, c cells and r values that go to a cell of their own component, B - n + c + r
# components are left: any other value that does not open its cell joins two. From the left a value goes to
# an open cell or opens one, which is named by it. To which cell of a component it goes is all the same: they
# stay open as before. So a state is the open cells, and which of their blocks and those to come are joined.


@dataclass
class _CellSearch:
    """All cells that leave no more than some components, one value after the other.

    Attributes:
        island: the values.
        most: how many components may be left.
        nodes: how many states may still be looked at; below 0: given up.
        failed: states that lead nowhere, with the least that was spent before.
    """

    island: _Island
    most: int
    nodes: int
    failed: dict[object, int] = field(default_factory=dict)

    @cached_property
    def limit(self) -> int:
        """This many cells, and values that join nothing, there may be together."""
        return self.most - len(set(self.island.blocks)) + len(self.island.places)

    def run(self) -> IntArray | None:
        """Cells that leave no more; None if there are none, or it was given up."""
        found = self._from(0, (), tuple(range(max(self.island.blocks) + 1)), 0)
        return None if found is None else np.unique(found, return_inverse=True)[1]

    def _from(self, j: int, opened: tuple[int, ...], joined: tuple[int, ...], spent: int) -> list[int] | None:
        """The cells of the values from j on, after this many cells and values that join nothing."""
        island, blocks = self.island, self.island.blocks
        if j == len(blocks):
            return [] if spent <= self.limit else None
        opened = tuple(i for i in opened if island.beyond[i] > j)
        if spent + island.needed[island.beyond[opened[-1]] if opened else j] > self.limit:
            return None
        names: dict[int, int] = {}
        met = (names.setdefault(joined[blocks[i]], len(names)) for i in (*opened, *range(j, len(blocks))))
        state = j, opened, tuple(met)
        if self.failed.get(state, spent + 1) <= spent:
            return None
        self.nodes -= 1
        if self.nodes < 0:
            return None
        for chosen, cost, further in self._ways(j, opened, joined):
            rest = self._from(j + 1, (*opened, j) if chosen == j else opened, further, spent + cost)
            if rest is not None:
                return [chosen, *rest]
        self.failed[state] = spent
        return None

    def _ways(
        self, j: int, opened: tuple[int, ...], joined: tuple[int, ...]
    ) -> Iterator[tuple[int, int, tuple[int, ...]]]:
        """The cells that value j can go to, what that costs, and what is joined then."""
        own = joined[self.island.blocks[j]]
        cells = {joined[self.island.blocks[i]]: i for i in opened}
        for other, cell in cells.items():
            if other != own:
                yield cell, 0, tuple(own if block == other else block for block in joined)
        yield j, 1, joined
        if own in cells:
            yield cells[own], 1, joined


MOST_ON_LINE = 3000
"""More public values take too long: the search is in plain Python."""

FEW_VALUES = 300
"""Up to this many values all their distances are listed."""

TRIES = 8
"""This many widths between what counting refutes and what quick ways achieve are searched."""


class NarrowCells(NamedTuple):
    """Narrow cells that leave few blocks.

    Attributes:
        cells: the cell of each public value.
        at_least: no cells that leave as few have a smaller distortion.
        proof: "counting", or "search" where all other cells were looked at as well.
    """

    cells: IntArray
    at_least: Length
    proof: str


@dataclass(frozen=True, eq=False)
class BlockBracket:
    """How few blocks cells of a width leave, and how wide they must be for this many.

    Attributes:
        problem: what is to be merged: one ordered column, nothing is seen besides.
    """

    problem: Problem

    @classmethod
    def applies(cls, problem: Problem) -> bool:
        """Whether values lie on a line, half a cell's width is what it costs, and they are not too many."""
        book = problem.codebook
        on_a_line = problem.line is not None and isinstance(book, ColumnCodebook) and book.by_hull
        return on_a_line and problem.plain and problem.size <= MOST_ON_LINE

    @cached_property
    def strip(self) -> LineStrip:
        """The line."""
        return strips(self.problem, "distortion")[0]

    def within(self, distortion: Length | None) -> FewestBlocks:
        """The bracket for a distortion."""
        return self._of(self.strip.room(distortion, None).width, NODES)

    @cached_property
    def _of(self) -> Callable[[int, int], FewestBlocks]:
        """The bracket for a width, after a search of this many states."""
        return cache(lambda width, nodes: fewest_blocks(self.strip, width, nodes=nodes))

    @cached_property
    def _widths(self) -> Sequence[int]:
        """All widths that cells can have, ascending; all whole numbers where they are too many."""
        places = self.strip.places
        if len(places) > FEW_VALUES:
            return range(int(places[-1]) + 1)
        return [int(width) for width in np.unique(np.abs(places[:, None] - places[None, :]))]

    def distortions(self, most: int) -> list[Length]:
        """Distortions that cells can have, ascending; of too many this many, more of them small ones."""
        widths = self._widths
        some = np.unique(np.geomspace(1, len(widths), min(most, len(widths))).astype(int)) - 1
        places = range(len(widths)) if len(widths) <= most else some.tolist()
        return [Length(self.strip.unit * widths[place]) for place in places]

    @cached_property
    def for_blocks(self) -> Callable[[int], NarrowCells]:
        """Narrow cells that leave at most this many blocks, and how much distortion any such cells have."""
        return cache(self._for_blocks)

    def _for_blocks(self, blocks: int) -> NarrowCells:
        """First without a search: where quick ways succeed, and where counting shows that none can.

        What is between is searched, a few times.
        """
        widths, proof = self._widths, "counting"
        places = range(len(widths))
        high = bisect_left(places[:-1], True, key=lambda at: self._of(widths[at], 0).blocks <= blocks)
        low = bisect_left(places[:high], True, key=lambda at: self._of(widths[at], 0).lower <= blocks) - 1
        best = self._of(widths[high], 0)
        for _ in range(TRIES):
            if high - low <= 1:
                break
            middle = (high + low) // 2
            found = self._of(widths[middle], NODES)
            if found.blocks <= blocks:
                best, high = found, middle
            elif found.lower > blocks:
                low, proof = middle, found.proof
            else:
                break
        return NarrowCells(best.cells, Length(self.strip.unit * widths[low + 1]), proof)
