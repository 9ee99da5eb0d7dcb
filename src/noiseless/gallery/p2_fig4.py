"""Fig. 4 of [P2]: the privacy of the blurred body mass index against its accuracy."""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise, product
from typing import TYPE_CHECKING

from noiseless.gallery.figure import Check, Curve, Figure, Outcome, Panel
from noiseless.gallery.p2_body_mass import POLICIES, Policy, continuous_blur, lattice_blur

if TYPE_CHECKING:
    from noiseless.gallery.data import Data

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


def make(_: "Data") -> Outcome:
    """Exact shares of the range for each accuracy, and what Priv is by the paper's own definition."""
    epsilons = [continuous_blur(rho).epsilon for rho in RHOS]
    return Outcome(
        panels=(_against_accuracy(epsilons), _times_accuracy(epsilons), _privacy(epsilons)),
        checks=(_tends(epsilons), _falls(epsilons), _accurate(), _as_printed(), _mended()),
        remarks=(
            (
                "Theorem 4 is corrected: the paper collapses the band onto its boundary, a set of measure 0, "
                "so by the paper's own definition nothing is gained; with the reference h0(X) in place of "
                "h0(Y) its number is right. Stretching each half over the whole band keeps the promise as "
                "written."
            ),
            (
                "On a lattice of whole kilograms and centimetres two values at least share each released "
                "one, so Priv is about half of what it is with real numbers; the share of values that are "
                "protected is the same."
            ),
            "The early version has the integrand of the band's measure with the wrong sign.",
        ),
    )


def _against_accuracy(epsilons: "Sequence[Fraction | float]") -> Panel:
    return Panel(
        "Privacy against accuracy",
        "accuracy rho (1/kg)",
        "e",
        (
            Curve.of("e, exact", RHOS, epsilons),
            Curve.of("1 / (100 rho)", RHOS, [LIMIT / rho for rho in RHOS], style="dashed"),
        ),
        log_x=True,
        log_y=True,
    )


def _times_accuracy(epsilons: "Sequence[Fraction | float]") -> Panel:
    shown = [(rho, e * rho) for e, rho in zip(epsilons, RHOS, strict=True) if rho >= SHOWN]
    below, above = (float(LIMIT) * (1 + off) for off in (-NEAR, NEAR))
    ends = (LARGE, RHOS[-1])
    return Panel(
        "Their product tends to a constant",
        "accuracy rho (1/kg)",
        "e rho",
        (
            Curve.of("e rho", *zip(*shown, strict=True)),
            Curve.of("1/100", (SHOWN, ends[1]), (LIMIT, LIMIT), style="dashed"),
            Curve.of(
                "2 % off", (*ends, math.nan, *ends), (below, below, math.nan, above, above), style="dashed"
            ),
        ),
        log_x=True,
    )


def _privacy(epsilons: "Sequence[Fraction | float]") -> Panel:
    whole = [Fraction(1, change) for change in KILOGRAMS][::-1]

    def on_lattice(mode: Policy) -> list[float]:
        return [lattice_blur(change, mode).privacy("Y").nats for change in KILOGRAMS[::-1]]

    promised = [math.log1p(e) for e in epsilons]
    return Panel(
        "What is gained, by definition (9)",
        "accuracy rho (1/kg)",
        "Priv (nats)",
        (
            Curve.of("stretched: as promised", RHOS, promised),
            Curve.of("collapsed, printed: 0", RHOS, [0.0] * len(RHOS), style="dashed"),
            Curve.of("whole kg and cm, paired", whole, on_lattice("stretch"), style="dots"),
            Curve.of("whole kg and cm, collapsed", whole, on_lattice("collapse"), style="dots"),
        ),
        log_x=True,
    )


def _tends(epsilons: "Sequence[Fraction | float]") -> Check:
    off = {
        rho: abs(float(e * rho / LIMIT) - 1) for e, rho in zip(epsilons, RHOS, strict=True) if rho >= LARGE
    }
    worst, last = max(off.values()), off[RHOS[-1]]
    return Check(
        "Privacy times accuracy tends to a constant (Remark 1)",
        f"e rho is within {worst:.2%} of 1/100 from rho = {LARGE} on, and within {last:.3%} at rho = 1000",
        f"|100 e rho - 1| <= {NEAR:.0%} for all rho >= {LARGE}",
        worst <= NEAR,
    )


def _falls(epsilons: "Sequence[Fraction | float]") -> Check:
    rises = sum(after >= before for before, after in pairwise(epsilons))
    return Check(
        "More accuracy is less privacy",
        f"e falls at {len(epsilons) - 1 - rises} of {len(epsilons) - 1} steps of rho",
        "e falls strictly from each rho to the next",
        rises == 0,
    )


def _accurate() -> Check:
    heights, weights = range(0, 251, 10), range(0, 201, 4)
    worst = Fraction(0)
    for rho, (mode, _) in product((Fraction(1, 20), Fraction(1, 5)), POLICIES):
        blur = continuous_blur(rho, mode)
        for height, weight in product(heights, weights):
            released = blur.release({"height": Fraction(height), "weight": Fraction(weight)})["weight"]
            worst = max(worst, abs(released - weight) * rho)
    points = len(heights) * len(weights)
    return Check(
        "The policy is rho-accurate",
        f"over {points:,} points, two accuracies and both policies the largest move is {float(worst):.3f} "
        "/ rho",
        "no point moves by more than 1/rho, exactly",
        worst <= 1,
    )


def _as_printed() -> Check:
    blur = continuous_blur(Fraction(1, 5), "collapse")
    priv, promised = blur.privacy("Y").nats, blur.privacy("X").nats
    return Check(
        "Theorem 4: the collapsing policy has Priv >= ln(1 + e)",
        f"at rho = 1/5 Priv is {priv:.4f} nats by definition (9), where ln(1 + e) = {promised:.4f}; only "
        "with h0(X) in place of h0(Y) is it that",
        "Priv with reference h0(Y) is at least ln(1 + e)",
        priv >= promised,
    )


def _mended() -> Check:
    sound = all(
        continuous_blur(rho).privacy("Y").epsilon >= continuous_blur(rho, "collapse").epsilon
        for rho in RHOS[::8]
    )
    return Check(
        "There is a rho-accurate policy with Priv >= ln(1 + e)",
        "stretching each half of the band over the whole of it is one, at every rho that was tried",
        "Priv of the stretched blur with reference h0(Y) is at least ln(1 + e), exactly",
        sound,
    )


FIGURE = Figure(
    "p2-fig4",
    "[P2] Fig. 4",
    "Privacy against accuracy of a blurred body mass index",
    "The privacy e of the blur falls with the accuracy rho like 1/rho: their product tends to a constant.",
    (),
    make,
)
