"""Fig. 9 of [P3]: frontiers of the heart data, by the paper's algorithms, by ours and by what others do."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from noiseless.exact import Bits
from noiseless.gallery.data import Data
from noiseless.gallery.figure import ClaimCheck, Curve, Panel, Parts, Style, reproduces
from noiseless.gallery.p3_fig8 import ROWS, Heart
from noiseless.search.loss import Loss, Objective, Utility, below
from noiseless.search.measures import Measures, ReleasePoint, measure
from noiseless.search.merging import (
    Codebook,
    ColumnCodebook,
    MergePoint,
    constrained_path,
    generalise_and_suppress,
    leakage_path,
    maximin_path,
    submodular_agglomeration,
)
from noiseless.search.portfolio import Survey, survey
from noiseless.search.problem import Problem

PROBLEMS: tuple[tuple[Objective, str], ...] = (
    ("leakage", "Problem (2)"),
    ("maximin", "Problem (4)"),
    ("both", "Problem (7)"),
)
UTILITIES: tuple[tuple[Utility, str], ...] = (("resolution", "U1"), ("distortion", "U2"))

LAMBDAS = tuple(Fraction(round(10 ** (9 + k / 16)), 10**9) for k in range(-64, 17))
"""From 1/10000 to 10."""

SOME_LAMBDAS = LAMBDAS[::32]
"""For problem (7), where every weight needs a run of its own."""

SHARES = tuple(Fraction(tenths, 10) for tenths in range(10))
"""The weights of [50], which merges nothing from 1 on."""

ANONYMITY = 5
"""The k that the paper compares at."""


@dataclass(frozen=True, eq=False)
class MethodComparison:
    """One problem with one utility.

    Attributes:
        heart: the data.
        objective: what is given away.
        utility: what is kept.
    """

    heart: Heart
    objective: Objective
    utility: Utility

    @property
    def name(self) -> str:
        """As text."""
        return f"{dict(PROBLEMS)[self.objective]}, {dict(UTILITIES)[self.utility]}"

    @cached_property
    def survey(self) -> Survey:
        """What every method can do, with midranges."""
        return survey(self.heart.problem, objective=self.objective, utility=self.utility)

    @cached_property
    def stops(self) -> list[MergePoint]:
        """Where the paper's algorithm ends, with its centroids, whatever the weight."""
        joint = self.heart.joint
        book: Codebook | None = self.heart.centroids if self.utility == "distortion" else None
        if self.objective == "both":
            ends = [constrained_path(joint, weight, book).last for weight in SOME_LAMBDAS]
            return list({(self.leak(end), self.loss(end)): end for end in ends}.values())
        path = (maximin_path if self.objective == "maximin" else leakage_path)(joint, book)
        return [path[merges] for merges in sorted({path.first_rise(weight).merges for weight in LAMBDAS})]

    def leak(self, point: MergePoint) -> Bits:
        """What a point of the paper's gives away."""
        return point.maximin if self.objective == "maximin" else point.leakage

    def loss(self, point: MergePoint) -> Loss:
        """What it loses."""
        return point.path.loss(point.merges)

    @cached_property
    def baselines(self) -> tuple[ReleasePoint, ...]:
        """The points of what others do; for problem (7) those with as little I* as any of ours."""
        least = max(one.maximin for one in self.survey.undominated)
        return tuple(
            point
            for series in self.survey.series
            if series.baseline
            for point in series
            if self.objective != "both" or point.maximin <= least
        )

    def not_equalled(self) -> Iterator[ReleasePoint]:
        """The points of others that none of ours equals or beats in both, compared exactly."""
        for other in self.baselines:
            leak, loss = other.leak(self.objective), other.loss(self.utility)
            if not any(
                one.leak(self.objective) <= leak and not below(loss, one.loss(self.utility))
                for one in self.survey.undominated
            ):
                yield other

    def reachable(self) -> int:
        """How many of our points some weight would choose: those on the lower convex hull."""
        hull: list[tuple[float, float]] = []
        for spot in sorted(map(self._spot, self.survey.undominated)):
            while len(hull) > 1 and _turn(hull[-2], hull[-1], spot) <= 0:
                hull.pop()
            hull.append(spot)
        return len(hull)

    def panel(self) -> Panel:
        """Everybody's points, both axes as shares of the most there can be."""
        whole = math.log2(self.heart.joint.size_x)
        if self.objective == "maximin":
            whole = max(1.0, *(float(point.maximin) for point in self.survey.undominated))
        most = float(self.heart.midranges.cost(range(self.heart.joint.size_y)))
        if self.utility == "resolution":
            most = math.log2(self.heart.joint.size_y)

        def curve(label: str, spots: Iterable[tuple[float, float]], style: Style) -> Curve:
            rows = sorted((loss / most, leak / whole) for loss, leak in spots)
            return Curve.of(label, *zip(*rows, strict=True), style=style)

        curves = [curve("ours, undominated", map(self._spot, self.survey.undominated), "steps")]
        for series in self.survey.series:
            spots = [self._spot(point) for point in series if series.baseline and point in self.baselines]
            if spots:
                curves.append(curve(series.name, spots, "dots"))
        stops = [(float(self.loss(one)), float(self.leak(one))) for one in self.stops]
        curves.append(curve("the paper's algorithm", stops, "dots"))
        lost = "1 - I0(X;Xh) / H0(X)" if self.utility == "resolution" else "distortion / that of one cell"
        told = "I*(S;Xh) / I*(S;X)" if self.objective == "maximin" else "L0(S;Xh) / L0(S;X)"
        return Panel.of(self.name, lost, told, *curves)

    def _spot(self, point: ReleasePoint) -> tuple[float, float]:
        return float(point.loss(self.utility)), float(point.leak(self.objective))


def _turn(one: tuple[float, float], two: tuple[float, float], three: tuple[float, float]) -> float:
    """Above 0 where the way from one over two to three turns left."""
    return (two[0] - one[0]) * (three[1] - one[1]) - (two[1] - one[1]) * (three[0] - one[0])


@reproduces(
    "[P3] Fig. 9",
    "Frontiers of the heart data",
    "For 5-anonymity Algorithm 1 loses less than generalisation and suppression; for I* Algorithm 2 has "
    "several points that are strictly better than submodularity-based agglomeration.",
    needs=("heart",),
)
def figure(data: Data) -> Parts:
    """All methods on all problems, measured alike."""
    heart = Heart.of(data)
    contests = [
        MethodComparison(heart, objective, utility) for utility, _ in UTILITIES for objective, _ in PROBLEMS
    ]
    yield from (contest.panel() for contest in contests)
    yield from (_anonymity(heart, utility, name) for utility, name in UTILITIES)
    for contest in contests:
        if contest.objective == "maximin":
            yield from _beside_subsets(contest)
    yield from map(_never_beaten, contests)
    yield ROWS
    yield _exact(contests[3])
    counts = maximin_path(heart.joint).components.tolist()
    yield (
        f"Why Algorithm 2 has a single point below one bit: the ages fall into {counts[0]} subgraphs, so "
        f"that I* is log2 of {' or '.join(map(str, counts))} and nothing between. One merge joins them, "
        "and the algorithm ends. No other point can have less I* than one at 0 bits."
    )
    yield (
        "[50] is IAC-MDSF as published: it merges the subset of cells that lowers I(S;Xh) - lambda I(X;Xh) "
        "most, found by ModMod, with the frequencies of the rows. [P3] does not say with which Lagrangian it "
        "ran it. Steepest descent is the same with pairs and the Lagrangian of [P3]."
    )


def _anonymity(heart: Heart, utility: Utility, name: str) -> ClaimCheck:
    """Algorithm 1 beside generalisation and suppression, with the same codewords."""
    book = heart.centroids if utility == "distortion" else None
    theirs = measure(Problem(heart.joint, book), generalise_and_suppress(heart.joint, ANONYMITY))
    point = _for_anonymity(heart, book)
    return ClaimCheck(
        f"For 5-anonymity Algorithm 1 loses less than generalisation and suppression ({name})",
        f"{_kept(point)} with {point.min_posterior} ages behind each answer, instead of {_kept(theirs)} with "
        f"{theirs.min_posterior}",
        "the point of Algorithm 1 with 5 ages or more that loses least loses strictly less",
        _lost(point) < _lost(theirs),
        about="figure",
    )


def _for_anonymity(heart: Heart, book: ColumnCodebook | None) -> MergePoint:
    """The best point of Algorithm 1 with this many ages behind each answer; the last one has all ages."""
    path = leakage_path(heart.joint, book)
    return path.meeting(min_posterior=ANONYMITY) or path.last


def _lost(found: "MergePoint | Measures") -> Fraction:
    """Grows with the loss: the distortion, or the share of the values in the largest cell."""
    return 1 / found.resolution.ratio if found.distortion is None else found.distortion.value


def _kept(found: "MergePoint | Measures") -> str:
    if found.distortion is None:
        return f"{math.floor(100 * float(found.resolution)) / 100:.2f} bits of resolution"  # rounded down
    return f"a distortion of {float(found.distortion):.1f}"


def _agglomerated(heart: Heart) -> list[Measures]:
    """The different solutions of [50], with centroids, for weights below 1."""
    counts = Counter(heart.pairs)
    labels = heart.joint.x_labels or (), heart.joint.y_labels or ()
    held = [counts[labels[0][s], labels[1][x]] for s, x in zip(heart.joint.x, heart.joint.y, strict=True)]
    cells = {
        found.digest: found
        for found in (submodular_agglomeration(heart.joint, share, held) for share in SHARES)
    }
    return [measure(Problem(heart.joint, heart.centroids), one) for one in cells.values()]


def _beside_subsets(contest: MethodComparison) -> Iterator[ClaimCheck]:
    """Algorithm 2 beside the agglomeration over subsets of [50]."""
    heart, utility = contest.heart, contest.utility
    path = maximin_path(heart.joint, heart.centroids if utility == "distortion" else None)
    theirs = _agglomerated(heart)
    better = [
        [point for point in path if below(path.loss(point.merges), other.loss(utility))] for other in theirs
    ]
    strictly = [
        sum(point.maximin < other.maximin for point in points)
        for points, other in zip(better, theirs, strict=True)
    ]
    least = min(float(other.loss(utility)) for other in theirs)
    own = f"I* = {float(path.last.maximin):g} at a loss of {float(path.loss(len(path) - 1)):g}"
    ends = ", ".join(dict.fromkeys(f"{float(other.maximin):g}" for other in theirs))
    yield ClaimCheck(
        f"A point of Algorithm 2 gives away no more than [50] and loses less ({contest.name})",
        f"the {len(theirs)} solutions of [50] have I* = {ends} at losses from {least:.4g} on; Algorithm 2 "
        f"has {own}",
        "each solution of [50] is dominated by a point of Algorithm 2",
        all(
            any(point.maximin <= other.maximin for point in points)
            for points, other in zip(better, theirs, strict=True)
        ),
        about="figure",
    )
    yield ClaimCheck(
        f"Several points of Algorithm 2 are strictly better in both than [50] ({contest.name})",
        f"{max(strictly)} are: its solutions have I* = {ends}, and Algorithm 2 has {len(path) - 1} point(s) "
        f"with I* below {float(path[0].maximin):g}",
        "at least two points of Algorithm 2 give away strictly less and lose strictly less than one of "
        "its solutions",
        max(strictly) > 1,
        about="figure",
    )


def _never_beaten(contest: MethodComparison) -> ClaimCheck:
    left = list(contest.not_equalled())
    return ClaimCheck(
        f"(Ours) Our frontier is never dominated by a baseline ({contest.name})",
        f"{len(contest.baselines) - len(left)} of {len(contest.baselines)} points of the baselines are "
        f"equalled or beaten by one of our {len(contest.survey.undominated)}",
        "every point of a baseline has one of ours that gives away no more and loses no more, compared "
        "exactly",
        not left,
        about="ours",
    )


def _exact(contest: MethodComparison) -> str:
    points = contest.survey.undominated
    proved = (
        "no partition at all is better at any of them"
        if contest.survey.scope == "all"
        else "not all are proved best"
    )
    five = next((point for point in points if point.min_posterior >= ANONYMITY), points[-1])
    greedy = _for_anonymity(contest.heart, contest.heart.centroids)
    return (
        f"Problem (2) with U2 is solved exactly: {len(points)} points, and {proved}. For {ANONYMITY} ages "
        f"the distortion is {float(five.loss('distortion')):.1f}, where {_kept(greedy)} is what "
        f"Algorithm 1 finds with centroids. Only {contest.reachable()} of the points can be had by "
        "varying lambda."
    )
