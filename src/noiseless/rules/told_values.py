"""What a rule tells of many values."""

import re
from collections.abc import Sequence
from typing import Any

from noiseless.errors import ColumnError, RequestError
from noiseless.rules import CensusCounts, Coarsening, DatePeriod, MinCell, NumberCoarsening
from noiseless.rules.exact_columns import is_moment

_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")


def tell_values(column: str, rule: Coarsening, values: Sequence[Any], *, labels: bool) -> list[Any]:
    """What a rule tells of each value, the numbers among them ascending; missing ones stay missing.

    Args:
        column: what messages call the column.
        rule: the rule.
        values: the values.
        labels: texts that an earlier rule made of numbers stay as they are.

    Raises:
        ColumnError: the rule is not about such values.
    """
    numeric = isinstance(rule, NumberCoarsening)
    chosen = [
        place
        for place, value in enumerate(values)
        if value is not None and not (labels and numeric and isinstance(value, str))
    ]
    if numeric and _in_order(rule, [values[place] for place in chosen]):
        told = _told_by_runs(column, rule, [values[place] for place in chosen])
    else:
        told = _told_one_by_one(column, rule, [values[place] for place in chosen])
    found = list(values)
    for place, value in zip(chosen, told, strict=True):
        found[place] = value
    return found


def _in_order(rule: Coarsening, values: Sequence[Any]) -> bool:
    """Whether it is enough to look at the ends of a run: a rule about counts must see every fraction."""
    if any(isinstance(value, str) or hasattr(value, "toordinal") for value in values):
        return False
    return not isinstance(rule, MinCell | CensusCounts) or all(type(value) is int for value in values)


def _told_by_runs(column: str, rule: Coarsening, values: Sequence[Any]) -> list[Any]:
    """The rule keeps the order, so values between two that are told alike are told so too: halve and look."""
    told: list[Any] = [None] * len(values)
    if not values:
        return told
    first, last = _told_one_by_one(column, rule, [values[0], values[-1]])
    runs = [(0, first, len(values) - 1, last)]
    while runs:
        begin, low, end, high = runs.pop()
        if low == high:
            told[begin : end + 1] = [low] * (end + 1 - begin)
        elif end == begin + 1:
            told[begin], told[end] = low, high
        else:
            middle = (begin + end) // 2
            between = rule.told(values[middle])
            runs += [(begin, low, middle, between), (middle, between, end, high)]
    return told


def _told_one_by_one(column: str, rule: Coarsening, values: Sequence[Any]) -> list[Any]:
    found: list[Any] = []
    strange = 0
    for value in values:
        try:
            found.append(rule.told(value))
        except RequestError:
            strange += 1
    if strange:
        raise ColumnError(column, _unfit(rule, values, strange))
    return found


def _unfit(rule: Coarsening, values: Sequence[Any], strange: int) -> str:
    """Why a rule cannot tell some values, and how to mend it; none of them is shown."""
    texts = [value for value in values if isinstance(value, str)]
    if isinstance(rule, NumberCoarsening) and texts:
        if words := sum(not _NUMBER.fullmatch(text) for text in texts):
            why = f"{words:,} of its {len(texts):,} different values are not numbers"
            return f"is text, for {why}; empty those that are missing, or leave {rule.text} out"
        why = "is text: its numbers are not all written alike (96, not 96.0 or 096)"
        return f"{why}, as {rule.text} needs; for codes such as postcodes take prefix:N"
    if isinstance(rule, DatePeriod) and texts:
        if words := sum(not is_moment(text) for text in texts):
            why = f"{words:,} of its {len(texts):,} different values are not dates"
            return f"is text, for {why} as {rule.text} reads them: write 2020-12-31 or 2020-12-31 23:59:00"
        return f"has dates in several time zones; write all in one, as {rule.text} needs"
    if held := _other(rule, values):
        return held
    return f"has values that {rule.text} is not about, {strange:,} different; noiseless rules lists the rules"


def _other(rule: Coarsening, values: Sequence[Any]) -> str | None:
    """What a column holds altogether that a rule is not about, and what is."""
    if all(hasattr(value, "toordinal") for value in values):
        return f"holds dates, which {rule.text} is not about; tell them with date:year or date:month"
    if isinstance(rule, DatePeriod):
        return f"holds numbers, which {rule.text} is not about; tell them with round:B or top:T"
    if not isinstance(rule, NumberCoarsening):
        return f"holds numbers with a point, which {rule.text} is not about; give the column as text"
    return None
