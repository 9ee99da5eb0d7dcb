"""Cells of a lattice of any lengths, by the positions where they begin."""

from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from noiseless.ranges.quantizer import Quantizer
from noiseless.ranges.spans import Lattice, whole_numbers


@dataclass(frozen=True)
class Listed(Quantizer):
    """Cells that begin at the listed positions, the first of which is 0."""

    span: Lattice
    begins: tuple[int, ...]

    @property
    def cells(self) -> int:
        """As many as are listed."""
        return len(self.begins)

    def edge(self, cell: int) -> Fraction:
        """The value at its first position."""
        return self.span.value(self.begin(cell))

    def begin(self, cell: int) -> int:
        """As listed."""
        return self.begins[cell] if cell < len(self.begins) else self.span.last + 1

    def cell(self, value: Fraction) -> int:
        """By its position."""
        return self.cell_at(int((value - self.span.low) // self.span.step))

    def cell_at(self, position: int) -> int:
        """The last cell that begins at or before it."""
        return bisect_right(self.begins, position) - 1

    def most_met(self, sweep: int, first: int, last: int) -> tuple[int, int]:
        """Most are met from the last point of a cell, or from the last position where points may begin."""
        begins = np.array(self.begins, whole_numbers(self.span.last))
        starts = np.append(begins[1:] - 1, last)
        starts = starts[(starts >= first) & (starts <= last)]
        after = np.searchsorted(begins, starts + sweep, side="right")
        met = after - np.searchsorted(begins, starts, side="right") + 1
        best = int(np.argmax(met))
        return int(met[best]), int(starts[best])

    @property
    def worst_error(self) -> Fraction:
        """Half of the longest cell."""
        begins = np.array((*self.begins, self.span.last + 1), whole_numbers(self.span.last))
        return self.span.step * (int(np.diff(begins).max()) - 1) / 2
