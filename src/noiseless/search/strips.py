"""Public values in a line, a strip for each thing that is seen beside the cell: contiguous cells, exactly."""

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm, log2
from typing import NamedTuple

import numpy as np

from noiseless.arrays import BoolArray, IntArray
from noiseless.intervals import root_bounds
from noiseless.ranges import JointRange
from noiseless.search.contiguous import kernels
from noiseless.search.contiguous.kernels import Row
from noiseless.search.contiguous.sweep import OrderedRange, Sweep, Windows
from noiseless.search.loss import Length, Utility
from noiseless.search.mean_loss import GRAIN, MeanLoss, exact_sum, row_bits
from noiseless.search.problem import Problem
from noiseless.tables.kernels import compiled, run_starts

MOST_STRIPS = 64
"""Bounds look at no more than this many strips, those with the most pairs."""


def least_number(holds: Callable[[int], bool], low: int, high: int) -> int:
    """The least number from which on something holds; it holds for the last one.

    Widths may be longer than any range that `bisect` takes.
    """
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return high


@dataclass(frozen=True)
class Room:
    """How large a cell of a strip may be.

    Attributes:
        width: how far its values may be apart, in units of the strip's line.
        values: how many values it may hold.
    """

    width: int
    values: int


@dataclass(frozen=True, eq=False)
class LineStrip:
    """The values that are seen with one code (a group, or a known a), in order, with their sensitive sets.

    Attributes:
        sweep: the line, what is lost by a cell of it, and how many rows a cell holds.
        members: the public value of each value of the line.
        code: the code of `Problem.seen`.
        unit: what a width of 1 costs: half a distance.
    """

    sweep: Sweep
    members: IntArray
    code: int
    unit: Fraction

    @property
    def sensitive(self) -> int:
        """How many sensitive values there are."""
        return self.sweep.line.joint.size_x

    def room(self, distortion: Length | None, values: int | None) -> Room:
        """The room that limits leave."""
        span, size = self.sweep.line.span, len(self.members)
        if distortion is not None:
            width = distortion.squared / self.unit**2
            span = min(span, math.isqrt(math.floor(width)))
        return Room(span, size if values is None else min(size, values))

    @cached_property
    def _windows(self) -> dict[int, Windows]:
        return {}

    def windows(self, k: int) -> Windows:
        """The narrowest runs with k sensitive values; the last ones asked for are kept."""
        if k not in self._windows:
            if len(self._windows) > 1:
                self._windows.clear()
            self._windows[k] = self.sweep.windows(k)
        return self._windows[k]

    def least_of_any(self, k: int) -> int:
        """No partition at all with k sensitive values in each cell has narrower cells."""
        windows = self.windows(k)
        return self.sweep.least_of_any(k, windows.cover_width(), windows.least_width())

    @cached_property
    def orders(self) -> list[IntArray]:
        """Values by their commonest, and by their rarest, sensitive value; those with one together."""
        joint = self.sweep.line.joint
        sizes = joint.support_sizes
        ranks = np.empty(joint.size_x, np.int64)
        ranks[np.lexsort((np.arange(joint.size_x), -sizes))] = np.arange(joint.size_x)
        own = ranks[joint.x]
        first = np.minimum.reduceat(own, joint.starts[:-1])
        last = np.maximum.reduceat(own, joint.starts[:-1])
        orders = [np.lexsort((last, first))]
        if len(joint) > joint.size_y:
            orders += [np.lexsort((first, last)), np.lexsort((first, joint.posterior_sizes))]
        return orders

    def lows(self, room: Room) -> Row:
        """For each value the first one with which it may share a cell."""
        found = self.sweep.blank(len(self.members))
        self.sweep.run(kernels.first_within, self.sweep.places, room.width, room.values, found)
        return found

    def cut(self, k: int, room: Room, prices: Row | None = None, *, few: bool = False) -> IntArray | None:
        """The cell of each value, in as many cells as possible, suppressed ones being -1; None if impossible.

        Args:
            k: how many sensitive values each cell has at least.
            room: how large a cell may be.
            prices: what suppressing each value costs; None if none may be.
            few: in as few cells as possible instead.
        """
        size, sweep = len(self.members), self.sweep
        if not sweep.can_hold(k):
            return None if prices is None else np.full(size, -1)
        best, chosen, queue = (sweep.blank(size + 1) for _ in range(3))
        free = sweep.blank(size, -1) if prices is None else prices
        limits = self.windows(k).starts, self.lows(room), free, 1 if few else -1
        found = sweep.run(kernels.cheapest_cut, *limits, best, chosen, queue)
        return None if found >= kernels.NOWHERE else self.cells(chosen)

    def cells(self, chosen: Row) -> IntArray:
        """The cell of each value, -1 where it is suppressed, from where the last cell to each one starts."""
        found = self.sweep.blank(len(self.members))
        self.sweep.run(kernels.read_cells, self.sweep.row(chosen), found)
        return np.asarray(found)

    def cheapest(self, k: int, room: Room, loss: MeanLoss) -> tuple[IntArray, Fraction] | None:
        """The cell of each value at the least total loss, and what no cells come below; None if impossible.

        Args:
            k: how many sensitive values each cell has at least.
            room: how large a cell may be.
            loss: what a cell loses.
        """
        if not self.sweep.can_hold(k):
            return None
        found = least_total(self.sweep, self.windows(k).starts, self.lows(room), loss)
        return None if found is None else (self.cells(found.chosen), found.least)

    @property
    def _by_width(self) -> bool:
        return self.sweep.utility == "distortion"

    @cached_property
    def _widths(self) -> dict[tuple[int, int], int]:
        return {}

    def _width(self, k: int, room: Room) -> int:
        """The least width (of the loss that counts) for k sensitive values, within the other limit."""
        span, size = self.sweep.line.span, len(self.members)
        other = Room(span, room.values) if self._by_width else Room(room.width, size)
        known = k, other.values if self._by_width else other.width
        if known not in self._widths:
            limited = other.values < size or other.width < span
            windows = self.sweep.windows(k, self.lows(other)) if limited else self.windows(k)
            self._widths[known] = windows.least_width()
        return self._widths[known]

    def least(self, k: int, room: Room) -> Room | None:
        """The least room (of the loss that counts) within some room; None if that is too little."""
        if not self.sweep.can_hold(k):
            return None
        width = self._width(k, room)
        if self._by_width:
            return None if width > room.width else Room(width, room.values)
        return None if width >= room.values else Room(room.width, width + 1)

    def narrowest(self, k: int, room: Room) -> IntArray:
        """The cell of each value for a posterior that finds room, in the least room."""
        least = self.least(k, room)
        cells = None if least is None else self.cut(k, least)
        if cells is None:
            raise AssertionError("a posterior that is possible has cells")
        return cells

    def most(self, room: Room) -> int:
        """The largest posterior that finds room; 0 if none does."""
        further = range(1, self.sensitive + 1)
        return bisect_left(further, True, key=lambda k: self.least(k, room) is None)


def strips(problem: Problem, utility: Utility, most: int | None = None, *, rows: int = 1) -> list[LineStrip]:
    """The strips of a problem, along its numeric column or else in the order of its values; made once.

    Args:
        problem: what is to be merged; for the distortion its values lie on a line.
        utility: what is lost by a cell.
        most: no more than this many strips, those with the most pairs.
        rows: how many rows each cell holds at least.
    """
    known = strips, utility, None if problem.plain else most, rows
    if known not in problem.made:
        problem.made[known] = _made(problem, utility, most, rows)
    found: list[LineStrip] = problem.made[known]
    return found


def _made(problem: Problem, utility: Utility, most: int | None, rows: int) -> list[LineStrip]:
    places = problem.line if problem.line is not None else np.arange(problem.size)
    unit = problem.unit if problem.line is not None else Fraction(1)

    def strip(joint: JointRange, values: IntArray, code: int) -> LineStrip:
        line = OrderedRange.of(joint, places[values])
        members = values[line.order]
        sweep = Sweep(line, utility, problem.weights[members], rows)
        return LineStrip(sweep, members, code, unit * line.unit / 2)

    joint = problem.joint
    if problem.plain:
        return [strip(joint, np.arange(problem.size), 0)]
    codes = problem.seen[joint.y]
    counts = np.bincount(codes, minlength=len(problem.prior))
    order, starts = np.argsort(codes, kind="stable"), np.append(0, np.cumsum(counts))
    found = []
    for code in np.argsort(-counts, kind="stable")[:most].tolist():
        pairs = order[starts[code] : starts[code + 1]]
        values, y = np.unique(problem.public[joint.y[pairs]], return_inverse=True)
        s = np.unique(joint.x[pairs], return_inverse=True)[1]
        found.append(strip(JointRange.from_codes(s.reshape(-1), y.reshape(-1)), values, code))
    return found


def together(problem: Problem, parts: list[LineStrip], cells: list[IntArray]) -> tuple[IntArray, BoolArray]:
    """The cells of all strips as one label for each public value, and which of them are suppressed."""
    labels, hidden = np.empty(problem.size, np.int64), np.zeros(problem.size, bool)
    used = 0
    for part, own in zip(parts, cells, strict=True):
        labels[part.members] = own + used
        hidden[part.members] = own < 0
        used += int(own.max(initial=-1)) + 1
    labels[hidden] = used
    return labels, hidden


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


def least_total(sweep: Sweep, starts: Row, lows: Row, loss: MeanLoss) -> LeastTotal | None:
    """Contiguous cells with the least total; None if there are none.

    A cell costs no less than two that make it up. So cells that can be split are left out: one that ends at j
    starts after starts(starts(j) - 1).

    Args:
        sweep: the line.
        starts: for each value the last one at which a cell to it may start, or -1.
        lows: for each value the first one.
        loss: what a cell costs.
    """
    last = np.asarray(starts)
    first = np.maximum(lows, np.where(last > 0, last[last - 1] + 1, 0))
    ends = np.flatnonzero(first <= last)
    if not len(ends):
        return None
    windows = _Windows(ends, first[ends], last[ends], np.asarray(sweep.heads))
    x, shift, parts, fast = _scaled(np.asarray(sweep.places), windows, loss.form, sweep.fast)
    held, most = np.diff(windows.heads), int(windows.rows.max())
    moments = _moments(x if fast else x.astype(object), held) if loss.form == kernels.SQUARES else ([0], [0])
    table = [row_bits(rows) for rows in range(most + 1)] if loss.form == kernels.TABLE else [0]
    rows = [_row(one, fast) for one in (x, windows.heads, *moments, table, last, first)]
    best, chosen, queue, turns = (_row(np.zeros(len(x) + 1, np.int64), fast) for _ in range(4))
    run: Callable[..., int] = compiled(kernels.least_total) if fast else kernels.least_total
    found = run(*rows, loss.form, parts, best, chosen, queue, turns)
    if found < 0:
        return None
    least = Fraction(int(found), parts)
    if shift:
        places = np.asarray(sweep.places, object if len(x) << shift >= _ROOM else None)
        off = np.abs(places - x.astype(places.dtype) * 2**shift - 2 ** (shift - 1))
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


def _moments(x: IntArray, held: IntArray) -> tuple[IntArray, IntArray]:
    """The sums, and the sums of squares, of the rows before each value; in 64 bits they may wrap around."""
    return np.append(0, np.cumsum(held * x)), np.append(0, np.cumsum(held * x * x))


def _row(values: IntArray | list[int], fast: bool) -> Row:
    return np.ascontiguousarray(values, np.int64) if fast else np.asarray(values).tolist()
