"""Tables on Spark: Spark groups the rows, and only the groups come to this machine, unless they are many."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from noiseless.tables.spark_frames import quoted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructField

from dataclasses import replace
from typing import TYPE_CHECKING, Self, cast

from noiseless.errors import RequestError, SourceError
from noiseless.tables.csv_grammar import check_names
from noiseless.tables.duckdb_table import COUNT
from noiseless.tables.spark_frames import (
    SCHEME,
    active_session,
    collected,
    is_spark_frame,
    plain,
    readable_spark_errors,
)
from noiseless.tables.spark_groups import SparkGroups, fetched, kept, weighted
from noiseless.tables.weighted import RemoteTable, WeightedTable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


_WORD = 64
_BITS = {"boolean": 1, "tinyint": 8, "smallint": 16, "int": 32, "date": 32}
"""How many bits the values of a type take."""

_TYPES = {
    "boolean": np.int8,
    "tinyint": np.int8,
    "smallint": np.int16,
    "int": np.int32,
    "date": np.int32,
}


class _Place(NamedTuple):
    """Where the bits of a value, or the one that says that it is missing, stand."""

    word: int
    shift: int
    bits: int


@dataclass(frozen=True)
class Packing:
    """Which columns of a frame share a word, and which stay as they are.

    Attributes:
        names: all columns, in order.
        kinds: the types of those that are packed.
        values: where their bits are.
        missing: where the bits are that say that a value is missing, of columns where one can be.
    """

    names: tuple[str, ...]
    kinds: dict[str, str]
    values: dict[str, _Place]
    missing: dict[str, _Place]

    @classmethod
    def of(cls, fields: Sequence["StructField"]) -> "Packing":
        """The packing of columns; none is packed unless there are fewer columns then."""
        names = tuple(field.name for field in fields)
        kinds = {f.name: kind for f in fields if (kind := f.dataType.simpleString()) in _BITS}
        widest_first = sorted(kinds, key=lambda name: -_BITS[kinds[name]])
        flagged = [field.name for field in fields if field.nullable and field.name in kinds]
        places = _fill([*(_BITS[kinds[name]] for name in widest_first), *(1 for _ in flagged)])
        found = cls(
            names,
            kinds,
            dict(zip(widest_first, places[: len(kinds)], strict=True)),
            dict(zip(flagged, places[len(kinds) :], strict=True)),
        )
        return found if found.words < len(kinds) else cls(names, {}, {}, {})

    @property
    def words(self) -> int:
        """How many words there are."""
        return 1 + max((p.word for p in (*self.values.values(), *self.missing.values())), default=-1)

    def packed(self, frame: "DataFrame") -> "DataFrame":
        """The same rows, as words w0, w1, ... and the columns that stay."""
        if not self.words:
            return frame
        parts: list[list[str]] = [[] for _ in range(self.words)]
        for name, place in self.values.items():
            parts[place.word].append(f"shiftleft({_bits(name, self.kinds[name])}, {place.shift})")
        for name, place in self.missing.items():
            parts[place.word].append(f"shiftleft(CAST({quoted(name)} IS NULL AS BIGINT), {place.shift})")
        words = [f"{' | '.join(part)} AS w{number}" for number, part in enumerate(parts)]
        return frame.selectExpr(*words, *(quoted(name) for name in self.names if name not in self.kinds))

    def unpacked(self, data: pa.Table) -> pa.Table:
        """The columns of collected rows in their order, and then the whole numbers added to them."""
        if not self.words:
            return data
        words = [data.column(number).to_numpy() for number in range(self.words)]
        used = [int(np.bitwise_or.reduce(word)) for word in words]
        columns = {name: data.column(name) for name in self.names if name not in self.kinds}
        added = data.column_names[self.words + len(columns) :]
        for name in added:  # copied: a column of a batch holds the whole batch in memory
            columns[name] = pa.array(data.column(name).to_numpy())
        for name, (word, shift, _) in self.values.items():
            flag = self.missing.get(name)
            absent = None
            if flag is not None and used[flag.word] >> flag.shift & 1:
                absent = (words[flag.word] >> flag.shift & 1).astype(bool)
            columns[name] = _column(words[word], shift, self.kinds[name], absent)
        return pa.table({name: columns[name] for name in (*self.names, *added)})


def _fill(sizes: Sequence[int]) -> list[_Place]:
    """A place for each number of bits: in the first word that has room."""
    filled: list[int] = []
    places = []
    for bits in sizes:
        word = next((n for n, used in enumerate(filled) if used + bits <= _WORD), len(filled))
        if word == len(filled):
            filled.append(0)
        places.append(_Place(word, filled[word], bits))
        filled[word] += bits
    return places


def _bits(name: str, kind: str) -> str:
    """The bits of a column's values as a whole number, in Spark's SQL; none where a value is missing."""
    number = f"unix_date({quoted(name)})" if kind == "date" else quoted(name)
    return f"coalesce(CAST({number} AS BIGINT) & {2 ** _BITS[kind] - 1}L, 0L)"


def _column(
    word: npt.NDArray[np.int64], shift: int, kind: str, absent: npt.NDArray[np.bool_] | None
) -> pa.Array:
    """The values whose bits begin at some place of each word."""
    narrow = np.empty(len(word), _TYPES[kind])
    np.right_shift(word, shift, out=narrow, casting="unsafe")  # drops the bits of other columns
    values = pa.array((narrow & 1).astype(bool) if kind == "boolean" else narrow, mask=absent)
    return values.view(pa.date32()) if kind == "date" else values


MOST_COLLECTED = 2 * 10**7
"""Up to so many distinct combinations come to the driver; with more the measures are jobs of Spark."""


@dataclass(frozen=True, eq=False, repr=False)
class SparkTable(RemoteTable):
    """A DataFrame of PySpark, or a table of the active session.

    Attributes:
        frame: the rows; its columns are called c0, c1, ...
        names: what they are really called.
        label: what messages call it.
        most: how many distinct combinations may come to the driver.
    """

    frame: "DataFrame"
    names: tuple[str, ...]
    label: str
    most: int = MOST_COLLECTED

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

    def __repr__(self) -> str:
        return f"SparkTable({self.label!r}, {len(self.names):,} columns)"

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

    def select(self, columns: Sequence[str]) -> "WeightedTable | SparkGroups":  # type: ignore[override]
        """Only these columns: grouped now, by Spark; counted on this machine if there are not too many."""
        self.require_plain(*columns)
        with readable_spark_errors(self.label):
            rows, packing = self._rows(columns)
            found = fetched(_counted(packing.packed(rows)), self.most)
            if found is None:
                return kept(_counted(rows), columns, self.label, self.most)
        return weighted(packing.unpacked(found), columns, self.label)

    def grouped(self, columns: Sequence[str]) -> pa.Table:
        """The distinct combinations of some columns, grouped by Spark, with their counts."""
        with readable_spark_errors(self.label):
            rows, packing = self._rows(columns)
            found = packing.unpacked(collected(_counted(packing.packed(rows))))
        return found.rename_columns([*columns, COUNT])

    def _rows(self, columns: Sequence[str]) -> tuple["DataFrame", Packing]:
        """Some columns of all rows, as values that can be grouped, called c0, c1, ...; and their packing."""
        from pyspark.sql.types import StructField

        fields = [self.frame.schema.fields[self.names.index(name)] for name in columns]
        chosen = [plain(self.frame[f.name], f.dataType).alias(f"c{i}") for i, f in enumerate(fields)]
        named = [StructField(f"c{i}", f.dataType, f.nullable) for i, f in enumerate(fields)]
        return self.frame.select(*chosen), Packing.of(named)


def _counted(rows: "DataFrame") -> "DataFrame":
    """The distinct rows, and how often each occurs."""
    from pyspark.sql import functions as F  # noqa: N812

    return rows.groupBy(*rows.columns).agg(F.count(F.lit(1)).alias(COUNT))


def spark_frame(source: object) -> "DataFrame | None":
    """The DataFrame behind what a user points at: itself, `spark::TABLE` or an opened table; else None."""
    if isinstance(source, str) and source.startswith(SCHEME):
        source = SparkTable.open(source)
    if isinstance(source, SparkTable):
        return source.frame.toDF(*source.names)
    return cast("DataFrame", source) if is_spark_frame(source) else None
