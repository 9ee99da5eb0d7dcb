"""Quantizers: an answer is told as the cell it lies in, an interval that certainly holds it."""

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from noiseless.errors import RequestError
from noiseless.ranges.spans import Lattice, Span, whole_numbers


class CellInterval(NamedTuple):
    """What is published: the truth lies between `lower` and `upper`, both included."""

    lower: Fraction
    upper: Fraction

    @property
    def value(self) -> Fraction:
        """The middle, off by half the width at most."""
        return (self.lower + self.upper) / 2


class Quantizer(ABC):
    """Consecutive cells over the values that an answer can take, all but the last half open.

    On a lattice every cell holds at least one point: cells that no answer can lie in are no cells. A kind of
    quantizer gives `edge` and `cell`, by values, or `begin` and `cell_at`, by positions; or all of them.
    """

    span: Span

    @property
    @abstractmethod
    def cells(self) -> int:
        """How many cells there are: how many different answers can be told."""

    def edge(self, cell: int) -> Fraction:
        """Where a cell begins: on a lattice, its first point. `edge(cells)` ends the last one."""
        return self._lattice.value(self.begin(cell))

    def cell(self, value: Fraction) -> int:
        """The cell that a value of the span lies in."""
        return self.cell_at(floor((value - self._lattice.low) / self._lattice.step))

    def begin(self, cell: int) -> int:
        """The position of a cell's first point, on a lattice."""
        return int((self.edge(cell) - self._lattice.low) / self._lattice.step)

    def cell_at(self, position: int) -> int:
        """The cell of a position, on a lattice."""
        return self.cell(self._lattice.value(position))

    def answer(self, cell: int) -> CellInterval:
        """The values that a cell holds: on a lattice from its first point to its last."""
        low, high = self.edge(cell), self.edge(cell + 1)
        return CellInterval(low, high - self.span.step if isinstance(self.span, Lattice) else high)

    def value_at(self, position: int) -> Fraction:
        """The value at a position, on a lattice."""
        return self._lattice.value(position)

    @property
    def worst_error(self) -> Fraction:
        """How far the middle of a cell can be from the truth."""
        widths = (answer.upper - answer.lower for answer in map(self.answer, range(self.cells)))
        return max(widths) / 2

    def most_met(self, sweep: int, first: int, last: int) -> tuple[int, int]:
        """The most cells that sweep + 1 consecutive points meet, and the position where such points begin.

        Args:
            sweep: how many points follow the first one.
            first: the first position where they may begin.
            last: the last one.
        """
        turns = (self.begin(cell) - 1 for cell in range(1, self.cells))  # the last points of cells
        return self.best_start(sweep, (last, *(start for start in turns if first <= start <= last)))

    def best_start(self, sweep: int, starts: Iterable[int]) -> tuple[int, int]:
        """The most cells that sweep + 1 points from one of these positions on meet, and the first such."""
        met, start = max((self.cell_at(p + sweep) - self.cell_at(p) + 1, -p) for p in starts)
        return met, -start

    def most_slid(self, sweep: Fraction) -> tuple[int, Fraction]:
        """On a continuum, the most cells that a closed interval of this length meets, and where it begins.

        Cells being half open, it meets most of them where its end just reaches an edge, or at an end of the
        span.
        """
        low = self.span.low
        ends = (*(self.edge(cell) for cell in range(self.cells)), low + sweep, self.span.high)
        starts = (end - sweep for end in ends if end - sweep >= low)
        met, start = max((self.cell(a + sweep) - self.cell(a) + 1, -a) for a in starts)
        return met, -start

    @property
    def first_points(self) -> npt.NDArray[np.int64 | np.object_]:
        """The position of the first point of each cell, on a lattice."""
        return np.array([self.begin(cell) for cell in range(self.cells)], whole_numbers(self.last))

    def cells_at(self, positions: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The cells of many positions."""
        return np.searchsorted(self.first_points, positions, side="right") - 1

    @property
    def last(self) -> int:
        """The last position of the lattice."""
        return self._lattice.last

    @property
    def _lattice(self) -> Lattice:
        if not isinstance(self.span, Lattice):
            raise RequestError("a continuum has no positions; declare a step")
        return self.span


@dataclass(frozen=True)
class Uniform(Quantizer):
    """Equal cells over the whole span (Definition 3 of [P1], Definition IV.1 of [P4]), the last one closed.

    Attributes:
        span: the values to be told apart.
        wanted: into how many cells the span is divided; on a lattice never more than it has points.

    >>> from noiseless.ranges.spans import Lattice
    >>> ages = Uniform(Lattice.of(0, 119, 1), 8)
    >>> ages.cell(Fraction(41)), ages.answer(2), ages.worst_error == 7
    (2, CellInterval(lower=Fraction(30, 1), upper=Fraction(44, 1)), True)

    Guarantee:
        * The truth lies in the interval that is told; its middle is off by `worst_error` at most.
        * An answer that one person moves by S, of a span W wide, has a reach of at most ceil(q S / W) +
          1 in q cells.
    """

    span: Span
    wanted: int

    def __post_init__(self) -> None:
        if self.wanted < 1:
            raise RequestError("a quantizer has at least one cell")

    @property
    def cells(self) -> int:
        """As many as wanted; on a lattice never more than points."""
        return min(self.wanted, self.span.last + 1) if isinstance(self.span, Lattice) else self.wanted

    def edge(self, cell: int) -> Fraction:
        """Low + cell * width, on a lattice moved up to the next point."""
        if isinstance(self.span, Lattice):
            return super().edge(cell)
        return self.span.low + self.span.width * cell / self.wanted

    def begin(self, cell: int) -> int:
        """The first point that is not below the edge."""
        last = self._lattice.last
        if cell >= self.cells:
            return last + 1
        return cell if self.cells > last else -(-cell * last // self.cells)

    @property
    def first_points(self) -> npt.NDArray[np.int64 | np.object_]:
        """All at once: hundreds of divisions are tried for one question."""
        cells, last = self.cells, self.last
        numbers = np.arange(cells).astype(whole_numbers(last * cells))
        return numbers if cells > last else -(-numbers * last // cells)

    def cell(self, value: Fraction) -> int:
        """The share of the span that lies below the value, in cells."""
        if isinstance(self.span, Lattice):
            return super().cell(value)
        if not self.span.width:
            return 0
        return min(floor((value - self.span.low) * self.wanted / self.span.width), self.wanted - 1)

    def cell_at(self, position: int) -> int:
        """The same in whole numbers."""
        last = self._lattice.last
        return position if self.cells > last else min(position * self.cells // last, self.cells - 1)

    def cells_at(self, positions: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The same of many."""
        cells, last = self.cells, self.last
        exact = positions.astype(whole_numbers(last * cells))
        return exact if cells > last else np.minimum(exact * cells // last, cells - 1)

    @property
    def worst_error(self) -> Fraction:
        """Half a cell; on a lattice half of the longest run of points (a point less wide)."""
        if not isinstance(self.span, Lattice):
            return self.span.width / self.wanted / 2
        if self.cells > self.span.last:
            return Fraction(0)
        # Cells but the last hold floor or ceil of last / cells points; the last one also holds the end point.
        inner = ceil(Fraction(self.span.last, self.cells)) if self.cells > 1 else 0
        longest = max(inner, self.span.last + 1 - self.begin(self.cells - 1))
        return self.span.step * (longest - 1) / 2


@dataclass(frozen=True)
class Stepped(Quantizer):
    """Cells of equally many lattice points, the last perhaps shorter: the finest for their worst error.

    Attributes:
        span: the lattice.
        points: how many points a cell holds.

    >>> from noiseless.ranges.spans import Lattice
    >>> ages = Stepped(Lattice.of(0, 119, 1), points=15)
    >>> ages.cells, ages.worst_error == 7
    (8, True)

    Guarantee:
        * The truth lies in the interval that is told; its middle is off by `worst_error` at most.
        * An answer that one person moves by K points has a reach of at most ceil(K / points) + 1.
    """

    span: Lattice
    points: int

    def __post_init__(self) -> None:
        if self.points < 1:
            raise RequestError("a cell holds at least one point")

    @property
    def cells(self) -> int:
        """As many as it takes."""
        return self.span.last // self.points + 1

    def begin(self, cell: int) -> int:
        """This many points later for each cell."""
        return min(cell * self.points, self.span.last + 1)

    @property
    def first_points(self) -> npt.NDArray[np.int64 | np.object_]:
        """All at once."""
        return np.arange(self.cells).astype(whole_numbers(self.last)) * self.points

    def cell_at(self, position: int) -> int:
        """The points below it, in cells."""
        return position // self.points

    def cells_at(self, positions: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The same of many."""
        return positions.astype(whole_numbers(self.last)) // self.points

    def most_met(self, sweep: int, first: int, last: int) -> tuple[int, int]:
        """Most are met from the last point of a cell on: in closed form, however many cells there are."""
        turn = first + (self.points - 1 - first) % self.points
        return self.best_start(sweep, (min(turn, last),))

    @property
    def worst_error(self) -> Fraction:
        """Half the distance of a cell's first and last point."""
        return self.span.step * (min(self.points, self.span.last + 1) - 1) / 2


@dataclass(frozen=True)
class Edged(Quantizer):
    """Cells of any width.

    For cells that mean something, such as tax brackets, or that are narrow where it matters.

    Attributes:
        span: the values to be told apart.
        edges: where cells begin and, at the end, where the last one ends; no cell is empty.

    >>> from noiseless.ranges.spans import Lattice
    >>> ages = Edged.of(Lattice.of(0, 119, 1), [Fraction(18), Fraction(65)])
    >>> [ages.cell(Fraction(age)) for age in (17, 18, 65)]
    [0, 1, 2]

    Guarantee:
        * The truth lies in the interval that is told; its middle is off by `worst_error` at most.
        * The reach is counted: one more than the most edges that one person can move the answer across.
    """

    span: Span
    edges: tuple[Fraction, ...]

    @classmethod
    def of(cls, span: Span, edges: Sequence[Fraction]) -> "Edged":
        """A quantizer with inner edges anywhere; on a lattice they move up to the next point.

        Raises:
            RequestError: an edge lies outside the span.
        """
        if any(not span.low <= edge <= span.high for edge in edges):
            raise RequestError("edges lie between the bounds")
        inner = {edge for edge in edges if span.low < edge <= span.high}
        if isinstance(span, Lattice):
            inner = {span.value(ceil((edge - span.low) / span.step)) for edge in inner}
            return cls(span, (span.low, *sorted(inner), span.high + span.step))
        return cls(span, (span.low, *sorted(inner - {span.high}), span.high))

    def __post_init__(self) -> None:
        if any(after < before for before, after in pairwise(self.edges)):
            raise RequestError("edges ascend")

    @property
    def cells(self) -> int:
        """One between each two edges."""
        return len(self.edges) - 1

    def edge(self, cell: int) -> Fraction:
        """As given."""
        return self.edges[cell]

    def cell(self, value: Fraction) -> int:
        """The last cell that begins at or below the value."""
        return min(bisect_right(self.edges, value), self.cells) - 1


@dataclass(frozen=True)
class Listed(Quantizer):
    """Cells that begin at the listed positions, the first of which is 0."""

    span: Lattice
    begins: tuple[int, ...]

    @property
    def cells(self) -> int:
        """As many as are listed."""
        return len(self.begins)

    def begin(self, cell: int) -> int:
        """As listed."""
        return self.begins[cell] if cell < len(self.begins) else self.span.last + 1

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
