"""What is published about the people of one public group: how it is priced, computed, stored and found again.

Everything that leaves the data is one of two things: how many rows are in each block of a private column's
values, exactly; or the cell that a number lies in. All else is computed from those and is free.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from noiseless.curator.fingerprints import (
    column_key,
    fingerprint,
    hashed,
    read_cells,
    read_partition,
    write_cells,
)
from noiseless.curator.output_space import OutputSpace, outputs_of, predicate
from noiseless.curator.snapshot import Cells, ContingencyTable, Numbers, Snapshot, exact_dot, passes
from noiseless.intervals import AnswerInterval
from noiseless.ledger import ChargedQuestion
from noiseless.pricing.batches import cells_left
from noiseless.pricing.event import Event
from noiseless.pricing.events import PERSONS, ExactCounts, GroupedAnswers, QuantizedAnswer
from noiseless.pricing.other_events import OtherAnswer
from noiseless.pricing.partition import DomainPartition
from noiseless.pricing.reach import QuantizedQuery
from noiseless.questions import Additive, Attribute, CountedQuery, Lattice, OwnQuery, Query
from noiseless.questions.additive import EXCLUDED, RowTotal
from noiseless.questions.attributes import attribute_of
from noiseless.questions.declared_query import DatasetFunction
from noiseless.questions.derived import DerivedColumn
from noiseless.questions.filters import Among, Runs, as_runs
from noiseless.questions.person_view import PersonView
from noiseless.questions.row_function import RowFunction
from noiseless.questions.statistics import FilteredMean, FilteredQuery
from noiseless.ranges.quantizer import Quantizer

if TYPE_CHECKING:
    from noiseless.curator.kinship import Kinship

StoredAnswer = Mapping[str, Any]
"""An answer as it is kept in the ledger: {"counts": [...]}, or {"cell": number}, null for "too few".

Where all numbers are in one cell, "within" has the ends of what follows from earlier answers; those are
not kept.
"""


@dataclass(frozen=True)
class Participants:
    """Who takes part.

    Attributes:
        cells: the public cells, None for everybody.
        size: how many rows they have.
        name: what tells them apart in fingerprints.
        kin: the groups that they consist of, or are part of.
        view: the persons that they are, where rows are persons.
        homes: the public cells of the table that their rows can be in; None for all.
    """

    cells: Cells
    size: int
    name: str
    kin: "Kinship" = field(compare=False, repr=False)
    view: PersonView | None = None
    homes: Cells = None

    @property
    def covers(self) -> Cells:
        """The public cells of those who take part; None for everybody."""
        return self.cells if self.view is None else self.homes

    @property
    def about(self) -> str | None:
        """What tells questions about persons from those about their rows."""
        return None if self.view is None else PERSONS

    def of(self, snapshot: Snapshot) -> Snapshot:
        """The rows that they have: of the table, or one for each person."""
        return snapshot if self.view is None else snapshot.of_persons(self.view)

    @cached_property
    def runs(self) -> Runs | None:
        """The public cells as runs of their places; None for everybody."""
        return None if self.cells is None else as_runs(self.cells)


@dataclass(frozen=True, eq=False)
class Disclosure(ABC):
    """Something that is told about some people.

    Attributes:
        people: who takes part.
        what: what is asked, cells apart; plain JSON.
        version: the number of the dataset's version.
        alike: what it has in common with what is published about other groups: the blocks or cells told
            apart.
        columns: the private columns that it is computed of, the one that filters last.
        derived_columns: those of them that are derived.
    """

    people: Participants
    what: tuple[Any, ...]
    version: int
    alike: OutputSpace
    columns: tuple[str, ...]
    derived_columns: tuple[DerivedColumn, ...]

    @property
    @abstractmethod
    def event(self) -> Event:
        """What its price depends on."""

    adds_up = False
    """Whether it is the cell of a sum over rows, of which earlier answers may say more than the cell."""

    is_whole_domain = False
    """Whether its one cell is all that the number can be: what is paid for is whether there is one."""

    @property
    @abstractmethod
    def constant(self) -> StoredAnswer | None:
        """The answer, where nobody's record can change it: it costs nothing and needs no data."""

    @abstractmethod
    def compute(self, snapshot: Snapshot) -> StoredAnswer:
        """The answer. This looks at the data."""

    @abstractmethod
    def derived(self, earlier: Sequence[ChargedQuestion]) -> Iterator[StoredAnswer | None]:
        """The answer for each way in which it follows from questions that were charged for.

        None where it follows and the answers that it is computed from were never stored.
        """

    @cached_property
    def grid(self) -> str:
        """The fingerprint of what is asked of whom, whatever the cells of the answer."""
        return fingerprint([self.version, self.what, self.people.name])

    @cached_property
    def question(self) -> str:
        """The fingerprint with the cells."""
        return hashed(f'["{self.grid}",{self.alike.text}]')

    @property
    def body(self) -> dict[str, Any]:
        """What the ledger keeps of it: later questions may follow from it, and exposure does."""
        persons = {} if self.people.view is None else {"persons": self.people.view.text}
        return {"what": self.what, "people": self.people.runs, **persons, **self.alike.told}

    @cached_property
    def around(self) -> str | None:
        """The fingerprint under which counts of more than two blocks of the column are found."""
        if len(self.columns) != 1:
            return None
        derived = [name for each in self.derived_columns for name in each.inputs]
        public = self.people.kin.answers.public.schema.public
        private = sorted(name for name in derived if name not in public)
        return column_key(self.version, (private or self.columns)[0], self.people.name)

    def counts_alike(self, told: ChargedQuestion) -> bool:
        """Whether counts of blocks of the same column were told."""
        kind, *rest = told.body["what"]
        return bool(kind == "counts" and rest[0] == self.columns[0])


@dataclass(frozen=True, eq=False)
class CountsDisclosure(Disclosure):
    """The counts of all blocks of a partition.

    Attributes:
        partition: the blocks.
    """

    partition: DomainPartition

    @cached_property
    def event(self) -> ExactCounts:
        """A person's block."""
        return ExactCounts(self.alike.priced or self.partition, self.people.covers, self.people.about)

    @property
    def constant(self) -> StoredAnswer | None:
        """One block holds everybody."""
        return {"counts": [self.people.size]} if self.partition.blocks == 1 else None

    def compute(self, snapshot: Snapshot) -> StoredAnswer:
        """Count the rows of each run of a block."""
        rows = self.people.of(snapshot)
        counted = rows.count(self.columns, self.people.cells, self.derived_columns)
        in_runs = counted.in_runs(self.partition.starts)
        return {"counts": self._gathered(zip(self.partition.labels, in_runs, strict=True))}

    def derived(self, earlier: Sequence[ChargedQuestion]) -> Iterator[StoredAnswer | None]:
        """Add up finer blocks that were counted."""
        for told in earlier:
            blocks = read_partition(told.body)
            if blocks is None or not (
                blocks.sizes == self.partition.sizes and blocks.refines(self.partition)
            ):
                continue
            if told.answer is None:
                yield None
            else:
                labels = (self.partition.label_at(number) for number in blocks.representatives)
                yield {"counts": self._gathered(zip(labels, told.answer["counts"], strict=True))}

    def _gathered(self, parts: Iterable[tuple[int, int]]) -> list[int]:
        found = [0] * self.partition.blocks
        for label, count in parts:
            found[label] += count
        return found

    @property
    def outputs_of_each(self) -> int:
        """How many outputs one person could cause if each value were counted by itself."""
        rows = min(self.what[-1], self.people.size)
        return outputs_of(self.partition.size, rows, alike=self.people.cells is None)


class CellOutputSpace(OutputSpace):
    """Cells, and what they say of a number.

    Attributes:
        mechanism: the query and its cells.
        constant: the answer where no single person can change it.
    """

    def __init__(self, mechanism: QuantizedQuery) -> None:
        super().__init__({"cells": write_cells(mechanism.quantizer)}, weight_of(mechanism.query))
        self.mechanism = mechanism
        self.constant = _constant(mechanism)
        self.interval = lru_cache(64)(lambda cell: AnswerInterval(*mechanism.answer(cell)))
        """What a cell says; answers come again, and a third sooner from here."""


@dataclass(frozen=True, eq=False)
class CellDisclosure(Disclosure):
    """The cell of the answer to a query.

    Attributes:
        alike: the query and its cells.
        passing: which values of another private column let a row count.
        added: what a sum over a private filter adds up, and the numbers of the filtering column that pass.
        function: what a declared query is of.
    """

    alike: CellOutputSpace
    passing: Among | None = None
    added: tuple[Attribute, Runs] | None = None
    function: RowFunction | DatasetFunction | None = None

    @property
    def mechanism(self) -> QuantizedQuery:
        """The query and its cells."""
        return self.alike.mechanism

    @cached_property
    def event(self) -> Event:
        """Steps along one attribute, perhaps seen only where another one lets them; or any function."""
        covers, about, query = self.people.covers, self.people.about, self.mechanism.query
        other = isinstance(query, FilteredQuery) and not isinstance(query, FilteredMean)
        if isinstance(query, RowTotal | OwnQuery) or other:
            return OtherAnswer(self.question, self.columns, self.mechanism.reach.outputs, covers, about)
        if self.passing is None:
            return QuantizedAnswer(self.mechanism, covers, about)
        condition = predicate(self.passing, self.passing.domain, self.columns[0])
        return GroupedAnswers.filtered(condition, self.mechanism, self.columns[0], covers, about)

    @cached_property
    def adds_up(self) -> bool:  # type: ignore[override]  # of its query
        """See above: where there is more than one sum."""
        query = self.mechanism.query
        return isinstance(query, Additive | RowTotal) and query.span.last > 0

    @property
    def is_whole_domain(self) -> bool:  # type: ignore[override]  # of its cells
        """See above."""
        return self.mechanism.quantizer.cells == 1 and self.constant is None

    @property
    def constant(self) -> StoredAnswer | None:
        """What no single person can ever change is the same for all datasets."""
        return self.alike.constant

    def compute(self, snapshot: Snapshot) -> StoredAnswer:
        """The number, exactly, and its cell."""
        query, quantizer = self.mechanism.query, self.mechanism.quantizer
        if isinstance(self.function, DatasetFunction):
            return {"cell": quantizer.cell(snapshot.number(self.function))}
        rows = self.people.of(snapshot)
        counted = self._numbered(rows.count(self.columns, self.people.cells, self.derived_columns))
        if self.function is not None:
            worth = self.function.contributions(counted.numbers)
            return {"cell": quantizer.cell_at(exact_dot(worth, counted.counts))}
        if isinstance(query, FilteredQuery):
            numbers = (
                counted.by_number if self.passing is None else _with_excluded(counted, self.passing.runs)
            )
            found = query.told(numbers)
            return {"cell": None if found is None else quantizer.cell(found)}
        if self.added is not None and isinstance(query, Additive):
            return {"cell": quantizer.cell_at(_added(counted, *self.added, query))}
        return {"cell": quantizer.cell_at(self._position(counted.by_number))}

    def _numbered(self, counted: ContingencyTable) -> ContingencyTable:
        """The same with the numbers of a derived attribute's values, which need not be regular."""
        places = self._places
        if places is None:
            return counted
        first = places[counted.numbers[0]]
        return ContingencyTable((first, *counted.numbers[1:]), counted.counts)

    @cached_property
    def _places(self) -> Numbers | None:
        """The attribute's number for each number of a derived column; a missing value has none."""
        found = next((each for each in self.derived_columns if each.name == self.columns[0]), None)
        if found is None or found.lattice is not None or self.what[0] in ("count", "formula"):
            return None
        numbers = attribute_of(found.name, found, days=True).numbers
        return np.array([*numbers, *([0] if found.nullable else [])], np.int64)

    def _position(self, numbers: Mapping[int, int]) -> int:
        query = self.mechanism.query
        if not isinstance(query, CountedQuery):
            raise TypeError(f"a {type(query).__name__} is not computed from counts")
        return query.position(numbers)

    def derived(self, earlier: Sequence[ChargedQuestion]) -> Iterator[StoredAnswer | None]:
        """The cell that holds all cells told, where every edge was told; that of a number made of counts."""
        own, span = self.mechanism.quantizer, self.mechanism.query.span
        grids = [
            (read_cells(told.body["cells"], span), told.answer) for told in earlier if "cells" in told.body
        ]
        known = [(grid, answer["cell"]) for grid, answer in grids if answer is not None]
        if known and cells_left([grid for grid, _ in known], own) == 1:
            yield self._around(known)
        elif grids and cells_left([grid for grid, _ in grids], own) == 1:
            yield None
        for told in earlier:
            blocks = read_partition(told.body) if self.passing is None else None
            if blocks is None or not self.event.follows_from(blocks):
                continue
            if told.answer is None:
                yield None
            else:
                places = (
                    blocks.representatives if self._places is None else self._places[blocks.representatives]
                )
                numbers = dict(zip(map(int, places), told.answer["counts"], strict=True))
                yield {"cell": own.cell_at(self._position(numbers))}

    def _around(self, told: Sequence[tuple[Quantizer, int | None]]) -> StoredAnswer:
        """The cell in which all told ones meet: every edge of ours is one of theirs, so there is one."""
        own = self.mechanism.quantizer
        cells = [(grid, cell) for grid, cell in told if cell is not None]
        if len(cells) < len(told):  # too few
            return {"cell": None}
        if isinstance(own.span, Lattice):
            return {"cell": own.cell_at(max(grid.begin(cell) for grid, cell in cells))}
        return {"cell": own.cell(max(grid.edge(cell) for grid, cell in cells))}

    def interval(self, answer: StoredAnswer) -> AnswerInterval | None:
        """What is certain of the number; None if there is none, for too few rows count."""
        if "within" in answer:
            return AnswerInterval(*answer["within"])
        return None if answer["cell"] is None else self.alike.interval(answer["cell"])


def _constant(mechanism: QuantizedQuery) -> StoredAnswer | None:
    if mechanism.reach.outputs > 1:
        return None
    query = mechanism.query
    first = query.attainable[0] if query.attainable else 0
    return {"cell": mechanism.quantizer.cell_at(first) if isinstance(query.span, Lattice) else 0}


def weight_of(query: Query) -> int:
    """How many numbers a query holds one by one; positions that it lists take half as much."""
    made_of = getattr(query, "contributions", None) or getattr(query, "where", None) or ()
    return 1 + query.listed // 2 + (0 if isinstance(made_of, range) else len(made_of))


def _with_excluded(counted: ContingencyTable, runs: Runs) -> dict[int, int]:
    """How many rows have each number of the first column; rows with another second one are excluded."""
    passing = passes(counted.numbers[1], runs)
    found: dict[int, int] = {}
    kept = zip(counted.numbers[0][passing].tolist(), counted.counts[passing].tolist(), strict=True)
    for number, count in kept:
        found[number] = found.get(number, 0) + count
    return {**found, EXCLUDED: int(counted.counts[~passing].sum())}


def _added(counted: ContingencyTable, attribute: Attribute, runs: Runs, query: Additive) -> int:
    """The position of the sum of the values that pass, in whole numbers of any size; others add 0."""
    passing = passes(counted.numbers[-1], runs)
    numbers, counts = counted.numbers[0][passing], counted.counts[passing]
    rows = int(counts.sum())
    value = attribute.origin * rows + attribute.unit * exact_dot(numbers, counts)
    return int((value - query.least * query.people) / query.unit)
