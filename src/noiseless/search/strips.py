"""Public values in a line, a strip for each thing that is seen beside the cell: contiguous cells, exactly."""

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from noiseless.arrays import BoolArray, IntArray
from noiseless.ranges import JointRange
from noiseless.search.contiguous.kernels import Row
from noiseless.search.contiguous.line import OrderedRange
from noiseless.search.contiguous.sweep import Sweep, Windows
from noiseless.search.loss import Length, Utility
from noiseless.search.problem import Problem

# ruff: noqa: PLR0917 - compiled functions take no keywords

MOST_STRIPS = 64
"""Bounds look at no more than so many strips, those with the most pairs."""


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
        sweep: the line, and what is lost by a cell of it.
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

    @property
    def whole(self) -> Room:
        """Room for everything."""
        return Room(self.sweep.line.span, len(self.members))

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

    def lows(self, room: Room) -> Row:
        """For each value the first one with which it may share a cell."""
        found = self.sweep.blank(len(self.members))
        self.sweep.run(first_within, self._places, room.width, room.values, found)
        return found

    @cached_property
    def _places(self) -> Row:
        return self.sweep.row(self.sweep.line.places)

    def cut(self, k: int, room: Room, prices: Row | None = None, *, few: bool = False) -> IntArray | None:
        """The cell of each value, in as many cells as possible, suppressed ones being -1; None if impossible.

        Args:
            k: how many sensitive values each cell has at least.
            room: how large a cell may be.
            prices: what suppressing each value costs; None if none may be.
            few: in as few cells as possible instead.
        """
        size = len(self.members)
        if k > self.sensitive:
            return None if prices is None else np.full(size, -1)
        best, chosen, queue = (self.sweep.blank(size + 1) for _ in range(3))
        free = self.sweep.blank(size, -1) if prices is None else prices
        starts, lows = self.windows(k).starts, self.lows(room)
        each = 1 if few else -1
        found = self.sweep.run(cheapest_cut, starts, lows, free, each, best, chosen, queue)
        if found >= NOWHERE:
            return None
        cells, cut, number = np.full(size, -1), size, 0
        while cut:
            start = int(chosen[cut])
            if start >= 0:
                cells[start:cut] = number
                number += 1
            cut = start if start >= 0 else cut - 1
        return cells

    @property
    def _by_width(self) -> bool:
        return self.sweep.utility == "distortion"

    def _own(self, room: Room) -> int | None:
        """How wide a cell may be for the sweep, if its loss is all that is limited."""
        if self._by_width:
            return room.width if room.values >= len(self.members) else None
        return room.values - 1 if room.width >= self.sweep.line.span else None

    def is_possible(self, k: int, room: Room) -> bool:
        """Whether contiguous cells with k sensitive values each find room."""
        if k > self.sensitive:
            return False
        own = self._own(room)
        return self.cut(k, room) is not None if own is None else self.windows(k).is_possible(own)

    def least(self, k: int, room: Room) -> Room | None:
        """The least room (of the loss that counts) within some room; None if that is too little."""
        if k > self.sensitive:
            return None
        own = self._own(room)
        if own is not None:
            least = self.windows(k).least_width()
            return None if least > own else self._less(room, least if self._by_width else least + 1)
        if not self.is_possible(k, room):
            return None
        low, high = (0, room.width) if self._by_width else (1, room.values)
        return self._less(
            room, least_number(lambda own: self.is_possible(k, self._less(room, own)), low, high)
        )

    def _less(self, room: Room, own: int) -> Room:
        return Room(own, room.values) if self._by_width else Room(room.width, own)

    def most(self, room: Room, least: int = 1) -> int:
        """The largest posterior that finds room; `least` is known to."""
        further = range(least + 1, self.sensitive + 1)
        return least + bisect_left(further, True, key=lambda k: not self.is_possible(k, room))


def strips(problem: Problem, utility: Utility, most: int | None = None) -> list[LineStrip]:
    """The strips of a problem, along its numeric column or else in the order of its values.

    Args:
        problem: what is to be merged; for the distortion its values lie on a line.
        utility: what is lost by a cell.
        most: no more than so many strips, those with the most pairs.
    """
    places = problem.line if problem.line is not None else np.arange(problem.size)
    unit = problem.unit if problem.line is not None else Fraction(1)
    if problem.plain:
        line = OrderedRange.of(problem.joint, places)
        return [LineStrip(Sweep(line, utility), line.order, 0, unit * line.unit / 2)]
    joint = problem.joint
    codes = problem.seen[joint.y]
    counts = np.bincount(codes, minlength=len(problem.prior))
    order, starts = np.argsort(codes, kind="stable"), np.append(0, np.cumsum(counts))
    found = []
    for code in np.argsort(-counts, kind="stable")[:most].tolist():
        pairs = order[starts[code] : starts[code + 1]]
        values, y = np.unique(problem.public[joint.y[pairs]], return_inverse=True)
        s = np.unique(joint.x[pairs], return_inverse=True)[1]
        line = OrderedRange.of(JointRange.from_codes(s.reshape(-1), y.reshape(-1)), places[values])
        found.append(LineStrip(Sweep(line, utility), values[line.order], code, unit * line.unit / 2))
    return found


def together(problem: Problem, parts: list[LineStrip], cells: list[IntArray]) -> tuple[IntArray, BoolArray]:
    """The cells of all strips as one label for each public value, and which of them are suppressed."""
    labels = np.full(problem.size, -1)
    used = 0
    for part, own in zip(parts, cells, strict=True):
        labels[part.members] = np.where(own < 0, -1, own + used)
        used += int(own.max()) + 1 if len(own) else 0
    hidden = labels < 0
    labels[hidden] = used
    return labels, hidden


# Notation as in `contiguous.kernels`: a cell that ends at value j starts within [lows(j),
# starts(j)], and both move right with j. Cut i lies left of value i.

NOWHERE = 2**62
"""The price of a cut that cannot be reached."""


def first_within(x: Row, width: int, most: int, lows: Row) -> None:
    """For each j the first i with x_j - x_i <= width and at most so many values from i to j."""
    i = 0
    for j in range(len(x)):
        while x[j] - x[i] > width or j - i >= most:
            i += 1
        lows[j] = i


def cheapest_cut(starts: Row, lows: Row, prices: Row, each: int, best: Row, chosen: Row, queue: Row) -> int:
    """The least sum of the prices of suppressed values and of `each` for each cell; NOWHERE if impossible.

    Every value is suppressed at its price (never where that is negative) or in a cell. No value within a
    cell's ends is suppressed: that would not make the cell narrower. `chosen[j + 1]` is where the last cell
    of the best way to j starts, as late as possible among equals, or -1 if j is suppressed.
    """
    n = len(starts)
    best[0] = 0
    head = tail = taken = 0
    for j in range(n):
        while taken <= starts[j]:
            if best[taken] < NOWHERE:
                while tail > head and best[queue[tail - 1]] >= best[taken]:
                    tail -= 1
                queue[tail] = taken
                tail += 1
            taken += 1
        while head < tail and queue[head] < lows[j]:
            head += 1
        best[j + 1] = NOWHERE
        chosen[j + 1] = -1
        if prices[j] >= 0 and best[j] < NOWHERE:
            best[j + 1] = best[j] + prices[j]
        if head < tail and best[queue[head]] + each <= best[j + 1]:
            best[j + 1] = best[queue[head]] + each
            chosen[j + 1] = queue[head]
    return best[n]
