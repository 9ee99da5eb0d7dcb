"""The cells of a quantizer as floats see them, and many floats put into them.

Long columns go through small compiled loops without branches, in two threads, which take less than a fiftieth
of the time of numpy's binary search. Short columns are searched: loading a loop takes longer.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from noiseless.arrays import FloatArray
from noiseless.tables.kernels import compiled

CodeArray = npt.NDArray[np.unsignedinteger[Any]]

SMALL = 100_000
"""Below this many values numpy does the work."""

_MARGIN = 2.0**-20
"""Guesses are too high by so much of a cell: a value is then never guessed to lie below its cell."""


@dataclass(frozen=True, eq=False)
class FloatCells:
    """The cells of a quantizer as floats see them.

    Attributes:
        starts: the smallest float of each cell, ascending.
        ends: the largest float of each.
        loop: puts many floats into cells, or into the ones beside them.
        numbers: what the loop takes besides.
    """

    starts: FloatArray
    ends: FloatArray
    loop: Callable[..., int]
    numbers: tuple[float, ...]

    @classmethod
    def on_line(cls, starts: FloatArray, high: float, origin: Fraction, width: Fraction) -> "FloatCells":
        """Cells of any numbers.

        Args:
            starts: the smallest float of each cell.
            high: the largest float of the last.
            origin: where the first cell begins, and
            width: how wide each is, if they are alike.
        """
        ends = np.append(np.nextafter(starts[1:], -np.inf), high)
        with np.errstate(over="ignore", divide="ignore"):
            rate = float(1 / np.float64(width))
            begin, step = (np.nan_to_num(float(np.float32(float(number)))) for number in (origin, width))
        rest = (float(origin - Fraction(begin)), float(width - Fraction(step)))
        numbers = (float(starts[0]), high, float(len(starts) - 1), float(origin), rate, begin, step, *rest)
        return cls(starts, ends, _cells_on_line, numbers)

    @classmethod
    def of_points(
        cls, firsts: FloatArray, lasts: FloatArray, units: tuple[float, float, float], density: float
    ) -> "FloatCells":
        """Cells of the points (origin + k * step) / scale, each of which stands for its nearest float.

        Args:
            firsts: the position k of each cell's first point.
            lasts: and of its last.
            units: origin, step and scale, whole numbers.
            density: how many cells there are to a point, about.
        """
        origin, step, scale = units
        starts, ends = ((origin + places * step) / scale for places in (firsts, lasts))
        cells = len(firsts)
        numbers = (origin, step, scale, float(lasts[-1]), 0.5 / cells, density, float(cells - 1))
        return cls(starts, ends, _cells_of_points, numbers)

    @property
    def cells(self) -> int:
        """How many cells there are."""
        return len(self.starts)

    @property
    def low(self) -> float:
        """The smallest float of the first cell."""
        return float(self.starts[0])

    @property
    def high(self) -> float:
        """The largest float of the last cell."""
        return float(self.ends[-1])

    @cached_property
    def _off_by(self) -> float:
        """How far off the loop is: it rises with the values, so the ends of cells tell."""
        found = [self._looped(side) for side in (self.starts, self.ends)]
        if any(off for _, off in found):
            return np.inf
        return max(float(abs(codes - np.arange(self.cells)).max()) for codes, _ in found)

    def _looped(self, values: FloatArray) -> tuple[CodeArray, int]:
        codes, loop = np.empty(len(values), code_type(self.cells)), compiled(self.loop)
        return codes, _in_threads(lambda part: loop(values[part], codes[part], *self.numbers), len(values))

    def looped(self, values: FloatArray) -> tuple[CodeArray, int] | None:
        """What `codes` gives, by a loop; None where the values are too few, or cells too uneven for it.

        Where the loop is one cell off at some edges, as those of decimals may be, numpy puts that right.
        """
        if len(values) < SMALL or self._off_by > 1:
            return None
        codes, off = self._looped(values)
        if self._off_by:
            codes -= values < np.append(-np.inf, self.starts[1:]).take(codes)
            codes += values >= np.append(self.starts[1:], np.nan).take(codes)
        return codes, off

    def codes(self, values: FloatArray) -> tuple[CodeArray, int]:
        """The cell of each float, and how many floats lie outside or are no numbers.

        Those below the bounds, and NaN, get the first cell, those above the last one.
        """
        if (found := self.looped(values)) is not None:
            return found
        places = np.searchsorted(self.starts, values, side="right") - 1
        not_a_number = np.isnan(values)
        places[not_a_number] = 0
        codes = np.maximum(places, 0).astype(code_type(self.cells))
        return codes, int(np.count_nonzero((values < self.low) | (values > self.high) | not_a_number))


def code_type(cells: int) -> type[np.unsignedinteger[Any]]:
    """The smallest type that numbers this many cells.

    >>> code_type(256).__name__, code_type(257).__name__
    ('uint8', 'uint16')
    """
    kinds = (np.uint8, np.uint16, np.uint32, np.uint64)
    return next(kind for kind in kinds if cells - 1 <= np.iinfo(kind).max)


def looked_up(labels: FloatArray, codes: CodeArray, out: FloatArray | None = None) -> FloatArray:
    """The label of each code."""
    if len(codes) < SMALL:
        return np.take(labels, codes, out=out, mode="clip")
    told = np.empty(len(codes)) if out is None else out
    _in_threads(lambda part: compiled(_take)(codes[part], labels, told[part]), len(codes))
    return told


def _in_threads(work: Callable[[slice], int], size: int) -> int:
    """The sum of what the work on both halves gives; loops run without the interpreter's lock."""
    work(slice(0, 0))  # compiles here what is not yet: a thread would import, while a caller may be imported
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(work, slice(size // 2, size))
        return work(slice(size // 2)) + other.result()


# The loops have no branches, so that they become vector instructions. Both rise with the value.


def _cells_on_line(  # noqa: PLR0917 - loops take arrays and numbers one by one
    values: FloatArray,
    codes: CodeArray,
    low: float,
    high: float,
    last: float,
    origin: float,
    rate: float,
    begin: float,
    step: float,
    more: float,
    more_a_step: float,
) -> int:
    """Invariant: a guess is the cell of a value moved into the bounds, or the one above it.

    Near its beginning, (begin + guess * step) + (more + guess * more_a_step), the first difference is exact.
    """
    outside = 0
    for i in range(len(values)):
        outside += not ((values[i] >= low) & (values[i] <= high))
        inside = values[i] if values[i] >= low else low  # noqa: FURB136 - max would let NaN through
        inside = inside if inside <= high else high  # noqa: FURB136 - min takes longer
        guess = np.floor((inside - origin) * rate + _MARGIN)
        guess = guess if guess < last else last  # noqa: FURB136
        is_in = inside - (begin + guess * step) >= more + guess * more_a_step
        codes[i] = np.int32(guess if is_in else guess - 1.0)
    return outside


def _cells_of_points(  # noqa: PLR0917
    values: FloatArray,
    codes: CodeArray,
    origin: float,
    step: float,
    scale: float,
    last_place: float,
    shift: float,
    density: float,
    last: float,
) -> int:
    """Invariant: products and sums of whole numbers are exact, so that only the quotient is rounded, once.

    Returns how many values are not the nearest float of a point; their codes mean nothing.
    """
    off, rate = 0, 1 / step
    for i in range(len(values)):
        place = np.floor((values[i] * scale - origin) * rate + 0.5)
        point = np.true_divide(origin + place * step, scale)
        off += not ((place >= 0) & (place <= last_place) & (point == values[i]))
        cell = (place + shift) * density
        codes[i] = np.int32(cell if cell < last else last)  # noqa: FURB136
    return off


def _take(codes: CodeArray, labels: FloatArray, told: FloatArray) -> int:
    for i in range(len(codes)):
        told[i] = labels[codes[i]]
    return 0
