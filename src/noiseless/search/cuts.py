"""Where cells are cut in two along a column: what a cut gains, and what becomes of the columns' orders."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from noiseless.arrays import BoolArray, FloatArray, IntArray
from noiseless.search import cell_kernels
from noiseless.search.axes import Axis, CategoryAxis, TreeAxis, begins, sizes_of
from noiseless.search.entries import stable_order
from noiseless.tables.coding import whole_type
from noiseless.tables.kernels import compiled

PACK = 48
"""How many values a pack has at most: cells of packs are also grown, and looked at member by member."""

LARGE = 4096
"""A cell with more values is cut in balance, along the first of its widest columns that can be cut."""

BINS = 10
"""Two to this power are the places of a column between which a large cell is cut, or twice as many."""

DEEP = 64
"""A cell that was cut so often is cut in balance, too: else one value at a time could be cut off."""

LEAST = 8
"""In balance: the smaller part has at least one row in this many, where such a cut is possible."""

FEW_UNITS = 6
"""A cell with fewer times the rows that a part needs is cut for what its parts can be cut into along this
column; a larger one, where there is no other column, so that few rows are left over."""

Cutting = Literal["mean", "worst", "median"]
"""What a cut makes small: both of its parts, or the larger; or it halves the rows along the widest column."""

Form = tuple[FloatArray, int, FloatArray, IntArray, IntArray, IntArray]


@dataclass(frozen=True, eq=False)
class SortedCells:
    """Cells with their members in the order of each column.

    Attributes:
        codes: the place of each member in each column.
        rows: how many rows each member has; empty if one each.
        forms: what compiled loops need to know of each column.
        orders: for each column the members, cell by cell, in its order.
        starts: where each cell begins.
        origins: which of the cells that were given first each is a part of.
        packs: a member of the first cell that each is a part of and that is a pack; of its own if none is.
        level: how often these cells were cut before.
    """

    codes: Sequence[IntArray]
    rows: IntArray
    forms: Sequence[Form]
    orders: Sequence[IntArray]
    starts: IntArray
    origins: IntArray
    packs: IntArray
    level: int = 0

    @classmethod
    def of(
        cls, axes: Sequence[Axis], codes: Sequence[IntArray], rows: IntArray, starts: IntArray
    ) -> "SortedCells":
        """Sort the members of cells that are given one after the other."""
        cells = np.repeat(np.arange(len(starts)), sizes_of(starts, len(codes[0])))
        orders = [stable_order(cells * (int(column.max()) + 1) + column) for column in codes]
        forms = [form_of(axis, column) for axis, column in zip(axes, codes, strict=True)]
        orders = [order.astype(whole_type(len(order))) for order in orders]
        return cls(codes, rows, forms, orders, starts, np.arange(len(starts)), orders[0][starts])

    def __len__(self) -> int:
        return len(self.orders[0])

    @property
    def large(self) -> int:
        """A cell with more rows is cut in balance: a large one, and any that was cut very often."""
        return LARGE if self.level < DEEP else 0

    @cached_property
    def bounds(self) -> IntArray:
        """Where each cell begins, and the end."""
        return np.append(self.starts, len(self))

    @cached_property
    def cells(self) -> IntArray:
        """The cell of each place, in any order."""
        return np.repeat(np.arange(len(self.starts)), np.diff(self.bounds))

    def cut(self, chosen: IntArray, cuts: IntArray, *, fast: bool) -> tuple["SortedCells", "SortedCells"]:
        """The cells that are not cut, and the others as two each.

        Args:
            chosen: the column along which each cell is cut, -1 for none.
            cuts: after which place in that column's order.
            fast: whether loops are compiled.
        """
        is_cut, sizes = chosen >= 0, np.diff(self.bounds)
        ends = np.cumsum(np.where(is_cut, sizes, 0))
        targets = np.where(is_cut, ends - sizes, -1)
        behind = np.zeros(len(self.codes[0]), bool)
        for number, order in enumerate(self.orders):
            if fast:
                compiled(cell_kernels.mark)(order, self.bounds, number, chosen, cuts, behind)
            else:
                mine = np.flatnonzero((chosen == number)[self.cells])
                behind[order[mine]] = mine > cuts[self.cells[mine]]
        orders = [
            self._parted(order, behind, cuts, targets, int(ends[-1]), fast=fast) for order in self.orders
        ]
        fronts = targets + cuts + 1 - self.starts
        starts = np.stack((targets, fronts), axis=1)[is_cut].reshape(-1)
        kept, twice = np.flatnonzero(~is_cut), np.repeat(np.flatnonzero(is_cut), 2)
        packs = np.where(sizes[twice] > PACK, orders[0][starts], self.packs[twice])
        cut = replace(self, orders=orders, starts=starts, origins=self.origins[twice], level=self.level + 1)
        rest, ends = [self.orders[0][np.flatnonzero(~is_cut[self.cells])]], np.cumsum(sizes[kept])
        whole = replace(self, orders=rest, starts=ends - sizes[kept])
        return replace(whole, origins=self.origins[kept], packs=self.packs[kept]), replace(cut, packs=packs)

    def _parted(
        self, order: IntArray, behind: BoolArray, cuts: IntArray, targets: IntArray, size: int, *, fast: bool
    ) -> IntArray:
        """The members of the cells that are cut, part by part, in the same order."""
        if not fast:
            kept = (targets >= 0)[self.cells]
            return order[kept][stable_order(self.cells[kept] * 2 + behind[order[kept]])]
        found = np.empty(size, order.dtype)
        compiled(cell_kernels.divide)(order, self.bounds, behind, cuts, targets, found)
        return found


def best_cuts(
    axis: Axis, number: int, cells: SortedCells, fine: BoolArray, prefer: Cutting, *, fast: bool
) -> tuple[FloatArray, IntArray]:
    """What the best cut of each cell along a column gains, and after which place it is; -1 for none.

    Args:
        axis: the column.
        number: which one it is.
        cells: the cells.
        fine: after which places they may be cut; what is between equal codes is taken out.
        prefer: what is best.
        fast: whether loops are compiled; otherwise numpy does the same.
    """
    order, codes = cells.orders[number], cells.codes[number]
    if not fast or prefer == "median":
        gains, best = _plain_cuts(axis, number, cells, fine, prefer)
        return _counted(axis, gains), best
    many, form = len(cells.starts), cells.forms[number]
    left, right, spans = np.empty(len(order)), np.empty(len(order)), np.empty(many)
    gains, best = np.empty(many), np.empty(many, np.int64)
    compiled(cell_kernels.part_spans)(order, cells.bounds, codes, *form, fine, left, right, spans)
    rules = prefer != "worst", cells.large, LEAST, FEW_UNITS, len(cells.codes) == 1
    parts = fine, left, right, spans
    compiled(cell_kernels.best_cuts)(order, cells.bounds, cells.rows, *parts, *rules, gains, best)
    return _counted(axis, gains), best


def _counted(axis: Axis, spans: FloatArray) -> FloatArray:
    """Lengths in a column as what they count; divided, so that equal shares of two columns are equal."""
    return spans / float(axis.whole) * float(axis.weight) if axis.whole else np.zeros(len(spans))


def form_of(axis: Axis, codes: IntArray) -> Form:
    """What compiled loops need to know of a column and the codes of some members."""
    none = np.zeros(0, np.int64)
    if isinstance(axis, TreeAxis):
        return (
            np.zeros(0),
            cell_kernels.TREE,
            axis.counts.astype(np.float64),
            axis.nodes,
            axis.parents,
            axis.lasts,
        )
    if isinstance(axis, CategoryAxis):
        return np.zeros(0), cell_kernels.CATEGORIES, np.zeros(0), none, none, none
    return axis.points[codes].astype(np.float64), cell_kernels.NUMBERS, np.zeros(0), none, none, none


def _plain_cuts(
    axis: Axis, number: int, cells: SortedCells, fine: BoolArray, prefer: Cutting
) -> tuple[FloatArray, IntArray]:
    """The best cut of each cell, by numpy."""
    order, starts, ends = cells.orders[number], cells.starts, cells.bounds[1:] - 1
    codes = cells.codes[number][order]
    places = axis.places(codes)
    spans = axis.spans(places[starts], places[ends])
    sums = np.append(0, np.cumsum(cells.rows[order])) if len(cells.rows) else np.arange(len(order) + 1)
    fine[:-1] &= codes[1:] != codes[:-1]
    if prefer == "median":
        return spans, _plain_medians(codes, cells, sums, fine)
    gains, best = np.zeros(len(starts)), np.full(len(starts), -1)
    cuts = np.flatnonzero(fine)
    if not len(cuts):
        return gains, best
    cell = cells.cells[cuts]
    heads = np.flatnonzero(begins(cell))
    many = np.diff(heads, append=len(cell))
    whole = (sums[ends + 1] - sums[starts])[cell]
    before = sums[cuts + 1] - sums[starts[cell]]
    after = whole - before
    unit = np.repeat(np.maximum(1, np.minimum(before[heads], after[heads + many - 1])), many)
    left, right = (
        axis.spans(places[starts[cell]], places[cuts]),
        axis.spans(places[cuts + 1], places[ends[cell]]),
    )
    for part, rows in ((left, before), (right, after)):
        whole_units, few = np.maximum(1, rows // unit), whole < FEW_UNITS * unit
        part[few] /= whole_units[few]
        if len(cells.codes) == 1:
            part[~few] *= (rows / (unit * whole_units))[~few]
    gain = _gains(spans[cell], (left, right), before, whole, prefer)
    gain = _in_balance(gain, before, whole, cells.large)
    most = np.maximum.reduceat(gain, heads)
    at = np.flatnonzero(gain == np.repeat(most, many))
    at = at[begins(cell[at])]
    gains[cell[at]], best[cell[at]] = most, cuts[at]
    return gains, best


def _gains(
    span: FloatArray, parts: tuple[FloatArray, FloatArray], before: IntArray, whole: IntArray, prefer: Cutting
) -> FloatArray:
    """What cuts gain."""
    left, right = parts
    after = whole - before
    if prefer == "worst":
        return span - np.maximum(left, right)
    return span * whole - left * before - right * after


def _in_balance(gains: FloatArray, before: IntArray, whole: IntArray, large: int) -> FloatArray:
    """What cuts gain; but lopsided cuts of cells with many rows come after all others."""
    less = np.minimum(before, whole - before)
    lopsided = (whole > large) & (less * LEAST < whole)
    return np.where(lopsided, gains * less / (whole * whole), gains)


def _plain_medians(codes: IntArray, cells: SortedCells, sums: IntArray, fine: BoolArray) -> IntArray:
    """For each cell the cut behind the median of its rows, or else before it; -1 where neither is fine."""
    starts, ends = cells.starts, cells.bounds[1:]
    half = sums[starts] + (sums[ends] - sums[starts] + 1) // 2
    at = np.clip(np.searchsorted(sums[1:], half), starts, ends - 1)
    first = begins(codes)
    first[starts] = True
    runs, run = np.append(np.flatnonzero(first), len(codes)), np.cumsum(first) - 1
    behind, before = runs[run[at] + 1] - 1, runs[run[at]] - 1
    return np.where(fine[behind], behind, np.where((before >= starts) & fine[before], before, -1))


def width(axis: Axis, codes: IntArray) -> float:
    """How much of a column a cell spans, times what it counts."""
    low, high = codes.min(), codes.max()
    if isinstance(axis, CategoryAxis):
        met = np.zeros(int(high) - int(low) + 1, bool)
        met[codes - low] = True
        spans = np.array([np.count_nonzero(met) - 1.0])
    else:
        spans = axis.spans(np.array([low]), np.array([high]))
    return float(_counted(axis, spans)[0])


def coarse_cuts(axis: Axis, codes: IntArray, rows: IntArray | None, prefer: Cutting) -> list[int]:
    """The codes after which a large cell is best cut along a column, by a histogram.

    Args:
        axis: the column.
        codes: the place of each member in it.
        rows: how many rows each member has; one each if not given.
        prefer: what is best.
    """
    low, high = int(codes.min()), int(codes.max())
    shift = max(0, (high - low).bit_length() - BINS)
    bins = (codes - low) >> shift
    held = np.bincount(bins, rows)
    full = np.flatnonzero(held)
    if len(full) == 1:
        return []
    sums = np.cumsum(held[full])
    if prefer == "median":
        at = int(np.searchsorted(2 * sums, sums[-1]))
        within = np.flatnonzero(bins == full[at])
        inner = within[np.argsort(codes[within], kind="stable")]
        own = np.cumsum(np.ones(len(inner)) if rows is None else rows[inner])
        code = int(codes[inner[np.searchsorted(2 * (sums[at] - own[-1] + own), sums[-1])]])
        return [code, code - 1]
    edges = low + (full << shift)
    last, following, ends = edges[:-1] + (1 << shift) - 1, edges[1:], np.array([low, high])
    if isinstance(axis, CategoryAxis) and not shift:
        last, following, ends = (
            np.arange(len(full) - 1),
            np.arange(1, len(full)),
            np.array([0, len(full) - 1]),
        )
    first, final = np.full_like(last, ends[0]), np.full_like(last, ends[1])
    left, right = axis.spans(first, last), axis.spans(following, final)
    gains = _gains(axis.spans(first, final), (left, right), sums[:-1], sums[-1], prefer)
    best = int(np.argmax(_in_balance(gains, sums[:-1], sums[-1], LARGE)))
    return [int(edges[best]) + (1 << shift) - 1]
