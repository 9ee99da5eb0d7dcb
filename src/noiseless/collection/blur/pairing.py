"""The blur on lattices: which points of each fibre are merged, and what is released for them.

A fibre is all values of the compared column while the other columns stand still. Its points are numbered from
0, as the column's values are, and everything here is whole numbers.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np

from noiseless.arrays import BoolArray, IntArray
from noiseless.collection.blur.arrays import ARRAYS, Ratios, Whole
from noiseless.domain import NumberColumn
from noiseless.domain.hypotheses import Hypothesis
from noiseless.errors import ExpressionError

Mode = Literal["stretch", "collapse"]


@dataclass(frozen=True, eq=False)
class Fibres:
    """What happens in each of some fibres: the points `first`..`last` are merged, L with U.

    Where `touched` is false the whole fibre is left alone.

    Attributes:
        first: the number of the lowest point that is merged.
        split: the number of the lowest one above the boundary: L is first..split-1, U is split..last.
        last: the number of the highest point that is merged.
        touched: whether both halves have points.
        target: with `collapse`, the point that is released for all of them.
    """

    first: IntArray
    split: IntArray
    last: IntArray
    touched: BoolArray
    target: IntArray | None = None

    @property
    def merged(self) -> IntArray:
        """How many points of each fibre become undecidable."""
        return np.where(self.touched, self.last - self.first + 1, 0)

    @property
    def released(self) -> IntArray:
        """How many values are released for them."""
        if self.target is not None:
            return self.touched.astype(np.int64)
        return np.where(self.touched, np.minimum(self.split - self.first, self.last - self.split + 1), 0)

    def contain(self, points: IntArray) -> BoolArray:
        """Which points, one a fibre, are merged with others."""
        return np.asarray(self.touched & (self.first <= points) & (points <= self.last), bool)

    def release(self, points: IntArray) -> IntArray:
        """What is released for points, one a fibre."""
        if self.target is not None:
            return np.where(self.contain(points), self.target, points)
        moved = _midranges(self, points)
        return np.where(self.contain(points), moved, points)


def _midranges(fibres: Fibres, points: IntArray) -> IntArray:
    """The midrange of the pair of runs that each point belongs to (of use where it is merged).

    L and U are split into as many consecutive runs as the smaller one has points, n: run j out of `size`
    points starts at ceil(j * size / n). Run j of L and run j of U are a pair, and one of the two is a single
    point. So a pair spans at most max(|L|, |U|) <= d + 1 steps, d being the whole steps in D; its midrange is
    within d of its ends as soon as d >= 1. Midranges rise from pair to pair and lie within the band, so
    they meet neither each other nor a point that is left alone.
    """
    ones = np.ones_like(fibres.first)
    below = np.maximum(np.where(fibres.touched, fibres.split - fibres.first, 1), 1)
    above = np.maximum(np.where(fibres.touched, fibres.last - fibres.split + 1, 1), 1)
    pairs = Whole.of(np.minimum(below, above))
    is_above = points >= fibres.split
    size = Whole.of(np.where(is_above, above, below))
    place = Whole.of(points - np.where(is_above, fibres.split, fibres.first))
    run = place * pairs // size
    low = Whole.of(fibres.first) + (run * Whole.of(below)).ceil_div(pairs)
    next_run = run + Whole.of(ones)
    high = Whole.of(fibres.split) + (next_run * Whole.of(above)).ceil_div(pairs) - Whole.of(1)
    middle = (low + high) // Whole.of(2)
    return np.asarray(middle.values, np.int64)


@dataclass(frozen=True)
class Lattice:
    """A hypothesis over declared columns of numbers, and how far its column may be moved.

    Attributes:
        hypothesis: what is hidden.
        columns: the declared columns, by name.
        max_change: D, the most that a value may move; at least a step of the compared column.
        mode: "stretch" (pairs of runs) or "collapse" (one value a fibre).
    """

    hypothesis: Hypothesis
    columns: Mapping[str, NumberColumn]
    max_change: Fraction
    mode: Mode

    @property
    def compared(self) -> NumberColumn:
        """The column that is changed."""
        return self.columns[self.hypothesis.column]

    @property
    def reach(self) -> Fraction:
        """D in steps of the compared column."""
        return self.max_change * self.compared.scale / self.compared.step_units

    @property
    def steps(self) -> int:
        """How many whole steps a value can move; more than a fibre has points are of no use."""
        return min(self.reach.numerator // self.reach.denominator, self.compared.size)

    def fibres(self, others: Mapping[str, IntArray]) -> Fibres:
        """The fibres at some points of the other columns, given by their numbers.

        Raises:
            ExpressionError: the boundary divides by 0 at one of them.
        """
        count = len(next(iter(others.values()))) if others else 1
        position = self.boundary(others)
        found = self._band(position, count)
        return found if self.mode == "stretch" else self._collapsed(found, position)

    def boundary(self, others: Mapping[str, IntArray]) -> Ratios:
        """The place of g in each fibre, counted in steps from the lowest point."""
        values = {name: _values(self.columns[name], points) for name, points in others.items()}
        try:
            g = self.hypothesis.boundary.evaluate(values, ARRAYS)
        except ZeroDivisionError:
            raise division_error(self.hypothesis) from None
        column = self.compared
        above = g.above * Whole.of(column.scale) - g.below * Whole.of(column.low_units)
        return Ratios(above, g.below * Whole.of(column.step_units))

    def _band(self, position: Ratios, count: int) -> Fibres:
        """All points within D of the boundary, split by it."""
        last = self.compared.size - 1
        reach = Ratios.constant(self.reach)
        below, above = position - reach, position + reach
        first = below.above.ceil_div(below.below).clipped(0, last)
        end = (above.above // above.below).clipped(0, last)
        split = (
            position.above.ceil_div(position.below)
            if self.hypothesis.ties_above
            else position.above // position.below + Whole.of(1)
        ).clipped(0, last + 1)
        low, middle, high = (
            np.broadcast_to(part.values.astype(np.int64), count) for part in (first, split, end)
        )
        # With a whole step to spare both halves have points as soon as the boundary parts the fibre.
        touched = (middle >= 1) & (middle <= last) & (self.steps >= 1)
        return Fibres(low, middle, high, touched)

    def _collapsed(self, band: Fibres, position: Ratios) -> Fibres:
        """One value for all, the point nearest to g from which none is further than D.

        A band of 2D + 2 points (D in whole steps) has no such point. Then each half has D + 1 points; the one
        further from g is left out, the upper one if they are equally far.
        """
        steps = self.steps
        wide = band.touched & (band.last - band.first > 2 * steps)
        ends = Whole.of(band.first) + Whole.of(band.last)
        lower_is_further = (ends * position.below).is_below(position.above * Whole.of(2))
        first = band.first + (wide & lower_is_further)
        last = band.last - (wide & ~lower_is_further)
        two = Whole.of(2)
        nearest = (position.above * two + position.below) // (position.below * two)
        target = nearest.clipped(0, self.compared.size - 1)
        within = np.clip(
            np.broadcast_to(target.values.astype(np.int64), len(first)), last - steps, first + steps
        )
        return Fibres(first, band.split, last, band.touched, within)


def division_error(hypothesis: Hypothesis) -> ExpressionError:
    """What is said when g divides by 0 somewhere in the declared range."""
    return ExpressionError(
        hypothesis.text,
        "divides by 0 for some declared values; declare bounds that leave those out",
    )


def _values(column: NumberColumn, points: IntArray) -> Ratios:
    """The values at some points of a column."""
    units = Whole.of(points) * Whole.of(column.step_units) + Whole.of(column.low_units)
    return Ratios(units, Whole.of(column.scale))
