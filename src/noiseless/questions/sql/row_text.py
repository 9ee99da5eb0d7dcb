"""Expressions of one row, written in one canonical way that reads back as them."""

from fractions import Fraction
from typing import Any

from noiseless.questions.derived import DerivedName
from noiseless.questions.row_expression import RowExpression
from noiseless.questions.sql.canonical import write_column, write_number, write_value

_SIGNS = {"+": " + ", "-": " - ", "*": " * ", "/": " / ", "and": " AND ", "or": " OR ", "mod": " % "}
_SIGNS |= {sign: f" {sign} " for sign in ("=", "<>", "<", "<=")}
_OPEN = {*_SIGNS, "neg", "not", "is null", "like", "case"}
"""What stands in brackets as a part of an operator."""


def write_row(expression: RowExpression) -> str:  # noqa: C901, PLR0911, PLR0912 - a line a kind
    """Canonical SQL; reads back as the same expression."""
    function, value = expression.function, expression.value
    if function == "column":
        return write_column(value)
    if function == "constant":
        return _constant_text(value)
    parts = [write_row(part) for part in expression.parts]
    closed = [_bracketed(part, text) for part, text in zip(expression.parts, parts, strict=True)]
    if function in _SIGNS:
        return _SIGNS[function].join(closed)
    match function:
        case "neg":
            return f"-{closed[0]}"
        case "not":
            return f"NOT {closed[0]}"
        case "is null":
            return f"{closed[0]} IS NULL"
        case "like":
            return f"{closed[0]} LIKE {write_value(value)}"
        case "number":
            return f"CAST({parts[0]} AS INT)"
        case "case":
            turns = zip(parts[:-1:2], parts[1::2], strict=True)
            branches = " ".join(f"WHEN {condition} THEN {result}" for condition, result in turns)
            return f"CASE {branches} ELSE {parts[-1]} END"
        case "lookup":
            return f"LOOKUP({', '.join([parts[0], *map(write_value, value[1:])])})"
        case "extract":
            return f"EXTRACT({value.upper()} FROM {parts[0]})"
        case "date_trunc":
            return f"DATE_TRUNC('{value}', {parts[0]})"
        case "substring":
            last = "" if value[1] is None else f", {value[1] - value[0]}"
            return f"SUBSTRING({parts[0]}, {value[0] + 1}{last})"
    more = [] if value is None else [str(value)]
    return f"{function.upper()}({', '.join([*parts, *more])})"


def _constant_text(value: Any) -> str:  # noqa: ANN401 - a plain value
    if value is None:
        return "NULL"
    return write_number(value) if isinstance(value, Fraction) else write_value(value)


def _bracketed(part: RowExpression, text: str) -> str:
    is_open = part.function in _OPEN or text.startswith("-") or isinstance(part.value, DerivedName)
    return f"({text})" if is_open else text
