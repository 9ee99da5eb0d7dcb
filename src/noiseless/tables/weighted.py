"""Tables that are on another machine: grouped there, and counted here with weights.

All that the library computes from a table follows from the distinct combinations of some columns and how many
rows have each. A server groups (`RemoteTable.grouped`); what comes back is a `WeightedTable`, on which values
are read, compared and counted by the same engine as those of a file. So the results are the same.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn, Self

import pyarrow as pa

from noiseless.domain import ColumnSummary, Schema
from noiseless.errors import RequestError
from noiseless.files import written_whole
from noiseless.tables.base import Missing, Table
from noiseless.tables.csv_grammar import check_names
from noiseless.tables.duckdb_table import COUNT, WRITERS, DuckDBTable
from noiseless.tables.engine import (
    IN_PLACE,
    ROOT,
    SOURCE,
    OwnEngine,
    identifier,
    identifiers,
    literal,
    readable_errors,
)
from noiseless.tables.link import link
from noiseless.tables.tally import Tally

_MARKS = "noiseless_marks"


class RowlessTable(Table):
    """A table whose rows are not at hand: what needs them one by one says so."""

    textual = False
    files: tuple[Path, ...] = ()

    def __getattr__(self, name: str) -> NoReturn:
        """Refuse what tables on this machine have besides: there are no single rows here."""
        if name in ("engine", "kinds", "arrow", "owned"):
            self._refuse()
        raise AttributeError(name)

    def _refuse(self) -> NoReturn:
        raise RequestError(
            f"{self.label}: this needs the rows one by one, and they stay on their server; export the table"
            " to a Parquet file and name that"
        )

    def locate(self, values: Mapping[str, pa.Array], present: Sequence[str] = ()) -> list[int | None]:
        """Nothing: rows on a server have no numbers."""
        del present
        return [None] * len(next(iter(values.values())))

    def annotate(self, *columns: Any, **wanted: Any) -> int:  # noqa: ANN401 - those of `Table.annotate`
        """Refused, unless the rows can be told apart here."""
        del columns, wanted
        self._refuse()


@dataclass(frozen=True, eq=False, repr=False)
class WeightedTable(RowlessTable):
    """Combinations of columns, each with the number of rows that have it; what is counted are these rows.

    Attributes:
        groups: the combinations (one may occur several times), weighted by their counts.
        label: what messages call it.
    """

    groups: DuckDBTable
    label: str

    @classmethod
    def of(cls, data: pa.Table, label: str) -> "WeightedTable":
        """The table that a server has grouped.

        Args:
            data: the columns and, as `COUNT`, how many rows have each combination of them. Doubles may be
                NaN, texts are UTF-8; what has a type of its own on the server comes as text.
            label: what messages call the table.

        Raises:
            SourceError: names of columns differ by upper and lower case only.

        >>> import pyarrow as pa
        >>> table = WeightedTable.of(pa.table({"ward": ["a", "b"], COUNT: [3, 1]}), "patients")
        >>> table.columns, table.count(), table.select(["ward"]).tally(["ward"]).counts.tolist()
        (('ward',), 4, [3, 1])
        """
        check_names(label, data.column_names)
        engine = OwnEngine.start()
        engine.connection.register(ROOT, data.rename_columns([f"c{i}" for i in range(data.num_columns)]))
        names = ", ".join(f"c{i} AS {identifier(name)}" for i, name in enumerate(data.column_names))
        groups = DuckDBTable.describe(engine, f"SELECT {names} FROM {ROOT}", label)
        return cls(replace(groups, numbered=False, memory=data, weighted=True), label)

    def __repr__(self) -> str:
        return f"WeightedTable({self.label!r}, {len(self.columns):,} columns)"

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns, in order."""
        return self.groups.columns

    def count(self) -> int:
        """How many rows there are."""
        return self.groups.count()

    def select(self, columns: Sequence[str]) -> Self:
        """Only these columns, as values that can be compared: NaN is missing, and -0 is 0."""
        return replace(self, groups=self.groups.select(columns))

    def distinct_rows(self) -> Self:
        """The table without exact duplicates, each combination counting one."""
        return replace(self, groups=self.groups.distinct_rows())

    def count_missing(self, column: str) -> int:
        """How many values of a column are missing."""
        return self.groups.count_missing(column)

    def with_missing(self, columns: Sequence[str], missing: Missing) -> Self:
        """The table with missing values in `columns` treated as `missing` says."""
        return replace(self, groups=self.groups.with_missing(columns, missing))

    def conform(self, schema: Schema, columns: Sequence[str], *, clamp: bool = False) -> Self:
        """The table with `columns` checked against, or clamped to, their declared domains."""
        return replace(self, groups=self.groups.conform(schema, columns, clamp=clamp))

    def strangers(self, schema: Schema, columns: Sequence[str]) -> dict[str, int]:
        """How many values of each column lie outside its declared domain."""
        return self.groups.strangers(schema, columns)

    def tally(self, columns: Sequence[str]) -> Tally:
        """The distinct combinations of some columns, with how many rows have each."""
        return self.groups.tally(columns)

    def aggregate(self, column: str, by: Sequence[str] = ()) -> pa.Table:
        """Exact count, sum, minimum and maximum of a column of whole numbers, for each group of `by`."""
        return self.groups.aggregate(column, by)

    def summarise(self, columns: Sequence[str] | None = None) -> tuple[ColumnSummary, ...]:
        """What each column holds, as far as a proposal of a schema needs it."""
        return self.groups.summarise(columns)

    def annotate(
        self,
        columns: Sequence[str],
        marks: pa.Table,
        out: Path,
        *,
        keep: Sequence[str] = (),
        present: Sequence[str] = (),
    ) -> int:
        """Write the marks of each row beside the columns to `keep`, in the order of these; without numbers.

        Raises:
            RequestError: there is no column to keep, which would say whose marks these are.
        """
        writer = WRITERS.get(out.suffix.lower())
        if writer is None:
            raise RequestError(f"{out}: records are written as {', '.join(WRITERS)}; change the ending")
        if not keep:
            raise RequestError(
                f"{self.label}: its rows have no numbers; name the column that tells them apart (--unit"
                " COLUMN), or export the table to a Parquet file"
            )
        chosen = self.select(tuple(dict.fromkeys((*columns, *keep, *present))))
        query = chosen.groups.over(_annotated(columns, marks, keep, present))
        engine = chosen.groups.engine
        if not isinstance(engine, OwnEngine):  # `of` starts one
            raise TypeError
        with written_whole(out, self.files, private=True) as part, readable_errors(self.label):
            engine.connection.register(_MARKS, marks)
            try:
                engine.rows(f"COPY ({query}) TO {literal(str(part))} ({writer}, {IN_PLACE})")
            finally:
                engine.connection.unregister(_MARKS)
        return self.count()

    def link(
        self, others: Sequence[Table], unit: str, shared: Sequence[str], public: Sequence[str]
    ) -> tuple[DuckDBTable, tuple[str, ...]]:
        """This and other releases of the same people as one table, joined by who they are about."""
        parts = [self, *(_narrowed(table, (unit, *shared, *public)) for table in others)]
        return link([_apart(table) for table in parts], unit, shared, public)

    def apart(self) -> DuckDBTable:
        """The same rows one by one, in no order, as a table on this machine."""
        repeated = f"SELECT *, unnest(range({COUNT})) FROM {SOURCE}"
        rows = replace(self.groups, weighted=False)
        return rows.where(f"SELECT {identifiers(self.columns)} FROM ({repeated})")


class RemoteTable(RowlessTable):
    """A table on a server that groups its rows; the rest is done with the groups.

    An engine says what columns there are, counts rows, drops duplicates and groups.
    """

    @abstractmethod
    def grouped(self, columns: Sequence[str]) -> pa.Table:
        """The distinct combinations of some columns and, as `COUNT`, how many rows have each.

        Combinations may come in several parts, with counts to be added up; no two values that differ may be
        taken for one. The types are those that `WeightedTable.of` reads.
        """

    def select(self, columns: Sequence[str]) -> WeightedTable:  # type: ignore[override]  # now on this machine
        """Only these columns: grouped now, on the server, and counted here from then on."""
        self.require_plain(*columns)
        return WeightedTable.of(self.grouped(columns), self.label).select(columns)

    def count_missing(self, column: str) -> int:
        """How many values of a column are missing."""
        return self.select([column]).count_missing(column)

    def with_missing(self, columns: Sequence[str], missing: Missing) -> WeightedTable:  # type: ignore[override]
        """The whole table, grouped, with missing values in `columns` treated as `missing` says."""
        return self.select(self.columns).with_missing(columns, missing)

    def conform(  # type: ignore[override]
        self, schema: Schema, columns: Sequence[str], *, clamp: bool = False
    ) -> WeightedTable:
        """The whole table, grouped, with `columns` checked against their declared domains."""
        return self.select(self.columns).conform(schema, columns, clamp=clamp)

    def strangers(self, schema: Schema, columns: Sequence[str]) -> dict[str, int]:
        """How many values of each column lie outside its declared domain."""
        return {name: self.select([name]).strangers(schema, [name])[name] for name in columns}

    def tally(self, columns: Sequence[str]) -> Tally:
        """The distinct combinations of some columns, with how many rows have each."""
        return self.select(columns).tally(columns)

    def aggregate(self, column: str, by: Sequence[str] = ()) -> pa.Table:
        """Exact count, sum, minimum and maximum of a column of whole numbers, for each group of `by`."""
        return self.select([*by, column]).aggregate(column, by)

    def summarise(self, columns: Sequence[str] | None = None) -> tuple[ColumnSummary, ...]:
        """What each column holds; the server groups one column at a time."""
        chosen = self.columns if columns is None else tuple(columns)
        return tuple(summary for name in chosen for summary in self.select([name]).summarise())

    def annotate(
        self,
        columns: Sequence[str],
        marks: pa.Table,
        out: Path,
        *,
        keep: Sequence[str] = (),
        present: Sequence[str] = (),
    ) -> int:
        """Write the marks of each row beside the columns to `keep`; see `WeightedTable.annotate`."""
        chosen = self.select(tuple(dict.fromkeys((*columns, *keep, *present))))
        return chosen.annotate(columns, marks, out, keep=keep, present=present)

    def link(
        self, others: Sequence[Table], unit: str, shared: Sequence[str], public: Sequence[str]
    ) -> tuple[Table, tuple[str, ...]]:
        """This and other releases of the same people as one table, joined by who they are about."""
        parts = [_narrowed(table, (unit, *shared, *public)) for table in (self, *others)]
        return parts[0].link(parts[1:], unit, shared, public)


def _annotated(columns: Sequence[str], marks: pa.Table, keep: Sequence[str], present: Sequence[str]) -> str:
    """The query for one line a row: what is kept, and the marks of its combination."""
    match = " AND ".join(
        [f"s.{identifier(c)} IS NOT DISTINCT FROM m.{identifier(c)}" for c in columns]
        + [f"s.{identifier(c)} IS NOT NULL" for c in present]
    )
    shown = [f"s.{identifier(c)}" for c in keep]
    shown += [f"m.{identifier(c)}" for c in marks.column_names if c not in columns]
    repeated = f"(SELECT *, unnest(range({COUNT})) FROM {SOURCE}) s"
    return f"SELECT {', '.join(shown)} FROM {repeated} LEFT JOIN {_MARKS} m ON {match} ORDER BY ALL"


def _narrowed(table: Table, columns: Sequence[str]) -> Table:
    """The columns that a remote table has of these; any other table as it is."""
    if not isinstance(table, RemoteTable):
        return table
    return table.select([c for c in columns if c in table.columns])


def _apart(table: Table) -> DuckDBTable:
    """A table as rows on this machine, to be joined to others."""
    if isinstance(table, WeightedTable):
        return table.apart()
    if isinstance(table, DuckDBTable):
        return table
    raise RequestError("releases on different engines cannot be joined; export them to files")
