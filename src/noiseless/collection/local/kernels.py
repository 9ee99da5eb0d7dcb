"""Floats into cells, many at a time, with exact edges."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np

from noiseless.arrays import FloatArray
from noiseless.collection.local.float_tables import CodeArray, FloatCells, LatticeCells, code_type

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
