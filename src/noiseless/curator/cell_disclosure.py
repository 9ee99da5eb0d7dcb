"""A number told as the cell it lies in: sums, means, order statistics, variances."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from noiseless.arrays import BoolArray
from noiseless.curator.disclosure import (
    Disclosure,
    OutputSpace,
    StoredAnswer,
    read_partition,
)
from noiseless.curator.snapshot import ContingencyTable, Numbers, Snapshot, exact_dot
from noiseless.intervals import AnswerInterval
from noiseless.ledger import ChargedQuestion
from noiseless.pricing.batches import cells_left
from noiseless.pricing.event import Event
from noiseless.pricing.events import GroupedAnswers, QuantizedAnswer
from noiseless.pricing.other_events import OtherAnswer
from noiseless.pricing.partition import Predicate
from noiseless.pricing.reach import QuantizedQuery
from noiseless.questions import Additive, Attribute, CountedQuery, Lattice, Query, Span
from noiseless.questions.additive import EXCLUDED
from noiseless.questions.filters import Among, Runs
from noiseless.questions.statistics import FilteredMean
from noiseless.ranges.quantizer import Listed, Quantizer, Stepped, Uniform


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
    """

    alike: CellOutputSpace
    passing: Among | None = None
    added: tuple[Attribute, Runs] | None = None

    @property
    def mechanism(self) -> QuantizedQuery:
        """The query and its cells."""
        return self.alike.mechanism

    @cached_property
    def event(self) -> Event:
        """Steps along one attribute, perhaps seen only where another one lets them; or any function."""
        covers = self.people.cells
        if self.passing is None:
            return QuantizedAnswer(self.mechanism, covers)
        if isinstance(self.mechanism.query, FilteredMean):
            return OtherAnswer(self.question, self.columns, self.mechanism.reach.outputs, covers)
        name, size, runs = self.passing.column, self.passing.domain.size, self.passing.runs
        return GroupedAnswers.filtered(
            Predicate.of_runs(name, size, runs), self.mechanism, self.columns[0], covers
        )

    @property
    def constant(self) -> StoredAnswer | None:
        """What no single person can ever change is the same for all datasets."""
        return self.alike.constant

    def compute(self, snapshot: Snapshot) -> StoredAnswer:
        """The number, exactly, and its cell."""
        counted = snapshot.count(self.columns, self.people.cells)
        query, quantizer = self.mechanism.query, self.mechanism.quantizer
        if isinstance(query, FilteredMean):
            numbers = (
                counted.by_number if self.passing is None else _with_excluded(counted, self.passing.runs)
            )
            mean = query.mean(numbers)
            return {"cell": None if mean is None else quantizer.cell(mean)}
        if self.added is not None and isinstance(query, Additive):
            return {"cell": quantizer.cell_at(_added(counted, *self.added, query))}
        return {"cell": quantizer.cell_at(self._position(counted.by_number))}

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
                numbers = dict(zip(blocks.representatives, told.answer["counts"], strict=True))
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
        """What the cell says of the number; None if there is none, for too few rows count."""
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


def passes(numbers: Numbers, runs: Runs) -> BoolArray:
    """Which numbers lie in one of the runs."""
    edges = np.array([edge for run in runs for edge in run], np.int64)
    found: BoolArray = np.searchsorted(edges, numbers, side="right") % 2 == 1
    return found


def write_cells(quantizer: Quantizer) -> list[Any]:
    """The cells of a grid as plain JSON."""
    match quantizer:
        case Uniform(wanted=wanted):
            return ["uniform", wanted]
        case Stepped(points=points):
            return ["stepped", points]
        case _:
            return ["begins", *(quantizer.begin(cell) for cell in range(quantizer.cells))]


def read_cells(written: Sequence[Any], span: Span) -> Quantizer:
    """The grid over a span."""
    kind, *rest = written
    if kind == "uniform" or not isinstance(span, Lattice):
        return Uniform(span, rest[0])
    return Stepped(span, rest[0]) if kind == "stepped" else Listed(span, tuple(rest))
