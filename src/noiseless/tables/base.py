"""A table on an engine: what every engine can do, the roles of columns, missing values."""

import csv
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pyarrow as pa

from noiseless.errors import ColumnError, MissingValuesError, RequestError, UnknownColumnError
from noiseless.tables.frame_kind import ARROW, FrameKind
from noiseless.tables.tally import Tally

if TYPE_CHECKING:
    from noiseless.domain import ColumnSummary, Proposal, Schema


@dataclass(frozen=True)
class Roles:
    """The columns of a table that is audited, by what they are."""

    sensitive: tuple[str, ...]
    public: tuple[str, ...]
    given: tuple[str, ...]
    unit: str | None


Missing = Literal["value", "drop", "error"]
"""What a missing value is: one ordinary value, a reason to leave the row out, or an error."""

RESERVED = "noiseless_"
"""How the names of columns begin that queries add; no table of a user's has them."""


class Table(ABC):
    """A table on an engine. Immutable: every narrowing returns another table.

    An engine says what columns there are, counts rows, drops duplicates and selects. All that the library
    computes from a table follows from the distinct combinations of some columns and how many rows have each:
    what an engine does not do by itself is done with what it selects. A server groups the rows; what comes
    back is a `DuckDBTable` with weights, on which values are read, compared and counted by the same engine as
    those of a file, so that results are the same.
    """

    label: str
    """What messages call it: a file name or a kind of frame."""

    textual: bool = False
    """Whether its columns are named by a line of a text file."""

    files: tuple[Path, ...] = ()
    """The files it is read from, which nothing may overwrite."""

    came_as: FrameKind = ARROW
    """The kind of frame that it came as, in which what is made of it goes back."""

    notice: str = ""
    """What a reader should know of how it was opened; empty for nothing."""

    def __dir__(self) -> list[str]:
        """What every engine can do: completion leaves out what one of them needs for that."""
        return [*dir(Table), "label"]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.label!r}, {len(self.columns):,} columns)"

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The names of all columns, in order."""

    @abstractmethod
    def count(self) -> int:
        """How many rows there are."""

    @abstractmethod
    def select(self, columns: Sequence[str]) -> "Table":
        """Only these columns; a text file is parsed and typed now, a server groups them now.

        Raises:
            UnknownColumnError: the table does not have one of them.
        """

    @abstractmethod
    def distinct_rows(self) -> "Table":
        """The table without exact duplicates of whole rows."""

    def here(self, columns: Sequence[str]) -> "Table":
        """Only these columns, for what is done on this machine alone."""
        return self.select(columns)

    def in_place(self, columns: Sequence[str]) -> "Table":
        """Only these columns, left where they are if they are grouped: for work on some rows at a time."""
        return self.select(columns)

    def count_missing(self, column: str) -> int:
        """How many values of a column are missing."""
        return self.select([column]).count_missing(column)

    def with_missing(self, columns: Sequence[str], missing: Missing) -> "Table":
        """The table with missing values in `columns` treated as `missing` says.

        Raises:
            MissingValuesError: there are some and `missing` is "error".
        """
        return self.select(self.columns).with_missing(columns, missing)

    def conform(self, schema: "Schema", columns: Sequence[str], *, clamp: bool = False) -> "Table":
        """The table with `columns` checked against their declared domains.

        Raises:
            DomainError: a column has values outside its domain (it counts them, it never shows them), unless
                `clamp` asks to move them to the nearest end of the bounds.
        """
        return self.select(self.columns).conform(schema, columns, clamp=clamp)

    def strangers(self, schema: "Schema", columns: Sequence[str]) -> dict[str, int]:
        """How many values of each column lie outside its declared domain."""
        return {name: self.select([name]).strangers(schema, [name])[name] for name in columns}

    def tally(self, columns: Sequence[str]) -> Tally:
        """The distinct combinations of some columns, with how many rows have each."""
        return self.here(columns).tally(columns)

    def summarise(self, columns: Sequence[str] | None = None) -> "tuple[ColumnSummary, ...]":
        """What each column holds, as far as a proposal of a schema needs it; one column at a time."""
        chosen = self.columns if columns is None else tuple(columns)
        return tuple(summary for name in chosen for summary in self.here([name]).summarise())

    def propose_schema(self) -> "Proposal":
        """A schema to start from, made from the data: check it before you use it."""
        from noiseless.domain import propose

        return propose(self.summarise())

    def locate(self, values: Mapping[str, pa.Array], present: Sequence[str] = ()) -> list[int | None]:
        """The number, from 1, of the first row with each combination of values; None where rows have none.

        Args:
            values: columns of the table and, for each, as many values as there are combinations.
            present: columns that must not be missing in the row.
        """
        del present  # rows on a server have no numbers
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
        """Write, for each row in order, the marks that belong to its combination of `columns`.

        Args:
            columns: the columns that select a row's marks.
            marks: one row a combination: the columns above and the marks to write.
            out: a CSV, TSV, Parquet or JSON-lines file, by its ending.
            keep: columns of the table to write beside the marks.
            present: columns that must not be missing in a row for it to get marks.

        Returns:
            How many rows were written.
        """
        chosen = self.here(tuple(dict.fromkeys((*columns, *keep, *present))))
        return chosen.annotate(columns, marks, out, keep=keep, present=present)

    def link(
        self, others: Sequence["Table"], unit: str, shared: Sequence[str], public: Sequence[str]
    ) -> tuple["Table", tuple[str, ...]]:
        """This and other releases of the same people as one table, joined by who they are about.

        Args:
            others: the other releases; each has the column `unit` and at least one of `public`.
            unit: the column that names a person.
            shared: columns that are facts of the person (sensitive ones, side information): taken from the
                first release that has the column and the person.
            public: the published columns; release i contributes those it has, as `i.name`.

        Returns:
            The joined table and the names of its public columns. Where somebody is absent from a release,
            that is public too, as `in release i`.
        """
        chosen = self.select([column for column in (unit, *shared, *public) if column in self.columns])
        return chosen.link(others, unit, shared, public)

    @property
    def has_names(self) -> bool:
        """Whether the names of its columns are names for certain, and not somebody's data."""
        return not self.textual

    def require(self, *columns: str) -> None:
        """Check that the table has these columns.

        Raises:
            UnknownColumnError: it does not; the message offers names that are close.
        """
        for column in columns:
            if column not in self.columns:
                raise UnknownColumnError(column, self.columns, from_text=not self.has_names)

    def require_plain(self, *columns: str) -> None:
        """The same, and that none is called like one of the package's own.

        Raises:
            UnknownColumnError: the table does not have one.
            ColumnError: one is called so.
        """
        self.require(*columns)
        for column in columns:
            if column.casefold().startswith(RESERVED):
                raise ColumnError(column, "has a name kept for the package itself; rename it")

    def require_present(
        self, *columns: str, remedy: str = "fill them, or leave their rows out (--missing drop)"
    ) -> None:
        """Check that no value of these columns is missing.

        Raises:
            MissingValuesError: one is; the message says how to mend that.
        """
        for column in columns:
            if count := self.count_missing(column):
                raise MissingValuesError(column, count, remedy)


def key_columns(text: str) -> list[str]:
    """The columns of a key that is written as a text: commas between them, a name with a comma in quotes.

    >>> key_columns('age, "town, county"')
    ['age', 'town, county']

    Raises:
        RequestError: a quote is not closed.
    """
    try:
        (names,) = csv.reader([text], skipinitialspace=True, strict=True)
    except (csv.Error, ValueError):
        raise RequestError(
            f"the key {text!r} cannot be read; write a name that holds a comma in quotes, as '\"a,b\",c'"
        ) from None
    return [name.strip() for name in names]


def require_distinct(**roles: Sequence[str]) -> None:
    """Check that no column is named twice, neither within a role nor across roles.

    Raises:
        ColumnError: one is.
    """
    seen: dict[str, str] = {}
    for role, columns in roles.items():
        if isinstance(columns, str):
            raise RequestError(f"{role} is a list of columns, not one text; write {role}=[...]")
        for column in columns:
            if column in seen:
                where = (
                    f"is named twice as {role}"
                    if seen[column] == role
                    else f"is both {seen[column]} and {role}"
                )
                raise ColumnError(column, f"{where}; name it once")
            seen[column] = role
