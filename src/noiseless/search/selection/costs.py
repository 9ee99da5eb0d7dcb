"""What each cell of a partition costs, from its members alone."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from noiseless.arrays import IntArray
from noiseless.errors import RequestError
from noiseless.search.merging.cells import Cells
from noiseless.search.merging.codebook import Codebook, ColumnCodebook
from noiseless.search.merging.length import Length
from noiseless.search.merging.path import Lengths

FEW = 300
"""Up to so many public values plain Python beats loading the compiled kernels."""


def cell_costs(codebook: Codebook | None, cells: Cells) -> Sequence[Length]:
    """The largest distance of a member to its cell's codeword, for each cell.

    >>> from noiseless.search.merging import ColumnCodebook, Numbers
    >>> list(cell_costs(ColumnCodebook(Numbers([1, 4, 9])), Cells.from_labels([0, 0, 1])))
    [Length(3/2), Length(0)]

    Args:
        codebook: what is released for a cell.
        cells: the partition.
    """
    if codebook is None:
        raise RequestError("distortion needs a codebook")
    if isinstance(codebook, ColumnCodebook) and codebook.fits:
        if codebook.is_ordered:
            return _half_widths(codebook, cells)
        if len(cells.cell_of) > FEW:
            return _compiled(codebook, cells)
    return [codebook.cost(members) for members in cells.members]


def _grouped(cells: Cells) -> tuple[IntArray, IntArray]:
    """The public values cell by cell, and where each cell begins (and the end)."""
    return np.argsort(cells.cell_of, kind="stable"), np.append(0, np.cumsum(cells.sizes))


def _half_widths(codebook: ColumnCodebook, cells: Cells) -> Lengths:
    order, starts = _grouped(cells)
    line = codebook.scaled.positions[order, 0]
    widths = np.maximum.reduceat(line, starts[:-1]) - np.minimum.reduceat(line, starts[:-1])
    return Lengths(widths, np.ones_like(widths), codebook.scaled.unit / 2, root=False)


def _compiled(codebook: ColumnCodebook, cells: Cells) -> Lengths:
    from noiseless.search.merging.general import geometry
    from noiseless.search.selection import kernels

    order, starts = _grouped(cells)
    tops, bottoms = np.zeros(cells.count, np.int64), np.ones(cells.count, np.int64)
    kernels.costs_of_cells(*geometry(codebook, len(cells.cell_of)), order, starts, tops, bottoms)
    unit: Fraction = codebook.scaled.unit
    root = codebook.combine == "squares"
    return Lengths(tops, bottoms, unit**2 if root else unit, root)


def largest(costs: Sequence[Length], kept: IntArray) -> Length:
    """The largest of the costs of some cells."""
    if not isinstance(costs, Lengths):
        return max((costs[int(cell)] for cell in kept), default=Length(0))
    floats = costs.floats[kept]
    near = kept[floats >= floats.max() * (1 - 1e-9)]
    return max((costs[int(cell)] for cell in _first_of_equals(costs, near)), default=Length(0))


def _first_of_equals(costs: Lengths, cells: IntArray) -> IntArray:
    """Cells with every different cost among some, each once."""
    pairs = np.stack((costs.numerators[cells], costs.denominators[cells]), axis=1)
    if pairs.dtype == object:
        return cells
    return cells[np.unique(pairs, axis=0, return_index=True)[1]]
