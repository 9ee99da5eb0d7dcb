"""What the cells of a merging run cost, and would cost together: floats choose merges; equals stay equal."""

import numpy as np

from noiseless.arrays import FloatArray, IntArray
from noiseless.exact import Bits
from noiseless.search.axes import begins
from noiseless.search.codebook import Codebook, ColumnCodebook, costs_in_line
from noiseless.search.hulls import Hulls
from noiseless.search.loss import Length, Lengths, Loss


class MergeCosts:
    """Cells, each called by its first public value; to begin with each holds that value.

    Costs that are equal are equal as floats; what whole numbers below 2^53 tell apart floats do, too.

    Attributes:
        cell_of: the cell of each public value.
        own: what each cell costs; 0 of one that is gone.
    """

    def __init__(self, codebook: Codebook | None, size: int, *, exact: bool = False) -> None:
        """A cell for each public value.

        Args:
            codebook: what cells cost; None if they cost as much as they hold.
            size: how many public values there are.
            exact: whether it is remembered what costs are exactly.
        """
        self.codebook, self.cell_of = codebook, np.arange(size)
        self.own = np.full(size, 1.0 if codebook is None else 0.0)
        by_hull = isinstance(codebook, ColumnCodebook) and codebook.by_hull
        self._hulls = Hulls(codebook, 0) if isinstance(codebook, ColumnCodebook) and by_hull else None
        self._remembers, self._exact = exact, {0.0: (Lengths.of([Length(0)]), 0)}

    def together(self, cell: int, others: IntArray) -> FloatArray:
        """What a cell costs with each of others, which ascend."""
        if self.codebook is None:
            return np.asarray(self.own[others] + self.own[cell])
        if self._hulls is not None:
            return self._known(self._hulls.costs(cell, others))
        mine, is_other = np.flatnonzero(self.cell_of == cell), np.zeros(len(self.own), bool)
        is_other[others] = True
        theirs = np.flatnonzero(is_other[self.cell_of])
        values = np.concatenate((theirs, np.tile(mine, len(others))))
        cells = np.concatenate((self.cell_of[theirs], np.repeat(others, len(mine))))
        order = np.lexsort((values, cells))
        return self._known(costs_in_line(self.codebook, values[order], np.flatnonzero(begins(cells[order]))))

    def _known(self, lengths: Lengths) -> FloatArray:
        floats = lengths.floats
        if self._remembers:
            self._exact |= {cost: (lengths, place) for place, cost in enumerate(floats.tolist())}
        return floats

    def loss(self, cost: float) -> Loss:
        """A cost exactly: a length, or the bits of how many values a cell holds."""
        if self.codebook is None:
            return Bits(int(cost))
        lengths, place = self._exact[cost]
        return lengths[place]

    def join(self, cell: int, other: int, cost: float) -> None:
        """Put another cell into a cell, at a cost."""
        self.own[cell], self.own[other] = cost, 0.0
        self.cell_of[self.cell_of == other] = cell
        if self._hulls is not None:
            self._hulls.join(cell, other)
