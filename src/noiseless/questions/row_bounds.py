"""What an expression of one row can be, where its columns have too many combinations of values to list.

Numbers and days are bounded by interval arithmetic in exact numbers, on a lattice that holds them all; of
truth values and texts the finite set is followed. Every value that a row can have is in the image; an image
may hold values that no row has, and then what is charged is an upper bound.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from math import ceil, floor
from typing import Any

import numpy as np

from noiseless.domain import BooleanColumn, Column, DateColumn, NumberColumn
from noiseless.errors import RequestError
from noiseless.questions.base import common_unit
from noiseless.questions.row_arithmetic import BY_A_FRACTION, NOT_WHOLE
from noiseless.questions.row_expression import (
    Kind,
    RowExpression,
    Vector,
    constant_vector,
    day_of,
    days_since,
    require_days,
)
from noiseless.questions.row_functions import DAY_PARTS, FUNCTIONS
from noiseless.questions.row_values import vector_of


@dataclass(frozen=True)
class Image:
    """Values of one kind that hold all that a row can be.

    Attributes:
        kind: what they are.
        low: the smallest number or day.
        high: the largest.
        unit: all differ from the smallest by multiples of it; 0 for one value, None where that is unknown.
        words: the texts.
        nullable: whether a value may be missing.
    """

    kind: Kind
    low: Fraction = Fraction(0)
    high: Fraction = Fraction(0)
    unit: Fraction | None = Fraction(0)
    words: tuple[str, ...] = ()
    nullable: bool = False


def image_of(expression: RowExpression, column: Callable[[str], Image]) -> Image:
    """What an expression can be.

    Args:
        expression: what is asked about.
        column: what each column can be.

    Raises:
        RequestError: parts are of the wrong kind, a divisor may be 0, or nothing is known of the values.
    """
    if expression.function == "column":
        return column(expression.value)
    if expression.function == "constant":
        return _constant(constant_vector(expression.value))
    if expression.function == "among":
        return Image("boolean")
    parts = [image_of(part, column) for part in expression.parts]
    _check_kinds(expression, parts)
    found = _RULES[expression.function](parts, expression.value)
    may_miss = any(part.nullable for part in parts)
    if expression.function in _OWN_NULLS:
        return found
    return replace(found, nullable=found.nullable or may_miss)


_OWN_NULLS = {"is null", "case", "coalesce", "nullif", "greatest", "least", "lookup"}


def _constant(vector: Vector) -> Image:
    if vector.kind in ("number", "date"):
        value = Fraction(int(vector.data), vector.below if isinstance(vector.below, int) else 1)
        return Image(vector.kind, value, value)
    return Image(vector.kind, words=vector.words, nullable=vector.kind == "null")


def _check_kinds(expression: RowExpression, parts: Sequence[Image]) -> None:
    """Have the function itself look at the kinds, on one value of each."""
    if expression.function == "lookup":
        return
    if expression.function == "width_bucket":  # its other parts are constants that ascend
        expression, parts = RowExpression("abs"), parts[:1]
    one = {
        "number": Vector("number", np.array(1)),
        "boolean": Vector("boolean", np.array(True)),
        "date": Vector("date", np.array(0)),
        "null": constant_vector(None),
    }
    FUNCTIONS[expression.function](
        [one.get(part.kind) or Vector("text", np.array(0), words=part.words[:1] or ("",)) for part in parts],
        expression.value,
    )


def _met(one: Image, two: Image) -> Image:
    """What holds both."""
    if "null" in (one.kind, two.kind):
        return replace(two if one.kind == "null" else one, nullable=True)
    if one.kind != two.kind:
        raise RequestError("dates and texts meet in one expression; write dates as DATE '2020-12-31'")
    unit = None
    if one.unit is not None and two.unit is not None:
        distances = [d for d in (one.unit, two.unit, abs(one.low - two.low)) if d]
        unit = common_unit(distances) if distances else Fraction(0)
    return Image(
        one.kind,
        min(one.low, two.low),
        max(one.high, two.high),
        unit,
        tuple(sorted({*one.words, *two.words})),
        one.nullable or two.nullable,
    )


def _sum(parts: Sequence[Image], _: object) -> Image:
    return reduce(_added, parts)


def _added(one: Image, two: Image) -> Image:
    units = [each.unit for each in (one, two) if each.unit is not None]
    unit = None if len(units) < 2 else common_unit([u for u in units if u]) if any(units) else Fraction(0)  # noqa: PLR2004 - both
    if "date" not in (one.kind, two.kind):
        return Image("number", one.low + two.low, one.high + two.high, unit)
    found = Image("date", one.low + two.low, one.high + two.high, unit)
    if unit is None or unit.denominator != 1 or found.low.denominator != 1:
        raise RequestError(BY_A_FRACTION)
    require_days(np.array([int(found.low), int(found.high)], object))
    return found


def _turned(one: Image) -> Image:
    return Image("number", -one.high, -one.low, one.unit)


def _difference(parts: Sequence[Image], _: object) -> Image:
    one, two = parts
    if one.kind == two.kind:
        one, two = replace(one, kind="number"), replace(two, kind="number")
    return _added(one, _turned(two))


def _product(parts: Sequence[Image], _: object) -> Image:
    return reduce(_multiplied, parts)


def _multiplied(one: Image, two: Image) -> Image:
    """(a + u i)(b + v j) = a b + a v j + b u i + u v i j."""
    corners = [a * b for a in (one.low, one.high) for b in (two.low, two.high)]
    unit = None
    if one.unit is not None and two.unit is not None:
        distances = [abs(one.low * two.unit), abs(two.low * one.unit), one.unit * two.unit]
        unit = common_unit([d for d in distances if d]) if any(distances) else Fraction(0)
    return Image("number", min(corners), max(corners), unit)


def _quotient(parts: Sequence[Image], _: object) -> Image:
    one, two = parts
    _check_divisor(two)
    corners = [a / b for a in (one.low, one.high) for b in (two.low, two.high)]
    unit = one.unit / abs(two.low) if one.unit is not None and two.low == two.high else None
    return Image("number", min(corners), max(corners), unit)


def _check_divisor(image: Image) -> None:
    if image.low <= 0 <= image.high:
        raise RequestError("an expression may divide by 0; write NULLIF(divisor, 0)")


def _null_if(parts: Sequence[Image], _: object) -> Image:
    """What is left when 0 is missing is a step away from it, where 0 is an end."""
    one, two = parts
    if one.kind == "number" and one.unit and two.low == two.high == 0:
        low = one.unit if one.low == 0 else one.low
        high = -one.unit if one.high == 0 else one.high
        one = replace(one, low=min(low, high), high=max(low, high)) if low <= high else one
    return replace(one, nullable=True)


def _power(parts: Sequence[Image], exponent: int) -> Image:
    one = Image("number", Fraction(1), Fraction(1))
    found = reduce(_multiplied, [parts[0]] * exponent, one)
    if exponent % 2 == 0 and exponent and parts[0].low < 0 < parts[0].high:
        return _cut(found, Fraction(0), None)
    return found


def _cut(image: Image, low: Fraction | None, high: Fraction | None) -> Image:
    """The part of an image between bounds, on the same lattice."""
    if image.unit and low is not None and low > image.low:
        low = image.low + image.unit * ceil((low - image.low) / image.unit)
    if image.unit and high is not None and high < image.high:
        high = image.low + image.unit * floor((high - image.low) / image.unit)
    start = image.low if low is None else max(image.low, low)
    return replace(image, low=start, high=max(start, image.high if high is None else min(image.high, high)))


def _absolute(parts: Sequence[Image], _: object) -> Image:
    one = parts[0]
    if one.low >= 0:
        return one
    both = _met(one, _turned(one))
    return _cut(both, Fraction(0), None) if one.high > 0 else _turned(one)


def _whole(round_off: Callable[[Fraction], int]) -> "Rule":
    def rounded(parts: Sequence[Image], _: object) -> Image:
        one = parts[0]
        unit = one.unit if one.unit is not None and one.low.denominator == one.unit.denominator == 1 else 1
        return Image("number", Fraction(round_off(one.low)), Fraction(round_off(one.high)), Fraction(unit))

    return rounded


def _rounded(parts: Sequence[Image], places: int | None) -> Image:
    scale = Fraction(10) ** (places or 0)
    half = Fraction(1, 2)
    low, high = (
        Fraction(floor(abs(end) * scale + half) * (1 if end >= 0 else -1)) / scale
        for end in (parts[0].low, parts[0].high)
    )
    return Image("number", low, high, 1 / scale)


def _remainder(parts: Sequence[Image], _: object) -> Image:
    """Smaller than the divisor, with the sign of what is divided, and a multiple of what both are."""
    one, two = parts
    _check_divisor(two)
    most = max(abs(two.low), abs(two.high))
    zero = Fraction(0)
    low, high = max(min(one.low, zero), -most), min(max(one.high, zero), most)
    if one.unit is None or two.unit is None:
        return Image("number", low, high, None)
    unit = common_unit([d for d in (one.unit, two.unit, abs(two.low), abs(one.low)) if d] or [Fraction(1)])
    return Image("number", unit * floor(low / unit), unit * ceil(high / unit), unit)


def _bucketed(parts: Sequence[Image], _: object) -> Image:
    return Image("number", Fraction(0), parts[3].high + 1, Fraction(1))


def _chosen(parts: Sequence[Image], _: object) -> Image:
    return reduce(_met, [*parts[1::2], parts[-1]] if len(parts) % 2 else parts[1::2])


def _coalesced(parts: Sequence[Image], _: object) -> Image:
    found = reduce(_met, parts)
    return replace(found, nullable=all(part.nullable for part in parts))


def _extreme(parts: Sequence[Image], *, greatest: bool) -> Image:
    found = replace(reduce(_met, parts), nullable=all(part.nullable for part in parts))
    if any(part.nullable for part in parts) or found.kind not in ("number", "date"):
        return found
    if greatest:
        return _cut(found, max(part.low for part in parts), None)
    return _cut(found, None, min(part.high for part in parts))


def _extracted(_parts: Sequence[Image], unit: str) -> Image:
    if unit == "year":
        low, high = (Fraction(DAY_PARTS[unit](day_of(int(end)))) for end in (_parts[0].low, _parts[0].high))
        return Image("number", low, high, Fraction(1))
    most = {"quarter": 4, "month": 12, "week": 53, "day": 31, "dow": 6, "isodow": 7, "doy": 366}[unit]
    return Image("number", Fraction(unit != "dow"), Fraction(most), Fraction(1))


def _truncated(parts: Sequence[Image], unit: str) -> Image:
    start = FUNCTIONS["date_trunc"]([constant_vector(day_of(int(parts[0].low)))], unit)
    return Image("date", Fraction(int(start.data)), parts[0].high, Fraction(1))


def _worded(function: str) -> "Rule":
    def found(parts: Sequence[Image], value: object) -> Image:
        words = parts[0].words
        told = FUNCTIONS[function]([Vector("text", np.arange(len(words)), words=words)], value)
        if told.kind == "text":
            return Image("text", words=told.words)
        if told.kind == "boolean":
            return Image("boolean")
        return Image("number", Fraction(int(told.data.min())), Fraction(int(told.data.max())), Fraction(1))

    return found


def _listed(_: Sequence[Image], lookup: Sequence[Any]) -> Image:
    """All values of a table's column; a key may have none."""
    images = [_constant(constant_vector(value)) for value in dict.fromkeys(value for _, value in lookup[0])]
    return replace(reduce(_met, images), nullable=True) if images else Image("null", nullable=True)


def _as_number(image: Image) -> Image:
    if image.kind == "boolean":
        return Image("number", Fraction(0), Fraction(1), Fraction(1))
    if image.unit is None or image.unit.denominator != 1 or image.low.denominator != 1:
        raise RequestError(NOT_WHOLE)
    return image


def _truth(_parts: Sequence[Image], _: object) -> Image:
    return Image("boolean")


Rule = Callable[[Sequence[Image], object], Image]

_RULES: Mapping[str, Callable[..., Image]] = {
    "+": _sum,
    "-": _difference,
    "neg": lambda parts, _: _turned(parts[0]),
    "*": _product,
    "/": _quotient,
    "power": _power,
    "abs": _absolute,
    "sign": lambda _parts, _: Image("number", Fraction(-1), Fraction(1), Fraction(1)),
    "floor": _whole(floor),
    "ceil": _whole(ceil),
    "round": _rounded,
    "mod": _remainder,
    "width_bucket": _bucketed,
    "case": _chosen,
    "coalesce": _coalesced,
    "nullif": _null_if,
    "greatest": lambda parts, _: _extreme(parts, greatest=True),
    "least": lambda parts, _: _extreme(parts, greatest=False),
    "number": lambda parts, _: _as_number(parts[0]),
    "extract": _extracted,
    "date_trunc": _truncated,
    "lookup": _listed,
    **dict.fromkeys(("=", "<>", "<", "<=", "and", "or", "not", "is null"), _truth),
    **{name: _worded(name) for name in ("lower", "upper", "length", "substring", "like")},
}


def image_of_column(name: str, column: Column) -> Image:
    """What a declared column can be."""
    match column:
        case NumberColumn():
            low, high = (Fraction(end) for end in column.bounds)
            return Image("number", low, high, Fraction(column.step))
        case DateColumn():
            first, last = (Fraction(days_since(end)) for end in column.bounds)
            return Image("date", first, last, Fraction(column.step))
        case BooleanColumn():
            return Image("boolean")
    vector = vector_of(name, column, np.arange(column.size))
    if vector.kind == "number":
        return Image(
            "number", Fraction(int(vector.data.min())), Fraction(int(vector.data.max())), Fraction(1)
        )
    return Image("text", words=vector.words)
