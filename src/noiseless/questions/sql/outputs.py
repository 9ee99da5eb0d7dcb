"""Outputs: columns that name rows, and arithmetic over aggregates."""

from collections.abc import Callable

from sqlglot import exp

from noiseless.questions.question import Question
from noiseless.questions.sql.aggregates import AggregateReader
from noiseless.questions.sql.canonical import write_aggregate, write_question
from noiseless.questions.sql.constants import is_exact_cast, read_number, short
from noiseless.questions.sql.expressions import Combination, constant, degree
from noiseless.questions.sql.scope import Scope, bare, expression_refused
from noiseless.questions.sql.statement import KeyColumn, ReplyColumn

_LONGEST_NAME = 100
_WRITTEN_OUT = exp.Variance, exp.Stddev, exp.StddevPop, exp.StddevSamp
_MOST_FACTORS = 16
"""A product of more answers is refused."""


def read_output(node: exp.Expression, place: int, asking: AggregateReader) -> ReplyColumn:
    """A column of the reply.

    Args:
        node: what stands after SELECT or ORDER BY.
        place: its place among the outputs, for those that have no better name.
        asking: makes the questions.

    Raises:
        SqlError: it cannot be asked.
    """
    alias = None
    if isinstance(node, exp.Alias):
        asking.scope.only(node, "this", "alias", what="this alias", remedy="write AS name")
        alias = _name(node, asking)
        node = node.this
    node = bare(node)
    content = _key(node, asking) if isinstance(node, exp.Column) else read_value(node, asking)
    return ReplyColumn(alias or _as_written(node, asking) or _own_name(content, place, asking), content)


def _as_written(node: exp.Expression, asking: AggregateReader) -> str | None:
    """The name of what is written out at length: a variance of a sample, or a root of a variance."""
    if not isinstance(node, _WRITTEN_OUT) or "start" not in node.meta:
        return None
    function = asking.scope.sql[node.meta["start"] : node.meta["end"] + 1].upper()
    text = f"{function}({node.this.sql()})"
    return text if len(text) <= _LONGEST_NAME and text.isprintable() else None


def _own_name(content: Combination | KeyColumn, place: int, asking: AggregateReader) -> str:
    """What an output without an alias is called: its column, or its text if that is short."""
    if isinstance(content, KeyColumn):
        return content.column

    def write(question: Question) -> str:
        return write_aggregate(question) if question.where == asking.where else write_question(question)

    text = content.write(write)
    return text if len(text) <= _LONGEST_NAME else f"column_{place + 1}"


def _name(node: exp.Alias, asking: AggregateReader) -> str:
    if not 0 < len(node.alias) <= _LONGEST_NAME or not node.alias.isprintable():
        asking.scope.refuse(
            node, "an alias is no name", f"take one of at most {_LONGEST_NAME} printable characters"
        )
    return node.alias


def _key(node: exp.Column, asking: AggregateReader) -> KeyColumn:
    if isinstance(node.this, exp.Star):
        asking.scope.refuse(node, *expression_refused(node.this))
    name = asking.scope.column(node)
    if name not in asking.by and name != asking.histogram:
        problem = f"column {name!r} stands outside an aggregate"
        asking.scope.refuse(node, problem, "add it to GROUP BY or ask for an aggregate of it")
    return KeyColumn(name)


def read_value(node: exp.Expression, asking: AggregateReader) -> Combination:
    """Arithmetic over aggregates and numbers.

    Raises:
        SqlError: it is something else, or cannot be asked.
    """
    node = bare(node)
    found = asking.aggregate(node)
    if found is None:
        found = _computed(node, asking)
    if degree(found) > _MOST_FACTORS:
        asking.scope.refuse(
            node, f"more than {_MOST_FACTORS} answers are multiplied", "multiply fewer of them"
        )
    for term in found.terms:
        short(node, term.coefficient, asking.scope)
    return found


def _computed(node: exp.Expression, asking: AggregateReader) -> Combination:
    reader = _READERS.get(type(node))
    if reader is None:
        raise asking.scope.refusal(node, *expression_refused(node))
    return reader(node, asking)


def _number(node: exp.Expression, asking: AggregateReader) -> Combination:
    if node.is_string:
        raise asking.scope.refusal(node, *expression_refused(node))
    return constant(read_number(node, asking.scope))


def _negative(node: exp.Expression, asking: AggregateReader) -> Combination:
    return -read_value(node.this, asking)


def _cast(node: exp.Expression, asking: AggregateReader) -> Combination:
    if not is_exact_cast(node):
        asking.scope.refuse(node, "this cast is not understood", "leave it out: numbers are exact here")
    return read_value(node.this, asking)


def _arithmetic(node: exp.Expression, asking: AggregateReader) -> Combination:
    asking.scope.only(node, "this", "expression", what="this arithmetic", remedy="use + - * /")
    one, two = read_value(node.this, asking), read_value(node.expression, asking)
    return one + two if isinstance(node, exp.Add) else one - two if isinstance(node, exp.Sub) else one * two


def _root(node: exp.Expression, asking: AggregateReader) -> Combination:
    asking.scope.only(node, "this", what="this root", remedy="write SQRT(...)")
    square = read_value(node.this, asking)
    if square.constant is not None and square.constant < 0:
        asking.scope.refuse(node, "the square root of a negative number", "take that of another one")
    return square.root()


def _quotient(node: exp.Expression, asking: AggregateReader) -> Combination:
    """A quotient; NULLIF(..., 0) around the divisor changes nothing, for there is no value where it is 0."""
    asking.scope.only(node, "this", "expression", "typed", "safe", what="this division", remedy="use /")
    below = bare(node.expression)
    if isinstance(below, exp.Nullif) and _is_zero(bare(below.expression), asking.scope):
        below = below.this
    try:
        return read_value(node.this, asking) / read_value(below, asking)
    except ZeroDivisionError:
        asking.scope.refuse(node, "an output divides by 0", "divide by another number")


def _is_zero(node: exp.Expression, scope: Scope) -> bool:
    return isinstance(node, exp.Literal) and not node.is_string and read_number(node, scope) == 0


_READERS: dict[type[exp.Expression], Callable[[exp.Expression, AggregateReader], Combination]] = {
    exp.Literal: _number,
    exp.Neg: _negative,
    exp.Cast: _cast,
    exp.Sqrt: _root,
    exp.Add: _arithmetic,
    exp.Sub: _arithmetic,
    exp.Mul: _arithmetic,
    exp.Div: _quotient,
}
