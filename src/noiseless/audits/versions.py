"""What several releases leave together, of people who are in all of them.

A person has a cell in each release. Let T be the sensitive values of those who have the same cells in *all*
releases, and M the values that occur in every one of these cells: the intersection of the posterior sets.
What an adversary is left with lies between them:

- Two people with the same cells everywhere can swap their values: every release stays as it is, and so does
  how often each value occurs in each cell. All of T stays possible, even to one who knows everybody's cells
  and these numbers.
- No value outside M is possible. To one who knows which values occur in which cell, and nothing of others,
  all of M is.

Where sensitive values are published beside the cells, M is only an outer bound: people in cells {1, 2} with
{a, b} and {3, 4} with {a, c}, and then {1, 2, 3} with {a, b, c}, leave 3 with c.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from noiseless.arrays import IntArray
from noiseless.display import Facts, Shown

if TYPE_CHECKING:
    from noiseless.audits.table_audit import TableAudit

_MOST = 2**30
"""Values that are compared at most; beyond, the intersection is not computed."""

_AT_ONCE = 2**22
"""Values that are compared at a time."""


@dataclass(frozen=True, repr=False)
class Versions(Shown):
    """What several releases leave together.

    Attributes:
        target: the sensitive columns they are about.
        values: how many values there are.
        alone: for each release, the fewest values it leaves by itself.
        intersected: the fewest values that occur in every cell of a person; None where it was too much work.
        heads: how many rows (persons) are left with so few; None likewise.
        together: the fewest values among those who have the same cells in all releases.
    """

    target: str
    values: int
    alone: tuple[int, ...]
    intersected: int | None
    heads: int | None
    together: int

    def _shown(self) -> tuple[str, Facts]:
        crossed = "not computed" if self.intersected is None else f"{self.intersected:,} of {self.values:,}"
        facts = {
            "each by itself": ", ".join(f"{left:,}" for left in self.alone),
            "to one who knows the values of each cell": crossed,
            "to one who also knows how many have each, and who is where": f"at least {self.together:,}",
        }
        return f"Values of {self.target} that several releases leave", facts

    def to_dict(self) -> dict[str, Any]:
        """As it is in JSON."""
        return {
            "target": self.target,
            "alone": list(self.alone),
            "intersected": self.intersected,
            "heads": self.heads,
            "together": self.together,
        }


def versions(audit: "TableAudit") -> Versions:
    """What the releases of an audit leave together, of the sensitive column that fares worst."""
    target = audit.worst.target
    parts = [_columns(audit.public, number) for number in range(1, audit.releases + 1)]
    sets = [_Cells.of(audit, (*audit.given, *part), target) for part in parts]
    left = _intersections(sets, audit.worst.sensitive_values)
    fewest = None if left is None else int(left.min())
    return Versions(
        audit.worst.name,
        audit.worst.sensitive_values,
        tuple(int(cells.sizes.min()) for cells in sets),
        fewest,
        None if left is None else audit.worst.census.heads_in(left == fewest),
        audit.worst.min_posterior,
    )


def _columns(public: Sequence[str], number: int) -> list[str]:
    """The columns of a release, its mark of who is in it included."""
    return [name for name in public if name.startswith(f"{number}.") or name == f"in release {number}"]


@dataclass(frozen=True, eq=False)
class _Cells:
    """The values behind the cell that each group of an audit has in one release.

    Attributes:
        cell_of: the cell of each group.
        starts: where the values of each cell begin, and the end.
        x: the values, cell by cell.
    """

    cell_of: IntArray
    starts: IntArray
    x: IntArray

    @classmethod
    def of(cls, audit: "TableAudit", columns: Sequence[str], target: tuple[str, ...]) -> "_Cells":
        """Those of some columns of an audit."""
        joint = audit.exposure(target, tuple(columns)).census.joint
        groups, cells = audit.tally.project(audit.seen), audit.tally.project(columns)
        places = cells.places({column: groups.codes(column) for column in columns})
        return cls(places, joint.starts.astype(np.int64), joint.x.astype(np.int64))

    @property
    def sizes(self) -> IntArray:
        """How many values are behind the cell of each group."""
        return np.asarray(np.diff(self.starts)[self.cell_of])

    def keys(self, values: int) -> IntArray:
        """Each pair of a cell and a value as one number, ascending."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts)) * values + self.x


def _intersections(sets: Sequence[_Cells], values: int) -> IntArray | None:
    """How many values each group has in all of its cells; None where that is too much work."""
    first, *others = sorted(sets, key=lambda cells: int(cells.sizes.sum()))
    sizes = first.sizes
    if int(sizes.sum()) > _MOST:
        return None
    keys = [cells.keys(values) for cells in others]
    left, begin = np.zeros(len(sizes), np.int64), 0
    ends = np.cumsum(sizes)
    while begin < len(sizes):
        done = int(ends[begin - 1]) if begin else 0
        end = max(begin + 1, int(np.searchsorted(ends, done + _AT_ONCE, side="right")))
        here = np.arange(begin, end)
        group = np.repeat(here, sizes[here])
        offset = np.arange(len(group)) - np.repeat(ends[here] - sizes[here] - done, sizes[here])
        value = first.x[first.starts[first.cell_of[group]] + offset]
        held = np.ones(len(group), bool)
        for cells, known in zip(others, keys, strict=True):
            wanted = cells.cell_of[group] * values + value
            place = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
            held &= known[place] == wanted
        left[begin:end] = np.bincount(group[held] - begin, minlength=end - begin)
        begin = end
    return left
