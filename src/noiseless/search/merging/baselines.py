"""What others do, in the same frame: each returns cells that are measured like any others."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from typing import Literal

import numpy as np
import numpy.typing as npt

from noiseless.arrays import IntArray
from noiseless.errors import RequestError
from noiseless.exact import Rational
from noiseless.ranges import JointRange, count_blocks
from noiseless.search.codebook import Codebook, ColumnCodebook
from noiseless.search.columns import Categories, Column, Numbers
from noiseless.search.loss import Utility
from noiseless.search.measures import Memory
from noiseless.search.merging.merge_costs import MergeCosts
from noiseless.search.merging.merged_cells import MergedCells
from noiseless.search.merging.runs import CellPairs
from noiseless.search.merging.subsets import submodular_agglomeration
from noiseless.search.problem import Cells, Problem, SideInformation
from noiseless.tables.kernels import distinct_values, run_starts

_ROOM = 2**62


def generalise_and_suppress(joint: JointRange, k: int) -> Cells:
    """All public values with fewer than k sensitive values become one less specific value ([49] of [P3]).

    The cell they make may still have fewer than k: nothing else is merged into it.

    >>> joint = JointRange.from_pairs([("s1", "a"), ("s2", "a"), ("s2", "b"), ("s3", "c")])
    >>> generalise_and_suppress(joint, 2).members
    ((0,), (1, 2))
    """
    labels = np.arange(joint.size_y)
    rare = np.flatnonzero(joint.posterior_sizes < k)
    if len(rare):
        labels[rare] = rare[0]
    return Cells.from_labels(labels)


def steepest_descent(
    joint: JointRange,
    weight: Rational | float,
    codebook: Codebook | None = None,
    *,
    objective: Literal["leakage", "maximin"] = "maximin",
    side: SideInformation | None = None,
) -> Cells:
    """Merge the pair that lowers the Lagrangian of [P3] most, of all pairs, as long as one does.

    [50] of [P3] merges subsets, by another Lagrangian: that is `submodular_agglomeration`.

    Ties go to the lowest first values. The Lagrangian of leakage stands still while three cells or more
    share the smallest S-range, so there it often ends where it began. For few public values: it looks at
    all pairs each time.

    Args:
        joint: [[S, X]].
        weight: the multiplier lambda.
        codebook: for distortion; None for resolution.
        objective: what is lowered.
        side: side information.
    """
    exact, cells = Fraction(weight), MergedCells(Problem(joint, side=side))
    costs, by_leakage = MergeCosts(codebook, cells.problem.size, exact=True), objective == "leakage"
    pairs = CellPairs(cells, costs, every=True, exposed=by_leakage)
    while len(pairs.first):
        now = float(cells.exposures.max()) if by_leakage else cells.components[-1]
        leaks = pairs.leaks if by_leakage else np.asarray(now - _fewer(pairs), float)
        best, ties = pairs.least(leaks, exact)
        if best >= pairs.lagrangian(now, float(costs.own.max()), exact):
            break
        pairs.join(ties)
    return Cells.from_labels(costs.cell_of)


def _fewer(pairs: CellPairs) -> IntArray:
    """How many subgraphs fewer there are once each pair is merged."""
    joined = pairs.cells.joined(pairs.first, pairs.second)
    found: IntArray = np.count_nonzero(joined[0] >= 0, axis=0)
    for place in np.flatnonzero(found > 1).tolist():
        parts: list[set[int]] = []
        for both in map(set, joined[:, joined[0, :, place] >= 0, place].T.tolist()):
            met = [part for part in parts if part & both]
            parts = [part for part in parts if not part & both] + [both.union(*met)]
        found[place] = sum(len(part) - 1 for part in parts)
    return found


def mondrian(joint: JointRange, columns: Sequence[Column], k: int) -> Cells:
    """Mondrian: halve the widest column at its median as long as both halves keep k sensitive values.

    Strict partitioning, every public value counting once; categories are taken in the order they are first
    met.

    Args:
        joint: [[S, X]].
        columns: the public columns.
        k: how many sensitive values each cell must keep; the first one too, or there is nothing to do.
    """
    if joint.size_x < k:
        raise RequestError(f"there are {joint.size_x:,} sensitive values, fewer than k = {k:,}")
    table = np.stack([_ranks(column) for column in columns], axis=1)
    spans = np.maximum(np.ptp(table, axis=0), 1)
    labels, part, made = np.zeros(len(table), np.int64), np.zeros(len(table), np.int64), 0
    left = np.arange(len(table))
    while len(left):
        halves = _halved(joint, table, spans, left, part, k)
        whole = halves < 0
        labels[left[whole]] = made + part[whole]
        made += int(part.max()) + 1
        left, part = left[~whole], np.unique(halves[~whole], return_inverse=True)[1].reshape(-1)
    return Cells.from_labels(labels)


def halved_cells(problem: Problem, columns: Sequence[Column], k: int) -> Cells:
    """Mondrian's cells of a problem, within its groups; made once."""
    known = mondrian, k
    if known not in problem.made:
        problem.made[known] = problem.within_groups(mondrian(problem.marginal, columns, k))
    found: Cells = problem.made[known]
    return found


def _halved(  # noqa: PLR0917 - what `mondrian` has at hand
    joint: JointRange, table: IntArray, spans: IntArray, values: IntArray, part: IntArray, k: int
) -> IntArray:
    """The half that each of some values goes to, where its part can be halved; else -1.

    Args:
        joint: [[S, X]].
        table: where each public value lies in each column.
        spans: how wide the columns are.
        values: some of the values.
        part: the part of each, as codes 0, 1, 2, ...
        k: how many sensitive values both halves must keep.
    """
    places, order = table[values], np.argsort(part, kind="stable")
    starts = np.flatnonzero(np.diff(part[order], prepend=-1))
    lows, highs = (end.reduceat(places[order], starts) for end in (np.minimum, np.maximum))
    widths = (highs - lows) / spans
    middles = starts + (np.diff(starts, append=len(order)) - 1) // 2
    halves, undecided = np.full(len(values), -1), np.ones(len(starts), bool)
    for columns in np.argsort(-widths, axis=1, kind="stable").T:
        along = places[np.arange(len(values)), columns[part]]
        middle = along[np.lexsort((along, part))[middles]][part]
        for lower in (along <= middle, along < middle):
            found = np.where(undecided[part], 2 * part + lower, -1)
            fine = np.min(_sensitive(joint, values, found, 2 * len(starts)).reshape(-1, 2), axis=1) >= k
            halves = np.where(undecided[part] & fine[part], found, halves)
            undecided &= ~fine
    return halves


def _sensitive(joint: JointRange, values: IntArray, codes: IntArray, many: int) -> IntArray:
    """How many sensitive values the public values of each code have together; of code -1 none."""
    code_of = np.full(joint.size_y, -1)
    code_of[values] = codes
    here = code_of[joint.y]
    pairs = distinct_values(here[here >= 0] * joint.size_x + joint.x[here >= 0])
    return np.bincount(pairs // joint.size_x, minlength=many)


def _ranks(column: Column) -> IntArray:
    if isinstance(column, Numbers):
        return column.steps
    return (column.codes if isinstance(column, Categories) else column.leaf).astype(np.int64)


def equal_width(column: Numbers, cells: int) -> Cells:
    """Bins of one width between the smallest and the largest number; empty ones are left out.

    >>> equal_width(Numbers([0, 1, 2, 9]), 3).members
    ((0, 1, 2), (3,))
    """
    _at_least_one(cells)
    low, high = int(column.points[0]), int(column.points[-1])
    points = column.points if (abs(low) + abs(high)) * cells < _ROOM else column.points.astype(object)
    bins = np.minimum((points - low) * cells // max(1, high - low), cells - 1)
    return Cells.from_labels(bins[column.codes])


def equal_frequency(column: Numbers, cells: int, rows: npt.ArrayLike | None = None) -> Cells:
    """Bins that hold as nearly the same number of rows as whole values allow.

    >>> equal_frequency(Numbers([0, 1, 2, 9]), 2).members
    ((0, 1), (2, 3))

    Args:
        column: the numbers.
        cells: how many bins at most.
        rows: how many rows have each public value; one each if not given.
    """
    _at_least_one(cells)
    held = np.ones(len(column), np.int64) if rows is None else np.asarray(rows, np.int64)
    order = np.argsort(column.codes, kind="stable")
    labels = np.empty(len(column), np.int64)
    twice = 2 * np.cumsum(held[order]) - held[order]  # twice the place of its middle row
    labels[order] = np.minimum(twice * cells // max(1, 2 * int(held.sum())), cells - 1)
    starts = run_starts(column.codes[order])  # one number, one bin
    labels[order] = np.repeat(labels[order[starts]], np.diff(starts, append=len(order)))
    return Cells.from_labels(labels)


def _at_least_one(cells: int) -> None:
    if cells < 1:
        raise RequestError("at least one cell is needed")


MONDRIAN = "Mondrian"
BASELINES = (
    *("generalise and suppress", "steepest descent", "IAC-MDSF", MONDRIAN, "equal width", "equal frequency"),
)
"""What other people's methods are called."""

MOST_FOR_MONDRIAN = 60_000
MOST_FOR_BINS = 300_000
MOST_PAIRS = 2 * 10**5
"""Steepest descent looks at all pairs before each merge; at no more than about this many in all."""

MOST_FOR_SUBSETS = 2 * 10**6
"""Public values squared times sensitive ones: agglomeration over subsets takes about a second for more."""

SIZES = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 25, 32, 40, 50, 75, 100, 150, 200, 500, 1000)
WEIGHTS = (Fraction(1, 100), Fraction(1, 10), Fraction(1, 2))
SHARES = (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4))
"""The weights of IAC-MDSF, which are below 1."""


Found = Iterator[tuple[str, Cells]] | str
"""Cells, each with how they were asked for; or why there are none."""

_ALL_PAIRS = "it looks at all pairs of values before each merge, which takes too long"


@dataclass(frozen=True, eq=False)
class Baselines:
    """The baselines of a problem. They know neither groups nor side information, and are measured with them.

    Attributes:
        memory: where their cells are kept.
        utility: what is kept.
    """

    memory: Memory
    utility: Utility

    def run(self, report: Callable[[float], None]) -> dict[str, str]:
        """Run all of them; what was left out, and why."""
        notes, ways = (
            {},
            (self._suppress, self._descend, self._join_subsets, self._halve, self._cut, self._fill),
        )
        for number, (name, way) in enumerate(zip(BASELINES, ways, strict=True)):
            report(number / len(BASELINES))
            found = way()
            if isinstance(found, str):
                notes[name] = f"left out: {found}"
                continue
            for setting, cells in found:
                self.memory.add(self._problem.within_groups(cells), name, setting=setting)
        return notes

    @property
    def _problem(self) -> Problem:
        return self.memory.problem

    @property
    def _columns(self) -> Sequence[Column]:
        book = self._problem.codebook
        return book.columns if isinstance(book, ColumnCodebook) else ()

    @property
    def _sizes(self) -> list[int]:
        return [k for k in SIZES if k <= self._problem.joint.size_x]

    def _suppress(self) -> Found:
        joint = self._problem.marginal
        held, made = joint.posterior_sizes, cache(partial(generalise_and_suppress, joint))
        return ((f"k = {k}", made(1 + int(held[held < k].max(initial=0)))) for k in self._sizes)

    def _descend(self) -> Found:
        problem = self._problem
        if problem.size**2 * count_blocks(problem.joint) > MOST_PAIRS:
            return _ALL_PAIRS
        book = problem.codebook if self.utility == "distortion" else None
        run = partial(steepest_descent, problem.joint, codebook=book, side=problem.seen_with)
        return ((f"weight {float(weight):g}", run(weight)) for weight in WEIGHTS)

    def _join_subsets(self) -> Found:
        joint = self._problem.marginal
        if joint.size_y**2 * joint.size_x > MOST_FOR_SUBSETS:
            return _ALL_PAIRS
        return ((f"weight {float(share):g}", submodular_agglomeration(joint, share)) for share in SHARES)

    def _halve(self) -> Found:
        if not self._columns:
            return "it needs columns to halve"
        if self._problem.size > MOST_FOR_MONDRIAN:
            return f"more than {MOST_FOR_MONDRIAN:,} public values take too long"
        return ((f"k = {k}", halved_cells(self._problem, self._columns, k)) for k in self._sizes)

    def _cut(self) -> Found:
        return self._bins(equal_width)

    def _fill(self) -> Found:
        return self._bins(partial(equal_frequency, rows=self._problem.weights))

    def _bins(self, make: Callable[[Numbers, int], Cells]) -> Found:
        size, column = self._problem.size, self._columns[0] if len(self._columns) == 1 else None
        if not isinstance(column, Numbers):
            return "it is for one numeric column"
        if size > MOST_FOR_BINS:
            return f"more than {MOST_FOR_BINS:,} public values take too long"
        return ((f"{many} bins", make(column, many)) for many in (1, *SIZES) if many <= size)
