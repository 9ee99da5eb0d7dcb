"""The cells of a quantizer as floats see them, and many floats put into them.

Long columns go through three small compiled loops, in two threads: a guess and one comparison a value take a
fiftieth of the time of numpy's binary search. Short columns are searched: loading a loop takes longer.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from noiseless.arrays import FloatArray
from noiseless.tables.kernels import compiled

CodeArray = npt.NDArray[np.unsignedinteger[Any]]

SMALL = 100_000
"""Below so many values numpy does the work."""

_MARGIN = 2.0**-20
"""Guesses are too high by so much of a cell: a value is then never guessed to lie below its cell."""

_BLOCK = 2048
"""Values that stay in the nearest cache, with their codes, from loop to loop."""


@dataclass(frozen=True, eq=False)
class FloatCells:
    """The cells of a quantizer as floats see them.

    Attributes:
        starts: the smallest float of each cell, ascending.
        high: the largest float of the last cell.
        origin: with `scale`, the guess floor((value - origin) * scale): a value's cell, or the one above.
        scale: 0 when no guess is good enough; cells are then searched.
    """

    starts: FloatArray
    high: float
    origin: float
    scale: float

    @classmethod
    def of(cls, starts: FloatArray, high: float, slope: float) -> "FloatCells":
        """A table whose guess is checked.

        Args:
            starts: the smallest float of each cell.
            high: the largest float of the last.
            slope: how many cells there are to a unit, about.
        """
        low = float(starts[0])
        if 0 < slope < np.inf and _MARGIN / slope < np.inf:
            guessed = cls(starts, high, low - _MARGIN / slope, slope)
            if guessed._guess_is_right():
                return guessed
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

    def codes(self, values: FloatArray) -> tuple[CodeArray, int]:
        """The cell of each float, and how many floats lie outside or are no numbers.

        Those below the bounds, and NaN, get the first cell, those above the last one.
        """
        codes = np.empty(len(values), code_type(self.cells))
        if self.scale and len(values) >= SMALL:
            edges = np.append(-np.inf, self.starts[1:])  # below the bounds, too, lies the first cell
            table = edges, self.low, self.high, self.origin, self.scale
            kernel = compiled(_guess_cells)
            return codes, _in_threads(lambda part: kernel(values[part], *table, codes[part]), len(values))
        places = np.searchsorted(self.starts, values, side="right") - 1
        not_a_number = np.isnan(values)
        places[not_a_number] = 0
        codes[:] = np.maximum(places, 0)
        return codes, int(np.count_nonzero((values < self.low) | (values > self.high) | not_a_number))


def code_type(cells: int) -> type[np.unsignedinteger[Any]]:
    """The smallest type that numbers so many cells.

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


def off_points(values: FloatArray, origin: float, step: float, scale: float, last: int) -> int:
    """How many floats are not the nearest one of a point (origin + k * step) / scale, k from 0 to last."""
    kernel = compiled(_count_off_points)
    return _in_threads(lambda part: kernel(values[part], origin, step, scale, float(last)), len(values))


def _in_threads(work: Callable[[slice], int], size: int) -> int:
    """The sum of what the work on both halves gives; loops run without the interpreter's lock."""
    work(slice(0, 0))  # compiles here what is not yet: a thread would import, while a caller may be imported
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(work, slice(size // 2, size))
        return work(slice(size // 2)) + other.result()


# The loops over a block have no branches, so that they become vector instructions.


def _guess_cells(  # noqa: PLR0917 - loops take arrays and numbers one by one
    values: FloatArray,
    edges: FloatArray,
    low: float,
    high: float,
    origin: float,
    scale: float,
    codes: CodeArray,
) -> int:
    """Invariant: a guess is the cell of a value moved into the bounds, or the one above it."""
    last, outside = np.float64(len(edges) - 1), 0
    for begin in range(0, len(values), _BLOCK):
        block, cells = values[begin : begin + _BLOCK], codes[begin : begin + _BLOCK]
        for i in range(len(block)):
            outside += not ((block[i] >= low) & (block[i] <= high))
            inside = block[i] if block[i] >= low else low  # noqa: FURB136 - max would let NaN through
            inside = inside if inside <= high else high  # noqa: FURB136 - min takes longer
            guess = (inside - origin) * scale
            cells[i] = np.int32(min(last, guess))
        for i in range(len(block)):
            cells[i] -= block[i] < edges[cells[i]]
    return outside


def _take(codes: CodeArray, labels: FloatArray, told: FloatArray) -> int:
    for i in range(len(codes)):
        told[i] = labels[codes[i]]
    return 0


def _count_off_points(values: FloatArray, origin: float, step: float, scale: float, last: float) -> int:
    """Invariant: products and sums of whole numbers are exact, so that only the quotient is rounded, once."""
    off, rate = 0, 1 / step
    for i in range(len(values)):
        place = np.floor((values[i] * scale - origin) * rate + 0.5)
        point = np.true_divide(origin + place * step, scale)
        off += not ((place >= 0) & (place <= last) & (point == values[i]))
    return off
