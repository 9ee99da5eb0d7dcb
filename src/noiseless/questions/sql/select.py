"""One SELECT: its clauses, and what it asks in all."""

from dataclasses import replace
from typing import NamedTuple

from sqlglot import exp
from sqlglot.errors import ParseError
from sqlglot.tokens import Token  # type: ignore[attr-defined]  # as documented

from noiseless.domain import Schema
from noiseless.questions.filters import NOBODY, Everything, Filter, normal, parted
from noiseless.questions.question import Limits, Question
from noiseless.questions.sql.aggregates import AggregateReader
from noiseless.questions.sql.canonical import write_aggregate, write_name, write_question
from noiseless.questions.sql.conditions import read_condition
from noiseless.questions.sql.constants import read_arithmetic, read_number, require_short
from noiseless.questions.sql.errors import Position, SqlError
from noiseless.questions.sql.expressions import Combination, constant, degree
from noiseless.questions.sql.scope import CLAUSES, Scope, bare, expression_refused, matching
from noiseless.questions.sql.statement import KeyColumn, Ordering, ReplyColumn, Statement
from noiseless.questions.sql.tokens import quiet_dialect, scan, too_deep

_KNOWN = {"expressions", "from", "from_", "where", "group", "order", "limit"}
_MOST_ROWS = 10**9
_MOST_AGGREGATES = 200
_LONGEST_NAME = 100
_WRITTEN_OUT = exp.Variance, exp.Stddev, exp.StddevPop, exp.StddevSamp
_MOST_FACTORS = 16
"""A product of more answers is refused."""
_CAST = ("this cast is not understood", "leave it out: numbers are exact here")


def read_select(sql: str, schema: Schema, table: str, limits: Limits | None = None) -> Statement:
    """The statement that a text is; see `parse`."""
    try:
        tokens, hints = scan(sql)
        tree = _parsed(sql, tokens, schema)
        return replace(_read(sql, tree, schema, table, limits), hints=hints)
    except RecursionError:
        raise too_deep() from None


def _parsed(sql: str, tokens: list[Token], schema: Schema) -> exp.Select:
    try:
        trees = quiet_dialect().parser().parse(tokens, sql)
    except ParseError as error:
        first = error.errors[0] if error.errors else {}
        line, column = first.get("line"), first.get("col")
        raise SqlError(
            "the text is no SQL at {}",
            _unquoted(sql, schema) or "check commas, brackets, quotes and the order of clauses",
            written=str(first.get("highlight") or ""),
            position=Position(line, column) if line and column else None,
        ) from None
    if len(trees) != 1 or not isinstance(trees[0], exp.Select):
        raise SqlError("a statement is one SELECT about one table", "ask several as one batch")
    return trees[0]


def _unquoted(sql: str, schema: Schema) -> str | None:
    """The remedy where a name that needs double quotes stands without them, or in others."""
    for name in schema.columns:
        right = write_name(name)
        if right != name and name.casefold() in sql.replace(right, "").casefold():
            return f"names with spaces and signs stand in double quotes: {right}"
    return "names stand in double quotes where they need any, not in backquotes" if "`" in sql else None


def _read(sql: str, tree: exp.Select, schema: Schema, table: str, limits: Limits | None) -> Statement:
    scope = Scope(sql, schema)
    _check_clauses(tree, scope)
    scope = Scope(sql, schema, _table(tree, scope, table))
    keys = _keys(tree, scope)
    where, groups = _where(tree, scope, grouped=bool(keys.public or keys.private))
    if sum(isinstance(node, exp.AggFunc | exp.Anonymous) for node in tree.walk()) > _MOST_AGGREGATES:
        remedy = "ask several statements as one batch"
        scope.refuse(None, f"a statement has over {_MOST_AGGREGATES} aggregates", remedy)
    asking = AggregateReader(scope, where, keys.public, keys.private, limits)
    columns = _distinctly_named(tree, asking)
    order, limit = _order(tree, columns, asking), _limit(tree, scope)
    if not keys.all:  # one row needs no order
        order, limit = (), None
    contents = [*(column.content for column in columns), *(ordering.content for ordering in order)]
    questions = dict.fromkeys(
        question for content in contents if isinstance(content, Combination) for question in content.questions
    )
    if not questions:
        scope.refuse(
            None, "nothing is asked that depends on the data", "ask for an aggregate, such as COUNT(*)"
        )
    return Statement(
        table,
        columns,
        tuple(questions),
        keys.public,
        histogram=keys.private,
        groups=groups,
        order=order,
        limit=limit,
    )


def _check_clauses(tree: exp.Select, scope: Scope) -> None:
    for key, value in tree.args.items():
        if value and key not in _KNOWN:
            known = CLAUSES.get(key.rstrip("_"))
            scope.refuse(
                None, *(known or ("a clause is not understood", "use SELECT, FROM, WHERE, GROUP BY"))
            )


def _table(tree: exp.Select, scope: Scope, table: str) -> tuple[exp.Identifier, ...]:
    """The names of the table that FROM says."""
    source = tree.args.get("from_") or tree.args.get("from")
    if source is None:
        scope.refuse(None, "FROM is missing", f"add FROM {table}")
    node = source.this
    if not isinstance(node, exp.Table) or not isinstance(node.this, exp.Identifier):
        scope.refuse(node, "FROM is no table", f"write FROM {table}")
    for key, value in node.args.items():
        if value and key not in ("this", "alias"):
            known = CLAUSES.get(key, ("FROM says more than a table's name", f"write FROM {table}"))
            scope.refuse(node, *known)
    if matching(node.this, [table]) is None:
        scope.refuse(node, "no table is called {}", f"write FROM {table}", written=node.name)
    alias = node.args.get("alias")
    if alias is None:
        return (node.this,)
    if alias.args.get("columns") or not isinstance(alias.this, exp.Identifier):
        scope.refuse(node, "columns are renamed in FROM", "use aliases in SELECT")
    return (alias.this,)


class _Keys(NamedTuple):
    """The columns of GROUP BY."""

    public: tuple[str, ...]
    private: str | None

    @property
    def all(self) -> bool:
        """Whether there are any."""
        return bool(self.public) or self.private is not None


def _keys(tree: exp.Select, scope: Scope) -> _Keys:
    group = tree.args.get("group")
    if group is None:
        return _Keys((), None)
    scope.only(group, "expressions", what="this GROUP BY", remedy="name columns")
    named = {_key(node, tree, scope) for node in group.expressions}
    schema = scope.schema
    private = [name for name in schema.private if name in named]
    if len(private) > 1:
        scope.refuse(
            group,
            "GROUP BY names several private columns",
            "group by one of them at most, and ask several statements",
        )
    public = tuple(name for name in schema.public if name in named)
    return _Keys(public, private[0] if private else None)


def _key(node: exp.Expression, tree: exp.Select, scope: Scope) -> str:
    """The column that a part of GROUP BY names, also by an alias or by its place."""
    node = bare(node)
    if isinstance(node, exp.Column) and not node.args.get("table"):
        aliases = {part.alias: part.this for part in tree.expressions if isinstance(part, exp.Alias)}
        known = matching(node.this, scope.schema.columns) is not None
        alias = None if known else matching(node.this, list(aliases))
        node = node if alias is None else bare(aliases[alias])
    elif isinstance(node, exp.Literal) and (place := _place(node, len(tree.expressions))) is not None:
        node = bare(tree.expressions[place].unalias())
    if not isinstance(node, exp.Column):
        scope.refuse(
            node, "GROUP BY takes columns", "name public columns, or one private column for a histogram"
        )
    return scope.column(node)


def _place(node: exp.Literal, size: int) -> int | None:
    """The output that a whole number means, counted from 1."""
    if (
        node.is_string
        or not node.name.isascii()
        or not node.name.isdigit()
        or len(node.name) > len(str(size))
    ):
        return None
    return int(node.name) - 1 if 1 <= int(node.name) <= size else None


def _where(tree: exp.Select, scope: Scope, *, grouped: bool) -> tuple[Filter, Filter]:
    """The filter in its normal form, and what of it decides which groups there are."""
    clause = tree.args.get("where")
    if clause is None:
        return Everything(), Everything()
    whole = read_condition(clause.this, scope)
    with scope.speaking_of(clause):
        found = normal(whole, scope.schema)
        if found == NOBODY:
            scope.refuse(
                clause, "nobody can pass the filter", "look at the declared values of the columns in it"
            )
        public, _ = parted(found, scope.schema.private)
    return found, public if grouped else Everything()


def _distinctly_named(tree: exp.Select, asking: AggregateReader) -> tuple[ReplyColumn, ...]:
    """The outputs, with names of their own; names that nobody gave get a number."""
    columns: dict[str, ReplyColumn] = {}
    for place, part in enumerate(tree.expressions):
        column = _output(part, place, asking)
        name, number = column.name, 1
        while name in columns:
            number += 1
            name = f"{column.name}_{number}"
        columns[name] = replace(column, name=name)
    if not columns:
        asking.scope.refuse(None, "no output is asked for", "name aggregates after SELECT")
    return tuple(columns.values())


def _output(node: exp.Expression, place: int, asking: AggregateReader) -> ReplyColumn:
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
    content = _key_column(node, asking) if isinstance(node, exp.Column) else _value(node, asking)
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


def _alias(node: exp.Alias, asking: AggregateReader) -> str:
    if not 0 < len(node.alias) <= _LONGEST_NAME or not node.alias.isprintable():
        asking.scope.refuse(
            node, "an alias is no name", f"take one of at most {_LONGEST_NAME} printable characters"
        )
    return node.alias


def _key_column(node: exp.Column, asking: AggregateReader) -> KeyColumn:
    if isinstance(node.this, exp.Star):
        asking.scope.refuse(node, *expression_refused(node.this))
    name = asking.scope.column(node)
    if name not in asking.by and name != asking.histogram:
        problem = f"column {name!r} stands outside an aggregate"
        asking.scope.refuse(node, problem, "add it to GROUP BY or ask for an aggregate of it")
    return KeyColumn(name)


def _value(node: exp.Expression, asking: AggregateReader) -> Combination:
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
            raise scope.refusal(node, *(_CAST if isinstance(node, exp.Cast) else expression_refused(node)))
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
    square = _value(node.this, asking)
    if square.constant is not None and square.constant < 0:
        asking.scope.refuse(node, "the square root of a negative number", "take that of another one")
    return square.root()


def _order(
    tree: exp.Select, columns: tuple[ReplyColumn, ...], asking: AggregateReader
) -> tuple[Ordering, ...]:
    clause = tree.args.get("order")
    if clause is None:
        return ()
    asking.scope.only(clause, "expressions", what="this ORDER BY", remedy="name outputs, ASC or DESC")
    found: dict[Combination | KeyColumn, Ordering] = {}
    for node in clause.expressions:
        asking.scope.only(
            node, "this", "desc", "nulls_first", what="this ORDER BY", remedy="name outputs, ASC or DESC"
        )
        content = _ordered_by(bare(node.this), columns, asking)
        if isinstance(content, KeyColumn) or content.constant is None:  # by a constant, nothing is ordered
            found.setdefault(content, Ordering(content, bool(node.args.get("desc"))))
    return tuple(found.values())


def _ordered_by(
    node: exp.Expression, columns: tuple[ReplyColumn, ...], asking: AggregateReader
) -> Combination | KeyColumn:
    if isinstance(node, exp.Column) and not node.args.get("table"):
        alias = matching(node.this, [column.name for column in columns])
        if alias is not None:
            return next(column.content for column in columns if column.name == alias)
    if isinstance(node, exp.Literal):
        place = _place(node, len(columns))
        if place is None:
            asking.scope.refuse(
                node, "ORDER BY names no output", f"give a number between 1 and {len(columns):,}, or a name"
            )
        return columns[place].content
    return _output(node, 0, asking).content


def _limit(tree: exp.Select, scope: Scope) -> int | None:
    clause = tree.args.get("limit")
    if clause is None:
        return None
    rows = clause.args.get("expression") if isinstance(clause, exp.Limit) else None
    others = [key for key, value in clause.args.items() if value and key != "expression"]
    place = _place(rows, _MOST_ROWS) if isinstance(rows, exp.Literal) and not others else None
    if place is None:
        scope.refuse(None, "LIMIT takes a whole number above 0", "write e.g. LIMIT 3")
    return place + 1
