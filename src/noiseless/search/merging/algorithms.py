"""The greedy merging algorithms of [P3]: one run gives the whole path."""

from collections.abc import Iterable
from fractions import Fraction
from itertools import chain
from typing import Literal

import numpy as np

from noiseless.errors import RequestError
from noiseless.exact import Rational
from noiseless.ranges import JointRange
from noiseless.search.cells import MergingProblem, SideInformation
from noiseless.search.codebook import Codebook, ColumnCodebook
from noiseless.search.loss import Utility
from noiseless.search.merging.path import MergePath
from noiseless.search.merging.plain_paths import Pair, PlainCells, plain_both, plain_leakage, plain_maximin
from noiseless.search.merging.replay import Merges, measure_path

Method = Literal["auto", "plain", "general", "ordered", "counts"]

FEW = 60
"""Up to so many public values plain Python beats loading the compiled kernels."""


def leakage_path(
    joint: JointRange,
    codebook: Codebook | None = None,
    *,
    utility: Utility | None = None,
    side: SideInformation | None = None,
    method: Method = "auto",
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
        method: `ordered` (one numeric column whose values differ, half a cell's width), `counts` (U1),
            `general` (quadratic), `plain` (any codebook); by default the fastest that applies.

    >>> joint = JointRange.from_pairs([("s1", "x1"), ("s2", "x1"), ("s2", "x2"), ("s3", "x3")])
    >>> leakage_path(joint).last.cells.members
    ((0, 1, 2),)
    """
    problem, wanted = _checked(joint, codebook, utility, side)
    chosen = _chosen(problem, codebook, wanted, method)
    driving = codebook if wanted == "distortion" else None
    if chosen == "plain":
        merges = _plain_rounds(problem, driving)
    elif chosen == "general":
        from noiseless.search.merging import general_paths as general

        merges = general.leakage_of_any_columns(problem, driving)
    else:
        from noiseless.search.merging import fast_paths as fast_leakage

        merges = (
            fast_leakage.leakage_on_a_line(problem, driving)
            if chosen == "ordered"
            else fast_leakage.leakage_by_counts(problem)
        )
    return measure_path(problem, merges, "leakage", wanted, codebook)


def maximin_path(
    joint: JointRange,
    codebook: Codebook | None = None,
    *,
    utility: Utility | None = None,
    side: SideInformation | None = None,
    method: Method = "auto",
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
    problem, wanted = _checked(joint, codebook, utility, side)
    chosen = _chosen(problem, codebook, wanted, method)
    driving = codebook if wanted == "distortion" else None
    if chosen == "plain" or (chosen == "general" and driving is None):
        merges = _plain_merges(plain_maximin(PlainCells(problem, driving)))
    elif chosen == "general":
        from noiseless.search.merging import general_paths as general

        merges = general.maximin_of_any_columns(problem, driving)
    else:
        from noiseless.search.merging import fast_paths as fast_maximin

        merges = (
            fast_maximin.maximin_on_a_line(problem, driving)
            if chosen == "ordered"
            else fast_maximin.maximin_by_counts(problem)
        )
    return measure_path(problem, merges, "maximin", wanted, codebook)


def constrained_path(
    joint: JointRange,
    weight: Rational | float,
    codebook: Codebook | None = None,
    *,
    utility: Utility | None = None,
    side: SideInformation | None = None,
    method: Method = "auto",
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
    problem, wanted = _checked(joint, codebook, utility, side)
    exact = Fraction(weight)
    if exact < 0:
        raise RequestError("a weight is not negative")
    chosen = _chosen(problem, codebook, wanted, method)
    driving = codebook if wanted == "distortion" else None
    if chosen == "plain" or problem.side is not None:
        merges = _plain_merges(plain_both(PlainCells(problem, driving), exact))
    else:
        from noiseless.search.merging import constrained_paths as constrained

        merges = constrained.run(problem, driving, exact, chosen)
    return measure_path(problem, merges, "both", wanted, codebook, exact)


def _checked(
    joint: JointRange, codebook: Codebook | None, utility: Utility | None, side: SideInformation | None
) -> tuple[MergingProblem, Utility]:
    problem = MergingProblem(joint, side)
    wanted: Utility = utility or ("resolution" if codebook is None else "distortion")
    if wanted not in ("resolution", "distortion"):
        raise RequestError("a utility is 'resolution' or 'distortion'")
    if wanted == "distortion" and codebook is None:
        raise RequestError(
            "distortion needs a codebook: ColumnCodebook(Numbers(values)) for one numeric column"
        )
    if codebook is not None and len(codebook) != problem.size:
        raise RequestError(
            f"the codebook is about {len(codebook):,} values, there are {problem.size:,} public ones"
        )
    return problem, wanted


def _chosen(problem: MergingProblem, codebook: Codebook | None, utility: Utility, method: Method) -> Method:
    """The fastest method that applies, or the one asked for if it does."""
    fits = utility == "resolution" or (isinstance(codebook, ColumnCodebook) and codebook.fits)
    possible: list[Method] = ["plain"]
    if fits:
        possible.append("general")
    if problem.side is None and utility == "resolution":
        possible.append("counts")
    if (
        problem.side is None
        and utility == "distortion"
        and isinstance(codebook, ColumnCodebook)
        and codebook.is_ordered
    ):
        possible.append("ordered")
    if method == "auto":
        return "plain" if problem.size <= FEW else possible[-1]
    if method not in possible:
        raise RequestError(f"method {method!r} does not apply here; these do: {', '.join(possible)}")
    return method


def _plain_rounds(problem: MergingProblem, codebook: Codebook | None) -> Merges:
    done = list(plain_leakage(PlainCells(problem, codebook)))
    rounds = np.cumsum([0, *(len(step) for step in done)])
    return _listed(chain.from_iterable(done), rounds)


def _plain_merges(pairs: Iterable[Pair]) -> Merges:
    return _listed(pairs, None)


def _listed(pairs: Iterable[Pair], rounds: "np.ndarray[tuple[int], np.dtype[np.int64]] | None") -> Merges:
    table = np.array(list(pairs), np.int64).reshape(-1, 2)
    return Merges(table[:, 0].copy(), table[:, 1].copy(), rounds, None, "plain")
