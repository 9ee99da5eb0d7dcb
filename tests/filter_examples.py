"""Filters as somebody thinks of them, a column beside a constant, and what they mean by definition."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import eq, ge, gt, le, lt, ne
from typing import Any

import numpy as np

from noiseless.domain import Schema, Value
from noiseless.questions import filters
from noiseless.questions.derived import DerivedColumn, Domain
from noiseless.questions.filters import AllOf, Among, AnyOf, Everything, Filter, Not, parted
from noiseless.questions.question import Aggregate, Question
from noiseless.questions.sql.conditions import passing_runs

OPERATORS: dict[str, Callable[[Any, Any], bool]] = {"=": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}


@dataclass(frozen=True)
class ColumnComparison(Filter):
    """A column compared with a constant, or with several (`in`)."""

    column: str
    operator: str
    constant: Any

    @property
    def columns(self) -> frozenset[str]:
        """The one that is compared."""
        return frozenset({self.column})


def number_of(name: str, domain: Domain, row: Mapping[str, Value]) -> int | None:
    """The number of a row's value, of a declared column or a derived one."""
    if not isinstance(domain, DerivedColumn):
        return domain.index(row[name])
    return int(domain.numbers(lambda each: np.array(domain.inputs[each].index(row[each]))))


def holds(where: Filter, row: Mapping[str, Value]) -> bool:  # noqa: PLR0911 - a line a kind
    """Whether a filter holds for a row."""
    match where:
        case Everything():
            return True
        case ColumnComparison(operator="in"):
            return row[where.column] in where.constant
        case ColumnComparison():
            return OPERATORS[where.operator](row[where.column], where.constant)
        case Among():
            number = number_of(where.column, where.domain, row)
            return number is not None and any(start <= number < stop for start, stop in where.runs)
        case AllOf():
            return all(holds(part, row) for part in where.parts)
        case AnyOf():
            return any(holds(part, row) for part in where.parts)
        case Not():
            return not holds(where.part, row)
    raise TypeError(type(where).__name__)


def declared(where: Filter, schema: Schema) -> Filter:
    """The same filter as sets of declared values."""
    match where:
        case ColumnComparison(operator="in"):
            return AnyOf(
                tuple(declared(ColumnComparison(where.column, "=", each), schema) for each in where.constant)
            )
        case ColumnComparison():
            column = schema.columns[where.column]
            runs = passing_runs(where.column, column, where.operator, where.constant)
            return Among(where.column, runs, column)
        case AllOf() | AnyOf():
            return type(where)(tuple(declared(part, schema) for part in where.parts))
        case Not():
            return Not(declared(where.part, schema))
    return where


def normal(where: Filter, schema: Schema) -> Filter:
    """The normal form of a filter."""
    return filters.normal(declared(where, schema), schema)


def question(schema: Schema, aggregate: Aggregate, column: str | None, where: Filter) -> Question:
    """A question with any filter."""
    public, hidden = parted(normal(where, schema))
    assert hidden is None or isinstance(hidden, Among)
    return Question(aggregate, column, public, hidden)
