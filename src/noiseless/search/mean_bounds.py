"""The least mean loss (NCP) of any partition: how far a cell around each value reaches at least.

A cell spans no less than any two of its members do. So a cell around a value spans at least as much as the
value and the nearest others that bring all that its answer must hold: sensitive values, and rows. All rows of
the value lose that, or all they have if they are suppressed.

Values that differ in one column of numbers alone are a block. Near values are those of near blocks, from one
place of that column to another. They are looked for within a limit that doubles, up to what the cell of the
value spans that was found; where they do not bring enough, the cell spans as much as the limit.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np

from noiseless.arrays import BoolArray, IntArray
from noiseless.search.axes import Axis
from noiseless.search.codebook import ColumnCodebook
from noiseless.search.entries import stable_order
from noiseless.search.mean_loss import CertaintyPenalty, exact_sum
from noiseless.search.problem import Cells, Problem
from noiseless.search.spans import Spans
from noiseless.tables.coding import whole_type
from noiseless.tables.kernels import order_by_code, ranked

PAIRS, AT_ONCE = 10**7, 2**20
"""This many pairs of blocks are looked at, the costliest blocks first, and this many at once."""

NEAR = 5 * 10**5
"""This many near values are looked at within each limit, those of values that have few first."""

DOUBLINGS = 4
"""So often limits double."""


def least_mean_loss(
    problem: Problem, need: IntArray, least_rows: int = 1, found: Cells | None = None
) -> Fraction | None:
    """The least mean loss of any partition within limits, as far as it can be shown.

    >>> from noiseless import JointRange
    >>> from noiseless.search.merging import Categories, ColumnCodebook, Numbers
    >>> ages, towns = Numbers([20, 21, 40, 41]), Categories(["A", "A", "B", "B"])
    >>> hidden = JointRange.from_codes([0, 1, 0, 1], [0, 1, 2, 3])
    >>> least_mean_loss(Problem(hidden, ColumnCodebook(ages, towns)), np.array([2]))
    Fraction(1, 42)

    Args:
        problem: what is merged, or suppressed.
        need: for each code of what is seen besides how many sensitive values an answer must leave.
        least_rows: how many rows an answer must have.
        found: a partition: no bound is above what it loses.

    Returns:
        The bound; None where the mean loss is another one, or numbers are too large.
    """
    book, rows = problem.codebook, int(problem.weights.sum())
    if not isinstance(book, ColumnCodebook) or not isinstance(problem.loss, CertaintyPenalty):
        return None
    spans = Spans.of(book, rows)
    if spans is None:
        return None
    known = Cells.from_labels(problem.group_of) if found is None else found
    least = CellReaches(problem, spans, need, least_rows, known).least
    return exact_sum(least, problem.weights) * spans.share / rows


class NearAnswers(NamedTuple):
    """Answers that were looked at.

    Attributes:
        answers: the answers.
        reaches: what a cell around each spans at least.
        lacking: which have too little within their limit.
    """

    answers: IntArray
    reaches: IntArray
    lacking: BoolArray


class NearBlocks(NamedTuple):
    """Pairs of a block and one that is near it, by the block and then by what they span together.

    Attributes:
        keys: the block, times what all span, and what they span, but for the column of numbers.
        others: the other block.
    """

    keys: IntArray
    others: IntArray


@dataclass(frozen=True, eq=False)
class CellReaches:
    """What cells around values span at least.

    An answer is a public value with what is seen besides: a y of the joint range.

    Attributes:
        problem: what is merged.
        spans: what cells span.
        need: for each code of what is seen besides how many sensitive values an answer must leave.
        least_rows: how many rows it must have.
        found: a partition; no farther than its cells reach is looked.
    """

    problem: Problem
    spans: Spans
    need: IntArray
    least_rows: int
    found: Cells

    @cached_property
    def least(self) -> IntArray:
        """What a cell around each public value spans at least, or a suppressed row loses."""
        reaches, least = self._looked_at(), np.zeros(self.problem.size, np.int64)
        np.maximum.at(least, self.problem.public, reaches)
        return least

    def _looked_at(self) -> IntArray:
        """The same for each answer."""
        radius, reaches = self._radius, np.zeros(self.problem.joint.size_y, np.int64)
        blocks, ordered = self._near(), self._ordered()
        left = np.flatnonzero(self._lacks & (radius > 0) & np.isin(self._blocks, self._chosen))
        for doubling in range(DOUBLINGS, -1, -1):
            near = self._within(left, np.maximum(radius[left] >> doubling, 1), blocks, ordered)
            reaches[near.answers] = near.reaches
            left = near.answers[near.lacking]
        return reaches

    @cached_property
    def _lacks(self) -> BoolArray:
        """Which answers need others."""
        enough = self.problem.joint.posterior_sizes >= self.need[self.problem.seen]
        return np.asarray(~(enough & (self.problem.counts >= self.least_rows)))

    @cached_property
    def _radius(self) -> IntArray:
        """How far to look from each answer: to the end of its cell."""
        order, starts = order_by_code(self.found.cell_of, self.found.count)
        spans = np.minimum(self.spans.cells(order, starts), self.spans.whole)
        return np.asarray(spans[self.found.cell_of[self.problem.public]])

    # --- blocks -----------------------------------------------------------------------------------

    @cached_property
    def _line(self) -> int:
        """The column of numbers that has most of them; -1 if there is none."""
        many = [len(axis.points) if type(axis) is Axis else 0 for axis in self.spans.axes]
        return int(np.argmax(many)) if max(many) else -1

    @cached_property
    def _places(self) -> IntArray:
        """Where each answer lies in that column."""
        if self._line < 0:
            return np.zeros(self.problem.joint.size_y, np.int64)
        axis, unit = self.spans.axes[self._line], self.spans.units[self._line]
        points = unit * axis.points
        return np.asarray(points.astype(whole_type(int(points.max()) + 1))[axis.codes[self.problem.public]])

    @cached_property
    def _blocks(self) -> IntArray:
        """The block of each answer; those that see the same come one after the other."""
        blocks = self.problem.seen
        for column, axis in enumerate(self.spans.axes):
            if column != self._line:
                blocks = ranked(blocks * len(axis.points) + axis.codes[self.problem.public])[1]
        return blocks.astype(whole_type(len(blocks)))

    @cached_property
    def _heads(self) -> IntArray:
        """An answer of each block."""
        heads = np.empty(int(self._blocks.max()) + 1, np.int64)
        heads[self._blocks[::-1]] = np.arange(len(self._blocks))[::-1]  # the last one stays: the first
        return heads

    @cached_property
    def _rivals(self) -> tuple[IntArray, IntArray]:
        """The first block that sees the same as each block, and the end of them."""
        seen = self.problem.seen[self._heads]
        return np.searchsorted(seen, seen), np.searchsorted(seen, seen, "right")

    @cached_property
    def _chosen(self) -> IntArray:
        """The blocks that are looked at: of too many those whose rows lose most."""
        lost, each = np.zeros(len(self._heads)), self._radius.astype(np.float64)
        each *= self._lacks
        each *= self.problem.counts
        np.add.at(lost, self._blocks, each)
        order = np.argsort(-lost, kind="stable")[: np.count_nonzero(lost)]
        pairs = np.cumsum((self._rivals[1] - self._rivals[0])[order])
        return np.sort(order[pairs <= PAIRS])

    @cached_property
    def _block_radius(self) -> IntArray:
        """How far to look from any answer of each block."""
        radius = np.zeros(len(self._heads), np.int64)
        np.maximum.at(radius, self._blocks, self._radius)
        return radius

    def _near(self) -> NearBlocks:
        """The blocks near each that is looked at."""
        (begin, end), chosen, at = self._rivals, self._chosen, 0
        keys, others = [np.zeros(0, np.int64)], list[IntArray]([np.zeros(0, np.int32)])
        while at < len(chosen):
            step = max(1, min(1024, AT_ONCE // int(end[chosen[at]] - begin[chosen[at]])))
            some = self._near_some(chosen[at : at + step])
            keys.append(some[0])
            others.append(some[1])
            at += step
        joined = np.concatenate(keys)
        keys.clear()  # which makes room for the others
        return NearBlocks(joined, np.concatenate(others))

    def _near_some(self, blocks: IntArray) -> tuple[IntArray, IntArray]:
        """The pairs of some blocks, which ascend, with those near them."""
        low, high = self._rivals[0][blocks[0]], self._rivals[1][blocks[-1]]
        values, seen = self.problem.public[self._heads], self.problem.seen[self._heads]
        spans = np.where(seen[blocks][:, None] == seen[low:high], 0, self.spans.whole)
        for column, axis in enumerate(self.spans.axes):
            if column != self._line:
                codes = axis.codes[values]
                known, places = ranked(codes[low:high])
                spans += self.spans.pairs(column, codes[blocks][:, None], known)[:, places]
        at, other = np.nonzero(spans < self._block_radius[blocks][:, None])
        keys = blocks[at] * self.spans.whole + spans[at, other]
        order = np.argsort(keys, kind="stable")
        return keys[order], (other + low)[order].astype(whole_type(len(self._heads)))

    # --- near values ------------------------------------------------------------------------------

    @cached_property
    def _length(self) -> int:
        return int(self._places.max()) + 1

    def _ordered(self) -> tuple[IntArray, IntArray]:
        """The answers by their blocks and places, and these as keys."""
        keys = self._blocks.astype(np.int64)
        keys *= self._length
        keys += self._places
        order = stable_order(keys)
        keys.sort()
        return order, keys

    def _within(
        self, answers: IntArray, limits: IntArray, near: NearBlocks, ordered: tuple[IntArray, IntArray]
    ) -> NearAnswers:
        """What cells span that hold answers and others within their limits."""
        order, keys = ordered
        start = self._blocks[answers].astype(np.int64) * self.spans.whole
        first, last = np.searchsorted(near.keys, start), np.searchsorted(near.keys, start + limits)
        few = _fewest(last - first)
        answers, limits, first, last = (part[few] for part in (answers, limits, first, last))
        centre, pair = _expanded(first, last - first)
        spans, base = near.keys[pair] % self.spans.whole, near.others[pair].astype(np.int64) * self._length
        places, room = self._places[answers][centre], limits[centre] - 1 - spans
        low = np.searchsorted(keys, base + np.maximum(places - room, 0))
        high = np.searchsorted(keys, base + np.minimum(places + room, self._length - 1), "right")
        many = np.bincount(centre, high - low, len(answers)).astype(np.int64)
        few = _fewest(many)
        kept = few[centre]
        number, at = _expanded(low[kept], (high - low)[kept])
        centre, spans, places = (part[kept][number] for part in (centre, spans, places))
        spans = spans + np.abs(self._places[order[at]] - places)
        reaches = self._reaches(answers, centre, order[at], spans)[few]
        return NearAnswers(answers[few], np.where(reaches < 0, limits[few], reaches), reaches < 0)

    def _reaches(self, answers: IntArray, centres: IntArray, others: IntArray, spans: IntArray) -> IntArray:
        """How near the others are together that bring an answer what it needs; -1 where they do not."""
        by_span = np.lexsort((spans, centres))
        centres, others, spans = centres[by_span], others[by_span], spans[by_span]
        joint, need = self.problem.joint, self.need[self.problem.seen[answers]]
        number, at = _expanded(joint.starts[:-1][others], joint.posterior_sizes[others])
        first = np.sort(np.unique(centres[number] * joint.size_x + joint.x[at], return_index=True)[1])
        reaches = _nth(centres[number][first], spans[number][first], need, np.ones(len(first), np.int64))
        if self.least_rows > 1:
            rows = _nth(centres, spans, np.full(len(answers), self.least_rows), self.problem.counts[others])
            reaches = np.where((reaches < 0) | (rows < 0), -1, np.maximum(reaches, rows))
        return reaches


def _nth(centres: IntArray, spans: IntArray, needs: IntArray, counts: IntArray) -> IntArray:
    """For each centre the span with which all counts up to it are what is needed; -1 where they never are.

    Spans are given by centre, ascending.
    """
    ends, total = np.searchsorted(centres, np.arange(len(needs)), "right"), np.append(0, np.cumsum(counts))
    starts = np.append(0, ends[:-1])
    at = np.searchsorted(total, total[starts] + needs) - 1
    return np.where(at < ends, np.append(spans, -1)[np.minimum(at, len(spans))], -1)


def _fewest(counts: IntArray) -> BoolArray:
    """Those with the smallest counts, no more than `NEAR` together."""
    alike = np.bincount(np.minimum(counts, NEAR + 1), minlength=1)
    over = np.cumsum(alike * np.arange(len(alike))) > NEAR
    if not over.any():
        return np.ones(len(counts), bool)
    most = int(np.argmax(over))  # of those with this many the first ones, as far as they fit
    kept = counts < most
    kept[np.flatnonzero(counts == most)[: (NEAR - int(counts[kept].sum())) // most]] = True
    return kept


def _expanded(starts: IntArray, counts: IntArray) -> tuple[IntArray, IntArray]:
    """The number of each run, once for each of its places, and the places."""
    ends = np.cumsum(counts)
    numbers = np.repeat(np.arange(len(counts)), counts)
    return numbers, np.arange(len(numbers)) + np.repeat(starts - ends + counts, counts)
