"""The rounds of the membership game: whole numbers only, so that every order gives the same sums.

Small games are played with numpy: loading a compiled kernel takes longer, and compiling it a few seconds.

numba keeps compiled code beside this file and looks at its age only: all that the kernel calls stands here.
"""

# Compiled functions return plain numbers; numba ships no types.
# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
# ruff: noqa: ANN001, ANN202, C901, PLR0917 - kernels are long loops over arrays and numbers, taken one by one

from collections.abc import Callable
from functools import cache
from typing import Any, cast

import numpy as np

_SMALL = 10**7


def _play(readings, peaks, pairs, members, starts, length, begins, middles, offsets, scales, own, joint):
    """Release the sum of each round's members through each quantizer, and compare it with both candidates.

    Args:
        readings: a row a household, in steps.
        peaks: 1 where a household's reading is above both neighbours.
        pairs: the two candidates of each round.
        members: the households of each round's group.
        starts: where each round's window begins.
        length: how long a window is.
        begins: the first position of each cell of each quantizer, and one after the last.
        middles: twice the middle of each cell.
        offsets: where each quantizer's cells begin in these two.
        scales: cells a step of each quantizer, about; 0 where the sum is told as it is.
        own: filled with the sum and the sum of squares of each candidate.
        joint: filled, for each quantizer, with the sum of (twice) the answers, their products with each
            candidate's readings, and the peaks in common with each.
    """
    sums = np.empty(length, np.int64)
    for r in range(len(pairs)):
        start = starts[r]
        sums[:] = 0
        for i in range(members.shape[1]):
            row = readings[members[r, i], start : start + length]
            for t in range(length):
                sums[t] += row[t]
        for i in range(2):
            row = readings[pairs[r, i], start : start + length]
            total, squares = 0, 0
            for t in range(length):
                total += row[t]
                squares += np.int64(row[t]) * row[t]
            own[r, i, 0], own[r, i, 1] = total, squares
        first = readings[pairs[r, 0], start : start + length]
        second = readings[pairs[r, 1], start : start + length]
        first_peaks = peaks[pairs[r, 0], start : start + length]
        second_peaks = peaks[pairs[r, 1], start : start + length]
        for k in range(len(scales)):
            offset, scale = offsets[k], scales[k]
            answers, first_product, second_product = 0, 0, 0
            first_common, second_common = 0, 0
            before, middle = 0, 0
            for t in range(length):
                cell = sums[t]
                answer = 2 * cell
                if scale > 0:
                    place = cell
                    cell = int(place * scale)
                    while begins[offset + cell] > place:
                        cell -= 1
                    while begins[offset + cell + 1] <= place:
                        cell += 1
                    answer = middles[offset + cell]
                answers += answer
                first_product += first[t] * answer
                second_product += second[t] * answer
                if t > 1:
                    peak = (middle > before) & (middle > cell)
                    first_common += peak & first_peaks[t - 1]
                    second_common += peak & second_peaks[t - 1]
                before, middle = middle, cell
            joint[r, k, 0] = answers
            joint[r, k, 1], joint[r, k, 2] = first_product, second_product
            joint[r, k, 3], joint[r, k, 4] = first_common, second_common


def play_with_numpy(
    readings, peaks, pairs, members, starts, length, begins, middles, offsets, scales, own, joint
) -> None:
    """The same, round by round with numpy."""
    ends = np.append(offsets[1:], len(begins))
    for r in range(len(pairs)):
        window = slice(starts[r], starts[r] + length)
        sums = readings[members[r], window].sum(axis=0, dtype=np.int64)
        candidates = readings[pairs[r], window].astype(np.int64)
        own[r, :, 0], own[r, :, 1] = candidates.sum(axis=1), (candidates * candidates).sum(axis=1)
        inner_peaks = peaks[pairs[r], window][:, 1:-1]
        for k, scale in enumerate(scales):
            cells, answers = sums, 2 * sums
            if scale > 0:
                some = slice(offsets[k], ends[k])
                cells = np.searchsorted(begins[some], sums, side="right") - 1
                answers = middles[some][cells]
            joint[r, k, 0], joint[r, k, 1:3] = answers.sum(), candidates @ answers
            peak = (cells[1:-1] > cells[:-2]) & (cells[1:-1] > cells[2:])
            joint[r, k, 3:5] = inner_peaks @ peak.astype(np.int64)


def player(steps: int) -> Callable[..., None]:
    """What plays a game of so many steps (rounds x quantizers x answers)."""
    return play_with_numpy if steps < _SMALL else kernel()


@cache
def kernel() -> Callable[..., None]:
    """The rounds as machine code that runs without the interpreter's lock, compiled once and kept."""
    import numba

    try:
        return cast("Callable[..., Any]", numba.njit(cache=True, nogil=True)(_play))
    except RuntimeError:  # no folder to keep it in: compile it anew in each process
        return cast("Callable[..., Any]", numba.njit(nogil=True)(_play))
