"""What each merge of a run changed, counted anew from the merges alone."""

from dataclasses import dataclass
from fractions import Fraction
from heapq import heapify, heappop, heappush

import numpy as np

from noiseless.arrays import IntArray
from noiseless.ranges import overlap_partition
from noiseless.search.codebook import Codebook, ColumnCodebook
from noiseless.search.hulls import Hulls
from noiseless.search.loss import Length, Lengths, Objective, Utility
from noiseless.search.merging.path import MergePath
from noiseless.search.merging.plain_paths import PlainCells
from noiseless.search.problem import Problem


@dataclass(frozen=True, eq=False)
class Merges:
    """The merges of a run.

    Attributes:
        kept: the cell that stays, named by its first value.
        absorbed: the one that goes into it.
        rounds: the points at which an iteration of the paper ends; None if each merge is one.
        sets: how many sensitive values the merged cell has; None if that is the sum of the two.
        method: how the run was made.
    """

    kept: IntArray
    absorbed: IntArray
    rounds: IntArray | None
    sets: IntArray | None
    method: str


def measure_path(
    problem: Problem,
    merges: Merges,
    objective: Objective,
    utility: Utility,
    weight: Fraction | None = None,
) -> MergePath:
    """A run's path: leakage, components, posterior sets, resolution and distortion at each of its points."""
    counts = _with_sets if problem.side is not None or merges.method == "plain" else _with_sizes
    leaks, components, smallest, largest = counts(problem, merges)
    rounds = np.arange(len(merges.kept) + 1) if merges.rounds is None else merges.rounds
    return MergePath(
        objective,
        utility,
        merges.method,
        problem.size,
        merges.kept,
        merges.absorbed,
        rounds,
        leaks,
        components,
        smallest,
        largest,
        None if problem.codebook is None else _distortions(problem.codebook, merges),
        weight,
    )


Counts = tuple[tuple[IntArray, IntArray], IntArray, IntArray, IntArray]


def _with_sets(problem: Problem, merges: Merges) -> Counts:
    """Whatever the range: with the sets themselves."""
    cells = PlainCells(problem, None)
    exposures = [(-cells.exposure(known), i, 0) for i, known in cells.posteriors.items()]
    versions = dict.fromkeys(cells.members, 0)
    sizes = [(len(values), i, 0) for i, known in cells.posteriors.items() for values in known.values()]
    heapify(exposures)
    heapify(sizes)
    largest, components, found = 1, cells.components, []
    for step in range(len(merges.kept) + 1):
        if step:
            before = {cells.find(n) for x in _ends(merges, step) for n in cells.nodes[x].values()}
            i, j = cells.merge(*_ends(merges, step))
            components -= len(before) - len({cells.find(root) for root in before})
            versions[i], versions[j] = versions[i] + 1, -1
            heappush(exposures, (-cells.exposure(cells.posteriors[i]), i, versions[i]))
            for values in cells.posteriors[i].values():
                heappush(sizes, (len(values), i, versions[i]))
            largest = max(largest, len(cells.members[i]))
        while versions[exposures[0][1]] != exposures[0][2]:
            heappop(exposures)
        while versions[sizes[0][1]] != sizes[0][2]:
            heappop(sizes)
        worst = -exposures[0][0]
        found.append((worst.numerator, worst.denominator, components, sizes[0][0], largest))
    tops, bottoms, blocks, smallest, most = np.array(found, np.int64).T
    return (tops, bottoms), blocks, smallest, most


def _ends(merges: Merges, step: int) -> tuple[int, int]:
    return int(merges.kept[step - 1]), int(merges.absorbed[step - 1])


def _with_sizes(problem: Problem, merges: Merges) -> Counts:
    """Without side information: sizes are enough."""
    joint = problem.joint
    partition = overlap_partition(joint)
    blocks, parents = partition.y_blocks.tolist(), list(range(partition.count))
    sizes, held = joint.posterior_sizes.tolist(), [1] * problem.size
    histogram = np.bincount(sizes, minlength=joint.size_x + 1).tolist()
    components, largest, least, found = partition.count, 1, 0, []
    for step in range(len(merges.kept) + 1):
        if step:
            i, j = _ends(merges, step)
            first, second = _root(parents, blocks[i]), _root(parents, blocks[j])
            if first != second:
                parents[second] = first
                components -= 1
            histogram[sizes[i]] -= 1
            histogram[sizes[j]] -= 1
            sizes[i] = sizes[i] + sizes[j] if merges.sets is None else int(merges.sets[step - 1])
            histogram[sizes[i]] += 1
            held[i] += held[j]
            largest = max(largest, held[i])
        while histogram[least] == 0:
            least += 1
        found.append((components, least, largest))
    blocks_left, smallest, most = np.array(found, np.int64).T
    return (np.full(len(found), joint.size_x), smallest), blocks_left, smallest, most


def _root(parents: list[int], node: int) -> int:
    while parents[node] != node:
        parents[node] = node = parents[parents[node]]
    return node


def _distortions(codebook: Codebook, merges: Merges) -> Lengths:
    if isinstance(codebook, ColumnCodebook) and codebook.fits:
        return _by_hulls(codebook, merges)
    members = {x: [x] for x in range(len(codebook))}
    costs: dict[int, Length] = {}  # of cells with several values
    found = [Length(0)]
    for i, j in zip(merges.kept.tolist(), merges.absorbed.tolist(), strict=True):
        members[i] = sorted(members[i] + members.pop(j))
        costs[i] = codebook.cost(members[i])
        costs.pop(j, None)
        found.append(max(costs.values()))
    return Lengths.of(found)


def _by_hulls(codebook: ColumnCodebook, merges: Merges) -> Lengths:
    """The largest cost after each merge, on the codebook's integer scale."""
    hulls = Hulls(codebook, len(codebook))
    most = hulls.least(hulls.own, largest=True)[0]
    found = [most]
    for i, j in zip(merges.kept.tolist(), merges.absorbed.tolist(), strict=True):
        tops, bottoms = hulls.costs(i, np.array([j]))
        cost = int(tops[0]), int(bottoms[0])
        hulls.join(i, j, cost)
        most = max(most, cost) if hulls.grows else hulls.least(hulls.own, largest=True)[0]
        found.append(most)
    table = np.array(found, np.int64)
    return Lengths(table[:, 0], table[:, 1], codebook.cost_unit, codebook.rooted)
