"""The best of all partitions of a few public values, and so a proof.

A set of values is a bit mask. The best partition of a set is the best cell that holds its first value, with
the best partition of the rest: about 3^n / 2 pairs of a set and a cell for n values.
"""

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np

from noiseless.arrays import BoolArray, IntArray
from noiseless.search.codebook import ColumnCodebook
from noiseless.search.goal import Targets
from noiseless.search.limits import sets_within
from noiseless.search.loss import Length
from noiseless.search.mean_loss import CertaintyPenalty
from noiseless.search.spans import cells_in_line

MOST_VALUES = 10
"""With more public values all partitions take too long."""

ALL_PARTITIONS = "all partitions"
"""What the method is called."""


class OptimalPartition(NamedTuple):
    """The best of all partitions.

    Attributes:
        labels: the cell of each public value.
        hidden: which public values are suppressed.
        distortion: its largest cost; with `prefer` worst no partition has a smaller one.
        mean: its mean loss; with `prefer` mean no partition has a smaller one.
    """

    labels: IntArray
    hidden: BoolArray
    distortion: Length
    mean: Fraction


@dataclass(frozen=True, eq=False)
class AllPartitions:
    """All partitions of a problem whose answers leave as much as needed.

    Attributes:
        targets: the limits; the distortion or the mean loss is made small.
    """

    targets: Targets

    @classmethod
    def applies(cls, targets: Targets) -> bool:
        """Whether there are few values, in columns, and it is their distortion or mean loss that counts."""
        problem, goal = targets.problem, targets.goal
        columns = isinstance(problem.codebook, ColumnCodebook) and problem.size <= MOST_VALUES
        other = goal.by_mean and not isinstance(problem.loss, CertaintyPenalty)
        return columns and goal.aim == "loss" and goal.utility == "distortion" and not other

    @cached_property
    def best(self) -> OptimalPartition | None:
        """The best partition; None if none keeps to the limits."""
        problem, book = self.targets.problem, self.targets.problem.codebook
        if not isinstance(book, ColumnCodebook):
            raise TypeError("columns are needed")
        cells, gone = self._cells, self._suppressed
        held = self._held[cells]
        order, starts = cells_in_line(held)
        lengths = list(book.costs(order, starts)) if len(cells) else []
        rows, whole = problem.weights, sum((axis.weight for axis in book.axes), Fraction(0))
        axes = [axis for axis in book.axes if axis.whole and len(cells)]
        spans = [(axis.weight / axis.whole, axis.cell_spans(order, starts) * (held @ rows)) for axis in axes]
        shares = [
            sum((unit * int(span[at]) for unit, span in spans), Fraction(0)) for at in range(len(cells))
        ]
        limit, known = self.targets.distortion, sorted({Length(0), *lengths})
        places = {length: place for place, length in enumerate(known)}
        found = _best(
            {
                mask: (places[cost], share)
                for mask, cost, share in zip(cells.tolist(), lengths, shares, strict=True)
                if limit is None or cost <= limit
            },
            {mask: (0, whole * int(rows[self._held[mask]].sum())) for mask in gone.tolist()},
            problem.size,
            by_mean=self.targets.goal.by_mean,
        )
        if found is None:
            return None
        hidden, labels = self._held[found.hidden], np.full(problem.size, len(found.cells))
        for number, mask in enumerate(found.cells):
            labels[self._held[mask]] = number
        mean = CertaintyPenalty().total(book.axes, labels, hidden, rows)
        return OptimalPartition(labels, hidden, known[found.worst], mean)

    @cached_property
    def _held(self) -> BoolArray:
        """The members of each set of values, by its mask."""
        size = self.targets.problem.size
        return np.asarray((np.arange(2**size)[:, None] >> np.arange(size)) % 2 == 1)

    @property
    def _cells(self) -> IntArray:
        """The sets that may be a cell: of one group, keeping to all limits, and not too large."""
        groups, size = self.targets.problem.group_of, self.targets.problem.size
        first, last = (
            end(np.where(self._held, groups, other), axis=1) for end, other in ((np.min, size), (np.max, -1))
        )
        fits = (first == last) & (self._held.sum(axis=1) <= (self.targets.largest_cell or size))
        return self._within_limits(np.flatnonzero(fits))

    @property
    def _suppressed(self) -> IntArray:
        """The sets that may be suppressed: few rows that keep to all limits, whatever their groups."""
        fits = self._held[:-1] @ self.targets.problem.weights <= self.targets.budget
        return self._within_limits(np.flatnonzero(fits)[1:], suppressed=True)

    def _within_limits(self, masks: IntArray, *, suppressed: bool = False) -> IntArray:
        return masks[sets_within(self.targets.limits, self._held[masks], suppressed=suppressed)]


class _Found(NamedTuple):
    """A partition of a set: its largest cost, as a place, its mean loss, its cells, and what is hidden."""

    worst: int
    mean: Fraction
    cells: tuple[int, ...] = ()
    hidden: int = 0


def _best(
    cells: dict[int, tuple[int, Fraction]],
    hidden: dict[int, tuple[int, Fraction]],
    size: int,
    *,
    by_mean: bool,
) -> _Found | None:
    """The best partition of all values into cells, with one set of them suppressed or none.

    Means add up: of what is best by its mean, parts are best by theirs.
    """

    def within(worst: int) -> _Found | None:
        return _cheapest({mask: loss for mask, loss in cells.items() if loss[0] <= worst}, hidden, size)

    worsts = sorted({place for place, _ in cells.values()})
    at = bisect_left(worsts[:-1], True, key=lambda worst: not by_mean and within(worst) is not None)
    return within(worsts[at]) if worsts else None


def _cheapest(
    cells: dict[int, tuple[int, Fraction]], hidden: dict[int, tuple[int, Fraction]], size: int
) -> _Found | None:
    """The partition with the least mean loss, and among those with the least largest cost."""
    whole = 2**size - 1
    best: list[_Found | None] = [_Found(0, Fraction(0))] + [None] * whole
    holding: list[list[int]] = [[] for _ in range(size)]  # cells by their first value
    for mask in cells:
        holding[(mask & -mask).bit_length() - 1].append(mask)
    for left in range(1, whole + 1):
        for cell in holding[(left & -left).bit_length() - 1]:
            rest = best[left & ~cell] if cell & ~left == 0 else None
            if rest is not None:
                cost, share = cells[cell]
                own = best[left]
                mean, worst = rest.mean + share, max(rest.worst, cost)
                if own is None or (mean, worst) < (own.mean, own.worst):
                    best[left] = _Found(worst, mean, (*rest.cells, cell))
    found = [best[whole]]
    for mask, (_, share) in hidden.items():
        rest = best[whole & ~mask]
        found.append(None if rest is None else rest._replace(mean=rest.mean + share, hidden=mask))
    return min((one for one in found if one), key=lambda one: (one.mean, one.worst, one.hidden), default=None)
