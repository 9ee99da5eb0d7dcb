"""Cells from the top down: all values are one cell, and cells are cut in two while both parts keep limits.

This is Mondrian's family (LeFevre, DeWitt and Ramakrishnan 2006), with every cut where it gains most instead
of at the median. All cells of a batch are cut at once: a level costs a few sorts, and there are about as many
levels as a balanced tree has. Floats choose cuts and nothing else: what is found is measured anew, exactly.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from noiseless.arrays import BoolArray, FloatArray, IntArray
from noiseless.search.axes import Axis, begins
from noiseless.search.codebook import ColumnCodebook
from noiseless.search.goal import Targets
from noiseless.search.loss import Preference
from noiseless.search.problem import Cells, Problem

BATCH = 2**17
"""Cells are cut together until they hold so many values: the arrays of a batch fit a processor's cache."""

LARGE = 4096
"""A cell with more values is cut in balance, along the first of its widest columns that can be cut."""

LEAST = 8
"""In balance: the smaller part has at least one row in so many, where such a cut is possible."""

FEW_UNITS = 6
"""A cell with fewer times the rows that a part needs is cut so that few of them are left over."""

TOP_DOWN = "top-down"
"""What the method is called."""


@dataclass(frozen=True, eq=False)
class PosteriorLimit:
    """At least so many different sensitive values behind each answer: a cell, and what is seen with it.

    Attributes:
        starts: where the pairs of each public value begin, and the end.
        secrets: what each pair holds: a code for the sensitive value and what is seen with it.
        seen: what is seen with each secret.
        need: how many different secrets an answer must have, for each code of what is seen.
    """

    starts: IntArray
    secrets: IntArray
    seen: IntArray
    need: IntArray

    @classmethod
    def of(cls, problem: Problem, need: IntArray) -> "PosteriorLimit":
        """The limit of a problem."""
        joint = problem.joint
        values, many = problem.public[joint.y], len(need)
        known, secrets = np.unique(joint.x * many + problem.seen[joint.y], return_inverse=True)
        order = np.argsort(values, kind="stable")
        starts = np.append(0, np.cumsum(np.bincount(values, minlength=problem.size)))
        return cls(starts, secrets.reshape(-1)[order], known % many, need)

    def allows(self, order: IntArray, cells: IntArray, starts: IntArray) -> BoolArray:
        """Whether a cell may be cut after each of its members, in this order: both parts leave enough.

        An answer is open from its first member until it has as many secrets as it needs. Parts are fine where
        none is open, read from the left and from the right.
        """
        size, low, middle = len(order), _bits(len(order)), _bits(len(self.seen))
        counts = self.starts[order + 1] - self.starts[order]
        members = np.repeat(np.arange(size), counts)
        pairs = np.repeat(self.starts[order] - np.cumsum(counts) + counts, counts) + np.arange(len(members))
        keys = np.sort((cells[members] << middle | self.secrets[pairs]) << low | members)
        kinds, places = keys >> low, keys & (1 << low) - 1
        first = begins(kinds)
        last = np.append(first[1:], True)
        answers = kinds >> middle
        if len(self.need) > 1:
            answers = answers * len(self.need) + self.seen[kinds & (1 << middle) - 1]
        ends = np.append(starts[1:], size)
        left = self._open(answers[first], places[first], ends)
        right = self._open(answers[last], size - 1 - places[last], size - starts)[::-1]
        return np.asarray((left[:-1] == 0) & (right[1:] == 0))

    def _open(self, answers: IntArray, places: IntArray, ends: IntArray) -> IntArray:
        """How many answers are open after each place; they end with their cell."""
        size = int(ends.max())
        low = _bits(size)
        keys = np.sort(answers << low | places)
        answers, places = keys >> low, keys & (1 << low) - 1
        heads = np.flatnonzero(begins(answers))
        cells, seen = np.divmod(answers[heads], len(self.need))
        met = heads + self.need[seen] - 1
        enough = self.need[seen] <= np.diff(heads, append=len(keys))
        closes = np.where(enough, places[np.minimum(met, len(keys) - 1)], ends[cells])
        change = np.bincount(places[heads], minlength=size + 1) - np.bincount(closes, minlength=size + 1)
        return np.cumsum(change)[:size]


def _bits(count: int) -> int:
    """How many bits hold the numbers below a count: sorted keys are numbers side by side."""
    return max(1, (count - 1).bit_length())


@dataclass(frozen=True, eq=False)
class TopDown:
    """Cuts cells until no cut is left that keeps to the limit.

    Attributes:
        axes: the columns.
        rows: how many rows each public value has.
        limit: what both parts of a cut must keep to.
    """

    axes: Sequence[Axis]
    rows: IntArray
    limit: PosteriorLimit

    def cut(
        self, labels: IntArray, prefer: Preference, values: IntArray | None = None, *, once: bool = False
    ) -> IntArray:
        """The cells that given ones are cut into, as a label for each public value.

        Args:
            labels: cells that keep to the limit.
            prefer: what each cut is to make small.
            values: which public values are cut, whole cells; the labels of the others mean nothing.
            once: each cell is cut in two at most, and not on and on.
        """
        values = np.arange(len(labels)) if values is None else values
        order = values[np.argsort(labels[values], kind="stable")]
        waiting = [(order, np.flatnonzero(begins(labels[order])))] if len(order) else []
        found, used = np.full(len(labels), -1), 0
        while waiting:
            order, starts = waiting.pop()
            if len(order) > BATCH and len(starts) > 1:
                waiting += _halves(order, starts)
                continue
            cells = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(order)))
            is_cut, behind = self._parts(order, cells, starts, prefer)
            whole = ~is_cut[cells] | once
            parts = cells * 2 + behind
            found[order[whole]] = used + parts[whole]
            used += 2 * len(starts)
            if not whole.all():
                keys = parts[~whole]
                inner = np.argsort(keys, kind="stable")
                waiting.append((order[~whole][inner], np.flatnonzero(begins(keys[inner]))))
        return found

    def _parts(
        self, order: IntArray, cells: IntArray, starts: IntArray, prefer: Preference
    ) -> tuple[BoolArray, BoolArray]:
        """Which cells are cut, and which of their members lie behind the cut."""
        many = len(starts)
        sizes = np.diff(starts, append=len(order))
        costs = np.stack([axis.cell_spans(order, starts).astype(float) * axis.scale for axis in self.axes])
        widest = np.argsort(-costs, axis=0, kind="stable")
        gains, chosen, at = np.zeros(many), np.full(many, -1), np.zeros(many, np.int64)
        for choice in widest:
            open_ = (costs[choice, np.arange(many)] > 0) & ((chosen < 0) | (sizes <= LARGE))
            for number in np.unique(choice[open_]):
                mine = np.flatnonzero(open_ & (choice == number))
                found, gain, place = self._best(self.axes[number], order, cells, mine, prefer)
                better = (gain > gains[found]) | (chosen[found] < 0)
                found = found[better]
                gains[found], at[found], chosen[found] = gain[better], place[better], number
        behind = np.zeros(len(order), bool)
        for number in np.unique(chosen[chosen >= 0]):
            members = chosen[cells] == number
            behind[members] = self.axes[number].codes[order[members]] > at[cells[members]]
        return chosen >= 0, behind

    def _best(
        self, axis: Axis, order: IntArray, cells: IntArray, mine: IntArray, prefer: Preference
    ) -> tuple[IntArray, FloatArray, IntArray]:
        """The cells among some that can be cut along an axis; what the best cut gains, and its place."""
        numbers = np.full(int(cells[-1]) + 1, -1)
        numbers[mine] = np.arange(len(mine))
        own = numbers[cells]
        within = own >= 0
        low = _bits(len(axis.codes))
        keys = np.sort(own[within] << low | axis.ranks[order[within]])
        own, members = keys >> low, axis.order[keys & (1 << low) - 1]
        starts = np.flatnonzero(begins(own))
        ends = np.append(starts[1:], len(own)) - 1
        codes = axis.codes[members]
        fine = self.limit.allows(members, own, starts) & (codes[1:] != codes[:-1])
        fine[ends[:-1]] = False
        cuts = np.flatnonzero(fine)
        if not len(cuts):
            return mine[:0], np.zeros(0), mine[:0]
        cell, places = own[cuts], axis.places(codes)
        rows = np.append(0, np.cumsum(self.rows[members]))
        before = rows[cuts + 1] - rows[starts[cell]]
        whole = (rows[ends + 1] - rows[starts])[cell]
        heads = np.flatnonzero(begins(cell))
        unit = np.minimum(before[heads], (whole - before)[np.append(heads[1:], len(cell)) - 1])
        unit = np.repeat(unit, np.diff(heads, append=len(cell)))
        unit = np.where(whole < FEW_UNITS * unit, unit, whole)
        left = axis.spans(places[starts[cell]], places[cuts]) / np.maximum(1, before // unit)
        right = axis.spans(places[cuts + 1], places[ends[cell]]) / np.maximum(1, (whole - before) // unit)
        gain = axis.spans(places[starts[cell]], places[ends[cell]])
        if prefer == "mean":
            gain = gain * whole - left * before - right * (whole - before)
        else:
            gain -= np.maximum(left, right)
        gain *= axis.scale
        less = np.minimum(before, whole - before)
        lopsided = (whole > LARGE) & (less * LEAST < whole)
        gain = np.where(lopsided, gain * less / (whole * whole), gain)
        best = np.maximum.reduceat(gain, heads)
        at = np.flatnonzero(gain == np.repeat(best, np.diff(heads, append=len(cell))))
        at = at[begins(cell[at])]
        return mine[cell[at]], best, codes[cuts[at]]


def _halves(order: IntArray, starts: IntArray) -> list[tuple[IntArray, IntArray]]:
    """A batch as two, of whole cells."""
    middle = min(max(1, int(np.searchsorted(starts, len(order) // 2))), len(starts) - 1)
    at = int(starts[middle])
    return [(order[:at], starts[:middle]), (order[at:], starts[middle:] - at)]


def top_down_applies(targets: Targets) -> bool:
    """Whether columns can be cut, and what is asked for follows from what answers leave."""
    problem = targets.problem
    columns = isinstance(problem.codebook, ColumnCodebook) and (problem.line is None or targets.goal.by_mean)
    return (
        columns
        and targets.goal.utility == "distortion"
        and targets.blocks is None
        and targets.goal.objective == "leakage"
    )


def top_down_cells(problem: Problem, need: IntArray) -> Iterator[Cells]:
    """Cells whose answers leave as much as needed: for the mean loss, for the largest, and for both in turn.

    Args:
        problem: what is merged: columns; each of its groups, taken whole, leaves as much as needed.
        need: for each code of what is seen besides how many sensitive values an answer must leave.
    """
    book = problem.codebook
    if not isinstance(book, ColumnCodebook):
        return
    search = TopDown(book.axes, problem.weights, PosteriorLimit.of(problem, need))
    mean = search.cut(problem.group_of, "mean")
    worst = search.cut(problem.group_of, "worst")
    limit = min(_costs(book, labels).max() for labels in (mean, worst))
    yield Cells.from_labels(mean)
    yield Cells.from_labels(worst)
    yield Cells.from_labels(_within(book, search, problem.group_of, limit))


def _within(book: ColumnCodebook, search: TopDown, labels: IntArray, limit: float) -> IntArray:
    """Cells for the mean loss, but where these cost more than a limit first cut for the largest loss."""
    open_ = np.arange(len(labels))
    found, used = np.empty(len(labels), np.int64), 0
    while len(open_):
        mean = search.cut(labels, "mean", open_)
        costs = np.zeros(int(labels.max()) + 1)
        np.maximum.at(costs, labels[open_], _costs(book, mean, open_))
        halves = search.cut(labels, "worst", open_, once=True)
        whole = np.full(len(costs), True)
        firsts = np.full(len(costs), -1)
        firsts[labels[open_]] = halves[open_]
        np.logical_and.at(whole, labels[open_], halves[open_] == firsts[labels[open_]])
        done = ((costs <= limit) | whole)[labels[open_]]
        found[open_[done]] = used + mean[open_[done]]
        used += int(mean.max()) + 1
        open_ = open_[~done]
        labels = halves
    return found


def _costs(book: ColumnCodebook, labels: IntArray, values: IntArray | None = None) -> FloatArray:
    """About what the cell of each of some public values costs."""
    chosen = np.arange(len(labels)) if values is None else values
    inner = np.argsort(labels[chosen], kind="stable")
    order = chosen[inner]
    heads = begins(labels[order])
    starts = np.flatnonzero(heads)
    if book.fits and book.word != "medoid":
        tops, bottoms = book.cell_costs(order, starts)
        costs = tops / bottoms
    else:
        costs = np.sum(
            [axis.cell_spans(order, starts).astype(float) * axis.scale for axis in book.axes], axis=0
        )
    found = np.empty(len(order))
    found[inner] = costs[np.cumsum(heads) - 1]
    return found
