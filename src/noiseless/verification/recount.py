"""What a release gives away, counted anew from the rows and the cells."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from noiseless.arrays import IntArray
from noiseless.verification.certificate import Columns
from noiseless.verification.partition import Partition, PublicValues
from noiseless.verification.rows import Groups, Rows, combined


@dataclass(frozen=True, eq=False)
class Exposure:
    """What somebody who sees the release, and knows the given columns, can tell.

    A group is what such a person sees: a cell, the kept values and the given ones.

    Attributes:
        min_posterior: the fewest sensitive values that a group leaves possible.
        max_posterior: the most.
        components: how many classes of sensitive values can always be told apart: the components of the graph
            of sensitive values and groups.
        leakage: the largest |[[S|a]]| / |[[S|group]]|, a being what the group's given columns hold; without
            given columns |[[S]]| / min_posterior.
        posteriors: the smallest posterior set of each cell's groups.
        rows: how many rows each cell has.
    """

    min_posterior: int
    max_posterior: int
    components: int
    leakage: Fraction
    posteriors: IntArray
    rows: IntArray


def recount(columns: Columns, rows: Rows, values: PublicValues, partition: Partition) -> Exposure:
    """Count from the definitions."""
    cells = partition.cell_of[values.groups.of]
    secrets, given = rows.groups(columns.sensitive), rows.groups(columns.given)
    kept = rows.groups(columns.keep)
    seen = combined([cells, kept.of, given.of], [len(partition.cells), len(kept), len(given)], len(rows))
    pairs = combined([seen.of, secrets.of], [len(seen), len(secrets)], len(rows))
    of_group, of_secret = seen.of[pairs.example], secrets.of[pairs.example]
    sizes = np.bincount(of_group, minlength=len(seen))
    cell_of_group = cells[seen.example]
    posteriors = np.full(len(partition.cells), np.iinfo(np.int64).max)
    np.minimum.at(posteriors, cell_of_group, sizes)
    counts = np.zeros(len(partition.cells), np.int64)
    np.add.at(counts, cells, rows.counts)
    before = _posteriors(given, secrets, len(rows))
    return Exposure(
        int(sizes.min()),
        int(sizes.max()),
        _components(of_secret, of_group, len(secrets), len(seen)),
        _largest_ratio(before[given.of[seen.example]], sizes),
        posteriors,
        counts,
    )


def _posteriors(known: Groups, secrets: Groups, length: int) -> IntArray:
    """How many sensitive values occur with each group."""
    pairs = combined([known.of, secrets.of], [len(known), len(secrets)], length)
    return np.bincount(known.of[pairs.example], minlength=len(known))


def _largest_ratio(above: IntArray, below: IntArray) -> Fraction:
    different = set(zip(above.tolist(), below.tolist(), strict=True))
    return max(Fraction(top, bottom) for top, bottom in different)


def _components(secrets: IntArray, groups: IntArray, many_secrets: int, many_groups: int) -> int:
    """The components of the graph whose edges are the pairs that occur."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    nodes = many_secrets + many_groups
    edges = (np.ones(len(secrets), np.int8), (secrets, groups + many_secrets))
    return int(connected_components(coo_array(edges, (nodes, nodes)), directed=False)[0])


def resolution(partition: Partition) -> Fraction:
    """The rational whose log2 is U1 of [P3]: public values for each one of the largest cell.

    Suppressed values are left out of both.
    """
    sizes = partition.sizes[[not cell.suppressed for cell in partition.cells]]
    return Fraction(int(sizes.sum()), int(sizes.max())) if len(sizes) else Fraction(1)
