"""Whether the cells of a certificate are a partition of the public values, and the members of each cell side by side."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from noiseless.arrays import IntArray
from noiseless.verification.certificate import Cell, Tuple
from noiseless.verification.rows import DistinctRows, Groups, combined


@dataclass(frozen=True, eq=False)
class PublicValues:
    """The distinct tuples of the public columns in the original.

    Attributes:
        columns: the public columns.
        rows: the original's rows.
        groups: the public value of each row.
    """

    columns: tuple[str, ...]
    rows: DistinctRows
    groups: Groups

    @classmethod
    def of(cls, rows: DistinctRows, columns: tuple[str, ...]) -> "PublicValues":
        """The public values of some rows."""
        return cls(columns, rows, rows.groups(columns))

    def __len__(self) -> int:
        return len(self.groups)

    def codes(self, column: str) -> IntArray:
        """The code of one column in each public value."""
        return self.rows.codes[column][self.groups.example]

    def find(self, wanted: Sequence[Tuple]) -> IntArray:
        """The number of each tuple among the public values; -1 where it does not occur."""
        known, sought, sizes = [], [], []
        lost = np.zeros(len(wanted), bool)
        for place, column in enumerate(self.columns):
            texts = self.rows.texts[column]
            asked = pa.array([value[place] for value in wanted], pa.large_string())
            found = pc.fill_null(pc.index_in(asked, value_set=texts), -1).to_numpy().astype(np.int64)
            lost |= found < 0
            known.append(self.codes(column))
            sought.append(np.where(found < 0, 0, found))
            sizes.append(len(texts))
        together = [np.concatenate(pair) for pair in zip(known, sought, strict=True)]
        groups = combined(together, sizes, len(self) + len(wanted))
        numbers = np.full(len(groups), -1, np.int64)
        numbers[groups.of[: len(self)]] = np.arange(len(self))
        return np.where(lost, -1, numbers[groups.of[len(self) :]])


@dataclass(frozen=True, eq=False)
class CellPartition:
    """The cell of each public value.

    Attributes:
        cells: the cells as the certificate has them.
        cell_of: the cell of each public value.
    """

    cells: tuple[Cell, ...]
    cell_of: IntArray

    @property
    def sizes(self) -> IntArray:
        """How many public values each cell holds."""
        return np.bincount(self.cell_of, minlength=len(self.cells))


def match_cells(cells: tuple[Cell, ...], values: PublicValues) -> tuple[CellPartition | None, str]:
    """The partition, if it is one of the public values; and in words what is wrong with it otherwise."""
    members = list(chain.from_iterable(cell.members for cell in cells))
    found = values.find(members)
    times = np.bincount(found[found >= 0], minlength=len(values))
    suppressed = [cell.released for cell in cells if cell.suppressed]
    faults = {
        "members that do not occur": int(np.sum(found < 0)),
        "members listed more than once": int(np.sum(times > 1)),
        "public values in no cell": int(np.sum(times == 0)),
        "cells without members": sum(not cell.members for cell in cells),
        "cells that read like another": len(cells) - len({cell.released for cell in cells}),
        "suppressed cells that do not read *": sum(set(released) != {"*"} for released in suppressed),
    }
    words = ", ".join(f"{number:,} {fault}" for fault, number in faults.items() if number)
    if words:
        return None, words
    sizes = [len(cell.members) for cell in cells]
    cell_of = np.empty(len(values), np.int64)
    cell_of[found] = np.repeat(np.arange(len(cells)), sizes)
    return CellPartition(cells, cell_of), f"{len(values):,} public values in {len(cells):,} cells"


def compare_release(
    partition: CellPartition, values: PublicValues, keep: Sequence[str], released: DistinctRows
) -> tuple[bool, str]:
    """Whether the released rows are the original ones, each with its cell's text for its public value."""
    rows = values.rows
    cell_of_row = partition.cell_of[values.groups.of]
    codes = [cell_of_row, *(rows.codes[c] for c in keep)]
    groups = combined(codes, [len(partition.cells), *(len(rows.texts[c]) for c in keep)], len(rows))
    counts = np.zeros(len(groups), np.int64)
    np.add.at(counts, groups.of, rows.counts)
    texts = [partition.cells[cell].released for cell in cell_of_row[groups.example].tolist()]
    kept = rows.tuples(keep, groups.example)
    expected = Counter(dict(zip(map(tuple.__add__, texts, kept), counts.tolist(), strict=True)))
    all_rows = np.arange(len(released))
    names = (*values.columns, *keep)
    actual = Counter(dict(zip(released.tuples(names, all_rows), released.counts.tolist(), strict=True)))
    missing, strange = (expected - actual).total(), (actual - expected).total()
    if not missing and not strange:
        return True, f"{released.total:,} rows agree"
    return False, f"{missing:,} rows are missing, {strange:,} should not be there"


Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class MemberLayout:
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
    def of(cls, partition: CellPartition) -> "MemberLayout":
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

    whole: MemberLayout
    texts: tuple[str | None, ...]
    codes: IntArray
    released: tuple[str | None, ...]

    @classmethod
    def of(cls, whole: MemberLayout, values: PublicValues, place: int) -> "ColumnLayout":
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
