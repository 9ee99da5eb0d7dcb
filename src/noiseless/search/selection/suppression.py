"""Withholding a bounded share of the rows: values that are put into one cell of their own.

What is suppressed counts for nothing in the loss, and for what is given away it is a cell like any other. So
values are suppressed that make the loss of the others large, or that leave too few sensitive values where
they are; and if these together leave too few, some more with them.
"""

from collections.abc import Iterator

import numpy as np

from noiseless.arrays import BoolArray, IntArray
from noiseless.search.merging import MergePath
from noiseless.search.merging.cells import Cells
from noiseless.search.merging.lagrangian import Lagrangian, Loss
from noiseless.search.selection.costs import cell_costs
from noiseless.search.selection.exactly import Contiguous
from noiseless.search.selection.outliers import without_outliers
from noiseless.search.selection.paths import Paths, within
from noiseless.search.selection.pool import Pool
from noiseless.search.selection.problem import Problem
from noiseless.search.selection.spare import Split, completed, joined
from noiseless.search.selection.suppressed_strips import on_strips
from noiseless.search.selection.targets import Targets

POINTS, WORK = 12, 3 * 10**6
"""At so many points of a path cells are suppressed, or at fewer if that is so many values in all."""

ENOUGH = 20_000
"""With more public values on a line the exact way is enough."""

LEVELS = 4
"""So many numbers of suppressed cells are tried for the resolution, which counts suppressed values too."""


def suppressing(pool: Pool, paths: Paths) -> Loss | Lagrangian | None:
    """Add partitions with suppressed values; the best that contiguous cells can do, where that is known.

    Args:
        pool: what was found without suppression.
        paths: the greedy paths.
    """
    targets = pool.targets
    problem, wish = targets.problem, targets.wish
    known: Loss | Lagrangian | None = None
    ordered = problem.one_column and Contiguous.applies(problem, wish.utility, by_width=True)
    if wish.method != "greedy" and ordered and wish.objective != "maximin":
        known = on_strips(pool)
    if wish.method != "exact" and not (known is not None and problem.size > ENOUGH):
        for need in _needs(targets):
            for path in paths.serving(targets):
                for point in points_of(path, targets, need):
                    suppress_cells(pool, need, path[point].cells)
        if known is None and wish.aim == "loss" and wish.utility == "distortion":
            for cells, hidden in without_outliers(targets, paths):
                suppress_cells(pool, targets.need, cells, hidden)
    return known


def _needs(targets: Targets) -> list[IntArray]:
    """How much answers are to leave: what is asked for; and more, where as much as possible is wanted."""
    if targets.wish.aim == "loss":
        return [targets.need]
    first, last = int(targets.need.max()), int(targets.most.max())
    return [np.maximum(targets.need, first + k) for k in _spread(last - first + 1, POINTS).tolist()]


def points_of(path: MergePath, targets: Targets, need: IntArray) -> list[int]:
    """Points of a path at which suppressing cells may help."""
    fine = within(path, targets)
    if targets.wish.aim == "loss":
        last = int(fine[0]) if len(fine) else len(path) - 1
        first = _first(path, targets, need, last)
    elif targets.wish.aim == "leak":
        first, last = int(fine[-1]) if len(fine) else 0, len(path) - 1
    else:
        first, last = 0, len(path) - 1
    many = max(3, min(POINTS, WORK // targets.problem.size))
    return [first + int(place) for place in _spread(last - first + 1, many)]


def _first(path: MergePath, targets: Targets, need: IntArray, last: int) -> int:
    """About the first point at which the cells that give away too much have no more rows than allowed."""
    low, high = -1, last
    while high - low > 1:
        middle = (low + high) // 2
        cells = path[middle].cells
        rows = int(targets.problem.weights[telling(targets.problem, need, cells)[cells.cell_of]].sum())
        low, high = (low, middle) if rows <= targets.budget else (middle, high)
    return high


def telling(problem: Problem, need: IntArray, cells: Cells) -> BoolArray:
    """Which cells leave fewer sensitive values than needed."""
    many = len(problem.prior)
    answers, codes = np.unique(cells.cell_of[problem.public] * many + problem.seen, return_inverse=True)
    sizes = problem.joint.merged(codes.reshape(-1)).posterior_sizes
    found = np.zeros(cells.count, bool)
    found[answers[sizes < need[answers % many]] // many] = True
    return found


def suppress_cells(pool: Pool, need: IntArray, cells: Cells, hidden: BoolArray | None = None) -> None:
    """Suppress cells that give away or lose more than allowed, and then those that lose most.

    Args:
        pool: where what is found is put.
        need: for each code of what is seen besides how many sensitive values an answer must leave.
        cells: a partition.
        hidden: values of it that are suppressed already, whole cells.
    """
    targets, problem = pool.targets, pool.targets.problem
    gone = np.zeros(problem.size, bool) if hidden is None else hidden
    bad = telling(problem, need, cells) | _too_large(targets, cells)
    known = targets.by_known(need)
    for one in _enough(targets, known, Split(problem, cells.cell_of, gone | bad[cells.cell_of])):
        pool.add(one.labels, "greedy", one.hidden)
        for fewer in _peeled(targets, cells, one):
            for done in _enough(targets, known, fewer):
                pool.add(done.labels, "greedy", done.hidden)


def _enough(targets: Targets, need: IntArray, split: Split) -> Iterator[Split]:
    """The same with as much suppressed besides as limits ask for; nothing if that is too much."""
    if split.rows > targets.budget or split.hidden.all():
        return
    found = completed(split, need, targets.budget)
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


def _peeled(targets: Targets, cells: Cells, split: Split) -> Iterator[Split]:
    """The cells that lose most suppressed as well, level by level as far as the rows allow."""
    shown = np.unique(cells.cell_of[~split.hidden])
    left = targets.budget - split.rows
    if targets.wish.utility == "resolution":
        lost = cells.sizes[shown].astype(np.float64)
    else:
        costs = cell_costs(targets.problem.codebook, cells)
        lost = np.array([float(costs[cell]) for cell in shown.tolist()])
    rows = np.bincount(cells.cell_of[~split.hidden], targets.problem.weights[~split.hidden])[shown]
    order = np.argsort(-lost, kind="stable")
    gone = np.cumsum(rows[order])
    ends = np.flatnonzero(np.append(np.diff(lost[order]) != 0, True) & (gone <= left))
    if len(ends):
        deepest = ends[-1:] if targets.wish.utility == "distortion" else ends[_spread(len(ends), LEVELS)]
        for end in deepest.tolist():
            yield split.also(np.isin(cells.cell_of, shown[order[: end + 1]]) & ~split.hidden)


def _spread(size: int, many: int) -> IntArray:
    return np.unique(np.linspace(0, size - 1, many).astype(np.int64))
