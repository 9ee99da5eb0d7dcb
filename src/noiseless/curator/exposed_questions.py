"""From what the ledger says was told to families of answers that can be computed for many records at once."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, starmap
from typing import Any

import numpy as np

from noiseless.arrays import BoolArray
from noiseless.curator.answer_families import (
    AnswerFamily,
    BlockCounts,
    CellGrid,
    Ints,
    Means,
    Ranks,
    Sums,
    Variances,
    edges,
    turns,
)
from noiseless.curator.disclosure import read_partition
from noiseless.curator.public_state import PublicState
from noiseless.curator.snapshot import Cells, ContingencyTable, Snapshot, exact_dot
from noiseless.questions import Additive, Attribute, count, total
from noiseless.ranges.spans import whole_numbers

Body = Mapping[str, Any]


@dataclass
class _Gathered:
    """Questions of one kind about disjoint groups.

    Attributes:
        body: what they have in common.
        bodies: each question's own.
        group: the group that each public cell belongs to.
        people: the cells of each group.
    """

    body: Body
    group: Ints
    bodies: list[Body] = field(default_factory=list)
    people: list[Cells] = field(default_factory=list)


def families(bodies: Iterable[Body], snapshot: Snapshot, public: PublicState) -> list[AnswerFamily]:
    """The answers to questions, as the ledger describes them."""
    return [_Maker(each, snapshot, public).family() for each in _gathered(bodies, public)]


def _gathered(bodies: Iterable[Body], public: PublicState) -> list[_Gathered]:
    everybody = len(public.population.cells)
    found: dict[str, list[_Gathered]] = {}
    for body in bodies:
        runs = body["people"]
        cells = None if runs is None else _chosen(runs)
        places = np.arange(everybody) if cells is None else np.array(sorted(cells))
        alike = found.setdefault(_kind(body), [])
        fitting = next((each for each in alike if (each.group[places] < 0).all()), None)
        if fitting is None:
            fitting = _Gathered(body, np.full(everybody, -1))
            alike.append(fitting)
        fitting.group[places] = len(fitting.bodies)
        fitting.bodies.append(body)
        fitting.people.append(cells)
    return [each for alike in found.values() for each in alike]


def _kind(body: Body) -> str:
    """What questions of one family share: all but who takes part, the rank and the size of cells."""
    what = list(body["what"])
    if what[0] == "OrderStatistic":
        what[2] = None
    told = {name: value for name, value in body.items() if name not in ("what", "people", "cells")}
    cells = body.get("cells", [None])
    return repr((what, sorted(told.items()), cells if cells[0] == "begins" else cells[0]))


class _Maker:
    """Makes one family."""

    def __init__(self, gathered: _Gathered, snapshot: Snapshot, public: PublicState) -> None:
        self.gathered, self.snapshot, self.public = gathered, snapshot, public
        self.kind, self.column, *self.rest = gathered.body["what"]
        self.size = public.schema.columns[self.column].size
        everybody = range(len(public.population.cells))
        self.sizes = [
            sum(public.population.sizes[cell] for cell in (everybody if people is None else people))
            for people in gathered.people
        ]

    def family(self) -> AnswerFamily:
        """The family."""
        makers: Mapping[str, Callable[[], AnswerFamily]] = {
            "counts": self._blocks,
            "count": self._sums,
            "sum": self._sums,
            "mean": self._means,
            "OrderStatistic": self._ranks,
            "MiddleMedian": self._ranks,
            "Variance": self._variances,
        }
        return makers[self.kind]()

    def _blocks(self) -> AnswerFamily:
        partition = read_partition(self.gathered.body)
        assert partition is not None  # noqa: S101 - that is what counts are of
        runs = {self.column: np.array([*partition.starts, self.size])}
        blocks = np.array(partition.labels)
        return BlockCounts(columns=(self.column,), group=self.gathered.group, turns=runs, blocks=blocks)

    def _sums(self) -> AnswerFamily:
        other, runs = (self.column, self.rest[0]) if self.kind == "count" else self.rest[:2]
        worth = np.array(self._additive(other, runs).contributions, np.int64)
        columns: tuple[str, ...] = (self.column,)
        nothing, passing, begins = 0, None, {self.column: turns(worth)}
        if other is not None and other != self.column:
            nothing, worth = int(worth[0]), worth[1:]
            passing = _truth(runs, self.public.schema.columns[other].size)
            columns, begins = (self.column, other), {self.column: turns(worth), other: edges(passing)}

        def total_of(counted: ContingencyTable) -> int:
            own = worth[counted.numbers[0]]
            if passing is not None:
                own = np.where(passing[counted.numbers[1]], own, nothing)
            return exact_dot(own, counted.counts)

        most = int(max(worth.max(), nothing))
        return Sums(
            columns=columns,
            group=self.gathered.group,
            turns=begins,
            passing=passing,
            grid=self._grid([most * size for size in self.sizes]),
            worth=worth,
            totals=self._numbers(columns, total_of),
            nothing=nothing,
        )

    def _additive(self, other: str | None, runs: Sequence[Sequence[int]]) -> Additive:
        """What each number contributes: the same for groups of any size."""
        if self.kind == "count":
            return count(1, Attribute(self.column, range(self.size)), _chosen(runs))
        attribute = Attribute.of(self.column, self.public.schema.columns[self.column])
        if other is None:
            return total(1, attribute)
        return (
            total(1, attribute, _chosen(runs)) if other == self.column else total(1, attribute, excluded=True)
        )

    def _means(self) -> AnswerFamily:
        other, runs, least = self.rest[:3]
        passing = _truth(runs, self.public.schema.columns[other].size)
        columns = (self.column,) if other == self.column else (self.column, other)

        def sums(counted: ContingencyTable) -> int:
            passes = passing[counted.numbers[-1]]
            return exact_dot(counted.numbers[0][passes], counted.counts[passes])

        def rows(counted: ContingencyTable) -> int:
            return int(counted.counts[passing[counted.numbers[-1]]].sum())

        cells = [body["cells"][1] for body in self.gathered.bodies]
        exact = whole_numbers(max(cells) * self.size * max(self.sizes))
        return Means(
            columns=columns,
            group=self.gathered.group,
            turns={self.column: np.array([0, self.size]), other: edges(passing)},
            passing=passing,
            cells=np.array(cells, exact),
            totals=self._numbers(columns, sums).astype(exact),
            rows=self._numbers(columns, rows),
            least=least,
            size=self.size,
        )

    def _ranks(self) -> AnswerFamily:
        is_middle = self.kind == "MiddleMedian"
        around = []
        for people, size, body in zip(self.gathered.people, self.sizes, self.gathered.bodies, strict=True):
            rank = size // 2 if is_middle else body["what"][2]
            counted = self.snapshot.count((self.column,), people)
            below = np.cumsum(counted.counts)
            ranks = np.arange(rank - 1, rank + (3 if is_middle else 2))
            places = np.searchsorted(below, np.clip(ranks, 1, size))
            values = counted.numbers[0][places]
            around.append(np.where(ranks < 1, 0, np.where(ranks > size, self.size - 1, values)))
        last = (self.size - 1) * (2 if is_middle else 1)
        return Ranks(
            columns=(self.column,),
            group=self.gathered.group,
            turns={self.column: np.array([0, self.size])},
            grid=self._grid([last] * len(around)),
            around=np.array(around),
            is_middle=is_middle,
        )

    def _variances(self) -> AnswerFamily:
        columns, exact = (self.column,), whole_numbers(max(self.sizes) ** 2 * self.size**2)
        sums = self._numbers(columns, lambda counted: exact_dot(counted.numbers[0], counted.counts))
        squares = self._numbers(columns, lambda counted: exact_dot(counted.numbers[0] ** 2, counted.counts))
        return Variances(
            columns=columns,
            group=self.gathered.group,
            turns={self.column: np.array([0, self.size])},
            grid=self._grid([(n // 2) * (n - n // 2) * (self.size - 1) ** 2 for n in self.sizes]),
            people=np.array(self.sizes, exact),
            sums=sums.astype(exact),
            squares=squares.astype(exact),
        )

    def _numbers(self, columns: tuple[str, ...], work: Callable[[ContingencyTable], int]) -> Ints:
        found = [work(self.snapshot.count(columns, people)) for people in self.gathered.people]
        return np.array(found, whole_numbers(max(map(abs, found))))

    def _grid(self, lasts: Sequence[int]) -> CellGrid:
        kind, *rest = self.gathered.body["cells"]
        sizes = [1] * len(lasts) if kind == "begins" else [body["cells"][1] for body in self.gathered.bodies]
        exact = whole_numbers(max(max(lasts) * (max(sizes) if kind == "uniform" else 1), *sizes))
        return CellGrid(kind, np.array(sizes, exact), np.array(lasts, exact), np.array(rest))


def _chosen(runs: Sequence[Sequence[int]]) -> frozenset[int]:
    return frozenset(chain.from_iterable(starmap(range, runs)))


def _truth(runs: Sequence[Sequence[int]], size: int) -> BoolArray:
    found = np.zeros(size, bool)
    for start, stop in runs:
        found[start:stop] = True
    return found
