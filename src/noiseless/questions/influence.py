"""What one person can do to an answer while everybody else stays as they are."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from math import gcd

import numpy as np
import numpy.typing as npt

from noiseless.arrays import BoolArray
from noiseless.ranges.spans import whole_numbers

Positions = range | tuple[int, ...]
"""Ascending whole numbers: a range where they are regular."""


_MOST = 2**20
"""Sets of positions are added exactly up to this many positions; beyond, as the range that holds them."""


@dataclass(frozen=True)
class Influence:
    """Others fix a base; the person then moves the answer over base + moves.

    Attributes:
        moves: where the person can take the answer, from the base; the first is 0.
        bases: the bases that others can cause.
        exact: whether each base occurs and each move is possible from it; otherwise both are supersets, and
            what is counted with them is an upper bound.
        most: how many different answers the person can cause at most, where that is less than moves tell.
    """

    moves: Positions
    bases: Positions
    exact: bool = True
    most: int | None = None

    @property
    def sweep(self) -> int:
        """How far the person can move the answer, in steps."""
        return self.moves[-1]


@dataclass(frozen=True)
class Images:
    """All that one person can do, listed: for each thing that others can be, the positions of the answer.

    Attributes:
        listed: the positions of each image, ascending.
    """

    listed: frozenset[tuple[int, ...]]

    exact = True

    @property
    def sweep(self) -> int:
        """How far the person can move the answer, in steps."""
        return max(image[-1] - image[0] for image in self.listed)

    @cached_property
    def table(self) -> npt.NDArray[np.int64 | np.object_]:
        """An image a row, filled up with its last position."""
        longest = max(map(len, self.listed))
        rows = [image + image[-1:] * (longest - len(image)) for image in sorted(self.listed)]
        return np.array(rows, whole_numbers(max(row[-1] for row in rows)))


@dataclass(frozen=True)
class Slide:
    """On a continuum: the person moves the answer over a closed interval, which others can shift anywhere.

    Attributes:
        length: the length of the longest such interval.
        exact: whether an interval of that length occurs at each place.
        more: how many further answers the person can cause, such as that there is none.
    """

    length: Fraction
    exact: bool = True
    more: int = 0


def length(numbers: Positions) -> int:
    """How many positions there are, also where `len` would overflow.

    >>> length(range(0, 10**30, 5)) == 2 * 10**29
    True
    """
    return (numbers[-1] - numbers[0]) // numbers.step + 1 if isinstance(numbers, range) else len(numbers)


def is_consecutive(numbers: Positions) -> bool:
    """Whether there is no gap between them."""
    return isinstance(numbers, range) and (numbers.step == 1 or len(numbers) == 1)


def positions(numbers: Iterable[int]) -> Positions:
    """Distinct numbers in order, as a range where they are regular.

    >>> positions([4, 0, 2]), positions([0, 4, 5])
    (range(0, 5, 2), (0, 4, 5))
    """
    found = sorted(set(numbers))
    if len(found) == 1:
        return range(found[0], found[0] + 1)
    step = found[1] - found[0]
    if found[-1] - found[0] == step * (len(found) - 1):
        regular = range(found[0], found[-1] + 1, step)
        if found == list(regular):
            return regular
    return tuple(found)


def sums(parts: Sequence[tuple[Positions, int]]) -> tuple[Positions, bool]:
    """All sums of one number out of each set, each set taken so many times.

    Args:
        parts: sets that begin with 0, and how often each is taken.

    Returns:
        The sums, and whether they are exact; if not, a range that holds them all.

    >>> sums([((0, 4, 5), 2)])
    ((0, 4, 5, 8, 9, 10), True)
    """
    if len(parts) == 1 and isinstance(only := parts[0][0], range):  # the common case, and the quick one
        return range(0, only[-1] * parts[0][1] + 1, only.step), True
    parts = [(moves, times) for moves, times in parts if times and len(moves) > 1]
    if not parts:
        return range(1), True
    if all(isinstance(moves, range) for moves, _ in parts) and (found := _regular_sums(parts)) is not None:
        return found, True
    step = reduce(gcd, (number for moves, _ in parts for number in moves))
    total = sum(moves[-1] * times for moves, times in parts)
    if total // step > _MOST:
        return range(0, total + 1, step), False
    reached = reduce(_added, (_times(moves, times, step) for moves, times in parts))
    return positions((np.flatnonzero(reached) * step).tolist()), True


def most_listed(moves: Positions, times: int) -> int:
    """How many positions `sums` lists at most, for one set.

    >>> most_listed((0, 4, 5), 2), most_listed((0, 4, 5), 10**6), most_listed(range(6), 10**9)
    (11, 0, 0)
    """
    if isinstance(moves, range):
        return 0
    total = moves[-1] * times // gcd(*moves)
    return total + 1 if total <= _MOST else 0


def _regular_sums(parts: Sequence[tuple[Positions, int]]) -> range | None:
    """Sums of regular sets whose steps divide the smallest step and leave no gap: again a regular set."""
    ordered = sorted(parts, key=lambda part: part[0][1])
    step, reached = ordered[0][0][1], 0
    for moves, times in ordered:
        if moves[1] % step or (reached and moves[1] > reached + step):
            return None
        reached += moves[-1] * times
    return range(0, reached + 1, step)


def _times(moves: Positions, times: int, step: int) -> BoolArray:
    """The sums of so many numbers of one set, as truth values by position, by doubling."""
    power = np.zeros(moves[-1] // step + 1, bool)
    power[np.asarray(moves) // step] = True
    found = np.ones(1, bool)
    while times:
        if times & 1:
            found = _added(found, power)
        times >>= 1
        power = _added(power, power) if times else power
    return found


def _added(first: BoolArray, second: BoolArray) -> BoolArray:
    """The sums of two sets: a convolution counts the ways to reach each, with an error far below a half."""
    length = len(first) + len(second) - 1
    size = 1 << (length - 1).bit_length()
    ways = np.fft.irfft(np.fft.rfft(first, size) * np.fft.rfft(second, size), size)
    return np.asarray(ways[:length] > 1 / 2)
