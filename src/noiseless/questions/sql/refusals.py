"""How parts of a statement are refused: what is not understood, by its name, and what to write instead."""

from sqlglot import exp

Refusal = tuple[str, str]
"""The problem, and the nearest thing that can be asked."""

_HISTOGRAM = "ask for a histogram: SELECT c, COUNT(*) ... GROUP BY c"

CLAUSES: dict[str, Refusal] = {
    "with": ("WITH is not understood", "ask about the table itself with one SELECT"),
    "joins": ("a JOIN is not understood", "join public tables that the owner declares, on one column"),
    "laterals": ("a statement is about one table", "leave LATERAL out"),
    "distinct": ("SELECT DISTINCT is not understood", _HISTOGRAM),
    "windows": ("window functions are not understood", "ask for aggregates with GROUP BY"),
    "qualify": ("QUALIFY is not understood", "ask for all groups and choose among the answers"),
    "sample": ("a sample is not understood", "ask about all rows; use FILTER or WHERE to choose among them"),
    "pivots": ("PIVOT is not understood", "ask with GROUP BY"),
    "into": ("INTO is not understood", "answers are given to you, not stored in tables"),
    "offset": ("OFFSET is not understood", "ask for all groups; LIMIT takes the first ones"),
    "locks": ("FOR UPDATE is not understood", "leave it out"),
}

_ALIKE = "list the texts that you mean with IN, or write CASE name WHEN 'a' THEN 'b' END"
_LIKE = "write LIKE 'pattern%', with LOWER(name) for any case"

_AGGREGATES = {
    _HISTOGRAM: "approx_distinct approx_count_distinct",
    "ask for PERCENTILE_DISC(p) WITHIN GROUP (ORDER BY column)": "approx_quantile",
    f"rows are never shown; {_HISTOGRAM}": "array_agg group_concat string_agg list",
    "ask for MIN, MAX or MEDIAN": "any_value first last first_value last_value",
    "ask for SELECT c, COUNT(*) ... GROUP BY c ORDER BY COUNT(*) DESC LIMIT 1": "mode",
    "ask for COUNT_IF(condition)": "logical_or logical_and bool_or bool_and every",
    "leave it out and round the reply: an answer is an interval": "round floor ceil ceiling trunc",
    "leave it out: no value is missing here": "coalesce",
    "it is understood around a divisor, as NULLIF(..., 0)": "nullif",
}
"""What to write instead of functions between aggregates."""
_OF_ROWS = {
    "write SIGN(x) * FLOOR(ABS(x))": "trunc",
    "write FLOOR(x / y)": "div intdiv",
    "write x % y": "fmod remainder",
    f"compute it of each value: {_HISTOGRAM}": "sqrt cbrt exp ln log log10 log2 sin cos tan atan radians pi",
    "write e - d for days, or EXTRACT(year FROM d)": "datediff date_diff age date_sub datesub timestampdiff",
    "write EXTRACT(month FROM d), or DATE_TRUNC('month', d)": "strftime to_char monthname dayname last_day",
    "write d + INTERVAL 7 DAY": "dateadd date_add make_date",
    "write the date itself, as DATE '2020-12-31'": "current_date current_timestamp now today getdate",
    "leave chance out: an answer is the same each time": "rand random uuid",
    "write SUBSTRING(name, start, length)": "right",
    _ALIKE: "concat dpipe trim ltrim rtrim replace translate initcap reverse lpad rpad md5"
    " hash regexp_replace",
    _LIKE: "ilike similarto regexplike regexp_matches glob contains starts_with ends_with prefix suffix"
    " strposition str_position instr position escape",
    "write <> for it": "xor nullsafeneq",
    "write = for it": "nullsafeeq",
    "write IN (1, 2), or NOT IN (1, 2)": "any all",
    "compare each column by itself, joined by AND": "tuple",
    "write POWER(x, 2)": "bitwisexor",
}
"""What to write instead of functions and operators of a row."""


def _by_name(remedies: dict[str, str]) -> dict[str, str]:
    return {name: remedy for remedy, names in remedies.items() for name in names.split()}


_AGGREGATE_REMEDIES, _ROW_REMEDIES = _by_name(_AGGREGATES), _by_name(_OF_ROWS)
_KNOWN_AGGREGATES = (
    "take COUNT, SUM, AVG, MIN, MAX, MEDIAN, PERCENTILE_DISC, VAR_POP, VAR_SAMP, STDDEV_POP or STDDEV"
)
_KNOWN_OF_ROWS = "write it with + - * / %, ABS, FLOOR, ROUND, POWER, CASE, COALESCE, EXTRACT or SUBSTRING"

_SIGNS: dict[type[exp.Expression], str] = {
    exp.DPipe: "||",
    exp.NullSafeEQ: "IS NOT DISTINCT FROM",
    exp.NullSafeNEQ: "IS DISTINCT FROM",
    exp.Escape: "ESCAPE",
    exp.Tuple: "a row of several values",
    exp.IntDiv: "DIV",
    exp.BitwiseAnd: "&",
    exp.BitwiseOr: "|",
    exp.BitwiseXor: "^",
    exp.BitwiseNot: "~",
    exp.BitwiseLeftShift: "<<",
    exp.BitwiseRightShift: ">>",
    exp.Bracket: "[ ]",
    exp.SimilarTo: "SIMILAR TO",
}


_ALIASES: dict[type[exp.Expression], tuple[str, ...]] = {exp.GroupConcat: ("STRING_AGG", "LISTAGG")}


def construct(node: exp.Expression, sql: str) -> str:
    """What a construct is called: as it was written, where the text shows that."""
    if type(node) in _SIGNS:
        return _SIGNS[type(node)]
    if not isinstance(node, exp.Func):
        return node.key.upper()
    if "start" in node.meta and "end" in node.meta:
        return sql[node.meta["start"] : node.meta["end"] + 1].upper()
    names = [*node.sql_names(), *_ALIASES.get(type(node), ())]
    return next((name for name in names if name in sql.upper()), names[0])


def _refused(node: exp.Expression, sql: str, remedies: dict[str, str], known: str) -> Refusal:
    if isinstance(node, exp.Anonymous):
        return "the function {} is not understood here", remedies.get(str(node.this).lower(), known)
    found = construct(node, sql)
    names = (found.lower(), node.key)
    return f"{found} is not understood here", next((remedies[n] for n in names if n in remedies), known)


def function_refused(node: exp.Expression, sql: str) -> Refusal:
    """What is said of a function of answers that is not understood."""
    return _refused(node, sql, _AGGREGATE_REMEDIES, _KNOWN_AGGREGATES)


def row_refused(node: exp.Expression, sql: str) -> Refusal:
    """What is said of a function or an operator of a row that is not understood."""
    for kinds, refusal in _ROWS.items():
        if isinstance(node, kinds):
            return refusal
    return _refused(node, sql, _ROW_REMEDIES, _KNOWN_OF_ROWS)


_NESTED = ("a query within a query is not understood", "ask both as statements of one batch")
_OPERATORS = ("only + - * / are understood between aggregates", "compute the rest from the reply")

_OUTPUTS: dict[tuple[type[object], ...], Refusal] = {
    (exp.Star,): ("rows are never shown", "ask for aggregates, such as COUNT(*) or AVG of a column"),
    (exp.Window,): CLAUSES["windows"],
    (exp.Subquery, exp.Select, exp.Exists, exp.SetOperation): _NESTED,
    (exp.Literal, exp.Boolean, exp.Null): ("a constant here is no number", "leave it out"),
    (exp.IntDiv, exp.Mod, exp.Pow): _OPERATORS,
}

_ROWS: dict[tuple[type[object], ...], Refusal] = {
    (exp.Subquery, exp.Select, exp.Exists, exp.SetOperation): _NESTED,
    (exp.Window,): CLAUSES["windows"],
    (exp.AggFunc,): ("an aggregate stands within a row", "compute with answers, as in SUM(x) / COUNT(*)"),
    (exp.Cast,): ("this cast is not understood", "leave it out: numbers are exact here"),
    (exp.Placeholder, exp.Parameter): ("a placeholder has no value", "write the constant into the text"),
}

_CONDITIONS: dict[tuple[type[object], ...], Refusal] = {
    (exp.Subquery, exp.Select, exp.Exists, exp.SetOperation): _NESTED,
    (exp.AggFunc,): (
        "an aggregate cannot stand in a filter",
        "ask for all groups and choose among the answers",
    ),
    (exp.Literal, exp.Boolean, exp.Null): ("a constant is no condition", "compare a column with constants"),
    (exp.Cast,): (
        "this cast is not understood in a filter",
        "compare the column with a constant of its kind",
    ),
}


def expression_refused(node: exp.Expression, sql: str) -> Refusal:
    """What is said of an output that is not understood."""
    for kinds, refusal in _OUTPUTS.items():
        if isinstance(node, kinds):
            return refusal
    if isinstance(node, exp.Func):
        return function_refused(node, sql)
    return "an output is not understood", "ask for aggregates, numbers and + - * / of them"


def condition_refused(node: exp.Expression, sql: str) -> Refusal:
    """What is said of a condition that is not understood."""
    for kinds, refusal in _CONDITIONS.items():
        if isinstance(node, kinds):
            return refusal
    return row_refused(node, sql)
