"""The outputs of a SELECT: aggregates and arithmetic on them, and the keys of groups."""

from dataclasses import replace

from sqlglot import exp

from noiseless.questions.derived import DerivedName
from noiseless.questions.question import Question
from noiseless.questions.sql.aggregates import AggregateReader
from noiseless.questions.sql.canonical import write_aggregate, write_question
from noiseless.questions.sql.constants import read_arithmetic, read_number, require_short
from noiseless.questions.sql.expressions import Combination, constant, degree
from noiseless.questions.sql.refusals import expression_refused
from noiseless.questions.sql.rows import derived_column, is_row_call, read_row
from noiseless.questions.sql.scope import Scope, bare
from noiseless.questions.sql.statement import KeyColumn, ReplyColumn

_LONGEST_NAME = 100
_WRITTEN_OUT = exp.Variance, exp.Stddev, exp.StddevPop, exp.StddevSamp
_MOST_FACTORS = 16
"""A product of more answers is refused."""
_CAST = ("this cast is not understood", "leave it out: numbers are exact here")


def distinctly_named(tree: exp.Select, asking: AggregateReader) -> tuple[ReplyColumn, ...]:
    """The outputs, with names of their own; names that nobody gave get a number."""
    columns: dict[str, ReplyColumn] = {}
    for place, part in enumerate(tree.expressions):
        column = output(part, place, asking)
        name, number = column.name, 1
        while name in columns:
            number += 1
            name = f"{column.name}_{number}"
        columns[name] = replace(column, name=name)
    if not columns:
        asking.scope.refuse(None, "no output is asked for", "name aggregates after SELECT")
    return tuple(columns.values())


def output(node: exp.Expression, place: int, asking: AggregateReader) -> ReplyColumn:
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
        alias = _alias(node, asking)
        node = node.this
    node = bare(node)
    content = _key_column(node, asking) if _is_key(node, asking) else value_of(node, asking)
    return ReplyColumn(alias or _as_written(node, asking) or _own_name(content, place, asking), content)


def _is_key(node: exp.Expression, asking: AggregateReader) -> bool:
    """Whether an output is a column, or an expression of columns alone."""
    if isinstance(node, exp.Column):
        return True
    aggregates = (exp.AggFunc, exp.Anonymous, exp.Window, exp.Subquery, exp.Star)
    parts = [part for part in node.walk() if not is_row_call(part)]
    return (
        bool(asking.by or asking.classes)
        and any(isinstance(part, exp.Column) for part in parts)
        and not any(isinstance(part, aggregates) for part in parts)
    )


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
        return content.column.text if isinstance(content.column, DerivedName) else content.column

    def write(question: Question) -> str:
        return write_aggregate(question) if question.where == asking.where else write_question(question)

    text = content.write(write)
    return text if len(text) <= _LONGEST_NAME else f"column_{place + 1}"


def _alias(node: exp.Alias, asking: AggregateReader) -> str:
    if not 0 < len(node.alias) <= _LONGEST_NAME or not node.alias.isprintable():
        asking.scope.refuse(
            node, "an alias is no name", f"take one of at most {_LONGEST_NAME} printable characters"
        )
    return node.alias


def _key_column(node: exp.Expression, asking: AggregateReader) -> KeyColumn:
    if isinstance(node.this, exp.Star):
        asking.scope.refuse(node, *expression_refused(node.this, asking.scope.sql))
    if isinstance(node, exp.Column):
        name: str = asking.scope.column(node)
    else:
        with asking.scope.speaking_of(node):
            name = derived_column(read_row(node, asking.scope), asking.scope).name
    if name not in asking.by and name not in asking.classes:
        what = "an expression" if isinstance(name, DerivedName) else f"column {name!r}"
        problem = f"{what} stands outside an aggregate"
        asking.scope.refuse(node, problem, "add it to GROUP BY or ask for an aggregate of it")
    return KeyColumn(name)


def value_of(node: exp.Expression, asking: AggregateReader) -> Combination:
    """Arithmetic over aggregates and numbers.

    Raises:
        SqlError: it is something else, or cannot be asked.
    """
    scope = asking.scope

    def aggregate_or_root(node: exp.Expression) -> Combination | None:
        found = asking.aggregate(node)
        return _root(node, asking) if found is None and isinstance(node, exp.Sqrt) else found

    def required(node: exp.Expression) -> Combination:
        node = _divisor(node, scope)
        found = read_arithmetic(node, scope, constant, aggregate_or_root, required)
        if found is None:
            raise scope.refusal(
                node, *(_CAST if isinstance(node, exp.Cast) else expression_refused(node, scope.sql))
            )
        if degree(found) > _MOST_FACTORS:
            scope.refuse(node, f"more than {_MOST_FACTORS} answers are multiplied", "multiply fewer of them")
        for term in found.terms:
            require_short(node, term.coefficient, scope)
        return found

    return required(node)


def _divisor(node: exp.Expression, scope: Scope) -> exp.Expression:
    """NULLIF(..., 0) around a divisor changes nothing, for there is no value where it is 0."""
    inner, below = bare(node), node.parent
    if not isinstance(inner, exp.Nullif) or not isinstance(below, exp.Div) or below.expression is not node:
        return inner
    zero = bare(inner.expression)
    is_zero = isinstance(zero, exp.Literal) and not zero.is_string and read_number(zero, scope) == 0
    return bare(inner.this) if is_zero else inner


def _root(node: exp.Expression, asking: AggregateReader) -> Combination:
    asking.scope.only(node, "this", what="this root", remedy="write SQRT(...)")
    square = value_of(node.this, asking)
    if square.constant is not None and square.constant < 0:
        asking.scope.refuse(node, "the square root of a negative number", "take that of another one")
    return square.root()
