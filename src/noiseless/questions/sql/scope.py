"""What names in a statement stand for, and how a part of it is refused: why, and what to ask instead."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import NoReturn

from sqlglot import exp

from noiseless.domain import Schema
from noiseless.errors import ColumnError, RequestError
from noiseless.questions.attributes import column_of
from noiseless.questions.derived import Domain
from noiseless.questions.sql.canonical import write_name
from noiseless.questions.sql.errors import Position, SqlError
from noiseless.questions.sql.tokens import position_at

_LISTED = 8
"""This many names are listed in a message."""


@dataclass(frozen=True)
class JoinedTable:
    """A public table that is joined.

    Attributes:
        names: what its columns may be qualified with.
        columns: its columns, as attributes of a row.
    """

    names: tuple[exp.Identifier, ...]
    columns: Mapping[str, str]


@dataclass(frozen=True)
class Scope:
    """The table that a statement is about.

    Attributes:
        sql: the text, for positions in messages.
        schema: the declared columns.
        names: what a column may be qualified with: the table's name and its alias.
        aliases: what columns of a query within FROM are called.
        joined: the public tables that are joined.
    """

    sql: str
    schema: Schema
    names: tuple[exp.Identifier, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)
    joined: "tuple[JoinedTable, ...]" = ()

    def column(self, node: exp.Expression) -> str:
        """The declared column that is meant; names without quotes may be in any case.

        Raises:
            SqlError: there is none, or it is not clear which.
        """
        self.only(node, "this", "table", what="a column name with several dots", remedy="write the name only")
        if not isinstance(node.this, exp.Identifier):
            self.refuse(node, "* names no column", "only COUNT(*) takes it")
        qualifier = node.args.get("table")
        for table in self.joined:
            own = qualifier is None and matching(node.this, self.schema.columns) is None
            if own or (qualifier is not None and any(_same(qualifier, name) for name in table.names)):
                column = matching(node.this, list(table.columns))
                if column is not None:
                    return table.columns[column]
        if qualifier is not None and not any(_same(qualifier, name) for name in self.names):
            self.refuse(node, "no table here is called {}", "leave the qualifier out", written=qualifier.name)
        found = matching(node.this, [*self.aliases, *self.schema.columns])
        found = None if found is None else self.aliases.get(found, found)
        if found is None:
            self.refuse(node, "no column is called {}", self._nearest(node.name), written=node.name)
        return found

    def declared(self, name: str) -> Domain:
        """What a declared or derived column may hold."""
        return column_of(name, self.schema)

    def only(self, node: exp.Expression, *allowed: str, what: str, remedy: str) -> None:
        """Refuse a node with a part that is not among those allowed."""
        for key, value in node.args.items():
            if value and key not in allowed:
                self.refuse(node, f"{what} is not understood", remedy)

    def refuse(
        self, node: exp.Expression | None, problem: str, remedy: str, written: str | None = None
    ) -> NoReturn:
        """Raise an error about a part of the statement."""
        raise self.refusal(node, problem, remedy, written)

    def refusal(
        self, node: exp.Expression | None, problem: str, remedy: str, written: str | None = None
    ) -> SqlError:
        """An error about a part of the statement; of a column in single quotes, that it is a text."""
        if written is None and node is not None and (name := self._in_quotes(node)) is not None:
            problem, written = "{} in single quotes is a text", bare(node).name
            remedy = f"write the column as {write_name(name)}"
        if written is None and "{}" in problem and isinstance(node, exp.Anonymous):
            written = str(node.this)
        position = None if node is None else self.position(node)
        return SqlError(problem, remedy, written=written, position=position)

    def check_quotes(self, *nodes: exp.Expression) -> None:
        """Refuse a text where a column is meant: names never stand in single quotes.

        Raises:
            SqlError: one of them is the name of a column.
        """
        for node in nodes:
            if self._in_quotes(node) is not None:
                self.refuse(node, "", "")

    def _in_quotes(self, node: exp.Expression) -> str | None:
        """The column that a text in single quotes is the name of."""
        node = bare(node)
        text = isinstance(node, exp.Literal) and node.is_string
        return matching(exp.to_identifier(node.name), self.schema.columns) if text else None

    def position(self, node: exp.Expression) -> Position | None:
        """Where a part begins: at the first of its words whose place is known."""
        places = [part.meta["start"] for part in node.walk() if "start" in part.meta]
        return position_at(self.sql, min(places)) if places else None

    @contextmanager
    def speaking_of(self, node: exp.Expression | None) -> Iterator[None]:
        """Give errors about columns and questions the place in the statement that they are about."""
        try:
            yield
        except SqlError:
            raise
        except (RequestError, ColumnError) as error:
            problem, _, remedy = str(error).partition("; ")
            self.refuse(node, problem, remedy or "see the documentation of SQL")

    def _nearest(self, name: str) -> str:
        renamed = set(self.aliases.values())
        columns = [*self.aliases, *(name for name in self.schema.columns if name not in renamed)]
        if close := get_close_matches(name[:100], columns, n=1):
            return f"did you mean {close[0]}?"
        more = f" and {len(columns) - _LISTED:,} more" if len(columns) > _LISTED else ""
        return f"the table has {', '.join(columns[:_LISTED])}{more}"


def matching(identifier: exp.Identifier, names: Collection[str]) -> str | None:
    """The name that an identifier means: exactly, or without quotes the only one that differs in case."""
    if identifier.name in names:
        return identifier.name
    if identifier.args.get("quoted"):
        return None
    folded = [name for name in names if name.casefold() == identifier.name.casefold()]
    return folded[0] if len(folded) == 1 else None


def _same(one: exp.Identifier, two: exp.Identifier) -> bool:
    if one.args.get("quoted") or two.args.get("quoted"):
        return bool(one.name == two.name)
    return bool(one.name.casefold() == two.name.casefold())


def bare(node: exp.Expression) -> exp.Expression:
    """A node without the brackets around it."""
    while isinstance(node, exp.Paren):
        node = node.this
    return node
