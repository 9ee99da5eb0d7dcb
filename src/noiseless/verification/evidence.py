"""What the two tables say about a certificate, counted anew from rows and cells when first asked for."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from noiseless.arrays import IntArray
from noiseless.tables import Missing, Table
from noiseless.verification.certificate import CertifiedRelease, Columns
from noiseless.verification.distortion import CertifiedCodebook, Distortion
from noiseless.verification.partition import CellPartition, PublicValues, compare_release, match_cells
from noiseless.verification.rows import DistinctRows, Groups, combined, table_digest


@dataclass(frozen=True, eq=False)
class Recount:
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


def recount(columns: Columns, rows: DistinctRows, values: PublicValues, partition: CellPartition) -> Recount:
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
    return Recount(
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


def resolution(partition: CellPartition) -> Fraction:
    """The rational whose log2 is U1 of [P3]: public values for each one of the largest cell.

    Suppressed values are left out of both.
    """
    sizes = partition.sizes[[not cell.suppressed for cell in partition.cells]]
    return Fraction(int(sizes.sum()), int(sizes.max())) if len(sizes) else Fraction(1)


@dataclass(frozen=True, eq=False)
class Evidence:
    """The tables, read as the certificate says.

    What needs a part that is not there is not there either: without its columns a table has no rows, and
    without a partition nothing can be said about what is released.

    Attributes:
        certificate: what is claimed.
        original: the table that was released.
        released: what was made of it.
    """

    certificate: CertifiedRelease
    original: Table
    released: Table

    @cached_property
    def column_faults(self) -> tuple[str, ...]:
        """What is wrong with the tables' columns, in words."""
        columns = self.certificate.columns
        faults = [f"the original has no {name!r}" for name in columns.original if not self._has(name)]
        faults += [
            f"the release has no {name!r}" for name in columns.released if name not in self.released.columns
        ]
        extra = [name for name in self.released.columns if name not in columns.released]
        return (*faults, *(f"the release has {name!r} besides" for name in extra))

    def _has(self, column: str) -> bool:
        return column in self.original.columns

    @cached_property
    def rows(self) -> DistinctRows | None:
        """The distinct rows of the original that are used."""
        columns = self.certificate.columns.original
        if not all(self._has(name) for name in columns):
            return None
        options = self.certificate.options
        missing: Missing = "drop" if options.missing == "drop" else "value"
        table = self.original.distinct_rows() if options.distinct_rows else self.original
        days = [name for name, kind in options.kinds.items() if kind == "date"]
        return DistinctRows.read(table.select(columns).with_missing(columns, missing), columns).by_days(days)

    @cached_property
    def secrets(self) -> DistinctRows | None:
        """The same rows with sensitive values as they are counted."""
        if self.rows is None or self.certificate.options.spellings == "own":
            return self.rows
        return self.rows.merged(self.certificate.columns.sensitive)

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What to bear in mind: values that differ in spelling only, where each counts for itself."""
        columns = self.certificate.columns.sensitive
        if self.rows is None or self.certificate.options.spellings == "one":
            return ()
        merged = self.rows.merged(columns)
        spare = {column: len(self.rows.texts[column]) - len(merged.texts[column]) for column in columns}
        return tuple(
            f"{number:,} of the values of {column!r} differ from others in spelling only; this certificate "
            "counts each for itself, so fewer may be left than it says"
            for column, number in spare.items()
            if number
        )

    @cached_property
    def released_rows(self) -> DistinctRows | None:
        """The distinct rows of the release; none is ever left out."""
        columns = self.certificate.columns.released
        if not all(name in self.released.columns for name in columns):
            return None
        return DistinctRows.read(self.released.select(columns), columns)

    @cached_property
    def original_digest(self) -> str | None:
        """The digest of the rows that are used."""
        return None if self.rows is None else table_digest(self.rows, self.certificate.columns.original)

    @cached_property
    def released_digest(self) -> str | None:
        """The digest of the release."""
        rows = self.released_rows
        return None if rows is None else table_digest(rows, self.certificate.columns.released)

    @cached_property
    def values(self) -> PublicValues | None:
        """The public values that occur."""
        return None if self.rows is None else PublicValues.of(self.rows, self.certificate.columns.public)

    @cached_property
    def matched(self) -> tuple[CellPartition | None, str | None]:
        """The partition, if it is one, and in words what was found."""
        return (None, None) if self.values is None else match_cells(self.certificate.cells, self.values)

    @cached_property
    def partition(self) -> CellPartition | None:
        """The partition, if it is one."""
        return self.matched[0]

    @cached_property
    def release(self) -> tuple[bool, str | None]:
        """Whether the release is what the partition makes of the original, and in words what was found."""
        if self.values is None or self.partition is None or self.released_rows is None:
            return False, None
        keep = self.certificate.columns.keep
        return compare_release(self.partition, self.values, keep, self.released_rows)

    @cached_property
    def exposure(self) -> Recount | None:
        """What the release gives away."""
        if self.secrets is None or self.values is None or self.partition is None:
            return None
        return recount(self.certificate.columns, self.secrets, self.values, self.partition)

    @cached_property
    def codebook(self) -> CertifiedCodebook | None:
        """What is released for each cell."""
        if self.values is None or self.partition is None:
            return None
        return CertifiedCodebook.of(self.certificate, self.partition, self.values)

    @cached_property
    def uncovered(self) -> dict[str, int] | None:
        """Where released tuples do not cover their cells: nowhere, or in how many cells of which column."""
        return None if self.codebook is None else self.codebook.uncovered()

    @cached_property
    def distortion(self) -> Distortion | str | None:
        """The largest distance, or what is wrong; None where none is stated or none can be measured."""
        if self.codebook is None or self.uncovered or self.certificate.options.distance is None:
            return None
        return self.codebook.distortion()
