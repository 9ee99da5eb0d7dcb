"""Tables on PostgreSQL: rows are grouped inside the server, and only the groups leave it."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import pyarrow as pa

from noiseless.errors import SourceError
from noiseless.tables.duckdb_table import COUNT
from noiseless.tables.postgres_address import Address
from noiseless.tables.postgres_catalogue import Found, columns_of, find_table, state_of
from noiseless.tables.postgres_session import Session, relation
from noiseless.tables.postgres_values import ServerColumn
from noiseless.tables.sql import identifier
from noiseless.tables.weighted import RemoteTable


@dataclass(frozen=True, eq=False, repr=False)
class PostgresTable(RemoteTable):
    """A table or view as it was when it was opened: all its operations see one snapshot of the database.

    The transaction behind it lasts as long as the table is in use; `close` ends it at once. What is selected
    from the table is on this machine, and needs the server no more.

    Attributes:
        session: the transaction.
        found: the table.
        fields: its columns.
        label: what messages call it.
        state: what changes whenever the table may hold other rows; None if nothing tells.
        distinct: whether exact duplicates of whole rows are dropped.
    """

    session: Session
    found: Found
    fields: tuple[ServerColumn, ...]
    label: str
    state: tuple[str, ...] | None = field(default=None)
    distinct: bool = False

    @classmethod
    def open(cls, source: str) -> "PostgresTable":
        """Open `postgresql://user@host/database::schema.table`.

        Raises:
            SourceError: it cannot be found or read; in one line, without a password.
        """
        address = Address.parse(source)
        session = Session(address)
        found = find_table(session, address.names)
        session.begin(relation((found.schema, found.name)), lock=found.lockable)
        if find_table(session, (found.schema, found.name)) != found:
            raise SourceError(address.label, "was replaced while it was opened; try again")
        fields = columns_of(session, found)
        if not fields:
            raise SourceError(address.label, "has no columns")
        return cls(session, found, fields, address.label, state_of(session.rows, found))

    def __repr__(self) -> str:
        return f"PostgresTable({self.label!r}, {len(self.fields):,} columns)"

    def close(self) -> None:
        """End the transaction; what was selected stays usable."""
        self.session.close()

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns, in order."""
        return tuple(column.name for column in self.fields)

    def count(self) -> int:
        """How many rows there are."""
        return int(self.session.rows(f"SELECT count(*) FROM {self._rows(self.fields[:1])}")[0][0])

    def distinct_rows(self) -> Self:
        """The table without exact duplicates of whole rows."""
        return replace(self, distinct=True)

    def grouped(self, columns: Sequence[str]) -> pa.Table:
        """The distinct combinations of some columns, grouped in the server, with their counts."""
        chosen = [self.fields[self.columns.index(name)] for name in columns]
        types = {f"c{i}": column.wire.read for i, column in enumerate(chosen)} | {COUNT: pa.int64()}
        data = self.session.copy(self.grouping(columns), types)
        received = [column.received(data.column(i)) for i, column in enumerate(chosen)]
        return pa.table([*received, data.column(COUNT)], [*columns, COUNT])

    def grouping(self, columns: Sequence[str]) -> str:
        """The query that groups rows; it is the only one that reads a table's values."""
        chosen = [self.fields[self.columns.index(name)] for name in columns]
        keys = [f"k{i}" for i in range(len(chosen))]
        sent = [column.wire.sql.format(key) for column, key in zip(chosen, keys, strict=True)]
        named = [f"{identifier(c.name)} AS {key}" for c, key in zip(chosen, keys, strict=True)]
        grouped = (
            f"SELECT {', '.join([*named, 'count(*) AS n'])} FROM {self._rows(chosen)}"
            f" GROUP BY {', '.join(str(i + 1) for i in range(len(chosen)))}"
        )
        return f"SELECT {', '.join([*sent, 'n'])} FROM ({grouped}) g"

    def _rows(self, chosen: Sequence[ServerColumn]) -> str:
        """The rows as keys of the chosen columns; the server plans it as if it were not nested."""
        table = relation((self.found.schema, self.found.name))
        if self.distinct:
            keys = ", ".join(f"{c.key} AS {identifier(c.name)}" for c in self.fields)
            return f"(SELECT DISTINCT {keys} FROM {table}) r"
        return f"(SELECT {', '.join(f'{c.key} AS {identifier(c.name)}' for c in chosen)} FROM {table}) r"
