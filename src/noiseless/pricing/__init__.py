"""Pure functions of guarantees: what answers cost together, and how guarantees convert into each other."""

from noiseless.pricing.batches import Price, price
from noiseless.pricing.event import Record
from noiseless.pricing.events import ExactCounts, GroupedAnswers, QuantizedAnswer
from noiseless.pricing.history import BudgetError, History
from noiseless.pricing.other_events import LinearAnswer, OtherAnswer, RandomisedAnswer, TableRelease

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
