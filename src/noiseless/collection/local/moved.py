"""How far clamping moves readings, and how far what is written lies from the middle of a cell."""

import math
from decimal import Decimal
from fractions import Fraction

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from noiseless.collection.local.arrays import are_numbers, are_plain
from noiseless.collection.local.scalar import LocalQuantizer
from noiseless.ranges.spans import Lattice, Span
from noiseless.rules.base import as_decimal

ENDLESS = 1100
"""An exponent of two beyond all floats: of readings that are infinite."""

_SHORT = 15
"""Decimals of so many digits have a float each."""


def farthest(span: Span, readings: pa.Array) -> int:
    """How far readings are moved at most to lie in a span: the exponent of a power of two.

    No more is told: together with the bounds, the distance itself would be the largest reading.

    >>> from noiseless.questions import Continuum
    >>> farthest(Continuum.of(0, 1), pa.array([0.5, 2.25])), farthest(Continuum.of(0, 1), pa.array(["3"]))
    (1, 1)
    """
    ends = _ends(readings)
    if ends is None:
        return ENDLESS
    off_steps = span.step / 2 if isinstance(span, Lattice) else Fraction(0)
    return _exponent(max(off_steps, *(span.low - end for end in ends), *(end - span.high for end in ends)))


def distance(exponent: int | None) -> Fraction | float:
    """The power of two; 0 when nothing was moved, infinite beyond all floats."""
    if exponent is None:
        return Fraction(0)
    return math.inf if exponent >= ENDLESS else Fraction(2) ** exponent


def rounding(part: LocalQuantizer, *, texts: bool) -> Fraction:
    """How far the number written for a cell can be from its middle: where digits do not end, it is a float.

    >>> from noiseless.questions import Continuum
    >>> [float(rounding(LocalQuantizer.finest(Continuum.of(0, 10), cells), texts=True)) for cells in (4, 3)]
    [0.0, 1.7763568394002505e-15]
    """
    span, largest = part.span, max(abs(part.span.low), abs(part.span.high))
    unit = span.step / 2 if isinstance(span, Lattice) else span.width / (2 * part.cells)
    finest = as_decimal(Fraction(1, math.lcm(span.low.denominator, unit.denominator)))
    if finest is not None and (texts or largest < Fraction(10) ** (_SHORT + int(finest.as_tuple().exponent))):
        return Fraction(0)
    return Fraction(math.ulp(float(largest)))


def _exponent(size: Fraction) -> int:
    """The smallest power of two that is not below a number above 0, as an exponent."""
    found = size.numerator.bit_length() - size.denominator.bit_length() - 1
    while Fraction(2) ** found < size:
        found += 1
    return min(found, ENDLESS)


def _ends(readings: pa.Array) -> list[Fraction] | None:
    """The smallest and the largest of readings, perhaps others between; None when one is infinite."""
    kind = readings.type
    if pt.is_floating(kind) and pc.any(pc.is_inf(readings.cast(pa.float64()))).as_py():
        return None
    if pt.is_float64(kind) or pt.is_integer(kind):
        if pt.is_float64(kind):
            readings = readings.filter(pc.invert(pc.is_nan(readings)))
        ends = [end for end in pc.min_max(readings).as_py().values() if end is not None]
        return [Fraction(repr(end)) for end in ends]
    texts = pc.utf8_trim_whitespace(pc.unique(readings.cast(pa.string()).drop_null()))
    numbers = texts.filter(pa.array(are_numbers(texts)))
    plain = are_plain(numbers)
    short = pc.min_max(numbers.filter(pa.array(plain)).cast(pa.float64())).as_py().values()
    found = [Fraction(repr(end)) for end in short if end is not None]
    return found + [Fraction(Decimal(text)) for text in numbers.filter(pa.array(~plain)).to_pylist()]
