"""What each merge of a run changed, counted anew from the merges alone."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heapify, heappop, heappush

import numpy as np

from noiseless.arrays import IntArray
from noiseless.ranges import overlap_partition
from noiseless.search.codebook import Codebook, ColumnCodebook
from noiseless.search.loss import Length, Lengths, Objective, Utility
from noiseless.search.merging.path import MergePath
from noiseless.search.merging.plain_paths import PlainCells
from noiseless.search.problem import Problem
from noiseless.tables.kernels import compiled

SMALL = 2000
"""Up to so many merges plain Python beats loading the compiled kernel."""


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
    points = len(merges.kept) + 1
    outputs = [np.empty(points, np.int64) for _ in range(3)]
    sets = np.zeros(0, np.int64) if merges.sets is None else merges.sets
    sizes = np.asarray(joint.posterior_sizes, np.int64)
    most = max(int(sizes.max()), joint.size_x) + 1
    inputs = [
        *(np.asarray(part, np.int64) for part in (merges.kept, merges.absorbed, sets)),
        sizes.copy(),
        np.bincount(sizes, minlength=most),
        np.asarray(partition.y_blocks, np.int64),
        np.arange(partition.count),
        np.ones(problem.size, np.int64),
    ]
    _run(_count, [*inputs, *outputs])
    components, smallest, largest = outputs
    return (np.full(points, joint.size_x), smallest), components, smallest, largest


def _run(kernel: Callable[..., None], arrays: Sequence[IntArray]) -> None:
    if len(arrays[0]) > SMALL:
        compiled(kernel)(*arrays)
        return
    lists = [array.tolist() for array in arrays]
    kernel(*lists)
    for array, values in zip(arrays, lists, strict=True):
        array[:] = values


def _count(  # noqa: PLR0917 - a kernel takes its arrays one by one
    kept: IntArray,
    absorbed: IntArray,
    sets: IntArray,
    sizes: IntArray,
    histogram: IntArray,
    blocks: IntArray,
    parents: IntArray,
    held: IntArray,
    components: IntArray,
    smallest: IntArray,
    largest: IntArray,
) -> None:
    components[0], largest[0], least = len(parents), 1, 1
    while histogram[least] == 0:
        least += 1
    smallest[0] = least
    for step in range(len(kept)):
        i, j = kept[step], absorbed[step]
        a, b = blocks[i], blocks[j]
        while parents[a] != a:
            parents[a] = parents[parents[a]]
            a = parents[a]
        while parents[b] != b:
            parents[b] = parents[parents[b]]
            b = parents[b]
        components[step + 1] = components[step]
        if a != b:
            parents[max(a, b)] = min(a, b)
            components[step + 1] -= 1
        histogram[sizes[i]] -= 1
        histogram[sizes[j]] -= 1
        sizes[i] = sets[step] if len(sets) else sizes[i] + sizes[j]
        histogram[sizes[i]] += 1
        while histogram[least] == 0:
            least += 1
        held[i] += held[j]
        largest[step + 1] = max(largest[step], held[i])
        smallest[step + 1] = least


def _distortions(codebook: Codebook, merges: Merges) -> Lengths:
    if merges.method == "ordered" and isinstance(codebook, ColumnCodebook):
        return _widths(codebook, merges)
    if isinstance(codebook, ColumnCodebook) and codebook.fits and len(merges.kept) > SMALL // 10:
        from noiseless.search.merging.general_paths import distortions

        tops, bottoms = distortions(codebook, merges.kept, merges.absorbed)
        root = codebook.combine == "squares"
        unit = codebook.scaled.unit
        return Lengths(tops, bottoms, unit**2 if root else unit, root)
    members = {x: [x] for x in range(len(codebook))}
    costs: dict[int, Length] = {}  # of cells with several values
    found = [Length(0)]
    for i, j in zip(merges.kept.tolist(), merges.absorbed.tolist(), strict=True):
        members[i] = sorted(members[i] + members.pop(j))
        costs[i] = codebook.cost(members[i])
        costs.pop(j, None)
        found.append(max(costs.values()))
    return Lengths.of(found)


def _widths(codebook: ColumnCodebook, merges: Merges) -> Lengths:
    """The largest half width after each merge, for one numeric column."""
    values, root = codebook.scaled.positions[:, 0], codebook.combine == "squares"
    widest = np.zeros(len(merges.kept) + 1, np.int64)
    _run(_widen, [merges.kept, merges.absorbed, values.copy(), values.copy(), widest])
    unit = codebook.scaled.unit / 2
    tops = widest.astype(object) ** 2 if root else widest
    return Lengths(tops, np.ones(len(widest), np.int64), unit**2 if root else unit, root)


def _widen(kept: IntArray, absorbed: IntArray, low: IntArray, high: IntArray, widest: IntArray) -> None:
    for step in range(len(kept)):
        i, j = kept[step], absorbed[step]
        low[i], high[i] = min(low[i], low[j]), max(high[i], high[j])
        widest[step + 1] = max(widest[step], high[i] - low[i])
