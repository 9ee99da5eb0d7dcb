"""Readings of any kind into cells, exactly: floats, whole numbers, decimals and their texts."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from noiseless.arrays import BoolArray, FloatArray
from noiseless.collection.local.float_cells import CodeArray, FloatCells
from noiseless.errors import RequestError
from noiseless.exact import round_down, round_up
from noiseless.ranges.quantizer import Quantizer, Stepped
from noiseless.ranges.spans import Lattice

Floats = Literal["binary", "decimal"]
"""What a float stands for on a continuum: itself, or the shortest decimal that reads back as it."""

MOST_CELLS = 2**22
_EXACT = 2**53
"""Whole numbers up to this size have a float each."""
_SHORT = 15
"""A decimal of this many digits is the shortest one that reads back as its float."""
_APART = 2**51
"""Whole numbers up to this size, divided by one number, have different floats."""
_NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$"


@dataclass(frozen=True, eq=False)
class CodedReadings:
    """The cells of some readings.

    Attributes:
        codes: the number of each reading's cell; readings without one have the nearest, or 0.
        missing: which readings are missing or NaN; None when none is.
        outside: how many others are outside the bounds or off the lattice.
        strange: how many are no numbers at all; they count as outside too.
    """

    codes: CodeArray
    missing: BoolArray | None
    outside: int
    strange: int = 0

    @property
    def missing_count(self) -> int:
        """How many readings are missing."""
        return 0 if self.missing is None else int(np.count_nonzero(self.missing))


def encode(quantizer: Quantizer, readings: Any, floats: Floats = "binary") -> CodedReadings:  # noqa: ANN401 - any array
    """The cell of each reading.

    Args:
        quantizer: the cells.
        readings: a numpy array of numbers, an Arrow array of numbers or texts, or a list of numbers.
        floats: on a continuum, what a float stands for. On a lattice it stands for the point that it is
            nearest to, if it is that point's nearest float.

    Raises:
        RequestError: they are no numbers, or the lattice is finer than floats are.
    """
    if isinstance(readings, pa.ChunkedArray):
        readings = readings.combine_chunks()
    if isinstance(readings, pa.Array):
        return _encode_arrow(quantizer, readings, floats)
    values = readings if isinstance(readings, np.ndarray) else _as_array(readings)
    if values.ndim != 1:
        raise RequestError("readings are one column; quantise several columns as a vector")
    if values.dtype.kind == "f":
        return _encode_floats(quantizer, values, floats)
    if values.dtype.kind in "iu":
        return _encode_integers(quantizer, values)
    if values.dtype.kind == "O":
        return _encode_exactly(quantizer, values.tolist())
    raise RequestError(f"readings are numbers, not {values.dtype.name}")


def _as_array(readings: Iterable[Any]) -> npt.NDArray[Any]:
    """A list as an array; anything but floats stays what it is, for numpy would round."""
    values = list(readings)
    if all(isinstance(value, float) for value in values):
        return np.asarray(values, np.float64)
    found = np.empty(len(values), object)
    found[:] = values
    return found


def _encode_arrow(quantizer: Quantizer, readings: pa.Array, floats: Floats) -> CodedReadings:
    kind = readings.type
    if pt.is_float64(kind) or (pt.is_float32(kind) and isinstance(quantizer.span, Lattice)):
        return _encode_floats(quantizer, readings.to_numpy(zero_copy_only=False), floats)
    if pt.is_integer(kind) and not readings.null_count:
        return _encode_integers(quantizer, readings.to_numpy())
    if pt.is_dictionary(kind):
        kind = kind.value_type
    is_text = pt.is_string(kind) or pt.is_large_string(kind)
    if is_text or pt.is_decimal(kind) or pt.is_integer(kind) or pt.is_floating(kind) or pt.is_null(kind):
        return _encode_texts(quantizer, readings.cast(pa.string()))
    raise RequestError(f"readings are numbers, not {readings.type}")


def _encode_floats(quantizer: Quantizer, values: npt.NDArray[Any], floats: Floats) -> CodedReadings:
    span = quantizer.span
    if not isinstance(span, Lattice):
        codes, off = float_cells(quantizer, floats).codes(np.ascontiguousarray(values, np.float64))
    elif (points := _cells_of_points(quantizer, values)) is not None:
        return CodedReadings(points, None, 0)
    else:
        positions, moved = _positions(span, values)
        codes, off = position_cells(quantizer).codes(positions)[0], int(np.count_nonzero(moved))
    if not off:
        return CodedReadings(codes, None, 0)
    missing = np.isnan(values)
    return CodedReadings(codes, missing, off - int(np.count_nonzero(missing)))


def _cells_of_points(quantizer: Quantizer, values: npt.NDArray[Any]) -> CodeArray | None:
    """The cells of a long column of points that floats tell apart; None where it is something else."""
    origin, step, _ = _units(quantizer.span)
    if values.dtype != np.float64 or max(abs(origin), abs(origin + quantizer.last * step)) > _APART:
        return None
    found = float_cells(quantizer, "binary").looped(np.ascontiguousarray(values))
    return found[0] if found is not None and not found[1] else None


def _encode_integers(quantizer: Quantizer, values: npt.NDArray[Any]) -> CodedReadings:
    """Whole numbers that have a float each are compared as floats, larger ones as they are."""
    if len(values) and max(abs(int(values.min())), abs(int(values.max()))) > _EXACT:
        return _encode_exactly(quantizer, values.tolist())
    return _encode_floats(quantizer, values.astype(np.float64), "binary")


def _encode_texts(quantizer: Quantizer, texts: pa.StringArray) -> CodedReadings:
    """Each different text once; short decimals through floats, which decide as the decimals themselves do."""
    coded = texts.dictionary_encode()
    distinct = coded.dictionary
    if not len(distinct):
        return CodedReadings(np.zeros(len(texts), np.uint8), np.ones(len(texts), bool), 0)
    plain = are_plain(distinct)
    empty = strange = np.zeros(len(distinct), bool)
    if not plain.all():
        distinct = pc.utf8_trim_whitespace(distinct)
        plain, empty = are_plain(distinct), pc.equal(distinct, "").to_numpy(zero_copy_only=False)
        strange = ~empty & ~are_numbers(distinct)
    codes, outside = np.zeros(len(distinct), np.int64), strange.copy()
    if plain.any():  # a lattice finer than floats takes long texts only
        codes[plain], outside[plain] = _plain_cells(quantizer, distinct.filter(pa.array(plain)))
    for place in np.flatnonzero(~plain & ~empty & ~strange):
        codes[place], outside[place] = _exact_cell(quantizer, Fraction(Decimal(distinct[place].as_py())))
    places = coded.indices.fill_null(0).to_numpy(zero_copy_only=False)
    missing = coded.indices.is_null().to_numpy(zero_copy_only=False) | empty[places]
    out, odd = (int(np.count_nonzero(kind[places] & ~missing)) for kind in (outside, strange))
    return CodedReadings(cast("CodeArray", codes[places]), missing if missing.any() else None, out, odd)


def are_numbers(texts: pa.StringArray) -> BoolArray:
    """Which texts are decimals."""
    return cast("BoolArray", pc.match_substring_regex(texts, _NUMBER).to_numpy(zero_copy_only=False))


def are_plain(texts: pa.StringArray) -> BoolArray:
    """Which texts are decimals so short that a float decides as they do."""
    found = pc.and_(
        pc.less_equal(pc.binary_length(texts), _SHORT), pc.match_substring_regex(texts, r"^-?\d+(\.\d+)?$")
    )
    return cast("BoolArray", found.to_numpy(zero_copy_only=False))


def _plain_cells(quantizer: Quantizer, texts: pa.StringArray) -> tuple[CodeArray, BoolArray]:
    """The cell of each short decimal, and which are outside or off the lattice."""
    values = texts.cast(pa.float64()).to_numpy()
    if isinstance(quantizer.span, Lattice):
        positions, off = _positions(quantizer.span, values)
        return position_cells(quantizer).codes(positions)[0], off
    table = float_cells(quantizer, "decimal")
    return table.codes(values)[0], (values < table.low) | (values > table.high)


def _encode_exactly(quantizer: Quantizer, values: Sequence[Any]) -> CodedReadings:
    """One by one, as fractions."""
    codes, missing = np.zeros(len(values), np.int64), np.zeros(len(values), bool)
    outside = strange = 0
    for place, value in enumerate(values):
        if value is None or (isinstance(value, float | np.floating | Decimal) and math.isnan(value)):
            missing[place] = True
            continue
        number = _fraction(value)
        if number is None:
            outside, strange = outside + 1, strange + 1
        else:
            codes[place], off = _exact_cell(quantizer, number)
            outside += off
    return CodedReadings(cast("CodeArray", codes), missing, outside, strange)


def _fraction(value: Any) -> Fraction | None:  # noqa: ANN401 - anything
    """A number as a fraction; infinities as numbers beyond any bounds."""
    if isinstance(value, bool | str):
        return None
    try:
        return Fraction(value)
    except OverflowError:  # infinite
        return Fraction(10**400) * (1 if value > 0 else -1)
    except (TypeError, ValueError, InvalidOperation):
        return None


def _exact_cell(quantizer: Quantizer, value: Fraction) -> tuple[int, bool]:
    """The cell of a number, and whether it was moved to get there."""
    span = quantizer.span
    inside = min(max(value, span.low), span.high)
    if isinstance(span, Lattice):
        position = math.floor((inside - span.low) / span.step + Fraction(1, 2))
        return quantizer.cell_at(position), span.value(position) != value
    return quantizer.cell(inside), inside != value


def _positions(lattice: Lattice, values: npt.NDArray[Any]) -> tuple[FloatArray, BoolArray]:
    """The nearest position of each float, and which floats are not the nearest one of their point."""
    origin, step, scale = _units(lattice)
    last, ends = float(lattice.last), (float(lattice.low), float(lattice.high))
    with np.errstate(invalid="ignore"):
        inside = np.clip(np.where(np.isnan(values), ends[0], values), *ends).astype(np.float64)
    positions = np.clip(np.floor((inside * scale - origin) / step + 0.5), 0.0, last)
    off = ((origin + positions * step) / scale).astype(values.dtype) != values
    for shift in (-1.0, 1.0, -2.0, 2.0):  # in many units the product above may be off by one or two
        if not off.any():
            break
        tried = np.clip(positions + shift, 0.0, last)
        right = off & (((origin + tried * step) / scale).astype(values.dtype) == values)
        positions[right], off[right] = tried[right], False
    return positions, off


@lru_cache(64)
def _units(lattice: Lattice) -> tuple[float, float, float]:
    """The first point and the step as whole numbers of units, and how many units make 1."""
    scale = math.lcm(lattice.low.denominator, lattice.step.denominator)
    largest: Fraction = max(abs(lattice.low), abs(lattice.high)) * scale
    if largest > _EXACT or scale > _EXACT:
        raise RequestError("the step is finer than floats are; declare a larger one, or whole numbers")
    return float(lattice.low * scale), float(lattice.step * scale), float(scale)


@lru_cache(64)
def position_cells(quantizer: Quantizer) -> FloatCells:
    """The cells of a lattice by position."""
    if quantizer.last > _EXACT:
        raise RequestError("a lattice has at most 2**53 points; declare a larger step")
    return _point_cells(quantizer, (0.0, 1.0, 1.0))


@lru_cache(64)
def float_cells(quantizer: Quantizer, floats: Floats) -> FloatCells:
    """The cells by value: those of a lattice begin at the nearest float of their first point."""
    check_size(quantizer)
    span, cells = quantizer.span, quantizer.cells
    if isinstance(span, Lattice):
        return _point_cells(quantizer, _units(span))
    starts = np.array([_first(quantizer.edge(cell), floats) for cell in range(cells)])
    high = round_down(span.high) if floats == "binary" else -_first(-span.high, floats)
    return FloatCells.on_line(starts, high, span.low, span.width / cells)


def _point_cells(quantizer: Quantizer, units: tuple[float, float, float]) -> FloatCells:
    check_size(quantizer)
    firsts = quantizer.first_points.astype(np.float64)
    density = 1.0 if quantizer.cells > quantizer.last else quantizer.cells / quantizer.last
    if isinstance(quantizer, Stepped):
        density = 1 / quantizer.points
    return FloatCells.of_points(firsts, np.append(firsts[1:] - 1, float(quantizer.last)), units, density)


def _first(edge: Fraction, floats: Floats) -> float:
    """The smallest float that stands for a number at or above an edge."""
    if floats == "binary":
        return round_up(edge)
    nearest = float(edge)
    tried = (math.nextafter(nearest, -math.inf), nearest, math.nextafter(nearest, math.inf))
    return next(value for value in tried if Fraction(repr(value)) >= edge)


def check_size(quantizer: Quantizer) -> None:
    """Check that the cells can be listed.

    Raises:
        RequestError: they are too many, or numbers are too large for floats.
    """
    if quantizer.cells > MOST_CELLS:
        raise RequestError(f"{quantizer.cells:,} cells are too many for a column; allow {MOST_CELLS:,}")
    if max(abs(quantizer.span.low), abs(quantizer.span.high)) > 10**300:
        raise RequestError("bounds beyond 1e300 are none for a column of numbers")
