"""What is published: figures about sets of base cells, each with the whole numbers that it can stand for.

The base cells (*atoms*) are the cross of all classifications used. A figure is the sum of a set of atoms, and
what is published about it is an interval of integers: one value where it is exact, the preimage where it is
rounded, everything where it is withheld. [[X|P]] is the set of all tables of integers that fit.

All tables of a publication are about one quantity. Counts and magnitudes of the same people are separate
quantities, each audited by itself: nothing is inferred from one about the other.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import starmap
from math import prod
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from noiseless.arrays import IntArray
from noiseless.errors import RequestError
from noiseless.tabulations.published_table import (
    MAX_VALUE,
    UNBOUNDED,
    Classification,
    Kind,
    Labels,
    PublishedTable,
    Told,
    open_ends,
)

__all__ = [
    "MAX_VALUE",
    "UNBOUNDED",
    "Classification",
    "Kind",
    "Labels",
    "Publication",
    "PublishedTable",
    "RowName",
    "Targets",
    "Told",
]

RowName = tuple[str, Labels]
"""The name of a figure: its table, and its labels there."""
Bounds = int | Sequence[int] | IntArray
Targets = Mapping[str, Mapping[str, Sequence[str]]]
"""Named groups: for each the labels of some classifications; a classification left out is its total."""

MAX_ATOMS = 4_000_000
MAX_ENTRIES = 60_000_000


@dataclass(frozen=True, eq=False)
class Publication:
    """Several tables of one quantity of one population, and what is declared of each base cell.

    Attributes:
        classifications: the dimensions of the tables.
        tables: the tables, all of counts or all of magnitudes; one that leaves a dimension out is its total.
        lower: the least value of a base cell: one for all, or one for each.
        upper: the largest, None if there is no limit: one for all, or one for each.
        step: the resolution; all values are integers of such steps.
        population: whom the tables are about.
    """

    classifications: tuple[Classification, ...]
    tables: tuple[PublishedTable, ...]
    lower: Bounds = 0
    upper: Bounds | None = None
    step: Fraction = Fraction(1)
    population: str = ""

    def __post_init__(self) -> None:
        by_name = {each.name: each for each in self.classifications}
        if not self.tables:
            raise RequestError("a publication needs at least one table")
        if len(by_name) < len(self.classifications):
            raise RequestError("a publication has a classification twice: give each a name of its own")
        if len({table.name for table in self.tables}) < len(self.tables):
            raise RequestError("a publication has a table twice: give each a name of its own")
        if len({table.kind for table in self.tables}) > 1:
            raise RequestError("counts and magnitudes are separate quantities: audit each by itself")
        for table in self.tables:
            if missing := set(table.dimensions) - set(by_name):
                raise RequestError(f"table {table.name!r}: there is no classification {min(missing)!r}")
        if self.size > MAX_ATOMS:
            raise RequestError(
                f"the classifications cross in {self.size:,} base cells, and {MAX_ATOMS:,} is the most: "
                "audit fewer tables together, or coarser ones"
            )
        if np.any(self.atom_lower > self.atom_upper):
            raise RequestError("a base cell needs a lower bound that is not above its upper bound")

    @classmethod
    def of_rows(
        cls,
        atom_names: Sequence[str],
        bounds: Sequence[tuple[int, int | None]],
        rows: Iterable[tuple[Sequence[str], Told]],
    ) -> Self:
        """A publication from base cells, their bounds, and what is published about sets of them."""
        place = {name: number for number, name in enumerate(atom_names)}
        groups, cells = dict[str, tuple[int, ...]](), list[tuple[Labels, Told]]()
        for of, told in rows:
            if unknown := [name for name in of if name not in place]:
                raise RequestError(f"there is no base cell {unknown[0]!r}")
            label = "+".join(of)
            members = tuple(place[name] for name in of)
            if len(of) > 1 and groups.setdefault(label, members) != members:
                raise RequestError(f"two sets of base cells are both called {label!r}: rename a base cell")
            cells.append(((label,), told))
        table = PublishedTable.of("rows", ["atom"], cells)
        upper = [UNBOUNDED if end is None else end for _, end in bounds]
        lower = [begin for begin, _ in bounds]
        return cls((Classification("atom", tuple(atom_names), groups),), (table,), lower, upper)

    @property
    def kind(self) -> Kind:
        """Whether the tables count or add amounts up."""
        return self.tables[0].kind

    @cached_property
    def used(self) -> tuple[Classification, ...]:
        """The classifications that a table uses: their cross are the atoms."""
        names = {name for table in self.tables for name in table.dimensions}
        return tuple(each for each in self.classifications if each.name in names)

    @property
    def shape(self) -> tuple[int, ...]:
        """How many categories each classification used has."""
        return tuple(len(each.categories) for each in self.used)

    @property
    def size(self) -> int:
        """How many atoms there are."""
        return prod(self.shape)

    @cached_property
    def atom_lower(self) -> IntArray:
        """The least value of each atom."""
        return self._each(self.lower)

    @cached_property
    def atom_upper(self) -> IntArray:
        """The largest value of each atom, `UNBOUNDED` where there is no limit."""
        return self._each(UNBOUNDED if self.upper is None else self.upper)

    @cached_property
    def told_lower(self) -> IntArray:
        """The least value of each figure, in the order of the rows."""
        return np.concatenate([table.lower for table in self.tables])

    @cached_property
    def told_upper(self) -> IntArray:
        """The largest value of each figure, `UNBOUNDED` where there is no limit."""
        return np.concatenate([table.upper for table in self.tables])

    @cached_property
    def rows(self) -> csr_array:
        """Rows x atoms: 1 where a figure includes an atom."""
        parts = list(starmap(self._entries, ((table, self._codes(table)) for table in self.tables)))
        indices = np.concatenate([entries for entries, _ in parts])
        counts = np.concatenate([of_row for _, of_row in parts])
        starts = np.zeros(len(counts) + 1, np.int32)
        np.cumsum(counts, out=starts[1:])
        ones = np.ones(len(indices), np.int8)
        matrix = csr_array((ones, indices, starts), shape=(len(counts), self.size))
        matrix.sort_indices()
        return matrix

    def sums(self, targets: Targets) -> csr_array:
        """Named groups x atoms, like `rows`."""
        rows = list[IntArray]()
        for name, labels in targets.items():
            if unknown := set(labels) - {each.name for each in self.used}:
                raise RequestError(f"group {name!r}: no table has a classification {min(unknown)!r}")
            chosen = np.ones(self.shape, bool)
            for axis, each in enumerate(self.used):
                if each.name in labels:
                    inside = np.zeros(len(each.categories), bool)
                    for label in labels[each.name]:
                        inside[self._members(each, label)] = True
                    chosen &= inside.reshape([-1 if place == axis else 1 for place in range(len(self.used))])
            rows.append(np.flatnonzero(chosen))
        starts = np.cumsum([0, *map(len, rows)]).astype(np.int32)
        indices = np.concatenate([np.zeros(0, np.int64), *rows]).astype(np.int32)
        ones = np.ones(len(indices), np.int8)
        return csr_array((ones, indices, starts), shape=(len(rows), self.size))

    def _members(self, classification: Classification, label: str) -> IntArray:
        if label not in classification.labels:
            raise RequestError(f"{label!r} is no category or group of {classification.name!r}")
        members, starts = classification.members
        place = classification.labels.index(label)
        return members[starts[place] : starts[place + 1]]

    def row_name(self, row: int) -> RowName:
        """The table and the labels of a figure."""
        for table in self.tables:
            if row < len(table):
                return table.name, table.coordinates(row)
            row -= len(table)
        raise IndexError(row)

    @property
    def row_names(self) -> tuple[RowName, ...]:
        """The names of all figures, in the order of the rows."""
        return tuple(
            (table.name, table.coordinates(place)) for table in self.tables for place in range(len(table))
        )

    def atom_name(self, atom: int) -> Labels:
        """The category of an atom for each classification used."""
        places = np.unravel_index(atom, self.shape)
        return tuple(each.categories[int(place)] for each, place in zip(self.used, places, strict=True))

    def to_dict(self) -> dict[str, Any]:
        """As it is in JSON, whole."""
        return {
            "classifications": [
                {
                    "name": each.name,
                    "categories": list(each.categories),
                    "groups": {name: list(members) for name, members in each.groups.items()},
                }
                for each in self.used
            ],
            "tables": [table.to_dict() for table in self.tables],
            "lower": _same(open_ends(self.atom_lower)),
            "upper": _same(open_ends(self.atom_upper)),
            "step": str(self.step),
            "population": self.population,
        }

    @classmethod
    def of_dict(cls, said: Mapping[str, Any]) -> Self:
        """What `to_dict` wrote."""
        return cls(
            tuple(
                Classification(
                    each["name"],
                    tuple(each["categories"]),
                    {group: tuple(members) for group, members in each["groups"].items()},
                )
                for each in said["classifications"]
            ),
            tuple(map(PublishedTable.of_dict, said["tables"])),
            said["lower"],
            _unbounded(said["upper"]),
            Fraction(said["step"]),
            said["population"],
        )

    def _each(self, bound: Bounds) -> IntArray:
        values = np.broadcast_to(np.asarray(bound, np.int64).ravel(), (self.size,))
        finite = values[values < UNBOUNDED]
        if np.abs(finite).max(initial=0) > MAX_VALUE:
            raise RequestError("a bound is larger than 2^50 steps: choose a larger step")
        return values

    def _codes(self, table: PublishedTable) -> IntArray:
        """The coordinates of a table as places among the labels of its classifications."""
        columns = list[IntArray]()
        for number, dimension in enumerate(table.dimensions):
            known = next(each for each in self.used if each.name == dimension)
            place = {label: code for code, label in enumerate(known.labels)}
            if missing := [label for label in table.labels[number] if label not in place]:
                raise RequestError(
                    f"table {table.name!r}: {missing[0]!r} is no category or group of {dimension!r}"
                )
            translation = np.array([place[label] for label in table.labels[number]], np.int64)
            columns.append(translation[table.codes[:, number]])
        return np.stack(columns, axis=1) if columns else np.zeros((len(table), 0), np.int64)

    def _entries(self, table: PublishedTable, codes: IntArray) -> tuple[npt.NDArray[np.int32], IntArray]:
        """The atoms of each row of a table, one row after the other, and how many each row has."""
        atoms = np.zeros(len(table), np.int32)
        owner = np.arange(len(table), dtype=np.int32)
        strides = np.cumprod((1, *self.shape[:0:-1]))[::-1]
        for each, stride in zip(self.used, strides, strict=True):
            if each.name in table.dimensions:
                members, starts = each.members
                label = codes[:, table.dimensions.index(each.name)][owner]
                begin, count = starts[label], np.diff(starts)[label]
            else:
                members = np.arange(len(each.categories))
                begin, count = np.zeros(len(owner), np.int64), np.full(len(owner), len(members))
            total = int(count.sum())
            if total > MAX_ENTRIES:
                raise RequestError(
                    f"table {table.name!r} adds up more than {MAX_ENTRIES:,} base cells: audit fewer tables "
                    "together, or coarser ones"
                )
            place = np.arange(total, dtype=np.int32)
            place += np.repeat((begin - np.cumsum(count) + count).astype(np.int32), count)
            owner, atoms = np.repeat(owner, count), np.repeat(atoms, count)
            atoms += members.astype(np.int32)[place] * np.int32(stride)
        return atoms, np.bincount(owner, minlength=len(table))


def _unbounded(ends: int | Sequence[int | None] | None) -> Bounds | None:
    """Upper ends from JSON."""
    return ends if ends is None or isinstance(ends, int) else [UNBOUNDED if e is None else e for e in ends]


def _same(ends: list[int | None]) -> Any:  # noqa: ANN401 - JSON
    """One number, if all are equal."""
    return ends[0] if len(set(ends)) == 1 else ends
