"""JOIN: columns of public tables as attributes of a row, looked up by a column of it."""

from dataclasses import replace

from sqlglot import exp

from noiseless.questions.filters import Everything, Filter, Not, joined
from noiseless.questions.public_table import PublicTable
from noiseless.questions.question import Limits
from noiseless.questions.sql.conditions import filter_of
from noiseless.questions.sql.row_text import made
from noiseless.questions.sql.rows import derived_column, looked_up
from noiseless.questions.sql.scope import JoinedTable, Scope, bare, matching

_REMEDY = "write JOIN table ON table.key = column, with public tables that the owner declares"


def read_joins(tree: exp.Select, scope: Scope, limits: Limits | None) -> tuple[Scope, Filter]:
    """What names stand for with the joined tables, and which rows have a partner in all that need one.

    Raises:
        SqlError: a join is of no public table, or not on its key.
    """
    tables = {} if limits is None else {table.name: table for table in limits.tables}
    for table in tables.values():
        scope.schema.public_tables[table.name, table.digest] = table
    where: Filter = Everything()
    for node in tree.args.get("joins") or ():
        table = _table(node, tables, scope)
        key = _key(node, table, scope)
        alias = node.this.args.get("alias")
        names = (node.this.this, *((alias.this,) if alias is not None else ()))
        with scope.speaking_of(node):
            columns = {
                name: derived_column(looked_up(key, table, name), scope).name for name in table.by_name
            }
            if str(node.args.get("side") or "").upper() != "LEFT":
                found = filter_of(made("is null", [looked_up(key, table, table.key)]), scope)
                where = joined([where, Not(found)])
        scope = replace(scope, joined=(*scope.joined, JoinedTable(names, columns)))
    return scope, where


def _table(node: exp.Expression, tables: dict[str, PublicTable], scope: Scope) -> PublicTable:
    kind = f"{node.args.get('side') or ''} {node.args.get('kind') or ''}".strip().upper()
    if kind not in ("", "INNER", "LEFT", "LEFT OUTER") or not isinstance(node.this, exp.Table):
        scope.refuse(node.this, "this JOIN is not understood", _REMEDY)
    name = matching(node.this.this, list(tables)) if isinstance(node.this.this, exp.Identifier) else None
    if name is None:
        scope.refuse(node.this, "no public table is called {}", _REMEDY, written=node.this.name)
    return tables[name]


def _key(node: exp.Expression, table: PublicTable, scope: Scope) -> str:
    """The column of the row that the table's key equals."""
    using, on = node.args.get("using"), bare(node.args["on"]) if node.args.get("on") else None
    if using and len(using) == 1:
        column = exp.Column(this=using[0] if isinstance(using[0], exp.Identifier) else using[0].this)
        if matching(column.this, [table.key]) is not None:
            return scope.column(column)
    if isinstance(on, exp.EQ):
        alias = node.this.args.get("alias")
        own = {node.this.name.casefold(), *([alias.name.casefold()] if alias is not None else [])}
        for one, two in ((bare(on.this), bare(on.expression)), (bare(on.expression), bare(on.this))):
            if not isinstance(one, exp.Column) or not isinstance(two, exp.Column):
                continue
            if matching(one.this, [table.key]) is not None and one.table.casefold() in own:
                return scope.column(two)
    raise scope.refusal(node.this, f"a JOIN is not on {table.key!r}, the key of its table", _REMEDY)
