"""[P5] Lemma 1: how much an epsilon-DP mechanism can tell of one entry, in nats of mutual information."""

import math

from noiseless.gallery.figure import ClaimCheck, Curve, Panel, Parts, reproduces
from noiseless.gallery.p5_mechanisms import NEAR, WHOLE, at_random, dots, nearest, subset_selection
from noiseless.theory.differential import Database, dp_to_kl, dp_to_mi, mi_dp
from noiseless.theory.differential.published_bounds import simple_divergence

EPSILONS = tuple(i / 25 for i in range(1, 101))
DOTS = tuple(i / 4 for i in range(1, 17))
VALUES = (2, 5, 1_000)
CLOSE = 1e-4
"""Nats by which the largest subset selection may miss the limit."""

SMALL = 0.01
QUARTER = 1e-3


@reproduces(
    "[P5] Lemma 1",
    "From epsilon-DP to mutual information",
    "epsilon-DP implies min{epsilon, epsilon^2} nats of MI-DP, by way of Kullback-Leibler divergence.",
)
def figure() -> Parts:
    """Printed bounds, the tight one, and mechanisms that approach it."""
    drawn = [each for each in at_random() if each.epsilon <= EPSILONS[-1]]
    printed = Curve.dashed("printed (23): min{e, e²}", EPSILONS, simple_divergence)
    route = Curve.dashed("by (11) and (22): e tanh(e/2)", EPSILONS, dp_to_kl)
    tight = Curve.of("tight: k - 1 - ln k, k = e/(1 - exp(-e))", EPSILONS, dp_to_mi)
    families = tuple(
        Curve.dots(f"subset selection, {n:,} values", DOTS, (subset_selection(e, n) for e in DOTS))
        for n in VALUES
    )
    random = dots("mechanisms at random", drawn, "epsilon", "information")
    yield Panel.of("MI-DP that follows from epsilon-DP", "epsilon", "nats", printed, route, tight)
    yield Panel.of("Who comes close to the tight bound", "epsilon", "nats", tight, *families, random)
    yield from _checks()
    yield (
        "The paper calls (11) tight, for divergences, and gives no tight bound for mutual "
        "information: its route over divergences costs a factor of four for small epsilon."
    )


def _checks() -> Parts:
    drawn = at_random()
    ordered = nearest((each.information, each.divergence) for each in drawn)
    printed = max(dp_to_mi(e) / simple_divergence(e) for e in EPSILONS)
    most = nearest((each.information, dp_to_mi(each.epsilon)) for each in drawn)
    missed = max(dp_to_mi(e) - subset_selection(e, VALUES[-1]) for e in DOTS)
    quarter = dp_to_mi(SMALL) / dp_to_kl(SMALL)
    right = 1 / (1 + math.exp(-1.0))
    own = mi_dp(Database.of([[right, 1 - right], [1 - right, right]])).upper_nats
    yield ClaimCheck(
        "(22): epsilon-KL-DP implies epsilon-MI-DP.",
        f"of {len(drawn)} mechanisms at random none tells more than {ordered:.3f} of its largest divergence",
        "information <= divergence for each",
        ordered <= WHOLE,
    )
    yield ClaimCheck(
        "(23): epsilon-DP implies min{epsilon, epsilon^2} nats of MI-DP.",
        f"true, and loose: the tight bound is at most {printed:.3f} of it",
        "the tight curve lies below the printed one at 100 values of epsilon up to 4",
        printed <= 1,
    )
    yield ClaimCheck(
        "Ours: the best bound is k - 1 - ln k with k = epsilon / (1 - e^-epsilon).",
        f"at epsilon = 1 {dp_to_mi(1):.5f} against {dp_to_kl(1):.5f} by way of divergences; subset "
        f"selection of {VALUES[-1]:,} values comes within {missed:.1g} nats everywhere, no mechanism at "
        "random exceeds it",
        f"nothing above; approached within {CLOSE} nats at {len(DOTS)} values of epsilon up to 4",
        most <= WHOLE and 0 <= missed <= CLOSE,
        about="ours",
    )
    yield ClaimCheck(
        "Ours: for small epsilon a quarter of the way over divergences.",
        f"{quarter:.5f} at epsilon = {SMALL}",
        f"within {QUARTER} of 1/4",
        abs(quarter - 1 / 4) <= QUARTER,
        about="ours",
    )
    yield ClaimCheck(
        "Ours: the closed form drawn for subset selection is the capacity of that mechanism.",
        f"two values (randomised response) at epsilon = 1: {own:.9f} by the certified search, "
        f"{subset_selection(1.0, 2):.9f} by the formula",
        "within 1e-9 nats",
        abs(own - subset_selection(1.0, 2)) <= NEAR,
        about="ours",
    )
