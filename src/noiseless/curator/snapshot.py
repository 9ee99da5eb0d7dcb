"""A dataset as it is at one time: whole numbers in a canonical order, their digest, counts of any columns.

Everything that is told is computed from one snapshot, whose digest was held against the declared one: an
answer cannot come from another state of the source.
"""

import hashlib
import hmac
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from noiseless.arrays import BoolArray
from noiseless.domain import Column, NumberColumn, Schema
from noiseless.domain.columns import CategoryColumn
from noiseless.errors import DomainError, EmptyTableError, MissingValuesError
from noiseless.questions.attributes import attribute_of, column_of
from noiseless.questions.declared_query import DatasetFunction
from noiseless.questions.derived import DerivedColumn
from noiseless.questions.filters import Runs
from noiseless.questions.person_view import PersonNumber, PersonView
from noiseless.questions.question import Population
from noiseless.questions.row_values import shown
from noiseless.ranges.spans import whole_numbers
from noiseless.tables import Table, Tally
from noiseless.work import NUMBER, Cache

Numbers = npt.NDArray[np.int64]


def numbered(tally: Tally, name: str, column: Column) -> Numbers:
    """The number of each combination's value of one column.

    Raises:
        DomainError: a value lies outside the domain, which conforming would have found.
    """
    codes = tally.codes(name)
    present, places = np.unique(codes, return_inverse=True)
    values = tally.coding(name).decode(present)
    return _of_values(name, column, values)[places]


def _of_values(name: str, column: Column, values: pa.Array) -> Numbers:
    """Numbers of distinct values; doubles by arithmetic, and one by one where that is off."""
    if isinstance(column, NumberColumn) and pa.types.is_floating(values.type):
        doubles = values.to_numpy(zero_copy_only=False).astype(np.float64)
        steps = np.rint((doubles * column.scale - column.low_units) / column.step_units)
        points = (column.low_units + steps * column.step_units) / column.scale
        if (points == doubles).all() and (steps >= 0).all() and (steps < column.size).all():
            numbers: Numbers = steps.astype(np.int64)
            return numbers
    index = _position if isinstance(column, CategoryColumn) else type(column).index
    found = [index(column, value) for value in values.to_pylist()]
    if outside := sum(number is None for number in found):
        raise DomainError(name, outside, column.describe(), "mend the data or the schema")
    return np.array(found, np.int64)


def _position(column: Column, value: object) -> int | None:
    """Engines read categories as text, also where they are declared as whole numbers."""
    number = column.index(value)
    if number is None and isinstance(value, str) and value.lstrip("-").isdecimal():
        number = column.index(int(value))
    return number if number is None or str(column.value(number)) == str(value) else None


def persons(tally: Tally, unit: str) -> tuple[Numbers, tuple[str, ...]]:
    """The number of the person behind each combination, and what persons are called, in order."""
    present, places = np.unique(tally.codes(unit), return_inverse=True)
    texts = [str(value) for value in tally.coding(unit).decode(present).to_pylist()]
    names = sorted(set(texts))
    numbers = {name: number for number, name in enumerate(names)}
    return np.array([numbers[text] for text in texts], np.int64)[places], tuple(names)


_MOST_KEPT = 3 * 2**27
"""Bytes of counts that are kept."""

_FEW = 16
_NUMBER_BYTES, _PAIR = 8, 2

Cells = frozenset[int] | None
"""Public cells by their places in the population; None for all of them."""


@dataclass(frozen=True, eq=False, repr=False)
class ContingencyTable:
    """Distinct combinations of numbers of private columns among some people, and how many rows have each.

    Attributes:
        numbers: one array a column; combinations are sorted, the first column first.
        counts: how many rows have each combination.
    """

    numbers: tuple[Numbers, ...]
    counts: Numbers

    @property
    def weight(self) -> int:
        """How many numbers of objects take as many bytes; those of one column are also kept as such."""
        arrays = len(self.numbers) + 1
        return len(self.counts) * (arrays * _NUMBER_BYTES + (2 * NUMBER if arrays == _PAIR else 0)) // NUMBER

    @cached_property
    def by_number(self) -> dict[int, int]:
        """How many rows have each number of the only column."""
        return dict(zip(self.numbers[0].tolist(), self.counts.tolist(), strict=True))

    def in_runs(self, starts: Sequence[int]) -> list[int]:
        """How many rows have a number of the only column in each run; runs begin at these numbers."""
        places = np.searchsorted(self.numbers[0], np.asarray(starts, np.int64))
        found: list[int] = np.diff(np.append(self._below[places], self._below[-1])).tolist()
        return found

    @cached_property
    def _below(self) -> Numbers:
        return np.concatenate([[0], np.cumsum(self.counts)])


@dataclass(frozen=True, eq=False, repr=False)
class Snapshot:
    """The distinct rows of a dataset as numbers of their columns' domains, sorted, and how often each occurs.

    Attributes:
        schema: what the columns may hold.
        numbers: one array a declared column, public columns first.
        counts: how many rows each stands for.
        persons: the number of the person behind each, where the dataset has a column that names persons.
        names: what persons are called, in the order of their numbers.
    """

    schema: Schema
    numbers: Mapping[str, Numbers]
    counts: Numbers
    persons: Numbers | None = None
    names: tuple[str, ...] = ()

    @classmethod
    def take(cls, table: Table, schema: Schema, unit: str | None = None) -> "Snapshot":
        """Read a table.

        Raises:
            NoiselessError: it has not the declared columns, or they hold what they may not.
        """
        declared = [*schema.public, *schema.private]
        every = [*declared, unit] if unit is not None and unit not in declared else declared
        try:
            chosen = table.select(every).conform(schema, declared)
        except DomainError as error:
            remedy = "declare a wider domain in the curator's file, or mend the data"
            raise DomainError(error.column, error.count, error.domain, remedy) from None
        if lacking := {column: count for column in every if (count := chosen.count_missing(column))}:
            (column, count), *others = lacking.items()
            remedy = "fill them, or write in its table what they count as (missing = ...): answers use it"
            also = (
                f"; so has {', '.join(f'{name!r} ({number:,})' for name, number in others)}" if others else ""
            )
            raise MissingValuesError(column, count, remedy + also)
        tally = chosen.tally(every)
        if not len(tally):
            raise EmptyTableError(f"{table.label} has no rows; there is nobody to ask about")
        found = {name: numbered(tally, name, schema.columns[name]) for name in declared}
        people, names = persons(tally, unit) if unit is not None else (None, ())
        order = np.lexsort([*([] if people is None else [people]), *reversed(found.values())])
        return cls(
            schema,
            {name: numbers[order] for name, numbers in found.items()},
            tally.counts[order].astype(np.int64),
            None if people is None else people[order],
            names,
        )

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return int(self.counts.sum())

    @cached_property
    def most_rows(self) -> int:
        """The most rows that one person has."""
        if self.persons is None:
            return 1
        return int(np.bincount(self.persons, self.counts).max())

    def persons_by(self, homes: Numbers) -> tuple[int, ...]:
        """How many persons have rows in the public cells of each home; empty where persons have no names."""
        if self.persons is None:
            return ()
        pairs = distinct([homes[self.cells], self.persons], self.counts)
        return tuple(np.bincount(pairs.numbers[0]).tolist())

    def of_persons(self, view: PersonView) -> "Snapshot":
        """A row for each person: what all of their rows share, and numbers of all of them; kept."""
        return self._by_people.made(
            ("persons", view), lambda: _persons_of(self, view), lambda made: len(made.counts)
        )

    def is_constant_per_person(self, name: str) -> bool:
        """Whether all rows of each person have the same value of a column."""
        if self.persons is None:
            return True
        pairs = distinct([self.persons, self.numbers[name]], self.counts)
        return len(pairs.counts) == len(np.unique(self.persons))

    def digest(self, key: bytes, *declared: object) -> str:
        """A digest of all rows, independent of their order, of the engine and of the format; it is keyed.

        Without a secret key it would answer every question at once: anyone who knows all other records could
        try out which value of the last one leads to it.

        Args:
            key: the secret.
            declared: what else is declared about the dataset; plain JSON.
        """
        seal = hmac.new(key, digestmod=hashlib.sha256)
        head = [self.schema.dump(), list(self.numbers), list(self.names), len(self.counts), *declared]
        seal.update(json.dumps(head, ensure_ascii=False).encode())
        for array in (*self.numbers.values(), *([] if self.persons is None else [self.persons]), self.counts):
            seal.update(np.ascontiguousarray(array, "<i8").tobytes())
        return f"hmac-sha256:{seal.hexdigest()}"

    @cached_property
    def cells(self) -> Numbers:
        """The public cell of each distinct row: ascending."""
        begins = np.zeros(len(self.counts), bool)
        for name in self.schema.public:
            begins[1:] |= self.numbers[name][1:] != self.numbers[name][:-1]
        return np.cumsum(begins)

    @cached_property
    def population(self) -> Population:
        """The combinations of public values that occur, in the order of their numbers."""
        starts = np.flatnonzero(np.diff(self.cells, prepend=-1))
        names = self.schema.public
        values = [
            [self.schema.columns[name].value(n) for n in self.numbers[name][starts].tolist()]
            for name in names
        ]
        cells = tuple(zip(*values, strict=True)) if names else ((),)
        return Population(names, cells, tuple(np.add.reduceat(self.counts, starts).tolist()))

    def count(
        self, columns: tuple[str, ...], cells: Cells = None, derived: Sequence[DerivedColumn] = ()
    ) -> ContingencyTable:
        """The combinations of some private columns among the people of some public cells.

        Args:
            columns: the columns.
            cells: the public cells; None for all.
            derived: what those are that are not declared.
        """
        return self._by_people.made(
            (columns, cells), lambda: self._of_people(columns, cells, derived), lambda counted: counted.weight
        )

    def number(self, function: DatasetFunction) -> Fraction:
        """What the owner's SQL computes of the rows, in their canonical order; kept between its bounds."""
        from noiseless.tables.owner_sql import sql_number

        names, numbers = list(self.numbers), [each.repeat(self.counts) for each in self.numbers.values()]
        columns = [decoded(self.schema.columns[n], own) for n, own in zip(names, numbers, strict=True)]
        found = sql_number(function.sql, pa.table(columns, names), function.table)
        low, high = function.bounds
        return low if found is None else min(max(found, low), high)

    def is_quick(self, columns: tuple[str, ...], cells: Cells) -> bool:
        """Whether `count` takes next to no time: the columns were counted before, and cells are few."""
        return cells is not None and len(cells) <= _FEW and self._by_columns.get(columns) is not None

    # Most questions are about the same few columns and groups: what was counted is kept.

    @cached_property
    def _by_columns(self) -> Cache[Any]:
        return Cache(_MOST_KEPT)

    @cached_property
    def _by_people(self) -> Cache[Any]:
        return Cache(_MOST_KEPT)

    def _of_columns(
        self, columns: tuple[str, ...], derived: Sequence[DerivedColumn]
    ) -> tuple[ContingencyTable, Numbers]:
        """The combinations of a public cell and private columns; where each cell begins."""
        made: dict[str, Numbers] = {each.name: each.numbers(self.numbers.__getitem__) for each in derived}
        own = [self.numbers[name] if name in self.numbers else made[name] for name in columns]
        counted = distinct([self.cells, *own], self.counts)
        cells = np.arange(len(self.population.cells) + 1)
        return counted, np.searchsorted(counted.numbers[0], cells)

    def _of_people(
        self, columns: tuple[str, ...], cells: Cells, derived: Sequence[DerivedColumn]
    ) -> ContingencyTable:
        by_cell, begins = self._by_columns.made(
            columns, lambda: self._of_columns(columns, derived), lambda counted: counted[0].weight
        )
        if cells is None:
            return distinct(by_cell.numbers[1:], by_cell.counts)
        if len(cells) == 1:  # its rows stand together, sorted
            (cell,) = cells
            own = slice(begins[cell], begins[cell + 1])
            return ContingencyTable(
                tuple(numbers[own] for numbers in by_cell.numbers[1:]), by_cell.counts[own]
            )
        chosen = np.concatenate([np.arange(begins[cell], begins[cell + 1]) for cell in sorted(cells)])
        return distinct([numbers[chosen] for numbers in by_cell.numbers[1:]], by_cell.counts[chosen])


def decoded(column: Column, numbers: Numbers) -> pa.Array:
    """The values with some numbers of a column, typed by what it may hold whatever is in it."""
    present, places = np.unique(numbers, return_inverse=True)
    kind = {"boolean": pa.bool_(), "date": pa.date32()}.get(column.kind, pa.string())
    values: list[Any] = [column.value(number) for number in present.tolist()]
    if isinstance(column, NumberColumn):
        kind = _number_type(column)
        values = list(map(int, values)) if kind == pa.int64() else values
    elif kind == pa.string():
        values = list(map(str, values))
    return pa.array(values, kind).take(pa.array(places.ravel()))


def _number_type(column: NumberColumn) -> pa.DataType:
    """Whole numbers, or decimals: sums of these are exact."""
    ends = max(abs(column.low_units), abs(column.high_units))
    if column.scale == 1 and ends < 2**63:
        return pa.int64()
    places = len(str(column.scale)) - 1
    return pa.decimal128(max(len(str(ends)), places + 1), places)


def distinct(keys: Sequence[Numbers], counts: Numbers) -> ContingencyTable:
    """The distinct combinations of some numbers, sorted, and the sums of their counts."""
    if not keys:
        return ContingencyTable((), np.array([counts.sum()]))
    order, begins = sorted_runs(keys)
    starts = np.flatnonzero(begins)
    first = order[starts]
    return ContingencyTable(tuple(numbers[first] for numbers in keys), np.add.reduceat(counts[order], starts))


def sorted_runs(keys: Sequence[Numbers]) -> tuple[npt.NDArray[np.intp], BoolArray]:
    """The order of some combinations, the first key first, and where in it another one begins."""
    order = np.lexsort(keys[::-1])
    begins = np.zeros(len(order), bool)
    begins[:1] = True
    for numbers in keys:
        begins[1:] |= numbers[order[1:]] != numbers[order[:-1]]
    return order, begins


def exact_dot(values: npt.NDArray[Any], counts: Numbers) -> int:
    """A sum of products, in whole numbers of any size."""
    most = int(np.abs(values).max(initial=0)) * int(counts.sum())
    return int(values.astype(whole_numbers(most)) @ counts)


def passes(numbers: Numbers, runs: Runs) -> BoolArray:
    """Which numbers lie in one of the runs."""
    edges = np.array([edge for run in runs for edge in run], np.int64)
    found: BoolArray = np.searchsorted(edges, numbers, side="right") % 2 == 1
    return found


def _persons_of(snapshot: Snapshot, view: PersonView) -> Snapshot:
    """The rows of persons, in their canonical order."""
    assert snapshot.persons is not None  # noqa: S101 - a view is of those who have names
    people, first, place = np.unique(snapshot.persons, return_index=True, return_inverse=True)
    found = {name: snapshot.numbers[name][first] for name in view.per}
    for number in view.numbers:
        column = view.schema.columns[number.name]
        values = _of_rows(snapshot, number, place.ravel(), len(people))
        places = {value: column.index(shown(value)) for value in set(values)}
        found[number.name] = np.array([places[value] for value in values], np.int64)
    ordered = {name: found[name] for name in (*view.schema.public, *view.schema.private)}
    order = np.lexsort(list(reversed(ordered.values())))
    numbers = {name: own[order] for name, own in ordered.items()}
    return Snapshot(view.schema, numbers, np.ones(len(people), np.int64))


def _of_rows(snapshot: Snapshot, number: PersonNumber, place: Numbers, size: int) -> list[Fraction]:
    """A number of each person's rows, exactly."""
    if number.column is None:
        return [Fraction(rows) for rows in np.bincount(place, snapshot.counts, size).astype(int).tolist()]
    domain = column_of(number.column, snapshot.schema)
    attribute = attribute_of(number.column, domain)
    own = (
        snapshot.numbers[number.column]
        if not isinstance(domain, DerivedColumn)
        else domain.numbers(snapshot.numbers.__getitem__)
    )
    if not isinstance(attribute.numbers, range):
        own = np.array(attribute.numbers)[own]
    found: dict[int, list[int]] = {}
    for person, value, rows in zip(place.tolist(), own.tolist(), snapshot.counts.tolist(), strict=True):
        found.setdefault(person, []).extend([value] * rows)
    rows_of = [found[person] for person in range(size)]
    if number.function == "sum":
        return [attribute.origin * len(each) + attribute.unit * sum(each) for each in rows_of]
    return [attribute.value(min(each) if number.function == "min" else max(each)) for each in rows_of]
