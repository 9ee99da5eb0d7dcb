"""A problem of [P3] with a utility, on the heart data: what the paper, we and others can do."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from noiseless.exact import Bits
from noiseless.gallery.figure import Curve, Panel, Style
from noiseless.gallery.p3_heart import Heart
from noiseless.search.merging import Codebook, MergePoint, constrained_path, leakage_path, maximin_path
from noiseless.search.merging.lagrangian import Loss, below
from noiseless.search.merging.path import Objective, Utility
from noiseless.search.selection import Survey, SurveyPoint, survey

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


@dataclass(frozen=True, eq=False)
class Contest:
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
    def baselines(self) -> tuple[SurveyPoint, ...]:
        """The points of what others do; for problem (7) those with as little I* as any of ours."""
        least = max(one.quality.maximin for one in self.survey.undominated)
        return tuple(
            point
            for series in self.survey.series
            if not series.ours
            for point in series
            if self.objective != "both" or point.quality.maximin <= least
        )

    def not_equalled(self) -> Iterator[SurveyPoint]:
        """The points of others that none of ours equals or beats in both, compared exactly."""
        for other in self.baselines:
            leak, loss = other.quality.leak(self.objective), other.quality.loss(self.utility)
            if not any(
                one.quality.leak(self.objective) <= leak and not below(loss, one.quality.loss(self.utility))
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
        whole = math.log2(self.heart.joint.size_x) if self.objective != "maximin" else self._most_told()
        most = float(self.heart.midranges.cost(range(self.heart.joint.size_y)))
        if self.utility == "resolution":
            most = math.log2(self.heart.joint.size_y)

        def curve(label: str, spots: Iterable[tuple[float, float]], style: Style) -> Curve:
            rows = sorted((loss / most, leak / whole) for loss, leak in spots)
            return Curve.of(label, *zip(*rows, strict=True), style=style)

        curves = [curve("ours, undominated", map(self._spot, self.survey.undominated), "steps")]
        for series in self.survey.series:
            spots = [self._spot(point) for point in series if not series.ours and point in self.baselines]
            if spots:
                curves.append(curve(series.name, spots, "dots"))
        stops = [(float(self.loss(one)), float(self.leak(one))) for one in self.stops]
        curves.append(curve("the paper's algorithm", stops, "dots"))
        lost = "1 - I0(X;Xh) / H0(X)" if self.utility == "resolution" else "distortion / that of one cell"
        told = "I*(S;Xh) / I*(S;X)" if self.objective == "maximin" else "L0(S;Xh) / L0(S;X)"
        return Panel(self.name, lost, told, tuple(curves))

    def _most_told(self) -> float:
        return max(1.0, *(float(point.quality.maximin) for point in self.survey.undominated))

    def _spot(self, point: SurveyPoint) -> tuple[float, float]:
        return float(point.quality.loss(self.utility)), float(point.quality.leak(self.objective))


def _turn(one: tuple[float, float], two: tuple[float, float], three: tuple[float, float]) -> float:
    """Above 0 where the way from one over two to three turns left."""
    return (two[0] - one[0]) * (three[1] - one[1]) - (two[1] - one[1]) * (three[0] - one[0])
