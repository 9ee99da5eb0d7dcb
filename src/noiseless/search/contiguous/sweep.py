"""The sweeps of one line, with their arrays: the answers for one posterior or one width at a time."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from noiseless.arrays import IntArray
from noiseless.search.contiguous import climb_kernels, kernels
from noiseless.search.contiguous.kernels import Row
from noiseless.search.contiguous.order import OrderedRange
from noiseless.tables.kernels import compiled

Loss = Literal["distortion", "resolution"]

SMALL = 200_000
"""Below this many steps plain Python is faster than loading the compiled kernels."""

_CHECKS = 24
"""How often a lower bound is tried to be raised: the bracket shrinks by this power of two."""


@dataclass(frozen=True, eq=False)
class Sweep:
    """A line, and the width of a cell by which its loss is counted.

    Attributes:
        line: the public values with their sensitive sets.
        loss: "distortion": a cell is as wide as its values are apart; "resolution": as many values as it
        holds
            (less one).
    """

    line: OrderedRange
    loss: Loss = "distortion"

    @property
    def span(self) -> int:
        """The width of the whole line."""
        return self.line.span if self.loss == "distortion" else len(self.line) - 1

    @property
    def endless(self) -> int:
        """A width that no cell has."""
        return self.span + 1

    @cached_property
    def fast(self) -> bool:
        """Whether the compiled kernels are used; huge numbers stay with Python."""
        steps = len(self.line.joint) * self.line.joint.size_x
        return steps >= SMALL and self.line.places.dtype != object

    def run(self, kernel: Callable[..., Any], *arguments: Any) -> Any:  # noqa: ANN401 - as the kernel's own
        """Call a kernel, compiled or not."""
        return (compiled(kernel) if self.fast else kernel)(*arguments)

    def row(self, values: Any) -> Row:  # noqa: ANN401 - an array of integers
        """An array as the kernels want it."""
        return np.ascontiguousarray(values, np.int64) if self.fast else np.asarray(values).tolist()

    def blank(self, size: int, value: int = 0) -> Row:
        """Room for a kernel's results."""
        return np.full(size, value, np.int64) if self.fast else [value] * size

    @cached_property
    def x(self) -> Row:
        """The places that widths are measured between."""
        return self.row(self.line.places if self.loss == "distortion" else np.arange(len(self.line)))

    @cached_property
    def pairs(self) -> tuple[Row, Row, Row]:
        """Where the pairs of each x begin, and the pairs before and after with the same sensitive value."""
        joint = self.line.joint
        before, after = self.blank(len(joint)), self.blank(len(joint))
        self.run(kernels.link, self.row(joint.x), self.blank(joint.size_x, -1), before, after)
        return self.row(joint.starts), before, after

    @cached_property
    def stretches(self) -> tuple[Row, Row]:
        """For each value the first and the last of the stretch around it with the same sensitive set."""
        firsts, lasts = self.blank(len(self.line)), self.blank(len(self.line))
        self.run(climb_kernels.same_runs, self.row(self.line.joint.x), self.pairs[0], firsts, lasts)
        return firsts, lasts

    @cached_property
    def ends_from_lowest(self) -> IntArray:
        """Where 1, 2, ... different sensitive values have been met on the way from the lowest value."""
        return self.line.joint.y[np.asarray(self.pairs[1]) < 0]

    def windows(self, posterior: int) -> "Windows":
        """The narrowest runs with so many sensitive values."""
        size = len(self.line)
        ends, held, starts, widths = (self.blank(size) for _ in range(4))
        self.run(kernels.first_ends, *self.pairs, posterior, ends, held)
        self.run(kernels.last_starts, self.x, ends, self.endless, starts, widths)
        return Windows(self, posterior, ends, held, starts, widths)

    def largest_posterior(self, width: int, least: int = 1) -> int:
        """The largest posterior that cells of at most this width allow; `least` is known to be possible."""
        low, high = least, self.line.joint.size_x
        while low < high:
            middle = (low + high + 1) // 2
            if self.windows(middle).is_possible(width):
                low = middle
            else:
                high = middle - 1
        return low

    def is_refuted(self, posterior: int, width: int) -> bool:
        """Whether two values show that no partition at all has this posterior and cells of this width."""
        return bool(self.run(kernels.clashes, self.x, *self.pairs, width, posterior))

    def least_of_any(self, posterior: int, width: int) -> int:
        """No partition at all with this posterior has cells narrower than this.

        Every value lies in a run with k sensitive values, and two values far apart do not share theirs.

        Args:
            posterior: k.
            width: a width that some partition with this posterior has.
        """
        low, high = self.windows(posterior).cover_width(), width
        if low < high and self.is_refuted(posterior, high - 1):
            low = high
        for _ in range(_CHECKS):
            middle = (low + high) // 2
            if low >= high - 1:
                break
            if self.is_refuted(posterior, middle - 1):
                low = middle
            else:
                high = middle
        return low


@dataclass(frozen=True, eq=False)
class Windows:
    """The narrowest runs of values with k different sensitive values.

    Attributes:
        sweep: the line.
        posterior: k.
        ends: for each value the first one at which a run from it holds k sensitive values.
        held: how many it holds there.
        starts: for each value the last one from which a run to it holds k sensitive values, or -1.
        widths: the width of that run.
    """

    sweep: Sweep
    posterior: int
    ends: Row
    held: Row
    starts: Row
    widths: Row

    def least_width(self) -> int:
        """The least width of cells with k sensitive values each: exact, contiguous cells."""
        best, queue = self._room(2)
        return int(
            self.sweep.run(kernels.least_width, self.sweep.x, self.starts, self.sweep.endless, best, queue)
        )

    def cover_width(self) -> int:
        """The least width of runs with k sensitive values that together cover the line: they may overlap."""
        (queue,) = self._room(1)
        return int(self.sweep.run(kernels.cover_width, self.sweep.x, self.widths, queue))

    def is_possible(self, width: int) -> bool:
        """Whether there are contiguous cells, none wider, with k sensitive values each."""
        return self._cut(width)[0] >= 0

    def cells(self, width: int) -> IntArray:
        """Where the cells begin: as many cells as possible, then each begins as late as possible.

        The last cell begins as late as it can, then the one before it, and so on.
        """
        count, chosen = self._cut(width)
        begins = np.empty(count, np.int64)
        cut = len(self.sweep.line)
        for cell in range(count - 1, -1, -1):
            cut = chosen[cut]
            begins[cell] = cut
        return begins

    def _cut(self, width: int) -> tuple[int, Row]:
        count, chosen, queue = self._room(3)
        found = self.sweep.run(kernels.most_cells, self.sweep.x, self.starts, width, count, chosen, queue)
        return int(found), chosen

    def _room(self, rows: int) -> list[Row]:
        return [self.sweep.blank(len(self.sweep.line) + 1) for _ in range(rows)]
