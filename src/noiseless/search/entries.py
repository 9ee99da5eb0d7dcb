"""What is behind public values, and in which order it is read when their cells are cut."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from noiseless.arrays import BoolArray, IntArray
from noiseless.search.axes import begins
from noiseless.search.problem import Problem
from noiseless.tables.coding import whole_type
from noiseless.tables.kernels import compiled

_ROOM = 2**62

SMALL = 30_000
"""With fewer entries numpy is as fast as compiled loops, which take a second to be loaded."""


@dataclass(frozen=True, eq=False)
class Reading:
    """What is behind the members of some cells: answer by answer, in the order in which members are read.

    Attributes:
        entries: which entries these are.
        places: the place of the member that each stands behind.
        answers: the answer of each, as codes 0, 1, 2, ..., ascending: a cell, and what is seen with it.
        heads: where each answer begins.
    """

    entries: IntArray
    places: IntArray
    answers: IntArray
    heads: IntArray

    @cached_property
    def tails(self) -> IntArray:
        """Where each answer ends, its last entry included."""
        return np.append(self.heads[1:], len(self.entries)) - 1

    def since(self, sums: IntArray) -> IntArray:
        """Running sums over all entries as running sums over each answer's own."""
        before = np.append(np.zeros_like(sums[:1]), sums)[self.heads]
        return np.asarray(sums - before[self.answers])


@dataclass(frozen=True, eq=False)
class Entries:
    """What is behind each public value: sensitive values, and what is seen with them.

    Attributes:
        starts: where the entries of each public value begin, and the end.
        secrets: the sensitive value of each entry, as codes 0, 1, 2, ...
        seen: what is seen with it besides the cell, as codes 0, 1, 2, ...
        rows: how many rows it stands for.
        alone: whether all members of a cell are seen with the same.
        fast: whether there are enough to compile loops.
        alike: for each code of what is seen the first one of any group with which the same is known: what is
            suppressed reads alike, whatever its group.
    """

    starts: IntArray
    secrets: IntArray
    seen: IntArray
    rows: IntArray
    alone: bool
    fast: bool
    alike: IntArray

    @classmethod
    def of(cls, problem: Problem, counts: IntArray | None = None) -> "Entries":
        """Those of a problem: the pairs of its joint range, with as many rows as given; one each if not."""
        return cls.of_pairs(problem, problem.joint.y, problem.joint.x, counts)

    @classmethod
    def of_pairs(
        cls, problem: Problem, answers: IntArray, secrets: IntArray, counts: IntArray | None = None
    ) -> "Entries":
        """Any pairs of a y of a problem's joint range with something behind it."""
        order = by_value(problem, answers)
        starts = np.append(0, np.cumsum(np.bincount(problem.public[answers], minlength=problem.size)))
        kind = whole_type(len(order))
        one = np.broadcast_to(np.int64(1), len(order))
        return cls(
            starts.astype(kind),
            secrets[order].astype(kind),
            problem.seen[answers][order].astype(kind),
            one if counts is None else np.asarray(counts, np.int64)[order],
            problem.side is None,
            len(order) > SMALL,
            problem.seen_alike,
        )

    @classmethod
    def of_rows(cls, problem: Problem) -> "Entries":
        """The rows of each public value with each thing that is seen, whatever is behind them."""
        order, kind = np.argsort(problem.public, kind="stable"), whole_type(len(problem.public))
        starts = np.append(0, np.cumsum(np.bincount(problem.public, minlength=problem.size)))
        return cls(
            starts.astype(kind),
            np.zeros(len(order), kind),
            problem.seen[order].astype(kind),
            problem.counts[order],
            problem.side is None,
            len(order) > SMALL,
            problem.seen_alike,
        )

    @cached_property
    def values(self) -> IntArray:
        """The public value of each entry."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    @cached_property
    def weights(self) -> IntArray:
        """How many rows each public value has."""
        return np.add.reduceat(self.rows, self.starts[:-1])

    @cached_property
    def many_secrets(self) -> int:
        """How many sensitive values there are."""
        return int(self.secrets.max(initial=0)) + 1

    @cached_property
    def many_seen(self) -> int:
        """How many different things are seen besides cells."""
        return int(self.seen.max(initial=0)) + 1

    def take(self, values: IntArray) -> "Entries":
        """Those of some of the public values."""
        entries, places = self.behind(values)
        starts = np.append(0, np.cumsum(np.bincount(places, minlength=len(values)))).astype(self.starts.dtype)
        taken = self.secrets[entries], self.seen[entries], self.rows[entries]
        return Entries(starts, *taken, self.alone, self.fast, self.alike)

    @property
    def grouped(self) -> bool:
        """Whether what is suppressed reads alike in several groups."""
        return bool(np.any(self.alike != np.arange(len(self.alike))))

    def across(self, hidden: BoolArray) -> "Entries":
        """The same where suppressed values are seen without their groups."""
        gone = np.repeat(hidden, np.diff(self.starts))
        return replace(self, seen=np.where(gone, self.alike[self.seen], self.seen))

    def behind(self, values: IntArray) -> tuple[IntArray, IntArray]:
        """The entries of some public values, and the place of the value of each."""
        if len(self.secrets) == len(self.starts) - 1:
            return values, np.arange(len(values))  # each has one, for none is without
        firsts = self.starts[values]
        counts = self.starts[values + 1] - firsts
        places = np.repeat(np.arange(len(values)), counts)
        before = np.cumsum(counts) - counts
        return (firsts - before)[places] + np.arange(len(places)), places

    def read(self, order: IntArray, cells: IntArray) -> Reading:
        """The entries of cells whose members are read in this order."""
        entries, places = self.behind(order)
        answers = cells[places]
        if not self.alone:
            answers = answers * self.many_seen + self.seen[entries]
            inner = stable_order(answers)
            entries, places, answers = entries[inner], places[inner], answers[inner]
        first = begins(answers)
        return Reading(entries, places, np.cumsum(first) - 1, np.flatnonzero(first))

    def run(self, loop: Callable[..., Any], order: IntArray, starts: IntArray, *more: Any) -> BoolArray:  # noqa: ANN401 - as the loop takes them
        """What a loop marks of members of cells, given their order and where each cell starts."""
        fine = np.zeros(len(order), bool)
        bounds = np.append(starts, len(order))
        compiled(loop)(np.ascontiguousarray(order), bounds, self.starts, self.secrets, *more, fine)
        return fine

    def by_secret(self, reading: Reading) -> tuple[IntArray, BoolArray]:
        """Entries in the order of answers and then secrets, and where each secret of an answer begins."""
        kinds = reading.answers * self.many_secrets + self.secrets[reading.entries]
        inner = stable_order(kinds)
        return inner, begins(kinds[inner])


def by_value(problem: Problem, answers: IntArray) -> IntArray:
    """Pairs in the order of the public values of their y."""
    return np.argsort(problem.public[answers], kind="stable")


def stable_order(codes: IntArray) -> IntArray:
    """The stable order of codes, by keys that hold their places: an argsort takes three times as long."""
    low = max(1, (len(codes) - 1).bit_length())
    if int(codes.max(initial=0)) >= _ROOM >> low:
        return np.argsort(codes, kind="stable")
    keys = codes.astype(np.int64)  # and all in place: of many codes arrays take longer than the work
    keys <<= low
    keys |= np.arange(len(codes), dtype=whole_type(len(codes)))
    keys.sort()
    keys &= (1 << low) - 1
    return keys
