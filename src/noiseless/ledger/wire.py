"""Exact numbers as texts, and back: costs, budgets, records."""

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

from noiseless.exact import Bits, as_fraction
from noiseless.pricing.cost import Budget, Cost, Record, checked_budget

_MOST_DECIMAL_BITS = 13_000
"""Python refuses to write longer integers in decimal; they are written in hexadecimal."""

_LONGEST_PRODUCT = 12_000
"""More bits than any budget has."""

_EARLIER = "earlier versions"
_NOTHING = Cost().capacity

UNKNOWN_RECORD = Record((("record", None),))
"""A record about whose size nothing was declared: no budget is too large for it."""


def integer_text(value: int) -> str:
    """An integer of any size.

    >>> integer_text(12), integer_text(2**20_000)[:4], read_integer(integer_text(2**20_000)) == 2**20_000
    ('12', '0x10', True)
    """
    return str(value) if value.bit_length() < _MOST_DECIMAL_BITS else hex(value)


def read_integer(text: str) -> int:
    """The integer of a text."""
    return int(text, 0)


def fraction_text(value: Fraction) -> str:
    """A rational number of any size; the denominator 1 is left out."""
    if value is _NOTHING:
        return "0"
    top = integer_text(value.numerator)
    return top if value.denominator == 1 else f"{top}/{integer_text(value.denominator)}"


@lru_cache(maxsize=1024)
def read_fraction(text: str) -> Fraction:
    """The rational number of a text; equal texts have the same number.

    >>> read_fraction("3"), read_fraction("-3/4")
    (Fraction(3, 1), Fraction(-3, 4))
    """
    top, _, bottom = text.partition("/")
    if text == "0":
        return _NOTHING
    return Fraction(read_integer(top), read_integer(bottom) if bottom else 1)


def cost_json(cost: Cost) -> dict[str, str]:
    """A cost; bits of randomised answers only if there are any.

    >>> cost_json(Cost(3)), cost_json(Cost(3, Fraction(1, 2)))
    ({'outputs': '3'}, {'outputs': '3', 'capacity': '1/2'})
    """
    found = {"outputs": integer_text(cost.outputs)}
    if cost.capacity is not _NOTHING and cost.capacity:
        found["capacity"] = fraction_text(cost.capacity)
    return found


def read_cost(value: Mapping[str, str]) -> Cost:
    """The cost of a JSON value."""
    return Cost(read_integer(value["outputs"]), read_fraction(value.get("capacity", "0")))


def budget_json(budget: Budget | None) -> dict[str, str] | None:
    """A budget: bits, or a reach.

    >>> budget_json(40), budget_json(Bits(3)), budget_json(None)
    ({'bits': '40'}, {'reach': '3'}, None)
    """
    if budget is None:
        return None
    if isinstance(checked_budget(budget), Bits):
        return {"reach": fraction_text(budget.ratio)}  # type: ignore[union-attr]
    return {"bits": fraction_text(as_fraction(budget))}  # type: ignore[arg-type]


def read_budget(value: Mapping[str, str] | None) -> Budget | None:
    """The budget of a JSON value.

    >>> read_budget({"bits": "40"}), read_budget({"bits": "79/50"}), read_budget({"reach": "3"})
    (40, Fraction(79, 50), Bits(3))
    """
    if value is None:
        return None
    if "reach" in value:
        return Bits(read_fraction(value["reach"]))
    bits = read_fraction(value["bits"])
    return bits.numerator if bits.denominator == 1 else bits


def record_json(record: Record | None) -> dict[str, Any] | None:
    """The declared private attributes of one person."""
    if record is None:
        return None
    return {"attributes": [list(pair) for pair in record.attributes], "rows": record.rows}


def with_earlier(record: Record, earlier: Record) -> Record:
    """The record of a version whose people also paid for earlier ones.

    A person's values may be others in every version. What all versions together can tell is then bounded by
    the product of their numbers of values, not by one of them. Very long products count as no end.
    """
    values = earlier.values()
    known = None if values is None or values.bit_length() > _LONGEST_PRODUCT else values
    name = _EARLIER
    while name in record.sizes:
        name += "'"
    return Record((*record.attributes, (name, known)), record.rows)


def without_earlier(record: Record) -> Record:
    """The record of the present version alone."""
    if not record.attributes or not record.attributes[-1][0].startswith(_EARLIER):
        return record
    return Record(record.attributes[:-1], record.rows)


def read_record(value: Mapping[str, Any] | None) -> Record:
    """The record of a JSON value."""
    if value is None:
        return UNKNOWN_RECORD
    return Record(tuple((name, size) for name, size in value["attributes"]), value["rows"])
