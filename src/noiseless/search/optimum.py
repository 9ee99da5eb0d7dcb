"""What is exact for one ordered column: contiguous cells, dealt cells, and the fewest blocks."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np

from noiseless.arrays import IntArray
from noiseless.exact import Bits
from noiseless.ranges import JointRange
from noiseless.search.codebook import ColumnCodebook
from noiseless.search.contiguous.blocks import FewestBlocks, fewest_blocks
from noiseless.search.contiguous.line import least_cell_size, most_answers
from noiseless.search.contiguous.sweep import steps
from noiseless.search.loss import Lagrangian, Length, Loss, Utility, below
from noiseless.search.problem import Problem
from noiseless.search.strips import LineStrip, Room, strips, together

MOST_SWEEPS = 100
"""Where two things are limited each posterior takes many sweeps: no more of them than this are looked at."""


@dataclass(frozen=True, eq=False)
class ContiguousOptimum:
    """All that contiguous cells of one ordered column can do; a group of values has cells of its own.

    Attributes:
        problem: what is to be merged.
        utility: what is kept.
        distortion: the largest distortion allowed; None for any.
        values: how many values a cell may hold at most; None for any number.
    """

    problem: Problem
    utility: Utility
    distortion: Length | None = None
    values: int | None = None

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
        return strips(self.problem, self.utility)

    def _room(self, strip: LineStrip) -> Room:
        return strip.room(self.distortion, self.values)

    def for_posterior(self, k: int) -> IntArray | None:
        """The labels of cells with the least loss for a posterior; at that loss the largest posterior."""
        least = [strip.least(k, self._room(strip)) for strip in self.strips]
        if any(room is None for room in least):
            return None
        rooms = [room for room in least if room is not None]
        widest = self._widest(rooms)
        rooms = [self._no_more(strip, widest) for strip in self.strips]
        most = min(strip.most(room, k) for strip, room in zip(self.strips, rooms, strict=True))
        return self._labels(most, rooms)

    def for_loss(self) -> IntArray:
        """The labels of cells with the largest posterior that the limits allow, and then the least loss."""
        rooms = [self._room(strip) for strip in self.strips]
        least = int(self.problem.joint.posterior_sizes.min())
        most = min(strip.most(room, least) for strip, room in zip(self.strips, rooms, strict=True))
        return self._labels(most, rooms)

    def _labels(self, k: int, rooms: list[Room]) -> IntArray:
        """The labels for a posterior that is possible, each strip with the least room."""
        cells = []
        for strip, room in zip(self.strips, rooms, strict=True):
            least = strip.least(k, room)
            own = None if least is None else strip.cut(k, least)
            if own is None:
                raise AssertionError("a posterior that is possible has cells")
            cells.append(own)
        return together(self.problem, self.strips, cells)[0]

    def _widest(self, rooms: list[Room]) -> Fraction:
        """The largest loss of some rooms: in distance, or in values."""
        return max(self._loss(strip, room) for strip, room in zip(self.strips, rooms, strict=True))

    def _no_more(self, strip: LineStrip, loss: Fraction) -> Room:
        """The room that a strip has if no more is lost."""
        room = self._room(strip)
        if self.utility == "resolution":
            return Room(room.width, min(room.values, int(loss)))
        return Room(min(room.width, int(loss / strip.unit)), room.values)

    @property
    def _second_limit(self) -> bool:
        """Whether something is limited that is not the loss."""
        return (self.distortion if self.utility == "resolution" else self.values) is not None

    @cached_property
    def complete(self) -> bool:
        """Whether `frontier` has all undominated points."""
        return not self._second_limit or min(strip.sensitive for strip in self.strips) <= MOST_SWEEPS

    @cached_property
    def frontier(self) -> list[tuple[int, Loss]]:
        """The undominated posteriors, each with its loss, ascending."""
        most = min(strip.sensitive for strip in self.strips)
        if self._second_limit:
            known = np.unique(np.linspace(1, most, min(most, MOST_SWEEPS)).astype(int)).tolist()
            found = [self._swept(strip, known) for strip in self.strips]
        else:
            found = [self._climbed(strip, most) for strip in self.strips]
        losses: dict[int, Fraction | None] = {}
        for k in sorted({k for own in found for k in own}):
            own = [_at(steps_of, k) for steps_of in found]
            losses[k] = None if None in own else max(loss for loss in own if loss is not None)
        points: list[tuple[int, Loss]] = []
        for k in sorted(losses, reverse=True):
            loss = losses[k]
            if loss is not None and (not points or loss < _lost(points[-1][1])):
                points.append((k, Length(loss) if self.utility == "distortion" else Bits(loss)))
        return points[::-1]

    def _climbed(self, strip: LineStrip, most: int) -> dict[int, Fraction | None]:
        """The loss of some posteriors up to the largest asked for, ascending; what is between is level."""
        found: dict[int, Fraction | None] = {}
        for step in steps(strip.sweep):
            own = step.width if self.utility == "distortion" else step.width + 1
            found[min(step.posterior, most)] = self._loss(strip, Room(own, own))
            if step.posterior >= most:
                break
        return found

    def _swept(self, strip: LineStrip, known: list[int]) -> dict[int, Fraction | None]:
        """The same within a second limit, for some posteriors; None where there is no room."""
        rooms = ((k, strip.least(k, self._room(strip))) for k in known)
        return {k: None if room is None else self._loss(strip, room) for k, room in rooms}

    def _loss(self, strip: LineStrip, room: Room) -> Fraction:
        return strip.unit * room.width if self.utility == "distortion" else Fraction(room.values)

    def best(self, weight: Fraction, least: int = 1) -> IntArray | None:
        """The labels of the cells with the smallest Lagrangian of all with a posterior; None if none fits."""
        size = self.problem.joint.size_x
        if self.utility == "distortion":
            limit: Loss | None = self.distortion
        else:
            limit = None if self.values is None else Bits(self.values)
        within = [
            (k, loss) for k, loss in self.frontier if k >= least and (limit is None or not below(limit, loss))
        ]
        if not within:
            return None
        best = min(within, key=lambda point: Lagrangian(Fraction(size, point[0]), point[1], weight))
        return self.for_posterior(best[0])

    def least_of_any(self, k: int) -> Loss | None:
        """No partition at all that leaves k values loses less; None if none leaves so many."""
        if any(k > strip.sensitive for strip in self.strips):
            return None
        if self.utility == "resolution":
            return Bits(max(least_cell_size(strip.sweep.line.joint, k) for strip in self.strips))
        widths = ((strip, strip.windows(k).least_width()) for strip in self.strips)
        return Length(max(strip.sweep.least_of_any(k, width) * strip.unit for strip, width in widths))


def _lost(loss: Loss) -> Fraction:
    return loss.ratio if isinstance(loss, Bits) else loss.value


def _at(steps_of: dict[int, Fraction | None], k: int) -> Fraction | None:
    """The loss for a posterior: that of the next one that is known."""
    known = list(steps_of)
    return steps_of[known[bisect_left(known, k)]]


def deal_cells(problem: Problem, parts: list[LineStrip], k: int) -> IntArray | None:
    """The labels of cells with k sensitive values each; None if some group has fewer.

    Where every value has one sensitive value no partition has a smaller largest cell (see `least_cell_size`).
    Otherwise values go by their commonest or rarest sensitive value, to as many cells as that way allows.
    """
    cells = []
    for part in parts:
        if k > part.sensitive:
            return None
        cells.append(_deal_strip(part.sweep.line.joint, k))
    return together(problem, parts, cells)[0]


def _deal_strip(joint: JointRange, k: int) -> IntArray:
    top = most_answers(joint, k)
    found, best = np.zeros(joint.size_y, np.int64), 1
    for order in _orders(joint):
        low, high, many = best, top, top
        while low < high:  # more cells have fewer sensitive values each, nearly always
            cells = np.empty(joint.size_y, np.int64)
            cells[order] = np.arange(joint.size_y) % many
            if int(joint.merged(cells).posterior_sizes.min()) >= k:
                found, low = cells, many
            else:
                high = many - 1
            many = (low + high + 1) // 2
        best = low
        if best == top:
            break
    return found


def _orders(joint: JointRange) -> list[IntArray]:
    """Values by their commonest, and by their rarest, sensitive value; those with the same one together."""
    sizes = joint.support_sizes
    ranks = np.empty(joint.size_x, np.int64)
    ranks[np.lexsort((np.arange(joint.size_x), -sizes))] = np.arange(joint.size_x)
    own = ranks[joint.x]
    first, last = np.minimum.reduceat(own, joint.starts[:-1]), np.maximum.reduceat(own, joint.starts[:-1])
    orders = [np.lexsort((last, first))]
    if len(joint) > joint.size_y:
        orders += [np.lexsort((first, last)), np.lexsort((first, joint.posterior_sizes))]
    return orders


MOST_VALUES = 3000
"""More public values take too long: the search is in plain Python."""

FEW_VALUES = 300
"""Up to so many values all their distances are listed."""

SOLVER_NODES = 500
SOLVER_TRIES = 8


class NarrowCells(NamedTuple):
    """Narrow cells that leave few blocks.

    Attributes:
        cells: the cell of each public value.
        at_least: no cells that leave as few have a smaller distortion.
        proof: "counting", or "solver" where that rests on the dual bound of HiGHS as well.
    """

    cells: IntArray
    at_least: Length
    proof: str


@dataclass(frozen=True, eq=False)
class BlockBracket:
    """How few blocks cells of a width leave, and how wide they must be for so many.

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

    def within(self, distortion: Length | None, *, nodes: int = SOLVER_NODES) -> FewestBlocks:
        """The bracket for a distortion."""
        return self._of(self.strip.room(distortion, None).width, nodes)

    @cached_property
    def _known(self) -> dict[tuple[int, int], FewestBlocks]:
        return {}

    def _of(self, width: int, nodes: int = 0) -> FewestBlocks:
        if (width, nodes) not in self._known:
            self._known[width, nodes] = fewest_blocks(self.strip.sweep.line, width, nodes=nodes)
        return self._known[width, nodes]

    @cached_property
    def _widths(self) -> Sequence[int]:
        """All widths that cells can have, ascending; all whole numbers where they are too many."""
        places = self.strip.sweep.line.places
        if len(places) > FEW_VALUES:
            return range(int(places[-1]) + 1)
        return [int(width) for width in np.unique(np.abs(places[:, None] - places[None, :]))]

    def distortions(self, most: int) -> list[Length] | None:
        """All distortions that cells can have, ascending; None if there are more than so many."""
        few = len(self._widths) <= most
        return [Length(self.strip.unit * width) for width in self._widths] if few else None

    @cached_property
    def _answers(self) -> dict[int, "NarrowCells"]:
        return {}

    def for_blocks(self, blocks: int) -> "NarrowCells":
        """Narrow cells that leave so many blocks at most, and how much distortion any such cells have.

        First without the solver: where quick ways succeed, and where counting shows that none can. What is
        between is left to the solver, a few times.
        """
        if blocks not in self._answers:
            self._answers[blocks] = self._for_blocks(blocks)
        return self._answers[blocks]

    def _for_blocks(self, blocks: int) -> "NarrowCells":
        widths, proof = self._widths, "counting"
        best, high = self._quick(widths, blocks)
        low = self._refuted(widths, blocks, high)
        for _ in range(SOLVER_TRIES):
            if high - low <= 1:
                break
            middle = (high + low) // 2
            found = self._of(widths[middle], SOLVER_NODES)
            if found.blocks <= blocks:
                best, high = found, middle
            elif found.lower > blocks:
                low, proof = middle, found.proof
            else:
                break
        return NarrowCells(best.cells, Length(self.strip.unit * widths[low + 1]), proof)

    def _quick(self, widths: Sequence[int], blocks: int) -> tuple[FewestBlocks, int]:
        """Cells that leave so many blocks, and the place of their width."""
        at = bisect_left(range(len(widths) - 1), True, key=lambda at: self._of(widths[at]).blocks <= blocks)
        return self._of(widths[at]), at

    def _refuted(self, widths: Sequence[int], blocks: int, high: int) -> int:
        """The place of a width at which more blocks are left for certain; -1 if there is none."""
        return bisect_left(range(high), True, key=lambda at: self._of(widths[at]).lower <= blocks) - 1
