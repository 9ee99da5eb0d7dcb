"""The cells that are not suppressed, with their members side by side."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from noiseless.arrays import IntArray
from noiseless.verification.certificate import Cell
from noiseless.verification.partition import Partition, PublicValues

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Layout:
    """Members by cell.

    Attributes:
        numbers: the cells that are not suppressed, by their numbers in the certificate.
        cells: the same, as the certificate has them.
        members: their public values, cell after cell.
        starts: where each cell begins.
        cell_at: the place in `cells` of each member's cell.
    """

    numbers: IntArray
    cells: tuple[Cell, ...]
    members: IntArray
    starts: IntArray
    cell_at: IntArray

    @classmethod
    def of(cls, partition: Partition) -> "Layout":
        """The layout of a partition."""
        shown = np.array([not cell.suppressed for cell in partition.cells])
        order = np.argsort(partition.cell_of, kind="stable")
        members = order[shown[partition.cell_of[order]]]
        numbers = np.flatnonzero(shown)
        ranks = np.cumsum(shown) - 1
        cell_at = ranks[partition.cell_of[members]]
        starts = np.searchsorted(cell_at, np.arange(len(numbers)))
        return cls(numbers, tuple(partition.cells[i] for i in numbers), members, starts, cell_at)

    def __len__(self) -> int:
        return len(self.cells)


@dataclass(frozen=True, eq=False)
class ColumnLayout:
    """One public column over a layout.

    Attributes:
        whole: the layout.
        texts: the canonical texts of all the column's values, those of suppressed members included.
        codes: the place of each member's value among them.
        released: what is released for each cell.
    """

    whole: Layout
    texts: tuple[str | None, ...]
    codes: IntArray
    released: tuple[str | None, ...]

    @classmethod
    def of(cls, whole: Layout, values: PublicValues, place: int) -> "ColumnLayout":
        """The column at some place of the public ones."""
        column = values.columns[place]
        return cls(
            whole,
            tuple(values.rows.texts[column].to_pylist()),
            values.codes(column)[whole.members],
            tuple(cell.released[place] for cell in whole.cells),
        )

    def __len__(self) -> int:
        return len(self.whole)

    @property
    def starts(self) -> IntArray:
        """Where each cell begins."""
        return self.whole.starts

    @property
    def cell_at(self) -> IntArray:
        """The cell of each member."""
        return self.whole.cell_at

    def spread(self, of_cells: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """What belongs to each cell, for each member."""
        return of_cells[self.cell_at]

    @cached_property
    def constant(self) -> Flags:
        """The cells whose members all have the same value."""
        low, high = (end.reduceat(self.codes, self.starts) for end in (np.minimum, np.maximum))
        return np.asarray(low == high)

    @cached_property
    def _values(self) -> list[frozenset[str | None]]:
        size = len(self.texts)
        pairs = np.unique(self.cell_at * size + self.codes)
        bounds = np.searchsorted(pairs, np.arange(len(self) + 1) * size).tolist()
        texts = [self.texts[code] for code in (pairs % size).tolist()]
        return [frozenset(texts[a:b]) for a, b in pairwise(bounds)]

    def values_of(self, cell: int) -> frozenset[str | None]:
        """The different values in a cell."""
        return self._values[cell]

    def differing(self, medoids: Sequence[str | None] | None) -> IntArray:
        """For each member 1 if it counts as different: from its medoid, or by being one of several values."""
        if medoids is None:
            return np.asarray(self.spread(~self.constant), np.int64)
        codes = {text: code for code, text in enumerate(self.texts)}
        words = np.array([codes.get(word, -1) for word in medoids], np.int64)
        return np.asarray(self.codes != self.spread(words), np.int64)
