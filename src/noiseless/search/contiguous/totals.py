"""Contiguous cells with the least total of what they cost, exactly, in 64 bits where these are enough."""

from fractions import Fraction
from math import lcm, log2
from typing import Any, NamedTuple

import numpy as np

from noiseless.arrays import IntArray
from noiseless.intervals import root_bounds
from noiseless.search.contiguous import kernels
from noiseless.search.contiguous.kernels import Row
from noiseless.search.mean_loss import GRAIN, MeanLoss, exact_sum, row_bits
from noiseless.tables.kernels import run_starts

_ROOM = 2.0**61
"""What is computed in 64 bits stays below this."""

_LONGEST, _LONG = 2**16384, 2**128
"""And in Python's own numbers below one of these; the second one where there are many."""

EXACTLY = 20_000
"""Up to this many values squared errors are added in Python's numbers where 64 bits are too few."""


class LeastTotal(NamedTuple):
    """Contiguous cells with the least total.

    Attributes:
        chosen: where the last cell to each value starts.
        least: no cells have a smaller total, in what the line and the rows are counted in.
    """

    chosen: Row
    least: Fraction


def least_total(
    places: IntArray, heads: IntArray, starts: Row, lows: Row, loss: MeanLoss, *, fast: bool
) -> LeastTotal | None:
    """Contiguous cells with the least total; None if there are none.

    A cell costs no less than two that make it up. So cells that can be split are left out: one that ends at j
    starts after starts(starts(j) - 1).

    Args:
        places: where the values are.
        heads: how many rows there are before each value, and at the end.
        starts: for each value the last one at which a cell to it may start, or -1.
        lows: for each value the first one.
        loss: what a cell costs.
        fast: whether loops are compiled where 64 bits are enough.
    """
    last = np.asarray(starts)
    first = np.maximum(lows, np.where(last > 0, last[last - 1] + 1, 0))
    ends = np.flatnonzero(first <= last)
    if not len(ends):
        return None
    windows = _Windows(ends, first[ends], last[ends], heads)
    x, shift, parts, fast = _scaled(places, windows, loss.form, fast)
    held, most = np.diff(heads), int(windows.rows.max())
    moments: list[Any] = [[0], [0]]
    table = [0]
    if loss.form == kernels.SQUARES:  # in 64 bits sums may wrap around
        near = x if fast else x.astype(object)
        moments = [np.append(0, np.cumsum(held * part)) for part in (near, near * near)]
    elif loss.form == kernels.TABLE:
        table = [row_bits(rows) for rows in range(most + 1)]
    loops = kernels.Loops(fast)
    rows = map(loops.row, (x, heads, *moments, table, last, first))
    best, chosen, queue, turns = (loops.blank(len(x) + 1) for _ in range(4))
    found = loops.run(kernels.least_total, *rows, loss.form, parts, best, chosen, queue, turns)
    if found < 0:
        return None
    least = Fraction(int(found), parts)
    if shift:
        exact = places.astype(object if len(x) << shift >= _ROOM else np.int64)
        off = np.abs(exact - x.astype(exact.dtype) * 2**shift - 2 ** (shift - 1))
        least = _less(least * 4**shift, exact_sum(off, off, held))
    return LeastTotal(chosen, least)


class _Windows(NamedTuple):
    """Some values at which cells may end, with the first and the last start of these cells."""

    ends: IntArray
    first: IntArray
    last: IntArray
    heads: IntArray

    @property
    def rows(self) -> IntArray:
        """The rows of the largest cell to each value."""
        return self.heads[self.ends + 1] - self.heads[self.first]

    def bound(self, form: int, x: IntArray) -> float:
        """No cells together cost more, before that is counted in parts."""
        rows, widths = self.rows.astype(np.float64), (x[self.ends] - x[self.first]).astype(np.float64)
        if form in (kernels.WIDTHS, kernels.SQUARES):
            with np.errstate(over="ignore"):  # endless is as good
                costs = rows * widths * (widths / 4 if form == kernels.SQUARES else 1)
        else:
            costs = rows**2 if form == kernels.PAIRS else GRAIN * rows * np.log2(rows + 1)
        shortest = int((self.ends - self.last + 1).min())
        starts = run_starts(self.ends // shortest)  # no two cells end in one stretch of this many values
        return max(1.0, 1.001 * float(np.maximum.reduceat(costs, starts).sum()))


def _scaled(x: IntArray, windows: _Windows, form: int, fast: bool) -> tuple[IntArray, int, int, bool]:
    """Places in units of a power of two, and which; the parts that costs are counted in; whether 64 bits do.

    Squared errors are exact where a number of parts is found that all numbers of rows divide. Otherwise they
    are rounded down; and where 64 bits are still too few for very many values, places are rounded first.
    """
    bound = windows.bound(form, x)
    if form != kernels.SQUARES:
        return x, 0, 1, fast and bound < _ROOM
    heads, ends = windows.heads, windows.ends
    least, most = int((heads[ends + 1] - heads[windows.last]).min()), int(windows.rows.max())
    parts, exact = _parts(least, most, int(_ROOM / max(bound, most**2)))
    if fast and exact:
        return x, 0, parts, True
    if len(x) <= EXACTLY:
        return x, 0, _parts(least, most, _LONGEST)[0], False
    places, shift, steps, before = x, 0, np.arange(len(x)), 2 * bound
    while (excess := 2 * most * max(bound, most) / _ROOM) >= 1 and bound < before:
        shift += max(1, int(log2(min(excess, _ROOM**8)) / 2))
        places = np.maximum.accumulate((x >> shift) - steps) + steps  # all different, as costs want them
        before, bound = bound, windows.bound(form, places)
    if excess >= 1 or int(places[-1]) >= _ROOM:
        return x, 0, _parts(least, most, _LONG)[0], False
    parts = _parts(least, most, int(_ROOM / max(bound, most)))[0]
    return places.astype(np.int64), shift, parts, True


def _parts(least: int, most: int, room: int) -> tuple[int, bool]:
    """A number that every number of rows divides, and True; a power of two if that finds no room."""
    found = 1
    for rows in range(max(1, least), most + 1):
        found = lcm(found, rows)
        if found > room:
            return 1 << max(0, room.bit_length() - 1), False
    return found, True


def _less(squares: Fraction, off: int) -> Fraction:
    """No more than squared errors are, if they are `squares` where places are off by so much, squared too.

    Errors are what is left of places when means are taken away, as a vector no longer than the places. So the
    root of their squares changes by no more than the root of the squares by which places are off.
    """
    return max(Fraction(0), root_bounds(squares)[0] - root_bounds(Fraction(off))[1]) ** 2
