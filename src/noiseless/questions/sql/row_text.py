"""Expressions of one row in their normal form, written in one canonical way that reads back as them."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from noiseless.questions.derived import DerivedName
from noiseless.questions.row_expression import RowExpression, Vector, day_of
from noiseless.questions.row_functions import evaluated
from noiseless.questions.sql.canonical import write_column, write_number, write_value

_SIGNS = {"+": " + ", "-": " - ", "*": " * ", "/": " / ", "and": " AND ", "or": " OR ", "mod": " % "}
_SIGNS |= {sign: f" {sign} " for sign in ("=", "<>", "<", "<=")}
_OPEN = {*_SIGNS, "neg", "not", "is null", "like", "case"}
"""What stands in brackets as a part of an operator."""
_COMMUTE = {"+", "*", "and", "or", "=", "<>", "greatest", "least"}
_FLAT = {"+", "*", "and", "or", "greatest", "least"}


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


def made(function: str, parts: Sequence[RowExpression], value: Any = None) -> RowExpression:  # noqa: ANN401 - a parameter
    """An expression in its normal form: constants computed, equal operators flat, their parts in order."""
    if function in _FLAT:
        parts = [inner for part in parts for inner in (part.parts if part.function == function else (part,))]
    if function == "neg" and parts[0].function == "neg":
        return parts[0].parts[0]
    found = RowExpression(function, tuple(parts), value)
    if all(part.function == "constant" for part in parts):
        return _constant_of(evaluated(found, _no_column, _no_column))
    if function in _COMMUTE:
        found = RowExpression(function, tuple(sorted(parts, key=write_row)), value)
    return found


def _no_column(name: str) -> Any:  # noqa: ANN401 - never returns
    raise TypeError(name)


def _constant_of(vector: Vector) -> RowExpression:
    value: Any = None
    if vector.null is None:
        top = vector.data.item()
        match vector.kind:
            case "number":
                value = Fraction(top, int(vector.below))
            case "boolean":
                value = bool(top)
            case "text":
                value = vector.words[top]
            case "date":
                value = day_of(top)
    return RowExpression("constant", (), value)


def constant(value: Any) -> RowExpression:  # noqa: ANN401 - a plain value
    """A constant."""
    return RowExpression("constant", (), value)
