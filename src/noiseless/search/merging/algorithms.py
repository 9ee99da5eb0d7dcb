"""The greedy merging algorithms of [P3]: one run gives the whole path."""

from fractions import Fraction

from noiseless.errors import RequestError
from noiseless.exact import Rational
from noiseless.ranges import JointRange
from noiseless.search.codebook import Codebook
from noiseless.search.loss import Objective, Utility
from noiseless.search.merging.merged_cells import MergedCells
from noiseless.search.merging.path import MergePath
from noiseless.search.merging.replay import measure_path
from noiseless.search.merging.runs import run_constrained, run_leakage, run_maximin
from noiseless.search.problem import Problem, SideInformation

MOST_VALUES = 3000
"""Where all pairs of values are looked at, there are no more."""


def leakage_path(
    joint: JointRange,
    codebook: Codebook | None = None,
    *,
    utility: Utility | None = None,
    side: SideInformation | None = None,
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

    >>> joint = JointRange.from_pairs([("s1", "x1"), ("s2", "x1"), ("s2", "x2"), ("s3", "x3")])
    >>> leakage_path(joint).last.cells.members
    ((0, 1, 2),)
    """
    return merge_path(Problem(joint, codebook, side), "leakage", utility)


def maximin_path(
    joint: JointRange,
    codebook: Codebook | None = None,
    *,
    utility: Utility | None = None,
    side: SideInformation | None = None,
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
    """
    return merge_path(Problem(joint, codebook, side), "maximin", utility)


def constrained_path(
    joint: JointRange,
    weight: Rational | float,
    codebook: Codebook | None = None,
    *,
    utility: Utility | None = None,
    side: SideInformation | None = None,
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
    """
    return merge_path(Problem(joint, codebook, side), "both", utility, Fraction(weight))


def merge_path(
    problem: Problem, objective: Objective, utility: Utility | None = None, weight: Fraction | None = None
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
    if objective != "leakage" and problem.size > MOST_VALUES:
        raise RequestError(
            f"this algorithm looks at all pairs of public values: of no more than {MOST_VALUES:,}"
        )
    driving, rounds, cells = problem.codebook if wanted == "distortion" else None, None, MergedCells(problem)
    if objective == "leakage":
        rounds = run_leakage(cells, driving)
    elif objective == "maximin":
        run_maximin(cells, driving)
    else:
        run_constrained(cells, driving, weight or Fraction(0))
    return measure_path(cells, objective, wanted, rounds, weight)
