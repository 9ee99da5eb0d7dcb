"""The cells of rounded numbers: on a continuum, edge by edge; on a lattice, in closed form."""

from abc import abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor, lcm
from operator import itemgetter
from typing import Literal

from noiseless.pricing.reach import first_in_range
from noiseless.ranges.quantizer import Quantizer, Stepped
from noiseless.ranges.spans import Continuum, Lattice

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


_LISTED = 64
"""With so few cells each is looked at."""


@dataclass(frozen=True)
class Comb(Quantizer):
    """Position p lies in the tooth of N = rate * p + offset among teeth of `wide` and `narrow` in turn.

    Whole numbers throughout. Below the origin the offset may be one less: halves that go away from zero go
    down there.

    Attributes:
        span: the lattice.
        rate: how far N moves from one position to the next.
        offset: what N is at position 0, for positions from the origin on.
        wide: how many numbers an even tooth has.
        narrow: how many an odd one has.
        origin: the first position whose value is not negative, when that matters; else 0.
    """

    span: Lattice
    rate: int
    offset: int
    wide: int
    narrow: int
    origin: int = 0

    @classmethod
    def of(cls, span: Lattice, base: Fraction, direction: Direction) -> Quantizer:
        """The cells of points that are told as one multiple of the base; no cell is empty."""
        step, low = span.step / base, span.low / base
        unit = lcm(step.denominator, low.denominator)
        rate, offset = int(2 * unit * step), int(2 * unit * low)
        if step > 1 or (step == 1 and not (direction == "half-even" and offset % (2 * unit) == unit)):
            return Stepped(span, 1)  # neighbours are told apart
        if direction == "down":
            return cls(span, rate, offset, 2 * unit, 2 * unit)
        if direction == "up":
            return cls(span, rate, offset + 2 * unit - 1, 2 * unit, 2 * unit)
        if direction == "half-even":
            if step == 1:  # all points are halves: those beside an even multiple are told as it
                return cls(span, rate, offset + unit, 4 * unit, 4 * unit)
            return cls(span, rate, offset + unit, 2 * unit + 1, 2 * unit - 1)
        origin = min(max(-(offset // rate), 0), span.last + 1)
        return cls(span, rate, offset + unit, 2 * unit, 2 * unit, origin)

    @property
    def cells(self) -> int:
        """As many teeth as points are in."""
        return self._tooth_at(self.span.last) - self._tooth_at(0) + 1

    def begin(self, cell: int) -> int:
        """The first position that is not before the tooth."""
        if cell <= 0:
            return 0
        if cell >= self.cells:
            return self.span.last + 1
        tooth = self._tooth_at(0) + cell
        pairs, odd = divmod(tooth, 2)
        start = pairs * (self.wide + self.narrow) + odd * self.wide
        before, after = (-((offset - start) // self.rate) for offset in (self.offset - 1, self.offset))
        return min(before, self.origin) if after < self.origin else after

    def cell_at(self, position: int) -> int:
        """The tooth, counted from the first one in use."""
        return self._tooth_at(position) - self._tooth_at(0)

    def _tooth_at(self, position: int) -> int:
        number = self.rate * position + self.offset - (position < self.origin)
        pairs, rest = divmod(number, self.wide + self.narrow)
        return 2 * pairs + (rest >= self.wide)

    def most_met(self, sweep: int, first: int, last: int) -> tuple[int, int]:
        """Windows before the origin, across it and after it: in each kind N only moves round a circle."""
        edges = sorted(
            {first, last + 1, *(e for e in (self.origin - sweep, self.origin) if first < e <= last)}
        )
        best = (0, first)
        for begin, end in pairwise(edges):
            best = max(best, self._most(sweep, begin, end - 1), key=itemgetter(0))
        return best

    def _most(self, sweep: int, first: int, last: int) -> tuple[int, int]:
        """The same where all windows are of one kind: try what most are possible, then one less."""
        shift = self.offset - (first < self.origin)
        moved = self.rate * sweep + ((first < self.origin) and (first + sweep >= self.origin))
        circle = self.wide + self.narrow
        turns, rest = divmod(moved, circle)
        starts = (0, self.wide, circle, circle + self.wide)
        for more in (3, 2, 1):
            for tooth in (0, 1):
                if tooth + more >= len(starts):
                    continue
                low = max(starts[tooth], starts[tooth + more] - rest)
                start = self._start(shift, low, starts[tooth + 1] - 1, first, last)
                if start is not None:
                    return 2 * turns + more + 1, start
        return 2 * turns + 1, first

    def _start(self, shift: int, low: int, high: int, first: int, last: int) -> int | None:
        """The first position, first..last, whose N lies between these numbers on the circle."""
        circle = self.wide + self.narrow
        here = (self.rate * first + shift) % circle
        if low <= here <= high:
            return first
        if low > high:
            return None
        turn = circle if here > high else 0
        steps = first_in_range(self.rate, circle, low - here + turn, high - here + turn)
        return first + steps if steps is not None and first + steps <= last else None

    @property
    def worst_error(self) -> Fraction:
        """Half of the longest run of points in one tooth."""
        if self.cells <= _LISTED:
            return super().worst_error
        widest = max(self.wide, self.narrow)
        points = (widest - 1) // self.rate + 1
        starts = ((0, self.wide), (self.wide, self.wide + self.narrow))
        for more in (points - 1, points - 2):
            for low, end in starts:
                if self._run(low, end - 1 - more * self.rate, more):
                    return self.span.step * more / 2
        raise AssertionError("a whole tooth holds its points or one less")

    def _run(self, low: int, high: int, more: int) -> bool:
        """Whether some point with N between these numbers on the circle is followed by this many alike."""
        last, origin, offset = self.span.last - more, self.origin, self.offset
        kinds = (  # before the origin, across it and after it
            (offset - 1, high, 0, min(origin - more - 1, last)),
            (offset - 1, high - 1, max(origin - more, 0), min(origin - 1, last)),
            (offset, high, origin, last),
        )
        return any(
            first <= end and self._start(shift, low, top, first, end) is not None
            for shift, top, first, end in kinds
        )
