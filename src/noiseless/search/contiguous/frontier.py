"""The exact frontier of posterior against loss, and the best release with contiguous cells for one goal."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from noiseless.arrays import IntArray
from noiseless.display import html_table, text_table
from noiseless.errors import RequestError
from noiseless.exact import Bits, Rational
from noiseless.measures import leakage, maximin
from noiseless.ranges import JointRange
from noiseless.search.contiguous.line import Coordinates, OrderedRange, check_posterior, least_cell_size
from noiseless.search.contiguous.sweep import FrontierStep, LossKind, Sweep, steps


@dataclass(frozen=True, eq=False, repr=False)
class ContiguousRelease:
    """Contiguous cells with the least loss for their posterior and the largest posterior for their loss.

    All numbers are recounted from the cells; only `at_least` and what follows from it rests on a theorem.

    Attributes:
        line: the public values in order, with their sensitive sets.
        begins: the number of the first value of each cell.
        loss: by which loss it is optimal among contiguous cells.
        asked: the posterior that was asked for, for which the loss is the least; `posterior` can be larger.
            Where the loss was bounded, the posterior that it allows.
    """

    line: OrderedRange
    begins: IntArray
    loss: LossKind
    asked: int

    @cached_property
    def sizes(self) -> IntArray:
        """How many public values each cell holds."""
        return np.diff(self.begins, append=len(self.line))

    @cached_property
    def cells(self) -> IntArray:
        """The cell of each public value, in the coding of the joint range that was given."""
        cells = np.empty(len(self.line), np.int64)
        cells[self.line.order] = np.repeat(np.arange(len(self.begins)), self.sizes)
        return cells

    @cached_property
    def joint(self) -> JointRange:
        """[[S, Xh]]: the sensitive values behind each cell."""
        return self.line.joint.merged(np.repeat(np.arange(len(self.begins)), self.sizes))

    @cached_property
    def posterior(self) -> int:
        """The fewest different sensitive values behind a cell."""
        return int(self.joint.posterior_sizes.min())

    @property
    def leakage(self) -> Bits:
        """L0(S -> Xh)."""
        return leakage(self.joint)

    @property
    def maximin(self) -> Bits:
        """I*(S; Xh)."""
        return maximin(self.joint)

    @cached_property
    def intervals(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """The lowest and the highest value of each cell."""
        ends = self.begins + self.sizes - 1
        places, low, unit = self.line.places, self.line.lowest, self.line.unit
        return tuple(
            (low + int(places[i]) * unit, low + int(places[j]) * unit)
            for i, j in zip(self.begins, ends, strict=True)
        )

    @property
    def codewords(self) -> tuple[Fraction, ...]:
        """What is released for each cell: its midrange, the point whose furthest value is nearest."""
        return tuple((low + high) / 2 for low, high in self.intervals)

    @cached_property
    def distortion(self) -> Fraction:
        """The largest distance of a value from its codeword: half the width of the widest cell."""
        return Fraction(self._width) / 2 * self.line.unit

    @cached_property
    def centroid_distortion(self) -> Fraction:
        """The same if the mean of a cell's values were released ([P3]): up to twice as much, never less."""
        worst = Fraction(0)
        for begin, size in zip(self.begins.tolist(), self.sizes.tolist(), strict=True):
            values = [int(place) for place in self.line.places[begin : begin + size]]
            centre = Fraction(sum(values), size)
            worst = max(worst, centre - values[0], values[-1] - centre)
        return worst * self.line.unit

    @property
    def largest_cell(self) -> int:
        """The most public values in a cell."""
        return int(self.sizes.max())

    @property
    def resolution(self) -> Bits:
        """U1 = I0(X -> Xh) = log2 |X| / max |cell|."""
        return Bits(Fraction(len(self.line), self.largest_cell))

    @cached_property
    def at_least(self) -> Fraction:
        """No partition at all with the posterior that was asked for has a smaller loss than this.

        Distortion: every value lies in a run with k sensitive values, and two values far apart do not share
        theirs. Resolution (the size of the largest cell): by counting.
        """
        if self.loss == "resolution":
            return Fraction(least_cell_size(self.line.joint, self.asked))
        width = Sweep(self.line).least_of_any(self.asked, self._width)
        return Fraction(width, 2) * self.line.unit

    @property
    def gap(self) -> Fraction:
        """By how much any other partition with the posterior asked for could be better, at most."""
        return self._lost - self.at_least

    @property
    def optimal(self) -> bool:
        """Whether it is proved that no partition at all with the posterior asked for loses less."""
        return not self.gap

    @property
    def scope(self) -> Literal["all", "contiguous"]:
        """Among which partitions the loss is proved to be the least."""
        return "all" if self.optimal else "contiguous"

    @property
    def _lost(self) -> Fraction:
        return self.distortion if self.loss == "distortion" else Fraction(self.largest_cell)

    @property
    def _width(self) -> int:
        places = self.line.places
        return int(max(places[self.begins + self.sizes - 1] - places[self.begins]))

    def _rows(self) -> dict[str, str]:
        of = f"{self.line.joint.size_x:,} sensitive values"
        return {
            "cells": f"{len(self.begins):,} for {len(self.line):,} values",
            "fewest values left": f"{self.posterior:,} of {of}",
            "leakage": str(self.leakage),
            "distortion": str(self.distortion),
            "largest cell": f"{self.largest_cell:,} values",
            "optimal among": f"{self.scope} cells that leave {self.asked:,} ({self.loss})",
            "no partition below": str(self.at_least),
        }

    def __repr__(self) -> str:
        return text_table("Contiguous release", self._rows())

    def _repr_html_(self) -> str:
        return html_table("Contiguous release", self._rows())


@dataclass(frozen=True)
class LineGoal:
    """What is asked for: a least posterior, or else a largest width."""

    posterior: int | None = None
    width: int = 0

    @classmethod
    def of(  # noqa: PLR0917 - passed on in order
        cls,
        line: OrderedRange,
        loss: LossKind,
        posterior: int | None,
        leakage: Bits | Rational | None,
        distortion: Rational | None,
        largest_cell: int | None,
    ) -> "LineGoal":
        """From exactly one of the four.

        Raises:
            RequestError: none or several are given, or one that does not suit.
        """
        if sum(wish is not None for wish in (posterior, leakage, distortion, largest_cell)) != 1:
            raise RequestError("give one of posterior, leakage, distortion and largest_cell")
        if posterior is not None:
            check_posterior(line.joint, posterior)
            return cls(posterior)
        if leakage is not None:
            return cls(_least_posterior(line, leakage))
        if (distortion is None) == (loss == "distortion"):
            raise RequestError(
                "a distortion is bounded for loss='distortion', a largest_cell for 'resolution'"
            )
        if distortion is not None and distortion >= 0:
            return cls(None, min(int(2 * Fraction(distortion) / line.unit), line.span))
        if largest_cell is not None and largest_cell >= 1:
            return cls(None, min(largest_cell, len(line)) - 1)
        raise RequestError("a distortion is not negative, and a cell holds at least one value")


def _least_posterior(line: OrderedRange, leakage: Bits | Rational) -> int:
    """The smallest posterior that leaks no more: |S| / k <= 2^leakage, decided exactly."""
    low, high = 1, line.joint.size_x
    if not line.leakage(high) <= leakage:
        raise RequestError("a leakage is not negative")
    while low < high:
        middle = (low + high) // 2
        if line.leakage(middle) <= leakage:
            high = middle
        else:
            low = middle + 1
    return low


@dataclass(frozen=True)
class Point:
    """A point of the frontier: no contiguous cells have a larger posterior and no more loss, or less loss.

    Attributes:
        posterior: the fewest sensitive values behind a cell.
        leakage: L0(S -> Xh).
        loss: the distortion, or how many values the largest cell holds.
        at_least: no partition at all with this posterior loses less; a release may know better.
    """

    posterior: int
    leakage: Bits
    loss: Fraction
    at_least: Fraction


@dataclass(frozen=True, eq=False, repr=False)
class Frontier:
    """All undominated pairs of posterior and loss with contiguous cells, ascending.

    Attributes:
        line: the public values in order, with their sensitive sets.
        loss: what is lost: "distortion" or "resolution".
        posteriors: the posterior of each point.
        widths: the width of its widest cell (in units), or how many values its largest cell holds.
        covers: a bound below the width for any partition.
    """

    line: OrderedRange
    loss: LossKind
    posteriors: IntArray
    widths: npt.NDArray[Any]
    covers: npt.NDArray[Any]

    def __len__(self) -> int:
        """How many points there are."""
        return len(self.posteriors)

    def __getitem__(self, number: int) -> Point:
        posterior, width, cover = (int(row[number]) for row in (self.posteriors, self.widths, self.covers))
        half = self.line.unit / 2 if self.loss == "distortion" else Fraction(1)
        return Point(posterior, self.line.leakage(posterior), width * half, cover * half)

    def __iter__(self) -> Iterator[Point]:
        return (self[number] for number in range(len(self)))

    def __repr__(self) -> str:
        first, last = self[0], self[-1]
        return (
            f"Frontier({len(self):,} points, posterior {first.posterior:,} to {last.posterior:,}, "
            f"{self.loss} {first.loss} to {last.loss})"
        )

    def best(
        self,
        *,
        posterior: int | None = None,
        leakage: Bits | Rational | None = None,
        distortion: Rational | None = None,
        largest_cell: int | None = None,
    ) -> Point:
        """The point with the least loss for a posterior or leakage, or the largest posterior for a loss.

        Args:
            posterior: at least so many sensitive values behind each cell.
            leakage: at most so many bits.
            distortion: no value further from what is released.
            largest_cell: no more values in a cell.

        Raises:
            RequestError: not exactly one is given, or there is no such point.
        """
        return self._at(LineGoal.of(self.line, self.loss, posterior, leakage, distortion, largest_cell))

    def _at(self, wish: LineGoal) -> Point:
        if wish.posterior is None:
            bound = wish.width + (self.loss == "resolution")
            return self[int(np.searchsorted(self.widths, bound, side="right")) - 1]
        number = int(np.searchsorted(self.posteriors, wish.posterior))
        if number == len(self):
            raise RequestError("the frontier was not followed up to that posterior")
        return self[number]

    def release(
        self,
        *,
        posterior: int | None = None,
        leakage: Bits | Rational | None = None,
        distortion: Rational | None = None,
        largest_cell: int | None = None,
    ) -> ContiguousRelease:
        """The release at the best point (see `best`)."""
        wish = LineGoal.of(self.line, self.loss, posterior, leakage, distortion, largest_cell)
        reached = self._at(wish).posterior
        return _cut(Sweep(self.line, self.loss), reached, wish.posterior or reached)


def frontier(
    joint: JointRange,
    coordinates: Coordinates | None = None,
    *,
    loss: LossKind = "distortion",
    up_to: int | None = None,
) -> Frontier:
    """The whole exact frontier of hiding S behind contiguous cells of X.

    >>> hidden = JointRange.from_pairs([("a", 0), ("a", 1), ("b", 2), ("b", 3), ("c", 9)])
    >>> [(point.posterior, str(point.loss)) for point in frontier(hidden)]
    [(1, '0'), (2, '3'), (3, '9/2')]

    Args:
        joint: [[S, X]]: the X of `JointRange` is sensitive, its Y is public and lies on a line.
        coordinates: where each public value lies (see `OrderedRange.of`).
        loss: "distortion": half the width of the widest cell; "resolution": the size of the largest cell.
        up_to: stop at this posterior; it is otherwise followed up to the number of sensitive values.
    """
    line = OrderedRange.of(joint, coordinates)
    last = joint.size_x if up_to is None else up_to
    check_posterior(joint, last)
    sweep, found = Sweep(line, loss), list[FrontierStep]()
    for step in steps(sweep):
        if found and found[-1].width == step.width:
            found.pop()  # the same loss with a larger posterior
        found.append(step)
        if step.posterior >= last:
            break
    end = found[-1]
    if end.posterior < joint.size_x:
        found[-1] = end._replace(posterior=sweep.largest_posterior(end.width, end.posterior))
    kind = line.places.dtype if loss == "distortion" else np.int64
    posteriors, widths, covers = (np.array(row, kind) for row in zip(*found, strict=True))
    if loss == "resolution":
        widths = widths + 1
        covers = np.array([least_cell_size(joint, int(posterior)) for posterior in posteriors])
    return Frontier(line, loss, posteriors, widths, covers)


def contiguous_release(
    joint: JointRange,
    coordinates: Coordinates | None = None,
    *,
    loss: LossKind | None = None,
    posterior: int | None = None,
    leakage: Bits | Rational | None = None,
    distortion: Rational | None = None,
    largest_cell: int | None = None,
) -> ContiguousRelease:
    """The best release with contiguous cells for one wish.

    The least loss for a posterior (or leakage), or the largest posterior for a loss; then the best of the
    other; then the most cells; then the last cell begins as late as possible, then the one before it, and so
    on.

    >>> hidden = JointRange.from_pairs([("a", 0), ("a", 1), ("b", 2), ("b", 3), ("c", 9)])
    >>> contiguous_release(hidden, posterior=2).intervals
    ((Fraction(0, 1), Fraction(2, 1)), (Fraction(3, 1), Fraction(9, 1)))

    Args:
        joint: [[S, X]]: the X of `JointRange` is sensitive, its Y is public and lies on a line.
        coordinates: where each public value lies (see `OrderedRange.of`).
        loss: "distortion" (unless `largest_cell` is given) or "resolution".
        posterior: at least so many sensitive values behind each cell.
        leakage: at most so many bits.
        distortion: no value further from what is released.
        largest_cell: no more values in a cell.

    Raises:
        RequestError: not exactly one of the last four is given, or it cannot be had.
    """
    line = OrderedRange.of(joint, coordinates)
    chosen: LossKind = loss or ("distortion" if largest_cell is None else "resolution")
    wish = LineGoal.of(line, chosen, posterior, leakage, distortion, largest_cell)
    return _release(Sweep(line, chosen), wish)


def _release(sweep: Sweep, wish: LineGoal) -> ContiguousRelease:
    least = wish.posterior or sweep.line.least_posterior
    width = sweep.windows(least).least_width() if wish.posterior else wish.width
    posterior = sweep.largest_posterior(width, least)
    return _cut(sweep, posterior, wish.posterior or posterior)


def _cut(sweep: Sweep, posterior: int, asked: int) -> ContiguousRelease:
    windows = sweep.windows(posterior)
    return ContiguousRelease(sweep.line, windows.cells(windows.least_width()), sweep.loss, asked)
