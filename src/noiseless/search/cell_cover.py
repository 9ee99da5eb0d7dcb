"""The least mean loss (NCP) of all partitions of some tens of public values, and so a proof.

No cell costs less than the rows of its members lose at least in any cell (`mean_bounds`); what it costs
beyond that is its surcharge. A partition that costs less than a known one has no cell whose surcharge exceeds
the difference. All cells within it are grown, value by value. A linear program over these proposes higher
prices of values, in floats; in whole numbers prices are lowered until no cell costs less, and few cells are
left whose surcharge is within what remains. All partitions into these are looked at, the smallest surcharges
first.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from noiseless.arrays import BoolArray, IntArray
from noiseless.search.codebook import ColumnCodebook
from noiseless.search.goal import Targets
from noiseless.search.limits import sets_within
from noiseless.search.mean_bounds import CellReaches
from noiseless.search.mean_loss import CertaintyPenalty
from noiseless.search.problem import Cells
from noiseless.search.spans import Spans, cells_in_line
from noiseless.work import check

MOST_VALUES = 60
"""With more public values there are too many cells."""

CELL_COVER = "cell cover"
"""What the method is called."""

GROWN, LOOKED_AT = 300_000, 200_000
"""At most this many cells are grown, and pairs of a set and a cell looked at, for each largest surcharge."""

FIRST_SHARE, STAGES = 64, 9
"""At first cells are grown within this part of the largest surcharge that they can have; then it doubles."""

ROUNDS, ADDED, TINY = 20, 400, 1e-9
"""So often prices are proposed; this many cells are added each time that cost less by more than this."""

GRID = 2.0**32
"""Proposed prices are multiples of its inverse: sums of them are exact, whatever the machine adds first."""


_ROOM = 2**62
"""Prices are as large as all costs together, and are added up over all values."""


class CoverSets(NamedTuple):
    """Sets of values, as cells or suppressed.

    Attributes:
        held: which values each holds.
        costs: what each costs.
        gone: which are suppressed.
    """

    held: BoolArray
    costs: IntArray
    gone: BoolArray


class Cover(NamedTuple):
    """All values in cells, and some of them suppressed.

    Attributes:
        costs: what they cost.
        labels: the cell of each value; suppressed ones are a cell.
        hidden: which are suppressed.
    """

    costs: int
    labels: IntArray
    hidden: BoolArray


class CheapestPartition(NamedTuple):
    """What the search found.

    Attributes:
        least: a mean loss that no partition within the limits on values and rows is below.
        better: a partition that is better than the known one; None if none was found.
    """

    least: Fraction
    better: Cover | None


@dataclass(frozen=True, eq=False)
class CellCover:
    """The search for a partition with a smaller mean loss than a known one.

    Attributes:
        targets: the limits; of these, values, rows and what may be suppressed count.
        known: the mean loss of the partition that is known.
        found: its cells.
    """

    targets: Targets
    known: Fraction
    found: Cells

    @classmethod
    def applies(cls, targets: Targets) -> bool:
        """Whether there are few values, in columns, and the NCP counts."""
        problem, goal = targets.problem, targets.goal
        few = problem.size <= MOST_VALUES and isinstance(problem.codebook, ColumnCodebook)
        by_distance = goal.aim == "loss" and goal.utility == "distortion"
        return few and by_distance and isinstance(problem.loss, CertaintyPenalty)

    @cached_property
    def best(self) -> CheapestPartition | None:
        """The best partition that is found, with what any loses at least; None where numbers are too large.

        The surcharge that cells may have doubles: what is found with a small one leaves less to look at. A
        partition with a larger one costs that much more than the sum of what its values cost at least.
        """
        spans, rows = self._spans, int(self.targets.problem.weights.sum())
        if spans is None or not spans.exact or spans.whole * rows * self.targets.problem.size >= _ROOM:
            return None
        known, sure, better = int(self.known * rows / spans.share), int(self._prices.sum()), None
        least, slack = sure, (known - 1 - sure) // FIRST_SHARE
        for _ in range(STAGES):
            check()
            sets = self._sets(spans, slack)
            if sets is None:
                break
            prices = raised_prices(sets, self._prices)
            cover, is_best = cheapest_cover(sets, prices, known - 1 - int(prices.sum()))
            if cover is not None:
                known, better = cover.costs, cover
            least = max(least, min(known if is_best else int(prices.sum()), sure + slack + 1))
            if least >= known or (cover is None and slack >= known - 1 - sure):
                break
            slack = min(2 * slack + 1, known - 1 - sure)
        return CheapestPartition(min(least, known) * spans.share / rows, better)

    @cached_property
    def _spans(self) -> Spans | None:
        book, rows = self.targets.problem.codebook, int(self.targets.problem.weights.sum())
        return Spans.of(book, rows) if isinstance(book, ColumnCodebook) else None

    @cached_property
    def _prices(self) -> IntArray:
        """What the rows of each value cost at least."""
        problem, least_rows = self.targets.problem, self.targets.goal.min_rows or 1
        if self._spans is None:
            return np.zeros(problem.size, np.int64)
        reaches = CellReaches(problem, self._spans, self.targets.need, least_rows, self.found)
        return reaches.least * problem.weights

    def _sets(self, spans: Spans, slack: int) -> CoverSets | None:
        """All cells, and all sets that may be suppressed, with no larger surcharge; None if too many."""
        problem, limits, rows = self.targets.problem, self.targets.limits, self.targets.problem.weights

        def lost(held: BoolArray) -> IntArray:
            return np.full(len(held), spans.whole)

        def spanned(held: BoolArray) -> IntArray:
            return spans.cells(*cells_in_line(held))

        found = []
        ways = (spanned, problem.group_of, int(rows.sum())), (lost, np.zeros_like(rows), self.targets.budget)
        for gone, (span, groups, most) in enumerate(ways):
            grown = _grown(groups, rows, self._prices, span, slack, most)
            if grown is None:
                return None
            kept = sets_within(limits, grown[0], suppressed=gone == 1)
            found.append((grown[0][kept], grown[1][kept], np.full(np.count_nonzero(kept), gone == 1)))
        return CoverSets(*map(np.concatenate, zip(*found, strict=True)))


def _grown(  # noqa: PLR0917 - all that sets grow by
    groups: IntArray,
    rows: IntArray,
    prices: IntArray,
    spans: Callable[[BoolArray], IntArray],
    slack: int,
    most: int,
) -> tuple[BoolArray, IntArray] | None:
    """All sets of values with a small surcharge, each of one group, with what they cost.

    They grow by later values. A cell spans no less than another within it, nor than any of its members needs,
    so the surcharge that a set comes to never falls: a value that is too much for it is too much for all that
    grow from it.

    Args:
        groups: the group of each value.
        rows: how many rows each value has.
        prices: what these cost at least.
        spans: what sets span.
        slack: the largest surcharge.
        most: how many rows a set has at most.

    Returns:
        The sets and what they cost; None where there are too many.
    """
    values, few, grown = np.arange(len(rows)), rows <= most, 0
    needed = prices // np.maximum(rows, 1)  # what a cell around each value spans at least
    held = np.eye(len(values), dtype=bool)[few]
    later = ((groups[:, None] == groups) & (values[:, None] < values) & few)[few]
    found = [(held, spans(held) * rows[few])]
    while later.any():
        parents, added = np.nonzero(later)
        grown += len(parents)
        if grown > GROWN:
            return None
        held = held[parents]
        held[np.arange(len(added)), added] = True
        own, span = held @ rows, spans(held)
        least = np.maximum(span, np.where(held, needed, 0).max(axis=1))
        kept = (own * least - held @ prices <= slack) & (own <= most)
        joined = np.zeros_like(later)
        joined[parents[kept], added[kept]] = True
        later = joined[parents[kept]] & (added[kept][:, None] < values)
        held = held[kept]
        found.append((held, (own * span)[kept]))
    cells, costs = zip(*found, strict=True)
    return np.concatenate(cells), np.concatenate(costs)


def raised_prices(sets: CoverSets, prices: IntArray) -> IntArray:
    """Prices that no set costs less than, with as large a sum as a linear program finds; or those given."""
    from scipy.optimize import linprog

    held, costs = sets.held, sets.costs
    if not len(costs):
        return prices
    unit, about = float(max(1, int(costs.max()))), held.astype(np.float32)
    tight = np.argsort(costs - held @ prices, kind="stable")[: ADDED + 10 * len(prices)]
    proposed = prices / unit
    for _ in range(ROUNDS):
        solved = linprog(-np.ones(len(prices)), A_ub=held[tight], b_ub=costs[tight] / unit, bounds=(-1, 1))
        if solved.x is None:
            return prices
        proposed = np.rint(solved.x * GRID) / GRID
        beyond = about @ proposed - costs / unit
        if beyond.max() <= TINY:
            break
        tight = np.union1d(tight, np.argsort(-beyond, kind="stable")[:ADDED])
    raised = np.floor(proposed * unit).astype(np.int64)
    beyond = np.maximum(held @ raised - costs, 0)
    raised -= np.where(held, beyond[:, None], 0).max(axis=0)  # as much as any set around a value costs less
    return raised if raised.sum() > prices.sum() else prices


def cheapest_cover(sets: CoverSets, prices: IntArray, slack: int) -> tuple[Cover | None, bool]:
    """The partition into cells, with one set suppressed or none, that has the smallest surcharges together.

    Each step covers the first value that is not covered, by the cells with small surcharges first. Surcharges
    are not negative: what is covered is looked at again only if that costs less than before.

    Returns:
        The partition, None if all that were looked at have larger surcharges; and whether that is all.
    """
    surcharges = sets.costs - sets.held @ prices
    order = np.argsort(sets.held[surcharges <= slack].sum(axis=0), kind="stable")
    packed = np.packbits(sets.held[:, order], axis=1, bitorder="little")
    by_first: dict[int, list[tuple[int, int, int]]] = {}
    waiting: list[tuple[int, int, Any]] = []
    for place in np.argsort(-surcharges, kind="stable")[np.count_nonzero(surcharges > slack) :].tolist():
        mask = int.from_bytes(packed[place].tobytes(), "little")
        extra = int(surcharges[place])
        if sets.gone[place]:
            waiting.append((extra, mask, (place, None)))
        else:
            by_first.setdefault(mask & -mask, []).append((mask, extra, place))
    waiting.append((0, 0, None))
    best, least, whole, steps = None, dict[int, int](), (1 << len(order)) - 1, 0
    while waiting and steps <= LOOKED_AT:
        total, covered, path = waiting.pop()
        if total > slack or least.get(covered, total + 1) <= total:
            continue
        least[covered] = total
        if covered == whole:
            best, slack = path, total - 1
            continue
        left = whole & ~covered
        near = by_first.get(left & -left, [])
        steps += len(near)
        free = [cell for cell in near if not cell[0] & covered and total + cell[1] <= slack]
        waiting += [(total + more, covered | mask, (at, path)) for mask, more, at in free]
    if best is None:
        return None, not waiting
    places = list[int]()
    while best is not None:
        places.append(best[0])
        best = best[1]
    held = sets.held[places]
    hidden = np.asarray(held[sets.gone[places]].any(axis=0))
    return Cover(int(sets.costs[places].sum()), np.argmax(held, axis=0), hidden), not waiting
