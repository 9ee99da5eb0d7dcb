"""Figures that contradict each other: a set from which none can be left out.

The figures of a first proof (Farkas multipliers, traced to what they use) contradict each other. Then each is
left out in turn and stays out if the others still do: the deletion filter (Chinneck and Dravnieks 1991).
"""

from dataclasses import dataclass

import numpy as np

from noiseless.arrays import IntArray
from noiseless.tabulations.inference import ContradictionError
from noiseless.tabulations.integer_program import Deadline, IntegerProgram
from noiseless.tabulations.proofs import ProofWriter
from noiseless.tabulations.propagation import BoundHistory
from noiseless.tabulations.publication import Publication, RowName
from noiseless.tabulations.refutation import Refutation

_NOTHING = np.zeros(0, np.int64)


@dataclass(frozen=True)
class Contradiction:
    """Figures that contradict each other.

    Attributes:
        rows: their names.
        numbers: their numbers in the publication.
        proof: the proof that no table fits them; None if it was not finished in time.
        minimal: whether it is certain that none can be left out.
    """

    rows: tuple[RowName, ...]
    numbers: tuple[int, ...]
    proof: Refutation | None
    minimal: bool


def smallest_contradiction(
    publication: Publication, history: BoundHistory, error: ContradictionError, deadline: Deadline
) -> Contradiction:
    """Figures that contradict each other, none of which can be left out."""
    kept = _first(publication, history, error)
    size = max(1, len(kept) // 2)
    while size:
        place = 0
        while place < len(kept) and not deadline.over:
            fewer = kept[:place] + kept[place + size :]
            if _proof(publication, fewer, deadline) is None:
                place += size
            else:
                kept = fewer
        size //= 2
    proof = _proof(publication, kept, deadline)
    minimal = not deadline.over
    return Contradiction(tuple(map(publication.row_name, kept)), tuple(kept), proof, minimal)


def _first(publication: Publication, history: BoundHistory, error: ContradictionError) -> list[int]:
    """The figures of the proof that was found, and those that its bounds come from."""
    writer = ProofWriter(publication, history)
    if error.proof is not None:
        writer.refute((), None, None, error.proof)
    elif len(error.atoms) == 1:
        for side in ("lower", "upper"):
            writer.cell(int(error.atoms[0]), "lower" if side == "lower" else "upper", history.now)
    rows = list(writer.rows_used())
    return rows or list(range(len(publication.told_lower)))


def _proof(publication: Publication, rows: list[int], deadline: Deadline) -> Refutation | None:
    """The proof that no table fits some figures; None if one does, or time is over."""
    chosen = np.array(rows, np.int64)
    if not len(chosen):
        return None
    matrix = publication.rows[chosen]
    atoms: IntArray = np.unique(matrix.indices).astype(np.int64)
    program = IntegerProgram(
        chosen,
        atoms,
        matrix[:, atoms],
        publication.told_lower[chosen],
        publication.told_upper[chosen],
        publication.atom_lower[atoms],
        publication.atom_upper[atoms],
    )
    if program.find(_NOTHING, None, None, deadline):
        return None
    return program.refute(_NOTHING, None, None, deadline)
