"""The distinct combinations of some columns and how often each occurs: all that an audit needs of a table."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from noiseless.arrays import IntArray
from noiseless.tables.coding import Coding, encode, narrow, whole_type
from noiseless.tables.kernels import (
    KEY_LIMIT,
    add_by_code,
    distinct_keys,
    sort_together,
    split_last,
    sums_by_key,
    sums_of_runs,
)

_DENSE_FACTOR = 2
"""Count into one slot a possible key while there are at most this many slots a row; beyond, sort."""


@dataclass(frozen=True, eq=False)
class KeyStep:
    """One column's place in a key: key = rank(previous key) * size + code.

    `ranks`, where present, are the sorted distinct previous keys: they are renumbered before this column is
    added, because the product of all sizes would not fit into a key.
    """

    coding: Coding
    ranks: IntArray | None = None


class Word(NamedTuple):
    """Several columns packed into one mixed-radix integer a row, the last column varying fastest."""

    codings: tuple[Coding, ...]
    keys: IntArray

    @property
    def size(self) -> int:
        """How many different keys there can be."""
        return math.prod(coding.size for coding in self.codings)


def split_into_words(sizes: Sequence[int], rows: int) -> list[list[int]] | None:
    """Which columns share a word so that each word fits into a key beside the rank of all words before it.

    Args:
        sizes: how many codes each column has.
        rows: how many rows there are: more than the ranks there can be.

    Returns:
        The positions of the columns in each word, or None when a column alone is too wide.
    """
    words: list[list[int]] = [[]]
    space, limit = 1, KEY_LIMIT
    for position, size in enumerate(sizes):
        if space * size >= limit:
            words.append([])
            space, limit = 1, KEY_LIMIT // (rows + 1)
        if size >= limit:
            return None
        words[-1].append(position)
        space *= size
    return words


@dataclass(frozen=True, eq=False)
class Tally:
    """Distinct combinations of columns, sorted, one integer key each, with their counts.

    Keys sort as the combinations do, first column first, so the combinations that agree in the leading
    columns stand together.
    """

    steps: tuple[KeyStep, ...]
    keys: IntArray
    counts: IntArray

    @classmethod
    def from_words(cls, words: Sequence[Word], weights: IntArray | None = None) -> "Tally":
        """Tally rows given by packed columns; `weights` says how much each row counts (one, by default).

        With several words, the rows are sorted by the first, its distinct keys are numbered, the next word is
        appended to the number, and so on. The words' keys may be overwritten.
        """
        keys, *rest = (word.keys for word in words)
        steps, limit = [KeyStep(coding) for coding in words[0].codings], words[0].size
        rest += [] if weights is None else [weights]
        for word in words[1:]:
            keys, (following, *rest) = sort_together(keys.astype(np.int64, copy=False), limit, rest)
            begins = np.ones(len(keys), bool)
            np.not_equal(keys[1:], keys[:-1], out=begins[1:])
            ranks = keys[begins]
            steps += [KeyStep(word.codings[0], ranks), *map(KeyStep, word.codings[1:])]
            np.cumsum(begins, out=keys)
            keys -= 1
            keys *= word.size
            keys += following
            limit = len(ranks) * word.size
        weights = None if weights is None else rest[-1]
        if len(words) == 1 and words[0].size <= _DENSE_FACTOR * len(keys):
            return cls(tuple(steps), *_count_slots(keys, weights, words[0].size))
        return cls(tuple(steps), *_count_sorted(keys, weights))

    @classmethod
    def from_arrow(cls, table: pa.Table, count: str) -> "Tally":
        """Tally combinations that an engine has grouped; column `count` says how often each occurs."""
        weights = table.column(count).cast(pa.int64()).to_numpy()
        codings, codes = [], list[IntArray]()
        for name in table.column_names:
            if name != count:
                coding, places = encode(name, table.column(name))
                codings.append(coding)
                codes.append(narrow(places, coding.size))
        return cls.from_codes(codings, codes, weights)

    @classmethod
    def from_codes(cls, codings: Sequence[Coding], codes: Iterable[IntArray], weights: IntArray) -> "Tally":
        """Tally combinations given by one array of codes a column, each weighing what `weights` says.

        Codes are taken one column at a time, so a generator of them has only one in memory.
        """
        layout = split_into_words([coding.size for coding in codings], len(weights))
        if layout is None:
            raise OverflowError("a column has too many codes for its number of rows")
        words, following = [], iter(codes)
        for positions in layout:
            word = tuple(codings[position] for position in positions)
            keys = np.zeros(len(weights), whole_type(math.prod(coding.size for coding in word)))
            for coding in word:
                keys *= coding.size
                keys += next(following)
            words.append(Word(word, keys))
        return cls.from_words(words, weights)

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the tallied columns, in the order of the keys."""
        return tuple(step.coding.name for step in self.steps)

    @property
    def total(self) -> int:
        """How many rows (or whatever is counted) there are in all."""
        return int(self.counts.sum())

    def coding(self, column: str) -> Coding:
        """How a column's values are numbered."""
        return self.steps[self.columns.index(column)].coding

    def codes(self, column: str) -> IntArray:
        """The code of one column in each combination."""
        return self._codes(column).astype(np.int64, copy=False)

    def _codes(self, column: str) -> IntArray:
        """The same in as few bytes as the keys have."""
        keys = self.keys
        for step in reversed(self.steps):
            if step.coding.name == column:
                return keys % step.coding.size
            keys = _strip(keys, step)
        raise KeyError(column)

    def prefix(self, width: int) -> IntArray:
        """The keys of the first `width` columns of each combination: ascending, with repeats."""
        return reduce(_strip, reversed(self.steps[width:]), self.keys)

    def prefix_ranks(self, width: int) -> IntArray:
        """The number of each combination's first `width` columns among the distinct ones."""
        keys = self.prefix(width)
        begins = np.zeros(len(keys), bool)
        np.not_equal(keys[1:], keys[:-1], out=begins[1:])
        return np.cumsum(begins)

    def places(self, codes: Mapping[str, IntArray]) -> IntArray:
        """Where some of its combinations, given by the codes of each column, stand in it."""
        keys = np.zeros(len(codes[self.columns[0]]), np.int64)
        for step in self.steps:
            if step.ranks is not None:
                keys = np.searchsorted(step.ranks, keys)
            keys = keys * step.coding.size + codes[step.coding.name]
        return np.searchsorted(self.keys, keys)

    def split_last(self) -> tuple[IntArray, IntArray]:
        """Where each combination of all but the last column begins (and the end), and that one's codes."""
        return split_last(self.keys, self.steps[-1].coding.size)

    def decode(self, column: str) -> pa.Array:
        """The values of one column in each combination."""
        return self.coding(column).decode(self.codes(column))

    def project(self, columns: Sequence[str]) -> "Tally":
        """The tally of fewer columns (or of the same ones in another order); counts add up."""
        if tuple(columns) == self.columns:
            return self
        if tuple(columns) == self.columns[: len(columns)]:
            width = len(columns)
            return Tally(self.steps[:width], *sums_of_runs(self.prefix(width), self.counts))
        return Tally.from_codes(
            [self.coding(c) for c in columns], (self._codes(c) for c in columns), self.counts
        )

    def counted_once(self) -> "Tally":
        """The same combinations, each counting one."""
        return replace(self, counts=np.ones(len(self), np.int64))


def _strip(keys: IntArray, step: KeyStep) -> IntArray:
    """Undo one step: the keys before its column was added."""
    shorter = keys // step.coding.size
    return shorter if step.ranks is None else step.ranks[shorter]


def _count_slots(keys: IntArray, weights: IntArray | None, size: int) -> tuple[IntArray, IntArray]:
    """The distinct keys and their weights, through one slot for each possible key."""
    slots = (
        np.bincount(keys, minlength=size)
        if weights is None
        else add_by_code(keys, weights, size, weights.dtype)  # all of it fits, as counts of rows do
    )
    present = np.flatnonzero(slots)
    return present, slots[present]


def _count_sorted(keys: IntArray, weights: IntArray | None) -> tuple[IntArray, IntArray]:
    """The distinct keys and their weights, through sorting."""
    if weights is not None:
        return sums_by_key(keys, weights)
    keys.sort()
    return distinct_keys(keys)
