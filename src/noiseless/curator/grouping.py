"""Which public cells pass a public filter, and how GROUP BY parts them; arrays, for they may be many."""

from bisect import bisect_left

import numpy as np
import numpy.typing as npt

from noiseless.curator.memory import Memory
from noiseless.domain import Schema, Value
from noiseless.questions.filters import AllOf, Among, AnyOf, Everything, Filter, Not, kind_of
from noiseless.questions.population import Group, Population

Cells = npt.NDArray[np.intp]

_MOST_REMEMBERED = 2**26
"""Bytes of groups that are remembered."""
_FEW = 16
_EACH = 10
"""A group is as heavy as so many cells besides its own."""


class Grouping:
    """Finds public groups; what was asked for before is remembered."""

    def __init__(self, schema: Schema, population: Population) -> None:
        self.schema, self.population = schema, population
        self._sizes = np.array(population.sizes, np.int64)
        self._numbers: dict[str, npt.NDArray[np.int64]] = {}
        self._orders: dict[str, Cells] = {}
        self._sorted: dict[str, npt.NDArray[np.int64]] = {}
        self._found = Memory[tuple[Group, ...]](_MOST_REMEMBERED)
        for place, name in enumerate(population.columns):
            column = schema.columns[name]
            known = {value: column.index(value) for value in {cell[place] for cell in population.cells}}
            self._numbers[name] = np.array([known[cell[place]] for cell in population.cells], np.int64)
            self._orders[name] = np.argsort(self._numbers[name], kind="stable")
            self._sorted[name] = self._numbers[name][self._orders[name]]

    def groups(self, where: Filter, by: tuple[str, ...]) -> tuple[Group, ...]:
        """The groups of a public GROUP BY under a public filter, in the order of their values."""
        key = (where, by)
        found = self._found.get(key)
        if found is None:
            small = None if by else self._small(where)
            made = self._grouped(self._passing(where), by) if small is None else small
            weight = sum(_EACH + len(group.cells) for group in made)
            found = self._found.keep(key, made, weight)
        return found

    def count(self, where: Filter) -> int:
        """How many cells pass a public filter."""
        return len(self._passing(where))

    def _small(self, where: Filter) -> tuple[Group, ...] | None:
        """The one group of a run of values that few cells have, or none: arrays would take longer."""
        if not isinstance(where, Among) or len(where.runs) != 1:
            return None
        values, ((first, after),) = self._sorted[where.column], where.runs
        start = bisect_left(values, first)
        stop = bisect_left(values, after, start, min(start + _FEW, len(values)))
        if stop - start == _FEW:
            return None
        cells = self._orders[where.column][start:stop].tolist()
        people = sum([self.population.sizes[cell] for cell in cells])
        return (Group((), frozenset(cells), people),) if cells else ()

    def _passing(self, where: Filter) -> Cells:
        """The cells that pass, ascending; a filter on one column is looked up, not searched for."""
        if isinstance(where, Everything):
            return np.arange(len(self._sizes))
        if isinstance(where, Among):
            order = self._orders[where.column]
            edges = self._sorted[where.column].searchsorted([end for run in where.runs for end in run])
            parts = [order[start:stop] for start, stop in zip(edges[::2], edges[1::2], strict=True)]
            return np.sort(parts[0] if len(parts) == 1 else np.concatenate([np.empty(0, np.intp), *parts]))
        return np.flatnonzero(self._mask(where))

    def _mask(self, where: Filter) -> npt.NDArray[np.bool_]:
        if isinstance(where, AllOf | AnyOf):
            together = isinstance(where, AllOf)
            found = np.full(len(self._sizes), together)
            for part in where.parts:
                found = found & self._mask(part) if together else found | self._mask(part)
            return found
        if isinstance(where, Not):
            return ~self._mask(where.part)
        if isinstance(where, Among):
            found = np.zeros(len(self._sizes), bool)
            found[self._passing(where)] = True
            return found
        columns = self.population.columns
        rows = (dict(zip(columns, cell, strict=True)) for cell in self.population.cells)
        return np.array([where.holds(row) for row in rows], bool)

    def _grouped(self, cells: Cells, by: tuple[str, ...]) -> tuple[Group, ...]:
        if not len(cells):
            return ()
        if not by:
            return (self._group((), cells),)
        keys = np.stack([self._numbers[name][cells] for name in by])
        distinct, places = np.unique(keys, axis=1, return_inverse=True)
        order = np.argsort(places.ravel(), kind="stable")
        ends = np.cumsum(np.bincount(places.ravel()))
        members = np.split(cells[order], ends[:-1])
        columns = [self.schema.columns[name] for name in by]
        found = [
            self._group(tuple(c.value(n) for c, n in zip(columns, numbers, strict=True)), own)
            for numbers, own in zip(distinct.T.tolist(), members, strict=True)
        ]
        return tuple(sorted(found, key=_place))

    def _group(self, values: tuple[Value, ...], cells: Cells) -> Group:
        return Group(values, frozenset(cells.tolist()), int(self._sizes[cells].sum()))


def _place(group: Group) -> list[tuple[str, Value]]:
    return [(kind_of(value), value) for value in group.values]
