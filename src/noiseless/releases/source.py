"""What a release reads: the columns of a table, counted."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from noiseless.arrays import IntArray
from noiseless.audits.census import Census
from noiseless.audits.odds import Odds, odds
from noiseless.errors import ColumnError, EmptyTableError, RequestError
from noiseless.ranges import JointRange
from noiseless.releases.request import RISKS, ReleaseRequest
from noiseless.search.goal import LIMITS
from noiseless.search.problem import SideInformation
from noiseless.tables import Table, Tally, merge_spellings, open_table
from noiseless.tables.canonical import canonical, digest
from noiseless.tables.coding import DictionaryCoding, narrow
from noiseless.tables.duckdb_table import at_hand
from noiseless.tables.engine import SOURCE, identifiers
from noiseless.tables.kernels import add_runs, ranked, sums_by_key
from noiseless.tables.spellings import merged_codes
from noiseless.tables.text_source import TextSource

_ASKED = (*LIMITS, *RISKS, "suppress", "prefer")
"""What of a request does not change what is counted."""

_MIDNIGHT, _DAY_LENGTH = "^[0-9]{4}-[0-9]{2}-[0-9]{2} 00:00:00$", 10


@dataclass(frozen=True, eq=False)
class TextColumn:
    """A column as canonical texts.

    Attributes:
        name: the column.
        texts: its distinct values as texts, in their own order; null for a missing one.
        codes: which of them each combination has.
        type: the type that the values have in the table.
    """

    name: str
    texts: pa.Array
    codes: IntArray
    type: pa.DataType


@dataclass(frozen=True, eq=False)
class ReleaseSource:
    """What is known of a table.

    Attributes:
        table: the rows that are released.
        tally: the distinct combinations of all columns: public, kept, given, sensitive.
        request: the columns and their roles.
        dropped: how many rows were left out because a value is missing.
        written: how the file is written, as far as its user said: it is read so again to check the release.
    """

    table: Table
    tally: Tally
    request: ReleaseRequest
    dropped: int = 0
    written: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, table: Any, request: ReleaseRequest) -> "ReleaseSource":  # noqa: ANN401 - whatever is a table
        """Open and count a table.

        Raises:
            NoiselessError: the table or a column is wrong, and how to mend it.
        """
        request.check_columns(named_columns(table, request))
        found = cls.count(table, request)
        for column in found.tally.columns:
            if found.tally.coding(column).size == 1:
                raise ColumnError(column, "has no value at all; leave it out")
        return found

    @classmethod
    def count(cls, table: Any, request: ReleaseRequest) -> "ReleaseSource":  # noqa: ANN401 - as above
        """The same, whatever roles there are and though a column may hold nothing.

        Raises:
            NoiselessError: a column is not there, or there is no row.
        """
        opened = open_table(table, names=None if request.names is None else list(request.names))
        columns = tuple(dict.fromkeys((*request.public, *request.keep, *request.given, *request.sensitive)))
        unit = () if request.unit is None else (request.unit,)
        opened.require(*columns, *unit)
        if request.distinct_rows and request.keep_order:
            raise RequestError("rows without duplicates have no order of their own to keep; leave one out")
        every = tuple(dict.fromkeys((*columns, *unit)))
        chosen = (opened.distinct_rows() if request.distinct_rows else opened).select(every)
        present = chosen.with_missing(every, request.missing)
        dropped = chosen.count() - present.count() if request.missing == "drop" else 0
        tally = present.tally(columns)
        if not len(tally):
            raise EmptyTableError(f"{opened.label}: there is no row to release")
        written = dict(table.said) if isinstance(table, TextSource) else {}
        if request.names is not None:
            written["names"] = list(request.names)
        return cls(present, tally, request, dropped, written)

    def asked(self, request: ReleaseRequest) -> "ReleaseSource | None":
        """The same rows where only limits differ, with all that is known of them; None if more does.

        Raises:
            RequestError: the limits do not go together.
        """
        request.check_columns()
        if any(getattr(request, name) != said for name, said in self.request if name not in _ASKED):
            return None
        found = replace(self, request=request)
        vars(found).update({name: value for name, value in vars(self).items() if name != "request"})
        return found

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return self.tally.total

    def rows_without(self, column: str) -> int:
        """In how many rows a column is missing."""
        return int(self.tally.counts[self.tally.codes(column) == 0].sum())

    @cached_property
    def public(self) -> Tally:
        """The distinct public tuples, in order."""
        return self.tally.project(self.request.public)

    @cached_property
    def seen(self) -> Tally:
        """The distinct combinations of all that an adversary could see or know: public, kept, given."""
        known = (*self.request.keep, *self.request.given)
        return self.tally.project((*self.request.public, *known)) if known else self.public

    @cached_property
    def secrets(self) -> tuple[Tally, dict[str, int]]:
        """The same with one value for all its spellings in sensitive columns, and how many are merged."""
        return merge_spellings(self.tally, self.request.sensitive)

    @cached_property
    def joint(self) -> JointRange:
        """[[S, (X, K, A)]]: the sensitive values behind each of these combinations."""
        if self.request.released_secrets:
            return JointRange.from_codes(
                self.released_values, self.tally.prefix_ranks(len(self.seen.columns))
            )
        return JointRange.from_tally(self.secrets[0], len(self.seen.columns))

    @cached_property
    def released_values(self) -> IntArray:
        """The sensitive value of each combination of the tally, where sensitive columns are released too."""
        codes = [merged_codes(self.tally, column) for column in self.request.sensitive]
        return np.unique(np.stack(codes), axis=1, return_inverse=True)[1].reshape(-1)

    @cached_property
    def public_of_seen(self) -> IntArray:
        """The public tuple of each of these combinations, by its number in `public`."""
        return self.seen.prefix_ranks(len(self.request.public))

    @cached_property
    def given_of_seen(self) -> IntArray:
        """The given values of each, numbered."""
        return _ranks(self.seen, self.request.given)

    @cached_property
    def shown_of_seen(self) -> IntArray:
        """The kept and given values of each, numbered."""
        return _ranks(self.seen, (*self.request.keep, *self.request.given))

    @cached_property
    def prior(self) -> IntArray:
        """For each of these combinations, |[[S|a]]|: what its posterior set is compared with."""
        if not self.request.given:
            return np.full(len(self.seen), self.joint.size_x)
        return self.joint.merged(self.given_of_seen).posterior_sizes[self.given_of_seen]

    @cached_property
    def side(self) -> SideInformation | None:
        """What is seen or known beside the public columns; of these, given ones are prior knowledge."""
        if not self.request.keep and not self.request.given:
            return None
        prior = np.zeros(int(self.shown_of_seen.max()) + 1, np.int64)
        prior[self.shown_of_seen] = self.prior
        return SideInformation(self.public_of_seen, self.shown_of_seen, prior)

    @cached_property
    def pair_counts(self) -> IntArray:
        """How many rows have each pair of the joint range."""
        if not self.request.released_secrets:
            return self.secrets[0].counts  # each of its combinations is a pair
        return self._pairs(self._counted.prefix_ranks(len(self.seen.columns)))[1]

    def _pairs(self, answers: IntArray) -> tuple[IntArray, IntArray]:
        """The different pairs of an answer and a sensitive value, and how many rows have each.

        Args:
            answers: the answer of each combination, which may be overwritten.
        """
        answers *= self.joint.size_x
        answers += self.released_values if self.request.released_secrets else self.joint.x
        return sums_by_key(answers, self._counted.counts)

    @cached_property
    def values_of_each(self) -> Mapping[str, IntArray]:
        """For each sensitive column the value that each sensitive value has in it, numbered."""
        counted = self._counted
        values = self.released_values if self.request.released_secrets else self.joint.x
        found = {}
        for column in self.request.sensitive:
            found[column] = np.empty(self.joint.size_x, np.int64)
            found[column][values] = ranked(merged_codes(counted, column))[1]
        return found

    @property
    def _counted(self) -> Tally:
        """What answers are counted from: each of its combinations has one sensitive value."""
        return self.tally if self.request.released_secrets else self.secrets[0]

    @cached_property
    def members(self) -> tuple[IntArray, IntArray]:
        """Whose rows have each combination of `seen`: pairs of the combination and the person, numbered."""
        if self.request.unit is None:
            raise ValueError("no unit is named")
        tally = self.table.tally((*self.seen.columns, self.request.unit))
        persons = np.unique(tally.codes(self.request.unit), return_inverse=True)[1].reshape(-1)
        return tally.prefix_ranks(len(self.seen.columns)), persons.astype(np.int64)

    def census(self, cell_of: IntArray, *, ordered: bool = False) -> tuple[Census, IntArray | None]:
        """Who stands behind each answer, and what of it was known before.

        An answer is a cell with the kept and given values that are seen with it.

        Args:
            cell_of: the cell of each public tuple.
            ordered: whether the order of the sensitive values means something.
        """
        many = int(self.shown_of_seen.max()) + 1
        answers, answer_of_seen = ranked(cell_of[self.public_of_seen] * many + self.shown_of_seen)
        known = None
        if self.request.given:
            known = np.zeros(len(answers), np.int64)
            known[answer_of_seen] = self.given_of_seen
        pairs, counts = self._pairs(answer_of_seen[self._counted.prefix_ranks(len(self.seen.columns))])
        owners, values = np.divmod(pairs, self.joint.size_x)
        joint = JointRange.from_sorted(values, owners, self.joint.size_x)
        return Census(joint, counts, add_runs(counts, joint.starts), ordered=ordered), known

    @cached_property
    def odds(self) -> Odds:
        """What a bettor wins if the public columns are published as they are."""
        counts, given = self.pair_counts, self.given_of_seen if self.request.given else None
        return odds(Census(self.joint, counts, add_runs(counts, self.joint.starts), ordered=False), given)

    @cached_property
    def kept(self) -> Tally:
        """The distinct combinations of public and kept columns."""
        keep = self.request.keep
        return self.tally.project((*self.request.public, *keep)) if keep else self.public

    @cached_property
    def kept_numbers(self) -> IntArray:
        """The kept values of each of these, numbered."""
        return _ranks(self.kept, self.request.keep)

    def text(self, tally: Tally, column: str) -> TextColumn:
        """A column of a tally as canonical texts; published moments are days if all are midnights."""
        codes, places = ranked(tally.codes(column))
        values = tally.coding(column).decode(codes)
        if column in self.by_days:
            values = _as_days(values)
        return TextColumn(column, canonical(values), narrow(places, len(codes)), values.type)

    def first_of(self, column: str, places: Sequence[int]) -> str:
        """In which row some values of a public column stand first, in words; empty where rows have no order.

        Args:
            column: the column.
            places: which of its distinct values, as `text` has them.
        """
        codes, _ = ranked(self.public.codes(column))
        values = self.public.coding(column).decode(codes[list(places)])
        rows = [row for row in self.table.locate({column: values}) if row is not None]
        return f" (the first in row {min(rows):,})" if rows and not self.dropped else ""

    @cached_property
    def digest(self) -> str:
        """The digest of the original's sensitive, public, given and kept columns."""
        request, tally = self.request, self.tally
        names = (*request.sensitive, *request.public, *request.given, *request.keep)
        if request.unit is not None:
            names = (*names, request.unit)
            tally = self.table.tally(tuple(dict.fromkeys((*tally.columns, request.unit))))
        columns = [self.text(tally, name) for name in names]
        return digest(names, [(c.texts, c.codes) for c in columns], tally.counts)

    @cached_property
    def by_days(self) -> frozenset[str]:
        """The public columns of moments that are all midnights, and are not to be taken as something else."""
        request = self.request
        if request.distance in ("hamming", "discrete"):  # which take days as categories
            return frozenset()
        other = (*request.categorical, *request.hierarchy, *request.numeric)
        return frozenset(name for name in request.public if name not in other and self._is_midnights(name))

    def _is_midnights(self, column: str) -> bool:
        coding = self.tally.coding(column)
        if not isinstance(coding, DictionaryCoding):
            return False
        days = _as_days(coding.values)
        return bool(pt.is_date32(days.type) and days.type != coding.values.type)

    def ordered_rows(self) -> IntArray:
        """For each row of the table, in order, its number in `kept`."""
        columns = self.kept.columns
        rows = at_hand(self.table).arrow(f"SELECT {identifiers(columns)} FROM {SOURCE}")
        return self.kept.places({column: _codes(self.kept, column, rows) for column in columns})

    def check(self) -> None:
        """Refuse what cannot be hidden or merged.

        Raises:
            RequestError: there is one public value or one sensitive value only.
        """
        hidden, shown = ", ".join(self.request.sensitive), ", ".join(self.request.public)
        if self.joint.size_x == 1:
            raise RequestError(
                f"everybody has the same value of {hidden}: no release can hide it; name another sensitive "
                "column"
            )
        if len(self.public) == 1:
            raise RequestError(
                f"every row has the same value of {shown}: it reveals nothing, so nothing is merged; "
                "publish it as it is, or name another public column"
            )


def named_columns(table: Any, request: ReleaseRequest) -> tuple[str, ...]:  # noqa: ANN401 - whatever is a table
    """The names to choose from, where a request lacks a role and the table has names."""
    if request.sensitive and request.public:
        return ()
    opened = open_table(table, names=None if request.names is None else list(request.names))
    return opened.columns if opened.has_names else ()


def _as_days(values: pa.Array) -> pa.Array:
    """Moments as days, if each is the midnight at which one begins, whether they are texts or not."""
    kind = values.type
    if pt.is_timestamp(kind) and kind.tz is None:
        days = values.cast(pa.date32(), safe=False)
        return days if days.cast(kind).equals(values) else values
    texts = pt.is_string(kind) and values.null_count < len(values)
    if texts and pc.all(pc.match_substring_regex(values, _MIDNIGHT)).as_py():
        with suppress(pa.ArrowInvalid):  # no day of the calendar
            return pc.utf8_slice_codeunits(values, 0, _DAY_LENGTH).cast(pa.date32())
    return values


def _ranks(tally: Tally, columns: Sequence[str]) -> IntArray:
    """The number of each combination's values in some columns."""
    found = np.zeros(len(tally), np.int64)
    for column in columns:
        codes = tally.codes(column)
        found = np.unique(found * (int(codes.max()) + 1) + codes, return_inverse=True)[1].reshape(-1)
    return found


def _codes(tally: Tally, column: str, rows: pa.Table) -> IntArray:
    """The codes of a column's values in rows."""
    known, _ = ranked(tally.codes(column))
    values = tally.coding(column).decode(known)
    places = pc.index_in(rows.column(column).combine_chunks(), values)
    return np.asarray(known[places.to_numpy(zero_copy_only=False)])
