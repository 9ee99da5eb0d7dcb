"""Several grids over the answers to one question: together they are one grid, and some follow from others."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from noiseless.pricing.quantized import QuantizedQuery
from noiseless.questions import Lattice, Query
from noiseless.ranges.quantizer import Edged, Listed, Quantizer
from noiseless.work import spend

_MOST_CELLS = 2**14
"""Grids with more cells than this in all are not put together: their price is then that of other rules."""


def common_grid(query: Query, quantizers: Sequence[Quantizer]) -> QuantizedQuery | None:
    """One grid that tells exactly what all of the grids tell together; None when they have too many cells."""
    if sum(quantizer.cells for quantizer in quantizers) > _MOST_CELLS:
        return None
    spend(sum(quantizer.cells for quantizer in quantizers))
    span = query.span
    if isinstance(span, Lattice):
        begins = {quantizer.begin(cell) for quantizer in quantizers for cell in range(quantizer.cells)}
        return QuantizedQuery(query, Listed(span, tuple(sorted(begins))))
    edges = {quantizer.edge(cell) for quantizer in quantizers for cell in range(quantizer.cells)}
    return QuantizedQuery(query, Edged.of(span, sorted(edges)))


def cells_left(known: Sequence[Quantizer], asked: Quantizer) -> int:
    """How many cells of a grid are possible at most when the cells of other grids on the question are known.

    1 when every edge is an edge of a known grid, so that the answer follows from known ones.

    >>> from noiseless.ranges.quantizer import Uniform
    >>> from noiseless.questions import Continuum
    >>> four, three, two = (Uniform(Continuum.of(0, 1), cells) for cells in (4, 3, 2))
    >>> cells_left([four], two), cells_left([three], two)
    (1, 2)
    """
    if not known or asked.cells > _MOST_CELLS:
        return asked.cells
    spend(asked.cells * len(known))
    on_lattice = isinstance(asked.span, Lattice)
    inside: Counter[tuple[int, ...]] = Counter()
    for cell in range(1, asked.cells):
        edge = asked.begin(cell) if on_lattice else asked.edge(cell)
        met = [_cell_and_begin(grid, edge) for grid in known]
        if all(begin != edge for _, begin in met):
            inside[tuple(number for number, _ in met)] += 1
    return 1 + max(inside.values(), default=0)


def _cell_and_begin(grid: Quantizer, edge: Fraction | int) -> tuple[int, Fraction | int]:
    """The cell that another grid's edge lies in, and where that cell begins; positions are whole numbers."""
    if isinstance(edge, int):
        cell = grid.cell_at(edge)
        return cell, grid.begin(cell)
    cell = grid.cell(edge)
    return cell, grid.edge(cell)
