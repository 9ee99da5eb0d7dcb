"""Distinct combinations that are too many for one machine: they stay on Spark, with their counts."""

import weakref
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

import pyarrow as pa

from noiseless.errors import RequestError
from noiseless.tables.base import Missing, Table
from noiseless.tables.duckdb_table import COUNT, DuckDBTable, weighted_table
from noiseless.tables.engine import SOURCE
from noiseless.tables.plain_spelling import plain_spelling
from noiseless.tables.spark_frames import (
    batch_totals,
    collected,
    cut,
    declared_type,
    mapped,
    readable_spark_errors,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from noiseless.domain import Schema

_WRITTEN, _PLAIN, _FIRST = "noiseless_written", "noiseless_plain", "noiseless_first"

_MOST_ROWS = 2**31 - 1
"""Spark's limits are 32-bit integers."""


@dataclass(frozen=True, eq=False, repr=False)
class SparkGroups(Table):
    """Combinations of columns on Spark, each once, with the number of rows that have it.

    Attributes:
        frame: the combinations, as columns c0, c1, ..., and their counts, as `COUNT`; kept by Spark.
        names: what the columns are really called.
        label: what messages call it.
        most: how many combinations may come to the driver; there are more.
        complete_of: how many rows there were before those with a missing value were left out, if they were.
    """

    frame: "DataFrame"
    names: tuple[str, ...]
    label: str
    most: int
    complete_of: int | None = None

    weighted = True  # each combination stands for as many rows as its column `COUNT` says

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns, in order."""
        return self.names

    def field(self, column: str) -> str:
        """What a column is called on Spark."""
        return f"c{self.names.index(column)}"

    @cached_property
    def kinds(self) -> dict[str, str]:
        """The columns and their SQL types; moments in no zone of the session are named so."""
        kinds = [field.dataType.simpleString() for field in self.frame.schema.fields]
        named = dict(zip(self.names, kinds, strict=False))  # the last are the counts
        return {name: "timestamp_ltz" if kind == "timestamp" else kind for name, kind in named.items()}

    def fetch(self, sql: str) -> list[tuple[Any, ...]]:
        """The rows of a query over the combinations."""
        with readable_spark_errors(self.label):
            return [tuple(row) for row in self._query(sql).collect()]

    def where(self, sql: str) -> "DuckDBTable | SparkGroups":
        """The combinations that a query leaves, on this machine if there are not too many."""
        with readable_spark_errors(self.label):
            chosen = self._query(sql)
        return self._narrowed(chosen)

    def _query(self, sql: str) -> "DataFrame":
        return self.frame.sparkSession.sql(sql.replace(SOURCE, "{groups}"), groups=self.frame)

    def count(self) -> int:
        """How many rows there are."""
        return self._facts[0]

    def combinations(self) -> int:
        """How many different combinations there are."""
        with readable_spark_errors(self.label):
            return int(self.frame.count())

    @property
    def left_out(self) -> int:
        """How many rows were left out because a value is missing."""
        return 0 if self.complete_of is None else self.complete_of - self.count()

    def select(self, columns: Sequence[str]) -> "DuckDBTable | SparkGroups":
        """Only these columns; with few combinations of them, on this machine."""
        self.require_plain(*columns)
        if tuple(columns) == self.names:
            return self
        chosen = self.frame.select(
            *(self.frame[self.field(c)].alias(f"c{i}") for i, c in enumerate(columns)), COUNT
        )
        return gathered(_regrouped(chosen), columns, self.label, self.most)

    def distinct_rows(self) -> "DuckDBTable | SparkGroups":
        """The table without exact duplicates, each combination counting one."""
        from pyspark.sql import functions as F  # noqa: N812

        return self._narrowed(self.frame.withColumn(COUNT, F.lit(1).cast("long")))

    def count_missing(self, column: str) -> int:
        """How many values of a column are missing."""
        return self._facts[1][column]

    def with_missing(self, columns: Sequence[str], missing: Missing) -> Table:
        """The table with missing values in `columns` treated as `missing` says."""
        if missing == "error":
            self.require_present(*columns)
        if missing != "drop" or not any(map(self.count_missing, columns)):
            return self
        full = self.frame.dropna(subset=[self.field(c) for c in columns])
        return self._narrowed(full, complete_of=self.count())

    def conform(
        self, schema: "Schema", columns: Sequence[str], *, clamp: bool = False
    ) -> "DuckDBTable | SparkGroups":
        """The table with `columns` checked against, or clamped to, their domains, batch by batch on Spark."""
        from noiseless.tables.conformance import refuse_strangers

        refuse_strangers(self._strangers(schema, columns, clamp=clamp), schema, clamp=clamp)
        names, chosen, label = self.names, tuple(columns), self.label
        with readable_spark_errors(label):
            nothing = collected(self.frame.limit(0))
        target = _conformed(nothing, names, schema, chosen, label, clamp=clamp).schema

        def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for batch in batches:
                yield from (
                    _conformed(pa.Table.from_batches([batch]), names, schema, chosen, label, clamp=clamp)
                    .cast(target)
                    .to_batches()
                )

        fields = ", ".join(f"{field.name} {declared_type(field.type)}" for field in target)
        return self._narrowed(_regrouped(mapped(self.frame, work, fields)))

    def merge_spellings(self, columns: Sequence[str]) -> "tuple[SparkGroups, dict[str, int]]":
        """As `merge_spellings` of a tally, on Spark: one value for all its spellings."""
        from pyspark.sql import functions as F  # noqa: N812
        from pyspark.sql.types import StringType

        frame, spare = self.frame, {}
        for column in columns:
            field = self.field(column)
            if not isinstance(frame.schema[field].dataType, StringType):
                continue
            with readable_spark_errors(self.label):
                renamed = _renamed(frame.select(field).distinct()).persist()
                lost = renamed.count()
                if lost:
                    spare[column] = lost
                    met = frame.join(renamed, frame[field] == renamed[_WRITTEN], "left")
                    value = F.when(met[_WRITTEN].isNull(), met[field]).otherwise(met[_FIRST])
                    frame = cut(_regrouped(met.withColumn(field, value).drop(_WRITTEN, _FIRST)))
                renamed.unpersist()
        found = kept(frame, self.names, self.label, self.most, self.complete_of) if spare else self
        return found, spare

    def strangers(self, schema: "Schema", columns: Sequence[str]) -> dict[str, int]:
        """How many values of each column lie outside its declared domain."""
        return self._strangers(schema, columns, clamp=False)

    def _strangers(self, schema: "Schema", columns: Sequence[str], *, clamp: bool) -> dict[str, int]:
        from noiseless.tables.conformance import count_strangers

        names, chosen, label = self.names, tuple(columns), self.label
        if not chosen:
            return {}

        def count(batch: pa.RecordBatch) -> list[int]:
            table = weighted(pa.Table.from_batches([batch]), names, label)
            return [*count_strangers(table, schema, chosen, clamp=clamp).values()]

        with readable_spark_errors(self.label):
            totals = batch_totals(
                self.frame, self.frame.columns, count, [f"n{i}" for i in range(len(chosen))]
            )
        return dict(zip(chosen, map(int, totals.values()), strict=True))

    def link(
        self, others: Sequence[Table], unit: str, shared: Sequence[str], public: Sequence[str]
    ) -> NoReturn:
        """Refused: releases are joined on this machine."""
        del others, unit, shared, public
        raise RequestError(
            f"{self.label}: releases with this many different rows are joined by Spark; join them by the"
            " person's column first, and audit the result"
        )

    def here(self, columns: Sequence[str]) -> DuckDBTable:
        """Only these columns, if there are few enough combinations of them."""
        found = self.select(columns)
        if isinstance(found, SparkGroups):
            raise RequestError(
                f"{self.label}: {', '.join(columns)} have more than {self.most:,} distinct combinations, too"
                " many for this machine; take fewer or coarser columns, release the table in parts (--parts),"
                " or raise `most` of the SparkTable"
            )
        return found

    @cached_property
    def _facts(self) -> tuple[int, dict[str, int]]:
        """How many rows there are, and in how many each column is missing: one job."""
        from pyspark.sql import functions as F  # noqa: N812

        lacking = [F.when(self.frame[self.field(name)].isNull(), F.col(COUNT)) for name in self.names]
        with readable_spark_errors(self.label):
            sums = [F.coalesce(F.sum(rows), F.lit(0)) for rows in (F.col(COUNT), *lacking)]
            rows, *missing = map(int, self.frame.agg(*sums).first())
        return rows, dict(zip(self.names, missing, strict=True))

    def _narrowed(self, frame: "DataFrame", complete_of: int | None = None) -> "DuckDBTable | SparkGroups":
        return gathered(frame, self.names, self.label, self.most, complete_of)


def fetched(frame: "DataFrame", most: int) -> pa.Table | None:
    """Combinations on this machine, if there are at most `most` of them.

    One job fetches them, never more than one above `most`.

    Args:
        frame: the combinations, and their counts as `COUNT`.
        most: how many may come to the driver.
    """
    data = collected(_at_most(frame, most + 1))
    return data if len(data) <= most else None


def kept(
    frame: "DataFrame", names: Sequence[str], label: str, most: int, complete_of: int | None = None
) -> "SparkGroups":
    """Combinations where they are: Spark groups again, and keeps them while they are in use.

    Not before: memory that is held longer makes the next group-by spill.
    """
    found = SparkGroups(frame.persist(), tuple(names), label, most, complete_of)
    weakref.finalize(found, _free, frame)
    return found


def weighted(data: pa.Table, names: Sequence[str], label: str) -> DuckDBTable:
    """Combinations that are on this machine, and their counts as the last column."""
    return weighted_table(data.rename_columns([*names, COUNT]), label).select(names)


def gathered(
    frame: "DataFrame", names: Sequence[str], label: str, most: int, complete_of: int | None = None
) -> "DuckDBTable | SparkGroups":
    """Combinations, called c0, c1, ..., on this machine if there are not too many."""
    with readable_spark_errors(label):
        found = fetched(frame, most)
        if found is None:
            return kept(frame, names, label, most, complete_of)
    return weighted(found, names, label)


def _at_most(frame: "DataFrame", rows: int) -> "DataFrame":
    """This many combinations of a frame, or all.

    Where Spark sees after the shuffle that there are fewer, it drops the limit. Otherwise a limit passes them
    through one task, which would hold them all: they are spread out again.
    """
    keys = [name for name in frame.columns if name != COUNT]
    return frame.limit(min(rows, _MOST_ROWS)).repartition(*keys)


def _free(frame: "DataFrame") -> None:
    with suppress(Exception):  # the session may have ended before
        frame.unpersist()


def _regrouped(frame: "DataFrame") -> "DataFrame":
    """The combinations, each once, with the sums of their counts."""
    from pyspark.sql import functions as F  # noqa: N812

    keys = [name for name in frame.columns if name != COUNT]
    return frame.groupBy(*keys).agg(F.sum(COUNT).alias(COUNT))


def _renamed(values: "DataFrame") -> "DataFrame":
    """The texts that differ from another one in spelling only, and the one that each counts with.

    Args:
        values: a column of different texts.
    """
    from pyspark.sql import functions as F  # noqa: N812

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            texts = batch.column(0)
            plain = pa.array([plain_spelling(text or "") for text in texts.to_pylist()], pa.string())
            yield pa.RecordBatch.from_arrays([texts.cast(pa.string()), plain], [_WRITTEN, _PLAIN])

    spelt = mapped(values, work, f"{_WRITTEN} string, {_PLAIN} string")
    first = F.when(F.max(F.col(_WRITTEN).isNull()), None).otherwise(F.min(_WRITTEN))  # a blank is missing too
    firsts = spelt.groupBy(_PLAIN).agg(first.alias(_FIRST))
    return (
        spelt.join(firsts, _PLAIN).where(~F.col(_WRITTEN).eqNullSafe(F.col(_FIRST))).select(_WRITTEN, _FIRST)
    )


def _conformed(
    data: pa.Table, names: Sequence[str], schema: "Schema", columns: Sequence[str], label: str, *, clamp: bool
) -> pa.Table:
    """Combinations in their domains, under the names that they have on Spark."""
    table = weighted(data, names, label).conform(schema, columns, clamp=clamp)
    found = table.arrow(f"SELECT * FROM {SOURCE}")
    return found.rename_columns([*(f"c{i}" for i in range(len(names))), COUNT])
