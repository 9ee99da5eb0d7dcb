"""What is published, and what the reader knows besides."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from noiseless.arrays import IntArray
from noiseless.errors import RequestError
from noiseless.ranges import JointRange


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
class Problem:
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
