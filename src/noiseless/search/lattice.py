"""The best full-domain generalisation, exactly: a level for each column, and which cells are suppressed.

Whole cells are suppressed, and together they are one cell that keeps the limits too. That cannot be told from
other nodes of the lattice, and is asked of each node by itself; what can be told is in `NodeBounds`.
"""

import heapq
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from noiseless.arrays import BoolArray, IntArray
from noiseless.search.columns import Hierarchy
from noiseless.search.generalisation import Generalisations, LevelCells, Levels
from noiseless.search.goal import Targets
from noiseless.search.lattice_bounds import CLOSED, MOST_NODES, NodeBounds
from noiseless.search.limits import Limit, sets_within
from noiseless.search.problem import Problem

WORK, FEWEST = 3 * 10**8, 500
"""As many nodes are looked at as make this many pairs in all, or at least this many nodes."""

TRIES = 256
"""This many sets of cells are tried where what is suppressed does not keep the limits by itself."""

T = TypeVar("T")


class FailingValues(NamedTuple):
    """What fails at a node.

    Attributes:
        here: the public values whose cells break a limit.
        below: those of them that do in all finer cells too.
        least: how many rows must be suppressed at least, here and at all nodes below.
    """

    here: BoolArray
    below: BoolArray
    least: int


def failing_values(problem: Problem, limits: Sequence[Limit], cell_of: IntArray, count: int) -> FailingValues:
    """Which public values are behind answers that break limits.

    Some of the parts of a cell that breaks a limit break it as well, so at least a row of it must go.
    """
    here, below = np.zeros(problem.size, bool), np.zeros(problem.size, bool)
    for limit in limits:
        fails = limit.failing(cell_of)
        here |= fails
        if limit.grows:
            below |= fails
    rows = np.bincount(cell_of, np.where(below, problem.weights, 0), count)
    broken = np.bincount(cell_of[here], minlength=count) > 0
    return FailingValues(here, below, int(np.maximum(rows, broken).sum()))


class FullDomain(NamedTuple):
    """A full-domain generalisation that keeps to limits.

    Attributes:
        labels: the cell of each public value; suppressed ones have a label together.
        hidden: which public values are suppressed.
        levels: the level of each column, 0 for the values as they are.
        proved: whether it is proved that none is better.
    """

    labels: IntArray
    hidden: BoolArray
    levels: Levels
    proved: bool


Key = tuple[int, int]
"""The loss that comes first, and then the other: the largest cost, and what all rows span together."""


class _Node(NamedTuple):
    """A node within the limits, and the cells that are suppressed."""

    key: Key
    cells: LevelCells
    gone: BoolArray


@dataclass(eq=False)
class LatticeSearch:
    """A search for the best full-domain generalisation within limits.

    Attributes:
        lattice: all of them.
        limits: what each cell must keep to.
        budget: how many rows may be suppressed.
        by_mean: whether the mean loss comes first.
        most: the largest cost that a cell may have; None for any.
        nodes: how many nodes may be looked at; None for `node_limit`.
        best: the best that was found.
        looked: how many nodes were looked at.
    """

    lattice: Generalisations
    limits: Sequence[Limit]
    budget: int = 0
    by_mean: bool = False
    most: int | None = None
    nodes: int | None = None
    best: _Node | None = None
    looked: int = 0
    _loose: list[Key] = field(default_factory=list)
    _proved: bool = False

    @cached_property
    def bounds(self) -> NodeBounds:
        """What nodes lose at least."""
        return NodeBounds(self.lattice, self.budget)

    def run(self) -> bool:
        """Find the best; whether it is proved that there is none better."""
        first = self._first()
        if self._look(first) is not None:
            self._dive(first)
            self._around()
        while self.bounds.whole and self.looked < self._limit:
            levels = self._next()
            if levels is None:
                self._proved = not any(self.best is None or key < self.best.key for key in self._loose)
                break
            if self._look(levels) is not None:
                self._dive(levels)
        return self._proved

    @cached_property
    def _limit(self) -> int:
        return node_limit(self.lattice) if self.nodes is None else self.nodes

    @property
    def found(self) -> FullDomain | None:
        """The best that was found."""
        if self.best is None:
            return None
        _, cells, gone = self.best
        hidden = gone[cells.cell_of]
        labels = np.where(hidden, cells.count, cells.cell_of)
        return FullDomain(labels, hidden, cells.levels, self._proved)

    def _dive(self, levels: Levels) -> None:
        """Go down from a node step by step, each time to the most promising one that is within the limits."""
        while True:
            below = [_moved(levels, place, -1) for place, level in enumerate(levels) if level]
            hopes = sorted((self._least(one), one) for one in below)
            found = next((one for _, one in hopes if self._promises(one) and self._look(one)), None)
            if found is None:
                return
            levels = found

    def _first(self) -> Levels:
        """The top; or below it, the costliest column first, where no cell need cost more than it may."""
        levels, most = self.lattice.top, self.most
        if most is None:
            return levels
        self.bounds.limit(most)
        while any(levels) and self.bounds.least(levels)[0] > most >> self.bounds.shift[0]:
            costs = [int(c.costs[level].max()) for c, level in zip(self.lattice.columns, levels, strict=True)]
            levels = _moved(levels, int(np.argmax(np.where(levels, costs, -1))), -1)
        return levels

    def _around(self) -> None:
        """Go up by one level from the best, and down again, as long as that helps."""
        tried: set[Levels] = set()
        while self.best is not None and self.best.cells.levels not in tried:
            levels = self.best.cells.levels
            tried.add(levels)
            for place, level in enumerate(levels):
                if level < self.lattice.top[place]:
                    self._dive(_moved(levels, place, 1))

    def _least(self, levels: Levels) -> Key:
        """What a node loses at least, rounded down."""
        return self._key(*self.bounds.least(levels))

    def _key(self, cost: T, span: T) -> tuple[T, T]:
        return (span, cost) if self.by_mean else (cost, span)

    @property
    def _beaten(self) -> Key:
        """What a node must lose less than, rounded up as bounds are rounded down."""
        if self.best is None:
            return CLOSED, CLOSED
        shifts = self._key(*self.bounds.shift)
        first, second = (-(-loss >> bits) for loss, bits in zip(self.best.key, shifts, strict=True))
        return first, second

    def _promises(self, levels: Levels) -> bool:
        """Whether a node may be better than the best, and may be looked at."""
        least = self.bounds.least(levels)
        return self.looked < self._limit and least[1] < CLOSED and self._key(*least) < self._beaten

    def _next(self) -> Levels | None:
        """Of the nodes that may be better than the best the one that loses most: it tells most of others."""
        bounds, beaten = self.bounds, self._beaten
        first, second = self._key(bounds.costs, bounds.spans)
        hopeful = (first < beaten[0]) | ((first == beaten[0]) & (second < beaten[1]))
        hopeful &= bounds.spans < CLOSED
        if not hopeful.any():
            return None
        first = np.where(hopeful, first, -1)
        place = int(np.argmax(np.where(first == first.max(), second, -1)))
        return tuple(int(level) for level in np.unravel_index(place, bounds.shape))

    # --- one node ---------------------------------------------------------------------------------

    def _look(self, levels: Levels) -> _Node | None:
        """Look at a node, and learn what it says of others; None if it is not better than the best."""
        self.looked += 1
        cells = self.lattice.cells(levels)
        failing = self._failing(cells)
        if failing.least > self.budget:
            self.bounds.fail(levels)
            return None
        self.bounds.suppress(levels, failing.below)
        self.bounds.close(levels)
        found = self._settled(cells, failing.here)
        self.best = found or self.best
        return found

    def _failing(self, cells: LevelCells) -> FailingValues:
        """What fails at a node; by keys, all that is seen of one that fails: nothing is suppressed then."""
        seen = [self.lattice.cells(cells.levels, key) for key in self.lattice.problem.keys] or [cells]
        problem, limits = self.lattice.problem, self.limits
        found = [failing_values(problem, limits, one.cell_of, one.count) for one in seen]
        return max(found, key=lambda one: one.least)

    def _settled(self, cells: LevelCells, failing: BoolArray) -> _Node | None:
        """A node with as little suppressed as limits allow; None if it is not better than the best."""
        rows = np.bincount(cells.cell_of, self.lattice.problem.weights, cells.count).astype(np.int64)
        costs, spans = self.lattice.losses(cells)
        total, lost = int((rows * spans).sum()), rows * (self.lattice.whole - spans)
        must, star = np.zeros(cells.count, bool), self.lattice.star(cells)
        must[cells.cell_of[failing]] = True
        if self.most is not None:
            must |= costs > self.most
        for most in self._thresholds(costs, must):
            gone = must | (costs > most)
            if star is not None and gone.any():
                gone[star] = True
            left = self.budget - int(rows[gone].sum())
            if gone.all() or left < 0:
                continue
            for tried, more in enumerate(_completed(gone, rows, lost, left)):
                span = total + int(lost[more].sum())
                if self.best is not None and self._key(most, span) >= self.best.key:
                    return None  # sets to come lose more, and thresholds to come are higher
                if tried == TRIES:
                    self._loose.append(self._key(most, span))
                    break
                if not more.any() or self._hides(more[cells.cell_of]):
                    return _Node(self._key(int(costs[~more].max()), span), cells, more)
        return None

    def _hides(self, values: BoolArray) -> bool:
        """Whether some values keep the limits as one cell."""
        return bool(sets_within(self.limits, values[None], suppressed=True)[0])

    def _thresholds(self, costs: npt.NDArray[Any], must: BoolArray) -> Sequence[int]:
        """What cells may cost at most, the least first; with the mean loss first any cost will do."""
        shown = costs[~must]
        if not len(shown):
            return []
        return [int(shown.max())] if self.by_mean else [int(cost) for cost in np.unique(shown)]


def _completed(gone: BoolArray, rows: IntArray, lost: npt.NDArray[Any], left: int) -> Iterator[BoolArray]:
    """Cells to suppress, and then with others besides: all sets of these, those that lose least first.

    Args:
        gone: cells that must be suppressed.
        rows: how many rows each cell has.
        lost: what suppressing each cell loses.
        left: how many more rows may be suppressed.
    """
    yield gone
    if not gone.any():
        return
    others = np.flatnonzero(~gone & (rows <= left))
    others = others[np.argsort(lost[others], kind="stable")]
    # each set comes once, after those that lose less: from the set without its last cell, or with the cell
    # before instead
    heap: list[tuple[int, tuple[int, ...]]] = [(int(lost[cell]), (0,)) for cell in others[:1]]
    while heap:
        loss, places = heapq.heappop(heap)
        chosen, last = others[list(places)], places[-1]
        held = int(rows[chosen].sum())
        if held <= left and len(chosen) < np.count_nonzero(~gone):
            more = gone.copy()
            more[chosen] = True
            yield more
        if last + 1 < len(others):
            step = int(lost[others[last + 1]])
            heapq.heappush(heap, (loss - int(lost[others[last]]) + step, (*places[:-1], last + 1)))
            if held <= left:
                heapq.heappush(heap, (loss + step, (*places, last + 1)))


def _moved(levels: Levels, place: int, step: int) -> Levels:
    return (*levels[:place], levels[place] + step, *levels[place + 1 :])


def full_domain(targets: Targets, trees: Sequence[Hierarchy] | None = None) -> FullDomain | None:
    """The best full-domain generalisation for a goal; None if none was found.

    Args:
        targets: the limits, and which loss comes first.
        trees: a hierarchy for each public column; by default those of the problem's codebook.

    Raises:
        RequestError: a column has no hierarchy.
    """
    problem = targets.problem
    lattice = Generalisations.of(problem, trees)
    search = LatticeSearch(
        lattice, targets.limits, targets.budget, targets.goal.by_mean, _most(targets, lattice)
    )
    search.run()
    return search.found


def node_limit(lattice: Generalisations) -> int:
    """How many nodes of a lattice are looked at at most."""
    nodes = min(math.prod(level + 1 for level in lattice.top), MOST_NODES)
    return max(FEWEST, WORK // (len(lattice.problem.joint) + nodes))


def _most(targets: Targets, lattice: Generalisations) -> int | None:
    """The limit on the distortion as a whole number on the scale of costs, exactly."""
    if targets.distortion is None:
        return None
    book = lattice.book
    if book.rooted:
        return math.floor(targets.distortion.squared / book.cost_unit)
    return math.isqrt(math.floor(targets.distortion.squared / book.cost_unit**2))
