"""Cells and lattices as floats see them: tables that are checked when they are made.

A float is compared with the float that decides exactly as the rational edge does, so a value on an edge
always lands in the same cell. A multiplication guesses the cell, or the one above it, and the edge between
the two decides. That the guess is right is checked here: it is monotone in the value, so the first and the
last float of each cell tell for all.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
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
class Line:
    """Numbers first + k * step, each as the sum of two floats.

    `high + k * high_step` and `low + k * low_step` are exact, products and sums: fused or not, they are the
    same everywhere.
    """

    high: float
    high_step: float
    low: float
    low_step: float

    @classmethod
    def of(cls, first: Fraction, step: Fraction, last: int, *, up: bool = False) -> "Line | None":
        """About 100 binary digits of each number up to k = last; None where floats end.

        >>> Line.of(Fraction(1), Fraction(1, 8), 8)
        Line(high=1.0, high_step=0.125, low=0.0, low_step=0.0)

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
    line: Line | None = None

    @classmethod
    def of(
        cls, starts: FloatArray, high: float, slope: float, lines: Iterable[Line | None] = ()
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

    def _is_right(self, line: Line | None) -> bool:
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
    line: Line
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
        line = Line.of(first, step, len(points))
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
