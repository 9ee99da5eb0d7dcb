"""FROM (SELECT person, SUM(x) AS t FROM table GROUP BY person): a table with a row for each person."""

from sqlglot import exp

from noiseless.domain import Schema
from noiseless.errors import RequestError
from noiseless.questions.person_view import PersonFunction, PersonNumber, PersonView
from noiseless.questions.question import Limits
from noiseless.questions.sql.canonical import write_column, write_name
from noiseless.questions.sql.row_text import constant, made
from noiseless.questions.sql.rows import derived_column, is_derived, read_row
from noiseless.questions.sql.scope import Scope, bare, matching

_FUNCTIONS: dict[type[exp.Expression], PersonFunction] = {exp.Sum: "sum", exp.Min: "min", exp.Max: "max"}
_REMEDY = "write FROM (SELECT person, SUM(x) AS t FROM table GROUP BY person)"


def read_view(
    node: exp.Subquery, scope: Scope, table: str, limits: Limits | None
) -> tuple[PersonView, dict[str, str]]:
    """The view that a subquery in FROM is, and what its columns are called outside.

    Args:
        node: the subquery.
        scope: what names stand for within it.
        table: the name that its FROM must say.
        limits: what is declared about persons.

    Raises:
        SqlError: it is no view of persons; the message says what is.
    """
    unit = None if limits is None else limits.unit
    if limits is None or unit is None:
        scope.refuse(node, "a query within FROM is about persons, and none are declared", "leave it out")
    inner = node.this
    known = {"expressions", "from", "from_", "group"}
    if not isinstance(inner, exp.Select) or any(v for k, v in inner.args.items() if k not in known):
        scope.refuse(
            node,
            "a query within FROM has only SELECT, FROM and GROUP BY",
            f"{_REMEDY}; put conditions into CASE",
        )
    keys = {_name(each, unit, scope) for each in (inner.args.get("group") or exp.Group()).expressions}
    if unit not in keys:
        scope.refuse(node, "a query within FROM does not group by the persons' column", _REMEDY)
    numbers: dict[str, PersonNumber] = {}
    aliases: dict[str, str] = {}
    per = {key for key in keys if key != unit}
    for part in inner.expressions:
        of = bare(part.unalias())
        if isinstance(of, exp.Column):
            name = _name(of, unit, scope)
            per |= {name} - {unit}
        else:
            number = _number(of, unit, scope)
            numbers[number.name] = number
            name = number.name
        if name != unit:
            aliases[part.alias or name] = name
    for name in sorted(per):
        if scope.schema.columns[name].per is None:
            scope.refuse(
                node,
                f"column {name!r} may differ between rows of a person",
                'declare it per = "person", or leave it out',
            )
    chosen = tuple(name for name in scope.schema.columns if name in per)
    ordered = tuple(numbers[name] for name in sorted(numbers))
    with scope.speaking_of(node):
        text = _text(unit, chosen, ordered, table)
        return PersonView.of(unit, chosen, ordered, text, scope.schema, limits.rows), aliases


def _name(node: exp.Expression, unit: str, scope: Scope) -> str:
    node = bare(node)
    if not isinstance(node, exp.Column):
        scope.refuse(node, "a query within FROM groups by columns", _REMEDY)
    if isinstance(node.this, exp.Identifier) and matching(node.this, [unit]) is not None:
        return unit
    return scope.column(node)


def _number(node: exp.Expression, unit: str, scope: Scope) -> PersonNumber:
    """An aggregate of a person's rows."""
    if isinstance(node, exp.Count) and isinstance(node.this, exp.Star | exp.Literal):
        return PersonNumber(f"COUNT(*) PER {write_name(unit)}", "count")
    function = _FUNCTIONS.get(type(node))
    inner = node.this
    if isinstance(node, exp.CountIf):
        function = "sum"
    if function is None or inner is None or isinstance(inner, exp.Distinct):
        scope.refuse(
            node, "a number of a person's rows is not understood", "take COUNT(*), SUM, MIN, MAX or COUNT_IF"
        )
    with scope.speaking_of(node):
        column = _column(bare(inner), scope, counted=isinstance(node, exp.CountIf))
    text = f"{function.upper()}({write_column(column)}) PER {write_name(unit)}"
    return PersonNumber(text, function, column)


def _column(node: exp.Expression, scope: Scope, *, counted: bool) -> str:
    """The number of a row; where a condition is counted, what is unknown is not."""
    if isinstance(node, exp.Column) and not is_derived(node, scope=scope):
        name = scope.column(node)
        if scope.declared(name).kind == "number":
            return name
    expression = read_row(node, scope)
    found = derived_column(expression, scope)
    if counted and found.nullable:
        expression = made("coalesce", [expression, constant(False)])
        found = derived_column(expression, scope)
    if found.kind == "boolean":
        found = derived_column(made("number", [expression]), scope)
    if found.nullable:
        raise RequestError("a number of a person's rows has no value for some; give its CASE an ELSE")
    return found.name


def _text(unit: str, per: tuple[str, ...], numbers: tuple[PersonNumber, ...], table: str) -> str:
    """The subquery, with all columns by their canonical names."""
    outputs = [write_name(unit), *map(write_name, per)]
    for number in numbers:
        of = "*" if number.column is None else write_column(number.column)
        outputs.append(f"{number.function.upper()}({of}) AS {write_name(number.name)}")
    keys = ", ".join([write_name(unit), *map(write_name, per)])
    return f"(SELECT {', '.join(outputs)} FROM {write_name(table)} GROUP BY {keys})"


def scope_of(view: PersonView, sql: str, node: exp.Subquery, aliases: dict[str, str]) -> Scope:
    """What names stand for outside a view."""
    alias = node.args.get("alias")
    names = (alias.this,) if alias is not None and isinstance(alias.this, exp.Identifier) else ()
    return Scope(sql, _schema(view), names, aliases)


def _schema(view: PersonView) -> Schema:
    return view.schema
