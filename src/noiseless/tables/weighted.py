"""Tables that are on another machine: grouped there, and counted here with weights.

All that the library computes from a table follows from the distinct combinations of some columns and how many
rows have each. A server groups (`RemoteTable.select`); what comes back is a `DuckDBTable` with weights, on
which values are read, compared and counted by the same engine as those of a file: results are the same.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from noiseless.domain import ColumnSummary, Schema
from noiseless.tables.base import Missing, Table
from noiseless.tables.csv_grammar import check_names
from noiseless.tables.duckdb_table import DuckDBTable
from noiseless.tables.engine import ROOT, OwnEngine, identifier
from noiseless.tables.tally import Tally


def weighted_table(data: pa.Table, label: str) -> DuckDBTable:
    """The table that a server has grouped; what is counted are the rows behind its combinations.

    Args:
        data: the columns and, as `COUNT`, how many rows have each combination of them (one may occur several
            times). Doubles may be NaN, texts are UTF-8; what has a type of the server's own comes as text.
        label: what messages call the table.

    Raises:
        SourceError: names of columns differ by upper and lower case only.

    >>> from noiseless.tables.duckdb_table import COUNT
    >>> table = weighted_table(pa.table({"ward": ["a", "b"], COUNT: [3, 1]}), "patients")
    >>> table.columns, table.count(), table.select(["ward"]).tally(["ward"]).counts.tolist()
    (('ward',), 4, [3, 1])
    """
    check_names(label, data.column_names)
    engine = OwnEngine.start()
    engine.connection.register(ROOT, data.rename_columns([f"c{i}" for i in range(data.num_columns)]))
    names = ", ".join(f"c{i} AS {identifier(name)}" for i, name in enumerate(data.column_names))
    groups = DuckDBTable.describe(engine, f"SELECT {names} FROM {ROOT}", label)
    return replace(groups, numbered=False, weighted=True)


class RemoteTable(Table):
    """A table on a server that groups its rows; the rest is done with the groups.

    An engine says what columns there are, counts rows, drops duplicates and groups.
    """

    textual = False
    files: tuple[Path, ...] = ()

    def here(self, columns: Sequence[str]) -> Table:
        """Only these columns, for what is done on this machine alone."""
        return self.select(columns)

    def count_missing(self, column: str) -> int:
        """How many values of a column are missing."""
        return self.select([column]).count_missing(column)

    def with_missing(self, columns: Sequence[str], missing: Missing) -> Table:
        """The whole table, grouped, with missing values in `columns` treated as `missing` says."""
        return self.select(self.columns).with_missing(columns, missing)

    def conform(self, schema: Schema, columns: Sequence[str], *, clamp: bool = False) -> Table:
        """The whole table, grouped, with `columns` checked against their declared domains."""
        return self.select(self.columns).conform(schema, columns, clamp=clamp)

    def strangers(self, schema: Schema, columns: Sequence[str]) -> dict[str, int]:
        """How many values of each column lie outside its declared domain."""
        return {name: self.select([name]).strangers(schema, [name])[name] for name in columns}

    def tally(self, columns: Sequence[str]) -> Tally:
        """The distinct combinations of some columns, with how many rows have each."""
        return self.here(columns).tally(columns)

    def summarise(self, columns: Sequence[str] | None = None) -> tuple[ColumnSummary, ...]:
        """What each column holds; the server groups one column at a time."""
        chosen = self.columns if columns is None else tuple(columns)
        return tuple(summary for name in chosen for summary in self.here([name]).summarise())

    def locate(self, values: Mapping[str, pa.Array], present: Sequence[str] = ()) -> list[int | None]:
        """Nothing: rows on a server have no numbers."""
        del present
        return [None] * len(next(iter(values.values())))

    def annotate(
        self,
        columns: Sequence[str],
        marks: pa.Table,
        out: Path,
        *,
        keep: Sequence[str] = (),
        present: Sequence[str] = (),
    ) -> int:
        """Write the marks of each row beside the columns to `keep`; see `DuckDBTable.annotate`."""
        chosen = self.here(tuple(dict.fromkeys((*columns, *keep, *present))))
        return chosen.annotate(columns, marks, out, keep=keep, present=present)

    def link(
        self, others: Sequence[Table], unit: str, shared: Sequence[str], public: Sequence[str]
    ) -> tuple[Table, tuple[str, ...]]:
        """This and other releases of the same people as one table, joined by who they are about."""
        chosen = self.select([column for column in (unit, *shared, *public) if column in self.columns])
        return chosen.link(others, unit, shared, public)
