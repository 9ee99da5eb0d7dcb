"""What everybody may know of a version, all that prices depend on: declarations, public cells, groups."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from noiseless.curator.file import CuratorFile
from noiseless.curator.snapshot import Snapshot
from noiseless.domain import Schema, Value
from noiseless.errors import RequestError
from noiseless.exact import Bits
from noiseless.pricing.event import Record
from noiseless.questions.attributes import column_of
from noiseless.questions.derived import DerivedColumn
from noiseless.questions.filters import AllOf, Among, AnyOf, Everything, Filter, kind_of
from noiseless.questions.person_view import PersonView
from noiseless.questions.question import Group, Limits, Population
from noiseless.work import Cache

Cells = npt.NDArray[np.intp]

_MOST_REMEMBERED = 2**26
"""Bytes of groups that are remembered."""
_MOST_COLUMNS = 1000
"""Derived columns of public ones that are kept."""
_EACH = 10
"""A group is as heavy as this many cells besides its own."""


@dataclass(frozen=True)
class PublicState:
    """The declarations, how many rows have each combination of public values, and the version's number.

    Attributes:
        schema: what columns may hold.
        limits: what is declared about persons and groups.
        population: the public cells and how many rows each has.
        version: the number of the version.
        persons: how many persons each home has (see `homes`), where a column names persons.
    """

    schema: Schema
    limits: Limits
    population: Population
    version: int = 0
    persons: tuple[int, ...] = ()

    @classmethod
    def of(cls, file: CuratorFile, snapshot: Snapshot) -> "PublicState":
        """What a snapshot shows of itself.

        Raises:
            RequestError: a person has more rows than the owner declares.
        """
        if snapshot.most_rows > file.rows:
            raise RequestError(
                f"a person has {snapshot.most_rows:,} rows, and max_rows is {file.rows:,};"
                " declare as many as a person can have"
            )
        for name, column in file.schema.columns.items():
            if column.per is not None and not snapshot.is_constant_per_person(name):
                raise RequestError(
                    f"column {name!r} differs between rows of one person;"
                    f" delete its line per = {column.per!r}, or mend the data"
                )
        found = cls(file.schema, file.limits, snapshot.population)
        return replace(found, persons=snapshot.persons_by(np.array(found.homes)))

    @cached_property
    def record(self) -> Record:
        """One person's private attributes, and which public cells their rows can be in together."""
        found = Record.of_schema(self.schema, self.limits.rows)
        if self.limits.rows == 1 or not any(self.homes):
            return found
        return replace(found, homes=self.homes)

    @cached_property
    def homes(self) -> tuple[int, ...]:
        """For each public cell the number of its home: of the values of its columns that are per person."""
        homes = dict[tuple[Value, ...], int]()
        return tuple(homes.setdefault(home, len(homes)) for home in self._per_person)

    @cached_property
    def _per_person(self) -> list[tuple[Value, ...]]:
        columns = self.population.columns
        per = [place for place, name in enumerate(columns) if self.schema.columns[name].per is not None]
        return [tuple(cell[place] for place in per) for cell in self.population.cells]

    def of_persons(self, view: PersonView) -> "PersonState":
        """What everybody may know of persons as the rows of a table.

        Raises:
            RequestError: the version was declared before persons were counted.
        """
        if not self.persons:
            raise RequestError(
                "how many persons there are is not recorded; declare a new version: noiseless dataset declare"
            )
        names = tuple(name for name in view.schema.public)
        places = [self.population.columns.index(name) for name in names]
        found = dict[tuple[Value, ...], list[int]]()
        for number, cell in enumerate(self.population.cells):
            found.setdefault(tuple(cell[place] for place in places), []).append(number)
        columns = [view.schema.columns[name] for name in names]
        ordered = sorted(found, key=lambda cell: [c.index(v) for c, v in zip(columns, cell, strict=True)])
        cells = {cell: found[cell] for cell in ordered}  # as a snapshot of the persons numbers them
        sizes = [sum(self.persons[home] for home in {self.homes[c] for c in own}) for own in cells.values()]
        population = Population(names, tuple(cells), tuple(sizes))
        limits = Limits(least_group=self.limits.least_group)
        state = PublicState(view.schema, limits, population, self.version)
        return PersonState(state, tuple(frozenset(own) for own in cells.values()))

    @cached_property
    def notes(self) -> Mapping[str, str]:
        """What anyone who reads an answer about a column must know of its declaration."""
        return {
            name: f"a missing {name} counts as {column.missing}"
            for name, column in self.schema.columns.items()
            if column.missing is not None
        }

    @property
    def entropy(self) -> Bits:
        """All there is to know of a person: log2 of the number of records they can have."""
        return Bits(self.record.values() or 1)

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return sum(self.population.sizes)

    @cached_property
    def cell_names(self) -> tuple[str, ...]:
        """What each public cell is called in the ledger: its values, as JSON."""
        return tuple(json.dumps([str(value) for value in cell]) for cell in self.population.cells)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON; values are written as their numbers."""
        names = self.population.columns
        columns = [self.schema.columns[name] for name in names]
        cells = [
            [column.index(value) for column, value in zip(columns, cell, strict=True)]
            for cell in self.population.cells
        ]
        return {
            "schema": self.schema.dump(),
            "max_rows": self.limits.rows,
            "public": list(names),
            "cells": cells,
            "sizes": list(self.population.sizes),
            **({"persons": list(self.persons)} if self.persons else {}),
        }

    @classmethod
    def read(cls, data: Mapping[str, Any], version: int, declared: Limits) -> "PublicState":
        """What was written; smallest groups and queries are no part of a version: they are as in the file."""
        schema = Schema.parse(data["schema"])
        columns = [schema.columns[name] for name in data["public"]]
        cells = tuple(
            tuple(column.value(number) for column, number in zip(columns, cell, strict=True))
            for cell in data["cells"]
        )
        population = Population(tuple(data["public"]), cells, tuple(data["sizes"]))
        limits = replace(declared, rows=data["max_rows"])
        return cls(schema, limits, population, version, tuple(data.get("persons", ())))


class PersonState(NamedTuple):
    """Persons as the rows of a table, and the public cells of the table that their rows are in, by cell."""

    public: PublicState
    homes: tuple[frozenset[int], ...]


class Grouping:
    """Finds public groups; what was asked for before is remembered."""

    def __init__(self, schema: Schema, population: Population) -> None:
        self.schema, self.population = schema, population
        self._sizes = np.array(population.sizes, np.int64)
        self._numbers: dict[str, npt.NDArray[np.int64]] = {}
        self._orders: dict[str, Cells] = {}
        self._sorted: dict[str, npt.NDArray[np.int64]] = {}
        self._found = Cache[Any](_MOST_REMEMBERED)
        for place, name in enumerate(population.columns):
            column = schema.columns[name]
            known = {value: column.index(value) for value in {cell[place] for cell in population.cells}}
            self._add(name, np.array([known[cell[place]] for cell in population.cells], np.int64))

    def _add(self, name: str, numbers: npt.NDArray[np.int64]) -> None:
        self._numbers[name] = numbers
        self._orders[name] = np.argsort(numbers, kind="stable")
        self._sorted[name] = numbers[self._orders[name]]

    def _know(self, name: str) -> None:
        """Work a derived column of public ones out, for all cells."""
        if name not in self._numbers:
            found = column_of(name, self.schema)
            assert isinstance(found, DerivedColumn)  # noqa: S101 - all others are known
            numbers = found.numbers(self._numbers.__getitem__)
            if len(self._numbers) > _MOST_COLUMNS:
                self._numbers = {each: self._numbers[each] for each in self.population.columns}
            self._add(name, np.broadcast_to(numbers, self._sizes.shape).astype(np.int64))

    def groups(self, where: Filter, by: tuple[str, ...]) -> tuple[Group, ...]:
        """The groups of a public GROUP BY under a public filter, in the order of their values."""
        return self._found.made(
            (where, by),
            lambda: self._grouped(self._passing(where), by),
            lambda groups: sum(_EACH + len(group.cells) for group in groups),
        )

    def count(self, where: Filter) -> int:
        """How many cells pass a public filter."""
        return len(self._passing(where))

    def _passing(self, where: Filter) -> Cells:
        """The cells that pass, ascending; a filter on one column is looked up, not searched for."""
        if isinstance(where, Everything):
            return np.arange(len(self._sizes))
        if isinstance(where, Among):
            self._know(where.column)
            order = self._orders[where.column]
            edges = self._sorted[where.column].searchsorted([end for run in where.runs for end in run])
            parts = [order[start:stop] for start, stop in zip(edges[::2], edges[1::2], strict=True)]
            return np.sort(parts[0] if len(parts) == 1 else np.concatenate([np.empty(0, np.intp), *parts]))
        return np.flatnonzero(self._mask(where))

    def _mask(self, where: Filter) -> npt.NDArray[np.bool_]:
        if isinstance(where, AllOf | AnyOf):
            together = isinstance(where, AllOf)
            found = np.full(len(self._sizes), together)
            for part in where.parts:
                found = found & self._mask(part) if together else found | self._mask(part)
            return found
        if isinstance(where, Among):
            found = np.zeros(len(self._sizes), bool)
            found[self._passing(where)] = True
            return found
        raise TypeError(f"a {type(where).__name__} is not in its normal form")

    def _grouped(self, cells: Cells, by: tuple[str, ...]) -> tuple[Group, ...]:
        if not len(cells):
            return ()
        if not by:
            return (self._group((), cells),)
        for name in by:
            self._know(name)
        keys = np.stack([self._numbers[name][cells] for name in by])
        distinct, places = np.unique(keys, axis=1, return_inverse=True)
        order = np.argsort(places.ravel(), kind="stable")
        ends = np.cumsum(np.bincount(places.ravel()))
        members = np.split(cells[order], ends[:-1])
        columns = [column_of(name, self.schema) for name in by]
        found = [
            self._group(tuple(c.value(n) for c, n in zip(columns, numbers, strict=True)), own)
            for numbers, own in zip(distinct.T.tolist(), members, strict=True)
        ]
        return tuple(sorted(found, key=_place))

    def _group(self, values: tuple[Value, ...], cells: Cells) -> Group:
        return Group(values, frozenset(cells.tolist()), int(self._sizes[cells].sum()))


def _place(group: Group) -> list[tuple[str, Value]]:
    return [(kind_of(value), value) for value in group.values]
