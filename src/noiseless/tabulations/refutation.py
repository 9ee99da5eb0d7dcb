"""Proofs that a sum of base cells cannot lie in an interval; every bound and every hole is one.

A leaf multiplies figures by rational numbers and adds them up, with the sum itself as one more figure, so
that nothing is left but 0 <= something below 0 (Farkas). A branch splits one cell's values in two and refutes
both halves. "At most h" refutes everything from h + 1 up, and its leaf is Chvatal-Gomory rounding.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from noiseless.arrays import IntArray
from noiseless.tabulations.publication import UNBOUNDED

Multipliers = tuple[tuple[int, int | Fraction], ...]
"""Figures, by their row in the publication, and the numbers to multiply them by."""
Ends = tuple[int | None, int | None]


@dataclass(frozen=True)
class Leaf:
    """A contradiction by adding up.

    Attributes:
        own: the multiplier of the sum that is refuted.
        rows: the multipliers of figures.
    """

    own: int | Fraction
    rows: Multipliers

    def to_json(self) -> list[Any]:
        """As it is in a certificate."""
        return [str(self.own), [[row, str(weight)] for row, weight in self.rows]]


@dataclass(frozen=True)
class Branch:
    """Two cases: a cell is at most a value, or above it."""

    atom: int
    at: int
    below: "Refutation"
    above: "Refutation"

    def to_json(self) -> dict[str, Any]:
        """As it is in a certificate."""
        return {
            "atom": self.atom,
            "at": self.at,
            "below": self.below.to_json(),
            "above": self.above.to_json(),
        }


Refutation = Leaf | Branch


def leaves(proof: Refutation) -> Iterator[Leaf]:
    """All leaves of a proof."""
    if isinstance(proof, Leaf):
        yield proof
    else:
        yield from leaves(proof.below)
        yield from leaves(proof.above)


def upper_leaf(rows: Multipliers) -> Leaf:
    """The leaf of an upper bound: multipliers whose figures add up to at least the sum."""
    return Leaf(-1, rows)


def lower_leaf(rows: Multipliers) -> Leaf:
    """The leaf of a lower bound: multipliers of an upper bound of minus the sum."""
    return Leaf(1, rows)


@dataclass(frozen=True)
class LeafRemainder:
    """What a leaf leaves to the cells: sum of `weights` x, and the number that the figures add up to."""

    constant: int | Fraction
    weights: Mapping[int, int | Fraction]

    @classmethod
    def of(
        cls,
        leaf: Leaf,
        atoms: Sequence[int],
        ends: Ends,
        members: Mapping[int, Sequence[int]],
        told: Mapping[int, Ends],
    ) -> "LeafRemainder | None":
        """Add the figures up; None where one that is used has no end on the side used."""
        weights: dict[int, int | Fraction] = {}
        constant: int | Fraction = 0
        own = ((leaf.own, atoms, ends),) if leaf.own else ()
        for weight, cells, (low, high) in (*own, *((w, members[k], told[k]) for k, w in leaf.rows)):
            end = high if weight > 0 else low
            if end is None:
                return None
            constant += weight * end
            for atom in cells:
                weights[atom] = weights.get(atom, 0) - weight
        return cls(constant, {atom: weight for atom, weight in weights.items() if weight})

    def bound(self, lower: IntArray, upper: IntArray) -> int | Fraction | None:
        """What 0 is at most; below 0 it is a contradiction. None if a cell has no bound."""
        total = self.constant
        for atom, weight in self.weights.items():
            end = int(upper[atom] if weight > 0 else lower[atom])
            if end >= UNBOUNDED:
                return None
            total += weight * end
        return total
