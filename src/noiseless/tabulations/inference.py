"""What a publication says about sums of base cells: the sharp interval of each, and whether it has holes.

Bounds are propagated first; cells that no figure links are independent parts. Parts whose figures are two
laminar families are one network, solved exactly by flows. The others are linear programs, whose rounded
bounds are propagated again, and then integer programs.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array, vstack

from noiseless.arrays import BoolArray, IntArray
from noiseless.errors import NoiselessError
from noiseless.tabulations.integer_program import Deadline, IntegerProgram
from noiseless.tabulations.laminar import components, implied_rows, rows_within, two_families
from noiseless.tabulations.network import Network
from noiseless.tabulations.propagation import BoundHistory, FreeRows, Side, propagate
from noiseless.tabulations.publication import UNBOUNDED, Publication
from noiseless.tabulations.refutation import Leaf, Multipliers, Refutation


class ContradictionError(NoiselessError):
    """No table of integers fits the publication; `proof` says so, with all bounds of the history."""

    def __init__(self, proof: Refutation | None, atoms: IntArray) -> None:
        super().__init__("the published figures contradict each other")
        self.proof = proof
        self.atoms = atoms


@dataclass(eq=False)
class Inference:
    """Bounds of base cells, and the parts that they fall into.

    Attributes:
        publication: what is published.
        history: the bounds, and how they came about.
        deadline: when work is given up.
        constraints: the figures that say more than the bounds do, over the cells that are not known.
        part: for each of these cells the number of its part.
        programs: the parts that are integer programs, by their number; others are made when asked for.
        in_network: whether each of these cells is in a part of the network.
        implied: figures that follow from others, and these; they are not among the constraints.
    """

    publication: Publication
    history: BoundHistory
    deadline: Deadline
    constraints: FreeRows
    part: IntArray
    programs: dict[int, IntegerProgram]
    in_network: BoolArray
    implied: dict[int, list[int]]

    def program(self, part: int) -> IntegerProgram:
        """A part as an integer program."""
        if part not in self.programs:
            self.programs[part] = _program(self.constraints, self.part == part, self.history)
        return self.programs[part]

    def network(self, sums: csr_array) -> tuple[Network | None, IntArray]:
        """The network of all parts that are two laminar families, and which sums of its cells are in it.

        Sums that cross in an odd circle are left out: then the others and the figures are two families.

        Raises:
            ContradictionError: no table of integers fits.
        """
        rows, inside = self.constraints, self.in_network
        if not inside.any():
            return None, np.zeros(0, np.int64)
        keep, atoms = rows_within(rows.matrix, inside), rows.atoms[inside]
        figures, placed = rows.matrix[keep][:, inside], np.arange(sums.shape[0])
        matrix = csr_array(vstack([figures, sums], format="csr"))
        families = two_families(matrix)
        if (families.family < 0).any():
            placed = np.flatnonzero(families.family[figures.shape[0] :] >= 0)
            matrix = csr_array(vstack([figures, sums[placed]], format="csr"))
            families = two_families(matrix)
        open_ends = np.full(len(placed), UNBOUNDED)
        network = Network.of(
            matrix,
            families,
            (self.history.lower[atoms], self.history.upper[atoms]),
            (np.r_[rows.lower[keep], -open_ends], np.r_[rows.upper[keep], open_ends]),
        )
        if not network.feasible():
            program = _program(rows, inside, self.history)
            raise ContradictionError(_contradiction(program, self.deadline), program.atoms)
        return network, placed

    @property
    def network_rows(self) -> IntArray:
        """The figures of the network, by their number in the publication."""
        return self.constraints.rows[rows_within(self.constraints.matrix, self.in_network)]


def infer(publication: Publication, history: BoundHistory, deadline: Deadline) -> Inference:
    """Propagate, split into parts, and improve the bounds of integer programs until nothing moves.

    Raises:
        ContradictionError: no table of integers fits.
    """
    before = dict[int, IntegerProgram]()
    while True:
        free = propagate(publication, history)
        if (atom := history.contradiction) is not None:
            raise ContradictionError(None, np.array([atom]))
        if free.broken:
            raise ContradictionError(Leaf(0, free.broken), np.zeros(0, np.int64))
        found = _split(publication, history, deadline, free.chosen(free.told_more(history)))
        for program in found.programs.values():
            if (earlier := before.get(int(program.atoms[0]))) is not None:
                places = np.searchsorted(earlier.atoms, program.atoms)
                for table in earlier.tables:
                    program.remember(table[places].astype(float))
        better = [_sweep(found, program) for program in found.programs.values()]
        if deadline.over or not any(better):
            return found
        before = {int(atom): program for program in found.programs.values() for atom in program.atoms}


def _split(publication: Publication, history: BoundHistory, deadline: Deadline, rows: FreeRows) -> Inference:
    """Parts that are two laminar families go into the network; each other is a program of its own."""
    follow = implied_rows(rows.matrix, rows.lower, rows.upper)
    implied = {int(rows.rows[row]): rows.rows[parts].tolist() for row, parts in follow.items()}
    rows = rows.chosen(~np.isin(np.arange(len(rows.rows)), list(follow)))
    matrix = rows.matrix
    linked = np.zeros(matrix.shape[1], bool)
    linked[matrix.indices] = True
    part = components(matrix)
    odd = np.zeros(int(part.max(initial=0)) + 1, bool)
    crossing = two_families(matrix).family < 0
    odd[part[matrix.indices[matrix.indptr[:-1][crossing]]]] = True
    found = Inference(publication, history, deadline, rows, part, {}, linked & ~odd[part], implied)
    for label in np.flatnonzero(odd):
        found.program(int(label))
    return found


def _program(rows: FreeRows, inside: BoolArray, history: BoundHistory) -> IntegerProgram:
    """The integer program of one part."""
    keep = rows_within(rows.matrix, inside)
    atoms = rows.atoms[inside]
    return IntegerProgram(
        rows.rows[keep],
        atoms,
        rows.matrix[keep][:, inside],
        rows.lower[keep],
        rows.upper[keep],
        history.lower[atoms],
        history.upper[atoms],
    )


def _contradiction(program: IntegerProgram, deadline: Deadline) -> Refutation | None:
    return program.refute(np.zeros(0, np.int64), None, None, deadline)


def _sweep(found: Inference, program: IntegerProgram) -> bool:
    """Improve the bounds of a program's cells by linear programs; whether any bound is better now.

    Raises:
        ContradictionError: no table of integers fits.
    """
    if not len(program.tables) and not program.find(np.zeros(0, np.int64), None, None, found.deadline):
        proof = _contradiction(program, found.deadline)
        if proof is not None:
            raise ContradictionError(proof, program.atoms)
    better: dict[Side, list[tuple[int, int, Multipliers]]] = {"lower": [], "upper": []}
    for place, atom in enumerate(program.atoms):
        form = np.array([place])
        for up in (False, True):
            ends = program.upper if up else program.lower
            if found.deadline.over or program.reached(form, up) == ends[place] or ends[place] >= UNBOUNDED:
                continue
            bound, leaf = program.relaxed(form, up)
            if (
                bound is not None
                and leaf is not None
                and (bound < ends[place] if up else bound > ends[place])
            ):
                better["upper" if up else "lower"].append((int(atom), bound, leaf.rows))
    for end, changes in better.items():
        atoms, values = (np.array([each[k] for each in changes], np.int64) for k in (0, 1))
        found.history.improve(end, atoms, values, [each[2] for each in changes])
    return any(better.values())
