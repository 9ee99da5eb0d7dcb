"""The greedy merging algorithms of [P3]: one run gives the whole path."""

from fractions import Fraction
from itertools import chain
from typing import Literal

import numpy as np

from noiseless.errors import RequestError
from noiseless.exact import Rational
from noiseless.ranges import JointRange
from noiseless.search.codebook import Codebook, ColumnCodebook
from noiseless.search.loss import Objective, Utility
from noiseless.search.merging.constrained_paths import constrained_merges
from noiseless.search.merging.general_paths import leakage_merges, maximin_merges
from noiseless.search.merging.path import MergePath
from noiseless.search.merging.plain_paths import PlainCells, plain_both, plain_leakage, plain_maximin
from noiseless.search.merging.replay import Merges, measure_path
from noiseless.search.problem import Problem, SideInformation

Way = Literal["auto", "plain", "general"]

FEW = 60
"""Up to this many public values plain Python is as fast as arrays."""


def leakage_path(
    joint: JointRange,
    codebook: Codebook | None = None,
    *,
    utility: Utility | None = None,
    side: SideInformation | None = None,
    method: Way = "auto",
) -> MergePath:
    """Algorithm 1 of [P3]: merge the cells that leave the fewest sensitive values, until nothing leaks.

    In each iteration every cell with the smallest posterior set (in order of its first value) is merged with
    the cell of another S-range that costs least; ties go to the cell with the lowest first value. With side
    information the cells with the largest |[[S|a]]| / |[[S|X, a]]| are merged, each with a cell that adds a
    sensitive value for an a at which it is largest; without any that is the same. The merges do not depend
    on a weight: see `MergePath.first_rise`, `best` and `meeting`.

    Args:
        joint: [[S, X]]: X of `JointRange` is the sensitive side, Y the public one.
        codebook: what is released for a cell and how far that is from its members.
        utility: `resolution` (U1) or `distortion` (U2); the latter if there is a codebook, unless told.
        side: side information; the joint range is then [[S, (X, A)]].
        method: `general` (by arrays, quadratic) or `plain` (any codebook); by default the faster one.

    >>> joint = JointRange.from_pairs([("s1", "x1"), ("s2", "x1"), ("s2", "x2"), ("s3", "x3")])
    >>> leakage_path(joint).last.cells.members
    ((0, 1, 2),)
    """
    return merge_path(Problem(joint, codebook, side), "leakage", utility, method=method)


def maximin_path(
    joint: JointRange,
    codebook: Codebook | None = None,
    *,
    utility: Utility | None = None,
    side: SideInformation | None = None,
    method: Way = "auto",
) -> MergePath:
    """Algorithm 2 of [P3]: merge cells of different subgraphs, the cheapest pair first, until one is left.

    The pair whose union is smallest (U1), ties going to the pair that joins the largest subgraphs (their
    sizes compared largest first), or cheapest (U2); then to the lowest first values. With side information
    a pair is a candidate if merging it lowers the number of components of [[S, (Xh, A)]].

    Args:
        joint: [[S, X]].
        codebook: what is released for a cell and how far that is from its members.
        utility: `resolution` or `distortion`.
        side: side information.
        method: as for `leakage_path`.
    """
    return merge_path(Problem(joint, codebook, side), "maximin", utility, method=method)


def constrained_path(
    joint: JointRange,
    weight: Rational | float,
    codebook: Codebook | None = None,
    *,
    utility: Utility | None = None,
    side: SideInformation | None = None,
    method: Way = "auto",
) -> MergePath:
    """Problem (7) of [P3]: lower the leakage, and leave no maximin information at the end.

    Candidates are those of Algorithm 2; each time the pair is merged that lowers log L0 + weight * loss
    most, ties going to the smallest S-ranges (the smaller one compared first), then to the lowest first
    values. Here the merges depend on the weight and the end does not.

    Args:
        joint: [[S, X]].
        weight: the multiplier lambda; a float is the rational that it is.
        codebook: what is released for a cell and how far that is from its members.
        utility: `resolution` or `distortion`.
        side: side information.
        method: as for `leakage_path`.
    """
    return merge_path(Problem(joint, codebook, side), "both", utility, Fraction(weight), method=method)


def merge_path(
    problem: Problem,
    objective: Objective,
    utility: Utility | None = None,
    weight: Fraction | None = None,
    *,
    method: Way = "auto",
) -> MergePath:
    """The path of the algorithm for an objective; only problem (7) takes a weight."""
    wanted: Utility = utility or ("resolution" if problem.codebook is None else "distortion")
    if wanted not in ("resolution", "distortion"):
        raise RequestError("a utility is 'resolution' or 'distortion'")
    if wanted == "distortion" and problem.codebook is None:
        raise RequestError(
            "distortion needs a codebook: ColumnCodebook(Numbers(values)) for one numeric column"
        )
    if weight is not None and weight < 0:
        raise RequestError("a weight is not negative")
    driving = problem.codebook if wanted == "distortion" else None
    columns = driving if isinstance(driving, ColumnCodebook) and driving.fits else None
    applies = driving is columns
    if method not in ("auto", "plain", "general") or (method == "general" and not applies):
        ways = "plain, general" if applies else "plain"
        raise RequestError(f"method {method!r} does not apply here; these do: {ways}")
    if problem.side is not None and (objective == "both" or (objective == "maximin" and driving is None)):
        applies = False
    if not applies or method == "plain" or (method == "auto" and problem.size <= FEW):
        merges = _plain(PlainCells(problem, driving), objective, weight or Fraction(0))
    else:
        merges = _general(problem, columns, objective, weight or Fraction(0))
    return measure_path(problem, merges, objective, wanted, weight)


def _plain(cells: PlainCells, objective: Objective, weight: Fraction) -> Merges:
    if objective == "leakage":
        done = list(plain_leakage(cells))
        rounds, pairs = np.cumsum([0, *map(len, done)]), list(chain.from_iterable(done))
    else:
        rounds, pairs = None, list(plain_both(cells, weight) if objective == "both" else plain_maximin(cells))
    table = np.array(pairs, np.int64).reshape(-1, 2)
    return Merges(table[:, 0].copy(), table[:, 1].copy(), rounds, None, "plain")


def _general(
    problem: Problem, codebook: ColumnCodebook | None, objective: Objective, weight: Fraction
) -> Merges:
    if objective == "both":
        return constrained_merges(problem, codebook, weight)
    return (leakage_merges if objective == "leakage" else maximin_merges)(problem, codebook)
