"""A partition of the public values into cells, what its reader knows besides, and what it then gives away."""

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
from noiseless.search.codebook import Codebook, ColumnCodebook
from noiseless.search.loss import Length


@dataclass(frozen=True, eq=False)
class SideInformation:
    """Side information A of [P3]: each y of the joint range is a pair (x, a), and only x is merged.

    Attributes:
        public: the public value x of each y, as codes 0, 1, 2, ...
        given: the value a that the reader knows, the same way.
        prior: for each a how many sensitive values its posterior sets are compared with; None for |[[S|a]]|.
            A column that is released as it is tells of S too: there the prior is |[[S]]|.
    """

    public: IntArray
    given: IntArray
    prior: IntArray | None = None

    def __init__(
        self, public: npt.ArrayLike, given: npt.ArrayLike, prior: npt.ArrayLike | None = None
    ) -> None:
        object.__setattr__(self, "public", np.asarray(public, np.int64))
        object.__setattr__(self, "given", np.asarray(given, np.int64))
        object.__setattr__(self, "prior", None if prior is None else np.asarray(prior, np.int64))
        if self.public.shape != self.given.shape:
            raise RequestError("side information names a public value and a known value for each y")
        for codes in (self.public, self.given):
            if len(codes) and len(np.unique(codes)) != codes.max() + 1:
                raise RequestError("the codes of side information are 0, 1, 2, ... with none left out")
        pairs = self.public * (self.given.max(initial=0) + 1) + self.given
        if len(np.unique(pairs)) < len(pairs):
            raise RequestError("side information has each pair of a public and a known value once")
        if self.prior is not None and self.prior.shape != (int(self.given.max()) + 1,):
            raise RequestError("a prior is a number of sensitive values for each known value")


@dataclass(frozen=True, eq=False)
class MergingProblem:
    """A joint range whose public side is to be merged, with side information or without.

    Attributes:
        joint: [[S, X]], or [[S, (X, A)]].
        side: the side information, if there is any.
    """

    joint: JointRange
    side: SideInformation | None = None

    def __post_init__(self) -> None:
        if self.side is not None and len(self.side.public) != self.joint.size_y:
            raise RequestError(
                f"side information is about {len(self.side.public):,} values, the joint range about "
                f"{self.joint.size_y:,}"
            )

    @cached_property
    def size(self) -> int:
        """How many public values there are."""
        return self.joint.size_y if self.side is None else int(self.side.public.max()) + 1

    @cached_property
    def prior(self) -> IntArray:
        """For each known a what its posterior sets are compared with; without side information |[[S]]|."""
        if self.side is None:
            return np.array([self.joint.size_x])
        if self.side.prior is not None:
            return self.side.prior
        return self.joint.merged(self.side.given).posterior_sizes

    def merged_y(self, cells: npt.ArrayLike) -> tuple[IntArray, IntArray | None]:
        """The cell of each y when public values are seen as their cells only; and the known a of each cell.

        Args:
            cells: the cell of each public value.
        """
        cell_of = np.asarray(cells, np.int64)
        if self.side is None:
            return cell_of, None
        known = int(self.side.given.max()) + 1
        found, codes = np.unique(cell_of[self.side.public] * known + self.side.given, return_inverse=True)
        return codes, found % known


def joint_release(joint: JointRange) -> tuple[JointRange, IntArray, IntArray]:
    """The release of (S, X) itself, quantised ([P3] V-C): each pair is a public value of its own.

    Returns:
        The joint range [[S, (S, X)]], and the s and the x of each pair.

    >>> pairs, s, x = joint_release(JointRange.from_pairs([("a", 1), ("b", 1), ("b", 2)]))
    >>> pairs.size_y, s.tolist(), x.tolist()
    (3, [0, 1, 1], [0, 0, 1])
    """
    s, x = np.asarray(joint.x, np.int64), np.asarray(joint.y, np.int64)
    labels = None
    if joint.x_labels is not None and joint.y_labels is not None:
        labels = tuple((joint.x_labels[a], joint.y_labels[b]) for a, b in zip(s, x, strict=True))
    return JointRange.from_sorted(s, np.arange(len(s)), joint.size_x, joint.x_labels, labels), s, x


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
    problem = MergingProblem(joint, side)
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
