"""Columns as exact values of Python, and told values as columns again."""

import re
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from noiseless.errors import ColumnError
from noiseless.rules.base import number_text

Exact = int | Decimal | Fraction | date | str

_MOST_DIGITS = 76
"""How many digits a decimal of Arrow has."""

_MOMENT = re.compile(
    r"(\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?)?)\s*(Z|[+-]\d{2}:?\d{2})?", re.ASCII
)
_TICKS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_SECONDS_OF_DAY = 86_400


def exact_values(column: str, values: pa.Array) -> list[Any]:
    """Values as Python has them exactly; a floating-point number is the shortest decimal that reads as it.

    Raises:
        ColumnError: the column holds what no rule is about, or numbers that are not finite.
    """
    kind = values.type
    if pt.is_timestamp(kind):
        values = values.cast(pa.timestamp(kind.unit)).cast(pa.date32())  # with a time zone: days of UTC
    elif not any(
        test(kind) for test in (pt.is_integer, pt.is_floating, pt.is_decimal, pt.is_date, pt.is_string)
    ):
        raise ColumnError(column, "holds neither numbers nor dates nor texts; no rule is about it")
    if not pt.is_floating(kind):
        try:
            return list(values.to_pylist())
        except (OverflowError, ValueError):
            raise ColumnError(column, "holds dates before the year 1 or after 9999; mend them") from None
    finite = np.isfinite(values.fill_null(0).to_numpy(zero_copy_only=False))
    if strange := int((~finite).sum()):
        raise ColumnError(column, f"has numbers that are not finite, {strange:,} different; mend them")
    return [None if text is None else Decimal(text) for text in as_texts(values)]


def as_texts(values: pa.Array) -> list[str | None]:
    """Values as a text file has them."""
    if pt.is_floating(values.type):  # of its own width: the shortest decimal that reads as it
        numbers = values.fill_null(0).to_numpy(zero_copy_only=False)
        known = values.is_valid().to_pylist()
        return [str(x) if there else None for x, there in zip(numbers, known, strict=True)]
    if pt.is_binary(values.type):
        return [None if value is None else value.hex() for value in values.to_pylist()]
    return list(values.cast(pa.string()).to_pylist())


def as_column(told: Sequence[Any], source: pa.DataType) -> pa.Array:
    """Told values as a column: of numbers or dates where all are, otherwise of texts.

    Args:
        told: the values; None where one is missing.
        source: the type of the column that they are told for.
    """
    distinct = list(set(told) - {None})
    kinds = {type(value) for value in distinct}
    if str in kinds or date in kinds:
        written = dict(zip(distinct, distinct, strict=True))
        if len(kinds) > 1:
            written = {value: _written(value, source) for value in distinct}
        return pa.array([written.get(value) for value in told], pa.string() if str in kinds else pa.date32())
    numbers, kind = _numbers(distinct, source)
    found = dict(zip(distinct, numbers, strict=True))
    return pa.array([None if value is None else found[value] for value in told], kind)


def _numbers(told: Sequence[Any], source: pa.DataType) -> tuple[list[Any], pa.DataType]:
    """Whole numbers where all are and were, doubles for doubles, decimals for decimals; else texts."""
    if pt.is_integer(source) and all(value == int(value) for value in told):
        small = all(-(2**63) <= value < 2**63 for value in told)
        return list(map(int, told)), pa.int64() if small else pa.decimal256(_MOST_DIGITS)
    if pt.is_decimal(source):
        decimals = [_decimal(value) for value in told]
        places = max((-int(value.as_tuple().exponent) for value in decimals), default=0)
        if max(places, 0) + max((value.adjusted() for value in decimals), default=0) < _MOST_DIGITS:
            return list(decimals), pa.decimal256(_MOST_DIGITS, max(places, 0))
    elif len({float(value) for value in told}) == len(told):
        return list(map(float, told)), pa.float64()
    return [_written(value, source) for value in told], pa.string()


def _decimal(value: int | Decimal | Fraction) -> Decimal:
    """A number that has finitely many digits, as a decimal."""
    return Decimal(number_text(value) if isinstance(value, Fraction) else value)


def _written(value: Exact, source: pa.DataType) -> str:
    """A told value as a text file has it beside labels."""
    if isinstance(value, str | date):
        return str(value)
    return repr(float(value)) if pt.is_floating(source) else f"{_decimal(value):f}"


def placed(value: Exact) -> Fraction | None:
    """Where a value lies on a line: numbers as they are, dates by days; texts nowhere."""
    if isinstance(value, str):
        return None
    return Fraction(value.toordinal()) if isinstance(value, date) else Fraction(value)


# Moments


def is_moment(text: str) -> bool:
    """Whether a text is a date or a date and a time of ISO 8601.

    >>> [is_moment(text) for text in ("2020-12-31", "2020-12-31T23:59Z", "2020-02-30", "31/12/2020")]
    [True, True, False, False]
    """
    return _moment(text) is not None


def as_moments(texts: pa.Array) -> pa.Array | None:
    """Texts as the moments that they write, by the clock; None where one is none, or time zones differ."""
    found = [None if text is None else _moment(text) or (None, "") for text in texts.to_pylist()]
    known = [pair for pair in found if pair is not None]
    if any(moment is None for moment, _ in known) or len({zone for _, zone in known}) > 1:
        return None
    return pa.array([None if pair is None else pair[0] for pair in found], pa.timestamp("us"))


def _moment(text: str) -> tuple[datetime, str] | None:
    """What a clock shows, and the time zone as it is written."""
    match = _MOMENT.fullmatch(text)
    try:
        return (datetime.fromisoformat(match[1]), match[5] or "") if match else None
    except ValueError:
        return None


def ticks(moments: pa.Array) -> list[int | None]:
    """Moments as whole numbers of what their type counts."""
    return list(moments.cast(pa.int64()).to_pylist())


def ticks_of_day(kind: pa.DataType) -> int:
    """How many of them are a day."""
    return _SECONDS_OF_DAY * _TICKS[kind.unit]
