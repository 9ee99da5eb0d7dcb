"""What a publication leaves possible for every base cell: the least count, and whether it can be empty.

A base cell is a full combination of categories, the whole record of a person as far as tables have it. A
count that is at least n in every table that fits is a claim about n people.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from noiseless.arrays import BoolArray, IntArray
from noiseless.tabulations.inference import infer
from noiseless.tabulations.integer_program import Deadline
from noiseless.tabulations.propagation import declared_bounds
from noiseless.tabulations.publication import Publication
from noiseless.tabulations.ranges import SumRanges


@dataclass(frozen=True, eq=False)
class BaseCells:
    """What is certain of all base cells.

    Attributes:
        least: the count that each has at least, proved.
        empty: whether each is empty for certain, proved.
        people: how many people there are at least, in all cells.
        decided: whether tables that fit show that no count is larger for certain, and no cell more empty.
    """

    least: IntArray
    empty: BoolArray
    people: int
    decided: bool


def base_cells(publication: Publication, deadline: Deadline) -> BaseCells:
    """What is certain of every base cell.

    Raises:
        ContradictionError: no table fits.
    """
    history = declared_bounds(publication)
    found = infer(publication, history, deadline)
    inside = found.constraints.atoms[found.in_network]
    whole = csr_array(np.ones((1, publication.size), np.int8))
    single = _rows(inside, publication.size)
    ranges = SumRanges(found, single)
    least, empty, decided = history.lower.copy(), history.upper == 0, not deadline.over
    for place, atom in enumerate(inside.tolist()):
        known = ranges[place]
        least[atom], empty[atom] = known.lower, known.upper == 0
        decided &= known.sharp or (known.least == known.lower and known.most != 0)
    for program in found.programs.values():
        decided &= bool(len(program.tables))
        for place, atom in enumerate(program.atoms.tolist()):
            form = np.array([place])
            if program.reached(form, False) != least[atom]:
                extreme = program.extreme(form, False, deadline)
                least[atom] = max(
                    int(least[atom]), int(least[atom]) if extreme.bound is None else extreme.bound
                )
                decided &= extreme.sharp
            if not empty[atom] and not program.reached(form, True):
                extreme = program.extreme(form, True, deadline)
                empty[atom] = extreme.bound == 0
                decided &= extreme.sharp or bool(extreme.reached)
    everybody = SumRanges(found, whole, sharp=False)[0]
    people = max(everybody.lower, int(least.sum()), _published_total(publication))
    return BaseCells(least, empty, people, decided)


def _published_total(publication: Publication) -> int:
    """The most people that figures of one table, none of which overlap, add up to at least."""
    most, begin = 0, 0
    for table in publication.tables:
        rows = publication.rows[begin : begin + len(table)]
        begin += len(table)
        taken, found = np.zeros(publication.size, bool), 0
        for row in np.argsort(-table.lower, kind="stable").tolist():
            atoms = rows.indices[rows.indptr[row] : rows.indptr[row + 1]]
            if not taken[atoms].any():
                taken[atoms] = True
                found += int(table.lower[row])
        most = max(most, found)
    return most


def _rows(atoms: IntArray, size: int) -> csr_array:
    starts = np.arange(len(atoms) + 1, dtype=np.int32)
    return csr_array((np.ones(len(atoms), np.int8), atoms.astype(np.int32), starts), shape=(len(atoms), size))
