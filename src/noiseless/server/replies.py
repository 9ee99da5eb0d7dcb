"""Quotes and replies as JSON: a list of statements, each with all of its numbers."""

import json
import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from noiseless.accounting.cost import Budget, Cost, most_outputs
from noiseless.curator import Answer, Quote, Reply, Result
from noiseless.curator.answers import plain
from noiseless.curator.reply import remaining_bits
from noiseless.exact import Bits, as_fraction, round_down, round_up
from noiseless.ledger import State
from noiseless.ledger.wire import fraction_text, integer_text

_ENDS = ("value", "lower", "upper", "value_exact", "lower_exact", "upper_exact")


def dumped(value: object) -> bytes:
    """JSON without spaces; infinity is the text "inf"."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False, ensure_ascii=False).encode()


def finite(value: float | None) -> float | str | None:
    """A number as JSON can hold it."""
    if value is not None and math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return value


@lru_cache(maxsize=4096)
def bits(cost: Cost) -> float:
    """A cost in bits, rounded up."""
    return cost.upper


@lru_cache(maxsize=4096)
def exact_bits(cost: Cost) -> str:
    """A cost in bits, as a formula.

    >>> exact_bits(Cost(8)), exact_bits(Cost(3)), exact_bits(Cost(3, as_fraction("1/2")))
    ('3', 'log2(3)', 'log2(3) + 1/2')
    """
    power = cost.outputs.bit_length() - 1
    whole = cost.outputs == 1 << power
    counted = str(power) if whole else f"log2({integer_text(cost.outputs)})"
    return f"{counted} + {fraction_text(cost.capacity)}" if cost.capacity else counted


def exact_budget(budget: Budget | None) -> str | None:
    """A budget in bits, as a formula.

    >>> exact_budget(40), exact_budget(Bits(3)), exact_budget(None)
    ('40', 'log2(3)', None)
    """
    if budget is None:
        return None
    if isinstance(budget, Bits):
        return f"log2({fraction_text(budget.ratio)})"
    return fraction_text(as_fraction(budget))


def statements(quote: Quote) -> list[dict[str, Any]]:
    """Each statement of a batch with its numbers; a quote has none."""
    return [_statement(result, quote) for result in quote.results]


def _statement(result: Result, quote: Quote) -> dict[str, Any]:
    rows = [_number(answer) for answer in result.answers()]
    first = rows[0] if rows else {}
    cost = quote.batch if len(quote.results) == 1 else _together(result, quote.batch)
    return {
        "sql": result.sql,
        "columns": [_column(name, cost) for name, cost in zip(result.names, result.costs, strict=True)],
        "rows": rows,
        "value": first.get("value"),
        "lower": first.get("lower"),
        "upper": first.get("upper"),
        "bits": bits(cost),
        "bits_exact": exact_bits(cost),
        "free": cost == Cost(),
    }


def _number(answer: Answer) -> dict[str, Any]:
    """One number: its middle, and bounds that are rounded outwards."""
    interval = answer.interval
    found: dict[str, Any] = {
        "group": {name: plain(value) for name, value in answer.group.items()},
        "column": answer.column,
    }
    if interval is None:
        return {**found, **dict.fromkeys(_ENDS), "may_be_missing": False}
    value, lower, upper = interval.value, interval.lower, interval.upper
    return {
        **found,
        "value": None if value is None else float(value),
        "lower": finite(lower) if isinstance(lower, float) else round_down(lower),
        "upper": finite(upper) if isinstance(upper, float) else round_up(upper),
        "value_exact": None if value is None else str(value),
        "lower_exact": None if isinstance(lower, float) else str(lower),
        "upper_exact": None if isinstance(upper, float) else str(upper),
        "may_be_missing": interval.may_be_missing,
    }


def _column(name: str, cost: Cost | None) -> dict[str, Any]:
    if cost is None:
        return {"name": name, "group": True, "bits": 0.0, "free": True}
    return {"name": name, "group": False, "bits": bits(cost), "free": cost == Cost()}


def _together(result: Result, batch: Cost) -> Cost:
    """At most what the columns cost one by one, and at most what the batch costs."""
    total = Cost()
    for cost in result.costs:
        total = total if cost is None else total + cost
    return batch if total.exceeds(batch) else total


def standing(spent: Cost, budget: Budget | None) -> dict[str, Any]:
    """What is spent and what is left; the budget is None where it refuses nothing."""
    left, outputs = _left(budget, spent)
    return {
        "spent": bits(spent),
        "spent_exact": exact_bits(spent),
        "remaining": left,
        "remaining_outputs": outputs,
    }


@lru_cache(maxsize=4096)
def _left(budget: Budget | None, spent: Cost) -> tuple[float | None, str | None]:
    if budget is None:
        return None, None
    return remaining_bits(budget, spent), integer_text(most_outputs(budget, spent))


def standing_of(state: State) -> dict[str, Any]:
    """The same of a dataset, with what is to be said about it: just as its curator does."""
    warnings = []
    if state.budget is not None and not state.protects:
        warnings.append("the budget is as large as all there is to know of a record: it protects nothing")
    if state.disclosed:
        warnings.append("as many outputs are paid for as a record has values: some may be fully disclosed")
    return {**standing(state.spent, state.budget if state.protects else None), "warnings": warnings}


def account(quote: Quote) -> dict[str, Any]:
    """What a batch costs, what is spent and what is left."""
    return {**price(quote.batch, quote.rule), **_standing(quote)}


def _standing(quote: Quote) -> dict[str, Any]:
    return {**standing(quote.spent, quote.budget), "warnings": list(quote.warnings)}


def price(cost: Cost, rule: str) -> dict[str, Any]:
    """What a batch costs."""
    return {"batch_bits": bits(cost), "batch_bits_exact": exact_bits(cost), "rule": rule}


def free(reply: Reply) -> bool:
    """Whether a reply cost nothing."""
    return reply.batch == Cost()


def joined(answers: bytes, rest: Mapping[str, Any]) -> bytes:
    """One object of answers that are JSON already and of other members."""
    return b'{"answers":' + answers + b"," + dumped(dict(rest))[1:]
