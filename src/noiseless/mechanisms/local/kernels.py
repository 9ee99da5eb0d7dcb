"""Floats into cells, many at a time, with exact edges.

A float is compared with the float that decides exactly as the rational edge does, so a value on an edge
always lands in the same cell. A multiplication guesses the cell and how far into it the value lies; only
where that is next to the cell's end is the value compared. That the guess is right elsewhere is checked when
the table is made: it is monotone in the value, so the first and the last float of each cell tell for all.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any, cast

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
CodeArray = npt.NDArray[np.unsignedinteger[Any]]

SMALL = 100_000
"""Below so many values numpy does the work: loading a compiled kernel takes longer."""

_BLOCK = 2048
_FINEST, _COARSEST, _MOST_BITS = 20, 6, 30
"""A guess is made in parts of a cell: 2**20 of them, or as few as 2**6 where cells are many."""

_THREADS = 2
"""The work is as fast as memory is; more threads than two add little."""


@dataclass(frozen=True, eq=False)
class FloatCells:
    """The cells of a quantizer as floats see them.

    Attributes:
        starts: the smallest float of each cell, ascending.
        high: the largest float of the last cell.
        origin: with `scale`, the guess trunc((value - origin) * scale), in parts of a cell.
        scale: 0 when no guess is good enough; cells are then searched.
        parts: a cell has 2**parts parts.
    """

    starts: FloatArray
    high: float
    origin: float
    scale: float
    parts: int

    @classmethod
    def of(cls, starts: FloatArray, high: float, slope: float) -> "FloatCells":
        """A table whose guess is checked.

        Args:
            starts: the smallest float of each cell.
            high: the largest float of the last.
            slope: how many cells there are to a unit, about.
        """
        low, parts = float(starts[0]), min(_FINEST, _MOST_BITS - len(starts).bit_length())
        scale = slope * 2.0**parts
        if parts >= _COARSEST and 0 < scale < np.inf:
            # A quarter of a part low: what begins a cell is then guessed to end the one below, and compared.
            found = cls(starts, high, low + 1 / (4 * scale), scale, parts)
            if found._guess_is_right():
                return found
        return cls(starts, high, low, 0.0, 0)

    @property
    def cells(self) -> int:
        """How many cells there are."""
        return len(self.starts)

    @property
    def low(self) -> float:
        """The smallest float of the first cell."""
        return float(self.starts[0])

    def _guess_is_right(self) -> bool:
        """Whether each guess is in the cell itself, or is the last part of the one below."""
        begins = np.arange(self.cells + 1) * 2.0**self.parts
        ends = np.append(np.nextafter(self.starts[1:], -np.inf), self.high)
        with np.errstate(over="ignore", invalid="ignore"):
            first, last = ((side - self.origin) * self.scale for side in (self.starts, ends))
        ordered = (self.starts <= ends).all() and np.isfinite(self.origin)
        return bool(
            ordered and (first >= begins[:-1] - 1).all() and first[0] > -1 and (last < begins[1:]).all()
        )


def code_type(cells: int) -> type[np.unsignedinteger[Any]]:
    """The smallest type that numbers so many cells.

    >>> code_type(256).__name__, code_type(257).__name__
    ('uint8', 'uint16')
    """
    kinds = (np.uint8, np.uint16, np.uint32, np.uint64)
    return next(kind for kind in kinds if cells - 1 <= np.iinfo(kind).max)


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
    kernel, numbers = _compiled("codes"), _numbers(table)
    return codes, _in_threads(lambda part: kernel(values[part], *numbers, codes[part]), len(values))


def labels_of(
    table: FloatCells, labels: FloatArray, values: FloatArray, out: FloatArray | None = None
) -> tuple[FloatArray, int]:
    """What stands for the cell of each float (its middle), and how many floats lie outside."""
    found = np.empty(len(values)) if out is None else out
    if not table.scale or len(values) < SMALL:
        codes, outside = cells_of(table, values)
        return looked_up(labels, codes, found), outside
    kernel, numbers = _compiled("labels"), _numbers(table)
    return found, _in_threads(lambda part: kernel(values[part], *numbers, labels, found[part]), len(values))


def looked_up(labels: FloatArray, codes: CodeArray, out: FloatArray | None = None) -> FloatArray:
    """The label of each code."""
    if len(codes) < SMALL:
        return np.take(labels, codes, out=out, mode="clip")
    found, kernel = np.empty(len(codes)) if out is None else out, _compiled("take")
    _in_threads(lambda part: kernel(labels, codes[part], found[part]), len(codes))
    return found


def lattice_cells(
    units: tuple[float, float, float], cells: CodeArray, values: FloatArray
) -> tuple[CodeArray, int]:
    """The cell of each float that is the nearest one of a lattice point, and how many floats are not.

    Args:
        units: the first point, the step, and how many units make 1: points are (first + p * step) / scale.
        cells: the cell of each position.
        values: floats, contiguous. Those that are no point's have no meaningful cell.
    """
    codes, kernel = np.empty(len(values), cells.dtype), _compiled("lattice")
    return codes, _in_threads(lambda part: kernel(values[part], *units, cells, codes[part]), len(values))


def _numbers(table: FloatCells) -> tuple[Any, ...]:
    nexts, last = np.append(table.starts[1:], np.inf), np.int32(table.cells - 1)
    return nexts, table.origin, table.scale, table.low, table.high, np.int32(table.parts), last


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
    parts = [slice(begin, end) for begin, end in pairwise(bounds)]
    if threads == 1:
        return work(parts[0])
    with ThreadPoolExecutor(threads) as pool:
        return sum(pool.map(work, parts))


@cache
def _compiled(name: str) -> Callable[..., Any]:
    import numba

    function = {"codes": _codes, "labels": _labels, "take": _take, "lattice": _lattice}[name]
    try:
        return cast("Callable[..., Any]", numba.njit(cache=True, nogil=True)(function))
    except RuntimeError:  # nowhere to keep compiled code
        return cast("Callable[..., Any]", numba.njit(nogil=True)(function))


# The first two loops of a block have no branches and no look-ups: they become vector instructions. The third
# runs only where a guess is the last part of a cell, as those of values outside the bounds are made to be.
# Blocks are slices, so that no index can be negative, which would have to be looked at.


def _codes(values, nexts, origin, scale, low, high, parts, last, codes):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202, PLR0917
    outside, mask = 0, np.int32((1 << parts) - 1)
    guesses = np.empty(_BLOCK, np.int32)
    for start in range(0, len(values), _BLOCK):
        block, told = values[start : start + _BLOCK], codes[start : start + _BLOCK]
        for i in range(len(block)):
            inside = (block[i] >= low) & (block[i] <= high)
            guesses[i] = np.int32((block[i] - origin) * scale if inside else -1.0)
        near = np.int32(0)
        for i in range(len(block)):
            near += np.int32((guesses[i] & mask) == mask)
            told[i] = guesses[i] >> parts
        if near:
            for i in range(len(block)):
                if (guesses[i] & mask) == mask:
                    guess = guesses[i] >> parts
                    outside += guess < 0
                    told[i] = guess + (block[i] >= nexts[guess]) if guess >= 0 else last * (block[i] > high)
    return outside


def _labels(values, nexts, origin, scale, low, high, parts, last, labels, found):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202, PLR0917
    outside, mask = 0, np.int32((1 << parts) - 1)
    guesses = np.empty(_BLOCK, np.int32)
    for start in range(0, len(values), _BLOCK):
        block, told = values[start : start + _BLOCK], found[start : start + _BLOCK]
        for i in range(len(block)):
            inside = (block[i] >= low) & (block[i] <= high)
            guesses[i] = np.int32((block[i] - origin) * scale if inside else -1.0)
        near = np.int32(0)
        for i in range(len(block)):
            near += np.int32((guesses[i] & mask) == mask)
        if near:
            for i in range(len(block)):
                if (guesses[i] & mask) == mask:
                    guess = guesses[i] >> parts
                    outside += guess < 0
                    right = guess + (block[i] >= nexts[guess]) if guess >= 0 else last * (block[i] > high)
                    guesses[i] = right << parts
        for i in range(len(block)):
            told[i] = labels[guesses[i] >> parts]
    return outside


def _take(labels, codes, found):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    for i in range(len(codes)):
        found[i] = labels[codes[i]]
    return 0


def _lattice(values, first, step, scale, cells, codes):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202, PLR0917
    off, last = 0, np.float64(len(cells) - 1)
    inverse = 1 / step
    positions = np.empty(_BLOCK, np.int32)
    for start in range(0, len(values), _BLOCK):
        block, told = values[start : start + _BLOCK], codes[start : start + _BLOCK]
        for i in range(len(block)):
            place = np.floor((block[i] * scale - first) * inverse + 0.5)
            inside = (place >= 0) & (place <= last)
            place = place if inside else 0.0
            off += not (inside & ((first + place * step) / scale == block[i]))
            positions[i] = np.int32(place)
        for i in range(len(block)):
            told[i] = cells[positions[i]]
    return off
