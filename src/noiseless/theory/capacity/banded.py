"""Newton's system where noise is local: inputs far apart share no output to speak of, so it is a band."""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np

from noiseless.arrays import FloatArray
from noiseless.theory.capacity.divergence import IndexArray
from noiseless.theory.capacity.newton import Solver
from noiseless.theory.capacity.tiled import first_products, in_blocks

_NEGLIGIBLE = 1e-8
"""Of a row's largest entry. What is left out of Newton's matrix changes the path, not the bracket."""
_NARROWEST, _WIDEST = 16, 64
"""Rows of the band that are worked out together."""


@dataclass(frozen=True, eq=False)
class Banded:
    """The band of W diag(1/q) W'.

    Attributes:
        first: the first column that matters to each row or to a later one.
        last: the column after the last that matters to it or to an earlier one.
        width: how many places below the diagonal the band reaches.
    """

    first: IndexArray
    last: IndexArray
    width: int

    @classmethod
    def of(cls, matrix: FloatArray) -> Self:
        """Find the band of a channel whose inputs and outputs are in the order of what they mean.

        Columns of zeros are not counted: `improve` leaves them out.
        """
        matrix = matrix[:, matrix.any(axis=0)]
        first, last = np.empty((2, len(matrix)), np.int64)
        for number, row in enumerate(matrix):
            places = np.flatnonzero(row > _NEGLIGIBLE * row.max())
            first[number], last[number] = places[0], places[-1] + 1
        first = np.minimum.accumulate(first[::-1])[::-1]
        last = np.maximum.accumulate(last)
        reached = np.searchsorted(first, last, side="left")  # rows from there on begin behind this one's end
        return cls(first, last, int((reached - 1 - np.arange(len(matrix))).max()))

    @property
    def cost(self) -> float:
        """Multiplications a factorisation takes, about; infinite when there is no band to speak of."""
        if 4 * self.width > len(self.first):
            return math.inf
        breadth = float((self.last - self.first).max())
        return len(self.first) * self.width * (self.width + breadth)

    def factorise(self, matrix: FloatArray, output: FloatArray, diagonal: FloatArray) -> Solver | None:
        """Cholesky's factorisation of the band."""
        from scipy.linalg import lapack

        factor, failed = lapack.dpbtrf(self._band(matrix, output, diagonal), lower=1, overwrite_ab=1)
        return None if failed else lambda sides: lapack.dpbtrs(factor, sides, lower=1)[0]

    def _band(self, matrix: FloatArray, output: FloatArray, diagonal: FloatArray) -> FloatArray:
        inputs, width = len(matrix), self.width
        band = np.zeros((width + 1, inputs), order="F")
        side = min(_WIDEST, max(_NARROWEST, width))
        for start in range(0, inputs, side):
            stop = min(start + side, inputs)
            columns = slice(int(self.first[start]), int(self.last[stop - 1]))
            scaled = matrix[start : stop + width, columns] / np.sqrt(output[columns])
            for place, below in enumerate(first_products(in_blocks(scaled, side))[: stop - start]):
                reach = min(width + 1, inputs - start - place)
                band[:reach, start + place] = below[place : place + reach]
        band[0] += diagonal
        return band
