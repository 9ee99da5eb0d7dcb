"""Replies as JSON, read member by member, exact numbers from their texts: what is missing or of another kind is told, nothing is guessed."""

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor, isinf
from typing import Any, Never, TypeVar

from noiseless.client.errors import BadReply
from noiseless.display import Bound
from noiseless.errors import RequestError
from noiseless.exact import Bits, log2_bounds, round_up

Budget = Fraction | Bits
"""A number of bits, or a reach k as `Bits(k)`."""

_WHOLE = r"(?:0x[0-9a-f]+|[0-9]+)"
_RATIO = rf"{_WHOLE}(?:/{_WHOLE})?"
_FRACTION = re.compile(rf"(-?)({_RATIO})")
_AMOUNT = re.compile(rf"(?:([0-9]{{1,6}})|log2\(({_WHOLE})\))(?: \+ ({_RATIO}))?")
_BUDGET = re.compile(rf"(?:({_RATIO})|log2\(({_RATIO})\))")


@dataclass(frozen=True)
class Amount:
    """log2(outputs) + capacity bits: what answers cost.

    Attributes:
        outputs: at most so many joint answers one person can cause, everybody else staying as they are.
        capacity: bits that randomised answers add.
    """

    outputs: int = 1
    capacity: Fraction = Fraction(0)

    def __str__(self) -> str:
        if not self.capacity:
            return str(Bits(self.outputs))
        return f"{rounded_up(self._upper)} bits of mutual information"

    @property
    def bits(self) -> Bits:
        """The cost as exact bits.

        Raises:
            RequestError: a randomised answer is among the answers.
        """
        if self.capacity:
            raise RequestError("randomised answers are no number of outputs; read `upper` instead of `bits`")
        return Bits(self.outputs)

    @property
    def upper(self) -> float:
        """A float that is not below the cost in bits."""
        return round_up(self._upper)

    @property
    def _upper(self) -> Fraction:
        return log2_bounds(Fraction(self.outputs))[1] + self.capacity


def read_amount(text: str) -> Amount:
    """A cost as a server writes it.

    Raises:
        ValueError: it is none.

    >>> read_amount("3"), read_amount("log2(3) + 1/2")
    (Amount(outputs=8, capacity=Fraction(0, 1)), Amount(outputs=3, capacity=Fraction(1, 2)))
    """
    found = _AMOUNT.fullmatch(text)
    if found is None:
        raise ValueError("no amount")
    power, outputs, capacity = found.groups()
    number = 1 << int(power) if outputs is None else int(outputs, 0)
    if not number:
        raise ValueError("no amount")
    return Amount(number, read_fraction(capacity or "0"))


def read_budget(text: str) -> Budget:
    """A budget as a server writes it.

    Raises:
        ValueError: it is none.

    >>> read_budget("79/50"), read_budget("log2(3)")
    (Fraction(79, 50), Bits(3))
    """
    found = _BUDGET.fullmatch(text)
    if found is None:
        raise ValueError("no budget")
    bits, reach = found.groups()
    return read_fraction(bits) if reach is None else Bits(read_fraction(reach))


def read_fraction(text: str) -> Fraction:
    """A rational number as a server writes it.

    Raises:
        ValueError: it is none.

    >>> read_fraction("-3/4"), read_fraction("0x10")
    (Fraction(-3, 4), Fraction(16, 1))
    """
    found = _FRACTION.fullmatch(text)
    if found is None:
        raise ValueError("no rational number")
    sign, ratio = found.groups()
    top, _, bottom = ratio.partition("/")
    below = int(bottom, 0) if bottom else 1
    if not below:
        raise ValueError("no rational number")
    return Fraction(-int(top, 0) if sign else int(top, 0), below)


def rounded_up(value: Fraction | float) -> str:
    """A number of bits as people read it, never too little."""
    if isinstance(value, float) and isinf(value):
        return "inf"
    return f"{Decimal(ceil(Fraction(value) * 100)).scaleb(-2):.2f}"


def rounded_down(value: Fraction | float) -> str:
    """A number of bits as people read it, never too much."""
    if isinstance(value, float) and isinf(value):
        return "inf"
    return f"{Decimal(floor(Fraction(value) * 100)).scaleb(-2):.2f}"


def shown_budget(budget: Budget | None) -> str:
    """A budget as people read it, never too much.

    >>> shown_budget(Fraction(40)), shown_budget(Bits(3)), shown_budget(None)
    ('40.00', '1.58', 'none')
    """
    if budget is None:
        return "none"
    return rounded_down(budget.lower if isinstance(budget, Bits) else budget)


Found = TypeVar("Found")

_ENDS = {"inf": float("inf"), "-inf": float("-inf")}


@dataclass(frozen=True)
class JsonObject:
    """The members of a JSON object.

    Attributes:
        values: by name; numbers with a point are decimals, as they were written.
    """

    values: Mapping[str, Any]

    def __contains__(self, name: str) -> bool:
        return self.values.get(name) is not None

    def text(self, name: str) -> str:
        """A text."""
        found = self.values.get(name)
        return found if isinstance(found, str) else bad(name)

    def text_or_none(self, name: str) -> str | None:
        """A text, or nothing."""
        return self.text(name) if name in self else None

    def flag(self, name: str, *, default: bool | None = None) -> bool:
        """Yes or no."""
        found = self.values.get(name, default)
        return found if isinstance(found, bool) else bad(name)

    def whole(self, name: str) -> int:
        """A whole number."""
        found = self.values.get(name)
        return found if isinstance(found, int) and not isinstance(found, bool) else bad(name)

    def whole_or_none(self, name: str) -> int | None:
        """A whole number, or nothing."""
        return self.whole(name) if name in self else None

    def number(self, name: str) -> float:
        """A number that the server rounded."""
        found = self.values.get(name)
        if isinstance(found, str) and found in _ENDS:
            return _ENDS[found]
        if isinstance(found, bool) or not isinstance(found, int | Decimal):
            bad(name)
        try:
            return float(found)
        except OverflowError:
            return bad(name)

    def number_or_none(self, name: str) -> float | None:
        """A number that the server rounded, or nothing."""
        return self.number(name) if name in self else None

    def fraction_or_none(self, name: str) -> Fraction | None:
        """An exact number, or nothing."""
        return self._read(name, read_fraction) if name in self else None

    def count_or_none(self, name: str) -> int | None:
        """A whole number of any size, which is written as a text; or nothing."""
        found = self.fraction_or_none(name)
        if found is not None and found.denominator != 1:
            bad(name)
        return None if found is None else found.numerator

    def bound_or_none(self, name: str) -> Bound | None:
        """A number or an end: exact, infinite or nothing; rounded where it is too long to be written."""
        exact = self.fraction_or_none(f"{name}_exact")
        if exact is not None or name not in self:
            return exact
        rounded = self.number(name)
        return rounded if math.isinf(rounded) else Fraction(rounded)

    def amount(self, name: str) -> Amount:
        """An exact cost."""
        return self._read(f"{name}_exact", read_amount)

    def budget(self, name: str) -> Budget | None:
        """An exact budget, or nothing."""
        return self._read(f"{name}_exact", read_budget) if f"{name}_exact" in self else None

    def texts(self, name: str) -> tuple[str, ...]:
        """Texts."""
        found = self._list(name)
        return tuple(found) if all(isinstance(each, str) for each in found) else bad(name)

    def objects(self, name: str) -> tuple["JsonObject", ...]:
        """Objects."""
        return tuple(JsonObject(each) if isinstance(each, dict) else bad(name) for each in self._list(name))

    def member(self, name: str) -> "JsonObject":
        """An object."""
        found = self.values.get(name)
        return JsonObject(found) if isinstance(found, dict) else bad(name)

    def plain(self, name: str) -> dict[str, Any]:
        """The members of an object, which are texts, numbers, yes or no."""
        found = self.member(name).values
        if not all(isinstance(value, str | int | Decimal | None) for value in found.values()):
            bad(name)
        return dict(found)

    def _list(self, name: str) -> list[Any]:
        found = self.values.get(name)
        return found if isinstance(found, list) else bad(name)

    def _read(self, name: str, read: Callable[[str], Found]) -> Found:
        try:
            return read(self.text(name))
        except ValueError:
            return bad(name)


def read_object(content: bytes) -> JsonObject:
    """The members of a JSON object.

    Raises:
        BadReply: it is none.
    """
    try:
        found = json.loads(content, parse_float=Decimal, parse_constant=_no_number)
    except (ValueError, ArithmeticError, RecursionError):  # also too many digits, and no UTF-8
        raise BadReply("the reply is not valid JSON; is this the address of a noiseless server?") from None
    if not isinstance(found, dict):
        raise BadReply("the reply is no JSON object; is this the address of a noiseless server?")
    return JsonObject(found)


def _no_number(text: str) -> Never:
    raise ValueError(text)


def bad(name: str) -> Never:
    """Tell that a member is missing or of another kind.

    Raises:
        BadReply: always.
    """
    raise BadReply(f"the reply has no proper {name!r}; is the client as new as the server?")
