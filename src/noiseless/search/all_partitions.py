"""The best of all partitions of a few public values, and so a proof.

A set of values is a bit mask. The best partition of a set is the best cell that holds its first value, with
the best partition of the rest: about 3^n / 2 pairs of a set and a cell for n values.
"""

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
from noiseless.search.problem import Problem

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
        costs = self._costs
        lengths = sorted({Length(0), *costs.values()})
        places = {length: place for place, length in enumerate(lengths)}
        cells = {mask: (places[cost], self._share(mask)) for mask, cost in costs.items()}
        hidden = {mask: (0, self._whole(mask)) for mask in self._suppressed}
        found = _best(cells, hidden, self._problem.size, by_mean=self.targets.goal.by_mean)
        if found is None:
            return None
        labels, gone = np.zeros(self._problem.size, np.int64), np.zeros(self._problem.size, bool)
        for number, mask in enumerate(found.cells):
            labels[self._sets[mask]] = number
        if found.hidden:
            gone[self._sets[found.hidden]] = True
            labels[gone] = len(found.cells)
        mean = CertaintyPenalty().total(self._book.axes, labels, gone, self._problem.weights)
        return OptimalPartition(labels, gone, lengths[found.worst], mean)

    @property
    def _problem(self) -> Problem:
        return self.targets.problem

    @property
    def _book(self) -> ColumnCodebook:
        if not isinstance(self._problem.codebook, ColumnCodebook):
            raise TypeError("columns are needed")
        return self._problem.codebook

    @cached_property
    def _sets(self) -> list[list[int]]:
        return [_members(mask, self._problem.size) for mask in range(2**self._problem.size)]

    @cached_property
    def _cells(self) -> list[int]:
        """The sets that may be a cell: of one group, keeping to all limits, and not too large."""
        most = self.targets.largest_cell or self._problem.size
        groups = self._problem.group_of
        fitting = [
            mask
            for mask, members in enumerate(self._sets)
            if members and len(members) <= most and len(set(groups[members].tolist())) == 1
        ]
        return self._within_limits(fitting)

    @cached_property
    def _suppressed(self) -> list[int]:
        """The sets that may be suppressed: few rows that keep to all limits, whatever their groups."""
        fitting = [
            mask
            for mask, members in enumerate(self._sets[:-1])
            if members and int(self._problem.weights[members].sum()) <= self.targets.budget
        ]
        return self._within_limits(fitting, suppressed=True)

    def _within_limits(self, masks: list[int], *, suppressed: bool = False) -> list[int]:
        held = (np.array(masks, np.int64)[:, None] >> np.arange(self._problem.size)) % 2 == 1
        kept = sets_within(self.targets.limits, held, suppressed=suppressed)
        return [mask for mask, fine in zip(masks, kept.tolist(), strict=True) if fine]

    @cached_property
    def _costs(self) -> dict[int, Length]:
        """What each cell costs that is within the limit on the distortion."""
        limit = self.targets.distortion
        sizes = np.array([len(self._sets[mask]) for mask in self._cells], np.int64)
        members = np.array([member for mask in self._cells for member in self._sets[mask]], np.int64)
        costs = self._book.costs(members, np.cumsum(sizes) - sizes) if len(sizes) else []
        return {
            mask: cost
            for mask, cost in zip(self._cells, costs, strict=True)
            if limit is None or cost <= limit
        }

    def _share(self, mask: int) -> Fraction:
        """What a cell adds to the mean loss."""
        members, start = np.array(self._sets[mask]), np.zeros(1, np.int64)
        shares = Fraction(0)
        for axis in self._book.axes:
            if axis.whole:
                shares += axis.weight * int(axis.cell_spans(members, start)[0]) / axis.whole
        return shares * int(self._problem.weights[members].sum())

    def _whole(self, mask: int) -> Fraction:
        """What suppressed values add to it."""
        weights = sum((axis.weight for axis in self._book.axes), Fraction(0))
        return weights * int(self._problem.weights[self._sets[mask]].sum())


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
    """The best partition of all values into cells, with one set of them suppressed or none."""
    if by_mean:  # means add up: of what is best by its mean, parts are best by theirs
        return _cheapest(cells, hidden, size)
    for worst in sorted({place for place, _ in cells.values()}):
        within = {mask: loss for mask, loss in cells.items() if loss[0] <= worst}
        found = _cheapest(within, hidden, size)
        if found is not None:
            return found
    return None


def _cheapest(
    cells: dict[int, tuple[int, Fraction]], hidden: dict[int, tuple[int, Fraction]], size: int
) -> _Found | None:
    """The partition with the least mean loss, and among those with the least largest cost."""
    whole = 2**size - 1
    best: list[_Found | None] = [None] * (whole + 1)
    best[0] = _Found(0, Fraction(0))
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


def _members(mask: int, size: int) -> list[int]:
    return [value for value in range(size) if mask >> value & 1]
