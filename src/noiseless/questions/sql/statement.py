"""A statement as it was understood: what is asked, its hints, its canonical text, and its reply."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from operator import eq, ge, gt, itemgetter, le, lt, ne
from typing import Any, Literal

from noiseless.domain import Schema, Value
from noiseless.errors import RequestError
from noiseless.intervals import AnswerInterval
from noiseless.questions.filters import Everything, Filter, kind_of
from noiseless.questions.person_view import PersonView
from noiseless.questions.question import Limits, Question
from noiseless.questions.sql.canonical import (
    write_aggregate,
    write_column,
    write_filter,
    write_name,
    write_number,
    write_question,
)
from noiseless.questions.sql.errors import SqlError
from noiseless.questions.sql.expressions import Answers, Combination, Writer

Cell = Value | AnswerInterval | None
"""What a reply holds in a column of a row; None where there is no value."""


@dataclass(frozen=True)
class Hints:
    """What the analyst would like to spend, or how exact each answer is to be; at most one is given.

    Attributes:
        bits: the most bits for each question.
        reach: the same as a number of outputs.
        max_error: how far the middle of each question's answer may be from the truth.
        least: what the cells within that error have least of: "cells" or "leakage".
    """

    bits: Fraction | None = None
    reach: int | None = None
    max_error: Fraction | None = None
    least: Literal["cells", "leakage"] = "cells"


@dataclass(frozen=True)
class KeyColumn:
    """A column that names the rows of a reply: a public group column, or the column of a histogram."""

    column: str


@dataclass(frozen=True)
class ReplyColumn:
    """A column of the reply.

    Attributes:
        name: its alias, or what it is computed of.
        content: how it is computed, or the column whose value it shows.
    """

    name: str
    content: Combination | KeyColumn


@dataclass(frozen=True)
class Row:
    """What is known of one public group (and one value of the column of a histogram).

    Attributes:
        keys: the values that name it, by column.
        answers: the answers to the statement's questions about it.
    """

    keys: Mapping[str, Value]
    answers: Answers


@dataclass(frozen=True)
class Ordering:
    """By what rows are ordered: numbers by the middle that is told."""

    content: Combination | KeyColumn
    descending: bool = False

    def arranged(self, rows: Iterable[Row]) -> list[Row]:
        """The rows in order; those without a number to order by come last."""
        shown = [(_middle(_shown(self.content, row)), row) for row in rows]
        known = [(kind_of(middle), middle, row) for middle, row in shown if middle is not None]
        known.sort(key=itemgetter(0, 1), reverse=self.descending)
        return [row for _, _, row in known] + [row for middle, row in shown if middle is None]


@dataclass(frozen=True)
class AnswerComparison:
    """What HAVING says of two numbers that everybody knows."""

    left: Combination
    operator: str
    right: Combination

    def holds(self, answers: Answers) -> bool:
        """Whether it is so for a row; not where there is no number."""
        left, right = self.left.value(answers), self.right.value(answers)
        if left is None or right is None:
            return False
        return _COMPARISONS[self.operator](left.value, right.value)

    def write(self, writer: Writer) -> str:
        """As SQL."""
        return f"{self.left.write(writer)} {self.operator} {self.right.write(writer)}"

    def __str__(self) -> str:
        return self.write(write_question)


_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "=": eq,
    "!=": ne,
    "<": lt,
    "<=": le,
    ">": gt,
    ">=": ge,
}


@dataclass(frozen=True)
class Statement:
    """A SELECT in its normal form.

    Attributes:
        table: what the table is called.
        columns: the columns of the reply.
        questions: all that is asked, each question once; constants and arithmetic are free.
        by: the public columns of GROUP BY, in the order of the schema.
        histogram: the private column of GROUP BY, or what several are together: each question then has an
            answer for each of its values.
        classes: the private columns of GROUP BY, one by one.
        having: what must hold of public counts for a row to be shown.
        view: the persons that it is about, where rows are persons.
        groups: the public filter that decides which groups have a row.
        order: how rows are ordered; otherwise by their keys.
        limit: how many rows the reply has at most.
        hints: what the analyst would like to spend.
    """

    table: str
    columns: tuple[ReplyColumn, ...]
    questions: tuple[Question, ...]
    by: tuple[str, ...] = ()
    histogram: str | None = None
    groups: Filter = field(default_factory=Everything)
    order: tuple[Ordering, ...] = ()
    limit: int | None = None
    hints: Hints = field(default_factory=Hints)
    classes: tuple[str, ...] = ()
    having: tuple[AnswerComparison, ...] = ()
    view: PersonView | None = None

    def reply(self, rows: Iterable[Row]) -> tuple[tuple[Cell, ...], ...]:
        """The rows of the reply: each output computed from its row's answers, in order, up to the limit.

        Args:
            rows: what is known of each group, groups in the order of their values.
        """
        found = [row for row in rows if all(each.holds(row.answers) for each in self.having)]
        for ordering in reversed(self.order):  # sorting is stable: the first key is the last to sort by
            found = ordering.arranged(found)
        shown = [
            tuple([_shown(column.content, row) for column in self.columns]) for row in found[: self.limit]
        ]
        return tuple(shown)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the columns of the reply."""
        return tuple([column.name for column in self.columns])

    @cached_property
    def text(self) -> str:
        """The canonical SQL: without aliases, filters in their normal form, a common one in WHERE.

        It is equal for all spellings of the same questions, and reads back as the same.
        """
        where = _common(self)

        def write(question: Question) -> str:
            return write_aggregate(question) if question.where == where else write_question(question)

        def content(of: Combination | KeyColumn) -> str:
            return write_column(of.column) if isinstance(of, KeyColumn) else of.write(write)

        outputs = ", ".join(content(column.content) for column in self.columns)
        source = write_name(self.table) if self.view is None else self.view.text
        parts = [f"SELECT {write_hints(self.hints)}{outputs} FROM {source}"]
        if not isinstance(where, Everything):
            parts.append(f"WHERE {write_filter(where)}")
        keys = [*self.by, *self.classes]
        if keys:
            parts.append(f"GROUP BY {', '.join(map(write_column, keys))}")
        if self.having:
            parts.append(f"HAVING {' AND '.join(each.write(write) for each in self.having)}")
        if self.order:
            ordered = (content(each.content) + " DESC" * each.descending for each in self.order)
            parts.append(f"ORDER BY {', '.join(ordered)}")
        if self.limit is not None:
            parts.append(f"LIMIT {self.limit}")
        return " ".join(parts)


def _shown(content: Combination | KeyColumn, row: Row) -> Cell:
    return row.keys[content.column] if isinstance(content, KeyColumn) else content.value(row.answers)


def _middle(cell: Cell) -> Value | Fraction | None:
    return cell.value if isinstance(cell, AnswerInterval) else cell


_HINT = re.compile(
    r"\s*(bits|reach|max_error)\s*\(\s*(\d{1,20}(?:\.\d{0,20})?|\.\d{1,20})\s*\)\s*"
    r"((?<=\s|\))least\s*\(\s*(?:cells|leakage)\s*\)\s*)?",
    re.IGNORECASE,
)
_MOST_BITS = 10_000
_KINDS = "one of bits(2), reach(4), max_error(0.5) and max_error(0.5) least(leakage)"


def read_hints(text: str) -> Hints:
    """What is written in a hint.

    >>> read_hints(" bits(1.5) ")
    Hints(bits=Fraction(3, 2), reach=None, max_error=None, least='cells')

    Raises:
        SqlError: it is no hint, or the number makes no sense.
    """
    found = _HINT.fullmatch(text)
    if found is None:
        raise SqlError("{} is no hint", f"give {_KINDS}", written=text.strip())
    number = Fraction(found[2].rstrip(".") if found[2] != "." else 0)
    kind = found[1].lower()
    if found[3] and kind != "max_error":
        raise SqlError("the least leakage is that within an error", "write max_error(0.5) least(leakage)")
    match kind:
        case "bits" if number <= _MOST_BITS:
            return Hints(bits=number)
        case "reach" if number.denominator == 1 and number >= 1:
            return Hints(reach=int(number))
        case "max_error":
            least: Literal["cells", "leakage"] = "leakage" if "leak" in (found[3] or "").lower() else "cells"
            return Hints(max_error=number, least=least)
    raise SqlError(
        "the number in the hint makes no sense",
        f"bits are between 0 and {_MOST_BITS:,}, a reach is a whole number above 0",
    )


def write_hints(hints: Hints) -> str:
    """The hint as it is written after SELECT; empty when there is none."""
    numbers = {"bits": hints.bits, "reach": hints.reach, "max_error": hints.max_error}
    least = " least(leakage)" * (hints.least == "leakage")
    given = ((name, number) for name, number in numbers.items() if number is not None)
    return "".join(f"/*+ {name}({write_number(Fraction(number))}){least} */ " for name, number in given)


def _common(statement: Statement) -> Filter:
    """What WHERE says: the filter of all questions if it is one, with the groups that there are."""
    first, grouped = statement.questions[0], bool(statement.by or statement.histogram)
    alike = all(question.where == first.where for question in statement.questions)
    return first.where if alike and (not grouped or first.public == statement.groups) else statement.groups


def parse(sql: str, schema: Schema, table: str, limits: Limits | None = None) -> Statement:
    """The questions that a SELECT asks.

    >>> schema = Schema.parse('columns.kwh = {role = "private", bounds = [0, 10]}')
    >>> parse("select avg(kwh) from meters where not kwh <= 3", schema, "meters").text
    'SELECT AVG(kwh) FROM meters WHERE kwh >= 4'

    Args:
        sql: one SELECT.
        schema: the declared columns.
        table: the name that FROM must say.
        limits: what the owner declares about persons and groups; without it, what depends on these limits is
            not refused.

    Raises:
        SqlError: it cannot be read, or asks what cannot be priced or evaluated; one line says what can.
    """
    try:
        from noiseless.questions.sql.select import read_select
    except ModuleNotFoundError as error:  # pragma: no cover - the extra is installed in tests
        raise RequestError("reading SQL needs sqlglot; install noiseless[curator]") from error
    return read_select(sql, schema, table, limits)
