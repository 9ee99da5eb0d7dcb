"""The audit of a table with more distinct combinations than one machine takes: the same names, by Spark."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, NoReturn

import pyarrow as pa

from noiseless.audits.exposure import Contribution, SideInformationEffect, most_telling_first
from noiseless.audits.spark_exposure import NOT_COMPUTED, POSTERIOR, SIZE, SparkExposure, joined
from noiseless.audits.verdict import summary, to_dict, verdict
from noiseless.audits.witness import SHOWN, VALUES_SHOWN, Witness, shown
from noiseless.display import html_table, text_table
from noiseless.errors import ColumnError, RequestError
from noiseless.exact import Bits
from noiseless.tables.duckdb_table import COUNT
from noiseless.tables.spark_frames import readable_spark_errors
from noiseless.tables.spark_groups import SparkGroups


@dataclass(frozen=True, eq=False, repr=False)
class SparkAudit(SparkExposure):
    """What a table gives away, computed by Spark; only numbers and ten witnesses leave it.

    It has what `Audit` has, except the parts that `not_computed` names: asking for one raises a
    `RequestError`, and in JSON it is null.

    Attributes:
        declared_values: how many values the sensitive columns can take by their declared domain, if declared.
        spellings: for each sensitive column that has any, how many spellings count with another one.
    """

    declared_values: int | None = None
    spellings: Mapping[str, int] = field(default_factory=dict)

    @property
    def not_computed(self) -> tuple[str, ...]:
        """The measures and parts of an audit that are left out."""
        measures = NOT_COMPUTED[1:] if self.min_posterior == 1 else NOT_COMPUTED
        return (*measures, "first_row of witnesses", "records")

    def __repr__(self) -> str:
        return text_table(self.verdict, self.summary)

    def _repr_html_(self) -> str:
        return html_table(self.verdict, self.summary)

    @property
    def source(self) -> str:
        """What was audited."""
        return self.groups.label

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The sensitive columns; the measures are about all of them together."""
        return self.target

    @property
    def heads(self) -> str:
        """What is counted: rows or persons."""
        return "rows" if self.unit is None else "persons"

    @property
    def rows(self) -> int:
        """How many rows were audited."""
        return self.groups.count()

    @property
    def dropped(self) -> int:
        """How many rows were left out because a value is missing."""
        return self.groups.left_out

    @cached_property
    def missing(self) -> Mapping[str, int]:
        """In how many rows each sensitive or public column is missing, where it is: one more value of it."""
        found = {column: self.groups.count_missing(column) for column in (*self.sensitive, *self.public)}
        return MappingProxyType({column: rows for column, rows in found.items() if rows})

    @cached_property
    def persons(self) -> int:
        """How many persons there are (rows, when a row is a person)."""
        if self.unit is None:
            return self.rows
        with readable_spark_errors(self.source):
            return int(self.groups.frame.select(*self.fields((self.unit,))).distinct().count())

    @cached_property
    def by_column(self) -> dict[str, SparkExposure]:
        """The measures of each sensitive column by itself."""
        if len(self.sensitive) == 1:
            return {self.sensitive[0]: self}
        return {column: self._exposure((column,), self.given, self.public) for column in self.sensitive}

    @property
    def targets(self) -> tuple[SparkExposure, ...]:
        """Every exposure that a policy must hold for: all columns together, and each."""
        columns = tuple(self.by_column.values())
        return columns if len(columns) == 1 else (self, *columns)

    @cached_property
    def worst(self) -> SparkExposure:
        """The column that fares worst: fewest values left, then most bits leaked."""
        telling = [e for e in self.by_column.values() if not e.census.joint.is_unrelated()]
        return min(telling, key=lambda e: (e.min_posterior, -e.leakage.ratio)) if telling else self

    @cached_property
    def suppressed_rows(self) -> int:
        """How many rows (persons) are suppressed; they count as a group, for suppression can be seen."""
        from pyspark.sql import functions as F  # noqa: N812

        if (hidden := self.hidden()) is None:
            return 0
        found = self.groups.frame.where(hidden)
        heads = F.sum(COUNT)
        if self.unit is not None:
            heads = F.count_distinct(self._columns((self.unit,)))
        with readable_spark_errors(self.source):
            return int(found.agg(F.coalesce(heads, F.lit(0))).first()[0])

    @cached_property
    def k_anonymity_unsuppressed(self) -> int | None:
        """The size of the smallest group that is not suppressed; None when all are."""
        from pyspark.sql import functions as F  # noqa: N812

        if (hidden := self.hidden()) is None:
            return self.k_anonymity
        with readable_spark_errors(self.source):
            found = self.by_group.where(~hidden).agg(F.min(SIZE)).first()[0]
        return None if found is None else int(found)

    @cached_property
    def witnesses(self) -> tuple[Witness, ...]:
        """The groups that give most away about the worst column, without their values."""
        return tuple(replace(witness, values=None, possible=None) for witness in self._found)

    def reveal_witnesses(self) -> tuple[Witness, ...]:
        """The same groups with their public values and the sensitive values they leave possible."""
        return self._found

    @cached_property
    def side_information(self) -> SideInformationEffect | None:
        """What knowing the side information changes; None when there is none."""
        if not self.given:
            return None
        without = self._exposure(self.target, (), self.public)
        return SideInformationEffect(
            leakage_without=without.leakage,
            maximin_without=without.maximin,
            min_posterior_without=without.min_posterior,
            leakage_alone=self._exposure(self.target, (), self.given).leakage,
            leakage_total=self.total_leakage,
        )

    @cached_property
    def contributions(self) -> tuple[Contribution, ...]:
        """What each public column adds for the worst sensitive column, the one that matters most first."""
        return most_telling_first(self._contribution(column) for column in self.public)

    @property
    def rules(self) -> None:
        """Rules are applied on one machine, never to so many combinations."""
        return None

    @property
    def verdict(self) -> str:
        """The whole audit in one sentence."""
        return verdict(self)

    @property
    def summary(self) -> dict[str, str]:
        """The main numbers in words."""
        return {**summary(self), "not computed": ", ".join(self.not_computed)}

    def write_records(self, out: Path | str) -> NoReturn:
        """Refused: a file of so many records is Spark's business."""
        del out
        raise RequestError(
            f"{self.source}: records of so many groups are not written by one machine; audit coarser columns"
        )

    def to_dict(self, *, reveal: bool = False) -> dict[str, Any]:
        """Everything, under the names it has in JSON; the witnesses' values only if `reveal`."""
        found = to_dict(self, SparkExposure.to_dict, reveal=reveal)
        return {**found, "not_computed": list(self.not_computed)}

    def _exposure(
        self, target: tuple[str, ...], given: tuple[str, ...], public: tuple[str, ...]
    ) -> SparkExposure:
        return SparkExposure(target, self.groups, given, public, self.unit)

    def _contribution(self, column: str) -> Contribution:
        worst = self.worst
        rest = tuple(c for c in self.seen if c != column)
        alone = self._exposure(worst.target, (), (*self.given, column))
        if not rest:  # without the only column there is one group, of everybody
            values = worst.sensitive_values
            spared = worst.homogeneous_persons - (self.persons if values == 1 else 0)
            return Contribution(column, alone.total_leakage, Bits(1), values, self.persons, spared)
        without = self._exposure(worst.target, (), rest)
        spared = worst.homogeneous_persons - without.homogeneous_persons
        return Contribution(
            column,
            alone.total_leakage,
            without.total_leakage,
            without.min_posterior,
            without.k_anonymity,
            spared,
        )

    @cached_property
    def _found(self) -> tuple[Witness, ...]:
        """The most telling groups: fewest values left, then largest, then in the order of their values."""
        from pyspark.sql import functions as F  # noqa: N812

        worst = self.worst
        seen, target = worst.fields(worst.seen), worst.fields(worst.target)
        order = [F.col(POSTERIOR), F.col(SIZE).desc(), *map(F.col, seen)]
        with readable_spark_errors(self.source):
            top = worst.by_group.orderBy(*order).limit(SHOWN).toArrow()
            kept = self.groups.frame.sparkSession.createDataFrame(top.drop_columns([POSTERIOR, SIZE]))
            pairs = joined(self.groups.frame.select(*seen, *target).distinct(), kept, seen)
            behind = pairs.orderBy(*seen, *target).toArrow()
        values = {name: shown(top.column(field)) for name, field in zip(worst.seen, seen, strict=True)}
        groups = list(zip(*values.values(), strict=True))
        possible = _possible(behind, seen, target)
        return tuple(
            Witness(
                target=worst.name,
                size=int(top.column(SIZE)[place].as_py()),
                posterior=int(top.column(POSTERIOR)[place].as_py()),
                leaked=worst.entropy - Bits(int(top.column(POSTERIOR)[place].as_py())),
                first_row=None,
                values={name: column[place] for name, column in values.items()},
                possible=tuple(possible[_key(group)][:VALUES_SHOWN]),
            )
            for place, group in enumerate(groups)
        )


def _possible(behind: pa.Table, seen: list[str], target: list[str]) -> dict[str, list[Any]]:
    """The sensitive values behind each group, in their order."""
    groups = zip(*(shown(behind.column(field)) for field in seen), strict=True)
    columns = [shown(behind.column(field)) for field in target]
    values = columns[0] if len(columns) == 1 else list(zip(*columns, strict=True))
    found: dict[str, list[Any]] = {}
    for group, value in zip(groups, values, strict=True):
        found.setdefault(_key(group), []).append(value)
    return found


def _key(group: tuple[Any, ...]) -> str:
    return repr(group)


def audit_on_spark(
    groups: SparkGroups,
    *,
    sensitive: tuple[str, ...],
    public: tuple[str, ...],
    given: tuple[str, ...],
    unit: str | None,
    declared_values: int | None,
) -> SparkAudit:
    """The audit of combinations that are too many for one machine.

    Raises:
        ColumnError: a column has no value at all.
    """
    for column in (*sensitive, *given, *public):
        if groups.count_missing(column) == groups.count():
            raise ColumnError(column, "has no value at all; leave it out")
    merged, spellings = groups.merge_spellings(sensitive)
    return SparkAudit(sensitive, merged, given, public, unit, declared_values, spellings)
