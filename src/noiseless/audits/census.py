"""Who stands behind each answer: the joint range with head counts, and the literature's measures of it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from noiseless.arrays import BoolArray, FloatArray, IntArray
from noiseless.exact import round_down
from noiseless.ranges import JointRange
from noiseless.ranges.joint import GroupedPairs
from noiseless.tables import Tally
from noiseless.tables.kernels import (
    add_by_code,
    add_runs,
    distinct_codes,
    distinct_values,
    heads,
    heads_by_code,
)
from noiseless.tables.points import on_a_line, points


class Membership(NamedTuple):
    """Who is in which group, each person once a group (and, with several rows, in several groups)."""

    groups: IntArray
    persons: IntArray


@dataclass(frozen=True)
class GroupSizes:
    """How many groups have each number of heads: what re-identification risks are counted from.

    A prosecutor knows that a person is in the table and picks one of the n_y heads that look like that
    person; a marketer does so for everybody.
    """

    groups: Mapping[int, int]

    @classmethod
    def of(cls, sizes: IntArray) -> "GroupSizes":
        """Those of groups with these sizes."""
        found, groups = np.unique(sizes, return_counts=True)
        return cls(dict(zip(found.tolist(), groups.tolist(), strict=True)))

    @property
    def smallest(self) -> int:
        """The k of k-anonymity."""
        return min(self.groups)

    @property
    def heads(self) -> int:
        """How many heads there are, counted in each of their groups."""
        return sum(size * groups for size, groups in self.groups.items())

    @property
    def alone(self) -> int:
        """How many heads look like nobody else."""
        return self.groups.get(1, 0)

    @property
    def prosecutor_risk(self) -> Fraction:
        """The largest 1 / n_y."""
        return Fraction(1, self.smallest)

    @property
    def marketer_risk(self) -> Fraction:
        """The mean of 1 / n_y over all heads: the number of groups divided by that of heads."""
        return Fraction(sum(self.groups.values()), self.heads)

    def share_above(self, threshold: Fraction) -> Fraction:
        """The share of heads whose 1 / n_y is above a threshold."""
        above = (size * groups for size, groups in self.groups.items() if Fraction(1, size) > threshold)
        return Fraction(sum(above), self.heads)


@dataclass(frozen=True, eq=False)
class Census:
    """A joint range [[S, Y]] with head counts, S sensitive and Y what an adversary sees.

    A *group* is a value of Y, its *posterior set* is [[S|y]]. Heads are rows, or persons with a unit.

    Attributes:
        joint: the joint range.
        pair_counts: how many heads have each pair.
        group_sizes: how many heads are in each group.
        ordered: whether the sensitive values lie on a line: numbers, days or moments of one column.
        members: who is in which group, where heads are persons.
        secrets: the sensitive values in the order of their codes, where they are one column.
    """

    joint: JointRange
    pair_counts: IntArray
    group_sizes: IntArray
    ordered: bool
    members: Membership | None = None
    secrets: Tally | None = None

    @classmethod
    def take(cls, tally: Tally, seen: Sequence[str], sensitive: Sequence[str], unit: str | None) -> "Census":
        """Count from a tally of at least the columns `seen`, `sensitive` and `unit`."""
        pairs = tally.project((*seen, *sensitive))
        joint = JointRange.from_tally(pairs, len(seen))
        secrets = pairs.project(sensitive) if len(sensitive) == 1 else None
        ordered = secrets is not None and on_a_line(secrets.decode(sensitive[0]))
        if unit is None:
            sizes = add_runs(pairs.counts, joint.starts)
            return cls(joint, pairs.counts, sizes, ordered, secrets=secrets)
        holders = tally.project((*seen, *sensitive, unit)).counted_once().project((*seen, *sensitive))
        membership = tally.project((*seen, unit))
        starts, persons = membership.split_last()
        sizes = np.diff(starts)
        members = Membership(np.repeat(np.arange(len(sizes)), sizes), persons)
        return cls(joint, holders.counts, sizes, ordered, members, secrets)

    def heads_in(self, chosen: BoolArray) -> int:
        """How many rows (different persons) are in the chosen groups together."""
        if self.members is None:
            return heads(chosen, self.group_sizes, None)
        return heads(chosen[self.members.groups], self.group_sizes, self.members.persons)

    def heads_by(self, codes: IntArray) -> IntArray:
        """How many rows (persons) are in a group with each code, from 0 on, given the code of each group."""
        size = int(codes.max()) + 1
        if self.members is None:
            return heads_by_code(codes, self.group_sizes, None, size)
        groups, persons = self.members
        return heads_by_code(codes[groups], self.pair_counts, persons, size)


_NEAR = 1e-9
"""Groups whose distance in doubles is this close to the largest are compared again, exactly."""

_PAIRS = 2**22
"""Distances are computed for this many pairs at a time."""


def entropy_l_diversity(census: Census) -> float:
    """The smallest exp(Shannon entropy) of a group (Machanavajjhala et al.), rounded down."""
    counts, starts = census.pair_counts.astype(float), census.joint.starts[:-1]
    totals = np.add.reduceat(counts, starts)
    entropies = np.log(totals) - np.add.reduceat(counts * np.log(counts), starts) / totals
    near = np.flatnonzero(entropies <= entropies.min() + _NEAR)
    even = np.maximum.reduceat(counts, starts)[near] == np.minimum.reduceat(counts, starts)[near]
    exact = census.joint.posterior_sizes[near[even]].astype(float)  # with equal counts it is their number
    ends, uneven = census.joint.starts, near[~even].tolist()
    kinds = {tuple(sorted(census.pair_counts[ends[g] : ends[g + 1]].tolist())) for g in uneven}
    return min([*map(_effective_number, kinds), *([float(exact.min())] if len(exact) else [])])


def _effective_number(counts: Sequence[int]) -> float:
    """exp(Shannon entropy) of counts that are not all equal: the float just below it."""
    with localcontext() as context:
        context.prec = 50
        total = sum(counts)
        spread = sum((Decimal(c) * Decimal(c).ln() for c in counts), Decimal(0)) / total
        value = (Decimal(total).ln() - spread).exp()
    return round_down(Fraction(value) * (1 - Fraction(1, 10**40)))


def fewest_behind(answers: IntArray, things: IntArray) -> int:
    """The fewest different things that an answer has, from pairs of the two."""
    many = int(things.max()) + 1
    return int(np.bincount(distinct_values(answers.astype(np.int64) * many + things) // many).min())


def width(census: Census) -> Fraction | None:
    """The least distance from the smallest number or date of a group to its largest: (k, e)-anonymity.

    A missing value lies nowhere: a group that has nothing beside it has no width. None where the sensitive
    values are no numbers or dates of one column.
    """
    if census.secrets is None:
        return None
    (column,), joint = census.secrets.columns, census.joint
    numbers = points(census.secrets.decode(column))
    if numbers is None:
        return None
    first, last = joint.starts[:-1], joint.starts[1:] - 1
    low = joint.x[first]
    if numbers[0] is None:
        low = np.where(low > 0, low, joint.x[np.minimum(first + 1, last)])
    spans = distinct_codes(low.astype(np.int64) * joint.size_x + joint.x[last])
    ends = (divmod(span, joint.size_x) for span in spans.tolist())
    return min((numbers[high] or Fraction(0)) - (numbers[low] or Fraction(0)) for low, high in ends)


def t_closeness(census: Census) -> Fraction:
    """The largest earth mover's distance of a group's sensitive values from the whole table's (Li et al.).

    Ordered values move by ranks, |i - j| / (m - 1); others are all at distance one. Doubles find the
    farthest groups, whole numbers settle which is farthest and how far.
    """
    table = add_by_code(census.joint.x, census.pair_counts, census.joint.size_x)
    measure = _ordered_distances if census.ordered else _equal_distances
    distances = np.concatenate([measure(part, table.astype(float)) for part in _parts(census)])
    near = np.flatnonzero(distances >= distances.max() - _NEAR)
    exact = _exact_ordered_distance if census.ordered else _exact_equal_distance
    return max(exact(census, table, group) for group in _one_of_each_kind(census, table, near))


def _one_of_each_kind(census: Census, table: IntArray, groups: IntArray) -> list[int]:
    """Groups that tie in their thousands have the same counts: keep one of each kind."""
    joint = census.joint
    kind = np.arange(joint.size_x) if census.ordered else table
    single = joint.posterior_sizes[groups] == 1
    _, first = np.unique(kind[joint.x[joint.starts[groups[single]]]], return_index=True)
    kinds = {}
    for group in groups[~single].tolist():
        span = slice(joint.starts[group], joint.starts[group + 1])
        kinds[kind[joint.x[span]].tobytes(), census.pair_counts[span].tobytes()] = group
    return [*groups[single][first].tolist(), *kinds.values()]


def _parts(census: Census) -> Iterator[Census]:
    """The groups in runs of this many pairs, so that arrays of doubles stay small."""
    joint, first = census.joint, 0
    while first < joint.size_y:
        begin = int(joint.starts[first])
        last = max(first + 1, int(np.searchsorted(joint.starts, begin + _PAIRS, side="right")) - 1)
        pairs = slice(begin, int(joint.starts[last]))
        grouped = GroupedPairs(joint.x[pairs], joint.starts[first : last + 1] - begin)
        part = JointRange(grouped, joint.size_x, last - first)
        yield Census(part, census.pair_counts[pairs], census.group_sizes[first:last], census.ordered)
        first = last


def _totals(census: Census) -> tuple[FloatArray, FloatArray]:
    """The counts of pairs and of groups, as doubles."""
    counts = census.pair_counts.astype(float)
    return counts, np.add.reduceat(counts, census.joint.starts[:-1])


def _equal_distances(census: Census, values: FloatArray) -> FloatArray:
    """Total variation: what a group has too much of, summed over its values."""
    counts, groups = _totals(census)
    excess = counts / groups[census.joint.y] - (values / values.sum())[census.joint.x]
    return np.add.reduceat(np.maximum(excess, 0.0), census.joint.starts[:-1])


def _ordered_distances(census: Census, values: FloatArray) -> FloatArray:
    """The area between two cumulative distributions over ranks, without visiting ranks a group does not have.

    Between two neighbouring values of a group its own distribution G is flat and the table's F climbs:
    |G - F| is summed there from running sums of F, on both sides of the rank where F passes G.
    """
    counts, groups = _totals(census)
    joint, ranks = census.joint, census.joint.size_x
    if ranks == 1:
        return np.zeros(joint.size_y)
    table = np.cumsum(values) / values.sum()
    area = np.concatenate(([0.0], np.cumsum(table)))
    running = np.cumsum(counts)
    before = (running - counts)[joint.starts[:-1]]
    level = (running - before[joint.y]) / groups[joint.y]
    last = np.zeros(len(joint), bool)
    last[joint.starts[1:] - 1] = True
    start, end = joint.x, np.append(joint.x[1:], 0)
    end = np.where(last, ranks, end)
    passes = np.clip(np.searchsorted(table, level), start, end)
    below = level * (passes - start) - (area[passes] - area[start])
    above = (area[end] - area[passes]) - level * (end - passes)
    inside = np.add.reduceat(below + above, joint.starts[:-1])
    return (area[joint.x[joint.starts[:-1]]] + inside) / (ranks - 1)


def _exact_equal_distance(census: Census, table: IntArray, group: int) -> Fraction:
    """The total variation of one group from the table, in whole numbers."""
    span = slice(census.joint.starts[group], census.joint.starts[group + 1])
    own = census.pair_counts[span].astype(object)
    total, size = int(table.sum()), int(own.sum())
    excess = own * total - table[census.joint.x[span]].astype(object) * size
    return Fraction(int(sum(e for e in excess if e > 0)), total * size)


def _exact_ordered_distance(census: Census, table: IntArray, group: int) -> Fraction:
    """The area between the cumulative distributions of one group and the table, in whole numbers."""
    span = slice(census.joint.starts[group], census.joint.starts[group + 1])
    own = np.zeros(len(table), object)
    own[census.joint.x[span]] = census.pair_counts[span].astype(object)
    total, size = int(table.sum()), int(own.sum())
    area = int(abs(np.cumsum(own * total - table.astype(object) * size)).sum())
    return Fraction(area, total * size * max(len(table) - 1, 1))
