"""Values far from all others, left out before Algorithm 1 is run: for any columns."""

from collections.abc import Iterator

import numpy as np

from noiseless.arrays import BoolArray, IntArray
from noiseless.search.merging import leakage_path
from noiseless.search.merging.cells import Cells
from noiseless.search.merging.codebook import ColumnCodebook
from noiseless.search.selection.costs import cell_costs
from noiseless.search.selection.paths import Paths, best_point
from noiseless.search.selection.radii import Radii
from noiseless.search.selection.targets import Targets

SHARES = (1.0, 0.5)
"""Which shares of the rows that may be suppressed are outliers; the rest is for what joins them."""


def without_outliers(targets: Targets, paths: Paths) -> Iterator[tuple[Cells, BoolArray]]:
    """Partitions of what is left without the values that need the most room, and these values.

    A value needs as much room as the nearest values that have enough sensitive values (see `Radii`).
    """
    problem = targets.problem
    book = problem.codebook
    if not problem.plain or not isinstance(book, ColumnCodebook) or not book.fits:
        return
    point = best_point(paths.leakage, targets)
    base = (paths.leakage.last if point is None else point).cells
    costs = np.array([float(cost) for cost in cell_costs(book, base)])
    radii = Radii(problem, np.argsort(-costs[base.cell_of], kind="stable"))
    centres, table, _ = radii.least(0, int(targets.need[0]))
    order = centres[np.argsort(-table[:, -1], kind="stable")]
    gone = np.cumsum(problem.weights[order])
    tried = set()
    for share in SHARES:
        many = int(np.count_nonzero(gone <= share * targets.budget))
        if many in tried or many == 0 or many >= problem.size:
            continue
        tried.add(many)
        hidden = np.zeros(problem.size, bool)
        hidden[order[:many]] = True
        yield from _rest(targets, hidden)


def _rest(targets: Targets, hidden: BoolArray) -> Iterator[tuple[Cells, BoolArray]]:
    """Algorithm 1 on what is not hidden; hidden values are one cell."""
    rest, kept = targets.problem.without(hidden)
    need = int(targets.need[0])
    if rest.joint.size_x < need:
        return
    point = leakage_path(rest.joint, rest.codebook).meeting(min_posterior=need)
    if point is not None:
        labels: IntArray = np.full(len(hidden), point.cells.count)
        labels[kept] = point.cells.cell_of
        yield Cells.from_labels(labels), hidden
