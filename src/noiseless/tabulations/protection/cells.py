"""Cells to be withheld or not: figures of the same base cells are one, with the equations among them.

Every cell of several base cells is the sum of others: of the groups that divide it in its own table, where
that table has them, and else of base cells. A base cell that no figure shows is free, whatever is withheld.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array

from noiseless.arrays import BoolArray, FloatArray, IntArray
from noiseless.errors import RequestError
from noiseless.tabulations.protection.problem import TrueTables
from noiseless.tabulations.publication import MAX_VALUE, UNBOUNDED, PublishedTable

_linprog: Callable[..., Any] = linprog  # its types know no sparse matrices
Equation = tuple[int, IntArray]
"""A cell, and the cells that it is the sum of."""


@dataclass(frozen=True, eq=False)
class TableCells:
    """What can be withheld, and how it is linked.

    Columns are the cells, and after them the base cells that no figure shows.

    Attributes:
        tables: the true tables.
        cell_of: for each figure, its cell.
        first: for each cell, one of its figures.
        atom_of: for each base cell, its column.
    """

    tables: TrueTables
    cell_of: IntArray
    first: IntArray
    atom_of: IntArray

    @classmethod
    def of(cls, tables: TrueTables) -> "TableCells":
        """The cells of true tables."""
        matrix = tables.matrix
        known: dict[bytes, int] = {}
        cell_of = np.empty(matrix.shape[0], np.int64)
        for row in range(matrix.shape[0]):
            key = matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]].tobytes()
            cell_of[row] = known.setdefault(key, len(known))
        _, first = np.unique(cell_of, return_index=True)
        atom_of = np.full(tables.publication.size, -1)
        single = np.flatnonzero(np.diff(matrix.indptr) == 1)
        atom_of[matrix.indices[matrix.indptr[single]]] = cell_of[single]
        hidden = np.flatnonzero(atom_of < 0)
        atom_of[hidden] = len(first) + np.arange(len(hidden))
        return cls(tables, cell_of, first, atom_of)

    @property
    def many(self) -> int:
        """How many cells there are."""
        return len(self.first)

    @property
    def columns(self) -> int:
        """Cells, and base cells that no figure shows."""
        return max(self.many, int(self.atom_of.max(initial=-1)) + 1)

    @cached_property
    def matrix(self) -> csr_array:
        """Columns x base cells."""
        free = np.flatnonzero(self.atom_of >= self.many)
        own = self.tables.matrix[self.first]
        entries = np.concatenate([own.indices, free]).astype(np.int64)
        starts = np.concatenate([own.indptr, own.indptr[-1] + 1 + np.arange(len(free))])
        return csr_array((np.ones(len(entries)), entries, starts), shape=(self.columns, len(self.atom_of)))

    @cached_property
    def weights(self) -> FloatArray:
        """What withholding each cell costs: all its figures together."""
        found: FloatArray = np.bincount(self.cell_of, self.tables.weights, self.many).astype(float)
        return found

    @cached_property
    def sensitive(self) -> BoolArray:
        """Which cells rules call sensitive."""
        return np.bincount(self.cell_of, self.tables.sensitive, self.many) > 0

    @cached_property
    def base(self) -> FloatArray:
        """A table of base cells with the true figures: the true one, where it is known."""
        cells = self.tables.base_cells
        if cells is not None:
            return cells.astype(float)
        publication = self.tables.publication
        upper = [None if end >= UNBOUNDED else float(end) for end in publication.atom_upper.tolist()]
        found = _linprog(
            np.zeros(publication.size),
            A_eq=self.tables.matrix[self.first].astype(float),
            b_eq=self.tables.truth[self.first].astype(float),
            bounds=list(zip(publication.atom_lower.astype(float).tolist(), upper, strict=True)),
        )
        if found.x is None:
            raise RequestError("the figures contradict each other; `tables audit` says which")
        return np.asarray(found.x, float)

    @cached_property
    def values(self) -> FloatArray:
        """The value of each column."""
        found: FloatArray = self.matrix @ self.base
        found[: self.many] = self.tables.truth[self.first]
        return found

    @cached_property
    def down(self) -> FloatArray:
        """How far each column can go down, as far as is declared."""
        lower = self.tables.publication.atom_lower
        least = self.matrix @ np.where(lower <= -MAX_VALUE, -np.inf, lower.astype(float))
        found: FloatArray = np.maximum(self.values - least, 0)
        return found

    @cached_property
    def up(self) -> FloatArray:
        """How far each column can go up, as far as is declared."""
        upper = self.tables.publication.atom_upper
        most = self.matrix @ np.where(upper >= UNBOUNDED, np.inf, upper.astype(float))
        found: FloatArray = np.maximum(most - self.values, 0)
        return found

    @cached_property
    def equations(self) -> tuple[Equation, ...]:
        """All sums within tables: each is a reason to withhold two of its cells or none."""
        found = dict[tuple[int, bytes], Equation]()
        first = 0
        for table in self.tables.publication.tables:
            for parent, parts in self._within(table, first):
                if parent not in parts and (parts >= 0).all():
                    found.setdefault((parent, np.sort(parts).tobytes()), (parent, np.sort(parts)))
            first += len(table)
        return tuple(found.values())

    @cached_property
    def defining(self) -> tuple[Equation, ...]:
        """One equation for each cell of several base cells: together they say all that adding up says."""
        chosen = dict[int, IntArray]()
        for parent, parts in self.equations:
            if parent not in chosen or len(parts) < len(chosen[parent]):
                chosen[parent] = parts
        matrix = self.matrix
        for cell in range(self.many):
            atoms = matrix.indices[matrix.indptr[cell] : matrix.indptr[cell + 1]]
            if cell not in chosen and len(atoms) > 1:
                chosen[cell] = self.atom_of[atoms]
        return tuple(chosen.items())

    def _within(self, table: PublishedTable, first: int) -> Iterator[Equation]:
        """The sums along each dimension of one table."""
        places = np.full(tuple(map(len, table.labels)), -1)
        places[tuple(table.codes.T)] = self.cell_of[first : first + len(table)]
        for axis, name in enumerate(table.dimensions):
            own = next(each for each in self.tables.publication.used if each.name == name)
            known = {label: frozenset({place}) for place, label in enumerate(own.categories)}
            known |= {label: frozenset(members) for label, members in own.groups.items()}
            sets = [known[label] for label in table.labels[axis]]
            moved = np.moveaxis(places, axis, 0).reshape(len(sets), -1)
            for parent, children in _divided(sets):
                for line in np.flatnonzero(moved[parent] >= 0).tolist():
                    yield int(moved[parent, line]), moved[children, line]


def _divided(sets: list[frozenset[int]]) -> Iterator[tuple[int, list[int]]]:
    """Labels, and the largest others that they fall into, if these cover them and do not overlap."""
    order = sorted(range(len(sets)), key=lambda each: -len(sets[each]))
    for parent in order:
        if len(sets[parent]) > 1:
            left, children = set(sets[parent]), list[int]()
            for label in order:
                if len(sets[label]) < len(sets[parent]) and sets[label] <= left:
                    children.append(label)
                    left -= sets[label]
            if not left:
                yield parent, children
