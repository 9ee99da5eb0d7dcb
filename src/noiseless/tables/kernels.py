"""Runs, sums and sorts of integer keys, and functions as machine code."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from noiseless.arrays import BoolArray, IntArray
from noiseless.tables.coding import whole_type

KEY_LIMIT = 2**63
"""Keys are signed 64-bit integers."""

SMALL = 200_000
"""Fewer keys are sorted by numpy: loading machine code takes longer than the work."""


def run_starts(keys: IntArray) -> IntArray:
    """Where each run of equal keys begins."""
    if not len(keys):
        return np.empty(0, np.int64)
    begins = np.ones(len(keys), bool)
    np.not_equal(keys[1:], keys[:-1], out=begins[1:])
    return np.flatnonzero(begins)


def distinct_keys(keys: IntArray) -> tuple[IntArray, IntArray]:
    """The distinct ones of some ascending keys, and how often each occurs."""
    starts = run_starts(keys)
    return keys[starts], np.diff(starts, append=len(keys))


def sums_of_runs(keys: IntArray, weights: IntArray) -> tuple[IntArray, IntArray]:
    """The distinct ones of some ascending keys, and the sum of the weights of each."""
    starts = run_starts(keys)
    if len(starts) == len(keys):
        return keys, weights
    return keys[starts], np.add.reduceat(weights, starts, dtype=weights.dtype)


def sums_by_key(keys: IntArray, weights: IntArray) -> tuple[IntArray, IntArray]:
    """The same of keys in any order, which may be overwritten; none is negative, and no weight is."""
    width = int(weights.max(initial=0)).bit_length()
    if int(keys.max(initial=0)) << width >= KEY_LIMIT:
        order = np.argsort(keys)
        return sums_of_runs(keys[order], weights[order])
    both = keys.astype(np.int64, copy=False)  # one array is sorted several times as fast as one by another
    both <<= width
    both |= weights
    both.sort()
    sorted_weights = (both & (1 << width) - 1).astype(weights.dtype, copy=False)
    both >>= width
    return sums_of_runs(both.astype(keys.dtype, copy=False), sorted_weights)


def distinct_values(values: IntArray) -> IntArray:
    """The distinct ones of some values, ascending (np.unique hashes, which takes ten times as long)."""
    keys = np.sort(values)
    return keys[run_starts(keys)]


def distinct_codes(codes: IntArray) -> IntArray:
    """The distinct codes (from 0 up), ascending; those that are close together need no sorting."""
    size = int(codes.max()) + 1 if len(codes) else 0
    if size > 2 * len(codes):
        return distinct_values(codes)
    met = np.zeros(size, bool)
    met[codes] = True
    return np.flatnonzero(met)


def ranked(codes: IntArray) -> tuple[IntArray, IntArray]:
    """The distinct codes (from 0 up), ascending, and the place of each code among them."""
    size = int(codes.max()) + 1 if len(codes) else 0
    if size <= 2 * len(codes):  # close together: a table of all codes is faster than sorting
        met = np.zeros(size, bool)
        met[codes] = True
        return np.flatnonzero(met), (np.cumsum(met) - 1)[codes]
    distinct = distinct_values(codes)
    return distinct.astype(np.int64, copy=False), np.searchsorted(distinct, codes)


def split_last(keys: IntArray, size: int) -> tuple[IntArray, IntArray]:
    """Take the last column off some ascending keys.

    Args:
        keys: keys of the form group * size + code.
        size: how many codes there can be.

    Returns:
        Where each group begins (and the number of keys at the end), and the code of each key.
    """
    groups, codes = np.divmod(keys, size)
    return np.append(run_starts(groups), len(keys)), codes


def add_by_code(codes: IntArray, values: IntArray, size: int, kind: npt.DTypeLike = np.int64) -> IntArray:
    """The exact sum of the values that each code below `size` has, in a type that holds it."""
    sums = np.zeros(size, kind)
    np.add.at(sums, codes, values)
    return sums


def heads(chosen: BoolArray, counts: IntArray, persons: IntArray | None) -> int:
    """How many rows the chosen combinations have; or how many different persons, where they are known."""
    if persons is None:
        return int(counts[chosen].sum())
    return len(distinct_values(persons[chosen]))


def heads_by_code(codes: IntArray, counts: IntArray, persons: IntArray | None, size: int) -> IntArray:
    """How many rows have each code below `size`; or how many different persons, where they are known."""
    if persons is None:
        return add_by_code(codes, counts, size)
    width = int(persons.max(initial=0)) + 1
    met = distinct_values(codes.astype(np.int64, copy=False) * width + persons)
    return np.bincount(met // width, minlength=size)


def add_runs(values: IntArray, starts: IntArray) -> IntArray:
    """The sum of each run of values, given where the runs begin and, at the end, how many values there are.

    All values together must fit into their type, as counts of rows do.
    """
    if len(starts) == len(values) + 1:
        return values  # every run is one value
    totals = np.cumsum(values, dtype=values.dtype)[starts[1:] - 1]
    totals[1:] -= totals[:-1].copy()
    return totals


def order_by_code(codes: IntArray, size: int) -> tuple[IntArray, IntArray]:
    """The places of codes, those of each code together and in order, and where those of each begin.

    All codes below `size` occur.
    """
    starts = np.append(0, np.cumsum(np.bincount(codes, minlength=size))[:-1])
    if len(codes) < SMALL:
        return np.argsort(codes, kind="stable"), starts
    order = np.empty(len(codes), np.int64)
    compiled(_place_by_code)(codes, starts.copy(), order)
    return order, starts


def _place_by_code(codes: IntArray, free: IntArray, order: IntArray) -> None:
    """A counting sort: `free[c]` is where the next place with code c goes."""
    for place in range(len(codes)):
        order[free[codes[place]]] = place
        free[codes[place]] += 1


def sort_together(
    keys: IntArray, limit: int, companions: Sequence[IntArray]
) -> tuple[IntArray, list[IntArray]]:
    """Sort keys below `limit`, and take their companions along; the arrays given may be overwritten.

    Of 10^7 keys the radix sort takes a seventh of the time of `np.argsort`, of 10^6 a third.
    """
    if len(keys) < SMALL:
        order = np.argsort(keys)
        return keys[order], [companion[order] for companion in companions]
    only = companions[0] if len(companions) == 1 else np.arange(len(keys), dtype=whole_type(len(keys)))
    spare = np.empty_like(keys), np.empty_like(only)  # numpy asks for huge pages, which halves the time
    bits = np.uint64((limit - 1).bit_length())
    passes = compiled(_sort_together)(keys.view(np.uint64), only, spare[0].view(np.uint64), spare[1], bits)
    keys, only = spare if passes % 2 else (keys, only)
    del spare
    return keys, [only] if len(companions) == 1 else [companion[only] for companion in companions]


def _sort_together(
    keys: npt.NDArray[np.uint64],
    others: IntArray,
    spare_keys: npt.NDArray[np.uint64],
    spare_others: IntArray,
    bits: np.uint64,
) -> int:
    """Radix sort, 11 bits at a time, to and fro between two pairs of arrays; how often it moved them.

    Invariant: after a pass `keys` is sorted by the bits below `shift`, and `others` stand beside their keys.
    """
    digit, mask = np.uint64(11), np.uint64(2**11 - 1)
    begins = np.zeros(2**11, np.int64)
    shift, passes = np.uint64(0), 0
    while shift < bits:
        begins[:] = 0
        for i in range(len(keys)):
            begins[(keys[i] >> shift) & mask] += 1
        total = 0
        for value in range(len(begins)):
            begins[value], total = total, total + begins[value]
        for i in range(len(keys)):
            value = (keys[i] >> shift) & mask
            place = begins[value]
            begins[value] = place + 1
            spare_keys[place] = keys[i]
            spare_others[place] = others[i]
        keys, spare_keys = spare_keys, keys
        others, spare_others = spare_others, others
        shift, passes = shift + digit, passes + 1
    return passes


@cache
def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function as machine code, compiled once and kept beside its file where that can be written."""
    import numba

    _announce_compilation()
    try:
        return cast("Callable[..., Any]", numba.njit(cache=True, nogil=True)(function))
    except RuntimeError:  # no folder to keep it in: compile it anew in each process
        return cast("Callable[..., Any]", numba.njit(nogil=True)(function))


@cache
def _announce_compilation() -> None:
    """Log, once a process, that a loop is compiled; one that was kept is loaded without a word."""
    import logging

    from numba.core import event

    class Compilation(event.Listener):
        def on_start(self, event: object) -> None:  # noqa: ARG002 - as numba calls it
            if not said:
                said.append(True)
                logging.getLogger(__name__).info("compiling once on this machine, up to 20 s")

        def on_end(self, event: object) -> None:
            """Nothing is said."""

    said = list[bool]()
    event.register("numba:compile", Compilation())  # type: ignore[no-untyped-call]
