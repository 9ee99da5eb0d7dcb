"""Conditions: what WHERE, FILTER and CASE WHEN say, as filters."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from difflib import get_close_matches
from fractions import Fraction
from operator import eq, ge, gt, le, lt, ne
from typing import Any

import numpy as np
from sqlglot import exp

from noiseless.domain import BooleanColumn, CategoryColumn, Column, DateColumn, NumberColumn, Value
from noiseless.errors import ColumnError, RequestError
from noiseless.questions.filters import (
    NOBODY,
    AllOf,
    Among,
    AnyOf,
    Everything,
    Filter,
    Not,
    Runs,
    as_runs,
    between,
    outside,
)
from noiseless.questions.row_expression import RowExpression
from noiseless.questions.sql.constants import Constant, Linear, as_day, read_constant, read_linear
from noiseless.questions.sql.refusals import condition_refused
from noiseless.questions.sql.row_text import constant, made
from noiseless.questions.sql.rows import (
    ROW_FUNCTIONS,
    derived_column,
    is_derived,
    may_miss,
    read_row,
)
from noiseless.questions.sql.scope import Scope, bare

OPERATORS: dict[type[exp.Expression], str] = {
    exp.EQ: "=",
    exp.NEQ: "!=",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {"=": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}
"""What each operator says of two values of one kind."""
_MIRRORED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

_KINDS = {"number": "numbers", "date": "dates", "boolean": "truth values", "category": "texts"}
_HOW = {"number": ", without quotes", "date": ", in quotes: '2024-12-31'", "boolean": ": TRUE or FALSE"}

_LISTED = 6
"""This many declared values are listed in a message."""


@dataclass(frozen=True)
class NamedColumn:
    """A column that holds no numbers."""

    column: str


Operand = Linear | NamedColumn | Constant


def read_condition(node: exp.Expression, scope: Scope) -> Filter:
    """A condition as a filter, in no particular form.

    Raises:
        SqlError: it is not understood; the message says what is.
    """
    node = bare(node)
    reader = _READERS.get(type(node))
    if (type(node) in _LEAVES or isinstance(node, exp.Column)) and is_derived(node, scope=scope):
        return derived_condition(node, scope)
    if reader is None:
        raise scope.refusal(node, *condition_refused(node, scope.sql))
    return reader(node, scope)


def derived_condition(node: exp.Expression, scope: Scope) -> Filter:
    """A condition on an expression of the row.

    One on a single column is a set of its values; others are attributes of their own.

    Raises:
        SqlError: it is no condition, or not understood.
    """
    with scope.speaking_of(node):
        return filter_of(read_row(node, scope), scope)


def filter_of(expression: RowExpression, scope: Scope) -> Filter:
    """The rows for which a condition holds.

    Raises:
        RequestError: it is no condition, or its parts do not fit together.
    """
    if expression.function == "not":
        (inner,) = expression.parts
        if not derived_column(inner, scope).nullable:
            return Not(filter_of(inner, scope))
    found = derived_column(expression, scope)
    if found.kind not in ("boolean", "null"):
        raise RequestError("an expression is no condition; compare it with something")
    if found.nullable:  # what is unknown does not pass
        return filter_of(made("coalesce", [expression, constant(False)]), scope)
    true = found.index(True)
    if true is None or (found.size == 1 and found.exact):
        return _truth(true is not None)
    if len(found.inputs) == 1 and found.codes is not None:
        ((name, column),) = found.inputs.items()
        return Among(name, as_runs(np.flatnonzero(found.codes == true).tolist()), column)
    return Among(found.name, ((true, true + 1),), found)


def _negated(node: exp.Expression, scope: Scope) -> Filter:
    """What is not true; where a value may be missing, the whole is read as one expression."""
    if may_miss(node.this, scope) and is_derived(node.this, scope=scope):
        return derived_condition(node, scope)
    return Not(read_condition(node.this, scope))


def _comparison(node: exp.Expression, scope: Scope) -> Filter:
    scope.only(node, "this", "expression", what="this comparison", remedy="use = <> < <= > >=")
    if any(isinstance(bare(side), _TRUTHS) for side in (node.this, node.expression)):
        return derived_condition(node, scope)
    return _compared(node, node.this, OPERATORS[type(node)], node.expression, scope)


def _parts(node: exp.Expression, kind: type[exp.Expression], scope: Scope) -> tuple[Filter, ...]:
    """The parts of a row of ANDs or ORs, however long it is."""
    parts, open_nodes = [], [node]
    while open_nodes:
        current = bare(open_nodes.pop())
        if isinstance(current, kind):
            open_nodes += [current.args["expression"], current.this]
        else:
            parts.append(read_condition(current, scope))
    return tuple(parts)


def _truth(holds: bool) -> Filter:
    return Everything() if holds else NOBODY


def _true_column(node: exp.Expression, scope: Scope) -> Filter:
    name = scope.column(node)
    if not isinstance(scope.declared(name), BooleanColumn):
        scope.refuse(node, f"column {name!r} is not a condition on its own", "compare it with a constant")
    return among(node, name, "=", True, scope)


def _between(node: exp.Expression, scope: Scope) -> Filter:
    scope.only(node, "this", "low", "high", what="this BETWEEN", remedy="write BETWEEN low AND high")
    low = _compared(node, node.this, ">=", node.args["low"], scope)
    return AllOf((low, _compared(node, node.this, "<=", node.args["high"], scope)))


def _one_of(node: exp.Expression, scope: Scope) -> Filter:
    scope.only(node, "this", "expressions", what="this IN", remedy="write IN with a list of constants")
    if not node.expressions:
        scope.refuse(node, "an IN without a list", "write IN with a list of constants")
    return AnyOf(tuple(_compared(node, node.this, "=", part, scope) for part in node.expressions))


def _is(node: exp.Expression, scope: Scope) -> Filter:
    scope.only(node, "this", "expression", "negate", what="this IS", remedy="write IS NULL or IS TRUE")
    wanted = bare(node.expression)
    if isinstance(wanted, exp.Boolean | exp.Null) and not isinstance(bare(node.this), exp.Column):
        return derived_condition(node, scope)
    if isinstance(wanted, exp.Boolean):
        found: Filter = _compared(node, node.this, "=", wanted, scope)
    elif isinstance(wanted, exp.Null):
        found = _missing(bare(node.this), scope)
    else:
        scope.refuse(node, "this IS is not understood", "write IS NULL or IS TRUE")
    return Not(found) if node.args.get("negate") else found


def _missing(node: exp.Expression, scope: Scope) -> Filter:
    """No value is missing, unless the schema says what it counts as: then nobody can tell."""
    name = scope.column(node)
    if scope.declared(name).missing is not None:
        scope.refuse(
            node,
            f"a missing value of {name!r} counts as an ordinary one here",
            "compare the column with the value that the schema declares for it",
        )
    return NOBODY


def _compared(
    node: exp.Expression, left: exp.Expression, operator: str, right: exp.Expression, scope: Scope
) -> Filter:
    one, two = _operand(left, scope), _operand(right, scope)
    if not isinstance(one, NamedColumn) and not isinstance(two, NamedColumn):
        scope.check_quotes(left, right)
    if isinstance(one, NamedColumn) and isinstance(two, NamedColumn):
        if one == two:
            return _truth(COMPARISONS[operator](0, 0))
        scope.refuse(node, "two columns are compared with each other", "compare a column with constants")
    if isinstance(two, NamedColumn):
        one, two, operator, left, right = two, one, _MIRRORED[operator], right, left
    if isinstance(one, NamedColumn):
        return _with_constant(one.column, operator, two, right, scope)
    if isinstance(one, Linear) and isinstance(two, Linear):
        return _linear(node, one, operator, two, scope)
    if not isinstance(one, Linear) and not isinstance(two, Linear) and type(one) is type(two):
        return _truth(COMPARISONS[operator](one, two))
    column = next((side.column for side in (one, two) if isinstance(side, Linear) and side.column), None)
    about = "numbers are" if column is None else f"column {column!r} holds numbers and is"
    raise scope.refusal(node, f"{about} compared with something else", "compare numbers with numbers")


def _operand(node: exp.Expression, scope: Scope) -> Operand:
    node = bare(node)
    if isinstance(node, exp.Column):
        name = scope.column(node)
        if isinstance(scope.declared(name), CategoryColumn | DateColumn | BooleanColumn):
            return NamedColumn(name)
    constant = read_constant(node, scope)
    if constant is not None:
        return constant
    linear = read_linear(node, scope)
    if linear is None:
        problem, remedy = condition_refused(node, scope.sql)
        scope.refuse(node, problem, remedy)
    if linear.column is not None and isinstance(scope.declared(linear.column), BooleanColumn):
        scope.refuse(node, f"column {linear.column!r} holds truth values", "compare it with TRUE or FALSE")
    return linear


def _linear(node: exp.Expression, one: Linear, operator: str, two: Linear, scope: Scope) -> Filter:
    """A factor times a column plus an offset, compared with 0: the column compared with a number."""
    if one.column and two.column and one.column != two.column:
        scope.refuse(node, "two columns are compared with each other", "compare a column with constants")
    found = one + two.times(Fraction(-1))
    if found.column is None:
        return _truth(COMPARISONS[operator](found.offset, 0))
    turned = _MIRRORED[operator] if found.factor < 0 else operator
    return among(node, found.column, turned, -found.offset / found.factor, scope)


def _with_constant(
    name: str, operator: str, operand: Operand, written: exp.Expression, scope: Scope
) -> Filter:
    """A column of texts, dates or truth values compared with a constant."""
    column = scope.declared(name)
    constant: Any = operand
    if isinstance(operand, Linear):
        if operand.column is not None:
            scope.refuse(
                written, "two columns are compared with each other", "compare a column with constants"
            )
        constant = operand.offset
    if isinstance(column, DateColumn) and isinstance(constant, str):
        constant = as_day(bare(written), scope)
    found = among(written, name, operator, constant, scope)
    if (
        isinstance(column, CategoryColumn)
        and operator in ("=", "!=")
        and column.index(_plain(constant)) is None
    ):
        scope.refuse(
            written, f"column {name!r} has no value {{}}", _declared(column, constant), written=str(constant)
        )
    return found


def among(node: exp.Expression, name: str, operator: str, constant: Constant, scope: Scope) -> Filter:
    """The rows whose value compares with a constant as the operator says."""
    column = scope.schema.columns[name]
    with scope.speaking_of(node):
        return Among(name, passing_runs(name, column, operator, constant), column)


def _plain(constant: Constant) -> object:
    """Whole numbers as such: categories know no fractions."""
    if isinstance(constant, Fraction) and constant.denominator == 1:
        return int(constant)
    return constant


def _declared(column: CategoryColumn, constant: str | date | Fraction) -> str:
    """Which values there are: everybody may know what is declared."""
    texts = [str(value) for value in column.categories]
    folded = {text.casefold(): text for text in texts}
    if close := get_close_matches(str(constant)[:100].casefold(), folded, n=1):
        return f"did you mean {folded[close[0]]!r}?"
    more = f" and {column.size - _LISTED:,} more" if column.size > _LISTED else ""
    return f"it has {', '.join(map(repr, texts[:_LISTED]))}{more}"


def passing_runs(name: str, column: Column, operator: str, constant: Value | Fraction) -> Runs:
    """The values of a column that compare with a constant, wherever it lies, as the operator says.

    >>> column = NumberColumn(role="private", bounds=(0, 10), step=Decimal("0.001"))
    >>> passing_runs("kwh", column, ">", Decimal("3.0005"))
    ((3001, 10001),)

    Raises:
        ColumnError: the constant is of another kind than the column.
    """
    if isinstance(column, CategoryColumn):
        return _among_categories(name, column, operator, constant)
    top, bottom = _place(name, column, constant)
    below, upto = -(-top // bottom), top // bottom + 1  # this many values are smaller, this many not larger
    size = column.size
    parts = {
        "<": (0, below),
        "<=": (0, upto),
        ">": (upto, size),
        ">=": (below, size),
        "=": (below, upto),
        "!=": (below, upto),
    }
    found = between(*parts[operator], size)
    return outside(found, size) if operator == "!=" else found


def _place(name: str, column: Column, constant: Value | Fraction) -> tuple[int, int]:
    """Where a constant stands among the numbers of a column's values, perhaps between two or outside.

    A numerator and a positive denominator: every statement comes here, and fractions take their time.
    """
    if isinstance(column, NumberColumn) and _is_number(constant):
        top, bottom = constant.as_integer_ratio()  # type: ignore[union-attr]
        return top * column.scale - bottom * column.low_units, bottom * column.step_units
    if isinstance(column, DateColumn) and isinstance(constant, date):
        return (constant - column.bounds[0]).days, column.step
    if isinstance(column, BooleanColumn) and isinstance(constant, bool):
        return int(constant), 1
    raise ColumnError(name, f"holds {_KINDS[column.kind]}; compare it with the same kind{_HOW[column.kind]}")


def _among_categories(name: str, column: CategoryColumn, operator: str, constant: Value | Fraction) -> Runs:
    """Texts compare with texts by their characters, whole numbers with numbers."""
    text = isinstance(constant, str)
    if not text and not _is_number(constant):
        raise _of_another_kind(name, column)
    alike = [(i, value) for i, value in enumerate(column.categories) if isinstance(value, str) == text]
    if not alike or (operator not in ("=", "!=") and len(alike) < column.size):
        raise _of_another_kind(name, column)
    if not text:
        constant = Fraction(constant)  # type: ignore[arg-type]  # exact beside any decimal
    if operator == "!=":  # values of the other kind differ too
        return outside(as_runs(i for i, value in alike if value == constant), column.size)
    return as_runs(i for i, value in alike if COMPARISONS[operator](value, constant))


def _is_number(constant: object) -> bool:
    return isinstance(constant, int | Decimal | Fraction) and not isinstance(constant, bool)


def _of_another_kind(name: str, column: CategoryColumn) -> ColumnError:
    kinds = {isinstance(value, str) for value in column.categories}
    held, how = ("texts", ", in single quotes") if True in kinds else ("numbers", ", without quotes")
    if len(kinds) > 1:
        held, how = "texts and numbers", ""
    return ColumnError(name, f"holds {held}; compare it with the same kind{how}")


_READERS: dict[type[exp.Expression], Callable[[exp.Expression, Scope], Filter]] = {
    exp.And: lambda node, scope: AllOf(_parts(node, exp.And, scope)),
    exp.Or: lambda node, scope: AnyOf(_parts(node, exp.Or, scope)),
    exp.Not: _negated,
    exp.Boolean: lambda node, _: _truth(bool(node.this)),
    exp.Column: _true_column,
    exp.Between: _between,
    exp.In: _one_of,
    exp.Is: _is,
    **dict.fromkeys(OPERATORS, _comparison),
}
_TRUTHS = (
    exp.Not,
    exp.Connector,
    exp.Between,
    exp.In,
    exp.Is,
    exp.EQ,
    exp.NEQ,
    exp.LT,
    exp.LTE,
    exp.GT,
    exp.GTE,
)
"""What is true or false itself where it is compared with something."""
_LEAVES = {*OPERATORS, exp.Between, exp.In, exp.Is, *ROW_FUNCTIONS} - {exp.Not, exp.Neg}
"""Conditions that may be about an expression of the row."""
