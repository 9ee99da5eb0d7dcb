"""What each merge of a run changed."""

from fractions import Fraction

import numpy as np

from noiseless.arrays import IntArray
from noiseless.search.codebook import Codebook, costs_in_line
from noiseless.search.loss import Length, Lengths, Objective, Utility
from noiseless.search.merging.merged_cells import MergedCells, Pair
from noiseless.search.merging.path import MergePath


def measure_path(
    cells: MergedCells,
    objective: Objective,
    utility: Utility,
    rounds: list[int] | None = None,
    weight: Fraction | None = None,
) -> MergePath:
    """A run's path: leakage, components, posterior sets, resolution and distortion at each of its points.

    Args:
        cells: what was merged, and how.
        objective: what the merges lower.
        utility: what they try to keep.
        rounds: the points at which an iteration of the paper ends; None if each merge is one.
        weight: the multiplier that they depend on.
    """
    problem, pairs = cells.problem, cells.pairs
    held, largest = [1] * problem.size, [1]
    for kept, gone in pairs:
        held[kept] += held[gone]
        largest.append(max(largest[-1], held[kept]))
    stay, go = np.array(pairs, np.int64).reshape(-1, 2).T.copy()
    leaks, smallest = _worst(cells.all_answers(), len(pairs) + 1)
    return MergePath(
        objective,
        utility,
        problem.size,
        stay,
        go,
        np.arange(len(pairs) + 1) if rounds is None else np.array(rounds),
        leaks,
        np.array(cells.components),
        smallest,
        np.array(largest),
        None if problem.codebook is None else _distortions(problem.codebook, pairs),
        weight,
    )


def _worst(answers: IntArray, points: int) -> tuple[tuple[IntArray, IntArray], IntArray]:
    """The largest ratio and the smallest set at each point, of answers that last until some point.

    Answers that are still to come count too: they are no worse than those that they are made of.
    """
    answers = answers[np.argsort(answers[:, 0] / answers[:, 1], kind="stable")]
    priors, sizes, last = answers.T
    worst, smallest = np.full(points, -1), np.full(points, sizes.max())
    np.maximum.at(worst, last, np.arange(len(answers)))
    np.minimum.at(smallest, last, sizes)
    worst, smallest = (
        end.accumulate(found[::-1])[::-1] for end, found in ((np.maximum, worst), (np.minimum, smallest))
    )
    return (priors[worst], sizes[worst]), smallest


def _distortions(codebook: Codebook, pairs: list[Pair]) -> Lengths:
    """The largest cost at each point."""
    cell_of, start = np.arange(len(codebook)), np.zeros(1, np.int64)
    costs = [Length(0)]
    for kept, gone in pairs:
        cell_of[cell_of == gone] = kept
        costs.append(costs_in_line(codebook, np.flatnonzero(cell_of == kept), start)[0])
    ranks = Lengths.of(costs).ranks
    own, largest = (
        np.zeros(len(codebook), np.int64),
        [0],
    )  # the merge that made each cell; 0: none, or it is gone
    for point, (kept, gone) in enumerate(pairs, start=1):
        own[kept], own[gone] = point, 0
        largest.append(int(own[ranks[own].argmax()]))
    return Lengths.of([costs[point] for point in largest])
