"""Tables on Spark: Spark groups the rows, and only the groups come to this machine, unless they are many."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self, cast

from noiseless.errors import RequestError, SourceError
from noiseless.tables.base import Table
from noiseless.tables.csv_grammar import check_names
from noiseless.tables.duckdb_table import COUNT, DuckDBTable
from noiseless.tables.frame_kind import ARROW, FrameKind
from noiseless.tables.spark_frames import SCHEME, active_session, is_spark_frame, plain, readable_spark_errors
from noiseless.tables.spark_groups import SparkGroups, gathered, kept

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

MOST_COLLECTED = 2 * 10**7
"""Up to this many distinct combinations come to the driver; with more the measures are jobs of Spark."""


@dataclass(frozen=True, eq=False, repr=False)
class SparkTable(Table):
    """A DataFrame of PySpark, or a table of the active session.

    Attributes:
        frame: the rows; its columns are called c0, c1, ...
        names: what they are really called.
        label: what messages call it.
        most: how many distinct combinations may come to the driver.
        came_as: the kind of frame that it came as.
    """

    frame: "DataFrame"
    names: tuple[str, ...]
    label: str
    most: int = MOST_COLLECTED
    came_as: FrameKind = ARROW

    @classmethod
    def of(cls, frame: "DataFrame", label: str = "Spark DataFrame", most: int = MOST_COLLECTED) -> Self:
        """The table that a DataFrame makes; no row is read yet.

        Raises:
            SourceError: it has no columns, or two whose names differ by upper and lower case only.
        """
        with readable_spark_errors(label):
            names = tuple(frame.columns)
            if not names:
                raise SourceError(label, "has no columns")
            check_names(label, names)
            return cls(frame.toDF(*(f"c{i}" for i in range(len(names)))), names, label, most)

    @classmethod
    def open(cls, source: str, names: Sequence[str] | None = None) -> Self:
        """Open `spark::table`: a table or view of the active session, or files, as spark::parquet.`PATH`.

        Raises:
            SourceError: there is no such table, or no Spark.
        """
        if names is not None:
            raise RequestError("Spark names its columns; names are for text files without a header line")
        name = source.removeprefix(SCHEME)
        if not name:
            raise SourceError(source, "names no table; write spark::TABLE")
        session = active_session()
        with readable_spark_errors(source):
            return cls.of(session.table(name), source)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns, in order."""
        return self.names

    def count(self) -> int:
        """How many rows there are."""
        with readable_spark_errors(self.label):
            return int(self.frame.count())

    def distinct_rows(self) -> Self:
        """The table without exact duplicates of whole rows."""
        plain_rows = [plain(self.frame[f.name], f.dataType).alias(f.name) for f in self.frame.schema.fields]
        return replace(self, frame=self.frame.select(*plain_rows).distinct())

    def select(self, columns: Sequence[str]) -> "DuckDBTable | SparkGroups":
        """Only these columns: grouped now, by Spark; counted on this machine if there are not too many."""
        self.require_plain(*columns)
        with readable_spark_errors(self.label):
            groups = self._groups(columns)
        return gathered(groups, columns, self.label, self.most)

    def in_place(self, columns: Sequence[str]) -> SparkGroups:
        """Only these columns: grouped and kept by Spark, however few combinations there are."""
        self.require_plain(*columns)
        with readable_spark_errors(self.label):
            return kept(self._groups(columns), columns, self.label, self.most)

    def _groups(self, columns: Sequence[str]) -> "DataFrame":
        """The distinct combinations of some columns, called c0, c1, ..., and how often each occurs."""
        from pyspark.sql import functions as F  # noqa: N812

        fields = [self.frame.schema.fields[self.names.index(name)] for name in columns]
        chosen = [plain(self.frame[f.name], f.dataType).alias(f"c{i}") for i, f in enumerate(fields)]
        rows = self.frame.select(*chosen)
        return rows.groupBy(*rows.columns).agg(F.count(F.lit(1)).alias(COUNT))


def spark_frame(source: object) -> "DataFrame | None":
    """The DataFrame behind what a user points at: itself, `spark::TABLE` or an opened table; else None."""
    if isinstance(source, str) and source.startswith(SCHEME):
        source = SparkTable.open(source)
    if isinstance(source, SparkTable):
        return source.frame.toDF(*source.names)
    return cast("DataFrame", source) if is_spark_frame(source) else None
