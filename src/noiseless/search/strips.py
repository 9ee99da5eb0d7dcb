"""Public values in a line, a strip for each thing that is seen beside the cell: contiguous cells, exactly."""

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from noiseless.arrays import BoolArray, IntArray
from noiseless.ranges import JointRange
from noiseless.search.contiguous import kernels
from noiseless.search.contiguous.kernels import Loops, Row, cells_of
from noiseless.search.contiguous.totals import least_total
from noiseless.search.loss import Length, Utility
from noiseless.search.mean_loss import MeanLoss
from noiseless.search.problem import Problem
from noiseless.tables.coding import narrow

MOST_STRIPS = 64
"""Bounds look at no more than this many strips, those with the most pairs."""

SMALL, LEAST = 200_000, 20
"""Below this many steps plain Python is faster than loading the compiled loops; each pair takes one for every
sensitive value, or the latter number."""

CHECKS = 24
"""How often a lower bound is tried to be raised: the bracket shrinks by this power of two."""


def least_number(holds: Callable[[int], bool], low: int, high: int) -> int:
    """The least number from which on something holds; it holds for the last one.

    Widths may be longer than any range that `bisect` takes.
    """
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return high


class Room(NamedTuple):
    """How large a cell of a strip may be.

    Attributes:
        width: how far its values may be apart, in units of the strip's line.
        values: how many values it may hold.
    """

    width: int
    values: int


class Windows(NamedTuple):
    """The narrowest runs of values with k different sensitive values, and the rows that a cell holds.

    Attributes:
        starts: for each value the last one from which a run to it is such a run, or -1.
        width: the least width of contiguous cells that are such runs; wider than the line if there are none.
    """

    starts: Row
    width: int


@dataclass(frozen=True, eq=False, repr=False)
class LineStrip:
    """The values that are seen with one code (a group, or a known a), in order, with their sensitive sets.

    >>> strip = LineStrip.of(JointRange.from_pairs([("a", 7), ("b", 1), ("b", 4)]), np.array([7, 1, 4]))
    >>> strip.places.tolist(), strip.step, strip.members.tolist(), strip.joint.posterior(0).tolist()
    ([0, 1, 2], 3, [1, 2, 0], [1])

    Attributes:
        joint: the pairs (s, x), the x numbered in ascending order.
        places: the distance of each x from the lowest, in steps (Python integers where they are huge).
        step: the largest number of which all distances are multiples.
        members: the public value of each x.
        code: the code of `Problem.seen`.
        scale: what a distance of 1 counts.
        utility: "distortion": a cell is as wide as its values are apart; "resolution": as the number of
            values that it holds, less one.
        weights: how many rows each x has; one each if not given.
        rows: how many rows each cell holds at least.
    """

    joint: JointRange
    places: IntArray
    step: int
    members: IntArray
    code: int = 0
    scale: Fraction = Fraction(1)
    utility: Utility = "distortion"
    weights: IntArray | None = None
    rows: int = 1

    @classmethod
    def of(
        cls,
        joint: JointRange,
        places: IntArray,
        values: IntArray | None = None,
        weights: IntArray | None = None,
    ) -> "LineStrip":
        """From a joint range [[S, X]], whose x are at different places.

        Args:
            joint: the X of `JointRange` is sensitive, its Y is public.
            places: where each public value lies, in whole numbers.
            values: what they are called; their codes if not given.
            weights: how many rows each has.
        """
        order = np.argsort(places, kind="stable")
        distances = places[order] - places.min()
        step = (math.gcd(*distances) if distances.dtype == object else int(np.gcd.reduce(distances))) or 1
        members, held = (None if one is None else one[order] for one in (values, weights))
        shown = order if members is None else members
        return cls(_reordered(joint, order), distances // step, step, shown, weights=held)

    def __len__(self) -> int:
        """How many values there are."""
        return len(self.places)

    @property
    def span(self) -> int:
        """The distance between the lowest and the highest value, in steps."""
        return int(self.places[-1])

    @property
    def sensitive(self) -> int:
        """How many sensitive values there are."""
        return self.joint.size_x

    @property
    def unit(self) -> Fraction:
        """What a width of 1 costs: half a distance."""
        return self.scale * self.step / 2

    @property
    def _by_width(self) -> bool:
        return self.utility == "distortion"

    def room(self, distortion: Length | None, values: int | None) -> Room:
        """The room that limits leave."""
        span = self.span
        if distortion is not None:
            span = min(span, math.isqrt(math.floor(distortion.squared / self.unit**2)))
        return Room(span, len(self) if values is None else min(len(self), values))

    # --- the kernels, and what they run on --------------------------------------------------------------

    @cached_property
    def fast(self) -> bool:
        """Whether the compiled kernels are used; huge numbers stay with Python."""
        return len(self.joint) * max(LEAST, self.sensitive) >= SMALL and self.places.dtype != object

    @cached_property
    def _loops(self) -> Loops:
        return Loops(self.fast)

    @cached_property
    def _places(self) -> Row:
        return self._loops.row(self.places)

    @cached_property
    def _x(self) -> Row:
        """What widths are measured between."""
        return self._places if self._by_width else self._loops.row(np.arange(len(self)))

    @cached_property
    def heads(self) -> Row:
        """How many rows there are before each value, and at the end of the line."""
        held = np.ones(len(self), np.int64) if self.weights is None else self.weights
        return self._loops.row(np.append(0, np.cumsum(held)))

    @cached_property
    def _pairs(self) -> tuple[Row, Row, Row]:
        """Where the pairs of each x begin, and the pairs before and after with the same sensitive value."""
        joint = self.joint
        order = np.argsort(narrow(joint.x, joint.size_x), kind="stable")
        same = np.diff(joint.x[order]) == 0
        before, after = np.full(len(joint), -1), np.full(len(joint), len(joint))
        before[order[1:][same]], after[order[:-1][same]] = order[:-1][same], order[1:][same]
        return self._loops.row(joint.starts), self._loops.row(before), self._loops.row(after)

    def _lows(self, room: Room) -> Row:
        """For each value the first one with which it may share a cell."""
        found = self._loops.blank(len(self))
        self._loops.run(kernels.first_within, self._places, room.width, room.values, found)
        return found

    def _narrowest(self, k: int, lows: Row) -> Windows:
        starts, best, queue = (self._loops.blank(len(self) + 1) for _ in range(3))
        limits, endless = (lows, k, self.rows), int(self._x[-1]) + 1
        width = self._loops.run(
            kernels.narrowest_cells, self._x, *self._pairs, self.heads, *limits, endless, starts, best, queue
        )
        return Windows(starts[:-1], int(width))

    @cached_property
    def windows(self) -> Callable[[int], Windows]:
        """The narrowest runs with k sensitive values; the last ones asked for are kept."""
        anywhere = self._loops.row(np.zeros(len(self), np.int64))
        return lru_cache(maxsize=2)(lambda k: self._narrowest(k, anywhere))

    # --- what no partition at all can do better ---------------------------------------------------------

    def cover_widths(self, k: int) -> IntArray:
        """For each value the least width of a run that holds it and k sensitive values; they may overlap."""
        starts, x = np.asarray(self.windows(k).starts), np.asarray(self._x)
        widths = self._loops.row(np.where(starts < 0, x[-1] + 1, x - x[starts]))
        queue, found = (self._loops.blank(len(self)) for _ in range(2))
        self._loops.run(kernels.cover_widths, self._x, widths, queue, found)
        return np.asarray(found)

    def cover_width(self, k: int) -> int:
        """No cells with k sensitive values are narrower: the largest of `cover_widths`."""
        return int(self.cover_widths(k).max())

    def is_refuted(self, k: int, width: int) -> bool:
        """Whether two values show that no partition at all has k sensitive values in cells of this width."""
        return bool(self._loops.run(kernels.clashes, self._x, *self._pairs, width, k))

    def least_of_any(self, k: int) -> int:
        """No partition at all with k sensitive values in each cell has narrower cells.

        Every value lies in a run with k sensitive values, and two values far apart do not share theirs.
        """
        low, high = self.cover_width(k), self.windows(k).width
        if low < high and self.is_refuted(k, high - 1):
            return high
        for _ in range(CHECKS):
            if low >= high - 1:
                break
            middle = (low + high) // 2
            low, high = (middle, high) if self.is_refuted(k, middle - 1) else (low, middle)
        return low

    # --- contiguous cells -------------------------------------------------------------------------------

    def can_hold(self, k: int) -> bool:
        """Whether the line has k sensitive values, and rows enough for a cell."""
        return k <= self.sensitive and int(self.heads[-1]) >= self.rows

    def cut(
        self, k: int, room: Room, prices: IntArray | None = None, *, few: bool = False
    ) -> IntArray | None:
        """The cell of each value, in as many cells as possible, suppressed ones being -1; None if impossible.

        Args:
            k: how many sensitive values each cell has at least.
            room: how large a cell may be.
            prices: what suppressing each value costs; None if none may be.
            few: in as few cells as possible instead.
        """
        size = len(self)
        if not self.can_hold(k):
            return None if prices is None else np.full(size, -1)
        best, chosen, queue = (self._loops.blank(size + 1) for _ in range(3))
        free = self._loops.row(np.full(size, -1) if prices is None else prices)
        limits = self.windows(k).starts, self._lows(room), free, 1 if few else -1
        found = self._loops.run(kernels.cheapest_cut, *limits, best, chosen, queue)
        return None if found >= kernels.NOWHERE else cells_of(chosen, self._loops)

    def cheapest(self, k: int, room: Room, loss: MeanLoss) -> tuple[IntArray, Fraction] | None:
        """The cell of each value at the least total loss, and what no cells come below; None if impossible.

        Args:
            k: how many sensitive values each cell has at least.
            room: how large a cell may be.
            loss: what a cell loses.
        """
        if not self.can_hold(k):
            return None
        limits = self.windows(k).starts, self._lows(room)
        found = least_total(self.places, np.asarray(self.heads), *limits, loss, fast=self.fast)
        return None if found is None else (cells_of(found.chosen, self._loops), found.least)

    @cached_property
    def _width(self) -> Callable[[int, Room], int]:
        """The least width (of the loss that counts) of cells with k sensitive values within some room."""
        whole = Room(self.span, len(self))
        return cache(
            lambda k, room: (self.windows(k) if room == whole else self._narrowest(k, self._lows(room))).width
        )

    def least(self, k: int, room: Room) -> Room | None:
        """The least room (of the loss that counts) within some room; None if that is too little."""
        if not self.can_hold(k):
            return None
        if self._by_width:
            width = self._width(k, room._replace(width=self.span))
            return room._replace(width=width) if width <= room.width else None
        values = self._width(k, room._replace(values=len(self))) + 1
        return room._replace(values=values) if values <= room.values else None

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

    @cached_property
    def orders(self) -> list[IntArray]:
        """Values by their commonest, and by their rarest, sensitive value; those with one together."""
        joint, ranks = self.joint, np.empty(self.sensitive, np.int64)
        ranks[np.lexsort((np.arange(self.sensitive), -joint.support_sizes))] = np.arange(self.sensitive)
        first, last = (end.reduceat(ranks[joint.x], joint.starts[:-1]) for end in (np.minimum, np.maximum))
        orders = [np.lexsort((last, first))]
        if len(joint) > joint.size_y:
            orders += [np.lexsort((first, last)), np.lexsort((first, joint.posterior_sizes))]
        return orders


def _reordered(joint: JointRange, order: IntArray) -> JointRange:
    """The same pairs, the y renumbered: new y i is old y `order[i]`."""
    if np.array_equal(order, np.arange(len(order))):
        return joint
    sizes = joint.posterior_sizes[order]
    starts = np.concatenate(([0], np.cumsum(sizes)))
    old = np.repeat(joint.starts[:-1][order] - starts[:-1], sizes) + np.arange(len(joint))
    y = np.repeat(np.arange(len(order)), sizes)
    return JointRange.from_sorted(joint.x[old], y, joint.size_x)


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
    scale = problem.unit if problem.line is not None else Fraction(1)

    def strip(joint: JointRange, values: IntArray, code: int) -> LineStrip:
        found = LineStrip.of(joint, places[values], values, problem.weights[values])
        return replace(found, code=code, scale=scale, utility=utility, rows=rows)

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


def together(members: Sequence[IntArray], cells: Sequence[IntArray]) -> tuple[IntArray, BoolArray]:
    """The cells of all parts as one label for each public value, and which of them are suppressed.

    Args:
        members: the public values of each part.
        cells: their cells, -1 where they are suppressed.
    """
    size, used = sum(map(len, members)), 0
    labels, hidden = np.empty(size, np.int64), np.empty(size, bool)
    for values, own in zip(members, cells, strict=True):
        labels[values], hidden[values] = own + used, own < 0
        used += int(own.max(initial=-1)) + 1
    labels[hidden] = used
    return labels, hidden
