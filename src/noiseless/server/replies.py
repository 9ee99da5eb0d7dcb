"""Quotes and replies as JSON: statements with all of their numbers, amounts rounded and exactly."""

import json
import math
from collections.abc import Mapping
from typing import Any

from noiseless.amounts import Cost, Remainder, integer_text, remainder
from noiseless.ledger import State
from noiseless.replies import Answer, Quote, Result


def dumped(value: object) -> bytes:
    """JSON without spaces; infinity is the text "inf"."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False, ensure_ascii=False).encode()


def finite(value: float | None) -> float | str | None:
    """A number as JSON can hold it."""
    if value is not None and math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return value


def statements(quote: Quote) -> list[dict[str, Any]]:
    """Each statement of a batch with its numbers; a quote has none."""
    return [_statement(result, quote) for result in quote.results]


def _statement(result: Result, quote: Quote) -> dict[str, Any]:
    rows = [_number(answer) for answer in result.answers]
    first = rows[0] if rows else {}
    cost = quote.cost_of(result)
    return {
        "sql": result.sql,
        "columns": [_column(name, cost) for name, cost in zip(result.names, result.costs, strict=True)],
        "rows": rows,
        "value": first.get("value"),
        "lower": first.get("lower"),
        "upper": first.get("upper"),
        "bits": cost.upper,
        "bits_exact": cost.text,
        "free": cost == Cost(),
    }


def _number(answer: Answer) -> dict[str, Any]:
    number = answer.number()
    return number | {name: finite(number[name]) for name in ("value", "lower", "upper")}


def _column(name: str, cost: Cost | None) -> dict[str, Any]:
    paid = cost or Cost()
    return {
        "name": name,
        "group": cost is None,
        "bits": paid.upper,
        "bits_exact": paid.text,
        "free": paid == Cost(),
    }


def standing(spent: Cost, left: Remainder) -> dict[str, Any]:
    """What is spent and what is left."""
    return {
        "spent": spent.upper,
        "spent_exact": spent.text,
        "remaining": left.bits,
        "remaining_exact": left.text,
        "remaining_outputs": None if left.outputs is None else integer_text(left.outputs),
    }


def standing_of(state: State) -> dict[str, Any]:
    """The same of a dataset, with what is to be said about it: just as its curator does."""
    warnings = []
    if state.budget is not None and not state.protects:
        warnings.append("the budget is as large as all there is to know of a record: it protects nothing")
    if state.disclosed:
        warnings.append("as many outputs are paid for as a record has values: some may be fully disclosed")
    left = remainder(state.budget if state.protects else None, state.spent)  # else it refuses nothing
    return {**standing(state.spent, left), "warnings": warnings}


def account(quote: Quote) -> dict[str, Any]:
    """What a batch costs, what is spent and what is left."""
    said = {**price(quote.batch, quote.rule), **standing(quote.spent, quote.left)}
    return {**said, "warnings": list(quote.warnings)}


def price(cost: Cost, rule: str) -> dict[str, Any]:
    """What a batch costs."""
    return {"batch_bits": cost.upper, "batch_bits_exact": cost.text, "rule": rule}


def joined(answers: bytes, rest: Mapping[str, Any]) -> bytes:
    """One object of answers that are JSON already and of other members."""
    return b'{"answers":' + answers + b"," + dumped(dict(rest))[1:]


def free_reply(answers: bytes, standing: bytes, key: str | None) -> bytes:
    """A reply that costs nothing, of answers and a standing that are JSON already."""
    if key is None:
        return b"".join((b'{"answers":', answers, b",", standing))
    ending = dumped({"key": key, "repeated": False})[1:]
    return b"".join((b'{"answers":', answers, b",", standing[:-1], b",", ending))
