"""One SELECT: its clauses, and what it asks in all."""

from dataclasses import replace
from typing import NamedTuple

from sqlglot import exp
from sqlglot.errors import ParseError
from sqlglot.tokens import Token  # type: ignore[attr-defined]  # as documented

from noiseless.domain import Schema
from noiseless.errors import RequestError
from noiseless.questions.attributes import classes_of
from noiseless.questions.filters import NOBODY, Everything, Filter, joined, normal, parted
from noiseless.questions.person_view import PersonView
from noiseless.questions.question import Limits, Question
from noiseless.questions.sql.aggregates import AggregateReader
from noiseless.questions.sql.canonical import write_name
from noiseless.questions.sql.conditions import OPERATORS, read_condition
from noiseless.questions.sql.errors import Position, SqlError
from noiseless.questions.sql.expressions import Combination
from noiseless.questions.sql.joins import read_joins
from noiseless.questions.sql.outputs import distinctly_named, output, value_of
from noiseless.questions.sql.refusals import CLAUSES
from noiseless.questions.sql.rows import derived_column, read_row
from noiseless.questions.sql.scope import Scope, bare, matching
from noiseless.questions.sql.statement import AnswerComparison, KeyColumn, Ordering, ReplyColumn, Statement
from noiseless.questions.sql.subquery import read_view, scope_of
from noiseless.questions.sql.tokens import quiet_dialect, scan, too_deep

_KNOWN = {"expressions", "from", "from_", "joins", "where", "group", "having", "order", "limit"}
_MOST_ROWS = 10**9
_MOST_AGGREGATES = 200


def read_select(sql: str, schema: Schema, table: str, limits: Limits | None = None) -> Statement:
    """The statement that a text is; see `parse`."""
    try:
        tokens, hints = scan(sql, table)
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
            "the SQL cannot be read at {}",
            _unquoted(sql, schema) or "check commas, brackets, quotes and the order of clauses",
            written=str(first.get("highlight") or ""),
            position=Position(line, column) if line and column else None,
        ) from None
    if len(trees) != 1 or not isinstance(trees[0], exp.Select):
        raise SqlError("a statement is one SELECT about one table", "ask several as one batch")
    return trees[0]


_OTHER_SIGNS = {
    "`": "names stand in double quotes where they need any, not in backquotes",
    "//": "write FLOOR(x / y) for //",
    "**": "write POWER(x, y) for **",
}
"""What some databases read, and what to write instead."""


def _unquoted(sql: str, schema: Schema) -> str | None:
    """The remedy where a name that needs double quotes stands without them, or in others."""
    for name in schema.columns:
        right = write_name(name)
        if right != name and name.casefold() in sql.replace(right, "").casefold():
            return f"names with spaces or signs, and words of SQL, stand in double quotes: {right}"
    return next((remedy for sign, remedy in _OTHER_SIGNS.items() if sign in sql), None)


def _read(sql: str, tree: exp.Select, schema: Schema, table: str, limits: Limits | None) -> Statement:
    scope = Scope(sql, schema)
    _check_clauses(tree, scope)
    source = tree.args.get("from_") or tree.args.get("from")
    view = None
    if source is not None and isinstance(source.this, exp.Subquery):
        view, aliases = _view(source.this, sql, schema, table, limits)
        scope = scope_of(view, sql, source.this, aliases)
        limits = None if limits is None else Limits(least_group=limits.least_group, tables=limits.tables)
    else:
        scope = Scope(sql, schema, _table(tree, scope, table))
    joins = tree.args.get("joins") or (limits is not None and limits.tables)
    scope, partners = read_joins(tree, scope, limits) if joins else (scope, Everything())
    keys = _keys(tree, scope)
    where, groups = _where(tree, scope, partners, grouped=keys.all)
    if sum(isinstance(node, exp.AggFunc | exp.Anonymous) for node in tree.walk()) > _MOST_AGGREGATES:
        remedy = "ask several statements as one batch"
        scope.refuse(None, f"a statement has over {_MOST_AGGREGATES} aggregates", remedy)
    asking = AggregateReader(scope, where, keys.public, keys.histogram, limits, keys.private)
    columns = distinctly_named(tree, asking)
    order, limit, having = _order(tree, columns, asking), _limit(tree, scope), _having(tree, columns, asking)
    if not keys.all:  # one row needs no order
        order, limit = (), None
    contents = [*(column.content for column in columns), *(ordering.content for ordering in order)]
    contents += [side for each in having for side in (each.left, each.right)]
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
        histogram=keys.histogram,
        classes=keys.private,
        having=having,
        view=view,
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


def _view(
    node: exp.Subquery, sql: str, schema: Schema, table: str, limits: Limits | None
) -> tuple[PersonView, dict[str, str]]:
    """A table with a row for each person."""
    outer = Scope(sql, schema)
    inner = node.this
    if not isinstance(inner, exp.Select):
        outer.refuse(node, "FROM is no table", f"write FROM {table}")
    return read_view(node, Scope(sql, schema, _table(inner, outer, table)), table, limits)


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
    """The columns of GROUP BY, declared and derived, and what the private ones are together."""

    public: tuple[str, ...] = ()
    private: tuple[str, ...] = ()
    histogram: str | None = None

    @property
    def all(self) -> bool:
        """Whether there are any."""
        return bool(self.public or self.private)


def _keys(tree: exp.Select, scope: Scope) -> _Keys:
    group = tree.args.get("group")
    if group is None:
        return _Keys()
    scope.only(group, "expressions", what="this GROUP BY", remedy="name columns")
    named = {_key(node, tree, scope) for node in group.expressions}
    places = {name: place for place, name in enumerate(scope.schema.columns)}
    ordered = sorted(named, key=lambda name: (places.get(name, len(places)), name))
    private = tuple(name for name in ordered if scope.declared(name).role == "private")
    public = tuple(name for name in ordered if name not in private)
    with scope.speaking_of(group):
        return _Keys(public, private, classes_of(private, scope.schema))


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
    if isinstance(node, exp.Column):
        return scope.column(node)
    if isinstance(node, exp.Rollup | exp.Cube | exp.GroupingSets):
        scope.refuse(node, "this GROUP BY is not understood", "name columns, and ask for each set by itself")
    with scope.speaking_of(node):
        found = derived_column(read_row(node, scope), scope)
        if not found.inputs:
            raise RequestError("GROUP BY names no column; name columns, or expressions of them")
        return found.name


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


def _where(tree: exp.Select, scope: Scope, partners: Filter, *, grouped: bool) -> tuple[Filter, Filter]:
    """The filter in its normal form, and what of it decides which groups there are."""
    clause = tree.args.get("where")
    if clause is None and isinstance(partners, Everything):
        return Everything(), Everything()
    condition = Everything() if clause is None else read_condition(clause.this, scope)
    whole = joined([partners, condition])
    with scope.speaking_of(clause):
        found = normal(whole, scope.schema)
        if found == NOBODY:
            scope.refuse(
                clause, "nobody can pass the filter", "look at the declared values of the columns in it"
            )
        public, _ = parted(found)
    return found, public if grouped else Everything()


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
    return output(node, 0, asking).content


def _having(
    tree: exp.Select, columns: tuple[ReplyColumn, ...], asking: AggregateReader
) -> tuple[AnswerComparison, ...]:
    """The comparisons of HAVING, joined by AND, between public counts and numbers."""
    clause = tree.args.get("having")
    if clause is None:
        return ()
    found, open_nodes = [], [bare(clause.this)]
    while open_nodes:
        node = open_nodes.pop()
        if isinstance(node, exp.And):
            open_nodes += [bare(node.expression), bare(node.this)]
            continue
        if type(node) not in OPERATORS:
            asking.scope.refuse(node, "this HAVING is not understood", "compare public counts with numbers")
        sides = [
            _ordered_by(bare(side), columns, asking)
            if not isinstance(bare(side), exp.Literal)
            else value_of(side, asking)
            for side in (node.this, node.expression)
        ]
        for side in sides:
            if isinstance(side, KeyColumn) or not all(_is_public(q) for q in side.questions):
                asking.scope.refuse(
                    node,
                    "HAVING chooses by public counts alone",
                    "ask for all groups and choose among the answers, which is free",
                )
        left, right = (side for side in sides if isinstance(side, Combination))
        found.append(AnswerComparison(left, OPERATORS[type(node)], right))
    return tuple(sorted(found, key=str))


def _is_public(question: Question) -> bool:
    """Whether everybody knows the answer."""
    return question.aggregate == "count" and not question.is_filtered


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
