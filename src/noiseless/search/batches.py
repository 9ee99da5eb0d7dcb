"""Cells as their members one after the other, and batches of cells that are looked at together."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from noiseless.arrays import BoolArray, IntArray
from noiseless.search.axes import sizes_of
from noiseless.search.cuts import LARGE
from noiseless.search.problem import Cells
from noiseless.tables.coding import whole_type


class CutCells(NamedTuple):
    """Cells as their members, one after the other.

    Attributes:
        members: public values, cell by cell.
        starts: where each cell begins.
    """

    members: IntArray
    starts: IntArray

    @property
    def sizes(self) -> IntArray:
        """How many members each cell has."""
        return sizes_of(self.starts, len(self.members))

    @classmethod
    def joined(cls, parts: Sequence["CutCells"]) -> "CutCells":
        """Several as one."""
        sizes = [len(part.members) for part in parts]
        starts = [part.starts + before for part, before in zip(parts, np.cumsum(sizes) - sizes, strict=True)]
        return cls(np.concatenate([part.members for part in parts]), np.concatenate(starts))

    def take(self, cells: IntArray) -> "CutCells":
        """Some of the cells."""
        sizes = self.sizes[cells]
        ends = np.cumsum(sizes)
        places = np.repeat(self.starts[cells] - ends + sizes, sizes)
        places += np.arange(len(places), dtype=whole_type(len(places)))  # in place: they are many
        return CutCells(self.members[places], ends - sizes)

    def within(self, finer: "CutCells") -> IntArray:
        """The first of the cells that each cell was cut into."""
        return np.searchsorted(finer.starts, self.starts)

    def numbers(self, finer: "CutCells") -> IntArray:
        """For each cell of a finer partition which one it is a part of."""
        return np.searchsorted(self.starts, finer.starts, side="right") - 1

    @property
    def cells(self) -> Cells:
        """The cells numbered by their first value, if all values are members."""
        ranks = np.empty(len(self.starts), np.int64)
        ranks[np.argsort(np.minimum.reduceat(self.members, self.starts))] = np.arange(len(ranks))
        cell_of = np.empty(len(self.members), np.int64)
        cell_of[self.members] = np.repeat(ranks, self.sizes)
        return Cells(cell_of, len(ranks))


def chosen_parts(both: tuple[CutCells, CutCells], numbers: Sequence[IntArray], second: BoolArray) -> CutCells:
    """Two partitions of the same parts as one: of each part the cells of the first, or of the second.

    Args:
        both: the partitions.
        numbers: for each of them the part of each cell, ascending.
        second: of which parts the second is taken.
    """
    taken = np.flatnonzero(~second[numbers[0]]), np.flatnonzero(second[numbers[1]])
    found = CutCells.joined([both[0].take(taken[0]), both[1].take(taken[1])])
    return found.take(np.argsort(np.concatenate((numbers[0][taken[0]], numbers[1][taken[1]])), kind="stable"))


@dataclass(frozen=True, eq=False)
class CellBatch:
    """Cells that are looked at together.

    Attributes:
        members: public values, cell by cell.
        codes: their places in each column.
        starts: where each cell begins.
        offset: where the members are among all; cutting keeps them there, in another order.
    """

    members: IntArray
    codes: Sequence[IntArray]
    starts: IntArray
    offset: int

    @classmethod
    def of(cls, parts: Sequence["CellBatch"]) -> "CellBatch":
        """Several that follow each other as one."""
        first = parts[0].offset
        return cls(
            np.concatenate([part.members for part in parts]),
            [np.concatenate(column) for column in zip(*(part.codes for part in parts), strict=True)],
            np.concatenate([part.starts + part.offset - first for part in parts]),
            first,
        )

    def __len__(self) -> int:
        return len(self.members)

    @property
    def large(self) -> bool:
        """Whether a cell is large."""
        return len(self) > LARGE and int(sizes_of(self.starts, len(self)).max()) > LARGE

    def take(self, chosen: IntArray | slice, starts: IntArray, offset: int = 0) -> "CellBatch":
        """Some of the members."""
        return CellBatch(self.members[chosen], [codes[chosen] for codes in self.codes], starts, offset)

    def widened(self) -> "CellBatch":
        """The same with places of one type, for which loops are compiled once."""
        return replace(
            self,
            codes=[
                codes.astype(whole_type(int(codes.max(initial=0)) + 1), copy=False) for codes in self.codes
            ],
        )

    def parted(self, front: BoolArray) -> tuple["CellBatch", "CellBatch"]:
        """One cell as two."""
        places = np.flatnonzero(front), np.flatnonzero(~front)  # masks take seven times as long
        starts, offsets = np.zeros(1, np.int64), (self.offset, self.offset + len(places[0]))
        return self.take(places[0], starts, offsets[0]), self.take(places[1], starts, offsets[1])

    def halves(self) -> tuple["CellBatch", "CellBatch"]:
        """The batch as two, of whole cells."""
        middle = min(max(1, int(np.searchsorted(self.starts, len(self) // 2))), len(self.starts) - 1)
        at = int(self.starts[middle])
        front = self.take(slice(0, at), self.starts[:middle], self.offset)
        return front, self.take(slice(at, None), self.starts[middle:] - at, self.offset + at)
