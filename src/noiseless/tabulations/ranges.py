"""The possible values of many sums of base cells: sharp ends, and how many values there are between them.

A sum falls into pieces that are independent of each other: what is known, cells of the network, cells of each
integer program, cells that no figure is about. Its ends are the sums of the pieces' ends.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from noiseless.arrays import BoolArray, IntArray
from noiseless.tabulations.inference import Inference
from noiseless.tabulations.integer_program import Extreme, IntegerProgram
from noiseless.tabulations.laminar import matrix_of
from noiseless.tabulations.network import Network
from noiseless.tabulations.proofs import ProofWriter
from noiseless.tabulations.publication import UNBOUNDED
from noiseless.tabulations.refutation import Multipliers, Refutation, lower_leaf, upper_leaf
from noiseless.tabulations.value_count import ValueCount, is_wide

_BATCH = 64


@dataclass(frozen=True, slots=True)
class Range:
    """The possible values of one sum.

    Attributes:
        lower: the least value that is not excluded.
        upper: the largest, None if there is none.
        least: the least value that a table shows, or one that it is not above for certain.
        most: the largest that one shows, or one that it is not below; None if they grow without end.
        values: how many values are possible, None where that is not counted or there is no end.
        varies: whether tables with different values exist, whatever they are.
    """

    lower: int
    upper: int | None
    least: int
    most: int | None
    values: int | None
    varies: bool

    @property
    def sharp(self) -> bool:
        """Whether tables show both ends."""
        return self.lower == self.least and self.upper == self.most

    @classmethod
    def solid(cls, lower: int, upper: int | None) -> "Range":
        """A range without holes."""
        values = None if upper is None else upper - lower + 1
        return cls(lower, upper, lower, upper, values, lower != upper)

    def __add__(self, other: "Range") -> "Range":
        """The sum of two independent ranges: without holes if one is, and bridges those of the other."""
        upper, most = (
            None if a is None or b is None else a + b
            for a, b in ((self.upper, other.upper), (self.most, other.most))
        )
        lower, least = self.lower + other.lower, self.least + other.least
        values = None
        if 1 in {self.values, other.values}:
            values = max(self.values or 0, other.values or 0) or None
            values = None if None in {self.values, other.values} else values
        elif upper is not None and self.full and other.full:
            values = upper - lower + 1
        return Range(lower, upper, least, most, values, self.varies or other.varies)

    @property
    def full(self) -> bool:
        """Whether every integer between the ends is possible, and known to be."""
        return self.sharp and self.upper is not None and self.values == self.upper - self.lower + 1


class _Pieces(NamedTuple):
    """A sum's arc in the network and its cells there, cells by themselves, and cells of integer programs."""

    arc: int | None
    inside: IntArray
    loose: IntArray
    parts: list[tuple[int, IntArray]]


class SumRanges:
    """The ranges of the rows of a matrix over base cells, and their proofs.

    Args:
        found: what was inferred of the base cells.
        sums: a row a sum.
        exact: sums that are published as they are, and need no inference; None if none is.
        sharp: whether ends are wanted, or only whether a sum varies.
    """

    def __init__(
        self, found: Inference, sums: csr_array, *, exact: BoolArray | None = None, sharp: bool = True
    ) -> None:
        self.found, self.sums = found, sums
        history, size = found.history, found.publication.size
        self._place = np.full(size, -1)
        self._place[found.constraints.atoms] = np.arange(len(found.constraints.atoms))
        self._arc = np.full(size, -1)
        inside = found.constraints.atoms[found.in_network]
        self._arc[inside] = np.arange(len(inside))
        linked = np.zeros(len(found.constraints.atoms), bool)
        linked[found.constraints.matrix.indices] = True
        self._loose = ~linked
        asked = np.arange(sums.shape[0]) if exact is None else np.flatnonzero(~exact)
        chosen = sums if exact is None else sums[asked]
        free = history.lower < history.upper
        self._free_counts, self.known = np.zeros((2, sums.shape[0]), np.int64)
        self._free_counts[asked] = chosen.astype(np.int32) @ free
        self.known[asked] = chosen.astype(np.int64) @ np.where(free, 0, history.lower)
        self._ranges: dict[tuple[int, bytes, bool], Range] = {}
        if exact is not None:
            self.known[exact] = found.publication.told_lower[np.flatnonzero(exact)]
        self._extremes: dict[tuple[int, bytes, bool], Extreme] = {}
        self.holes: dict[tuple[int, bytes], dict[int, Refutation]] = {}
        self._sum_arc: dict[int, int] = {}
        self.network = self._network()
        self._fixed: BoolArray | None = None
        self._complete = self.network is None
        self.sharp = sharp
        if self.network is not None:
            if sharp:
                self._extend(self.network)
            else:
                self._fixed = self.network.fixed()

    def free_atoms(self, number: int) -> IntArray:
        """The cells of a sum that are not known; none, if the sum itself is."""
        if not self._free_counts[number]:
            return np.zeros(0, np.int64)
        atoms = self.sums.indices[self.sums.indptr[number] : self.sums.indptr[number + 1]]
        return atoms[self.found.history.lower[atoms] < self.found.history.upper[atoms]].astype(np.int64)

    def _network(self) -> Network | None:
        """The network with an arc for each sum of several of its cells, as far as families stay laminar."""
        found = self.found
        asked, rows = list[int](), list[IntArray]()
        for number in np.flatnonzero(self._free_counts > 1).tolist():
            arcs = self._arc[self.free_atoms(number)]
            if np.count_nonzero(arcs >= 0) > 1:
                asked.append(number)
                rows.append(np.sort(arcs[arcs >= 0]))
        network, placed = found.network(matrix_of(rows, int(found.in_network.sum())))
        if network is not None:
            first = network.cells + network.figures - len(placed)
            self._sum_arc = {asked[place]: first + order for order, place in enumerate(placed.tolist())}
        return network

    def _extend(self, network: Network) -> None:
        """Bring every arc that is asked for to both of its ends."""
        single = self._arc[self._only_atoms(np.flatnonzero(self._free_counts == 1))]
        arcs = set(single[single >= 0].tolist()) | set(self._sum_arc.values())
        for number in np.flatnonzero(self._free_counts > 1).tolist():
            inside = self._arc[self.free_atoms(number)]
            if np.count_nonzero(inside >= 0) == 1:
                arcs.add(int(inside.max()))
        order = np.array(sorted(arcs), np.int64)
        for up in (True, False):
            for begin in range(0, len(order), _BATCH):
                if self.found.deadline.over:
                    return
                batch = order[begin : begin + _BATCH]
                ends = network.high if up else network.low
                seen = network.most if up else network.least
                batch = batch[seen[batch] != ends[batch]]
                network.extend(batch, np.full(len(batch), up), ends[batch])
        self._complete = True

    # Which sums are known

    def known_sums(self) -> BoolArray:
        """Which sums have one value for certain; all at once where they are one cell."""
        found: BoolArray = self._free_counts == 0
        single = np.flatnonzero(self._free_counts == 1)
        if self.network is not None and self._complete | (self._fixed is not None):
            arcs = self._arc[self._only_atoms(single)]
            still = self._fixed if self._fixed is not None else self.network.least == self.network.most
            inside = arcs >= 0
            found[single[inside]] = still[arcs[inside]]
            single = single[~inside]
        for number in [*single.tolist(), *np.flatnonzero(self._free_counts > 1).tolist()]:
            piece = self.ends(number)
            found[number] = piece.lower == piece.upper
        return found

    def undecided(self, asked: BoolArray) -> bool:
        """Whether the ends of a sum (or, if they are not wanted, whether it varies) are not known.

        Nothing is known as long as no table was found that fits.
        """
        if not all(len(program.tables) for program in self.found.programs.values()):
            return True
        single = np.flatnonzero(asked & (self._free_counts == 1))
        if self.network is not None and (self._complete or self._fixed is not None):
            single = single[self._arc[self._only_atoms(single)] < 0]
        numbers = [*single.tolist(), *np.flatnonzero(asked & (self._free_counts > 1)).tolist()]
        for number in numbers:
            found = self.ends(number)
            if not (found.sharp if self.sharp else found.varies or found.lower == found.upper):
                return True
        return False

    def _only_atoms(self, numbers: IntArray) -> IntArray:
        """The one cell of each sum that is not known."""
        history = self.found.history
        if not len(numbers):
            return numbers
        entries = np.flatnonzero((history.lower < history.upper)[self.sums.indices])
        return self.sums.indices[entries[np.searchsorted(entries, self.sums.indptr[numbers])]].astype(
            np.int64
        )

    # Ranges, one by one

    def __getitem__(self, number: int) -> Range:
        """The range of a sum."""
        return self.ends(number, counted=True)

    def ends(self, number: int, *, counted: bool = False) -> Range:
        """The range of a sum, whose values are not counted unless that is asked for."""
        known = Range.solid(int(self.known[number]), int(self.known[number]))
        return reduce(Range.__add__, self._pieces(number, counted), known)

    def _pieces(self, number: int, counted: bool) -> list[Range]:
        cut = self._cut(number)
        history = self.found.history
        pieces = [] if cut.arc is None else [self._of_arc(cut.arc, cut.inside)]
        pieces += [
            Range.solid(int(history.lower[atom]), _end(history.upper[atom])) for atom in cut.loose.tolist()
        ]
        return pieces + [self._of_program(part, atoms, counted) for part, atoms in cut.parts]

    def _cut(self, number: int) -> _Pieces:
        """The pieces of a sum."""
        atoms = self.free_atoms(number)
        inside, others = atoms[self._arc[atoms] >= 0], atoms[self._arc[atoms] < 0]
        arc = int(self._arc[inside[0]]) if len(inside) == 1 else self._sum_arc.get(number)
        loose = self._loose[self._place[others]]
        linked = others[~loose] if arc is not None else np.sort(np.r_[inside, others[~loose]])
        parts = self.found.part[self._place[linked]]
        return _Pieces(
            arc, inside, others[loose], [(int(part), linked[parts == part]) for part in np.unique(parts)]
        )

    # What witnesses must show

    def atoms(self, number: int) -> IntArray:
        """All cells of a sum."""
        return self.sums.indices[self.sums.indptr[number] : self.sums.indptr[number + 1]].astype(np.int64)

    def loose_atoms(self) -> IntArray:
        """The cells that no figure says anything about beyond their bounds."""
        return self.found.constraints.atoms[self._loose]

    def arc_ends(self, number: int) -> Iterator[tuple[int, int, int | None]]:
        """The arc of a sum, its least flow, and its largest (None if there is no end)."""
        cut = self._cut(number)
        if cut.arc is not None:
            found = self._of_arc(cut.arc, cut.inside)
            yield cut.arc, found.least, found.most

    def form_values(self, number: int) -> Iterator[tuple[int, IntArray, list[int]]]:
        """The pieces of a sum in integer programs: places there, and the values that tables show."""
        for part, atoms in self._cut(number).parts:
            program, form = self.form(part, atoms)
            shown = set(program.values(form).tolist())
            found = self._of_program(part, atoms, True)
            wanted = shown if found.values is not None and not _is_wide(found) else {found.least, found.most}
            yield part, form, sorted(value for value in wanted & shown if value is not None)

    def count_is_shown(self, number: int) -> bool:
        """Whether a certificate can show how many values a sum has: by families alone, or one by one."""
        cut = self._cut(number)
        single = len(cut.parts) == 1 and cut.arc is None and not len(cut.loose)
        return not cut.parts or (single and not _is_wide(self.ends(number)))

    def extreme_pieces(self, number: int, up: bool) -> Iterator[tuple[IntArray, IntArray]]:
        """Cells and values that bring all pieces of a sum to their ends at once."""
        cut, found = self._cut(number), self.found
        if cut.arc is not None and self.network is not None:
            goal = (self.network.most if up else self.network.least)[[cut.arc]]
            self.network.extend(np.array([cut.arc]), np.array([up]), goal)
            yield found.constraints.atoms[found.in_network], self.network.flow[: self.network.cells].copy()
        yield cut.loose, (found.history.upper if up else found.history.lower)[cut.loose]
        for part, atoms in cut.parts:
            program, form = self.form(part, atoms)
            values = program.values(form)
            yield program.atoms, program.tables[int(values.argmax() if up else values.argmin())]

    def _of_arc(self, arc: int, atoms: IntArray) -> Range:
        network, history = self.network, self.found.history
        assert network is not None  # noqa: S101 - an arc is in a network
        lower, upper = int(history.lower[atoms].sum()), None
        if (history.upper[atoms] < UNBOUNDED).all():
            upper = int(history.upper[atoms].sum())
        if self._fixed is not None:
            if self._fixed[arc]:
                return Range.solid(int(network.flow[arc]), int(network.flow[arc]))
            return Range(lower, upper, int(network.flow[arc]), int(network.flow[arc]), None, True)
        least, most = int(network.least[arc]), int(network.most[arc])
        if not self._complete:
            return Range(lower, upper, least, most if upper is not None else None, None, least < most)
        return Range.solid(least, None if upper is None else most)

    def form(self, part: int, atoms: IntArray) -> tuple[IntegerProgram, IntArray]:
        """The integer program of a part, and atoms as places in it."""
        program = self.found.program(part)
        return program, np.sort(np.searchsorted(program.atoms, atoms))

    def extreme(self, part: int, form: IntArray, up: bool) -> Extreme:
        """The extreme of a sum within one integer program, found once."""
        key = part, form.tobytes(), up
        if key not in self._extremes:
            self._extremes[key] = self.found.program(part).extreme(form, up, self.found.deadline)
        return self._extremes[key]

    def _of_program(self, part: int, atoms: IntArray, counted: bool) -> Range:
        key = part, atoms.tobytes(), counted
        if key not in self._ranges:
            found = self._found_in_program(part, atoms, counted)
            if not len(self.found.program(part).tables):
                return found  # a table may still be found
            self._ranges[key] = found
        return self._ranges[key]

    def _found_in_program(self, part: int, atoms: IntArray, counted: bool) -> Range:
        program, form = self.form(part, atoms)
        lower, low = int(program.lower[form].sum()), self.extreme(part, form, False)
        bounded = bool((program.upper[form] < UNBOUNDED).all())
        high = self.extreme(part, form, True) if bounded else None
        least, most = program.reached(form, False), program.reached(form, True)
        lower = max(lower, lower if low.bound is None else low.bound)
        if high is None:
            return Range(lower, None, UNBOUNDED if least is None else least, None, None, least is not None)
        upper = int(program.upper[form].sum())
        upper = min(upper, upper if high.bound is None else high.bound)
        if least is None or most is None:  # no table yet: all that is known is that it lies within the bounds
            return Range(lower, upper, upper, lower, None, False)
        sharp = (lower, upper) == (least, most)
        values = self._count(part, form, lower, upper) if counted and sharp else None
        return Range(lower, upper, least, most, values, least < most)

    # Proofs

    def prove(self, number: int, writer: ProofWriter) -> None:
        """Write down why both ends of a sum, and its holes, are what they are."""
        found = self[number]
        self._prove_end(number, False, found.lower, writer)
        if found.upper is not None:
            self._prove_end(number, True, found.upper, writer)
        if found.upper is None or found.values in {None, found.upper - found.lower + 1}:
            return
        if not self.count_is_shown(number):
            return
        (part, inside), *_ = self._cut(number).parts
        shift = int(self.known[number])
        for value, proof in self.holes[part, self.form(part, inside)[1].tobytes()].items():
            writer.refute(self.atoms(number).tolist(), value + shift, value + shift, proof)

    def _prove_end(self, number: int, up: bool, value: int, writer: ProofWriter) -> None:
        cut, leaf_of = self._cut(number), upper_leaf if up else lower_leaf
        rows: Multipliers = ()
        if cut.arc is not None and self.network is not None:
            names = self.found.network_rows
            rows = tuple((int(names[k]), weight) for k, weight in self.network.cut(cut.arc, up))
        proofs = [(atoms, *self._proof(part, atoms, up)) for part, atoms in cut.parts]
        if len(proofs) == 1 and not rows:
            writer.bound(self.atoms(number).tolist(), up, value, proofs[0][2])
            return
        for atoms, bound, proof in proofs:
            if proof != leaf_of(()):
                rows += ((writer.bound(atoms.tolist(), up, bound, proof), 1 if up else -1),)
        writer.bound(self.atoms(number).tolist(), up, value, leaf_of(rows))

    def _proof(self, part: int, atoms: IntArray, up: bool) -> tuple[int, Refutation]:
        """The bound of a piece within an integer program, and why."""
        program, form = self.form(part, atoms)
        simple = int((program.upper if up else program.lower)[form].sum())
        known = self.extreme(part, form, up)
        better = known.bound is not None and (known.bound < simple if up else known.bound > simple)
        if better and known.bound is not None and known.proof is not None:
            return known.bound, known.proof
        return simple, (upper_leaf if up else lower_leaf)(())

    def _count(self, part: int, form: IntArray, lower: int, upper: int) -> int | None:
        """How many values a sum takes; None if that is not decided."""
        if lower == upper:
            return 1
        holes = self.holes.setdefault((part, form.tobytes()), {})
        return ValueCount(self.found.program(part), form, (lower, upper), holes).count(self.found.deadline)


def _is_wide(found: Range) -> bool:
    return found.upper is not None and is_wide(found.lower, found.upper)


def _end(upper: int) -> int | None:
    return None if upper >= UNBOUNDED else int(upper)
