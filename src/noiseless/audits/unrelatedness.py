"""Whether several columns of a table are unrelated: every combination of their values occurs."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np

from noiseless.display import Facts, Shown
from noiseless.errors import EmptyTableError, RequestError
from noiseless.exact import Bits
from noiseless.tables import merge_spellings, open_table, require_distinct


@dataclass(frozen=True, repr=False)
class Unrelatedness(Shown):
    """Whether [[X_1, ..., X_n]] = [[X_1]] x ... x [[X_n]] (Definition II.1 of [P4]), perhaps given others.

    Attributes:
        columns: X_1, ..., X_n.
        given: the columns that are known.
        combinations: how many combinations of the columns' values occur, where most are missing.
        possible: how many there would be, were the columns unrelated there.
    """

    columns: tuple[str, ...]
    given: tuple[str, ...]
    combinations: int
    possible: int

    @property
    def holds(self) -> bool:
        """Whether they are unrelated: no value of any of them rules out one of the others."""
        return self.combinations == self.possible

    @property
    def transmission(self) -> Bits:
        """H0(X_1) + ... + H0(X_n) - H0(X_1, ..., X_n), the largest there is given others; 0 when they are."""
        return Bits(Fraction(self.possible, self.combinations))

    def _shown(self) -> tuple[str, Facts]:
        known = f" given {', '.join(self.given)}" if self.given else ""
        verdict = "unrelated" if self.holds else "related"
        return f"{', '.join(self.columns)}: {verdict}{known}", {
            "combinations": f"{self.combinations:,} of {self.possible:,}",
            "transmission": str(self.transmission),
        }


def unrelated(
    table: Any,  # noqa: ANN401 - anything that open_table opens
    columns: Sequence[str],
    *,
    given: str | Sequence[str] = (),
) -> Unrelatedness:
    """Whether columns of a table are unrelated, each with all others together.

    Two by two they may be unrelated, and not all together: the third bit of a parity is.

    >>> import pyarrow as pa
    >>> parity = pa.table({"a": [0, 0, 1, 1], "b": [0, 1, 0, 1], "c": [0, 1, 1, 0]})
    >>> unrelated(parity, ["a", "b"]).holds, unrelated(parity, ["a", "b", "c"]).transmission
    (True, Bits(2))

    Args:
        table: a file, a glob, a table of a database, any frame.
        columns: at least two columns.
        given: columns that are known: whether the others are unrelated for each of their combinations.

    Raises:
        NoiselessError: there is no such column, or no row.
    """
    asked, known = tuple(columns), (given,) if isinstance(given, str) else tuple(given)
    if isinstance(columns, str) or len(asked) < 2:  # noqa: PLR2004 - one column is unrelated to nothing
        raise RequestError("unrelatedness is about several columns; name at least two")
    require_distinct(columns=asked, given=known)
    opened = open_table(table)
    opened.require(*asked, *known)
    tally, _ = merge_spellings(opened.tally([*asked, *known]), asked)
    if not len(tally):
        raise EmptyTableError(f"{opened.label} has no rows; nothing is known of its columns")
    codes = np.stack([tally.codes(name) for name in (*known, *asked)])
    distinct = np.unique(codes, axis=1)  # sorted by what is known
    cells = np.zeros(distinct.shape[1], np.int64)
    if known:
        changes = (np.diff(distinct[: len(known)], axis=1) != 0).any(axis=0)
        cells[1:] = np.cumsum(changes)
    starts = np.flatnonzero(np.diff(cells, prepend=-1))
    found = [
        (own.shape[1], prod(len(np.unique(values)) for values in own))
        for own in np.split(distinct[len(known) :], starts[1:], axis=1)
    ]
    combinations, possible = min(found, key=lambda pair: Fraction(*pair))
    return Unrelatedness(asked, known, combinations, possible)
