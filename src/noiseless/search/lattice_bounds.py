"""What each full-domain generalisation loses at least, from what has been seen of others."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from noiseless.arrays import BoolArray, IntArray
from noiseless.search.generalisation import Generalisations, Levels, together

MOST_NODES = 2**20
"""A lattice with more nodes is not held in memory: nothing is proved of it."""

_MOST_COLUMNS = 32
"""This many axes an array may have in all versions of numpy."""

CLOSED = 2**62
"""The loss of a node that is ruled out."""

_BITS = 61
"""Losses that take more are rounded down, so that all bounds are of 64 bits."""


@dataclass(eq=False)
class NodeBounds:
    """Lower bounds on what the nodes of a lattice lose: the largest cost, and what all rows span.

    Three things are true of the lattice. A row costs and spans no less on a higher level. A value that must
    be suppressed at a node must be suppressed at all nodes below it, and spans everything there. So a node at
    which these are too many rows rules out all nodes below it.

    Attributes:
        lattice: the generalisations.
        budget: how many rows may be suppressed.
    """

    lattice: Generalisations
    budget: int
    _failed: list[Levels] = field(default_factory=list)
    _done: set[Levels] = field(default_factory=set)

    @cached_property
    def whole(self) -> bool:
        """Whether there are few enough nodes to hold a bound for each."""
        return math.prod(self.shape) <= MOST_NODES and len(self.shape) <= _MOST_COLUMNS

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """How many levels each column has."""
        return tuple(level + 1 for level in self.lattice.top)

    @cached_property
    def shift(self) -> tuple[int, int]:
        """By how many bits costs and spans are rounded down."""
        cost = sum(int(column.costs.max()) for column in self.lattice.columns)
        span = self.lattice.whole * int(self.lattice.problem.weights.sum())
        return max(0, cost.bit_length() - _BITS), max(0, span.bit_length() - _BITS)

    def _by_level(self, chosen: BoolArray | None = None) -> list[tuple[IntArray, npt.NDArray[Any]]]:
        """For each column the rows that its values have, of some public values, and what they span."""
        rows = self.lattice.problem.weights
        rows = rows if chosen is None else np.where(chosen, rows, 0)
        counts = [
            np.bincount(column.codes, rows, column.nodes.shape[1]).astype(np.int64)
            for column in self.lattice.columns
        ]
        columns = zip(self.lattice.columns, counts, strict=True)
        return [(count, column.spans @ count) for column, count in columns]

    @cached_property
    def _plain(self) -> list[tuple[IntArray, npt.NDArray[Any]]]:
        return self._by_level()

    @cached_property
    def _span_tables(self) -> list[IntArray]:
        """What all rows span on each level of each column."""
        return [_down(span, self.shift[1]) for _, span in self._plain]

    @cached_property
    def _cost_tables(self) -> tuple[list[IntArray], list[IntArray]]:
        """For each level of each column the least cost, and what the costliest value costs that is shown."""
        low, high = [], []
        for column, (rows, _) in zip(self.lattice.columns, self._plain, strict=True):
            order = np.argsort(-column.costs, axis=1, kind="stable")
            costs = np.take_along_axis(column.costs, order, axis=1)
            shown = np.argmax(np.cumsum(rows[order], axis=1) > self.budget, axis=1)
            low.append(_down(costs[:, -1], self.shift[0]))
            high.append(_down(costs[np.arange(len(costs)), shown], self.shift[0]))
        return low, high

    @cached_property
    def spans(self) -> IntArray:
        """For each node what all rows span at least; `CLOSED` if it is ruled out."""
        return _added(self._span_tables)

    @cached_property
    def costs(self) -> IntArray:
        """For each node what a cell costs at least that cannot be suppressed."""
        low, high = self._cost_tables
        spread = _spread(low)
        total = together(spread, self.lattice.book)
        for place, table in enumerate(_spread(high)):
            if not np.array_equal(table, spread[place]):
                parts = [*spread[:place], table, *spread[place + 1 :]]
                total = np.maximum(total, together(parts, self.lattice.book))
        return np.asarray(np.broadcast_to(total, self.shape))

    def least(self, levels: Levels) -> tuple[int, int]:
        """The cost and the span of a node at least, rounded down."""
        if self.whole:
            return int(self.costs[levels]), int(self.spans[levels])
        if levels in self._done or any(all(map(int.__le__, levels, one)) for one in self._failed):
            return 0, CLOSED
        costs = [table[level] for table, level in zip(self._cost_tables[0], levels, strict=True)]
        spans = [table[level] for table, level in zip(self._span_tables, levels, strict=True)]
        return int(together(costs, self.lattice.book)), int(sum(spans))

    def limit(self, most: int) -> None:
        """Rule out all nodes that cost more."""
        if self.whole:
            self.spans[self.costs > most >> self.shift[0]] = CLOSED

    def close(self, levels: Levels) -> None:
        """Rule out a node: it has been looked at."""
        if self.whole:
            self.spans[levels] = CLOSED
        self._done.add(levels)

    def fail(self, levels: Levels) -> None:
        """Rule out a node and all below it: too many rows would have to be suppressed."""
        if self.whole:
            self.spans[_below(levels)] = CLOSED
        self._failed.append(levels)

    def suppress(self, levels: Levels, values: BoolArray) -> None:
        """Raise the bounds of a node and of all below it, at which some values must be suppressed."""
        if not self.whole or not values.any():
            return
        tables: list[IntArray] = []
        known = zip(self.lattice.columns, self._plain, self._by_level(values), levels, strict=True)
        for column, (_, span), (rows, own), level in known:
            total = span + column.whole * int(rows.sum()) - own
            tables.append(_down(total[: level + 1], self.shift[1]))
        here = self.spans[_below(levels)]
        np.maximum(here, _added(tables), out=here)


def _below(levels: Levels) -> tuple[slice, ...]:
    """A node and all below it."""
    return tuple(slice(level + 1) for level in levels)


def _spread(tables: Sequence[IntArray]) -> list[IntArray]:
    """A number for each level of each column, each along an axis of its own."""
    return [
        np.expand_dims(table, [other for other in range(len(tables)) if other != place])
        for place, table in enumerate(tables)
    ]


def _added(tables: Sequence[IntArray]) -> IntArray:
    """For each node the sum of its levels' numbers."""
    total = np.zeros([len(table) for table in tables], np.int64)
    for table in _spread(tables):
        total += table
    return total


def _down(values: npt.NDArray[Any], bits: int) -> IntArray:
    """Whole numbers without their last bits."""
    return np.array([int(value) >> bits for value in values], np.int64)
