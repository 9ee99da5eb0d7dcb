"""Pure functions of guarantees: what answers cost together, and how guarantees convert into each other."""

from noiseless.accounting.batches import Price, price
from noiseless.accounting.events import ExactCounts, GroupedAnswers, QuantizedAnswer
from noiseless.accounting.history import BudgetError, History
from noiseless.accounting.other_events import LinearAnswer, OtherAnswer, RandomisedAnswer, TableRelease
from noiseless.accounting.record import Record

__all__ = [
    "BudgetError",
    "ExactCounts",
    "GroupedAnswers",
    "History",
    "LinearAnswer",
    "OtherAnswer",
    "Price",
    "QuantizedAnswer",
    "RandomisedAnswer",
    "Record",
    "TableRelease",
    "price",
]
