"""Cells of public values as the places between which they lie in each column: what they cost together."""

from collections.abc import Sequence

import numpy as np

from noiseless.arrays import IntArray
from noiseless.search.codebook import ColumnCodebook
from noiseless.search.loss import Lengths


class Hulls:
    """Cells, each called by a number, by their lowest and highest places in each column.

    Attributes:
        lows: the lowest places, a row for each column.
        highs: the highest places.
    """

    def __init__(self, codebook: ColumnCodebook, room: int) -> None:
        """A cell for each public value, and room for others.

        Args:
            codebook: what cells cost.
            room: how many cells there can be besides.
        """
        self.codebook = codebook
        codes = np.stack([axis.codes.astype(np.int64) for axis in codebook.axes])
        self.lows, self.highs = (np.pad(codes, ((0, 0), (0, room))) for _ in range(2))

    def costs(self, cell: int, others: IntArray) -> Lengths:
        """What a cell costs with each of others where that follows from the places; else at least that."""
        lows = np.minimum(self.lows[:, others], self.lows[:, cell, None])
        highs = np.maximum(self.highs[:, others], self.highs[:, cell, None])
        tops, bottoms = self.codebook.hull_costs(zip(lows, highs, strict=True))
        return Lengths(tops, bottoms, self.codebook.cost_unit, self.codebook.rooted)

    def join(self, cell: int, other: int) -> None:
        """Put another cell into a cell."""
        self.lows[:, cell] = np.minimum(self.lows[:, cell], self.lows[:, other])
        self.highs[:, cell] = np.maximum(self.highs[:, cell], self.highs[:, other])

    def fill(self, first: int, cells: Sequence[Sequence[int]]) -> None:
        """Make cells, from a number on, of some public values each, whose own cells are untouched."""
        sizes, order = np.array([len(cell) for cell in cells]), np.concatenate(cells)
        chosen, starts = slice(first, first + len(cells)), np.cumsum(sizes) - sizes
        self.lows[:, chosen] = np.minimum.reduceat(self.lows[:, order], starts, axis=1)
        self.highs[:, chosen] = np.maximum.reduceat(self.highs[:, order], starts, axis=1)
