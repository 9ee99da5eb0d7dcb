"""What contributors know together before they read a publication: their own amounts in its base cells."""

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csc_array

from noiseless.arrays import BoolArray, IntArray
from noiseless.tabulations.propagation import BoundHistory
from noiseless.tabulations.publication import Publication

OwnCells = tuple[IntArray, IntArray, BoolArray]
"""The base cells of a coalition, its amounts there, and whether nobody else contributes."""


def own_cells(amounts: csc_array, givers: IntArray, members: Sequence[int]) -> OwnCells:
    """What a coalition knows of base cells.

    Args:
        amounts: base cells x contributors.
        givers: how many contribute to each base cell.
        members: the coalition.
    """
    parts = [slice(amounts.indptr[who], amounts.indptr[who + 1]) for who in members]
    atoms = np.concatenate([amounts.indices[part] for part in parts]).astype(np.int64)
    mine, place, many = np.unique(atoms, return_inverse=True, return_counts=True)
    own = np.zeros(len(mine), np.int64)
    np.add.at(own, place, np.concatenate([amounts.data[part] for part in parts]).astype(np.int64))
    return mine, own, many == givers[mine]


def narrowed(public: BoundHistory, known: OwnCells) -> BoundHistory:
    """The bounds that everybody knows, and what a coalition knows besides."""
    history, (mine, own, alone) = BoundHistory(public.lower.copy(), public.upper.copy()), known
    history.lower[mine] = np.maximum(history.lower[mine], own)
    history.lower[mine[alone]] = history.upper[mine[alone]] = own[alone]
    return history


def fitting(tables: IntArray, known: OwnCells) -> BoolArray:
    """Which tables agree with what a coalition knows."""
    mine, own, alone = known
    cells = tables[:, mine]
    found: BoolArray = np.all(cells >= own, axis=1) & np.all(~alone | (cells == own), axis=1)
    return found


def true_to(publication: Publication, tables: Sequence[IntArray]) -> IntArray:
    """The tables that a publication leaves possible."""
    every = np.array(tables, np.int64).reshape(len(tables), publication.size)
    sums = (publication.rows.astype(np.int64) @ every.T).T
    fits = np.all((publication.atom_lower <= every) & (every <= publication.atom_upper), axis=1)
    fits &= np.all((publication.told_lower <= sums) & (sums <= publication.told_upper), axis=1)
    return every[fits]
