"""Which rows stand behind a group that rules have made: they read otherwise than the group does."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from noiseless.arrays import IntArray
from noiseless.rules.told_column import ranked
from noiseless.tables import Table, Tally
from noiseless.tables.kernels import run_starts
from noiseless.tables.tally import KEY_LIMIT


def numbered(columns: Sequence[tuple[IntArray, int]]) -> IntArray:
    """The number of each combination of codes among the distinct ones, in their order.

    Args:
        columns: the codes of each column, and how many codes it has.

    >>> numbered([(np.array([2, 1, 2]), 3), (np.array([0, 5, 0]), 6)]).tolist()
    [1, 0, 1]
    """
    keys = np.zeros(len(columns[0][0]), np.int64)
    for codes, size in columns:
        if len(keys) * size >= KEY_LIMIT:  # numbers far apart, such as those that name persons
            distinct, codes = ranked(codes)  # noqa: PLW2901 - the same codes, renumbered
            size = len(distinct)  # noqa: PLW2901
        keys = ranked(keys * size + codes)[1]
    return keys


@dataclass(frozen=True, eq=False)
class Behind:
    """The distinct combinations that the rows of a table have, and the group that each is told as.

    Attributes:
        raw: the combinations of the columns that are seen or known, as the table has them.
        groups: the group of each, numbered as those of the audit are.
        public_groups: the same by the public columns alone.
    """

    raw: Tally
    groups: IntArray
    public_groups: IntArray

    @classmethod
    def of(cls, tally: Tally, width: int, groups: IntArray, public_groups: IntArray) -> "Behind":
        """From a tally whose first `width` columns are those seen, and the groups of its combinations."""
        starts = run_starts(tally.prefix(width))
        return cls(tally.project(tally.columns[:width]), groups[starts], public_groups[starts])

    def decode(self, chosen: Any) -> dict[str, pa.Array]:  # noqa: ANN401 - an index of numpy
        """The values of the chosen combinations."""
        return {c: self.raw.coding(c).decode(self.raw.codes(c)[chosen]) for c in self.raw.columns}

    def first_rows(
        self, table: Table, chosen: IntArray, present: Sequence[str], *, public: bool = False
    ) -> list[int | None]:
        """The number of the first row in each of the chosen groups; None where rows have none."""
        groups = self.public_groups if public else self.groups
        members = np.flatnonzero(np.isin(groups, chosen))
        rows = table.locate(self.decode(members), present)
        first: dict[int, int] = {}
        for group, row in zip(groups[members].tolist(), rows, strict=True):
            if row is not None:
                first[group] = min(row, first.get(group, row))
        return [first.get(group) for group in chosen.tolist()]
