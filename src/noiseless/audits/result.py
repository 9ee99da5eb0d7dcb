"""The result of an audit: frozen, with the JSON's names, its costly parts computed when asked for."""

import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from noiseless.arrays import BoolArray
from noiseless.audits.exposure import (
    Contribution,
    Exposure,
    SideInformationEffect,
    TableExposure,
    most_telling_first,
    worst_of,
)
from noiseless.audits.verdict import headline, summary, verdict
from noiseless.audits.witness import Witness, witnesses
from noiseless.display import Facts, Shown
from noiseless.errors import RequestError
from noiseless.exact import Bits
from noiseless.tables import Table, Tally
from noiseless.tables.coding import DictionaryCoding
from noiseless.tables.spellings import kinds_of

if TYPE_CHECKING:
    from noiseless.audits.hypothesis import HypothesisAudit
    from noiseless.audits.stochastic import StochasticAudit
    from noiseless.audits.under_rules import UnderRules
    from noiseless.rules.application import Ruling

MARKS = ("group_size", "posterior_size", "leaked_bits", "homogeneous")
"""The columns of the export, after the row's number (and the unit, where there is one)."""

_STARS = re.compile(r"\s*\*+\s*")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Audit(Shown, Exposure):
    """What a table, or several releases of the same people together, give away.

    It is the exposure of all sensitive columns taken together; `by_column` has each by itself.

    Attributes:
        source: what was audited.
        public: the columns an adversary sees.
        given: columns an adversary knows from elsewhere.
        unit: the column that names a person; None when a row is a person.
        dropped: how many rows were left out because a value is missing.
        declared_values: how many values the sensitive columns can take by their declared domain, if declared.
        spellings: for each sensitive column that has any, how many spellings count with another one.
    """

    source: str
    public: tuple[str, ...]
    given: tuple[str, ...]
    unit: str | None
    dropped: int = 0
    declared_values: int | None = None
    spellings: Mapping[str, int] = field(default_factory=dict)

    def _shown(self) -> tuple[str, Facts]:
        return headline(self), self.summary

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The sensitive columns; the measures are about all of them together."""
        return self.target

    @property
    def seen(self) -> tuple[str, ...]:
        """All that the adversary of this audit sees or knows."""
        return (*self.given, *self.public)

    @property
    def heads(self) -> str:
        """What is counted: rows or persons."""
        return "rows" if self.unit is None else "persons"

    @property
    @abstractmethod
    def rows(self) -> int:
        """How many rows were audited."""

    @property
    @abstractmethod
    def persons(self) -> int:
        """How many persons there are (rows, when a row is a person)."""

    @cached_property
    def missing(self) -> Mapping[str, int]:
        """In how many rows each sensitive or public column is missing, where it is: one more value of it.

        Somebody who is absent from a release lacks its columns, which is something else and not counted.
        """
        lacking = {column: self.rows_without(column) for column in (*self.sensitive, *self.public)}
        return MappingProxyType({column: rows for column, rows in lacking.items() if rows})

    @abstractmethod
    def rows_without(self, column: str) -> int:
        """In how many rows a column is missing, of those who are in its release."""

    @property
    @abstractmethod
    def kinds(self) -> Mapping[str, pa.DataType]:
        """What each sensitive column holds."""

    @property
    @abstractmethod
    def by_column(self) -> Mapping[str, Exposure]:
        """The measures of each sensitive column by itself."""

    @property
    def targets(self) -> tuple[Exposure, ...]:
        """Every exposure that a policy must hold for: all columns together, and each."""
        columns = tuple(self.by_column.values())
        return columns if len(columns) == 1 else (self, *columns)

    @property
    @abstractmethod
    def worst(self) -> Exposure:
        """The sensitive column that fares worst."""

    @property
    @abstractmethod
    def suppressed_rows(self) -> int:
        """How many rows (persons) are suppressed; they count as a group, for suppression can be seen."""

    @property
    @abstractmethod
    def k_anonymity_unsuppressed(self) -> int | None:
        """The size of the smallest group that is not suppressed; None when all are."""

    @property
    def rules(self) -> "UnderRules | None":
        """What the rules change, beside the audit without them; None when there are none."""
        return None

    @property
    @abstractmethod
    def witnesses(self) -> tuple[Witness, ...]:
        """The groups that give most away about the worst column, without their values."""

    @abstractmethod
    def reveal_witnesses(self) -> tuple[Witness, ...]:
        """The same groups with their public values and the sensitive values they leave possible."""

    @cached_property
    def side_information(self) -> SideInformationEffect | None:
        """What knowing the side information changes; None when there is none."""
        if not self.given:
            return None
        without = self.exposure(self.target, self.public)
        return SideInformationEffect(
            leakage_without=without.leakage,
            maximin_without=without.maximin,
            min_posterior_without=without.min_posterior,
            leakage_alone=self.exposure(self.target, self.given).leakage,
            leakage_total=self.total_leakage,
        )

    @cached_property
    def contributions(self) -> tuple[Contribution, ...]:
        """What each public column adds for the worst sensitive column, the one that matters most first."""
        return most_telling_first(self._contribution(column) for column in self.public)

    @abstractmethod
    def exposure(self, target: tuple[str, ...], public: tuple[str, ...]) -> Exposure:
        """The exposure of some columns to one who sees others, and knows nothing."""

    def _contribution(self, column: str) -> Contribution:
        worst = self.worst
        without = self.exposure(worst.target, tuple(c for c in self.seen if c != column))
        return Contribution(
            column=column,
            leakage_alone=self.exposure(worst.target, (*self.given, column)).leakage,
            leakage_without=without.leakage,
            min_posterior_without=without.min_posterior,
            k_without=without.k_anonymity,
            spared=worst.homogeneous_persons - without.homogeneous_persons,
        )

    @property
    def verdict(self) -> str:
        """The whole audit in one sentence."""
        return verdict(self)

    @property
    def summary(self) -> dict[str, str]:
        """The main numbers in words."""
        return summary(self)

    def test(self, hypothesis: str) -> "HypothesisAudit":
        """How well a yes/no fact, such as `bmi >= 30` or `illness = flu`, can be tested from what is seen."""
        raise RequestError(f"{hypothesis!r} is tested on this machine only; take fewer or coarser columns")

    def stochastic(self) -> "StochasticAudit":
        """What is told on average, by the frequencies of the table (section VI of [P3])."""
        raise RequestError("frequencies are measured on this machine only; take fewer or coarser columns")

    @abstractmethod
    def write_records(self, out: Path | str) -> int:
        """Write the risk of each record to a CSV, TSV, Parquet or JSON-lines file; returns how many."""

    def to_dict(self, *, reveal: bool = False) -> dict[str, Any]:
        """Everything, under the names it has in JSON; the witnesses' values only if `reveal`."""
        side = self.side_information
        return {
            "source": self.source,
            "sensitive": list(self.sensitive),
            "public": list(self.public),
            "given": list(self.given),
            "unit": self.unit,
            "verdict": self.verdict,
            "rows": self.rows,
            "persons": self.persons,
            "missing": dict(self.missing),
            "dropped": self.dropped,
            "spellings": dict(self.spellings),
            "public_values": self.public_values,
            **super().to_dict(),
            "declared_values": self.declared_values,
            "k_anonymity": self.k_anonymity,
            "suppressed_rows": self.suppressed_rows,
            "k_anonymity_unsuppressed": self.k_anonymity_unsuppressed,
            "witnesses": [w.to_dict() for w in (self.reveal_witnesses() if reveal else self.witnesses)],
            "posterior_histogram": [
                {"values": values, "groups": groups, "persons": persons}
                for values, groups, persons in self.worst.posterior_histogram
            ],
            "contributions": [contribution.to_dict() for contribution in self.contributions],
            "side_information": side.to_dict() if side else None,
            "by_column": {name: Exposure.to_dict(exposure) for name, exposure in self.by_column.items()},
            "rules": self.rules.to_dict(reveal=reveal) if self.rules else None,
            "hypothesis": None,
            "stochastic": None,
            "policy": None,
        }


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TableAudit(Audit, TableExposure):
    """An audit on this machine.

    Attributes:
        tally: the distinct combinations of all columns in use.
        table: where the rows are, for row numbers and the export of records.
        releases: how many releases were joined.
        ruling: the rules under which the table is seen, if any; `tally` is then what they make of it.
    """

    tally: Tally
    table: Table
    releases: int = 1
    ruling: "Ruling | None" = None

    @property
    def rows(self) -> int:
        """Those of the tally."""
        return self.tally.total

    @property
    def needed(self) -> tuple[str, ...]:
        """The columns a row must have values in to have been audited."""
        unit = () if self.unit is None else (self.unit,)
        return (*self.seen, *self.sensitive, *unit) if self.dropped and self.releases == 1 else ()

    @cached_property
    def persons(self) -> int:
        """Those that the unit names."""
        return self.rows if self.unit is None else len(self.tally.project((self.unit,)))

    @property
    def kinds(self) -> Mapping[str, pa.DataType]:
        """As the tally has their values."""
        return kinds_of(self.tally, self.sensitive)

    @cached_property
    def by_column(self) -> Mapping[str, TableExposure]:
        """Its own measures where there is one column."""
        if len(self.sensitive) == 1:
            return {self.sensitive[0]: self}
        return {
            column: TableExposure.measure(self.tally, (column,), self.given, self.public, self.unit)
            for column in self.sensitive
        }

    @cached_property
    def worst(self) -> TableExposure:
        """The column that fares worst."""
        return worst_of(self.by_column.values(), self)

    def exposure(self, target: tuple[str, ...], public: tuple[str, ...]) -> TableExposure:
        """By a census of its own."""
        return TableExposure.measure(self.tally, target, (), public, self.unit)

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
        """The heads of these groups."""
        return self.census.heads_in(self.suppressed)

    @property
    def k_anonymity_unsuppressed(self) -> int | None:
        """The smallest of the others."""
        kept = self.census.group_sizes[~self.suppressed]
        return int(kept.min()) if len(kept) else None

    @cached_property
    def rules(self) -> "UnderRules | None":
        """What the rules that were applied change."""
        if self.ruling is None:
            return None
        from noiseless.audits.under_rules import UnderRules

        return UnderRules(self, self.ruling)

    def test(self, hypothesis: str) -> "HypothesisAudit":
        """By what its groups say."""
        from noiseless.audits.hypothesis import hypothesis_audit

        return hypothesis_audit(self, hypothesis)

    def stochastic(self) -> "StochasticAudit":
        """By the heads of its groups."""
        from noiseless.audits.stochastic import stochastic_audit

        return stochastic_audit(self)

    @cached_property
    def witnesses(self) -> tuple[Witness, ...]:
        """By their rows."""
        return witnesses(self, reveal=False)

    def reveal_witnesses(self) -> tuple[Witness, ...]:
        """By their values too."""
        return witnesses(self, reveal=True)

    def write_records(self, out: Path | str) -> int:
        """Write for each row of the table how exposed it is, for the sensitive column that fares worst.

        Rows that were left out because of missing values have empty marks.
        """
        clash = {"row", *MARKS} & {name.casefold() for name in (*self.seen, self.unit or "")}
        if clash:
            raise RequestError(f"a column is named {clash.pop()!r}, like one of the export; rename it first")
        census = self.worst.census
        sizes = census.joint.posterior_sizes
        leaked = np.zeros(int(sizes.max()) + 1)
        for size in np.unique(sizes).tolist():
            leaked[size] = (self.worst.entropy - Bits(size)).upper
        marks: Sequence[npt.NDArray[Any]] = (census.group_sizes, sizes, leaked[sizes], sizes == 1)
        groups = self.tally.project(self.seen)
        if self.ruling is not None:  # a row is found by what it holds, and marked as the group it is told as
            groups = self.ruling.behind.raw
            marks = [mark[self.ruling.behind.groups] for mark in marks]
        columns = {column: groups.decode(column) for column in self.seen}
        keep = () if self.unit is None else (self.unit,)
        table = pa.table(columns | dict(zip(MARKS, marks, strict=True)))
        return self.table.annotate(self.seen, table, Path(out), keep=keep, present=self.needed)

    def rows_without(self, column: str) -> int:
        """A release that somebody is absent from is marked so."""
        tally = self.tally
        lacking = tally.codes(column) == 0
        mark = f"in release {column.partition('.')[0]}"
        if self.releases > 1 and column in self.public and mark in self.public:
            lacking &= tally.decode(mark).to_numpy(zero_copy_only=False).astype(bool)
        return int(tally.counts[lacking].sum())


def _stars(tally: Tally, column: str) -> list[int]:
    """The codes of a column that mean a suppressed value."""
    coding = tally.coding(column)
    if not isinstance(coding, DictionaryCoding) or not pa.types.is_string(coding.values.type):
        return []
    texts = coding.values.to_pylist()
    return [code for code, text in enumerate(texts, 1) if _STARS.fullmatch(text)]
