"""Expressions of one row: trees over declared columns, evaluated exactly for many rows at once.

A value is a number (a whole numerator over a whole denominator, never a double), a truth value, a text, a day
or missing. Missing values follow SQL: what is computed of one is missing, AND and OR know three values.
"""

from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from noiseless.errors import RequestError
from noiseless.ranges.spans import WRAPS

Ints = npt.NDArray[Any]
"""Whole numbers: of 64 bits, or Python's own where those might not suffice."""
Kind = Literal["number", "boolean", "text", "date", "row", "null"]
Plain = Fraction | bool | str | date | None

_EPOCH = date(1970, 1, 1).toordinal()
MOST_POWER = 16


@dataclass(frozen=True)
class RowExpression:
    """A function of parts; a column or a constant has none.

    Attributes:
        function: its name in `FUNCTIONS`, "column", "constant" or "among".
        parts: what it is a function of.
        value: the column's name, the constant, the runs of numbers that pass, or another plain parameter.
    """

    function: str
    parts: "tuple[RowExpression, ...]" = ()
    value: Any = None
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash((self.function, self.parts, self.value)))

    def __hash__(self) -> int:
        return self._hash

    @property
    def columns(self) -> frozenset[str]:
        """The columns in it."""
        found, open_parts = set(), [self]
        while open_parts:
            part = open_parts.pop()
            open_parts += part.parts
            if part.function == "column":
                found.add(part.value)
        return frozenset(found)

    @property
    def length(self) -> int:
        """How many functions, columns and constants it has."""
        return 1 + sum(part.length for part in self.parts)


@dataclass(frozen=True, eq=False)
class Vector:
    """One value a row, all of one kind.

    Attributes:
        kind: what they are.
        data: numerators; truth values; places in `words`; days since 1970; numbers of a row's values.
        below: the denominators, above 0: one for all, or one a row.
        null: which values are missing; None if none is.
        words: the texts.
    """

    kind: Kind
    data: Ints
    below: int | Ints = 1
    null: npt.NDArray[np.bool_] | None = None
    words: tuple[str, ...] = ()


def constant_vector(value: Plain) -> Vector:
    """One value for all rows."""
    match value:
        case None:
            return Vector("null", np.array(0), null=np.array(True))
        case bool():
            return Vector("boolean", np.array(value))
        case str():
            return Vector("text", np.array(0), words=(value,))
        case date():
            return Vector("date", np.array(value.toordinal() - _EPOCH))
    top = np.array(value.numerator, np.int64 if abs(value.numerator) < WRAPS else object)
    return Vector("number", top, value.denominator)


def require_days(days: Ints) -> None:
    """Refuse days that no date is.

    Raises:
        RequestError: one is out of range.
    """
    first, last = date.min.toordinal() - _EPOCH, date.max.toordinal() - _EPOCH
    if days.size and not first <= int(days.min()) <= int(days.max()) <= last:
        raise RequestError("a day is moved out of the years 1 to 9999; move it by less")


def day_of(number: int) -> date:
    """The day that is this many days after 1970-01-01."""
    return date.fromordinal(number + _EPOCH)


def days_since(day: date) -> int:
    """The inverse of `day_of`."""
    return day.toordinal() - _EPOCH
