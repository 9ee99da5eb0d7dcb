"""Constants, and linear forms of one column."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from sqlglot import exp

from noiseless.domain import BooleanColumn, NumberColumn
from noiseless.domain.literals import DIGITS, read_day
from noiseless.questions.sql.scope import Scope, bare

Constant = Fraction | str | bool | date

_MOST_BITS = 4096
"""Numbers that arithmetic makes longer are refused."""

_WHOLE: set[object] = {
    exp.DataType.Type.INT,
    exp.DataType.Type.BIGINT,
    exp.DataType.Type.SMALLINT,
    exp.DataType.Type.TINYINT,
}
_EXACT: set[object] = {
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

    def __add__(self, other: "Linear") -> "Linear":
        factor = self.factor + other.factor
        return Linear((self.column or other.column) if factor else None, factor, self.offset + other.offset)

    def times(self, number: Fraction) -> "Linear":
        """The form times a number."""
        column = self.column if number else None
        return Linear(column, self.factor * number, self.offset * number)


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


def short(node: exp.Expression, number: Fraction, scope: Scope) -> Fraction:
    """A number that arithmetic made, if it is not too long.

    Raises:
        SqlError: it is.
    """
    if max(number.numerator.bit_length(), number.denominator.bit_length()) > _MOST_BITS:
        scope.refuse(node, "a number becomes too long", "compute with shorter ones")
    return number


def read_constant(node: exp.Expression, scope: Scope) -> Constant | None:
    """A text, truth value or date; None when it is none of them."""
    node = bare(node)
    match node:
        case exp.Literal() if node.is_string:
            return str(node.this)
        case exp.Boolean():
            return bool(node.this)
        case exp.Cast() if _is_type(node, {exp.DataType.Type.DATE}) and bare(node.this).is_string:
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
        scope.refuse(node, "{} is no date", "write it as DATE '2020-12-31'", written=node.name)


def read_linear(node: exp.Expression, scope: Scope) -> Linear | None:
    """A linear form of a column of numbers or truth values; None when the node is something else.

    Raises:
        SqlError: it is arithmetic, but not linear in one column.
    """
    node = bare(node)
    match node:
        case exp.Literal() if not node.is_string:
            return Linear(None, Fraction(0), read_number(node, scope))
        case exp.Column():
            name = scope.column(node)
            numeric = isinstance(scope.declared(name), NumberColumn | BooleanColumn)
            return Linear(name, Fraction(1), Fraction(0)) if numeric else None
        case exp.Neg():
            inner = _required(node.this, scope)
            return inner.times(Fraction(-1))
        case exp.Cast() if is_exact_cast(node) or _is_whole_cast(node, scope):
            return read_linear(node.this, scope)
        case exp.Add() | exp.Sub() | exp.Mul() | exp.Div():
            return _arithmetic(node, scope)
    return None


def is_exact_cast(node: exp.Expression) -> bool:
    """Whether it changes nothing here, where numbers are never rounded: to DOUBLE, FLOAT or DECIMAL."""
    return _is_type(node, _EXACT)


def _is_whole_cast(node: exp.Cast, scope: Scope) -> bool:
    """Whether a truth value is read as 0 or 1."""
    inner = bare(node.this)
    if not _is_type(node, _WHOLE) or not isinstance(inner, exp.Column):
        return False
    return isinstance(scope.declared(scope.column(inner)), BooleanColumn)


def _is_type(node: exp.Expression, types: set[object]) -> bool:
    to = node.args.get("to")
    plain = not any(value for key, value in node.args.items() if key not in ("this", "to", "_type"))
    return plain and isinstance(to, exp.DataType) and to.this in types and not to.expressions


def _arithmetic(node: exp.Expression, scope: Scope) -> Linear:
    scope.only(node, "this", "expression", "typed", "safe", what="this arithmetic", remedy="use + - * /")
    one, two = _required(node.this, scope), _required(node.expression, scope)
    if one.column and two.column and one.column != two.column:
        scope.refuse(node, "an expression is about two columns", "ask about one column at a time")
    if isinstance(node, exp.Add | exp.Sub):
        found = one + (two if isinstance(node, exp.Add) else two.times(Fraction(-1)))
    elif isinstance(node, exp.Mul):
        if one.column and two.column:
            scope.refuse(
                node, "an expression is no linear one", "write a number times a column plus a number"
            )
        found = one.times(two.offset) if two.column is None else two.times(one.offset)
    else:
        if two.column or not two.offset:
            scope.refuse(node, "an expression divides by a column or by 0", "divide by another number")
        found = one.times(1 / two.offset)
    return Linear(found.column, short(node, found.factor, scope), short(node, found.offset, scope))


def _required(node: exp.Expression, scope: Scope) -> Linear:
    found = read_linear(node, scope)
    if found is None:
        scope.refuse(
            node, "a part of an expression is no number", "use numbers, one column of numbers and + - * /"
        )
    return found
