"""Limits on how sensitive values are distributed behind each answer: beliefs, entropy, closeness.

Of n_y rows behind an answer n_sy have the value s; q_s = n_sy / n_y. Each limit allows a convex set of q, and
the q of two cells that are merged lies between theirs: so it keeps to what both keep to. But a value that
joins a cell may have a q outside the set, and take the cell out of it: a cell that grows can break a limit
that it kept.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Self

import numpy as np

from noiseless.arrays import BoolArray, IntArray
from noiseless.exact import Rational, as_fraction
from noiseless.search.axes import begins
from noiseless.search.entries import Entries, Reading, by_value
from noiseless.search.limits import EntryLimit
from noiseless.search.prefix_kernels import belief_prefixes, closeness_prefixes
from noiseless.search.problem import Problem

_ROOM = 2**62

FEW_SECRETS = 1000
"""With more sensitive values those that a cell does not have are not looked at one by one."""

_AT_ONCE = 2**20
"""This many counts are looked at in one go."""


@dataclass(frozen=True, eq=False)
class ShareLimit(EntryLimit):
    """A limit on the share that each sensitive value has of the rows behind an answer.

    Attributes:
        kinds: which share each entry has: that of its value, or of its value and what is known before.
        tops: the numerators of the shares.
        bottoms: their denominators.
    """

    kinds: IntArray
    tops: IntArray
    bottoms: IntArray
    grows: ClassVar[bool] = False

    def take(self, values: IntArray) -> Self:
        """The limit of some of the public values, which are numbered anew."""
        chosen = self.entries.behind(values)[0]
        return replace(self, entries=self.entries.take(values), kinds=self.kinds[chosen])

    def _held(self, reading: Reading) -> tuple[IntArray, IntArray, IntArray]:
        """The order of entries by answer and value, the rows with the value so far, and their shares."""
        inner, first = self.entries.by_secret(reading)
        held = running_sums(self.entries.rows[reading.entries[inner]], first)
        return inner, held, self.kinds[reading.entries[inner]]


@dataclass(frozen=True, eq=False)
class BeliefLimit(ShareLimit):
    """No sensitive value may have more than its share of the rows behind an answer."""

    @classmethod
    def of(
        cls,
        problem: Problem,
        counts: IntArray,
        most: Rational | Sequence[Rational],
        kinds: IntArray | None = None,
    ) -> "BeliefLimit":
        """The limit of a problem, given how many rows each pair has.

        Args:
            problem: what is merged.
            counts: how many rows each pair of its joint range has.
            most: one share for all, one for each sensitive value, or one for each kind.
            kinds: the kind of each pair.
        """
        entries, order = Entries.of(problem, counts), by_value(problem, problem.joint.y)
        found = problem.joint.x if kinds is None else kinds
        shares = most if isinstance(most, Sequence) else [most] * (int(found.max(initial=0)) + 1)
        exact = [min(as_fraction(share), Fraction(1)) for share in shares]
        tops, bottoms = [share.numerator for share in exact], [share.denominator for share in exact]
        rows = int(counts.sum())
        return cls(entries, found[order], _whole(tops, rows), _whole(bottoms, rows))

    @classmethod
    def by_leakage(cls, problem: Problem, counts: IntArray, ratio: Rational) -> "BeliefLimit":
        """Pointwise maximal leakage of log2(ratio) at most: n_sy n <= ratio n_s n_y."""
        rows = np.bincount(problem.joint.x, counts).astype(np.int64)
        total = int(rows.sum())
        return cls.of(problem, counts, [as_fraction(ratio) * Fraction(int(held), total) for held in rows])

    def prefixes(self, order: IntArray, cells: IntArray, starts: IntArray) -> BoolArray:
        """Whether the first, the first two, ... members of each cell keep to it as a cell: as for `cuts`."""
        entries = self.entries
        whole = object not in (self.tops.dtype, self.bottoms.dtype)
        if not entries.fast or not entries.alone or not whole:
            return super().prefixes(order, cells, starts)
        held, stamps = (np.zeros(entries.many_secrets, np.int64) for _ in range(2))
        more = entries.rows, self.kinds, self.tops, self.bottoms, int(entries.rows.sum()) + 1, held, stamps
        return entries.run(belief_prefixes, order, starts, *more)

    def broken(self, reading: Reading) -> BoolArray:
        """Whether one has more: of c rows with a value there must be c * bottom / top rows in all."""
        inner, held, kinds = self._held(reading)
        rows = reading.since(np.cumsum(self.entries.rows[reading.entries]))
        need = np.empty_like(rows)
        need[inner] = _ceiling(held * self.bottoms[kinds], self.tops[kinds], int(rows.max()) + 1)
        before = reading.answers * (int(rows.max()) + 2)
        return np.asarray(np.maximum.accumulate(before + need) - before > rows)


@dataclass(frozen=True, eq=False)
class PresenceLimit(ShareLimit):
    """Every sensitive value must have its share of the rows behind an answer: n_sy / n_y >= its share.

    Attributes:
        present: for each code of what is seen how many sensitive values there are with it.
    """

    present: IntArray

    @classmethod
    def of(
        cls, problem: Problem, counts: IntArray, least: Sequence[Rational], kinds: IntArray, present: IntArray
    ) -> "PresenceLimit":
        """The limit of a problem, given the rows and the kind of each pair, and the share of each kind."""
        order, exact = by_value(problem, problem.joint.y), [as_fraction(share) for share in least]
        tops, bottoms = [share.numerator for share in exact], [share.denominator for share in exact]
        rows = int(counts.sum())
        entries = Entries.of(problem, counts)
        return cls(entries, kinds[order], _whole(tops, rows), _whole(bottoms, rows), present)

    def broken(self, reading: Reading) -> BoolArray:
        """Whether one has less: with c rows of a value there may be c * bottom / top rows in all.

        Each is too rare from where there are more until its next entry.
        """
        inner, held, kinds = self._held(reading)
        first = begins(reading.answers[inner] * self.entries.many_secrets + self._secrets(reading, inner))
        sums, answers = np.cumsum(self.entries.rows[reading.entries]), reading.answers[inner]
        before = np.append(0, sums)[reading.heads][answers]
        most = int(sums[-1]) + 1
        allowed = np.minimum(held * self.bottoms[kinds] // np.maximum(self.tops[kinds], 1), most).astype(
            np.int64
        )
        until = np.searchsorted(sums, before + np.where(self.tops[kinds] > 0, allowed, most), side="right")
        following = np.where(np.append(first[1:], True), reading.tails[answers] + 1, np.append(inner[1:], 0))
        opens = np.clip(until, inner, following)
        rare = np.bincount(opens, minlength=len(inner) + 1) - np.bincount(following, minlength=len(inner) + 1)
        fresh = np.zeros(len(inner), np.int64)
        fresh[inner[first]] = 1
        missing = reading.since(np.cumsum(fresh)) < self.present[self.entries.seen[reading.entries]]
        return np.asarray((np.cumsum(rare)[:-1] > 0) | missing)

    def _secrets(self, reading: Reading, inner: IntArray) -> IntArray:
        return self.entries.secrets[reading.entries[inner]]


def in_loops(entries: Entries) -> bool:
    """Whether loops over all secrets pay off."""
    return entries.fast and entries.alone and entries.many_secrets <= FEW_SECRETS


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
    grows: ClassVar[bool] = False

    @classmethod
    def of(cls, problem: Problem, counts: IntArray, most: Rational, *, ordered: bool) -> "ClosenessLimit":
        """The limit of a problem, given how many rows each pair has."""
        table = np.bincount(problem.joint.x, counts).astype(np.int64)
        whole = int(table.sum())
        return cls(Entries.of(problem, counts), _whole(table, whole * len(table)), ordered, as_fraction(most))

    @property
    def _allowed(self) -> tuple[int, int]:
        """What may be moved for each row, times the table's rows: a whole number, and what is left over."""
        steps = max(len(self.table) - 1, 1) if self.ordered else 1
        return divmod(self.most.numerator * int(self.table.sum()) * steps, self.most.denominator)

    def prefixes(self, order: IntArray, cells: IntArray, starts: IntArray) -> BoolArray:
        """Whether the first, the first two, ... members of each cell keep to it as a cell: as for `cuts`."""
        entries, (units, rest), total = self.entries, self._allowed, int(self.table.sum())
        whole = self.table.dtype != object and max(units, rest, self.most.denominator) * total < _ROOM
        if not in_loops(entries) or not whole:
            return super().prefixes(order, cells, starts)
        held = np.zeros(len(self.table), np.int64)
        more = self.table, total, self.ordered, units, rest, self.most.denominator, held
        return entries.run(closeness_prefixes, order, starts, entries.rows, *more)

    def broken(self, reading: Reading) -> BoolArray:
        """Whether they are further from it."""
        total = int(self.table.sum())
        rows = reading.since(np.cumsum(self.entries.rows[reading.entries])).astype(self.table.dtype)
        moved = (
            self._moved_by_rank(reading, rows, total) if self.ordered else self._moved(reading, rows, total)
        )
        units, rest = self._allowed
        allowed = units * rows + rest * rows // self.most.denominator
        return np.asarray(moved > allowed, bool)

    def _moved(self, reading: Reading, rows: IntArray, total: int) -> IntArray:
        """The sum of what is too much, held * total - table * rows, over the sensitive values.

        Each counts from one of its entries until there are held * total / table rows, or until its next.
        """
        inner, first = self.entries.by_secret(reading)
        held = running_sums(self.entries.rows[reading.entries[inner]], first).astype(self.table.dtype)
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
        """The area between running counts: an answer's times the table's rows, the table's times its rows."""
        secrets, held = self.entries.secrets[reading.entries], self.entries.rows[reading.entries]
        found, step = np.empty_like(rows), max(1, _AT_ONCE // len(self.table))
        carried = np.zeros_like(self.table)
        for begin in range(0, len(rows), step):
            part = slice(begin, begin + step)
            heads = reading.heads[reading.answers[part]] - begin
            sums = np.zeros((len(heads) + 1, len(self.table)), self.table.dtype)
            sums[np.arange(1, len(sums)), secrets[part]] = held[part]
            sums = np.cumsum(sums, axis=0)
            own = sums[1:] - sums[np.maximum(heads, 0)]
            own[heads < 0] += carried
            carried = own[-1]
            gaps = np.cumsum(own * total - self.table * rows[part, None], axis=1)
            found[part] = np.abs(gaps).sum(axis=1)
        return np.asarray(found)


def _whole(numbers: Sequence[int] | IntArray, factor: int) -> IntArray:
    """Whole numbers; Python's where 64 bits are too few for products with a factor."""
    most = max((abs(int(number)) for number in numbers), default=0)
    return np.array(numbers, np.int64 if most * max(1, factor) < _ROOM else object)


def running_sums(values: IntArray, first: BoolArray) -> IntArray:
    """Running sums that begin anew where a run does."""
    sums = np.cumsum(values)
    heads = np.flatnonzero(first)
    return np.asarray(sums - np.repeat(sums[heads] - values[heads], np.diff(heads, append=len(values))))


def _ceiling(tops: IntArray, bottoms: IntArray, most: int) -> IntArray:
    """Fractions rounded up; what is more than the most, or over 0, is the most."""
    whole = np.where(bottoms > 0, -(-tops // np.maximum(bottoms, 1)), most)
    return np.minimum(whole, most).astype(np.int64)


def fraction_below(number: Fraction, most: int) -> Fraction:
    """The largest fraction that is no more than a number and has a denominator of at most so much.

    >>> fraction_below(Fraction(314, 100), 10)
    Fraction(25, 8)
    """
    if number.denominator <= most:
        return number
    (p, q), (r, s), top, bottom = (0, 1), (1, 0), number.numerator, number.denominator
    while q + (whole := top // bottom) * s <= most:
        (p, q), (r, s) = (r, s), (p + whole * r, q + whole * s)
        top, bottom = bottom, top - whole * bottom
    steps = (most - q) // s
    near = Fraction(p + steps * r, q + steps * s), Fraction(r, s)  # neighbours, one on each side
    return max(one for one in near if one <= number)
