"""Limits that every cell must keep to: which cells do, and where a cell can be cut so that both parts do.

Two cells that keep to one of these limits keep to it when they are merged: counts add up, and a larger set of
sensitive values is no smaller, no narrower, and no further from the table than the further of its parts. So
cells can be cut from the top down, and merged from below. All is decided in whole numbers.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Protocol, Self

import numpy as np

from noiseless.arrays import BoolArray, IntArray
from noiseless.exact import Rational, as_fraction
from noiseless.search.axes import begins
from noiseless.search.cut_kernels import posterior_cuts, rank_areas
from noiseless.search.entries import Entries, Reading
from noiseless.search.problem import Problem
from noiseless.tables.kernels import compiled

_ROOM = 2**62

FEW_SECRETS = 1000
"""With more sensitive values those that a cell does not have are not looked at one by one."""

_AT_ONCE = 2**20
"""So many distances are computed in one go."""


class Limit(Protocol):
    """What every cell must keep to; two cells that do never break it when they are merged."""

    def met(self, cell_of: IntArray, count: int) -> BoolArray:
        """Which cells keep to it.

        Args:
            cell_of: the cell of each public value.
            count: how many cells there are.
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

    def take(self, values: IntArray) -> "Limit":
        """The limit of some of the public values, which are numbered anew."""
        ...


@dataclass(frozen=True, eq=False)
class EntryLimit(Limit):
    """A limit on what is behind each answer: a cell, and what is seen with it."""

    entries: Entries

    @abstractmethod
    def broken(self, reading: Reading) -> BoolArray:
        """Whether answers break the limit that end with an entry; of those of one place the last counts."""

    def met(self, cell_of: IntArray, count: int) -> BoolArray:
        """Which cells keep to it."""
        order = np.argsort(cell_of, kind="stable")
        reading = self.entries.read(order, cell_of[order])
        tails = reading.tails[self.broken(reading)[reading.tails]]
        found = np.ones(count, bool)
        found[cell_of[order[reading.places[tails]]]] = False
        return found

    def cuts(self, order: IntArray, cells: IntArray, starts: IntArray) -> BoolArray:
        """Whether a cell may be cut after each of its members but the last: both parts keep to it."""
        ends = np.append(starts[1:], len(order))
        left = self._open(order, cells, ends)
        right = self._open(order[::-1], int(cells[-1]) - cells[::-1], (len(order) - starts)[::-1])[::-1]
        return np.asarray((left[:-1] == 0) & (right[1:] == 0))

    def take(self, values: IntArray) -> Self:
        """The limit of some of the public values, which are numbered anew."""
        return replace(self, entries=self.entries.take(values))

    def _open(self, order: IntArray, cells: IntArray, ends: IntArray) -> IntArray:
        """How many answers break the limit after each place: from an entry to the next, or to the end."""
        reading, size = self.entries.read(order, cells), len(order)
        until = np.append(reading.places[1:], 0)
        until[reading.tails] = ends[cells[reading.places[reading.tails]]]
        broken = self.broken(reading)
        opens = np.bincount(reading.places[broken], minlength=size + 1)
        return np.cumsum(opens - np.bincount(until[broken], minlength=size + 1))[:size]


@dataclass(frozen=True, eq=False)
class PosteriorLimit(EntryLimit):
    """At least so many different sensitive values behind each answer.

    Attributes:
        need: how many, for each code of what is seen.
    """

    need: IntArray

    @classmethod
    def of(cls, problem: Problem, need: IntArray) -> "PosteriorLimit":
        """The limit of a problem."""
        return cls(Entries.of(problem), need)

    def cuts(self, order: IntArray, cells: IntArray, starts: IntArray) -> BoolArray:
        """Whether a cell may be cut after each of its members but the last: both parts keep to it."""
        entries = self.entries
        if not entries.fast or not entries.alone:
            return super().cuts(order, cells, starts)
        fine = np.zeros(len(order), bool)
        needs = self.need[entries.seen[entries.starts[order[starts]]]]
        slots = 1 << (2 * int(needs.max())).bit_length()
        compiled(posterior_cuts)(
            order,
            np.append(starts, len(order)),
            entries.starts,
            entries.secrets,
            needs,
            np.empty(slots, np.int64),
            np.zeros(slots, np.int64),
            fine,
        )
        return fine[:-1]

    def broken(self, reading: Reading) -> BoolArray:
        """Whether there are fewer."""
        inner, first = self.entries.by_secret(reading)
        fresh = np.zeros(len(inner), np.int64)
        fresh[inner[first]] = 1
        return np.asarray(reading.since(np.cumsum(fresh)) < self.need[self.entries.seen[reading.entries]])


@dataclass(frozen=True, eq=False)
class RowLimit(EntryLimit):
    """At least so many rows behind each answer: k-anonymity.

    Attributes:
        least: how many.
    """

    least: int

    @classmethod
    def of(cls, problem: Problem, least: int) -> "RowLimit":
        """The limit of a problem."""
        return cls(Entries.of_rows(problem), least)

    def broken(self, reading: Reading) -> BoolArray:
        """Whether there are fewer."""
        return np.asarray(reading.since(np.cumsum(self.entries.rows[reading.entries])) < self.least)


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
    def of(cls, problem: Problem, numbers: Sequence[Rational], least: Rational) -> "WidthLimit":
        """The limit of a problem, given the number of each of its sensitive values."""
        exact = [as_fraction(number) for number in numbers]
        unit = np.lcm.reduce(np.array([number.denominator for number in exact], object))
        steps = [int(number * unit) for number in exact]
        points, ranks = np.unique(np.array(steps, object), return_inverse=True)
        if max(-int(points[0]), int(points[-1])) < _ROOM // 2:
            points = points.astype(np.int64)
        return cls(Entries.of(problem), ranks.reshape(-1), points, -(-as_fraction(least) * unit // 1))

    def broken(self, reading: Reading) -> BoolArray:
        """Whether they lie closer together."""
        ranks, many = self.ranks[self.entries.secrets[reading.entries]], len(self.points)
        before = reading.answers * many
        high = np.maximum.accumulate(before + ranks) - before
        low = many - 1 - (np.maximum.accumulate(before + many - 1 - ranks) - before)
        return np.asarray(self.points[high] - self.points[low] < self.least, bool)


@dataclass(frozen=True, eq=False)
class BeliefLimit(EntryLimit):
    """No sensitive value may have more than its share of the rows behind an answer: n_sy / n_y <= its share.

    Attributes:
        tops: the numerator of each sensitive value's share.
        bottoms: its denominator.
    """

    tops: IntArray
    bottoms: IntArray

    @classmethod
    def of(cls, problem: Problem, counts: IntArray, most: Rational | Sequence[Rational]) -> "BeliefLimit":
        """The limit of a problem, given how many rows each pair has; one share for all, or one for each."""
        entries = Entries.of(problem, counts)
        shares = most if isinstance(most, Sequence) else [most] * entries.many_secrets
        exact = [min(as_fraction(share), Fraction(1)) for share in shares]
        tops, bottoms = [share.numerator for share in exact], [share.denominator for share in exact]
        rows = int(counts.sum())
        return cls(entries, _whole(tops, rows), _whole(bottoms, rows))

    @classmethod
    def by_leakage(cls, problem: Problem, counts: IntArray, ratio: Rational) -> "BeliefLimit":
        """Pointwise maximal leakage of log2(ratio) at most: n_sy n <= ratio n_s n_y."""
        rows = np.bincount(problem.joint.x, counts).astype(np.int64)
        total = int(rows.sum())
        return cls.of(problem, counts, [as_fraction(ratio) * Fraction(int(held), total) for held in rows])

    def broken(self, reading: Reading) -> BoolArray:
        """Whether one has more: of c rows with a value there must be c * bottom / top rows in all."""
        inner, first = self.entries.by_secret(reading)
        held = _runs(self.entries.rows[reading.entries[inner]], first)
        secrets = self.entries.secrets[reading.entries[inner]]
        rows = reading.since(np.cumsum(self.entries.rows[reading.entries]))
        need = np.empty_like(rows)
        need[inner] = _ceiling(held * self.bottoms[secrets], self.tops[secrets], int(rows.max()) + 1)
        before = reading.answers * (int(rows.max()) + 2)
        return np.asarray(np.maximum.accumulate(before + need) - before > rows)


@dataclass(frozen=True, eq=False)
class ClosenessLimit(EntryLimit):
    """Sensitive values behind each answer that are distributed about as in the whole table: t-closeness.

    Ordered values are moved by ranks, |i - j| / (m - 1); others are all at distance one (Li et al.).

    Attributes:
        table: how many rows of the table have each sensitive value; ordered values ascend.
        ordered: whether the order of the sensitive values means something.
        most: the largest earth mover's distance, t.
    """

    table: IntArray
    ordered: bool
    most: Fraction

    @classmethod
    def of(cls, problem: Problem, counts: IntArray, most: Rational, *, ordered: bool) -> "ClosenessLimit":
        """The limit of a problem, given how many rows each pair has."""
        table = np.bincount(problem.joint.x, counts).astype(np.int64)
        whole = int(table.sum())
        return cls(Entries.of(problem, counts), _whole(table, whole * len(table)), ordered, as_fraction(most))

    def broken(self, reading: Reading) -> BoolArray:
        """Whether they are further from it."""
        total, steps = int(self.table.sum()), max(len(self.table) - 1, 1) if self.ordered else 1
        rows = reading.since(np.cumsum(self.entries.rows[reading.entries])).astype(self.table.dtype)
        moved = (
            self._moved_by_rank(reading, rows, total) if self.ordered else self._moved(reading, rows, total)
        )
        units, rest = divmod(self.most.numerator * total * steps, self.most.denominator)
        allowed = units * rows + rest * rows // self.most.denominator
        return np.asarray(moved > allowed, bool)

    def _moved(self, reading: Reading, rows: IntArray, total: int) -> IntArray:
        """The sum of what is too much, held * total - table * rows, over the sensitive values.

        Each counts from one of its entries until there are held * total / table rows, or until its next.
        """
        inner, first = self.entries.by_secret(reading)
        held = _runs(self.entries.rows[reading.entries[inner]], first).astype(self.table.dtype)
        table = self.table[self.entries.secrets[reading.entries[inner]]]
        sums, answers = np.cumsum(self.entries.rows[reading.entries]), reading.answers[inner]
        before = np.append(0, sums)[reading.heads][answers]
        until = np.searchsorted(sums, before + _ceiling(held * total, table, int(sums[-1]) + 1))
        following = np.where(np.append(first[1:], True), reading.tails[answers] + 1, np.append(inner[1:], 0))
        until = np.clip(until, inner, following)
        levels, slopes = (np.zeros(len(inner) + 1, self.table.dtype) for _ in range(2))
        for sums, values in ((levels, held * total), (slopes, table)):
            np.add.at(sums, inner, values)
            np.subtract.at(sums, until, values)
        return np.asarray(np.cumsum(levels)[:-1] - np.cumsum(slopes)[:-1] * rows)

    def _moved_by_rank(self, reading: Reading, rows: IntArray, total: int) -> IntArray:
        """The area between running counts: an answer's times the table's rows, the table's times its rows.

        Between two of the values that an answer has its own count stands still and the table's climbs.
        """
        secrets, held = self.entries.secrets[reading.entries], self.entries.rows[reading.entries]
        if self.entries.fast and self.table.dtype != object and len(self.table) <= FEW_SECRETS:
            found, bounds = np.empty(len(held), np.int64), np.append(reading.heads, len(held))
            compiled(rank_areas)(bounds, secrets, held, np.cumsum(self.table), total, found)
            return found
        inner, first = self.entries.by_secret(reading)
        kinds = np.flatnonzero(first)
        whose = reading.answers[inner[kinds]]
        column = np.arange(len(kinds)) - np.flatnonzero(begins(whose))[whose]
        edges = np.full((len(reading.heads), int(column.max()) + 2), len(self.table))
        edges[whose, column] = secrets[inner[kinds]]
        place = np.empty(len(inner), np.int64)
        place[inner] = np.repeat(column, np.diff(kinds, append=len(inner)))
        climbs = np.cumsum(self.table)
        area = np.append(np.zeros(1, self.table.dtype), np.cumsum(climbs))
        found = area[edges[reading.answers, 0]] * rows
        step = max(1, _AT_ONCE // edges.shape[1])
        carried = np.zeros(edges.shape[1] - 1, self.table.dtype)
        for begin in range(0, len(inner), step):
            part = slice(begin, begin + step)
            answers = reading.answers[part]
            heads, places = reading.heads[answers] - begin, np.arange(len(answers))
            sums = np.zeros((len(answers) + 1, len(carried)), self.table.dtype)
            sums[places + 1, place[part]] = held[part]
            sums = np.cumsum(sums, axis=0)
            own = sums[1:] - sums[np.maximum(heads, 0)]
            own[heads < 0] += carried
            carried = own[-1]
            level = np.cumsum(own, axis=1) * total
            many, left, right = rows[part, None], edges[answers, :-1], edges[answers, 1:]
            passes = np.clip(np.searchsorted(climbs, -(-level // many)), left, right)
            below = level * (passes - left) - many * (area[passes] - area[left])
            above = many * (area[right] - area[passes]) - level * (right - passes)
            found[part] += (below + above).sum(axis=1)
        return np.asarray(found)


def limits_of(problem: Problem, need: IntArray, least_rows: int | None = None) -> tuple[Limit, ...]:
    """The limits on what answers leave: values, and rows.

    Args:
        problem: what is merged.
        need: for each code of what is seen besides how many sensitive values an answer must leave.
        least_rows: how many rows an answer must have.
    """
    values = PosteriorLimit.of(problem, need)
    return (values,) if least_rows is None else (values, RowLimit.of(problem, least_rows))


def _whole(numbers: Sequence[int] | IntArray, factor: int) -> IntArray:
    """Whole numbers; Python's where 64 bits are too few for products with a factor."""
    most = max((abs(int(number)) for number in numbers), default=0)
    return np.array(numbers, np.int64 if most * max(1, factor) < _ROOM else object)


def _runs(values: IntArray, first: BoolArray) -> IntArray:
    """Running sums that begin anew where a run does."""
    sums = np.cumsum(values)
    heads = np.flatnonzero(first)
    return np.asarray(sums - np.repeat(sums[heads] - values[heads], np.diff(heads, append=len(values))))


def _ceiling(tops: IntArray, bottoms: IntArray, most: int) -> IntArray:
    """Fractions rounded up; what is more than the most, or over 0, is the most."""
    whole = np.where(bottoms > 0, -(-tops // np.maximum(bottoms, 1)), most)
    return np.minimum(whole, most).astype(np.int64)
