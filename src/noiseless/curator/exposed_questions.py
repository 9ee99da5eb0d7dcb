"""From what the ledger says was told to families of answers that can be computed for many records at once."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, starmap
from typing import Any

import numpy as np
import numpy.typing as npt

from noiseless.curator.answer_families import (
    AnswerFamily,
    BlockCounts,
    CellGrid,
    Ints,
    Means,
    Ranks,
    Sums,
    Variances,
    turns,
)
from noiseless.curator.disclosure import read_partition
from noiseless.curator.public_state import PublicState
from noiseless.curator.snapshot import Cells, ContingencyTable, Snapshot
from noiseless.questions import Additive, Attribute, count, total
from noiseless.questions.filters import Runs

Body = Mapping[str, Any]

_WRAPS = 2**62


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
        cells = None if runs is None else frozenset(chain.from_iterable(starmap(range, runs)))
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
        self.sizes = [sum(public.population.sizes[c] for c in self._cells(p)) for p in gathered.people]

    def _cells(self, people: Cells) -> Iterable[int]:
        return range(len(self.public.population.cells)) if people is None else people

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
        starts, labels = np.array(partition.starts), np.array(partition.labels)
        return BlockCounts((self.column,), self.gathered.group, starts, labels)

    def _sums(self) -> AnswerFamily:
        other, runs = (None, None) if self.rest[0] is None else self._filter()
        query = self._additive(other, runs)
        worth = np.array(query.contributions, np.int64)
        nothing, passing = 0, None
        if other is not None and other != self.column:
            nothing, worth = int(worth[0]), worth[1:]
            passing = _truth(runs or (), self.public.schema.columns[other].size)
        columns = (self.column,) if passing is None else (self.column, str(other))

        def total_of(counted: ContingencyTable) -> int:
            own = worth[counted.numbers[0]]
            if passing is not None:
                own = np.where(passing[counted.numbers[1]], own, nothing)
            return _dot(own, counted.counts)

        totals = self._numbers(columns, total_of)
        most = int(max(worth.max(), nothing))
        grid = self._grid([most * size for size in self.sizes])
        begins = turns(worth)
        return Sums(columns, self.gathered.group, grid, worth, totals, begins, passing, nothing)

    def _filter(self) -> tuple[str, Runs]:
        if self.kind == "count":
            return self.column, tuple(map(tuple, self.rest[0]))
        return self.rest[0], tuple(map(tuple, self.rest[1]))

    def _additive(self, other: str | None, runs: Runs | None) -> Additive:
        """What each number contributes: the same for groups of any size."""
        if self.kind == "count":
            chosen = chain.from_iterable(starmap(range, runs or ()))
            return count(1, Attribute(self.column, range(self.size)), frozenset(chosen))
        attribute = Attribute.of(self.column, self.public.schema.columns[self.column])
        if other is None:
            return total(1, attribute)
        if other != self.column:
            return total(1, attribute, excluded=True)
        return total(1, attribute, frozenset(chain.from_iterable(starmap(range, runs or ()))))

    def _means(self) -> AnswerFamily:
        other, runs, least = self.rest[0], tuple(map(tuple, self.rest[1])), self.rest[2]
        columns = (self.column,) if other == self.column else (self.column, other)
        passing = _truth(runs, self.public.schema.columns[other].size)

        def sums(counted: ContingencyTable) -> int:
            passes = passing[counted.numbers[-1]]
            return _dot(counted.numbers[0][passes], counted.counts[passes])

        def rows(counted: ContingencyTable) -> int:
            return int(counted.counts[passing[counted.numbers[-1]]].sum())

        cells = np.array([body["cells"][1] for body in self.gathered.bodies], np.int64)
        totals = self._numbers(columns, sums)
        if int(cells.max()) * self.size * max(self.sizes) >= _WRAPS:
            cells, totals = cells.astype(object), totals.astype(object)
        return Means(
            columns,
            self.gathered.group,
            cells,
            totals,
            self._numbers(columns, rows),
            passing,
            least,
            self.size,
        )

    def _ranks(self) -> AnswerFamily:
        is_middle = self.kind == "MiddleMedian"
        found = []
        for people, size, body in zip(self.gathered.people, self.sizes, self.gathered.bodies, strict=True):
            rank = size // 2 if is_middle else body["what"][2]
            counted = self.snapshot.count((self.column,), people)
            below = np.cumsum(counted.counts)
            ranks = np.arange(rank - 1, rank + (3 if is_middle else 2))
            places = np.searchsorted(below, np.clip(ranks, 1, size))
            values = counted.numbers[0][places]
            found.append(np.where(ranks < 1, 0, np.where(ranks > size, self.size - 1, values)))
        last = (self.size - 1) * (2 if is_middle else 1)
        grid = self._grid([last] * len(found))
        return Ranks((self.column,), self.gathered.group, grid, np.array(found), self.size, is_middle)

    def _variances(self) -> AnswerFamily:
        columns = (self.column,)
        people = np.array(self.sizes, np.int64)
        sums = self._numbers(columns, lambda counted: _dot(counted.numbers[0], counted.counts))
        squares = self._numbers(columns, lambda counted: _dot(counted.numbers[0] ** 2, counted.counts))
        lasts = [(n // 2) * (n - n // 2) * (self.size - 1) ** 2 for n in self.sizes]
        grid = self._grid(lasts)
        if max(self.sizes) ** 2 * self.size**2 >= _WRAPS:
            people, sums, squares = people.astype(object), sums.astype(object), squares.astype(object)
        return Variances(columns, self.gathered.group, grid, people, sums, squares, self.size)

    def _numbers(self, columns: tuple[str, ...], work: Callable[[ContingencyTable], int]) -> Ints:
        found = [work(self.snapshot.count(columns, people)) for people in self.gathered.people]
        return np.array(found, np.int64 if max(map(abs, found)) < _WRAPS else object)

    def _grid(self, lasts: Sequence[int]) -> CellGrid:
        kind, *rest = self.gathered.body["cells"]
        if kind == "begins":
            return CellGrid(kind, np.ones(len(lasts), np.int64), np.array(lasts), np.array(rest))
        sizes = [body["cells"][1] for body in self.gathered.bodies]
        most = max(lasts) * (max(sizes) if kind == "uniform" else 1)
        exact = np.int64 if max(most, *sizes) < _WRAPS else object
        return CellGrid(kind, np.array(sizes, exact), np.array(lasts, exact))


def _truth(runs: Runs, size: int) -> npt.NDArray[np.bool_]:
    found = np.zeros(size, bool)
    for start, stop in runs:
        found[start:stop] = True
    return found


def _dot(values: Ints, counts: Ints) -> int:
    """An exact sum of products."""
    if len(values) and int(np.abs(values).max()) * int(counts.sum()) >= _WRAPS:
        return sum(value * times for value, times in zip(values.tolist(), counts.tolist(), strict=True))
    return int(values @ counts)
