"""Expressions of one row in SQL, read into trees."""

from collections.abc import Callable, Mapping
from fractions import Fraction

from sqlglot import exp

from noiseless.domain import Schema
from noiseless.errors import RequestError
from noiseless.questions.attributes import remembered
from noiseless.questions.derived import DerivedColumn, DerivedName, name_of
from noiseless.questions.public_table import PublicTable
from noiseless.questions.row_expression import MOST_POWER, RowExpression
from noiseless.questions.row_functions import DAY_PARTS, DAY_STARTS
from noiseless.questions.sql.constants import EXACT, WHOLE, as_day, is_type, read_number, require_short
from noiseless.questions.sql.refusals import construct, row_refused
from noiseless.questions.sql.row_text import constant, made, write_row
from noiseless.questions.sql.scope import Scope, bare
from noiseless.questions.sql.tokens import quiet_dialect

_MOST_PARTS = 500
_MOST_PLACES = 12
_MOST_BUCKETS = 10**6

_PLAIN: Mapping[type[exp.Expression], str] = {
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.Mod: "mod",
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.And: "and",
    exp.Or: "or",
    exp.Nullif: "nullif",
}
_MIRRORED: Mapping[type[exp.Expression], str] = {exp.GT: "<", exp.GTE: "<="}
_OF_ONE: Mapping[type[exp.Expression], str] = {
    exp.Neg: "neg",
    exp.Not: "not",
    exp.Abs: "abs",
    exp.Sign: "sign",
    exp.Floor: "floor",
    exp.Ceil: "ceil",
    exp.Lower: "lower",
    exp.Upper: "upper",
    exp.Length: "length",
}
_OF_SEVERAL: Mapping[type[exp.Expression], str] = {
    exp.Coalesce: "coalesce",
    exp.Greatest: "greatest",
    exp.Least: "least",
}
_PARTS_OF_DAYS: Mapping[type[exp.Expression], str] = {
    exp.Year: "year",
    exp.Quarter: "quarter",
    exp.Month: "month",
    exp.Week: "week",
    exp.Day: "day",
    exp.DayOfWeek: "dow",
    exp.DayOfYear: "doy",
}
_OTHERS = (
    *(exp.Case, exp.If, exp.Round, exp.Pow, exp.Extract, exp.DateTrunc, exp.TimestampTrunc, exp.WidthBucket),
    *(exp.Substring, exp.Left, exp.Like, exp.Mod, exp.Nullif),
)
ROW_FUNCTIONS = (*_OF_ONE, *_OF_SEVERAL, *_PARTS_OF_DAYS, *_OTHERS)
_PLAIN_SIGNS = (exp.Neg, exp.Not)


def is_derived(*nodes: exp.Expression, scope: Scope) -> bool:
    """Whether some nodes together are more than one column in a linear form beside constants."""
    columns = set()
    for node in nodes:
        for part in node.walk():
            if isinstance(part, exp.Column) and isinstance(part.this, exp.Identifier):
                name = scope.column(part)
                columns.add(name)
                is_moved = isinstance(part.parent, exp.Add | exp.Sub)
                if isinstance(name, DerivedName) or (is_moved and scope.declared(name).kind == "date"):
                    return True
            if isinstance(part, ROW_FUNCTIONS) and not isinstance(part, _PLAIN_SIGNS):
                return True
            if is_row_call(part) or _is_made_whole(part):
                return True
            product = isinstance(part, exp.Mul) and _has_column(part.this)
            if (product or isinstance(part, exp.Div)) and _has_column(part.expression):
                return True
    return len(columns) > 1


def may_miss(node: exp.Expression, scope: Scope) -> bool:
    """Whether a value may be missing: NULLIF, NULL, CASE without ELSE and joined tables make it so."""
    for part in node.walk():
        if isinstance(part, exp.Column) and isinstance(part.this, exp.Identifier):
            found = scope.declared(scope.column(part))
            if isinstance(found, DerivedColumn) and found.nullable:
                return True
        if is_row_call(part):
            return True
        if isinstance(part, exp.Nullif) or (
            isinstance(part, exp.Null) and not isinstance(part.parent, exp.Is)
        ):
            return True
        if isinstance(part, exp.Case) and part.args.get("default") is None:
            return True
        if (
            isinstance(part, exp.If)
            and part.args.get("false") is None
            and not isinstance(part.parent, exp.Case)
        ):
            return True
    return False


def is_row_call(node: object) -> bool:
    """Whether a function of a row is called that the parser does not know."""
    return isinstance(node, exp.Anonymous) and str(node.this).lower() in ("date_part", "lookup")


def _is_made_whole(node: object) -> bool:
    """Whether more than a column is cast to a whole number: a condition, above all."""
    of = bare(node.this) if isinstance(node, exp.Cast) and is_type(node, WHOLE) else None
    return of is not None and not isinstance(of, exp.Column) and _has_column(of)


def _has_column(node: exp.Expression) -> bool:
    return any(isinstance(part, exp.Column) for part in node.walk())


def read_row(node: exp.Expression, scope: Scope) -> RowExpression:
    """The expression of one row that a node is.

    Raises:
        SqlError: it is not understood; the message names it.
    """
    with scope.speaking_of(node):
        found = _read(bare(node), scope)
        if found.length > _MOST_PARTS:
            raise RequestError(f"an expression has over {_MOST_PARTS} parts; ask several shorter ones")
        return found


_PARTS: Mapping[type[exp.Expression], tuple[str, ...]] = {
    exp.Between: ("low", "high"),
    exp.Case: ("ifs", "default"),
    exp.If: ("true", "false"),
    exp.Round: ("decimals",),
    exp.DateTrunc: ("unit",),
    exp.TimestampTrunc: ("unit",),
    exp.WidthBucket: ("min_value", "max_value", "num_buckets"),
    exp.Substring: ("start", "length"),
    exp.Div: ("typed", "safe"),
    exp.Like: ("negate",),
    exp.Is: ("negate",),
    exp.Greatest: ("ignore_nulls",),
    exp.Least: ("ignore_nulls",),
}
"""What a function or an operator may have besides its operands; anything else would be passed over."""


def _require_plain(node: exp.Expression, scope: Scope) -> None:
    kind = type(node)
    if kind in _PARTS or kind in _PLAIN or kind in _MIRRORED or kind in ROW_FUNCTIONS:
        name = construct(node, scope.sql)
        allowed = ("this", "expression", "expressions", *_PARTS.get(kind, ()))
        scope.only(node, *allowed, what=f"this {name}", remedy=f"write {name} with fewer parts")


def _read(node: exp.Expression, scope: Scope) -> RowExpression:  # noqa: C901, PLR0911, PLR0912 - a line a kind
    node = bare(node)
    _require_plain(node, scope)
    match node:
        case exp.Column():
            name = scope.column(node)
            joined = scope.declared(name)
            if isinstance(joined, DerivedColumn):
                return joined.expression
            return RowExpression("column", (), name)
        case exp.Literal():
            return constant(str(node.this) if node.is_string else read_number(node, scope))
        case exp.Boolean():
            return constant(bool(node.this))
        case exp.Null():
            return constant(None)
        case exp.Interval():
            return constant(_days(node, scope))
        case exp.Cast():
            return _cast(node, scope)
        case exp.Between():
            value, low, high = (
                _read(part, scope) for part in (node.this, node.args["low"], node.args["high"])
            )
            return made("and", [made("<=", [low, value]), made("<=", [value, high])])
        case exp.In() if node.expressions:
            value = _read(node.this, scope)
            equal = [made("=", [value, _read(part, scope)]) for part in node.expressions]
            return made("or", equal) if len(equal) > 1 else equal[0]
        case exp.Is():
            return _is(node, scope)
    kind = type(node)
    if kind in _PLAIN:
        found = made(_PLAIN[kind], [_read(node.this, scope), _read(node.expression, scope)])
        if found.function == "constant" and isinstance(found.value, Fraction):
            require_short(node, found.value, scope)
        return found
    if kind in _MIRRORED:
        return made(_MIRRORED[kind], [_read(node.expression, scope), _read(node.this, scope)])
    if kind in _OF_ONE:
        return made(_OF_ONE[kind], [_read(node.this, scope)])
    if kind in _OF_SEVERAL:
        return made(_OF_SEVERAL[kind], [_read(part, scope) for part in (node.this, *node.expressions)])
    if kind in _PARTS_OF_DAYS:
        return made("extract", [_read(node.this, scope)], _PARTS_OF_DAYS[kind])
    reader = _READERS.get(kind)
    if reader is None:
        raise scope.refusal(node, *row_refused(node, scope.sql))
    return reader(node, scope)


def _whole(node: exp.Expression | None, scope: Scope, low: int, high: int, what: str) -> int:
    found = None if node is None else _read(node, scope)
    value = None if found is None or found.function != "constant" else found.value
    if not isinstance(value, Fraction) or value.denominator != 1 or not low <= value <= high:
        raise scope.refusal(node, f"{what} is no whole number between {low} and {high}", "write one")
    return int(value)


def _days(node: exp.Expression, scope: Scope) -> Fraction:
    unit = str(node.args.get("unit") or "").upper()
    if unit not in ("DAY", "DAYS", "WEEK", "WEEKS") or not isinstance(bare(node.this), exp.Literal):
        scope.refuse(node, "this INTERVAL is not understood", "write INTERVAL 7 DAY, or compare with a date")
    return read_number(bare(node.this), scope) * (7 if unit.startswith("WEEK") else 1)


def _cast(node: exp.Expression, scope: Scope) -> RowExpression:
    if is_type(node, {exp.DataType.Type.DATE}) and bare(node.this).is_string:
        return constant(as_day(bare(node.this), scope))
    if is_type(node, EXACT):
        return _read(node.this, scope)
    if is_type(node, WHOLE):
        return made("number", [_read(node.this, scope)])
    raise scope.refusal(node, "this cast is not understood", "leave it out: numbers are exact here")


def _is(node: exp.Expression, scope: Scope) -> RowExpression:
    wanted, value = bare(node.expression), _read(node.this, scope)
    if isinstance(wanted, exp.Null):
        found = made("is null", [value])
    elif isinstance(wanted, exp.Boolean):
        found = made("coalesce", [made("=", [value, constant(bool(wanted.this))]), constant(False)])
    else:
        raise scope.refusal(node, "this IS is not understood", "write IS NULL or IS TRUE")
    return made("not", [found]) if node.args.get("negate") else found


def _case(node: exp.Expression, scope: Scope) -> RowExpression:
    of, parts = node.args.get("this"), []
    for branch in node.args["ifs"]:
        condition = _read(branch.this, scope)
        parts += [made("=", [_read(of, scope), condition]) if of is not None else condition]
        parts += [_read(branch.args["true"], scope)]
    default = node.args.get("default")
    return made("case", [*parts, constant(None) if default is None else _read(default, scope)])


def _if(node: exp.Expression, scope: Scope) -> RowExpression:
    otherwise = node.args.get("false")
    parts = [_read(node.this, scope), _read(node.args["true"], scope)]
    return made("case", [*parts, constant(None) if otherwise is None else _read(otherwise, scope)])


def _round(node: exp.Expression, scope: Scope) -> RowExpression:
    places = node.args.get("decimals")
    digits = 0 if places is None else _whole(places, scope, -_MOST_PLACES, _MOST_PLACES, "the place of ROUND")
    return made("round", [_read(node.this, scope)], digits)


def _power(node: exp.Expression, scope: Scope) -> RowExpression:
    return made(
        "power", [_read(node.this, scope)], _whole(node.expression, scope, 0, MOST_POWER, "the exponent")
    )


def _unit(name: str, known: Mapping[str, object], node: exp.Expression, scope: Scope) -> str:
    unit = name.lower()
    if unit not in known:
        scope.refuse(node, "a part of a date is not understood", f"take one of {', '.join(known)}")
    return unit


def _extract(node: exp.Expression, scope: Scope) -> RowExpression:
    unit = _unit(node.this.name, DAY_PARTS, node, scope)
    return made("extract", [_read(node.expression, scope)], unit)


def _truncate(node: exp.Expression, scope: Scope) -> RowExpression:
    unit = _unit(node.args["unit"].name, DAY_STARTS, node, scope)
    return made("date_trunc", [_read(node.this, scope)], unit)


def looked_up(key: str, table: PublicTable, column: str) -> RowExpression:
    """A column of a public table, looked up by a column of the row."""
    pairs = table.by_name[column]
    return RowExpression(
        "lookup", (RowExpression("column", (), key),), (pairs, table.name, column, table.digest)
    )


def _lookup(node: exp.Expression, scope: Scope) -> RowExpression:
    """LOOKUP(key, 'table', 'column', 'digest'): what a join comes to."""
    key, *texts = node.expressions
    names = [each.name for each in texts if isinstance(each, exp.Literal) and each.is_string]
    table = scope.schema.public_tables.get((names[0], names[2])) if len(names) == 3 else None  # noqa: PLR2004 - a table, a column, a digest
    if table is None or not isinstance(bare(key), exp.Column) or names[1] not in table.by_name:
        scope.refuse(node, "LOOKUP names no public table as it is now", "join the table by its name")
    return looked_up(scope.column(bare(key)), table, names[1])


def _date_part(node: exp.Expression, scope: Scope) -> RowExpression:
    if str(node.this).lower() == "lookup" and node.expressions:
        return _lookup(node, scope)
    if str(node.this).lower() != "date_part" or len(node.expressions) != 2:  # noqa: PLR2004 - a part and a date
        raise scope.refusal(node, *row_refused(node, scope.sql))
    unit = _unit(node.expressions[0].name, DAY_PARTS, node, scope)
    return made("extract", [_read(node.expressions[1], scope)], unit)


def _bucket(node: exp.Expression, scope: Scope) -> RowExpression:
    keys = ("min_value", "max_value", "num_buckets")
    if any(node.args.get(key) is None for key in keys):
        scope.refuse(node, "this WIDTH_BUCKET is not understood", "write WIDTH_BUCKET(x, low, high, buckets)")
    low, high, buckets = (_read(node.args[key], scope) for key in keys)
    ends = [each.value for each in (low, high, buckets)]
    if not all(isinstance(end, Fraction) for end in ends) or ends[0] >= ends[1]:
        scope.refuse(
            node, "buckets are between two constants that ascend", "write e.g. WIDTH_BUCKET(x, 0, 100, 5)"
        )
    _whole(node.args["num_buckets"], scope, 1, _MOST_BUCKETS, "the number of buckets")
    return made("width_bucket", [_read(node.this, scope), low, high, buckets])


def _substring(node: exp.Expression, scope: Scope) -> RowExpression:
    most = 10**6
    if isinstance(node, exp.Left):
        return made(
            "substring", [_read(node.this, scope)], (0, _whole(node.expression, scope, 0, most, "the length"))
        )
    first = _whole(node.args.get("start"), scope, 1, most, "the start of SUBSTRING")
    size = node.args.get("length")
    last = None if size is None else first - 1 + _whole(size, scope, 0, most, "the length of SUBSTRING")
    return made("substring", [_read(node.this, scope)], (first - 1, last))


def _like(node: exp.Expression, scope: Scope) -> RowExpression:
    pattern = bare(node.expression)
    if not isinstance(pattern, exp.Literal) or not pattern.is_string or len(pattern.name) > _MOST_PARTS:
        scope.refuse(node, "this LIKE is not understood", "write LIKE 'pattern' with a short pattern")
    found = made("like", [_read(node.this, scope)], pattern.name)
    return made("not", [found]) if node.args.get("negate") else found


_READERS: Mapping[type[exp.Expression], Callable[[exp.Expression, Scope], RowExpression]] = {
    exp.Case: _case,
    exp.If: _if,
    exp.Round: _round,
    exp.Pow: _power,
    exp.Extract: _extract,
    exp.DateTrunc: _truncate,
    exp.TimestampTrunc: _truncate,
    exp.Anonymous: _date_part,
    exp.WidthBucket: _bucket,
    exp.Substring: _substring,
    exp.Left: _substring,
    exp.Like: _like,
}


def derived_column(expression: RowExpression, scope: Scope, text: str | None = None) -> DerivedColumn:
    """The derived attribute that an expression is: made once, and remembered with the schema.

    Raises:
        RequestError: its parts do not fit together, or nothing bounds it.
    """
    name = name_of(write_row(expression) if text is None else text, scope.schema)
    return remembered(name, expression, scope.schema)


def read_derived(text: str, schema: Schema) -> RowExpression:
    """The expression that a canonical text is."""
    is_row, scope = text.startswith("SELECT "), Scope(text, schema)
    (tree,) = quiet_dialect().parse(text if is_row else f"SELECT {text}")
    if tree is None:
        raise TypeError("a derived attribute has a text")
    if not is_row:
        return read_row(tree.expressions[0], scope)
    keys = []
    for node in tree.expressions:
        own = read_row(node, scope)
        name = own.value if own.function == "column" else derived_column(own, scope).name
        keys.append(RowExpression("column", (), name))
    where = tree.args.get("where")
    if where is None:
        return RowExpression("row", tuple(keys))
    return RowExpression("row", (read_row(where.this, scope), *keys), value=True)
