"""Maximin information of one ordered column under a distortion: the bracket of `fewest_blocks`, both ways."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np

from noiseless.arrays import IntArray
from noiseless.search.contiguous.blocks import FewestBlocks, fewest_blocks
from noiseless.search.merging.codebook import ColumnCodebook
from noiseless.search.merging.length import Length
from noiseless.search.selection.problem import Problem
from noiseless.search.selection.strips import Strip, strips

MOST_VALUES = 3000
"""More public values take too long: the search is in plain Python."""

FEW_VALUES = 300
"""Up to so many values all their distances are listed."""

SOLVER_NODES = 500
SOLVER_TRIES = 8


class Narrowest(NamedTuple):
    """Narrow cells that leave few blocks.

    Attributes:
        cells: the cell of each public value.
        at_least: no cells that leave as few have a smaller distortion.
        proof: "counting", or "solver" where that rests on the dual bound of HiGHS as well.
    """

    cells: IntArray
    at_least: Length
    proof: str


@dataclass(frozen=True, eq=False)
class Fewest:
    """How few blocks cells of a width leave, and how wide they must be for so many.

    Attributes:
        problem: what is to be merged: one ordered column, nothing is seen besides.
    """

    problem: Problem

    @classmethod
    def applies(cls, problem: Problem) -> bool:
        """Whether values lie on a line, half a cell's width is what it costs, and they are not too many."""
        book = problem.codebook
        on_a_line = problem.line is not None and isinstance(book, ColumnCodebook) and book.by_hull
        return on_a_line and problem.plain and problem.size <= MOST_VALUES

    @cached_property
    def strip(self) -> Strip:
        """The line."""
        return strips(self.problem, "distortion")[0]

    def within(self, distortion: Length | None, *, nodes: int = SOLVER_NODES) -> FewestBlocks:
        """The bracket for a distortion."""
        return self._of(self.strip.room(distortion, None).width, nodes)

    @cached_property
    def _known(self) -> dict[tuple[int, int], FewestBlocks]:
        return {}

    def _of(self, width: int, nodes: int = 0) -> FewestBlocks:
        if (width, nodes) not in self._known:
            self._known[width, nodes] = self._found(width, nodes)
        return self._known[width, nodes]

    def _found(self, width: int, nodes: int) -> FewestBlocks:
        half = Fraction(width, 2) * self.strip.sweep.line.unit
        places = self.problem.line
        return fewest_blocks(self.problem.joint, places, distortion=half, nodes=nodes)

    @cached_property
    def _widths(self) -> Sequence[int]:
        """All widths that cells can have, ascending; all whole numbers where they are too many."""
        places = self.strip.sweep.line.places
        if len(places) > FEW_VALUES:
            return range(int(places[-1]) + 1)
        return [int(width) for width in np.unique(np.abs(places[:, None] - places[None, :]))]

    def distortions(self, most: int) -> list[Length] | None:
        """All distortions that cells can have, ascending; None if there are more than so many."""
        few = len(self._widths) <= most
        return [Length(self.strip.unit * width) for width in self._widths] if few else None

    @cached_property
    def _answers(self) -> dict[int, "Narrowest"]:
        return {}

    def for_blocks(self, blocks: int) -> "Narrowest":
        """Narrow cells that leave so many blocks at most, and how much distortion any such cells have.

        First without the solver: where quick ways succeed, and where counting shows that none can. What is
        between is left to the solver, a few times.
        """
        if blocks not in self._answers:
            self._answers[blocks] = self._for_blocks(blocks)
        return self._answers[blocks]

    def _for_blocks(self, blocks: int) -> "Narrowest":
        widths, proof = self._widths, "counting"
        best, high = self._quick(widths, blocks)
        low = self._refuted(widths, blocks, high)
        for _ in range(SOLVER_TRIES):
            if high - low <= 1:
                break
            middle = (high + low) // 2
            found = self._of(widths[middle], SOLVER_NODES)
            if found.blocks <= blocks:
                best, high = found, middle
            elif found.lower > blocks:
                low, proof = middle, found.proof
            else:
                break
        return Narrowest(best.cells, Length(self.strip.unit * widths[low + 1]), proof)

    def _quick(self, widths: Sequence[int], blocks: int) -> tuple[FewestBlocks, int]:
        """Cells that leave so many blocks, and the place of their width."""
        low, high = -1, len(widths) - 1
        best = self._of(widths[high])
        while high - low > 1:
            middle = (high + low) // 2
            found = self._of(widths[middle])
            if found.blocks <= blocks:
                best, high = found, middle
            else:
                low = middle
        return best, high

    def _refuted(self, widths: Sequence[int], blocks: int, high: int) -> int:
        """The place of a width at which more blocks are left for certain; -1 if there is none."""
        low = -1
        while high - low > 1:
            middle = (high + low) // 2
            low, high = (middle, high) if self._of(widths[middle]).lower > blocks else (low, middle)
        return low
