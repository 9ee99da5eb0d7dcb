"""Cells of a continuum, with regard to which of two neighbours an edge belongs to."""

from abc import abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import Literal

from noiseless.ranges.quantizer import Quantizer
from noiseless.ranges.spans import Continuum

Direction = Literal["half-away", "half-even", "down", "up"]

_HALF = Fraction(1, 2)


def multiple(ratio: Fraction, direction: Direction) -> int:
    """Which multiple of the base a number is told as, given how many times the base it is.

    >>> [multiple(Fraction(n, 2), "half-away") for n in (-3, -1, 1, 3)]
    [-2, -1, 1, 2]
    >>> [multiple(Fraction(n, 2), "half-even") for n in (-3, -1, 1, 3)]
    [-2, 0, 0, 2]
    """
    if direction == "down":
        return floor(ratio)
    if direction == "up":
        return ceil(ratio)
    if direction == "half-even":
        return round(ratio)
    return floor(ratio + _HALF) if ratio >= 0 else ceil(ratio - _HALF)


class Sided(Quantizer):
    """Cells of which some begin at their edge and others just behind it."""

    span: Continuum

    @abstractmethod
    def cell_after(self, value: Fraction) -> int:
        """The cell of the numbers just above a value."""

    @abstractmethod
    def turns(self, sweep: Fraction) -> Iterator[Fraction]:
        """Edges where an interval of this length may end when it meets most cells."""

    def most_slid(self, sweep: Fraction) -> tuple[int, Fraction]:
        """An interval that moves up meets one more cell where its end reaches an edge, or just behind it."""
        low, last = self.span.low, self.span.high - sweep
        starts = {low, last, *(end - sweep for end in self.turns(sweep))}
        best, where, behind = 0, low, False
        for start in sorted(start for start in starts if low <= start <= last):
            met = self.cell(start + sweep) - self.cell(start) + 1
            if met > best:
                best, where, behind = met, start, False
            if start < last:
                met = self.cell_after(start + sweep) - self.cell_after(start) + 1
                if met > best:
                    best, where, behind = met, start, True
        return best, self._behind(where, sweep, best) if behind else where

    def _behind(self, start: Fraction, sweep: Fraction, met: int) -> Fraction:
        """A number so little above the start that as many cells are met from it."""
        distance = (self.span.high - sweep - start) / 2
        while self.cell(start + distance + sweep) - self.cell(start + distance) + 1 != met:
            distance /= 2
        return start + distance


@dataclass(frozen=True)
class Rounded(Sided):
    """The numbers that are told as one multiple of a base.

    With half-even every other cell has both its edges, and with half-away the one around 0 has none: an
    interval as long as one base can meet three cells.
    """

    span: Continuum
    base: Fraction
    direction: Direction

    @property
    def cells(self) -> int:
        """The multiples that are told."""
        return self.cell(self.span.high) + 1

    def edge(self, cell: int) -> Fraction:
        """Half a base below the multiple, a whole one or none."""
        if cell >= self.cells:
            return self.span.high
        below = {"down": Fraction(0), "up": Fraction(1)}.get(self.direction, _HALF)
        return max((self._first + cell - below) * self.base, self.span.low)

    def cell(self, value: Fraction) -> int:
        """The multiple, counted from the first one."""
        return multiple(value / self.base, self.direction) - self._first

    def cell_after(self, value: Fraction) -> int:
        """Just above an edge the upper multiple is told."""
        ratio = value / self.base
        if self.direction in {"down", "up"}:
            return floor(ratio) + (self.direction == "up") - self._first
        return floor(ratio + _HALF) - self._first

    def turns(self, sweep: Fraction) -> Iterator[Fraction]:
        """Four edges on either side of where the pattern of cells changes: at both ends and around 0."""
        low, high = self.span.low, self.span.high
        for place in (low + sweep, high, Fraction(0), sweep):
            middle = floor(place / self.base)
            shift = Fraction(0) if self.direction in {"down", "up"} else _HALF
            yield from ((middle + near + shift) * self.base for near in range(-5, 5))

    @property
    def worst_error(self) -> Fraction:
        """Half a base, unless every cell is cut off by an end."""
        return self.base / 2 if self.cells > 2 else super().worst_error  # noqa: PLR2004 - two ends

    @property
    def _first(self) -> int:
        return multiple(self.span.low / self.base, self.direction)


@dataclass(frozen=True)
class Cut(Sided):
    """Any cells of a continuum.

    Attributes:
        span: the continuum.
        cuts: where a cell ends and the next begins, ascending, strictly inside the span or at its ends.
        upper: whether the cuts themselves belong to the upper cell.
    """

    span: Continuum
    cuts: tuple[Fraction, ...]
    upper: bool

    @property
    def cells(self) -> int:
        """One more than cuts."""
        return len(self.cuts) + 1

    def edge(self, cell: int) -> Fraction:
        """The cut before it."""
        if cell <= 0:
            return self.span.low
        return self.cuts[cell - 1] if cell < self.cells else self.span.high

    def cell(self, value: Fraction) -> int:
        """How many cuts are before the value."""
        return bisect_right(self.cuts, value) if self.upper else bisect_left(self.cuts, value)

    def cell_after(self, value: Fraction) -> int:
        """The cuts at the value are before it."""
        return bisect_right(self.cuts, value)

    def turns(self, sweep: Fraction) -> Iterator[Fraction]:  # noqa: ARG002 - any length
        """All cuts."""
        return iter(self.cuts)
