"""Partitions of a finite domain, and conditions on it: what exact counts tell, and what cuts add."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import accumulate, compress, pairwise
from math import prod
from operator import and_, ne, or_

import numpy as np

from noiseless.errors import RequestError
from noiseless.questions.filters import Runs, as_runs
from noiseless.work import spend

_MOST = 2**22
"""Partitions of several attributes are brought together on domains of at most this many values."""


@dataclass(frozen=True)
class DomainPartition:
    """Blocks of the values of one attribute, or of the combinations of several, kept as runs.

    Values are numbered in order, combinations with the last attribute running fastest.

    Attributes:
        names: the attributes.
        sizes: how many values each has.
        starts: where each run of neighbours in the same block begins; the first at 0.
        labels: each run's block, numbered as they first appear.
    """

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    starts: tuple[int, ...]
    labels: tuple[int, ...]

    @classmethod
    def of(
        cls, name: str | Sequence[str], labels: Sequence[Hashable], sizes: Sequence[int] = ()
    ) -> "DomainPartition":
        """The partition that puts values with equal labels into one block.

        >>> DomainPartition.of("age", "aabba").blocks
        2
        """
        names = (name,) if isinstance(name, str) else tuple(name)
        lengths = tuple(sizes) or (len(labels),)
        if len(lengths) != len(names) or prod(lengths) != len(labels) or not labels:
            raise RequestError("a partition has one label for each value of the domain")
        starts = [0, *compress(range(1, len(labels)), map(ne, labels[1:], labels))]
        return cls.of_runs(names, lengths, starts, [labels[start] for start in starts])

    @classmethod
    def intervals(cls, name: str, size: int, starts: Iterable[int]) -> "DomainPartition":
        """Blocks of neighbours, which begin at these numbers (and at 0)."""
        begins = sorted({0, *starts})
        if begins[0] < 0 or begins[-1] >= size:
            raise RequestError(f"blocks begin at the numbers 0 to {size - 1:,}")
        return cls((name,), (size,), tuple(begins), tuple(range(len(begins))))

    @classmethod
    def each(cls, name: str, size: int) -> "DomainPartition":
        """Every value by itself: a full histogram."""
        return cls.intervals(name, size, range(size))

    @classmethod
    def of_runs(
        cls, names: tuple[str, ...], sizes: tuple[int, ...], starts: Iterable[int], labels: Sequence[Hashable]
    ) -> "DomainPartition":
        """Number blocks as they appear and join neighbouring runs of one block."""
        numbers: dict[Hashable, int] = {}
        runs = [(s, numbers.setdefault(label, len(numbers))) for s, label in zip(starts, labels, strict=True)]
        kept = [runs[0], *(after for before, after in pairwise(runs) if after[1] != before[1])]
        return cls(names, sizes, tuple(start for start, _ in kept), tuple(label for _, label in kept))

    @property
    def size(self) -> int:
        """How many values the domain has."""
        return prod(self.sizes)

    @cached_property
    def blocks(self) -> int:
        """How many blocks there are."""
        return max(self.labels) + 1

    @property
    def is_contiguous(self) -> bool:
        """Whether each block is one run."""
        return self.blocks == len(self.starts)

    def label_at(self, number: int) -> int:
        """The block of a value."""
        return self.labels[bisect_right(self.starts, number) - 1]

    @property
    def representatives(self) -> list[int]:
        """The first number of each block."""
        first: dict[int, int] = {}
        for start, label in zip(self.starts, self.labels, strict=True):
            first.setdefault(label, start)
        return list(first.values())  # blocks are numbered as they first appear

    @cached_property
    def block_sizes(self) -> list[int]:
        """How many values each block has."""
        sizes = [0] * self.blocks
        for label, length in self._runs:
            sizes[label] += length
        return sizes

    def refines(self, other: "DomainPartition") -> bool:
        """Whether the block here tells the block there."""
        return self.names == other.names and refined([self, other]).blocks == self.blocks

    def within(self, known: "DomainPartition") -> "DomainPartition":
        """Which part of the block of another partition a block here meets, parts being numbered in each.

        Where the other block is known, this tells the block here, with fewer blocks in all.

        >>> DomainPartition.each("x", 8).within(DomainPartition.intervals("x", 8, [4])).blocks
        4
        """
        atoms, numbers = refined([self, known]), dict[int, dict[int, int]]()
        labels = []
        for start in atoms.starts:
            parts = numbers.setdefault(known.label_at(start), {})
            labels.append(parts.setdefault(self.label_at(start), len(parts)))
        return DomainPartition.of_runs(atoms.names, atoms.sizes, atoms.starts, labels)

    def lifted(self, names: tuple[str, ...], sizes: tuple[int, ...]) -> "DomainPartition":
        """The same blocks on the combinations with further attributes."""
        if names == self.names:
            return self
        spend(prod(sizes))
        lengths = np.diff([*self.starts, self.size])
        dense = np.repeat(np.asarray(self.labels, np.int64), lengths).reshape(self.sizes)
        order = sorted(range(len(self.names)), key=lambda axis: names.index(self.names[axis]))
        shape = [size if name in self.names else 1 for name, size in zip(names, sizes, strict=True)]
        flat = np.broadcast_to(dense.transpose(order).reshape(shape), sizes).ravel()
        starts = np.concatenate([[0], np.flatnonzero(np.diff(flat)) + 1])
        return DomainPartition.of_runs(names, sizes, starts.tolist(), flat[starts].tolist())

    def spread(self, cuts: int, weights: Sequence[int] | None = None) -> int:
        """The most outputs when, besides the block, a function with this many steps along the domain is told.

        A step between two neighbours parts each block that has values on both sides. This many steps part no
        more than the steps that part most do, and never more than into single values.

        Args:
            cuts: how often the function changes from a value to the next.
            weights: how many outputs each block stands for; 1 unless said.
        """
        if weights is None:
            total, most, parted = self.blocks, self.size, self._parted
        else:
            total = sum(weights)
            most = sum(weights[label] * length for label, length in self._runs)
            parted = self._parted_by_cut(weights)
        steps, sums = parted
        whole = bisect_left(steps, cuts)
        if whole == len(steps):
            return min(most, total + (sums[-1] if sums else 0))
        before, done = (steps[whole - 1], sums[whole - 1]) if whole else (0, 0)
        slope = (sums[whole] - done) // (steps[whole] - before)
        return min(most, total + done + (cuts - before) * slope)

    @property
    def _runs(self) -> list[tuple[int, int]]:
        """Each run's block and length."""
        ends = (*self.starts[1:], self.size)
        return [
            (label, end - start) for label, start, end in zip(self.labels, self.starts, ends, strict=True)
        ]

    @cached_property
    def _parted(self) -> tuple[list[int], list[int]]:
        return self._parted_by_cut([1] * self.blocks)

    def _parted_by_cut(self, weights: Sequence[int]) -> tuple[list[int], list[int]]:
        """Cuts in order of the weight they part: cumulated numbers of cuts and of parted weight."""
        runs = self._runs
        last = {label: place for place, (label, _) in enumerate(runs)}
        seen: set[int] = set()
        found: dict[int, int] = {}
        open_weight = 0  # of blocks that have begun and go on after this run
        for place, (label, length) in enumerate(runs):
            if label in seen and last[label] == place:
                open_weight -= weights[label]
            others = open_weight - (weights[label] if label in seen and last[label] > place else 0)
            inside = others + weights[label]
            found[inside] = found.get(inside, 0) + length - 1
            if label not in seen and last[label] > place:
                open_weight += weights[label]
            seen.add(label)
            if place + 1 < len(runs):
                found[open_weight] = found.get(open_weight, 0) + 1
        ordered = [(weight, found[weight]) for weight in sorted(found, reverse=True) if found[weight]]
        return (
            list(accumulate(times for _, times in ordered)),
            list(accumulate(weight * times for weight, times in ordered)),
        )


def refined(partitions: Sequence[DomainPartition]) -> DomainPartition:
    """The coarsest partition of one domain that tells all of the given ones: its blocks are the atoms.

    >>> refined([DomainPartition.intervals("x", 9, [3]), DomainPartition.of("x", "010001000")]).blocks
    4
    """
    spend(sum(len(part.starts) for part in partitions))
    first = partitions[0]
    plain = [part for part in partitions if part.is_contiguous]
    rest = list(dict.fromkeys(part for part in partitions if not part.is_contiguous))
    if plain:
        starts = sorted(set().union(*(part.starts for part in plain)))
        rest.append(DomainPartition(first.names, first.sizes, tuple(starts), tuple(range(len(starts)))))
    while len(rest) > 1:  # two and two, so that short lists of runs meet short ones
        pairs = [rest[place : place + 2] for place in range(0, len(rest), 2)]
        rest = [reduce(_met, pair) for pair in pairs]
    return rest[0]


def independently_refined(partitions: Sequence[DomainPartition]) -> list[DomainPartition] | None:
    """The same for partitions of different attributes: one partition for each set of related ones.

    An atom of all of them is one atom of each, in any combination. None if related attributes have too many
    combinations.

    >>> ages = [DomainPartition.intervals("age", 9, [3]), DomainPartition.intervals("age", 9, [5])]
    >>> [atoms.blocks for atoms in independently_refined([*ages, DomainPartition.each("smokes", 2)])]
    [3, 2]
    """
    together(partitions)
    by_names: dict[tuple[str, ...], list[DomainPartition]] = {}
    for partition in partitions:
        by_names.setdefault(partition.names, []).append(partition)
    related: list[list[DomainPartition]] = []
    for atoms in map(refined, by_names.values()):
        meeting = [others for others in related if any(set(atoms.names) & set(o.names) for o in others)]
        related = [others for others in related if all(others is not met for met in meeting)]
        related.append([*(other for others in meeting for other in others), atoms])
    found = [_jointly_refined(members) for members in related]
    whole = [atoms for atoms in found if atoms is not None]
    return whole if len(whole) == len(found) else None


def _jointly_refined(partitions: Sequence[DomainPartition]) -> DomainPartition | None:
    """The atoms of partitions of related attributes, on their combinations; None if these are too many."""
    names, sizes = together(partitions)
    if len(names) > 1 and prod(sizes) > _MOST:
        return None
    return refined([part.lifted(names, sizes) for part in partitions])


def together(partitions: Sequence[DomainPartition]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The attributes of all, in the order of their names."""
    sizes: dict[str, int] = {}
    for part in partitions:
        for name, size in zip(part.names, part.sizes, strict=True):
            if sizes.setdefault(name, size) != size:
                raise RequestError(f"partitions of {name!r} disagree about how many values it has")
    names = tuple(sorted(sizes))
    return names, tuple(sizes[name] for name in names)


def _met(first: DomainPartition, second: DomainPartition) -> DomainPartition:
    """The refinement of two partitions: walk along both lists of runs."""
    starts = sorted({*first.starts, *second.starts})
    labels: list[tuple[int, int]] = []
    one = two = -1
    for start in starts:
        one += one + 1 < len(first.starts) and first.starts[one + 1] == start
        two += two + 1 < len(second.starts) and second.starts[two + 1] == start
        labels.append((first.labels[one], second.labels[two]))
    return DomainPartition.of_runs(first.names, first.sizes, starts, labels)


@dataclass(frozen=True)
class Predicate:
    """A condition on the values of one attribute, or on the combinations of several.

    Attributes:
        partition: two blocks, or one when the condition holds for all values or for none.
        chosen: the blocks for which it holds.
    """

    partition: DomainPartition
    chosen: frozenset[int]

    @classmethod
    def of(cls, name: str, size: int, numbers: Collection[int]) -> "Predicate":
        """The condition that a value's number, of 0 to size - 1, is one of these.

        >>> young = Predicate.of("age", 121, range(30))
        >>> smokes = Predicate.of("smokes", 2, [1])
        >>> (young & smokes).partition.names
        ('age', 'smokes')
        """
        if numbers and (min(numbers) < 0 or max(numbers) >= size):
            raise RequestError(f"a condition on {name!r} chooses among the numbers 0 to {size - 1:,}")
        if isinstance(numbers, range) and numbers and numbers.step == 1:
            return cls.of_runs(name, size, ((numbers[0], numbers[-1] + 1),))
        return cls.of_runs(name, size, as_runs(numbers))

    @classmethod
    def of_runs(cls, name: str, size: int, runs: Runs) -> "Predicate":
        """The condition that a value's number is in one of the runs."""
        starts = sorted({0, *(edge for run in runs for edge in run if edge < size)})
        begins = {start for start, _ in runs}  # runs do not touch: where one ends none begins
        return cls._of_truth((name,), (size,), starts, [start in begins for start in starts])

    @classmethod
    def _of_truth(
        cls, names: tuple[str, ...], sizes: tuple[int, ...], starts: Collection[int], truth: list[bool]
    ) -> "Predicate":
        partition = DomainPartition.of_runs(names, sizes, starts, truth)
        return cls(partition, frozenset({int(not truth[0])} if any(truth) else ()))

    def __and__(self, other: "Predicate") -> "Predicate":
        return self._combined(other, and_)

    def __or__(self, other: "Predicate") -> "Predicate":
        return self._combined(other, or_)

    def __invert__(self) -> "Predicate":
        return Predicate(self.partition, frozenset(range(self.partition.blocks)) - self.chosen)

    def holds(self, number: int) -> bool:
        """Whether it holds for the value, or the combination, with this number."""
        return self.partition.label_at(number) in self.chosen

    def _combined(self, other: "Predicate", operator: Callable[[bool, bool], bool]) -> "Predicate":
        names, sizes = together([self.partition, other.partition])
        one = Predicate(self.partition.lifted(names, sizes), self.chosen)
        two = Predicate(other.partition.lifted(names, sizes), other.chosen)
        starts = refined([one.partition, two.partition]).starts
        truth = [operator(one.holds(start), two.holds(start)) for start in starts]
        return Predicate._of_truth(names, sizes, starts, truth)
