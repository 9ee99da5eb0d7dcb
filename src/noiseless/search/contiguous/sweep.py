"""The sweeps of one line for one posterior or one width, and the climb from one posterior to the next."""

from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from noiseless.arrays import IntArray
from noiseless.search.contiguous import kernels
from noiseless.search.contiguous.kernels import Row
from noiseless.search.contiguous.line import OrderedRange
from noiseless.search.loss import Utility
from noiseless.tables.kernels import compiled

SMALL = 200_000
"""Below this many steps plain Python is faster than loading the compiled kernels."""

_CHECKS = 24
"""How often a lower bound is tried to be raised: the bracket shrinks by this power of two."""


@dataclass(frozen=True, eq=False)
class Sweep:
    """A line, and the width of a cell by which its loss is counted.

    Attributes:
        line: the public values with their sensitive sets.
        utility: "distortion": a cell is as wide as its values are apart; "resolution": as the number of
            values that it holds, less one.
    """

    line: OrderedRange
    utility: Utility = "distortion"

    @property
    def span(self) -> int:
        """The width of the whole line."""
        return self.line.span if self.utility == "distortion" else len(self.line) - 1

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
        return self.row(self.line.places if self.utility == "distortion" else np.arange(len(self.line)))

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
        self.run(kernels.same_runs, self.row(self.line.joint.x), self.pairs[0], firsts, lasts)
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
        further = range(least + 1, self.line.joint.size_x + 1)
        return least + bisect_left(further, True, key=lambda k: not self.windows(k).is_possible(width))

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
        sweep = self.sweep
        best, queue = (sweep.blank(len(sweep.line) + 1) for _ in range(2))
        return int(sweep.run(kernels.least_width, sweep.x, self.starts, sweep.endless, best, queue))

    def is_possible(self, width: int) -> bool:
        """Whether there are contiguous cells, none wider, with k sensitive values each."""
        return self.least_width() <= width

    def cover_widths(self) -> IntArray:
        """For each value the least width of a run that holds it and k sensitive values."""
        sweep = self.sweep
        queue, found = (sweep.blank(len(sweep.line)) for _ in range(2))
        sweep.run(kernels.cover_widths, sweep.x, self.widths, queue, found)
        return np.asarray(found)

    def cover_width(self) -> int:
        """The least width of runs with k sensitive values that together cover the line: they may overlap."""
        return int(self.cover_widths().max())


# One posterior takes a sweep over all values. With thousands of sensitive values that would be thousands of
# sweeps, yet from one posterior to the next little changes: only values whose narrowest runs are among the
# widest matter. So after a sweep the next posteriors are climbed with those values alone, until they become
# too many. Where sparse values at the ends decide (a normal column of 100,000 values) that is ten times as
# fast with 40 sensitive values and sixty times with 1,000; where all parts are alike it buys nothing.

PATIENCE = 10
"""A climb may take as many steps as there are values, times this, before a sweep is cheaper."""

_LEVEL = 16
"""After so many posteriors with the same width the end of the level stretch is looked for."""


class FrontierStep(NamedTuple):
    """The least widths for one posterior: of contiguous cells, and of runs that cover the line."""

    posterior: int
    width: int
    cover: int


def steps(sweep: Sweep) -> Iterator[FrontierStep]:
    """The least widths for ascending posteriors; one that is left out is as wide as the next one given."""
    last = sweep.line.joint.size_x
    step = FrontierStep(sweep.line.least_posterior, 0, 0)
    windows, level = None, 0
    yield step
    while step.posterior < last:
        base = step
        if 0 < base.width < sweep.span:
            for further in _Climb.after(base, windows or sweep.windows(base.posterior)).steps(base):
                level = level + 1 if further.width == step.width else 0
                step = further
                yield step
                if level == _LEVEL:
                    break
        windows = None
        if step is base or level == _LEVEL:
            windows = sweep.windows(_next(sweep, step, level))
            step = FrontierStep(windows.posterior, windows.least_width(), windows.cover_width())
            level = 0
            yield step


def _next(sweep: Sweep, step: FrontierStep, level: int) -> int:
    """Which posterior to sweep for: the end of a level stretch, or else the next one."""
    last = sweep.line.joint.size_x
    if step.width == sweep.span:
        return last
    end = sweep.largest_posterior(step.width, step.posterior) if level == _LEVEL else step.posterior
    return end if end > step.posterior else step.posterior + 1


@dataclass
class _Climb:
    """What is kept between two sweeps.

    Attributes:
        windows: the runs of the last sweep.
        places: the values that may be dead for the posteriors to come.
        starts: where a run that ends there begins; it grows with the posterior.
        held: how many sensitive values it holds.
        stop: the last posterior for which these are enough.
        work: how many steps are left.
    """

    windows: Windows
    places: Row
    starts: Row
    held: Row
    stop: int
    work: int

    @classmethod
    def after(cls, step: FrontierStep, windows: Windows) -> "_Climb":
        """Ready for the posteriors after a sweep.

        A run that holds m sensitive values within the cover's width is not dead up to the posterior m.
        """
        sweep = windows.sweep
        size, last = len(sweep.line), sweep.line.joint.size_x
        begun, counted = sweep.blank(size), sweep.blank(size)
        sweep.run(kernels.held_within, sweep.x, *sweep.pairs, windows.starts, step.cover, begun, counted)
        x, starts, held = (np.asarray(row) for row in (sweep.x, begun, counted))
        counts = np.where(x - x[starts] <= step.cover, held, step.posterior)
        counts[: windows.ends[0]] = last  # before the first end all stay dead, which needs no list
        later = np.arange(step.posterior + 1, last + 1)
        below = np.cumsum(np.bincount(counts, minlength=last + 1))[later - 1]
        work = PATIENCE * size
        stop = step.posterior + int(np.count_nonzero((later - step.posterior) * below <= work))
        places = np.flatnonzero(counts < stop)
        rows = sweep.row(places), sweep.row(starts[places]), sweep.row(held[places])
        return cls(windows, *rows, stop, work)

    def steps(self, step: FrontierStep) -> Iterator[FrontierStep]:
        """One posterior after the other, as long as that is cheaper than another sweep."""
        sweep, gap = self.windows.sweep, 1
        for posterior in range(step.posterior + 1, self.stop + 1):
            first = int(sweep.ends_from_lowest[posterior - 1])
            dead = self._dead(posterior, first, step.cover)
            if dead is None:
                return
            cover = int(sweep.run(kernels.cover_dead, sweep.x, *dead, first, step.cover, self._queue))
            high = min(2 * cover, sweep.span)  # at twice the cover there are cells for certain
            width = self._least_width(posterior, max(step.width, cover), high, dead, gap)
            if width is None:
                return
            gap = max(width - step.width, 1)
            step = FrontierStep(posterior, width, cover)
            yield step
            if width == sweep.span:
                return

    def _dead(self, posterior: int, first: int, width: int) -> tuple[Row, Row, int] | None:
        """What is dead from `first` on, and the widths of the runs there; None: given up."""
        sweep = self.windows.sweep
        begins, _, after = sweep.pairs
        narrowest, dead, dead_widths = self._room
        self.work = int(
            sweep.run(
                kernels.narrowest_runs,
                *(sweep.x, begins, after, sweep.stretches[0], posterior, sweep.endless),
                *(self.places, self.starts, self.held, narrowest, self.work),
            )
        )
        if self.work < 0:
            return None
        count = sweep.run(kernels.dead_places, self.places, narrowest, first, width, dead, dead_widths)
        return dead, dead_widths, int(count)

    def _least_width(
        self, posterior: int, low: int, high: int, dead: tuple[Row, Row, int], gap: int
    ) -> int | None:
        """Search from `low` up to `high`, which is possible for certain; None: given up.

        Each check tells up to which width its answer stays the same, so the search ends at a width that
        occurs.
        """
        sweep = self.windows.sweep
        begins, before, _ = sweep.pairs
        width, least = low, low
        while True:
            possible, until, work = sweep.run(
                kernels.follow,
                *(sweep.x, begins, before, sweep.stretches[1], self.windows.ends, self.windows.held),
                *(posterior, width, least, sweep.endless, *dead, *self._intervals, self.work),
            )
            self.work = int(work)
            if self.work < 0:
                return None
            if possible:
                high = int(until)
            else:
                low = int(until)
                gap *= 2
            if low >= high:
                return high
            width = min((low + high) // 2, low + gap)

    @cached_property
    def _room(self) -> tuple[Row, Row, Row]:
        size, blank = len(self.places), self.windows.sweep.blank
        return blank(size), blank(size), blank(size)

    @cached_property
    def _queue(self) -> Row:
        return self.windows.sweep.blank(len(self.places) + 1)

    @cached_property
    def _intervals(self) -> tuple[Row, Row]:
        size, blank = len(self.windows.sweep.line) + 2, self.windows.sweep.blank
        return blank(size), blank(size)
