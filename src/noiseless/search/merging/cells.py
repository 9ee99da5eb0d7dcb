"""A partition of the public values into cells, and what releasing cells instead of values gives away."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from noiseless.arrays import IntArray
from noiseless.errors import RequestError
from noiseless.exact import Bits
from noiseless.measures import leakage, maximin
from noiseless.ranges import JointRange
from noiseless.search.merging.codebook import Codebook, ColumnCodebook
from noiseless.search.merging.length import Length
from noiseless.search.merging.side import Problem, SideInformation


@dataclass(frozen=True, eq=False, repr=False)
class Cells:
    """A partition of the public values: what every way of merging here returns.

    Attributes:
        cell_of: the cell of each public value, cells being numbered by their first value.
        count: how many cells there are.
    """

    cell_of: IntArray
    count: int

    @classmethod
    def from_labels(cls, labels: npt.ArrayLike) -> "Cells":
        """From any label a public value; those with the same label are a cell.

        >>> Cells.from_labels([5, 2, 5]).members
        ((0, 2), (1,))
        """
        _, first, codes = np.unique(np.asarray(labels), return_index=True, return_inverse=True)
        ranks = np.empty(len(first), np.int64)
        ranks[np.argsort(first)] = np.arange(len(first))
        return cls(ranks[codes.reshape(-1)], len(first))

    @classmethod
    def from_members(cls, members: Sequence[Sequence[int]]) -> "Cells":
        """From the members of each cell."""
        labels = np.full(sum(len(cell) for cell in members), -1, np.int64)
        for number, cell in enumerate(members):
            labels[list(cell)] = number
        return cls.from_labels(labels)

    def __len__(self) -> int:
        return self.count

    def __repr__(self) -> str:
        largest = int(self.sizes.max())
        return f"Cells({len(self.cell_of)} values in {self.count} cells, the largest holds {largest})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Cells) and np.array_equal(self.cell_of, other.cell_of)

    def __hash__(self) -> int:
        return hash(self.cell_of.tobytes())

    @cached_property
    def sizes(self) -> IntArray:
        """How many public values each cell holds."""
        return np.bincount(self.cell_of, minlength=self.count)

    @cached_property
    def members(self) -> tuple[tuple[int, ...], ...]:
        """The public values of each cell, ascending."""
        parts = np.split(np.argsort(self.cell_of, kind="stable"), np.cumsum(self.sizes)[:-1])
        return tuple(tuple(part.tolist()) for part in parts)

    def codewords(self, codebook: Codebook) -> list[Any]:
        """What is released for each cell."""
        return [codebook.codeword(cell) for cell in self.members]

    def distortion(self, codebook: Codebook) -> Length:
        """-U2 of [P3]: the largest distance of a public value to its cell's codeword."""
        if len(codebook) != len(self.cell_of):
            raise RequestError(
                f"the codebook is about {len(codebook):,} values, the cells about {len(self.cell_of):,}"
            )
        if isinstance(codebook, ColumnCodebook) and codebook.is_ordered:
            line = codebook.scaled.positions[np.argsort(self.cell_of, kind="stable"), 0]
            starts = np.append(0, np.cumsum(self.sizes)[:-1])
            width = int((np.maximum.reduceat(line, starts) - np.minimum.reduceat(line, starts)).max())
            return (
                codebook.length(width**2, 4) if codebook.combine == "squares" else codebook.length(width, 2)
            )
        return max(codebook.cost(cell) for cell in self.members)


@dataclass(frozen=True)
class Quality:
    """What a partition gives away and what it keeps.

    Attributes:
        leakage: L0(S -> Xh), or L0(S -> Xh|A).
        maximin: I*(S; Xh), or I*(S; (Xh, A)).
        min_posterior: how few sensitive values an answer leaves at least.
        resolution: U1 = I0(X -> Xh) = log2 |X| / max |cell|.
        distortion: -U2, if there is a codebook.
        cells: how many cells there are.
    """

    leakage: Bits
    maximin: Bits
    min_posterior: int
    resolution: Bits
    distortion: Length | None
    cells: int


def assess(
    joint: JointRange,
    cells: Cells,
    codebook: Codebook | None = None,
    side: SideInformation | None = None,
) -> Quality:
    """Measure a partition from the joint range alone, with none of the code that may have chosen it.

    >>> joint = JointRange.from_pairs([("s1", "a"), ("s2", "a"), ("s2", "b"), ("s3", "c")])
    >>> assess(joint, Cells.from_labels([0, 1, 1])).leakage
    Bits(3/2)
    """
    problem = Problem(joint, side)
    if len(cells.cell_of) != problem.size:
        raise RequestError(f"there are {problem.size:,} public values, and cells for {len(cells.cell_of):,}")
    codes, known = problem.merged_y(cells.cell_of)
    merged = joint.merged(codes)
    return Quality(
        leakage(merged) if known is None else _relative(problem.prior[known], merged.posterior_sizes),
        maximin(merged),
        int(merged.posterior_sizes.min()),
        Bits(Fraction(problem.size, int(cells.sizes.max()))),
        None if codebook is None else cells.distortion(codebook),
        cells.count,
    )


def _relative(before: IntArray, after: IntArray) -> Bits:
    """L0(S -> Xh|A): the largest |[[S|a]]| / |[[S|xh, a]]|."""
    most = np.zeros(int(after.max()) + 1, np.int64)
    np.maximum.at(most, after, before)
    return Bits(max(Fraction(int(most[size]), int(size)) for size in np.flatnonzero(most)))
