"""The audit of a table with more distinct combinations than one machine takes: the same names, by Spark."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

import pyarrow as pa
from pyspark.sql import functions as F  # noqa: N812 - everybody calls it that

from noiseless.audits.exposure import Contribution, worst_of
from noiseless.audits.result import Audit
from noiseless.audits.spark_exposure import POSTERIOR, SIZE, SparkExposure
from noiseless.audits.witness import SHOWN, VALUES_SHOWN, Witness, combined, shown
from noiseless.errors import ColumnError, RequestError
from noiseless.exact import Bits
from noiseless.tables.base import Roles
from noiseless.tables.duckdb_table import COUNT
from noiseless.tables.spark_frames import joined, readable_spark_errors
from noiseless.tables.spark_groups import SparkGroups


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SparkAudit(Audit, SparkExposure):
    """What a table gives away, computed by Spark; only numbers and ten witnesses leave it.

    It has what every audit has, except the parts that `not_computed` names.
    """

    @property
    def not_computed(self) -> tuple[str, ...]:
        """The measures and parts of an audit that are left out."""
        return (*super().not_computed, "first_row of witnesses", "records")

    @property
    def rows(self) -> int:
        """Those that Spark counts."""
        return self.groups.count()

    def rows_without(self, column: str) -> int:
        """By a job."""
        return self.groups.count_missing(column)

    @property
    def kinds(self) -> Mapping[str, pa.DataType]:
        """As Spark has their values."""
        nobody = self.groups.frame.select(*self.fields(self.sensitive)).limit(0).toArrow()
        return dict(zip(self.sensitive, nobody.schema.types, strict=True))

    @cached_property
    def persons(self) -> int:
        """By a job over the unit."""
        if self.unit is None:
            return self.rows
        with readable_spark_errors(self.source):
            return int(self.groups.frame.select(*self.fields((self.unit,))).distinct().count())

    @cached_property
    def by_column(self) -> Mapping[str, SparkExposure]:
        """Its own measures where there is one column."""
        if len(self.sensitive) == 1:
            return {self.sensitive[0]: self}
        return {column: self.exposure((column,), self.public, self.given) for column in self.sensitive}

    @cached_property
    def worst(self) -> SparkExposure:
        """The column that fares worst."""
        return worst_of(self.by_column.values(), self)

    def exposure(
        self, target: tuple[str, ...], public: tuple[str, ...], given: tuple[str, ...] = ()
    ) -> SparkExposure:
        """By jobs of its own."""
        return SparkExposure(target, self.groups, given, public, self.unit, classes=self.classes)

    @cached_property
    def suppressed_rows(self) -> int:
        """By a job over what is hidden."""
        if (hidden := self.hidden()) is None:
            return 0
        suppressed = self.groups.frame.where(hidden)
        heads = F.sum(COUNT)
        if self.unit is not None:
            heads = F.count_distinct(self._columns((self.unit,)))
        with readable_spark_errors(self.source):
            return int(suppressed.agg(F.coalesce(heads, F.lit(0))).first()[0])

    @cached_property
    def k_anonymity_unsuppressed(self) -> int | None:
        """By a job over what is not hidden."""
        if (hidden := self.hidden()) is None:
            return self.k_anonymity
        with readable_spark_errors(self.source):
            smallest = self.by_group.where(~hidden).agg(F.min(SIZE)).first()[0]
        return None if smallest is None else int(smallest)

    @cached_property
    def witnesses(self) -> tuple[Witness, ...]:
        """Those that were found, without their values."""
        return tuple(replace(witness, values=None, possible=None) for witness in self._revealed)

    def reveal_witnesses(self) -> tuple[Witness, ...]:
        """Those that were found."""
        return self._revealed

    @property
    def summary(self) -> dict[str, str]:
        """The main numbers in words."""
        return {**super().summary, "not computed": ", ".join(self.not_computed)}

    def write_records(self, out: Path | str) -> NoReturn:
        """Refused: a file of this many records is Spark's business."""
        del out
        raise RequestError(
            f"{self.source}: there are too many groups to write their records on one machine; audit coarser "
            "columns"
        )

    def to_dict(self, *, reveal: bool = False) -> dict[str, Any]:
        """Beside everything, what is not computed."""
        return {**super().to_dict(reveal=reveal), "not_computed": list(self.not_computed)}

    def _contribution(self, column: str) -> Contribution:
        """Without the only column there is one group, of everybody."""
        if self.seen != (column,):
            return super()._contribution(column)
        worst, alone = self.worst, self.exposure(self.worst.target, (column,))
        values = worst.sensitive_values
        spared = worst.homogeneous_persons - (self.persons if values == 1 else 0)
        return Contribution(column, alone.leakage, Bits(1), values, self.persons, spared)

    @cached_property
    def _revealed(self) -> tuple[Witness, ...]:
        """The most telling groups: fewest values left, then largest, then in the order of their values."""
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
                possible=tuple(possible[repr(group)][:VALUES_SHOWN]),
            )
            for place, group in enumerate(groups)
        )


def _possible(behind: pa.Table, seen: list[str], target: list[str]) -> dict[str, list[Any]]:
    """The sensitive values behind each group, in their order."""
    groups = zip(*(shown(behind.column(field)) for field in seen), strict=True)
    possible: dict[str, list[Any]] = {}
    for group, value in zip(groups, combined([behind.column(field) for field in target]), strict=True):
        possible.setdefault(repr(group), []).append(value)
    return possible


def audit_on_spark(groups: SparkGroups, roles: Roles) -> SparkAudit:
    """The audit of combinations that are too many for one machine.

    Raises:
        ColumnError: a column has no value at all.
    """
    for column in (*roles.sensitive, *roles.given, *roles.public):
        if groups.count_missing(column) == groups.count():
            raise ColumnError(column, "has no value at all; leave it out")
    merged, spellings = groups.merge_spellings(roles.sensitive)
    return SparkAudit(
        target=roles.sensitive,
        groups=merged,
        source=merged.label,
        public=roles.public,
        given=roles.given,
        unit=roles.unit,
        dropped=merged.left_out,
        spellings=spellings,
    )
