"""The few loops over keys that numpy cannot fuse, as machine code for large inputs.

Below `SMALL` keys numpy does the same: loading a compiled kernel takes longer than the work.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from noiseless.tables.coding import IntArray

SMALL = 200_000


def run_starts(keys: IntArray) -> IntArray:
    """Where each run of equal keys begins."""
    if not len(keys):
        return np.empty(0, np.int64)
    return np.concatenate(([0], np.flatnonzero(keys[1:] != keys[:-1]) + 1))


def distinct_keys(keys: IntArray) -> tuple[IntArray, IntArray]:
    """The distinct ones of some ascending keys, and how often each occurs; `keys` may be overwritten."""
    if len(keys) < SMALL:
        starts = run_starts(keys)
        return keys[starts], np.diff(starts, append=len(keys))
    counts = np.empty_like(keys)
    end = compiled(_distinct_keys)(keys, counts)
    return keys[:end], counts[:end]


def distinct_values(values: IntArray) -> IntArray:
    """The distinct ones of some values, ascending (np.unique hashes, which takes far longer)."""
    return distinct_keys(np.sort(values))[0]


def split_last(keys: IntArray, size: int) -> tuple[IntArray, IntArray]:
    """Take the last column off some ascending keys.

    Args:
        keys: keys of the form group * size + code.
        size: how many codes there can be.

    Returns:
        Where each group begins (and the number of keys at the end), and the code of each key.
    """
    if len(keys) < SMALL:
        groups, codes = np.divmod(keys, size)
        return np.append(run_starts(groups), len(keys)), codes
    starts, codes = np.empty(len(keys) + 1, np.int64), np.empty_like(keys)
    end = compiled(_split_last)(keys, size, starts, codes)
    return starts[:end], codes


def add_multiple(keys: IntArray, values: npt.NDArray[np.integer], factor: int) -> None:
    """Keys += values * factor, modulo 2**64."""
    if len(keys) < SMALL:
        keys += values.astype(np.int64) * factor
    else:
        compiled(_add_multiple)(keys, values, factor)


# The kernels fill arrays that numpy allocates: numpy asks for huge pages, numba does not; it halves the time.


def _distinct_keys(keys: IntArray, counts: IntArray) -> int:
    last, start = 0, 0
    for i in range(1, len(keys)):
        if keys[i] != keys[last]:
            counts[last] = i - start
            last, start = last + 1, i
            keys[last] = keys[i]
    counts[last] = len(keys) - start
    return last + 1


def _add_multiple(keys: IntArray, values: npt.NDArray[np.integer], factor: int) -> None:
    for i in range(len(keys)):
        keys[i] += np.int64(values[i]) * factor


def _split_last(keys: IntArray, size: int, starts: IntArray, codes: IntArray) -> int:
    groups, end = 0, np.int64(-1)
    for i in range(len(keys)):
        if keys[i] >= end:  # the first key of another group
            starts[groups] = i
            groups += 1
            end = keys[i] - keys[i] % size + size
        codes[i] = keys[i] - (end - size)
    starts[groups] = len(keys)
    return groups + 1


@cache
def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function as machine code, compiled once and kept beside its file where that can be written."""
    import numba

    try:
        return cast("Callable[..., Any]", numba.njit(cache=True)(function))
    except RuntimeError:  # no folder to keep it in: compile it anew in each process
        return cast("Callable[..., Any]", numba.njit(function))
