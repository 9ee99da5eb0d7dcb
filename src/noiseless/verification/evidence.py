"""What the two tables say about a certificate, counted anew from their distinct rows as arrays."""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from noiseless.arrays import IntArray
from noiseless.tables import Missing, Table
from noiseless.verification.certificate import CertifiedRelease, Columns, TableFacts, Tuple
from noiseless.verification.risks import AnswerTally, Risks, SecretOrder
from noiseless.verification.rows import DistinctRows, Groups, combined, table_digest
from noiseless.verification.table_counts import CellExposure, TableCounts, key_cells, partition_faults


@dataclass(frozen=True, eq=False)
class PublicValues:
    """The distinct tuples of the public columns in the original.

    Attributes:
        columns: the public columns.
        rows: the original's rows.
        groups: the public value of each row.
    """

    columns: tuple[str, ...]
    rows: DistinctRows
    groups: Groups

    @classmethod
    def of(cls, rows: DistinctRows, columns: tuple[str, ...]) -> "PublicValues":
        """The public values of some rows."""
        return cls(columns, rows, rows.groups(columns))

    def __len__(self) -> int:
        return len(self.groups)

    def find(self, wanted: Sequence[Tuple]) -> IntArray:
        """The number of each tuple among the public values; -1 where it does not occur."""
        known, sought, sizes = [], [], []
        lost = np.zeros(len(wanted), bool)
        for place, column in enumerate(self.columns):
            texts = self.rows.texts[column]
            asked = pa.array([value[place] for value in wanted], pa.large_string())
            codes = pc.fill_null(pc.index_in(asked, value_set=texts), -1).to_numpy().astype(np.int64)
            lost |= codes < 0
            known.append(self.rows.codes[column][self.groups.example])
            sought.append(np.where(codes < 0, 0, codes))
            sizes.append(len(texts))
        together = [np.concatenate(pair) for pair in zip(known, sought, strict=True)]
        groups = combined(together, sizes, len(self) + len(wanted))
        numbers = np.full(len(groups), -1, np.int64)
        numbers[groups.of[: len(self)]] = np.arange(len(self))
        return np.where(lost, -1, numbers[groups.of[len(self) :]])


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

    def counts(self) -> TableCounts:
        """All that the checks need of the tables."""
        columns, rows, released = self.certificate.columns, self.rows, self._released_rows
        return TableCounts(
            columns=(self.original.columns, self.released.columns),
            original=None if rows is None else _facts(rows, columns.original),
            released=None if released is None else _facts(released, columns.released),
            sensitive_values=None if self.secrets is None else len(self.secrets.groups(columns.sensitive)),
            public_values=None if self.values is None else len(self.values),
            strays=None if self._members is None else self._members[1],
            difference=self._difference(),
            exposure=self._exposure(),
            spare=self._spare(),
        )

    @cached_property
    def rows(self) -> DistinctRows | None:
        """The distinct rows of the original that are used."""
        columns = tuple(dict.fromkeys(self.certificate.columns.original))
        options = self.certificate.options
        if not set(columns) <= set(self.original.columns):
            return None
        missing: Missing = "drop" if options.missing == "drop" else "value"
        table = self.original.distinct_rows() if options.distinct_rows else self.original
        days = [name for name, kind in options.kinds.items() if kind == "date"]
        return DistinctRows.read(table.select(columns).with_missing(columns, missing), columns).by_days(days)

    @cached_property
    def _released_rows(self) -> DistinctRows | None:
        """The distinct rows of the release; none is ever left out."""
        columns = self.certificate.columns.released
        if not set(columns) <= set(self.released.columns):
            return None
        return DistinctRows.read(self.released.select(columns), columns)

    @cached_property
    def secrets(self) -> DistinctRows | None:
        """The rows with sensitive values as they are counted."""
        if self.rows is None or self.certificate.options.spellings == "own":
            return self.rows
        return self.rows.merged(self.certificate.columns.sensitive)

    def _spare(self) -> dict[str, int]:
        if self.rows is None or self.certificate.options.spellings == "one":
            return {}
        columns = self.certificate.columns.sensitive
        merged = self.rows.merged(columns)
        return {column: len(self.rows.texts[column]) - len(merged.texts[column]) for column in columns}

    @cached_property
    def values(self) -> PublicValues | None:
        """The public values that occur."""
        return None if self.rows is None else PublicValues.of(self.rows, self.certificate.columns.public)

    @cached_property
    def _members(self) -> tuple[IntArray, tuple[int, int, int]] | None:
        """The public value that each member is, and how many members or values are astray."""
        if self.values is None:
            return None
        members = list(chain.from_iterable(cell.members for cell in self.certificate.cells))
        numbers = self.values.find(members)
        times = np.bincount(numbers[numbers >= 0], minlength=len(self.values))
        return numbers, (int(np.sum(numbers < 0)), int(np.sum(times > 1)), int(np.sum(times == 0)))

    @cached_property
    def cell_of(self) -> IntArray | None:
        """The cell of each public value, if the cells are a partition."""
        if self._members is None or self.values is None:
            return None
        numbers, strays = self._members
        if partition_faults(self.certificate, strays):
            return None
        sizes = [len(cell.members) for cell in self.certificate.cells]
        cells = np.empty(len(self.values), np.int64)
        cells[numbers] = np.repeat(np.arange(len(sizes)), sizes)
        return cells

    def _difference(self) -> tuple[int, int] | None:
        """How many rows the release lacks, and has too many, if each row reads as its cell."""
        rows, released, values, cell_of = self.rows, self._released_rows, self.values, self.cell_of
        if rows is None or released is None or values is None or cell_of is None:
            return None
        keep, cells = self.certificate.columns.keep, self.certificate.cells
        cell_of_row = cell_of[values.groups.of]
        codes = [cell_of_row, *(rows.codes[c] for c in keep)]
        groups = combined(codes, [len(cells), *(len(rows.texts[c]) for c in keep)], len(rows))
        counts = np.zeros(len(groups), np.int64)
        np.add.at(counts, groups.of, rows.counts)
        texts = [cells[cell].released for cell in cell_of_row[groups.example].tolist()]
        kept = rows.tuples(keep, groups.example)
        expected = Counter(dict(zip(map(tuple.__add__, texts, kept), counts.tolist(), strict=True)))
        tuples = released.tuples((*values.columns, *keep), np.arange(len(released)))
        actual = Counter(dict(zip(tuples, released.counts.tolist(), strict=True)))
        return (expected - actual).total(), (actual - expected).total()

    def _exposure(self) -> CellExposure | None:
        """What the release gives away."""
        if self.secrets is None or self.values is None or self.cell_of is None:
            return None
        cells, many = self.cell_of[self.values.groups.of], len(self.certificate.cells)
        keys = [np.array(key_cells(self.certificate, key)) for key in self.certificate.options.keys]
        return self._seen(self.secrets, cells, many)._replace(
            keys=tuple(self._seen(self.secrets, key[cells], many) for key in keys)
        )

    def _seen(self, secrets: DistinctRows, cells: IntArray, many: int) -> CellExposure:
        """What somebody can tell who sees the cells."""
        found = count_exposure(self.certificate.columns, secrets, cells, many)
        return found._replace(risks=self._risks(cells, many)) if self.certificate.claim.risks else found

    def _risks(self, cells: IntArray, many: int) -> Risks | None:
        """What the answers hold: rows with each sensitive value, and persons."""
        if self.secrets is None or self.rows is None:
            return None
        columns, rows = self.certificate.columns, self.secrets
        secrets, given = rows.groups(columns.sensitive), rows.groups(columns.given)
        kept, persons = rows.groups(columns.keep), rows.groups(columns.unit)
        seen = combined([cells, kept.of, given.of], [many, len(kept), len(given)], len(rows))
        pairs = combined([seen.of, secrets.of], [len(seen), len(secrets)], len(rows))
        counts = np.zeros(len(pairs), np.int64)
        np.add.at(counts, pairs.of, rows.counts)
        heads = combined([seen.of, persons.of], [len(seen), len(persons)], len(rows))
        many_heads = np.bincount(seen.of[heads.example], minlength=len(seen)).tolist()
        held: list[dict[Hashable, int]] = [{} for _ in range(len(seen))]
        owners, own = seen.of[pairs.example].tolist(), secrets.of[pairs.example].tolist()
        for group, secret, count in zip(owners, own, counts.tolist(), strict=True):
            held[group][secret] = count
        known = given.of[seen.example].tolist()
        answers = map(AnswerTally, known, held, many_heads)
        return Risks(answers, self._order(secrets), ordered=self.certificate.options.ordered)

    def _order(self, secrets: Groups) -> SecretOrder:
        """Where sensitive values lie, by their texts in the original."""
        if self.rows is None or self.secrets is None:
            return SecretOrder({}, on_line=False, columns={})
        columns, written = (
            self.certificate.columns.sensitive,
            self.rows.groups(self.certificate.columns.sensitive),
        )
        pairs = combined([written.of, secrets.of], [len(written), len(secrets)], len(self.rows)).example
        texts, counted = self.rows.tuples(columns, pairs), secrets.of[pairs].tolist()
        values: dict[Hashable, Tuple] = dict(enumerate(self.secrets.tuples(columns, secrets.example)))
        return SecretOrder.of(zip(texts, counted, strict=True), values, self.certificate.options.classes)


def _facts(rows: DistinctRows, columns: Sequence[str]) -> TableFacts:
    return TableFacts(rows.total, table_digest(rows, columns))


def count_exposure(columns: Columns, rows: DistinctRows, cells: IntArray, many: int) -> CellExposure:
    """Count from the definitions.

    Args:
        columns: which column plays which part.
        rows: the distinct rows, sensitive values as they are counted.
        cells: the cell of each.
        many: how many cells there are.
    """
    secrets, given = rows.groups(columns.sensitive), rows.groups(columns.given)
    kept = rows.groups(columns.keep)
    seen = combined([cells, kept.of, given.of], [many, len(kept), len(given)], len(rows))
    pairs = combined([seen.of, secrets.of], [len(seen), len(secrets)], len(rows))
    of_group, of_secret = seen.of[pairs.example], secrets.of[pairs.example]
    sizes = np.bincount(of_group, minlength=len(seen))
    posteriors = np.full(many, np.iinfo(np.int64).max)
    np.minimum.at(posteriors, cells[seen.example], sizes)
    counts, of_groups = np.zeros(many, np.int64), np.zeros(len(seen), np.int64)
    np.add.at(counts, cells, rows.counts)
    np.add.at(of_groups, seen.of, rows.counts)
    before = _posteriors(given, secrets, len(rows))
    return CellExposure(
        int(sizes.min()),
        int(sizes.max()),
        _components(of_secret, of_group, len(secrets), len(seen)),
        _largest_ratio(before[given.of[seen.example]], sizes),
        posteriors.tolist(),
        counts.tolist(),
        int(of_groups.min()),
    )


def _posteriors(known: Groups, secrets: Groups, length: int) -> IntArray:
    """How many sensitive values occur with each group."""
    pairs = combined([known.of, secrets.of], [len(known), len(secrets)], length)
    return np.bincount(known.of[pairs.example], minlength=len(known))


def _largest_ratio(above: IntArray, below: IntArray) -> Fraction:
    different = set(zip(above.tolist(), below.tolist(), strict=True))
    return max(Fraction(top, bottom) for top, bottom in different)


def _components(secrets: IntArray, groups: IntArray, many_secrets: int, many_groups: int) -> int:
    """The components of the graph whose edges are the pairs that occur: each is named by its least node."""
    names, one, other = np.arange(many_secrets + many_groups), secrets, groups + many_secrets
    while len(one):
        least = np.minimum(one, other)
        for end in (one, other):
            np.minimum.at(names, end, least)
        while np.any(names != (further := names[names])):
            names = further
        one, other = names[one], names[other]
        apart = one != other
        one, other = one[apart], other[apart]
    return int(np.count_nonzero(names == np.arange(len(names))))
