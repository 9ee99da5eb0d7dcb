"""The result of an audit: frozen, with the JSON's names, its costly parts computed when asked for."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from noiseless.audits.exposure import (
    Contribution,
    Exposure,
    SideInformationEffect,
    most_telling_first,
)
from noiseless.audits.verdict import headline, summary, verdict
from noiseless.audits.witness import Witness
from noiseless.display import BoardMixin, Facts, FrameMixin, PageMixin, PlotMixin, Shown
from noiseless.errors import RequestError
from noiseless.exact import round_up

if TYPE_CHECKING:
    from noiseless.audits.hypothesis import HypothesisAudit
    from noiseless.audits.population import PopulationRisk
    from noiseless.audits.sample import SampleRisk
    from noiseless.audits.stochastic import StochasticAudit
    from noiseless.audits.under_rules import UnderRules
    from noiseless.audits.uniques import Uniques
    from noiseless.audits.versions import Versions


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Audit(Shown, FrameMixin, PlotMixin, PageMixin, BoardMixin, Exposure):
    """What a table gives away, or several releases of the same people together.

    It is the exposure of all sensitive columns taken together; `by_column` has each by itself.

    Attributes:
        source: what was audited.
        public: the columns an adversary sees.
        given: columns an adversary knows from elsewhere.
        unit: the column that names a person; None when a row is a person.
        dropped: how many rows were left out because a value is missing.
        declared_values: how many values the sensitive columns can take by their declared domain, if declared.
        spellings: for each sensitive column that has any, how many spellings count with another one.
        keys: sets of public columns that an adversary may know of a person, if not all at once.
    """

    source: str
    public: tuple[str, ...]
    given: tuple[str, ...]
    unit: str | None
    dropped: int = 0
    declared_values: int | None = None
    spellings: Mapping[str, int] = field(default_factory=dict)
    keys: tuple[tuple[str, ...], ...] = ()

    def _shown(self) -> tuple[str, Facts]:
        return headline(self), self.summary

    def __dir__(self) -> list[str]:
        """What users read: completion leaves out what only the engines' own audits have."""
        return sorted({*dir(Audit), *(each.name for each in fields(Audit))})

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
    def remedies(self) -> tuple[str, ...]:
        """What would mend most of what is given away, in sentences; none where groups stay on Spark."""
        return ()

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
    def exposure(
        self, target: tuple[str, ...], public: tuple[str, ...], given: tuple[str, ...] = ()
    ) -> Exposure:
        """The exposure of some columns to one who sees others, and knows nothing but what is given."""

    @cached_property
    def by_key(self) -> Mapping[tuple[str, ...], tuple[Exposure, ...]]:
        """For each key every exposure to one who knows it: all sensitive columns together, and each."""
        targets = [target.target for target in self.targets]
        return {key: tuple(self.exposure(target, key, self.given) for target in targets) for key in self.keys}

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

    @property
    def sample(self) -> "SampleRisk | None":
        """Estimates for the population that a weighted sample is of; None without weights."""
        return None

    @property
    def versions(self) -> "Versions | None":
        """What several releases leave together, beside each by itself; None where there is one."""
        return None

    def test(self, hypothesis: str) -> "HypothesisAudit":
        """How well a yes/no fact, such as `bmi >= 30` or `illness = flu`, can be tested from what is seen."""
        raise RequestError(f"{hypothesis!r} is tested on this machine only; take fewer or coarser columns")

    def uniques(self, size: int = 3) -> "Uniques":
        """Which combinations of up to `size` public columns single rows out: minimal uniques, as by SUDA."""
        raise RequestError(f"uniques of {size:,} columns are found on this machine only; take fewer columns")

    def in_population(self, population: Any) -> "PopulationRisk":  # noqa: ANN401 - anything that opens
        """How well rows are matched with people, in a table of the population with the same columns."""
        del population
        raise RequestError("a population is compared on this machine only; take fewer or coarser columns")

    def stochastic(self) -> "StochasticAudit":
        """What is published on average, by the frequencies of the table (section VI of [P3])."""
        raise RequestError("frequencies are measured on this machine only; take fewer or coarser columns")

    @abstractmethod
    def write_records(self, out: Path | str) -> int:
        """Write the risk of each record to a CSV, TSV, Parquet or JSON-lines file; returns how many."""

    def to_arrow(self) -> pa.Table:
        """The risk of each record, in the order of the rows."""
        import pyarrow.parquet as pq

        with TemporaryDirectory() as folder:
            out = Path(folder) / "records.parquet"
            self.write_records(out)
            return pq.read_table(out)

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
            "prosecutor_risk": round_up(self.prosecutor_risk),
            "marketer_risk": round_up(self.marketer_risk),
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
            "keys": [
                {"columns": list(key), "k_anonymity": first.k_anonymity, **Exposure.to_dict(first)}
                for key, (first, *_) in self.by_key.items()
            ],
            "rules": self.rules.to_dict(reveal=reveal) if self.rules else None,
            "versions": None if self.versions is None else self.versions.to_dict(),
            "sample": None if self.sample is None else self.sample.to_dict(),
            "hypothesis": None,
            "uniques": None,
            "population": None,
            "stochastic": None,
            "policy": None,
        }
