"""What is published: figures about sets of base cells, each with the whole numbers that it can stand for.

The base cells (*atoms*) are the cross of all classifications used. A figure is the sum of a set of atoms, and
what is published about it is an interval of integers: one value where it is exact, the preimage where it is
rounded, everything where it is withheld. [[X|P]] is the set of all tables of integers that fit.

All tables of a publication are about one quantity. Counts and magnitudes of the same people are separate
quantities, each audited by itself: nothing is inferred from one about the other.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import starmap
from math import prod
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from noiseless.arrays import IntArray
from noiseless.errors import RequestError

Labels = tuple[str, ...]
"""The coordinates of a figure: a category or a group for each dimension of its table."""
RowName = tuple[str, Labels]
"""The name of a figure: its table, and its labels there."""
Kind = Literal["count", "magnitude"]
Bounds = int | Sequence[int] | IntArray
Targets = Mapping[str, Mapping[str, Sequence[str]]]
"""Named groups: for each the labels of some classifications; a classification left out is its total."""

UNBOUNDED = 2**62
"""Stands for "no upper bound" in arrays of upper ends."""
MAX_VALUE = 2**50
"""The largest figure, in steps: solvers compute with floats, which hold every integer up to there."""
MAX_ATOMS = 4_000_000
MAX_ENTRIES = 60_000_000


@dataclass(frozen=True, slots=True)
class Told:
    """The integers that a published figure can stand for, in steps of the resolution.

    Attributes:
        lower: the least.
        upper: the largest, or None if there is no limit.
    """

    lower: int
    upper: int | None

    def __post_init__(self) -> None:
        if self.upper is not None and self.upper < self.lower:
            raise RequestError("a published figure stands for at least one value: its upper end is too small")
        if max(abs(self.lower), abs(self.upper or 0)) > MAX_VALUE:
            raise RequestError("a published figure is larger than 2^50 steps: choose a larger step")

    @classmethod
    def exact(cls, value: int) -> Self:
        """A figure that is published as it is."""
        return cls(value, value)

    @classmethod
    def rounded(cls, value: int, base: int, lower: int = 0) -> Self:
        """What is rounded to the nearest multiple of a base, halves up; values start at `lower`.

        >>> Told.rounded(5, 5), Told.rounded(0, 10)
        (Told(lower=3, upper=7), Told(lower=0, upper=4))
        """
        return cls(max(lower, value - base // 2), value + (base + 1) // 2 - 1)

    @classmethod
    def below(cls, limit: int, lower: int = 1) -> Self:
        """What is published as "less than the limit".

        >>> Told.below(5)
        Told(lower=1, upper=4)
        """
        return cls(lower, limit - 1)

    @classmethod
    def withheld(cls, lower: int = 0, upper: int | None = None) -> Self:
        """A figure about which nothing is published but what is declared of all."""
        return cls(lower, upper)


@dataclass(frozen=True)
class Classification:
    """The categories of one dimension, and groups of them: subtotals and the total.

    Attributes:
        name: the dimension.
        categories: the finest categories.
        groups: each group's name, and the places of its categories.
    """

    name: str
    categories: tuple[str, ...]
    groups: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.categories:
            raise RequestError(f"classification {self.name!r} has no categories")
        if len(set(self.labels)) < len(self.labels):
            raise RequestError(f"classification {self.name!r} has a category or a group twice")
        for group, members in self.groups.items():
            if not members or len(set(members)) < len(members):
                raise RequestError(f"group {group!r} of {self.name!r} needs categories, each of them once")
            if min(members) < 0 or max(members) >= len(self.categories):
                raise RequestError(f"group {group!r} of {self.name!r} has a member that is no category")

    @cached_property
    def labels(self) -> Labels:
        """What a coordinate may be: the categories, then the groups."""
        return (*self.categories, *self.groups)

    @cached_property
    def members(self) -> tuple[IntArray, IntArray]:
        """The categories of all labels, one after the other, and where each label's begin."""
        sets = [(place,) for place in range(len(self.categories))] + list(self.groups.values())
        starts = np.cumsum([0, *map(len, sets)], dtype=np.int64)
        return np.fromiter((place for of in sets for place in of), np.int64, int(starts[-1])), starts


@dataclass(frozen=True, eq=False)
class PublishedTable:
    """Figures by their coordinates, held in arrays; `of` and `of_grid` make one.

    Attributes:
        name: the table.
        dimensions: the names of its classifications, in the order of the coordinates.
        kind: counts, or magnitudes (sums of amounts).
        labels: for each dimension, the labels that its coordinates choose from.
        codes: a row a figure, a column a dimension: the place of its label.
        lower: the least value of each figure.
        upper: the largest, `UNBOUNDED` where there is no limit.
    """

    name: str
    dimensions: tuple[str, ...]
    kind: Kind
    labels: tuple[Labels, ...]
    codes: npt.NDArray[np.int32]
    lower: IntArray
    upper: IntArray

    def __post_init__(self) -> None:
        if len(set(self.dimensions)) < len(self.dimensions):
            raise RequestError(f"table {self.name!r} has a dimension twice")
        if self.codes.shape != (len(self.lower), len(self.dimensions)) or len(self.upper) != len(self.lower):
            raise RequestError(f"table {self.name!r} needs one coordinate a dimension for each figure")
        if np.any(self.lower > self.upper):
            raise RequestError(f"table {self.name!r} has a figure whose upper end is below its lower end")
        finite = self.upper[self.upper < UNBOUNDED]
        if np.abs(self.lower).max(initial=0) > MAX_VALUE or np.abs(finite).max(initial=0) > MAX_VALUE:
            raise RequestError(
                f"table {self.name!r} has a figure of more than 2^50 steps: choose a larger step"
            )

    @classmethod
    def of(
        cls,
        name: str,
        dimensions: Sequence[str],
        cells: Iterable[tuple[Sequence[str], Told]],
        kind: Kind = "count",
    ) -> Self:
        """A table from its figures, one by one."""
        places: list[dict[str, int]] = [{} for _ in dimensions]
        codes, lower, upper = list[list[int]](), list[int](), list[int]()
        for labels, told in cells:
            if len(labels) != len(dimensions):
                raise RequestError(f"table {name!r} needs one coordinate a dimension for each figure")
            codes.append(
                [known.setdefault(label, len(known)) for known, label in zip(places, labels, strict=True)]
            )
            lower.append(told.lower)
            upper.append(UNBOUNDED if told.upper is None else told.upper)
        return cls(
            name,
            tuple(dimensions),
            kind,
            tuple(map(tuple, places)),
            np.array(codes, np.int32).reshape(len(lower), len(dimensions)),
            np.array(lower, np.int64),
            np.array(upper, np.int64),
        )

    @classmethod
    def of_grid(
        cls,
        name: str,
        labels: Mapping[str, Sequence[str]],
        lower: npt.ArrayLike,
        upper: npt.ArrayLike,
        kind: Kind = "count",
    ) -> Self:
        """A table from arrays with an axis a dimension: every combination of the labels has a figure."""
        ends = [np.asarray(end, np.int64) for end in (lower, upper)]
        shape = tuple(map(len, labels.values()))
        if any(end.shape != shape for end in ends):
            raise RequestError(f"table {name!r} needs a figure for each combination of labels, here {shape}")
        codes = np.stack(np.unravel_index(np.arange(prod(shape)), shape), axis=1).astype(np.int32)
        return cls(
            name,
            tuple(labels),
            kind,
            tuple(map(tuple, labels.values())),
            codes,
            ends[0].ravel(),
            ends[1].ravel(),
        )

    def __len__(self) -> int:
        return len(self.lower)

    def to_dict(self) -> dict[str, Any]:
        """As it is in JSON."""
        return {
            "name": self.name,
            "kind": self.kind,
            "dimensions": list(self.dimensions),
            "labels": [list(labels) for labels in self.labels],
            "codes": self.codes.tolist(),
            "lower": self.lower.tolist(),
            "upper": _open_ends(self.upper),
        }

    def coordinates(self, place: int) -> Labels:
        """The labels of a figure."""
        return tuple(known[code] for known, code in zip(self.labels, self.codes[place], strict=True))


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
            "lower": _same(_open_ends(self.atom_lower)),
            "upper": _same(_open_ends(self.atom_upper)),
            "step": str(self.step),
            "population": self.population,
        }

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


def _open_ends(ends: IntArray) -> list[int | None]:
    return [None if end >= UNBOUNDED else end for end in ends.tolist()]


def _same(ends: list[int | None]) -> Any:  # noqa: ANN401 - JSON
    """One number, if all are equal."""
    return ends[0] if len(set(ends)) == 1 else ends
