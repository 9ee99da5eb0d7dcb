"""Replies as JSON, read member by member, exact numbers from their texts: nothing is guessed."""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, Never, TypeVar

from noiseless.amounts import Cost, read_budget_text, read_fraction
from noiseless.client.errors import BadReply
from noiseless.exact import Bits
from noiseless.intervals import Bound

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

    def cost(self, name: str) -> Cost:
        """An exact cost."""
        return self._read(f"{name}_exact", Cost.read)

    def budget(self, name: str) -> Fraction | Bits | None:
        """An exact budget, or nothing."""
        return self._read(f"{name}_exact", read_budget_text) if f"{name}_exact" in self else None

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
