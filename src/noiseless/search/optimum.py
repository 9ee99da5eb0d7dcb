"""What is exact for one ordered column: contiguous cells, and the fewest blocks."""

from bisect import bisect_left
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np

from noiseless.arrays import IntArray
from noiseless.exact import Bits
from noiseless.search.codebook import ColumnCodebook
from noiseless.search.columns import Categories
from noiseless.search.contiguous.blocks import NODES, FewestBlocks, fewest_blocks
from noiseless.search.contiguous.kernels import SQUARES, WIDTHS
from noiseless.search.deals import least_cell_size
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

    def _room(self, strip: LineStrip, loss: Fraction | None = None) -> Room:
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
            room = strip.least(k, self._room(strip))
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
        rooms = [self._room(strip, loss) for strip in self.strips]
        k = min(strip.most(room) for strip, room in zip(self.strips, rooms, strict=True))
        if not k:
            return None
        cells = [strip.narrowest(k, room) for strip, room in zip(self.strips, rooms, strict=True)]
        return together(self.problem, self.strips, cells)[0]

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
            found = [strip.cheapest(k, self._room(strip), loss) for strip in self.strips]
            known = [one for one in found if one is not None]
            self._means[k, loss] = None
            if len(known) == len(found):
                units = [Fraction(strip.step) ** 2 for strip in self.strips]
                least = sum((unit * own for unit, (_, own) in zip(units, known, strict=True)), Fraction(0))
                labels = together(self.problem, self.strips, [cells for cells, _ in known])[0]
                self._means[k, loss] = labels, least
        return self._means[k, loss]

    @cached_property
    def _last(self) -> int:
        """No posterior is larger."""
        return min(strip.sensitive for strip in self.strips)

    @property
    def _sweeps(self) -> int:
        return max(FEW_SWEEPS, WORK // len(self.problem.joint))

    @property
    def complete(self) -> bool:
        """Whether `frontier` has all undominated points; the other answers are exact in any case."""
        return self._last <= self._sweeps

    def _visits(self) -> Iterator[tuple[int, Fraction | None]]:
        """Posteriors with their least losses: all where these change, or as many as may be looked at."""
        found, spans = dict[int, Fraction | None](), deque([(1, 1), (self._last,) * 2, (1, self._last)])
        while spans and len(found) < self._sweeps:
            low, high = spans.popleft()
            middle = (low + high) // 2
            if middle not in found and (low == high or found[low] != found[high]):
                found[middle] = self._least(middle)
                yield middle, found[middle]
                spans += [(low, middle), (middle, high)]

    @cached_property
    def _losses(self) -> dict[int, Fraction | None]:
        return dict(self._visits())

    def cells(self) -> Iterator[tuple[int, IntArray]]:
        """The posteriors of `frontier`, and some that it beats, in no order, with labels of the best cells.

        For a whole curve this takes half the sweeps of `frontier` and then `for_posterior`.
        """
        for k, loss in self._visits():
            if loss is not None:
                own = [strip.narrowest(k, self._room(strip)) for strip in self.strips]
                yield k, together(self.problem, self.strips, own)[0]

    @cached_property
    def frontier(self) -> list[tuple[int, Loss]]:
        """The undominated posteriors, each with its loss, ascending."""
        points: list[tuple[int, Fraction]] = []
        for k, loss in sorted(self._losses.items(), reverse=True):
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


MOST_VALUES = 3000
"""More public values take too long: the search is in plain Python."""

FEW_VALUES = 300
"""Up to this many values all their distances are listed."""

TRIES = 8
"""This many widths between what counting refutes and what quick ways achieve are searched."""


class NarrowCells(NamedTuple):
    """Narrow cells that leave few blocks.

    Attributes:
        cells: the cell of each public value.
        at_least: no cells that leave as few have a smaller distortion.
        proof: "counting", or "search" where all other cells were looked at as well.
    """

    cells: IntArray
    at_least: Length
    proof: str


@dataclass(frozen=True, eq=False)
class BlockBracket:
    """How few blocks cells of a width leave, and how wide they must be for this many.

    Attributes:
        problem: what is to be merged: one ordered column, nothing is seen besides.
    """

    problem: Problem

    @classmethod
    def applies(cls, problem: Problem) -> bool:
        """Whether values lie on a line, half a cell's width is what it costs, and they are not too many."""
        book = problem.codebook
        on_a_line = problem.line is not None and isinstance(book, ColumnCodebook) and book.by_hull
        return on_a_line and problem.plain and problem.size <= MOST_VALUES

    @cached_property
    def strip(self) -> LineStrip:
        """The line."""
        return strips(self.problem, "distortion")[0]

    def within(self, distortion: Length | None) -> FewestBlocks:
        """The bracket for a distortion."""
        return self._of(self.strip.room(distortion, None).width, NODES)

    @cached_property
    def _known(self) -> dict[tuple[int, int], FewestBlocks]:
        return {}

    def _of(self, width: int, nodes: int = 0) -> FewestBlocks:
        if (width, nodes) not in self._known:
            self._known[width, nodes] = fewest_blocks(self.strip, width, nodes=nodes)
        return self._known[width, nodes]

    @cached_property
    def _widths(self) -> Sequence[int]:
        """All widths that cells can have, ascending; all whole numbers where they are too many."""
        places = self.strip.places
        if len(places) > FEW_VALUES:
            return range(int(places[-1]) + 1)
        return [int(width) for width in np.unique(np.abs(places[:, None] - places[None, :]))]

    def distortions(self, most: int) -> list[Length] | None:
        """All distortions that cells can have, ascending; None if there are more than this many."""
        few = len(self._widths) <= most
        return [Length(self.strip.unit * width) for width in self._widths] if few else None

    @cached_property
    def _answers(self) -> dict[int, "NarrowCells"]:
        return {}

    def for_blocks(self, blocks: int) -> "NarrowCells":
        """Narrow cells that leave this many blocks at most, and how much distortion any such cells have.

        First without a search: where quick ways succeed, and where counting shows that none can. What is
        between is searched, a few times.
        """
        if blocks not in self._answers:
            self._answers[blocks] = self._for_blocks(blocks)
        return self._answers[blocks]

    def _for_blocks(self, blocks: int) -> "NarrowCells":
        widths, proof = self._widths, "counting"
        best, high = self._quick(widths, blocks)
        low = self._refuted(widths, blocks, high)
        for _ in range(TRIES):
            if high - low <= 1:
                break
            middle = (high + low) // 2
            found = self._of(widths[middle], NODES)
            if found.blocks <= blocks:
                best, high = found, middle
            elif found.lower > blocks:
                low, proof = middle, found.proof
            else:
                break
        return NarrowCells(best.cells, Length(self.strip.unit * widths[low + 1]), proof)

    def _quick(self, widths: Sequence[int], blocks: int) -> tuple[FewestBlocks, int]:
        """Cells that leave this many blocks, and the place of their width."""
        at = bisect_left(range(len(widths) - 1), True, key=lambda at: self._of(widths[at]).blocks <= blocks)
        return self._of(widths[at]), at

    def _refuted(self, widths: Sequence[int], blocks: int, high: int) -> int:
        """The place of a width at which more blocks are left for certain; -1 if there is none."""
        return bisect_left(range(high), True, key=lambda at: self._of(widths[at]).lower <= blocks) - 1
