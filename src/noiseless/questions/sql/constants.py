"""Constants, and arithmetic: of one column in a row, which stays linear, or of answers."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from operator import add, mul, sub, truediv
from typing import Any, TypeVar

from sqlglot import exp

from noiseless.domain import BooleanColumn, NumberColumn
from noiseless.domain.literals import DIGITS, read_day
from noiseless.questions.row_arithmetic import NOT_WHOLE
from noiseless.questions.sql.expressions import Combination
from noiseless.questions.sql.scope import Scope, bare

Constant = Fraction | str | bool | date

_BY_ZERO = ("an expression divides by 0", "divide by another number")
_MOST_BITS = 4096
"""Numbers that arithmetic makes longer are refused."""

WHOLE: set[object] = {
    exp.DataType.Type.INT,
    exp.DataType.Type.BIGINT,
    exp.DataType.Type.SMALLINT,
    exp.DataType.Type.TINYINT,
}
EXACT: set[object] = {
    exp.DataType.Type.DOUBLE,
    exp.DataType.Type.FLOAT,
    exp.DataType.Type.DECIMAL,
    exp.DataType.Type.BIGDECIMAL,
}


@dataclass(frozen=True)
class Linear:
    """A number: factor * column + offset; the offset alone when there is no column."""

    column: str | None
    factor: Fraction
    offset: Fraction

    def __neg__(self) -> "Linear":
        return self.times(Fraction(-1))

    def __add__(self, other: "Linear") -> "Linear":
        column = self._only_column(other)
        factor = self.factor + other.factor
        return Linear(column if factor else None, factor, self.offset + other.offset)

    def __sub__(self, other: "Linear") -> "Linear":
        return self + -other

    def __mul__(self, other: "Linear") -> "Linear":
        self._only_column(other)
        if self.column and other.column:
            raise ArithmeticError(
                "an expression is no linear one", "write a number times a column plus a number"
            )
        return self.times(other.offset) if other.column is None else other.times(self.offset)

    def __truediv__(self, other: "Linear") -> "Linear":
        self._only_column(other)
        if other.column or not other.offset:
            raise ArithmeticError("an expression divides by a column or by 0", "divide by another number")
        return self.times(1 / other.offset)

    def times(self, number: Fraction) -> "Linear":
        """The form times a number."""
        column = self.column if number else None
        return Linear(column, self.factor * number, self.offset * number)

    def _only_column(self, other: "Linear") -> str | None:
        """The column of both."""
        if self.column and other.column and self.column != other.column:
            raise ArithmeticError("an expression is about two columns", "ask about one column at a time")
        return self.column or other.column


def read_number(node: exp.Expression, scope: Scope) -> Fraction:
    """A number exactly as it is written.

    Raises:
        SqlError: it is too long, or no number.
    """
    try:
        number = Decimal(node.name)
    except InvalidOperation:
        scope.refuse(node, "{} is no number", "write digits and a point", written=node.name)
    if not number.is_finite() or number.adjusted() >= DIGITS or int(number.as_tuple().exponent) < -DIGITS:
        scope.refuse(
            node,
            "{} is too long",
            f"write at most {DIGITS} digits before and after the point",
            written=node.name,
        )
    return Fraction(number)


def require_short(node: exp.Expression, number: Fraction, scope: Scope) -> None:
    """Refuse a number that arithmetic made too long.

    Raises:
        SqlError: it is.
    """
    if max(number.numerator.bit_length(), number.denominator.bit_length()) > _MOST_BITS:
        scope.refuse(node, "a number becomes too long", "compute with shorter ones")


def read_constant(node: exp.Expression, scope: Scope) -> Constant | None:
    """A text, truth value or date; None when it is none of them."""
    node = bare(node)
    match node:
        case exp.Literal() if node.is_string:
            return str(node.this)
        case exp.Boolean():
            return bool(node.this)
        case exp.Cast() if is_type(node, {exp.DataType.Type.DATE}) and bare(node.this).is_string:
            return as_day(bare(node.this), scope)
        case exp.Null():
            scope.refuse(node, "nothing compares with NULL", "write IS NULL or IS NOT NULL")
        case exp.Placeholder() | exp.Parameter():
            scope.refuse(node, "a placeholder has no value", "write the constant into the text")
    return None


def as_day(node: exp.Expression, scope: Scope) -> date:
    """The date that a text is.

    Raises:
        SqlError: it is none.
    """
    try:
        return read_day(node.name)
    except ValueError:
        scope.refuse(node, "{} is no date", "write days like DATE '2020-12-31'", written=node.name)


NumberT = TypeVar("NumberT", Linear, Combination)


def read_arithmetic(
    node: exp.Expression,
    scope: Scope,
    number: Callable[[Fraction], NumberT],
    other: Callable[[exp.Expression], NumberT | None],
    required: Callable[[exp.Expression], NumberT],
) -> NumberT | None:
    """A number, signs, + - * / and casts that change nothing; None where there is no number.

    Args:
        node: what is read.
        scope: what names stand for.
        number: makes a constant.
        other: reads anything else; None if it is no number.
        required: reads a part of an expression, where nothing else may stand.

    Raises:
        SqlError: it is arithmetic that cannot be done here.
    """
    match node := bare(node):
        case exp.Literal() if not node.is_string:
            return number(read_number(node, scope))
        case exp.Neg():
            return -required(node.this)
        case exp.Cast() if is_type(node, EXACT):
            return read_arithmetic(node.this, scope, number, other, required)
        case exp.Add() | exp.Sub() | exp.Mul() | exp.Div():
            allowed = ("this", "expression", "typed", "safe")
            scope.only(node, *allowed, what="this arithmetic", remedy="use + - * /")
            one, two = required(node.this), required(node.expression)
            try:
                found: NumberT = _OPERATORS[type(node)](one, two)
            except ArithmeticError as error:
                said = error.args if len(error.args) > 1 else _BY_ZERO
                scope.refuse(node, *said)
            return found
    return other(node)


_OPERATORS: dict[type[exp.Expression], Callable[[Any, Any], Any]] = {
    exp.Add: add,
    exp.Sub: sub,
    exp.Mul: mul,
    exp.Div: truediv,
}


def read_linear(node: exp.Expression, scope: Scope) -> Linear | None:
    """A linear form of a column of numbers or truth values; None when the node is something else.

    Raises:
        SqlError: it is arithmetic, but not linear in one column.
    """

    def column(node: exp.Expression) -> Linear | None:
        inner = bare(node.this) if isinstance(node, exp.Cast) and is_type(node, WHOLE) else node
        if not isinstance(inner, exp.Column):
            return None
        name = scope.column(inner)
        found = scope.declared(name)
        if inner is not node and isinstance(found, NumberColumn) and found.scale != 1:
            scope.refuse(node, *NOT_WHOLE.split("; "))
        return (
            Linear(name, Fraction(1), Fraction(0))
            if isinstance(found, NumberColumn | BooleanColumn)
            else None
        )

    def required(node: exp.Expression) -> Linear:
        found = read_linear(node, scope)
        if found is None:
            scope.refuse(
                node, "a part of an expression is no number", "use numbers, one column of numbers and + - * /"
            )
        return found

    found = read_arithmetic(node, scope, lambda number: Linear(None, Fraction(0), number), column, required)
    if found is not None and isinstance(bare(node), exp.Binary):
        require_short(node, found.factor, scope)
        require_short(node, found.offset, scope)
    return found


def is_type(node: exp.Expression, types: set[object]) -> bool:
    """Whether a cast is to one of some types, and says no more."""
    to = node.args.get("to")
    plain = not any(value for key, value in node.args.items() if key not in ("this", "to", "_type"))
    return plain and isinstance(to, exp.DataType) and to.this in types and not to.expressions
