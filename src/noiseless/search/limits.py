"""Limits that every cell must keep to: which cells do, and where a cell can be cut so that both parts do.

Two cells that keep to one of these limits keep to it when they are merged: counts add up, a larger set of
sensitive values is no smaller and no narrower, and a mixture of two distributions (`distribution_limits`) is
no further from the table's than the further of them. So cells can be cut from the top down, and merged from
below. All is decided in whole numbers.
"""

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Protocol, Self

import numpy as np

from noiseless.arrays import BoolArray, IntArray
from noiseless.exact import Rational, as_fraction
from noiseless.search.entries import Entries, Reading
from noiseless.search.prefix_kernels import distinct_prefixes, width_prefixes
from noiseless.search.problem import Problem
from noiseless.tables.kernels import add_by_code, distinct_values

_ROOM = 2**62


class Limit(Protocol):
    """What every cell must keep to; two cells that do never break it when they are merged."""

    @property
    def grows(self) -> bool:
        """Whether an answer that keeps to it still does with more behind it: parts of others break it too."""
        ...

    def met(self, cell_of: IntArray, count: int, hidden: BoolArray | None = None) -> BoolArray:
        """Which cells keep to it.

        Args:
            cell_of: the cell of each public value.
            count: how many cells there are.
            hidden: which public values are suppressed: a cell of any groups.
        """
        ...

    def cuts(self, order: IntArray, cells: IntArray, starts: IntArray) -> BoolArray:
        """Whether a cell may be cut after each of its members but the last: both parts keep to it.

        What is said of the last members of cells means nothing.

        Args:
            order: public values, cell by cell.
            cells: the cell of each of them, as codes 0, 1, 2, ..., ascending.
            starts: where each cell begins.
        """
        ...

    def prefixes(self, order: IntArray, cells: IntArray, starts: IntArray) -> BoolArray:
        """Whether the first, the first two, ... members of each cell keep to it as a cell: as for `cuts`."""
        ...

    def failing(self, cell_of: IntArray) -> BoolArray:
        """Which public values stand behind an answer that breaks it."""
        ...

    def take(self, values: IntArray) -> "Limit":
        """The limit of some of the public values, which are numbered anew."""
        ...


@dataclass(frozen=True, eq=False)
class EntryLimit(Limit):
    """A limit on what is behind each answer: a cell, and what is seen with it."""

    entries: Entries
    grows: ClassVar[bool] = True

    @abstractmethod
    def broken(self, reading: Reading) -> BoolArray:
        """Whether answers break the limit that end with an entry; of those of one place the last counts."""

    def met(self, cell_of: IntArray, count: int, hidden: BoolArray | None = None) -> BoolArray:
        """Which cells keep to it."""
        if hidden is not None and hidden.any() and self.entries.grouped:
            return replace(self, entries=self.entries.across(hidden)).met(cell_of, count)
        order = np.argsort(cell_of, kind="stable")
        reading = self.entries.read(order, cell_of[order])
        tails = reading.tails[self.broken(reading)[reading.tails]]
        found = np.ones(count, bool)
        found[cell_of[order[reading.places[tails]]]] = False
        return found

    def prefixes(self, order: IntArray, cells: IntArray, starts: IntArray) -> BoolArray:
        """Whether the first, the first two, ... members of each cell keep to it as a cell: as for `cuts`."""
        reading, size = self.entries.read(order, cells), len(order)
        until = np.append(reading.places[1:], 0)  # each entry's answer stands up to the next entry
        until[reading.tails] = np.append(starts[1:], size)[cells[reading.places[reading.tails]]]
        broken = self.broken(reading)
        opens = np.bincount(reading.places[broken], minlength=size + 1)
        return np.asarray(np.cumsum(opens - np.bincount(until[broken], minlength=size + 1))[:size] == 0)

    def failing(self, cell_of: IntArray) -> BoolArray:
        """Which public values stand behind an answer that breaks it."""
        if self.entries.alone:
            return np.asarray(~self.met(cell_of, int(cell_of.max()) + 1)[cell_of])
        order = np.argsort(cell_of, kind="stable")
        reading = self.entries.read(order, cell_of[order])
        fails = self.broken(reading)[reading.tails]
        found = np.zeros(len(cell_of), bool)
        found[order[reading.places[fails[reading.answers]]]] = True
        return found

    def cuts(self, order: IntArray, cells: IntArray, starts: IntArray) -> BoolArray:
        """Whether a cell may be cut after each of its members but the last: both parts keep to it."""
        ends = np.append(starts[1:], len(order))
        left = self.prefixes(order, cells, starts)
        right = self.prefixes(order[::-1], int(cells[-1]) - cells[::-1], (len(order) - ends)[::-1])[::-1]
        return np.asarray(left[:-1] & right[1:])

    def take(self, values: IntArray) -> Self:
        """The limit of some of the public values, which are numbered anew."""
        return replace(self, entries=self.entries.take(values))


@dataclass(frozen=True, eq=False)
class PosteriorLimit(EntryLimit):
    """At least this many different sensitive values, or other things, behind each answer.

    Attributes:
        need: how many, for each code of what is seen.
    """

    need: IntArray

    @classmethod
    def of(cls, problem: Problem, need: IntArray) -> "PosteriorLimit":
        """The limit of a problem."""
        return cls(Entries.of(problem), need)

    @classmethod
    def of_pairs(cls, problem: Problem, answers: IntArray, things: IntArray, least: int) -> "PosteriorLimit":
        """A limit on persons, or classes of values, given pairs of a y and a thing behind it."""
        return cls(Entries.of_pairs(problem, answers, things), np.full(len(problem.prior), least))

    def met(self, cell_of: IntArray, count: int, hidden: BoolArray | None = None) -> BoolArray:
        """Which cells keep to it."""
        entries = self.entries
        if not entries.alone or (hidden is not None and hidden.any() and entries.grouped):
            return super().met(cell_of, count, hidden)
        cells, needs = cell_of[entries.values], np.zeros(count, np.int64)
        needs[cells] = self.need[entries.seen]
        keys, size = cells * entries.many_secrets + entries.secrets, entries.many_secrets
        if count * size > 8 * len(keys) + 2**12:
            return np.asarray(np.bincount(distinct_values(keys) // size, minlength=count) >= needs)
        held = np.zeros(count * size, bool)
        held[keys] = True
        return np.asarray(np.count_nonzero(held.reshape(count, size), axis=1) >= needs)

    def cuts(self, order: IntArray, cells: IntArray, starts: IntArray) -> BoolArray:
        """Whether a cell may be cut after each of its members but the last: both parts keep to it."""
        entries = self.entries
        if entries.fast or not entries.alone:
            return super().cuts(order, cells, starts)
        needs = self.need[entries.seen[entries.starts[order[starts]]]]
        reading = entries.read(order, cells)
        inner, first = entries.by_secret(reading)
        places = reading.places[inner]
        come, gone = (
            np.cumsum(np.bincount(places[there], minlength=len(order)))
            for there in (first, np.append(first[1:], True))
        )
        left, right = (_within(sums, cells, starts) for sums in (come, gone))
        totals = right[np.append(starts[1:], len(order)) - 1]
        return np.asarray((left >= needs[cells]) & (totals[cells] - right >= needs[cells]))[:-1]

    def prefixes(self, order: IntArray, cells: IntArray, starts: IntArray) -> BoolArray:
        """Whether the first, the first two, ... members of each cell keep to it as a cell: as for `cuts`."""
        entries = self.entries
        if not entries.fast or not entries.alone:
            return super().prefixes(order, cells, starts)
        needs = self.need[entries.seen[entries.starts[order[starts]]]]
        return entries.run(distinct_prefixes, order, starts, needs, np.zeros(entries.many_secrets, np.int64))

    def broken(self, reading: Reading) -> BoolArray:
        """Whether there are fewer."""
        inner, first = self.entries.by_secret(reading)
        fresh = np.zeros(len(inner), np.int64)
        fresh[inner[first]] = 1
        return np.asarray(reading.since(np.cumsum(fresh)) < self.need[self.entries.seen[reading.entries]])


@dataclass(frozen=True, eq=False)
class RowLimit(EntryLimit):
    """At least this many rows behind each answer: k-anonymity.

    Attributes:
        least: how many.
    """

    least: int

    @classmethod
    def of(cls, problem: Problem, least: int) -> "RowLimit":
        """The limit of a problem."""
        return cls(Entries.of_rows(problem), least)

    def met(self, cell_of: IntArray, count: int, hidden: BoolArray | None = None) -> BoolArray:
        """Which cells keep to it."""
        if not self.entries.alone:
            return super().met(cell_of, count, hidden)
        rows = add_by_code(cell_of, self.entries.weights, count)
        return np.asarray((rows == 0) | (rows >= self.least))

    def prefixes(self, order: IntArray, cells: IntArray, starts: IntArray) -> BoolArray:
        """Whether the first, the first two, ... members of each cell keep to it as a cell: as for `cuts`."""
        if not self.entries.alone:
            return super().prefixes(order, cells, starts)
        return np.asarray(_within(np.cumsum(self.entries.weights[order]), cells, starts) >= self.least)

    def broken(self, reading: Reading) -> BoolArray:
        """Whether there are fewer."""
        return np.asarray(reading.since(np.cumsum(self.entries.rows[reading.entries])) < self.least)


def _within(sums: IntArray, cells: IntArray, starts: IntArray) -> IntArray:
    """Running sums over all members as running sums over each cell's own."""
    return np.asarray(sums - np.append(0, sums)[starts][cells])


@dataclass(frozen=True, eq=False)
class WidthLimit(EntryLimit):
    """Sensitive numbers behind each answer that lie this far apart: the e of (k, e)-anonymity.

    Attributes:
        ranks: the place of each sensitive value among the numbers.
        points: the numbers, ascending.
        least: how far the largest is from the smallest.
    """

    ranks: IntArray
    points: IntArray
    least: int

    @classmethod
    def of(cls, problem: Problem, numbers: Sequence[Rational | None], least: Rational) -> "WidthLimit":
        """The limit of a problem, given the number of each of its sensitive values; None lies nowhere."""
        exact = [None if number is None else as_fraction(number) for number in numbers]
        known = [number for number in exact if number is not None] or [Fraction(0)]
        unit = int(np.lcm.reduce(np.array([number.denominator for number in known], object)))
        places = sorted({int(number * unit) for number in known})
        rank = {place: number for number, place in enumerate(places)}
        ranks = [-1 if number is None else rank[int(number * unit)] for number in exact]
        points = np.array(places, np.int64 if max(-places[0], places[-1]) < _ROOM // 2 else object)
        return cls(Entries.of(problem), np.array(ranks), points, math.ceil(as_fraction(least) * unit))

    def prefixes(self, order: IntArray, cells: IntArray, starts: IntArray) -> BoolArray:
        """Whether the first, the first two, ... members of each cell keep to it as a cell: as for `cuts`."""
        entries = self.entries
        if not entries.fast or not entries.alone or self.points.dtype == object or self.least >= _ROOM:
            return super().prefixes(order, cells, starts)
        return entries.run(width_prefixes, order, starts, self.ranks, self.points, self.least)

    def broken(self, reading: Reading) -> BoolArray:
        """Whether they lie closer together."""
        ranks, many = self.ranks[self.entries.secrets[reading.entries]], len(self.points)
        before = reading.answers * (many + 1)
        high = np.maximum.accumulate(before + ranks + 1) - before - 1
        least = np.maximum.accumulate(before + np.where(ranks < 0, 0, many - ranks)) - before
        spread = self.points[high] - self.points[np.minimum(many - least, many - 1)]
        return np.asarray(np.where(high < 0, 0, spread) < self.least, bool)


def limits_of(problem: Problem, need: IntArray, least_rows: int | None = None) -> tuple[Limit, ...]:
    """All limits on what answers leave that not every answer keeps: values, and `more_limits`.

    Args:
        problem: what is merged.
        need: for each code of what is seen besides how many sensitive values an answer must leave.
        least_rows: how many rows an answer must have.
    """
    values = (PosteriorLimit.of(problem, need),) if need.max() > 1 else ()
    return (*values, *more_limits(problem, least_rows))


def more_limits(problem: Problem, least_rows: int | None = None) -> tuple[Limit, ...]:
    """The limits on rows, and those of the problem itself."""
    rows = () if least_rows is None else (RowLimit.of(problem, least_rows),)
    return (*rows, *problem.limits)


def within_rows(problem: Problem, least: int | None) -> Problem:
    """A problem whose every answer has this many rows, whatever is asked for besides."""
    return (
        problem if least is None else replace(problem, limits=(*problem.limits, RowLimit.of(problem, least)))
    )


def sets_within(limits: Sequence[Limit], held: BoolArray, *, suppressed: bool = False) -> BoolArray:
    """Which sets of public values, a row each, keep to limits as cells.

    Args:
        limits: the limits.
        held: which values each set holds.
        suppressed: whether they are suppressed, whatever their groups; otherwise each is of one group.
    """
    found = np.ones(len(held), bool)
    numbers, members = np.nonzero(held)
    gone = np.ones(len(members), bool) if suppressed else None
    for limit in limits if len(members) else ():
        found &= limit.take(members).met(numbers, len(held), gone)
    return found
