"""The sizes of the posterior sets, in as many bins as a person can take in."""

from dataclasses import dataclass

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
        heads: how many rows (persons) are in them.
    """

    first: int
    last: int
    groups: int = 0
    heads: int = 0

    @property
    def label(self) -> str:
        """The sizes in words: '2', '3-4'."""
        return f"{self.first:,}" + (f"\u2013{self.last:,}" if self.last > self.first else "")


def posterior_bins(exposure: Exposure) -> tuple[Bin, ...]:
    """The sizes of an exposure's posterior sets, ascending; size 1 is there even when it is empty."""
    histogram = exposure.posterior_histogram
    widen = _same if len(histogram) <= _MOST_SIZES else _doubling
    bins = {1: Bin(1, 1)}
    for size, groups, heads in histogram:
        first, last = widen(size)
        old = bins.get(first, Bin(first, last))
        bins[first] = Bin(first, last, old.groups + groups, old.heads + heads)
    return tuple(bins.values())


def _same(size: int) -> tuple[int, int]:
    return size, size


def _doubling(size: int) -> tuple[int, int]:
    """The bin 1, 2, 3-4, 5-8, 9-16, ... that holds a size: one more bit is left in each."""
    bits = (size - 1).bit_length()
    return (2 ** (bits - 1) + 1 if bits else 1), 2**bits
