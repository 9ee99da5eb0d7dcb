"""What is not part of the language: why, and what to ask instead."""

from sqlglot import exp

Refusal = tuple[str, str]
"""The problem, and the nearest thing that can be asked."""

CLAUSES: dict[str, Refusal] = {
    "with": ("WITH is not understood", "ask about the table itself with one SELECT"),
    "joins": ("a statement is about one table", "leave JOIN out; declare a joined table as a dataset"),
    "laterals": ("a statement is about one table", "leave LATERAL out"),
    "distinct": (
        "SELECT DISTINCT is not understood",
        "ask for a histogram: SELECT c, COUNT(*) ... GROUP BY c",
    ),
    "having": ("HAVING is not understood", "ask for all groups and choose among the answers, which is free"),
    "windows": ("window functions are not understood", "ask for aggregates with GROUP BY"),
    "qualify": ("QUALIFY is not understood", "ask for all groups and choose among the answers"),
    "sample": ("a sample is not understood", "ask about all rows; use FILTER or WHERE to choose among them"),
    "pivots": ("PIVOT is not understood", "ask with GROUP BY"),
    "into": ("INTO is not understood", "answers are given to you, not stored in tables"),
    "offset": ("OFFSET is not understood", "ask for all groups; LIMIT takes the first ones"),
    "locks": ("FOR UPDATE is not understood", "leave it out"),
}

_FUNCTIONS: dict[str, str] = {
    "approx_distinct": "ask for a histogram: SELECT c, COUNT(*) ... GROUP BY c",
    "approx_quantile": "ask for PERCENTILE_DISC(p) WITHIN GROUP (ORDER BY column)",
    "array_agg": "rows are never told; ask for a histogram: SELECT c, COUNT(*) ... GROUP BY c",
    "group_concat": "rows are never told; ask for a histogram: SELECT c, COUNT(*) ... GROUP BY c",
    "string_agg": "rows are never told; ask for a histogram: SELECT c, COUNT(*) ... GROUP BY c",
    "list": "rows are never told; ask for a histogram: SELECT c, COUNT(*) ... GROUP BY c",
    "any_value": "ask for MIN, MAX or MEDIAN",
    "first": "ask for MIN, MAX or MEDIAN",
    "last": "ask for MIN, MAX or MEDIAN",
    "first_value": "ask for MIN, MAX or MEDIAN",
    "last_value": "ask for MIN, MAX or MEDIAN",
    "mode": "ask for SELECT c, COUNT(*) ... GROUP BY c ORDER BY COUNT(*) DESC LIMIT 1",
    "round": "leave it out and round the reply: an answer is an interval",
    "floor": "leave it out and round the reply: an answer is an interval",
    "ceil": "leave it out and round the reply: an answer is an interval",
    "coalesce": "leave it out: no value is missing here",
    "nullif": "it is understood around a divisor, as NULLIF(..., 0)",
    "corr": "ask for means, variances and counts of one column at a time",
    "covar_pop": "ask for means, variances and counts of one column at a time",
    "covar_samp": "ask for means, variances and counts of one column at a time",
}

_AGGREGATES = (
    "take COUNT, SUM, AVG, MIN, MAX, MEDIAN, PERCENTILE_DISC, VAR_POP, VAR_SAMP, STDDEV_POP or STDDEV"
)


def function_refused(node: exp.Expression) -> Refusal:
    """What is said of a function that is not understood."""
    name = (
        str(node.this)
        if isinstance(node, exp.Anonymous)
        else node.sql_name()
        if isinstance(node, exp.Func)
        else ""
    )
    return "a function is not understood here", _FUNCTIONS.get(name.lower(), _AGGREGATES)


_NESTED = ("a query within a query is not understood", "ask both as statements of one batch")
_OPERATORS = ("only + - * / are understood between aggregates", "compute the rest from the reply")

_OUTPUTS: dict[tuple[type[object], ...], Refusal] = {
    (exp.Star,): ("rows are never told", "ask for aggregates, such as COUNT(*) or AVG of a column"),
    (exp.Window,): CLAUSES["windows"],
    (exp.Subquery, exp.Select, exp.Exists, exp.SetOperation): _NESTED,
    (exp.Literal, exp.Boolean, exp.Null): ("a constant here is no number", "leave it out"),
    (exp.IntDiv, exp.Mod, exp.Pow): _OPERATORS,
}

_CONDITIONS: dict[tuple[type[object], ...], Refusal] = {
    (exp.Like, exp.ILike, exp.SimilarTo, exp.RegexpLike, exp.Glob): (
        "patterns are not understood",
        "list the values that you mean with IN",
    ),
    (exp.Subquery, exp.Select, exp.Exists, exp.Any, exp.All, exp.SetOperation): _NESTED,
    (exp.AggFunc,): (
        "an aggregate cannot stand in a filter",
        "ask for all groups and choose among the answers",
    ),
    (exp.Literal, exp.Boolean, exp.Null): ("a constant is no condition", "compare a column with constants"),
    (exp.Cast,): (
        "this cast is not understood in a filter",
        "compare the column with a constant of its kind",
    ),
    (exp.Func,): ("functions are not understood in a filter", "compare a column itself with constants"),
}


def expression_refused(node: exp.Expression) -> Refusal:
    """What is said of an output that is not understood."""
    for kinds, refusal in _OUTPUTS.items():
        if isinstance(node, kinds):
            return refusal
    if isinstance(node, exp.Func):
        return function_refused(node)
    return "an output is not understood", "ask for aggregates, numbers and + - * / of them"


def condition_refused(node: exp.Expression) -> Refusal:
    """What is said of a condition that is not understood."""
    for kinds, refusal in _CONDITIONS.items():
        if isinstance(node, kinds):
            return refusal
    return "a condition is not understood", "compare columns with constants: = <> < <= > >= BETWEEN IN"
