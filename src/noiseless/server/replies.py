"""Quotes and replies as JSON: statements with all of their numbers; amounts of bits rounded to the safe side, and exactly as texts."""

import json
import math
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

from noiseless.curator import Answer, Quote, Reply, Result
from noiseless.curator.reply import plain
from noiseless.display import exact_text, rounded_ends
from noiseless.exact import Bits, as_fraction
from noiseless.ledger import State
from noiseless.ledger.entries import fraction_text, integer_text
from noiseless.pricing.cost import Budget, Cost, most_outputs, remaining_bits


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
    counted = _logarithm(Fraction(cost.outputs))
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


@lru_cache(maxsize=4096)
def left(budget: Budget | None, spent: Cost) -> float | None:
    """Bits that a budget leaves, rounded down; None without end."""
    return remaining_bits(budget, spent)


@lru_cache(maxsize=4096)
def outputs_left(budget: Budget | None, spent: Cost) -> str | None:
    """The most outputs that a batch about everybody may still have; None without end."""
    return None if budget is None else integer_text(most_outputs(budget, spent))


@lru_cache(maxsize=4096)
def exact_left(budget: Budget | None, spent: Cost) -> str | None:
    """Bits that a budget leaves, as a formula; None without end.

    >>> exact_left(6, Cost(4)), exact_left(6, Cost(3)), exact_left(Bits(12), Cost(3)), exact_left(1, Cost(3))
    ('4', '6 - log2(3)', '2', '0')
    """
    if budget is None:
        return None
    if not spent.within(budget):
        return "0"
    if isinstance(budget, Bits):
        counted = _logarithm(budget.ratio / spent.outputs)
        return f"{counted} - {fraction_text(spent.capacity)}" if spent.capacity else counted
    kept, paid = as_fraction(budget) - spent.capacity, _logarithm(Fraction(spent.outputs))
    return f"{fraction_text(kept)} - {paid}" if "log2" in paid else fraction_text(kept - int(paid))


def _logarithm(ratio: Fraction) -> str:
    """log2 of a ratio, whole where it is."""
    top, bottom = ratio.numerator.bit_length() - 1, ratio.denominator.bit_length() - 1
    if ratio == Fraction(1 << top, 1 << bottom):
        return str(top - bottom)
    return f"log2({fraction_text(ratio)})"


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
    value, lower, upper = answer.value, answer.lower, answer.upper
    rounded = rounded_ends(value, lower, upper)
    return {
        "group": {name: plain(each) for name, each in answer.group.items()},
        "column": answer.column,
        **{name: finite(number) for name, number in rounded.items()},
        "value_exact": exact_text(value),
        "lower_exact": exact_text(lower),
        "upper_exact": exact_text(upper),
        "may_be_missing": answer.interval is not None and answer.interval.may_be_missing,
    }


def _column(name: str, cost: Cost | None) -> dict[str, Any]:
    if cost is None:
        return {"name": name, "group": True, "bits": 0.0, "bits_exact": "0", "free": True}
    return {
        "name": name,
        "group": False,
        "bits": bits(cost),
        "bits_exact": exact_bits(cost),
        "free": cost == Cost(),
    }


def _together(result: Result, batch: Cost) -> Cost:
    """At most what the columns cost one by one, and at most what the batch costs."""
    total = Cost()
    for cost in result.costs:
        total = total if cost is None else total + cost
    return batch if total.exceeds(batch) else total


def standing(spent: Cost, budget: Budget | None) -> dict[str, Any]:
    """What is spent and what is left; the budget is None where it refuses nothing."""
    return {
        "spent": bits(spent),
        "spent_exact": exact_bits(spent),
        "remaining": left(budget, spent),
        "remaining_exact": exact_left(budget, spent),
        "remaining_outputs": outputs_left(budget, spent),
    }


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


def free_reply(answers: bytes, standing: bytes, key: str | None) -> bytes:
    """A reply that costs nothing, of answers and a standing that are JSON already."""
    if key is None:
        return b"".join((b'{"answers":', answers, b",", standing))
    ending = dumped({"key": key, "repeated": False})[1:]
    return b"".join((b'{"answers":', answers, b",", standing[:-1], b",", ending))
