"""Cells and lattices as floats see them: checked tables, and many floats put into them."""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor
from typing import Any

import numpy as np
import numpy.typing as npt

from noiseless.arrays import FloatArray

CodeArray = npt.NDArray[np.unsignedinteger[Any]]

_MARGIN = 2.0**-20
"""Guesses are too high by so much of a cell: a value is then never guessed to lie below its cell."""

_DIGITS = 50
"""Binary digits of each part of a number on a line; a few less than a float has."""


@dataclass(frozen=True)
class FloatLine:
    """Numbers first + k * step, each as the sum of two floats.

    `high + k * high_step` and `low + k * low_step` are exact, products and sums: fused or not, they are the
    same everywhere.
    """

    high: float
    high_step: float
    low: float
    low_step: float

    @classmethod
    def of(cls, first: Fraction, step: Fraction, last: int, *, up: bool = False) -> "FloatLine | None":
        """About 100 binary digits of each number up to k = last; None where floats end.

        >>> FloatLine.of(Fraction(1), Fraction(1, 8), 8)
        FloatLine(high=1.0, high_step=0.125, low=0.0, low_step=0.0)

        Args:
            first: the first number.
            step: the distance of numbers, above 0.
            last: how many numbers follow.
            up: round the step up instead of down.
        """
        coarse = _unit(max(abs(first), abs(first + last * step), (last + 1) * step))
        fine = _unit(coarse * (last + 1))
        if fine < Fraction(2) ** -1000:
            return None
        whole, rounded = floor(step / coarse) * coarse, ceil if up else floor
        rest = rounded((step - whole) / fine) * fine
        places = first / step
        if -last <= places <= 0 and places.denominator == 1:  # 0 must be 0: floats are densest there
            high, low = places * whole, places * rest
        else:
            high = floor(first / coarse) * coarse
            low = rounded((first - high) / fine) * fine
        return cls(float(high), float(whole), float(low), float(rest))

    @property
    def numbers(self) -> tuple[float, float, float, float]:
        """What kernels take."""
        return self.high, self.high_step, self.low, self.low_step

    def at(self, places: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Both parts of the numbers at some places."""
        return self.high + places * self.high_step, self.low + places * self.low_step


def _unit(largest: Fraction) -> Fraction:
    """A power of two, so many of which make the number."""
    exponent = largest.numerator.bit_length() - largest.denominator.bit_length()
    return Fraction(2) ** (exponent - _DIGITS)


@dataclass(frozen=True, eq=False)
class FloatCells:
    """The cells of a quantizer as floats see them.

    Attributes:
        starts: the smallest float of each cell, ascending.
        high: the largest float of the last cell.
        origin: with `scale`, the guess floor((value - origin) * scale): a value's cell, or the one above.
        scale: 0 when no guess is good enough; cells are then searched.
        line: the edges as a line on which (value - high part) >= low part decides as `starts` do; None when
            there is no such line, and `starts` have to be looked up.
    """

    starts: FloatArray
    high: float
    origin: float
    scale: float
    line: FloatLine | None = None

    @classmethod
    def of(
        cls, starts: FloatArray, high: float, slope: float, lines: Iterable[FloatLine | None] = ()
    ) -> "FloatCells":
        """A table whose guess is checked.

        Args:
            starts: the smallest float of each cell.
            high: the largest float of the last.
            slope: how many cells there are to a unit, about.
            lines: the edges, if they are equally far from each other; the first that decides right is taken.
        """
        low = float(starts[0])
        if 0 < slope < np.inf and _MARGIN / slope < np.inf:
            found = cls(starts, high, low - _MARGIN / slope, slope)
            if found._guess_is_right():
                return replace(found, line=next(filter(found._is_right, lines), None))
        return cls(starts, high, low, 0.0)

    @property
    def cells(self) -> int:
        """How many cells there are."""
        return len(self.starts)

    @property
    def low(self) -> float:
        """The smallest float of the first cell."""
        return float(self.starts[0])

    def _guess_is_right(self) -> bool:
        """Whether each guess is the cell itself or the one above it."""
        cells = np.arange(self.cells, dtype=np.float64)
        ends = np.append(np.nextafter(self.starts[1:], -np.inf), self.high)
        with np.errstate(over="ignore", invalid="ignore"):
            first, last = ((side - self.origin) * self.scale for side in (self.starts, ends))
        ordered = (self.starts <= ends).all() and np.isfinite(self.origin)
        return bool(ordered and (first >= cells).all() and (last < cells + 2).all())

    def _is_right(self, line: FloatLine | None) -> bool:
        """Whether a line tells the first float of each cell from the one below; it is monotone, too."""
        if line is None:
            return False
        high, low = line.at(np.arange(self.cells, dtype=np.float64))
        below = np.nextafter(self.starts, -np.inf)
        return bool((self.starts - high >= low).all() and (below - high < low)[1:].all())


@dataclass(frozen=True, eq=False)
class LatticeCells:
    """The cells of a lattice's points, and the points as floats see them.

    Attributes:
        cells: the cell of each point.
        origin: with `scale`, the position floor((value - origin) * scale) of a float that is a point's.
        scale: how many points there are to a unit.
        line: the points; the sum of both parts is the nearest float of each.
        shift: with `slope`, the cell floor((position + shift) * slope) of a point.
        slope: 0 when there is none, and cells have to be looked up.
    """

    cells: CodeArray
    origin: float
    scale: float
    line: FloatLine
    shift: float
    slope: float

    @classmethod
    def of(
        cls, first: Fraction, step: Fraction, points: FloatArray, cells: CodeArray
    ) -> "LatticeCells | None":
        """A table that finds each point.

        Args:
            first: the first point.
            step: the distance of points.
            points: the nearest float of each.
            cells: the cell of each.

        Returns:
            None when floats are too coarse for that.
        """
        line = FloatLine.of(first, step, len(points))
        if line is None:
            return None
        found = cls(cells, float(first - step / 2), float(1 / step), line, *_slope(cells))
        places = np.arange(len(points), dtype=np.float64)
        guesses = np.floor((points - found.origin) * found.scale)
        high, low = line.at(places)
        return found if (guesses == places).all() and (high + low == points).all() else None


def _slope(cells: CodeArray) -> tuple[float, float]:
    """How the cells of consecutive points follow from their positions; (0, 0) when they do not."""
    last, count = len(cells) - 1, int(cells[-1]) + 1
    places = np.arange(last + 1)
    little = 1 / (4 * count**2)  # of a point: where `Uniform` cells begin, next to k * last / count
    first = int(np.count_nonzero(cells == 0))
    for shift, length in ((0.5, float(first)), ((count - 0.5) * little, last / count + little)):
        if (np.floor((places + shift) * (1 / length)) == cells).all():
            return shift, 1 / length
    return 0.0, 0.0


def code_type(cells: int) -> type[np.unsignedinteger[Any]]:
    """The smallest type that numbers so many cells.

    >>> code_type(256).__name__, code_type(257).__name__
    ('uint8', 'uint16')
    """
    kinds = (np.uint8, np.uint16, np.uint32, np.uint64)
    return next(kind for kind in kinds if cells - 1 <= np.iinfo(kind).max)


SMALL = 100_000
"""Below so many values numpy does the work: loading a compiled kernel takes longer."""

SMALL_CHUNK = 10_000
"""The same for work that numpy does by sorting."""

_LARGE = 2**20
"""So many labels are more than caches hold, and are written past them."""

_THREADS = 2
"""The work is as fast as memory is; more threads than two add little."""

_LINE = 64
"""Bytes that are written at once."""

_NO_LINE = (0.0, 0.0, 0.0, 0.0)


def cells_of(table: FloatCells, values: FloatArray, out: CodeArray | None = None) -> tuple[CodeArray, int]:
    """The cell of each float, and how many floats lie outside or are no numbers.

    Those below the bounds, and NaN, get the first cell, those above the last one.

    Args:
        table: the cells.
        values: floats, contiguous.
        out: where to write the cells, if that is there already.
    """
    codes = np.empty(len(values), code_type(table.cells)) if out is None else out
    if not table.scale or len(values) < SMALL:
        return codes, _searched(table, values, codes)
    from noiseless.collection.local import compiled

    numbers = _numbers(table)
    return codes, _in_threads(lambda part: compiled.codes(values[part], *numbers, codes[part]), len(values))


def labels_of(
    table: FloatCells, labels: FloatArray, values: FloatArray, out: FloatArray | None = None
) -> tuple[FloatArray, int]:
    """What stands for the cell of each float (its middle), and how many floats lie outside.

    Args:
        table: the cells.
        labels: what stands for each.
        values: floats, contiguous.
        out: where to write the labels, if that is there already: contiguous, and apart from the values.
    """
    found = np.empty(len(values)) if out is None else out
    if not table.scale or len(values) < SMALL:
        codes, outside = cells_of(table, values)
        return looked_up(labels, codes, found), outside
    from noiseless.collection.local import compiled

    numbers = _numbers(table)
    return found, _in_threads(
        lambda part: compiled.labels(values[part], *numbers, labels, found[part], _head(out, part)),
        len(values),
    )


def looked_up(labels: FloatArray, codes: CodeArray, out: FloatArray | None = None) -> FloatArray:
    """The label of each code."""
    if len(codes) < SMALL:
        return np.take(labels, codes, out=out, mode="clip")
    from noiseless.collection.local import compiled

    found = np.empty(len(codes)) if out is None else out
    _in_threads(lambda part: compiled.take(codes[part], labels, found[part]), len(codes))
    return found


def lattice_cells(table: LatticeCells, values: FloatArray) -> CodeArray | None:
    """The cell of each float, all of which are nearest to a lattice point; None when some are not."""
    from noiseless.collection.local import compiled

    codes, numbers = np.empty(len(values), table.cells.dtype), _lattice_numbers(table)
    off = _in_threads(lambda part: compiled.lattice_codes(values[part], *numbers, codes[part]), len(values))
    return None if off else codes


def lattice_labels(
    table: LatticeCells, labels: FloatArray, values: FloatArray, out: FloatArray | None = None
) -> FloatArray | None:
    """What stands for the cell of each float, as `labels_of`; None when some are no lattice points."""
    from noiseless.collection.local import compiled

    found, numbers = np.empty(len(values)) if out is None else out, _lattice_numbers(table)
    off = _in_threads(
        lambda part: compiled.lattice_labels(values[part], *numbers, labels, found[part], _head(out, part)),
        len(values),
    )
    return None if off else found


def _numbers(table: FloatCells) -> tuple[Any, ...]:
    line = table.line.numbers if table.line else _NO_LINE
    return table.starts, table.high, table.origin, table.scale, line


def _lattice_numbers(table: LatticeCells) -> tuple[Any, ...]:
    return table.cells, table.origin, table.scale, table.line.numbers, table.shift, table.slope


def _head(out: FloatArray | None, part: slice) -> int:
    """How many labels come before a line of the caches begins; -1 when they are not written past them.

    New memory is in the caches already: the system has just filled it with zeros.
    """
    if out is None or len(out) < _LARGE:
        return -1
    return -out[part].ctypes.data % _LINE // out.itemsize


def _searched(table: FloatCells, values: FloatArray, codes: CodeArray) -> int:
    """By binary search: exact whatever the edges are."""
    found = np.searchsorted(table.starts, values, side="right") - 1
    not_a_number = np.isnan(values)
    found[not_a_number] = 0
    codes[:] = np.maximum(found, 0)
    return int(np.count_nonzero((values < table.low) | (values > table.high) | not_a_number))


def _in_threads(work: Callable[[slice], int], size: int) -> int:
    """The sum of what the work on each part gives; kernels run without the interpreter's lock."""
    threads = min(_THREADS, os.cpu_count() or 1)
    bounds = [size * part // threads for part in range(threads + 1)]
    first, *others = (slice(begin, end) for begin, end in pairwise(bounds))
    work(slice(0, 0))  # compiles here what is not yet: a thread would import, while a caller may be imported
    if not others:
        return work(first)
    with ThreadPoolExecutor(len(others)) as pool:
        waiting = [pool.submit(work, part) for part in others]
        return work(first) + sum(part.result() for part in waiting)
