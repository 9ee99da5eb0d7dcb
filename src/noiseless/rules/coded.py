"""A lattice whose points are told apart, but for a run near its low end and one at its high end."""

from dataclasses import dataclass
from fractions import Fraction

from noiseless.ranges.quantizer import Quantizer
from noiseless.ranges.spans import Lattice


@dataclass(frozen=True)
class Coded(Quantizer):
    """Each point for itself, but the positions apart..low are one cell and so are those from high on.

    Attributes:
        span: the lattice.
        apart: the first position of the low cell.
        low: its last position.
        high: the first position of the high cell.
    """

    span: Lattice
    apart: int
    low: int
    high: int

    @classmethod
    def of(cls, span: Lattice, low: int, high: int, apart: int = 0) -> "Coded":
        """With ends anywhere, also beyond the lattice; both runs overlapping are one cell."""
        apart = min(apart, span.last)
        low = min(max(low, apart), span.last)
        if high <= low:
            low = high = span.last
        return cls(span, apart, low, min(high, span.last))

    @property
    def cells(self) -> int:
        """As many as the last point says."""
        return self.cell_at(self.span.last) + 1

    def edge(self, cell: int) -> Fraction:
        """The value at its first position."""
        return self.span.value(self.begin(cell))

    def begin(self, cell: int) -> int:
        """The positions of the low cell but one are skipped."""
        if cell >= self.cells:
            return self.span.last + 1
        return cell if cell <= self.apart else cell + self.low - self.apart

    def cell(self, value: Fraction) -> int:
        """By its position."""
        return self.cell_at(int((value - self.span.low) // self.span.step))

    def cell_at(self, position: int) -> int:
        """How many cells begin before it."""
        if position <= self.low:
            return min(position, self.apart)
        return min(position, self.high) - self.low + self.apart

    def most_met(self, sweep: int, first: int, last: int) -> tuple[int, int]:
        """The cell is a broken line of the position: most are met where a window's end is at a bend."""
        bends = (self.apart, self.low, self.high)
        starts = {first, last, *bends, *(bend - sweep for bend in bends)}
        return self.best_start(sweep, (start for start in starts if first <= start <= last))

    @property
    def worst_error(self) -> Fraction:
        """Half of the longer run."""
        return self.span.step * max(self.low - self.apart, self.span.last - self.high) / 2
