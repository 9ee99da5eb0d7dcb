"""What a batch leaves: the account that every quote and every reply states."""

from functools import lru_cache
from typing import Any

from noiseless.curator.pricing import Priced
from noiseless.ledger import State
from noiseless.ledger.accounts import NO_BITS
from noiseless.ledger.wire import without_earlier
from noiseless.pricing.cost import Budget, Cost
from noiseless.pricing.history import History
from noiseless.pricing.record import Record


def account(priced: Priced | None, state: State, notes: tuple[str, ...]) -> dict[str, Any]:
    """What a batch costs, what is spent and what is left, as a quote and a reply hold it."""
    protects, total = _protects(state.record, state.budget), state.total
    if total.capacity is not NO_BITS and total.capacity:
        disclosed, spent = state.disclosed, state.spent
    else:  # without noise whole numbers suffice
        present, most = _values(state.record)
        disclosed = present is not None and total.outputs >= present
        spent = Cost(most) if most is not None and total.outputs >= most else total
    warnings = list(notes)
    if state.budget is not None and not protects:
        warnings.append("the budget is as large as all there is to know of a record: it protects nothing")
    if disclosed:
        warnings.append("as many outputs are paid for as a record has values: some may be fully disclosed")
    return {
        "batch": Cost() if priced is None else priced.price.cost,
        "rule": "nothing new" if priced is None else priced.price.rule,
        "spent": spent,
        "budget": state.budget if protects else None,  # otherwise it refuses nothing
        "warnings": tuple(warnings),
    }


@lru_cache(64)
def _values(record: Record) -> tuple[int | None, int | None]:
    """How many values a record has in the present version, and in all versions that were paid for."""
    return without_earlier(record).values(), record.values()


@lru_cache(64)
def _protects(record: Record, budget: Budget | None) -> bool:
    """Whether a budget is less than all there is to know."""
    return History(record, budget).protects
