"""Values that lie on a line: numbers, days and moments, and how far along it each is."""

from datetime import date
from fractions import Fraction

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from noiseless.tables.canonical import canonical
from noiseless.tables.moments import MomentForm

_EPOCH = date(1970, 1, 1).toordinal()
_DAYS = date.min.toordinal() - 366 - _EPOCH, date.max.toordinal() - _EPOCH
"""The first day of the year 0 and the last of 9999: others are not written as days."""


def on_a_line(values: pa.Array) -> bool:
    """Whether all values are numbers, or all are days or moments, missing ones aside.

    Texts are where each says a moment. Truth values, times of the day and infinite numbers are not.

    >>> on_a_line(pa.array([1, None])), on_a_line(pa.array([True])), on_a_line(pa.array(["2020-01-02 03:04"]))
    (True, False, True)
    """
    kind = values.type
    if pt.is_integer(kind) or pt.is_decimal(kind):
        return True
    if pt.is_floating(kind):
        return bool(pc.all(pc.is_finite(values), min_count=0).as_py())
    if pt.is_date(kind):
        ends = pc.min_max(_days(values)).as_py()
        return ends["min"] is None or bool(_DAYS[0] <= ends["min"] and ends["max"] <= _DAYS[1])
    return _form(values) is not None


def points(values: pa.Array) -> list[Fraction | None] | None:
    """Numbers, or points in time in days; None for a missing value, or where they are not on a line.

    >>> points(pa.array([0.1, None])), points(pa.array(["flu"]))
    ([Fraction(1, 10), None], None)
    """
    if not on_a_line(values):
        return None
    if pt.is_date(values.type):
        return [None if day is None else Fraction(day) for day in _days(values).to_pylist()]
    texts = canonical(values)
    form = _form(values)
    if form is None:
        return [None if text is None else Fraction(text) for text in texts.to_pylist()]
    ticks = zip(form.ticks(texts).tolist(), texts.is_valid().to_pylist(), strict=True)
    return [tick * form.tick if known else None for tick, known in ticks]


def _days(values: pa.Array) -> pa.Array:
    """Days since 1970."""
    return values.cast(pa.date32()).cast(pa.int32())


def _form(values: pa.Array) -> MomentForm | None:
    """How moments are written; None for what are no moments."""
    if not (pt.is_timestamp(values.type) or pt.is_string(values.type)):
        return None
    return MomentForm.of(canonical(values))
