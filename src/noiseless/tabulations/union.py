"""Several publications of one population as one: all tables over the cross of all their dimensions.

A dimension is known by its name, and so are its labels. A label that one publication divides is a group of
the whole; a total is the total of all categories that any of them knows. A table that was read as complete
says of categories that others know and it does not have that nobody is in them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from noiseless.arrays import IntArray
from noiseless.errors import RequestError
from noiseless.tabulations.publication import UNBOUNDED, Publication
from noiseless.tabulations.published_table import Classification, Labels, PublishedTable, Told

WHOLE = "all of "
"""What the only category of a dimension is called where nothing but a total is published."""
OTHERS = "other than "
"""What all but the only label of a dimension is called where a table without that dimension counts it too."""


@dataclass(frozen=True, eq=False)
class PublicationPart:
    """A publication among others.

    Attributes:
        publication: its tables.
        entry: the number of its entry in the ledger; None for one that is not recorded.
        open_tables: the tables whose left out combinations are withheld; those of others are read as 0.
    """

    publication: Publication
    entry: int | None = None
    open_tables: frozenset[str] = frozenset()

    def table_name(self, table: str) -> str:
        """What a table is called among all."""
        return table if self.entry is None else f"{table} (entry {self.entry})"

    @property
    def table_names(self) -> frozenset[str]:
        """What its tables are called among all."""
        return frozenset(self.table_name(table.name) for table in self.publication.tables)


def union(parts: Sequence[PublicationPart]) -> Publication:
    """All tables as one publication; those of the last part come last.

    Raises:
        RequestError: they do not fit together: labels, resolutions, bounds.
    """
    kinds = {part.publication.kind for part in parts}
    if len(kinds) > 1:
        raise RequestError("counts and magnitudes are separate quantities: check each by itself")
    names = dict.fromkeys(each.name for part in parts for each in part.publication.used)
    every = [table for part in parts for table in part.publication.tables]
    known = {
        name: _Dimension(
            name,
            [each for part in parts for each in part.publication.used if each.name == name],
            is_everywhere=all(name in table.dimensions for table in every),
        ).classification()
        for name in names
    }
    step = min(part.publication.step for part in parts)
    tables = list[PublishedTable]()
    for part in parts:
        for table in part.publication.tables:
            named = replace(_scaled(table, part.publication.step / step), name=part.table_name(table.name))
            own = () if table.name in part.open_tables else _left_out(named, known, part.publication)
            tables += [named, *own]
    lower, upper = _bounds(parts, step)
    population = parts[-1].publication.population
    return Publication(tuple(known.values()), tuple(tables), lower, upper, step, population)


class _Dimension:
    """One dimension as several publications have it."""

    def __init__(self, name: str, versions: Sequence[Classification], *, is_everywhere: bool) -> None:
        self.name, self.is_everywhere = name, is_everywhere
        self.versions = [each for each in versions if not _is_whole(each)]
        self.totals = dict[str, None]()
        self.groups = dict[str, list[frozenset[str]]]()
        for each in versions:
            for group, members in each.groups.items():
                if len(members) == len(each.categories):
                    self.totals[group] = None
                else:
                    own = frozenset(each.categories[place] for place in members)
                    self.groups.setdefault(group, []).append(own)

    def classification(self) -> Classification:
        """Leaves are categories, everything else groups of them."""
        leaves = dict[str, None]()
        for each in self.versions:
            for category in each.categories:
                if category in self.totals:
                    raise RequestError(
                        f"{category!r} is the total of {self.name!r} in one table and a category in another; "
                        "rename one"
                    )
                if category not in self.groups:
                    leaves[category] = None
        if not leaves:
            first = next(iter(self.totals), "Total")
            return Classification(self.name, (WHOLE + first,), dict.fromkeys(self.totals, (0,)))
        if len(leaves) == 1 and not (self.totals or self.groups or self.is_everywhere):
            leaves |= {OTHERS + next(iter(leaves)): None}
        place = {leaf: number for number, leaf in enumerate(leaves)}
        groups = {
            group: tuple(sorted(place[leaf] for leaf in self._leaves(group, frozenset())))
            for group in self.groups
        }
        totals = {total: tuple(range(len(place))) for total in self.totals if total not in groups}
        return Classification(self.name, tuple(leaves), {**groups, **totals})

    def _leaves(self, label: str, above: frozenset[str]) -> frozenset[str]:
        """The categories of a label; all publications that divide it must agree."""
        if label not in self.groups:
            return frozenset([label])
        if label in above:
            raise RequestError(f"{label!r} of {self.name!r} is above itself in the hierarchies of two tables")
        found = {
            frozenset().union(*(self._leaves(member, above | {label}) for member in members))
            for members in self.groups[label]
        }
        if len(found) > 1:
            raise RequestError(
                f"{label!r} of {self.name!r} is not divided as in an earlier table; give it the same "
                "hierarchy, or another name"
            )
        return next(iter(found))


def _is_whole(classification: Classification) -> bool:
    """Whether nothing but a total is known of a dimension."""
    return len(classification.categories) == 1 and classification.categories[0].startswith(WHOLE)


def _scaled(table: PublishedTable, times: Fraction) -> PublishedTable:
    """A table in finer steps."""
    if times == 1:
        return table
    if times.denominator != 1 or np.any((table.lower != table.upper) & (table.upper < UNBOUNDED)):
        raise RequestError(
            f"table {table.name!r} was read in other steps of its amounts; give all the same step"
        )
    factor = times.numerator
    upper = np.where(table.upper < UNBOUNDED, table.upper * factor, UNBOUNDED)
    return replace(table, lower=table.lower * factor, upper=upper)


def _left_out(
    table: PublishedTable, known: Mapping[str, Classification], own: Publication
) -> list[PublishedTable]:
    """That nobody is in the categories that others know and a complete table does not have.

    A dimension with one label is about that label alone.
    """
    if np.any(own.atom_lower < 0):
        return []
    found = list[PublishedTable]()
    single = {
        name: labels[0]
        for name, labels in zip(table.dimensions, table.labels, strict=True)
        if len(labels) == 1
    }
    for name, labels in zip(table.dimensions, table.labels, strict=True):
        if name in single:
            continue
        missing = _missing(labels, known[name])
        if missing:
            cells = [((each, *single.values()), Told.exact(0)) for each in missing]
            left_out = f"{table.name}, {name} left out" if found else f"{table.name}, left out"
            found.append(PublishedTable.of(left_out, (name, *single), cells, table.kind))
    return found


def _missing(labels: Labels, known: Classification) -> list[str]:
    """The categories that no label holds, but the total."""
    members, starts = known.members
    covered = np.zeros(len(known.categories), bool)
    place = {label: number for number, label in enumerate(known.labels)}
    whole = len(known.categories)
    for label in labels:
        own = members[starts[place[label]] : starts[place[label] + 1]]
        if len(own) < whole or whole == 1:
            covered[own] = True
    if not covered.any():
        return []
    return [known.categories[number] for number in np.flatnonzero(~covered).tolist()]


def _bounds(parts: Sequence[PublicationPart], step: Fraction) -> tuple[int | IntArray, int | IntArray | None]:
    """The bounds of base cells: one pair for all, or one for each where all have the same base cells."""
    publications = [part.publication for part in parts]
    declared = {_one_pair(each) for each in publications}
    if len(declared) == 1 and (pair := next(iter(declared))) is not None:
        low, high = pair
        return int(low / step), None if high is None else int(high / step)
    cells = {(each.step, *((of.name, of.categories) for of in each.used)) for each in publications}
    if len(cells) > 1:
        raise RequestError("base cells have other bounds than in an earlier table; declare the same for all")
    lower = np.max([each.atom_lower for each in publications], axis=0)
    return lower, np.min([each.atom_upper for each in publications], axis=0)


def _one_pair(publication: Publication) -> tuple[Fraction, Fraction | None] | None:
    """The bounds of all base cells, in units; None if they differ."""
    given = (publication.lower, UNBOUNDED if publication.upper is None else publication.upper)
    ends = [np.unique(np.asarray(each)).tolist() for each in given]
    if max(map(len, ends)) > 1:
        return None
    (low,), (high,) = ends
    return low * publication.step, None if high >= UNBOUNDED else high * publication.step
