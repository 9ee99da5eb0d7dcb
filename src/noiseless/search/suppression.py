"""Withholding a bounded share of the rows: values that are put into one cell of their own.

What is suppressed counts for nothing in the loss, and for what is given away it is a cell like any other. So
values are suppressed that make the loss of the others large, or that leave too few sensitive values where
they are; and if these together leave too few, some more with them.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from noiseless.arrays import BoolArray, IntArray
from noiseless.exact import Bits
from noiseless.search.choice import EXACT
from noiseless.search.codebook import ColumnCodebook
from noiseless.search.dissolution import Dissolution
from noiseless.search.goal import Goal, Targets
from noiseless.search.greedy import within
from noiseless.search.limits import Limit, limits_of
from noiseless.search.loss import Length, Loss
from noiseless.search.measures import cell_costs
from noiseless.search.merging.algorithms import merge_path
from noiseless.search.optimum import ContiguousOptimum
from noiseless.search.problem import Cells
from noiseless.search.radii import Radii
from noiseless.search.strips import LineStrip, least_number, together
from noiseless.search.suppressed_partition import SuppressedPartition, completed, joined
from noiseless.search.survey import spread
from noiseless.search.top_down import top_down_cells

if TYPE_CHECKING:
    from noiseless.search.methods import PartitionSearch


def suppress_on_strips(search: "PartitionSearch") -> Loss | None:
    """Add the best contiguous cells with suppressed values between them.

    Returns:
        What no contiguous cells with this many rows suppressed between them can do better, where that is
        known.
    """
    lines = _Lines(search.targets)
    goal = search.targets.goal
    k = int(search.targets.need.max())
    if goal.aim == "leak":
        return lines.add_most(search, k)
    return lines.add_narrowest(search, k) if goal.aim == "loss" else None


@dataclass(frozen=True, eq=False)
class _Lines:
    targets: Targets

    @cached_property
    def exact(self) -> ContiguousOptimum:
        """What contiguous cells can do if nothing is suppressed."""
        return ContiguousOptimum.within(self.targets, self.targets.distortion)

    @property
    def strips(self) -> list[LineStrip]:
        """A strip for each group."""
        return self.exact.strips

    @cached_property
    def _prices(self) -> list[IntArray]:
        """What it costs to suppress each value: its rows, so that a row weighs more than all cells."""
        rows = self.targets.problem.weights
        return [rows[strip.members] * (len(strip.members) + 1) for strip in self.strips]

    @property
    def _by_width(self) -> bool:
        return self.targets.goal.utility == "distortion"

    @property
    def unit(self) -> Fraction:
        """What a loss of 1 is."""
        return self.targets.problem.unit / 2 if self._by_width else Fraction(1)

    def _least(self) -> int:
        return 0 if self._by_width else 1

    def _largest(self) -> int:
        if not self._by_width:
            return self.targets.problem.size
        return max(int(strip.unit * strip.span / self.unit) for strip in self.strips)

    def split(self, k: int, loss: int, *, few: bool = False) -> SuppressedPartition | None:
        """The fewest rows suppressed so that the rest has cells with k sensitive values; None if too many."""
        cells = []
        for strip, prices in zip(self.strips, self._prices, strict=True):
            own = strip.cut(k, self.exact.room(strip, loss * self.unit), prices, few=few)
            if own is None:
                return None
            cells.append(own)
        labels, hidden = together([strip.members for strip in self.strips], cells)
        found = SuppressedPartition(self.targets.problem, np.where(hidden, 0, labels), hidden)
        return found if found.rows <= self.targets.budget and not hidden.all() else None

    def done(self, k: int, loss: int) -> SuppressedPartition | None:
        """The same, with enough suppressed besides that what is suppressed has k sensitive values too.

        Few cells can spare more values than many.
        """
        need = np.full(len(self.targets.problem.known_prior), k)
        for few in (False, True):
            split = self.split(k, loss, few=few)
            found = None
            if split is not None:
                found = completed(split, need, self.targets.budget, self.targets.more_limits)
            if found is not None and not found.hidden.all():
                return found
        return None

    def add_narrowest(self, search: "PartitionSearch", k: int) -> Loss | None:
        """Add cells with the least loss for a posterior."""
        least = self._bisect(lambda loss: self.split(k, loss) is not None, self._least(), self._largest())
        if least is None:
            return None
        loss = self._bisect(lambda loss: self.done(k, loss) is not None, least, self._largest())
        if loss is not None:
            self._add(search, self.done(k, loss), k)
        return Length(least * self.unit) if self._bounds else None

    @property
    def _bounds(self) -> bool:
        """Whether values withheld within a cell could not make it better: it is its width that counts."""
        return self._by_width and self.targets.largest_cell is None

    def add_most(self, search: "PartitionSearch", k: int) -> Loss | None:
        """Add cells with the largest posterior within the limits on the loss."""
        loss, most = self._largest(), max(strip.sensitive for strip in self.strips)
        least = self._bisect(lambda less: self.split(most - less, loss) is not None, 0, most - k)
        if least is None:
            return None
        found = self._bisect(lambda less: self.done(most - less, loss) is not None, least, most - k)
        if found is not None:
            self._add(search, self.done(most - found, loss), most - found)
            self.add_narrowest(search, most - found)
        prior = int(self.targets.problem.prior.max())
        return Bits(Fraction(prior, most - least)) if self._bounds else None

    def _add(self, search: "PartitionSearch", split: SuppressedPartition | None, k: int) -> None:
        """Add a split, and the narrowest cells for what it does not suppress."""
        if split is None:
            return
        search.add(split.labels, EXACT, split.hidden)
        if not split.hidden.any():
            return
        targets = self.targets
        rest, kept = targets.problem.without(split.hidden)
        own = replace(self.exact, problem=rest).for_posterior(k)
        if own is not None:
            cells = np.zeros(len(split.hidden), np.int64)
            cells[kept] = own
            search.add(SuppressedPartition(targets.problem, cells, split.hidden).labels, EXACT, split.hidden)

    @staticmethod
    def _bisect(holds: Callable[[int], bool], low: int, high: int) -> int | None:
        """The least number for which something holds that then holds for ever; None if it never does."""
        return least_number(holds, low, high) if holds(high) else None


POINTS = 12
"""Of this many partitions cells are suppressed."""

LEVELS = 4
"""This many numbers of suppressed cells are tried for the resolution, which counts suppressed values too."""

SHARES = (1.0, 0.5)
"""Which shares of the rows that may be suppressed are outliers; the rest is for what joins them."""

ROUNDS = 3
"""So often what is left is merged anew without what is suppressed."""


def suppress_values(search: "PartitionSearch") -> None:
    """Add partitions with suppressed values, and the best that contiguous cells can do, if that is known.

    Without greedy paths cells are cut from the top down, where no exact way is enough.
    """
    targets, goal = search.targets, search.targets.goal
    ordered = ContiguousOptimum.applies(targets.problem, goal.utility, by_width=True)
    known: Loss | None = None
    if goal.method != "greedy" and ordered and goal.objective != "maximin":
        known = search.contiguous = suppress_on_strips(search)
    enough = known is not None and not targets.problem.limits  # of which the strips know nothing
    if goal.method == "exact" or (enough and not search.has_paths):
        return
    costly = not enough and goal.aim == "loss" and goal.utility == "distortion"
    if costly and not search.has_paths and _dissolve_costly(search):
        return
    for cells in _starts(search):
        suppress_cells(search, cells)
    if costly and search.has_paths:
        _hide_outliers(search)
        _dissolve_costly(search)


def _dissolve_costly(search: "PartitionSearch") -> bool:
    """The costliest cells of the best partition without suppressed values dissolved; whether there is one.

    What fits into no other cell is suppressed.
    """
    targets = search.targets
    whole = [point for point in search.memory.points if not point.suppressed_rows and targets.allow(point)]
    best = min(whole, key=targets.key, default=None)
    if best is None or best.partition is None or not Dissolution.applies(targets.problem):
        return False
    made = Dissolution(targets.problem, best.partition).least(targets.budget)
    if made is not None:
        split = SuppressedPartition(targets.problem, *made)
        for done in _enough(targets, split):
            search.add(done.labels, best.series, done.hidden)
    return True


def _starts(search: "PartitionSearch") -> list[Cells]:
    """Cells cut from the top down, along the greedy paths, and some that were found with all values shown."""
    targets, points = search.targets, search.memory.points
    found = [point.partition for point in points if not point.suppressed_rows]
    known = dict.fromkeys(cells for cells in found if cells is not None)
    paths = search.paths.serving(targets) if search.has_paths else ()
    along = [path[point].cells for path in paths for point in spread([*range(len(path))], POINTS)]
    return [*top_down_cells(targets.problem, targets.limits), *along, *spread(list(known), POINTS)]


def _hide_outliers(search: "PartitionSearch") -> None:
    """The values that need the most room are suppressed first, and the rest is merged without them.

    A value needs as much room as the nearest values that have enough sensitive values (see `Radii`).
    """
    targets, problem = search.targets, search.targets.problem
    book, best = problem.codebook, search.best
    if not problem.plain or not isinstance(book, ColumnCodebook) or not book.fits:
        return
    base = best.partition if best is not None else None
    cells = base or Cells.from_labels(problem.group_of)
    costs = cell_costs(book, cells).floats
    radii = Radii(problem, np.argsort(-costs[cells.cell_of], kind="stable"))
    centres, needed = radii.needed(0, int(targets.need[0]))
    order = centres[np.argsort(-needed, kind="stable")]
    gone = np.cumsum(problem.weights[order])
    for share in SHARES:
        hidden = np.zeros(problem.size, bool)
        hidden[order[gone <= share * targets.budget]] = True
        _merge_rest(search, hidden)
    for _ in range(ROUNDS):
        before = search.best
        if before is None or before.hidden is None or not before.hidden.any():
            return
        _merge_rest(search, before.hidden)
        if search.best is before:
            return


def _merge_rest(search: "PartitionSearch", hidden: BoolArray) -> None:
    """Merge what is not hidden as if it were all there is; then suppress what is costly of it."""
    targets = search.targets
    if not hidden.any() or hidden.all():
        return
    rest, kept = targets.problem.without(hidden)
    if rest.joint.size_x < int(targets.need[0]):
        return
    if search.has_paths:
        asked = Goal(min_posterior=int(targets.need[0]), min_rows=targets.goal.min_rows)
        path = merge_path(rest, "leakage")
        points = within(path, Targets(rest, asked))
        made = [path[int(points[0])].cells] if len(points) else []
    else:
        made = list(top_down_cells(rest, limits_of(rest, targets.need, targets.goal.min_rows)))
    for cells in made:
        labels: IntArray = np.full(targets.problem.size, cells.count)
        labels[kept] = cells.cell_of
        suppress_cells(search, Cells.from_labels(labels), hidden)


def _keep(limits: Sequence[Limit], cells: Cells) -> BoolArray:
    """Which cells keep to limits."""
    found = np.ones(cells.count, bool)
    for limit in limits:
        found &= limit.met(cells.cell_of, cells.count)
    return found


def suppress_cells(search: "PartitionSearch", cells: Cells, hidden: BoolArray | None = None) -> None:
    """Suppress cells that give away or lose more than allowed, and then those that lose most.

    Args:
        search: where what is found is put.
        cells: a partition.
        hidden: values of it that are suppressed already, whole cells.
    """
    targets, problem = search.targets, search.targets.problem
    gone = np.zeros(problem.size, bool) if hidden is None else hidden
    bad = ~_keep(targets.limits, cells) | _too_large(targets, cells)
    for one in _enough(targets, SuppressedPartition(problem, cells.cell_of, gone | bad[cells.cell_of])):
        search.add(one.labels, "greedy", one.hidden)
        for fewer in _peeled(targets, cells, one):
            for done in _enough(targets, fewer):
                search.add(done.labels, "greedy", done.hidden)


def _enough(targets: Targets, split: SuppressedPartition) -> Iterator[SuppressedPartition]:
    """The same with as much suppressed besides as limits ask for; nothing if that is too much."""
    if split.rows > targets.budget or split.hidden.all():
        return
    found = completed(split, targets.by_known(targets.need), targets.budget, targets.more_limits)
    if found is not None and targets.blocks is not None and targets.problem.plain:
        found = joined(found, targets.blocks, targets.budget)
    if found is not None and not found.hidden.all():
        yield found


def _too_large(targets: Targets, cells: Cells) -> BoolArray:
    """Which cells lose more than allowed."""
    found = np.zeros(cells.count, bool)
    if targets.largest_cell is not None:
        found |= cells.sizes > targets.largest_cell
    if targets.distortion is not None:
        costs = cell_costs(targets.problem.codebook, cells)
        found |= np.array([not cost <= targets.distortion for cost in costs])
    return found


def _peeled(targets: Targets, cells: Cells, split: SuppressedPartition) -> Iterator[SuppressedPartition]:
    """The cells that lose most suppressed as well, level by level as far as the rows allow."""
    shown = np.unique(cells.cell_of[~split.hidden])
    left = targets.budget - split.rows
    if targets.goal.utility == "resolution":
        lost = cells.sizes[shown].astype(np.float64)
    else:
        costs = cell_costs(targets.problem.codebook, cells)
        lost = costs.floats[shown]
    rows = np.bincount(cells.cell_of[~split.hidden], targets.problem.weights[~split.hidden])[shown]
    order = np.argsort(-lost, kind="stable")
    gone = np.cumsum(rows[order])
    ends = np.flatnonzero(np.append(np.diff(lost[order]) != 0, True) & (gone <= left))
    if len(ends):
        deepest = (
            ends[-1:] if targets.goal.utility == "distortion" else np.array(spread(ends.tolist(), LEVELS))
        )
        for end in deepest.tolist():
            yield split.also(np.isin(cells.cell_of, shown[order[: end + 1]]) & ~split.hidden)
