"""What names in a statement stand for, and how a part of it is refused."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from typing import NoReturn

from sqlglot import exp

from noiseless.domain import Column, Schema
from noiseless.errors import ColumnError, RequestError
from noiseless.questions.sql.errors import Position, SqlError
from noiseless.questions.sql.tokens import position_at
from noiseless.questions.sql.writing import write_name

_LISTED = 8
"""So many names are listed in a message."""


@dataclass(frozen=True)
class Scope:
    """The table that a statement is about.

    Attributes:
        sql: the text, for positions in messages.
        schema: the declared columns.
        names: what a column may be qualified with: the table's name and its alias.
    """

    sql: str
    schema: Schema
    names: tuple[exp.Identifier, ...] = ()

    def column(self, node: exp.Expression) -> str:
        """The declared column that is meant; names without quotes may be in any case.

        Raises:
            SqlError: there is none, or it is not clear which.
        """
        self.only(node, "this", "table", what="a column name with several dots", remedy="write the name only")
        if not isinstance(node.this, exp.Identifier):
            self.refuse(node, "* names no column", "only COUNT(*) takes it")
        qualifier = node.args.get("table")
        if qualifier is not None and not any(_same(qualifier, name) for name in self.names):
            self.refuse(node, "no table here is called {}", "leave the qualifier out", written=qualifier.name)
        found = matching(node.this, self.schema.columns)
        if found is None:
            self.refuse(node, "no column is called {}", self._nearest(node.name), written=node.name)
        return found

    def declared(self, name: str) -> Column:
        """What a column may hold."""
        return self.schema.columns[name]

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
        """An error about a part of the statement."""
        if written is None and node is not None and (name := self._in_quotes(node)) is not None:
            return self._quoted_wrongly(node, name)
        position = None if node is None else self.position(node)
        return SqlError(problem, remedy, written=written, position=position)

    def check_quotes(self, *nodes: exp.Expression) -> None:
        """Refuse a text where a column is meant: names never stand in single quotes.

        Raises:
            SqlError: one of them is the name of a column.
        """
        for node in nodes:
            if (name := self._in_quotes(node)) is not None:
                raise self._quoted_wrongly(node, name)

    def _in_quotes(self, node: exp.Expression) -> str | None:
        """The column that a text in single quotes is the name of."""
        node = bare(node)
        text = isinstance(node, exp.Literal) and node.is_string
        return matching(exp.to_identifier(node.name), self.schema.columns) if text else None

    def _quoted_wrongly(self, node: exp.Expression, name: str) -> SqlError:
        remedy = f"write the column as {write_name(name)}"
        return SqlError(
            "{} in single quotes is a text", remedy, written=bare(node).name, position=self.position(node)
        )

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
        columns = list(self.schema.columns)
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
