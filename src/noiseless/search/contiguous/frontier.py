"""The exact frontier of posterior against loss, and the best release for one wish."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from noiseless.arrays import IntArray
from noiseless.errors import RequestError
from noiseless.exact import Bits, Rational
from noiseless.ranges import JointRange
from noiseless.search.contiguous.climb import Step, steps
from noiseless.search.contiguous.counting import check_posterior, least_cell_size
from noiseless.search.contiguous.order import Coordinates, OrderedRange
from noiseless.search.contiguous.release import ContiguousRelease
from noiseless.search.contiguous.sweep import Loss, Sweep
from noiseless.search.contiguous.wish import Wish


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
    loss: Loss
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
        return self._at(Wish.of(self.line, self.loss, posterior, leakage, distortion, largest_cell))

    def _at(self, wish: Wish) -> Point:
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
        wish = Wish.of(self.line, self.loss, posterior, leakage, distortion, largest_cell)
        reached = self._at(wish).posterior
        return _cut(Sweep(self.line, self.loss), reached, wish.posterior or reached)


def frontier(
    joint: JointRange,
    coordinates: Coordinates | None = None,
    *,
    loss: Loss = "distortion",
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
    sweep, found = Sweep(line, loss), list[Step]()
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
    loss: Loss | None = None,
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
    chosen: Loss = loss or ("distortion" if largest_cell is None else "resolution")
    wish = Wish.of(line, chosen, posterior, leakage, distortion, largest_cell)
    return _release(Sweep(line, chosen), wish)


def _release(sweep: Sweep, wish: Wish) -> ContiguousRelease:
    least = wish.posterior or sweep.line.least_posterior
    width = sweep.windows(least).least_width() if wish.posterior else wish.width
    posterior = sweep.largest_posterior(width, least)
    return _cut(sweep, posterior, wish.posterior or posterior)


def _cut(sweep: Sweep, posterior: int, asked: int) -> ContiguousRelease:
    windows = sweep.windows(posterior)
    return ContiguousRelease(sweep.line, windows.cells(windows.least_width()), sweep.loss, asked)
