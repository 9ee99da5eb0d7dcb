"""Contributors who are alone in base cells: they know these cells, and must not learn others from them.

The exact audit looks at all contributors and coalitions, whatever this finds; those found here spare rounds.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csc_array, csr_array

from noiseless.arrays import BoolArray, FloatArray, IntArray
from noiseless.tabulations.protection.attacker import AttackRequirement
from noiseless.tabulations.protection.cells import TableCells
from noiseless.tabulations.protection.combined_cuts import SuppressionCut

_EACH = 3
"""Cells of one contributor that are looked into in one round."""


@dataclass(frozen=True, eq=False)
class Insider:
    """A contributor who is alone somewhere.

    Attributes:
        atoms: the base cells where nobody else is.
        columns: their columns.
        others: the sensitive cells that others contribute to.
    """

    atoms: IntArray
    columns: IntArray
    others: BoolArray

    def requirement(self, cell: int) -> AttackRequirement:
        """The insider must not know a cell exactly."""
        nothing = np.zeros(len(self.atoms))
        return AttackRequirement(cell, 1.0, (1, -1), self.atoms, nothing, nothing)


class LoneContributors:
    """All who are alone in a base cell, those with the same cells once.

    Args:
        cells: the cells of the tables.
    """

    def __init__(self, cells: TableCells) -> None:
        self.cells = cells

    @cached_property
    def every(self) -> tuple[Insider, ...]:
        """The insiders."""
        amounts, publication = self.cells.tables.adversaries, self.cells.tables.publication
        if amounts is None:
            return ()
        present = amounts.matrix(publication)
        present.sum_duplicates()
        present.data = np.ones_like(present.data)
        givers, columns = np.diff(present.indptr), csc_array(present)
        sensitive = np.flatnonzero(self.cells.sensitive)
        shares = csc_array(self.cells.matrix[sensitive] @ present)
        many = np.diff(csr_array(shares).indptr)
        found = dict[bytes, Insider]()
        for who in np.unique(present.indices[present.indptr[:-1][givers == 1]]).tolist():
            atoms = columns.indices[columns.indptr[who] : columns.indptr[who + 1]].astype(np.int64)
            atoms = np.sort(atoms[givers[atoms] == 1])
            mine = shares.indices[shares.indptr[who] : shares.indptr[who + 1]]
            others = np.zeros(self.cells.many, bool)
            others[sensitive] = True
            others[sensitive[mine[many[mine] == 1]]] = False
            found.setdefault(atoms.tobytes(), Insider(atoms, self.cells.atom_of[atoms], others))
        return tuple(found.values())

    def first_cuts(self) -> Iterator[SuppressionCut]:
        """In an equation, a sensitive cell beside cells that an insider knows needs another one."""
        by_column = dict[int, list[Insider]]()
        for insider in self.every:
            for column in insider.columns.tolist():
                by_column.setdefault(column, []).append(insider)
        sensitive = self.cells.sensitive
        for parent, parts in self.cells.equations:
            members = np.r_[parent, parts]
            hidden = members[sensitive[members]]
            free = members[~sensitive[members]]
            for known in {
                id(each): each for cell in hidden.tolist() for each in by_column.get(cell, [])
            }.values():
                left = hidden[~np.isin(hidden, known.columns)]
                if len(left) == 1 and known.others[left[0]]:
                    chosen = free[~np.isin(free, known.columns)]
                    yield SuppressionCut(chosen, np.ones(len(chosen)))

    def doubtful(self, pattern: BoolArray, supports: BoolArray) -> Iterator[AttackRequirement]:
        """What insiders may know of a pattern: cells that no move shows which leaves their own cells alone.

        Args:
            pattern: the cells that are withheld.
            supports: moves x columns: where moves differ that the pattern leaves possible.
        """
        hidden = np.r_[pattern, np.ones(self.cells.columns - self.cells.many, bool)]
        for insider in self.every:
            own = insider.columns[hidden[insider.columns]]
            if len(own):
                beside = ~np.asarray(supports[:, own].any(axis=1))
                shown = np.asarray(supports[beside].any(axis=0))[: self.cells.many]
                for cell in np.flatnonzero(insider.others & ~shown)[:_EACH].tolist():
                    yield insider.requirement(cell)


def whole_tables(cells: TableCells, moves: list[FloatArray]) -> IntArray:
    """Tables of base cells that differ from the true one by moves, as far as these are whole numbers."""
    base = cells.tables.base_cells
    if base is None or not moves:
        return np.zeros((0, cells.tables.publication.size), np.int64)
    steps = np.array(moves)[:, cells.atom_of]
    whole = np.abs(steps - np.rint(steps)).max(axis=1, initial=0) < 1e-6  # noqa: PLR2004 - floats
    found: IntArray = base + np.rint(steps[whole]).astype(np.int64)
    return found
