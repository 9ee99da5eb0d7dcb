"""Which combinations of columns single rows out: minimal uniques, their scores, and each column's part.

A row is *unique* on a set of columns when no other row has the same values there, and *minimally* unique
when it is not on any proper subset. The fewer columns it takes, the easier a row is found. Scores are SUDA's
(Elliot, Manning and Ford): a minimal unique of k of m columns counts (m - k) (m - k - 1) ... down to m less
the largest size that is looked for, and a row has the sum of its own.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from noiseless.arrays import BoolArray, IntArray
from noiseless.display import Facts, Shown, counted, percent_above
from noiseless.errors import RequestError
from noiseless.exact import round_up
from noiseless.tables import Tally
from noiseless.tables.kernels import add_by_code, ranked

MOST_STEPS = 4 * 10**9
"""As many rows times combinations are looked at; above, a smaller size is asked for."""

_SHOWN = 5
_DENSE = 2**22


@dataclass(frozen=True)
class UniqueKey:
    """Columns that single rows out, and no fewer of them do.

    Attributes:
        columns: the columns.
        rows: how many rows they are a minimal unique of.
    """

    columns: tuple[str, ...]
    rows: int


@dataclass(frozen=True, eq=False, repr=False)
class Uniques(Shown):
    """The minimal uniques of a table.

    Attributes:
        columns: the columns that were combined.
        most: how many of them at most.
        rows: how many rows there are.
        keys: the combinations that single rows out, those that single out most first.
        scores: the score of each different row; 0 where nothing singles it out.
        shares: of all scores added up, the share of the combinations that hold each column.
    """

    columns: tuple[str, ...]
    most: int
    rows: int
    keys: tuple[UniqueKey, ...]
    scores: IntArray
    shares: Mapping[str, Fraction]

    @cached_property
    def unique_rows(self) -> int:
        """How many rows are singled out."""
        return int(np.count_nonzero(self.scores))

    @property
    def by_size(self) -> dict[int, int]:
        """How many minimal uniques there are of each size."""
        found = dict.fromkeys(range(1, self.most + 1), 0)
        for key in self.keys:
            found[len(key.columns)] += key.rows
        return found

    def _shown(self) -> tuple[str, Facts]:
        title = (
            f"{self.unique_rows:,} of {counted(self.rows, 'rows')} can be singled out by "
            f"{counted(self.most, 'columns')} or fewer"
        )
        facts = {" + ".join(key.columns): counted(key.rows, "rows") for key in self.keys[:_SHOWN]}
        return title, facts | {
            f"{column}, share of the score": percent_above(share) for column, share in self.shares.items()
        }

    def to_dict(self) -> dict[str, Any]:
        """As it is in JSON."""
        return {
            "columns": list(self.columns),
            "size": self.most,
            "unique_rows": self.unique_rows,
            "by_size": {str(size): number for size, number in self.by_size.items()},
            "keys": [{"columns": list(key.columns), "rows": key.rows} for key in self.keys],
            "contributions": {column: round_up(share) for column, share in self.shares.items()},
            "largest_score": int(self.scores.max()),
        }


def minimal_uniques(tally: Tally, columns: Sequence[str], most: int) -> Uniques:
    """Find the minimal uniques of up to `most` columns.

    Args:
        tally: the rows, of at least these columns.
        columns: the columns to combine.
        most: how many at most.

    Raises:
        RequestError: that is too much work, or no size.
    """
    rows, most = tally.project(columns), min(most, len(columns))
    if most < 1:
        raise RequestError("minimal uniques have at least one column; ask for a size of 1 or more")
    sets = sum(math.comb(len(columns), size) for size in range(1, most + 1))
    if sets * len(rows) > MOST_STEPS:
        raise RequestError(
            f"{sets:,} combinations of columns in {len(rows):,} different rows are too many to look at; "
            "ask for a smaller size or fewer public columns"
        )
    weights = [_score(size, len(columns), most) for size in range(most + 1)]
    scores, shares = np.zeros(len(rows), _whole(sets * weights[1])), dict.fromkeys(columns, 0)
    keys = list[UniqueKey]()
    below: dict[tuple[int, ...], BoolArray] = {
        (): np.zeros(len(rows), bool)
    }  # nothing is unique on no column
    for size in range(1, most + 1):
        level = dict[tuple[int, ...], BoolArray]()
        for places, unique in _unique_rows(rows, columns, size):
            if size < most:
                level[places] = unique
            minimal = unique.copy()
            for part in combinations(places, size - 1):
                minimal &= ~below[part]
            number = int(np.count_nonzero(minimal))
            if not number:
                continue
            names = tuple(columns[place] for place in places)
            keys.append(UniqueKey(names, number))
            scores[minimal] += weights[size]
            for name in names:
                shares[name] += number * weights[size]
        below = level
    total = sum(key.rows * weights[len(key.columns)] for key in keys)
    found = {name: Fraction(part, total or 1) for name, part in shares.items()}
    ordered = sorted(keys, key=lambda key: (-key.rows, len(key.columns)))
    return Uniques(
        tuple(columns),
        most,
        rows.total,
        tuple(ordered),
        scores,
        dict(sorted(found.items(), key=lambda item: -item[1])),
    )


def _score(size: int, columns: int, most: int) -> int:
    """What a minimal unique of a size counts."""
    return math.prod(columns - k for k in range(size, min(most, columns - 1) + 1))


def _whole(most: int) -> type[np.int64] | type[object]:
    """What holds sums of scores."""
    return np.int64 if most < 2**62 else object


def _unique_rows(
    rows: Tally, columns: Sequence[str], size: int
) -> Iterator[tuple[tuple[int, ...], BoolArray]]:
    """For each set of this many columns which different rows no other row is like there."""
    codes = [ranked(rows.codes(column)) for column in columns]
    sizes = [len(values) for values, _ in codes]
    prefix: tuple[int, ...] = ()
    known, many = np.zeros(len(rows), np.int64), 1
    for *first, last in combinations(range(len(columns)), size):
        if tuple(first) != prefix:  # neighbours share all but their last column
            prefix, known = tuple(first), np.zeros(len(rows), np.int64)
            for place in prefix:
                distinct, known = ranked(known * sizes[place] + codes[place][1])
                many = len(distinct)
        keys, wide = known * sizes[last] + codes[last][1], many * sizes[last]
        if wide > max(_DENSE, 2 * len(rows)):
            distinct, keys = ranked(keys)
            wide = len(distinct)
        yield (*prefix, last), (add_by_code(keys, rows.counts, wide) == 1)[keys]
