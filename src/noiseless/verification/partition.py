"""Whether the cells of a certificate are a partition of the public values that the original has."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from noiseless.arrays import IntArray
from noiseless.verification.certificate import Cell, Tuple
from noiseless.verification.rows import Groups, Rows, combined


@dataclass(frozen=True, eq=False)
class PublicValues:
    """The distinct tuples of the public columns in the original.

    Attributes:
        columns: the public columns.
        rows: the original's rows.
        groups: the public value of each row.
    """

    columns: tuple[str, ...]
    rows: Rows
    groups: Groups

    @classmethod
    def of(cls, rows: Rows, columns: tuple[str, ...]) -> "PublicValues":
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
class Partition:
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


def match(cells: tuple[Cell, ...], values: PublicValues) -> tuple[Partition | None, str]:
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
    return Partition(cells, cell_of), f"{len(values):,} public values in {len(cells):,} cells"


def compare_release(
    partition: Partition, values: PublicValues, keep: Sequence[str], released: Rows
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
