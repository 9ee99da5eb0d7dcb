"""Suppression along a line: the fewest rows to withhold for a width and a posterior, exactly."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from noiseless.arrays import IntArray
from noiseless.exact import Bits
from noiseless.search.merging.lagrangian import Loss
from noiseless.search.merging.length import Length
from noiseless.search.selection.claims import EXACT
from noiseless.search.selection.exactly import Contiguous
from noiseless.search.selection.pool import Pool
from noiseless.search.selection.spare import Split, completed
from noiseless.search.selection.strips import Room, Strip, strips, together
from noiseless.search.selection.targets import Targets

WEIGHED = 24
"""For a weight so many posteriors are tried."""


def on_strips(pool: Pool) -> Loss | None:
    """Add the best contiguous cells with suppressed values between them.

    Returns:
        What no contiguous cells with so many rows suppressed between them can do better, where that is known.
    """
    lines = _Lines(pool.targets)
    wish = pool.targets.wish
    k = int(pool.targets.need.max())
    if wish.aim == "loss":
        return lines.add_narrowest(pool, k)
    if wish.aim == "leak":
        return lines.add_most(pool, k)
    most = max(strip.sensitive for strip in lines.strips)
    for known in np.unique(np.linspace(k, most, min(WEIGHED, most - k + 1)).astype(int)).tolist():
        lines.add_narrowest(pool, known)
    return None


@dataclass(frozen=True, eq=False)
class _Lines:
    targets: Targets

    @cached_property
    def strips(self) -> list[Strip]:
        return strips(self.targets.problem, self.targets.wish.utility)

    @cached_property
    def _prices(self) -> list[IntArray]:
        """What it costs to suppress each value: its rows, so that a row weighs more than all cells."""
        rows = self.targets.problem.weights
        return [rows[strip.members] * (len(strip.members) + 1) for strip in self.strips]

    @property
    def _by_width(self) -> bool:
        return self.targets.wish.utility == "distortion"

    def _room(self, strip: Strip, loss: int) -> Room:
        """The room of a strip at a loss: so many half units of distance, or so many values."""
        room = strip.room(self.targets.distortion, self.targets.largest_cell)
        if not self._by_width:
            return Room(room.width, min(room.values, loss))
        return Room(min(room.width, int(loss * self.unit / strip.unit)), room.values)

    @property
    def unit(self) -> Fraction:
        """What a loss of 1 is."""
        return self.targets.problem.unit / 2 if self._by_width else Fraction(1)

    def _least(self) -> int:
        return 0 if self._by_width else 1

    def _largest(self) -> int:
        if not self._by_width:
            return self.targets.problem.size
        return max(int(strip.unit * strip.sweep.line.span / self.unit) for strip in self.strips)

    def split(self, k: int, loss: int, *, few: bool = False) -> Split | None:
        """The fewest rows suppressed so that the rest has cells with k sensitive values; None if too many."""
        cells = []
        for strip, prices in zip(self.strips, self._prices, strict=True):
            own = strip.cut(k, self._room(strip, loss), strip.sweep.row(prices), few=few)
            if own is None:
                return None
            cells.append(own)
        labels, hidden = together(self.targets.problem, self.strips, cells)
        found = Split(self.targets.problem, np.where(hidden, 0, labels), hidden)
        return found if found.rows <= self.targets.budget and not hidden.all() else None

    def done(self, k: int, loss: int) -> Split | None:
        """The same, with enough suppressed besides that what is suppressed has k sensitive values too.

        Few cells can spare more values than many.
        """
        need = np.full(len(self.targets.problem.known_prior), k)
        for few in (False, True):
            split = self.split(k, loss, few=few)
            found = None if split is None else completed(split, need, self.targets.budget)
            if found is not None and not found.hidden.all():
                return found
        return None

    def add_narrowest(self, pool: Pool, k: int) -> Loss | None:
        """Add cells with the least loss for a posterior."""
        least = self._bisect(lambda loss: self.split(k, loss) is not None, self._least(), self._largest())
        if least is None:
            return None
        loss = self._bisect(lambda loss: self.done(k, loss) is not None, least, self._largest())
        if loss is not None:
            self._add(pool, self.done(k, loss), k)
        return Length(least * self.unit) if self._bounds else None

    @property
    def _bounds(self) -> bool:
        """Whether values withheld within a cell could not make it better: it is its width that counts."""
        return self._by_width and self.targets.largest_cell is None

    def add_most(self, pool: Pool, k: int) -> Loss | None:
        """Add cells with the largest posterior within the limits on the loss."""
        loss, most = self._largest(), max(strip.sensitive for strip in self.strips)
        least = self._bisect(lambda less: self.split(most - less, loss) is not None, 0, most - k)
        if least is None:
            return None
        found = self._bisect(lambda less: self.done(most - less, loss) is not None, least, most - k)
        if found is not None:
            self._add(pool, self.done(most - found, loss), most - found)
            self.add_narrowest(pool, most - found)
        prior = int(self.targets.problem.prior.max())
        return Bits(Fraction(prior, most - least)) if self._bounds else None

    def _add(self, pool: Pool, split: Split | None, k: int) -> None:
        """Add a split, and the narrowest cells for what it does not suppress."""
        if split is None:
            return
        pool.add(split.labels, EXACT, split.hidden)
        if not split.hidden.any():
            return
        targets = self.targets
        rest, kept = targets.problem.without(split.hidden)
        exact = Contiguous(rest, targets.wish.utility, targets.distortion, targets.largest_cell)
        own = exact.for_posterior(k)
        if own is not None:
            cells = np.zeros(len(split.hidden), np.int64)
            cells[kept] = own
            pool.add(Split(targets.problem, cells, split.hidden).labels, EXACT, split.hidden)

    @staticmethod
    def _bisect(holds: Callable[[int], bool], low: int, high: int) -> int | None:
        """The least number for which something holds that then holds for ever; None if it never does."""
        if not holds(high):
            return None
        low -= 1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if holds(middle) else (middle, high)
        return high
