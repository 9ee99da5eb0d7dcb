"""Example 3 of [P2], and its Fig. 4: the privacy of the blurred body mass index against its accuracy."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from typing import Literal

import numpy as np

from noiseless.arrays import BoolArray, FloatArray, IntArray
from noiseless.collection.blur import Blur, ContinuousBlur
from noiseless.gallery.data import Data
from noiseless.gallery.figure import ClaimCheck, Curve, Panel, Parts, reproduces

HYPOTHESIS = "weight >= 30*(height/100)**2"
"""A body mass index of 30 or more."""

RANGES = {"weight": (0, 200), "height": (0, 250)}
"""In kilograms and centimetres, as the paper declares them."""

SHORTEST = 100
"""A height below this is a typing error: the survey has one, 62 cm."""

Policy = Literal["collapse", "stretch"]
"""The paper's policy, or ours."""

POLICIES: tuple[tuple[Policy, str], ...] = (
    ("collapse", "collapsed, as printed"),
    ("stretch", "paired, ours"),
)

LIMIT = Fraction(1, 100)
"""What e rho tends to: a band of width 2/rho over 250 cm, in a range of 200 kg x 250 cm."""

NEAR = 0.02
LARGE = 1
"""From this accuracy on (weights move by a kilogram at most) e rho has to be near its limit."""

RHOS = tuple(Fraction(round(10 ** (6 + k / 8)), 10**6) for k in range(-16, 25))
"""From 1/100 to 1000 per kilogram."""

SHOWN = Fraction(1, 10)
"""From here on the product is drawn."""

KILOGRAMS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 75, 100)
"""Changes that are whole kilograms, for the lattice."""


@dataclass(frozen=True)
class Respondents:
    """Who answered both questions.

    Attributes:
        height: in whole centimetres.
        weight: in whole kilograms.
        asked: how many answers the survey has.
        mistyped: how many of those who gave both were left out for an impossible height.
    """

    height: IntArray
    weight: IntArray
    asked: int
    mistyped: int

    @classmethod
    def of(cls, data: Data) -> "Respondents":
        """The survey's."""
        table = data.young_people().select(["Height", "Weight"])
        asked = len(table)
        table = table.drop_null()
        height, weight = (np.asarray(table[name].to_numpy(), np.int64) for name in ("Height", "Weight"))
        kept = height >= SHORTEST
        return cls(height[kept], weight[kept], asked, int(np.count_nonzero(~kept)))

    def __len__(self) -> int:
        return len(self.height)

    @property
    def obese(self) -> BoolArray:
        """Who is obese, decided in whole numbers: weight >= 30 (height/100)^2."""
        return 1000 * self.weight >= 3 * self.height**2

    def within(self, change: int) -> BoolArray:
        """Whose weight is within this many kilograms of the boundary."""
        near: BoolArray = np.abs(1000 * self.weight - 3 * self.height**2) <= 1000 * change
        return near

    def released(self, change: int, policy: Policy) -> FloatArray:
        """The weights that are reported when none may move by more than a number of kilograms.

        The paper's policy reports the boundary, 30 (height/100)^2, which is seldom a whole number; ours stays
        on the declared lattice of whole kilograms.
        """
        if change == 0:
            return self.weight.astype(np.float64)
        if policy == "collapse":
            return np.where(self.within(change), 3 * self.height**2 / 1000, self.weight)
        return blurred(self.height, self.weight, change).astype(np.float64)

    def described(self) -> str:
        """What a reader must know about the rows."""
        left = f"{self.mistyped} with a height below {SHORTEST} cm, a typing error, left out"
        return (
            f"{len(self):,} of {self.asked:,} answers have a height and a weight ({left}); "
            f"{np.count_nonzero(self.obese)} of these people are obese."
        )


def blurred(height: IntArray, weight: IntArray, change: int) -> IntArray:
    """Whole kilograms, blurred on their lattice; a number is its own place on it, for both begin at 0."""
    fibres = lattice_blur(change).fibres({"height": height})
    return np.asarray(fibres.release(weight), np.int64)


@cache
def lattice_blur(change: int, mode: Policy = "stretch") -> Blur:
    """The blur of whole kilograms and centimetres."""
    return Blur.of(HYPOTHESIS, max_change=change, bounds=RANGES, mode=mode)


def continuous_blur(rho: Fraction, mode: Policy = "stretch") -> ContinuousBlur:
    """The blur of real numbers that moves nothing by more than 1/rho."""
    return ContinuousBlur.of(HYPOTHESIS, RANGES, max_change=1 / rho, mode=mode)


@reproduces(
    "[P2] Fig. 4",
    "Privacy against accuracy of a blurred body mass index",
    "The privacy e of the blur falls with the accuracy rho like 1/rho: their product tends to a constant.",
)
def figure() -> Parts:
    """Exact shares of the range for each accuracy, and what Priv is by the paper's own definition."""
    epsilons = [continuous_blur(rho).epsilon for rho in RHOS]
    yield Panel.of(
        "Privacy against accuracy",
        "accuracy rho (1/kg)",
        "e",
        Curve.of("e, exact", RHOS, epsilons),
        Curve.dashed("1 / (100 rho)", RHOS, [LIMIT / rho for rho in RHOS]),
        log_x=True,
        log_y=True,
    )
    yield _times_accuracy(epsilons)
    yield _privacy(epsilons)
    off = {
        rho: abs(float(e * rho / LIMIT) - 1) for e, rho in zip(epsilons, RHOS, strict=True) if rho >= LARGE
    }
    worst, last = max(off.values()), off[RHOS[-1]]
    yield ClaimCheck(
        "Privacy times accuracy tends to a constant (Remark 1)",
        f"e rho is within {worst:.2%} of 1/100 from rho = {LARGE} on, and within {last:.3%} at rho = 1000",
        f"|100 e rho - 1| <= {NEAR:.0%} for all rho >= {LARGE}",
        worst <= NEAR,
        about="figure",
    )
    rises = sum(after >= before for before, after in pairwise(epsilons))
    yield ClaimCheck(
        "More accuracy is less privacy",
        f"e falls at {len(epsilons) - 1 - rises} of {len(epsilons) - 1} steps of rho",
        "e falls strictly from each rho to the next",
        rises == 0,
        about="figure",
    )
    yield _accurate()
    blur = continuous_blur(Fraction(1, 5), "collapse")
    priv, promised = blur.privacy("Y").nats, blur.privacy("X").nats
    yield ClaimCheck(
        "Theorem 4: the collapsing policy has Priv >= ln(1 + e)",
        f"at rho = 1/5 Priv is {priv:.4f} nats by definition (9), where ln(1 + e) = {promised:.4f}; only "
        "with h0(X) in place of h0(Y) is it that",
        "Priv with reference h0(Y) is at least ln(1 + e)",
        priv >= promised,
    )
    yield _mended()
    yield (
        "Theorem 4 is corrected: the paper collapses the band onto its boundary, a set of measure 0, "
        "so by the paper's own definition nothing is gained; with the reference h0(X) in place of "
        "h0(Y) its number is right. Stretching each half over the whole band keeps the promise as "
        "written."
    )
    yield (
        "On a lattice of whole kilograms and centimetres two values at least share each released "
        "one, so Priv is about half of what it is with real numbers; the share of values that are "
        "protected is the same."
    )
    yield "The early version has the integrand of the band's measure with the wrong sign."


def _times_accuracy(epsilons: "Sequence[Fraction | float]") -> Panel:
    shown = [(rho, e * rho) for e, rho in zip(epsilons, RHOS, strict=True) if rho >= SHOWN]
    below, above = (float(LIMIT) * (1 + off) for off in (-NEAR, NEAR))
    ends = (LARGE, RHOS[-1])
    return Panel.of(
        "Their product tends to a constant",
        "accuracy rho (1/kg)",
        "e rho",
        Curve.of("e rho", *zip(*shown, strict=True)),
        Curve.dashed("1/100", (SHOWN, ends[1]), (LIMIT, LIMIT)),
        Curve.dashed("2 % off", (*ends, math.nan, *ends), (below, below, math.nan, above, above)),
        log_x=True,
    )


def _privacy(epsilons: "Sequence[Fraction | float]") -> Panel:
    whole = [Fraction(1, change) for change in KILOGRAMS][::-1]

    def on_lattice(mode: Policy) -> list[float]:
        return [lattice_blur(change, mode).privacy("Y").nats for change in KILOGRAMS[::-1]]

    promised = [math.log1p(e) for e in epsilons]
    return Panel.of(
        "What is gained, by definition (9)",
        "accuracy rho (1/kg)",
        "Priv (nats)",
        Curve.of("stretched: as promised", RHOS, promised),
        Curve.dashed("collapsed, printed: 0", RHOS, [0.0] * len(RHOS)),
        Curve.dots("whole kg and cm, paired", whole, on_lattice("stretch")),
        Curve.dots("whole kg and cm, collapsed", whole, on_lattice("collapse")),
        log_x=True,
    )


def _accurate() -> ClaimCheck:
    heights, weights = range(0, 251, 10), range(0, 201, 4)
    worst = Fraction(0)
    for rho, (mode, _) in product((Fraction(1, 20), Fraction(1, 5)), POLICIES):
        blur = continuous_blur(rho, mode)
        for height, weight in product(heights, weights):
            released = blur.release({"height": Fraction(height), "weight": Fraction(weight)})["weight"]
            worst = max(worst, abs(released - weight) * rho)
    points = len(heights) * len(weights)
    return ClaimCheck(
        "The policy is rho-accurate",
        f"over {points:,} points, two accuracies and both policies the largest move is {float(worst):.3f} "
        "/ rho",
        "no point moves by more than 1/rho, exactly",
        worst <= 1,
    )


def _mended() -> ClaimCheck:
    sound = all(
        continuous_blur(rho).privacy("Y").epsilon >= continuous_blur(rho, "collapse").epsilon
        for rho in RHOS[::8]
    )
    return ClaimCheck(
        "There is a rho-accurate policy with Priv >= ln(1 + e)",
        "stretching each half of the band over the whole of it is one, at every rho that was tried",
        "Priv of the stretched blur with reference h0(Y) is at least ln(1 + e), exactly",
        sound,
        about="ours",
    )
