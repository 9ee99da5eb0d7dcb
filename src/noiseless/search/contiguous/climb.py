"""The whole frontier: the least width for every posterior, one posterior after the other.

One posterior takes a sweep over all values. With thousands of sensitive values that would be thousands of
sweeps, yet from one posterior to the next little changes: only values whose narrowest runs are among the
widest matter. So after a sweep the next posteriors are climbed with those values alone, until they become too
many.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from noiseless.search.contiguous import climb_kernels
from noiseless.search.contiguous.kernels import Row
from noiseless.search.contiguous.sweep import Sweep, Windows

PATIENCE = 10
"""A climb may take as many steps as there are values, times this, before a sweep is cheaper."""

_LEVEL = 16
"""After so many posteriors with the same width the end of the level stretch is looked for."""


class Step(NamedTuple):
    """The least widths for one posterior: of contiguous cells, and of runs that cover the line."""

    posterior: int
    width: int
    cover: int


def steps(sweep: Sweep) -> Iterator[Step]:
    """The least widths for ascending posteriors; one that is left out is as wide as the next one given."""
    last = sweep.line.joint.size_x
    step = Step(sweep.line.least_posterior, 0, 0)
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
            step = Step(windows.posterior, windows.least_width(), windows.cover_width())
            level = 0
            yield step


def _next(sweep: Sweep, step: Step, level: int) -> int:
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
    def after(cls, step: Step, windows: Windows) -> "_Climb":
        """Ready for the posteriors after a sweep.

        A run that holds m sensitive values within the cover's width is not dead up to the posterior m.
        """
        sweep = windows.sweep
        size, last = len(sweep.line), sweep.line.joint.size_x
        begun, counted = sweep.blank(size), sweep.blank(size)
        sweep.run(
            climb_kernels.held_within, sweep.x, *sweep.pairs, windows.starts, step.cover, begun, counted
        )
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

    def steps(self, step: Step) -> Iterator[Step]:
        """One posterior after the other, as long as that is cheaper than another sweep."""
        sweep, gap = self.windows.sweep, 1
        for posterior in range(step.posterior + 1, self.stop + 1):
            first = int(sweep.ends_from_lowest[posterior - 1])
            dead = self._dead(posterior, first, step.cover)
            if dead is None:
                return
            cover = int(sweep.run(climb_kernels.cover_dead, sweep.x, *dead, first, step.cover, self._queue))
            high = min(2 * cover, sweep.span)  # at twice the cover there are cells for certain
            width = self._least_width(posterior, max(step.width, cover), high, dead, gap)
            if width is None:
                return
            gap = max(width - step.width, 1)
            step = Step(posterior, width, cover)
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
                climb_kernels.narrowest_runs,
                *(sweep.x, begins, after, sweep.stretches[0], posterior, sweep.endless),
                *(self.places, self.starts, self.held, narrowest, self.work),
            )
        )
        if self.work < 0:
            return None
        count = sweep.run(climb_kernels.dead_places, self.places, narrowest, first, width, dead, dead_widths)
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
                climb_kernels.follow,
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
