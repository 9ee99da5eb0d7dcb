"""How much of a declared range a blur makes undecidable: counted by fibres, or enclosed where it is vast."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from noiseless.arrays import IntArray
from noiseless.collection.blur.boxes import enclose
from noiseless.collection.blur.pairing import Lattice

MOST_FIBRES = 2**24
"""Up to this many fibres are counted one by one (seconds); beyond, boxes of them are enclosed."""

_CHUNK = 2**16


@dataclass(frozen=True)
class Census:
    """The sizes of the parts of a declared range.

    Attributes:
        points: |[[X]]|, the points of the compared column and of the columns of the boundary together.
        merged: how many of them are undecidable, or a lower bound.
        merged_at_most: the same, or an upper bound.
        released: how many different values are released for those, or a lower bound.
    """

    points: int
    merged: int
    merged_at_most: int
    released: int

    @property
    def is_exact(self) -> bool:
        """Whether the counts are exact."""
        return self.merged == self.merged_at_most

    @property
    def protected_share(self) -> Fraction:
        """The share of the range that is undecidable: e/(1+e) in Theorem 4 of [P2]; or a lower bound."""
        return Fraction(self.merged, self.points)

    @property
    def protected_share_at_most(self) -> Fraction:
        """The same, or an upper bound."""
        return Fraction(self.merged_at_most, self.points)

    @property
    def decided(self) -> int:
        """The symmetric difference of [[Y|p0]] and [[Y|p1]]: the points that are left as they are."""
        return self.points - self.merged

    @property
    def outputs(self) -> int:
        """|[[Y]]|: those, and the values that are released for merged points."""
        return self.decided + self.released


def take_census(lattice: Lattice) -> Census:
    """Count the undecidable points of the declared range.

    Each fibre is looked at while there are at most `MOST_FIBRES`. Beyond, branch and bound gives lower and
    upper ends; away from the ends of the range these differ by one point a fibre.

    Raises:
        ExpressionError: the boundary divides by 0 somewhere.
    """
    sizes = {name: lattice.columns[name].size for name in lattice.hypothesis.others}
    fibres = math.prod(sizes.values())
    points = fibres * lattice.compared.size
    if fibres > MOST_FIBRES:
        boxes = enclose(lattice)
        counts = [(b.fibres * b.merged, b.fibres * b.merged_at_most, b.fibres * b.released) for b in boxes]
        return Census(points, *(sum(column) for column in zip(*counts, strict=True)))
    merged = released = 0
    for others in _chunks(sizes, fibres):
        found = lattice.fibres(others)
        merged += _total(found.merged)
        released += _total(found.released)
    return Census(points, merged, merged, released)


def _chunks(sizes: dict[str, int], fibres: int) -> Iterator[dict[str, IntArray]]:
    """All combinations of points, some at a time, the last column varying fastest."""
    for start in range(0, fibres, _CHUNK):
        rest = np.arange(start, min(start + _CHUNK, fibres))
        chunk: dict[str, IntArray] = {}
        for name in reversed(sizes):
            rest, chunk[name] = np.divmod(rest, sizes[name])
        yield chunk


def _total(counts: IntArray) -> int:
    """The sum as an integer of Python's: a fibre may have so many points that 64 bits do not hold it."""
    high, low = np.divmod(counts, 2**32)
    return (int(high.sum()) << 32) + int(low.sum())
