"""A statement as it was understood: what is asked, and how a reply is made of the answers."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from noiseless.domain import Value
from noiseless.questions.filters import Everything, Filter, kind_of
from noiseless.questions.question import Question
from noiseless.questions.sql.expressions import Answers, Combination
from noiseless.questions.sql.intervals import Interval

Cell = Value | Interval | None
"""What a reply holds in a column of a row; None where there is no value."""


@dataclass(frozen=True)
class Hints:
    """What the analyst would like to spend, or how exact each answer is to be; at most one is given.

    Attributes:
        bits: the most bits for each question.
        reach: the same as a number of outputs.
        max_error: how far the middle of each question's answer may be from the truth.
    """

    bits: Fraction | None = None
    reach: int | None = None
    max_error: Fraction | None = None


@dataclass(frozen=True)
class Key:
    """A column that names the rows of a reply: a public group column, or the column of a histogram."""

    column: str


@dataclass(frozen=True)
class Output:
    """A column of the reply.

    Attributes:
        name: its alias, or what it is computed of.
        content: how it is computed, or the column whose value it shows.
    """

    name: str
    content: Combination | Key


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

    content: Combination | Key
    descending: bool = False

    def arranged(self, rows: Iterable[Row]) -> list[Row]:
        """The rows in order; those without a number to order by come last."""
        shown = [(_middle(_shown(self.content, row)), row) for row in rows]
        known = [(kind_of(middle), middle, row) for middle, row in shown if middle is not None]
        known.sort(key=_by_kind_and_value, reverse=self.descending)
        return [row for _, _, row in known] + [row for middle, row in shown if middle is None]


@dataclass(frozen=True)
class Statement:
    """A SELECT in its normal form.

    Attributes:
        columns: the columns of the reply.
        questions: all that is asked, each question once; constants and arithmetic are free.
        by: the public columns of GROUP BY, in the order of the schema.
        text: the canonical SQL, without aliases: equal for all spellings of the same questions.
        outline: the same with `?` for every constant of its filters: what a log may hold.
        histogram: the private column of GROUP BY, if there is one: the answer of each question is then a
            count for each of its values.
        groups: the public filter that decides which groups have a row.
        order: how rows are ordered; otherwise by their keys.
        limit: how many rows the reply has at most.
        hints: what the analyst would like to spend.
    """

    columns: tuple[Output, ...]
    questions: tuple[Question, ...]
    by: tuple[str, ...] = ()
    text: str = ""
    outline: str = field(default="", repr=False)
    histogram: str | None = None
    groups: Filter = field(default_factory=Everything)
    order: tuple[Ordering, ...] = ()
    limit: int | None = None
    hints: Hints = field(default_factory=Hints)

    def reply(self, rows: Iterable[Row]) -> tuple[tuple[Cell, ...], ...]:
        """The rows of the reply: each output computed from its row's answers, in order, up to the limit.

        Args:
            rows: what is known of each group, groups in the order of their values.
        """
        found = list(rows)
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


def _shown(content: Combination | Key, row: Row) -> Cell:
    return row.keys[content.column] if isinstance(content, Key) else content.value(row.answers)


def _middle(cell: Cell) -> Value | Fraction | None:
    return cell.value if isinstance(cell, Interval) else cell


def _by_kind_and_value(shown: tuple[str, Any, Row]) -> tuple[str, Any]:
    return shown[:2]
