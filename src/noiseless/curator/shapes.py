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
from noiseless.queries.filters import AllOf, Among, Everything, Filter
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
_MOST_SHAPES = 512
_MOST_CONDITIONS = 8

Conditions = list[tuple[str, str, str]]
"""Columns, operators and constants."""


@dataclass(frozen=True)
class _Shape:
    """A statement that was read, and the filter that WHERE came to."""

    statement: Statement
    where: Filter


class Shapes:
    """Reads statements; those of a shape that was met before are filled in."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._schema: Schema = reader.schema
        self._shapes = Memory[_Shape](_MOST_SHAPES)

    def read(self, sql: str) -> Statement:
        """The questions that a SELECT asks.

        Raises:
            SqlError: it asks none that can be priced.
        """
        is_short = isinstance(sql, str) and len(sql) <= _LONGEST
        found = _STATEMENT.fullmatch(sql) if is_short else None
        if found is None:
            return self._reader.read(sql)
        conditions: Conditions = _EACH.findall(found["where"])
        where = self._filter(conditions)
        if where is None:
            return self._reader.read(sql)
        key = (found["before"], found["after"], tuple((name, sign) for name, sign, _ in conditions))
        shape = self._shapes.get(key)
        if shape is not None:
            return _filled(shape, where, self._schema)
        statement = self._reader.read(sql)
        shape = _Shape(statement, where)
        if _is_understood(shape, self._schema):
            self._shapes.keep(key, shape)
        return statement

    def _filter(self, conditions: Conditions) -> Filter | None:
        """The normal form of WHERE; None where something is not as plain as it looks."""
        found: dict[str, Among] = {}
        for name, sign, constant in conditions:
            column = self._schema.columns.get(name)
            if name in found or column is None or len(conditions) > _MOST_CONDITIONS:
                return None
            if isinstance(column, NumberColumn) and not constant.startswith("'"):
                runs = passing(name, column, sign, Decimal(constant))
            elif isinstance(column, CategoryColumn) and sign == "=" and constant[1:-1] in column.categories:
                runs = passing(name, column, sign, constant[1:-1])
            else:
                return None
            if not runs or runs == ((0, column.size),):
                return None
            found[name] = Among(name, runs, column)
        order = [*self._schema.public, *self._schema.private]
        parts = tuple(found[name] for name in order if name in found)
        return parts[0] if len(parts) == 1 else AllOf(parts)


def _is_understood(shape: _Shape, schema: Schema) -> bool:
    """Whether every question has the whole WHERE for its filter, and nothing else depends on it."""
    statement = shape.statement
    if any(question.where != shape.where for question in statement.questions):
        return False
    again = _filled(shape, shape.where, schema)
    return again == replace(statement, text="", outline="")


def _filled(shape: _Shape, where: Filter, schema: Schema) -> Statement:
    """The statement with another filter."""
    old = shape.statement
    questions = {question: replace(question, where=where) for question in old.questions}
    grouped = bool(old.by) or old.histogram is not None
    return replace(
        old,
        columns=_replaced(old.columns, questions),
        questions=tuple(questions.values()),
        groups=_public(where, schema) if grouped else Everything(),
        order=_replaced(old.order, questions),
        text="",
        outline="",
    )


def _public(where: Filter, schema: Schema) -> Filter:
    parts = where.parts if isinstance(where, AllOf) else (where,)
    public = tuple(part for part in parts if not part.columns & set(schema.private))
    if not public:
        return Everything()
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
