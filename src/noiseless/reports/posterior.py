"""The sizes of the posterior sets, in as many bins as a person can take in."""

from dataclasses import dataclass

import numpy as np

from noiseless.arrays import IntArray
from noiseless.audits import Exposure

_MOST_SIZES = 12
"""Up to this many different sizes each has a bin of its own; beyond, bins double in width."""


@dataclass(frozen=True)
class Bin:
    """The groups whose posterior sets have `first` to `last` values.

    Attributes:
        first: the smallest size.
        last: the largest size.
        groups: how many groups there are.
        heads: how many rows (different persons) are in them.
    """

    first: int
    last: int
    groups: int
    heads: int

    @property
    def label(self) -> str:
        """The sizes in words: '2', '3-4'."""
        return f"{self.first:,}" + (f"\u2013{self.last:,}" if self.last > self.first else "")


def posterior_bins(exposure: Exposure) -> tuple[Bin, ...]:
    """The sizes of an exposure's posterior sets, ascending; size 1 is there even when it is empty."""
    present = [size for size, _, _ in exposure.posterior_histogram]
    widen = _same if len(present) <= _MOST_SIZES else _doubling
    spans = dict.fromkeys([(1, 1), *map(widen, present)])
    return tuple(_bin(exposure, *_ended(span, present[0], present[-1])) for span in spans)


def cell_bins(posteriors: IntArray, rows: IntArray) -> tuple[Bin, ...]:
    """The same of a release's cells.

    >>> [(b.label, b.groups, b.heads) for b in cell_bins(np.array([5, 7, 5]), np.array([40, 3, 2]))]
    [('1', 0, 0), ('5', 2, 42), ('7', 1, 3)]

    Args:
        posteriors: how many values each cell leaves.
        rows: how many rows it has.
    """
    present = np.unique(posteriors).tolist()
    widen = _same if len(present) <= _MOST_SIZES else _doubling
    bins = list[Bin]()
    for span in dict.fromkeys([(1, 1), *map(widen, present)]):
        first, last = _ended(span, present[0], present[-1])
        inside = (first <= posteriors) & (posteriors <= last)
        heads = int(rows[inside].sum())
        bins.append(Bin(first, last, int(np.count_nonzero(inside)), heads))
    return tuple(bins)


def _ended(span: tuple[int, int], smallest: int, largest: int) -> tuple[int, int]:
    """A bin without the sizes below the smallest that occurs and above the largest; an empty one as it is."""
    first, last = span
    return (max(first, smallest) if last >= smallest else first), min(last, largest)


def _bin(exposure: Exposure, first: int, last: int) -> Bin:
    sizes = exposure.census.joint.posterior_sizes
    inside = (first <= sizes) & (sizes <= last)
    return Bin(first, last, int(np.count_nonzero(inside)), exposure.census.heads_in(inside))


def _same(size: int) -> tuple[int, int]:
    return size, size


def _doubling(size: int) -> tuple[int, int]:
    """The bin 1, 2, 3-4, 5-8, 9-16, ... that holds a size: one more bit is left in each."""
    bits = (size - 1).bit_length()
    return (2 ** (bits - 1) + 1 if bits else 1), 2**bits
