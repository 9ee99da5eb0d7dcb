"""Finite joint ranges, the pairs (x, y) that two uncertain variables can take together, and their parts."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from noiseless.arrays import IntArray
from noiseless.exact import Bits
from noiseless.tables import Tally
from noiseless.tables.kernels import compiled, distinct_keys, distinct_values, run_starts, split_last

Labels = Sequence[Any]

_FEW = 2**20
"""Up to this many possible codes a slot each is cheaper than sorting."""


class GroupedPairs(NamedTuple):
    """Distinct pairs sorted by (y, x): the x of each, and where each y begins (and the end)."""

    x: IntArray
    starts: IntArray


class LoosePairs(NamedTuple):
    """Pairs in any order, repeats allowed."""

    x: IntArray
    y: IntArray


@dataclass(frozen=True, eq=False, repr=False)
class JointRange:
    """The joint range [[X, Y]] over integer codes.

    The conditional range [[X|y]] is `x[starts[y]:starts[y + 1]]`, ascending. Every code below `size_x` and
    `size_y` occurs: the marginal ranges are exactly 0..size-1.

    Attributes:
        pairs: the pairs, as they came; they are sorted when a measure first needs them sorted.
        size_x: |[[X]]|.
        size_y: |[[Y]]|.
        x_labels: what the codes of X stand for; the codes themselves when None.
        y_labels: the same for Y.
    """

    pairs: GroupedPairs | LoosePairs
    size_x: int
    size_y: int
    x_labels: Labels | None = None
    y_labels: Labels | None = None

    @classmethod
    def from_pairs(cls, pairs: Iterable[tuple[Hashable, Hashable]]) -> Self:
        """From pairs (x, y) of any hashable values, repeats allowed.

        >>> JointRange.from_pairs([("a", 1), ("b", 1), ("b", 2)]).given("b")
        (1, 2)
        """
        xs: dict[Hashable, int] = {}
        ys: dict[Hashable, int] = {}
        coded = [(xs.setdefault(x, len(xs)), ys.setdefault(y, len(ys))) for x, y in pairs]
        codes = np.array(coded, np.int64).reshape(-1, 2)
        return cls.from_codes(codes[:, 0], codes[:, 1], tuple(xs), tuple(ys))

    @classmethod
    def from_codes(
        cls,
        x: npt.ArrayLike,
        y: npt.ArrayLike,
        x_labels: Labels | None = None,
        y_labels: Labels | None = None,
    ) -> Self:
        """From two equally long arrays of codes, repeats allowed.

        Raises:
            ValueError: there is no pair, or a code below the largest one never occurs.
        """
        pairs = LoosePairs(np.asarray(x, np.int64), np.asarray(y, np.int64))
        if not len(pairs.x):
            raise ValueError("a joint range holds at least one pair")
        return cls(pairs, _size(pairs.x, "x"), _size(pairs.y, "y"), x_labels, y_labels)

    @classmethod
    def from_sorted(
        cls,
        x: IntArray,
        y: IntArray,
        size_x: int,
        x_labels: Labels | None = None,
        y_labels: Labels | None = None,
    ) -> Self:
        """From distinct pairs already sorted by (y, x); `y` may be any ascending keys."""
        starts = np.append(run_starts(y), len(y))
        return cls(GroupedPairs(x, starts), size_x, len(starts) - 1, x_labels, y_labels)

    @classmethod
    def from_matrix(cls, matrix: npt.ArrayLike) -> Self:
        """From a 0/1 matrix with a row for each x and a column for each y."""
        cells = np.asarray(matrix)
        if cells.ndim != 2 or not cells.any(axis=1).all() or not cells.any(axis=0).all():  # noqa: PLR2004 - a matrix
            raise ValueError("a joint range is a matrix whose rows and columns all hold a 1")
        y, x = np.nonzero(cells.T)
        return cls.from_sorted(x, y, cells.shape[0])

    @classmethod
    def from_tally(cls, tally: Tally, y_columns: int) -> Self:
        """From a tally whose first `y_columns` columns make up Y and whose other columns make up X."""
        inferred = tally.columns[y_columns:]
        if len(inferred) == 1:
            starts, codes = tally.split_last()
            x, size_x = _dense(codes, tally.coding(inferred[0]).size)
            return cls(GroupedPairs(x, starts), size_x, len(starts) - 1)
        marginal = tally.project(inferred)
        sensitive = marginal.places({column: tally.codes(column) for column in marginal.columns})
        return cls.from_sorted(sensitive, tally.prefix(y_columns), len(marginal))

    def __len__(self) -> int:
        """How many pairs there are: |[[X, Y]]|."""
        return len(self.x)

    def __repr__(self) -> str:
        return f"JointRange({self.size_x} x {self.size_y} values, {len(self)} pairs)"

    @cached_property
    def grouped(self) -> GroupedPairs:
        """The distinct pairs, sorted."""
        if isinstance(self.pairs, GroupedPairs):
            return self.pairs
        keys = self.pairs.y * self.size_x + self.pairs.x
        if self.size_x * self.size_y <= 16 * len(keys):
            met = np.zeros(self.size_x * self.size_y, bool)
            met[keys] = True
            keys = np.flatnonzero(met)
        else:
            keys, _ = distinct_keys(np.sort(keys))
        starts, x = split_last(keys, self.size_x)
        return GroupedPairs(x, starts)

    @property
    def x(self) -> IntArray:
        """The x of each pair, pairs sorted by (y, x)."""
        return self.grouped.x

    @property
    def starts(self) -> IntArray:
        """Where the pairs of each y begin, and the number of pairs at the end."""
        return self.grouped.starts

    @property
    def y(self) -> IntArray:
        """The y of each pair; not kept, for it takes as much room as all the rest."""
        return np.repeat(np.arange(self.size_y), self.posterior_sizes)

    @cached_property
    def posterior_sizes(self) -> IntArray:
        """|[[X|y]]| for each y."""
        return np.diff(self.starts)

    @cached_property
    def support_sizes(self) -> IntArray:
        """|[[Y|x]]| for each x."""
        return np.bincount(self.x, minlength=self.size_x)

    @property
    def log_x(self) -> Bits:
        """The logarithm of |[[X]]|."""
        return Bits(self.size_x)

    @property
    def log_least(self) -> Bits:
        """The logarithm of the smallest |[[X|y]]|."""
        return Bits(int(self.posterior_sizes.min()))

    @property
    def log_most(self) -> Bits:
        """The logarithm of the largest |[[X|y]]|."""
        return Bits(int(self.posterior_sizes.max()))

    @property
    def log_back(self) -> tuple[Bits, Bits]:
        """The logarithms of |[[Y]]| and of the smallest |[[Y|x]]|."""
        return Bits(self.size_y), Bits(int(self.support_sizes.min()))

    @property
    def log_sides(self) -> tuple[Bits, Bits, Bits]:
        """The logarithms of |[[X]]|, |[[Y]]| and |[[X, Y]]|."""
        return Bits(self.size_x), Bits(self.size_y), Bits(len(self))

    def count_blocks(self) -> int:
        """How many blocks the overlap partition has."""
        return count_blocks(self)

    def posterior(self, y: int) -> IntArray:
        """The codes of [[X|y]]."""
        return self.x[self.starts[y] : self.starts[y + 1]]

    def posteriors(self, y: IntArray) -> IntArray:
        """The codes of [[X|y]] of several y, one after the other."""
        counts = self.posterior_sizes[y]
        places = np.repeat(self.starts[y] - np.cumsum(counts) + counts, counts)
        return self.x[places + np.arange(len(places))]

    def given(self, label: Hashable) -> tuple[Any, ...]:
        """The conditional range of the other variable, by label: [[Y|x]] if `label` is an x, else [[X|y]].

        Raises:
            KeyError: no value has that label.
        """
        if self.x_labels is not None and label in self.x_labels:
            codes = self.swapped().posterior(list(self.x_labels).index(label))
            return tuple(_label(self.y_labels, code) for code in codes)
        if self.y_labels is not None and label in self.y_labels:
            codes = self.posterior(list(self.y_labels).index(label))
            return tuple(_label(self.x_labels, code) for code in codes)
        raise KeyError(label)

    def swapped(self) -> "JointRange":
        """[[Y, X]]: the same pairs, stored by x."""
        order = np.argsort(self.x, kind="stable")
        return JointRange.from_sorted(self.y[order], self.x[order], self.size_y, self.y_labels, self.x_labels)

    def merged(self, cells: npt.ArrayLike) -> "JointRange":
        """[[X, Q(Y)]]: the joint range when y is only seen as its cell.

        Args:
            cells: the cell of each y, as codes 0..cells-1.
        """
        pairs = LoosePairs(self.x, np.asarray(cells, np.int64)[self.y])
        return JointRange(pairs, self.size_x, _size(pairs.y, "y"), self.x_labels)

    def is_unrelated(self, given: npt.ArrayLike | None = None) -> bool:
        """Whether X and Y are unrelated: [[X, Y]] = [[X]] x [[Y]] (Definition II.1 of [P4]).

        Args:
            given: side information as the cell of each y (y is then a pair (x', a), and its cell is a):
                whether X and X' are unrelated conditional on A.
        """
        if given is None:
            return len(self) == self.size_x * self.size_y
        cells = np.asarray(given, np.int64)
        return bool(np.all(self.merged(cells).posterior_sizes[cells] == self.posterior_sizes))


def _size(codes: IntArray, name: str) -> int:
    size = int(codes.max()) + 1
    if codes.min() < 0:
        raise ValueError(f"the codes of {name} must not be negative")
    met = np.zeros(size, bool)
    met[codes] = True
    if not met.all():
        raise ValueError(f"the codes of {name} must be 0, 1, 2, ... with none left out")
    return size


def _dense(codes: IntArray, size: int) -> tuple[IntArray, int]:
    """Codes renumbered 0, 1, 2, ... in their order, and how many there are."""
    if size > max(_FEW, 2 * len(codes)):
        values = distinct_values(codes)
        return np.searchsorted(values, codes), len(values)
    present = np.flatnonzero(np.bincount(codes, minlength=size))
    if present[-1] - present[0] + 1 == len(present):
        codes -= present[0]  # in place: they were made for this range
        return codes, len(present)
    ranks = np.zeros(size, codes.dtype)
    ranks[present] = np.arange(len(present))
    return ranks[codes], len(present)


def _label(labels: Labels | None, code: int) -> Any:  # noqa: ANN401 - whatever the labels are
    return int(code) if labels is None else labels[code]


# The overlap partition. Components of the bipartite graph, of the confusability graph, the overlap partition
# of [P1] and [P3] and the taxicab partition of [P4] are one object.

Codes = IntArray | list[int]

_SMALL = 50_000
"""Below this many pairs plain Python beats loading the compiled kernel."""


def roots_of_pairs(x: IntArray, y: IntArray, size_x: int, size_y: int) -> IntArray:
    """For each x the smallest x that is connected with it; pairs in any order."""
    first = np.full(size_y, -1)
    if len(x) < _SMALL:
        parents = list(range(size_x))
        _unite(x.tolist(), y.tolist(), first.tolist(), parents)
        return np.array(parents, np.int64)
    roots = np.arange(size_x)
    compiled(_unite)(x, y, first, roots)
    return roots


def _unite(x: Codes, y: Codes, first: Codes, parent: Codes) -> None:
    """Union by smallest root, with path halving; in the end each parent is the root.

    Joining each x with the first x seen with its y is enough: the trees stand on one side only, and neither
    the bipartite graph nor the confusability graph is ever built. The loop stops when one component is left,
    which with few values on a side is soon.
    """
    left = len(parent) - 1
    for pair in range(len(x)):
        b = x[pair]
        a = first[y[pair]]
        if a < 0:
            first[y[pair]] = b
            continue
        while parent[a] != a:
            parent[a] = parent[parent[a]]
            a = parent[a]
        while parent[b] != b:
            parent[b] = parent[parent[b]]
            b = parent[b]
        if a != b:
            parent[max(a, b)] = min(a, b)
            left -= 1
            if left == 0:
                break
    for value in range(len(parent)):  # roots are smallest, so each parent is final before its children
        parent[value] = parent[parent[value]]


@dataclass(frozen=True, eq=False)
class Partition:
    """A partition of [[X]] and of [[Y]] into blocks that belong together.

    Attributes:
        x_blocks: the block of each x, numbered by smallest x.
        y_blocks: the block of each y.
        count: how many blocks there are.
    """

    x_blocks: IntArray
    y_blocks: IntArray
    count: int

    def after_merge(self, cells: npt.ArrayLike) -> "Partition":
        """The partition once the values of Y are merged into cells ([P3] V-B1): fuse the blocks a cell meets.

        Args:
            cells: the cell of each y.

        Returns:
            The partition of [[X]] and of [[Y]] (the original values of Y, not the cells).
        """
        cell_of = np.asarray(cells, np.int64)
        roots = roots_of_pairs(self.y_blocks, cell_of, self.count, int(cell_of.max()) + 1)
        return _relabelled(roots, self.x_blocks, self.y_blocks)


def overlap_partition(joint: JointRange) -> Partition:
    """The overlap (taxicab) partition of a joint range (Definition 1 of [P3], Definition II.2 of [P4]).

    >>> overlap_partition(JointRange.from_pairs([(1, "low"), (2, "low"), (3, "high")])).count
    2
    """
    roots = roots_of_pairs(joint.x, joint.y, joint.size_x, joint.size_y)
    return _relabelled(roots, np.arange(joint.size_x), joint.x[joint.starts[:-1]])


def count_blocks(joint: JointRange) -> int:
    """How many blocks the overlap partition has, without writing it down or sorting the pairs."""
    pairs = joint.pairs if isinstance(joint.pairs, LoosePairs) else joint
    sides = (joint.size_x, pairs.x), (joint.size_y, pairs.y)
    (size, few), (other, many) = sorted(sides, key=lambda side: side[0])  # small trees stay in the cache
    roots = roots_of_pairs(few, many, size, other)
    return int(np.count_nonzero(roots == np.arange(size)))


def _relabelled(roots: IntArray, x: IntArray, y: IntArray) -> Partition:
    """Number the blocks 0, 1, ... and name the block of each x and y, given a representative of each."""
    distinct, blocks = np.unique(roots, return_inverse=True)
    return Partition(blocks[x], blocks[y], len(distinct))


def confusability_edges(joint: JointRange) -> IntArray:
    """The pairs y < y' whose posterior sets overlap ([P3] section IV), one row an edge.

    There can be |[[Y]]|^2 / 2 of them; the overlap partition needs none.

    >>> confusability_edges(JointRange.from_pairs([(1, "a"), (1, "b"), (2, "b"), (3, "c")])).tolist()
    [[0, 1]]
    """
    from scipy.sparse import csr_array

    shape = (joint.size_y, joint.size_x)
    incidence = csr_array((np.ones(len(joint), np.int64), joint.x, joint.starts), shape=shape)
    shared = (incidence @ incidence.T).tocoo()
    first, second = shared.coords
    edges = np.column_stack((first, second))[first < second].astype(np.int64)
    ordered: IntArray = edges[np.lexsort((edges[:, 1], edges[:, 0]))]
    return ordered
