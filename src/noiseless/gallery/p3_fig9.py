"""Fig. 9 of [P3]: frontiers of the heart data, by the paper's algorithms, by ours and by what others do."""

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from noiseless.gallery.figure import Check, Figure, Outcome
from noiseless.gallery.p3_frontiers import PROBLEMS, UTILITIES, Contest
from noiseless.gallery.p3_heart import REMARKS, Heart
from noiseless.search.merging import (
    ColumnCodebook,
    MergePoint,
    Quality,
    assess,
    generalise_and_suppress,
    leakage_path,
    maximin_path,
)
from noiseless.search.merging.lagrangian import below
from noiseless.search.merging.path import Utility

if TYPE_CHECKING:
    from noiseless.gallery.data import Data

ANONYMITY = 5
"""The k that the paper compares at."""


def make(data: "Data") -> Outcome:
    """All methods on all problems, measured alike."""
    heart = Heart.of(data)
    contests = [Contest(heart, objective, utility) for utility, _ in UTILITIES for objective, _ in PROBLEMS]
    return Outcome(
        panels=tuple(contest.panel() for contest in contests),
        checks=(
            *(_anonymity(heart, utility, name) for utility, name in UTILITIES),
            *(_descent(contest) for contest in contests if contest.objective == "maximin"),
            *map(_never_beaten, contests),
        ),
        remarks=(*REMARKS, _exact(contests[3]), _two_values(heart)),
    )


def _anonymity(heart: Heart, utility: Utility, name: str) -> Check:
    """Algorithm 1 beside generalisation and suppression, with the same codewords."""
    book = heart.centroids if utility == "distortion" else None
    theirs = assess(heart.joint, generalise_and_suppress(heart.joint, ANONYMITY), book)
    point = _for_anonymity(heart, book)
    return Check(
        f"For 5-anonymity Algorithm 1 loses less than generalisation and suppression ({name})",
        f"{_kept(point)} with {point.min_posterior} ages behind each answer, instead of {_kept(theirs)} with "
        f"{theirs.min_posterior}",
        "the point of Algorithm 1 with 5 ages or more that loses least loses strictly less",
        _lost(point) < _lost(theirs),
    )


def _for_anonymity(heart: Heart, book: ColumnCodebook | None) -> MergePoint:
    """The best point of Algorithm 1 with so many ages behind each answer; the last one has all ages."""
    path = leakage_path(heart.joint, book)
    return path.meeting(min_posterior=ANONYMITY) or path.last


def _lost(found: "MergePoint | Quality") -> Fraction:
    """Grows with the loss: the distortion, or the share of the values in the largest cell."""
    return 1 / found.resolution.ratio if found.distortion is None else found.distortion.value


def _kept(found: "MergePoint | Quality") -> str:
    if found.distortion is None:
        return f"{math.floor(100 * float(found.resolution)) / 100:.2f} bits of resolution"  # rounded down
    return f"a distortion of {float(found.distortion):.1f}"


def _descent(contest: Contest) -> Check:
    """Algorithm 2 beside steepest descent."""
    heart = contest.heart
    path = maximin_path(heart.joint, heart.midranges if contest.utility == "distortion" else None)
    theirs = [point.quality for point in contest.survey["steepest descent"]]
    better = [
        sum(
            point.maximin < other.maximin and below(path.loss(point.merges), other.loss(contest.utility))
            for point in path
        )
        for other in theirs
    ]
    spots = [
        f"I* = {float(other.maximin):g} at a loss of {float(other.loss(contest.utility)):g}"
        for other in theirs
    ]
    own = f"I* = {float(path.last.maximin):g} at {float(path.loss(len(path) - 1)):g}"
    return Check(
        "Several points of Algorithm 2 are strictly better in both than agglomeration after [50] "
        f"({contest.name})",
        f"{max(better)} are: it ends with {'; '.join(dict.fromkeys(spots))}, Algorithm 2 with {own}",
        "at least two points of Algorithm 2 give away strictly less and lose strictly less than one of "
        "its solutions",
        max(better) > 1,
    )


def _never_beaten(contest: Contest) -> Check:
    left = list(contest.not_equalled())
    return Check(
        f"(Ours) Our frontier is never dominated by a baseline ({contest.name})",
        f"{len(contest.baselines) - len(left)} of {len(contest.baselines)} points of the baselines are "
        f"equalled or beaten by one of our {len(contest.survey.undominated)}",
        "every point of a baseline has one of ours that gives away no more and loses no more, compared "
        "exactly",
        not left,
    )


def _exact(contest: Contest) -> str:
    points = contest.survey.undominated
    proved = (
        "no partition at all is better at any of them"
        if contest.survey.scope == "all"
        else "not all are proved best"
    )
    five = next((point for point in points if point.quality.min_posterior >= ANONYMITY), points[-1])
    greedy = _for_anonymity(contest.heart, contest.heart.centroids)
    return (
        f"Problem (2) with U2 is solved exactly: {len(points)} points, and {proved}. For {ANONYMITY} ages "
        f"the distortion is {float(five.quality.loss('distortion')):.1f}, where {_kept(greedy)} is what "
        f"Algorithm 1 finds with centroids. Only {contest.reachable()} of the points can be had by "
        "varying lambda."
    )


def _two_values(heart: Heart) -> str:
    counts = maximin_path(heart.joint).components.tolist()
    return (
        f"The ages fall into {counts[0]} subgraphs, so that I* has {len(counts)} values at the most and "
        "Algorithm 2 as many points. What stands for [50] merges the pair that lowers the Lagrangian "
        "most, as long as one does."
    )


FIGURE = Figure(
    "p3-fig9",
    "[P3] Fig. 9",
    "Frontiers of the heart data",
    "For 5-anonymity Algorithm 1 loses less than generalisation and suppression; for I* Algorithm 2 has "
    "several points that are strictly better than submodularity-based agglomeration.",
    ("heart",),
    make,
)
