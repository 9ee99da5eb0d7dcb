"""A table as it is seen under disclosure rules, and the rows behind each group."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from noiseless.arrays import BoolArray, IntArray
from noiseless.rules.assignment import AssignedRule
from noiseless.rules.base import Coarsening, Dominance
from noiseless.rules.counts import MinCell
from noiseless.rules.recoded_column import RecodedColumn, RuleEffect, recode
from noiseless.tables import Table, Tally
from noiseless.tables.base import Roles
from noiseless.tables.kernels import KEY_LIMIT, distinct_values, heads, heads_by_code, ranked, run_starts


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
class GroupOrigins:
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
    def of(cls, tally: Tally, width: int, groups: IntArray, public_groups: IntArray) -> "GroupOrigins":
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


@dataclass(frozen=True)
class ReleaseColumns:
    """The public columns of one release, and the one that says whether somebody is in it, if any."""

    columns: tuple[str, ...]
    presence: str | None = None


@dataclass(frozen=True, eq=False)
class Ruling:
    """What rules make of a table.

    Attributes:
        assigned: the rules, each with its column.
        raw: the combinations as the table has them.
        tally: the combinations as they are told.
        whole: the same before any group was withheld.
        behind: which rows stand behind each group that is told.
        changes: what became of each coarsened column.
        told_groups: how many groups are told as they are.
        withheld_groups: how many are withheld.
        told: how many rows (persons) are in a group that is told.
        withheld: how many are in one that is withheld.
    """

    assigned: tuple[AssignedRule, ...]
    raw: Tally
    tally: Tally
    whole: Tally
    behind: GroupOrigins
    changes: tuple[RuleEffect, ...]
    told_groups: int
    withheld_groups: int
    told: int
    withheld: int

    @property
    def text(self) -> str:
        """The rules as they are written."""
        return ", ".join(assigned.text for assigned in self.assigned)

    @property
    def seen_text(self) -> str:
        """Those that change what is seen: all but the ones about totals."""
        return ", ".join(a.text for a in self.assigned if not isinstance(a.rule, Dominance))

    @property
    def totals_text(self) -> str:
        """The others, about totals."""
        return ", ".join(a.text for a in self.assigned if isinstance(a.rule, Dominance))

    @property
    def dominance(self) -> dict[str, tuple[Dominance, ...]]:
        """The rules about totals, by the column that is added up."""
        found: dict[str, tuple[Dominance, ...]] = {}
        for assigned in self.assigned:
            if isinstance(assigned.rule, Dominance) and assigned.column is not None:
                found[assigned.column] = (*found.get(assigned.column, ()), assigned.rule)
        return found

    @property
    def changes_what_is_seen(self) -> bool:
        """Whether a rule is about the public columns, not only about totals."""
        return bool(self.seen_text)


def apply_rules(
    tally: Tally, assigned: Sequence[AssignedRule], roles: Roles, releases: Sequence[ReleaseColumns]
) -> Ruling:
    """Coarsen the public columns, then withhold the groups that are too small.

    Args:
        tally: the combinations of known, public and sensitive columns (and the unit), in this order.
        assigned: the rules.
        roles: the columns, the public ones as the tally has them.
        releases: which of the public columns belong together; each release withholds its own groups.

    Raises:
        ColumnError: a column does not hold what a rule is about.
    """
    columns = {name: RecodedColumn.of(tally, name) for name in tally.columns}
    changes = []
    for name, rules in _coarsenings(assigned, releases).items():
        columns[name], change = recode(tally, name, rules)
        changes.append(change)
    whole = dict(columns)
    unit = None if roles.unit is None else ranked(tally.codes(roles.unit))[1]
    thresholds = [a.rule for a in assigned if isinstance(a.rule, MinCell) and a.column is None]
    hidden = np.zeros(len(tally), bool)
    told_groups, withheld_groups = 0, 0
    for release in releases:
        groups, withheld, present = _small(columns, release, tally.counts, unit, thresholds)
        told_groups += len(distinct_values(groups[present & ~withheld]))
        withheld_groups += len(distinct_values(groups[withheld]))
        hidden |= withheld
        if withheld.any():
            columns |= {name: columns[name].withheld(withheld) for name in release.columns}
    public_groups = numbered(_codes(columns, roles.public))
    seen = (*roles.given, *roles.public)
    groups = numbered(_codes(columns, seen)) if roles.given else public_groups
    seen_as = _tally(columns, tally)
    return Ruling(
        assigned=tuple(assigned),
        raw=tally,
        tally=seen_as,
        whole=_tally(whole, tally) if hidden.any() else seen_as,
        behind=GroupOrigins.of(tally, len(seen), groups, public_groups),
        changes=tuple(changes),
        told_groups=told_groups,
        withheld_groups=withheld_groups,
        told=heads(~hidden, tally.counts, unit),
        withheld=heads(hidden, tally.counts, unit),
    )


def _tally(columns: dict[str, RecodedColumn], raw: Tally) -> Tally:
    """The combinations as these columns tell them."""
    told = [columns[name] for name in raw.columns]
    return Tally.from_codes([c.coding for c in told], [c.codes for c in told], raw.counts)


def _codes(columns: dict[str, RecodedColumn], names: Iterable[str]) -> list[tuple[IntArray, int]]:
    return [(columns[name].codes, columns[name].coding.size) for name in names]


def _coarsenings(
    assigned: Sequence[AssignedRule], releases: Sequence[ReleaseColumns]
) -> dict[str, list[Coarsening]]:
    """The rules of each public column, in order; `ward` is `1.ward` and `2.ward` of two releases."""
    found: dict[str, list[Coarsening]] = {}
    for item in assigned:
        if isinstance(item.rule, Coarsening) and item.column is not None:
            for number, release in enumerate(releases, 1):
                name = item.column if len(releases) == 1 else f"{number}.{item.column}"
                if name in release.columns:
                    found.setdefault(name, []).append(item.rule)
    return found


def _small(
    columns: dict[str, RecodedColumn],
    release: ReleaseColumns,
    counts: IntArray,
    unit: IntArray | None,
    thresholds: Sequence[MinCell],
) -> tuple[IntArray, BoolArray, BoolArray]:
    """The group of each combination in one release, whether it is withheld, and whether it is there."""
    groups = numbered(_codes(columns, release.columns))
    present = np.ones(len(groups), bool)
    if release.presence is not None:
        mark = columns[release.presence]
        present = mark.coding.decode(mark.codes).to_numpy(zero_copy_only=False).astype(bool)
    persons = None if unit is None else unit[present]
    sizes = heads_by_code(groups[present], counts[present], persons, int(groups.max()) + 1)
    kinds, place = ranked(sizes)
    small = np.array([not all(t.passes(size) for t in thresholds) for size in kinds.tolist()], bool)
    return groups, small[place][groups] & present, present
