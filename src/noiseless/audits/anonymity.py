"""The literature's measures of anonymity, on a census: k, l, t and homogeneous groups."""

from collections.abc import Iterator, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np

from noiseless.arrays import FloatArray, IntArray
from noiseless.audits.census import Census
from noiseless.exact import round_down
from noiseless.ranges import JointRange
from noiseless.ranges.joint import GroupedPairs
from noiseless.tables.kernels import add_by_code

_NEAR = 1e-9
"""Groups whose distance in doubles is this close to the largest are compared again, exactly."""

_PAIRS = 2**22
"""Distances are computed for so many pairs at a time."""


def k_anonymity(census: Census) -> int:
    """The size of the smallest group (Sweeney)."""
    return int(census.group_sizes.min())


def entropy_l_diversity(census: Census) -> float:
    """The smallest exp(Shannon entropy) of a group (Machanavajjhala et al.), rounded down."""
    counts, starts = census.pair_counts.astype(float), census.joint.starts[:-1]
    totals = np.add.reduceat(counts, starts)
    entropies = np.log(totals) - np.add.reduceat(counts * np.log(counts), starts) / totals
    near = np.flatnonzero(entropies <= entropies.min() + _NEAR)
    even = np.maximum.reduceat(counts, starts)[near] == np.minimum.reduceat(counts, starts)[near]
    exact = census.joint.posterior_sizes[near[even]].astype(float)  # with equal counts it is their number
    kinds = {tuple(sorted(_counts_of(census, group))) for group in near[~even].tolist()}
    return min([*map(_effective_number, kinds), *([float(exact.min())] if len(exact) else [])])


def _effective_number(counts: Sequence[int]) -> float:
    """exp(Shannon entropy) of counts that are not all equal: the float just below it."""
    with localcontext() as context:
        context.prec = 50
        total = sum(counts)
        spread = sum((Decimal(c) * Decimal(c).ln() for c in counts), Decimal(0)) / total
        value = (Decimal(total).ln() - spread).exp()
    return round_down(Fraction(value) * (1 - Fraction(1, 10**40)))


def _counts_of(census: Census, group: int) -> list[int]:
    return list(census.pair_counts[census.joint.starts[group] : census.joint.starts[group + 1]].tolist())


def homogeneous_groups(census: Census) -> IntArray:
    """The groups all of whose members share one sensitive value, largest first."""
    groups = np.flatnonzero(census.joint.posterior_sizes == 1)
    return groups[np.argsort(-census.group_sizes[groups], kind="stable")]


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
    """The groups in runs of so many pairs, so that arrays of doubles stay small."""
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
