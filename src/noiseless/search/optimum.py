"""What is exact for one ordered column: contiguous cells, and the fewest blocks."""

from collections import deque
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from noiseless.arrays import IntArray
from noiseless.exact import Bits
from noiseless.search.codebook import ColumnCodebook
from noiseless.search.columns import Categories
from noiseless.search.contiguous.kernels import SQUARES, WIDTHS
from noiseless.search.deals import least_cell_size
from noiseless.search.goal import Targets
from noiseless.search.loss import Lagrangian, Length, Loss, Utility
from noiseless.search.mean_loss import MeanLoss, SquaredError
from noiseless.search.problem import Problem
from noiseless.search.strips import LineStrip, Room, strips, together

WORK = 10**9
"""A whole frontier takes a sweep over all pairs for each posterior; about this many pairs are looked at."""

FEW_SWEEPS = 100
"""But this many posteriors at least."""


@dataclass(frozen=True, eq=False)
class ContiguousOptimum:
    """All that contiguous cells of one ordered column can do; a group of values has cells of its own.

    Attributes:
        problem: what is to be merged.
        utility: what is kept.
        distortion: the largest distortion allowed; None for any.
        values: how many values a cell may hold at most; None for any number.
        rows: how many rows a cell must hold at least.
    """

    problem: Problem
    utility: Utility
    distortion: Length | None = None
    values: int | None = None
    rows: int = 1

    @classmethod
    def within(cls, targets: Targets, distortion: Length | None) -> "ContiguousOptimum":
        """What they can do within limits, and within a distortion."""
        goal = targets.goal
        return cls(targets.problem, goal.utility, distortion, targets.largest_cell, goal.min_rows or 1)

    @classmethod
    def applies(cls, problem: Problem, utility: Utility, *, by_width: bool = False) -> bool:
        """Whether one column has an order, what is lost follows from it, and no value is seen in two ways.

        Args:
            problem: what is to be merged.
            utility: what is kept.
            by_width: whether a distortion must follow from a cell's width though it is not the utility.
        """
        if problem.side is not None or not problem.one_column:
            return False
        if utility == "resolution" and not by_width:
            return True
        book = problem.codebook
        return problem.line is not None and isinstance(book, ColumnCodebook) and book.by_hull

    @cached_property
    def strips(self) -> list[LineStrip]:
        """A strip for each group."""
        return strips(self.problem, self.utility, rows=self.rows)

    def room(self, strip: LineStrip, loss: Fraction | None = None) -> Room:
        """The room that the limits leave; and no more than a loss takes."""
        room = strip.room(self.distortion, self.values)
        if loss is None:
            return room
        if self.utility == "resolution":
            return Room(room.width, min(room.values, int(loss)))
        return Room(min(room.width, int(loss / strip.unit)), room.values)

    def _least(self, k: int) -> Fraction | None:
        """The least loss for a posterior, in distance or in values; None if it is not possible."""
        losses = []
        for strip in self.strips:
            room = strip.least(k, self.room(strip))
            if room is None:
                return None
            losses.append(strip.unit * room.width if self.utility == "distortion" else Fraction(room.values))
        return max(losses)

    def for_posterior(self, k: int) -> IntArray | None:
        """The labels of cells with the least loss for a posterior; at that loss the largest posterior."""
        least = self._least(k)
        return None if least is None else self._within(least)

    def for_loss(self) -> IntArray | None:
        """The labels of cells with the largest posterior that the limits allow, and then the least loss."""
        return self._within(None)

    def _within(self, loss: Fraction | None) -> IntArray | None:
        """The labels of cells with the largest posterior within a loss, each strip with the least room."""
        rooms = [self.room(strip, loss) for strip in self.strips]
        k = min(strip.most(room) for strip, room in zip(self.strips, rooms, strict=True))
        if not k:
            return None
        cells = [strip.narrowest(k, room) for strip, room in zip(self.strips, rooms, strict=True)]
        return together([strip.members for strip in self.strips], cells)[0]

    @classmethod
    def applies_to_mean(cls, problem: Problem, loss: MeanLoss) -> bool:
        """Whether what a cell of one ordered column loses follows from the order, and is Monge."""
        if not cls.applies(problem, "resolution"):
            return False
        book = problem.codebook
        column = book.columns[0] if isinstance(book, ColumnCodebook) else None
        if loss.form == WIDTHS and isinstance(column, Categories):
            return True
        return loss.form not in (WIDTHS, SQUARES) or problem.line is not None

    def for_mean(self, k: int, loss: MeanLoss) -> IntArray | None:
        """The labels of cells with the least mean loss for a posterior; None if it is not possible."""
        found = self._cheapest(k, loss)
        return None if found is None else found[0]

    def mean_at_least(self, k: int, loss: MeanLoss) -> Fraction | None:
        """No contiguous cells with a posterior have a smaller mean loss: that of `for_mean`, or hardly less.

        It is less only for squared errors of more than 20,000 values that 64 bits are too few for.
        """
        found = self._cheapest(k, loss)
        if found is None:
            return None
        book, rows = self.problem.codebook, self.problem.weights
        axes = book.axes if isinstance(book, ColumnCodebook) else ()
        if loss.form != SQUARES:
            return loss.total(axes, found[0], np.zeros(len(rows), bool), rows)
        return found[1] / (SquaredError.of_all(axes[0], rows) or 1)

    @cached_property
    def _means(self) -> dict[tuple[int, MeanLoss], tuple[IntArray, Fraction] | None]:
        return {}

    def _cheapest(self, k: int, loss: MeanLoss) -> tuple[IntArray, Fraction] | None:
        """The labels, and the squared units of the column that no others come below."""
        if (k, loss) not in self._means:
            self._means[k, loss] = self._least_mean(k, loss)
        return self._means[k, loss]

    def _least_mean(self, k: int, loss: MeanLoss) -> tuple[IntArray, Fraction] | None:
        cells, least = [], Fraction(0)
        for strip in self.strips:
            found = strip.cheapest(k, self.room(strip), loss)
            if found is None:
                return None
            cells.append(found[0])
            least += strip.step**2 * found[1]
        return together([strip.members for strip in self.strips], cells)[0], least

    @cached_property
    def _last(self) -> int:
        """No posterior is larger."""
        return min(strip.sensitive for strip in self.strips)

    def _losses(self) -> dict[int, Fraction | None]:
        """Posteriors with their least losses: all where these change, or as many as may be looked at."""
        found, spans = dict[int, Fraction | None](), deque([(1, 1), (self._last,) * 2, (1, self._last)])
        while spans and len(found) < max(FEW_SWEEPS, WORK // len(self.problem.joint)):
            low, high = spans.popleft()
            middle = (low + high) // 2
            if middle not in found and (low == high or found[low] != found[high]):
                found[middle] = self._least(middle)
                spans += [(low, middle), (middle, high)]
        return found

    @cached_property
    def frontier(self) -> list[tuple[int, Loss]]:
        """The undominated posteriors, each with its loss, ascending; some of them where they are too many."""
        points: list[tuple[int, Fraction]] = []
        for k, loss in sorted(self._losses().items(), reverse=True):
            if loss is not None and (not points or loss < points[-1][1]):
                points.append((k, loss))
        return [(k, self._as_loss(loss)) for k, loss in points[::-1]]

    def _as_loss(self, loss: Fraction) -> Loss:
        return Length(loss) if self.utility == "distortion" else Bits(loss)

    def best(self, weight: Fraction, least: int = 1) -> IntArray | None:
        """The labels of the cells with the smallest Lagrangian of all with a posterior; None if none fits.

        Larger posteriors lose no less: a stretch of them is left out where the leak of its last one and the
        loss of its first one together are no better than what is known.
        """
        best: tuple[Lagrangian, int] | None = None
        spans = [(least, self._last)]
        while spans:
            low, high = spans.pop()
            loss = self._least(low) if low <= high else None
            if loss is None:
                continue
            here, bound = (
                Lagrangian(Fraction(self.problem.joint.size_x, k), self._as_loss(loss), weight)
                for k in (low, high)
            )
            if best is None or (bound, low) < best:
                best = min(best or (here, low), (here, low))
                middle = (low + high) // 2 + 1
                spans += [(low + 1, middle - 1), (middle, high)]
        return None if best is None else self.for_posterior(best[1])

    def least_of_any(self, k: int) -> Loss | None:
        """No partition at all that leaves k values loses less; None if none leaves this many."""
        if not all(strip.can_hold(k) for strip in self.strips):
            return None
        if self.utility == "resolution":
            return Bits(max(least_cell_size(strip.joint, k) for strip in self.strips))
        return Length(max(strip.least_of_any(k) * strip.unit for strip in self.strips))
