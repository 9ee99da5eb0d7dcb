"""The values of rows: of declared columns as vectors, different ones in order, and as replies show them."""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from noiseless.domain import BooleanColumn, CategoryColumn, Column, DateColumn, NumberColumn
from noiseless.errors import RequestError
from noiseless.questions.row_arithmetic import times
from noiseless.questions.row_expression import Ints, Vector, day_of, days_since
from noiseless.ranges.spans import WRAPS


def shown(value: Any) -> Any:  # noqa: ANN401 - any kind of value
    """A number as a whole one or a decimal where it is one."""
    if isinstance(value, tuple):
        return tuple(map(shown, value))
    if not isinstance(value, Fraction):
        return value
    if value.denominator == 1:
        return int(value)
    rest, places = value.denominator, 0
    for prime in (2, 5):
        while rest % prime == 0:
            rest, places = rest // prime, places + 1
    return Decimal(f"{int(value * 10**places)}E-{places}") if rest == 1 else value


def plain_value(value: Any) -> Any:  # noqa: ANN401 - any kind of value
    """A number as a fraction."""
    if isinstance(value, tuple):
        return tuple(map(plain_value, value))
    is_number = isinstance(value, int | float | Decimal) and not isinstance(value, bool)
    return Fraction(value) if is_number else value


def vector_of(name: str, column: Column, numbers: Ints) -> Vector:
    """The values of a declared column's numbers.

    Raises:
        RequestError: it holds texts and numbers.
    """
    match column:
        case NumberColumn():
            wide = max(abs(column.low_units), abs(column.high_units)) >= WRAPS
            places = numbers.astype(object) if wide else numbers
            return Vector("number", column.low_units + column.step_units * places, column.scale)
        case DateColumn():
            return Vector("date", days_since(column.bounds[0]) + column.step * numbers)
        case BooleanColumn():
            return Vector("boolean", numbers.astype(bool))
        case CategoryColumn():
            texts = [isinstance(value, str) for value in column.categories]
            if not any(texts):
                return Vector("number", np.array(column.categories)[numbers])
            if all(texts):
                words = tuple(sorted(map(str, column.categories)))
                place = {word: number for number, word in enumerate(words)}
                codes = np.array([place[str(word)] for word in column.categories], np.int64)
                return Vector("text", codes[numbers], words=words)
    raise RequestError(f"column {name!r} holds texts and numbers; compare it with constants")


def broadcast(vector: Vector, sizes: tuple[int, ...]) -> Vector:
    """One value for each combination, flat."""
    below = vector.below if isinstance(vector.below, int) else np.broadcast_to(vector.below, sizes).ravel()
    null = None if vector.null is None else np.broadcast_to(vector.null, sizes).ravel()
    return Vector(vector.kind, np.broadcast_to(vector.data, sizes).ravel(), below, null, vector.words)


def present(data: Ints) -> tuple[Ints, Ints]:
    """Distinct whole numbers, ascending, and the place of each among them; quicker where they are close."""
    if data.dtype != object and data.size:
        low, high = int(data.min()), int(data.max())
        if high - low <= 4 * data.size:
            seen = np.zeros(high - low + 1, bool)
            seen[data - low] = True
            return np.flatnonzero(seen) + low, (np.cumsum(seen) - 1)[data - low]
    values, places = np.unique(data, return_inverse=True)
    return values, places.ravel()


class NumberValues(Sequence[Any]):
    """Ascending numbers, made fractions when they are asked for; a missing one is the last.

    Attributes:
        tops: the numerators.
        below: the denominators: one for all, or one each.
        nullable: whether a value may be missing.
    """

    def __init__(self, tops: Ints, below: int | Ints, *, nullable: bool) -> None:
        self.tops, self.below, self.nullable = tops, below, nullable

    def __len__(self) -> int:
        return len(self.tops) + self.nullable

    def __getitem__(self, number: Any) -> Any:  # noqa: ANN401 - a number or a slice
        if isinstance(number, slice):
            return [self[place] for place in range(len(self))[number]]
        place = range(len(self))[number]
        if place == len(self.tops):
            return None
        return Fraction(
            int(self.tops[place]), self.below if isinstance(self.below, int) else int(self.below[place])
        )


def distinct_values(vector: Vector) -> tuple[Sequence[Any], Ints]:
    """The different values, ascending, a missing one last, and the place of each row's among them."""
    below: int | Ints
    if isinstance(vector.below, int):
        tops, places = present(vector.data.ravel())
        below = vector.below
    else:
        tops, below, places = _distinct_quotients(vector)
    nullable = vector.null is not None and bool(vector.null.any())
    if vector.null is not None and nullable:
        null = np.broadcast_to(vector.null, np.broadcast_shapes(vector.data.shape, np.shape(vector.below)))
        kept, places = present(np.where(null.ravel(), len(tops), places))
        tops, below = tops[kept[:-1]], below if isinstance(below, int) else below[kept[:-1]]
    if vector.kind == "number":
        return NumberValues(tops, below, nullable=nullable), places
    values = [_value(vector, int(top)) for top in tops.tolist()]
    return (*values, *([None] if nullable else [])), places


def _distinct_quotients(vector: Vector) -> tuple[Ints, Ints, Ints]:
    """Different quotients in lowest terms, ascending: sorted as doubles, and held against whole numbers."""
    top, low = (part.ravel() for part in np.broadcast_arrays(vector.data, vector.below))
    doubles = top.astype(np.float64) / low.astype(np.float64)
    different, places = np.unique(doubles, return_inverse=True)
    one = np.empty(len(different), np.int64)  # a place of each: any will do
    one[places] = np.arange(len(places))
    tops, lows = top[one], low[one]
    same = np.array_equal(times(top, lows[places]), times(tops[places], low))
    if not same or not bool(np.all(times(tops[:-1], lows[1:]) < times(tops[1:], lows[:-1]))):
        exact = [Fraction(int(a), int(b)) for a, b in zip(top, low, strict=True)]
        values = sorted(set(exact))
        number = {value: place for place, value in enumerate(values)}
        places = np.array([number[value] for value in exact], np.int64)
        tops = np.array([value.numerator for value in values], object)
        lows = np.array([value.denominator for value in values], object)
    shared = np.gcd(tops, lows)
    return tops // shared, lows // shared, places


def _value(vector: Vector, top: int) -> Any:  # noqa: ANN401 - any kind of value
    match vector.kind:
        case "boolean":
            return bool(top)
        case "text":
            return vector.words[top]
        case "date":
            return day_of(top)
    return None
