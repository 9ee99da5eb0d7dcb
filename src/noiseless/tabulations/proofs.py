"""Proofs written down in an order in which each line needs only lines before it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from noiseless.tabulations.propagation import BoundHistory, Improvement, Side
from noiseless.tabulations.publication import UNBOUNDED, Publication
from noiseless.tabulations.refutation import (
    Ends,
    Leaf,
    LeafRemainder,
    Refutation,
    leaves,
    lower_leaf,
    upper_leaf,
)


@dataclass(frozen=True)
class Step:
    """A line of a proof: a sum of base cells is not in an interval.

    Attributes:
        atoms: the base cells.
        begin: the interval's lower end, None if it has none.
        end: its upper end, None if it has none.
        proof: why.
    """

    atoms: tuple[int, ...]
    begin: int | None
    end: int | None
    proof: Refutation

    def to_json(self) -> list[Any]:
        """As it is in a certificate."""
        return [list(self.atoms), self.begin, self.end, self.proof.to_json()]


@dataclass(eq=False)
class ProofWriter:
    """Collects lines: those asked for, and those that they need.

    A sum that was bounded by a line can be used like a figure: its number is that of the line, after all
    figures of the publication.
    """

    publication: Publication
    history: BoundHistory
    steps: list[Step] = field(default_factory=list)
    _written: set[tuple[int, Side, int]] = field(default_factory=set)
    _single: set[int] = field(default_factory=set)

    def bound(self, atoms: Sequence[int], up: bool, value: int, proof: Refutation) -> int:
        """Write that a sum is at most (at least) a value; the number by which later lines can use it.

        What the bounds of its cells say by themselves needs no line.
        """
        if proof in {upper_leaf(()), lower_leaf(())}:
            self.need(atoms, (0, 0), proof)
            return -1
        begin, end = (value + 1, None) if up else (None, value - 1)
        return self.refute(atoms, begin, end, proof)

    def refute(self, atoms: Sequence[int], begin: int | None, end: int | None, proof: Refutation) -> int:
        """Write that a sum is not in an interval."""
        self.need(atoms, (begin, end), proof)
        self.steps.append(Step(tuple(map(int, atoms)), begin, end, proof))
        return len(self.publication.told_lower) + len(self.steps) - 1

    def need(self, atoms: Sequence[int], ends: Ends, proof: Refutation) -> None:
        """Write the bounds of cells that a proof uses."""
        for atom, side in self._used(atoms, ends, proof):
            self.cell(atom, side, self.history.now)

    def cell(self, atom: int, side: Side, before: int) -> None:
        """Write why a cell has the bound that it had before a round."""
        pending = [self.history.reason(atom, side, before)]
        while pending:
            reason = pending[-1]
            if reason is None or (reason.atom, reason.side, reason.round) in self._written:
                pending.pop()
                continue
            missing = [
                other
                for other in self._reasons(reason)
                if other is not None and (other.atom, other.side, other.round) not in self._written
            ]
            if missing:
                pending += missing
                continue
            pending.pop()
            self._written.add((reason.atom, reason.side, reason.round))
            if len(reason.multipliers) == 1 and len(self.members(reason.multipliers[0][0])) == 1:
                self._single.add(reason.multipliers[0][0])  # a figure about one cell is its bound
            else:
                self.steps.append(Step((reason.atom,), *_ends(reason), _leaf(reason)))

    def _reasons(self, step: Improvement) -> Iterable[Improvement | None]:
        for atom, side in self._used((step.atom,), _ends(step), _leaf(step)):
            yield self.history.reason(atom, side, step.round)

    def _used(self, atoms: Sequence[int], ends: Ends, proof: Refutation) -> set[tuple[int, Side]]:
        """The bounds of cells that the leaves of a proof use."""
        used = set[tuple[int, Side]]()
        for leaf in leaves(proof):
            members = {row: self.members(row) for row, _ in leaf.rows}
            told = {row: self.told(row) for row, _ in leaf.rows}
            remainder = LeafRemainder.of(leaf, atoms, ends, members, told)
            if remainder is not None:
                used |= {
                    (atom, "upper" if weight > 0 else "lower") for atom, weight in remainder.weights.items()
                }
        return used

    def members(self, row: int) -> Sequence[int]:
        """The base cells of a figure, or of a line."""
        matrix = self.publication.rows
        if row < matrix.shape[0]:
            found: list[int] = matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]].tolist()
            return found
        return self.steps[row - matrix.shape[0]].atoms

    def told(self, row: int) -> Ends:
        """What a figure is published to be, or what a line has shown of its sum."""
        many = len(self.publication.told_lower)
        if row < many:
            high = int(self.publication.told_upper[row])
            return int(self.publication.told_lower[row]), None if high >= UNBOUNDED else high
        step = self.steps[row - many]
        if step.end is None:
            return None, None if step.begin is None else step.begin - 1
        return step.end + 1, None

    def rows_used(self) -> tuple[int, ...]:
        """The figures that the lines use."""
        many = len(self.publication.told_lower)
        used = {row for step in self.steps for leaf in leaves(step.proof) for row, _ in leaf.rows}
        return tuple(sorted({row for row in used if row < many} | self._single))


def _leaf(step: Improvement) -> Leaf:
    return (upper_leaf if step.side == "upper" else lower_leaf)(step.multipliers)


def _ends(step: Improvement) -> Ends:
    return (step.value + 1, None) if step.side == "upper" else (None, step.value - 1)
