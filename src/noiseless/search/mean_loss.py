"""What a release loses on average, exactly: losses that add up over cells, one small class each.

With several columns a loss is the mean over columns, by their weights. Discernibility and entropy are about
rows, whatever columns they have. A suppressed row loses all: what it would in one cell with every row.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, reduce
from math import ceil, prod
from operator import mul
from typing import Protocol

import numpy as np

from noiseless.arrays import BoolArray, IntArray
from noiseless.display import percent_above
from noiseless.errors import RequestError
from noiseless.exact import ball
from noiseless.search.axes import Axis, begins, sizes_of
from noiseless.search.contiguous.kernels import PAIRS, SQUARES, TABLE, WIDTHS
from noiseless.tables.kernels import add_by_code, order_by_code

_ROOM = 2**62


GRAIN = 2**32
"""Bits are counted in this part of one."""


class MeanLoss(Protocol):
    """A loss that adds up over cells.

    For contiguous cells of one column it is a cost of the cell from i to j which is Monge (cost(a, c) +
    cost(b, d) <= cost(a, d) + cost(b, c) for a <= b <= c <= d) and does not rise when a cell is split.
    """

    @property
    def name(self) -> str:
        """What it is called."""
        ...

    @property
    def unit(self) -> str:
        """Of what it is a share; empty where it is a number of bits."""
        ...

    @property
    def form(self) -> int:
        """That cost, as `contiguous.kernels.least_total` knows it."""
        ...

    def total(self, axes: Sequence[Axis], cells: IntArray, hidden: BoolArray, rows: IntArray) -> Fraction:
        """What cells lose.

        Args:
            axes: the columns.
            cells: the cell of each public value, as codes 0, 1, 2, ...
            hidden: which public values are suppressed.
            rows: how many rows have each public value.
        """
        ...


@dataclass(frozen=True)
class CertaintyPenalty:
    """The share of a column that a row's cell spans: the normalised certainty penalty, NCP (Xu et al. 2006).

    A cell of numbers spans its width, as a share of the declared range; one of categories as many as it holds
    besides the first; in a hierarchy a cell spans the leaves below its node besides the first. Numbers, and
    categories in an order, are Monge: rows and widths add up, and cost(a, d) alone has the rows before b with
    the width after c, and the reverse. A hierarchy is not.
    """

    name: str = "ncp"
    unit: str = "a column"
    form: int = WIDTHS

    def total(self, axes: Sequence[Axis], cells: IntArray, hidden: BoolArray, rows: IntArray) -> Fraction:
        """The mean share, from 0 to 1."""
        found = _Grouped.of(cells, hidden, rows)
        losses = []
        for one in axes:
            lost = exact_sum(one.cell_spans(found.order, found.starts), found.rows)
            losses.append((lost / one.whole if one.whole else Fraction(0)) + found.gone)
        return _mean(axes, losses) / max(1, found.whole)


@dataclass(frozen=True)
class SquaredError:
    """The squared distances of rows from the mean of their cell, as a share of those from the mean of all.

    That is the information loss of microaggregation, SSE / SST; for numbers only. To put n and m rows
    together adds n m / (n + m) times the squared distance of their means. cost(a, d) + cost(b, c) is larger
    than the other two by what it adds more to put what lies before b to all from b to d than to what lies
    from b to c, which is nearer and has fewer rows: Monge. Larger by 2 / rows(a, d) squared units at least,
    unless one end has no rows. So costs stay Monge when they are counted in parts of a squared unit and
    rounded down, if there are at least as many parts as rows.
    """

    name: str = "squares"
    unit: str = "the variance"
    form: int = SQUARES

    def total(self, axes: Sequence[Axis], cells: IntArray, hidden: BoolArray, rows: IntArray) -> Fraction:
        """The mean share, from 0 to 1."""
        found = _Grouped.of(cells, hidden, rows)
        losses = []
        for one in axes:
            whole, points = self.of_all(one, rows), one.points[one.codes]
            middle, far, held = (
                Fraction(exact_sum(points, rows), max(1, found.whole)),
                points[hidden],
                rows[hidden],
            )
            gone = exact_sum(far, far, held) - 2 * middle * exact_sum(far, held) + middle**2 * found.gone
            losses.append((gone + found.squares(points, rows)) / whole if whole else Fraction(0))
        return _mean(axes, losses)

    @staticmethod
    def of_all(one: Axis, rows: IntArray) -> Fraction:
        """The squared distances of all rows from their mean, in squared units of a column of numbers."""
        if type(one) is not Axis:
            raise RequestError(
                "the squared error is for numbers; ask for another loss or leave the column out"
            )
        points = one.points[one.codes]
        return exact_sum(points, points, rows) - Fraction(
            exact_sum(points, rows) ** 2, max(1, int(rows.sum()))
        )


@dataclass(frozen=True)
class Discernibility:
    """The share of all rows that a row is not told from: the metric of Bayardo and Agrawal 2005, a row.

    Monge, as any convex function of a cell's rows is.
    """

    name: str = "discernibility"
    unit: str = "the rows"
    form: int = PAIRS

    def total(
        self,
        axes: Sequence[Axis],  # noqa: ARG002 - as others
        cells: IntArray,
        hidden: BoolArray,
        rows: IntArray,
    ) -> Fraction:
        """The mean share, from 0 to 1."""
        found = _Grouped.of(cells, hidden, rows)
        return Fraction(
            exact_sum(found.rows, found.rows) + found.gone * found.whole, max(1, found.whole) ** 2
        )


@dataclass(frozen=True)
class EntropyLoss:
    """The bits that tell a row's public value from its cell: log2(rows of the cell / rows of the value).

    After Gionis and Tassa 2009. `row_bits` counts in whole parts of a bit, so the mean is a fraction, less
    than two parts from the truth. Monge, as any convex function of a cell's rows is: the second difference of
    n log2 n is above 1 / (n + 1), which rounding up to a part leaves at 0 or more.
    """

    name: str = "entropy"
    unit: str = ""
    form: int = TABLE

    def total(
        self,
        axes: Sequence[Axis],  # noqa: ARG002 - as others
        cells: IntArray,
        hidden: BoolArray,
        rows: IntArray,
    ) -> Fraction:
        """The mean number of bits."""
        found = _Grouped.of(cells, hidden, rows)
        gone = Fraction(found.gone * row_bits(found.whole), max(1, found.whole))
        return (gone + _all_bits(found.rows) - _all_bits(rows)) / (GRAIN * max(1, found.whole))


def mean_text(loss: MeanLoss, mean: Fraction) -> str:
    """A mean loss as text, rounded up: a share, or bits.

    >>> mean_text(CertaintyPenalty(), Fraction(1, 8)), mean_text(EntropyLoss(), Fraction(3, 2))
    ('12.50 %', '1.50 bits')
    """
    if loss.unit:
        return percent_above(mean)
    return f"{ceil(mean * 100) / 100:.2f} bits"


LOSSES: dict[str, MeanLoss] = {
    loss.name: loss for loss in (CertaintyPenalty(), SquaredError(), Discernibility(), EntropyLoss())
}
"""All losses by their names."""


@cache
def row_bits(rows: int) -> int:
    """The bits n log2 n, in parts of one and rounded up.

    >>> row_bits(8) == 24 * GRAIN
    True
    """
    if rows & (rows - 1) == 0:
        return GRAIN * rows * max(0, rows.bit_length() - 1)
    from flint import arb, ctx

    bits = 96 + rows.bit_length()
    while True:
        with ctx.workprec(bits):
            found = (ball(rows).log() / arb.const_log2() * ball(rows * GRAIN)).ceil().unique_fmpz()
        if found is not None:
            return int(found)
        bits *= 2


def _all_bits(rows: IntArray) -> int:
    alike, counts = np.unique(rows, return_counts=True)
    return sum(many * row_bits(one) for one, many in zip(alike.tolist(), counts.tolist(), strict=True))


def _mean(axes: Sequence[Axis], losses: Sequence[Fraction]) -> Fraction:
    weights = sum((one.weight for one in axes), Fraction(0))
    total = sum((one.weight * loss for one, loss in zip(axes, losses, strict=True)), Fraction(0))
    return total / weights if weights else Fraction(0)


def exact_sum(*factors: IntArray) -> int:
    """The exact sum of products of whole numbers that are not negative."""
    most = prod(int(factor.max(initial=0)) for factor in factors)
    if most >= _ROOM:
        factors = tuple(factor.astype(object) for factor in factors)
    products = reduce(mul, factors)
    several = max(1, _ROOM // max(1, most))  # this many do not overflow
    return sum(int(products[at : at + several].sum()) for at in range(0, len(products), several))


@dataclass(frozen=True, eq=False)
class _Grouped:
    """The public values that are not suppressed, one cell after the other.

    Attributes:
        order: the values.
        starts: where each cell begins.
        rows: how many rows each cell has.
        gone: how many rows are suppressed.
        whole: how many rows there are.
    """

    order: IntArray
    starts: IntArray
    rows: IntArray
    gone: int
    whole: int

    @classmethod
    def of(cls, cells: IntArray, hidden: BoolArray, rows: IntArray) -> "_Grouped":
        """From the cell of each public value."""
        order, starts = order_by_code(cells, int(cells.max()) + 1)
        if hidden.any():
            order = order[~hidden[order]]
            starts = np.flatnonzero(begins(cells[order]))
        held = np.add.reduceat(rows[order], starts)
        return cls(order, starts, held, int(rows[hidden].sum()), int(rows.sum()))

    def squares(self, points: IntArray, rows: IntArray) -> Fraction:
        """The squared distances of rows from the mean of their cell, of numbers in whole units."""
        points, held = points[self.order], rows[self.order]
        lows, highs = (end.reduceat(points, self.starts) for end in (np.minimum, np.maximum))
        near = points - np.repeat(lows, sizes_of(self.starts, len(points)))
        if int((highs - lows).max()) ** 2 * int(self.rows.max()) ** 2 >= _ROOM:
            near, held = near.astype(object), held.astype(object)
        sums, squares = (np.add.reduceat(part, self.starts) for part in (near * held, near * near * held))
        apart = (self.rows * squares - sums * sums).astype(object)  # times the rows of the cell
        alike, codes = np.unique(self.rows, return_inverse=True)
        totals = add_by_code(codes.reshape(-1), apart, len(alike), object).tolist()
        return sum(
            (Fraction(total, max(1, many)) for total, many in zip(totals, alike.tolist(), strict=True)),
            Fraction(0),
        )
