"""The exact optimum with contiguous cells, under limits on posterior, distortion and resolution together."""

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from noiseless.arrays import IntArray
from noiseless.exact import Bits
from noiseless.search.contiguous.climb import steps
from noiseless.search.merging.codebook import ColumnCodebook
from noiseless.search.merging.lagrangian import Lagrangian, Loss, below
from noiseless.search.merging.length import Length
from noiseless.search.merging.path import Utility
from noiseless.search.selection.problem import Problem
from noiseless.search.selection.strips import Room, Strip, strips, together

MOST_SWEEPS = 100
"""Where two things are limited each posterior takes many sweeps: no more of them than this are looked at."""


@dataclass(frozen=True, eq=False)
class Contiguous:
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
        """Whether there is an order, what is lost follows from it, and no value is seen in two ways.

        Args:
            problem: what is to be merged.
            utility: what is kept.
            by_width: whether a distortion must follow from a cell's width though it is not the utility.
        """
        if problem.side is not None:
            return False
        if utility == "resolution" and not by_width:
            return True
        book = problem.codebook
        return problem.line is not None and isinstance(book, ColumnCodebook) and book.by_hull

    @cached_property
    def strips(self) -> list[Strip]:
        """A strip for each group."""
        return strips(self.problem, self.utility)

    def _room(self, strip: Strip) -> Room:
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

    def _no_more(self, strip: Strip, loss: Fraction) -> Room:
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

    def _climbed(self, strip: Strip, most: int) -> dict[int, Fraction | None]:
        """The loss of some posteriors up to the largest asked for, ascending; what is between is level."""
        found: dict[int, Fraction | None] = {}
        for step in steps(strip.sweep):
            own = step.width if self.utility == "distortion" else step.width + 1
            found[min(step.posterior, most)] = self._loss(strip, Room(own, own))
            if step.posterior >= most:
                break
        return found

    def _swept(self, strip: Strip, known: list[int]) -> dict[int, Fraction | None]:
        """The same within a second limit, for some posteriors; None where there is no room."""
        rooms = ((k, strip.least(k, self._room(strip))) for k in known)
        return {k: None if room is None else self._loss(strip, room) for k, room in rooms}

    def _loss(self, strip: Strip, room: Room) -> Fraction:
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
        best = min(within, key=lambda point: _Ordered(Lagrangian(Fraction(size, point[0]), point[1], weight)))
        return self.for_posterior(best[0])


@dataclass(frozen=True)
class _Ordered:
    value: Lagrangian

    def __lt__(self, other: "_Ordered") -> bool:
        return self.value.compare(other.value) < 0


def _lost(loss: Loss) -> Fraction:
    return loss.ratio if isinstance(loss, Bits) else loss.value


def _at(steps_of: dict[int, Fraction | None], k: int) -> Fraction | None:
    """The loss for a posterior: that of the next one that is known."""
    known = list(steps_of)
    return steps_of[known[bisect_left(known, k)]]
