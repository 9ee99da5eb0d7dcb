"""Sets of whole numbers as bits, with the next member above and below in a few steps.

Whoever changes a function here also touches `line_kernels.py`, which calls it: numba looks at the age of
the file that a compiled function stands in only.
"""

# Compiled functions return plain numbers; what they call is untyped.
# mypy: disable-error-code="no-any-return,return-value"

import numpy as np
import numpy.typing as npt

from noiseless.arrays import IntArray
from noiseless.tables.kernels import compiled

Words = npt.NDArray[np.uint64]

_SPREAD = np.uint64(0x03F79D71B4CB0A89)


def _places() -> IntArray:
    """Which bit is the highest, by what a multiplication makes of the word that is full below it."""
    table = np.zeros(64, np.int64)
    for bit in range(64):
        full = (1 << (bit + 1)) - 1
        table[((full * int(_SPREAD)) & (2**64 - 1)) >> 58] = bit
    return table


_PLACES = _places()


def bits_for(size: int) -> tuple[Words, IntArray]:
    """Two empty sets of numbers below `size`, and where their levels begin.

    A set is a bit for each number, and above that a bit for each word that is not empty.
    """
    base, words = [0], -(-size // 64)
    while True:
        base.append(base[-1] + words)
        if words == 1:
            return np.zeros((2, base[-1]), np.uint64), np.array(base)
        words = -(-words // 64)


def _lowest(word: np.uint64) -> int:
    return _PLACES[((word ^ (word - np.uint64(1))) * _SPREAD) >> np.uint64(58)]


def _highest(word: np.uint64) -> int:
    word |= word >> np.uint64(1)
    word |= word >> np.uint64(2)
    word |= word >> np.uint64(4)
    word |= word >> np.uint64(8)
    word |= word >> np.uint64(16)
    word |= word >> np.uint64(32)
    return _PLACES[(word * _SPREAD) >> np.uint64(58)]


lowest, highest = compiled(_lowest), compiled(_highest)


def _add(bits: Words, base: IntArray, which: int, number: int) -> None:
    for level in range(len(base) - 1):
        at = base[level] + (number >> 6)
        before = bits[which, at]
        bits[which, at] = before | (np.uint64(1) << np.uint64(number & 63))
        if before:
            return
        number >>= 6


def _drop(bits: Words, base: IntArray, which: int, number: int) -> None:
    for level in range(len(base) - 1):
        at = base[level] + (number >> 6)
        bits[which, at] &= ~(np.uint64(1) << np.uint64(number & 63))
        if bits[which, at]:
            return
        number >>= 6


def _after(bits: Words, base: IntArray, which: int, number: int) -> int:
    """The smallest member above a number, or -1."""
    number += 1
    for level in range(len(base) - 1):
        at = number >> 6
        if at >= base[level + 1] - base[level]:
            return -1
        word = bits[which, base[level] + at] >> np.uint64(number & 63)
        if word:
            number += lowest(word)
            for below in range(level - 1, -1, -1):
                number = (number << 6) + lowest(bits[which, base[below] + number])
            return number
        number = at + 1
    return -1


def _before(bits: Words, base: IntArray, which: int, number: int) -> int:
    """The largest member below a number, or -1."""
    number -= 1
    for level in range(len(base) - 1):
        if number < 0:
            return -1
        at = number >> 6
        word = bits[which, base[level] + at] << np.uint64(63 - (number & 63))
        if word:
            number -= 63 - highest(word)
            for below in range(level - 1, -1, -1):
                number = (number << 6) + highest(bits[which, base[below] + number])
            return number
        number = at - 1
    return -1


add, drop, after, before = compiled(_add), compiled(_drop), compiled(_after), compiled(_before)
