"""Readings of many households over time, from any table, as whole numbers of steps."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor, log10
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from noiseless.arrays import IntArray
from noiseless.errors import ColumnError, RequestError
from noiseless.exact import Rational, as_fraction
from noiseless.ranges.spans import Lattice
from noiseless.tables import Table, open_table, require_distinct
from noiseless.tables.duckdb_table import at_hand
from noiseless.tables.engine import SOURCE, identifier

Floats = npt.NDArray[np.floating[Any]]
Numbers = npt.NDArray[np.int32]

_MOST_DECIMALS = 6
_LEVELS = 6
"""Readings with more decimals are rounded to a millionth of their range: ten to this power."""

_LARGEST = 2**31 - 1
_NO_NUMBERS = ("VARCHAR", "BLOB", "BOOLEAN")
_TIMES = ("DATE", "TIME")


@dataclass(frozen=True, eq=False)
class Readings:
    """What households used, in steps above the lower bound.

    Attributes:
        numbers: a row a household, a column a time.
        lattice: the values that a reading can have.
        left_out: how many households were left out because too many of their readings are missing.
        filled: how many missing readings were replaced by the one before.
    """

    numbers: Numbers
    lattice: Lattice
    left_out: int
    filled: int

    @property
    def households(self) -> int:
        """How many households there are."""
        return int(self.numbers.shape[0])

    @property
    def times(self) -> int:
        """How many readings each has."""
        return int(self.numbers.shape[1])


def read_readings(
    source: Any,  # noqa: ANN401 - any frame or source
    *,
    unit: str | None = None,
    time: str | None = None,
    value: str | None = None,
    bounds: tuple[Rational | float, Rational | float] | None = None,
    step: Rational | float | None = None,
    clamp: bool = False,
    most_missing: Rational | float = Fraction(1, 1000),
    names: Sequence[str] | None = None,
) -> Readings:
    """Read a wide table (a column a household), a long one (a row a reading) or an array (a row a time).

    Args:
        source: a numpy array, or any table.
        unit: the column that names a household, in a long table.
        time: the column that orders readings. A wide table needs none: its rows are in order.
        value: the column of readings, in a long table.
        bounds: the smallest and the largest possible reading; those of the readings themselves if not given.
        step: the resolution of readings; found from their decimals if not given.
        clamp: move readings outside the bounds to the nearest.
        most_missing: households that lack a larger share of readings are left out; a missing reading of the
            others is replaced by the one before.
        names: the columns' names, for text files without a header line.

    Raises:
        RequestError: readings lie outside the bounds, or nothing is left.
    """
    if isinstance(source, np.ndarray):
        values: Floats = source if source.dtype.kind == "f" else source.astype(np.float64)
        if values.ndim != 2:  # noqa: PLR2004 - times and households
            raise RequestError("an array of readings has two axes: times and households")
    else:
        values = _from_table(source, unit, time, value, names)
    values, left_out, filled = without_gaps(values, as_fraction(_written(most_missing)))
    lattice = _lattice(values, bounds, step)
    return Readings(_numbers(values, lattice, clamp=clamp), lattice, left_out, filled)


def _written(number: Rational | float) -> Rational:
    """A float as it is written: 0.1 is a tenth."""
    return Fraction(repr(float(number))) if isinstance(number, float) else number


def _from_table(
    source: Any,  # noqa: ANN401 - any frame or source
    unit: str | None,
    time: str | None,
    value: str | None,
    names: Sequence[str] | None,
) -> Floats:
    table = open_table(source, names=names)
    if unit is None and value is None:
        return _from_wide(table, time)
    if unit is None or time is None or value is None:
        raise RequestError("a long table takes --unit, --time and --value; a wide one neither unit nor value")
    require_distinct(unit=[unit], time=[time], value=[value])
    return _from_long(table, unit, time, value)


def _rows(table: Table, columns: Sequence[str], numbers: Sequence[str]) -> pa.Table:
    """Columns of a table in order, those that hold numbers as floats."""
    chosen = at_hand(table.select(columns))
    for column in numbers:
        if chosen.kinds[column].startswith((*_NO_NUMBERS, *_TIMES)):
            raise ColumnError(column, "holds no numbers; name the column that orders readings with --time")
    parts = [
        f"{identifier(c)}::DOUBLE AS {identifier(c)}"
        if c in numbers and chosen.kinds[c] != "FLOAT"
        else identifier(c)
        for c in columns
    ]
    return chosen.arrow(f"SELECT {', '.join(parts)} FROM {SOURCE}")


def _from_wide(table: Table, time: str | None) -> Floats:
    if time is not None:
        table.require(time)
    kinds = at_hand(table.select(table.columns)).kinds
    numbers = [c for c in table.columns if c != time and not kinds[c].startswith(_TIMES)]
    if not numbers:
        raise RequestError("the table has no column of readings")
    rows = _rows(table, numbers if time is None else [time, *numbers], numbers)
    if time is not None:
        rows = rows.take(pc.sort_indices(rows.column(time)))
    columns = [rows.column(name).to_numpy() for name in numbers]
    return np.column_stack(columns)


def _from_long(table: Table, unit: str, time: str, value: str) -> Floats:
    rows = _rows(table, [unit, time, value], [value])
    households, times = _codes(rows, unit), _codes(rows, time)
    places = times * (households.max(initial=0) + 1) + households
    twice = len(places) - len(np.unique(places))
    if twice:
        raise RequestError(f"{twice:,} readings share their {unit} and {time} with another; keep one of each")
    readings = rows.column(value).to_numpy()
    found = np.full((times.max(initial=-1) + 1, households.max(initial=-1) + 1), np.nan, readings.dtype)
    found[times, households] = readings
    return found


def _codes(rows: pa.Table, column: str) -> IntArray:
    """For each row the place of its value among the sorted values of a column."""
    values = rows.column(column).combine_chunks()
    if values.null_count:
        raise ColumnError(column, f"has {values.null_count:,} missing values; leave these rows out")
    distinct = pc.unique(values)
    ordered = distinct.take(pc.sort_indices(distinct))
    return np.asarray(pc.index_in(values, ordered).to_numpy(zero_copy_only=False), np.int64)


def without_gaps(values: Floats, most_missing: Fraction) -> tuple[Floats, int, int]:
    """Households with few gaps, each filled with the reading before; the first ones with the one after."""
    if not values.size:
        raise RequestError("there are no readings")
    missing = ~np.isfinite(values)
    kept = missing.sum(axis=0) <= float(most_missing) * len(values)
    kept &= ~missing.all(axis=0)
    if not kept.any():
        raise RequestError("every household lacks too many readings; raise --most-missing")
    found, gaps = values[:, kept], missing[:, kept]
    if not gaps.any():
        return found, int((~kept).sum()), 0
    places = np.where(gaps, -1, np.arange(len(found))[:, None])
    last = np.maximum.accumulate(places, axis=0)
    first = (~gaps).argmax(axis=0)
    filled = np.take_along_axis(found, np.where(last < 0, first, last), axis=0)
    return filled, int((~kept).sum()), int(gaps.sum())


def _lattice(
    values: Floats,
    bounds: tuple[Rational | float, Rational | float] | None,
    step: Rational | float | None,
) -> Lattice:
    width = _step(values) if step is None else as_fraction(_written(step))
    if width <= 0:
        raise RequestError("a step is a number above 0")
    if bounds is not None:
        lattice = Lattice.of(_written(bounds[0]), _written(bounds[1]), width)
    else:
        low, high = (round(Fraction(float(end)) / width) for end in (values.min(), values.max()))
        lattice = Lattice(low * width, width, high - low)
    if not 0 < lattice.last <= _LARGEST:
        raise RequestError("readings lie between two different bounds, at most 2^31 steps apart")
    return lattice


def _step(values: Floats) -> Fraction:
    """The power of ten of which all readings are multiples, as far as floats can tell."""
    slack = 2 * np.finfo(values.dtype).eps
    for decimals in range(_MOST_DECIMALS + 1):
        scaled = values.astype(np.float64) * 10**decimals
        if (np.abs(scaled - np.rint(scaled)) <= slack * np.abs(scaled)).all():
            return Fraction(1, 10**decimals)
    return Fraction(10) ** (floor(log10(float(values.max() - values.min()))) - _LEVELS)


def _numbers(values: Floats, lattice: Lattice, *, clamp: bool) -> Numbers:
    steps = np.rint((values.T.astype(np.float64) - float(lattice.low)) / float(lattice.step))
    outside = int(((steps < 0) | (steps > lattice.last)).sum())
    if outside and not clamp:
        raise RequestError(f"{outside:,} readings lie outside the bounds; widen them, or pass --clamp")
    return np.ascontiguousarray(np.clip(steps, 0, lattice.last).astype(np.int32))
