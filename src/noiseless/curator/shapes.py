"""Statements that differ in the constants of WHERE only: read once, filled in many times.

Only the plainest WHERE is looked at: different columns, each compared with one constant, joined by AND. All
other text must be the same to the letter. That a shape was understood is proved when it is first met: filled
in with its own constants it must give the very statement that reading it gave.
"""

import re
from dataclasses import dataclass, fields, is_dataclass, replace
from decimal import Decimal
from typing import Any

from noiseless.curator.memory import Memory
from noiseless.domain import NumberColumn, Schema
from noiseless.domain.category import CategoryColumn
from noiseless.queries.filters import EVERYTHING, AllOf, Among, Filter
from noiseless.queries.question import Question
from noiseless.queries.runs import passing
from noiseless.queries.sql import Reader, Statement

_NAME = r"[A-Za-z_]\w*"
_CONSTANT = r"-?\d{1,18}(?:\.\d{1,18})?|'[^'\\]*'"
_CONDITION = rf"({_NAME})\s*(=|<=|>=|<|>)\s*({_CONSTANT})"
_PLAIN = r"[^'\"`<>=!;\[\]\\-]*"
_STATEMENT = re.compile(
    rf"(?P<before>\s*SELECT\s{_PLAIN}\sWHERE\s)\s*(?P<where>{_CONDITION}(?:\s+AND\s+{_CONDITION})*)"
    rf"(?P<after>(?:\s+(?:GROUP|ORDER)\s+BY\s{_PLAIN})?\s*)",
    re.IGNORECASE | re.ASCII,
)
_EACH = re.compile(_CONDITION, re.ASCII)
_LONGEST = 2000
_MOST_SHAPES = 2**22
_MOST_CONDITIONS = 8
_MOST_REMEMBERED = 2**25

Conditions = list[tuple[str, str, str]]
"""Columns, operators and constants."""


@dataclass(frozen=True, eq=False)
class Reading:
    """A statement that was read, or another one of its shape.

    Attributes:
        statement: the first of this shape that was read; its reply is made in the same way.
        questions: what is asked now, in the order of the statement's own questions.
        groups: the public filter that decides which groups have a row now.
    """

    statement: Statement
    questions: tuple[Question, ...]
    groups: Filter

    @classmethod
    def of(cls, statement: Statement) -> "Reading":
        """A statement as it was read."""
        return cls(statement, statement.questions, statement.groups)

    @property
    def whole(self) -> Statement:
        """The statement that is asked now, its texts apart."""
        old = self.statement
        questions = dict(zip(old.questions, self.questions, strict=True))
        return replace(
            old,
            columns=_replaced(old.columns, questions),
            questions=self.questions,
            groups=self.groups,
            order=_replaced(old.order, questions),
            text="",
            outline="",
        )


class Shapes:
    """Reads statements; those of a shape that was met before are filled in."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._schema: Schema = reader.schema
        self._order = (*self._schema.public, *self._schema.private)
        self._private = frozenset(self._schema.private)
        self._shapes = Memory[Statement](_MOST_SHAPES)
        self._conditions = Memory[Among](_MOST_REMEMBERED)

    def read(self, sql: str) -> Reading:
        """The questions that a SELECT asks.

        Raises:
            SqlError: it asks none that can be priced.
        """
        is_short = isinstance(sql, str) and len(sql) <= _LONGEST
        found = _STATEMENT.fullmatch(sql) if is_short else None
        if found is None:
            return Reading.of(self._reader.read(sql))
        conditions: Conditions = _EACH.findall(found["where"])
        where = self._filter(conditions)
        if where is None:
            return Reading.of(self._reader.read(sql))
        key = (found["before"], found["after"], *(name + sign for name, sign, _ in conditions))
        shape = self._shapes.get(key)
        if shape is not None:
            return self._filled(shape, where)
        statement = self._reader.read(sql)
        if self._is_understood(statement, where):
            self._shapes.keep(key, statement)
        return Reading.of(statement)

    def _filter(self, conditions: Conditions) -> Filter | None:
        """The normal form of WHERE; None where something is not as plain as it looks."""
        found: dict[str, Among] = {}
        if len(conditions) > _MOST_CONDITIONS:
            return None
        for condition in conditions:
            among = self._conditions.get(condition) or self._condition(*condition)
            if among is None or among.column in found:
                return None
            found[among.column] = among
        if len(found) == 1:
            return next(iter(found.values()))
        return AllOf(tuple([found[name] for name in self._order if name in found]))

    def _condition(self, name: str, sign: str, constant: str) -> Among | None:
        """The values that pass one condition; None where that is none of them, or all."""
        column = self._schema.columns.get(name)
        if isinstance(column, NumberColumn) and not constant.startswith("'"):
            number = Decimal(constant) if "." in constant else int(constant)
            runs = passing(name, column, sign, number)
        elif isinstance(column, CategoryColumn) and sign == "=" and constant[1:-1] in column.categories:
            runs = passing(name, column, sign, constant[1:-1])
        else:
            return None
        if not runs or runs == ((0, column.size),):
            return None
        return self._conditions.keep((name, sign, constant), Among(name, runs, column))

    def _is_understood(self, statement: Statement, where: Filter) -> bool:
        """Whether every question has the whole WHERE for its filter, and nothing else depends on it."""
        if any(question.where != where for question in statement.questions):
            return False
        return self._filled(statement, where).whole == replace(statement, text="", outline="")

    def _filled(self, shape: Statement, where: Filter) -> Reading:
        """The statement with another filter."""
        questions = tuple([question.among(where) for question in shape.questions])
        grouped = bool(shape.by) or shape.histogram is not None
        return Reading(shape, questions, self._public(where) if grouped else EVERYTHING)

    def _public(self, where: Filter) -> Filter:
        parts = where.parts if isinstance(where, AllOf) else (where,)
        public = tuple(part for part in parts if not part.columns & self._private)
        if not public:
            return EVERYTHING
        return public[0] if len(public) == 1 else AllOf(public)


def _replaced(thing: Any, questions: dict[Question, Question]) -> Any:  # noqa: ANN401 - parts of a statement
    """A part of a statement with other questions in it."""
    if isinstance(thing, Question):
        return questions[thing]
    if isinstance(thing, tuple):
        return tuple(_replaced(part, questions) for part in thing)
    if not is_dataclass(thing) or isinstance(thing, type):
        return thing
    parts = {field.name: getattr(thing, field.name) for field in fields(thing)}
    changed = {name: new for name, old in parts.items() if (new := _replaced(old, questions)) is not old}
    return replace(thing, **changed) if changed else thing
