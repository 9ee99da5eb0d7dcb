"""The result of an audit, with the JSON's names; its costly parts are computed when asked for."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from noiseless.errors import RequestError
from noiseless.exact import Bits

if TYPE_CHECKING:
    pass

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

from noiseless.arrays import BoolArray
from noiseless.audits.anonymity import k_anonymity
from noiseless.audits.census import Census
from noiseless.audits.exposure import Contribution, Exposure, SideInformationEffect, most_telling_first
from noiseless.audits.under_rules import UnderRules
from noiseless.audits.verdict import headline, summary, to_dict, verdict
from noiseless.audits.witness import Witness, witnesses
from noiseless.display import html_table, text_table
from noiseless.measures import leakage, maximin
from noiseless.rules.application import Ruling
from noiseless.tables import Table, Tally
from noiseless.tables.coding import DictionaryCoding

MARKS = ("group_size", "posterior_size", "leaked_bits", "homogeneous")
"""The columns of the export, after the row's number (and the unit, where there is one)."""


def write_records(audit: "Audit", out: Path) -> int:
    """Write for each row of the table how exposed it is, for the sensitive column that fares worst.

    Rows that were left out because of missing values have empty marks.

    Args:
        audit: the audit.
        out: a CSV, TSV, Parquet or JSON-lines file, by its ending.

    Returns:
        How many records were written.
    """
    clash = {"row", *MARKS} & {name.casefold() for name in (*audit.seen, audit.unit or "")}
    if clash:
        raise RequestError(f"a column is named {clash.pop()!r}, like one of the export; rename it first")
    census = audit.worst.census
    sizes = census.joint.posterior_sizes
    leaked = np.zeros(int(sizes.max()) + 1)
    for size in np.unique(sizes).tolist():
        leaked[size] = (audit.worst.entropy - Bits(size)).upper
    marks: Sequence[npt.NDArray[Any]] = (census.group_sizes, sizes, leaked[sizes], sizes == 1)
    groups = audit.tally.project(audit.seen)
    if audit.ruling is not None:  # a row is found by what it holds, and marked as the group it is told as
        groups = audit.ruling.behind.raw
        marks = [mark[audit.ruling.behind.groups] for mark in marks]
    columns = {column: groups.decode(column) for column in audit.seen}
    keep = () if audit.unit is None else (audit.unit,)
    table = pa.table(columns | dict(zip(MARKS, marks, strict=True)))
    return audit.table.annotate(audit.seen, table, out, keep=keep, present=audit.needed)


_STARS = re.compile(r"\s*\*+\s*")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Audit(Exposure):
    """What a table, or several releases of the same people together, give away.

    It is the exposure of all sensitive columns taken together; `by_column` has each by itself.

    Attributes:
        source: what was audited.
        public: the columns an adversary sees.
        given: columns an adversary knows from elsewhere.
        unit: the column that names a person; None when a row is a person.
        rows: how many rows were audited.
        tally: the distinct combinations of all these columns.
        table: where the rows are, for row numbers and the export of records.
        dropped: how many rows were left out because a value is missing.
        releases: how many releases were joined.
        declared_values: how many values the sensitive columns can take by their declared domain, if declared.
        ruling: the rules under which the table is seen, if any; `tally` is then what they make of it.
        spellings: for each sensitive column that has any, how many spellings count with another one.
    """

    source: str
    public: tuple[str, ...]
    given: tuple[str, ...]
    unit: str | None
    rows: int
    tally: Tally
    table: Table
    dropped: int = 0
    releases: int = 1
    declared_values: int | None = None
    ruling: Ruling | None = None
    spellings: Mapping[str, int] = field(default_factory=dict)

    def __repr__(self) -> str:
        return text_table(headline(self), self.summary)

    def _repr_html_(self) -> str:
        return html_table(headline(self), self.summary)

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The sensitive columns; the measures are about all of them together."""
        return self.target

    @property
    def seen(self) -> tuple[str, ...]:
        """All that the adversary of this audit sees or knows."""
        return (*self.given, *self.public)

    @property
    def needed(self) -> tuple[str, ...]:
        """The columns a row must have values in to have been audited."""
        unit = () if self.unit is None else (self.unit,)
        return (*self.seen, *self.sensitive, *unit) if self.dropped and self.releases == 1 else ()

    @property
    def heads(self) -> str:
        """What is counted: rows or persons."""
        return "rows" if self.unit is None else "persons"

    @cached_property
    def persons(self) -> int:
        """How many persons there are (rows, when a row is a person)."""
        return self.rows if self.unit is None else len(self.tally.project((self.unit,)))

    @cached_property
    def missing(self) -> Mapping[str, int]:
        """In how many rows each sensitive or public column is missing, where it is: one more value of it.

        Somebody who is absent from a release lacks its columns, which is something else and not counted.
        """
        found = {column: self._rows_without(column) for column in (*self.sensitive, *self.public)}
        return MappingProxyType({column: rows for column, rows in found.items() if rows})

    @cached_property
    def by_column(self) -> dict[str, Exposure]:
        """The measures of each sensitive column by itself."""
        if len(self.sensitive) == 1:
            return {self.sensitive[0]: self}
        return {
            column: Exposure.measure(self.tally, (column,), self.given, self.public, self.unit)
            for column in self.sensitive
        }

    @property
    def targets(self) -> tuple[Exposure, ...]:
        """Every exposure that a policy must hold for: all columns together, and each."""
        columns = tuple(self.by_column.values())
        return columns if len(columns) == 1 else (self, *columns)

    @cached_property
    def worst(self) -> Exposure:
        """The column that fares worst: fewest values left, then most bits leaked.

        Columns that leak nothing by themselves are left aside; where none does, it is all of them together.
        """
        telling = [e for e in self.by_column.values() if not e.census.joint.is_unrelated()]
        return min(telling, key=lambda e: (e.min_posterior, -e.leakage.ratio)) if telling else self

    @property
    def public_values(self) -> int:
        """How many different groups the adversary sees."""
        return self.census.joint.size_y

    @property
    def k_anonymity(self) -> int:
        """The size of the smallest group."""
        return k_anonymity(self.census)

    @cached_property
    def suppressed(self) -> BoolArray:
        """For each group whether every public column is suppressed in it, that is, reads `*`."""
        return self.suppressed_in(self.tally.project(self.seen))

    def suppressed_in(self, groups: Tally) -> BoolArray:
        """The same for the combinations of a tally that has all public columns."""
        hidden = np.ones(len(groups), bool)
        for column in self.public:
            hidden &= np.isin(groups.codes(column), _stars(groups, column))
        return hidden

    @property
    def suppressed_rows(self) -> int:
        """How many rows (persons) are suppressed; they count as a group, for suppression can be seen."""
        return self.census.heads_in(self.suppressed)

    @property
    def k_anonymity_unsuppressed(self) -> int | None:
        """The size of the smallest group that is not suppressed; None when all are."""
        kept = self.census.group_sizes[~self.suppressed]
        return int(kept.min()) if len(kept) else None

    @cached_property
    def rules(self) -> UnderRules | None:
        """What the rules change, beside the audit without them; None when there are none."""
        return None if self.ruling is None else UnderRules(self, self.ruling)

    @cached_property
    def witnesses(self) -> tuple[Witness, ...]:
        """The groups that give most away about the worst column, without their values."""
        return witnesses(self, reveal=False)

    def reveal_witnesses(self) -> tuple[Witness, ...]:
        """The same groups with their public values and the sensitive values they leave possible."""
        return witnesses(self, reveal=True)

    @cached_property
    def side_information(self) -> SideInformationEffect | None:
        """What knowing the side information changes; None when there is none."""
        if not self.given:
            return None
        without = Census.take(self.tally, self.public, self.sensitive, self.unit).joint
        alone = Census.take(self.tally, self.given, self.sensitive, self.unit).joint
        return SideInformationEffect(
            leakage_without=leakage(without),
            maximin_without=maximin(without),
            min_posterior_without=int(without.posterior_sizes.min()),
            leakage_alone=leakage(alone),
            leakage_total=leakage(self.census.joint),
        )

    @cached_property
    def contributions(self) -> tuple[Contribution, ...]:
        """What each public column adds for the worst sensitive column, the one that matters most first."""
        return most_telling_first(self._contribution(column) for column in self.public)

    @property
    def verdict(self) -> str:
        """The whole audit in one sentence."""
        return verdict(self)

    @property
    def summary(self) -> dict[str, str]:
        """The main numbers in words."""
        return summary(self)

    def write_records(self, out: Path | str) -> int:
        """Write the risk of each record to a CSV, TSV, Parquet or JSON-lines file; returns how many."""
        return write_records(self, Path(out))

    def to_dict(self, *, reveal: bool = False) -> dict[str, Any]:
        """Everything, under the names it has in JSON; the witnesses' values only if `reveal`."""
        return to_dict(self, Exposure.to_dict, reveal=reveal)

    def _rows_without(self, column: str) -> int:
        """In how many rows a column is missing, of those who are in its release."""
        tally = self.tally
        lacking = tally.codes(column) == 0
        mark = f"in release {column.partition('.')[0]}"
        if self.releases > 1 and column in self.public and mark in self.public:
            lacking &= tally.decode(mark).to_numpy(zero_copy_only=False).astype(bool)
        return int(tally.counts[lacking].sum())

    def _contribution(self, column: str) -> Contribution:
        worst = self.worst
        rest = tuple(c for c in self.seen if c != column)
        alone = Census.take(self.tally, (*self.given, column), worst.target, self.unit)
        without = Census.take(self.tally, rest, worst.target, self.unit)
        return Contribution(
            column=column,
            leakage_alone=leakage(alone.joint),
            leakage_without=leakage(without.joint),
            min_posterior_without=int(without.joint.posterior_sizes.min()),
            k_without=k_anonymity(without),
            spared=worst.homogeneous_persons - without.heads_with_posterior(1),
        )


def _stars(tally: Tally, column: str) -> list[int]:
    """The codes of a column that mean a suppressed value."""
    coding = tally.coding(column)
    if not isinstance(coding, DictionaryCoding) or not pa.types.is_string(coding.values.type):
        return []
    texts = coding.values.to_pylist()
    return [code for code, text in enumerate(texts, 1) if _STARS.fullmatch(text)]
