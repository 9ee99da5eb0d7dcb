"""Whether released tuples cover their cells, and how far they are from the public values at most."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from noiseless.verification.certificate import CertifiedRelease, Options
from noiseless.verification.columns import (
    CheckedColumn,
    Exact,
    GeneralisationTree,
    HierarchyColumn,
    LineColumn,
    NominalColumn,
)
from noiseless.verification.partition import CellPartition, ColumnLayout, MemberLayout, PublicValues
from noiseless.verification.quantities import ExactLength

_ROOM = 2**62
_COUNTING = ("hamming", "discrete")


@dataclass(frozen=True, eq=False)
class CertifiedCodebook:
    """What is released for each cell that is not suppressed, column by column.

    Attributes:
        options: how distances are measured.
        partition: the cells.
        values: the public values.
        layout: the cells that are not suppressed, with their members.
        columns: the public columns.
    """

    options: Options
    partition: CellPartition
    values: PublicValues
    layout: MemberLayout
    columns: tuple[CheckedColumn, ...]

    @classmethod
    def of(
        cls, certificate: CertifiedRelease, partition: CellPartition, values: PublicValues
    ) -> "CertifiedCodebook":
        """The codebook that a certificate states."""
        layout = MemberLayout.of(partition)
        columns = tuple(
            _column(certificate, ColumnLayout.of(layout, values, place), name)
            for place, name in enumerate(values.columns)
        )
        return cls(certificate.options, partition, values, layout, columns)

    def uncovered(self) -> dict[str, int]:
        """For each column how many cells are released as something that does not cover their members.

        With `medoid` also how many cells are not released as one of their members.
        """
        if not len(self.layout):
            return {}
        faults = {
            f"column {name!r}": column.uncovered()
            for name, column in zip(self.values.columns, self.columns, strict=True)
        }
        if self.options.codeword == "medoid":
            found = self.values.find(list(zip(*(column.medoids() for column in self.columns), strict=True)))
            inside = (found >= 0) & (self.partition.cell_of[found] == self.layout.numbers)
            faults["the medoid"] = int(np.sum(~inside))
        return {where: count for where, count in faults.items() if count}

    def distortion(self) -> "Distortion | str":
        """The largest distance, all released tuples being known to cover their cells; or what is wrong."""
        costs = np.zeros(len(self.values), np.int64)
        if not len(self.layout):
            return Distortion(ExactLength(Fraction(0)), costs)
        parts = []
        for name, column in zip(self.values.columns, self.columns, strict=True):
            part = self._part(name, column)
            if isinstance(part, str):
                return part
            parts.append(part)
        combined, unit = _combined(parts, _way(self.options.distance))
        worst = int(combined.max()) * unit
        costs = costs.astype(combined.dtype)
        costs[self.layout.members] = combined
        squared = worst if self.options.distance == "euclidean" else worst**2
        return Distortion(ExactLength(squared), costs)

    def _part(self, name: str, column: CheckedColumn) -> tuple[Exact, Fraction] | str:
        """A column's differences, weighted, and what one of them is."""
        weight = self.options.weights.get(name, Fraction(1))
        if self.options.distance in _COUNTING:
            return column.differing(), weight if isinstance(column, NominalColumn) else Fraction(1)
        differences, unit = column.differences()
        unit *= weight
        if self.options.distance == "gower":
            unit /= len(self.columns)
            if isinstance(column, HierarchyColumn) and column.tree is not None:
                unit /= max(1, column.tree.largest_cost)
            if isinstance(column, LineColumn):
                span = self.options.spans.get(name)
                if span is None or not column.within(span):
                    return f"column {name!r} has no declared range that holds all its numbers"
                unit /= span[1] - span[0]
        return differences, unit


@dataclass(frozen=True, eq=False)
class Distortion:
    """How far released tuples are from the public values.

    Attributes:
        largest: the largest distance.
        costs: the distance of each public value, all on one scale; suppressed ones count 0.
    """

    largest: ExactLength
    costs: Exact


def _column(certificate: CertifiedRelease, layout: ColumnLayout, name: str) -> CheckedColumn:
    options = certificate.options
    kind = options.kinds[name]
    if kind in ("number", "date"):
        return LineColumn(layout, options.codeword, days=kind == "date")
    if kind == "category":
        return NominalColumn(layout, options.codeword)
    tree = GeneralisationTree.grow(certificate.hierarchies[name], layout.texts, options.hierarchy_cost)
    return HierarchyColumn(layout, options.codeword, tree)


def _way(distance: str | None) -> str:
    if distance in ("max", "discrete"):
        return "max"
    return "squares" if distance == "euclidean" else "sum"


def _combined(parts: Sequence[tuple[Exact, Fraction]], way: str) -> tuple[Exact, Fraction]:
    """The columns' differences as one whole number a member, and what one of them is."""
    below = math.lcm(*(unit.denominator for _, unit in parts))
    factors = [int(unit * below) for _, unit in parts]
    largest = [int(part.max()) * factor for (part, _), factor in zip(parts, factors, strict=True)]
    bound = sum(number**2 for number in largest) if way == "squares" else sum(largest)
    widest = max(*factors, *(int(part.max()) for part, _ in parts))  # a factor may be 0
    kind = np.int64 if max(bound, widest) < _ROOM else object
    terms = [part.astype(kind) * factor for (part, _), factor in zip(parts, factors, strict=True)]
    if way == "max":
        return np.maximum.reduce(terms), Fraction(1, below)
    if way == "squares":
        return sum((term**2 for term in terms[1:]), terms[0] ** 2), Fraction(1, below**2)
    return sum(terms[1:], terms[0]), Fraction(1, below)
