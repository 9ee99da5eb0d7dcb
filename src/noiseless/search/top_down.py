"""Cells from the top down: all values are one cell, and cells are cut in two while both parts keep limits.

This is Mondrian's family (LeFevre, DeWitt and Ramakrishnan 2006), with every cut where it gains most instead
of at the median. A large cell is cut by a histogram of its widest column. The columns of small ones are
sorted once, and cutting a cell parts their orders, so that a level takes time in proportion to the values.
Floats choose cuts and nothing else: what is found is measured anew, exactly.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from noiseless.arrays import FloatArray, IntArray
from noiseless.search.axes import Axis, CategoryAxis, begins, shares
from noiseless.search.batches import CellBatch, CutCells, chosen_parts
from noiseless.search.codebook import ColumnCodebook
from noiseless.search.cuts import Cutting, SortedCells, best_cuts, coarse_cuts, width
from noiseless.search.entries import stable_order
from noiseless.search.goal import Targets
from noiseless.search.limits import Limit
from noiseless.search.packs import Wants, grown_cells, losses
from noiseless.search.problem import Cells, Problem
from noiseless.tables.coding import narrow, whole_type
from noiseless.work import Progress, active

BATCH = 2**15
"""Small cells are cut together until they hold this many values: what they need fits a processor's cache."""

AT_ONCE = 2**17
"""Costs are computed for cells that hold about this many values at a time."""

THREADS = 8
"""This many batches are cut at the same time, where there are as many processors."""

ROUNDS = 4
"""So often a largest loss that was reached is asked for again, to reach a smaller one."""

SMALL = 100_000
"""With fewer values in all columns numpy is as fast as compiled loops, which take a second to be loaded."""

TOP_DOWN = "top-down"
"""What the method is called."""


Task = Callable[[CellBatch], Sequence[CellBatch]]
"""What is done with a batch; the batches that are to be done next."""


class NestedCells(NamedTuple):
    """What cells were cut into.

    Attributes:
        cells: the parts that are left in the end.
        blocks: what these were when they were small for the first time.
        packs: what these were when they were no larger than packs for the first time.
    """

    cells: CutCells
    blocks: CutCells
    packs: CutCells


@dataclass(frozen=True, eq=False)
class TopDown:
    """Cuts cells until no cut is left that keeps to the limits.

    Attributes:
        axes: the columns.
        rows: how many rows each public value has.
        limits: what both parts of a cut must keep to.
        fast: whether loops are compiled; otherwise numpy does the same.
    """

    axes: Sequence[Axis]
    rows: IntArray
    limits: Sequence[Limit]
    fast: bool

    @classmethod
    def of(cls, axes: Sequence[Axis], rows: IntArray, limits: Sequence[Limit]) -> "TopDown":
        """A search, compiled where that is worth it."""
        return cls(axes, rows, limits, len(axes) * len(rows) > SMALL)

    @cached_property
    def _even(self) -> bool:
        """Whether each public value is one row."""
        return bool(np.all(self.rows == 1))

    def cut(
        self, cells: CutCells, prefer: Cutting, *, once: bool = False, progress: Progress = lambda _: None
    ) -> NestedCells:
        """What cells are cut into, each in its place; what is left when nobody waits any more stays whole.

        Args:
            cells: cells that keep to the limits.
            prefer: how they are cut.
            once: each is cut in two at most, and not on and on.
            progress: called with the share of the values whose cells are cut.
        """
        members, wanted = np.empty_like(cells.members), active()
        found: list[tuple[IntArray, IntArray, IntArray]] = []

        def work(batch: CellBatch) -> Sequence[CellBatch]:
            """Take a large batch apart, or cut the cells of a small one on and on."""
            if wanted.is_over:
                members[batch.offset : batch.offset + len(batch)] = batch.members
                found.append((batch.starts + batch.offset,) * 3)
                return []
            if len(batch) > BATCH and len(batch.starts) > 1:
                return batch.halves()
            parts = [batch] if once or len(batch) <= BATCH else self._apart(batch, prefer)
            if len(parts) > 1:
                return parts
            blocks = (batch if once else self._blocks(batch, prefer)).widened()
            limits = [limit.take(blocks.members) for limit in self.limits]
            made, packs = self._cut_small(blocks, limits, prefer, once=once)
            members[batch.offset : batch.offset + len(batch)] = blocks.members[made.members]
            found.append((made.starts + batch.offset, blocks.starts + batch.offset, packs + batch.offset))
            return []

        self._run(work, cells, progress)
        return NestedCells(
            *(CutCells(members, np.sort(np.concatenate(starts))) for starts in zip(*found, strict=True))
        )

    def grow(self, made: NestedCells, progress: Progress = lambda _: None) -> CutCells:
        """Cells, but in the packs where others lose less that are grown."""
        if len(self.axes) == 1 or Wants.of(self.limits) is None:
            return made.cells
        members, found, wanted = made.cells.members.copy(), list[IntArray](), active()

        def work(batch: CellBatch) -> Sequence[CellBatch]:
            """Take a large batch apart, or grow the cells of the packs of a small one."""
            if len(batch) > BATCH and len(batch.starts) > 1:
                return batch.halves()
            first, last = np.searchsorted(made.cells.starts, (batch.offset, batch.offset + len(batch)))
            starts = made.cells.starts[first:last] - batch.offset
            cells = CutCells(np.arange(len(batch)), starts)
            if not wanted.is_over:
                cells = self._grow_small(batch.widened(), cells)
            members[batch.offset : batch.offset + len(batch)] = batch.members[cells.members]
            found.append(cells.starts + batch.offset)
            return []

        self._run(work, made.packs, progress)
        return CutCells(members, np.sort(np.concatenate(found)))

    def _run(self, work: Task, cells: CutCells, progress: Progress) -> None:
        """Do work on a batch of all cells, and on what that leaves; in threads where it is compiled."""
        codes = [axis.codes[cells.members] for axis in self.axes]
        waiting = [CellBatch(cells.members, codes, cells.starts, 0)]
        del codes
        _run(work, waiting, min(os.cpu_count() or 1, THREADS) if self.fast else 1, progress)

    def _blocks(self, batch: CellBatch, prefer: Cutting) -> CellBatch:
        """The large cells of a batch cut into small ones."""
        waiting, found = [batch], list[CellBatch]()
        while waiting:
            parts = self._apart(waiting.pop(), prefer)
            if len(parts) == 1:
                found += parts
            else:
                waiting += parts[::-1]
        return CellBatch.of(found)

    def _apart(self, batch: CellBatch, prefer: Cutting) -> Sequence[CellBatch]:
        """A batch as two: of whole cells; or a large cell cut along the widest column where that is fine."""
        if not batch.large:
            return [batch]
        if len(batch.starts) > 1:
            return batch.halves()
        rows = None if self._even else self.rows[batch.members]
        columns = list(zip(self.axes, batch.codes, strict=True))
        if len(columns) > 1:
            columns.sort(key=lambda column: -width(*column))
        for axis, codes in columns:
            for code in coarse_cuts(axis, codes, rows, prefer):
                parts = batch.parted(codes <= code)
                if all(map(len, parts)) and self._allow(*parts):
                    return parts
        return [batch]

    def _allow(self, front: CellBatch, back: CellBatch) -> bool:
        """Whether two parts of a cell keep to the limits."""
        order = np.concatenate((front.members, back.members))
        cells, starts = np.zeros(len(order), np.int64), np.zeros(1, np.int64)
        return all(limit.cuts(order, cells, starts)[len(front) - 1] for limit in self.limits)

    def _cut_small(
        self, batch: CellBatch, limits: Sequence[Limit], prefer: Cutting, *, once: bool = False
    ) -> tuple[CutCells, IntArray]:
        """The places of members in a batch, by what its cells are cut into; and where packs begin."""
        rows = self.rows[:0] if self._even else self.rows[batch.members]
        cells, found = SortedCells.of(self.axes, batch.codes, rows, batch.starts), list[SortedCells]()
        while len(cells):
            chosen, cuts = self._choose(cells, limits, prefer)
            done, cells = cells.cut(chosen, cuts, fast=self.fast)
            found.append(done)
            if once:
                found.append(cells)
                break
        sizes = np.concatenate([np.diff(part.bounds) for part in found])
        made = CutCells(np.concatenate([part.orders[0] for part in found]), np.cumsum(sizes) - sizes)
        keys = np.concatenate([part.origins * len(batch) + part.packs for part in found])
        inner = stable_order(keys)
        made = made.take(inner)
        return made, made.starts[begins(keys[inner])]

    def _grow_small(self, packs: CellBatch, cells: CutCells) -> CutCells:
        """The places of members in a batch of packs, by cells or, where these lose less, by grown ones."""
        rows, wants = self.rows[packs.members], Wants.of([limit.take(packs.members) for limit in self.limits])
        if wants is None:
            return cells
        grown = grown_cells(self.axes, packs, wants, fast=self.fast)
        order = packs.take(*grown)
        finer, _ = self._cut_small(order, [limit.take(order.members) for limit in self.limits], "mean")
        both = cells, CutCells(grown.members[finer.members], finer.starts)
        numbers = [np.searchsorted(packs.starts, part.starts, side="right") - 1 for part in both]
        lost = [
            np.bincount(number, losses(self.axes, packs.take(*part), rows[part.members]))
            for number, part in zip(numbers, both, strict=True)
        ]
        return chosen_parts(both, numbers, lost[1] < lost[0])

    def _choose(
        self, cells: SortedCells, limits: Sequence[Limit], prefer: Cutting
    ) -> tuple[IntArray, IntArray]:
        """The column along which each cell is cut, and after which place in its order; -1 for none."""
        many = len(cells.starts)
        gains, cuts, chosen = np.full(many, -np.inf), np.full(many, -1), np.full(many, -1)
        for number, order in enumerate(cells.orders):
            fine = np.zeros(len(order), bool)
            fine[:-1] = True
            for limit in limits:
                fine[:-1] &= limit.cuts(order, cells.cells, cells.starts)
            fine[cells.bounds[1:] - 1] = False
            gain, cut = best_cuts(self.axes[number], number, cells, fine, prefer, fast=self.fast)
            better = (cut >= 0) & (gain > gains)
            gains[better], cuts[better], chosen[better] = gain[better], cut[better], number
        return chosen, cuts


def _run(work: Task, waiting: list[CellBatch], threads: int, progress: Progress) -> None:
    """Do what is waiting and what that leaves to be done, the last first: little of it is held at once."""
    total = sum(map(len, waiting))
    if threads == 1:
        while waiting:
            waiting += work(waiting.pop())
            progress(1 - sum(map(len, waiting)) / total)
        return
    with ThreadPoolExecutor(threads) as pool:
        running: dict[Future[Sequence[CellBatch]], int] = {}
        while waiting or running:
            while waiting and len(running) < threads:
                batch = waiting.pop()
                running[pool.submit(work, batch)] = len(batch)
            for one in wait(running, return_when=FIRST_COMPLETED).done:
                del running[one]
                waiting += one.result()
            progress(1 - (sum(map(len, waiting)) + sum(running.values())) / total)


def top_down_applies(targets: Targets) -> bool:
    """Whether columns can be cut, and what is asked for follows from what answers leave."""
    problem = targets.problem
    exact = problem.line is not None and problem.side is None  # contiguous cells are
    on_line = exact and not problem.limits and not targets.goal.by_mean
    columns = isinstance(problem.codebook, ColumnCodebook) and not on_line
    return (
        columns
        and targets.goal.utility == "distortion"
        and targets.blocks is None
        and targets.goal.objective == "leakage"
    )


def top_down_cells(
    problem: Problem, limits: Sequence[Limit], progress: Progress = lambda _: None
) -> Iterator[Cells]:
    """Cells that keep to limits: for the mean loss, and for the largest.

    Args:
        problem: what is merged: columns.
        limits: what each of its groups, taken whole, keeps to.
        progress: called with roughly the share of the work that is done.
    """
    book = problem.codebook
    if not isinstance(book, ColumnCodebook):
        return
    search = TopDown.of([_dealt(axis, problem) for axis in book.axes], problem.weights, limits)
    members = stable_order(problem.group_of).astype(whole_type(problem.size))
    groups = CutCells(members, np.flatnonzero(begins(problem.group_of[members])))
    made = search.cut(groups, "mean", progress=lambda share: progress(share / 2))
    grown = search.grow(made, lambda share: progress(0.5 + share / 4))
    if search.fast:
        yield grown.cells
        cells = _worst(book, search, made, grown).cells
        del search, members, groups, made, grown  # before the cells are read, which takes as much room
        yield cells
        return
    plain = search.cut(groups, "median")  # which in some small tables is better
    other = search.grow(plain)
    yield min(grown, other, key=lambda cells: _loss(search, cells)).cells
    worst = _cheap(book, plain, other, float(_costs(book, plain.cells).max()))
    yield min(
        _worst(book, search, made, grown), worst, key=lambda cells: float(_costs(book, cells).max())
    ).cells


def _dealt(axis: Axis, problem: Problem) -> Axis:
    """Categories in an order in which sensitive values take turns, so that few in a row have many of them.

    For categories any order is as good: a cell spans as many as it holds.
    """
    if not isinstance(axis, CategoryAxis):
        return axis
    joint, many = problem.joint, len(axis.points)
    secrets = np.full(many, joint.size_x)
    np.minimum.at(secrets, axis.codes[problem.public[joint.y]], joint.x)
    order = stable_order(secrets)
    counts = np.bincount(secrets)
    before = np.repeat(np.cumsum(counts) - counts, counts)
    turns = (np.arange(many) - before + 0.5) / np.repeat(counts, counts)
    places = np.empty_like(narrow(order, many))
    places[order[stable_order((turns * 2**30).astype(np.int64))]] = np.arange(many)
    return replace(axis, codes=places[axis.codes]) if np.any(places[1:] < places[:-1]) else axis


def _worst(book: ColumnCodebook, search: TopDown, made: NestedCells, grown: CutCells) -> CutCells:
    """Cells for the mean loss, but in the blocks where these cost most such for the largest loss."""
    largest = np.maximum.reduceat(_costs(book, made.cells), made.blocks.within(made.cells))
    limit = _reachable(book, search, made.blocks, largest)
    for _ in range(ROUNDS):
        over = largest > limit
        rest = list(_within(book, search, made.blocks.take(np.flatnonzero(over)), limit))
        costs = [float(_costs(book, part.cells).max()) for part in rest]
        reached = max([float(largest[~over].max(initial=0.0)), *costs])
        if reached >= limit:
            break
        limit = reached
    mean = _cheap(book, made, grown, limit)
    kept = mean.take(np.flatnonzero(~over[made.blocks.numbers(mean)]))
    return CutCells.joined([kept, *(_cheap(book, part, search.grow(part), limit) for part in rest)])


def _reachable(book: ColumnCodebook, search: TopDown, blocks: CutCells, largest: FloatArray) -> float:
    """The largest cost of a block when each is cut for the mean loss, which is known, or for the largest.

    Blocks are looked at from the costliest on, as long as one costs more than those before it do at best.
    """
    order = np.argsort(-largest, kind="stable")
    limit, done, many = 0.0, 0, 1
    while done < len(order) and largest[order[done]] > limit:
        taken = order[done : done + many]
        whole = blocks.take(taken)
        worst = search.cut(whole, "worst").cells
        costs = np.maximum.reduceat(_costs(book, worst), whole.within(worst))
        limit = max(limit, float(np.minimum(costs, largest[taken]).max()))
        done, many = done + many, 2 * many
    return limit


def _cheap(book: ColumnCodebook, made: NestedCells, grown: CutCells, limit: float) -> CutCells:
    """Cells, but grown ones in the packs where these cost no more than a limit."""
    fine = np.maximum.reduceat(_costs(book, grown), made.packs.within(grown)) <= limit
    both = made.cells, grown
    return chosen_parts(both, [made.packs.numbers(part) for part in both], fine)


def _within(book: ColumnCodebook, search: TopDown, cells: CutCells, limit: float) -> Iterator[NestedCells]:
    """Cells cut for the mean loss, but where these cost more than a limit first for the largest loss."""
    while len(cells.members):
        made, halves = search.cut(cells, "mean"), search.cut(cells, "worst", once=True).cells
        costs = np.maximum.reduceat(_costs(book, made.cells), cells.within(made.cells))
        parts = np.diff(cells.within(halves), append=len(halves.starts))
        done = (costs <= limit) | (parts == 1)
        if done.any():
            yield NestedCells(*(part.take(np.flatnonzero(done[cells.numbers(part)])) for part in made))
        cells = halves.take(np.flatnonzero(np.repeat(~done, parts)))


def _loss(search: TopDown, cells: CutCells) -> float:
    """About the mean loss of cells, times the rows."""
    return float(shares(search.axes, *cells) @ np.add.reduceat(search.rows[cells.members], cells.starts))


def _costs(book: ColumnCodebook, cells: CutCells) -> FloatArray:
    """About what each cell costs."""
    ends = np.append(cells.starts[1:], len(cells.members))
    found, first = [], 0
    while first < len(ends):  # some at a time: each column's distances take as much room as the column
        last = max(first + 1, int(np.searchsorted(ends, cells.starts[first] + AT_ONCE)))
        begin = cells.starts[first]
        order, starts = cells.members[begin : ends[last - 1]], cells.starts[first:last] - begin
        if book.fits and book.word != "medoid":
            tops, bottoms = book.cell_costs(order, starts)
            found.append(tops / bottoms)
        else:
            found.append(shares(book.axes, order, starts))
        first = last
    return np.concatenate(found)
