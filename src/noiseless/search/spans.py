"""What cells span of all columns together, in whole numbers: what the mean loss (NCP) adds up."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from noiseless.arrays import BoolArray, IntArray
from noiseless.search.axes import Axis, CategoryAxis, TreeAxis
from noiseless.search.codebook import ColumnCodebook, common_scale

_ROOM = 2**60


@dataclass(frozen=True, eq=False)
class Spans:
    """Columns with what a unit of each counts; rounded down where 64 bits are too few.

    Attributes:
        axes: the columns that count.
        units: what a unit of each counts.
        whole: what a suppressed row loses, which is no less than any row does.
        share: what 1 is of all columns.
        exact: whether nothing is rounded.
    """

    axes: tuple[Axis, ...]
    units: tuple[int, ...]
    whole: int
    share: Fraction
    exact: bool

    @classmethod
    def of(cls, book: ColumnCodebook, rows: int) -> "Spans | None":
        """Spans that fit, for this many rows together; None where no column counts, or they do not fit."""
        axes = tuple(axis for axis in book.axes if axis.weight and axis.whole)
        weights = sum((axis.weight for axis in book.axes), Fraction(0))
        (*units, whole), _ = common_scale([*(axis.weight / axis.whole for axis in axes), weights])
        coarse = 1 + whole * rows // _ROOM
        units = [unit // coarse for unit in units]
        reach = [unit * int(axis.points[-1]) for axis, unit in zip(axes, units, strict=True)]
        if not axes or sum(reach) * rows >= 4 * _ROOM or any(axis.points.dtype == object for axis in axes):
            return None
        return cls(axes, tuple(units), whole // coarse, Fraction(coarse, whole), coarse == 1)

    def pairs(self, column: int, codes: IntArray, others: IntArray) -> IntArray:
        """What cells span of a column that hold two places of it each."""
        axis, unit = self.axes[column], self.units[column]
        if isinstance(axis, CategoryAxis):
            return np.asarray(unit * (codes != others))
        if isinstance(axis, TreeAxis):
            return np.asarray(unit * axis.counts[axis.common(codes, others)])
        return np.asarray(unit * np.abs(axis.points[codes] - axis.points[others]))

    def cells(self, order: IntArray, starts: IntArray) -> IntArray:
        """What cells span, given as their members one after the other."""
        parts = [
            unit * axis.cell_spans(order, starts) for axis, unit in zip(self.axes, self.units, strict=True)
        ]
        return np.asarray(np.sum(parts, axis=0))


def cells_in_line(held: BoolArray) -> tuple[IntArray, IntArray]:
    """The members of cells, a row each, one cell after the other, and where each begins; none is empty."""
    numbers, members = np.nonzero(held)
    return members, np.searchsorted(numbers, np.arange(len(held)))
