"""What the two tables say about a certificate; each part is worked out when first asked for."""

from dataclasses import dataclass
from functools import cached_property

from noiseless.tables import Missing, Table
from noiseless.verification.certificate import Certificate
from noiseless.verification.digest import table_digest
from noiseless.verification.distortion import Codebook, Distortion
from noiseless.verification.partition import Partition, PublicValues, compare_release, match
from noiseless.verification.recount import Exposure, recount
from noiseless.verification.rows import Rows


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

    certificate: Certificate
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
    def rows(self) -> Rows | None:
        """The distinct rows of the original that are used."""
        columns = self.certificate.columns.original
        if not all(self._has(name) for name in columns):
            return None
        options = self.certificate.options
        missing: Missing = "drop" if options.missing == "drop" else "value"
        table = self.original.distinct_rows() if options.distinct_rows else self.original
        days = [name for name, kind in options.kinds.items() if kind == "date"]
        return Rows.read(table.select(columns).with_missing(columns, missing), columns).by_days(days)

    @cached_property
    def secrets(self) -> Rows | None:
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
    def released_rows(self) -> Rows | None:
        """The distinct rows of the release; none is ever left out."""
        columns = self.certificate.columns.released
        if not all(name in self.released.columns for name in columns):
            return None
        return Rows.read(self.released.select(columns), columns)

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
    def matched(self) -> tuple[Partition | None, str | None]:
        """The partition, if it is one, and in words what was found."""
        return (None, None) if self.values is None else match(self.certificate.cells, self.values)

    @cached_property
    def partition(self) -> Partition | None:
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
    def exposure(self) -> Exposure | None:
        """What the release gives away."""
        if self.secrets is None or self.values is None or self.partition is None:
            return None
        return recount(self.certificate.columns, self.secrets, self.values, self.partition)

    @cached_property
    def codebook(self) -> Codebook | None:
        """What is released for each cell."""
        if self.values is None or self.partition is None:
            return None
        return Codebook.of(self.certificate, self.partition, self.values)

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
