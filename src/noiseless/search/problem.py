"""What is to be chosen, a partition of public values into cells, and all that it is measured by."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from noiseless.arrays import BoolArray, IntArray
from noiseless.errors import RequestError
from noiseless.ranges import JointRange
from noiseless.search.codebook import Codebook, ColumnCodebook
from noiseless.search.columns import Numbers
from noiseless.search.loss import Length
from noiseless.search.mean_loss import CertaintyPenalty, MeanLoss
from noiseless.tables.coding import whole_type
from noiseless.tables.kernels import add_by_code

if TYPE_CHECKING:
    from noiseless.search.limits import Limit


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
        codes = np.asarray(labels)
        if codes.dtype.kind != "i" or codes.min() < 0 or codes.max() > 2 * len(codes):
            codes = np.unique(codes, return_inverse=True)[1].reshape(-1)
        firsts = np.full(int(codes.max()) + 1, len(codes), whole_type(len(codes) + 1))
        places = np.arange(len(codes), dtype=firsts.dtype)
        firsts[codes[::-1]] = places[::-1]  # of several the last one stays, which is the first
        ranks = np.empty(len(firsts), np.int64)
        ranks[np.argsort(firsts, kind="stable")] = np.arange(len(firsts))
        return cls(ranks[codes], int(np.count_nonzero(firsts < len(codes))))

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
    def digest(self) -> bytes:
        """What no other partition has."""
        return blake2b(self.cell_of.astype(whole_type(self.count)).data, digest_size=16).digest()

    @cached_property
    def members(self) -> tuple[tuple[int, ...], ...]:
        """The public values of each cell, ascending."""
        parts = np.split(np.argsort(self.cell_of, kind="stable"), np.cumsum(self.sizes)[:-1])
        return tuple(tuple(part.tolist()) for part in parts)

    def codewords(self, codebook: Codebook) -> list[Any]:
        """What is released for each cell."""
        return [codebook.codeword(cell) for cell in self.members]


class SeenCells(NamedTuple):
    """Cells as their reader tells them apart.

    Attributes:
        cells: the cells; those that read alike are one.
        hidden: which public values are suppressed.
        distortion: the largest distance to what is written, where that is not the codebook's.
    """

    cells: Cells
    hidden: BoolArray
    distortion: Length | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Problem:
    """A joint range whose public side is to be merged.

    Attributes:
        joint: [[S, X]], or [[S, (X, A)]] with side information. X of `JointRange` is the sensitive side, its
            Y the public one.
        codebook: what is released for a cell and how far that is from its members; None if only the
            resolution counts.
        side: side information: which x and which a each y of the joint range stands for.
        rows: how many rows have each y: each x, or each pair (x, a); one each if not given.
        groups: a code for each x; only values of one group are merged. What is suppressed reads alike,
            whatever its group. None: all are one group.
        reader: how cells read once they are written; None if all read differently.
        rounds: whether codewords are rounded when they are written: one may then be nearer to its members
            than the codebook says, which proves nothing of what is written.
        loss: what the mean loss is.
        limits: what every answer must keep to, whatever is asked for besides.
        keys: the places of columns that a reader knows together: limits are then on what is seen of each of
            these, and not of all columns at once.
    """

    joint: JointRange
    codebook: Codebook | None = None
    side: SideInformation | None = None
    rows: IntArray | None = None
    groups: IntArray | None = None
    reader: "Callable[[Problem, Cells, BoolArray], SeenCells] | None" = None
    rounds: bool = False
    loss: MeanLoss = field(default_factory=CertaintyPenalty)
    limits: "tuple[Limit, ...]" = ()
    keys: tuple[tuple[int, ...], ...] = ()

    def __post_init__(self) -> None:
        if self.side is not None and len(self.side.public) != self.joint.size_y:
            raise RequestError(
                f"side information is about {len(self.side.public):,} values, the joint range about "
                f"{self.joint.size_y:,}"
            )
        if self.codebook is not None and len(self.codebook) != self.size:
            raise RequestError(
                f"the codebook is about {len(self.codebook):,} values, there are {self.size:,} public ones"
            )
        for name, length in (("rows", self.joint.size_y), ("groups", self.size)):
            given = getattr(self, name)
            if given is None:
                continue
            codes = np.asarray(given, np.int64)
            if codes.shape != (length,) or (len(codes) and codes.min() < 0):
                raise RequestError(f"`{name}` takes a whole number for each of the {length:,} public values")
            object.__setattr__(self, name, codes)

    @cached_property
    def made(self) -> dict[Any, Any]:
        """What searches made of it, by what it is: they share it."""
        return {}

    def __repr__(self) -> str:
        return f"Problem({self.joint.size_x:,} sensitive values behind {self.size:,} public ones)"

    @cached_property
    def size(self) -> int:
        """How many public values there are."""
        return self.joint.size_y if self.side is None else int(self.side.public.max()) + 1

    @cached_property
    def counts(self) -> IntArray:
        """How many rows each y of the joint range has."""
        return np.ones(self.joint.size_y, np.int64) if self.rows is None else self.rows

    @cached_property
    def weights(self) -> IntArray:
        """How many rows each public value has."""
        if self.side is None:
            return self.counts
        return add_by_code(self.public, self.counts, self.size)

    @cached_property
    def group_of(self) -> IntArray:
        """The group of each public value, as codes 0, 1, 2, ..."""
        if self.groups is None:
            return np.zeros(self.size, np.int64)
        return np.unique(self.groups, return_inverse=True)[1].reshape(-1).astype(np.int64)

    @cached_property
    def whole(self) -> Cells:
        """Each group as one cell."""
        return Cells(self.group_of, 1) if self.groups is None else Cells.from_labels(self.group_of)

    @cached_property
    def unchanged(self) -> Cells:
        """Each public value as a cell of its own."""
        return Cells(np.arange(self.size), self.size)

    @cached_property
    def public(self) -> IntArray:
        """The public value x of each y of the joint range."""
        return self.unchanged.cell_of if self.side is None else self.side.public

    @cached_property
    def known(self) -> IntArray:
        """What the reader knows of each y beside what is released (its a), as codes 0, 1, 2, ..."""
        return np.zeros(self.joint.size_y, np.int64) if self.side is None else self.side.given

    @cached_property
    def known_prior(self) -> IntArray:
        """For each code of `known` what the posterior sets are compared with."""
        found = np.zeros(int(self.known.max()) + 1, np.int64)
        found[self.known] = self.prior[self.seen]
        return found

    @cached_property
    def _seen(self) -> tuple[IntArray, IntArray, IntArray]:
        """What the reader sees beside the cell: its code for each y, and the group and the a of each code."""
        if self.side is None and self.groups is None:
            return self.known, np.zeros(1, np.int64), np.zeros(1, np.int64)
        many = int(self.known.max()) + 1
        found, codes = np.unique(self.group_of[self.public] * many + self.known, return_inverse=True)
        return codes.reshape(-1).astype(np.int64), found // many, found % many

    @property
    def seen(self) -> IntArray:
        """What the reader sees of each y beside the cell (its group and a), as codes 0, 1, 2, ..."""
        return self._seen[0]

    @cached_property
    def seen_alike(self) -> IntArray:
        """For each code of `seen` the first one, of any group, with the same a."""
        known = self._seen[2]
        firsts = np.unique(known, return_index=True)[1]
        return firsts[known]

    @cached_property
    def prior(self) -> IntArray:
        """For each code of `seen` what the posterior sets are compared with: |[[S|a]]|, or |[[S]]|."""
        if self.side is None:
            return np.full(len(self._seen[1]), self.joint.size_x)
        known = self.side.prior
        if known is None:
            known = self.joint.merged(self.side.given).posterior_sizes
        return known[self._seen[2]]

    @cached_property
    def largest_posteriors(self) -> IntArray:
        """For each code of `seen` the largest posterior set there can be: all of its group in one cell."""
        return self.joint.merged(self.seen).posterior_sizes

    @cached_property
    def plain(self) -> bool:
        """Whether the reader sees the cell and nothing else."""
        return self.side is None and len(self._seen[1]) == 1

    @cached_property
    def seen_with(self) -> SideInformation | None:
        """Side information as the merging algorithms take it; groups are part of it, and so never merged."""
        return None if self.plain else SideInformation(self.public, self.seen, self.prior)

    @cached_property
    def marginal(self) -> JointRange:
        """[[S, X]] without side information."""
        return self.joint if self.side is None else self.joint.merged(self.side.public)

    @property
    def one_column(self) -> bool:
        """Whether the public values are one column, which has an order of its own."""
        return not isinstance(self.codebook, ColumnCodebook) or len(self.codebook.columns) == 1

    @cached_property
    def line(self) -> IntArray | None:
        """Where public values lie if they are one numeric column, all different within a group; else None.

        None for squared distances, too: half a cell's width is then not what it costs.
        """
        book = self.codebook
        if not isinstance(book, ColumnCodebook) or len(book.columns) != 1 or book.distance == "squared":
            return None
        if not isinstance(book.columns[0], Numbers):
            return None
        places = book.scaled.positions(slice(None))[0]
        order = np.argsort(places, kind="stable")
        if self.groups is not None:
            order = order[np.argsort(self.group_of[order], kind="stable")]
        same = (np.diff(places[order]) == 0) & (np.diff(self.group_of[order]) == 0)
        return None if bool(np.any(same)) else places

    @property
    def unit(self) -> Fraction:
        """What a distance of 1 on the line counts."""
        return self.codebook.scaled.unit if isinstance(self.codebook, ColumnCodebook) else Fraction(1)

    def within_groups(self, cells: Cells) -> Cells:
        """Cells that know no groups, parted by them."""
        if self.groups is None:
            return cells
        return Cells.from_labels(cells.cell_of * (int(self.group_of.max()) + 1) + self.group_of)

    def read(self, cells: Cells, hidden: BoolArray) -> SeenCells:
        """Cells as their reader tells them apart."""
        return SeenCells(cells, hidden) if self.reader is None else self.reader(self, cells, hidden)

    def without(self, hidden: BoolArray) -> tuple["Problem", IntArray]:
        """The problem of the public values that are not hidden, and which values these are.

        Sensitive values that are only behind hidden ones are no part of it; what posterior sets are compared
        with is then another number. Nor is a codebook that is not over columns.
        """
        kept = np.flatnonzero(~hidden)
        numbers, joint = np.cumsum(~hidden) - 1, self.joint
        shown = ~hidden[self.public[joint.y]]
        s = np.unique(joint.x[shown], return_inverse=True)[1].reshape(-1)
        y, codes = np.unique(joint.y[shown], return_inverse=True)
        side = None
        if self.side is not None:
            given = np.unique(self.side.given[y], return_inverse=True)[1].reshape(-1)
            side = SideInformation(numbers[self.public[y]], given)
        rest = Problem(
            JointRange.from_codes(s, codes.reshape(-1)),
            self.codebook.take(kept) if isinstance(self.codebook, ColumnCodebook) else None,
            side,
            self.counts[y],
            self.group_of[kept],
            loss=self.loss,
            limits=tuple(limit.take(kept) for limit in self.limits),
        )
        return rest, kept

    def check(self) -> None:
        """Refuse what cannot be hidden or merged.

        Raises:
            RequestError: there is one public value or one sensitive value only.
        """
        if self.size == 1:
            raise RequestError(
                "there is only one public value: it reveals nothing, and there is nothing to merge; "
                "name another public column"
            )
        if self.joint.size_x == 1:
            raise RequestError(
                "there is one sensitive value only: everybody has it, and no release can hide that; name "
                "another sensitive column"
            )
